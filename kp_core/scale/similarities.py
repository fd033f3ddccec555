"""Compute the similarity of tables of phrase pairs of any size, batch by batch, with a summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet as pq

from kp_core import typeset
from kp_core.errors import usage_error
from kp_core.scale.sources import format_of, source
from kp_core.scale.tally import refuse_without_folder
from kp_core.similarity import parse, split_names
from kp_core.similarity import similarity as in_memory
from kp_core.similarity.scorer import DEFAULT_MEASURES


def similarity(
    pairs: str | Path | Sequence[str | Path],
    measures: Sequence[str] | str | None,
    out: str | Path,
    *,
    exact: bool = False,
    **choices: Any,
) -> pd.DataFrame:
    """Write one row per pair and measure to a .parquet, .csv or .jsonl file, as from `kp.similarity` in memory.

    pairs    Parquet, CSV or JSONL with the columns keyphrase and candidate, and optionally pair_id
    exact    write .csv cells unchanged, even if a spreadsheet would take them for formulas

    Returns per measure the number of pairs and of undefined values, and the mean of the others. Refuses measures whose
    values depend on all pairs together.
    """
    names, path = split_names(measures or DEFAULT_MEASURES), Path(out)
    for name in names:
        measure = parse(name).measure
        if measure.level == "pairs" or measure.name == "NIST":
            raise usage_error("all pairs", name=name)
    if format_of(path.name) is None:
        raise usage_error("ending", name=path.name)
    refuse_without_folder(path)
    tables = [source("judgements", [item]) for item in ([pairs] if isinstance(pairs, (str, Path)) else pairs)]
    if any(str(path.resolve()) in item.paths for item in tables):
        raise usage_error("same file", name=path.name)
    count, undefined, total = 0, np.zeros(len(names), int), np.zeros(len(names))

    def scored() -> Iterator[pd.DataFrame]:
        nonlocal count, undefined, total
        for table in (table for item in tables for table in item.batches()):
            frame = table.to_pandas()
            if "pair_id" not in frame:
                frame.insert(0, "pair_id", np.arange(count, count + len(frame)))
            scores = in_memory(frame, names, **choices)
            values = scores["value"].to_numpy(float).reshape(-1, len(names))
            count += len(values)
            undefined += np.isnan(values).sum(axis=0)
            total += np.nan_to_num(values).sum(axis=0)
            yield scores

    _write(scored(), path, exact)
    mean = np.where(count > undefined, total / np.maximum(count - undefined, 1), np.nan)
    return pd.DataFrame({"measure": names, "pairs": count, "undefined": undefined, "mean": mean})


def _write(frames: Iterable[pd.DataFrame], path: Path, exact: bool) -> None:
    writer: Any = None
    with ExitStack() as closing:
        file = closing.enter_context(path.open("wb"))
        for number, frame in enumerate(frames):
            if format_of(path.name) == "parquet":
                table = pa.Table.from_pandas(frame, preserve_index=False)
                writer = writer or closing.enter_context(pq.ParquetWriter(file, table.schema))
                writer.write_table(table)
            elif format_of(path.name) == "csv":
                text = typeset.exchange_csv(frame) if exact else typeset.csv(frame)
                file.write((text.partition("\n")[2] if number else text).encode())
            else:
                frame.to_json(file, orient="records", lines=True, force_ascii=False, double_precision=15)
