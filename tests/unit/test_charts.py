"""Charts draw the numbers they are given, keep one look a system, and take names for what they are: data."""

import tomllib
from types import SimpleNamespace

import pandas as pd
import pytest

import kp_core as kp
from kp_core.charts import curves, dots, over_thresholds, style
from kp_core.charts import screen_tables as tables
from kp_core.charts.selection import NEAR
from kp_core.scoring.counts import BASELINES
from kp_core.similarity.relation import TYPES
from tests.cases import ROOT
from tests.figures import checked

GOLD = {"d1": ["tree", "leaf", "root"], "d2": ["sun", "moon"], "d3": ["sea"]}
SYSTEMS = {
    "<b>one</b>": {"d1": ["tree", "stone", "leaf"], "d2": ["moon", "star"], "d3": ["sea", "sky"]},
    "two": {"d1": ["stone", "tree"], "d2": ["star", "sun"], "d3": ["sky"]},
}
MEASURES = ["F1@k", "P@k", "R@k", "kappa", "MAP", "bpref"]


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return kp.load(gold=GOLD, systems=SYSTEMS)


@pytest.fixture(scope="module")
def result(corpus: kp.Corpus) -> kp.Result:
    return kp.evaluate(corpus, k=[1, 2, 3, "gold", "all"], measures=MEASURES, baselines=True, universe=20)


def test_colours_are_those_of_the_theme() -> None:
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
    assert list(style.COLOURS) == theme["chartCategoricalColors"]


def test_looks_are_stable_and_distinct() -> None:
    names = [f"s{i}" for i in range(30)]
    found = style.looks([*names, *BASELINES])
    assert len({(look.colour, look.dash) for name, look in found.items() if name in names}) == 30
    assert {found[name].colour for name in BASELINES} == {style.GREY}
    assert style.looks(names[:3])["s2"] == found["s2"]


def test_a_curve_holds_value_and_interval_at_every_number(result: kp.Result) -> None:
    drawn = curves.over_k(result, "F1@k")
    lines = {trace.name: trace for trace in checked(drawn).data if trace.name}
    rows = result.frame[(result.frame["system"] == "two") & result.frame["measure"].isin(["F1@1", "F1@2", "F1@3"])]
    assert list(lines["two"].x) == [1, 2, 3]
    assert list(lines["two"].y) == pytest.approx(rows["value"].tolist())
    band = next(t for t in checked(drawn).data if t.fill == "toself" and t.legendgroup == "two")
    assert list(band.y[:3]) == pytest.approx(rows["high"].tolist())


def test_marks_that_coincide_share_a_label_and_none_is_beyond_the_axis() -> None:
    marks = curves.Marks(6, 6, {"two": 90, "three": 95})
    assert marks.labels(50) == [(6, "k = 6, average gold size", "solid")]
    assert curves.Marks("gold", 4).labels(50) == [(4, "average gold size", "dot")]
    assert curves.Marks(ends={"two": 9, "<three>": 7}).labels(50) == [(7, "lists of &lt;three&gt; end", "dot")]


def test_lines_are_named_at_their_ends_apart_from_each_other_and_pale_where_lists_have_ended(result: kp.Result) -> None:
    drawn = checked(curves.over_k(result, "F1@k", curves.Marks(2, 2, {"two": 2})))
    names = {one.text: one for one in drawn.layout.annotations if one.x == 3}
    assert list(names) == ["two", "&lt;b&gt;one&lt;/b&gt;"]
    pixels = [one.y * 1000 + one.yshift for one in names.values()]
    assert pixels == sorted(pixels)
    pale = [trace for trace in drawn.data if trace.name == "two" and trace.opacity == 0.35]
    assert [list(trace.x) for trace in pale] == [[2, 3]]
    assert not [trace for trace in drawn.data if "one" in (trace.name or "") and trace.opacity == 0.35]


def test_the_words_name_the_best_and_the_value(result: kp.Result) -> None:
    value = tables.value(result.at(2), "<b>one</b>", "F1@k")
    assert f"at k = 2, <b>one</b> is highest with {value:.2f}" in curves.over_k(result, "F1@k", curves.Marks(2)).alt


