"""Turn a loaded corpus into the tables that say what was understood: files, lists, phrases, odd characters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass, fields
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from kp_core.corpus import Corpus, Reading, Role, VocabularyTable
from kp_core.errors import pluralize
from kp_core.reading.limits import Limits
from kp_core.reading.rows.identifiers import sides
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
    files = pluralize(sum(reading.files for reading in readings), "file")
    ignored = [name for reading in readings for name in reading.ignored]
    if not ignored:
        return f"{files}, all understood."
    shown = f"{', '.join(ignored[:5])}{' …' * (len(ignored) > 5)}"
    return f"{files} understood; left out: {pluralize(len(ignored), 'file')} without lists or texts ({shown})."


#: What a file is in words: of nobody named, and what one of its rows is.
_IS: dict[Role | VocabularyTable, tuple[str, str]] = {
    "gold": ("gold standard", "phrase"),
    "system": ("system output", "phrase"),
    "documents": ("texts", "text"),
    "judgements": ("judged pairs", "score"),
    "broader": ("broader concepts", "row"),
    "frequencies": ("frequencies of concepts", "row"),
    "similar": ("similar phrases", "pair"),
    "vectors": ("vectors of phrases", "phrase"),
}
#: More names than these are counted.
_NAMES = 4


@dataclass(frozen=True)
class Receipt:
    """What was understood of one file, or of files that are read as one: what it is, and all of it in one line."""

    file: str
    role: Role | VocabularyTable
    what: str
    words: str


def receipt(corpus: Corpus) -> list[Receipt]:
    """Return what was understood of each file, in order.

    >>> from kp_core.reading.load import load
    >>> lists = {"d1": [("tide", 0.1), ("moon", 0.4)]}
    >>> for one in receipt(load(gold={"d1": ["tide"], "d2": ["sea"]}, systems={"yake": lists})):
    ...     print(one.words)
    gold standard · 2 of 2 documents · 2 phrases
    system yake · 1 of 2 documents · 2 phrases · lower score is better
    """
    in_use = len(sides(corpus).get("gold", corpus.documents))
    found = []
    for one in corpus.report.readings:
        ways = {(way.ranked_by, way.higher_is_better) for way in map(corpus.rankings.get, one.whose) if way}
        better = {("score", True): "higher", ("score", False): "lower"}.get(ways.pop(), "") if len(ways) == 1 else ""
        parts = [_what(one)]
        parts += [] if one.documents is None else [f"{one.documents:,} of {pluralize(in_use, 'document')}"]
        parts += [pluralize(one.rows_loaded, _IS[one.role][1])]
        parts += [f"{better} score is better"] if better and one.role == "system" else []
        parts += [f"{pluralize(one.rows_rejected, 'row')} rejected"] if one.rows_rejected else []
        found.append(Receipt(one.file, one.role, parts[0], " · ".join(parts)))
    return found


def _what(one: Reading) -> str:
    """Return what a file is, and whose."""
    alone, many = _IS[one.role][0], len(one.whose) > _NAMES
    if not one.whose or one.whose == ("gold",):
        return alone
    names = ", ".join(one.whose)
    if one.role == "system":
        return f"{len(one.whose):,} systems" if many else f"system{'s' * (len(one.whose) > 1)} {names}"
    return f"{alone} of {pluralize(len(one.whose), 'annotator') if many else names}"


#: Columns of the statistics that stand also where they say 0.
_ALWAYS = ("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty")


def statistics(corpus: Corpus, normaliser: Normaliser | None = None, k: int | None = None) -> pd.DataFrame:
    """Return one row an annotator and system: documents, phrases, list lengths, gaps, duplicates, ties, short lists.

    missing     documents that another source has and this one lacks
    duplicates  phrases that repeat an earlier one of the same list: exactly, lower-cased, after the normaliser
    vanishing   phrases of which the normaliser leaves nothing
    """
    every = [("gold", name) for name in corpus.annotators] + [("system", name) for name in corpus.systems]
    owners = pd.DataFrame(every, columns=["role", "source"], dtype="str")
    place = {owner: number for number, owner in enumerate(every)}
    gold = corpus.gold["annotator"].map({name: place["gold", name] for name in corpus.annotators})
    runs = corpus.runs["system"].map({name: place["system", name] for name in corpus.systems})
    both = pd.concat([corpus.gold[["doc_id", "phrase"]], corpus.runs[["doc_id", "phrase"]]], ignore_index=True)
    code, phrases = pd.factorize(both["phrase"])
    owner = pd.concat([gold, runs]).to_numpy(np.int64)
    # A list is a document of an annotator or system.
    of_row = pd.factorize(owner * (len(corpus.documents) + 1) + pd.factorize(both["doc_id"])[0])[0]
    of_list, lengths = owner[np.unique(of_row, return_index=True)[1]], np.bincount(of_row)
    sizes = pd.Series(lengths).groupby(of_list).agg(["size", "min", "max"]).reindex(owners.index, fill_value=0)

    def count(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
        return np.bincount(numbers, minlength=len(every))

    hollow = [place[role, name] for role, name in zip(corpus.empty["role"], corpus.empty["source"], strict=True)]
    empty = count(np.array(hollow, np.int64))
    known = pd.concat([both["doc_id"], corpus.empty["doc_id"]]).nunique()
    owners["documents"], owners["phrases"] = sizes["size"] + empty, count(owner)
    owners["shortest"] = np.where(empty > 0, 0, sizes["min"])
    owners["mean"], owners["longest"] = owners["phrases"] / np.maximum(owners["documents"], 1), sizes["max"]
    owners["missing"], owners["empty"] = known - owners["documents"], empty
    forms = {"": list(phrases), ", lower case": [phrase.lower() for phrase in phrases]}
    if normaliser is not None:
        forms[", normalised"] = normaliser.apply(list(phrases))
    for what, form in forms.items():
        left = np.array(form, dtype=object)[code] != ""
        compared = pd.factorize(pd.Series(form, dtype="str"))[0][code]
        again = left & pd.DataFrame({"list": of_row, "form": compared}).duplicated().to_numpy()
        owners[f"duplicates{what}"] = count(owner[again])
        owners[f"lists with duplicates{what}"] = count(of_list[np.unique(of_row[again])])
        if what == ", normalised":
            owners["vanishing"] = count(owner[~left])
    varied = corpus.gold["variants"].notna().to_numpy() if "variants" in corpus.gold else np.zeros(len(gold), bool)
    owners["with variants"] = count(owner[: len(gold)][varied])
    tied = (np.diff(corpus.runs["score"].to_numpy(np.float64)) == 0) & (np.diff(corpus.runs["rank"].to_numpy()) == 1)
    owners["ties"] = count(owner[len(gold) + 1 :][tied])
    owners["re-sorted"] = [corpus.rankings[name].resorted if role == "system" else 0 for role, name in every]
    if k is not None:
        owners[f"shorter than {k}"] = count(of_list[lengths < k]) + empty
    return owners


def telling(table: pd.DataFrame) -> pd.DataFrame:
    """Return the statistics without the counts that are 0 for everybody, but for those that a reader looks for."""
    return table[[name for name in table if name in _ALWAYS or table[name].any()]]


def characters(corpus: Corpus) -> pd.DataFrame:
    """Return how many phrases and texts hold characters that often go wrong, with the first example of each."""
    parts = {
        "gold": corpus.gold["phrase"],
        "systems": corpus.runs["phrase"],
        "texts": corpus.documents["text"].dropna(),
    }
    rows = []
    for where, values in parts.items():
        times = values.value_counts(sort=False)
        distinct = times.index.to_series()
        special = distinct[distinct.str.contains(r"[^\x00-\x7f]")]
        texts = special.to_list()
        odd = {what: distinct[distinct.str.contains(pattern)] for what, pattern in _ODD.items()}
        for what, form in _FORMS:
            odd[what] = special[[not unicodedata.is_normalized(form, text) for text in texts]]
        for what, found in odd.items():
            if len(found):
                rows.append((where, what, int(times[found].sum()), _around(found.iloc[0], _ODD.get(what))))
    return pd.DataFrame(rows, columns=["where", "what", "count", "first"])


def _around(text: str, pattern: str | None) -> str:
    """Return a phrase, or a short piece of a text around what was found."""
    found = re.search(pattern, text) if pattern is not None else None
    start = max(found.start() - 30, 0) if found and len(text) > 80 else 0
    return text[start : found.start() + 30] if found and len(text) > 80 else text[:80]


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
    rows = [
        (f"{getattr(values, one.name):,}", one.metadata["words"], f"KPSCOPE_LIMIT_{one.name.upper()}")
        for one in fields(values)
    ]
    return pd.DataFrame(rows, columns=["at most", "of what", "changed by"])
