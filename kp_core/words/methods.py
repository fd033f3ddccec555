"""Turn the registry into text: what every measure and convention is, where it comes from, when it is undefined."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

import pandas as pd

from kp_core import tables
from kp_core.conventions import FIELDS, PRESETS
from kp_core.errors import REASONS, UsageError
from kp_core.extraction import PARAMETERS
from kp_core.extraction import SYSTEMS as EXTRACTORS
from kp_core.scoring.measures import MEASURES, Measure, parse
from kp_core.settings import format_value
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import Similarity
from kp_core.similarity import parse as parse_similarity
from kp_core.words import glossary, worked_example

FAMILIES = {
    "overlap": "Overlap: how many keyphrases are among the first k",
    "ranking": "Ranking: how early the keyphrases come",
    "concordance": "Concordance: agreement of gold standard and system on every phrase of the universe",
    "annotators": "Annotators: agreement of several people on every phrase of the universe",
    "similarity": "Similarity of two phrases",
    "extraction": "Systems that extract keyphrases",
}
#: What a reader needs to know before the cards of a family.
INTRODUCTIONS = {
    "similarity": "For near misses, soft matching and correlation with people. a, b: the two phrases; |a|, |b|: their "
    "characters, blanks included; r, c: words of keyphrase and candidate; A, B: their different words; ref, hyp: the "
    "words of the longer and of the shorter phrase; m: what is in common; M: characters in common, in the same order; "
    "P, R: the shares of hyp and of ref that are in common; d: edits; ℓ: equal characters at the beginning, 4 at most; "
    "t: half of the characters in common that stand in another order. An option stands in brackets behind the name, "
    "its first value is the default. The example is a pair of Kim, Baldwin & Kan 2010: "
    f"keyphrase “{worked_example.PAIR[0]}”, candidate “{worked_example.PAIR[1]}”.",
    "extraction": "They run on the Extract page and by the command extract. p: a phrase; d: a document; e_i: an "
    "external document; tf: how often it occurs; df: in how many of the loaded documents; N_docs: how many there are; "
    "len: number of words; w: weight of a phrase in a list, 1 where none is given. Of equal scores the earlier phrase "
    "comes first.",
}
EXAMPLE = (
    f"One document, in which {worked_example.UNIVERSE} phrases could have been chosen. A system returns six of them, "
    "by rank. Three annotators grade phrases: 2 and 1 are keyphrases, 0 is judged as not relevant, a dash is not "
    "chosen. The gold standard is the union of the annotators, with the highest grade of each phrase. "
    f"The cutoff is k = {worked_example.K}."
)
SYMBOLS = {
    "H_k": "gold keyphrases found among the first k phrases",
    "h_i": "gold keyphrases found at rank i: 1 or 0",
    "g": "gold size: number of gold keyphrases of the document",
    "n": "number of phrases returned",
    "D_k": "denominator of precision, by the convention denominator",
    "A": "denominator of average precision, by the convention ap",
    "y_i, y*_j": "grade found at rank i; the j-th highest grade of the gold standard",
    "G(y)": "gain of a grade: y, or 2 to the y minus 1, by the convention gain",
    "e_i": "grade found at rank i as a share of the highest grade of the data",
    "a, b, c, d": "phrases chosen by both, by the gold standard only, by the system only, by neither",
    "f_1, g_1, N": "a + b, a + c, and a + b + c + d",
    "f_2, g_2": "N − f_1 and N − g_1",
    "P_o": "(a + d) / N",
    "R_D, C_D, Q_D": "of document D: its annotators, their choices, and the ordered pairs of choices that agree",
    "N_D": "of document D: phrases that could have been chosen",
    "p_r": "share of “yes” of annotator r over the documents that he or she saw",
    "u_r, g_0": "phrases judged as not relevant: above hit r, and in all",
}


def span(measure: Measure | Similarity) -> str:
    """Return the range of a measure in words.

    >>> span(MEASURES["kappa"]), span(MEASURES["a"])
    ('−1 to 1', 'from 0 up')
    """
    low = f"{measure.low:g}".replace("-", "−")
    if math.isinf(measure.low):
        return "any number" if math.isinf(measure.high) else f"up to {measure.high:g}"
    return f"from {low} up" if math.isinf(measure.high) else f"{low} to {measure.high:g}"


def sentence(name: str) -> str:
    """Return what a measure answers, by its name as asked for; a measure of similarity where no other has the name.

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
    """What Methods says about one entry of a registry; formula and example are LaTeX, the rest is text."""

    name: str
    title: str
    sentence: str
    formula: str
    example: tuple[str, ...]
    facts: str


