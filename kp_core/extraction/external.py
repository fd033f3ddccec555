"""Turn files into what the boosting systems know from elsewhere: documents, or phrases with weights."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import pandas as pd

from kp_core.errors import InputError
from kp_core.extraction.collection import External
from kp_core.reading import load
from kp_core.reading.delimited import read_delimited
from kp_core.reading.family import File
from kp_core.reading.fields import NAMES, find_roles, plain
from kp_core.reading.limits import LIMITS
from kp_core.reading.mapping import Mapping
from kp_core.reading.source import Source, expand
from kp_core.reading.values import is_number

#: Files, tables and dictionaries from which external sources come.
Given: TypeAlias = str | Path | Source | pd.DataFrame | abc.Mapping[Any, Any]

#: What helps where files of both kinds were given together.
_APART = (
    "Where documents and lists of phrases are different files, name them apart: --external and --phrases, or "
    '{"documents": …, "phrases": …}.'
)
#: Endings of files that say by themselves what they hold; others may be plain lines.
_STRUCTURED = (".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")


def external_from(given: Given | Sequence[Given] | External | None, documents: bool, phrases: bool) -> External:
    """Read external sources as documents, as lists of phrases, or as both, whatever the systems in use need.

    A dictionary is {id: text}, {phrase: weight}, or {"documents": ..., "phrases": ...} where both are given.
    """
    if given is None or isinstance(given, External):
        return given or External()
    if isinstance(given, abc.Mapping) and given and set(given) <= {"documents", "phrases"}:
        return External(read_documents(given.get("documents")), read_phrases(given.get("phrases")))
    try:
        return External(read_documents(given) if documents else {}, read_phrases(given) if phrases else {})
    except InputError as error:
        if not (documents and phrases):
            raise
        raise InputError(error.where, error.found, error.expected, f"{error.remedy} {_APART}") from None


def read_documents(given: Given | Sequence[Given] | None) -> dict[str, str]:
    """Return id → text of external documents; a text file is one document.

    >>> read_documents({"tides": "The tide table."})
    {'tides': 'The tide table.'}
    """
    if given is None:
        return {}
    table = load(documents=given).documents
    texts = dict(zip(table["doc_id"].astype(str), table["text"].fillna("").astype(str), strict=True))
    if not any(text.strip() for text in texts.values()):
        raise InputError("the external documents", "no text", "texts", "Load other files.")
    return texts


def read_phrases(given: Given | Sequence[Given] | None) -> dict[str, float]:
    """Return phrase → weight of external lists: 1 where no weight is given, the highest where there are several.

    Read are one phrase a line (with a TAB and a weight, if there is one), tables with a column of phrases, and all
    formats of keyphrases.

    >>> read_phrases(Source("index.txt", b"tide table\\nharbour\\t.5\\n"))
    {'tide table': 1.0, 'harbour': 0.5}
    """
    if given is None:
        return {}
    weights: dict[str, float] = {}
    for source in given if isinstance(given, (list, tuple)) else [given]:
        for where, phrase, weight in _entries(source):
            try:
                number = 1.0 if weight is None or weight == "" or weight != weight else float(weight)
            except ValueError:
                number = -1.0
            if not 0 <= number <= 1:
                remedy = "Divide the weights by the largest, or leave them out."
                raise InputError(where, f"the weight {weight} of “{phrase}”", "a weight from 0 to 1", remedy)
            if phrase.strip():
                weights[phrase.strip()] = max(number, weights.get(phrase.strip(), 0.0))
    if not weights:
        raise InputError("the external list", "no phrase", "one phrase a line", "Load another file.")
    return weights


def _entries(given: Given) -> list[tuple[str, str, Any]]:
    """Return the place of each phrase, the phrase, and its weight as it is given."""
    if isinstance(given, abc.Mapping):
        return [("the external list", str(phrase), weight) for phrase, weight in given.items()]
    if isinstance(given, pd.DataFrame):
        return _of_documents("the external list", given)
    return [entry for source in expand(given).files for entry in _of_file(source)]


def _of_documents(where: str, given: Any) -> list[tuple[str, str, Any]]:
    gold = load(gold=given).gold
    return [(where, str(phrase), weight) for phrase, weight in zip(gold["phrase"], gold["relevance"], strict=True)]


def _of_file(source: Source) -> list[tuple[str, str, Any]]:
    file = File(source, LIMITS)
    if PurePosixPath(source.name).suffix.lower() in _STRUCTURED or file.text.lstrip()[:1] in ("{", "["):
        return _of_documents(source.name, source)
    table = read_delimited(file, Mapping())
    columns = find_roles(table.names, ("doc_id", "phrase", "score", "relevance")) if table and table.header else {}
    after_tab = [weight for line in file.lines if (weight := line.partition("\t")[2].strip())]
    if "doc_id" in columns or 2 * sum(map(is_number, after_tab)) < len(after_tab):
        return _of_documents(source.name, source)  # a TAB separates a document from its phrases
    if table and "phrase" in columns:
        weights = columns.get("score") or columns.get("relevance")
        phrases = table.texts(columns["phrase"]).to_pylist()
        values = table.texts(weights).to_pylist() if weights else [None] * len(phrases)
        return [(source.name, phrase or "", value) for phrase, value in zip(phrases, values, strict=True)]
    if table and not table.header and len(table.columns) == 2 and not table.rejected:
        phrases, values = (column.to_pylist() for column in table.columns)
        # Also where a comma parts them, unless these are commas of numbers.
        if all(map(is_number, values)) and all(re.search(r"[^\W\d_]", phrase) for phrase in phrases):
            lines = range(1, len(table) + 1) if table.lines is None else table.lines
            return [(f"{source.name}, line {n}", *entry) for n, *entry in zip(lines, phrases, values, strict=True)]
    entries = [line.partition("\t") for line in file.lines]
    if entries and plain(entries[0][0]) in (*NAMES["phrase"], *NAMES["phrases"]) and source.name.endswith(".csv"):
        entries = entries[1:]  # the name of the only column
    return [(f"{source.name}, line {n}", phrase, weight.strip()) for n, (phrase, _, weight) in enumerate(entries, 1)]
