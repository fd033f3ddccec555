"""Turn a loaded corpus into the tables that say what was understood: files, lists, phrases, odd characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus
from kp_core.errors import counted
from kp_core.reading.limits import WORDS, Limits
from kp_core.text.normalise import Normaliser

_ODD = {
    "no-break space": "\u00a0",
    "soft hyphen": "\u00ad",
    "zero-width character": "[\u200b-\u200d\u2060\ufeff]",
    "control character": "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]",
    "private use character": "[\ue000-\uf8ff]",
    "replacement character": "\ufffd",
}
_FILE_COLUMNS = {
    "file": "file",
    "size": "bytes",
    "role": "role",
    "family": "family",
    "evidence": "evidence",
    "encoding": "encoding",
    "bom": "BOM",
    "line_ends": "line ends",
    "rows_read": "rows read",
    "rows_loaded": "loaded",
    "rows_rejected": "rejected",
    "rows_blank": "blank",
}

_FORMS: tuple[tuple[str, Literal["NFC", "NFKC"]], ...] = (("not composed (NFC)", "NFC"), ("changed by NFKC", "NFKC"))


def files(corpus: Corpus) -> pd.DataFrame:
    """Return one row a file: how it was understood and how many rows were read, loaded, rejected and blank."""
    rows = [asdict(reading) for reading in corpus.report.readings]
    table = pd.DataFrame(rows, columns=[*_FILE_COLUMNS, "columns", "ignored"]).rename(columns=_FILE_COLUMNS)
    table["columns"] = [", ".join(f"{role} = {name}" for role, name in c.items()) for c in table["columns"]]
    table["ignored"] = [", ".join(names) for names in table["ignored"]]
    return table


def understood(corpus: Corpus) -> str:
    """Say in one line whether anything was left out.

    >>> from kp_core.reading.load import load
    >>> understood(load(gold={"d1": ["tide"]}, systems={"a": {"d1": ["sea"]}}))
    '2 files, all understood.'
    """
    readings = corpus.report.readings
    files = counted(sum(reading.files for reading in readings), "file")
    ignored = [name for reading in readings for name in reading.ignored]
    if not ignored:
        return f"{files}, all understood."
    shown = f"{', '.join(ignored[:5])}{' …' * (len(ignored) > 5)}"
    return f"{files} understood; left out: {counted(len(ignored), 'file')} without lists or texts ({shown})."


class _Lists:
    """All lists of a corpus as codes: one list is one document of one annotator or system."""

    def __init__(self, corpus: Corpus) -> None:
        gold, runs, empty = corpus.gold, corpus.runs, corpus.empty
        self.names = [("gold", name) for name in corpus.annotators] + [("system", name) for name in corpus.systems]
        place = {name: code for code, name in enumerate(self.names)}
        annotators = gold["annotator"].map({n: place["gold", n] for n in corpus.annotators})
        systems = runs["system"].map({n: place["system", n] for n in corpus.systems})
        self.source = np.concatenate([annotators.to_numpy(dtype=np.int64), systems.to_numpy(dtype=np.int64)])
        ids = pd.Index(corpus.documents["doc_id"])
        documents = pd.concat([gold["doc_id"], runs["doc_id"]], ignore_index=True)
        self.size = len(ids)
        self.key = self.source * max(self.size, 1) + ids.get_indexer(documents)
        coded = _coded(pd.concat([gold["phrase"], runs["phrase"]], ignore_index=True))
        self.phrases: list[str] = coded.dictionary.to_pylist()
        self.code = coded.indices.to_numpy().astype(np.int64)
        sources = [place[role, name] for role, name in zip(empty["role"], empty["source"], strict=True)]
        self.empty = np.bincount(np.array(sources, dtype=np.int64), minlength=len(self.names))

    def duplicates(self, form: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return, for each source, phrases that repeat an earlier one of their list, and lists with such a phrase."""
        coded = _coded(pd.Series(form, dtype="str"))
        codes = coded.indices.to_numpy().astype(np.int64)[self.code]
        blank = pc.index(coded.dictionary, "").as_py() if len(coded.dictionary) else -1
        here = codes != blank
        key = self.key[here] * (len(coded.dictionary) + 1) + codes[here]
        _, first = np.unique(key, return_index=True)
        again = np.ones(len(key), dtype=bool)
        again[first] = False
        lists = np.unique(self.key[here][again])
        per_source = np.bincount(self.source[here][again], minlength=len(self.names))
        return per_source, np.bincount(lists // max(self.size, 1), minlength=len(self.names))


def _coded(values: pd.Series) -> pa.DictionaryArray:
    array = pa.array(values, pa.large_string())
    return (array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array).dictionary_encode()


#: Columns of the statistics that stand also where they say 0.
_ALWAYS = ("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty")


def statistics(corpus: Corpus, normaliser: Normaliser | None = None, k: int | None = None) -> pd.DataFrame:
    """Return one row an annotator and system: documents, phrases, list lengths, gaps, duplicates, ties, short lists.

    missing     documents that another source has and this one lacks
    duplicates  phrases that repeat an earlier one of the same list: exactly, lower-cased, after the normaliser
    vanishing   phrases of which the normaliser leaves nothing
    """
    lists = _Lists(corpus)
    count = len(lists.names)
    keys, lengths = np.unique(lists.key, return_counts=True)
    owner = keys // max(lists.size, 1)
    filled = np.bincount(owner, minlength=count)
    phrases = np.bincount(lists.source, minlength=count)
    shortest, longest = np.full(count, np.iinfo(np.int64).max), np.zeros(count, dtype=np.int64)
    np.minimum.at(shortest, owner, lengths)
    np.maximum.at(longest, owner, lengths)
    shortest = np.where(filled == 0, 0, shortest)
    exact, exact_lists = lists.duplicates(lists.phrases)
    lower, lower_lists = lists.duplicates([phrase.lower() for phrase in lists.phrases])
    known = _known_documents(corpus)
    table = pd.DataFrame(
        {
            "role": [role for role, _ in lists.names],
            "source": [name for _, name in lists.names],
            "documents": filled + lists.empty,
            "phrases": phrases,
            "shortest": np.where(lists.empty > 0, 0, shortest),
            "mean": phrases / np.maximum(filled + lists.empty, 1),
            "longest": longest,
            "missing": known - filled - lists.empty,
            "empty": lists.empty,
            "duplicates": exact,
            "lists with duplicates": exact_lists,
            "duplicates, lower case": lower,
            "lists with duplicates, lower case": lower_lists,
        }
    )
    if normaliser is not None:
        forms = normaliser.apply(lists.phrases)
        table["duplicates, normalised"], table["lists with duplicates, normalised"] = lists.duplicates(forms)
        gone = np.array([not form for form in forms], dtype=bool)
        table["vanishing"] = np.bincount(lists.source[gone[lists.code]], minlength=count) if len(forms) else 0
    table["with variants"] = (
        table["source"].map(_with_variants(corpus)).where(table["role"] == "gold", 0).fillna(0).astype(int)
    )
    table["ties"] = table["source"].map(_ties(corpus)).where(table["role"] == "system", 0).fillna(0).astype(int)
    sorted_again = {name: ranking.resorted for name, ranking in corpus.rankings.items()}
    table["re-sorted"] = table["source"].map(sorted_again).where(table["role"] == "system", 0).fillna(0).astype(int)
    if k is not None:
        table[f"shorter than {k}"] = np.bincount(owner[lengths < k], minlength=count) + lists.empty
    return table


def telling(table: pd.DataFrame) -> pd.DataFrame:
    """Return the statistics without the counts that are 0 for everybody, but for those that a reader looks for."""
    return table[[name for name in table if name in _ALWAYS or table[name].any()]]


def _known_documents(corpus: Corpus) -> int:
    """Return the number of documents for which anybody has a list."""
    ids = pd.concat([corpus.gold["doc_id"], corpus.runs["doc_id"], corpus.empty["doc_id"]], ignore_index=True)
    return int(ids.nunique())


def _with_variants(corpus: Corpus) -> dict[str, int]:
    if "variants" not in corpus.gold:
        return {}
    return _counted(corpus.gold.loc[corpus.gold["variants"].notna(), "annotator"])


def _ties(corpus: Corpus) -> dict[str, int]:
    """Return, for each system, neighbours of one list with equal scores."""
    runs = corpus.runs
    if not len(runs):
        return {}
    equal = (np.diff(runs["score"].to_numpy(dtype=np.float64)) == 0) & (
        np.diff(runs["rank"].to_numpy(dtype=np.int64)) == 1
    )
    return _counted(runs["system"].iloc[1:][equal])


def _counted(names: pd.Series) -> dict[str, int]:
    return {str(name): int(count) for name, count in names.value_counts().items()}


def characters(corpus: Corpus) -> pd.DataFrame:
    """Return how many phrases and texts hold characters that often go wrong, with the first example of each."""
    parts = {
        "gold": corpus.gold["phrase"],
        "systems": corpus.runs["phrase"],
        "texts": corpus.documents["text"].dropna(),
    }
    rows = []
    for name, values in parts.items():
        if not len(values):
            continue
        coded = _coded(values.reset_index(drop=True))
        times = np.bincount(coded.indices.to_numpy(), minlength=len(coded.dictionary))
        tests = {what: _holding(coded.dictionary, pattern) for what, pattern in _ODD.items()}
        special = np.flatnonzero(~pc.string_is_ascii(coded.dictionary).to_numpy(zero_copy_only=False))
        plain = {int(i): coded.dictionary[int(i)].as_py() for i in special}
        for what, form in _FORMS:
            tests[what] = np.array(
                [i for i, text in plain.items() if not unicodedata.is_normalized(form, text)], dtype=np.int64
            )
        for what, hits in tests.items():
            if len(hits):
                rows.append(
                    (
                        name,
                        what,
                        int(times[hits].sum()),
                        _around(coded.dictionary[int(hits.min())].as_py(), _ODD.get(what)),
                    )
                )
    return pd.DataFrame(rows, columns=["where", "what", "count", "first"])


def _holding(values: pa.Array, pattern: str) -> npt.NDArray[np.int64]:
    return np.flatnonzero(pc.match_substring_regex(values, pattern).to_numpy(zero_copy_only=False))


def _around(text: str, pattern: str | None) -> str:
    """Return a phrase, or a short piece of a text around what was found."""
    if len(text) <= 80 or pattern is None:
        return text[:80]
    start = pc.find_substring_regex(pa.scalar(text), pattern).as_py()
    at = len(text.encode()[:start].decode(errors="ignore"))
    return text[max(0, at - 30) : at + 30]


def normalised(corpus: Corpus, normaliser: Normaliser) -> pd.DataFrame:
    """Return one row a distinct phrase before and after a pipeline, those that change first, in the order of the files.

    change  “changed”, “nothing is left”, or empty
    """
    phrases = pd.concat([corpus.gold["phrase"], corpus.runs["phrase"]]).drop_duplicates()
    before = phrases.to_list()
    table = pd.DataFrame({"phrase": before, "compared as": normaliser.apply(before)}, dtype="str")
    changed = table["phrase"] != table["compared as"]
    table["change"] = np.select([table["compared as"] == "", changed], ["nothing is left", "changed"], "")
    return table.sort_values("change", key=lambda words: words == "", kind="stable", ignore_index=True)


def limits(values: Limits) -> pd.DataFrame:
    """Return one row a limit: its value, what it bounds, and the variable of the environment that changes it."""
    rows = [(f"{value:,}", WORDS[name], f"KPSCOPE_LIMIT_{name.upper()}") for name, value in asdict(values).items()]
    return pd.DataFrame(rows, columns=["at most", "of what", "changed by"])
