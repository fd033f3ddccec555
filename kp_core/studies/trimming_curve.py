"""Turn trimmed gold standards into system scores: does a more reliable gold standard change what the systems get.

A smaller gold standard alone moves every score, so each score stands beside that of random trimming to the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kp_core.errors import UsageError
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import averaged
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import AtK
from kp_core.scoring.measures import Asked, concordance, parse
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import Counted, count_systems
from kp_core.scoring.table_cells import Cells
from kp_core.scoring.views import View
from kp_core.settings import Cutoff
from kp_core.studies.correlation.coefficients import closed_form, correlation
from kp_core.studies.trimming import Levels

#: The thresholds of Nomoto & Matsumoto 1997.
THRESHOLDS = tuple(round(0.1 + 0.05 * step, 2) for step in range(15))
REPEATS = 200
#: Below so many documents or phrases no score is drawn; 40 positives is the sample of Nomoto & Matsumoto 1997.
FEWEST_DOCUMENTS, FEWEST_PHRASES = 5, 40
#: Kappa as it would be with at most five phrases that nobody chose for each keyphrase: their sample, in expectation.
BALANCED = "kappa (1:5)"
MEASURES = ("P_pos", "kappa", BALANCED, "nDCG@k")
COLUMNS = (
    "system",
    "measure",
    "average",
    "threshold",
    "value",
    "low",
    "high",
    "null",
    "null_low",
    "null_high",
    "fixed",
    "documents",
    "gold",
    "drawn",
)


@dataclass(frozen=True)
class _Step:
    """One threshold: the majority of each document, and the counts of the systems under it."""

    threshold: float
    size: Ints
    gold: Ints
    counted: dict[str, Counted]


def curve(
    data: Prepared,
    levels: Levels,
    measures: Sequence[str] = MEASURES,
    thresholds: Sequence[float] = THRESHOLDS,
    repeats: int = REPEATS,
) -> pd.DataFrame:
    """Return one row a system, measure and threshold: its score on the trimmed gold, and what random trimming gives.

    value, low, high   score with its bootstrap interval over the documents that are left
    null, …            the mean of random trimming to the same size (closed form), and 95 % of `repeats` draws; none for
                       graded gold under nDCG, and where ties are averaged or hits do not count one each
    fixed              the score on the documents that are left at the last threshold drawn, whatever this threshold
    documents, gold    how many are left; drawn: whether that is enough to draw the score

    data are prepared with one cutoff.
    """
    settings = data.settings
    if len(settings.k) != 1:
        raise UsageError("a curve over thresholds needs one cutoff k")
    cutoff, rng = settings.k[0], np.random.default_rng(settings.seed)
    rows = np.arange(len(levels.gold))
    steps = []
    for threshold in thresholds:
        size = levels.size(threshold)
        gold = np.where(size > 0, levels.gold[rows, np.maximum(size - 1, 0)], 0)
        steps.append(_Step(threshold, size, gold, count_systems(data, data.universe, fewest=size)))
    drawn = [(s.gold > 0).sum() >= FEWEST_DOCUMENTS and s.gold.sum() >= FEWEST_PHRASES for s in steps]
    kept_last = next((s.size > 0 for s, enough in zip(reversed(steps), reversed(drawn), strict=True) if enough), None)
    every = np.ones(len(rows), bool)
    weights = intervals.weights(settings.interval, data.documents, every, settings.resamples, settings.seed, rng)
    union = count_systems(data, data.universe)
    table: list[dict[str, Any]] = []
    for step, enough in zip(steps, drawn, strict=True):
        for system, counted in step.counted.items():
            for name in measures:
                asked = parse("kappa" if name == BALANCED else name)
                average = asked.averages(settings.average)[0]
                score = _Score(asked, name == BALANCED, average, cutoff)
                value, low, high = score.of(counted, weights)
                null = score.null(union[system], step.gold, repeats, rng)
                fixed = score.of(counted, None, kept_last)[0] if kept_last is not None else np.nan
                shown = BALANCED if name == BALANCED else asked.name(cutoff)
                left = (step.gold > 0).sum(), step.gold.sum(), bool(enough)
                values = system, shown, average, step.threshold, value, low, high, *null, fixed, *left
                table.append(dict(zip(COLUMNS, values, strict=True)))
    return pd.DataFrame(table, columns=list(COLUMNS))


def balanced(cells: Cells) -> Cells:
    """Return tables with at most five phrases outside the gold for each keyphrase: c and d times 5 (a+b)/(c+d).

    >>> one = balanced(concordance.table(4, 6, 10, 190))
    >>> float(one.system_only), float(one.neither)
    (2.5, 47.5)
    """
    outside = cells.universe - cells.size
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(outside > 0, np.minimum(1, 5 * cells.size / outside), 1.0)
    returned = cells.hits + weight * cells.system_only
    return Cells(cells.hits, returned, cells.size, cells.size + weight * outside, returned)


class _Score:
    """A measure of one system at one threshold, and of random trimming to the same size."""

    def __init__(self, asked: Asked, even: bool, average: str, cutoff: Cutoff) -> None:
        self.asked, self.even, self.average, self.cutoff = asked, even, average, cutoff

    def of(self, counted: Counted, weights: Floats | None, among: Bools | None = None) -> tuple[float, float, float]:
        """Return value and interval, on all documents of the gold or on some of them."""
        counts = counted.of(self.asked)
        if among is not None:
            counts = replace(counts, known=counts.known & among)
        view = View(counts, (self.cutoff,))
        if self.even and view.used.any():
            cells = view.cells.mapped(lambda counts: np.where(view.used[:, None], counts, 0.0))
            value = float(concordance.kappa(balanced(cells.pooled(np.ones((1, len(view.used))))))[0, 0])
            if weights is None:
                return value, np.nan, np.nan
            low, high = intervals.percentile(concordance.kappa(balanced(cells.pooled(weights))))
            return value, float(low[0]), float(high[0])
        score = averaged(self.asked, view, self.average, weights, "none")
        return float(score.value[0]), float(score.low[0]), float(score.high[0])

    def null(self, union: Counted, gold: Ints, repeats: int, rng: np.random.Generator) -> tuple[float, float, float]:
        """Return mean and 95 % bounds of the score on random parts of the union gold, as large as the trimmed one."""
        counts = union.of(self.asked)
        kept = (gold > 0) & View(counts, (self.cutoff,)).used
        at = counts.at((self.cutoff,))
        if not kept.any() or not self._has_null(at):
            return np.nan, np.nan, np.nan
        hits, size = np.rint(at.hits[kept, 0]).astype(np.int64), at.size[kept, 0]
        share = gold[kept] / size
        draws = rng.hypergeometric(hits, size.astype(np.int64) - hits, gold[kept], (repeats, int(kept.sum())))
        if self.asked.measure.name == "nDCG@k":
            mean, sample = self._discounted(at, kept, share, draws, rng)
        else:
            mean, sample = self._of_cells(at, kept, gold, (hits * share)[None]), self._of_cells(at, kept, gold, draws)
        low, high = np.nanquantile(sample, [0.025, 0.975]) if np.isfinite(sample).any() else (np.nan, np.nan)
        return float(mean[0]), float(low), float(high)

    def _has_null(self, at: AtK) -> bool:
        """Tell whether hits are single gold phrases of equal worth, of which a random part can be taken."""
        counts, record = at.counts, at.counts.settings
        whole = record.ties != "expected" and bool((counts.terms.hits == 1).all()) and bool((at.hits <= at.size).all())
        if self.asked.measure.family != "ranking":
            return whole
        binary = bool((counts.terms.gain == 1).all() and (counts.ideal.gain == 1).all())
        return whole and binary and record.ideal == "gold" and self.asked.measure.name == "nDCG@k"

    def _of_cells(self, at: AtK, kept: Bools, gold: Ints, hits: Floats | Ints) -> Floats:
        """Return the score for hits (B, documents kept)."""
        size = np.broadcast_to(gold[kept].astype(float), hits.shape)
        returned, universe, denominator = (
            np.broadcast_to(x[kept, 0], hits.shape) for x in (at.returned, at.universe, at.denominator)
        )
        cells = Cells(hits.astype(float), returned, size, universe, denominator)
        if self.average == "micro" or self.even:
            pooled = cells.mapped(lambda x: x.sum(axis=1))
            return self.asked.scores(balanced(pooled) if self.even else pooled)
        return np.asarray(np.nanmean(self.asked.scores(cells), axis=1))

    def _discounted(
        self, at: AtK, kept: Bools, share: Floats, draws: Ints, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return mean and draws of nDCG: of the hits within the cutoff, a random part stays; binary grades."""
        terms, place = at.counts.terms, np.cumsum(kept) - 1
        inside = kept[terms.document] & (terms.rank <= at.limit[terms.document, 0])
        document, gain = place[terms.document[inside]], 1 / np.log2(terms.rank[inside] + 1)
        size = np.rint(share * at.size[kept, 0]).astype(np.int64)
        steps = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, int(size.max()) + 2)))])
        best = steps[np.minimum(size, at.limit[kept, 0].astype(np.int64))]
        whole = np.bincount(document, gain, minlength=len(size))
        start = np.cumsum(np.bincount(document, minlength=len(size))) - np.bincount(document, minlength=len(size))
        sample = np.empty(len(draws))
        for i, left in enumerate(draws):
            order = np.lexsort((rng.random(len(document)), document))
            stays = np.arange(len(document)) - start[document[order]] < left[document[order]]
            found = np.bincount(document[order][stays], gain[order][stays], minlength=len(size))
            sample[i] = (found / best).mean()
        return np.array([(whole * share / best).mean()]), sample


def k_and_score(documents: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of a document's agreement K with a system's score on it, also by document type.

    documents: columns document, group, K; scores: columns system, document, value. Columns: system, group, documents,
    rho, low, high. The interval is that of Bonett & Wright 2000; there is none for three documents or fewer.
    """
    joined = scores.merge(documents[["document", "group", "K"]], on="document", suffixes=("_score", ""))
    joined = joined[joined["K"].notna() & joined["value"].notna()]
    kinds = [kind for kind in dict.fromkeys(documents["group"]) if kind]
    rows = []
    for system in dict.fromkeys(scores["system"]):
        own = joined[joined["system"] == system]
        for group in ("all", *(kinds if len(kinds) > 1 else ())):
            part = own if group == "all" else own[own["group"] == group]
            rows.append((system, group, len(part), *_spearman(part["K"].to_numpy(), part["value"].to_numpy())))
    return pd.DataFrame(rows, columns=["system", "group", "documents", "rho", "low", "high"])


def _spearman(one: Floats, two: Floats) -> tuple[float, float, float]:
    rho = correlation(one, two)
    if not abs(rho) < 1:
        return rho, np.nan, np.nan
    low, high = closed_form(np.array(rho), np.array(len(one)))
    return rho, float(low), float(high)
