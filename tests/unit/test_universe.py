"""The number of phrases that could have been chosen: accepted, refused and counted universes."""

import pytest

import kp_core as kp
from tests.cases import cases
from tests.corpora import corpus_of, scored, universe_sizes, value

CASES = cases(__file__)

PLAIN = corpus_of({"d1": ["a", "b"], "d2": ["c"]}, {"s": {"d1": ["a", "x", "y"], "d2": ["c"]}})
TEXTS = {"d1": "A b, a c.", "d2": ""}


def test_default_universe_is_ngrams_with_texts():
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
def test_invalid_universes_are_refused(universe):
    allowed = "ngrams, ngrams:n, candidates, rankings, vocabulary, sentences, or a number of phrases"
    with pytest.raises(kp.UsageError, match=f"choose {allowed}"):
        scored(PLAIN, "kappa", 1, universe=universe)


def test_candidate_universe_adds_chosen_phrases_to_chunks():
    # chunks of d1: tide table, high tide, and harbour, which occurs once only; of d2: none
    texts = {"d1": "The tide table shows the high tide. A harbour.", "d2": ""}
    gold, run = {"d1": ["tide tables", "harbour"], "d2": ["sea"]}, {"s": {"d1": ["table", "High Tide"], "d2": []}}
    corpus = corpus_of(gold, run, texts=texts)
    assert universe_sizes(corpus, "candidates") == {"d1": 2 + 1 + 1, "d2": 1}
    assert universe_sizes(corpus, "candidates", normalise="none") == {"d1": 2 + 2 + 2, "d2": 1}
    with pytest.raises(kp.UsageError, match="'candidates' needs the texts"):
        scored(PLAIN, "kappa", 1, universe="candidates")


@pytest.mark.parametrize("universe", ["selected", "selection", "chosen", "pair"])
def test_universe_of_selected_phrases_is_refused(universe):
    with pytest.raises(kp.UsageError, match=r"\(d = 0\), so kappa would never exceed 0 and P_neg would always be 0"):
        scored(PLAIN, "kappa", 1, universe=universe)


def test_too_small_universe_is_refused_with_minimum():
    # d1 at k = 3: gold a b, and x y of the system
    with pytest.raises(kp.InputError, match=r"4 phrases chosen in document 'd1'.*Choose N = 4 or more") as refused:
        scored(PLAIN, "kappa", "1-3", universe=3)
    assert refused.value.where == "universe 3"
    assert value(PLAIN, "N", 3, universe=4) == 8
    assert value(PLAIN, "d", 3, universe=4) == 3  # none in d1, all but c in d2


def random_order(universe, measures, documents=3):
    gold = {f"d{i}": ["a", "b", "c"] for i in range(documents)}
    frame = scored(corpus_of(gold, {"s": gold}), measures, 5, universe=universe, baselines=True, average="macro")
    return frame[frame["system"] == "random k"].set_index("measure")


def test_random_baseline_of_huge_universe():
    result = random_order(10**9, ["P@k", "R@k", "kappa", "MAP", "MRR@k"])
    assert result.loc[["P@5", "R@5"], "value"].tolist() == pytest.approx([3e-9, 5e-9], rel=1e-9)
    assert result.loc["MRR@5", "value"] == pytest.approx(3e-9 * sum(1 / i for i in range(1, 6)), rel=1e-6)
    assert result.loc["kappa", "value"] == pytest.approx(0, abs=1e-15)
    assert result.loc["MAP", ["documents", "reason"]].tolist() == [0, "universe_too_large"]


@pytest.mark.parametrize(
    ("universe", "starts"), [(9, ["N = 9 is hardly larger than the 2 phrases"]), (20, []), (21, ["true negatives dom"])]
)
def test_notes_on_a_universe_near_its_limits(universe, starts):
    corpus = corpus_of({"d": ["a"]}, {"s": {"d": ["b"]}})
    result = kp.evaluate(corpus, k=1, measures="kappa", universe=universe, interval="none")
    messages = [note.message for note in result.notes if note.where == "universe"]
    assert [message[: len(start)] for message, start in zip(messages, starts, strict=True)] == starts


@pytest.mark.parametrize(("third", "numbers"), [({"e": ["c"]}, []), ({}, ["2 to 3"])])
def test_agreement_notes_that_not_everybody_saw_every_document(third, numbers):
    lists = {"d": ["a"], "e": ["b"]}
    notes = kp.agreement(corpus_of({"A": lists, "B": lists, "C": {"d": ["c"], **third}}), interval="none").notes
    found = [note.message for note in notes if note.message.startswith("not everybody")]
    assert [message.partition(": ")[2][:6] for message in found] == numbers
