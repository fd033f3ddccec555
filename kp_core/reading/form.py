"""Turn a table whose meaning is not certain into the form that asks for it."""

from __future__ import annotations

from collections import abc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from kp_core.reading.family import Recognition
from kp_core.reading.layout import Layout
from kp_core.reading.mapping import COLUMNS, PLACES, Mapping
from kp_core.reading.question import Form
from kp_core.reading.table import Table

#: Values of a column that are shown, and characters of each.
_VALUES, _CHARACTERS = 3, 60
#: Column names that a sentence holds.
_NAMES = 8
#: Fields of a mapping in words.
FIELDS = {
    "document": "the document",
    "keyphrases": "the keyphrases",
    "annotator": "the annotator",
    "system": "the system",
    "rank": "the rank",
    "score": "the score",
    "higher_is_better": "whether a higher score is better",
    "relevance": "the grade of a keyphrase",
    "verdict": "whether a keyphrase was accepted",
    "marks": "the marks of annotators",
    "gold": "the gold standard beside systems",
    "group": "the type of document",
    "title": "the title",
    "text": "the text",
    "split": "how cells are split",
    "inner": "what inner lists are",
    "header": "the column names",
}


def form_of(reading: Recognition, found: str, formats: Sequence[str] = ()) -> Form:
    """Return the form that asks what a table means, from its likeliest reading.

    formats  other formats that the file may have
    """
    file, layout = reading.files[0], cast(Layout, reading.plan[0])
    words = " ".join(doubt.words for doubt in layout.doubts) or (f"It has {found}." if found else "")
    missing = tuple(dict.fromkeys(FIELDS[field] for doubt in layout.doubts for field in doubt.fields))
    sheets, columns = reading.offers.get("sheet", ()), first_values(layout.table)
    return Form(file.name, reading.mapping or Mapping(), words, missing, columns, sheets, tuple(formats))


def first_values(table: Table) -> dict[str, tuple[str, ...]]:
    """Return head of each column → its first different values, shortened."""
    found = {}
    for name in table.names:
        values = dict.fromkeys(
            cell.strip()[:_CHARACTERS] for cell in table.first_texts(name, 50).to_pylist() if cell.strip()
        )
        found[name] = tuple(values)[:_VALUES]
    return found


#: Meanings of a column that several columns may have.
_SEVERAL = ("keyphrases", "score", "marks", "gold")


def meanings_of(mapping: Mapping) -> dict[str, str]:
    """Return the meaning of each column, which is the field that names it.

    >>> from kp_core.reading.mapping import HEADS
    >>> meanings_of(Mapping(document="Nr", keyphrases=("Anna", "yake"), gold="Anna", system=HEADS))
    {'Nr': 'document', 'Anna': 'gold', 'yake': 'keyphrases'}
    """
    found: dict[str, str] = {}
    for field in COLUMNS:
        value = getattr(mapping, field)
        found |= dict.fromkeys((value,) if isinstance(value, str) else value, field)
    gold = {name: "gold" for name in mapping.gold if found.get(name) == "keyphrases"}
    return {name: field for name, field in (found | gold).items() if name and name not in PLACES}


def each_is(mapping: Mapping, place: str) -> str:
    """Return what each column of keyphrases, or each sheet, is: an annotator, a system, a document; else nothing."""
    return next((field for field in ("annotator", "system", "document") if getattr(mapping, field) == place), "")


def with_meanings(mapping: Mapping, meanings: abc.Mapping[str, str], places: abc.Mapping[str, str]) -> Mapping:
    """Return a mapping whose columns have other meanings.

    Parameters
    ----------
    meanings : dict
        Column → field, empty if it has no meaning.
    places : dict
        Where document, annotator or system are named if no column names them: "(heads)" → "annotator" if each of
        several columns of keyphrases, scores or marks is an annotator.

    >>> from kp_core.reading.mapping import HEADS
    >>> said = {"Nr": "document", "Anna": "keyphrases", "Ben": "keyphrases"}
    >>> str(with_meanings(Mapping("gold"), said, {HEADS: "annotator"}))
    'role=gold,document=Nr,keyphrases=Anna,Ben,annotator=(heads)'
    """
    fields: dict[str, Any] = {field: () if field in _SEVERAL else "" for field in (*COLUMNS, "gold")}
    if "gold" not in meanings.values() and "system" in meanings.values():
        fields["gold"] = mapping.gold  # values of the column of systems
    for name, field in meanings.items():
        if field == "gold":
            fields["keyphrases"] += (name,)
        if field:
            fields[field] = (*fields[field], name) if field in _SEVERAL else name
    for place, field in places.items():
        if field and not fields[field]:
            fields[field] = place
    return replace(mapping, **fields)
