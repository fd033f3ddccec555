"""Trim the gold standard of several annotators by agreement, and score systems on trimmed gold standards.

After Nomoto & Matsumoto 1997: the required majority increases until K of the remaining choices reaches the threshold.
Removed votes become “no”; the universe and the number of annotators do not change. As a smaller gold standard changes
every score, scores are compared with those after random trimming to the same size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, refuse_unless
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Ids, estimate
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import View
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.measures import Asked, concordance, parse
from kp_core.scoring.measures import agreement as tables
from kp_core.scoring.order import leveled, reaches
from kp_core.scoring.prepare import Prepared, prepare_annotators
from kp_core.scoring.systems import count_unchecked
from kp_core.settings import Settings, resolve_settings
from kp_core.studies.correlation.coefficients import closed_form, correlation
from kp_core.studies.facts import part_note
from kp_core.studies.result import Numbers

Form = Literal["binary", "choices"]
FORMS = get_args(Form)
#: The thresholds of Nomoto & Matsumoto 1997.
THRESHOLDS = tuple(round(0.1 + 0.05 * step, 2) for step in range(15))
REPEATS = 200
#: Minimum numbers of documents and phrases for a score; 40 positives is the sample of Nomoto & Matsumoto 1997.
FEWEST_DOCUMENTS, FEWEST_PHRASES = 5, 40
#: Kappa with at most five phrases outside the gold standard per keyphrase, as in their sample.
BALANCED = "kappa (1:5)"
MEASURES = ("P_pos", "kappa", BALANCED, "nDCG@k")
COLUMNS = (
    *("system", "measure", "average", "threshold", "value", "low", "high"),
    *("null", "null_low", "null_high", "fixed", "documents", "gold", "drawn"),
)


@dataclass(frozen=True)
class Levels:
    """Remaining gold standard of each document if a phrase needs 1, 2, …, S votes.

    K       (D, S) agreement, NaN if undefined; gold: (D, S) number of remaining phrases
    reason  (D,) why a document has no level, else ""
    """

    K: Floats
    gold: Ints
    reason: NDArray[np.str_]

    def size(self, threshold: float) -> Ints:
        """Return the smallest majority of each document whose K reaches the threshold (D,), 0 if none does."""
        reached = reaches(self.K, threshold)
        return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)

    def best(self) -> Ints:
        """Return the largest majority of each document with the highest K (D,), 0 if there is none."""
        highest = np.where(np.isnan(self.K), -np.inf, leveled(self.K))
        last = self.K.shape[1] - highest[:, ::-1].argmax(axis=1)
        return np.where(np.isnan(self.K).all(axis=1), 0, last)

    def at(self, size: Ints) -> tuple[Floats, Ints]:
        """Return K and number of remaining phrases at a majority of each document (D,); NaN and 0 for majority 0."""
        row, place = np.arange(len(size)), np.maximum(size - 1, 0)
        return np.where(size > 0, self.K[row, place], np.nan), np.where(size > 0, self.gold[row, place], 0)


def levels(choices: AnnotatorChoices, universe: Floats, pooled: bool = False) -> Levels:
    """Return all levels in the binary form, with phrases as items and yes and no as categories.

    pooled: whether to use one K for all documents, so that all have the same majority
    """
    seen, most = choices.seen.sum(axis=0), max(1, int(choices.seen.sum(axis=0).max(initial=1)))
    k, gold = np.full((len(seen), most), np.nan), np.zeros((len(seen), most), np.int64)
    votes = choices.votes
    for size in range(1, most + 1):
        left = choices.where(votes[choices.item] >= size)
        panel: Cells = tables.panel(left, universe)
        gold[:, size - 1] = np.bincount(choices.document, votes >= size, minlength=len(seen))
        value = concordance.scott_pi(panel.mapped(lambda x: x.sum(axis=0, keepdims=True)) if pooled else panel)[:, 0]
        k[:, size - 1] = np.where(gold[:, size - 1] > 0, value, np.nan)
    why = ["single_annotator", "both_empty", "all_yes"]
    reason = np.select([seen < 2, gold[:, 0] == 0, np.isnan(k[:, 0])], why, "")
    k[seen < 2] = np.nan
    return Levels(k, gold, reason)


def choice_matrix(lists: Sequence[Sequence[int]]) -> Ints:
    """Return how many annotators made each item (columns, ascending) their i-th choice (rows)."""
    items, column = np.unique(np.array(lists), return_inverse=True)
    matrix = np.zeros((len(lists[0]), len(items)), np.int64)
    for places in column.reshape(len(lists), -1):
        matrix[np.arange(len(places)), places] += 1
    return matrix


def choice_levels(matrix: Ints, annotators: int) -> tuple[Floats, Ints]:
    """Return K and the number of remaining items if an item needs 1, 2, … votes, in the choice-matrix form.

    Items are the i-th choices, categories the sentences or phrases; the formulas are reconstructed. Unlike in the
    binary form, K may decrease with a larger majority, and depends on the order of the choices.
    """
    k, left = np.full(annotators, np.nan), np.zeros(annotators, np.int64)
    for size in range(1, annotators + 1):
        kept = matrix[:, matrix.sum(axis=0) >= size]
        left[size - 1] = kept.shape[1]
        rows = kept[kept.sum(axis=1) >= 2].astype(float)
        if kept.shape[1] < 2 or not len(rows):
            continue
        n = rows.sum(axis=1)
        observed = float(((rows * (rows - 1)).sum(axis=1) / (n * (n - 1))).mean())
        share = rows.sum(axis=0) / n.sum()
        chance = float((share**2).sum())
        k[size - 1] = (observed - chance) / (1 - chance) if chance < 1 else np.nan
    return k, left


def _choice_levels(choices: AnnotatorChoices) -> Levels:
    """Return all levels in the choice-matrix form, with choices in the order of each annotator's list."""
    seen, sizes = choices.seen, tables.sizes(choices)
    people = seen.sum(axis=0)
    k = np.full((len(people), max(1, int(people.max(initial=1)))), np.nan)
    gold, reason = np.zeros(k.shape, np.int64), np.where(people < 2, "single_annotator", "").astype("<U20")
    order = np.lexsort((choices.place, choices.annotator))
    owners = choices.document[choices.item[order]], choices.annotator[order]
    lists = pd.Series(choices.item[order]).groupby(list(owners)).agg(list)
    for document in np.flatnonzero(people > 1):
        lengths = sizes[seen[:, document], document]
        if np.ptp(lengths) or not lengths[0]:
            reason[document] = "unequal_choices" if np.ptp(lengths) else "both_empty"
            continue
        agreement, left = choice_levels(choice_matrix(lists[document].tolist()), len(lengths))
        k[document, : len(lengths)], gold[document, : len(lengths)] = agreement, left
        if np.isnan(agreement).all():
            reason[document] = "one_item"
    return Levels(k, gold, reason)


