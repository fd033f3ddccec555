"""Turn a plan into what all documents add up to: part by part here, or on the workers of a Dask cluster."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import InputError, UsageError
from kp_core.scale.partitions import ROWS, Partition, ranges, regroup
from kp_core.scale.plan import Plan, corpus_of
from kp_core.scale.score import count_gold, score
from kp_core.scale.tally import Tally, as_json, load_tally, refuse_without_folder
from kp_core.scoring.codes import mean_size
from kp_core.text.stem import keep_stems

#: What is told of the progress: parts done, all parts, and parts, rows and seconds of this run.
Progress = Callable[[int, int, int, int, float], None]
#: Gives number and sums of every part as they come.
Each = Callable[[Sequence[Partition], Plan, bool], Iterator[tuple[int, Tally]]]


@dataclass(frozen=True)
class Engine:
    """How a streamed run is carried out; nothing of it changes a number.

    partition_rows  rows of a part, about
    cluster         local, local:N, the address of a Dask scheduler, or empty for this process alone
    checkpoint      file that keeps what was added up, and from which an interrupted run goes on
    scratch         folder for rows that must be regrouped by document; by default a temporary one
    """

    partition_rows: int = ROWS
    cluster: str = ""
    checkpoint: str | Path | None = None
    scratch: str | Path | None = None
    progress: Progress | None = None


def run(plan: Plan, engine: Engine) -> tuple[Tally, Plan]:
    """Return what all documents add up to, and the plan with everything settled."""
    refuse_without_folder(engine.checkpoint)
    with _partitioned(plan, engine) as parts, _workers(engine.cluster) as each:
        total = _begun(plan, engine)
        if plan.first_pass:
            if "first pass" not in total.header:
                first = Tally()
                for _, tally in each(parts, plan, True):
                    first.merge(tally)
                entries, lists = first.sums.arrays.get("gold", np.zeros(2))
                largest = max(map(float, first.sums.under("largest")), default=0.0)
                total.header["first pass"] = [mean_size(int(entries), int(lists)), largest]
            average, largest = total.header["first pass"]
            cutoffs = [average if k == "average" else k for k in plan.settings.k]
            plan = replace(plan, settings=plan.settings.changed(k=cutoffs), largest=largest)
        total.header["parts"] = len(parts)
        _add_up(total, parts, plan, engine, each)
    return total, plan


@contextmanager
def _partitioned(plan: Plan, engine: Engine) -> Iterator[list[Partition]]:
    """Give the parts of the data; regrouped rows are kept while the run lasts."""
    if engine.partition_rows < 1:
        raise UsageError(f"partition rows are {engine.partition_rows}; choose a number from 1 up")
    parts = ranges(plan.tables, engine.partition_rows)
    if parts is not None:
        yield parts
        return
    if engine.cluster and not engine.cluster.startswith("local") and engine.scratch is None:
        raise UsageError(
            "the rows of a document are not together in these files, and the cluster cannot see a temporary folder of "
            "this machine; sort the tables by doc_id and write them as Parquet, or name a folder that all workers "
            "see: --scratch PATH"
        )
    if engine.scratch is not None:
        Path(engine.scratch).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kpscope-", dir=engine.scratch) as folder:
        yield regroup(plan.tables, engine.partition_rows, folder)


def _begun(plan: Plan, engine: Engine) -> Tally:
    """Return what a checkpoint holds, or nothing; a checkpoint of other data or settings is refused."""
    stamps = [source.stamps for source in plan.tables]
    digest = hashlib.sha256(as_json([plan, stamps, engine.partition_rows])).hexdigest()
    if engine.checkpoint is None or not Path(engine.checkpoint).exists():
        return Tally(header={"digest": digest, "done": []})
    tally = load_tally(engine.checkpoint)
    if tally.header.get("digest") != digest:
        raise InputError(
            Path(engine.checkpoint).name,
            "a checkpoint of other data or settings",
            "one of this run",
            "Name another file, or remove this one.",
        )
    return tally


def _add_up(total: Tally, parts: Sequence[Partition], plan: Plan, engine: Engine, each: Each) -> None:
    """Add up the parts that are left, with a checkpoint after each."""
    done: list[int] = total.header["done"]
    left = [part for part in parts if part.number not in set(done)]
    begun, rows = time.monotonic(), total.number("rows read")
    for count, (number, tally) in enumerate(each(left, plan, False), 1):
        total.merge(tally)
        done.append(number)
        if engine.checkpoint is not None:
            total.save(engine.checkpoint)
        if engine.progress is not None:
            engine.progress(len(done), len(parts), count, total.number("rows read") - rows, time.monotonic() - begun)


def _tallied(partition: Partition, plan: Plan, gold_only: bool) -> Tally:
    """Return what the documents of one part add up to, or what is counted of its gold before the parts are scored.

    An error names the part's files and rows.
    """
    keep_stems()
    tables = [
        (source, partition.read(source, place))
        for place, source in enumerate(plan.tables)
        if source.role == "gold" or not gold_only
    ]
    try:
        tally = (count_gold if gold_only else score)(corpus_of(plan, tables), plan)
    except InputError as error:
        where = partition.where(plan.tables)
        raise InputError(f"{where}, {error.where}", error.found, error.expected, error.remedy) from None
    tally.sums.add("rows read", np.array([sum(len(table) for _, table in tables)]))
    return tally


@contextmanager
def _workers(cluster: str) -> Iterator[Each]:
    """Give a function that gives number and sums of parts as they come."""
    if not cluster:
        yield lambda parts, plan, gold_only: ((one.number, _tallied(one, plan, gold_only)) for one in parts)
        return
    try:
        import distributed
    except ImportError:
        raise UsageError("a cluster needs Dask; install it with: pip install 'kpscope[cluster]'") from None
    dask: Any = distributed
    kind, _, number = cluster.partition(":")
    options: dict[str, Any] = {"address": cluster}
    if kind == "local":
        if number and not (number.isdecimal() and int(number)):
            raise UsageError(f"cluster is '{cluster}'; write local, local:N or tcp://host:port")
        # One thread a worker: arrays of one part should not wait for those of another in the same process.
        options = {"threads_per_worker": 1, "dashboard_address": None} | ({"n_workers": int(number)} if number else {})
    try:
        client = dask.Client(**options)
    except (OSError, ValueError) as error:
        raise UsageError(f"the cluster {cluster} cannot be reached: {error}") from None

    def each(parts: Sequence[Partition], plan: Plan, gold_only: bool) -> Iterator[tuple[int, Tally]]:
        # The plan goes with every part, so that no worker that dies can take it along; results are never reused.
        waiting = {client.submit(_tallied, one, plan, gold_only, pure=False): one.number for one in parts}
        for future, tally in dask.as_completed(list(waiting), with_results=True):
            number = waiting.pop(future)
            future.release()
            yield number, tally

    with client:
        yield each
