"""Identities that hold for every concordance table, on ten thousand random ones."""

from itertools import pairwise

import numpy as np
import pytest

from kp_core import MEASURES
from kp_core.scoring.measures import concordance

TABLES = np.random.default_rng(2024).integers(1, 400, (4, 10_000)).astype(float)
A, B, C, D = TABLES
N = TABLES.sum(axis=0)
SHARE_GOLD, SHARE_SYSTEM = (A + B) / N, (A + C) / N
MEAN_SHARE = (SHARE_GOLD + SHARE_SYSTEM) / 2
APART = B + C


def of(name, a=A, b=B, c=C, d=D):
    return MEASURES[name].score(concordance.table(a, b, c, d))


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_positive_agreement_is_the_f1_of_the_table():
    same(of("P_pos"), of("F1@k"))
    p, r = of("P@k"), of("R@k")
    same(of("P_pos"), 2 * p * r / (p + r))


def test_pabak_is_twice_the_observed_agreement_less_one():
    same(of("PABAK"), 2 * of("Po") - 1)
    half = (A + D) / 2, APART / 2
    same(of("PABAK"), of("kappa", half[0], half[1], half[1], half[0]))


def test_kappa_by_its_definition():
    same(of("kappa"), (of("Po") - of("Pe")) / (1 - of("Pe")))
    same(of("Pe"), SHARE_GOLD * SHARE_SYSTEM + (1 - SHARE_GOLD) * (1 - SHARE_SYSTEM))


def test_kappa_from_pabak_and_the_two_indices():
    prevalence, bias = of("PI") ** 2, of("BI") ** 2
    same(of("Pe"), (1 + prevalence - bias) / 2)
    same(of("kappa"), (of("PABAK") - prevalence + bias) / (1 - prevalence + bias))


def test_scotts_pi_in_three_ways():
    prevalence = of("PI") ** 2
    same(of("pi"), (of("PABAK") - prevalence) / (1 - prevalence))
    same(of("pi"), (of("P_pos") - MEAN_SHARE) / (1 - MEAN_SHARE))
    same(of("pi"), of("P_pos") + of("P_neg") - 1)
    chance = MEAN_SHARE**2 + (1 - MEAN_SHARE) ** 2
    same(of("pi"), (of("Po") - chance) / (1 - chance))


def test_ac1_in_two_ways():
    prevalence, chance = of("PI") ** 2, 2 * MEAN_SHARE * (1 - MEAN_SHARE)
    same(of("AC1"), (of("PABAK") + prevalence) / (1 + prevalence))
    same(of("AC1"), (of("Po") - chance) / (1 - chance))


def test_indices_are_differences_and_sums_of_shares():
    same(of("BI"), SHARE_GOLD - SHARE_SYSTEM)
    same(of("PI"), SHARE_GOLD + SHARE_SYSTEM - 1)


def test_observed_agreement_is_a_mean_of_the_two_agreements():
    same(of("Po"), MEAN_SHARE * of("P_pos") + (1 - MEAN_SHARE) * of("P_neg"))


def test_two_of_positive_negative_and_pabak_give_the_third():
    q = (1 - of("PABAK")) / 2
    a = q * of("P_pos") / (2 * (1 - of("P_pos")))
    d = q * of("P_neg") / (2 * (1 - of("P_neg")))
    same(a, A / N)
    same(a + q + d, np.ones_like(a))
    same(of("P_neg"), 2 * (1 - q - a) / (2 * (1 - q - a) + q))


def test_order_of_the_measures():
    slack = 1e-12
    kappa, pabak = of("kappa"), of("PABAK")
    assert (of("pi") <= kappa + slack).all()
    assert (of("pi") <= pabak + slack).all()
    assert (pabak <= of("AC1") + slack).all()
    assert (kappa <= of("kappa_max") + slack).all()
    assert (kappa <= of("P_pos") + slack).all()
    clear = np.abs(np.abs(of("PI")) - np.abs(of("BI"))) > 1e-9
    assert ((kappa <= pabak + slack) == (np.abs(of("PI")) >= np.abs(of("BI"))))[clear].all()


def test_kappa_is_positive_exactly_where_precision_exceeds_the_share_of_gold():
    positive = A * D > B * C
    np.testing.assert_array_equal(of("kappa") > 0, positive)
    np.testing.assert_array_equal(A * N > (A + B) * (A + C), positive)


def test_the_highest_kappa_is_that_of_the_smaller_list_inside_the_larger():
    both = np.minimum(A + B, A + C)
    best = both, A + B - both, A + C - both, N - (A + B) - (A + C) + both
    same(of("kappa_max"), of("kappa", *best))
    same(of("Po", *best), 1 - np.abs(of("BI")))


