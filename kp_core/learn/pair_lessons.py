"""The lessons on pairs of phrases: words that weigh more, and which measure agrees with people."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.learn.lesson import Values, View, bars, curves, lesson, prose
from kp_core.studies.correlation import kim2010
from kp_core.words.statements import number

_WEIGHTS, _CLAIMS = prose("weights"), prose("claims")
#: Keyphrase and candidate.
PAIRS = [tuple(pair.split(" ← ")) for pair in _WEIGHTS["pairs"]]
#: (measure, subset, average) → the correlation that Kim, Baldwin & Kan 2010 print.
_PRINTED = kim2010.kim2010_correlations().set_index(["measure", "subset", "average"])["value"]


def scores(keyphrase: str, candidate: str) -> tuple[Fraction, Fraction]:
    """Return R-precision and modified R-precision of a pair as fractions.

    >>> scores("alpha beta gamma", "alpha beta")
    (Fraction(2, 3), Fraction(5, 11))
    """
    rows = kp.similarity([(keyphrase, candidate)], ["R-precision", "M-R-precision"])
    plain, modified = (Fraction(float(value)).limit_denominator(1000) for value in rows["value"])
    return plain, modified


def _show_weights(values: Values) -> View:
    """Draw the weight of every word of the keyphrase, those in the candidate filled."""
    keyphrase, candidate = str(values["pair"]).split(" ← ")
    words, common = keyphrase.split(), set(keyphrase.split()) & set(candidate.split())
    weights = {word: Fraction(1, len(words) - place) for place, word in enumerate(words)}
    heights, written = [float(weight) for weight in weights.values()], [str(weight) for weight in weights.values()]
    colours = [COLOURS[0] if word in common else GREY for word in words]
    figure = bars([label(word) for word in words], heights, written, colours, "weight of “%{x}”: %{text}")
    figure.update_yaxes(title="weight", range=[0, 1.15], tickformat=".1~f")
    rows = {
        other: [f"{score} = {float(score):.3f}" for score in scores(keyphrase, other)]
        for same, other in PAIRS
        if same == keyphrase
    }
    plain, modified = rows[candidate]
    matched = " + ".join(str(weight) for word, weight in weights.items() if word in common)
    said = [
        _WEIGHTS["said"]["plain"].format(common=len(common), words=len(words), plain=plain),
        _WEIGHTS["said"]["modified"].format(matched=matched, all=sum(weights.values()), modified=modified),
    ]
    said += [_WEIGHTS["said"]["preposition"]] if "of" in words else []
    alt = f"Weights of the words of “{keyphrase}”: {', '.join(map(' '.join, zip(words, written, strict=True)))}."
    table = pd.DataFrame.from_dict(rows, "index", columns=["R-precision", "modified R-precision"])
    tables = {
        "All candidates of this keyphrase": table.rename_axis("candidate").reset_index(),
        "Mean human scores (0 to 4) as Kim, Baldwin & Kan print them": kim2010.kim2010_scores(),
    }
    return View(Chart(lay_out(figure, 320), alt), said, tables)


def _show_claims(values: Values) -> View:
    """Draw the printed correlations of every measure over the subsets of one group."""
    subsets, average = _CLAIMS["groups"][str(values["group"])], str(values["average"])
    measures = [name for name in _PRINTED.index.unique("measure") if name != "semantic similarity"]
    printed = {name: [float(_PRINTED[name, subset, average]) for subset in subsets] for name in measures}
    figure = curves([subset.split(":")[-1] for subset in subsets], printed, "human", ", %{x}: %{y:.4f}")
    figure.update_yaxes(title="Spearman's rho, as printed", tickformat=".2~f")
    ours, human = printed["R-precision"], printed["human"]
    above = sum(rho > ceiling for rho, ceiling in zip(ours, human, strict=True))
    said = [_CLAIMS["said"]["above"].format(above=above, cells=len(subsets))]
    listed = ", ".join(f"{subset} {number(rho)}" for subset, rho in zip(subsets, ours, strict=True))
    alt = f"Printed correlations with the {average} of the human scores by {values['group']}; R-precision: {listed}."
    tables = {
        "What the paper says, held against its tables": kim2010.kim2010_claims(),
        "Facts as printed": kim2010.kim2010_data(),
    }
    return View(Chart(lay_out(figure, 400), alt), said, tables)


_ASKED = [("alpha beta gamma", candidate) for candidate in ("alpha beta", "beta gamma")]
WEIGHTS = lesson("weights", _show_weights, [float(scores(*pair)[1]) for pair in _ASKED])
CLAIMS = lesson("claims", _show_claims, [1298 / 250])
