"""Phrases become comparable strings, and texts become tokens."""

import pytest

from kp_core.errors import InputError, UsageError
from kp_core.text.normalise import Normaliser, mostly_cjk
from kp_core.text.stem import STEMMERS, stem_words
from kp_core.text.tokenise import clean, sentences, word_runs
from tests.cases import cases

CASES = cases(__file__)


def normalised(pipeline, *phrases):
    return Normaliser.parse(pipeline).apply(phrases)


@pytest.mark.parametrize(("pipeline", "phrase", "expected"), CASES["steps"])
def test_step(pipeline, phrase, expected):
    assert normalised(pipeline, phrase) == [expected]


def test_empty_stem_keeps_its_word():
    for stemmer in STEMMERS:
        assert all(stem_words(["s", "es", "ly", "1", "-"], stemmer))


def test_phrases_with_border_character_stay_distinct():
    assert normalised("lower", "A\x00B", "C") == ["a b", "c"]


def test_half_a_character_is_refused_in_words():
    with pytest.raises(InputError, match="half a character"):
        normalised("nfkc+porter-nltk", "broken\ud83d")


def test_unknown_steps_and_two_stemmers_are_refused():
    with pytest.raises(UsageError, match="no normalisation step 'stem'"):
        Normaliser.parse("lower+stem")
    with pytest.raises(UsageError, match="two stemmers"):
        Normaliser.parse("porter-nltk+snowball-en")


@pytest.mark.parametrize(("phrases", "expected"), CASES["scripts"])
def test_scripts_that_are_not_stemmed(phrases, expected):
    assert mostly_cjk(phrases) is expected


@pytest.mark.parametrize(("text", "expected"), CASES["sentences"])
def test_sentences_of_tokens(text, expected):
    assert sentences(clean(text)) == [sentence.split() for sentence in expected]


def test_word_runs_end_at_punctuation():
    assert word_runs("The user's guide (short). Next one") == [["The", "user's", "guide"], ["short"], ["Next", "one"]]
    assert word_runs("... !") == []
