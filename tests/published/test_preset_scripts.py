"""Presets give the values of the scripts they are named after; each value has a source."""

import pandas as pd
import pytest

import kp_core as kp
from kp_core.text.stem import stem_words
from tests.corpora import corpus_of, document_values, scored, value


def test_opennmt_divides_by_returned_at_gold_size():
    # keyphrase/eval.py of OpenNMT-kpg: topk = gold size, precision over min(topk, number returned)
    corpus = corpus_of({"d": list("abcd")}, {"s": {"d": ["a", "x"]}})
    result = scored(corpus, ["P@O", "R@O", "F1@O"], preset="opennmt-kpg")["value"].tolist()
    assert result == pytest.approx([1 / 2, 1 / 4, 1 / 3])


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


GRADED = corpus_of(
    {"d": ["a", "b"], "e": ["a"], "f": []},
    {"s": {"d": ["a", "b"], "e": ["a"], "f": ["a"]}},
    grades={"d": {"a": 1, "b": 2}, "e": {"a": 0}},
)
LOWER = corpus_of({"d": ["a", "b"]}, {"s": {"d": ["x", "a", "b"]}}, grades={"d": {"a": 1, "b": 1}})


def test_trec_keeps_lower_gains_and_counts_judged_topics():
    # trec_eval -l2 -m ndcg -m map: grades 1, 2 in this order, and a topic whose only judgement is 0
    result = scored(GRADED, ["nDCG", "nDCG@1", "MAP"], preset="trec", rel=2)
    assert result["value"].tolist() == pytest.approx([0.859719 / 2, 0.5 / 2, 0.5 / 2], abs=1e-6)
    assert set(result["documents"]) == {2}
    status = document_values(GRADED, "MAP", preset="trec").set_index("document")["value"]
    assert status["e"] == 0
    assert status.isna().to_dict() == {"d": False, "e": False, "f": True}
    # no entry of grade 2: nothing is relevant, and the two of grade 1 at ranks 2 and 3 keep their gains
    assert value(LOWER, "nDCG", preset="trec", rel=2) == pytest.approx(0.693426, abs=1e-6)
    assert value(LOWER, "MAP", preset="trec", rel=2) == 0
    assert value(GRADED, "nDCG", preset="trec", rel=2, ties="expected") == value(GRADED, "nDCG", preset="trec", rel=2)


def test_ijcnlp13_uses_snowball_of_nltk():
    # SnowballStemmer("english") and ("french") of NLTK 3.10, beside PyStemmer 3.1
    words = [("organization", "en", "organ", "organiz"), ("japonaises", "fr", "japonais", "japon")]
    for word, language, theirs, others in words:
        assert stem_words([word], f"nltk-snowball-{language}") == [theirs]
        assert stem_words([word], f"snowball-{language}") == [others]


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
