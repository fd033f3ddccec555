"""Turn values per document into one value with its interval: macro, micro, or F of the mean P and R."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kp_core.scoring import intervals
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import FIELDS, AtK, Cells, Counts
from kp_core.scoring.measures import Asked, concordance, overlap, parse
from kp_core.scoring.prepare import used_documents
from kp_core.settings import Cutoff, Settings


@dataclass(frozen=True)
class View:
    """One system's counts at some cutoffs."""

    counts: Counts
    cutoffs: tuple[Cutoff, ...]
    drawn: list[Cells] = field(default_factory=list, repr=False)

    @cached_property
    def parts(self) -> list[AtK]:
        """The counts at the cutoffs, in parts of documents."""
        return [part.at(self.cutoffs) for part in self.counts.parts()]

    @cached_property
    def cells(self) -> Cells:
        """The counts of all documents, fields (D, K)."""
        if len(self.parts) == 1:
            return self.parts[0]
        return Cells(*(np.concatenate([getattr(part, name) for part in self.parts]) for name in FIELDS))

    @property
    def used(self) -> Bools:
        """Which documents the system is scored on (D,)."""
        return used_documents(self.counts)

    @cached_property
    def total(self) -> Cells:
        """The counts of all documents in use together, fields (1, K)."""
        return self.cells.only(self.used).pooled(np.ones((1, int(self.used.sum()))))

    def resampled(self, weights: Floats) -> Cells:
        """Return the pooled counts for weights (B, D), fields (B, K); made once for all measures of a view."""
        if not self.drawn:
            self.drawn.append(self.cells.only(self.used).pooled(weights[:, self.used]))
        return self.drawn[0]

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and cutoff (D, K); NaN where undefined."""
        found, row = np.empty((len(self.counts.size), len(self.cutoffs))), 0
        for part in self.parts:  # each is copied while it is still in the cache
            found[row : row + len(part.hits)] = _values(asked, part)
            row += len(part.hits)
        return found

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every document and cutoff (D, K), or `ok`; the keys stand in `REASONS`."""
        counts = self.counts
        if asked.measure.family == "concordance":
            status = concordance.status(self.cells).astype(object)
        else:
            status = np.full(self.cells.hits.shape, "ok", object)
            status[counts.length == 0] = "system_empty"
        status[counts.size == 0] = "gold_empty"
        status[~counts.listed] = "missing_document"
        if asked.measure.name == "bpref":
            unjudged = np.ones(len(counts.size), bool) if counts.judged is None else np.isnan(counts.judged)
            status[unjudged] = "no_judged_negatives"
        status[np.isnan(self.cells.hits)] = "universe_too_large"
        return status.astype(np.str_)


def _values(asked: Asked, at: AtK) -> Floats:
    values = asked.scores(at)
    without = at.counts.size == 0
    if asked.measure.family == "concordance" or not without.any():
        return values
    rule = at.counts.conventions.empty_gold
    instead = np.full(int(without.sum()), {"skip": np.nan}.get(rule, 0.0))
    if rule == "one-if-empty":
        instead[at.counts.length[without] == 0] = 1.0
    values = np.array(values, dtype=float)
    values[without] = instead[:, None]
    return values


@dataclass(frozen=True)
class Grid:
    """Tables of documents (rows) by anything but cutoffs (columns): annotators, pairs, or all annotators together.

    cells   fields (D, K), 0 where the table does not count; seen (D, K) where it does
    absent  reason where it does not
    """

    cells: Cells
    seen: Bools
    absent: str = "nobody_else"

    def columns(self) -> list[Grid]:
        """Return every column as a grid of its own."""
        ones = np.eye(self.seen.shape[1], dtype=bool)
        cells = [self.cells.mapped(lambda x, one=one: x[:, one]) for one in ones]  # type: ignore[misc]
        return [Grid(own, self.seen[:, one], self.absent) for own, one in zip(cells, ones, strict=True)]

    @property
    def used(self) -> Bools:
        """Documents that count in some column (D,)."""
        return np.asarray(self.seen.any(axis=1))

    @cached_property
    def total(self) -> Cells:
        """The counts of all documents together, fields (1, K)."""
        return self.cells.pooled(np.ones((1, len(self.seen))))

    def resampled(self, weights: Floats) -> Cells:
        """Return the pooled counts for weights (B, D), fields (B, K)."""
        return self.cells.pooled(weights)

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and column (D, K); NaN where undefined."""
        return np.where(self.seen, asked.scores(self.cells), np.nan)

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every table (D, K), or `ok`."""
        status = concordance.status(self.cells)
        status[~self.seen] = self.absent
        return status


@dataclass(frozen=True)
class Average:
    """Values and intervals over columns (K,), such as cutoffs, of one measure under one average.

    draws (B, K) are the values of the resamples, where there are any.
    """

    value: Floats
    low: Floats
    high: Floats
    documents: np.ndarray
    reason: list[str | None]
    draws: Floats | None = None


