"""Trim the gold standard of several annotators by agreement, and score systems on trimmed gold standards.

After Nomoto & Matsumoto 1997: the required majority increases until K of the remaining choices reaches the threshold.
Removed votes become “no”; the universe and the number of annotators do not change. As a smaller gold standard changes
every score, scores are compared with those after random trimming to the same size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, refuse_unless
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Ids, estimate
from kp_core.scoring.cells import Cells
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import CutoffCounts
from kp_core.scoring.gold import AnnotatorChoices
from kp_core.scoring.measures import Measure, concordance, parse
from kp_core.scoring.measures import agreement as tables
from kp_core.scoring.order import leveled, reaches
from kp_core.scoring.prepare import Prepared, prepare_annotators
from kp_core.scoring.systems import count_unchecked
from kp_core.settings import Changes, Settings, resolve_settings
from kp_core.studies.correlation.coefficients import closed_form_interval, correlation
from kp_core.studies.facts import part_note
from kp_core.studies.result import Numbers

Form = Literal["binary", "choices"]
FORMS = get_args(Form)
#: The thresholds of Nomoto & Matsumoto 1997.
THRESHOLDS = tuple(round(0.1 + 0.05 * step, 2) for step in range(15))
REPEATS = 200
#: Minimum numbers of documents and phrases for a score; 40 positives is the sample of Nomoto & Matsumoto 1997.
FEWEST_DOCUMENTS, FEWEST_PHRASES = 5, 40
#: Kappa with at most five non-gold phrases per keyphrase, as in the sample of Nomoto & Matsumoto 1997.
BALANCED = "kappa (1:5)"
MEASURES = ("P_pos", "kappa", BALANCED, "nDCG@k")
COLUMNS = (
    *("system", "measure", "average", "threshold", "value", "low", "high"),
    *("null", "null_low", "null_high", "fixed", "documents", "gold", "drawn"),
)


@dataclass(frozen=True)
class Levels:
    """What remains of each document's gold standard if a phrase needs 1, 2, …, S votes.

    * `K`: (D, S) agreement, NaN if undefined; `gold`: (D, S) number of remaining phrases
    * `reason`: (D,) why K of a document is undefined, else ""
    """

    K: Floats
    gold: Ints
    reason: NDArray[np.str_]

    def size(self, threshold: float) -> Ints:
        """Return the smallest majority of each document whose K reaches the threshold (D,), 0 if none does."""
        reached = reaches(self.K, threshold)
        return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)

    def best(self) -> Ints:
        """Return, for each document, the largest majority at which K is highest (D,); 0 if K is never defined."""
        highest = np.where(np.isnan(self.K), -np.inf, leveled(self.K))
        last = self.K.shape[1] - highest[:, ::-1].argmax(axis=1)
        return np.where(np.isnan(self.K).all(axis=1), 0, last)

    def at(self, size: Ints) -> tuple[Floats, Ints]:
        """Return K and number of remaining phrases at a majority of each document (D,); NaN and 0 for majority 0."""
        row, index = np.arange(len(size)), np.maximum(size - 1, 0)
        return np.where(size > 0, self.K[row, index], np.nan), np.where(size > 0, self.gold[row, index], 0)


def levels(choices: AnnotatorChoices, universe: Floats, form: Form = "binary", pooled: bool = False) -> Levels:
    """Return all levels in the binary form (items: phrases; categories: yes and no) or in the choice-matrix form.

    * `pooled`: whether to use one K for all documents, so that all documents need the same majority
    """
    refuse_unless(form, FORMS, "form")
    if form == "choices":
        return _choice_levels(choices)
    seen, most_annotators = choices.seen.sum(axis=0), max(1, int(choices.seen.sum(axis=0).max(initial=1)))
    k, gold = np.full((len(seen), most_annotators), np.nan), np.zeros((len(seen), most_annotators), np.int64)
    votes = choices.votes
    for size in range(1, most_annotators + 1):
        remaining = choices.where(votes[choices.item] >= size)
        panel: Cells = tables.panel(remaining, universe)
        gold[:, size - 1] = np.bincount(choices.document, votes >= size, minlength=len(seen))
        value = concordance.scott_pi(panel.mapped(lambda x: x.sum(axis=0, keepdims=True)) if pooled else panel)[:, 0]
        k[:, size - 1] = np.where(gold[:, size - 1] > 0, value, np.nan)
    reasons = ["single_annotator", "both_empty", "all_yes"]
    reason = np.select([seen < 2, gold[:, 0] == 0, np.isnan(k[:, 0])], reasons, "")
    k[seen < 2] = np.nan
    return Levels(k, gold, reason)


def choice_matrix(lists: Ints | Sequence[Sequence[int]]) -> Ints:
    """Return how many annotators made each item (columns, ascending) their i-th choice (rows)."""
    items, column = np.unique(np.array(lists), return_inverse=True)
    matrix = np.zeros((len(lists[0]), len(items)), np.int64)
    np.add.at(matrix, (np.arange(len(matrix)), column.reshape(len(lists), -1)), 1)
    return matrix


def choice_levels(matrix: Ints, n_annotators: int) -> tuple[Floats, Ints]:
    """Return K and the number of remaining phrases if 1, 2, … votes are needed, in the choice-matrix form.

    The items of K are the i-th choices, its categories the sentences or phrases; the formulas are reconstructed. Unlike
    in the binary form, K may decrease with a larger majority, and it depends on the order of the choices.
    """
    k, remaining = np.full(n_annotators, np.nan), np.zeros(n_annotators, np.int64)
    for size in range(1, n_annotators + 1):
        remaining_matrix = matrix[:, matrix.sum(axis=0) >= size]
        remaining[size - 1] = remaining_matrix.shape[1]
        rows = remaining_matrix[remaining_matrix.sum(axis=1) >= 2]
        if remaining_matrix.shape[1] > 1 and len(rows):
            n, share = rows.sum(axis=1), rows.sum(axis=0) / rows.sum()
            observed, chance = ((rows * (rows - 1)).sum(axis=1) / (n * (n - 1))).mean(), (share**2).sum()
            k[size - 1] = (observed - chance) / (1 - chance) if chance < 1 else np.nan
    return k, remaining


def _choice_levels(choices: AnnotatorChoices) -> Levels:
    """Return all levels in the choice-matrix form, with choices in the order of each annotator's list."""
    seen, sizes = choices.seen, tables.sizes(choices)
    annotators = seen.sum(axis=0)
    k = np.full((len(annotators), max(1, int(annotators.max(initial=1)))), np.nan)
    gold, reason = np.zeros(k.shape, np.int64), np.where(annotators < 2, "single_annotator", "").astype("<U20")
    document = choices.document[choices.item]
    ordered = choices.item[np.lexsort((choices.position, choices.annotator, document))]
    ends = np.cumsum(np.bincount(document, minlength=len(annotators)))
    for index, items in enumerate(np.split(ordered, ends[:-1])):
        lengths, has_several = sizes[seen[:, index], index], annotators[index] > 1
        if has_several and (np.ptp(lengths) or not lengths[0]):
            reason[index] = "unequal_choices" if np.ptp(lengths) else "both_empty"
        elif has_several:
            agreement, remaining = choice_levels(choice_matrix(items.reshape(len(lengths), -1)), len(lengths))
            k[index, : len(lengths)], gold[index, : len(lengths)] = agreement, remaining
            reason[index] = "one_item" if np.isnan(agreement).all() else ""
    return Levels(k, gold, reason)


