"""The load report counts lists, gaps, duplicates and odd characters, and offers fixes only if they are one to one."""

from __future__ import annotations

import pytest

from kp_core.model import Corpus
from kp_core.reading import Source, load, report
from kp_core.text.normalise import Normaliser


@pytest.fixture
def corpus() -> Corpus:
    gold = {"C-1": ["tide table", "Tide table", "tide tables", "*"], "C-2": ["sea", "sea"], "C-3": []}
    run = {"C-1.txt": [("tide", 0.5), ("sea", 0.5), ("x", 0.1)], "C-2.txt": [("a", 0.1), ("b", 0.2)]}
    return load(
        gold=gold, systems={"s": run, "t": {"C-1": ["tide"]}}, documents={"C-2": "Water\u00a0rises.", "C-4": "x\ufffd"}
    )


def test_statistics_of_annotators_and_systems(corpus: Corpus) -> None:
    table = report.statistics(corpus, Normaliser.parse("lower+space+punct-strip+porter-nltk"), 3).set_index("source")
    assert table.loc["gold", ["documents", "phrases", "shortest", "mean", "longest", "empty", "missing"]].tolist() == [
        3,
        6,
        0,
        2,
        4,
        1,
        2,
    ]
    assert table.loc["gold", ["duplicates", "lists with duplicates", "duplicates, lower case"]].tolist() == [1, 1, 2]
    assert table.loc["gold", ["duplicates, normalised", "vanishing"]].tolist() == [3, 1]
    assert table.loc["gold", "shorter than 3"] == 2
    assert table.loc["s", ["documents", "ties", "re-sorted", "missing", "shorter than 3"]].tolist() == [2, 1, 1, 3, 1]
    assert table.loc["t", ["documents", "missing"]].tolist() == [1, 4]


def test_statistics_of_nothing() -> None:
    table = report.statistics(load(documents={"d": "x"}), Normaliser.parse("lower"), 5)
    assert len(table) == 0
    assert "vanishing" in table


def test_gaps_and_suggestions(corpus: Corpus) -> None:
    gaps = report.gaps(corpus).set_index(["in", "not in"])
    assert gaps.loc[("gold", "texts"), ["documents", "only here", "first"]].tolist() == [3, 2, "C-1, C-3"]
    assert report.unmatched(corpus).query("doc_id == 'C-4'")["similar"].iloc[0] == "C-1, C-2, C-3"


def test_a_fix_is_offered_only_if_it_keeps_ids_apart() -> None:
    left, right = {"C-1": ["a"], "C-2": ["b"]}, {"C-1.txt": ["a"], "C-2.txt": ["b"]}
    offered = report.suggestions(load(gold=left, systems={"s": right}))
    assert offered.to_numpy().tolist() == [["strip-extension", "strip the extension", "gold", "systems", 2, 2]]
    assert not len(report.suggestions(load(gold=left, systems={"s": right | {"C-1.key": ["x"]}})))
    assert report.suggestions(load(gold={"A": ["x"]}, systems={"s": {"a": ["x"]}}))["fix"].tolist() == ["casefold-ids"]
    assert report.suggestions(load(gold={"007": ["x"]}, systems={"s": {"7": ["x"]}}))["fix"].tolist() == ["strip-zeros"]
    assert not len(report.suggestions(load(gold=left, systems={"s": left})))


def test_odd_characters_are_counted_with_an_example(corpus: Corpus) -> None:
    table = report.characters(corpus).set_index(["where", "what"])
    assert table.loc[("texts", "no-break space"), "count"] == 1
    assert table.loc[("texts", "replacement character"), "first"] == "x\ufffd"
    other = load(gold={"d": ["ﬂow", "a\u00ad", "e\u0301", "\ue000", "z\u200bz"]})
    assert set(report.characters(other)["what"]) == {
        "soft hyphen",
        "zero-width character",
        "private use character",
        "not composed (NFC)",
        "changed by NFKC",
    }


def test_files_are_listed_with_what_was_understood() -> None:
    corpus = load(gold=Source("g.csv", b"doc_id,phrase\r\nd1,a\r\n,b\r\n" + b"d1,c\r\n" * 8))
    row = report.files(corpus).iloc[0]
    assert row[["file", "family", "line ends", "rows read", "loaded", "rejected"]].tolist() == [
        "g.csv",
        "F10",
        "\\r\\n",
        10,
        9,
        1,
    ]
    assert row["columns"] == "doc_id = doc_id, phrase = phrase"
