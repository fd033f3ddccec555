"""Turn a corpus into the tidy tables that are read back as the same corpus, as CSV, JSONL or Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import InputError
from kp_core.reading.fields import NAMES, plain
from kp_core.reading.written import Written
from kp_core.tables import exchange_csv, neutralise


def tidy(corpus: Corpus, ending: str = "csv") -> Written:
    """Return the files documents, gold, systems and judgements, as far as the corpus has them; `ending` is the form.

    An empty list is a row without a phrase that says `yes` under `empty`.

    >>> from kp_core import load
    >>> tidy(load(gold={"d1": ["tide"], "d2": []})).files["gold.csv"]
    b'doc_id,annotator,phrase,relevance,variants,empty\\nd1,gold,tide,,,\\nd2,gold,,,,yes\\n'
    """
    written, coded = Written(), _FORMS[ending]
    for name, table in tables(corpus, written).items():
        written.files[f"{name}.{ending}"] = coded(table)
        if ending == "csv":
            formulas = sum(isinstance(cell, str) and cell != neutralise(cell) for cell in table.to_numpy().ravel())
            rest = "like a formula; open the file as text, not by a click"
            written.lacks(f"{name}.csv", formulas, f"cell begins {rest}", f"cells begin {rest}")
    if not written.files:
        raise InputError("the corpus", "no table", "keyphrases, texts or judgements", "Load some.")
    return written


def tables(corpus: Corpus, written: Written) -> dict[str, pd.DataFrame]:
    """Return the tidy tables that have rows, under the names of their files."""
    _say_what_is_left_out(corpus, written)
    gold = corpus.gold if "variants" in corpus.gold else corpus.gold.assign(variants=None)
    first = ["doc_id", "annotator", "phrase", "relevance", "variants"]
    gold = gold[[*first, *(column for column in gold if column not in first)]]
    runs = corpus.runs.rename(columns=_harmless).astype({"rank": "Int64"})
    judged = corpus.judgements
    without = judged["doc_id"].isna()
    found = {
        "documents": corpus.documents,
        "gold": _with_empty(gold, corpus, "gold", "annotator"),
        "systems": _with_empty(runs, corpus, "system", "system"),
        "judgements": judged[~without],
        # A column of ids may have no gap, so pairs without a document stand in a file without that column.
        "judgements_without_document": judged[without].drop(columns="doc_id"),
    }
    return {name: table.reset_index(drop=True) for name, table in found.items() if len(table)}


def _harmless(column: str) -> str:
    """Rename what would be read as the judgement of a prediction; the judgements have a table of their own."""
    return f"{column} (file)" if plain(str(column)) in NAMES["relevance"] else column


def _with_empty(table: pd.DataFrame, corpus: Corpus, role: Role, source: str) -> pd.DataFrame:
    empty = corpus.empty[corpus.empty["role"] == role]
    if not len(empty):
        return table
    rows = pd.DataFrame({"doc_id": empty["doc_id"], source: empty["source"], "phrase": "", "empty": "yes"})
    both = pd.concat([table, rows], ignore_index=True)
    return both.astype({name: kind for name, kind in table.dtypes.items() if name != "variants"})


def _say_what_is_left_out(corpus: Corpus, written: Written) -> None:
    heard = {*corpus.runs["system"].unique(), *corpus.empty.loc[corpus.empty["role"] == "system", "source"]}
    for name, ranking in corpus.rankings.items():
        written.lacks(name, int(name not in heard), "system without any list; a table has no row for it")
        own = corpus.runs[corpus.runs["system"] == name]
        if ranking.ranked_by == "score" and "score" in own:
            same = (np.diff(own["score"]) == 0) & (np.diff(own["rank"]) == 1)
            rest = "one of equal score; the column of ranks now says the order, so no rule for ties does"
            written.lacks(name, int(same.sum()), f"phrase follows {rest}", f"phrases follow {rest}")


def _csv(table: pd.DataFrame) -> bytes:
    if "variants" in table:
        lists = [json.dumps(v, ensure_ascii=False) if isinstance(v, tuple | list) else None for v in table["variants"]]
        table = table.assign(variants=pd.Series(lists, table.index, dtype=object))
    return exchange_csv(table).encode()


def _jsonl(table: pd.DataFrame) -> bytes:
    columns = [table[column].astype(object).where(table[column].notna(), None).tolist() for column in table]
    names = [str(column) for column in table]
    # Texts and titles stand in every object, missing or not, by which the reader knows the tidy form.
    always = ("text", "title")
    rows = (
        {name: value for name, value in zip(names, row, strict=True) if value is not None or name in always}
        for row in zip(*columns, strict=True)
    )
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode()


def _parquet(table: pd.DataFrame) -> bytes:
    if "variants" in table:
        lists = [list(v) if isinstance(v, tuple | list) else None for v in table["variants"]]
        table = table.assign(variants=pd.Series(lists, table.index, dtype=object))
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False, engine="pyarrow")
    return buffer.getvalue()


_FORMS: dict[str, Callable[[Any], bytes]] = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
