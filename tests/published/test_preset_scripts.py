"""Presets give the values of the scripts they are named after; each value has a source."""

import pandas as pd
import pytest

import kp_core as kp
from tests.corpora import corpus_of, scored


def test_jcdl20_counts_repeats_in_average_precision():
    # evaluation/util.py, compute_averagep: (1/1 + 1/2 + 2/3) / 2; compute_prf: 2 of 3, 2 of 2
    corpus = corpus_of({"d": ["a", "b"]}, {"s": {"d": ["a", "a", "b"]}})
    actual = scored(corpus, ["MAP", "P@5", "R@5"], preset="jcdl20")["value"].tolist()
    assert actual == pytest.approx([13 / 12, 2 / 3, 1])
    notes = kp.evaluate(corpus, preset="jcdl20", interval="none").notes
    assert any("a value may exceed 1" in note.message for note in notes)
    assert any(note.message.startswith("MAP exceeds 1, because a keyphrase found twice") for note in notes)
    listed = corpus_of({"d": ["tide", "tides"]}, {"s": {"d": ["tide"]}})  # compute_prf: 2 references / 1 candidate
    result = kp.evaluate(listed, k=5, preset="jcdl20", measures="P@k,R@k", interval="none")
    assert result.frame["value"].tolist() == [2, 1]
    assert [note.message.split(",")[0] for note in result.notes if note.where == "measures"] == ["P@5 exceeds 1"]


TITLED = {"doc_id": ["d"], "title": ["Tide tables"], "text": ["Harbours rise."]}


def test_text_begins_with_title():
    # utils of KPEval and of OpenNMT-kpg: title + " . " + text, so that a keyphrase of the title is present
    corpus = kp.load(
        gold={"d": ["tide table", "sea"]}, systems={"s": {"d": ["tide tables"]}}, documents=pd.DataFrame(TITLED)
    )
    for titles, present, universe in (("yes", 1, 7), ("no", 0, 5)):
        result = kp.evaluate(corpus, k=5, measures="R@k,N", by="presence", interval="none", titles=titles)
        rows = result.frame.set_index(["subset", "measure"])["value"]
        assert rows.fillna(0)["presence:present", "R@5"] == present
        assert rows["all", "N"] == universe
        assert ("titles:no" in result.signature) is (titles == "no")
        assert kp.settings_from(result.signature).titles == titles
        assert kp.coverage(corpus, titles=titles)["reachable"].max() == present
    assert any("have no parts by presence" in note.message for note in result.notes)


CONCEPTS = {
    "gold": {"doc_id": ["d", "d", "d"], "phrase": ["tide", "harbour", "moon"], "uri": ["u1", "u2", None]},
    "run": {"doc_id": ["d"] * 4, "phrase": ["tidal wave", "tide", "moons", "port"], "uri": ["u1 ", "u9", None, "u1"]},
}


def test_phrases_with_identifiers_are_compared_by_concept():
    corpus = kp.load(gold=pd.DataFrame(CONCEPTS["gold"]), systems={"s": pd.DataFrame(CONCEPTS["run"])})
    offered = kp.evaluate(corpus, k=4, measures="hits@k", interval="none")
    assert any(note.remedy == ("by_concept", "yes") for note in offered.notes)
    assert offered.frame["value"].tolist() == [2]
    result = kp.evaluate(corpus, k=4, measures="hits@k,R@k,N", interval="none", by_concept="yes")
    # tidal wave is the concept u1, port repeats it, and moon has no identifier; u1 u2 u9 moon
    assert result.frame["value"].tolist() == pytest.approx([2, 2 / 3, 4])
    assert "concept:yes" in result.signature
    assert kp.settings_from(result.signature).by_concept == "yes"
    view = kp.one_document(corpus, k=4, by_concept="yes", document="d")
    assert view.lists["s"]["mark"].tolist() == ["hit", "miss", "hit", "repeated"]
    assert view.lists["s"]["keyphrase"].tolist() == ["tide", "", "moon", ""]
    soft = kp.soft_evaluate(corpus, kp.Settings(k=4, by_concept="yes", interval="none"), "exact", ["R@k"])
    assert soft.frame["value"].tolist() == pytest.approx([2 / 3])  # tide and moons, by their spelling
    assert "concept" not in soft.signature
    assert any("identifiers have no effect" in note.message for note in soft.notes)
    blank = pd.DataFrame(CONCEPTS["gold"] | {"uri": ["", " ", None]})
    without = kp.load(gold=blank, systems={"s": pd.DataFrame(CONCEPTS["run"])})
    with pytest.raises(kp.UsageError, match="identifiers on both sides"):
        kp.evaluate(without, by_concept="yes")
    assert not any("by_concept" in note.message for note in kp.evaluate(without, k=4, interval="none").notes)
