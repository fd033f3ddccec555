"""Turn tables of phrase pairs of any size into a table of their similarity, batch by batch, and a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet as pq

from kp_core.errors import InputError, UsageError
from kp_core.scale.plan import names_in
from kp_core.scale.sources import Source, files_of, format_of
from kp_core.scale.tally import refuse_without_folder
from kp_core.similarity import similarity as in_memory
from kp_core.similarity.declaration import parse

#: Pairs that are scored at once.
_ROWS = 200_000
_DEFAULT = ("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1")


def similarity(
    pairs: str | Path | Sequence[str | Path], measures: Sequence[str] | str | None, out: str | Path, **choices: Any
) -> pd.DataFrame:
    """Write one row a pair and measure to a .parquet, .csv or .jsonl file, as `kp.similarity` gives them in memory.

    pairs    Parquet, CSV or JSONL with the columns keyphrase and candidate, and pair_id if wanted
    choices  of `kp.similarity`

    Returns the summary: per measure the number of pairs, of undefined values, and the mean of the others.
    Refuses NIST and measures of whole columns, whose values depend on all pairs at once.
    """
    names = names_in(measures or _DEFAULT)
    for name in names:
        measure = parse(name).measure
        if measure.level == "pairs" or measure.name == "NIST":
            raise UsageError(f"'{name}' looks at all pairs at once, so it is not streamed; leave out --stream for it")
    form = format_of(str(out))
    if form is None:
        raise UsageError(f"{Path(out).name} has no known ending; write .parquet, .csv or .jsonl")
    refuse_without_folder(out)
    files = [file for one in ([pairs] if isinstance(pairs, (str, Path)) else pairs) for file in files_of(str(one))]
    if str(Path(out).resolve()) in files:
        raise UsageError(f"{Path(out).name} is read and written at once; name another file for the scores")
    count, undefined, total = 0, np.zeros(len(names), int), np.zeros(len(names))

    def scored() -> Iterator[pd.DataFrame]:
        nonlocal count, undefined, total
        for frame in _frames(files):
            if "pair_id" not in frame:
                frame.insert(0, "pair_id", np.arange(count, count + len(frame)))
            scores = in_memory(frame, names, **choices)
            values = scores["value"].to_numpy(float).reshape(-1, len(names))
            count += len(values)
            undefined += np.isnan(values).sum(axis=0)
            total += np.nan_to_num(values).sum(axis=0)
            yield scores

    _write(scored(), Path(out), form)
    mean = np.where(count > undefined, total / np.maximum(count - undefined, 1), np.nan)
    return pd.DataFrame({"measure": names, "pairs": count, "undefined": undefined, "mean": mean})


def _frames(files: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Give the pairs of files, some at a time."""
    for path in files:
        source = Source("judgements", (path,), str(format_of(path)), "pairs")
        if format_of(path) is None or not {"keyphrase", "candidate"} <= set(source.columns):
            raise InputError(
                source.shown,
                "another table",
                "a Parquet, CSV or JSONL table with keyphrase and candidate",
                "Name the columns in the header.",
            )
        wanted = [name for name in ("pair_id", "keyphrase", "candidate") if name in source.columns]
        for table in source.batches(wanted):
            for begin in range(0, len(table), _ROWS):
                yield table.select(wanted).slice(begin, _ROWS).to_pandas()


def _write(frames: Iterable[pd.DataFrame], path: Path, form: str) -> None:
    """Write tables one after another to a file of one of three formats."""
    writer: Any = None
    with ExitStack() as closing:
        file = closing.enter_context(path.open("wb"))
        for number, frame in enumerate(frames):
            if form == "parquet":
                table = pa.Table.from_pandas(frame, preserve_index=False)
                writer = writer or closing.enter_context(pq.ParquetWriter(file, table.schema))
                writer.write_table(table)
            elif form == "csv":
                frame.to_csv(file, index=False, header=number == 0)
            else:
                frame.to_json(file, orient="records", lines=True, force_ascii=False, double_precision=15)
