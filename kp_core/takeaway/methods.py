"""Turn the registry into text: what measures, conventions and terms are, whence they come, when they are undefined."""

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


def _meaning(entry: Mapping[str, str]) -> str:
    sentence = [MEASURES[entry["measure"]].sentence] if "measure" in entry else []
    return " ".join([*sentence, entry["meaning"]])


#: Term → meaning, in alphabetical order; a measure is defined by its card alone.
TERMS = {term: _meaning(entry) for term, entry in _ENTRIES.items()}


def glossary() -> str:
    """Return the glossary as Markdown; `docs/glossary.md` is this text."""
    return typeset.say("glossary", entries=_ENTRIES, terms=TERMS) + "\n"


_PROSE, _EXAMPLE = read_toml("words/methods.toml"), read_toml("words/example.toml")
#: Family → its title; family → what a reader needs to know before its cards; symbol of the formulas → meaning.
FAMILIES, INTRODUCTIONS, SYMBOLS = (_PROSE[name] for name in ("families", "introductions", "symbols"))
#: The worked example: in words, as a table, and a keyphrase with a candidate.
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
    """Return what a measure answers, by its name as asked for; a similarity measure if no other has the name.

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
    """What Methods shows for one entry of a registry: the formula is LaTeX, the rest is text."""

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
    """Return one record per measure, as tables and the command line show it."""
    return [
        {
            "name": one.name,
            "sentence": one.sentence,
            "formula": one.formula,
            "range": span(one),
            "better": {"higher": "higher is better", "none": "no direction"}[one.better],
            "averages": ", ".join(one.averages),
            "undefined": one.undefined,
            "source": one.source,
            "family": one.family,
            "example": one.example,
        }
        for one in MEASURES.values()
    ]


def cards(family: str, search: str = "") -> list[Card]:
    """Return the cards of one family, those in which a word occurs.

    >>> [one.name for one in cards("concordance", "Gwet")], [one.name for one in cards("extraction", "N-Grams")]
    (['AC1'], ['phrase-boosting-ngrams'])
    """
    if family == "similarity":
        shown = [_similarity(one) for one in SIMILARITIES.values()]
    elif family == "extraction":
        shown = [_extractor(one) for one in EXTRACTORS.values()]
    else:
        shown = [_measure(record) for record in records() if record["family"] == family]
    wanted = search.strip().lower()
    return [one for one in shown if wanted in f"{one.title} {one.sentence} {one.facts} {one.formula}".lower()]


def _measure(record: dict[str, str]) -> Card:
    details = {
        "Range": f"{record['range']}, {record['better']}",
        "Averages": record["averages"],
        "Undefined": record["undefined"],
        "Source": record["source"],
    }
    return Card(record["name"], record["name"], record["sentence"], record["formula"], record["example"], details)


def _similarity(one: Similarity) -> Card:
    options = "; ".join(
        f"{name} = {', '.join(map(str, values))}"
        if isinstance(values[0], str)
        else f"{name} = {values[0]:g} to {values[1]:g}"
        for name, values in one.options.items()
    )
    details = {"Range": span(one), "Options": options, "Undefined": one.undefined, "Source": one.source}
    return Card(one.name, one.name, one.sentence, one.formula, one.example, {k: v for k, v in details.items() if v})


def _extractor(one: Extractor) -> Card:
    numbers = ", ".join(f"{PARAMETERS[name].symbol} = {PARAMETERS[name].default:g}" for name in one.parameters)
    needs = {"": "texts only", "documents": "external documents", "phrases": "a list of phrases"}[one.needs]
    details = {"Needs": needs, "Parameters": numbers, "Source": one.source}
    return Card(one.name, f"{one.name}: {one.title}", one.sentence, one.formula, "", details)


def conventions() -> pd.DataFrame:
    """Return one row per convention: name, key in the signature, values, meaning."""
    rows = [(name, one.key, ", ".join(one.values) or "free", one.meaning) for name, one in CONVENTIONS.items()]
    return pd.DataFrame(rows, columns=["convention", "key", "values, default first", "meaning"])


def presets() -> pd.DataFrame:
    """Return one row per preset: source, cutoffs, fields that differ from the defaults, values reproduced."""
    rows = []
    for name, one in PRESETS.items():
        differs = [f"{field} = {format_value(one.changes[field])}" for field in CONVENTIONS if field in one.changes]
        source = f"{one.source}; {one.note}" if one.note else one.source
        rows.append((name, source, ", ".join(map(str, one.k)), "; ".join(differs) or "–", one.reproduced or "–"))
    columns = [
        "preset",
        "source",
        "k",
        "differs from kpscope in",
        "reproduced: values equal / compared, on which outputs",
    ]
    return pd.DataFrame(rows, columns=columns)


def sections(search: str = "") -> list[tuple[str, str, pd.DataFrame]]:
    """Return title, explanation and table of all that has no card; only rows in which a word occurs.

    >>> [(title, len(table)) for title, _, table in sections("universe N")]
    [('Glossary', 1)]
    """
    every = {
        "Conventions": conventions(),
        "Presets": presets(),
        "Intervals": pd.DataFrame(_PROSE["coverage"]["rows"], columns=_PROSE["coverage"]["columns"]),
        "Reasons": pd.DataFrame(REASONS.items(), columns=["reason", "meaning"]),
        "Glossary": pd.DataFrame(TERMS.items(), columns=["term", "meaning"]),
    }
    wanted, found = search.strip().lower(), []
    for title, table in every.items():
        rows = table[[wanted in " ".join(row).lower() for row in table.itertuples(index=False)]]
        if len(rows):
            found.append((title, _PROSE["sections"][title], rows))
    return found


def markdown() -> str:
    """Return the whole reference as Markdown; `docs/methods.md` is this text."""
    families = []
    for family, title in FAMILIES.items():
        found = cards(family)
        # Of each detail that all cards have, the most frequent text is printed only once.
        names = [name for name in found[0].details if all(name in card.details for card in found)]
        most = [(name, Counter(card.details[name] for card in found).most_common(1)[0]) for name in names]
        usual = {name: text for name, (text, n) in most if n > 1}
        shown = list[tuple[Card, str]]()
        for _, variants in groupby(found, key=lambda card: re.split("[-@_]", card.name)[0]):
            known: Mapping[str, str] = usual
            for card in variants:  # of what the first variant says, the others say only what is different
                shown.append((card, _sentences(one for one in card.details.items() if one not in known.items())))
                known = known if known is not usual else card.details
        families.append((title, INTRODUCTIONS.get(family), usual, shown))
    facts: dict[str, Any] = {"families": families, "symbols": SYMBOLS, "reasons": REASONS}
    facts |= {"conventions": CONVENTIONS, "presets": presets().itertuples(index=False)}
    return typeset.say("reference", prose=_PROSE, **facts) + "\n"


def text(form: str) -> str:
    """Print the measures for the command line in a format: table, json, csv, latex or markdown."""
    if form == "markdown":
        return markdown()
    table = pd.DataFrame(records())
    shown = {"latex": ["name", "sentence", "range", "source"], "table": ["name", "range", "sentence"]}
    return typeset.written(table[shown.get(form, list(table))], form, "Measures")
