"""Trimming by hand: ask for more votes until the annotators agree well enough on what is left."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.errors import counted
from kp_core.learn.lesson import Lesson, Options, Question, Slider, Values, View
from kp_core.learn.paradox import value
from kp_core.studies.trimming import choice_levels, choice_matrix
from kp_core.words.statements import number

#: Who chose which of ten phrases.
PEOPLE: dict[str, dict[str, tuple[int, ...]]] = {
    "three people, five phrases": {"A": (1, 2, 3), "B": (1, 2, 4), "C": (1, 5)},
    "four people, one outsider": {"A": (1, 2), "B": (1, 2), "C": (1, 2), "D": (6, 7, 8)},
    "nobody agrees": {"A": (1, 2), "B": (3, 4), "C": (5, 6)},
}
UNIVERSE = 10


def levels(name: str) -> pd.DataFrame:
    """Return for every number of votes asked: K of what is left, and the phrases left.

    >>> levels("three people, five phrases")["K"].round(4).tolist()
    [0.3182, 0.76, 1.0]
    """
    people = PEOPLE[name]
    votes = _votes(name)
    rows = []
    for needed in range(1, len(people) + 1):
        kept = {phrase for phrase, count in votes.items() if count >= needed}
        rows.append((needed, _agreement(name, kept) if kept else np.nan, ", ".join(map(str, sorted(kept)))))
    return pd.DataFrame(rows, columns=["votes asked", "K", "phrases left"])


def _votes(name: str) -> dict[int, int]:
    chosen = [phrase for own in PEOPLE[name].values() for phrase in own]
    return {phrase: chosen.count(phrase) for phrase in sorted(set(chosen))}


def _agreement(name: str, kept: set[int]) -> float:
    """Return K when the choices of phrases that are not kept have become a “no”; the universe stays."""
    lists = {who: {"text": [f"phrase {one}" for one in own if one in kept]} for who, own in PEOPLE[name].items()}
    corpus = kp.load(gold=lists)
    result = kp.agreement(corpus, measures=["K"], universe=UNIVERSE, interval="none", normalise="none")
    rows = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    return float(rows["value"].iloc[0])


def show(values: Values) -> View:
    """Draw who chose what, the removed choices hollow, at the threshold in use."""
    name, threshold = str(values["people"]), float(values["threshold"])
    people, votes, found = PEOPLE[name], _votes(name), levels(str(values["people"]))
    reached = found[found["K"] >= threshold - 1e-12]
    needed = int(reached["votes asked"].iloc[0]) if len(reached) else 0
    drawn = go.Figure()
    for kept, words, colour, symbol in (
        (True, "stays", COLOURS[0], "circle"),
        (False, "removed: becomes a “no”", GREY, "circle-open"),
    ):
        places = [
            (one, who) for who, own in people.items() for one in own if (needed > 0 and votes[one] >= needed) == kept
        ]
        drawn.add_scatter(
            x=[one for one, _ in places],
            y=[label(who) for _, who in places],
            mode="markers",
            name=words,
            marker={"size": 18, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
            hovertemplate="%{y} chose phrase %{x}<extra></extra>",
        )
    drawn.update_xaxes(title="phrase", range=[0.3, UNIVERSE + 0.7], dtick=1)
    drawn.update_yaxes(autorange="reversed")
    if needed:
        row = found.set_index("votes asked").loc[needed]
        said = (
            f"With {counted(needed, 'vote')} asked, K = {number(float(row['K']))}, which reaches "
            f"{number(threshold, 2)}. The gold standard is: {row['phrases left']}."
        )
    else:
        said = (
            f"No number of votes brings K to {number(threshold, 2)}. A document like this leaves the evaluation at "
            "this threshold, and is counted as unreachable."
        )
    shown = found.assign(K=[number(one) if one == one else "nothing left" for one in found["K"]])
    tables = (("K for every number of votes", shown), ("In the 1997 paper, as printed and recomputed", ERRATA))
    return View(Chart(lay_out(drawn, 300), f"Who chose which of {UNIVERSE} phrases. {said}"), (said,), tables)


def in_order(lists: tuple[tuple[int, ...], ...]) -> float:
    """Return K of the choice-matrix form: i-th choices against i-th choices.

    >>> round(in_order(((1, 2, 3), (2, 3, 4))), 3)
    -0.385
    """
    return float(choice_levels(choice_matrix(lists), len(lists))[0][0])


ERRATA = pd.DataFrame(
    [
        [
            "about 7 (7.33) annotators a text",
            "85 people took one test and 27 took five: 220 places in 25 tests are 8.8.",
        ],
        ["stop when K is above the threshold", "The text beside it also exempts a K equal to it; here: at least."],
        [
            "the i-th choice of one person is held against the i-th of another",
            f"Sentences 1, 2, 3 against 2, 3, 4: K = {number(in_order(((1, 2, 3), (2, 3, 4))))}, though two of three "
            f"agree. Yes or no for every sentence of ten gives {number(value('pi', 2, 1, 1, 6))}, as is done here.",
        ],
    ],
    columns=["as printed", "recomputed"],
)
_FIRST = levels("three people, five phrases").set_index("votes asked")["K"]
LESSON = Lesson(
    "trimming",
    "Trimming a gold standard by hand",
    "Keyphrases that only one person chose may be a matter of taste. Ask for two votes, then three, and what is left "
    "is agreed on better, but there is less of it. Set the agreement K that you want, and see how many votes it takes.",
    (r"K = \frac{P - p}{1 - p}\qquad p = \frac{\sum_x c_x}{N R}", r"P = \frac{\sum_x c_x (c_x - 1)}{(R-1)\sum_x c_x}"),
    "Nomoto & Matsumoto 1997; Siegel & Castellan 1988. Their tables of results are not available, so none is shown",
    (
        Options("people", "Who chose what", tuple(PEOPLE)),
        Slider("threshold", "Agreement K to reach", 0.0, 1.0, 0.4, 0.05),
    ),
    show,
    (
        Question(
            "A chose 1, 2, 3; B chose 1, 2, 4; C chose 1, 5; there are ten phrases. What is K with all choices kept?",
            float(_FIRST[1]),
            "Of 8 choices, pairs agree at rate 8 / 16 = .5; p = 8/30; K = (.5 − .2667) / (1 − .2667) = 7/22.",
        ),
        Question(
            "And K when two votes are asked?",
            float(_FIRST[2]),
            "Left are phrase 1 (three votes) and 2 (two): P = 8 / 10, p = 5/30, so K = 19/25.",
        ),
        Question(
            "Is a system that scores better on the trimmed gold standard a better system?",
            "not necessarily",
            "A smaller gold standard changes every score by itself. Compare with one cut at random to the same "
            "size: the page Annotators draws that curve.",
            ("yes", "not necessarily"),
        ),
    ),
)
