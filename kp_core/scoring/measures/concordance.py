"""Turn concordance tables into agreement measures; rows are the gold standard, columns the system.

Formulas are in integers where they can be, so that nothing cancels; where both sides use one category only, a value is
undefined (NaN) and `status` says why.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.registry import measure

_COHEN, _BYRT = "Cohen 1960", "Byrt, Bishop & Carlin 1993"
_CICCHETTI = "Cicchetti & Feinstein 1990"
_ONE_CATEGORY = "both sides use one and the same category"


def table(a: Floats | float, b: Floats | float, c: Floats | float, d: Floats | float) -> Cells:
    """Return cells from the four counts; numbers, or arrays of any one shape.

    >>> kappa(table(*map(np.float64, (40, 9, 6, 45)))).round(4)
    np.float64(0.6995)
    """
    a, b, c, d = (np.asarray(x, float) for x in (a, b, c, d))
    return Cells(a, a + c, a + b, a + b + c + d, a + c)


def status(cells: Cells) -> NDArray[np.str_]:
    """Name the degenerate case of each table, or `ok`; the first case that fits counts."""
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


@measure(
    "a",
    "Phrases that gold and system both chose.",
    "a",
    source="concordance table",
    family="concordance",
    high=np.inf,
    better="none",
)
def both(cells: Cells) -> Floats:
    """Return cell a."""
    return cells.both


@measure(
    "b",
    "Keyphrases that the system missed.",
    "b",
    source="concordance table",
    family="concordance",
    high=np.inf,
    better="none",
)
def gold_only(cells: Cells) -> Floats:
    """Return cell b."""
    return cells.gold_only


@measure(
    "c",
    "Phrases that only the system chose.",
    "c",
    source="concordance table",
    family="concordance",
    high=np.inf,
    better="none",
)
def system_only(cells: Cells) -> Floats:
    """Return cell c."""
    return cells.system_only


@measure(
    "d",
    "Phrases that neither chose.",
    "d",
    source="concordance table",
    family="concordance",
    high=np.inf,
    better="none",
)
def neither(cells: Cells) -> Floats:
    """Return cell d."""
    return cells.neither


@measure(
    "N",
    "Phrases that could have been chosen.",
    "N = a+b+c+d",
    source="concordance table",
    family="concordance",
    high=np.inf,
    better="none",
)
def universe(cells: Cells) -> Floats:
    """Return the size of the universe."""
    return cells.universe


@measure(
    "Po",
    "Share of all phrases on which gold and system agree.",
    r"P_o = \frac{a+d}{N}",
    source=_COHEN,
    family="concordance",
    undefined="the universe is empty",
)
def observed(cells: Cells) -> Floats:
    """Return the observed agreement."""
    return ratio(cells.both + cells.neither, cells.universe, np.nan)


@measure(
    "Pe",
    "Agreement expected by chance from the two shares of “yes”.",
    r"P_e = \frac{(a+b)(a+c)+(c+d)(b+d)}{N^2}",
    source=_COHEN,
    family="concordance",
    better="none",
    undefined="the universe is empty",
)
def expected(cells: Cells) -> Floats:
    """Return the chance agreement of Cohen's kappa."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(f1 * g1 + (n - f1) * (n - g1), n * n, np.nan)


@measure(
    "kappa",
    "Agreement on yes and no beyond chance (Cohen's kappa).",
    r"\kappa = \frac{P_o-P_e}{1-P_e} = \frac{2(ad-bc)}{(a+b)(b+d)+(a+c)(c+d)}",
    source=_COHEN,
    family="concordance",
    low=-1,
    undefined=_ONE_CATEGORY,
)
def kappa(cells: Cells) -> Floats:
    """Return Cohen's kappa."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(2 * (cells.both * n - f1 * g1), f1 * (n - g1) + g1 * (n - f1), np.nan)


@measure(
    "kappa_max",
    "The highest kappa possible with these two list sizes.",
    r"\kappa_{\max} = \frac{2\min(f_1,g_1)\,(N-\max(f_1,g_1))}{f_1(N-g_1)+g_1(N-f_1)}",
    source=_COHEN,
    family="concordance",
    undefined=_ONE_CATEGORY,
    better="none",
)
def kappa_max(cells: Cells) -> Floats:
    """Return the kappa reached if the smaller list lay wholly inside the larger."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(2 * np.minimum(f1, g1) * (n - np.maximum(f1, g1)), f1 * (n - g1) + g1 * (n - f1), np.nan)


