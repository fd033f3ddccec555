"""How many phrases could have been chosen: what is accepted, what is refused, what is counted."""

import pytest

import kp_core as kp
from tests.cases import cases
from tests.corpora import corpus_of, scored, universe_sizes, value

CASES = cases(__file__)

PLAIN = corpus_of({"d1": ["a", "b"], "d2": ["c"]}, {"s": {"d1": ["a", "x", "y"], "d2": ["c"]}})
TEXTS = {"d1": "A b, a c.", "d2": ""}


def test_the_default_is_n_grams_where_there_are_texts():
    assert kp.evaluate(PLAIN, k=1, measures="kappa", interval="none").settings.universe == "rankings"
    with_texts = corpus_of({"d1": ["a"], "d2": ["c"]}, {"s": {"d1": ["a"]}}, texts=TEXTS)
    assert kp.evaluate(with_texts, k=1, measures="kappa", interval="none").settings.universe == "ngrams:3"


@pytest.mark.parametrize(("universe", "spelled"), CASES["spellings"])
def test_spellings(universe, spelled):
    corpus = corpus_of({"d": ["a"]}, {"s": {"d": ["a"]}}, texts={"d": "A tide table."})
    assert kp.evaluate(corpus, k=1, measures="kappa", universe=universe, interval="none").settings.universe == spelled


@pytest.mark.parametrize(
    "universe", ["ngrams:0", "ngrams:11", "ngrams:x", "nan", "inf", "1e400", "-1", "0", "1.5", "all"]
)
def test_what_is_no_universe(universe):
    allowed = "ngrams, ngrams:n, candidates, rankings, vocabulary, sentences, or a number of phrases"
    with pytest.raises(kp.UsageError, match=f"choose {allowed}"):
        scored(PLAIN, "kappa", 1, universe=universe)


def test_candidates_are_the_chunks_of_each_text_and_what_was_chosen_beside_them():
    # chunks of d1: tide table, high tide, and harbour, which occurs once only; of d2: none
    texts = {"d1": "The tide table shows the high tide. A harbour.", "d2": ""}
    gold, run = {"d1": ["tide tables", "harbour"], "d2": ["sea"]}, {"s": {"d1": ["table", "High Tide"], "d2": []}}
    corpus = corpus_of(gold, run, texts=texts)
    assert universe_sizes(corpus, "candidates") == {"d1": 2 + 1 + 1, "d2": 1}
    assert universe_sizes(corpus, "candidates", normalise="none") == {"d1": 2 + 2 + 2, "d2": 1}
    with pytest.raises(kp.UsageError, match="'candidates' needs the texts"):
        scored(PLAIN, "kappa", 1, universe="candidates")


@pytest.mark.parametrize("universe", ["selected", "selection", "chosen", "pair"])
def test_the_selected_phrases_alone_are_refused_with_the_reason(universe):
    with pytest.raises(kp.UsageError, match=r"\(d = 0\), so kappa is never above 0 and P_neg is 0"):
        scored(PLAIN, "kappa", 1, universe=universe)


def test_a_number_that_is_too_small_is_refused_with_the_smallest_that_is_not():
    # d1 at k = 3: gold a b, and x y of the system
    with pytest.raises(kp.InputError, match=r"4 phrases chosen in document 'd1'.*Choose N = 4 or more") as refused:
        scored(PLAIN, "kappa", "1-3", universe=3)
    assert refused.value.where == "universe 3"
    assert value(PLAIN, "N", 3, universe=4) == 8
    assert value(PLAIN, "d", 3, universe=4) == 3  # none in d1, all but c in d2


def test_the_smallest_number_counts_the_gold_of_all_annotators():
    corpus = corpus_of({"A": {"d": ["a"]}, "B": {"d": ["b", "c"]}}, {"s": {"d": ["a"]}})
    with pytest.raises(kp.InputError, match="Choose N = 3 or more"):
        scored(corpus, "kappa", 1, universe=2, annotators="A")
    assert value(corpus, "N", 1, universe=3, annotators="A") == 3


def test_a_number_is_checked_only_where_a_table_is_made():
    assert value(PLAIN, "P@1", universe=1) == 1


def test_another_system_changes_pooled_rankings_and_says_so():
    result = kp.evaluate(PLAIN, k=1, measures="kappa", interval="none")
    assert any("adding a system changes every kappa" in note.message for note in result.notes)


def test_a_document_without_text_has_what_was_chosen():
    corpus = corpus_of({"d1": ["b"], "d2": ["c", "e"]}, {"s": {"d2": ["f"]}}, texts=TEXTS)
    assert universe_sizes(corpus, "ngrams:1", normalise="lower") == {"d1": 3, "d2": 3}


def test_vocabulary_counts_keyphrases_by_their_first_spelling():
    corpus = corpus_of({"d1": [("color", "colour"), "hue"], "d2": ["hue"]}, {"s": {"d1": ["shade"]}})
    assert universe_sizes(corpus, "vocabulary", normalise="none") == {"d1": 3, "d2": 3}


def random_order(universe, measures, documents=3):
    gold = {f"d{i}": ["a", "b", "c"] for i in range(documents)}
    frame = scored(corpus_of(gold, {"s": gold}), measures, 5, universe=universe, baselines=True, average="macro")
    return frame[frame["system"] == "random k"].set_index("measure")


def test_a_random_order_of_a_universe_too_large_to_follow_has_values_at_cutoffs_only():
    found = random_order(10**9, ["P@k", "R@k", "kappa", "MAP", "MRR@k"])
    assert found.loc[["P@5", "R@5"], "value"].tolist() == pytest.approx([3e-9, 5e-9], rel=1e-9)
    assert found.loc["MRR@5", "value"] == pytest.approx(3e-9 * sum(1 / i for i in range(1, 6)), rel=1e-6)
    assert found.loc["kappa", "value"] == pytest.approx(0, abs=1e-15)
    assert found.loc["MAP", ["documents", "reason"]].tolist() == [0, "universe_too_large"]


def test_documents_that_the_tagger_cannot_read_are_said():
    """N of a text without English tokens counts what was chosen alone; so it is with a document without a text."""
    texts = {"d1": "A tide table shows the tide.", "d2": "机器学习是人工智能的一个分支", "d3": ""}
    gold = {"ana": {"d1": ["tide table"], "d2": ["机器学习"], "d3": ["x"]}, "ben": {"d1": ["tide"], "d2": ["分支"]}}
    corpus = corpus_of(gold, {"s": {"d1": ["tide"], "d2": ["分支"], "d3": ["y"]}}, texts=texts)
    message = (
        "2 of 3 documents have no English token in their texts, so N counts no candidate there, only what was chosen: "
        "d2, d3"
    )

    def said(result):
        return [note.message for note in result.notes if "English" in note.message]

    found = kp.evaluate(corpus, k=1, measures=["kappa", "N"], universe="candidates", interval="none")
    assert said(found) == [message]
    assert universe_sizes(corpus, "candidates")["d2"] == 2
    assert said(kp.agreement(corpus, measures="kappa", universe="candidates", interval="none")) == [message]
    assert not said(kp.evaluate(corpus, k=1, measures="F1@k", universe="candidates", interval="none"))
    assert not said(kp.evaluate(corpus, k=1, measures="kappa", universe="ngrams", interval="none"))
