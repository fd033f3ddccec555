"""Evaluate tables that are larger than memory: the same numbers as in memory, from sums over parts of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kp_core.scale.plan import Compare, Plan, make
from kp_core.scale.run import Engine
from kp_core.scale.sources import sources
from kp_core.scale.statistics_file import Opened, is_statistics_file, lies_within, read_statistics
from kp_core.scale.streamed import Streamed, documents_of, open_statistics, streamed
from kp_core.settings import Settings, make_settings
from kp_core.studies.compare import TRIALS, Comparison
from kp_core.studies.compare import checked as checked_comparison
from kp_core.studies.result import Result

__all__ = [
    "Compare",
    "Engine",
    "Opened",
    "Plan",
    "Streamed",
    "agreement",
    "compare",
    "documents_of",
    "evaluate",
    "is_statistics_file",
    "lies_within",
    "make",
    "open_statistics",
    "read_statistics",
    "run_evaluation",
    "sources",
    "streamed",
]


def _settings(options: dict[str, Any]) -> Settings:
    universe = options.pop("universe", None)
    made = make_settings(preset_name=options.pop("preset", "kpscope"), **options)
    return replace(made, universe="" if universe is None else str(universe))


def run_evaluation(
    gold: Any,
    systems: Any,
    documents: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    comparisons: Sequence[Compare] = (),
    baselines: bool = False,
    by: str = "",
    engine: Engine | None = None,
    **options: Any,
) -> Streamed:
    """Add up an evaluation, and comparisons if wanted, over Parquet, CSV or JSONL of any size.

    gold, systems, documents   paths or URLs as `load` takes them: one, a list, or {name: path}; folders too
    options                    those of `kp.evaluate`: k, universe, annotators, average, …

    `result()` and `comparisons()` of what is returned are those of an evaluation in memory; `save()` keeps it.
    """
    for one in comparisons:
        checked_comparison(one.measure, one.trials, one.test, one.correction)
    plan = make(sources(gold, systems, documents), _settings(options), measures, comparisons, None, baselines, by)
    return streamed(plan, engine)


def evaluate(
    gold: Any, systems: Any, documents: Any = None, measures: Sequence[str] | str | None = None, **options: Any
) -> Result:
    """Evaluate every system of tables of any size against their gold standard, as `kp.evaluate` does in memory.

    Options are those of `run_evaluation`. Intervals are Poisson bootstrap (`interval="poisson"`), whose weights depend
    on the ids of the documents alone.
    """
    return run_evaluation(gold, systems, documents, measures, **options).result()


def compare(
    gold: Any,
    systems: Any,
    documents: Any = None,
    measure: str = "F1@k",
    *,
    test: str = "randomisation",
    correction: str = "holm",
    trials: int = TRIALS,
    engine: Engine | None = None,
    **options: Any,
) -> Comparison:
    """Compare every pair of systems of tables of any size, as `kp.compare` does in memory; not by Wilcoxon's test."""
    asked = Compare(measure, test, correction, trials)
    found = run_evaluation(gold, systems, documents, (), comparisons=[asked], engine=engine, **options)
    return found.comparisons()[0]


def agreement(
    gold: Any,
    documents: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    systems: Any = None,
    engine: Engine | None = None,
    **options: Any,
) -> Result:
    """Measure how well the annotators of tables of any size agree, as `kp.agreement` does in memory.

    systems: their rankings, which are part of the universe `rankings`
    """
    names = [measures] if isinstance(measures, str) else measures or ()
    asked = tuple(dict.fromkeys(part.strip() for name in names for part in name.split(",")))
    plan = make(sources(gold, systems, documents), _settings(options), (), (), asked)
    return streamed(plan, engine).result()
