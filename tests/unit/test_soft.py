import pytest

import kp_core as kp
from tests.corpora import corpus_of, settings

CORPUS = corpus_of(
    {"d1": ["neural network training", "topic"], "d2": ["hash table"]},
    {"s": {"d1": ["neural network", "network training", "topics"], "d2": ["tree", "hash table lookup"]}},
)


def values(soft, measure, k, corpus=CORPUS, **options):
    return kp.soft_evaluate(corpus, settings(k, universe=10, **options), soft, [measure]).frame["value"].tolist()


def test_soft_matching_finds_keyphrase_once():
    # d1: 2/3 at rank 1, nothing new at 2 (the keyphrase is taken), 1 at 3; d2: 0, then 2/3
    half = kp.Soft("R-precision", 0.5)
    assert values(half, "P@k", "1-3") == pytest.approx([(2 / 3) / 2, (1 / 3 + 1 / 3) / 2, (5 / 9 + 2 / 9) / 2])
    assert values(half, "R@k", "1-3") == pytest.approx([(1 / 3) / 2, (1 / 3 + 2 / 3) / 2, (5 / 6 + 2 / 3) / 2])
    counted = kp.Soft("R-precision", 0.5, "count")
    assert values(counted, "R@k", "1-3") == pytest.approx([0.25, 0.75, 1.0])


def test_intervals_and_signature():
    made = settings("1-3", universe=10, interval="bootstrap", resamples=50)
    result = kp.soft_evaluate(CORPUS, made, kp.Soft("chrF", 0.4), direction="keyphrase")
    assert result.frame["measure"].tolist() == [f"{m}@{k}" for m in ("P", "R", "F1") for k in (1, 2, 3)]
    assert (result.frame["low"] <= result.frame["value"]).all()
    assert (result.frame["value"] <= result.frame["high"]).all()
    assert result.signature.endswith("|soft:chrF-0.4-weighted,direction=keyphrase")
    assert kp.settings_from(result.signature) == result.settings.changed(universe="")


@pytest.mark.parametrize(
    ("soft", "measures", "options", "said"),
    [
        ("exakt", ["P@k"], {}, "there is no soft matching 'exakt'"),
        ("exact", ["MAP"], {}, "'MAP' has no soft form"),
        ("exact", ["P@k"], {"ties": "expected"}, "soft matching needs a single order"),
    ],
)
def test_impossible_requests_give_reasons(soft, measures, options, said):
    with pytest.raises(kp.UsageError, match=said):
        kp.soft_evaluate(CORPUS, settings(3, universe=10, **options), soft, measures)


@pytest.mark.parametrize(("tau", "hits"), [(0, "count"), (float("nan"), "count"), (0.5, "both")])
def test_choices_without_meaning_are_refused(tau, hits):
    with pytest.raises(kp.UsageError):
        kp.Soft("exact", tau, hits)
