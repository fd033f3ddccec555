"""Evaluate tables that are larger than memory: the same sums as in memory, part by part of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from kp_core.scale.engine import Engine
from kp_core.scale.plan import Plan, make_plan
from kp_core.scale.sources import sources
from kp_core.scale.streamed import Opened, Streamed, lies_within, open_statistics, streamed
from kp_core.scale.tally import is_statistics_file
from kp_core.settings import Changes, Settings
from kp_core.studies.compare import Comparison, Family
from kp_core.studies.result import Result

__all__ = [
    "Engine",
    "Family",
    "Opened",
    "Plan",
    "Streamed",
    "agreement",
    "compare",
    "evaluate",
    "is_statistics_file",
    "lies_within",
    "open_statistics",
    "stream",
]


def stream(
    gold: Any,
    systems: Any = None,
    documents: Any = None,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str | None = None,
    *,
    comparisons: Sequence[Family] = (),
    agreement: Sequence[str] | str | None = None,
    baselines: bool = False,
    by: str = "",
    engine: Engine | None = None,
    **changes: Unpack[Changes],
) -> Streamed:
    """Add up an evaluation, and comparisons if wanted, over Parquet, CSV or JSONL of any size.

    gold, systems, documents   paths or URLs as `load` takes them: one, a list, or {name: path}; folders too
    agreement                  measures of the annotators, () for the usual ones; None where systems are scored

    `result()` and `comparisons()` of what is returned are those of an evaluation in memory; `save()` keeps it.
    Intervals are Poisson bootstrap, whose weights depend on the ids of the documents alone.
    """
    settings = (settings or Settings()).changed(**changes)
    tables = sources(gold, systems, documents)
    return streamed(make_plan(tables, settings, measures, comparisons, agreement, baselines, by), engine or Engine())


def evaluate(gold: Any, systems: Any, documents: Any = None, /, measures: Any = None, **options: Any) -> Result:
    """Evaluate every system of tables of any size, as `kp.evaluate` does in memory; options are those of `stream`."""
    return stream(gold, systems, documents, measures=measures, **options).result()


def compare(
    gold: Any, systems: Any, documents: Any = None, family: Family | None = None, /, **options: Any
) -> Comparison:
    """Compare every pair of systems of tables of any size, as `kp.compare` does in memory; not by Wilcoxon's test."""
    return stream(gold, systems, documents, measures=(), comparisons=[family or Family()], **options).comparisons()[0]


def agreement(gold: Any, systems: Any = None, documents: Any = None, /, measures: Any = (), **options: Any) -> Result:
    """Measure how well the annotators of tables of any size agree, as `kp.agreement` does in memory.

    systems: rankings, which are part of the universe `rankings`
    """
    return stream(gold, systems, documents, measures=(), agreement=measures or (), **options).result()
