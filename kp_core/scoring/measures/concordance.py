"""Turn concordance tables into agreement measures; rows are the gold standard, columns the system.

Formulas use integers if possible, to avoid cancellation. If both sides use only one category, a value is undefined
(NaN) and `status` gives the reason.
"""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.registry import measure


def table(a: Floats | float, b: Floats | float, c: Floats | float, d: Floats | float) -> Cells:
    """Return cells from the four counts, which are numbers or arrays of one shape.

    >>> kappa(table(*map(np.float64, (40, 9, 6, 45)))).round(4)
    np.float64(0.6995)
    """
    a, b, c, d = (np.asarray(x, float) for x in (a, b, c, d))
    return Cells(a, a + c, a + b, a + b + c + d, a + c)


def status(cells: Cells) -> NDArray[np.str_]:
    """Return the first degenerate case that applies to each table, or `ok`."""
    a, b, c, d = cells.both, cells.gold_only, cells.system_only, cells.neither
    cases = {
        "no_items": cells.universe == 0,
        "both_empty": (a + b + c == 0) & (d > 0),
        "all_yes": a == cells.universe,
        "gold_empty": (a + b == 0) & (c > 0),
        "system_empty": (a + c == 0) & (b > 0),
        "constant_yes": (b + d == 0) | (c + d == 0),
        "no_true_negatives": d == 0,
        "perfect": b + c == 0,
        "no_hits": a == 0,
    }
    return np.select(list(cases.values()), list(cases), "ok")


for _name, _cell in {"a": "both", "b": "gold_only", "c": "system_only", "d": "neither", "N": "universe"}.items():
    measure(_name)(attrgetter(_cell))


@measure("Po")
def observed(cells: Cells) -> Floats:
    """Return the observed agreement."""
    return ratio(cells.both + cells.neither, cells.universe, np.nan)


@measure("Pe")
def expected(cells: Cells) -> Floats:
    """Return the chance agreement of Cohen's kappa."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(f1 * g1 + (n - f1) * (n - g1), n * n, np.nan)


@measure("kappa")
def kappa(cells: Cells) -> Floats:
    """Return Cohen's kappa."""
    return _kappa(cells, cells.both)


def _kappa(cells: Cells, both: Floats) -> Floats:
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(2 * (both * n - f1 * g1), f1 * (n - g1) + g1 * (n - f1), np.nan)


@measure("kappa_max")
def kappa_max(cells: Cells) -> Floats:
    """Return the maximum of kappa, attained if the shorter list is part of the longer."""
    return _kappa(cells, np.minimum(cells.size, cells.returned))


@measure("kappa_min")
def kappa_min(cells: Cells) -> Floats:
    """Return the minimum of kappa, attained if the lists overlap as little as their sizes allow."""
    return _kappa(cells, np.maximum(cells.size + cells.returned - cells.universe, 0))


@measure("MCC")
def matthews(cells: Cells) -> Floats:
    """Return Matthews' correlation coefficient."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(cells.both * n - f1 * g1, np.sqrt(f1 * (n - f1) * g1 * (n - g1)), np.nan)


@measure("P_pos")
def positive(cells: Cells) -> Floats:
    """Return the positive agreement."""
    return ratio(2 * cells.both, cells.size + cells.returned, np.nan)


measure("P_neg")(lambda cells: ratio(2 * cells.neither, 2 * cells.universe - cells.size - cells.returned, np.nan))


@measure("PABAK")
def pabak(cells: Cells) -> Floats:
    """Return the prevalence-adjusted bias-adjusted kappa."""
    return ratio(cells.universe - 2 * (cells.gold_only + cells.system_only), cells.universe, np.nan)


@measure("AC1")
def ac1(cells: Cells) -> Floats:
    """Return Gwet's AC1."""
    n, yes = cells.universe, cells.size + cells.returned
    chance = yes * (2 * n - yes)  # 2 m (1 - m) times 2 N squared
    return ratio(2 * n * (cells.both + cells.neither) - chance, 2 * n * n - chance, np.nan)


@measure("pi")
def scott_pi(cells: Cells) -> Floats:
    """Return Scott's pi."""
    yes = cells.size + cells.returned
    apart = cells.gold_only + cells.system_only
    return ratio(4 * cells.both * cells.neither - apart * apart, yes * (2 * cells.universe - yes), np.nan)


measure("BI")(lambda cells: ratio(cells.size - cells.returned, cells.universe, np.nan))


@measure("PI")
def prevalence_index(cells: Cells) -> Floats:
    """Return the prevalence index."""
    return ratio(cells.size + cells.returned - cells.universe, cells.universe, np.nan)
