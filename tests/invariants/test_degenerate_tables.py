"""Every degenerate table: its status, and each of its values, undefined or not."""

import numpy as np
import pytest

from kp_core import MEASURES
from kp_core.errors import REASONS
from kp_core.scoring.measures import concordance

U = float("nan")
COLUMNS = ("kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi")
#: Cells a b c d → status and the six values; the fractions are worked by hand.
CASES = {
    "no phrase": ((0, 0, 0, 0), "no_items", (U, U, U, U, U, U)),
    "nobody chose": ((0, 0, 0, 50), "both_empty", (U, U, 1, 1, 1, U)),
    "everybody chose everything": ((50, 0, 0, 0), "all_yes", (U, 1, U, 1, 1, U)),
    "no gold": ((0, 0, 5, 45), "gold_empty", (0, 0, 90 / 95, 0.8, None, 90 / 95 - 1)),
    "silent system": ((0, 5, 0, 45), "system_empty", (0, 0, 90 / 95, 0.8, None, 90 / 95 - 1)),
    "no gold, all chosen": ((0, 0, 50, 0), "gold_empty", (0, 0, 0, -1, None, -1)),
    "all gold, silent system": ((0, 50, 0, 0), "system_empty", (0, 0, 0, -1, None, -1)),
    "system says yes to everything": ((20, 0, 30, 0), "constant_yes", (0, 40 / 70, 0, -0.2, None, 40 / 70 - 1)),
    "gold says yes to everything": ((20, 30, 0, 0), "constant_yes", (0, 40 / 70, 0, -0.2, None, 40 / 70 - 1)),
    "no true negatives": ((20, 10, 20, 0), "no_true_negatives", (-2 * 200 / 1100, 40 / 70, 0, -0.2, None, 40 / 70 - 1)),
    "no true negatives, no hits": ((0, 10, 20, 0), "no_true_negatives", (-2 * 200 / 500, 0, 0, -1, None, -1)),
    "perfect": ((5, 0, 0, 45), "perfect", (1, 1, 1, 1, 1, 1)),
    "no hits": ((0, 4, 6, 40), "no_hits", (-48 / 452, 0, 80 / 90, 0.6, None, 80 / 90 - 1)),
    "nothing missed": ((5, 0, 3, 42), "ok", (420 / 570, 10 / 13, 84 / 87, 0.88, None, 10 / 13 + 84 / 87 - 1)),
    "nothing spurious": ((5, 3, 0, 42), "ok", (420 / 570, 10 / 13, 84 / 87, 0.88, None, 10 / 13 + 84 / 87 - 1)),
    "ordinary": ((4, 4, 6, 40), "ok", (272 / (8 * 44 + 10 * 46), 8 / 18, 80 / 90, 34 / 54, None, 8 / 18 + 80 / 90 - 1)),
}


def table(cells):
    return concordance.table(*map(float, cells))


@pytest.mark.parametrize("case", CASES)
def test_values(case):
    cells, _, expected = CASES[case]
    for name, number in zip(COLUMNS, expected, strict=True):
        result = float(MEASURES[name].score(table(cells)))
        if number is None:  # "defined": by the formula, as everywhere
            n, chosen = sum(cells), 2 * cells[0] + cells[1] + cells[2]
            share = chosen / (2 * n)
            number = ((cells[0] + cells[3]) / n - 2 * share * (1 - share)) / (1 - 2 * share * (1 - share))
        assert result == pytest.approx(number, abs=1e-12, nan_ok=True), name


def test_stacked_tables_give_same_statuses_without_warning():
    cells = np.array([c for c, _, _ in CASES.values()], float).T
    at_once, statuses = concordance.table(*cells), [status for _, status, _ in CASES.values()]
    assert concordance.status(at_once).tolist() == statuses
    assert [concordance.status(table(c)) for c, _, _ in CASES.values()] == statuses
    assert set(statuses) <= REASONS.keys()