def levels_of(choices: AnnotatorChoices, universe: Floats, form: Form = "binary", pooled: bool = False) -> Levels:
    """Return all levels in either form."""
    refuse_unless(form, FORMS, "form")
    return levels(choices, universe, pooled) if form == "binary" else _choice_levels(choices)


@dataclass(frozen=True, kw_only=True)
class Trimmed(Numbers):
    """A gold standard trimmed at one threshold, with the data for all other thresholds.

    Attributes
    ----------
    frame : DataFrame
        One row per document: majority size reached, K, phrases left, status (ok or unreachable), reason. An unreachable
        document shows its best level.
    """

    levels: Levels
    caption: str = "Gold standard trimmed by agreement"


def trim(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    threshold: float | None = None,
    *,
    pooled: bool | None = None,
    form: Form | None = None,
    **changes: Any,
) -> Trimmed:
    """Trim the gold standard of a corpus until the agreement of the remaining choices reaches a threshold (0.5).

    Parameters
    ----------
    threshold : float, optional
        Threshold of K.
    pooled : bool, optional
        Use one majority for all documents, by their pooled K, instead of one per document.
    form : "binary" or "choices", optional
        Phrases as yes or no; or the choice matrix of the source, if all annotators of a document chose equally many.

    References
    ----------
    Nomoto & Matsumoto 1997.
    """
    settings = resolve_settings(corpus, settings, changes)
    if threshold is None:
        number = re.match("-?[^-]+", settings.trim)  # a negative threshold begins with the separator
        if number and number[0] == "every":
            raise UsageError("this signature is that of a curve over all thresholds; choose one threshold")
        threshold = float(number[0]) if number else 0.5
    pooled = "pooled" in settings.trim if pooled is None else pooled
    form = ("choices" if "choices" in settings.trim else "binary") if form is None else form
    if not -1 <= threshold <= 1:
        raise UsageError(f"the threshold is {threshold:g}; K is between -1 and 1")
    if pooled and form == "choices":
        raise UsageError("the choice-matrix form applies to single documents; leave out pooled")
    data = prepare_annotators(corpus, settings.changed(trim="", interval="none"))
    trimmed = levels_of(data.choices, data.universe, form, pooled)
    frame = at_threshold(trimmed, threshold, data.documents)
    lost = frame.loc[frame["status"] == "unreachable", "document"].tolist()
    reach = f"reach K = {threshold:g} and"
    verbs = f"does not {reach} leaves the gold", f"do not {reach} leave the gold"
    notes = (*data.notes, *part_note("warning", "trimming", Ids.of(lost), len(frame), *verbs))
    recipe = data.settings.changed(trim=f"{threshold:g}-{form}{'-pooled' if pooled else ''}")
    return Trimmed(frame, recipe, notes, len(data.documents), levels=trimmed)


