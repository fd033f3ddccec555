"""Notebooks: plain lists, tables of other libraries, display of results, and corrected calls."""

import math
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kp_core as kp
from tests.cases import LECTURES

GOLD, PREDICTED = [["tide", "sea"], ["moon"], ["hash table"]], [["tide", "sun"], ["star", "moon"], ["bucket"]]


def test_plain_lists_are_scored() -> None:
    result = kp.score(GOLD, PREDICTED, k=2, normalise="none")
    # one hit in each of two lists, of two, one and one keyphrases; the last list is shorter than k
    assert result == pytest.approx({"P@2": 1 / 3, "R@2": 1 / 2, "F1@2": (1 / 2 + 2 / 3) / 3})
    assert kp.score(GOLD[0], PREDICTED[0], k=2) == kp.score(GOLD[:1], PREDICTED[:1], k=2)
    assert math.isnan(kp.score([], ["x"], k=1, measures="R@k")["R@1"])


@pytest.mark.parametrize(
    ("gold", "predicted", "words"),
    [
        ("tide", ["tide"], "gold is a single string"),
        (["tide"], [["tide"], ["sea"]], "gold has 1 documents and predicted 2"),
    ],
)
def test_implausible_lists_are_refused(gold, predicted, words: str) -> None:
    with pytest.raises(kp.UsageError, match=words):
        kp.score(gold, predicted)


@pytest.mark.parametrize("made", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_polars_and_arrow_tables_read_as_dataframes(made) -> None:
    gold = pd.read_csv(LECTURES / "gold.csv", dtype="str", keep_default_na=False)
    runs = pd.DataFrame({"doc_id": ["lecture-01"] * 2, "rank": [1, 2], "keyphrase": ["inverted index", "NA"]})
    plain, other = kp.load(gold, {"a": runs}), kp.load(made(gold), {"a": made(runs)})
    pd.testing.assert_frame_equal(plain.gold, other.gold)
    pd.testing.assert_frame_equal(plain.runs, other.runs)
    asked = {"k": 2, "measures": "P@k", "universe": "rankings"}
    pd.testing.assert_frame_equal(kp.evaluate(plain, **asked).frame, kp.evaluate(other, **asked).frame)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda corpus: kp.evaluate(corpus, 10), "second argument is 10, not a kp.Settings.*k=10"),
        (lambda corpus: kp.compare(corpus, "pke"), "preset='pke'"),
        (lambda corpus: kp.sensitivity(corpus, "F1@5"), "measure='F1@5'"),
        (lambda corpus: kp.evaluate(corpus, None, 5), "measures is 5"),
        (lambda corpus: kp.agreement({"d": ["x"]}), r"a dict, which is not a corpus; load one: kp.load\("),
        (lambda corpus: kp.soft_evaluate(corpus, 3), "k=3"),
    ],
)
def test_wrong_call_names_intended_call(lectures: kp.Corpus, call, words: str) -> None:
    with pytest.raises(kp.UsageError, match=words):
        call(lectures)


def test_results_show_themselves_with_everything_escaped() -> None:
    corpus = kp.load(gold={"d": ["tide"]}, systems={"<img src=x>": {"d": ["tide"]}, "b": {"d": ["sea"]}})
    result = kp.evaluate(corpus, k=1, measures="P@k", interval="none")
    shown = result._repr_html_()
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", shown)
    assert cells == ["&lt;img src=x&gt;", "1.000", "b", "0.000"]
    assert "<img" not in shown
    assert kp.settings.short_form(result.signature) in shown
    said = kp.answer(corpus, k=1)
    assert said._repr_html_().startswith("<p><b>")
    assert kp.paper_table(corpus, k=1)._repr_html_() == kp.paper_table(corpus, k=1).html()


def test_every_result_gives_its_chart(lectures: kp.Corpus) -> None:
    result = kp.evaluate(lectures, k=5, measures="F1@k", interval="none")
    drawn = {trace.name: trace.x[0] for trace in result.chart().data}
    values = result.frame.set_index("system")["value"]
    assert all(drawn[name] == pytest.approx(value) for name, value in values.items() if name in drawn)
    assert drawn
    over = kp.evaluate(lectures, k="1-3", measures="F1@k", interval="none").chart()
    assert {tuple(trace.x) for trace in over.data if trace.name == "yake"} == {(1, 2, 3)}
    for item in (
        kp.compare(lectures, k=5),
        kp.sensitivity(lectures, k=5),
        kp.stability(lectures),
        kp.agreement(lectures),
    ):
        assert item.chart().data
    with pytest.raises(kp.UsageError, match="there is no chart of a Numbers"):
        kp.documents(lectures, k=5).chart()
