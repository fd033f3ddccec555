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
