"""Turn counts into values per document, values into weighted sums, and sums into averages with intervals.

All averages, intervals and tests over documents are functions of such sums, so data in memory and streamed data are
evaluated alike. A block is a slice of the counts or a part of the files, and sums of blocks are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import usage_error
from kp_core.scoring import intervals
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import View
from kp_core.scoring.intervals import Estimate
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.registry import Asked, names_in, parse
from kp_core.settings import SUBJECT, Cutoff, Interval

#: Maximum number of document names stored and shown.
_SHOWN = 5
#: A sum of squares below this share of its terms counts as 0.
_NOISE = 1e-12


@dataclass(frozen=True)
class Grid:
    """Concordance tables of documents (rows) by annotators, by pairs, or of all annotators together (columns).

    cells   fields (D, K), 0 for tables that do not count; seen (D, K): those that do; absent: the reason of others
    """

    cells: Cells
    seen: Bools
    absent: str = "nobody_else"
    cutoffs: ClassVar[tuple[Cutoff, ...]] = ()

    def columns(self) -> list[Grid]:
        """Return every column as a separate grid."""
        return [self.part((slice(None), slice(i, i + 1))) for i in range(self.seen.shape[1])]

    def part(self, index: slice | tuple[slice, slice]) -> Grid:
        """Return the tables of a selection of documents and columns."""
        return Grid(self.cells.mapped(lambda counts: counts[index]), self.seen[index], self.absent)

    def arrays(self) -> list[Floats]:
        """Return only the counts."""
        return self.cells.arrays()

    @property
    def scored(self) -> Bools:
        """The documents that count in some column (D,)."""
        return np.asarray(self.seen.any(axis=1))

    @property
    def documents(self) -> NDArray[np.int64]:
        """The number of documents that are pooled in each column (K,)."""
        return np.asarray(self.seen.sum(axis=0))

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and column (D, K); NaN if undefined."""
        return np.where(self.seen, asked.scores(self.cells), np.nan)

    def status(self, asked: Asked) -> NDArray[np.str_]:
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
        """Add the numbers, and retain the alphabetically first names."""
        return Ids(self.count + other.count, tuple(sorted({*self.names, *other.names})[:_SHOWN]))

    def __str__(self) -> str:
        return ", ".join(self.names[:_SHOWN]) + (" …" if self.count > _SHOWN else "")


class Place(NamedTuple):
    """The key of sums: part of the data, system, average, and measure with its cutoffs.

    All measures of pooled counts share the name `ranking` or `table`.
    """

    part: str
    system: str
    average: str = ""
    measure: str = ""
    cutoffs: str = ""


@dataclass
class Totals:
    """Sums over documents, in K columns.

    defined   (K,) documents with a value, or that are pooled; used: (1,) documents that count in some column
    sums      (K,) of every summand, a value or a pooled count; drawn: (B, K) the same under weights
    weight    (B, K) weights of the documents with a value
    squares   (K,) of the values; products: (K, M, M) of all pairs of counts; for the cluster t interval only
    reasons   reason → (K,) documents that have it, from blocks in which no document has a value
    """

    defined: Floats | None = None
    used: Floats | None = None
    sums: list[Floats] = field(default_factory=list)
    drawn: list[Floats] = field(default_factory=list)
    weight: Floats | None = None
    squares: Floats | None = None
    products: Floats | None = None
    reasons: dict[str, Floats] = field(default_factory=dict)


def plus(first: Any, second: Any) -> Any:
    """Add arrays, or lists, dictionaries and dataclasses of arrays; a missing operand counts as 0."""
    if first is None or second is None:
        return first if second is None else second
    if isinstance(first, dict):
        return {name: plus(first.get(name), second.get(name)) for name in first | second}
    if isinstance(first, list):
        return [plus(*pair) for pair in zip(first, second, strict=True)]
    return first + second if isinstance(first, np.ndarray) else type(first)(**plus(vars(first), vars(second)))


@dataclass
class Sums:
    """Sums over the documents seen so far.

    totals   by place; pairs: of comparisons, by name
    numbers  name → counts of documents and others, for the notes
    ids      kind → documents or others of this kind, for the notes
    """

    totals: dict[Place, Totals] = field(default_factory=dict)
    pairs: dict[str, Any] = field(default_factory=dict)
    numbers: dict[str, Floats] = field(default_factory=dict)
    ids: dict[str, Ids] = field(default_factory=dict)

    def add(self, name: str, values: Floats | Ints | int) -> None:
        """Add values to the named numbers."""
        self.numbers = plus(self.numbers, {name: np.atleast_1d(np.asarray(values, np.float64))})

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        self.totals, self.pairs = plus(self.totals, other.totals), plus(self.pairs, other.pairs)
        self.numbers = plus(self.numbers, other.numbers)
        # Also added to an empty record, so that the names are always the alphabetically first.
        self.ids |= {kind: self.ids.get(kind, Ids()) + ids for kind, ids in other.ids.items()}

    def note(self, kinds: Mapping[str, Ids]) -> None:
        """Add documents by kind, keeping the order within a block."""
        self.ids |= {kind: self.ids[kind] + ids if kind in self.ids else ids for kind, ids in kinds.items()}

    def number(self, name: str) -> int:
        """Return a sum that is a single integer, or 0 if nothing was added."""
        return int(self.numbers.get(name, np.zeros(1))[0])


