"""Tests of differences between systems against SciPy, statsmodels and the enumeration of all sign flips."""

import json
from itertools import combinations

import numpy as np
import pytest

from kp_core.scoring import paired
from kp_core.scoring.accumulate import Sums
from kp_core.scoring.measures import parse
from kp_core.scoring.pair_sums import Pairing, Statistic


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads(shared("oracles/ranking/system_tests_expected.json").read_text("utf-8"))["cases"]


def compared(scores, test="t"):
    """Return what is found of every pair of systems, {system: values of documents}, by the mean of a measure."""
    block = {name: Statistic(np.c_[own], np.array(own), np.ones(len(own), bool)) for name, own in scores.items()}
    pairing = Pairing(list(combinations(block, 2)), list(block), parse("MAP"), "macro", "cluster-t", Sums())
    documents = len(next(iter(scores.values())))
    moved = pairing.add(block, None, paired.swaps(documents, 10_000, np.random.default_rng(0)))
    return pairing.compared(test, 10_000, moved), moved


def test_means_and_number_of_pairs(cases):
    assert [(case["documents"], len(case["pairs"])) for case in cases] == [(12, 3), (40, 10)]
    for case in cases:
        found, moved = compared(case["scores"])
        assert found.scores == pytest.approx(case["means"], abs=1e-9)
        assert [(p["a"], p["b"]) for p in case["pairs"]] == list(combinations(case["scores"], 2))
        assert np.mean(moved, axis=1) == pytest.approx([pair["difference"] for pair in case["pairs"]], abs=1e-9)


def test_paired_t_and_its_interval(cases):
    for case in cases:
        result = compared(case["scores"])[0]
        assert result.p == pytest.approx([pair["t_p"] for pair in case["pairs"]], abs=1e-9)
        for pair, half in zip(case["pairs"], result.halves, strict=True):
            assert [pair["difference"] - half, pair["difference"] + half] == pytest.approx(pair["t_ci95"], abs=1e-9)


def test_wilcoxon_signed_rank(cases):
    for case in cases:
        for pair, moved in zip(case["pairs"], compared(case["scores"])[1], strict=True):
            _, p, dropped = paired.wilcoxon_test(moved)
            assert p == pytest.approx(pair["wilcoxon_approx_p"], abs=1e-9)
            assert dropped == pair["ties"]


def test_randomisation_equals_the_enumeration_of_all_sign_flips(cases):
    exact = [pair["exact_randomisation_p"] for pair in cases[0]["pairs"]]
    assert len(exact) == 3
    assert compared(cases[0]["scores"], "randomisation")[0].p == pytest.approx(exact, abs=1e-9)


def test_equal_differences_tie_although_they_differ_in_the_last_bit():
    one, two = [0.35, 0.75, 0.3, 0.6], [0.3, 0.8, 0.1 + 0.2, 0.1]  # .05, -.05, 0 and .5, but for the last bits
    result, (moved,) = compared({"one": one, "two": two})
    assert len(set(np.abs(np.subtract(one, two)[:2]))) == 2
    assert result.effects[0][2:] == (2, 1, 1)
    assert paired.rank_biserial(moved[:2]) == 0
    assert paired.wilcoxon_test(moved)[2] == 1


def test_effect_sizes(cases):
    for case in cases:
        result, moved = compared(case["scores"])
        for pair, effect, difference in zip(case["pairs"], result.effects, moved, strict=True):
            assert effect[0] == pytest.approx(pair["cohen_dz"], abs=1e-9)
            assert paired.rank_biserial(difference) == pytest.approx(pair["rank_biserial"], abs=1e-9)
            assert effect[2:] == (pair["wins"], pair["ties"], pair["losses"])


def test_holm_and_benjamini_hochberg(cases):
    for case in cases:
        raw = np.array([pair["t_p"] for pair in case["pairs"]])
        assert paired.holm(raw).tolist() == pytest.approx([pair["t_p_holm"] for pair in case["pairs"]], abs=1e-9)
        adjusted = paired.benjamini_hochberg(raw)
        assert adjusted.tolist() == pytest.approx([pair["t_p_bh"] for pair in case["pairs"]], abs=1e-9)


def test_rank_clusters(cases):
    for case in cases:
        names = list(case["scores"])
        adjusted = np.ones((len(names), len(names)))
        for pair in case["pairs"]:
            i, j = names.index(pair["a"]), names.index(pair["b"])
            adjusted[i, j] = adjusted[j, i] = pair["t_p_holm"]
        values = np.array([case["means"][name] for name in names])
        found = paired.rank_clusters(values, adjusted)
        assert dict(zip(names, found, strict=True)) == case["rank_clusters_t_holm_05"]
