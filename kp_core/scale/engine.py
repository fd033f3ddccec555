"""Turn a plan into what all documents add up to: part by part here, or on the workers of a Dask cluster."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kp_core.errors import InputError, UsageError
from kp_core.scale.partitions import ROWS, Partition, digest_of, ranges, regroup
from kp_core.scale.plan import Plan, corpus_of
from kp_core.scale.score import count_gold, score
from kp_core.scale.tally import Tally, load_tally, refuse_without_folder
from kp_core.scoring.codes import mean_size
from kp_core.text.stem import keep_stems

#: Seconds between two checkpoints.
SAVE_EVERY = 10.0
#: What is told of the progress: parts done, all parts, rows read in this run, rows left, seconds.
Progress = Callable[[int, int, int, int, float], None]


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
    save_every: float = SAVE_EVERY


def _tallied(partition: Partition, plan: Plan, gold_only: bool) -> Tally:
    """Return what the documents of one part add up to, or what is counted of its gold before the parts are scored.

    An error names the part's files and rows.
    """
    keep_stems()
    try:
        corpus, read = corpus_of(plan, partition, gold_only)
        tally = (count_gold if gold_only else score)(corpus, plan)
    except InputError as error:
        where = partition.where(plan.sources)
        raise InputError(f"{where}, {error.where}", error.found, error.expected, error.remedy) from None
    tally.sums.add("rows read", np.array([read]))
    return tally


@contextmanager
def partitioned(plan: Plan, engine: Engine) -> Iterator[tuple[list[Partition], str]]:
    """Give the parts of the data and the digest of data and plan; regrouped rows are kept while the run lasts."""
    if engine.partition_rows < 1:
        raise UsageError(f"partition rows are {engine.partition_rows}; choose a number from 1 up")
    digest = digest_of(plan.sources, plan.described(), engine.partition_rows)
    sorted_parts = ranges(plan.sources, engine.partition_rows)
    if sorted_parts is not None:
        yield sorted_parts, digest
        return
    if engine.cluster and not engine.cluster.startswith("local") and engine.scratch is None:
        raise UsageError(
            "the rows of a document are not together in these files, and the cluster cannot see a temporary folder of "
            "this machine; sort the tables by doc_id and write them as Parquet, or name a folder that all workers "
            "see: --scratch PATH"
        )
    data = digest_of(plan.sources, engine.partition_rows)
    if engine.scratch is not None:
        folder = Path(engine.scratch)
        folder.mkdir(parents=True, exist_ok=True)
        yield regroup(plan.sources, engine.partition_rows, folder, data), digest
        return
    with tempfile.TemporaryDirectory(prefix="kpscope-") as name:
        yield regroup(plan.sources, engine.partition_rows, Path(name), data), digest


def run(plan: Plan, engine: Engine) -> tuple[Tally, Plan]:
    """Return what all documents add up to, and the plan with everything settled."""
    refuse_without_folder(engine.checkpoint)
    with partitioned(plan, engine) as (parts, digest), _workers(engine.cluster) as each:
        state = _resumed(engine, digest)
        if plan.first_pass:
            if "first pass" not in state.header:
                first = Tally()
                for _, tally in each(parts, plan, True):
                    first.merge(tally)
                entries, lists = first.sums.arrays.get("gold", np.zeros(2))
                largest = max(map(float, first.sums.under("largest")), default=0.0)
                state.header["first pass"] = [mean_size(int(entries), int(lists)), largest]
            average, largest = state.header["first pass"]
            cutoffs = [average if k == "average" else k for k in plan.settings.k]
            plan = replace(plan, settings=plan.settings.changed(k=cutoffs), largest=largest)
        state.header |= {"digest": digest, "parts": len(parts)}
        _merge_all(state, parts, plan, engine, each)
    if state.number("rows read") != _expected(plan):
        raise InputError("the tables", "rows that changed during the run", "files that stay as they are", "Run again.")
    return state, plan


def _expected(plan: Plan) -> int:
    return sum(source.rows for source in plan.sources)


def _resumed(engine: Engine, digest: str) -> Tally:
    """Return what a checkpoint holds, or nothing; a checkpoint of other data or settings is refused."""
    if engine.checkpoint is None or not Path(engine.checkpoint).exists():
        return Tally(header={"done": []})
    tally = load_tally(engine.checkpoint)
    if tally.header.get("digest") != digest:
        raise InputError(
            Path(engine.checkpoint).name,
            "a checkpoint of other data or settings",
            "one of this run",
            "Name another file, or remove this one.",
        )
    return tally


def _merge_all(state: Tally, parts: Sequence[Partition], plan: Plan, engine: Engine, each: Any) -> None:
    """Add up the parts that are left; saves from time to time, and when the run is interrupted."""
    done: list[int] = state.header["done"]
    left = [one for one in parts if one.number not in set(done)]
    begun = saved = time.monotonic()
    before, expected = state.number("rows read"), _expected(plan)
    with _interruptible(engine.checkpoint is not None):
        try:
            for number, tally in each(left, plan, False):
                with _undisturbed():
                    state.merge(tally)
                    done.append(number)
                now = time.monotonic()
                if engine.checkpoint is not None and now - saved >= engine.save_every:
                    state.save(engine.checkpoint)
                    saved = now
                if engine.progress is not None:
                    read = state.number("rows read")
                    engine.progress(len(done), len(parts), read - before, expected - read, now - begun)
        finally:
            done.sort()
            if engine.checkpoint is not None:
                state.save(engine.checkpoint)


@contextmanager
def _interruptible(wanted: bool) -> Iterator[None]:
    """Let SIGTERM end the run as Ctrl+C does, so that the checkpoint is written."""
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler) if wanted else None
    except ValueError:  # only the main thread may set handlers
        before = None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold signals back until a part is added whole, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@contextmanager
def _workers(cluster: str) -> Iterator[Any]:
    """Give a function that gives (number, tally) of parts as they come."""
    if not cluster:
        yield lambda parts, plan, gold_only: ((one.number, _tallied(one, plan, gold_only)) for one in parts)
        return
    try:
        import distributed
    except ImportError:
        raise UsageError("a cluster needs Dask; install it with: pip install 'kpscope[cluster]'") from None
    dask: Any = distributed
    kind, _, number = cluster.partition(":")
    if kind == "local":
        if number and not (number.isdecimal() and int(number)):
            raise UsageError(f"cluster is '{cluster}'; write local, local:N or tcp://host:port")
        options: dict[str, Any] = {"n_workers": int(number)} if number else {}
        # One thread a worker: arrays of one part should not wait for those of another in the same process.
        made = dask.LocalCluster(threads_per_worker=1, processes=True, dashboard_address=None, **options)
    else:
        made = None
    try:
        client = dask.Client(made if made is not None else cluster)
    except (OSError, ValueError) as error:
        raise UsageError(f"the cluster {cluster} cannot be reached: {error}") from None

    def each(parts: Sequence[Partition], plan: Plan, gold_only: bool) -> Iterator[tuple[int, Tally]]:
        # The plan goes with every part, so that no worker that dies can take it along; results are never reused.
        waiting = {client.submit(_tallied, one, plan, gold_only, pure=False): one.number for one in parts}
        for future, tally in dask.as_completed(list(waiting), with_results=True):
            number = waiting.pop(future)
            future.release()
            yield number, tally

    try:
        yield each
    finally:
        client.close()
        if made is not None:
            made.close()
