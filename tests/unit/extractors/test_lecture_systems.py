"""The six lecture systems: the table worked by hand, invariants, and what is refused."""

import math

import numpy as np
import pandas as pd
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
    """It gives cos(d1, e1) = .5 and the chunks of d1, and says nothing about the others."""
    monkeypatch.setattr(Collection, "cosines", lambda self: np.array([[0.5], [0.0], [0.0]]))
    chunks = [{"tide table", "harbour", "high tide"}, {"harbour master", "harbour rules"}, {"moon", "sea"}]
    monkeypatch.setattr(Collection, "chunk_forms", chunks)
    of_chunks = SYSTEMS[name].chunks
    stop = "english" if of_chunks else STOP
    found = listed(extract(TEXTS, name, None, EXTERNAL, stop_words=stop, stemmer="none"), "d1")
    scores, first = WORKED[name]
    assert found.reindex(NAMES).fillna(0).tolist() == pytest.approx(scores, abs=1e-12)
    assert ", ".join(found.index[:3]) == first
    assert set(found.index) == (chunks[0] if of_chunks else set(CANDIDATES.split(", ")))


def test_scores_are_those_of_a_brute_force_count():
    """tf-idf of random texts, counted here word by word."""
    rng = np.random.default_rng(5)
    words = [f"w{letter}" for letter in "abcdefgh"]
    texts = {f"d{i}": ". ".join(" ".join(rng.choice(words, 6)) for _ in range(8)).upper() for i in range(12)}
    counted = {}
    for name, text in texts.items():
        for sentence in text.lower().split(". "):
            tokens = sentence.split()
            for n in (1, 2, 3):
                for start in range(len(tokens) - n + 1):
                    key = name, " ".join(tokens[start : start + n])
                    counted[key] = counted.get(key, 0) + 1
    frequency = pd.Series([phrase for _, phrase in counted]).value_counts()
    expected = {(d, p): tf * math.log(12 / frequency[p]) for (d, p), tf in counted.items()}
    runs = extract(texts, "tfidf", None, stop_words=["x"], stemmer="none").frame
    found = {(d, p.lower()): s for d, p, s in zip(runs["doc_id"], runs["phrase"], runs["score"], strict=True)}
    assert found == pytest.approx(expected, abs=1e-12)


