"""Turn the texts of all files into one table of documents, one row an id."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.reading.choices import Finding, Question, Reply
from kp_core.reading.identifiers import WORDS
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.settle import Part
from kp_core.reading.values import TEXT, frame_of, series


def document_table(
    parts: Sequence[Part], ids: Sequence[pa.Array], limits: Limits, fixes: Sequence[str] = ()
) -> pd.DataFrame:
    """Return a row for every id of any source, with the text, title and type that some file gives."""
    every_id = pc.unique(pa.chunked_array(ids, pa.large_string()))
    index = pd.Index(series(pa.chunked_array([every_id])), name="doc_id")
    refuse_over(limits.documents, len(index), "documents", "documents", "data")
    nothing = pa.chunked_array([pa.nulls(len(index), pa.large_string())])
    blank = {name: series(nothing) for name in ("text", "title", "group")}
    if not parts:
        return pd.DataFrame({"doc_id": index.to_series(index=range(len(index))), **blank})
    frames = [frame_of(part.table, ("doc_id",)).assign(file_=part.file) for part in parts]
    every = pd.concat(frames, ignore_index=True).replace("", np.nan)
    if every["doc_id"].duplicated().any():
        if "text" in every and "keep-first" not in fixes:
            _ask_about_two_texts(every)
        every = every.groupby("doc_id", sort=False, dropna=False).first().reset_index()
    found = every.drop(columns="file_").set_index("doc_id").reindex(index).reset_index()
    for name, column in blank.items():
        found[name] = found[name].astype(TEXT) if name in found else column
    return found[["doc_id", "text", "title", "group", *(c for c in found if c not in ("doc_id", *blank))]]


def _ask_about_two_texts(every: pd.DataFrame) -> None:
    texts = every.dropna(subset=["text"]).drop_duplicates(["doc_id", "text"])
    again = texts["doc_id"].duplicated()
    if again.any():
        second = texts[again].iloc[0]
        first = texts[texts["doc_id"] == second["doc_id"]].iloc[0]
        found = f"another text for “{second['doc_id']}”, first in {first['file_']}"
        answer = Reply(WORDS["keep-first"], fixes=("keep-first",))
        raise Question(Finding("ask", second["file_"], found, "one text a document", (answer,)))