def test_exchanging_gold_and_system():
    for name in ("kappa", "kappa_max", "P_pos", "P_neg", "PABAK", "AC1", "pi", "PI", "Po", "Pe", "a", "d", "N"):
        same(of(name, A, C, B, D), of(name))
    same(of("BI", A, C, B, D), -of("BI"))
    same(of("P@k", A, C, B, D), of("R@k"))
    same(of("R@k", A, C, B, D), of("P@k"))
    same(of("b", A, C, B, D), of("c"))


def test_exchanging_yes_and_no():
    for name in ("kappa", "kappa_max", "PABAK", "AC1", "pi", "Po", "Pe"):
        same(of(name, D, C, B, A), of(name))
    same(of("P_pos", D, C, B, A), of("P_neg"))
    same(of("PI", D, C, B, A), -of("PI"))
    same(of("BI", D, C, B, A), -of("BI"))


@pytest.mark.parametrize("name", ["kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi"])
def test_every_measure_rises_in_a_straight_line_with_the_hits_at_fixed_list_sizes(name):
    room = (B > 2) & (C > 2)
    values = [of(name, *(cell[room] for cell in (A + h, B - h, C - h, D + h))) for h in (0.0, 1.0, 2.0)]
    assert (values[1] > values[0]).all()
    np.testing.assert_allclose(values[2] - values[1], values[1] - values[0], rtol=1e-7, atol=1e-12)


def test_kappa_falls_with_prevalence_and_rises_with_bias_at_fixed_pabak():
    apart = np.arange(0, 30)
    by_prevalence = of("kappa", 50.0 + apart, np.full(30, 9.0), np.full(30, 4.0), 50.0 - apart)
    assert (np.diff(by_prevalence) < 0).all()
    by_bias = of("kappa", np.full(30, 60.0), 30.0 + apart, 30.0 - apart, np.full(30, 40.0))
    assert (np.diff(by_bias) > 0).all()


def test_gap_between_positive_agreement_and_kappa():
    s, e = 2 * A + B + C, B * (A + B) + C * (A + C)
    gap = (2 * A * e + 2 * B * C * s) / (s * (s * D + e))
    same(of("P_pos") - of("kappa"), gap)
    same(of("kappa", d=0.0), -2 * B * C / e)
    np.testing.assert_allclose(of("kappa", d=B * C / A), 0, atol=1e-12)


def test_kappa_rises_with_the_universe_towards_positive_agreement():
    steps = [of("kappa", d=d) for d in (0.0, 10.0, 1e3, 1e6, 1e9)]
    assert all((later > earlier).all() for earlier, later in pairwise(steps))
    np.testing.assert_allclose(of("kappa", d=1e13), of("P_pos"), rtol=1e-6)
    np.testing.assert_allclose(of("pi", d=1e13), of("P_pos"), rtol=1e-6)
    sizes = A + B, A + C
    np.testing.assert_allclose(of("kappa_max", d=1e13), 2 * np.minimum(*sizes) / sum(sizes), rtol=1e-6)
    for name in ("PABAK", "P_neg", "AC1"):
        np.testing.assert_allclose(of(name, d=1e13), 1, atol=1e-9)


def test_positive_agreement_does_not_know_the_universe():
    np.testing.assert_array_equal(of("P_pos", d=0.0), of("P_pos", d=1e9))


def silent(name):
    return of(name, 0 * A, A + B, 0 * C, C + D)


def test_pabak_beats_silence_exactly_where_precision_exceeds_one_half():
    same(of("PABAK") - silent("PABAK"), 2 * (A - C) / N)
    np.testing.assert_array_equal(of("PABAK") > silent("PABAK") + 1e-13, A > C)


def test_negative_agreement_beats_silence_exactly_where_precision_exceeds_its_threshold():
    precision, threshold = A / (A + C), 1 / (2 - SHARE_GOLD)
    clear = np.abs(precision - threshold) > 1e-9
    np.testing.assert_array_equal((of("P_neg") > silent("P_neg"))[clear], (precision > threshold)[clear])


def test_silence_in_closed_form():
    same(silent("PABAK"), 1 - 2 * SHARE_GOLD)
    same(silent("P_neg"), 2 * (1 - SHARE_GOLD) / (2 - SHARE_GOLD))
    assert (silent("kappa") == 0).all()
    assert (silent("P_pos") == 0).all()


def test_cells_add_up():
    same(of("a") + of("b") + of("c") + of("d"), of("N"))


def test_values_of_any_shape_are_those_of_each_table():
    shaped = [cell.reshape(100, 100) for cell in TABLES]
    for name in ("kappa", "P_pos", "AC1", "pi"):
        np.testing.assert_array_equal(of(name, *shaped).ravel(), of(name))
