"""Turn what a streamed run added up to into results, a file, and single documents fetched from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError, part_of
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source as File
from kp_core.scale import finish
from kp_core.scale.partitions import Partition
from kp_core.scale.plan import Compare, Names, Plan, corpus_of
from kp_core.scale.run import Engine, run
from kp_core.scale.sources import COLUMNS, FORMATS, Source
from kp_core.scale.sums import Statistics, load
from kp_core.settings import settings_from, signature
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result


@dataclass(frozen=True)
class Streamed:
    """A finished streamed run: everything that its documents add up to."""

    statistics: Statistics
    plan: Plan

    def result(self) -> Result:
        """Return values, intervals and notes of all systems, or of the annotators where agreement was asked for."""
        if self.plan.agreement is not None:
            return finish.agreed(self.statistics, self.plan)
        return finish.result(self.statistics, self.plan)

    def comparisons(self) -> list[Comparison]:
        """Return all pairs of systems by every measure and cutoff that were asked for."""
        return finish.comparisons(self.statistics, self.plan)

    def comparison(self) -> Comparison:
        """Return the first comparison with the rows of all in one frame, as `compare_all` does in memory."""
        found = self.comparisons()
        frame = pd.concat([one.frame for one in found], ignore_index=True)
        return replace(found[0], frame=frame)

    def documents(self, ids: Sequence[str]) -> Corpus:
        """Return some documents with their rows, read from the tables of the run.

        Parquet that is sorted by document is read only where they stand; anything else is read through.
        """
        return documents_of(self.plan, ids)

    def save(self, path: str | Path) -> None:
        """Write the statistics with what they mean, as one NumPy archive; see docs/scale.md."""
        self.statistics.save(path, plan=_written(self.plan), complete=True)


def documents_of(plan: Plan, ids: Sequence[str]) -> Corpus:
    """Return some documents with their rows, read from the tables of a plan."""
    missing = [path.name for path in paths_of(plan) if not path.exists()]
    if missing:
        raise InputError(missing[0], "no such file any more", "the tables of the run", "Put the file back.")
    every = tuple(replace(one, texts=True) for one in (*plan.sources, *plan.beside))
    return corpus_of(replace(plan, sources=every), _Some(0, ids=tuple(ids)))[0]


def paths_of(plan: Plan) -> list[Path]:
    """Return the files of the tables of a plan that are on this machine."""
    return [Path(path) for one in (*plan.sources, *plan.beside) for path in one.paths if "://" not in path]


@dataclass(frozen=True)
class _Some(Partition):
    """Some documents by their ids."""

    ids: tuple[str, ...] = ()

    def read(self, source: Source, place: int) -> Any:
        """Return the rows of these documents."""
        return source.of(self.ids)


def streamed(plan: Plan, engine: Engine | None = None) -> Streamed:
    """Carry out a plan."""
    statistics, resolved = run(plan, engine or Engine())
    finish.refuse_if_mostly_rejected(statistics)
    found = Streamed(statistics, resolved)
    if engine is not None and engine.checkpoint is not None:
        found.save(engine.checkpoint)
    return found


def _written(plan: Plan) -> dict[str, Any]:
    return {
        "signature": signature(plan.settings, 0),
        "measures": plan.measures,
        "agreement": plan.agreement,
        "compare": [asdict(one) for one in plan.compare],
        "baselines": plan.baselines,
        "by": plan.by,
        "names": asdict(plan.names),
        "notes": [note.as_dict() for note in plan.notes],
        "largest": plan.largest,
        "sources": [list(one.__reduce__()[1]) for one in plan.sources],
        "beside": [list(one.__reduce__()[1]) for one in plan.beside],
    }


def open_statistics(item: str | Path | File, limits: Limits = LIMITS) -> Streamed:
    """Read a finished run back from its file; a file in memory is held to the limits.

    Raises InputError for another file, and for the checkpoint of a run that is not finished.
    """
    statistics = load(item, limits)
    name = item.name if isinstance(item, File) else Path(item).name
    written = statistics.header.get("plan")
    if not statistics.header.get("complete") or written is None:
        done, parts = len(statistics.header.get("done", ())), statistics.header.get("parts", "?")
        raise InputError(
            name,
            f"a run of which {part_of(done, parts, 'part', 'is', 'are')} done",
            "a finished run",
            "Go on with the same command and --checkpoint.",
        )
    try:
        return Streamed(statistics, _read(written))
    except (AttributeError, KeyError, TypeError, UsageError, ValueError):
        raise InputError(
            name, "a header that describes no run", "statistics of a streamed run", "Use another copy, or run again."
        ) from None


def _read(written: dict[str, Any]) -> Plan:
    names, agreed = written["names"], written["agreement"]
    found = Names(
        tuple(tuple(one) for one in names["listed"]),
        tuple(names["annotators"]),
        tuple(names["systems"]),
        tuple(names["groups"]),
        names["graded"],
    )
    return Plan(
        tuple(_source(one) for one in written["sources"]),
        settings_from(written["signature"]),
        tuple(written["measures"]),
        tuple(Compare(**one) for one in written["compare"]),
        None if agreed is None else tuple(agreed),
        written["baselines"],
        written["by"],
        found,
        tuple(Note(**note) for note in written["notes"]),
        written["largest"],
        tuple(_source(one) for one in written["beside"]),
    )


def _source(written: list[Any]) -> Source:
    role, paths, form, *rest = written
    if role not in COLUMNS or form not in FORMATS.values() or not all(isinstance(path, str) for path in paths):
        raise ValueError(role)
    return Source(role, tuple(paths), form, *rest)
