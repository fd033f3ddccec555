"""Identities that hold for every concordance table, on ten thousand random ones."""

import numpy as np

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


def test_scotts_pi_in_three_ways():
    prevalence = of("PI") ** 2
    same(of("pi"), (of("PABAK") - prevalence) / (1 - prevalence))
    same(of("pi"), (of("P_pos") - MEAN_SHARE) / (1 - MEAN_SHARE))
    same(of("pi"), of("P_pos") + of("P_neg") - 1)
    chance = MEAN_SHARE**2 + (1 - MEAN_SHARE) ** 2
    same(of("pi"), (of("Po") - chance) / (1 - chance))


def test_kappa_max_nests_smaller_list_in_larger():
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
