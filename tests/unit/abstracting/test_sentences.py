"""Sentences, their ids and their attributes, against values computed by hand."""

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.scoring.prepare import prepare
from kp_core.scoring.sentence_ids import list_sentences, names_sentences, sentence_id, sentence_rows
from kp_core.studies.sentence_study.attributes import ATTITUDE_WORDS, attitude, attributes
from kp_core.text.stem import STEMMERS
from tests.cases import cases
from tests.corpora import universe_sizes

CASES = cases(__file__)

PIPELINES = sorted({kp.Settings(preset=name).normalise for name in kp.PRESETS} - {"none"})
#: Four sentences in two paragraphs. Nouns: (tide, table) (tide, tide, harbour) (harbour) (moon).
TEXT = "The tide has a table.\nThe tide meets the tide in the harbour.\n\nA harbour is old! Must the moon be seen?"


def loaded(**documents: tuple[str | None, str | None, str | None]) -> kp.Corpus:
    """Return a corpus of documents: id = (text, title, type)."""
    rows = [(name, *reported) for name, reported in documents.items()]
    return kp.Corpus(documents=pd.DataFrame(rows, columns=["doc_id", "text", "title", "group"]).astype("str"))


@pytest.fixture
def tides():
    return loaded(d1=(TEXT, "The harbours", "lecture"))


def test_sentences_are_listed_with_ids_and_paragraphs(tides):
    table = list_sentences(tides)
    assert table["sentence"].tolist() == ["d1#s001", "d1#s002", "d1#s003", "d1#s004"]
    assert table["paragraph"].tolist() == [1, 1, 2, 2]
    assert table["text"][1:3].tolist() == ["The tide meets the tide in the harbour.", "A harbour is old!"]
    assert [*table["text"]][::3] == ["The tide has a table.", "Must the moon be seen?"]


