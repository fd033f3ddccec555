"""Turn counts into values of documents, these into sums under weights, and the sums into averages with intervals.

Every average, every interval and every test over documents is a function of such sums, so data in memory and data that
are streamed are evaluated alike: a block is a slice of the counts or a part of the files. Sums of parts add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kp_core.errors import usage_error
from kp_core.scoring import intervals
from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import View
from kp_core.scoring.intervals import Estimate
from kp_core.scoring.measures import concordance
from kp_core.scoring.measures.agreement import PairTables, Panel, Shares
from kp_core.scoring.measures.registry import Asked, names_in, parse
from kp_core.scoring.runs import Influence
from kp_core.settings import SUBJECT, Cutoff, Interval

#: Kinds of counts by the number of their arrays.
_KINDS: dict[int, type[Cells]] = {5: Cells, 7: Shares, 8: Panel, 10: PairTables}
#: Names of documents that are kept and shown.
_SHOWN = 5
#: Sums of squares whose terms cancel down to this share are 0.
_NOISE = 1e-12


@dataclass(frozen=True)
class Grid:
    """Tables of documents (rows) by anything but cutoffs (columns): annotators, pairs, or all annotators together.

    cells   fields (D, K), 0 where the table does not count; seen (D, K) where it does
    absent  reason where it does not
    """

    cells: Cells
    seen: Bools
    absent: str = "nobody_else"
    cutoffs: ClassVar[tuple[Cutoff, ...]] = ()

    def columns(self) -> list[Grid]:
        """Return every column as a grid of its own."""
        ones = np.eye(self.seen.shape[1], dtype=bool)
        cells = [self.cells.mapped(lambda x, one=one: x[:, one]) for one in ones]  # type: ignore[misc]
        return [Grid(own, self.seen[:, one], self.absent) for own, one in zip(cells, ones, strict=True)]

    def part(self, documents: slice) -> Grid:
        """Return the tables of some documents."""
        return Grid(self.cells.mapped(lambda counts: counts[documents]), self.seen[documents], self.absent)

    def arrays(self) -> list[Floats]:
        """Return the counts alone."""
        return self.cells.arrays()

    @property
    def scored(self) -> Bools:
        """Documents that count in some column (D,)."""
        return np.asarray(self.seen.any(axis=1))

    @property
    def documents(self) -> NDArray[np.int64]:
        """How many documents are pooled in each column (K,)."""
        return np.asarray(self.seen.sum(axis=0))

    def values(self, asked: Asked) -> Floats:
        """Return the value of every document and column (D, K); NaN where undefined."""
        return np.where(self.seen, asked.scores(self.cells), np.nan)

    def status(self, asked: Asked) -> NDArray[np.str_]:
        """Name what is special about every table (D, K), or `ok`."""
        status = concordance.status(self.cells)
        status[~self.seen] = self.absent
        return status


@dataclass(frozen=True)
class Ids:
    """Documents of one kind: how many, and the names of some; those of parts of the data add up.

    >>> str(Ids.of(["d2", "d9"]) + Ids.of(["d1"]))
    'd1, d2, d9'
    """

    count: int = 0
    names: tuple[str, ...] = ()

    @staticmethod
    def of(names: Sequence[str]) -> Ids:
        """Return documents by their names."""
        return Ids(len(names), tuple(names))

    @staticmethod
    def where(names: tuple[str, ...], mask: Bools) -> Ids:
        """Return those of some documents for which the mask holds."""
        return Ids.of([names[i] for i in np.flatnonzero(mask)])

    def __add__(self, other: Ids) -> Ids:
        """Return both; of the names the first by letters stay, whatever was added first."""
        return Ids(self.count + other.count, tuple(sorted({*self.names, *other.names})[:_SHOWN]))

    def __str__(self) -> str:
        return ", ".join(self.names[:_SHOWN]) + (" …" if self.count > _SHOWN else "")


@dataclass
class Sums:
    """What the documents seen so far add up to.

    arrays  by name: subset, system, average, measure, cutoffs, summand, and what is summed, such as
            `0/0/macro/F1@k/5/0/sum`; subsets and systems are numbers
    ids     kind → how many documents or other things of this kind there are, and some names, for the notes
    """

    arrays: dict[str, Floats] = field(default_factory=dict)
    ids: dict[str, Ids] = field(default_factory=dict)

    def add(self, name: str, values: Floats | Ints) -> None:
        """Add to an array."""
        # A part may have one column that stands for all.
        self.arrays[name] = self.arrays[name] + values if name in self.arrays else np.asarray(values, np.float64)

    def merge(self, other: Sums) -> None:
        """Add what other documents add up to."""
        for name, array in other.arrays.items():
            self.add(name, array)
        for kind, ids in other.ids.items():
            # Ids are added even to none, so that the names they keep are always the first by letters.
            self.ids[kind] = self.ids.get(kind, Ids()) + ids

    def note(self, found: Mapping[str, Ids]) -> None:
        """Add documents by their kind; those of one block keep their order."""
        self.ids |= {kind: self.ids[kind] + own if kind in self.ids else own for kind, own in found.items()}

    def count(self, name: str, number: int) -> None:
        """Add to a sum that is one whole number."""
        self.add(name, np.array([number]))

    def number(self, name: str) -> int:
        """Return a sum that is one whole number, 0 where nothing was added."""
        return int(self.arrays.get(name, np.zeros(1))[0])

    def under(self, first: str) -> dict[str, Floats]:
        """Return the arrays below a name, by what follows it."""
        start = f"{first}/"
        return {name.removeprefix(start): array for name, array in self.arrays.items() if name.startswith(start)}


class Accumulator:
    """Adds up one block of documents after the other, and averages what they add up to.

    interval  cluster-t needs squares and products beside the sums; the others need weights with every block
    name      under which the sums stand
    """

    def __init__(self, interval: Interval, sums: Sums | None = None, name: str = "") -> None:
        self.interval, self.sums, self.name = interval, Sums() if sums is None else sums, name
        self.weights: Floats | None = None
        self._known: set[str] = set()

    def begin(self, scored: Bools, weights: Floats | None) -> None:
        """Begin a block: the documents that resamples may hold (D,), and their weights (B, D) where they are drawn."""
        self.weights, self._known = weights, set()
        if weights is not None:
            self._add(f"{self.name}/scored", scored.astype(float)[:, None])

    def _add(self, name: str, values: Floats) -> None:
        """Add the sum over documents of values (D, K), and the sums under each row of weights (B, K)."""
        self.sums.add(f"{name}/sum", values.sum(axis=0))
        if self.weights is not None:
            self.sums.add(f"{name}/drawn", self.weights @ values)

    def _add_defined(self, name: str, defined: Bools) -> None:
        """Add how many documents have a value in each column (D, K), and their weights."""
        self.sums.add(f"{name}/defined", defined.sum(axis=0))
        if self.weights is not None:
            drawn = self.weights.sum(axis=1)[:, None] if defined.all() else self.weights @ defined.astype(float)
            self.sums.add(f"{name}/weight", drawn)

    def add(self, name: str, asked: Asked, view: View | Grid, average: str) -> None:
        """Add a block's documents to one measure and average."""
        place = self._place(name, asked, view.cutoffs, average)
        if place in self._known:  # pooled counts serve all measures of a kind
            return
        self._known.add(place)
        parts, used = summands(asked, view, average), view.scored
        if average == "micro":
            kept = [np.where(used[:, None], part, 0.0) for part in parts]
            self.sums.add(f"{place}/defined", view.documents)
            self.sums.add(f"{place}/used", np.array([used.sum()]))
            if self.interval == "cluster-t":
                self.sums.add(f"{place}/products", _products(kept))
        else:
            defined = used[:, None] & ~np.isnan(sum(parts))
            kept = [np.where(defined, part, 0.0) for part in parts]
            self._add_defined(place, defined)
            if self.interval == "cluster-t" and len(kept) == 1:
                self.sums.add(f"{place}/squares", (kept[0] ** 2).sum(axis=0))
            nowhere = ~defined.any(axis=0)
            if nowhere.any() and used.any():  # why, where no document at all has a value
                status = view.status(asked)[used]
                for why in np.unique(status[:, nowhere]):
                    self.sums.add(f"{place}/why/{why}", ((status == why) & nowhere).sum(axis=0))
        for number, part in enumerate(kept):
            self._add(f"{place}/{number}", part)

    def estimate(
        self, name: str, asked: Asked, average: str, cutoffs: tuple[Cutoff, ...] = (), absent: str = "no_documents"
    ) -> Estimate:
        """Return value, interval and reason in every column; absent: the reason where no document counts."""
        place, arrays = self._place(name, asked, cutoffs, average), self.sums.arrays
        n = arrays[f"{place}/defined"].astype(np.int64)
        totals, drawn = self._summed(place, "sum"), self._summed(place, "drawn")
        if average == "micro":
            return self._pooled(asked, place, [one[None] for one in totals], drawn, absent)
        reason = [None if defined else self._reason(place, column, absent) for column, defined in enumerate(n)]
        value = mean_or_f([ratio(one, n, np.nan) for one in totals])
        if f"{place}/squares" in arrays:
            low, high = intervals.t_of_spread(value, spread_of(value, arrays[f"{place}/squares"], n), n)
            return Estimate(value, low, high, n, reason)
        resampled = mean_or_f([ratio(one, arrays[f"{place}/weight"], np.nan) for one in drawn]) if drawn else None
        return with_bounds(value, resampled, n, reason)

    def _place(self, name: str, asked: Asked, cutoffs: tuple[Cutoff, ...], average: str) -> str:
        """Return the name under which the sums of a measure stand; pooled counts of a system serve all its measures."""
        what = asked.name()
        if average == "micro" and cutoffs:
            what = "table" if asked.of_tables else "ranking"
        return f"{self.name}/{name}/{average}/{what}/{','.join(map(str, cutoffs))}"

    def _summed(self, place: str, kind: str) -> list[Floats]:
        """Return the sums of all summands: over documents (`sum`), or under each row of weights (`drawn`)."""
        names, arrays = (f"{place}/{number}/{kind}" for number in count()), self.sums.arrays
        return [arrays[name] for name in takewhile(arrays.__contains__, names)]

    def _reason(self, place: str, column: int, absent: str) -> str:
        """Return the most frequent reason why a column has no value."""
        counts = {why: array[column] for why, array in self.sums.under(f"{place}/why").items()}
        return max(sorted(counts), key=lambda name: counts[name]) if counts else absent

    def _pooled(self, asked: Asked, place: str, fields: list[Floats], drawn: list[Floats], absent: str) -> Estimate:
        arrays = self.sums.arrays
        n, total = arrays[f"{place}/defined"].astype(np.int64), cells_of(fields)
        if not arrays[f"{place}/used"][0]:
            nothing = np.full(len(n), np.nan)
            return Estimate(nothing, nothing, nothing, np.zeros(len(n), np.int64), [absent] * len(n))
        value, resampled = asked.scores(total)[0], None
        if drawn:
            scored, times = (arrays[f"{self.name}/scored/{kind}"] for kind in ("sum", "drawn"))
            if (times != scored).any():  # totals keep their size under any weights
                scale = ratio(scored, times, np.nan)
                drawn = [one * scale for one in drawn]
            resampled = asked.scores(cells_of(drawn))
        status = np.where(np.isnan(total.hits), "universe_too_large", concordance.status(total))[0].astype(object)
        status[n == 0] = absent
        reason = [str(why) if np.isnan(one) else None for one, why in zip(value, status, strict=True)]
        if f"{place}/products" in arrays and asked.measure.smooth:
            influence = quadratic(gradients(asked.scores, fields), arrays[f"{place}/products"])
            half = intervals.t_of_influence(*influence, n)
            return Estimate(value, value - half, value + half, n, reason)
        return with_bounds(value, resampled, n, reason)


