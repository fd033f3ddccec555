"""Turn concordance tables into agreement measures; rows are the gold standard, columns the system.

Formulas use integers if possible, to avoid cancellation. If both sides use only one category, a value is undefined
(NaN) and `status` gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.registry import measure


def table(a: Floats | float, b: Floats | float, c: Floats | float, d: Floats | float) -> Cells:
    """Return the table with these four cells, which are numbers or arrays of one shape.

    >>> kappa(table(*map(np.float64, (40, 9, 6, 45)))).round(4)
    np.float64(0.6995)
    """
    a, b, c, d = (np.asarray(x, float) for x in (a, b, c, d))
    return Cells(a, a + c, a + b, a + b + c + d, a + c)


def status(cells: Cells) -> NDArray[np.str_]:
    """Return the first degenerate case that applies to each table, or `ok`."""
    a, b, c, d = cells.hits, cells.gold_only, cells.system_only, cells.neither
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


@measure("Po")
def observed(cells: Cells) -> Floats:
    """Return the observed agreement."""
    return ratio(cells.hits + cells.neither, cells.universe, np.nan)


@measure("Pe")
def expected(cells: Cells) -> Floats:
    """Return the chance agreement of Cohen's kappa."""
    n, gold, system = cells.universe, cells.size, cells.returned
    return ratio(gold * system + (n - gold) * (n - system), n * n, np.nan)


@measure("kappa")
def kappa(cells: Cells, cell_a: Floats | None = None) -> Floats:
    """Return Cohen's kappa; `cell_a`: a value that replaces cell a, with the same margins."""
    n, gold, system = cells.universe, cells.size, cells.returned
    cell_a = cells.hits if cell_a is None else cell_a
    return ratio(2 * (cell_a * n - gold * system), gold * (n - system) + system * (n - gold), np.nan)


@measure("MCC")
def matthews(cells: Cells) -> Floats:
    """Return Matthews' correlation coefficient."""
    n, gold, system = cells.universe, cells.size, cells.returned
    return ratio(cells.hits * n - gold * system, np.sqrt(gold * (n - gold) * system * (n - system)), np.nan)


@measure("AC1")
def ac1(cells: Cells) -> Floats:
    """Return Gwet's AC1."""
    n, yes = cells.universe, cells.size + cells.returned
    chance = yes * (2 * n - yes)  # 2 m (1 - m) times 2 N squared
    return ratio(2 * n * (cells.hits + cells.neither) - chance, 2 * n * n - chance, np.nan)


@measure("pi")
def scott_pi(cells: Cells) -> Floats:
    """Return Scott's pi."""
    yes = cells.size + cells.returned
    unequal = cells.gold_only + cells.system_only
    return ratio(4 * cells.hits * cells.neither - unequal * unequal, yes * (2 * cells.universe - yes), np.nan)


@measure("P_pos")
def positive(cells: Cells) -> Floats:
    """Return the positive agreement."""
    return ratio(2 * cells.hits, cells.size + cells.returned, np.nan)


#: Cells, and measures with a formula of a single expression.
_FORMULAS: dict[str, Callable[[Cells], Floats]] = {
    "a": attrgetter("hits"),
    "b": attrgetter("gold_only"),
    "c": attrgetter("system_only"),
    "d": attrgetter("neither"),
    "N": attrgetter("universe"),
    "kappa_max": lambda x: kappa(x, np.minimum(x.size, x.returned)),
    "kappa_min": lambda x: kappa(x, np.maximum(x.size + x.returned - x.universe, 0)),
    "P_neg": lambda x: ratio(2 * x.neither, 2 * x.universe - x.size - x.returned, np.nan),
    "PABAK": lambda x: ratio(x.universe - 2 * (x.gold_only + x.system_only), x.universe, np.nan),
    "BI": lambda x: ratio(x.size - x.returned, x.universe, np.nan),
    "PI": lambda x: ratio(x.size + x.returned - x.universe, x.universe, np.nan),
}
for _name, _formula in _FORMULAS.items():
    measure(_name)(_formula)
