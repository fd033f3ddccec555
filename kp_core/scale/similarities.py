"""Turn tables of phrase pairs of any size into a table of their similarity, batch by batch, and a summary."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv
from pyarrow import parquet as pq

from kp_core.errors import InputError, UsageError
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
    names = [measures] if isinstance(measures, str) else list(measures or _DEFAULT)
    names = list(dict.fromkeys(part.strip() for name in names for part in name.split(",")))
    for name in names:
        measure = parse(name).measure
        if measure.level == "pairs" or measure.name == "NIST":
            raise UsageError(f"'{name}' looks at all pairs at once, so it is not streamed; leave out --stream for it")
    count, undefined, total, number = 0, np.zeros(len(names), int), np.zeros(len(names)), 0
    form = format_of(str(out))
    if form is None:
        raise UsageError(f"{Path(out).name} has no known ending; write .parquet, .csv or .jsonl")
    refuse_without_folder(out)
    given = [pairs] if isinstance(pairs, (str, Path)) else pairs
    if str(Path(out).resolve()) in [file for one in given for file in files_of(str(one))]:
        raise UsageError(f"{Path(out).name} is read and written at once; name another file for the scores")
    with _Writer(Path(out), form) as writer:
        for frame in _frames(pairs):
            if "pair_id" not in frame:
                frame.insert(0, "pair_id", np.arange(number, number + len(frame)))
            number += len(frame)
            found = in_memory(frame, names, **choices)
            writer.write(found)
            values = found["value"].to_numpy(float).reshape(-1, len(names))
            count += len(values)
            undefined += np.isnan(values).sum(axis=0)
            total += np.nan_to_num(values).sum(axis=0)
    mean = np.where(count > undefined, total / np.maximum(count - undefined, 1), np.nan)
    return pd.DataFrame({"measure": names, "pairs": count, "undefined": undefined, "mean": mean})


def _frames(pairs: str | Path | Sequence[str | Path]) -> Any:
    given = [pairs] if isinstance(pairs, (str, Path)) else pairs
    for path in [file for one in given for file in files_of(str(one))]:
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


class _Writer:
    """Writes tables one after another to a file of one of three formats."""

    def __init__(self, path: Path, form: str) -> None:
        self.path, self.form = path, form
        self.open: Any = None

    def __enter__(self) -> _Writer:
        return self

    def write(self, frame: pd.DataFrame) -> None:
        """Append the rows of a frame."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        if self.form == "json":
            self.open = self.open or self.path.open("w", encoding="utf-8")
            self.open.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _plain(frame))
            return
        if self.open is None:
            make: Any = pq.ParquetWriter if self.form == "parquet" else csv.CSVWriter
            self.open = make(str(self.path), table.schema)
        self.open.write_table(table)

    def __exit__(self, *error: object) -> None:
        if self.open is not None:
            self.open.close()


def _plain(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{k: None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")]