def summands(asked: Asked, view: View | Grid, average: str) -> list[Floats]:
    """Return what an average adds up over documents (D, K): all counts where they are pooled, else values."""
    if average == "micro":
        return view.arrays()
    if average in SUBJECT:
        raise usage_error("by subject", average=average)
    if average == "f-of-means" and asked.measure.f_of:
        return [view.values(parse(name)) for name in names_in(asked.measure.f_of)]
    return [view.values(asked)]


def mean_or_f(means: Sequence[Floats]) -> Floats:
    """Return the harmonic mean of two means, such as F1 of mean precision and recall, or the only mean itself."""
    return means[0] if len(means) == 1 else ratio(2 * means[0] * means[1], means[0] + means[1])


def cells_of(arrays: Sequence[Floats]) -> Cells:
    """Return counts from their arrays, in the order of `Cells.arrays`."""
    return _KINDS[len(arrays)](*arrays)


def with_bounds(value: Floats, resampled: Floats | None, n: Ints, reason: list[str | None]) -> Estimate:
    """Return values with the bounds that their resamples (B, K) give, NaN without any."""
    low = high = np.full(len(value), np.nan)
    if resampled is not None:
        low, high = intervals.percentile(resampled, intervals.expanded_tail(n))
    return Estimate(value, low, high, n, reason, resampled)


