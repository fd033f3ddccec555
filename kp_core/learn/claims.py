"""Kim, Baldwin & Kan (2010): what the text says about its tables, and what the tables say."""

from __future__ import annotations

import plotly.graph_objects as go

from kp_core.charts.style import COLOURS, SYMBOLS, Chart, label, lay_out
from kp_core.learn.lesson import Lesson, Options, Question, Values, View
from kp_core.studies.correlation.kim2010 import kim2010_claims, kim2010_correlations, kim2010_data
from kp_core.words.statements import figure

_FOUND = kim2010_correlations()
#: Subsets whose order along the picture means something.
_GROUPS = {
    "length of the keyphrase": ("all", "L<=4", "L<=3"),
    "location of the overlap": ("location:First", "location:Middle", "location:Head"),
    "complexity": ("complexity:Simple", "complexity:PP", "complexity:CC"),
}


def printed(measure: str, subset: str, average: str) -> float:
    """Return one printed correlation.

    >>> printed("human", "all", "average")
    0.4506
    """
    rows = _FOUND[(_FOUND["measure"] == measure) & (_FOUND["subset"] == subset) & (_FOUND["average"] == average)]
    return float(rows["value"].iloc[0])


def show(values: Values) -> View:
    """Draw the printed correlations of every measure over the subsets of one group."""
    subsets, average = _GROUPS[str(values["group"])], str(values["average"])
    drawn = go.Figure()
    measures = [one for one in dict.fromkeys(_FOUND["measure"]) if one != "semantic similarity"]
    for place, measure in enumerate(measures):
        colour = COLOURS[place % len(COLOURS)]
        drawn.add_scatter(
            x=[subset.split(":")[-1] for subset in subsets],
            y=[printed(measure, one, average) for one in subsets],
            name=label(measure),
            mode="lines+markers",
            line={"color": colour, "width": 4 if measure == "human" else 2},
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 10},
            hovertemplate=f"{label(measure)}, %{{x}}: %{{y:.4f}}<extra></extra>",
        )
    drawn.update_yaxes(title="Spearman's rho, as printed", tickformat=".2~f")
    r_precision = [printed("R-precision", one, average) for one in subsets]
    human = [printed("human", one, average) for one in subsets]
    above = sum(one > other for one, other in zip(r_precision, human, strict=True))
    said = (
        f"In {above} of these {len(subsets)} cells R-precision is above the correlation between people (thick line).",
    )
    listed = ", ".join(f"{subset} {figure(one)}" for subset, one in zip(subsets, r_precision, strict=True))
    alt = f"Printed correlations with the {average} of the human scores by {values['group']}; R-precision: {listed}"
    tables = (("What the paper says, held against its tables", kim2010_claims()), ("Facts as printed", kim2010_data()))
    return View(Chart(lay_out(drawn, 400), alt + "."), said, tables)


LESSON = Lesson(
    "claims",
    "Which measure agrees with people?",
    "Kim, Baldwin & Kan asked four people to score pairs of keyphrase and candidate from 0 to 4, and looked which "
    "measure orders the pairs as people do. The correlations are shown as printed, with a table of what the text says "
    "about them and what they say themselves. The page Correlation does the same with your own scores.",
    (r"\rho = 1 - \frac{6\sum_i d_i^2}{n(n^2-1)}\quad\text{(without ties)}",),
    "Kim, Baldwin & Kan 2010, Tables 1 and 3 to 5, paper and slides, as printed",
    (Options("group", "By", tuple(_GROUPS)), Options("average", "Human score", ("average", "majority"))),
    show,
    (
        Question(
            "By the average of the human scores over all pairs: is R-precision's .4763 above or below the "
            "correlation between people?",
            "above",
            "People reach .4506.",
            ("above", "below"),
        ),
        Question(
            "The paper says that correlations rise as keyphrases get longer. Leaving long keyphrases out, do the "
            "n-gram measures of its Table 3 rise or fall?",
            "rise",
            "From all pairs to those of at most three words they rise in 12 of 12 cells, against the text.",
            ("rise", "fall"),
        ),
        Question(
            "1,298 keyphrases of authors in 250 papers are how many a paper? The table prints 3.85.",
            1298 / 250,
            "1298 / 250 = 5.19.",
        ),
    ),
)
