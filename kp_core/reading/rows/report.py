"""Report how a corpus was read: files, lists, phrases, and unusual characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, Reading, Role, VocabularyTable
from kp_core.errors import pluralize
from kp_core.reading.limits import Limits
from kp_core.reading.rows.identifiers import sides
from kp_core.text.normalise import Normaliser

#: Fields of a reading that are renamed in the table of files, and those left out of it.
_LABELS = {"size": "bytes", "bom": "BOM", "line_ends": "line ends", "rows_read": "rows read"} | {
    f"rows_{count}": count for count in ("loaded", "rejected", "blank")
}
_LEFT_OUT = ["files", "sha256", "mapping", "whose", "documents"]


def files(corpus: Corpus) -> pd.DataFrame:
    """Return one row per file: how it was read, and the number of rows read, loaded, rejected and blank."""
    rows = [asdict(reading) for reading in corpus.report.readings]
    table = pd.DataFrame(rows, columns=[field.name for field in fields(Reading)])
    table["columns"] = [", ".join(f"{role} = {name}" for role, name in c.items()) for c in table["columns"]]
    table["ignored"] = [", ".join(names) for names in table["ignored"]]
    return table.drop(columns=_LEFT_OUT).rename(columns=_LABELS)


def understood(corpus: Corpus) -> str:
    """Report in one line whether files were left out.

    >>> from kp_core.reading.load import load
    >>> understood(load(gold={"d1": ["tide"]}, systems={"a": {"d1": ["sea"]}}))
    '2 files, all understood.'
    """
    readings = corpus.report.readings
    files = pluralize(sum(reading.files for reading in readings), "file")
    ignored = [name for reading in readings for name in reading.ignored]
    if not ignored:
        return f"{files}, all understood."
    names = f"{', '.join(ignored[:5])}{' …' * (len(ignored) > 5)}"
    return f"{files} understood; left out: {pluralize(len(ignored), 'file')} without lists or texts ({names})."


#: Role → description of a file, and of one of its rows.
_ROLE_DESCRIPTIONS: dict[Role | VocabularyTable, tuple[str, str]] = {
    "gold": ("gold standard", "phrase"),
    "system": ("system output", "phrase"),
    "documents": ("texts", "text"),
    "judgements": ("judged pairs", "score"),
    "broader": ("broader concepts", "row"),
    "frequencies": ("frequencies of concepts", "row"),
    "similar": ("similar phrases", "pair"),
    "vectors": ("vectors of phrases", "phrase"),
}
#: Maximum number of names listed; more are counted.
_NAMES = 4


@dataclass(frozen=True)
class Receipt:
    """How one file, or a group of files, was read: in a few words (`what`) and in one line (`words`)."""

    file: str
    role: Role | VocabularyTable
    what: str
    words: str


def receipt(corpus: Corpus) -> list[Receipt]:
    """Return how each file was read, in order.

    >>> from kp_core.reading.load import load
    >>> lists = {"d1": [("tide", 0.1), ("moon", 0.4)]}
    >>> for entry in receipt(load(gold={"d1": ["tide"], "d2": ["sea"]}, systems={"yake": lists})):
    ...     print(entry.words)
    gold standard · 2 of 2 documents · 2 phrases
    system yake · 1 of 2 documents · 2 phrases · lower score is better
    """
    n_in_use = len(sides(corpus).get("gold", corpus.documents))
    receipts = []
    for reading in corpus.report.readings:
        rankings = filter(None, map(corpus.rankings.get, reading.whose))
        directions = {ranking.higher_is_better if ranking.ranked_by == "score" else None for ranking in rankings}
        parts = [_description(reading)]
        parts += [] if reading.documents is None else [f"{reading.documents:,} of {pluralize(n_in_use, 'document')}"]
        parts += [pluralize(reading.rows_loaded, _ROLE_DESCRIPTIONS[reading.role][1])]
        if reading.role == "system" and len(directions) == 1 and (higher := directions.pop()) is not None:
            parts.append(f"{'higher' if higher else 'lower'} score is better")
        parts += [f"{pluralize(reading.rows_rejected, 'row')} rejected"] if reading.rows_rejected else []
        receipts.append(Receipt(reading.file, reading.role, parts[0], " · ".join(parts)))
    return receipts


def _description(reading: Reading) -> str:
    systems = reading.whose if reading.role == "system" else reading.systems
    names = f"system{'s' * (len(systems) > 1)} {', '.join(systems)}" if systems else ""
    names = f"{len(systems):,} systems" if len(systems) > _NAMES else names
    if reading.role == "system" and systems:
        return names
    whose = () if reading.whose == ("gold",) else reading.whose
    people = pluralize(len(whose), "annotator") if len(whose) > _NAMES else ", ".join(whose)
    parts = [_ROLE_DESCRIPTIONS[reading.role][0], f"of {people}" * bool(people), f"and {names}" * bool(names)]
    return " ".join(filter(None, parts))


_OWNER = ["role", "source"]
#: Columns of the statistics that are shown even if all are 0.
ALWAYS = ("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty")


def statistics(corpus: Corpus, normaliser: Normaliser | None = None, k: int | None = None) -> pd.DataFrame:
    """Return one row per annotator and system: documents, phrases, list lengths, gaps, duplicates, ties, short lists.

    * `missing`: documents for which only other sources have a list
    * `duplicates`: phrases that repeat an earlier one of the same list: exactly, lower-cased, or after normalization
    * `vanishing`: phrases of which the normaliser leaves nothing
    """
    gold = corpus.gold.rename(columns={"annotator": "source"}).assign(role="gold")
    runs = corpus.runs.rename(columns={"system": "source"}).assign(role="system")
    rows = pd.concat([gold[[*_OWNER, "doc_id", "phrase"]], runs[[*_OWNER, "doc_id", "phrase"]]], ignore_index=True)
    rows["list"] = rows.groupby([*_OWNER, "doc_id"], sort=False).ngroup()
    lists = rows.groupby([*_OWNER, "list"], sort=False).size().rename("length").reset_index()
    sources = [("gold", name) for name in corpus.annotators] + [("system", name) for name in corpus.systems]
    owners = pd.DataFrame(sources, columns=_OWNER, dtype="str").set_index(_OWNER)

    def count(table: pd.DataFrame) -> pd.Series:
        return table.groupby(_OWNER).size().reindex(owners.index, fill_value=0)

    sizes = lists.groupby(_OWNER)["length"].agg(["min", "max"]).reindex(owners.index, fill_value=0)
    empty, n_documents = count(corpus.empty), pd.concat([rows["doc_id"], corpus.empty["doc_id"]]).nunique()
    owners["documents"], owners["phrases"] = count(lists) + empty, count(rows)
    owners["shortest"] = sizes["min"].where(empty == 0, 0)
    owners["mean"], owners["longest"] = owners["phrases"] / owners["documents"].clip(lower=1), sizes["max"]
    owners["missing"], owners["empty"] = n_documents - owners["documents"], empty
    phrases = rows["phrase"].unique().tolist()
    forms = {"": phrases, ", lower case": [phrase.lower() for phrase in phrases]}
    if normaliser is not None:
        forms[", normalised"] = normaliser.apply(phrases)
    for suffix, form in forms.items():
        compared = rows["phrase"].map(dict(zip(phrases, form, strict=True)))
        repeated_rows = rows[(compared != "") & rows[["list"]].assign(form=compared).duplicated()]
        owners[f"duplicates{suffix}"] = count(repeated_rows)
        owners[f"lists with duplicates{suffix}"] = count(repeated_rows.drop_duplicates("list"))
        if suffix == ", normalised":
            owners["vanishing"] = count(rows[compared == ""])
    owners["with variants"] = count(gold.dropna(subset="variants") if "variants" in gold else gold.head(0))
    owners["ties"] = count(runs[(runs["score"].diff() == 0) & (runs["rank"].diff() == 1)])
    owners["re-sorted"] = [corpus.rankings[name].resorted if role == "system" else 0 for role, name in sources]
    if k is not None:
        owners[f"shorter than {k}"] = count(lists[lists["length"] < k]) + empty
    return owners.reset_index()


def telling(table: pd.DataFrame) -> pd.DataFrame:
    """Drop the columns that are 0 for every source from the statistics, except those that are always shown."""
    return table[[name for name in table if name in ALWAYS or table[name].any()]]


#: Frequently corrupted characters and unusual forms, each with a test whether a text contains it.
_UNUSUAL_CHARACTERS: dict[str, Callable[[str], object]] = {
    "no-break space": re.compile("\u00a0").search,
    "soft hyphen": re.compile("\u00ad").search,
    "zero-width character": re.compile("[\u200b-\u200d\u2060\ufeff]").search,
    "control character": re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]").search,
    "private use character": re.compile("[\ue000-\uf8ff]").search,
    "replacement character": re.compile("\ufffd").search,
    "not composed (NFC)": lambda text: not unicodedata.is_normalized("NFC", text),
    "changed by NFKC": lambda text: not unicodedata.is_normalized("NFKC", text),
}


def characters(corpus: Corpus) -> pd.DataFrame:
    """Count phrases and texts with frequently corrupted characters, with the first example of each."""
    texts = {"gold": corpus.gold["phrase"], "systems": corpus.runs["phrase"], "texts": corpus.documents["text"]}
    rows = []
    for side, values in texts.items():
        text_counts = values[values.str.contains("[^\t\n\r -~]", na=False)].value_counts(sort=False)
        for kind, is_odd in _UNUSUAL_CHARACTERS.items():
            if unusual := [text for text in text_counts.index if is_odd(text)]:
                rows.append((side, kind, int(text_counts[unusual].sum()), _excerpt(unusual[0], is_odd(unusual[0]))))
    return pd.DataFrame(rows, columns=["where", "what", "count", "first"])


def _excerpt(text: str, found: object) -> str:
    if len(text) <= 80 or not isinstance(found, re.Match):
        return text[:80]
    return text[max(found.start() - 30, 0) : found.start() + 30]


def normalised(corpus: Corpus, normaliser: Normaliser) -> pd.DataFrame:
    """Return one row per distinct phrase before and after normalization, changed ones first."""
    phrases = pd.concat([corpus.gold["phrase"], corpus.runs["phrase"]]).drop_duplicates()
    originals = phrases.to_list()
    table = pd.DataFrame({"phrase": originals, "compared as": normaliser.apply(originals)}, dtype="str")
    changed = table["phrase"] != table["compared as"]
    table["change"] = np.select([table["compared as"] == "", changed], ["nothing is left", "changed"], "")
    return table.sort_values("change", key=lambda words: words == "", kind="stable", ignore_index=True)


def limits(values: Limits) -> pd.DataFrame:
    """Return one row per limit: its value, its meaning, and its environment variable."""
    rows = [
        (f"{getattr(values, limit.name):,}", limit.metadata["words"], f"KPSCOPE_LIMIT_{limit.name.upper()}")
        for limit in fields(values)
    ]
    return pd.DataFrame(rows, columns=["at most", "of what", "changed by"])