def test_a_forest_puts_the_best_row_on_top_and_numbers_beside_the_dots(result: kp.Result) -> None:
    found, systems = checked(dots.leaderboard(result.at(2), "MAP")), ["<b>one</b>", "two", "random k", "says nothing"]
    assert list(found.layout.yaxis.ticktext) == ["&lt;b&gt;one&lt;/b&gt;", *systems[1:]]  # without the oracle
    values = [tables.value(result.at(2), name, "MAP") for name in systems]
    assert [(dot.x[0], dot.y[0]) for dot in found.data] == [(value, place) for place, value in enumerate(values)]
    shown = [f"<b>{values[0]:.3f}</b>", *(f"{value:.3f}" for value in values[1:])]
    assert [(note.y, note.text) for note in found.layout.annotations] == list(enumerate(shown))
    assert dots.leaderboard(result.at(2), "bpref").alt == "bpref is undefined for every system."


def test_a_forest_has_a_head_over_each_group_with_the_best_row_in_bold() -> None:
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
    here = kp.evaluate(corpus, measures="P@k", k=2, interval="none")
    bars = [dot.error_x for dot in checked(dots.leaderboard(here, "P@k")).data]
    # No number at all: Plotly takes null for 0, and would draw a bar of no length.
    assert {end for bar in bars for end in (*bar.array, *bar.arrayminus)} == {"NaN"}


def test_precision_recall_joins_the_two_curves(result: kp.Result) -> None:
    line = next(t for t in checked(curves.precision_recall(result, 2)).data if t.name == "two")
    assert list(line.customdata) == [1, 2, 3]
    assert line.y[0] == tables.value(result.at(1), "two", "P@k")
    assert line.x[2] == tables.value(result.at(3), "two", "R@k")


def test_kappa_against_the_universe_ends_near_p_pos_and_passes_the_one_in_use() -> None:
    # TF-IDF with Adjective-Noun Chunks: specification of agreement, sections 4 and 9.
    cells = {"two": {"a": 43.0, "b": 452.0, "c": 219.0, "d": 10036.0}}
    curve, used, limit = checked(curves.against_universe(cells)).data
    assert used.x[0] == 10750
    assert round(used.y[0], 3) == 0.084
    assert round(curve.x[0]) == 714
    assert round(curve.y[0], 3) == -0.704
    assert curve.y[-1] == pytest.approx(limit.y[0], abs=1e-3)


def test_leaderboard_puts_baselines_last_and_keeps_undefined(corpus: kp.Corpus, result: kp.Result) -> None:
    board = tables.leaderboard(result.at(2), "F1@k", ("kappa", "bpref"), kp.compare(corpus, measure="F1@k", k=2))
    assert board["system"].tolist() == ["<b>one</b>", "two", "oracle k", "random k", "says nothing"]
    assert board[""].tolist() == ["a", "b", "", "", ""]
    assert board["bpref"].isna().all()
    assert tables.with_intervals(result, ["bpref"])["bpref"].tolist()[0] == "undefined"
    (said,) = tables.reasons(result.at(2))
    assert said.startswith("bpref is undefined for all systems: bpref needs phrases judged as not relevant")


def test_the_leaderboard_counts_documents_where_some_are_left_out() -> None:
    lists = {"d1": ["tree"], "d2": ["sun"]}
    part = kp.evaluate(kp.load(gold=GOLD, systems=SYSTEMS | {"part": lists}), k=1, measures=["F1@k"], missing="skip")
    board = tables.leaderboard(part.at(1), "F1@k", (), None).set_index("system")
    assert board["documents"].to_dict() == {"<b>one</b>": 3, "two": 3, "part": 2}


