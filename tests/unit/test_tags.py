"""Part-of-speech tags: classes of tags and phrases, repair of participles, and the traps of the tagger."""

import time

import pytest

from kp_core.errors import InputError
from kp_core.text import tags
from tests.cases import cases

CASES = cases(__file__)

#: Phrase, its C5 tags by HanTa 1.2.1, and their classes.
PHRASES = CASES["phrases"]


@pytest.mark.parametrize(("phrase", "expected", "classes"), PHRASES)
def test_tags_and_classes_of_ten_phrases(phrase, expected, classes):
    (names,) = tags.tag([phrase.split()])
    assert " ".join(names) == expected
    assert "".join(map(tags.word_class, names)) == classes


@pytest.mark.parametrize(("names", "classes", "expected"), CASES["participles"])
def test_participles_of_a_sentence_are_repaired(names, classes, expected):
    assert tags.repair_participles(names.split(), classes) == expected


def test_given_tags_precede_texts_and_phrase():
    phrases = ["grid", "distributed hash table", "hash tables", "absent thing", "Penn one"]
    texts = ["We use distributed hash tables. A distributed hash table is good.", "The distributed hash table failed."]
    given = ["other", None, "", None, "JJ NN"]
    result = tags.keyphrase_classes(phrases, texts, given)
    assert result[0] == ("other", "given")
    assert result[1] == ("AdjN", "texts")  # the participle is repaired between determiner and noun
    assert result[2] == ("NN", "texts")
    assert result[3] == ("AdjN", "phrase")
    assert result[4] == ("AdjN", "given")
    assert tags.keyphrase_classes(["distributed hash table"]) == [("other", "phrase")]


def test_tagger_skips_long_empty_and_punctuation_tokens():
    assert tags.tag([["-LRB-", "a" * 61, "", "b" * 60, "...", "&"]]) == [["O", "O", "O", "AJ0", "O", "O"]]
    assert tags.tag([]) == []
    assert tags.tag([[], [""]]) == [[], ["O"]]


def test_words_are_forgotten_after_the_call():
    tags.tag([["graphs", "graphs"]])
    assert "analyze_forward" not in vars(tags._tagger())


def test_word_of_5000_letters_is_tagged_quickly():
    tags.tag([["warm", "up"]])
    begun = time.process_time()
    assert tags.tag([["graph", "x" * 5000]]) == [["NN1", "O"]]
    assert time.process_time() - begun < 5  # HanTa itself takes more than a minute


def test_tagger_ignores_model_in_working_directory(tmp_path, monkeypatch):
    (tmp_path / "morphmodel_en.pgz").write_bytes(b"not a model")
    monkeypatch.chdir(tmp_path)
    tags._tagger.cache_clear()
    assert tags.tag([["graphs"]]) == [["NN2"]]


def test_another_model_is_refused_before_it_is_loaded(monkeypatch):
    from HanTa import HanoverTagger

    def never(*_):
        pytest.fail("a model of unknown content was loaded")

    monkeypatch.setattr(HanoverTagger, "HanoverTagger", never)
    monkeypatch.setattr(tags, "MODEL_SHA256", "0" * 64)
    tags._tagger.cache_clear()
    with pytest.raises(InputError, match="found 99ddc9b14b3f"):
        tags.tag([["graph"]])
    monkeypatch.undo()
    tags._tagger.cache_clear()