def spread_of(mean: Floats | float, squares: Floats | float, n: Ints | int) -> Floats:
    """Return the sum of squared distances from means (K,), 0 where only rounding makes it more."""
    spread = squares - n * np.square(mean)
    return np.where(spread > _NOISE * np.asarray(squares), spread, 0.0)


def _products(arrays: Sequence[Floats]) -> Floats:
    """Return the products of all counts that each column's measure sees, summed over documents (K or 1, M, M)."""
    if len({array.shape[1] for array in arrays}) == 1:
        stacked = np.stack(arrays, axis=-1)  # (D, K, M)
        return np.asarray(np.einsum("dkm,dkn->kmn", stacked, stacked))
    flat = np.hstack(arrays)
    return np.asarray((flat.T @ flat)[None])


def gradients(score: Callable[[Cells], Floats], fields: Sequence[Floats]) -> Floats:
    """Return how a measure of pooled counts moves with each count (K, M), by a complex step: exact for smooth ones."""
    slopes, alike = [], len({array.shape[1] for array in fields}) == 1
    for number, array in enumerate(fields):
        for column in [slice(None)] if alike else [slice(i, i + 1) for i in range(array.shape[1])]:
            moved = [one.astype(complex) for one in fields]
            moved[number][:, column] += 1j * intervals.STEP
            slopes.append(np.imag(score(cells_of(moved)))[0] / intervals.STEP)
    return np.stack(slopes, axis=-1)