@measure(
    "kappa_min",
    "The lowest kappa possible with these two list sizes.",
    r"\kappa_{\min} = \frac{2(a_{\min}N-f_1 g_1)}{f_1(N-g_1)+g_1(N-f_1)},\ a_{\min} = \max(0, f_1+g_1-N)",
    source=_COHEN,
    family="concordance",
    low=-1,
    undefined=_ONE_CATEGORY,
    better="none",
)
def kappa_min(cells: Cells) -> Floats:
    """Return the kappa if the two lists had as little in common as their sizes allow."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    fewest = np.maximum(f1 + g1 - n, 0)
    return ratio(2 * (fewest * n - f1 * g1), f1 * (n - g1) + g1 * (n - f1), np.nan)


@measure(
    "MCC",
    "Correlation of the two lists of yes and no (Matthews' correlation, phi).",
    r"\mathrm{MCC} = \frac{ad-bc}{\sqrt{f_1 f_2 g_1 g_2}}",
    source="Matthews 1975",
    family="concordance",
    low=-1,
    undefined="one side uses one category only",
)
def matthews(cells: Cells) -> Floats:
    """Return Matthews' correlation coefficient."""
    n, f1, g1 = cells.universe, cells.size, cells.returned
    return ratio(cells.both * n - f1 * g1, np.sqrt(f1 * (n - f1) * g1 * (n - g1)), np.nan)


@measure(
    "P_pos",
    "Agreement on keyphrases: phrases both chose over the mean number chosen; equals F1.",
    r"P_{\mathrm{pos}} = \frac{2a}{2a+b+c}",
    source=_CICCHETTI,
    family="concordance",
    undefined="nobody chose anything",
)
def positive(cells: Cells) -> Floats:
    """Return the positive agreement."""
    return ratio(2 * cells.both, cells.size + cells.returned, np.nan)


@measure(
    "P_neg",
    "Agreement on the other phrases: phrases neither chose over the mean number not chosen.",
    r"P_{\mathrm{neg}} = \frac{2d}{2d+b+c}",
    source=_CICCHETTI,
    family="concordance",
    undefined="everybody chose everything",
)
def negative(cells: Cells) -> Floats:
    """Return the negative agreement."""
    return ratio(2 * cells.neither, 2 * cells.universe - cells.size - cells.returned, np.nan)


@measure(
    "PABAK",
    "Kappa as it would be with equal shares of yes and no; above silence only if precision exceeds 1/2.",
    r"\mathrm{PABAK} = 2P_o - 1 = 1 - \frac{2(b+c)}{N}",
    source=_BYRT,
    family="concordance",
    low=-1,
    undefined="the universe is empty",
)
def pabak(cells: Cells) -> Floats:
    """Return the prevalence-adjusted bias-adjusted kappa."""
    return ratio(cells.universe - 2 * (cells.gold_only + cells.system_only), cells.universe, np.nan)


@measure(
    "AC1",
    "Agreement beyond chance, where chance is taken as smallest for rare categories (Gwet's AC1).",
    r"\mathrm{AC1} = \frac{P_o-P_e}{1-P_e},\ P_e = 2m(1-m),\ m = \frac{f_1+g_1}{2N}",
    source="Gwet 2008",
    family="concordance",
    low=-1,
    undefined="the universe is empty",
)
def ac1(cells: Cells) -> Floats:
    """Return Gwet's AC1."""
    n, yes = cells.universe, cells.size + cells.returned
    chance = yes * (2 * n - yes)  # 2 m (1 - m) times 2 N squared
    return ratio(2 * n * (cells.both + cells.neither) - chance, 2 * n * n - chance, np.nan)


@measure(
    "pi",
    "Agreement beyond chance with one common share of “yes” (Scott's pi).",
    r"\pi = \frac{4ad-(b+c)^2}{(2a+b+c)(2d+b+c)}",
    source="Scott 1955",
    family="concordance",
    low=-1,
    undefined=_ONE_CATEGORY,
)
def scott_pi(cells: Cells) -> Floats:
    """Return Scott's pi."""
    yes = cells.size + cells.returned
    apart = cells.gold_only + cells.system_only
    return ratio(4 * cells.both * cells.neither - apart * apart, yes * (2 * cells.universe - yes), np.nan)


@measure(
    "BI",
    "Whether the gold (above 0) or the system (below 0) chose more phrases.",
    r"\mathrm{BI} = \frac{b-c}{N}",
    source=_BYRT,
    family="concordance",
    low=-1,
    better="none",
    undefined="the universe is empty",
)
def bias_index(cells: Cells) -> Floats:
    """Return the bias index."""
    return ratio(cells.size - cells.returned, cells.universe, np.nan)


@measure(
    "PI",
    "How unequal “yes” and “no” are: −1 where nothing is chosen.",
    r"\mathrm{PI} = \frac{a-d}{N}",
    source=_BYRT,
    family="concordance",
    low=-1,
    better="none",
    undefined="the universe is empty",
)
def prevalence_index(cells: Cells) -> Floats:
    """Return the prevalence index."""
    return ratio(cells.size + cells.returned - cells.universe, cells.universe, np.nan)
