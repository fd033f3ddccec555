"""Turn Arrow tables into the DataFrames of a Corpus, without copying text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

TEXT = pd.StringDtype(na_value=np.nan)


def frame_of(table: pa.Table, first: tuple[str, ...]) -> pd.DataFrame:
    """Return a DataFrame, the named columns first; text stays in Arrow memory."""
    columns: dict[str, object] = {}
    stored = dict.fromkeys(table.column_names)
    for name in [*first, *(n for n in stored if n not in first)]:
        if name not in stored:
            columns[name] = np.full(len(table), np.nan)
        elif name == "variants":
            lists = table[name].to_pylist()
            columns[name] = pd.Series([None if v is None else tuple(v) for v in lists], dtype=object)
        else:
            columns[name] = series(table[name])
    return pd.DataFrame(columns, copy=False)


def series(column: pa.ChunkedArray) -> pd.Series | npt.NDArray[np.float64]:
    """Return a column as pandas holds it, without a copy of text."""
    if pa.types.is_large_string(column.type):
        return pd.Series(TEXT.__from_arrow__(column), copy=False)
    return column.to_pandas()