def _bounds(draws: Floats | None, columns: int) -> tuple[Floats, Floats]:
    if draws is None:
        return np.full(columns, np.nan), np.full(columns, np.nan)
    return intervals.percentile(draws)


def _macro(
    values: Floats, used: Bools, weights: Floats | None, settings: Settings, why: Callable[[int], str]
) -> Average:
    ok = used[:, None] & ~np.isnan(values)
    n = ok.sum(axis=0)
    value = np.where(n > 0, np.where(ok, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)
    draws = intervals.weighted_mean(values, ok, weights) if weights is not None else None
    low, high = _bounds(draws, len(value))
    if weights is None and settings.interval == "cluster-t":
        low, high = intervals.cluster_t_mean(values, ok)
    return Average(value, low, high, n, [None if m else why(i) for i, m in enumerate(n)], draws)


def _pooled(view: View | Grid, asked: Asked, weights: Floats | None, settings: Settings) -> Average:
    used, score, total = view.used, asked.scores, view.total
    value = score(total)[0]
    n = view.seen.sum(axis=0) if isinstance(view, Grid) else np.full(len(value), int(used.sum()))
    draws = score(view.resampled(weights)) if weights is not None else None
    low, high = _bounds(draws, len(value))
    # The minimum in kappa_max and the maximum in kappa_min have no gradient.
    smooth = asked.measure.name not in ("kappa_max", "kappa_min")
    if weights is None and settings.interval == "cluster-t" and smooth:
        low, high = intervals.cluster_t_pooled(view.cells.only(used), score, n)
    status = np.where(np.isnan(total.hits), "universe_too_large", concordance.status(total))[0].astype(object)
    if isinstance(view, Grid):
        status[~view.seen.any(axis=0)] = view.absent
    reason = [str(s) if np.isnan(v) else None for v, s in zip(value, status, strict=True)]
    return Average(value, low, high, n, reason, draws)


def _f_of_means(view: View | Grid, asked: Asked, used: Bools, weights: Floats | None, settings: Settings) -> Average:
    parts = [view.values(parse(name)) for name in ("P@k", "R@k")]
    if asked.measure.name != "F1@k":
        chosen = parts[0] if asked.measure.name == "P@k" else parts[1]
        return _macro(chosen, used, weights, settings, lambda _: "no_documents")
    ok = used[:, None] & ~np.isnan(parts[0]) & ~np.isnan(parts[1])
    weighed = np.ones((1, len(used))) if weights is None else np.vstack([np.ones((1, len(used))), weights])
    p, r = (intervals.weighted_mean(part, ok, weighed) for part in parts)
    f = overlap.ratio(2 * p * r, p + r)
    draws = f[1:] if weights is not None else None
    low, high = _bounds(draws, f.shape[1])
    n = ok.sum(axis=0)
    return Average(f[0], low, high, n, [None if m else "no_documents" for m in n], draws)


def averaged(asked: Asked, view: View | Grid, average: str, weights: Floats | None, settings: Settings) -> Average:
    """Return value, interval and reason in every column; weights (B, D) are bootstrap weights, or None."""
    used = view.used
    if not used.any():
        nothing = np.full(view.cells.hits.shape[1], np.nan)
        why_not: list[str | None] = [view.absent if isinstance(view, Grid) else "no_documents"] * len(nothing)
        return Average(nothing, nothing, nothing, np.zeros(len(nothing), int), why_not)
    if average == "micro":
        return _pooled(view, asked, weights, settings)
    if average == "f-of-means":
        return _f_of_means(view, asked, used, weights, settings)

    def why(column: int) -> str:
        names, counts = np.unique(view.status(asked)[used, column], return_counts=True)
        return str(names[np.argmax(counts)])

    return _macro(view.values(asked), used, weights, settings, why)


def mean_of(found: Sequence[Average]) -> Average:
    """Return the mean of averages, such as those under several gold standards; undefined ones are left out.

    The interval is that of the mean: resamples of the documents are the same for all.
    """
    if len(found) == 1:
        return found[0]
    values = np.stack([one.value for one in found])
    ok = ~np.isnan(values)
    n = ok.sum(axis=0)
    value = np.where(n > 0, np.where(ok, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)
    draws = None
    if all(one.draws is not None for one in found):
        drawn = np.stack([one.draws for one in found if one.draws is not None])
        there = ~np.isnan(drawn)
        counted = there.sum(axis=0)
        draws = np.where(counted > 0, np.where(there, drawn, 0.0).sum(axis=0) / np.maximum(counted, 1), np.nan)
    low, high = _bounds(draws, len(value))
    documents = np.max([one.documents for one in found], axis=0)
    reason = [None if m else found[0].reason[i] for i, m in enumerate(n)]
    return Average(value, low, high, documents, reason, draws)