def test_the_lines_at_a_threshold_cross_both_panels() -> None:
    steps = {"threshold": [0.1, 0.5], "documents": [20, 12], "gold": [90, 30], "drawn": [True, True]}
    scores = {"value": [0.2, 0.3], "low": [0.1, 0.2], "high": [0.3, 0.4], "fixed": [0.25, 0.3]}
    null = {"null": [0.2, 0.15], "null_low": [0.2, 0.1], "null_high": [0.2, 0.2]}
    curve = pd.DataFrame({"system": "two", "measure": "F1@5", **steps, **scores, **null})
    drawn = over_thresholds.over_threshold(curve, "F1@5", "two", 0.5)
    figure = checked(drawn)
    assert {shape.yref for shape in figure.layout.shapes} >= {"y domain", "y2 domain"}
    bands = [list(trace.y) for trace in figure.select_traces({"fill": "toself"})]
    assert bands == [[0.2, 0.2, 0.1, 0.2], [0.3, 0.4, 0.2, 0.1]]
    assert "two goes from 0.200 at 0.1 to 0.300 at 0.5, and random trimming to the same size gives 0.150" in drawn.alt


def test_intervals_of_few_documents_are_grey(result: kp.Result) -> None:
    board = tables.leaderboard(result.at(2), "F1@k", (), None)
    few, enough = (tables.look_of(board, documents=n) for n in (3, 30))
    interval = str(board.columns[2])
    assert (few(0, interval), enough(0, interval)) == ("quiet", "")
    best = tables.look_of(board, 30, {(board["system"][0], "F1@2")})
    assert (best(0, "F1@2"), best(1, "F1@2")) == ("best", "")


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
    rows = [(system, ids[d], one) for system, own in scores.items() for d, one in zip(ids, own, strict=True)]
    values = pd.DataFrame(rows, columns=["system", "document", "value"])
    known = pd.DataFrame({"doc_id": ids.values(), "text": ["x", "xxx", "xx", "xxxx", "x"]})
    known = known.assign(title=["", "The Sea", "", "", ""], group=["news", "", "news", "", ""])
    found = tables.documents(values, known, "title", asked.get("other", "y"), asked.get("which", "all"))
    found = tables.searched(found, known, asked.get("search", ""), {"d-d": "a tide table"})
    assert "".join(doc_id[-1] for doc_id in found["document"] if doc_id != "d-e" or "which" in asked) == expected
    beside = ["difference"] if asked.get("other") != "nobody" else []
    assert found.columns.tolist() == ["document", *beside, "system title", "y", "title", "type"]
    if beside and "c" in expected:
        row = found[found["document"] == "sea-c"].iloc[0]
        assert row[["difference", "system title", "y", "type"]].tolist() == [pytest.approx(0.4), 0.6, 0.2, "news"]


def test_charts_name_systems_without_common_parts_and_whole_in_the_hover() -> None:
    whole = {f"candidats.{name}.final": lists for name, lists in zip(("a<b", "two"), SYSTEMS.values(), strict=True)}
    found = kp.evaluate(kp.load(gold=GOLD, systems=whole), k=(1, 2), measures=["F1@k"])
    figure = checked(curves.over_k(found, "F1@k"))
    assert [note.text for note in figure.layout.annotations] == ["two", "a&lt;b"]
    hovers = {trace.legendgroup: trace.hovertemplate for trace in figure.data if trace.legendgroup in whole}
    assert {name: hover.rpartition("<extra>")[2] for name, hover in hovers.items() if hover} == {
        "candidats.a<b.final": "candidats.a&lt;b.final</extra>",
        "candidats.two.final": "candidats.two.final</extra>",
    }
    board = checked(dots.leaderboard(found.at(2), "F1@k"))
    assert list(board.layout.yaxis.ticktext) == ["a&lt;b", "two"]
    assert "candidats.two.final" in dots.leaderboard(found.at(2), "F1@k").alt


def test_long_names_of_systems_break_into_lines_and_are_whole() -> None:
    long = "supervised_extraction_with_reranking_by_position"
    found = kp.evaluate(kp.load(gold=GOLD, systems={long: SYSTEMS["two"], "yake": SYSTEMS["two"]}), k=(1, 2))
    words = [note.text for note in checked(curves.over_k(found, "F1@k")).layout.annotations]
    assert next(text for text in words if "<br>" in text).replace("<br>", "") == long


def test_empty_classes_are_not_drawn() -> None:
    counts = pd.DataFrame({"system": ["two"], "all": [3]} | {kind: [3 * (kind == "NONE")] for kind in TYPES})
    assert [trace["name"] for trace in dots.type_bars(counts, "predictions").figure["data"]] == [NEAR["NONE"]]
