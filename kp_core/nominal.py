"""Turn ratings in any number of categories into agreement coefficients with their errors; items are independent here.

Keyphrases need only yes and no, and have `agreement`; this is for other ratings, such as judgements of phrases, and for
checking KPScope against the textbooks. Categories are given by the shape of the input, never inferred from the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kp_core.coding import Floats, Ints


@dataclass(frozen=True)
class Coefficients:
    """Agreement on nominal ratings; NaN where undefined.

    observed, expected    share of agreeing pairs of ratings of an item; the same by chance, as Fleiss has it
    K, AC1, PABAK, alpha  Fleiss' kappa, Gwet's AC1, Brennan-Prediger for any number of categories, Krippendorff's alpha
    *_error               Gwet's linearised standard errors, items independent; NaN where nothing varies
    K_null_error          error of K if there were no agreement (Fleiss, Nee & Landis 1979): for a test, not an interval
    per_category          K of each category against the rest (J,); like K_null_error only for equal numbers of ratings
    """

    observed: float
    expected: float
    K: float
    AC1: float
    PABAK: float
    alpha: float
    K_error: float
    AC1_error: float
    PABAK_error: float
    K_null_error: float
    per_category: Floats


def from_counts(counts: Floats) -> Coefficients:
    """Return the agreement of items (I, J): how many annotators put item i into category j.

    Source: Gwet 2014, ch. 2-5; Krippendorff 2004, ch. 11; Fleiss 1971 for `per_category`.

    >>> round(from_counts(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])).K, 4)
    0.3333
    """
    counts = np.asarray(counts, float)
    counts = counts[counts.sum(axis=1) > 0]
    n, (items, categories) = counts.sum(axis=1), counts.shape
    several = n > 1
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(several, (counts * (counts - 1)).sum(axis=1) / (n * (n - 1)), 0.0)
        observed = each[several].mean() if several.any() else np.nan
        share = (counts / n[:, None]).mean(axis=0)
        chance = {
            "K": (share**2).sum(),
            "AC1": (share * (1 - share)).sum() / (categories - 1),
            "PABAK": 1 / categories,
        }
        chance_of = {
            "K": counts @ share / n,
            "AC1": counts @ (1 - share) / n / (categories - 1),
            "PABAK": np.full(items, chance["PABAK"]),
        }
        values, errors = {}, {}
        for name, pe in chance.items():
            value = (observed - pe) / (1 - pe)
            one = np.where(several, items / several.sum() * (each - pe) / (1 - pe), 0.0)
            one = one - 2 * (1 - value) * (chance_of[name] - pe) / (1 - pe)
            error = float(np.sqrt(((one - value) ** 2).sum() / (items * (items - 1))))
            values[name], errors[name] = float(value), error if error > 0 else float("nan")
        paired, m = counts[several], n[several]
        total, of_category = m.sum(), paired.sum(axis=0)
        apart = ((m**2 - (paired**2).sum(axis=1)) / (m - 1)).sum() / total
        alpha = 1 - apart / ((total**2 - (of_category**2).sum()) / (total * (total - 1)))
        null, per_category = _equal_numbers(counts, share)
    return Coefficients(
        observed=float(observed), expected=float(chance["K"]), K=values["K"], AC1=values["AC1"], PABAK=values["PABAK"],
        alpha=float(alpha), K_error=errors["K"], AC1_error=errors["AC1"], PABAK_error=errors["PABAK"],
        K_null_error=null, per_category=per_category,
    )  # fmt: skip


def _equal_numbers(counts: Floats, share: Floats) -> tuple[float, Floats]:
    """Return what exists only where every item has the same number of ratings: the error under H0, K per category."""
    n = counts.sum(axis=1)
    if len(np.unique(n)) != 1 or n[0] < 2:
        return float("nan"), np.full(len(share), np.nan)
    items, r = len(counts), n[0]
    spread = share * (1 - share)
    null = np.sqrt(2 * (spread.sum() ** 2 - (spread * (1 - 2 * share)).sum()) / (items * r * (r - 1))) / spread.sum()
    agreeing = ((counts**2).sum(axis=0) - items * r * share) / (items * r * (r - 1) * share)
    return float(null), (agreeing - share) / (1 - share)


def from_ratings(ratings: Ints, categories: int) -> tuple[Coefficients, float, float]:
    """Return the agreement of ratings (I, A), coded 0 to J-1 and -1 where missing, with Conger's and Light's kappa.

    >>> from_ratings(np.array([[0, 0], [0, 1], [1, 1]]), 2)[2].__round__(4)
    0.4
    """
    coded = np.asarray(ratings)
    one_hot = coded[:, :, None] == np.arange(categories)
    everything = from_counts(one_hot.sum(axis=1).astype(float))
    rated = coded >= 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = one_hot.sum(axis=0) / rated.sum(axis=0)[:, None]
    first, second = np.triu_indices(coded.shape[1], 1)
    chance = float((share[first] * share[second]).sum(axis=1).mean())
    conger = (everything.observed - chance) / (1 - chance) if chance < 1 else float("nan")
    kappas = []
    for a, b in zip(first, second, strict=True):
        both = rated[:, a] & rated[:, b]
        table = one_hot[both, a].T.astype(float) @ one_hot[both, b]
        kappas.append(from_table(table).kappa)
    defined = [kappa for kappa in kappas if not np.isnan(kappa)]
    return everything, conger, float(np.mean(defined)) if defined else float("nan")


@dataclass(frozen=True)
class TableCoefficients:
    """Agreement of two annotators on nominal ratings; NaN where undefined.

    error, null_error   of kappa (Fleiss, Cohen & Everitt 1969), without and with the assumption that kappa is 0
    """

    observed: float
    expected: float
    kappa: float
    error: float
    null_error: float
    observed_max: float
    kappa_max: float
    pi: float
    AC1: float
    PABAK: float
    alpha: float


def from_table(table: Floats) -> TableCoefficients:
    """Return the agreement of a square table (J, J) of counts, rows one annotator, columns the other.

    >>> round(from_table(np.array([[20.0, 5.0], [10.0, 15.0]])).kappa, 4)
    0.4
    """
    counts = np.asarray(table, float)
    n, categories = counts.sum(), len(counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = counts / n
        row, column = p.sum(axis=1), p.sum(axis=0)
        po, pe, most = np.trace(p), row @ column, np.minimum(row, column).sum()
        kappa = (po - pe) / (1 - pe) if pe < 1 else np.float64(np.nan)
        diagonal = (np.diag(p) * (1 - (row + column) * (1 - kappa)) ** 2).sum()
        crossed = p * (column[:, None] + row[None, :]) ** 2
        spread = diagonal + (1 - kappa) ** 2 * (crossed.sum() - np.trace(crossed)) - (kappa - pe * (1 - kappa)) ** 2
        null = pe + pe**2 - (row * column * (row + column)).sum()
        mean = (row + column) / 2
        chances = ((mean**2).sum(), (mean * (1 - mean)).sum() / (categories - 1), 1 / categories)
        pi, ac1, pabak = (float((po - chance) / (1 - chance)) if chance < 1 else float("nan") for chance in chances)
        highest = float((most - pe) / (1 - pe)) if pe < 1 else float("nan")
        scale = (1 - pe) * np.sqrt(n)
        return TableCoefficients(
            float(po), float(pe), float(kappa), float(np.sqrt(max(spread, 0)) / scale),
            float(np.sqrt(max(null, 0)) / scale), float(most), highest, pi, ac1, pabak,
            1 - (1 - pi) * (2 * n - 1) / (2 * n),
        )  # fmt: skip
