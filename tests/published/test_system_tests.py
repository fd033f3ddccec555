"""Tests of differences between systems against SciPy, statsmodels and the enumeration of all sign flips."""

import json
from itertools import combinations

import numpy as np
import pytest

from kp_core.scoring import intervals, paired


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads(shared("oracles/ranking/system_tests_expected.json").read_text("utf-8"))["cases"]


def differences(case):
    return [(pair, np.subtract(case["scores"][pair["a"]], case["scores"][pair["b"]])) for pair in case["pairs"]]


def test_means_and_number_of_pairs(cases):
    assert [(case["documents"], len(case["pairs"])) for case in cases] == [(12, 3), (40, 10)]
    for case in cases:
        assert [(p["a"], p["b"]) for p in case["pairs"]] == list(combinations(case["scores"], 2))
        for pair, difference in differences(case):
            assert difference.mean() == pytest.approx(pair["difference"], abs=1e-9)


def test_paired_t_and_its_interval(cases):
    for case in cases:
        for pair, difference in differences(case):
            assert paired.t_test(difference) == pytest.approx((pair["t"], pair["t_p"]), abs=1e-9)
            low, high = intervals.cluster_t_mean(difference[:, None], np.ones((len(difference), 1), bool))
            assert [low[0], high[0]] == pytest.approx(pair["t_ci95"], abs=1e-9)


def test_wilcoxon_signed_rank(cases):
    for case in cases:
        for pair, difference in differences(case):
            _, p, dropped = paired.wilcoxon_test(difference)
            assert p == pytest.approx(pair["wilcoxon_approx_p"], abs=1e-9)
            assert dropped == pair["ties"]


def test_randomisation_equals_the_enumeration_of_all_sign_flips(cases):
    exact = [(pair, d) for pair, d in differences(cases[0]) if pair["exact_randomisation_p"] is not None]
    assert len(exact) == 3
    for pair, difference in exact:
        p = paired.randomisation(difference[:, None], 10_000, np.random.default_rng(0))
        assert p[0] == pytest.approx(pair["exact_randomisation_p"], abs=1e-9)


def test_equal_differences_tie_although_they_differ_in_the_last_bit():
    steps = np.array([0.35, 0.75]) - np.array([0.3, 0.8])  # .05 and -.05, of different size as floats
    assert len(set(np.abs(steps))) == 2
    assert paired.effect(steps).rank_biserial == pytest.approx(0, abs=1e-12)
    assert paired.effect(np.array([0.3 - (0.1 + 0.2), 0.5])).ties == 1
    assert paired.wilcoxon_test(np.array([0.3 - (0.1 + 0.2), 0.5]))[2] == 1


def test_effect_sizes(cases):
    for case in cases:
        for pair, difference in differences(case):
            found = paired.effect(difference)
            assert found.d_z == pytest.approx(pair["cohen_dz"], abs=1e-9)
            assert found.rank_biserial == pytest.approx(pair["rank_biserial"], abs=1e-9)
            assert (found.wins, found.ties, found.losses) == (pair["wins"], pair["ties"], pair["losses"])


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
