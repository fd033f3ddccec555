"""Turn a plan into what all documents add up to: part by part here, or on the workers of a Dask cluster."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from kp_core.corpus import Corpus
from kp_core.errors import InputError, input_error, machine_reason, usage_error
from kp_core.reading.open.source import Source as File
from kp_core.scale.partitions import ROWS, Partition, ranges, sorted_runs
from kp_core.scale.plan import Plan, make_plan
from kp_core.scale.score import Streamed, corpus_of, count_gold, refuse_if_mostly_rejected, score
from kp_core.scale.sources import Source, sources
from kp_core.scale.tally import Tally, as_json, load_tally, refuse_without_folder
from kp_core.scoring.codes import mean_size
from kp_core.scoring.paired import Family
from kp_core.settings import Settings
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result
from kp_core.text.stem import keep_stems

#: What is told of the progress: parts done, all parts, and parts, rows and seconds of this run.
Progress = Callable[[int, int, int, int, float], None]
#: Gives what is made of every part, in any order.
Each = Callable[[Callable[[Partition], Any], Sequence[Partition]], Iterable[Any]]
#: A checkpoint is written when this many times what the last one took has gone by.
_SPARE = 20


class ProgressLine:
    """Shows the progress on one line of a terminal, and otherwise a line every ten seconds."""

    def __init__(self) -> None:
        self.last = float("-inf")

    def __call__(self, done: int, parts: int, count: int, rows: int, seconds: float) -> None:
        """Show parts done, and by those of this run the rate and the remaining time."""
        live, now = sys.stderr.isatty(), time.monotonic()
        if not live and done < parts and now - self.last < 10:
            return
        self.last = now
        left = timedelta(seconds=round(seconds / count * (parts - done)))
        text = f"{done} of {parts} parts · {rows / max(seconds, 1e-9):,.0f} rows per second · {left} left"
        sys.stderr.write(f"\r{text:<70}" + ("\n" if done == parts else "") if live else f"{text}\n")
        sys.stderr.flush()


@dataclass(frozen=True)
class Engine:
    """How a streamed run is carried out; nothing of it changes a number.

    partition_rows  rows of a part, about
    cluster         local, local:N, the address of a Dask scheduler, or empty for this process alone
    checkpoint      file that keeps what was added up, and from which an interrupted run goes on
    scratch         folder for rows that must be sorted by document; by default a temporary one
    """

    partition_rows: int = ROWS
    cluster: str = ""
    checkpoint: str | Path | None = None
    scratch: str | Path | None = None
    progress: Progress | None = None


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
    **changes: Any,
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


def run(plan: Plan, engine: Engine) -> tuple[Tally, Plan]:
    """Return the sums over all documents, and the plan with everything resolved."""
    refuse_without_folder(engine.checkpoint)
    with _partitioned(plan, engine) as (parts, tables), _workers(engine.cluster) as each:
        total = _begun(plan, engine)
        if plan.first_pass:
            if "first pass" not in total.header:
                gold = [one for one in tables if one.role == "gold"]
                entries, lists, largest = zip(
                    *(made for *_, made in each(partial(_made, count_gold, gold, plan), parts)), strict=True
                )
                total.header["first pass"] = [mean_size(sum(entries), sum(lists)), max(largest)]
            average, most = total.header["first pass"]
            cutoffs = [average if k == "average" else k for k in plan.settings.k]
            plan = replace(plan, settings=plan.settings.changed(k=cutoffs), largest=most)
        total.header["parts"] = len(parts)
        done = set(total.header["done"])
        left = [part for part in parts if part.number not in done]
        _add_up(total, each(partial(_made, score, tables, plan), left), engine)
    refuse_if_mostly_rejected(total)
    if engine.checkpoint is not None:
        total.save(engine.checkpoint, plan=plan, complete=True)
    return total, plan


@contextmanager
def _partitioned(plan: Plan, engine: Engine) -> Iterator[tuple[list[Partition], Sequence[Source]]]:
    """Yield the parts of the data, and the tables that they are read from; sorted runs are kept while the run lasts."""
    rows = engine.partition_rows
    if rows < 1:
        raise usage_error("partition rows", rows=rows)
    parts = ranges(plan.tables, rows)
    if parts is not None:
        yield parts, plan.tables
        return
    if engine.scratch is None and engine.cluster and not engine.cluster.startswith("local"):
        raise usage_error("no shared folder")
    with ExitStack() as stack:
        try:
            if engine.scratch is not None:
                Path(engine.scratch).mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kpscope-", dir=engine.scratch))
            tables, parts = sorted_runs(plan.tables, rows, folder)
        except OSError as error:  # of writing; reading has words of its own
            raise input_error("the scratch folder", "scratch", error=machine_reason(error)) from None
        yield parts, tables


def _begun(plan: Plan, engine: Engine) -> Tally:
    """Return what a checkpoint holds, or nothing; a checkpoint of other data or settings is refused."""
    stamps = [source.stamps for source in plan.tables]
    digest = hashlib.sha256(as_json([plan, stamps, engine.partition_rows])).hexdigest()
    file = Path(engine.checkpoint) if engine.checkpoint is not None else None
    if file is None or not file.exists():
        return Tally(header={"digest": digest, "done": []})
    tally = load_tally(File(file.name, file.read_bytes()))
    if tally.header.get("digest") != digest:
        raise input_error(file.name, "checkpoint")
    return tally


def _add_up(total: Tally, found: Iterable[tuple[int, int, Tally]], engine: Engine) -> None:
    """Add up parts as they come; a checkpoint costs a twentieth of the time at the most, however large it is."""
    begun, due, done, rows = time.monotonic(), 0.0, total.header["done"], 0
    for count, (number, read, tally) in enumerate(found, 1):
        total.merge(tally)
        done.append(number)
        rows, now = rows + read, time.monotonic()
        if engine.checkpoint is not None and now >= due:
            total.save(engine.checkpoint)
            due = time.monotonic() + _SPARE * (time.monotonic() - now)
        if engine.progress is not None:
            engine.progress(len(done), total.header["parts"], count, rows, now - begun)


def _made(
    work: Callable[[Corpus, Plan], Any], tables: Sequence[Source], plan: Plan, part: Partition
) -> tuple[int, int, Any]:
    """Return the number of a part, its rows, and what work makes of it; an error names the part and the tables."""
    keep_stems()
    read = [(one.role, part.read(one)) for one in tables]
    try:
        return part.number, sum(len(table) for _, table in read), work(corpus_of(plan, read), plan)
    except InputError as error:
        names = ", ".join(dict.fromkeys(one.shown for one in plan.tables))
        raise InputError(f"{part} of {names}, {error.where}", error.found, error.expected, error.remedy) from None


@contextmanager
def _workers(cluster: str) -> Iterator[Each]:
    """Yield a function that makes something of every part, one after the other or on the workers of a cluster."""
    if not cluster:
        yield map
        return
    try:
        import distributed
    except ImportError:
        raise usage_error("no Dask") from None
    dask: Any = distributed
    kind, _, number = cluster.partition(":")
    options: dict[str, Any] = {"address": cluster}
    if kind == "local":
        if number and not (number.isdecimal() and int(number)):
            raise usage_error("cluster", cluster=cluster)
        # One thread a worker: arrays of one part should not wait for those of another in the same process.
        options = {"threads_per_worker": 1, "dashboard_address": None} | ({"n_workers": int(number)} if number else {})
    try:
        client = dask.Client(**options)
    except (OSError, ValueError) as error:
        raise usage_error("no cluster", cluster=cluster, error=error) from None

    def each(make: Callable[[Partition], Any], parts: Sequence[Partition]) -> Iterator[Any]:
        # Tables and plan go with every part, so that no worker that dies can take them along; nothing is made twice.
        for future, made in dask.as_completed(client.map(make, parts, pure=False), with_results=True):
            future.release()
            yield made

    with client:
        yield each
