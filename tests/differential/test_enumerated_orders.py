"""Averages over all orders in closed form, against the enumeration of these orders: tied scores, and random lists."""

from itertools import chain, groupby, islice, permutations, product

import numpy as np
import pytest

import kp_core as kp
from tests.corpora import corpus_of, scored

MEASURES = ["P@1", "P@2", "P@3", "R@2", "F1@2", "F1@4", "Rprec", "F1@M", "success@1", "success@3", "hits@2"]
MEASURES += ["MAP", "MAP@2", "MRR", "MRR@2", "nDCG", "nDCG@1", "nDCG@3", "nDCG-exp", "nDCG-exp@3", "RBP"]
MEASURES += ["RBP(p=0.5)"]


def orders(phrases, scores):
    """Yield every order of the phrases in which scores do not rise."""
    listed = sorted(zip(phrases, scores, strict=True), key=lambda pair: -pair[1])
    groups = [[p for p, _ in group] for _, group in groupby(listed, key=lambda pair: pair[1])]
    for chosen in product(*(permutations(group) for group in groups)):
        yield list(chain(*chosen))


def enumerated(gold, lists, measures, grades=None, **options):
    """Return the mean of each measure over lists: each is one document."""
    names = [f"order{i}" for i in range(len(lists))]
    corpus = corpus_of(
        dict.fromkeys(names, gold),
        {"s": dict(zip(names, lists, strict=True))},
        grades=dict.fromkeys(names, grades) if grades else None,
    )
    frame = scored(corpus, measures, 3, normalise="none", average="macro", **options)
    return frame.set_index("measure")["value"]


def tied(gold, phrases, scores, measures, grades=None, **options):
    corpus = corpus_of(
        {"d": gold}, {"s": {"d": phrases}}, scores={"s": {"d": scores}}, grades={"d": grades} if grades else None
    )
    return scored(corpus, measures, 3, normalise="none", average="macro", ties="expected", **options).set_index(
        "measure"
    )["value"]


def case(seed):
    rng = np.random.default_rng(seed)
    pool = list("abcdefgh")
    phrases = [str(p) for p in rng.permutation(pool)[: rng.integers(2, 7)]]
    scores = rng.integers(0, 3, len(phrases)).astype(float).tolist()
    gold = [str(p) for p in rng.permutation(pool)[: rng.integers(1, 6)]]
    grades = {p: int(rng.integers(1, 4)) for p in gold}
    return gold, phrases, scores, grades


def compare(seed, **options):
    gold, phrases, scores, grades = case(seed)
    result = tied(gold, phrases, scores, MEASURES, grades, **options)
    every = list(islice(orders(phrases, scores), 800))
    expected = enumerated(gold, every, MEASURES, grades, **options)
    differences = {m: (result[m], expected[m]) for m in result.index if not abs(result[m] - expected[m]) <= 1e-9}
    assert not differences, (gold, list(zip(phrases, scores, strict=True)))


@pytest.mark.parametrize("seed", range(12))
def test_expected_rule_equals_mean_over_tied_orders(seed):
    compare(seed)


@pytest.mark.parametrize(
    "option",
    [
        {"denominator": "returned"},
        {"denominator": "min(k,gold)"},
        {"ap": "min(k,gold)"},
        {"rr_miss": "1/(n+1)"},
        {"ideal": "returned"},
        {"gain": "exp"},
        {"rel": 2, "empty_gold": "zero"},
    ],
    ids=lambda option: ",".join(f"{key}={text}" for key, text in option.items()),
)
def test_expected_rule_under_every_other_convention(option):
    for seed in range(30, 36):
        compare(seed, **option)


@pytest.mark.parametrize("option", [{"ap": "hits"}, {"rr": "all-hits"}])
def test_measures_without_closed_form_are_refused(option):
    with pytest.raises(kp.UsageError, match="no closed form"):
        tied(["a"], ["a", "b"], [1.0, 1.0], ["MAP"], **option)


def test_expected_rule_with_two_spellings_in_tie_group():
    """By convention, of two tied spellings the first in the file is always the hit."""
    gold, phrases, scores = [["a", "b"], "c"], ["a", "x", "b", "c"], [1.0, 1.0, 1.0, 0.5]
    result = tied(gold, phrases, scores, MEASURES)
    expected = enumerated(gold, list(orders(["a", "x", "no keyphrase", "c"], scores)), MEASURES)
    assert result.to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)


@pytest.mark.parametrize(
    ("rule", "again"), [("before", []), ("after", ["no keyphrase"]), ("keep", ["no keyphrase"]), ("count", ["a"])]
)
def test_expected_rule_with_repeated_phrase_in_tie_group(rule, again):
    """By convention, a repeat is dropped first, or is a miss in every order, or always a hit under `count`."""
    gold, measures = ["a", "c"], ["P@1", "P@2", "R@2", "MAP", "MRR", "nDCG@3"]
    result = tied(gold, ["a", "x", "a", "c", "y"], [1.0, 1.0, 1.0, 0.5, 0.5], measures, duplicates=rule)
    every = list(orders(["a", "x", *again, "c", "y"], [1.0, 1.0, *(1.0 for _ in again), 0.5, 0.5]))
    expected = enumerated(gold, every, measures, duplicates="count" if rule == "count" else "keep")
    assert result.to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)


@pytest.mark.parametrize(("size", "gold", "k"), [(4, 1, 2), (5, 2, 3), (5, 3, 1), (6, 2, 4), (6, 5, 3)])
def test_random_baseline_equals_mean_over_all_orders(size, gold, k):
    universe = [f"p{i}" for i in range(size)]
    measures = [*MEASURES, "kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi", "a", "b", "c", "d"]
    options = {"universe": size, "baselines": True}
    corpus = corpus_of({"d": universe[:gold]}, {"s": {"d": []}})
    frame = scored(corpus, measures, k, normalise="none", average="both", **options)
    frame = frame[(frame["system"] == "random k") & (frame["average"] == "macro")]
    every = [list(order) for order in permutations(universe)]
    names = [f"order{i}" for i in range(len(every))]
    orders_corpus = corpus_of(dict.fromkeys(names, universe[:gold]), {"s": dict(zip(names, every, strict=True))})
    expected = scored(orders_corpus, measures, k, normalise="none", average="both", universe=size)
    expected = expected[expected["average"] == "macro"].set_index("measure")["value"]
    assert frame.set_index("measure")["value"].to_dict() == pytest.approx(expected.to_dict(), abs=1e-9)
