"""Phrases become comparable strings, and texts become tokens."""

import sys
from importlib import import_module

import pytest

from kp_core.errors import InputError, UsageError
from kp_core.text import stem
from kp_core.text.normalise import Normaliser, mostly_cjk
from kp_core.text.stem import SNOWBALL, STEMMERS, stem_words
from kp_core.text.tokenise import LONGEST_SENTENCE, clean, sentences, word_runs

PORTER = "nltk.stem.porter"


def normalised(pipeline, *phrases):
    return Normaliser.parse(pipeline).apply(phrases)


@pytest.mark.parametrize(
    ("pipeline", "phrase", "expected"),
    [
        ("nfc", "e\u0301", "é"),
        ("nfc", "ﬁle", "ﬁle"),
        ("nfkc", "ﬁle ²", "file 2"),
        ("nfc", "key\u00adword", "keyword"),
        ("nfkc", "\ufeffkey\u200bword", "keyword"),
        ("lower", "NAÏVE Bayes", "naïve bayes"),
        ("lower", "Straße", "straße"),
        ("casefold", "Straße", "strasse"),
        ("space", "\u00a0deep \t\n learning\u2003", "deep learning"),
        ("space", "机器 学习 AI", "机器学习 AI"),
        ("space", "データ　マイニング", "データマイニング"),
        ("space", "기계 학습", "기계 학습"),
        ("hyphen-keep+space", "ad\u2010hoc non\u2011linear a\u2212b", "ad-hoc non-linear a-b"),
        ("hyphen-split", "peer\u2010to-peer", "peer to peer"),
        ("hyphen-join", "ad-hoc", "adhoc"),
        ("possessive-drop", "agent's goal", "agent goal"),
        ("possessive-drop", "agent’s goal", "agent goal"),
        ("possessive-drop", "agents' goals", "agents goals"),
        ("possessive-drop", "Bayes’", "Bayes"),
        ("possessive-drop", "agent ' goal", "agent goal"),
        ("possessive-drop", "it'll rock'n'roll", "it'll rock'n'roll"),
        ("punct-strip", "(graph, theory)", "graph theory"),
        ("punct-strip", "graphs , nodes .", "graphs nodes"),
        ("punct-strip", "o'clock e-mail", "o'clock e-mail"),
        ("sort", "neural deep networks", "deep networks neural"),
        ("none", " As  IT is ", " As  IT is "),
        ("nfkc+lower+space+porter-nltk", "  Neural\u00a0NETWORKS", "neural network"),
        ("lower+space+porter-semeval", "Large-Scale Datum", "larg-scale data"),
        ("lower+space+porter-original", "Keys of arrays", "kei of arrai"),
        ("lower+space+snowball-fr", "Réseaux neuronaux", "réseau neuronal"),
        ("lower+space+snowball-de", "Häuser", "haus"),
    ],
)
def test_step(pipeline, phrase, expected):
    assert normalised(pipeline, phrase) == [expected]


def test_a_stem_that_comes_out_empty_keeps_its_word():
    for stemmer in STEMMERS:
        assert all(stem_words(["s", "es", "ly", "1", "-"], stemmer))


def test_phrases_that_hold_the_border_character_stay_apart():
    assert normalised("lower", "A\x00B", "C") == ["a b", "c"]


def test_half_a_character_is_refused_in_words():
    with pytest.raises(InputError, match="half a character"):
        normalised("nfkc+porter-nltk", "broken\ud83d")


def test_unknown_steps_and_two_stemmers_are_refused():
    with pytest.raises(UsageError, match="no normalisation step 'stem'"):
        Normaliser.parse("lower+stem")
    with pytest.raises(UsageError, match="two stemmers"):
        Normaliser.parse("porter-nltk+snowball-en")


def test_a_pipeline_prints_as_its_name_and_knows_its_stemmer():
    assert [str(Normaliser.parse(name)) for name in ("none", "lower+hyphen-keep")] == ["none", "lower+hyphen-keep"]
    stemming = Normaliser.parse("lower+snowball-en")
    assert (stemming.stemmer, str(stemming.without_stemmer())) == ("snowball-en", "lower")
    assert Normaliser.parse("lower").stemmer is None


def test_every_snowball_language_stems():
    for language in SNOWBALL:
        assert stem_words(["test"], f"snowball-{language}")[0]


@pytest.mark.parametrize("mode", ["ORIGINAL_ALGORITHM", "MARTIN_EXTENSIONS", "NLTK_EXTENSIONS"])
def test_the_stemmer_loaded_by_itself_is_that_of_nltk(mode, monkeypatch):
    words = [
        letters + end
        for letters in ("comput", "fli", "d", "agree", "hop", "sky", "generaliz", "ies", "b", "")
        for end in ("", "s", "es", "ed", "ing", "ation", "ies", "y", "al", "iveness", "ization", "eed", "ly", "'s")
    ]
    monkeypatch.delitem(sys.modules, PORTER, raising=False)
    alone = stem.porter_stemmer.__wrapped__()
    assert PORTER not in sys.modules
    expected = import_module(PORTER).PorterStemmer(mode=mode)
    assert alone is not type(expected)
    assert [alone(mode=mode).stem(word) for word in words] == [expected.stem(word) for word in words]


@pytest.mark.parametrize(
    ("phrases", "expected"),
    [
        (["机器学习", "数据挖掘", "AI"], True),
        (["キーワード抽出"], True),
        (["기계 학습"], True),
        (["deep learning", "学习"], False),
        (["学习 ab"], False),  # half is not most
        (["123", "!"], False),
        ([], False),
    ],
)
def test_scripts_that_are_not_stemmed(phrases, expected):
    assert mostly_cjk(phrases) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two. three. 4 is.", ["One .", "Two . three .", "4 is ."]),  # before an upper-case letter or a digit
        ("Really? Yes!", ["Really ?", "Yes !"]),
        ("好。好 . then", ["好 。", "好 . then"]),  # or a letter without case
        ("peer-to-peer 3.5 1,000 o'clock agent's x_y 机器", ["peer-to-peer 3.5 1,000 o'clock agent 's x _ y 机 器"]),
        ("An e\u0301tude\u00a0here, key\u00adword.", ["An étude here , keyword ."]),  # cleaned before it is cut
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_of_tokens(text, expected):
    assert sentences(clean(text)) == [sentence.split() for sentence in expected]


def test_a_sentence_has_at_most_eighty_tokens():
    assert [len(sentence) for sentence in sentences("word " * 170)] == [LONGEST_SENTENCE, LONGEST_SENTENCE, 10]


def test_word_runs_end_at_punctuation_and_keep_the_possessive():
    assert word_runs("The user's guide (short). Next one") == [["The", "user's", "guide"], ["short"], ["Next", "one"]]
    assert word_runs("... !") == []
