"""Tests of differences between systems against SciPy, statsmodels and the enumeration of all sign flips."""

import json

import numpy as np
import pytest

import kp_core as kp
from kp_core.scoring import paired
from kp_core.scoring.accumulate import Sums
from kp_core.scoring.pair_sums import Pairing, Statistic
from kp_core.scoring.paired import Family, FamilyAt


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads(shared("oracles/ranking/system_tests_expected.json").read_text("utf-8"))["cases"]


def compared(scores, test="t"):
    """Return the comparison of every pair of systems, {system: values of documents}, by the mean of a measure."""
    block = {name: Statistic(np.c_[part], np.array(part), np.ones(len(part), bool)) for name, part in scores.items()}
    at = FamilyAt(Family("MAP", test), "none", kp.Settings(interval="cluster-t"))
    pairing = Pairing(at, list(block), Sums())
    documents = len(next(iter(scores.values())))
    moved = pairing.add(block, None, paired.swaps(documents, 10_000, np.random.default_rng(0)))
    return pairing.compared(moved), moved


def test_paired_t_and_its_interval(cases):
    for case in cases:
        result = compared(case["scores"])[0]
        assert result.p == pytest.approx([pair["t_p"] for pair in case["pairs"]], abs=1e-9)
        for pair, half in zip(case["pairs"], result.half_widths, strict=True):
            assert [pair["difference"] - half, pair["difference"] + half] == pytest.approx(pair["t_ci95"], abs=1e-9)


def test_randomisation_equals_the_enumeration_of_all_sign_flips(cases):
    exact = [pair["exact_randomisation_p"] for pair in cases[0]["pairs"]]
    assert len(exact) == 3
    assert compared(cases[0]["scores"], "randomisation")[0].p == pytest.approx(exact, abs=1e-9)


def test_effect_sizes(cases):
    for case in cases:
        result, moved = compared(case["scores"])
        for pair, effect, difference in zip(case["pairs"], result.effects, moved, strict=True):
            assert effect[0] == pytest.approx(pair["cohen_dz"], abs=1e-9)
            assert paired.rank_biserial(difference) == pytest.approx(pair["rank_biserial"], abs=1e-9)
            assert effect[2:] == (pair["wins"], pair["ties"], pair["losses"])


def test_rank_clusters(cases):
    for case in cases:
        names = list(case["scores"])
        adjusted = np.ones((len(names), len(names)))
        for pair in case["pairs"]:
            i, j = names.index(pair["a"]), names.index(pair["b"])
            adjusted[i, j] = adjusted[j, i] = pair["t_p_holm"]
        values = np.array([case["means"][name] for name in names])
        result = paired.rank_clusters(values, adjusted)
        assert dict(zip(names, result, strict=True)) == case["rank_clusters_t_holm_05"]