@dataclass(frozen=True, kw_only=True)
class Trimmed(Numbers):
    """A gold standard trimmed at one threshold, with the levels needed for any other threshold.

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
    **changes: Unpack[Changes],
) -> Trimmed:
    """Trim the gold standard of a corpus until the agreement of the remaining choices reaches a threshold (0.5).

    Parameters
    ----------
    threshold : float, optional
        Threshold of K.
    pooled : bool, optional
        Whether to use one majority for all documents, chosen by their pooled K, instead of one majority per document.
    form : "binary" or "choices", optional
        Phrases as yes or no; or the choice matrix of the source, which needs the same number of choices per annotator.

    References
    ----------
    Nomoto & Matsumoto 1997.
    """
    settings = resolve_settings(corpus, settings, changes)
    if threshold is None:
        parsed = re.match("-?[^-]+", settings.trim)  # a negative threshold begins with the separator
        if parsed and parsed[0] == "every":
            raise UsageError("the signature is of a curve over all thresholds; choose one threshold")
        threshold = float(parsed[0]) if parsed else 0.5
    pooled = "pooled" in settings.trim if pooled is None else pooled
    form = ("choices" if "choices" in settings.trim else "binary") if form is None else form
    if not -1 <= threshold <= 1:
        raise UsageError(f"the threshold is {threshold:g}; K is between -1 and 1")
    if pooled and form == "choices":
        raise UsageError("the choice-matrix form applies to single documents; leave out pooled")
    data = prepare_annotators(corpus, settings.changed(trim="", interval="none"))
    trimmed = levels(data.choices, data.universe, form, pooled)
    size = trimmed.size(threshold)
    is_reached, shown = size > 0, np.where(size > 0, size, trimmed.best())  # an unreachable document has its best level
    k, gold = trimmed.at(shown)
    reason = np.where(is_reached, None, np.where(trimmed.reason != "", trimmed.reason, "no_majority"))  # type: ignore[call-overload]
    frame = pd.DataFrame({"document": list(data.documents), "size": shown, "K": k, "gold": gold})
    frame = frame.astype({"size": "Int64", "gold": "Int64"})
    frame.loc[shown == 0, ["size", "gold"]] = pd.NA
    frame = frame.assign(status=np.where(is_reached, "ok", "unreachable"), reason=reason)
    unreachable = frame.loc[~is_reached, "document"].tolist()
    reach = f"reach K = {threshold:g} and"
    verbs = f"does not {reach} leaves the gold", f"do not {reach} leave the gold"
    notes = (*data.notes, *part_note("warning", "trimming", Ids.of(unreachable), len(frame), *verbs))
    recipe = data.settings.changed(trim=f"{threshold:g}-{form}{'-pooled' if pooled else ''}")
    return Trimmed(frame, recipe, notes, len(data.documents), levels=trimmed)


def curve(
    data: Prepared,
    levels: Levels,
    measures: Sequence[str] = MEASURES,
    thresholds: Sequence[float] = THRESHOLDS,
    repeats: int = REPEATS,
) -> pd.DataFrame:
    """Return one row per system, measure and threshold: score on the trimmed gold standard and after random trimming.

    * `value`, `low`, `high`: score with its bootstrap interval over the remaining documents
    * `null`, …: mean under random trimming to the same size (closed form), and 95% of `repeats` draws; missing
      for ranking measures, averaged ties, and weighted hits
    * `fixed`: score on the documents that remain at the highest threshold with enough data
    * `documents`, `gold`: numbers of remaining documents and phrases; `drawn`: whether they are enough for a score
    """
    settings, rng = data.settings, np.random.default_rng(data.settings.seed)
    if len(settings.k) != 1:
        raise UsageError("a curve over thresholds needs one cutoff k")
    sizes = [levels.size(threshold) for threshold in thresholds]
    golds = [levels.at(size)[1] for size in sizes]
    drawn = [bool((gold > 0).sum() >= FEWEST_DOCUMENTS and gold.sum() >= FEWEST_PHRASES) for gold in golds]
    last = next((size > 0 for size, is_drawn in reversed([*zip(sizes, drawn, strict=True)]) if is_drawn), None)
    all_documents = np.ones(len(levels.gold), bool)
    weights = intervals.weights(settings, data.documents, all_documents, rng)
    union = count_unchecked(data)
    table: list[tuple[Any, ...]] = []
    for threshold, size, gold, is_drawn in zip(thresholds, sizes, golds, drawn, strict=True):
        for system, system_counts in count_unchecked(data, votes_needed=size).items():
            for measure in (_BALANCED if name == BALANCED else parse(name) for name in measures):
                average = "micro" if measure is _BALANCED else measure.averages(settings.average)[0]
                counts, fixed_score = system_counts.of(measure), np.nan
                score = estimate(measure, counts.at(settings.k), average, weights, "none")
                null = _random_trimming(measure, average, union[system].of(measure).at(settings.k), gold, repeats, rng)
                if last is not None:
                    fixed_counts = replace(counts, known=counts.known & last).at(settings.k)
                    fixed_score = estimate(measure, fixed_counts, average, None, "none").value[0]
                values = score.value[0], score.low[0], score.high[0], *null, fixed_score
                remaining = (gold > 0).sum(), gold.sum(), is_drawn
                table.append((system, measure.name(settings.k[0]), average, threshold, *values, *remaining))
    return pd.DataFrame(table, columns=list(COLUMNS))


def balanced(cells: Cells) -> Cells:
    """Return tables with at most five non-gold phrases per keyphrase: c and d are multiplied by 5 (a+b)/(c+d).

    >>> cells = balanced(concordance.table(4, 6, 10, 190))
    >>> float(cells.system_only), float(cells.neither)
    (2.5, 47.5)
    """
    non_gold = cells.universe - cells.size
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(non_gold > 0, np.minimum(1, 5 * cells.size / non_gold), 1.0)
    returned = cells.hits + weight * cells.system_only
    return Cells(cells.hits, returned, cells.size, cells.size + weight * non_gold, returned)


_KAPPA = parse("kappa").card
_BALANCED = Measure(replace(_KAPPA, name=BALANCED, score=lambda cells: concordance.kappa(balanced(cells))))


def _random_trimming(
    measure: Measure, average: str, view: CutoffCounts, gold: Ints, n_repeats: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return mean and 95% bounds of the score on random subsets of the untrimmed gold standard of the trimmed size."""
    in_use = (gold > 0) & view.scored
    counts = view.counts
    single_hits = bool((counts.hits.columns["found"] == 1).all() and (view.hits <= view.size).all())
    if not in_use.any() or not single_hits or counts.settings.ties == "expected" or measure.card.family == "ranking":
        return np.nan, np.nan, np.nan
    hits, size = np.rint(view.hits[in_use, 0]).astype(np.int64), view.size[in_use, 0]
    draws = rng.hypergeometric(hits, size.astype(np.int64) - hits, gold[in_use], (n_repeats, int(in_use.sum())))
    others = view.returned[:, 0], gold.astype(float), view.universe[:, 0], view.denominator[:, 0]
    all_hits = np.vstack([hits * gold[in_use] / size, draws])
    cells = Cells(all_hits, *(np.broadcast_to(count[in_use], all_hits.shape) for count in others))
    if average == "micro":
        scores = measure.scores(cells.mapped(lambda x: x.sum(axis=1)))
    else:
        scores = np.nanmean(measure.scores(cells), axis=1)
    mean, sample = np.split(scores, [1])
    low, high = np.nanquantile(sample, [0.025, 0.975]) if np.isfinite(sample).any() else (np.nan, np.nan)
    return float(mean[0]), float(low), float(high)


