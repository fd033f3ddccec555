"""Turn the registry into text: what every measure and convention is, where it comes from, when it is undefined."""

from __future__ import annotations

import json
import math

import pandas as pd

from kp_core.conventions import FIELDS, PRESETS
from kp_core.errors import REASONS
from kp_core.export import tables
from kp_core.extractors import PARAMETERS
from kp_core.extractors import SYSTEMS as EXTRACTORS
from kp_core.metrics import MEASURES, Measure
from kp_core.settings import format_value
from kp_core.similarity import MEASURES as SIMILARITIES
from kp_core.similarity import Similarity

FAMILIES = {
    "overlap": "Overlap: how many keyphrases are among the first k",
    "ranking": "Ranking: how early the keyphrases come",
    "concordance": "Concordance: agreement of gold standard and system on every phrase of the universe",
    "annotators": "Annotators: agreement of several people on every phrase of the universe",
}
SYMBOLS = {
    "H_k": "gold keyphrases found among the first k phrases",
    "h_i": "gold keyphrases found at rank i: 1 or 0",
    "g": "gold size: number of gold keyphrases of the document",
    "n": "number of phrases returned",
    "D_k": "denominator of precision, by the convention denominator",
    "A": "denominator of average precision, by the convention ap",
    "y_i, y*_j": "grade found at rank i; the j-th highest grade of the gold standard",
    "e_i": "grade found at rank i as a share of the highest grade of the data",
    "a, b, c, d": "phrases chosen by both, by the gold standard only, by the system only, by neither",
    "f_1, g_1, N": "a + b, a + c, and a + b + c + d",
    "R_D, C_D, Q_D": "of document D: its annotators, their choices, and the ordered pairs of choices that agree",
    "p_r": "share of “yes” of annotator r over the documents that he or she saw",
    "u_r": "phrases judged as not relevant above hit r",
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
        }
        for one in MEASURES.values()
    ]


def matching(family: str, search: str = "") -> list[dict[str, str]]:
    """Return the records of one family, or of “all”, in which a word occurs.

    >>> [one["name"] for one in matching("concordance", "Gwet")]
    ['AC1']
    """
    wanted = search.strip().lower()
    return [one for one in records() if family in ("all", one["family"]) and wanted in " ".join(one.values()).lower()]


#: Title and explanation of the systems that extract keyphrases.
EXTRACTION = (
    "Systems that extract keyphrases",
    "They run on the Extract page and by the command extract. p: a phrase; d: a document; e_i: an external document; "
    "tf: how often it occurs; df: in how many of the loaded documents; N_docs: how many there are; len: number of "
    "words; w: weight of a phrase in a list, 1 where none is given. Of equal scores the earlier phrase comes first.",
)


def extractors(search: str = "") -> list[dict[str, str]]:
    """Return one record a system that extracts keyphrases, those in which a word occurs.

    >>> [one["name"] for one in extractors("N-Grams")]
    ['phrase-boosting-ngrams']
    """
    found = []
    for one in EXTRACTORS.values():
        chosen = [(PARAMETERS[name].symbol, PARAMETERS[name]) for name in one.parameters]
        numbers = "; ".join(f"{symbol} = {p.default:g}: {p.meaning}" for symbol, p in chosen)
        numbers = numbers.replace("of a candidate", "of a candidate (0: any number)") if one.chunks else numbers
        needs = {"": "nothing but the texts", "documents": "external documents", "phrases": "a list of phrases"}
        found.append(
            {"name": one.name, "title": one.title, "sentence": one.sentence, "formula": one.formula,
             "needs": needs[one.needs], "parameters": numbers, "source": f"This definition is {one.source}"}
        )  # fmt: skip
    wanted = search.strip().lower()
    return [one for one in found if wanted in " ".join(one.values()).lower()]


def symbols() -> pd.DataFrame:
    """Return one row a symbol of the formulas."""
    return pd.DataFrame(list(SYMBOLS.items()), columns=["symbol", "meaning"])


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


def similarities() -> pd.DataFrame:
    """Return one row a measure of the similarity of two phrases."""
    rows = []
    for one in SIMILARITIES.values():
        options = [
            f"{name} = {', '.join(map(str, given))}"
            if isinstance(given[0], str)
            else f"{name} = {given[0]:g} to {given[1]:g}"
            for name, given in one.options.items()
        ]
        rows.append((one.name, one.sentence, span(one), "; ".join(options) or "–", one.undefined, one.source))
    return pd.DataFrame(rows, columns=["measure", "what it says", "range", "options", "undefined", "source"])


def reasons() -> pd.DataFrame:
    """Return one row a reason for which a value is undefined or special."""
    return pd.DataFrame(list(REASONS.items()), columns=["reason", "meaning"])


def sections(search: str = "") -> list[tuple[str, str, pd.DataFrame]]:
    """Return title, explanation and table of all that is no measure; only rows in which a word occurs."""
    every = [
        ("Conventions", "Every choice that changes a number: a setting in the sidebar, a field of the signature.",
         conventions()),
        ("Presets", "Conventions published with a data set or an evaluation script, where they differ from the "
         "defaults.", presets()),
        ("Similarity of two phrases", "For near misses, soft matching and correlation with people. Options stand in "
         "brackets behind the name; the first value is the default.", similarities()),
        ("Reasons", "Why a value is undefined, or what is special about a document.", reasons()),
    ]  # fmt: skip
    wanted = search.strip().lower()
    found = [
        (title, words, table[[wanted in " ".join(row).lower() for row in table.itertuples(index=False)]])
        for title, words, table in every
    ]
    return [one for one in found if len(one[2])]


def markdown() -> str:
    """Return the whole reference as Markdown; `docs/methods.md` is this text."""
    parts = ["# Methods", "Written from the registry of measures; the Methods page of the dashboard shows the same."]
    parts.append(f"## Symbols\n\n{tables.markdown(symbols()).rstrip()}")
    for family, title in FAMILIES.items():
        parts.append(f"## {title}")
        for one in matching(family):
            parts.append(
                f"### `{one['name']}`\n\n{one['sentence']}\n\n$$ {one['formula']} $$\n\n"
                f"{one['range']}, {one['better']}; averages: {one['averages']}. Undefined: {one['undefined']}. "
                f"Source: {one['source']}."
            )
    parts.append(f"## {EXTRACTION[0]}\n\n{EXTRACTION[1]}")
    for one in extractors():
        parts.append(
            f"### `{one['name']}`: {one['title']}\n\n{one['sentence']}\n\n$$ {one['formula']} $$\n\n"
            f"Needs {one['needs']}. Parameters: {one['parameters']}. {one['source']}."
        )
    for title, words, table in sections():
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
