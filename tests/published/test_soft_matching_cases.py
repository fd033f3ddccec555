"""Soft matching of given similarity matrices: expected hits were found by enumerating all assignments."""

import json

import numpy as np
import pytest

from kp_core.scoring.semantic import best_of_prefixes, soft_gains


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads(shared("oracles/similarity/soft_matching_cases.json").read_text("utf-8"))["cases"]


def test_hits_of_every_prefix(cases):
    assert len(cases) == 5
    for case in cases:
        matrix = np.array(case["similarity_rows_predictions_columns_gold"])
        row, item = np.nonzero(matrix >= case["tau"])
        gain, pairs = soft_gains(row, item, matrix[row, item], len(matrix))
        weight = np.cumsum(gain)
        assert weight.tolist() == pytest.approx(case["soft_weight_H_k"], abs=1e-12), case["name"]
        assert np.cumsum(pairs).tolist() == case["soft_count_H_k"], case["name"]
        k, gold = np.arange(1, len(matrix) + 1), matrix.shape[1]
        assert (weight / k).tolist() == pytest.approx(case["weighted_P_at_k"], abs=1e-9)
        assert (weight / gold).tolist() == pytest.approx(case["weighted_R_at_k"], abs=1e-9)
        assert (2 * weight / (k + gold)).tolist() == pytest.approx(case["weighted_F1_at_k"], abs=1e-9)
        assert (2 * np.cumsum(pairs) / (k + gold)).tolist() == pytest.approx(case["count_F1_at_k"], abs=1e-9)


def test_greedy_matching_is_another_thing(cases):
    case = cases[0]
    best = best_of_prefixes(np.array(case["similarity_rows_predictions_columns_gold"]))[0][-1]
    assert (best, case["greedy_weight_all"]) == (pytest.approx(1.4), 0.75)
