"""Turn the options of a command into a streamed run, with its progress on standard error."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kp_core.errors import UsageError
from kp_core.reading.limits import LIMITS
from kp_core.settings import Settings

if TYPE_CHECKING:
    from kp_core.scale import Engine, Streamed
    from kp_core.studies.compare import Comparison
    from kp_core.studies.result import Result

_FORMATS = (".parquet", ".csv", ".jsonl", ".ndjson")
_TELLING = ("cluster", "checkpoint", "partition_rows", "scratch", "save_statistics")
#: Options of reading that a streamed run does not have: its tables are tidy and UTF-8.
_ONLY_IN_MEMORY = ("encoding", "strict", "fix", "judgements", "as")


def wanted(options: argparse.Namespace) -> bool:
    """Tell whether a command is to be streamed: it was asked for, or the tables are beyond the limits of memory."""
    if options.stream or any(getattr(options, name) is not None for name in _TELLING):
        return True
    paths = [path for given in (options.gold, *(options.system or ())) for path in given or ()]
    if any("://" in path for path in paths):
        return True
    named = [path if Path(path).exists() else path.partition("=")[2] for path in paths]
    there = [Path(path) for path in named if path and Path(path).exists()]
    files = [one for path in there for one in ([path] if path.is_file() else path.rglob("*.parquet"))]
    # A folder of text files may be one file a system, which only reading in memory finds out.
    if len(there) < len(paths) or not files or any(file.suffix.lower() not in _FORMATS for file in files):
        return False
    large = [file for file in files if _beyond_memory(file)]
    total = sum(file.stat().st_size for file in files)
    if large or total > LIMITS.session_bytes:
        where = f"{large[0].name} is" if large else "the files together are"
        sys.stderr.write(f"info: {where} beyond the limits of an evaluation in memory, so the tables are streamed\n")
        return True
    return False


def _beyond_memory(file: Path) -> bool:
    if file.stat().st_size > LIMITS.file_bytes:
        return True
    if file.suffix.lower() != ".parquet":
        return False
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_metadata

    try:
        return bool(read_metadata(file).num_rows > LIMITS.rows)
    except ArrowInvalid:
        return False  # reading says what is wrong with it


def _engine(options: argparse.Namespace) -> Engine:
    from kp_core.scale import Engine

    for name in _ONLY_IN_MEMORY:
        if getattr(options, name, None):
            raise UsageError(f"--{name} is not for streamed tables; write them once with: kpscope convert --to parquet")
    rows = {} if options.partition_rows is None else {"partition_rows": options.partition_rows}
    return Engine(
        cluster=options.cluster or "", checkpoint=options.checkpoint, scratch=options.scratch, progress=_Shown(), **rows
    )


class _Shown:
    """Shows the progress on one line of a terminal, and otherwise a line every ten seconds."""

    def __init__(self) -> None:
        self.last = float("-inf")

    def __call__(self, done: int, parts: int, rows: int, left: int, seconds: float) -> None:
        """Show parts done, rate and remaining time."""
        live, now = sys.stderr.isatty(), time.monotonic()
        if not live and done < parts and now - self.last < 10:
            return
        self.last = now
        rate = rows / seconds if seconds > 0 else 0.0
        text = f"{done} of {parts} parts · {rate:,.0f} rows a second · {duration(left / rate if rate else 0)} left"
        sys.stderr.write(f"\r{text:<70}" + ("\n" if done == parts else "") if live else f"{text}\n")
        sys.stderr.flush()


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(42), duration(200), duration(7300)
    ('42 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def _run(options: argparse.Namespace, systems: Any, settings: Settings, **asked: Any) -> Streamed:
    from kp_core.scale import make, sources, streamed
    from kp_core.scale.sums import refuse_without_folder

    if not options.gold:
        raise UsageError("--gold is missing: name the table of the gold standard")
    refuse_without_folder(options.save_statistics)
    tables = sources(options.gold, systems, options.documents)
    try:
        found = streamed(make(tables, settings, **asked), _engine(options))
    except KeyboardInterrupt:
        again = "run the same command again to go on" if options.checkpoint else "with --checkpoint it could go on"
        raise UsageError(f"interrupted; {again}") from None
    if options.save_statistics:
        found.save(options.save_statistics)
    return found


def evaluated(options: argparse.Namespace, systems: Any, settings: Settings) -> Result:
    """Return the result of `evaluate`."""
    found = _run(options, systems, settings, measures=options.measures, baselines=options.baselines, by=options.by)
    return found.result()


def compared(
    options: argparse.Namespace, systems: Any, settings: Settings, names: list[str], trials: int
) -> Comparison:
    """Return the result of `compare`."""
    from kp_core.scale import Compare
    from kp_core.studies.compare import checked

    for name in names:
        checked(name, trials, options.test, options.correction)
    asked = [Compare(name, options.test, options.correction, trials) for name in names]
    # The values of the same measures cost little beside the tests, and the file of statistics then holds both.
    return _run(options, systems, settings, measures=names, compare=asked).comparison()


def agreed(options: argparse.Namespace, systems: Any, settings: Settings) -> Result:
    """Return the result of `agreement`."""
    names = options.measures.split(",") if options.measures else ()
    return _run(options, systems, settings, measures=(), agreement=tuple(names)).result()


def similarities(options: argparse.Namespace, choices: dict[str, Any]) -> int:
    """Write the scores of pairs to --out, and say on standard error what they are on average."""
    from kp_core import tables
    from kp_core.scale.pairs import similarity

    if not options.out:
        raise UsageError("--out is missing: name a .parquet, .csv or .jsonl file for the scores")
    found = similarity(options.pairs, options.measures, options.out, **choices)
    sys.stderr.write(tables.text(found) + "\n")
    return 0
