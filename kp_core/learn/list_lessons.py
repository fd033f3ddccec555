"""The lessons on ranked lists: why P_pos is F1, and average precision rank by rank."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

import kp_core as kp
from kp_core.charts.style import COLOURS, GREY, Chart, lay_out
from kp_core.learn.lesson import Values, View, bars, curves, errata, lesson, prose
from kp_core.words.statements import number

_POSITIVE, _MAP = prose("positive"), prose("map")
_GOLD, _RANKS = _POSITIVE["gold"], range(1, 11)
#: Query of the notes on keyword evaluation → the ranks of its relevant results, and its AP as printed.
QUERIES = _MAP["queries"]


def over_k(name: str) -> pd.DataFrame:
    """Return P@k, R@k, F1@k and P_pos for k = 1 … 10, and F1@k with denominator “returned”.

    >>> over_k("a list of ten").loc[4, ["F1@k", "P_pos"]].round(3).tolist()
    [0.444, 0.444]
    """
    corpus = kp.load(gold={"d": _GOLD}, systems={"list": {"d": _POSITIVE["lists"][name]}})
    by_k = {}
    rules: tuple[Literal["k", "returned"], ...] = ("k", "returned")
    for rule in rules:
        measures = ["P@k", "R@k", "F1@k", "P_pos"]
        asked = kp.Settings(k="1-10", denominator=rule, universe=100, interval="none", normalise="none")
        result = kp.evaluate(corpus, asked, measures)
        names = result.frame["measure"].str.replace(r"@\d+", "@k", regex=True)
        by_k[rule] = result.frame.assign(measure=names).pivot_table("value", "k", "measure")[measures]
    return by_k["k"].assign(returned=by_k["returned"]["F1@k"])


def _show_positive(values: Values) -> View:
    """Draw F1 and P_pos over k, and the table behind the k in use."""
    k, name = int(values["k"]), str(values["list"])
    results, returned = over_k(name), _POSITIVE["lists"][name]
    figure = curves(list(_RANKS), results.drop(columns="returned").to_dict("list"), "F1@k", " at k = %{x}: %{y:.3f}")
    figure.add_vline(x=k, line={"dash": "dot", "width": 1})
    figure.update_xaxes(title="k", dtick=1)
    figure.update_yaxes(range=[0, 1.05], tickformat=".1~f")
    row, chosen = results.loc[k], returned[:k]
    p, r, f1, p_pos, f1_returned = (number(result) for result in row)
    right = [phrase in _GOLD for phrase in chosen]
    b, c = len(_GOLD) - sum(right), len(chosen) - sum(right)
    second = "same" if np.isclose(row["P_pos"], row["F1@k"]) else "short"
    said = [
        _POSITIVE["said"]["cells"].format(k=k, a=sum(right), b=b, c=c, p=p, r=r, f1=f1, p_pos=p_pos),
        _POSITIVE["said"][second].format(k=k, length=len(returned), returned=f1_returned),
    ]
    marks = ["✓" if hit else "·" for hit in right]
    table = pd.DataFrame({"rank": range(1, len(chosen) + 1), "phrase": chosen, "": marks})
    alt = f"F1@k and P_pos over k for {name}; at k = {k} they are {f1} and {p_pos}."
    caption = f"The first {k} phrases; the gold standard is {', '.join(_GOLD)}"
    return View(Chart(lay_out(figure, 340), alt), said, {caption: table})


def recomputed() -> pd.DataFrame:
    """Return MAP, MRR, nDCG@10 and P@1 … P@10 of every query, by the measures that the tables use.

    >>> recomputed()["MAP"].round(6).tolist()
    [0.642222, 0.5, 0.722619, 0.474603, 0.631111]
    """
    lists = {}
    for query, given in QUERIES.items():
        names = {rank: f"hit {place}" for place, rank in enumerate(given["hits"])}
        lists[query] = {"d": [names.get(rank, f"miss {rank}") for rank in _RANKS]}
    corpus = kp.load(gold={"d": [f"hit {place}" for place in range(5)]}, systems=lists)
    measures = ["MAP", "MRR", "nDCG@10", "P@k"]
    frame = kp.evaluate(corpus, measures=measures, k="1-10", interval="none", normalise="none").frame
    return frame.pivot_table("value", "system", "measure")


def compared() -> pd.DataFrame:
    """Return each query's AP as printed and recomputed, the mean of P@1 … P@5, and the other ranking measures."""
    columns = {"MAP": "AP recomputed", "first": "mean of P@1 … P@5", "MRR": "reciprocal rank", "nDCG@10": "nDCG@10"}
    first = _VALUES[[f"P@{rank}" for rank in range(1, 6)]].mean(axis=1)
    measured = _VALUES.assign(first=first)[list(columns)].rename(columns=columns)
    measured.loc["mean"] = measured.mean()
    shown = measured.map(number).rename_axis("query").reset_index()
    shown.insert(1, "AP printed", [*(given["printed"] for given in QUERIES.values()), _MAP["printed_mean"]])
    return shown


def _show_average_precision(values: Values) -> View:
    """Draw precision at every rank of one query, the hits up to the rank in use filled, and both tables."""
    query, last = str(values["query"]), int(values["rank"])
    hits, printed = QUERIES[query]["hits"], QUERIES[query]["printed"]
    precision = {rank: float(_VALUES.loc[query, f"P@{rank}"]) for rank in _RANKS}
    written = {rank: number(share) for rank, share in precision.items()}
    seen = [rank for rank in hits if rank <= last]
    colours = [COLOURS[0] if rank in seen else COLOURS[1] if rank in hits else GREY for rank in _RANKS]
    figure = bars(list(_RANKS), list(precision.values()), list(written.values()), colours, "P@%{x} = %{y:.3f}")
    figure.add_vline(x=last + 0.5, line={"dash": "dot", "width": 1})
    figure.update_xaxes(title="rank", dtick=1)
    figure.update_yaxes(title="precision at this rank", range=[0, 1.15], tickformat=".1~f")
    terms = " + ".join(written[rank] for rank in seen) or "0"
    so_far = number(sum(precision[rank] for rank in seen) / len(hits))
    ranks = ", ".join(map(str, hits))
    said = [
        _MAP["said"]["rank"].format(query=query, hits=ranks, last=last, terms=terms, gold=len(hits), so_far=so_far),
        _MAP["said"]["whole"].format(ap=number(_VALUES.loc[query, "MAP"]), printed=printed),
    ]
    said[0] += f" {_MAP['said']['first']}" if last == 1 else ""
    alt = f"Precision at ranks 1 to 10 of {query}: {', '.join(written.values())}."
    tables = {"As printed in the notes, and recomputed": compared(), "What is wrong in the printed example": _ERRATA}
    return View(Chart(lay_out(figure, 340), alt), said, tables)


_VALUES = recomputed()
_AP = _VALUES["MAP"]
_ERRATA = errata("map", Q1=number(_AP["Q1"]), Q2=f"{_AP['Q2']:g}", mean=number(_AP.mean()))
POSITIVE = lesson("positive", _show_positive, [3 / 5, 8 / 15, 4 / 15])
AVERAGE_PRECISION = lesson("map", _show_average_precision, [_VALUES.loc["Q2", name] for name in ("MAP", "MRR")])