def quadratic(slopes: Floats, products: Floats) -> tuple[Floats, Floats]:
    """Return the sum over documents of squared influences (K,), and that of the sizes of its terms."""
    terms = slopes[:, :, None] * slopes[:, None, :] * products
    return terms.sum(axis=(1, 2)), np.abs(terms).sum(axis=(1, 2))


def influence(asked: Asked, view: View, average: str, used: Bools) -> Influence:
    """Return value and influences over some documents (D,) of one run; NaN where the measure has no gradient.

    Of a mean it is the distance from the mean over their number, of a micro average or F of means its linearisation.
    """
    parts = [np.asarray(part, np.float64) for part in summands(asked, view, average)]
    if average == "micro":
        kept = [np.where(used[:, None], part, 0.0) for part in parts]
        totals = [part.sum(axis=0, keepdims=True) for part in kept]
        value = asked.scores(cells_of(totals))[0]
        if not asked.measure.smooth:
            return Influence(value, np.full(kept[0].shape, np.nan))
        slopes = gradients(asked.scores, totals)
        return Influence(value, np.asarray(sum(part * slopes[:, i] for i, part in enumerate(kept))))
    defined = used[:, None] & ~np.isnan(sum(parts))
    n = defined.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [np.where(defined, part, 0.0).sum(axis=0) / n for part in parts]
        moved = [np.where(defined, (part - mean) / n, 0.0) for part, mean in zip(parts, means, strict=True)]
        if len(parts) == 1:
            return Influence(means[0], moved[0])
        (p, r), whole = means, means[0] + means[1]
        return Influence(mean_or_f(means), 2 * (moved[0] * r**2 + moved[1] * p**2) / whole**2)


def estimate(asked: Asked, view: View | Grid, average: str, weights: Floats | None, interval: Interval) -> Estimate:
    """Return the average of one measure over all documents of a view at once; weights (B, D), or None."""
    whole = Accumulator(interval if weights is None else "bootstrap")
    whole.begin(view.scored, weights)
    whole.add("", asked, view, average)
    return whole.estimate("", asked, average, view.cutoffs, view.absent)


def mean_of(averages: Sequence[Estimate]) -> Estimate:
    """Return the mean of averages, such as those under several gold standards; undefined ones are left out.

    The interval is that of the mean: resamples of the documents are the same for all.
    """
    if len(averages) == 1:
        return averages[0]
    value = _mean_defined(np.stack([one.value for one in averages]))
    resampled = None
    if all(one.resampled is not None for one in averages):
        resampled = _mean_defined(np.stack([one.resampled for one in averages if one.resampled is not None]))
    documents = np.max([one.documents for one in averages], axis=0)
    reason = [averages[0].reason[i] if np.isnan(one) else None for i, one in enumerate(value)]
    return with_bounds(value, resampled, documents, reason)


def _mean_defined(values: Floats) -> Floats:
    return ratio(np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0), np.nan)
