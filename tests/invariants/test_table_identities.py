"""An identity that holds for every concordance table, on ten thousand random ones."""

import numpy as np

from kp_core import MEASURES
from kp_core.scoring.measures import concordance

A, B, C, D = TABLES = np.random.default_rng(2024).integers(1, 400, (4, 10_000)).astype(float)


def of(name, a=A, b=B, c=C, d=D):
    return MEASURES[name].score(concordance.table(a, b, c, d))


def test_kappa_max_nests_smaller_list_in_larger():
    both = np.minimum(A + B, A + C)
    best = both, A + B - both, A + C - both, TABLES.sum(axis=0) - (A + B) - (A + C) + both
    np.testing.assert_allclose(of("kappa_max"), of("kappa", *best), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(of("Po", *best), 1 - np.abs(of("BI")), rtol=1e-12, atol=1e-12)
