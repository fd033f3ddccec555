"""Turn the registries of measures, conventions and terms into text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.errors import REASONS, UsageError, read_toml
from kp_core.extraction.lecture_systems import PARAMETERS
from kp_core.extraction.lecture_systems import SYSTEMS as EXTRACTORS
from kp_core.extraction.lecture_systems import System as Extractor
from kp_core.scoring.measures import MEASURES, Measure, parse
from kp_core.settings import CONVENTIONS, PRESETS, format_value
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import Similarity
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
#: The worked example in words and as a table, and a keyphrase with a candidate.
EXAMPLE, PAIR = _EXAMPLE["text"], _EXAMPLE["pair"]
EXAMPLE_TABLE = pd.DataFrame(**_EXAMPLE["document"])


def span(measure: Measure | Similarity) -> str:
    """Return the range of a measure in words.

    >>> span(MEASURES["kappa"]), span(MEASURES["a"])
    ('−1 to 1', 'at least 0')
    """
    low = f"{measure.low:g}".replace("-", "−")
    if math.isinf(measure.low):
        return "any number" if math.isinf(measure.high) else f"up to {measure.high:g}"
    return f"at least {low}" if math.isinf(measure.high) else f"{low} to {measure.high:g}"


def sentence(name: str) -> str:
    """Return the sentence of a measure or a similarity measure; empty for any other name.

    >>> sentence("P@5"), sentence("dice")[:7], sentence("better than")
    ('Of the first k phrases, the share that are keyphrases.', 'Twice t', '')
    """
    for named in (parse, parse_similarity):
        try:
            return named(name).measure.sentence
        except UsageError:
            continue
    return ""


@dataclass(frozen=True)
class Card:
    """An entry of a registry as text, its formula in LaTeX."""

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


def records() -> list[dict[str, str]]:
    """Return one record per measure, as shown in tables and by the command line."""
    return [
        {
            **{name: getattr(card, name) for name in ("name", "sentence", "formula")},
            "range": span(card),
            "better": {"higher": "higher is better", "none": "no direction"}[card.better],
            "averages": ", ".join(card.averages),
            **{name: getattr(card, name) for name in ("undefined", "source", "family", "example")},
        }
        for card in MEASURES.values()
    ]


def cards(family: str, search: str = "") -> list[Card]:
    """Return the cards of a family that contain a search word.

    >>> [card.name for card in (*cards("concordance", "Gwet"), *cards("extraction", "N-Grams"))]
    ['AC1', 'phrase-boosting-ngrams']
    """
    if family == "similarity":
        shown = list(map(_similarity, SIMILARITIES.values()))
    elif family == "extraction":
        shown = list(map(_extractor, EXTRACTORS.values()))
    else:
        shown = [_measure(record) for record in records() if record["family"] == family]
    wanted = search.strip().lower()
    return [card for card in shown if wanted in f"{card.title} {card.sentence} {card.facts} {card.formula}".lower()]


def _measure(record: dict[str, str]) -> Card:
    details = {name.capitalize(): record[name] for name in ("range", "averages", "undefined", "source")}
    details["Range"] += f", {record['better']}"
    return Card(record["name"], record["name"], record["sentence"], record["formula"], record["example"], details)


def _similarity(measure: Similarity) -> Card:
    ranges = {
        name: ", ".join(map(str, values)) if isinstance(values[0], str) else f"{values[0]:g} to {values[1]:g}"
        for name, values in measure.options.items()
    }
    options = "; ".join(f"{name} = {values}" for name, values in ranges.items())
    details = {"Range": span(measure), "Options": options, "Undefined": measure.undefined, "Source": measure.source}
    known = {name: text for name, text in details.items() if text}
    return Card(measure.name, measure.name, measure.sentence, measure.formula, measure.example, known)


def _extractor(system: Extractor) -> Card:
    numbers = ", ".join(f"{PARAMETERS[name].symbol} = {PARAMETERS[name].default:g}" for name in system.parameters)
    needs = {"": "texts only", "documents": "external documents", "phrases": "a list of phrases"}[system.needs]
    details = {"Needs": needs, "Parameters": numbers, "Source": system.source}
    return Card(system.name, f"{system.name}: {system.title}", system.sentence, system.formula, "", details)


def conventions() -> pd.DataFrame:
    """Return one row per convention: name, key in the signature, values, meaning."""
    rows = [(name, card.key, ", ".join(card.values) or "free", card.meaning) for name, card in CONVENTIONS.items()]
    return pd.DataFrame(rows, columns=["convention", "key", "values, default first", "meaning"])


def presets() -> pd.DataFrame:
    """Return one row per preset: source, cutoffs, fields that differ from the defaults, values reproduced."""
    rows = []
    for name, preset in PRESETS.items():
        changes = [
            f"{field} = {format_value(preset.changes[field])}" for field in CONVENTIONS if field in preset.changes
        ]
        source = f"{preset.source}; {preset.note}" if preset.note else preset.source
        rows.append((name, source, ", ".join(map(str, preset.k)), "; ".join(changes) or "–", preset.reproduced or "–"))
    reproduced = "reproduced: values equal / compared, on which outputs"
    return pd.DataFrame(rows, columns=["preset", "source", "k", "differs from kpscope in", reproduced])


def sections(search: str = "") -> list[tuple[str, str, pd.DataFrame]]:
    """Return title, explanation and table of sections without cards, restricted to entries with a search word.

    >>> [(title, len(table)) for title, _, table in sections("universe N")]
    [('Glossary', 1)]
    """
    all_tables = {
        "Conventions": conventions(),
        "Presets": presets(),
        "Intervals": pd.DataFrame(_PROSE["coverage"]["rows"], columns=_PROSE["coverage"]["columns"]),
        "Reasons": pd.DataFrame(REASONS.items(), columns=["reason", "meaning"]),
        "Glossary": pd.DataFrame(TERMS.items(), columns=["term", "meaning"]),
    }
    wanted, matches = search.strip().lower(), []
    for title, table in all_tables.items():
        rows = table[[wanted in " ".join(row).lower() for row in table.itertuples(index=False)]]
        if len(rows):
            matches.append((title, _PROSE["sections"][title], rows))
    return matches


def markdown() -> str:
    """Return the whole reference as Markdown; `docs/methods.md` is this text."""
    families = []
    for family, title in FAMILIES.items():
        members = cards(family)
        # For each detail, the most frequent text is printed only once.
        names = [name for name in members[0].details if all(name in card.details for card in members)]
        most = [(name, Counter(card.details[name] for card in members).most_common(1)[0]) for name in names]
        usual = {name: text for name, (text, n) in most if n > 1}
        shown = list[tuple[Card, str]]()
        for _, variants in groupby(members, key=lambda card: re.split("[-@_]", card.name)[0]):
            known: Mapping[str, str] = usual
            for card in variants:  # after the first variant, only differences are printed
                shown.append((card, _sentences(item for item in card.details.items() if item not in known.items())))
                known = known if known is not usual else card.details
        families.append((title, INTRODUCTIONS.get(family), usual, shown))
    facts: dict[str, Any] = {"families": families, "symbols": SYMBOLS, "reasons": REASONS}
    facts |= {"conventions": CONVENTIONS, "presets": presets().itertuples(index=False)}
    return typeset.say("reference", prose=_PROSE, **facts) + "\n"


def text(form: str) -> str:
    """Print the measures as table, json, csv, latex or markdown."""
    if form == "markdown":
        return markdown()
    table = pd.DataFrame(records())
    shown = {"latex": ["name", "sentence", "range", "source"], "table": ["name", "range", "sentence"]}
    return typeset.written(table[shown.get(form, list(table))], form, "Measures")
