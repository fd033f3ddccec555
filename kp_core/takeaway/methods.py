"""Turn the registries of measures, conventions and terms into text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.errors import REASONS, UsageError, read_toml
from kp_core.extraction.lecture_systems import PARAMETERS
from kp_core.extraction.lecture_systems import SYSTEMS as EXTRACTORS
from kp_core.extraction.lecture_systems import System as Extractor
from kp_core.scoring.measures import MEASURES, MeasureCard, parse
from kp_core.settings import CONVENTIONS, PRESETS, format_value
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import SimilarityCard
from kp_core.similarity import parse as parse_similarity

_ENTRIES: dict[str, dict[str, str]] = read_toml("words/glossary.toml")
#: Term → meaning, in alphabetical order; the meaning of a measure begins with the sentence of its card.
TERMS = {
    term: (f"{MEASURES[entry['measure']].sentence} " if "measure" in entry else "") + entry["meaning"]
    for term, entry in _ENTRIES.items()
}


def glossary() -> str:
    """Return the glossary as Markdown; `docs/glossary.md` is this text."""
    return typeset.say("glossary", entries=_ENTRIES, terms=TERMS) + "\n"


_PROSE, _EXAMPLE = read_toml("words/methods.toml"), read_toml("words/example.toml")
#: Family → title; family → introduction; symbol in formulas → meaning.
FAMILIES, INTRODUCTIONS, SYMBOLS = (_PROSE[name] for name in ("families", "introductions", "symbols"))
#: The worked example in words and as a table, and a pair of keyphrase and candidate.
EXAMPLE, PAIR = _EXAMPLE["text"], _EXAMPLE["pair"]
EXAMPLE_TABLE = pd.DataFrame(**_EXAMPLE["document"])


def _range_in_words(measure: MeasureCard | SimilarityCard) -> str:
    """Return the range of a measure in words, such as “−1 to 1”."""
    low = f"{measure.low:g}".replace("-", "−")
    if math.isinf(measure.low):
        return "any number" if math.isinf(measure.high) else f"up to {measure.high:g}"
    return f"at least {low}" if math.isinf(measure.high) else f"{low} to {measure.high:g}"


def sentence(name: str) -> str:
    """Return the one-sentence definition of a measure or similarity measure; empty for any other name."""
    for parse_name in (parse, parse_similarity):
        with suppress(UsageError):
            return parse_name(name).card.sentence
    return ""


@dataclass(frozen=True)
class Card:
    """An entry of a registry as text, with its formula in LaTeX."""

    name: str
    title: str
    sentence: str
    formula: str
    example: str
    details: Mapping[str, str]

    @property
    def facts(self) -> str:
        """All details as sentences."""
        return _sentences(self.details.items())


def _sentences(details: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{name}: {text}." for name, text in details)


_COLUMNS = ("name", "sentence", "formula", "range", "better", "averages", "undefined", "source", "family", "example")

_NEEDS = {"": "texts only", "documents": "external documents", "phrases": "a list of phrases"}


def records() -> list[dict[str, str]]:
    """Return one record per measure, as tables and the command line show it."""
    better = {"higher": "higher is better", "none": "no direction"}
    cards = [
        vars(card)
        | {"range": _range_in_words(card), "better": better[card.better], "averages": ", ".join(card.averages)}
        for card in MEASURES.values()
    ]
    return [{name: card[name] for name in _COLUMNS} for card in cards]


def cards(family: str, search: str = "") -> list[Card]:
    """Return the cards of a family that contain a search word."""
    measures = [record | {"range": f"{record['range']}, {record['better']}"} for record in records()]
    entries = [*measures, *map(_similarity, SIMILARITIES.values()), *map(_extractor, EXTRACTORS.values())]
    query, of_family = search.strip().lower(), [_card(entry) for entry in entries if entry["family"] == family]
    return [card for card in of_family if query in f"{card.title} {card.sentence} {card.facts} {card.formula}".lower()]


#: Details of cards, in their order.
_DETAILS = ("needs", "parameters", "range", "options", "averages", "undefined", "source")


def _card(entry: Mapping[str, Any]) -> Card:
    details = {name.capitalize(): entry[name] for name in _DETAILS if entry.get(name)}
    title, example = entry.get("title", entry["name"]), entry.get("example", "")
    return Card(entry["name"], title, entry["sentence"], entry["formula"], example, details)


def _similarity(measure: SimilarityCard) -> dict[str, Any]:
    options = "; ".join(
        f"{name} = {', '.join(map(str, values)) if isinstance(values[0], str) else '{:g} to {:g}'.format(*values)}"
        for name, values in measure.options.items()
    )
    return vars(measure) | {"family": "similarity", "range": _range_in_words(measure), "options": options}


def _extractor(system: Extractor) -> dict[str, Any]:
    parameters = ", ".join(f"{PARAMETERS[name].symbol} = {PARAMETERS[name].default:g}" for name in system.parameters)
    title, needs = f"{system.name}: {system.title}", _NEEDS[system.needs]
    return vars(system) | {"family": "extraction", "title": title, "needs": needs, "parameters": parameters}


def _conventions() -> pd.DataFrame:
    rows = [(name, card.key, ", ".join(card.values) or "free", card.meaning) for name, card in CONVENTIONS.items()]
    return pd.DataFrame(rows, columns=["convention", "key", "values, default first", "meaning"])


def _presets() -> pd.DataFrame:
    rows = []
    for name, preset in PRESETS.items():
        values = {field: format_value(preset.changes[field]) for field in CONVENTIONS if field in preset.changes}
        changes = "; ".join(f"{field} = {value}" for field, value in values.items())
        source = f"{preset.source}; {preset.note}" if preset.note else preset.source
        rows.append((name, source, ", ".join(map(str, preset.k)), changes or "–", preset.reproduced or "–"))
    reproduced = "reproduced: values equal / compared, on which outputs"
    return pd.DataFrame(rows, columns=["preset", "source", "k", "differs from kpscope in", reproduced])


def sections(search: str = "") -> dict[str, tuple[str, pd.DataFrame]]:
    """Return title → explanation and table of sections without cards, with the rows that contain a search word."""
    all_tables = {
        "Conventions": _conventions(),
        "Presets": _presets(),
        "Intervals": pd.DataFrame(_PROSE["coverage"]["rows"], columns=_PROSE["coverage"]["columns"]),
        "Reasons": pd.DataFrame(REASONS.items(), columns=["reason", "meaning"]),
        "Glossary": pd.DataFrame(TERMS.items(), columns=["term", "meaning"]),
    }
    query, matches = search.strip().lower(), dict[str, tuple[str, pd.DataFrame]]()
    for title, table in all_tables.items():
        rows = table[[query in " ".join(row).lower() for row in table.itertuples(index=False)]]
        if len(rows):
            matches[title] = _PROSE["sections"][title], rows
    return matches


def markdown() -> str:
    """Return the whole reference as Markdown; `docs/methods.md` is this text."""
    families = []
    for family, title in FAMILIES.items():
        members = cards(family)
        # a detail that several cards share is printed once, before the cards
        names = [name for name in members[0].details if all(name in card.details for card in members)]
        most_common = [(name, Counter(card.details[name] for card in members).most_common(1)[0]) for name in names]
        common_details = {name: text for name, (text, n) in most_common if n > 1}
        printed = list[tuple[Card, str]]()
        for _, variants in groupby(members, key=lambda card: re.split("[-@_]", card.name)[0]):
            details: Mapping[str, str] = common_details
            for card in variants:  # after the first variant, only differences are printed
                printed.append((card, _sentences(item for item in card.details.items() if item not in details.items())))
                details = details if details is not common_details else card.details
        families.append((title, INTRODUCTIONS.get(family), common_details, printed))
    facts: dict[str, Any] = {"families": families, "symbols": SYMBOLS, "reasons": REASONS}
    facts |= {"conventions": CONVENTIONS, "presets": _presets().itertuples(index=False)}
    return typeset.say("reference", prose=_PROSE, **facts) + "\n"


def text(form: str) -> str:
    """Return the measures as text in the form table, json, csv, latex or markdown."""
    if form == "markdown":
        return markdown()
    table = pd.DataFrame(records())
    columns = {"latex": ["name", "sentence", "range", "source"], "table": ["name", "range", "sentence"]}
    return typeset.written(table[columns.get(form, list(table))], form, "Measures")
