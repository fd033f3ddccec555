"""Turn the file of a finished run back into its results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from kp_core.errors import part_of, unfit
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source as File
from kp_core.scale.plan import Plan
from kp_core.scale.score import Streamed
from kp_core.scale.tally import load_tally
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result


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
