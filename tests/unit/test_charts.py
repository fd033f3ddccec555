"""Charts draw the given numbers, keep one style per system, and treat names as data."""

import json
from types import SimpleNamespace

import pandas as pd
import plotly.graph_objects as go
import pytest

import kp_core as kp
from kp_core.charts import curves, dots
from kp_core.charts import screen_tables as tables
from kp_core.charts.style import Chart

GOLD = {"d1": ["tree", "leaf", "root"], "d2": ["sun", "moon"], "d3": ["sea"]}
SYSTEMS = {
    "<b>one</b>": {"d1": ["tree", "stone", "leaf"], "d2": ["moon", "star"], "d3": ["sea", "sky"]},
    "two": {"d1": ["stone", "tree"], "d2": ["star", "sun"], "d3": ["sky"]},
}
MEASURES = ["F1@k", "P@k", "R@k", "kappa", "MAP", "bpref"]


def checked(chart: Chart) -> go.Figure:
    """Return the figure of a chart after Plotly has checked every name and value in it; it must be plain data."""
    json.dumps(chart.figure, allow_nan=False)
    return go.Figure(**chart.figure)


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return kp.load(gold=GOLD, systems=SYSTEMS)


@pytest.fixture(scope="module")
def result(corpus: kp.Corpus) -> kp.Result:
    return kp.evaluate(corpus, k=[1, 2, 3, "gold", "all"], measures=MEASURES, baselines=True, universe=20)


def test_curve_shows_value_and_interval_at_each_k(result: kp.Result) -> None:
    drawn = curves.over_k(result, "F1@k")
    lines = {trace.name: trace for trace in checked(drawn).data if trace.name}
    rows = result.frame[(result.frame["system"] == "two") & result.frame["measure"].isin(["F1@1", "F1@2", "F1@3"])]
    assert list(lines["two"].x) == [1, 2, 3]
    assert list(lines["two"].y) == pytest.approx(rows["value"].tolist())
    band = next(t for t in checked(drawn).data if t.fill == "toself" and t.legendgroup == "two")
    assert list(band.y[:3]) == pytest.approx(rows["high"].tolist())


def test_coinciding_marks_share_label_within_axis() -> None:
    marks = curves.Marks(6, 6, {"two": 90, "three": 95})
    assert marks.labels(50) == [(6, "k = 6, average gold size", "solid")]
    assert curves.Marks("gold", 4).labels(50) == [(4, "average gold size", "dot")]
    assert curves.Marks(ends={"two": 9, "<three>": 7}).labels(50) == [(7, "&lt;three&gt;’s lists end here", "dot")]


def test_curves_end_with_the_longest_list() -> None:
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["tide", "moon"]}, "b": {"d": ["sun"]}})
    result = kp.evaluate(corpus, measures="P@k", k=range(1, 51), interval="none")
    for marks, last in ((curves.Marks(5, ends={"a": 2, "b": 1}), 10), (curves.Marks(20, ends={"a": 2}), 20)):
        for drawn in (curves.over_k(result, "P@k", marks), curves.small(result, "P@k", marks)):
            assert max(k for trace in checked(drawn).data for k in trace.x) == last
    assert max(k for trace in checked(curves.over_k(result, "P@k")).data for k in trace.x) == 50


def test_curve_labels_do_not_overlap_and_tails_are_pale(result: kp.Result) -> None:
    drawn = checked(curves.over_k(result, "F1@k", curves.Marks(2, 2, {"two": 2})))
    names = {item.text: item for item in drawn.layout.annotations if item.x == 3}
    assert list(names) == ["two", "&lt;b&gt;one&lt;/b&gt;"]
    pixels = [item.y * 1000 + item.yshift for item in names.values()]
    assert pixels == sorted(pixels)
    pale = [trace for trace in drawn.data if trace.name == "two" and trace.opacity == 0.35]
    assert [list(trace.x) for trace in pale] == [[2, 3]]
    assert not [trace for trace in drawn.data if "one" in (trace.name or "") and trace.opacity == 0.35]