class Accumulator:
    """Accumulator of blocks of documents, which computes averages from the sums of a part of the data."""

    def __init__(self, interval: Interval, sums: Sums | None = None, part: str = "") -> None:
        self.interval, self.sums, self.part = interval, Sums() if sums is None else sums, part
        self.weights: Floats | None = None
        self._known: set[Place] = set()

    def begin(self, scored: Bools, weights: Floats | None) -> None:
        """Begin a block with the documents that resamples may contain (D,), and the weights (B, D) of resamples."""
        self.weights, self._known = weights, set()
        if weights is not None:
            self._put(Place(self.part, "scored"), Totals(), [scored.astype(float)[:, None]])

    def _put(self, place: Place, totals: Totals, summands: Sequence[Floats]) -> None:
        totals.sums = [values.sum(axis=0) for values in summands]
        if self.weights is not None:
            totals.drawn = [self.weights @ values for values in summands]
        self.sums.totals[place] = plus(self.sums.totals.get(place), totals)

    def add(self, system: str, asked: Asked, view: View | Grid, average: str) -> None:
        """Add a block's documents to one measure and average of a system, which has a name or a number."""
        place = self._place(system, asked, view.cutoffs, average)
        if place in self._known:  # measures of pooled counts share the same sums
            return
        self._known.add(place)
        parts, used = summands(asked, view, average), view.scored
        if average == "micro":
            kept = [np.where(used[:, None], part, 0.0) for part in parts]
            totals = Totals(view.documents.astype(float), np.array([used.sum()], float))
            if self.interval == "cluster-t":
                totals.products = _products(kept)
            self._put(place, totals, kept)
            return
        defined = used[:, None] & ~np.isnan(sum(parts))
        kept = [np.where(defined, part, 0.0) for part in parts]
        totals = Totals(defined.sum(axis=0).astype(float))
        if self.weights is not None:
            every = defined.all()
            totals.weight = self.weights.sum(axis=1)[:, None] if every else self.weights @ defined.astype(float)
        if self.interval == "cluster-t" and len(kept) == 1:
            totals.squares = (kept[0] ** 2).sum(axis=0)
        nowhere = ~defined.any(axis=0)
        if nowhere.any() and used.any():
            status = view.status(asked)[used]
            whys = np.unique(status[:, nowhere]).tolist()
            totals.reasons = {why: ((status == why) & nowhere).sum(axis=0).astype(float) for why in whys}
        self._put(place, totals, kept)

    def estimate(
        self, system: str, asked: Asked, average: str, cutoffs: tuple[Cutoff, ...] = (), absent: str = "no_documents"
    ) -> Estimate:
        """Return value, interval and reason per column; absent: the reason if no document counts."""
        totals = self.sums.totals[self._place(system, asked, cutoffs, average)]
        n = np.asarray(totals.defined).astype(np.int64)
        if average == "micro":
            return self._pooled(asked, totals, n, absent)
        reason: list[str | None] = [None] * len(n)
        for column in np.flatnonzero(n == 0):
            counts = {why: number[column] for why, number in totals.reasons.items()}
            reason[column] = max(sorted(counts), key=counts.__getitem__) if counts else absent
        value = mean_or_f([ratio(values, n, np.nan) for values in totals.sums])
        if totals.squares is not None:
            error = intervals.error_of_means(spread_of(value, totals.squares, n), n)
            half = intervals.half_width(error, n - 1)
            return Estimate(value, value - half, value + half, n, reason)
        resampled = None
        if totals.weight is not None:
            resampled = mean_or_f([ratio(values, totals.weight, np.nan) for values in totals.drawn])
        return with_bounds(value, resampled, n, reason)

    def _place(self, system: str, asked: Asked, cutoffs: tuple[Cutoff, ...], average: str) -> Place:
        measure = asked.name()
        if average == "micro" and cutoffs:
            measure = "table" if asked.of_tables else "ranking"
        return Place(self.part, system, average, measure, ",".join(map(str, cutoffs)))

    def _pooled(self, asked: Asked, totals: Totals, n: Ints, absent: str) -> Estimate:
        total = cells_of(asked, [counts[None] for counts in totals.sums])
        if not np.any(totals.used):
            nothing = np.full(len(n), np.nan)
            return Estimate(nothing, nothing, nothing, np.zeros(len(n), np.int64), [absent] * len(n))
        value, resampled = asked.scores(total)[0], None
        if totals.drawn:
            drawn, of_all = totals.drawn, self.sums.totals[Place(self.part, "scored")]
            if (of_all.drawn[0] != of_all.sums[0]).any():  # totals are scaled to the number of documents
                scale = ratio(of_all.sums[0], of_all.drawn[0], np.nan)
                drawn = [counts * scale for counts in drawn]
            resampled = asked.scores(cells_of(asked, drawn))
        status = np.where(np.isnan(total.hits), "universe_too_large", concordance.status(total))[0].astype(object)
        status[n == 0] = absent
        reason = [str(why) if np.isnan(x) else None for x, why in zip(value, status, strict=True)]
        if totals.products is not None and asked.measure.smooth:
            influence = quadratic(gradients(asked, total.arrays()), totals.products)
            half = intervals.t_of_influence(*influence, n)
            return Estimate(value, value - half, value + half, n, reason)
        return with_bounds(value, resampled, n, reason)