def at_random(votes: Ints, document: Ints, size: Ints, rng: np.random.Generator) -> Bools:
    """Return a random subset of the choices (n,), of a given size in each document (D,).

    votes (n,): number of annotators who chose each phrase or sentence; document (n,): its document
    """
    order = np.lexsort((rng.random(len(votes)), votes == 0, document))
    start = np.searchsorted(document[order], np.arange(len(size)))
    mask = np.zeros(len(votes), bool)
    mask[order] = np.arange(len(votes)) - start[document[order]] < size[document[order]]
    return mask


def k_and_score(documents: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's rho of K and a system's score per document, over all documents and by document type.

    * `documents`: columns document, group, K; `scores`: system, document, value. Intervals: Bonett & Wright 2000.
    """
    pairs = scores.merge(documents[["document", "group", "K"]], on="document", suffixes=("_score", ""))
    pairs = pairs[pairs["K"].notna() & pairs["value"].notna()]
    types = [kind for kind in dict.fromkeys(documents["group"]) if kind]
    rows = []
    for system in dict.fromkeys(scores["system"]):
        system_rows = pairs[pairs["system"] == system]
        for group in ("all", *(types if len(types) > 1 else ())):
            part = system_rows if group == "all" else system_rows[system_rows["group"] == group]
            rows.append((system, group, len(part), correlation(part["K"].to_numpy(), part["value"].to_numpy())))
    table = pd.DataFrame(rows, columns=["system", "group", "documents", "rho"])
    low, high = closed_form_interval(table["rho"].to_numpy(), table["documents"].to_numpy())
    is_defined = table["rho"].abs() < 1
    return table.assign(low=np.where(is_defined, low, np.nan), high=np.where(is_defined, high, np.nan))
