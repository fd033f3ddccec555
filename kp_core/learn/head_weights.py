"""Modified R-precision: words nearer to the head of the longer phrase weigh more."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import plotly.graph_objects as go

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.learn.lesson import Lesson, Options, Question, Values, View
from kp_core.studies.correlation.kim2010 import kim2010_scores

KEYPHRASES = ("effective grid computing algorithm", "alpha beta gamma", "quality of service")
CANDIDATES = {
    KEYPHRASES[0]: (
        "grid computing algorithm",
        "computing algorithm",
        "grid computing",
        "effective grid",
        "effective algorithm",
        "algorithm",
    ),
    KEYPHRASES[1]: ("alpha beta", "beta gamma", "gamma"),
    KEYPHRASES[2]: ("service quality", "service", "quality"),
}
_PAIRS = {
    f"{keyphrase} ← {candidate}": (keyphrase, candidate)
    for keyphrase in KEYPHRASES
    for candidate in CANDIDATES[keyphrase]
}


def scores(keyphrase: str, candidate: str) -> tuple[Fraction, Fraction]:
    """Return R-precision and modified R-precision of a pair as fractions.

    >>> scores("alpha beta gamma", "alpha beta")
    (Fraction(2, 3), Fraction(5, 11))
    """
    rows = kp.similarity([(keyphrase, candidate)], ["R-precision", "M-R-precision"])
    plain, modified = (Fraction(float(value)).limit_denominator(1000) for value in rows["value"])
    return plain, modified


def show(values: Values) -> View:
    """Draw the weight of every word of the keyphrase, those in the candidate filled."""
    keyphrase, candidate = _PAIRS[str(values["pair"])]
    words, found = keyphrase.split(), candidate.split()
    weights = [Fraction(1, len(words) - place) for place in range(len(words))]
    drawn = go.Figure(
        go.Bar(
            x=[label(word) for word in words],
            y=[float(one) for one in weights],
            marker_color=[COLOURS[0] if word in found else GREY for word in words],
            text=[str(one) for one in weights],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="weight of “%{x}”: %{text}<extra></extra>",
        )
    )
    drawn.update_yaxes(title="weight", range=[0, 1.15], tickformat=".1~f")
    plain, modified = scores(keyphrase, candidate)
    matched = " + ".join(str(one) for word, one in zip(words, weights, strict=True) if word in found)
    said = [
        f"R-precision: {len(set(found) & set(words))} of {len(words)} words, {plain} = {float(plain):.3f}.",
        f"Modified R-precision: ({matched}) / {sum(weights, Fraction(0))} = {modified} = {float(modified):.3f}.",
    ]
    if "of" in words:
        said.append(
            "The last word weighs most, but the head of this phrase is “quality”. Kim, Baldwin & Kan see here why the "
            "modified measure does worst on phrases with a preposition; KPScope offers head=before-preposition."
        )
    alt = f"Weights of the words of “{keyphrase}”: " + ", ".join(
        f"{word} {one}" for word, one in zip(words, weights, strict=True)
    )
    chart = Chart(lay_out(drawn, 320).update_layout(showlegend=False), alt + ".")
    return View(
        chart,
        tuple(said),
        (
            ("All candidates of this keyphrase", _all(keyphrase)),
            ("Mean human scores (0 to 4) as Kim, Baldwin & Kan print them", kim2010_scores()),
        ),
    )


def _all(keyphrase: str) -> pd.DataFrame:
    rows = [
        (one, *(f"{score} = {float(score):.3f}" for score in scores(keyphrase, one))) for one in CANDIDATES[keyphrase]
    ]
    return pd.DataFrame(rows, columns=["candidate", "R-precision", "modified R-precision"])


LESSON = Lesson(
    "weights",
    "Near misses: which words matter?",
    "A candidate that shares words with a keyphrase is not simply wrong. R-precision counts the shared words; the "
    "modified form gives the last word, as a rule the head of the phrase, the weight 1, the word before it 1/2, the "
    "next 1/3, and so on. Choose a pair and see which words count how much.",
    (
        r"\text{R-precision} = \frac{\text{words in common}}{\text{words of the longer}}",
        r"\text{M-R-precision} = \frac{\sum_{\text{matched}} CW_i}{\sum_i CW_i}",
        r"CW_i = \frac{1}{N-i+1}",
    ),
    "Zesch & Gurevych 2009; Kim, Baldwin & Kan 2010, paper and slides (5/11, 9/11 and human scores as printed)",
    (Options("pair", "Keyphrase ← candidate", tuple(_PAIRS)),),
    show,
    (
        Question(
            "Keyphrase A B C, candidate A B. What is the modified R-precision?",
            float(scores("alpha beta gamma", "alpha beta")[1]),
            "(1/3 + 1/2) / (1/3 + 1/2 + 1) = 5/11, as printed.",
        ),
        Question(
            "Keyphrase A B C, candidate B C?",
            float(scores("alpha beta gamma", "beta gamma")[1]),
            "(1/2 + 1) / (1/3 + 1/2 + 1) = 9/11, as printed.",
        ),
        Question(
            "R-precision gives “effective grid” and “computing algorithm” the same 2/4. Which does the modified "
            "form prefer for “effective grid computing algorithm”?",
            "computing algorithm",
            "It holds the head: 18/25 against 7/25. Kim, Baldwin & Kan order them the same way.",
            ("effective grid", "computing algorithm", "neither"),
        ),
    ),
)