def test_cosines_are_those_of_scikit_learns_own_tokens():
    """Same words, same weights: the vectoriser with its defaults, on texts whose tokens are plain words."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = {"a": "tide table sea", "b": "sea moon moon", "c": "harbour"}
    outside = {"e": "tide sea sea", "f": "moon rock", "g": "other words"}
    vectors = TfidfVectorizer().fit_transform([*texts.values(), *outside.values()])
    expected = (vectors[:3] @ vectors[3:].T).toarray()
    found = Collection(texts, Stems("none"), (), external=External(outside)).cosines()
    assert np.allclose(found, expected, atol=1e-12)
    assert found[0, 0] > found[1, 1] > found[0, 1] == 0


def test_only_the_most_similar_external_documents_count():
    texts = {"a": "tide table", "b": "moon rock"}
    outside = {"near": "tide table", "far": "tide rock stone sand shell"}
    gain = {}
    for m in (1, 2):
        scores = listed(extract(texts, "document-boosting", None, External(outside), stemmer="none", m=m), "a")
        gain[m] = scores["tide"] / math.log(2) - 1
    cosines = Collection(texts, Stems("none"), (), external=External(outside)).cosines()[0]
    assert gain[1] == pytest.approx(0.5 * cosines[0])
    assert gain[2] == pytest.approx(0.5 * (cosines[0] + cosines[1] * 2 / 5))


@pytest.fixture(scope="module")
def plain(lectures):
    return extract(lectures, "tfidf", None)


def test_chunks_are_among_the_candidates_of_tfidf_and_may_be_of_any_length(lectures, plain):
    scores = plain.frame.set_index(["doc_id", "phrase"])["score"]
    inside = extract(lectures, "tfidf-chunks", None).frame.set_index(["doc_id", "phrase"])["score"]
    assert 0.1 < len(inside) / len(scores) < 0.6
    assert scores[inside.index].tolist() == inside.tolist()
    longer = extract(lectures, "tfidf-chunks", None, longest=0).frame.set_index(["doc_id", "phrase"])["score"]
    assert longer.index.get_level_values(1).str.split().str.len().max() > 3
    assert longer[inside.index].tolist() == pytest.approx(inside.tolist())


def test_raising_one_phrase_never_worsens_its_rank(lectures, plain):
    before = plain.frame.set_index(["doc_id", "phrase"])["rank"]
    for phrase in ("index", "inverted index", "search engine"):
        after = extract(lectures, "phrase-boosting", None, {phrase: 1}).frame.set_index(["doc_id", "phrase"])["rank"]
        own = [key for key in before.index if key[1].lower() == phrase]
        assert own
        assert (after[own] <= before[own]).all()


def test_one_document_has_no_rare_phrases():
    found = extract({"d": "The tide table. A tide."}, "tfidf")
    assert listed(found, "d").to_dict() == {"tide": 2, "tide table": 1, "table": 1}
    assert "one document only" in found.notes[-1].message


def test_a_phrase_of_all_documents_comes_last_and_the_most_frequent_spelling_is_shown():
    found = extract({"a": "Sea, tide. Hash Tables. A hash table. The hash table.", "b": "Sea. Moons; moon"}, "tfidf")
    assert listed(found, "a").index[-1] == "Sea"
    assert listed(found, "a")["Sea"] == 0
    assert "hash table" in listed(found, "a")
    assert listed(found, "b").index.tolist() == ["Moons", "Sea"]  # of equally frequent spellings the earliest


@pytest.mark.parametrize("name", [name for name, one in SYSTEMS.items() if one.needs])
def test_boosting_without_an_external_source_is_unavailable(name):
    with pytest.raises(kp.UsageError, match=f"{name} needs .*external .*; none (is|are) loaded"):
        extract(TEXTS, name)


@pytest.mark.parametrize(("options", "message"), CASES["wrong_usage"])
def test_wrong_usage_is_refused_with_the_choices(options, message):
    with pytest.raises(kp.UsageError, match=message):
        extract(TEXTS, **options)


def test_texts_without_english_words_are_refused_or_said_to_be_empty():
    with pytest.raises(kp.InputError, match="no English tokens in document d and in no other"):
        extract({"d": "潮汐表", "e": "12 13"}, "tfidf")
    with pytest.raises(kp.InputError, match="no text"):
        extract({"d": "", "e": " "}, "tfidf")
    found = extract({"d": "潮汐表", "e": "A tide table.", "f": ""}, "tfidf")
    assert found.silent == ("d", "f")
    assert found.notes[0].message == "There are no English tokens in document d; its list is empty."
    assert listed(found, "e").index[0] == "tide"


def test_another_language_is_noticed_and_can_be_given():
    french = "Les marées montent et descendent deux fois par jour dans le port de la ville. " * 5
    found = extract({"d": french, "e": "A tide table."}, "tfidf")
    assert any("probably not in English" in note.message for note in found.notes)
    own = extract({"d": french, "e": "la mer"}, "tfidf", stop_words=["les", "la", "de"], stemmer="snowball-fr")
    assert not any("English" in note.message for note in own.notes)
    assert "stop:own-3-" in own.signature
    assert "stem:snowball-fr-pystemmer" in own.signature


def test_recipe_and_notes_say_what_was_done():
    found = extract(TEXTS, "tfidf-chunks,phrase-boosting", 5, EXTERNAL, beta=2)
    assert list(found.settings) == ["tfidf-chunks", "phrase-boosting"]
    begin = "kps-extract|method:tfidf-chunks|longest:3|stop:sklearn-english-318-"
    assert found.settings["tfidf-chunks"].startswith(begin)
    assert "|tags:HanTa-1.2.1-repaired|" in found.settings["tfidf-chunks"]
    assert "|beta:2|external:2-phrases-" in found.settings["phrase-boosting"]
    assert all(line.endswith(f"|top:5|docs:3|v:{kp.__version__}") for line in found.settings.values())
    assert [note.message for note in found.notes] == [f"This system is {RECONSTRUCTED}."] * 2


def test_lists_are_read_back_as_they_are():
    texts = TEXTS | {"d4": "潮汐表"}
    found = extract(texts, "tfidf,phrase-boosting", 3, EXTERNAL)
    corpus = kp.load(gold={"d1": ["tide"], "d4": ["x"]}, systems=found.as_source())
    assert corpus.systems == ["tfidf", "phrase-boosting"]
    assert corpus.rankings["tfidf"].ranked_by == "rank"
    columns = ["system", "doc_id", "rank", "phrase", "score"]
    assert corpus.runs[columns].to_numpy().tolist() == found.frame[columns].to_numpy().tolist()
    assert corpus.empty[corpus.empty["role"] == "system"]["doc_id"].tolist() == ["d4", "d4"]
    alone = found.renamed("tfidf", "mine")
    assert kp.load(gold={"d1": ["tide"]}, systems=alone.as_source()).systems == ["mine"]


def test_progress_is_told_and_an_exception_cancels():
    told = []
    extract(TEXTS, "tfidf", progress=lambda share, words: told.append((share, words)))
    assert told == [(n / 3, f"reading document {n} of 3") for n in (1, 2, 3)]

    def cancel(share, words):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract(TEXTS, "tfidf", progress=cancel)


@pytest.mark.parametrize(
    ("system", "options", "where"),
    [
        ("phrase-boosting", {"external": kp.External({}, {"zebra": 1.0, "tide table,0.5": 1.0})}, "external list"),
        ("phrase-boosting", {"external": EXTERNAL, "beta": 0}, "external list"),
        ("phrase-boosting-ngrams", {"external": kp.External({}, {"zebra": 1.0})}, "external list"),
        ("document-boosting", {"external": EXTERNAL, "lam": 0}, "external documents"),
        ("document-boosting", {"external": kp.External({"e": "A zebra."}, {})}, "external documents"),
    ],
)
def test_a_boosting_system_that_raises_nothing_says_that_it_is_tfidf(system, options, where):
    found = extract(TEXTS, system, None, **options)
    plain = extract(TEXTS, "tfidf", None)
    assert found.frame["score"].tolist() == plain.frame["score"].tolist()
    said = f"Nothing in the {where} raises a candidate of these texts, so the scores are those of TF-IDF."
    assert [note.message for note in found.notes if note.level == "warning"] == [said]
    assert not [note for note in extract(TEXTS, system, None, EXTERNAL).notes if note.level == "warning"]


def test_external_files_are_read_as_each_system_takes_them(tmp_path):
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
    with pytest.raises(kp.InputError, match=r"book.jsonl: .*name them apart: --external and --phrases, or"):
        extract(TEXTS, list(SYSTEMS), external=mixed)


@pytest.mark.parametrize(("name", "data", "expected"), CASES["lists_of_phrases"])
def test_lists_of_phrases_in_several_formats(name, data, expected):
    assert read_phrases(Source(name, data.encode())) == expected


@pytest.mark.parametrize(("name", "data", "message"), CASES["refused_lists"])
def test_lists_of_phrases_that_are_refused(name, data, message):
    with pytest.raises(kp.InputError, match=message):
        read_phrases(Source(name, data.encode()))
