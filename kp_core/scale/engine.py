"""Process the parts of a plan one by one, and add up the results."""

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
from kp_core.scale import tally as sums
from kp_core.scale.partitions import ROWS, Partition, ranges, sorted_runs
from kp_core.scale.plan import Plan, make_plan
from kp_core.scale.sources import Source, sources
from kp_core.scale.tally import Streamed, Tally
from kp_core.scoring.gold import mean_size
from kp_core.scoring.paired import Family
from kp_core.settings import Settings
from kp_core.studies.compare import Comparison
from kp_core.studies.result import Result
from kp_core.text.stem import keep_stems

#: Called with completed parts, all parts, and parts, rows and seconds of this run.
Progress = Callable[[int, int, int, int, float], None]
#: Time between checkpoints, as a multiple of the duration of the last one.
_CHECKPOINT_RATIO = 20


class ProgressLine:
    """Display of progress on one line of a terminal, else on a new line every ten seconds."""

    def __init__(self) -> None:
        self.last = float("-inf")

    def __call__(self, completed: int, n_parts: int, count: int, n_rows: int, seconds: float) -> None:
        """Show completed parts, rate, and remaining time."""
        in_terminal, current = sys.stderr.isatty(), time.monotonic()
        if not in_terminal and completed < n_parts and current - self.last < 10:
            return
        self.last = current
        remaining = timedelta(seconds=round(seconds / count * (n_parts - completed)))
        text = f"{completed} of {n_parts} parts · {n_rows / max(seconds, 1e-9):,.0f} rows per second · {remaining} left"
        sys.stderr.write(f"\r{text:<70}" + ("\n" if completed == n_parts else "") if in_terminal else f"{text}\n")
        sys.stderr.flush()


@dataclass(frozen=True)
class StreamOptions:
    """Options of a streamed run that do not affect its results.

    * `partition_rows`: approximate number of rows per part
    * `checkpoint`: file from which an interrupted run continues; `scratch`: folder for sorting (default: temporary)
    """

    partition_rows: int = ROWS
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
    options: StreamOptions | None = None,
    **changes: Any,
) -> Streamed:
    """Evaluate systems, and compare them if requested, over Parquet, CSV or JSONL of any size.

    gold, systems and documents are paths, URLs or folders, as for `load`: one, a list, or {name: path}. agreement:
    measures of annotators (() for the defaults), which are then evaluated instead of systems. `result()` and
    `comparisons()` return results, `save()` writes a file. Poisson bootstrap weights depend only on ids and seed.
    """
    settings, tables = (settings or Settings()).changed(**changes), sources(gold, systems, documents)
    plan = make_plan(tables, settings, measures, comparisons, agreement, baselines, by)
    return Streamed(*run(plan, options or StreamOptions()))


def evaluate(gold: Any, systems: Any, documents: Any = None, /, measures: Any = None, **options: Any) -> Result:
    """Evaluate systems on tables of any size, as `kp.evaluate` does in memory, with the options of `stream`."""
    return stream(gold, systems, documents, measures=measures, **options).result()


def compare(
    gold: Any, systems: Any, documents: Any = None, family: Family | None = None, /, **options: Any
) -> Comparison:
    """Compare systems on tables of any size, as `kp.compare` does in memory, except for Wilcoxon's test."""
    return stream(gold, systems, documents, measures=(), comparisons=[family or Family()], **options).comparisons()[0]


def agreement(gold: Any, systems: Any = None, documents: Any = None, /, measures: Any = (), **options: Any) -> Result:
    """Measure the agreement of annotators on tables of any size; `systems`: rankings for the universe `rankings`."""
    return stream(gold, systems, documents, measures=(), agreement=measures or (), **options).result()


