"""Phrases are found on token boundaries of the normalised text, at places in the text as it was given."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kp_core.text.normalise import Normaliser
from kp_core.text.places import places, token_lines
from tests.cases import cases
from tests.phrases import present

CASES = cases(__file__)

STEMMED = "nfkc+lower+space+porter-nltk"


def is_present(text, phrase, pipeline=STEMMED):
    return present(text, [phrase], Normaliser.parse(pipeline))[0]


def marked(text, phrases, pipeline=STEMMED, **more):
    return [(text[p.start : p.end], p.kind) for p in places(text, phrases, Normaliser.parse(pipeline), **more)]


@pytest.mark.parametrize(("text", "phrase", "expected"), CASES["present_or_absent"])
def test_present_or_absent(text, phrase, expected):
    assert is_present(text, phrase) is expected


@pytest.mark.parametrize(("text", "phrase", "pipeline", "expected"), CASES["under_a_pipeline"])
def test_the_pipeline_decides(text, phrase, pipeline, expected):
    assert is_present(text, phrase, pipeline) is expected


def test_phrases_released_as_stems_are_not_stemmed_again():
    stem = Normaliser.parse(STEMMED)
    text, phrase = "several universities", "univers"
    assert token_lines([text], stem) == [" sever univers "]
    assert not present("the generalised", ["generalis"], stem)[0]  # stemmed again: `generali`
    assert present("the generalised", ["generalis"], stem, stem.without_stemmer())[0]
    assert marked("the generalised", {"gold": ["generalis"]}, stemmed={"gold"}) == [("generalised", "gold")]
    assert present(text, [phrase], stem, stem.without_stemmer())[0]


def test_longer_then_earlier_then_first_kind_wins():
    text = "graph neural network graph"
    kinds = {"found": ["graph neural"], "missed": ["neural networks", "graph"], "spurious": ["network", "Graph"]}
    assert marked(text, kinds) == [("graph neural", "found"), ("network", "spurious"), ("graph", "missed")]
    kinds = {"found": ["graph"], "spurious": ["neural network graph"]}
    assert marked(text, kinds) == [("graph", "found"), ("neural network graph", "spurious")]
    parts = [("graph", "found"), ("neural network", "spurious"), ("graph", "found")]
    assert marked(text, kinds, yielding={"spurious"}) == parts  # a longer phrase that yields hides no hit


@pytest.mark.parametrize(("text", "phrase", "pipeline", "shown"), CASES["as_it_was_given"])
def test_places_refer_to_original_text(text, phrase, pipeline, shown):
    assert marked(text, {"found": [phrase]}, pipeline) == [(shown, "found")]


letters = st.text("aAsb -'’.,\u00a0\u00ad\u2010\u0301ﬂßΣ机器한\u1112\u1161´½\n", max_size=24)
pipelines = st.sampled_from(
    f"none lower {STEMMED} nfkc+casefold+hyphen-split+possessive-drop nfc+hyphen-join+punct-strip lower+sort".split()
)


@given(letters, st.lists(letters, max_size=5), pipelines)
@example("a's's", ["a"], "nfkc+casefold+hyphen-split+possessive-drop")
def test_phrase_has_place_exactly_if_present(text, phrases, pipeline):
    normaliser = Normaliser.parse(pipeline)
    there = present(text, phrases, normaliser)
    for phrase, is_there in zip(phrases, there, strict=True):
        result = places(text, {"any": [phrase]}, normaliser)
        assert bool(result) == is_there
        assert all(present(text[p.start : p.end], [phrase], normaliser)[0] for p in result)
    together = places(text, {"one": phrases[:2], "two": phrases[2:]}, normaliser)
    assert bool(together) == any(there)
    ends = [0, *(p.end for p in together)]
    assert all(p.start >= end for p, end in zip(together, ends, strict=False))
    assert all(p.start < p.end <= len(text) for p in together)
