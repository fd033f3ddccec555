"""Spread and rankings on lists that can be counted by hand, and the charts that show them."""

import json

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps
from kp_core.settings import Settings, in_words, presets_for
from kp_core.studies.spread import Spread, spreads
from kp_core.studies.stability import Stability, ranks
from kp_core.words.statements import range_of
from tests.corpora import corpus_of
from tests.figures import checked

ONE, TWO = "<b>one</b>", "two"
#: At k = 2, two repeats its hit: before the cut the leaf takes its place, kept it is a miss, counted it hits again.
#: Every phrase has two words, so that the filter of preset chan keeps it.
GOLD = {"d1": ["oak tree", "oak leaf"], "d2": ["red sun", "red moon"]}
RUNS = {
    ONE: {"d1": ["oak tree", "grey stone"], "d2": ["red sun", "red moon"]},
    TWO: {"d1": ["oak tree", "oak tree", "oak leaf"], "d2": ["red sun", "red moon"]},
    "three": {"d1": ["grey stone"], "d2": []},
}


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return corpus_of(GOLD, RUNS)


@pytest.fixture(scope="module")
def spread(corpus: kp.Corpus) -> Spread:
    return kp.spread(corpus, measure="P@k", k=2)


def test_a_tie_is_no_turn_and_a_turn_names_its_smallest_change(spread: Spread) -> None:
    assert spread.turns.empty  # under keep both have 3/4
    # At k = 3 every list of one is shorter, so that only the denominator puts it ahead: 1 against 2/3.
    short = {"d1": ["oak tree"], "d2": ["red sun"]}
    runs = {ONE: short, TWO: {"d1": ["oak tree", "x y", "oak leaf"], "d2": ["red sun", "y z", "red moon"]}}
    (turn,) = kp.spread(corpus_of(GOLD, runs), measure="P@k", k=3).turns.itertuples(index=False)
    assert (turn.a, turn.b, turn.settings, turn.tied) == (TWO, ONE, 72, 0)
    assert turn.example == {"denominator": "returned"}
    assert turn.presets == ("jcdl20", "pke", "opennmt-kpg")


def test_a_tie_at_present_is_no_turn_where_the_same_system_is_ahead_elsewhere() -> None:
    # Two is ahead where a repeat is a hit again, or where its one distinct phrase is divided by 1; one never is.
    runs = {ONE: RUNS[ONE], TWO: {"d1": ["oak tree", "oak tree"], "d2": ["red sun", "red moon"]}}
    found = kp.spread(corpus_of(GOLD, runs), measure="P@k", k=2)
    assert found.ranges["current"].tolist() == [0.75, 0.75]
    assert found.turns.empty
    rows = found.frame[(found.frame["kind"] == "grid") & (found.frame["system"] == TWO)]
    assert sorted(rows["value"].unique()) == [0.75, 1.0]


def test_without_systems_there_is_no_spread_and_no_row_of_a_document() -> None:
    with pytest.raises(kp.UsageError, match="at least one system"):
        kp.spread(corpus_of(GOLD), k=2)
    assert kp.documents(corpus_of(GOLD)).frame.empty


def test_ranks_and_tau_by_hand(corpus: kp.Corpus) -> None:
    nan = np.nan
    table = np.array([[0.3, 0.3, 0.1, nan], [0.1, 0.2, 0.1 + 1e-17, 0.4]])
    np.testing.assert_array_equal(ranks(table), [[1.5, 1.5, 3, nan], [3.5, 2, 3.5, 1]])
    tied = kp.stability(corpus_of(GOLD, dict.fromkeys("ab", RUNS[ONE])), by="k", views=[1, 2])
    assert tied.pairs["reason"].tolist() == ["all_tied"]
    found = kp.stability(corpus, by="measure", views=["P@k", "MRR", "bpref"], k=2)
    assert found.frame["rank"].tolist()[:6] == [2, 1, 3, 1.5, 1.5, 3]
    assert found.frame["rank"].isna().tolist()[6:] == [True] * 3
    # P orders three pairs, MRR two of them in the same way: 2 / sqrt(3 · 2).
    assert found.pairs["tau"].tolist()[0] == pytest.approx(2 / 6**0.5)
    assert found.pairs["reason"].fillna("").tolist() == ["", "few_systems", "few_systems"]
    assert found.pairs["systems"].tolist() == [3, 0, 0]
    matrix = found.matrix()
    assert matrix.loc["MRR", "P@k"] == matrix.loc["P@k", "MRR"] == pytest.approx(2 / 6**0.5)


