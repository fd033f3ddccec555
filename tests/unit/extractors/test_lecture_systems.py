"""The six lecture systems: the table worked by hand, invariants, and what is refused."""

import math

import numpy as np
import pytest

import kp_core as kp
from kp_core.extraction import RECONSTRUCTED, SYSTEMS, External, extract
from kp_core.extraction.collection import Collection
from kp_core.extraction.texts import read_phrases
from kp_core.reading import Source
from kp_core.text.candidates import Stems
from tests.cases import cases

CASES = cases(__file__)

STOP = ["the", "for", "and", "a", "of", "each"]
TEXTS = {
    "d1": "The tide table for the harbour. Each tide table shows the high tide.",
    "d2": "The harbour master and the harbour rules.",
    "d3": "The moon moves the sea.",
}
EXTERNAL = External(
    {"e1": "A tide table of the harbour. The tide table of port. High tide."}, {"tide table": 1.0, "harbour": 0.5}
)
LN3 = math.log(3)
NAMES = ["tide", "tide table", "table", "high tide", "harbour"]
#: System → scores of these, 0 where it is no candidate; and the first three.
WORKED = {
    "tfidf": ([3 * LN3, 2 * LN3, 2 * LN3, LN3, math.log(1.5)], "tide, tide table, table"),
    "tfidf-chunks": ([0, 2 * LN3, 0, LN3, math.log(1.5)], "tide table, high tide, harbour"),
    "document-boosting": (
        [3.75 * LN3, 2.5 * LN3, 2.5 * LN3, 1.25 * LN3, 1.25 * math.log(1.5)],
        "tide, tide table, table",
    ),
    "document-boosting-chunks": ([0, 2.5 * LN3, 0, 1.25 * LN3, 1.25 * math.log(1.5)], "tide table, high tide, harbour"),
    "phrase-boosting": ([3 * LN3, 4 * LN3, 2 * LN3, LN3, 1.5 * math.log(1.5)], "tide table, tide, table"),
    "phrase-boosting-ngrams": ([3 * LN3, 4 * LN3, 2 * LN3, LN3, math.log(1.5)], "tide table, tide, table"),
}
CANDIDATES = "tide, tide table, table, harbour, tide table shows, table shows, shows, shows the high, high, high tide"


def listed(found, document):
    return found.frame[found.frame["doc_id"] == document].set_index("phrase")["score"]


@pytest.mark.parametrize("name", WORKED)
def test_the_worked_example(name, monkeypatch):
    """The source gives only cos(d1, e1) = .5 and the chunks of d1."""
    monkeypatch.setattr(Collection, "cosines", lambda self: np.array([[0.5], [0.0], [0.0]]))
    chunks = [{"tide table", "harbour", "high tide"}, {"harbour master", "harbour rules"}, {"moon", "sea"}]
    monkeypatch.setattr(Collection, "chunk_forms", chunks)
    of_chunks = SYSTEMS[name].chunks
    stop = "english" if of_chunks else STOP
    result = listed(extract(TEXTS, name, None, EXTERNAL, stop_words=stop, stemmer="none"), "d1")
    scores, first = WORKED[name]
    assert result.reindex(NAMES).fillna(0).tolist() == pytest.approx(scores, abs=1e-12)
    assert ", ".join(result.index[:3]) == first
    assert set(result.index) == (chunks[0] if of_chunks else set(CANDIDATES.split(", ")))


def test_cosines_are_those_of_scikit_learns_own_tokens():
    """Same words, same weights: the vectoriser with its defaults, on texts whose tokens are plain words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = {"a": "tide table sea", "b": "sea moon moon", "c": "harbour"}
    outside = {"e": "tide sea sea", "f": "moon rock", "g": "other words"}
    vectors = TfidfVectorizer().fit_transform([*texts.values(), *outside.values()])
    expected = (vectors[:3] @ vectors[3:].T).toarray()
    result = Collection(texts, Stems("none"), (), external=External(outside)).cosines()
    assert np.allclose(result, expected, atol=1e-12)
    assert result[0, 0] > result[1, 1] > result[0, 1] == 0


@pytest.mark.parametrize("name", [name for name, one in SYSTEMS.items() if one.needs])
def test_boosting_without_an_external_source_is_unavailable(name):
    with pytest.raises(kp.UsageError, match=f"{name} needs .*external .*; none (is|are) loaded"):
        extract(TEXTS, name)


@pytest.mark.parametrize(("options", "message"), CASES["wrong_usage"])
def test_wrong_usage_is_refused_with_the_choices(options, message):
    with pytest.raises(kp.UsageError, match=message):
        extract(TEXTS, **options)


def test_texts_without_english_words_are_refused_or_noted():
    with pytest.raises(kp.InputError, match="no English tokens in document d and in no other"):
        extract({"d": "潮汐表", "e": "12 13"}, "tfidf")
    with pytest.raises(kp.InputError, match="no text"):
        extract({"d": "", "e": " "}, "tfidf")
    result = extract({"d": "潮汐表", "e": "A tide table.", "f": ""}, "tfidf")
    assert result.silent == ("d", "f")
    assert result.notes[0].message == "There are no English tokens in document d; its list is empty."
    assert listed(result, "e").index[0] == "tide"


def test_signature_and_notes_describe_extraction():
    result = extract(TEXTS, "tfidf-chunks,phrase-boosting", 5, EXTERNAL, beta=2)
    assert list(result.settings) == ["tfidf-chunks", "phrase-boosting"]
    begin = "kps-extract|method:tfidf-chunks|longest:3|stop:sklearn-english-318-"
    assert result.settings["tfidf-chunks"].startswith(begin)
    assert "|tags:HanTa-1.2.1-repaired|" in result.settings["tfidf-chunks"]
    assert "|beta:2|external:2-phrases-" in result.settings["phrase-boosting"]
    assert all(line.endswith(f"|top:5|docs:3|v:{kp.__version__}") for line in result.settings.values())
    assert [note.message for note in result.notes] == [f"This system is {RECONSTRUCTED}."] * 2


def test_external_files_are_read_per_system(tmp_path):
    glossary = tmp_path / "glossary.txt"
    glossary.write_text("tide table\nharbour\t.5\n", encoding="utf-8")
    expected = extract(TEXTS, "phrase-boosting", external=EXTERNAL)
    assert extract(TEXTS, "phrase-boosting", external=glossary).frame.equals(expected.frame)
    book = tmp_path / "book.txt"
    book.write_text(EXTERNAL.documents["e1"], encoding="utf-8")
    expected = extract(TEXTS, "document-boosting", external=EXTERNAL)
    assert extract(TEXTS, "document-boosting", external=[book]).frame.equals(expected.frame)
    both = {"documents": book, "phrases": glossary}
    assert set(extract(TEXTS, list(SYSTEMS), external=both).frame["system"]) == set(SYSTEMS)
    mixed = [Source("book.jsonl", b'{"id": "e", "text": "A tide table."}'), glossary]
    with pytest.raises(kp.InputError, match=r"book.jsonl: .*name them separately: --external and --phrases, or"):
        extract(TEXTS, list(SYSTEMS), external=mixed)


@pytest.mark.parametrize(("name", "data", "expected"), CASES["lists_of_phrases"])
def test_lists_of_phrases_in_several_formats(name, data, expected):
    assert read_phrases(Source(name, data.encode())) == expected


@pytest.mark.parametrize(("name", "data", "message"), CASES["refused_lists"])
def test_lists_of_phrases_that_are_refused(name, data, message):
    with pytest.raises(kp.InputError, match=message):
        read_phrases(Source(name, data.encode()))