def test_forest_chart_puts_best_row_on_top(result: kp.Result) -> None:
    actual, systems = checked(dots.leaderboard(result.at(2), "MAP")), ["<b>one</b>", "two", "random k", "says nothing"]
    assert list(actual.layout.yaxis.ticktext) == [
        *("&lt;b&gt;one&lt;/b&gt;", "two", "random baseline", "empty baseline")  # without the oracle
    ]
    values = [tables.value(result.at(2), name, "MAP") for name in systems]
    assert [(dot.x[0], dot.y[0]) for dot in actual.data] == [(value, place) for place, value in enumerate(values)]
    shown = [f"<b>{values[0]:.3f}</b>", *(f"{value:.3f}" for value in values[1:])]
    assert [(note.y, note.text) for note in actual.layout.annotations] == list(enumerate(shown))
    assert dots.leaderboard(result.at(2), "bpref").alt == "bpref is undefined for every system."


def test_forest_chart_heads_groups_and_bolds_best() -> None:
    part = ["group:note", "group:note", "group:talk", "group:talk"]
    rows = pd.DataFrame({"system": ["s", "t"] * 2, "subset": part, "value": [0.5, 0.6, 0.4, float("nan")]})
    chart = dots.by_part(SimpleNamespace(frame=rows.assign(measure="F1@2", low=0.3, high=0.7)))
    layout = checked(chart).layout
    assert list(zip(layout.yaxis.tickvals, layout.yaxis.ticktext, strict=True)) == [(1, "t"), (2, "s"), (4, "s")]
    notes = {(note.y, note.text) for note in layout.annotations}
    numbers = {(1, "<b>0.600</b>"), (2, "0.500"), (4, "<b>0.400</b>")}
    assert notes == {(0, "<b>note</b>"), (3, "<b>talk</b>"), *numbers}
    assert chart.alt == "F1@2 by part of the data: note: t 0.600, s 0.500; talk: s 0.400."


def test_a_dot_without_an_interval_has_no_bar(corpus: kp.Corpus) -> None:
    local = kp.evaluate(corpus, measures="P@k", k=2, interval="none")
    bars = [dot.error_x for dot in checked(dots.leaderboard(local, "P@k")).data]
    # No number at all: Plotly takes null for 0, and would draw a bar of no length.
    assert {end for bar in bars for end in (*bar.array, *bar.arrayminus)} == {"NaN"}


def test_kappa_over_universe_approaches_p_pos() -> None:
    # TF-IDF with Adjective-Noun Chunks: specification of agreement, sections 4 and 9.
    cells = {"two": {"a": 43.0, "b": 452.0, "c": 219.0, "d": 10036.0}}
    curve, used, limit = checked(curves.against_universe(cells)).data
    assert used.x[0] == 10750
    assert round(used.y[0], 3) == 0.084
    assert round(curve.x[0]) == 714
    assert round(curve.y[0], 3) == -0.704
    assert curve.y[-1] == pytest.approx(limit.y[0], abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "cbda"),  # .4, 0, 0, and none
        ({"other": "nobody"}, "cbda"),  # by value
        ({"search": " SEA "}, "cb"),  # an id, and a title
        ({"search": "news"}, "ca"),  # a type
        ({"search": "Tide"}, "d"),  # a phrase
        ({"which": "first wins"}, "c"),
        ({"which": "second wins"}, ""),
        ({"which": "nobody finds"}, "e"),
    ],
)
def test_documents_are_arranged_as_asked(asked: dict[str, str], expected: str) -> None:
    ids = {"a": "d-a", "b": "d-b", "c": "sea-c", "d": "d-d", "e": "d-e"}
    scores = {"title": [None, 0.3, 0.6, 0.1, 0.0], "y": [0.5, 0.3, 0.2, 0.1, 0.0]}
    rows = [(system, ids[d], item) for system, part in scores.items() for d, item in zip(ids, part, strict=True)]
    values = pd.DataFrame(rows, columns=["system", "document", "value"])
    known = pd.DataFrame({"doc_id": ids.values(), "text": ["x", "xxx", "xx", "xxxx", "x"]})
    known = known.assign(title=["", "The Sea", "", "", ""], group=["news", "", "news", "", ""])
    actual = tables.documents(values, known, "title", asked.get("other", "y"), asked.get("which", "all"))
    actual = tables.searched(actual, known, asked.get("search", ""), {"d-d": "a tide table"})
    assert "".join(doc_id[-1] for doc_id in actual["document"] if doc_id != "d-e" or "which" in asked) == expected
    beside = ["difference"] if asked.get("other") != "nobody" else []
    assert actual.columns.tolist() == ["document", *beside, "system title", "y", "title", "type"]
    if beside and "c" in expected:
        row = actual[actual["document"] == "sea-c"].iloc[0]
        assert row[["difference", "system title", "y", "type"]].tolist() == [pytest.approx(0.4), 0.6, 0.2, "news"]
