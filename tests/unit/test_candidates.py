"""Candidates of a text: chunks by classes of words, their parts and lengths, frequency, variants, abbreviations."""

from itertools import pairwise

import numpy as np
import pytest

import kp_core as kp
from kp_core.extraction.coverage import coverage, marked_candidates
from kp_core.text.candidates import Edges, Rules, Stems, Tokens, abbreviations, candidates, canonical, chunks
from tests.corpora import corpus_of


def spans(classes, **rules):
    return [(start, end) for _, start, end in chunks([classes], Rules(**rules))]


def test_chunks_equal_brute_force_search():
    """Every span of the right letters that cannot be extended, found here by trying all."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        classes = "".join(rng.choice(list("NNJJIIVDT"), rng.integers(0, 12)))
        right = [
            (a, b)
            for a in range(len(classes))
            for b in range(a + 1, len(classes) + 1)
            if set(classes[a:b]) <= {"N", "J"} and classes[b - 1] == "N"
        ]
        longest = [(a, b) for a, b in right if not any(c <= a and b <= d and (a, b) != (c, d) for c, d in right)]
        assert spans(classes, pattern="NBAR") == longest
        assert spans(classes, pattern="NBAR", parts="sub-spans") == right
        assert spans(classes, pattern="NBAR", parts="suffixes") == [
            item for item in right if any(item[0] >= a and item[1] == b for a, b in longest)
        ]
        both = {(a, d) for (a, b), (c, d) in pairwise(longest) if c == b + 1 and classes[b] == "I"}
        assert spans(classes) == sorted({*longest, *both})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("history of past encounter and transitivity", "past encounter and transitivity history"),
        ("number of the sensors", "sensors number"),
        ("quality of quality of service", "quality of service quality"),
        ("bayes 's theorem", "bayes theorem"),
        ("proof of the", "the proof"),
        *((phrase, phrase) for phrase in ("search for keywords", "of mice", "theory of", "of")),
    ],
)
def test_variants_have_one_form(one, other):
    assert canonical(one) == other


def test_abbreviations_need_the_letters_of_the_words_before():
    text = "A hidden Markov model (HMM), statistics of events (SE), support vector machines (SVMs), words (PDF) (AB)."
    result = abbreviations(Tokens.of(text, Stems("none")))
    assert result == {"hmm": "hidden markov model", "se": "statistics of events", "svms": "support vector machines"}


def test_uncoverable_texts_are_refused_with_reason():
    with pytest.raises(kp.UsageError, match="no kind of candidates 'x'; choose among: NBAR"):
        coverage(corpus_of({"d": ["a"]}, texts={"d": "a"}), kinds=["x"])
    with pytest.raises(kp.InputError, match="no English tokens in document d"):
        coverage(corpus_of({"d": ["a"]}, texts={"d": "潮汐表"}))
    with pytest.raises(kp.InputError, match="no English tokens in any text"):
        kp.evaluate(corpus_of({"d": ["a"]}, {"s": {"d": ["a"]}}, texts={"d": "潮汐表"}), k=1, universe="candidates")
    with pytest.raises(kp.UsageError, match="has no chunks; choose among: NBAR"):
        marked_candidates("a", "runs of 1 to 3 words")


def test_both_apostrophes_are_one():
    """A text gives the same candidates, counts and abbreviations with either, and either stop word stops both."""
    plain = "The user's guide index (UGI) isn't O'Neill's. A user's guide of O'Neill. O'Neill and the dogs' home."
    curly = plain.replace("'", "\u2019")
    assert list(candidates(curly)) == list(candidates(plain))
    mixed = candidates(f"{plain} {curly}")
    assert list(mixed) == list(candidates(f"{plain} {plain}"))
    read = Tokens.of("The rock 'n' roll isn\u2019t bad (RB).", Stems("none"))
    assert abbreviations(read) == abbreviations(Tokens.of("The rock 'n' roll isn't bad (RB).", Stems("none")))
    assert [Edges({"isn't"})[token] for token in ("isn\u2019t", "isn't")] == [1, 1]
    assert [Edges({"isn\u2019t"})[token] for token in ("isn\u2019t", "isn't")] == [1, 1]
    texts = {"d1": "O\u2019Neill and O'Neill.", "d2": "A tide."}
    result = kp.extract(texts, "tfidf", stemmer="none").frame
    assert result["score"].iloc[0] == pytest.approx(2 * np.log(2))  # O'Neill twice, in one of two documents
