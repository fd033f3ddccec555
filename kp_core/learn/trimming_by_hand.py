"""Trimming by hand: ask for more votes until the annotators agree well enough on what is left."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, label, lay_out
from kp_core.errors import counted
from kp_core.learn.lesson import Values, View, errata, lesson, prose
from kp_core.learn.table_lessons import value
from kp_core.studies.trimming import choice_levels, choice_matrix
from kp_core.words.statements import number

_PROSE = prose("trimming")
#: Case → annotator → which of ten phrases he or she chose.
PEOPLE: dict[str, dict[str, list[int]]] = _PROSE["people"]
UNIVERSE = 10


def levels(name: str) -> pd.DataFrame:
    """Return for every number of votes asked: K of what is left, and the phrases left.

    >>> levels("three people, five phrases")["K"].round(4).tolist()
    [0.3182, 0.76, 1.0]
    """
    rows = []
    for needed in range(1, len(PEOPLE[name]) + 1):
        kept = sorted(phrase for phrase, votes in _votes(name).items() if votes >= needed)
        rows.append((needed, _agreement(name, kept) if kept else np.nan, ", ".join(map(str, kept))))
    return pd.DataFrame(rows, columns=["votes asked", "K", "phrases left"])


def _votes(name: str) -> Counter[int]:
    return Counter(phrase for chosen in PEOPLE[name].values() for phrase in chosen)


def _agreement(name: str, kept: list[int]) -> float:
    """Return K when the choices of phrases that are not kept have become a “no”; the universe stays."""
    lists = {who: {"text": [f"phrase {one}" for one in own if one in kept]} for who, own in PEOPLE[name].items()}
    asked = kp.Settings(universe=UNIVERSE, interval="none", normalise="none")
    frame = kp.agreement(kp.load(gold=lists), asked, measures=["K"]).frame
    return float(frame.set_index(["system", "subset"])["value"]["all", "all"])


def _show(values: Values) -> View:
    """Draw who chose what, the removed choices hollow, at the threshold in use."""
    name, threshold = str(values["people"]), float(values["threshold"])
    table, votes, asked = levels(name), _votes(name), number(threshold, 2)
    reached = table[table["K"] >= threshold - 1e-12]
    needed, said = len(PEOPLE[name]) + 1, _PROSE["said"]["unreachable"].format(threshold=asked)
    if len(reached):
        needed, agreement, phrases = reached.iloc[0]
        numbers = {"votes": counted(needed, "vote"), "agreement": number(agreement), "threshold": asked}
        said = _PROSE["said"]["reached"].format(**numbers, phrases=phrases)
    choices = [(one, label(who), votes[one] >= needed) for who, own in PEOPLE[name].items() for one in own]
    figure = go.Figure()
    for kept, words, colour, symbol in (
        (True, "stays", COLOURS[0], "circle"),
        (False, "removed: becomes a “no”", GREY, "circle-open"),
    ):
        x, y = ([choice[i] for choice in choices if choice[2] == kept] for i in (0, 1))
        figure.add_scatter(x=x, y=y, mode="markers", name=words, hovertemplate="%{y} chose phrase %{x}<extra></extra>")
        figure.data[-1].marker = {"size": 18, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}}
    figure.update_xaxes(title="phrase", range=[0.3, UNIVERSE + 0.7], dtick=1)
    figure.update_yaxes(autorange="reversed")
    shown = table.assign(K=[number(k) if k == k else "nothing left" for k in table["K"]])
    tables = {"K for every number of votes": shown, "In the 1997 paper, as printed and recomputed": _ERRATA}
    return View(Chart(lay_out(figure, 300), f"Who chose which of {UNIVERSE} phrases. {said}"), [said], tables)


#: K of the choice-matrix form, i-th choices against i-th choices.
_BY_ORDER = float(choice_levels(choice_matrix(((1, 2, 3), (2, 3, 4))), 2)[0][0])
_ERRATA = errata("trimming", by_order=number(_BY_ORDER), by_sentence=number(value("pi", 2, 1, 1, 6)))
TRIMMING = lesson("trimming", _show, levels("three people, five phrases")["K"].tolist()[:2])
