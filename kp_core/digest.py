"""Turn the tables of a corpus into Arrow, and into one digest that names what is loaded, however it was loaded."""

from __future__ import annotations

import hashlib

import pandas as pd
import pyarrow as pa

from kp_core.model import COLUMNS, Corpus


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """Return a table of a corpus in Arrow, column by column; missing values are null.

    >>> arrow_table(pd.DataFrame({"doc_id": ["d1"], "variants": [("tide", "tides")]}))["variants"].to_pylist()
    [['tide', 'tides']]
    """
    return pa.table({str(name): _column(frame[name]) for name in frame})


def _column(column: pd.Series) -> pa.ChunkedArray:
    # Lists and records stand in columns of objects, which pandas gives to Arrow only one by one.
    values = column.tolist() if column.dtype == object else column
    made = pa.array(values, from_pandas=True)
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of all that decides a result: the tables, how ranks came about, the fixes and the notes.

    Two corpora that are equal in these have the same digest in one process, whatever files they came from.
    """
    report = corpus.report
    total = hashlib.sha256(repr((list(corpus.rankings.items()), report.fixes, report.notes)).encode())
    for name in COLUMNS:
        table = arrow_table(getattr(corpus, name))
        total.update(repr((name, len(table), table.column_names, [str(kind) for kind in table.schema.types])).encode())
        for column in table.columns:
            missing = column.is_null()
            total.update(missing.cast(pa.uint8()).to_numpy().tobytes())
            dense = column.drop_null().combine_chunks()
            total.update(pa.record_batch([dense], names=["column"]).serialize())
    return total.hexdigest()
