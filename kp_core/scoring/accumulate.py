"""Turn counts into values per document, values into weighted sums, and sums into averages with intervals.

All averages, intervals and tests over documents are functions of such sums, so data in memory and streamed data are
evaluated in the same way. A block is a slice of the counts or a part of the files; the sums of blocks are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypedDict

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import usage_error
from kp_core.scoring import intervals
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import CutoffCounts
from kp_core.scoring.intervals import Estimate
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import Measure, names_in, parse
from kp_core.settings import SUBJECT, Cutoff, Interval

#: Maximum number of document names stored and shown.
_NAMES_SHOWN = 5
#: A sum of squares below this share of its terms counts as 0.
_NOISE = 1e-12


@dataclass(frozen=True)
class Grid:
    """Concordance tables, one row per document, and one column per annotator, per pair, or for all annotators.

    * `cells`: fields (D, K), 0 for tables that do not count
    * `seen`: (D, K) whether a table counts; `absent`: the reason for a missing value if it does not
    """

    cells: Cells
    seen: Bools
    absent: str = "nobody_else"
    cutoffs: ClassVar[tuple[Cutoff, ...]] = ()

    def part(self, index: slice | tuple[slice, slice]) -> Grid:
        """Return the tables of the selected documents and columns."""
        return Grid(self.cells.mapped(lambda counts: counts[index]), self.seen[index], self.absent)

    def arrays(self) -> list[Floats]:
        """Return the arrays of counts."""
        return self.cells.arrays()

    @property
    def scored(self) -> Bools:
        """Whether each document counts in at least one column (D,)."""
        return np.asarray(self.seen.any(axis=1))

    @property
    def documents(self) -> NDArray[np.int64]:
        """The number of documents pooled in each column (K,)."""
        return np.asarray(self.seen.sum(axis=0))

    def values(self, measure: Measure) -> Floats:
        """Return the value of every document and column (D, K); NaN if undefined."""
        return np.where(self.seen, measure.scores(self.cells), np.nan)

    def status(self, measure: Measure) -> NDArray[np.str_]:
        """Return the degenerate case of every table (D, K), or `ok`."""
        status = concordance.status(self.cells)
        status[~self.seen] = self.absent
        return status


@dataclass(frozen=True)
class Ids:
    """The number of documents of one kind, and some of their names.

    >>> str(Ids.of(["d2", "d9"]) + Ids.of(["d1"]))
    'd1, d2, d9'
    """

    count: int = 0
    names: tuple[str, ...] = ()

    @staticmethod
    def of(names: Sequence[str]) -> Ids:
        """Return the `Ids` of named documents."""
        return Ids(len(names), tuple(names))

    @staticmethod
    def where(names: tuple[str, ...], mask: Bools) -> Ids:
        """Return the documents selected by a mask."""
        return Ids.of([names[i] for i in np.flatnonzero(mask)])

    def __add__(self, other: Ids) -> Ids:
        """Add the numbers, and keep the alphabetically first names."""
        return Ids(self.count + other.count, tuple(sorted({*self.names, *other.names})[:_NAMES_SHOWN]))

    def __str__(self) -> str:
        return ", ".join(self.names[:_NAMES_SHOWN]) + (" …" if self.count > _NAMES_SHOWN else "")


@dataclass(frozen=True)
class AverageKey:
    """The average that sums belong to.

    * `part`: subset of the documents, or part of an agreement
    * `system`: index of the system, continuing over several gold standards
    * `counts`: name of the measure; if counts are pooled, `table` or `ranking`, since such measures share their sums
    """

    part: str
    system: int
    average: str
    counts: str
    cutoffs: tuple[Cutoff, ...]


class AverageSums(TypedDict, total=False):
    """The sums of an average over documents, in K columns; a summand is a value or a pooled count."""

    documents: Floats  # (K,) documents with a value, or pooled
    sums: dict[int, Floats]  # index of a summand → (K,)
    drawn: dict[int, Floats]  # index of a summand → its weighted sums of resamples (B, K)
    weight: Floats  # (B, K) weights of documents with a value
    reasons: dict[str, Floats]  # (K,) documents by reason, in blocks without any value
    products: Floats  # (K, M, M) for the cluster t interval: of all pairs of summands


class PartSums(TypedDict, total=False):
    """The documents of a part of the data."""

    documents: Floats  # (K,) all documents
    scored: Floats  # (1,) those that resamples may contain
    drawn: Floats  # (B,) their weights


class PairSums(TypedDict, total=False):
    """Sums for P pairs of S systems with M summands."""

    common: Floats  # (1,) documents on which every system is scored
    sums: Floats  # (S, M)
    drawn: Floats  # (S, B, M) weighted sums of resamples
    weight: Floats  # (B,) their weights
    moved: Floats  # (T, P · M) the sums swapped in a trial of the randomization test
    differences: Floats  # (P, 5) documents won, tied and lost, and sums of differences and of their squares
    lists: Floats  # (S, S) documents with lists of both systems
    in_use: Floats  # (1,) documents in use
    products: Floats  # (P, 2M, 2M) for the cluster t interval


@dataclass
class Sums:
    """Sums over the documents seen so far; `numbers` and `ids` (kind of document → such documents) are for notes."""

    numbers: dict[str, Floats] = field(default_factory=dict)
    parts: dict[str, PartSums] = field(default_factory=dict)
    averages: dict[AverageKey, AverageSums] = field(default_factory=dict)
    pairs: dict[str, PairSums] = field(default_factory=dict)
    ids: dict[str, Ids] = field(default_factory=dict)

    def add(self, name: str, values: Floats | Ints | int) -> None:
        """Add values to the named numbers."""
        add_to(self.numbers, {name: np.atleast_1d(np.asarray(values, np.float64))})

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        for kind in SUMS:
            add_to(getattr(self, kind), getattr(other, kind))
        # A kind that is new is added to empty `Ids`, which sorts its names.
        self.ids |= {kind: self.ids.get(kind, Ids()) + ids for kind, ids in other.ids.items()}

    def note(self, kinds: Mapping[str, Ids]) -> None:
        """Add the numbers and names of documents by kind; names keep their order within a block."""
        self.ids |= {kind: self.ids[kind] + ids if kind in self.ids else ids for kind, ids in kinds.items()}

    def number(self, name: str) -> int:
        """Return a sum that is a single integer, or 0 if nothing was added."""
        return int(self.numbers.get(name, np.zeros(1))[0])


#: Fields of `Sums` that are added up.
SUMS = ("numbers", "parts", "averages", "pairs")


def add_to(totals: Any, sums: Any) -> None:
    """Add sums to totals in place; a quantity that either of them lacks counts as 0.

    >>> totals = {"a": 1, "b": {"c": 2}}
    >>> add_to(totals, {"b": {"c": 3, "d": 4}})
    >>> totals
    {'a': 1, 'b': {'c': 5, 'd': 4}}
    """
    for name, value in sums.items():
        if name not in totals:
            totals[name] = value
        elif isinstance(value, dict):
            add_to(totals[name], value)
        else:
            totals[name] = totals[name] + value


class Accumulator:
    """Accumulator of blocks of documents of one `part` of the data, which computes averages from their sums."""

    def __init__(self, interval: Interval, sums: Sums | None = None, part: str = "") -> None:
        self.interval, self.sums, self.part = interval, Sums() if sums is None else sums, part
        self.weights: Floats | None = None
        self._added: set[AverageKey] = set()

    def begin(self, scored: Bools, weights: Floats | None) -> None:
        """Begin a block, given the documents that resamples may contain (D,) and the weights of resamples (B, D)."""
        self.weights, self._added = weights, set()
        if weights is not None:
            part: PartSums = {"scored": np.array([scored.sum()], float), "drawn": weights @ scored.astype(float)}
            add_to(self.sums.parts, {self.part: part})

    def add(self, system: int, measure: Measure, view: CutoffCounts | Grid, average: str) -> None:
        """Add the documents of the current block to one average of a measure for a system."""
        key = self._key(system, measure, view.cutoffs, average)
        if key in self._added:  # measures of pooled counts share the same sums
            return
        self._added.add(key)
        parts, scored, pooled = summands(measure, view, average), view.scored, average == "micro"
        defined = scored[:, None] if pooled else scored[:, None] & ~np.isnan(sum(parts))
        filled = [np.where(defined, part, 0.0) for part in parts]
        totals: AverageSums = {"documents": (view.documents if pooled else defined.sum(axis=0)).astype(float)}
        totals["sums"] = {i: values.sum(axis=0) for i, values in enumerate(filled)}
        if self.weights is not None:
            totals["drawn"] = {i: self.weights @ values for i, values in enumerate(filled)}
        if self.interval == "cluster-t":
            totals["products"] = _products(filled)
        if self.weights is not None and not pooled:
            complete = defined.all()
            totals["weight"] = self.weights.sum(axis=1)[:, None] if complete else self.weights @ defined.astype(float)
        undefined = ~defined.any(axis=0)
        if undefined.any() and scored.any():
            status = view.status(measure)[scored]
            reasons = np.unique(status[:, undefined]).tolist()
            totals["reasons"] = {why: ((status == why) & undefined).sum(axis=0).astype(float) for why in reasons}
        add_to(self.sums.averages, {key: totals})

    def estimate(
        self,
        system: int,
        measure: Measure,
        average: str,
        cutoffs: tuple[Cutoff, ...] = (),
        absent: str = "no_documents",
    ) -> Estimate:
        """Return value, interval and reason for missing values per column; absent: the reason if no document counts."""
        totals, pooled = self.sums.averages[self._key(system, measure, cutoffs, average)], average == "micro"
        n, sums = totals["documents"].astype(np.int64), [total[None] for total in totals["sums"].values()]
        value = np.where(n > 0, average_of(measure, average, sums, n)[0], np.nan)
        reason: list[str | None] = [None] * len(n)
        for column in np.flatnonzero(np.isnan(value)):
            counts = {why: number[column] for why, number in totals.get("reasons", {}).items()}
            reason[column] = max(sorted(counts), key=counts.__getitem__, default=absent)
        if pooled and (undefined := np.isnan(value) & (n > 0)).any():
            total = cells_of(measure, sums)
            status = np.where(np.isnan(total.hits), "universe_too_large", concordance.status(total))[0]
            reason = [str(status[column]) if undefined[column] else why for column, why in enumerate(reason)]
        if "products" in totals and (measure.card.smooth or not pooled):
            slopes = gradients(measure, average, sums, np.maximum(n, 1))
            half_width = cluster_half_width(slopes, totals["products"], n, None if pooled else np.vstack(sums).T)
            return Estimate(value, value - half_width, value + half_width, n, reason)
        if "drawn" not in totals:
            return with_bounds(value, None, n, reason)
        drawn, weight, part = [*totals["drawn"].values()], totals.get("weight"), self.sums.parts[self.part]
        if pooled and (part["drawn"] != part["scored"]).any():  # totals are scaled to the number of documents
            scale = ratio(part["scored"], part["drawn"], np.nan)[:, None]
            drawn = [counts * scale for counts in drawn]
        return with_bounds(value, average_of(measure, average, drawn, weight), n, reason)

    def _key(self, system: int, measure: Measure, cutoffs: tuple[Cutoff, ...], average: str) -> AverageKey:
        counts = measure.name()
        if average == "micro" and cutoffs:
            counts = "table" if measure.of_tables else "ranking"
        return AverageKey(self.part, system, average, counts, cutoffs)


def cells_of(measure: Measure, arrays: Sequence[Floats]) -> Cells:
    """Return the counts that a measure uses: the leading arrays, as many as its `Cells` have fields."""
    kind: type[Cells] = measure.card.cells or Cells
    return kind(*arrays[: len(fields(kind))])


def summands(measure: Measure, view: CutoffCounts | Grid, average: str) -> list[Floats]:
    """Return the summands of an average over documents (D, K): the counts if they are pooled, else the values."""
    if average == "micro":
        return cells_of(measure, view.arrays()).arrays()
    if average in SUBJECT:
        raise usage_error("by subject", average=average)
    if average == "f-of-means" and measure.card.f_of:
        return [view.values(parse(name)) for name in names_in(measure.card.f_of)]
    return [view.values(measure)]


def average_of(measure: Measure, average: str, sums: Sequence[Floats], n: Any) -> Floats:
    """Return an average from the sums of its summands, and the number or the total weight of the documents.

    From the means of precision and recall, the average is F.
    """
    if average == "micro":
        return measure.scores(cells_of(measure, sums))
    means = [ratio(total, n, np.nan) for total in sums]
    return means[0] if len(means) == 1 else ratio(2 * means[0] * means[1], means[0] + means[1])


def with_bounds(value: Floats, resampled: Floats | None, n: Ints, reason: list[str | None]) -> Estimate:
    """Return values with bounds from their resamples (B, K); the bounds are NaN without resamples."""
    low = high = np.full(len(value), np.nan)
    if resampled is not None:
        low, high = intervals.percentile(resampled, intervals.expanded_tail(n))
    return Estimate(value, low, high, n, reason, resampled)


def squared_deviations(mean: Floats | float, squares: Floats | float, n: Ints | int) -> Floats:
    """Return the sum of squared deviations from the mean (K,), or 0 if it is only rounding error."""
    spread = squares - n * np.square(mean)
    return np.where(spread > _NOISE * np.asarray(squares), spread, 0.0)


def _products(arrays: Sequence[Floats]) -> Floats:
    """Return the products of all pairs of counts, summed over documents (K or 1, M, M)."""
    if len({array.shape[1] for array in arrays}) == 1:
        stacked = np.stack(arrays, axis=-1)  # (D, K, M)
        return np.asarray(np.einsum("dkm,dkn->kmn", stacked, stacked))
    flat = np.hstack(arrays)
    return np.asarray((flat.T @ flat)[None])


def gradients(measure: Measure, average: str, sums: Sequence[Floats], n: Any = None) -> Floats:
    """Return the gradient of an average with respect to its sums, (1, K) → (K, M); it is exact for smooth measures."""
    slopes, same_width = [], len({array.shape[1] for array in sums}) == 1
    for index, array in enumerate(sums):
        for column in [slice(None)] if same_width else [slice(i, i + 1) for i in range(array.shape[1])]:
            shifted = [total.astype(complex) for total in sums]
            shifted[index][:, column] += 1j * intervals.STEP
            slopes.append(np.imag(average_of(measure, average, shifted, n))[0] / intervals.STEP)
    return np.stack(slopes, axis=-1)


def cluster_half_width(slopes: Floats, products: Floats, n: Ints, sums: Floats | None = None) -> Floats:
    """Return half the width of the cluster t interval of an average (K,) of n documents (K,).

    * `slopes`, `products`: its gradient (K, M), and the products of the summands (K, M, M)
    * `sums`: the sums (K, M) if it is a mean, on which the influence of a document is its deviation
    """
    deviations = products
    if sums is not None:
        deviations = products - np.einsum("km,kn->kmn", sums, sums / np.maximum(n, 1)[:, None])
    terms = slopes[:, :, None] * slopes[:, None, :]
    squares, sizes = (terms * deviations).sum(axis=(1, 2)), np.abs(terms * products).sum(axis=(1, 2))
    return intervals.t_half_width(squares, sizes, n)


def estimate(
    measure: Measure, view: CutoffCounts | Grid, average: str, weights: Floats | None, interval: Interval
) -> Estimate:
    """Return the average of a measure over all documents of a view; `weights`: those of resamples (B, D), or None."""
    accumulator = Accumulator(interval if weights is None else "bootstrap")
    accumulator.begin(view.scored, weights)
    accumulator.add(0, measure, view, average)
    return accumulator.estimate(0, measure, average, view.cutoffs, view.absent)


def mean_of(averages: Sequence[Estimate]) -> Estimate:
    """Return the mean of several averages, for instance one per gold standard, and of their paired resamples.

    Undefined averages are left out.
    """
    if len(averages) == 1:
        return averages[0]

    def mean(values: Sequence[Any]) -> Floats:
        return ratio(np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0), np.nan)

    value, resampled = mean([average.value for average in averages]), None
    if all(average.resampled is not None for average in averages):
        resampled = mean([average.resampled for average in averages])
    documents = np.max([average.documents for average in averages], axis=0)
    reason = [averages[0].reason[i] if np.isnan(x) else None for i, x in enumerate(value)]
    return with_bounds(value, resampled, documents, reason)
