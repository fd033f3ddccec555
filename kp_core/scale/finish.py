"""Turn what all documents add up to into the results that an evaluation in memory gives: rows, pairs, agreement."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd

from kp_core.errors import InputError, Note, counted
from kp_core.reading.limits import LIMITS
from kp_core.scale.collect import COUNTS, UNIT, bits_of, each_comparison, kinds_of, pairs_of, place_of
from kp_core.scale.plan import Plan
from kp_core.scale.sums import Statistics, exact, joined, said
from kp_core.scoring import annotator_tables, intervals, paired
from kp_core.scoring.average import Average
from kp_core.scoring.baselines import BASELINES
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.counts import Cells
from kp_core.scoring.measures import Asked, concordance, overlap, parse
from kp_core.settings import Cutoff, signature
from kp_core.studies.annotators import pair_names, part_rows, result_of, too_many, wanted
from kp_core.studies.compare import Compared, Comparison, comparison_of, in_words
from kp_core.studies.evaluate import frame_of, system_rows
from kp_core.studies.facts import Facts, Ids, agreement_notes, notes_of
from kp_core.studies.result import Result

#: Kinds of counts by the number of their arrays.
_KINDS: dict[int, type[Cells]] = {5: Cells, 7: annotator_tables.Shares, 8: annotator_tables.Panel}


#: Sums of squares whose terms cancel down to this share are 0.
_NOISE = 1e-13


def cells_of(arrays: list[Floats]) -> Cells:
    """Return counts from their arrays, in the order in which `mapped` sees them."""
    if len(arrays) == 10:
        hits, returned, size, universe, denominator = arrays[:5]
        return annotator_tables.PairTables(hits, returned, size, universe, denominator, Cells(*arrays[5:]))
    return _KINDS[len(arrays)](*arrays)


class _Sums:
    """Sums under one name, as numbers."""

    def __init__(self, statistics: Statistics, name: str) -> None:
        self.arrays, self.name = statistics.arrays, name

    def __contains__(self, part: str) -> bool:
        return f"{self.name}/{part}" in self.arrays

    def __getitem__(self, part: str) -> Ints:
        return self.arrays[f"{self.name}/{part}"]

    def drawn(self, part: str, bits: int) -> Floats | None:
        """Return weighted sums (B, K), or None where no weights were drawn."""
        return np.asarray(self[part] * 2.0**-bits) if part in self else None

    def why(self, column: int, absent: str) -> str:
        """Return the most frequent reason why a column has no value."""
        prefix = f"{self.name}/why/"
        found = {name.removeprefix(prefix): a[column] for name, a in self.arrays.items() if name.startswith(prefix)}
        return max(sorted(found), key=lambda name: found[name]) if found else absent


def _average(value: Floats, draws: Floats | None, n: Ints, reason: list[str | None]) -> Average:
    low = high = np.full(len(value), np.nan)
    if draws is not None:
        low, high = intervals.percentile(draws)
    return Average(value, low, high, n, reason, draws)


def average_of(
    statistics: Statistics, name: str, one: Asked, average: str, plan: Plan, absent: str = "no_documents"
) -> Average:
    """Return value, interval and reason in every column, as `averaged` does for values in memory."""
    sums = _Sums(statistics, name)
    if average == "micro":
        return _pooled(statistics, sums, one, plan, absent)
    n = sums["defined"]
    weight = sums.drawn("weight", 0)
    reason = [None if m else sums.why(i, absent) for i, m in enumerate(n)]
    if average == "f-of-means" and one.measure.name == "F1@k":
        p, r = (exact(sums[f"{letter}/sum"], n) for letter in "PR")
        draws = None
        if weight is not None:
            means = [_mean(sums.drawn(f"{letter}/drawn", UNIT), weight) for letter in "PR"]
            draws = overlap.ratio(2 * means[0] * means[1], means[0] + means[1])
        value = np.where(n > 0, overlap.ratio(2 * p * r, p + r), np.nan)
        return _average(value, draws, n, [None if m else "no_documents" for m in n])
    value = exact(sums["sum"], n)
    draws = None if weight is None else _mean(sums.drawn("drawn", bits_of(one)), weight)
    found = _average(value, draws, n, reason)
    if "squares" in sums:
        spread = np.maximum(exact(sums["squares"]) - n * value**2, 0)
        low, high = intervals.t_of_spread(value, spread, n)
        return Average(value, low, high, n, reason)
    return found


def _mean(drawn: Floats | None, weight: Floats) -> Floats:
    assert drawn is not None
    return np.where(weight > 0, drawn / np.where(weight > 0, weight, 1), np.nan)


def _pooled(statistics: Statistics, sums: _Sums, one: Asked, plan: Plan, absent: str) -> Average:
    count = next(i for i in range(20) if f"{i}/sum" not in sums)
    arrays = [exact(sums[f"{i}/sum"])[None] for i in range(count)]
    total = cells_of(arrays)
    n, used = sums["defined"], int(sums["used"][0]) if "used" in sums else int(sums["defined"].max(initial=0))
    if not used:
        nothing = np.full(len(n), np.nan)
        return Average(nothing, nothing, nothing, np.zeros(len(n), int), [absent] * len(n))
    value = one.scores(total)[0]
    draws = None
    if "0/drawn" in sums:
        scored = statistics.arrays["scored/drawn"].astype(float)
        scale = np.where(scored > 0, int(statistics.arrays["scored"][0]) / np.where(scored > 0, scored, 1), np.nan)
        drawn = [sums.drawn(f"{i}/drawn", COUNTS) for i in range(count)]
        draws = one.scores(cells_of([array * scale for array in drawn if array is not None]))
    status = np.where(np.isnan(total.hits), "universe_too_large", concordance.status(total))[0].astype(object)
    status[n == 0] = absent
    reason = [str(s) if np.isnan(v) else None for v, s in zip(value, status, strict=True)]
    found = _average(value, draws, n, reason)
    if "0x0" in sums and one.measure.name not in ("kappa_max", "kappa_min"):
        half = _cluster_half(sums, one, arrays, n)
        return Average(value, value - half, value + half, n, reason)
    return found


def _cluster_half(sums: _Sums, one: Asked, arrays: list[Floats], n: Ints) -> Floats:
    """Return half the width of the cluster t interval: the squared influences of the documents, from products."""
    step, slopes = 1e-30, []
    widths = {array.shape[1] for array in arrays}
    places = [(i, slice(None)) for i in range(len(arrays))]
    if len(widths) > 1:
        places = [(i, slice(column, column + 1)) for i, array in enumerate(arrays) for column in range(array.shape[1])]
    for number, columns in places:
        moved = [array.astype(complex) for array in arrays]
        moved[number][:, columns] += 1j * step
        slopes.append(np.imag(one.scores(cells_of(moved)))[0] / step)
    squares, sizes = np.zeros(len(n)), np.zeros(len(n))
    for a, b in combinations_with_replacement(range(len(places)), 2):
        part = (1 if a == b else 2) * slopes[a] * slopes[b] * exact(sums[f"{a}x{b}"])
        squares, sizes = squares + part, sizes + np.abs(part)
    squares = np.where(squares > _NOISE * sizes, squares, 0)  # nothing varies, but for rounding
    return intervals.cluster_t_half(np.sqrt(squares)[None], n)


def under(statistics: Statistics, first: str) -> dict[str, Ints]:
    """Return the arrays whose names have this first part and one more, by that."""
    found = {name.partition("/")[2]: a for name, a in statistics.arrays.items() if name.startswith(f"{first}/")}
    return {name.replace("%2F", "/").replace("%25", "%"): array for name, array in found.items()}


def notes_on(statistics: Statistics, plan: Plan) -> list[Note]:
    """Return the notes of all parts: those on reading, added up, and how many rows were rejected."""

    def place(note: tuple[tuple[str, str, str], int]) -> tuple[int, str]:
        # As in memory: what is said of all files, then system by system; what was sorted comes before what is tied.
        text = note[0][2]
        return next((i for i, name in enumerate(plan.names.systems) if f"“{name}”" in text), -1), text

    notes = [*plan.notes, *said(dict(sorted(statistics.notes.items(), key=place)))]
    reasons = {name: int(count[0]) for name, count in under(statistics, "rejected").items()}
    if reasons:
        named, total = ", ".join(f"{reason} ({n:,})" for reason, n in sorted(reasons.items())), sum(reasons.values())
        words = counted(total, "row was rejected and is", "rows were rejected and are")
        notes.append(Note("warning", "rows", f"{words} not used: {named}"))
    return notes


def refuse_if_mostly_rejected(statistics: Statistics) -> None:
    """Refuse data of which too many rows were rejected, over all parts, by the limit that holds in memory."""
    rejected = sum(int(count[0]) for count in under(statistics, "rejected").values())
    read = int(statistics.arrays.get("read", np.zeros(1))[0])
    if rejected * 100 > LIMITS.rejected_percent * read:
        raise InputError(
            "the tables",
            f"{rejected:,} of {counted(read, 'row')} that do not fit",
            f"at most {LIMITS.rejected_percent} % such rows",
            "Look at the first rows with: kpscope validate.",
        )


def result(statistics: Statistics, plan: Plan) -> Result:
    """Return the result of an evaluation."""
    asked = [parse(name) for name in plan.measures]
    rows: list[dict[str, Any]] = []
    systems = [*plan.names.systems, *(BASELINES if plan.baselines else ())]
    for subset in sorted(under(statistics, "documents"), key=lambda name: (name != "all", name)):
        documents = int(statistics.arrays[joined("documents", subset)][0])
        for system in systems:
            found = _lookup(statistics, plan, joined(subset, system))
            rows += system_rows(system, asked, plan.settings, plan.settings.cutoffs, found, documents, subset)
    facts: Facts = statistics.facts["evaluate"]
    notes = [*notes_on(statistics, plan), *notes_of(facts, plan.settings, plan.settings.cutoffs, plan.concordance)]
    documents = int(statistics.arrays[joined("documents", "all")][0])
    return Result(frame_of(rows), plan.settings, tuple(notes), documents, plan.concordance)


def _lookup(statistics: Statistics, plan: Plan, name: str) -> Callable[[Asked, str, tuple[Cutoff, ...]], Average]:
    def found(one: Asked, average: str, cutoffs: tuple[Cutoff, ...]) -> Average:
        return average_of(statistics, f"{name}/{place_of(one, cutoffs, average)}", one, average, plan)

    return found


def agreed(statistics: Statistics, plan: Plan) -> Result:
    """Return the result of an agreement."""
    asked = [parse(name) for name in plan.agreement or ()]
    common = pairs_of(len(plan.names.annotators))
    names = {"together": ("all",), "each": plan.names.annotators, "pairs": pair_names(plan.names.annotators, common)}
    rows: list[tuple[Any, ...]] = []
    for subset, kind, one in wanted(asked, kinds_of(plan)):
        documents = statistics.arrays[joined("rows", subset, kind, one.name())]
        alone = kind == "together" or one.measure.name == "K"
        absent = "single_annotator" if alone else "nobody_else"

        def found(average: str, one: Asked = one, name: str = joined(subset, kind), absent: str = absent) -> Average:
            return average_of(statistics, f"{name}/{joined(average, one.name())}", one, average, plan, absent)

        own = part_rows(subset, names[kind], one, documents, found, plan.settings)
        # Pairs who saw no document together have no row.
        seen = dict(zip(names[kind], documents, strict=True))
        rows += [row for row in own if kind != "pairs" or seen[row[0]]]
    notes = agreement_notes(statistics.facts["agreement"], too_many(len(common[0])), plan.settings)
    whole = int(statistics.arrays[joined("documents", "all")][0])
    return result_of(rows, plan.settings, (*notes_on(statistics, plan), *notes), whole)


def comparisons(statistics: Statistics, plan: Plan) -> list[Comparison]:
    """Return every comparison that was asked for, by measure and cutoff."""
    return [_comparison(statistics, plan, *each) for each in each_comparison(plan)]


def _comparison(
    statistics: Statistics, plan: Plan, name: str, one: Any, asked: Asked, cutoff: Cutoff, average: str, bits: int
) -> Comparison:
    systems, settings = list(plan.names.systems), plan.settings
    n = int(statistics.arrays[f"{name}/common"][0])
    value = _value_of(asked, average)
    sums = {system: _Sums(statistics, joined(*name.split("/"), system)) for system in systems}
    weight = statistics.arrays[f"{name}/weight"].astype(float)
    totals = {system: exact(own["sum"])[None] for system, own in sums.items()}
    scores, resampled = dict.fromkeys(systems, float("nan")), dict[str, Floats]()
    if n:
        some = np.where(weight > 0, weight, np.nan)
        scores = {system: float(value(total, np.array([[float(n)]]))[0]) for system, total in totals.items()}
        resampled = {system: value(np.asarray(own["drawn"] * 2.0**-bits), some) for system, own in sums.items()}
    pairs = list(combinations(systems, 2))
    p, halves, effects = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan), []
    for i, (a, b) in enumerate(pairs):
        own = _Sums(statistics, joined(*name.split("/"), a, b))
        mean, spread, moved = _moments(own)
        if n and one.test == "randomisation":
            p[i] = _swapped(own["swaps"], sums[a], sums[b], value, n, average, bits)
        elif n and one.test == "bootstrap":
            # Values under weights were rounded to 2^-32, so equal ones may differ in the tenth place.
            p[i] = paired.bootstrap(np.round(resampled[a] - resampled[b], 9))
        elif n and one.test == "t":
            p[i] = intervals.t_p(mean, spread, n)
        if settings.interval == "cluster-t" and average == "macro":
            halves[i] = intervals.t_of_spread(np.array([mean]), np.array([spread]), np.array([n]))[1][0] - mean
        wins, ties, losses = own["signs"].tolist()
        deviation = float(np.sqrt(spread / (moved - 1))) if moved > 1 else 0.0
        effects.append((a, b, mean / deviation if deviation > 0 else np.nan, np.nan, wins, ties, losses))
    table = pd.DataFrame(effects, columns=["a", "b", "d_z", "rank_biserial", "wins", "ties", "losses"])
    shown = None if asked.measure.fixed is not None else cutoff
    lost: Ids = statistics.facts.get(name, Ids())
    words = in_words(one.test, one.correction, settings, one.trials, max(n, 60))
    words += "; streamed, so that no ranks of differences and no rank-biserial correlation are given"
    recipe = signature(settings, int(statistics.arrays[joined("documents", "all")][0]), plan.concordance)
    return comparison_of(
        Compared(scores, resampled, p, halves, n, table),
        asked.name(shown),
        shown,
        average,
        one.correction,
        words,
        settings,
        recipe,
        lost.names,
        lost.count - len(lost.names),
    )


def _value_of(asked: Asked, average: str) -> Callable[[Floats, Floats], Floats]:
    """Return the measure as a function of sums (B, m) and of the number of documents (B, 1)."""
    if average == "micro":
        return lambda sums, _: np.asarray(asked.scores(Cells(*sums.T)))
    if average == "f-of-means" and asked.measure.name == "F1@k":
        return lambda sums, n: _f_of(sums / n)
    return lambda sums, n: np.asarray((sums / n)[:, 0])


def _f_of(means: Floats) -> Floats:
    return overlap.ratio(2 * means[:, 0] * means[:, 1], means.sum(axis=1))


def _moments(own: _Sums) -> tuple[float, float, int]:
    """Return the mean of the differences, the sum of their squared distances from it, and how many there are."""
    n = int(own["signs"].sum())
    if not n:
        return np.nan, 0.0, 0
    mean, squares = exact(own["moved"][0][None], n)[0], exact(own["moved"][1][None])[0]
    spread = squares - n * mean**2
    return float(mean), float(spread if spread > _NOISE * squares else 0.0), n


def _swapped(
    swaps: Ints, a: _Sums, b: _Sums, value: Callable[[Floats, Floats], Floats], n: int, average: str, bits: int
) -> float:
    """Return two-sided p of the paired randomisation test from the differences that each trial swaps.

    Values were rounded to 2^-bits each, so sums that differ by no more than that are the same.
    """
    moved, one = swaps * 2.0**-bits, np.array([[float(n)]])
    first, second = (exact(own["sum"])[None] for own in (a, b))
    observed = abs(float((value(first, one) - value(second, one))[0]))
    trial = np.abs(value(first - moved, one) - value(second + moved, one))
    slack = 1e-12 if average == "micro" else 2.0 ** (1 - bits)
    return float(((trial >= observed - slack).sum() + 1) / (len(swaps) + 1))