def test_the_strip_holds_every_setting_and_marks_the_one_in_use(spread: Spread) -> None:
    drawn = dots.strip(spread, range_of(spread))
    traces = {trace.name: trace for trace in checked(drawn).data}
    assert len(traces["two"].x) == 216
    assert sorted(set(traces["two"].x)) == [0.75, 1.0]
    assert list(traces["pke"].x) == [0.75, 0.75, 0.0]
    assert list(traces["in use"].x) == [0.75, 1.0, 0.0]
    assert len({traces[in_words("preset", name)].marker.symbol for name in presets_for(Settings())}) == 10
    said = "P@2 under 10 presets and 216 settings: <b>one</b> 0.750 to 0.750, in use 0.750; two 0.750 to 1.000"
    assert drawn.alt.startswith(said)


def test_effects_are_in_order_and_leave_out_what_changes_nothing(spread: Spread) -> None:
    drawn = dots.effects(spread)
    changes = [
        "equal predictions in a list leave the list<br>after the cut at k",
        "equal predictions in a list stay, and the<br>second is a miss",
    ]
    assert list(checked(drawn).layout.yaxis.categoryarray) == changes
    assert {t.name: list(t.x) for t in checked(drawn).data}["two"] == [-0.25, -0.25]
    said = "Effect of 2 single changes of a convention on P@2; the largest: "
    said += "equal predictions in a list leave the list after the cut at k changes two by -0.250."
    assert drawn.alt == said
    still = kp.spread(corpus_of({"d": ["tree"]}, {"s": {"d": ["tree"]}}), measure="R@k", k=1)
    assert dots.effects(still).alt == "No single change of a convention changes R@1 of any system."


@pytest.fixture
def by_k(corpus: kp.Corpus) -> Stability:
    return kp.stability(corpus, by="k", measure="P@k", views=[1, 2])


def test_the_rank_chart_names_each_line_at_its_end(by_k: Stability) -> None:
    drawn = curves.rank_chart(by_k)
    escaped = "&lt;b&gt;one&lt;/b&gt;"
    lines = {trace.name: list(trace.y) for trace in checked(drawn).data}
    assert lines == {escaped: [1.5, 2], "two": [1.5, 1], "three": [3, 3]}
    assert {(a.text, a.y) for a in checked(drawn).layout.annotations} == {("two", 1), (escaped, 2), ("three", 3)}
    assert drawn.alt.startswith("Rank of 3 systems under 2 cutoffs.")


def test_the_heat_map_of_rankings_says_which_are_least_alike(by_k: Stability) -> None:
    drawn = heat_maps.kendall(by_k)
    assert checked(drawn).data[0].z[0][1] == pytest.approx(2 / 6**0.5)
    said = "tau-b of 1 pair of cutoffs as a heat map, from 0.816 to 0.816. Least alike are P@1 and P@2 (0.816)."
    assert drawn.alt == said


def test_every_study_leaves_as_an_answer_with_settings_that_are_read_back(corpus: kp.Corpus) -> None:
    for answer in (kp.spread(corpus, measure="P@k", k=2), kp.stability(corpus, k=2), kp.near_misses(corpus, k=2)):
        assert kp.settings_from(answer.signature).k == (2,)
        assert len(json.loads(answer.json())["rows"]) == len(answer.frame)
        for text in (answer.csv(), answer.markdown(), answer.text()):
            assert answer.signature in text
        assert answer.latex().count(r"\begin{tabular}") == 1


def test_all_cutoffs_at_once_are_each_cutoff_alone(lectures: kp.Corpus) -> None:
    every = spreads(lectures, kp.Settings(k="2,5,gold"), "F1@k")
    for cutoff in (5, "gold"):
        alone, found = kp.spread(lectures, measure="F1@k", k=cutoff), every.at(cutoff)
        pd.testing.assert_frame_equal(found.frame, alone.frame, rtol=1e-12)
        pd.testing.assert_frame_equal(found.turns, alone.turns)
        assert (found.signature, found.measure) == (alone.signature, alone.measure)
