"""Turn a corpus into tidy tables (CSV, JSONL or Parquet) from which the same corpus can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.meaning.fields import NAMES, plain
from kp_core.typeset import distinct, is_formula, records, unescaped_csv


@dataclass
class Written:
    """Relative path → content, and notes on data that the format cannot represent."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def lacks(self, where: str, count: int, noun: str, rest: str) -> None:
        """Add a note on how many items are lost or changed, if any are."""
        if count:
            self.notes.append(Note("warning", where, f"{pluralize(count, noun)} {rest}."))


def file_names(names: Sequence[str], ending: str) -> list[str]:
    """Return distinct file names, in which all but letters, digits, dots and hyphens become “_”."""
    safe_names = (re.sub(r"[^\w.-]", "_", name)[:80].strip(".") or "_" for name in names)
    return [name + ending for name in distinct(safe_names, "{}-{}", str.casefold)]


def tidy(corpus: Corpus, ending: str = "csv") -> Written:
    """Return the non-empty tables documents, gold, systems and judgements; `ending` is the format.

    Vocabulary tables are always CSV, and vectors Parquet. An empty list is a row with `yes` in the column `empty`.

    >>> from kp_core import load
    >>> tidy(load(gold={"d1": ["tide"], "d2": []})).files["gold.csv"]
    b'doc_id,annotator,phrase,relevance,variants,empty\\nd1,gold,tide,,,\\nd2,gold,,,,yes\\n'
    """
    written = Written()
    given = corpus.vocabulary.given
    for name, table in (tables(corpus, written) | given).items():
        form = form_of_vocabulary(name) if name in given else ending
        written.files[f"{name}.{form}"] = FORMS[form](table)
        if form == "csv":
            written.notes += formulas(f"{name}.csv", table)
    if not written.files:
        raise InputError("the corpus", "no table", "keyphrases, texts or judgements", "Load some.")
    return written


def formulas(where: str, table: pd.DataFrame) -> list[Note]:
    """Warn about cells that a spreadsheet would interpret as formulas."""
    written, count = Written(), sum(map(is_formula, table.to_numpy().ravel()))
    written.lacks(where, count, "cell", "that a spreadsheet would compute; import the file as text, do not open it")
    return written.notes


def tables(corpus: Corpus, written: Written) -> dict[str, pd.DataFrame]:
    """Return file name → table, for the non-empty tidy tables."""
    _note_losses(corpus, written)
    leading = ["doc_id", "annotator", "phrase", "relevance", "variants"]
    gold = corpus.gold.reindex(columns=[*leading, *(column for column in corpus.gold if column not in leading)])
    # Renamed, because they would be read as judgments of predictions.
    grades = [column for column in corpus.runs if plain(str(column)) in NAMES["relevance"]]
    runs = corpus.runs.rename(columns={column: f"{column} (file)" for column in grades}).astype({"rank": "Int64"})
    judged = corpus.judgements
    without_document = judged["doc_id"].isna()
    by_name = {
        "documents": corpus.documents,
        "gold": _with_empty(gold, corpus, "gold", "annotator"),
        "systems": _with_empty(runs, corpus, "system", "system"),
        "judgements": judged[~without_document],
        # a column of document ids must have no gaps
        "judgements_without_document": judged[without_document].drop(columns="doc_id"),
    }
    return {name: table.reset_index(drop=True) for name, table in by_name.items() if len(table)}


def _with_empty(table: pd.DataFrame, corpus: Corpus, role: Role, source_column: str) -> pd.DataFrame:
    empty = corpus.empty[corpus.empty["role"] == role]
    if not len(empty):
        return table
    rows = pd.DataFrame({"doc_id": empty["doc_id"], source_column: empty["source"], "phrase": "", "empty": "yes"})
    combined = pd.concat([table, rows], ignore_index=True)
    return combined.astype({name: kind for name, kind in table.dtypes.items() if name != "variants"})


def _note_losses(corpus: Corpus, written: Written) -> None:
    listed = {*corpus.runs["system"].unique(), *corpus.empty.loc[corpus.empty["role"] == "system", "source"]}
    if corpus.vocabulary.directed:
        written.notes.append(Note("warning", "similar.csv", "The similarity is asymmetric; load it with --directed."))
    for name, ranking in corpus.rankings.items():
        written.lacks(name, int(name not in listed), "system", "without any list; a table has no row for it")
        run = corpus.runs[corpus.runs["system"] == name]
        if ranking.ranked_by == "score" and "score" in run:
            equal_scores = (np.diff(run["score"]) == 0) & (np.diff(run["rank"]) == 1)
            rest = "with the score of the one above; the column of ranks now orders them, not the convention ties"
            written.lacks(name, int(equal_scores.sum()), "phrase", rest)


def _with_variants(table: pd.DataFrame, convert: Callable[[Any], Any]) -> pd.DataFrame:
    if "variants" not in table:
        return table
    lists = [convert(v) if isinstance(v, tuple | list) else None for v in table["variants"]]
    return table.assign(variants=pd.Series(lists, table.index, dtype=object))


def _csv(table: pd.DataFrame) -> bytes:
    return unescaped_csv(_with_variants(table, lambda names: json.dumps(names, ensure_ascii=False))).encode()


def _jsonl(table: pd.DataFrame) -> bytes:
    # The reader recognizes the tidy form by these fields. Missing variants are left out: `null` means an empty list.
    always = ("text", "title", "relevance")
    written = ({name: row[name] for name in row if row[name] is not None or name in always} for row in records(table))
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in written).encode()


def parquet(table: pd.DataFrame) -> bytes:
    """Return a table as Parquet, with accepted spellings as lists."""
    content: bytes = _with_variants(table, list).to_parquet(index=False, compression="zstd")
    return content


def form_of_vocabulary(name: str) -> str:
    """Return the format in which a table of a vocabulary is written."""
    return "parquet" if name == "vectors" else "csv"


#: Format → function that writes a table.
FORMS: dict[str, Callable[[Any], bytes]] = {"csv": _csv, "jsonl": _jsonl, "parquet": parquet}