def test_attributes_by_hand(tides):
    table, notes = attributes(tides)
    assert notes == []
    assert table["location"].tolist() == [0, 0.25, 0.5, 0.75]
    assert table["paragraph_location"].tolist() == [0, 0.5, 0, 0.5]
    assert table["length"].tolist() == [21, 39, 17, 22]
    assert table["attitude"].tolist() == [1, 1, 3, 3]
    assert table["group"].tolist() == ["lecture"] * 4
    # tide and harbour are in two of four sentences: ln 2 / ln 4 = 1/2; table and moon in one: 1.
    assert table["tf_idf"].tolist() == pytest.approx([0.5 + 1, 0.5 + 0.5 * 0.5, 0.5, 1], abs=1e-12)
    assert table["title_similarity"].tolist() == pytest.approx([0, 0.25, 0.5, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("expected", "text"), [(int(kind), text) for kind, texts in CASES["attitudes"].items() for text in texts]
)
def test_attitude(expected, text):
    assert attitude(text) == expected


def test_every_word_of_attitude_that_is_printed_counts():
    for word in ATTITUDE_WORDS.replace(";", ",").split(", "):
        if "followed" not in word and " or " not in word and word not in ("important", "expected"):
            for spelled in {word.replace("(s)", ""), word.replace("(s)", "s")}:
                assert attitude(f"They {spelled} it.") == 2, spelled
    for word in ("necessary", "important", "expected", "likely"):
        assert [attitude(f"It {verb} {word}.") for verb in ("is", "are", "was")] == [2, 2, 1]


def test_missing_attributes_are_zero_with_note():
    texts = {"d1": ("One tide.", None, None), "d2": ("", "Empty", None), "d3": ("A sea. A sea.", "", None)}
    table, notes = attributes(loaded(**texts))
    assert table["doc_id"].tolist() == ["d1", "d3", "d3"]
    assert table["title_similarity"].tolist() == [0, 0, 0]
    assert table["tf_idf"].tolist() == [0, 0, 0]
    said = {note.where: note.message for note in notes}
    assert said == {
        "texts": "no sentence in 1 document: d2, so nothing can be chosen there",
        "title_similarity": "no title in 2 documents: d1, d3; the attribute counts as 0 there",
        "title_similarity and tf_idf": "one sentence, whose weights are undefined in 1 document: d1; the attribute "
        "counts as 0 there",
    }


def test_given_attributes_take_the_place_of_computed_ones(tides):
    rows = [("d1#s002", "7", "2", "N"), ("d1#s001", "5", "1", "C"), ("d1#s003", None, "1", "E")]
    given = pd.DataFrame(rows, columns=["sentence", "length", "attitude", "group"])
    table, notes = attributes(tides, given)
    assert table["length"].tolist() == [5, 7, 0, 0]
    assert table["attitude"].tolist() == [1, 2, 1, 0]
    assert table["group"].tolist() == ["C", "N", "E", ""]
    assert [(note.where, note.message[:7]) for note in notes] == [("length", "2 of 4 "), ("attitude", "1 of 4 ")]


@pytest.mark.parametrize(("given", "words"), CASES["wrong_attributes"])
def test_given_attributes_that_are_wrong_are_refused(tides, given, words):
    with pytest.raises(kp.InputError, match=words.replace("“", ".").replace("”", ".")):
        attributes(tides, pd.DataFrame(given))


@pytest.mark.parametrize("pipeline", [*PIPELINES, *STEMMERS, "sort", "punct-strip", "hyphen-split", "possessive-drop"])
def test_no_normalisation_merges_two_sentences(pipeline):
    ids = [sentence_id("a-b's", number) for number in range(1, 13)]
    corpus = kp.Corpus(
        documents=pd.DataFrame([("a-b's", "A sea. " * 12, None, None)], columns=["doc_id", "text", "title", "group"]),
        gold=pd.DataFrame(
            [("a-b's", annotator, phrase, np.nan) for annotator in "AB" for phrase in ids],
            columns=["doc_id", "annotator", "phrase", "relevance"],
        ),
    )
    data = prepare(corpus, normalise=pipeline)
    assert (data.settings.normalise, data.settings.k) == ("none", (12,))
    assert "compared literally" in data.notes[-1].message


def chosen(corpus: kp.Corpus, **lists: list[str]) -> kp.Corpus:
    rows = [("d1", annotator, phrase, np.nan) for annotator, phrases in lists.items() for phrase in phrases]
    gold = pd.DataFrame(rows, columns=["doc_id", "annotator", "phrase", "relevance"])
    return kp.Corpus(documents=corpus.documents, gold=gold.astype(dict.fromkeys(gold.columns[:3], "str")))


def test_sentence_ids_imply_universe_of_sentences(tides):
    corpus = chosen(tides, A=["d1#s001", "d1#s002"], B=["d1#s001"])
    assert names_sentences(corpus)
    assert universe_sizes(corpus, "sentences") == {"d1": 4}
    # a = 1, b + c = 1, N = 4: P(A) = 3/4, p = 3/8, K = 1 - (1/4) / (2 · 3/8 · 5/8) = 7/15
    result = kp.agreement(corpus, measures="K")
    assert result.settings.universe == "sentences"
    frame = result.frame
    assert frame.loc[frame["system"] == "all", "value"].item() == pytest.approx(7 / 15, abs=1e-12)
    words = chosen(tides, A=["tide", "d1#s002"])
    assert not names_sentences(words)
    assert prepare(words).settings.universe == "ngrams:3"


def test_misspelled_sentence_id_is_refused(tides):
    """Otherwise, agreement would silently be counted over n-grams, after stemming."""
    corpus = chosen(tides, A=["d1#s001", "d1#s3"], B=["d1#s001"])
    with pytest.raises(kp.InputError, match="expected one of its 4 sentences, such as d1#s001, found “d1#s3”"):
        kp.agreement(corpus, measures="K")


@pytest.mark.parametrize("phrase", ["s3", "d1#s3", "d1#s03", "d1#s009", "d2#s001", "tide"])
def test_unknown_sentences_are_refused(tides, phrase):
    corpus = chosen(tides, A=["d1#s001", phrase], B=["d1#s001"])
    words = rf"document 'd1': expected one of its 4 sentences, such as d1#s001, .*{phrase}"
    with pytest.raises(kp.InputError, match=words):
        sentence_rows(corpus.gold, corpus, "the gold standard")
    with pytest.raises(kp.InputError, match="Use the ids from the list of sentences"):
        kp.sentence_study(corpus)