def run(plan: Plan, options: StreamOptions) -> tuple[Tally, Plan]:
    """Return the sums over all documents, and the plan with all settings resolved."""
    sums.refuse_without_folder(options.checkpoint)
    with _partition(plan, options) as (parts, tables):
        total = _checkpoint(plan, options)
        if plan.first_pass:
            if "first pass" not in total.header:
                gold = [table for table in tables if table.role == "gold"]
                part_counts = [counts for *_, counts in map(partial(_process, sums.count_gold, gold, plan), parts)]
                entries, lists, largest_grades = zip(*part_counts, strict=True)
                total.header["first pass"] = [mean_size(sum(entries), sum(lists)), max(largest_grades)]
            average, largest_grade = total.header["first pass"]
            cutoffs = [average if k == "average" else k for k in plan.settings.k]
            plan = replace(plan, settings=plan.settings.changed(k=cutoffs), largest=largest_grade)
        total.header["parts"] = len(parts)
        completed = set(total.header["done"])
        open_parts = [part for part in parts if part.number not in completed]
        _add_parts(total, map(partial(_process, sums.score, tables, plan), open_parts), options)
    sums.refuse_if_mostly_rejected(total)
    if options.checkpoint is not None:
        total.save(options.checkpoint, plan=plan, complete=True)
    return total, plan


@contextmanager
def _partition(plan: Plan, options: StreamOptions) -> Iterator[tuple[list[Partition], Sequence[Source]]]:
    rows = options.partition_rows
    if rows < 1:
        raise usage_error("partition rows", rows=rows)
    parts = ranges(plan.tables, rows)
    if parts is not None:
        yield parts, plan.tables
        return
    with ExitStack() as stack:
        try:
            if options.scratch is not None:
                Path(options.scratch).mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kpscope-", dir=options.scratch))
            tables, parts = sorted_runs(plan.tables, rows, folder)
        except OSError as error:  # of writing
            raise input_error("the scratch folder", "scratch", error=machine_reason(error)) from None
        yield parts, tables


def _checkpoint(plan: Plan, options: StreamOptions) -> Tally:
    """Return the tally of a checkpoint, or an empty one; refuse a checkpoint of other data or settings."""
    stamps = [source.stamps for source in plan.tables]
    digest = hashlib.sha256(sums.as_json([plan, stamps, options.partition_rows])).hexdigest()
    file = Path(options.checkpoint) if options.checkpoint is not None else None
    if file is None or not file.exists():
        return Tally(header={"digest": digest, "done": []})
    tally = sums.load_tally(File(file.name, file.read_bytes()))
    if tally.header.get("digest") != digest:
        raise input_error(file.name, "checkpoint")
    return tally


def _add_parts(total: Tally, parts: Iterable[tuple[int, int, Tally]], options: StreamOptions) -> None:
    """Add up parts as they arrive; checkpoints take at most a twentieth of the time."""
    start, next_checkpoint, completed, rows = time.monotonic(), 0.0, total.header["done"], 0
    for count, (number, rows_read, tally) in enumerate(parts, 1):
        total.merge(tally)
        completed.append(number)
        rows, current = rows + rows_read, time.monotonic()
        if options.checkpoint is not None and current >= next_checkpoint:
            total.save(options.checkpoint)
            next_checkpoint = time.monotonic() + _CHECKPOINT_RATIO * (time.monotonic() - current)
        if options.progress is not None:
            options.progress(len(completed), total.header["parts"], count, rows, current - start)


def _process(
    work: Callable[[Corpus, Plan], Any], tables: Sequence[Source], plan: Plan, part: Partition
) -> tuple[int, int, Any]:
    keep_stems()
    tables_read = [(table.role, part.read(table)) for table in tables]
    try:
        return part.number, sum(len(table) for _, table in tables_read), work(sums.corpus_of(plan, tables_read), plan)
    except InputError as error:
        names = ", ".join(dict.fromkeys(table.shown for table in plan.tables))
        raise InputError(f"{part} of {names}, {error.where}", error.found, error.expected, error.remedy) from None