def records() -> list[dict[str, str]]:
    """Return one record a measure, as tables and the command line show it."""
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
            "example": r",\ ".join(worked_example.example(one)),
        }
        for one in MEASURES.values()
    ]


def cards(family: str, search: str = "") -> list[Card]:
    """Return the cards of one family, those in which a word occurs.

    >>> [one.name for one in cards("concordance", "Gwet")], [one.name for one in cards("extraction", "N-Grams")]
    (['AC1'], ['phrase-boosting-ngrams'])
    """
    found = {"similarity": _similarities, "extraction": _extractors}.get(family, lambda: _measures(family))()
    wanted = search.strip().lower()
    return [one for one in found if wanted in f"{one.title} {one.sentence} {one.facts} {one.formula}".lower()]


def _measures(family: str) -> list[Card]:
    return [
        Card(
            one["name"],
            one["name"],
            one["sentence"],
            one["formula"],
            worked_example.example(MEASURES[one["name"]]),
            f"Range: {one['range']}, {one['better']}. Averages: {one['averages']}. Undefined: {one['undefined']}. "
            f"Source: {one['source']}.",
        )
        for one in records()
        if one["family"] == family
    ]


def _similarities() -> list[Card]:
    found = []
    for one in SIMILARITIES.values():
        options = [
            f"{name} = {', '.join(map(str, given))}"
            if isinstance(given[0], str)
            else f"{name} = {given[0]:g} to {given[1]:g}"
            for name, given in one.options.items()
        ]
        said = f" Options: {'; '.join(options)}." if options else ""
        without = " No example: two phrases alone do not give its value." if one.example is None else ""
        facts = f"Range: {span(one)}.{said} Undefined: {one.undefined}. Source: {one.source}.{without}"
        found.append(Card(one.name, one.name, one.sentence, one.formula, worked_example.example(one), facts))
    return found


def _extractors() -> list[Card]:
    found = []
    for one in EXTRACTORS.values():
        chosen = [(PARAMETERS[name].symbol, PARAMETERS[name]) for name in one.parameters]
        numbers = "; ".join(f"{symbol} = {p.default:g}: {p.meaning}" for symbol, p in chosen)
        numbers = numbers.replace("of a candidate", "of a candidate (0: any number)") if one.chunks else numbers
        needs = {"": "nothing but the texts", "documents": "external documents", "phrases": "a list of phrases"}
        facts = f"Needs {needs[one.needs]}. Parameters: {numbers}. This definition is {one.source}."
        found.append(Card(one.name, f"{one.name}: {one.title}", one.sentence, one.formula, (), facts))
    return found


def symbols() -> pd.DataFrame:
    """Return one row a symbol of the formulas, with its numbers in the worked example."""
    numbers = worked_example.of_system() | worked_example.of_annotators() | {"G(y)": "y"}
    rows = []
    for names, meaning in SYMBOLS.items():
        found = []
        for name in names.replace("*", "^*").split(", "):
            letter = re.sub(r"_[ijr]$", "_", name)
            several = {one: number for one, number in numbers.items() if letter != name and one.startswith(letter)}
            found += [f"{one} = {number}" for one, number in several.items()] or [numbers.get(name, "")]
        rows.append((names, meaning, ", ".join(filter(None, found)).replace("^", "") or "–"))
    return pd.DataFrame(rows, columns=["symbol", "meaning", "in the example"])