def at_threshold(levels: Levels, threshold: float, documents: Sequence[str]) -> pd.DataFrame:
    """Return one row per document with the majority that reaches the threshold, or with its best level."""
    size = levels.size(threshold)
    reached, shown = size > 0, np.where(size > 0, size, levels.best())
    k, gold = levels.at(shown)
    reason = np.where(reached, None, np.where(levels.reason != "", levels.reason, "no_majority"))  # type: ignore[call-overload]
    frame = pd.DataFrame({"document": list(documents), "size": shown, "K": k, "gold": gold})
    frame = frame.astype({"size": "Int64", "gold": "Int64"})
    frame.loc[shown == 0, ["size", "gold"]] = pd.NA
    return frame.assign(status=np.where(reached, "ok", "unreachable"), reason=reason)


def curve(
    data: Prepared,
    levels: Levels,
    measures: Sequence[str] = MEASURES,
    thresholds: Sequence[float] = THRESHOLDS,
    repeats: int = REPEATS,
) -> pd.DataFrame:
    """Return one row per system, measure and threshold: score on the trimmed and on randomly trimmed gold.

    value, low, high   score with its bootstrap interval over the remaining documents
    null, …            mean under random trimming to the same size (closed form), and 95% of `repeats` draws; missing
                       for nDCG with graded gold, averaged ties, and weighted hits
    fixed              score on the documents that remain at the last threshold drawn
    documents, gold    numbers that remain; drawn: whether they are enough for a score
    """
    settings, rng = data.settings, np.random.default_rng(data.settings.seed)
    if len(settings.k) != 1:
        raise UsageError("a curve over thresholds needs one cutoff k")
    sizes = [levels.size(threshold) for threshold in thresholds]
    golds = [levels.at(size)[1] for size in sizes]
    drawn = [bool((gold > 0).sum() >= FEWEST_DOCUMENTS and gold.sum() >= FEWEST_PHRASES) for gold in golds]
    last = next((size > 0 for size, enough in reversed([*zip(sizes, drawn, strict=True)]) if enough), None)
    every = np.ones(len(levels.gold), bool)
    weights = intervals.weights(settings, data.documents, every, rng)
    union = count_unchecked(data)
    table: list[tuple[Any, ...]] = []
    for threshold, size, gold, enough in zip(thresholds, sizes, golds, drawn, strict=True):
        for system, counted in count_unchecked(data, fewest=size).items():
            for asked in (_BALANCED if name == BALANCED else parse(name) for name in measures):
                average = "micro" if asked is _BALANCED else asked.averages(settings.average)[0]
                counts, fixed = counted.of(asked), np.nan
                score = estimate(asked, counts.at(settings.k), average, weights, "none")
                null = _random_trimming(asked, average, union[system].of(asked).at(settings.k), gold, repeats, rng)
                if last is not None:
                    among = replace(counts, known=counts.known & last).at(settings.k)
                    fixed = estimate(asked, among, average, None, "none").value[0]
                values = score.value[0], score.low[0], score.high[0], *null, fixed
                left = (gold > 0).sum(), gold.sum(), enough
                table.append((system, asked.name(settings.k[0]), average, threshold, *values, *left))
    return pd.DataFrame(table, columns=list(COLUMNS))


def balanced(cells: Cells) -> Cells:
    """Return tables with at most five phrases outside the gold standard per keyphrase: c and d times 5 (a+b)/(c+d).

    >>> cells = balanced(concordance.table(4, 6, 10, 190))
    >>> float(cells.system_only), float(cells.neither)
    (2.5, 47.5)
    """
    outside = cells.universe - cells.size
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(outside > 0, np.minimum(1, 5 * cells.size / outside), 1.0)
    returned = cells.hits + weight * cells.system_only
    return Cells(cells.hits, returned, cells.size, cells.size + weight * outside, returned)


_KAPPA = parse("kappa").measure
_BALANCED = Asked(replace(_KAPPA, name=BALANCED, score=lambda cells: concordance.kappa(balanced(cells))))


