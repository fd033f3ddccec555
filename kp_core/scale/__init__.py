"""Evaluate tables that are larger than memory: the same sums as in memory, part by part of the documents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from kp_core.errors import part_of, unfit
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source as File
from kp_core.scale.engine import Engine, run
from kp_core.scale.plan import Plan, make_plan
from kp_core.scale.score import Streamed
from kp_core.scale.sources import sources
from kp_core.scale.tally import is_statistics_file, load_tally
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


@dataclass(frozen=True)
class Opened:
    """A finished run from its file.

    result       values, intervals and notes of all systems or annotators; None where only pairs were asked for
    comparisons  all pairs of systems, one entry a measure and cutoff
    digest       SHA-256 of the file; documents: how many have gold
    """

    name: str
    digest: str
    documents: int
    run: Streamed
    plan: Plan
    result: Result | None
    comparisons: tuple[Comparison, ...]


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
    settings, tables = (settings or Settings()).changed(**changes), sources(gold, systems, documents)
    plan = make_plan(tables, settings, measures, comparisons, agreement, baselines, by)
    return Streamed(*run(plan, engine or Engine()))


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


def open_statistics(item: str | Path | File, limits: Limits = LIMITS) -> Opened:
    """Read a finished run back from its file; a file in memory is held to the limits.

    Raises InputError if it is damaged, unfinished, or another file.
    """
    upload = isinstance(item, File)
    file = item if isinstance(item, File) else File(Path(item).name, Path(item).read_bytes())
    tally = load_tally(file, limits if upload else None)
    header = tally.header
    if not header.get("complete") or "plan" not in header:
        parts = part_of(len(header.get("done", ())), header.get("parts", 0), "part", "is", "are")
        raise unfit(file.name, "unfinished", parts=parts)
    digest, plan = hashlib.sha256(file.data).hexdigest(), header["plan"]
    try:
        streamed, documents = Streamed(tally, plan), int(tally.arrays["documents"][0])
        result = streamed.result() if plan.agreement is not None or plan.measures else None
        return Opened(file.name, digest, documents, streamed, plan, result, tuple(streamed.comparisons()))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise unfit(file.name, "altered") from None


def lies_within(plan: Plan, root: Path) -> bool:
    """Tell whether all tables of a run are files below a folder; a link that leads out of it does not count.

    The paths come out of a file that anybody may have written, so nothing else may be read for them.
    """
    paths, inside = plan.paths, root.resolve()
    below = (one.is_absolute() and one.is_file() and one.resolve().is_relative_to(inside) for one in paths)
    return 0 < len(paths) == sum(len(one.paths) for one in plan.sources) and all(below)
