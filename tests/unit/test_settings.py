"""Options become settings, settings become one line, and errors are refused with a message."""

import numpy as np
import pytest

import kp_core as kp
from kp_core.errors import UsageError
from kp_core.settings import Settings, parse_k, settings_from, signature
from tests.cases import cases
from tests.corpora import corpus_of, scored

CASES = cases(__file__)


def test_signature_of_the_defaults():
    assert signature(Settings(k=10, interval="none"), 100, concordance=False).startswith(
        "kps|norm:nfkc+lower+space+porter-nltk|var:any|filter:none|dup:before|gold:unique|hits:pred|den:k|avg:usual|"
        "miss:zero|empty:skip|ties:stable|rel:1|gain:linear|ap:gold|ideal:gold|rr:first|k:10|annot:union|docs:100|stem:nltk-"
    )


def test_signature_of_agreement_and_intervals():
    made = Settings(k=5, seed=7, resamples=500, gold_stemmed="yes")
    line = signature(made, 3)
    assert "|gstem:yes|" in line
    assert "|N:|annot:union|ci:bootstrap-500-seed7|" in line
    assert signature(Settings(k=5, interval="cluster-t"), 3).split("|")[-4] == "ci:cluster-t"


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (10, (10,)),
        ("5,10,15", (5, 10, 15)),
        (" 5 , 10 ", (5, 10)),
        ("1-4", (1, 2, 3, 4)),
        ("O,M", ("gold", "all")),
        ("average", ("average",)),
        ([5, "all", "1-2", 5], (5, "all", 1, 2)),
        (range(3, 5), (3, 4)),
        (10_000, (10_000,)),
        (np.int64(5), (5,)),
        (np.arange(1, 4), (1, 2, 3)),
    ],
)
def test_cutoffs(k, expected):
    assert parse_k(k) == expected


@pytest.mark.parametrize(
    "k", [0, -1, 10_001, "ten", "5-1", "", "1-", "1-10001", "3.5", "G", "larger", "none", True, []]
)
def test_wrong_cutoffs_are_refused_with_valid_forms(k):
    with pytest.raises(
        UsageError, match=r"write a number from 1 to 10000, a list such as 5,10,15, a range such as 1-50"
    ):
        parse_k(k)


@pytest.mark.parametrize(("options", "message"), CASES["wrong_options"])
def test_wrong_options_are_refused_in_words(options, message):
    with pytest.raises(UsageError, match=message):
        scored(corpus_of({"d": ["a"]}, {"s": {"d": ["a"]}}), ["P@1", "kappa"], **options)


@pytest.mark.parametrize(("line", "message"), CASES["no_signatures"])
def test_a_line_that_is_no_signature_is_refused(line, message):
    with pytest.raises(UsageError, match=message):
        settings_from(line)


def test_option_overrides_preset():
    made = Settings(preset="kex", denominator="k", k=3)
    assert (made.denominator, made.duplicates, made.k) == ("k", "keep", (3,))
    assert Settings(preset="kex").k == (5, 10)


def test_chinese_gold_is_compared_without_stemming():
    corpus = corpus_of({"d": ["机器学习", "数据 挖掘"]}, {"s": {"d": ["数据挖掘", "AI"]}})
    result = kp.evaluate(corpus, k=2, measures="P@k", interval="none")
    assert result.settings.normalise == "nfkc+lower+space"
    assert result.frame["value"].tolist() == [0.5]
    assert any("without stemming" in note.message for note in result.notes)
    assert "|stem:none|" in result.signature
