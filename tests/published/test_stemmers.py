"""Stemmers against recorded stems, and the SemEval rule against the released stemmed gold standards."""

import json

import pytest

from kp_core.text.normalise import Normaliser
from kp_core.text.stem import stem_words
from tests.cases import rows


@pytest.fixture(scope="module")
def table(shared):
    return rows(shared("oracles/ranking/stemmer_modes.csv"))


@pytest.mark.parametrize("mode", ["porter-original", "porter-martin", "porter-nltk"])
def test_porter_modes(table, mode):
    words = [row["word"] for row in table]
    assert len(words) == 279
    assert stem_words(words, mode) == [row[mode] for row in table]


def test_semeval_rule_stems_each_run_of_letters(table):
    words = [row["word"] for row in table]
    expected = [row["porter-martin, each letter run"] for row in table]
    assert expected[words.index("datum")] == "datum"
    expected[words.index("datum")] = "data"  # the second half of the rule, which the recorded column leaves out
    assert stem_words(words, "porter-semeval") == expected


@pytest.mark.parametrize(("source", "variants"), [("combined", 2265), ("reader", 1865), ("author", 563)])
def test_semeval_rule_reproduces_the_released_training_stems(shared, source, variants):
    plain = json.loads(shared(f"data/semeval2010/references/train.{source}.json").read_text("utf-8"))
    stemmed = json.loads(shared(f"data/semeval2010/references/train.{source}.stem.json").read_text("utf-8"))
    assert plain.keys() == stemmed.keys()
    given = [v for document in plain for entry in plain[document] for v in entry]
    expected = [v for document in plain for entry in stemmed[document] for v in entry]
    assert len(given) == len(expected) == variants
    assert Normaliser.parse("lower+space+porter-semeval").apply(given) == expected
