"""Turn what a streamed run added up to into results, a file, and single documents fetched from the tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kp_core.corpus import Corpus
from kp_core.errors import InputError, part_of
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source as File
from kp_core.scale import score
from kp_core.scale.engine import Engine, run
from kp_core.scale.plan import Plan, corpus_of
from kp_core.scale.tally import Tally, load_tally
from kp_core.settings import signature
from kp_core.studies.compare import Comparison, joined
from kp_core.studies.result import Result


@dataclass(frozen=True)
class Streamed:
    """A finished streamed run: everything that its documents add up to."""

    tally: Tally
    plan: Plan

    def result(self) -> Result:
        """Return values, intervals and notes of all systems, or of the annotators where agreement was asked for."""
        return (score.result if self.plan.agreement is None else score.agreement_result)(self.tally, self.plan)

    def comparisons(self) -> list[Comparison]:
        """Return all pairs of systems by every measure and cutoff that were asked for."""
        return score.comparisons(self.tally, self.plan)

    def comparison(self) -> Comparison:
        """Return the first comparison with the rows of all in one frame, as `compare_all` does in memory."""
        recipe = signature(self.plan.settings, self.tally.number("documents"), self.plan.concordance)
        return joined(self.comparisons(), recipe)

    def documents(self, ids: Sequence[str]) -> Corpus:
        """Return some documents with their rows, read from the tables of the run.

        Parquet that is sorted by document is read only where they stand; anything else is read through.
        """
        missing = [path.name for path in paths_of(self.plan) if not path.exists()]
        if missing:
            raise InputError(missing[0], "no such file any more", "the tables of the run", "Put the file back.")
        chosen = list(ids)
        return corpus_of(self.plan, [(one, one.where(one.id.isin(chosen))) for one in self.plan.sources])

    def save(self, path: str | Path) -> None:
        """Write the sums with what they mean, as one NumPy archive; see docs/scale.md."""
        self.tally.save(path, plan=self.plan, complete=True)


def paths_of(plan: Plan) -> list[Path]:
    """Return the files of the tables of a plan that are on this machine."""
    return [Path(path) for one in plan.sources for path in one.paths if "://" not in path]


def lies_within(plan: Plan, root: Path) -> bool:
    """Tell whether all tables of a run are files below a folder; a link that leads out of it does not count.

    The paths come out of a file that anybody may have written, so nothing else may be read for them.
    """
    paths, inside = paths_of(plan), root.resolve()
    whole = len(paths) == sum(len(one.paths) for one in plan.sources)
    below = (one.is_absolute() and one.is_file() and one.resolve().is_relative_to(inside) for one in paths)
    return whole and bool(paths) and all(below)


def streamed(plan: Plan, engine: Engine) -> Streamed:
    """Carry out a plan."""
    finished = Streamed(*run(plan, engine))
    score.refuse_if_mostly_rejected(finished.tally)
    if engine.checkpoint is not None:
        finished.save(engine.checkpoint)
    return finished


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
    result: Result | None
    comparisons: tuple[Comparison, ...]

    @property
    def plan(self) -> Plan:
        """What the run was asked for."""
        return self.run.plan


def open_statistics(item: str | Path | File, limits: Limits = LIMITS) -> Opened:
    """Read a finished run back from its file; a file in memory is held to the limits.

    Raises InputError if it is damaged, unfinished, or another file.
    """
    tally, name = load_tally(item, limits), item.name if isinstance(item, File) else Path(item).name
    if not tally.header.get("complete") or "plan" not in tally.header:
        done, parts = len(tally.header.get("done", ())), tally.header.get("parts", "?")
        raise InputError(
            name,
            f"a run of which {part_of(done, parts, 'part', 'is', 'are')} done",
            "a finished run",
            "Go on with the same command and --checkpoint.",
        )
    data = item.data if isinstance(item, File) else Path(item).read_bytes()
    try:
        opened = Streamed(tally, tally.header["plan"])
        scored = opened.plan.agreement is not None or bool(opened.plan.measures)
        result, comparisons = opened.result() if scored else None, tuple(opened.comparisons())
        documents = int(tally.sums.arrays["documents"][0])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise InputError(
            name,
            "sums that do not fit to what the header describes",
            "statistics of a streamed run",
            "Use another copy, or run again.",
        ) from None
    return Opened(name, hashlib.sha256(data).hexdigest(), documents, opened, result, comparisons)