def conventions() -> pd.DataFrame:
    """Return one row a convention: name, key in the signature, values, meaning."""
    rows = [(name, one.key, ", ".join(one.values) or "free", one.meaning) for name, one in FIELDS.items()]
    return pd.DataFrame(rows, columns=["convention", "key", "values, default first", "meaning"])


def presets() -> pd.DataFrame:
    """Return one row a preset: source, cutoffs, and the fields in which it differs from the defaults."""
    default = PRESETS["kpscope"].conventions
    rows = []
    for name, one in PRESETS.items():
        differs = [
            f"{field} = {format_value(there)}" for field, (_, there) in default.differences(one.conventions).items()
        ]
        rows.append((name, one.source, ", ".join(map(str, one.k)), "; ".join(differs) or "–"))
    return pd.DataFrame(rows, columns=["preset", "source", "k", "differs from kpscope in"])


def terms() -> pd.DataFrame:
    """Return one row a term of the glossary."""
    return pd.DataFrame(list(glossary.TERMS.items()), columns=["term", "meaning"])


def reasons() -> pd.DataFrame:
    """Return one row a reason for which a value is undefined or special."""
    return pd.DataFrame(list(REASONS.items()), columns=["reason", "meaning"])


def sections(search: str = "") -> list[tuple[str, str, pd.DataFrame]]:
    """Return title, explanation and table of all that has no card; only rows in which a word occurs.

    >>> [(title, len(table)) for title, _, table in sections("universe N")]
    [('Glossary', 1)]
    """
    every = [
        (
            "Conventions",
            "Every choice that changes a number: a setting in the sidebar, a field of the signature.",
            conventions(),
        ),
        (
            "Presets",
            "Conventions published with a data set or an evaluation script, where they differ from the defaults.",
            presets(),
        ),
        ("Reasons", "Why a value is undefined, or what is special about a document.", reasons()),
        ("Glossary", "The terms of the field as they are used here.", terms()),
    ]
    wanted = search.strip().lower()
    found = [
        (title, words, table[[wanted in " ".join(row).lower() for row in table.itertuples(index=False)]])
        for title, words, table in every
    ]
    return [one for one in found if len(one[2])]


def markdown() -> str:
    """Return the whole reference as Markdown; `docs/methods.md` is this text."""
    parts = ["# Methods", "Written from the registry of measures; the Methods page of the dashboard shows the same."]
    parts.append(f"## The worked example\n\n{EXAMPLE}\n\n{tables.markdown(worked_example.phrases()).rstrip()}")
    parts.append(f"## Symbols\n\n{tables.markdown(symbols()).rstrip()}")
    for family, title in FAMILIES.items():
        parts += [f"## {title}", *([INTRODUCTIONS[family]] if family in INTRODUCTIONS else [])]
        for one in cards(family):
            heading = f"### `{one.name}`{one.title.removeprefix(one.name)}"
            parts += [heading, one.sentence, f"$$ {one.formula} $$"]
            parts += ["In the example:", *(f"$$ {line} $$" for line in one.example)] if one.example else []
            parts.append(one.facts)
    for title, words, table in sections()[:-1]:  # the glossary is a page of its own
        parts.append(f"## {title}\n\n{words}\n\n{tables.markdown(table).rstrip()}")
    return "\n\n".join(parts) + "\n"


def text(form: str) -> str:
    """Print the measures for the command line in a format: table, json, csv, latex or markdown."""
    if form == "json":
        return json.dumps(records(), ensure_ascii=False, indent=1)
    if form == "markdown":
        return markdown()
    table = pd.DataFrame(records())
    if form == "csv":
        return tables.exchange_csv(table)
    if form == "latex":
        return tables.latex(table[["name", "sentence", "range", "source"]], "Measures")
    return tables.text(table[["name", "range", "sentence"]])