def _random_trimming(
    asked: Asked, average: str, view: View, gold: Ints, repeats: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return mean and 95% bounds of the score on random subsets of the union gold of the same size."""
    kept = (gold > 0) & view.scored
    if not kept.any() or not _allows_random_trimming(asked, view):
        return np.nan, np.nan, np.nan
    hits, size = np.rint(view.hits[kept, 0]).astype(np.int64), view.size[kept, 0]
    share = gold[kept] / size
    draws = rng.hypergeometric(hits, size.astype(np.int64) - hits, gold[kept], (repeats, int(kept.sum())))
    if asked.measure.name == "nDCG@k":
        mean, sample = _discounted(view, kept, share, draws, rng)
    else:
        others = view.returned[kept, 0], gold[kept].astype(float), view.universe[kept, 0], view.denominator[kept, 0]
        every = np.vstack([hits * share, draws])
        cells = Cells(every, *(np.broadcast_to(other, every.shape) for other in others))
        if average == "micro":
            scores = asked.scores(cells.mapped(lambda x: x.sum(axis=1)))
        else:
            scores = np.nanmean(asked.scores(cells), axis=1)
        mean, sample = np.split(scores, [1])
    low, high = np.nanquantile(sample, [0.025, 0.975]) if np.isfinite(sample).any() else (np.nan, np.nan)
    return float(mean[0]), float(low), float(high)


def _allows_random_trimming(asked: Asked, view: View) -> bool:
    """Return whether hits are single gold phrases of equal weight, so that random subsets can be drawn."""
    counts, record = view.counts, view.counts.settings
    whole = record.ties != "expected" and bool((counts.hits.found == 1).all()) and bool((view.hits <= view.size).all())
    if asked.measure.family != "ranking":
        return whole
    binary = bool((counts.hits.gain == 1).all() and (counts.ideal.gain == 1).all())
    return whole and binary and record.ideal == "gold" and asked.measure.name == "nDCG@k"


def _discounted(view: View, kept: Bools, share: Floats, draws: Ints, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return mean and draws of nDCG if a random subset of the hits within the cutoff remains; grades are binary."""
    hits, place = view.counts.hits, np.cumsum(kept) - 1
    inside = kept[hits.document] & (hits.rank <= view.limit[hits.document, 0])
    document, gain = place[hits.document[inside]], 1 / np.log2(hits.rank[inside] + 1)
    size = np.rint(share * view.size[kept, 0]).astype(np.int64)
    steps = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, int(size.max()) + 2)))])
    best = steps[np.minimum(size, view.limit[kept, 0].astype(np.int64))]
    whole = np.bincount(document, gain, minlength=len(size))
    sample = np.empty(len(draws))
    for i, left in enumerate(draws):
        stays = at_random(np.ones(len(document), np.int64), document, left, rng)
        sample[i] = (np.bincount(document[stays], gain[stays], minlength=len(size)) / best).mean()
    return np.array([(whole * share / best).mean()]), sample


def at_random(votes: Ints, document: Ints, size: Ints, rng: np.random.Generator) -> Bools:
    """Return a random subset of the choices (n,), of a given size in each document (D,).

    votes, document: (n,) number of annotators and document of each phrase or sentence
    """
    order = np.lexsort((rng.random(len(votes)), votes == 0, document))
    start = np.searchsorted(document[order], np.arange(len(size)))
    kept = np.zeros(len(votes), bool)
    kept[order] = np.arange(len(votes)) - start[document[order]] < size[document[order]]
    return kept


def k_and_score(documents: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's rho of K and a system's score per document, over all documents and by document type.

    documents: columns document, group, K; scores: system, document, value. Intervals: Bonett & Wright 2000.
    """
    joined = scores.merge(documents[["document", "group", "K"]], on="document", suffixes=("_score", ""))
    joined = joined[joined["K"].notna() & joined["value"].notna()]
    kinds = [kind for kind in dict.fromkeys(documents["group"]) if kind]
    rows = []
    for system in dict.fromkeys(scores["system"]):
        of_system = joined[joined["system"] == system]
        for group in ("all", *(kinds if len(kinds) > 1 else ())):
            part = of_system if group == "all" else of_system[of_system["group"] == group]
            rows.append((system, group, len(part), correlation(part["K"].to_numpy(), part["value"].to_numpy())))
    table = pd.DataFrame(rows, columns=["system", "group", "documents", "rho"])
    low, high = closed_form(table["rho"].to_numpy(), table["documents"].to_numpy())
    inside = table["rho"].abs() < 1
    return table.assign(low=np.where(inside, low, np.nan), high=np.where(inside, high, np.nan))
