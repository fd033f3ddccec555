"""Why P_pos is F1: positive agreement and the F measure count the same phrases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import kp_core as kp
from kp_core.charts.style import COLOURS, DASHES, Chart, lay_out
from kp_core.learn.lesson import Lesson, Options, Question, Slider, Values, View
from kp_core.words.statements import number

GOLD = ("tide table", "harbour", "high tide", "moon", "sea level")
LISTS = {
    "a list of ten": ("harbour", "ship", "tide table", "rope", "moon", "sail", "wind", "high tide", "deck", "knot"),
    "a list of three only": ("harbour", "tide table", "ship"),
}
MOST = 10


def curves(name: str) -> pd.DataFrame:
    """Return P@k, R@k, F1@k (denominator k and denominator returned) and P_pos for k = 1 … 10.

    >>> curves("a list of ten").loc[4, ["F1@k", "P_pos"]].round(3).tolist()
    [0.444, 0.444]
    """
    corpus = kp.load(gold={"d": list(GOLD)}, systems={"list": {"d": list(LISTS[name])}})
    by_k, returned = (
        kp.evaluate(
            corpus,
            f"1-{MOST}",
            ["P@k", "R@k", "F1@k", "P_pos"],
            denominator=denominator,
            universe=100,
            interval="none",
            normalise="none",
        ).frame
        for denominator in ("k", "returned")
    )
    columns = {
        key: by_k[by_k["measure"].str.startswith(start)]
        for key, start in (("P@k", "P@"), ("R@k", "R@"), ("F1@k", "F1@"), ("P_pos", "P_pos"))
    }
    columns["F1@k over what was returned"] = returned[returned["measure"].str.startswith("F1@")]
    return pd.DataFrame({key: rows.set_index("k")["value"].astype(float) for key, rows in columns.items()})


def show(values: Values) -> View:
    """Draw F1 and P_pos over k, and the table behind the k in use."""
    k, name = int(values["k"]), str(values["list"])
    found = curves(name)
    drawn = go.Figure()
    for i, column in enumerate(("P@k", "R@k", "F1@k", "P_pos")):
        drawn.add_scatter(
            x=found.index,
            y=found[column],
            name=column,
            mode="lines+markers",
            line={"color": COLOURS[i], "dash": DASHES[i], "width": 5 if column == "F1@k" else 2.5},
            hovertemplate=f"{column} at k = %{{x}}: %{{y:.3f}}<extra></extra>",
        )
    drawn.add_vline(x=k, line={"dash": "dot", "width": 1})
    drawn.update_xaxes(title="k", dtick=1)
    drawn.update_yaxes(range=[0, 1.05], tickformat=".1~f")
    row, chosen = found.loc[k], LISTS[name][:k]
    a = len(set(chosen) & set(GOLD))
    b, c = len(GOLD) - a, len(chosen) - a
    first = (
        f"At k = {k}: a = {a} (both), b = {b} (missed), c = {c} (wrong). P = {number(row['P@k'], 3)}, "
        f"R = {number(row['R@k'], 3)}, F1 = {number(row['F1@k'], 3)}; P_pos = {number(row['P_pos'], 3)}."
    )
    same = bool(np.isclose(row["P_pos"], row["F1@k"]))
    second = (
        "F1 and P_pos are the same number: both are 2a over everything that either side chose, counted twice where "
        "both did."
        if same
        else f"The list has only {len(LISTS[name])} phrases. F1 with denominator k pretends that {k} were returned; "
        f"P_pos counts what is there and equals F1 with denominator “returned”, "
        f"{number(row['F1@k over what was returned'], 3)}."
    )
    listed = pd.DataFrame(
        {"rank": range(1, len(chosen) + 1), "phrase": chosen, "": ["✓" if one in GOLD else "·" for one in chosen]}
    )
    alt = f"F1@k and P_pos over k for {name}; at k = {k} they are {number(row['F1@k'])} and {number(row['P_pos'])}."
    caption = f"The first {k} phrases; the gold standard is {', '.join(GOLD)}"
    return View(Chart(lay_out(drawn, 340), alt), (first, second), ((caption, listed),))


LESSON = Lesson(
    "positive",
    "Why P_pos is F1",
    "Those who measure agreement between people speak of positive agreement; those who measure retrieval speak of F1. "
    "They are one number: a phrase counts if both sides chose it, against all that the two sides chose. It needs no N. "
    "The only difference is what counts as chosen where a list is shorter than k.",
    (r"P = \frac{a}{a+c}\qquad R = \frac{a}{a+b}", r"F_1 = \frac{2PR}{P+R} = \frac{2a}{2a+b+c} = P_{pos}"),
    "van Rijsbergen 1979 (F); Cicchetti & Feinstein 1990 (P_pos); Hripcsak & Rothschild 2005 (that they are one)",
    (Options("list", "System output", tuple(LISTS)), Slider("k", "k", 1, MOST, 5)),
    show,
    (
        Question("5 gold keyphrases, k = 5, and 3 hits. What is F1@5?", 0.6, "P = 3/5 and R = 3/5, so F1 = 3/5."),
        Question(
            "5 gold keyphrases, a list of ten, k = 10, and 4 hits: a = 4, b = 1, c = 6. What is P_pos?",
            8 / 15,
            "2 · 4 / (2 · 4 + 1 + 6) = 8/15 = .533; P = .4 and R = .8 give the same F1.",
        ),
        Question(
            "A list has 3 phrases, 2 of them right, 5 gold keyphrases, k = 10. What is F1@10 with denominator k?",
            4 / 15,
            "P = 2/10, R = 2/5, so F1 = 2 · 2 / (10 + 5) = 4/15 = .267, while P_pos = 4 / (3 + 5) = .5.",
        ),
    ),
)