def cells_of(asked: Asked, arrays: Sequence[Floats]) -> Cells:
    """Return the counts that a measure uses, from the first of these arrays."""
    kind: type[Cells] = asked.measure.cells or Cells
    return kind(*arrays[: len(fields(kind))])


def summands(asked: Asked, view: View | Grid, average: str) -> list[Floats]:
    """Return the summands of an average over documents (D, K): all counts if they are pooled, else values."""
    if average == "micro":
        return cells_of(asked, view.arrays()).arrays()
    if average in SUBJECT:
        raise usage_error("by subject", average=average)
    if average == "f-of-means" and asked.measure.f_of:
        return [view.values(parse(name)) for name in names_in(asked.measure.f_of)]
    return [view.values(asked)]


def mean_or_f(means: Sequence[Floats]) -> Floats:
    """Return the harmonic mean of two means, such as mean precision and recall, or a single mean unchanged."""
    return means[0] if len(means) == 1 else ratio(2 * means[0] * means[1], means[0] + means[1])


def with_bounds(value: Floats, resampled: Floats | None, n: Ints, reason: list[str | None]) -> Estimate:
    """Return values with bounds from their resamples (B, K); NaN without resamples."""
    low = high = np.full(len(value), np.nan)
    if resampled is not None:
        low, high = intervals.percentile(resampled, intervals.expanded_tail(n))
    return Estimate(value, low, high, n, reason, resampled)


def spread_of(mean: Floats | float, squares: Floats | float, n: Ints | int) -> Floats:
    """Return the sum of squared deviations from means (K,), 0 if it is rounding error."""
    spread = squares - n * np.square(mean)
    return np.where(spread > _NOISE * np.asarray(squares), spread, 0.0)


def _products(arrays: Sequence[Floats]) -> Floats:
    """Return the products of all pairs of counts, summed over documents (K or 1, M, M)."""
    if len({array.shape[1] for array in arrays}) == 1:
        stacked = np.stack(arrays, axis=-1)  # (D, K, M)
        return np.asarray(np.einsum("dkm,dkn->kmn", stacked, stacked))
    flat = np.hstack(arrays)
    return np.asarray((flat.T @ flat)[None])


def gradients(asked: Asked, fields: Sequence[Floats]) -> Floats:
    """Return the gradient of a measure of pooled counts (K, M), by a complex step: exact for smooth measures."""
    slopes, alike = [], len({array.shape[1] for array in fields}) == 1
    for number, array in enumerate(fields):
        for column in [slice(None)] if alike else [slice(i, i + 1) for i in range(array.shape[1])]:
            moved = [counts.astype(complex) for counts in fields]
            moved[number][:, column] += 1j * intervals.STEP
            slopes.append(np.imag(asked.scores(cells_of(asked, moved)))[0] / intervals.STEP)
    return np.stack(slopes, axis=-1)


def quadratic(slopes: Floats, products: Floats) -> tuple[Floats, Floats]:
    """Return the sum over documents of squared influences (K,), and the sum of the absolute values of its terms."""
    terms = slopes[:, :, None] * slopes[:, None, :] * products
    return terms.sum(axis=(1, 2)), np.abs(terms).sum(axis=(1, 2))


def estimate(asked: Asked, view: View | Grid, average: str, weights: Floats | None, interval: Interval) -> Estimate:
    """Return the average of a measure over all documents of a view; weights: (B, D) of resamples, or None."""
    whole = Accumulator(interval if weights is None else "bootstrap")
    whole.begin(view.scored, weights)
    whole.add("", asked, view, average)
    return whole.estimate("", asked, average, view.cutoffs, view.absent)


def mean_of(averages: Sequence[Estimate]) -> Estimate:
    """Return the mean of averages, such as those under several gold standards, and of their paired resamples.

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
