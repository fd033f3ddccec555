"""Turn a file of statistics in memory into everything that it says: results, comparisons, and where its tables are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from kp_core.errors import InputError, UsageError
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.source import Source
from kp_core.scale.plan import Plan
from kp_core.scale.streamed import open_statistics, paths_of
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result


@dataclass(frozen=True)
class Opened:
    """A streamed run without its sums.

    result       values, intervals and notes of all systems or annotators; None where only pairs were asked for
    comparisons  all pairs of systems, one entry a measure and cutoff
    digest       SHA-256 of the file; documents: how many have gold
    """

    name: str
    digest: str
    documents: int
    plan: Plan
    result: Result | None
    comparisons: tuple[Comparison, ...]


def is_statistics_file(source: Source) -> bool:
    """Tell whether a file holds statistics of a streamed run, by its first member.

    >>> is_statistics_file(Source("run.npz", b"")), is_statistics_file(Source("gold.csv", b"doc_id,phrase"))
    (False, False)
    """
    return source.data[:4] == b"PK\x03\x04" and source.data[30:].startswith(b"header.json.npy")


def read_statistics(source: Source, limits: Limits = LIMITS) -> Opened:
    """Return what a file of statistics says; raises InputError if it is damaged, unfinished, or another file."""
    run = open_statistics(source, limits)
    scored = run.plan.agreement is not None or bool(run.plan.measures)
    try:
        documents = int(run.statistics.arrays["documents/all"][0])
        result = run.result() if scored else None
        comparisons = tuple(run.comparisons())
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        StopIteration,
        TypeError,
        UsageError,
        ValueError,
    ):
        raise InputError(
            source.name,
            "sums that do not fit to what the header describes",
            "statistics of a streamed run",
            "Use another copy, or run again.",
        ) from None
    digest = hashlib.sha256(source.data).hexdigest()
    return Opened(source.name, digest, documents, run.plan, result, comparisons)


def lies_within(plan: Plan, root: Path) -> bool:
    """Tell whether all tables of a run are files below a folder; a link that leads out of it does not count.

    The paths come out of a file that anybody may have written, so nothing else may be read for them.
    """
    paths, inside = paths_of(plan), root.resolve()
    whole = len(paths) == sum(len(one.paths) for one in (*plan.sources, *plan.beside))
    return (
        whole
        and bool(paths)
        and all(path.is_absolute() and path.is_file() and path.resolve().is_relative_to(inside) for path in paths)
    )
