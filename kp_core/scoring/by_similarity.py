"""Turn similar predictions and keyphrases into soft hits: one-to-one, or by the best match of each side.

Source of the semantic measures: Wu, Yin & Chang 2024, KPEval: towards fine-grained semantic-based keyphrase evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd

from kp_core.errors import input_error
from kp_core.scoring.alignment import Alignment, Hits, recalled_hits
from kp_core.scoring.codes import Bools, CodedRun, Codes, Floats, Ints, padded, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.given import Given, given_of
from kp_core.scoring.gold import Gold
from kp_core.scoring.prepare import Prepared

Values = TypeVar("Values", Floats, Bools)

#: Pairs per block of a computed similarity, and of the user's table.
_PAIRS, _GIVEN = 500_000, 200_000
#: Added to every edge, so that among assignments of equal weight one with more pairs wins.
_PAIR = 1e-9


@dataclass(frozen=True)
class CandidatePairs:
    """Predictions of one system and gold spellings, by document and rank.

    document, rank, phrase   (row,) of every prediction after filter and duplicate rule; phrase: its number
    item, spelling           (spelling,) gold item, and number of the phrase
    """

    gold: Gold
    document: Ints
    rank: Ints
    phrase: Ints
    item: Ints
    spelling: Ints

    def pairs(self, rows: Bools, at_once: bool = False) -> Iterator[tuple[Ints, Ints]]:
        """Yield (row, spelling) of all pairs of some rows with the gold of their document, block by block."""
        size = np.bincount(self.gold.document[self.item], minlength=len(self.gold.size))
        start = np.cumsum(size) - size
        chosen = np.flatnonzero(rows & (size[self.document] > 0))
        if not len(chosen):
            return
        spellings = size[self.document[chosen]]
        part = np.cumsum(spellings) // _PAIRS
        heads = np.flatnonzero(np.diff(self.document[chosen], prepend=-1))
        begins = heads[:1] if at_once else heads[np.flatnonzero(np.diff(part[heads], prepend=-1))]
        for begin, end in zip(begins, np.append(begins[1:], len(chosen)), strict=True):
            part_rows, count = chosen[begin:end], spellings[begin:end]
            yield np.repeat(part_rows, count), ragged(start[self.document[part_rows]], count)


def candidate_pairs(data: Prepared, run: CodedRun, alignment: Alignment) -> CandidatePairs:
    """Return the predictions and gold spellings of aligned lists, as numbers of phrases.

    An item has all spellings of its form in the document, in the order of the file.
    """
    lists, gold, coded = alignment.lists, alignment.gold, data.coded
    form = data.identities.gold[coded.variant_phrase].astype(np.int64)
    size = int(max(form.max(initial=0), gold.spelling_form.max(initial=0))) + 1
    key = coded.entry_document[coded.variant_entry] * np.int64(size) + form
    once = np.sort(np.unique(key * len(coded.phrases) + coded.variant_phrase, return_index=True)[1])
    once = once[np.argsort(key[once], kind="stable")]
    known = key[once]
    wanted = gold.document[gold.spelling_item] * size + gold.spelling_form
    begin = np.searchsorted(known, wanted)
    count = np.searchsorted(known, wanted, side="right") - begin
    spelling = coded.variant_phrase[once[ragged(begin, count)]].astype(np.int64)
    spelling += len(coded.phrases) if data.settings.gold_stemmed == "yes" else 0
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1].astype(np.int64)
    item = np.repeat(gold.spelling_item, count)
    return CandidatePairs(gold, lists.owner, lists.rank, phrase, item, spelling)


def best_of_prefixes(weight: Floats) -> tuple[Floats, Floats]:
    """Return weight and number of pairs of the best assignment of the first 1, 2, ... rows: (row,) each.

    weight   (row, column), 0 for forbidden pairs

    >>> best_of_prefixes(np.array([[0.75, 0.70], [0.70, 0.0]]))[0].tolist()
    [0.75, 1.4]
    """
    from scipy.optimize import linear_sum_assignment

    if 1 in weight.shape:
        best = np.maximum.accumulate(weight.max(axis=1))
        return best, (best > 0).astype(float)
    lifted = weight + _PAIR * (weight > 0)
    total, pairs = np.empty(len(weight)), np.empty(len(weight))
    for rows in range(1, len(weight) + 1):
        chosen = weight[linear_sum_assignment(lifted[:rows], maximize=True)]
        total[rows - 1], pairs[rows - 1] = chosen.sum(), np.count_nonzero(chosen)
    return total, pairs


def soft_gains(row: Ints, item: Ints, weight: Floats, rows: int) -> tuple[Floats, Floats]:
    """Return how much each row adds to weight and number of pairs of its document's best assignment: (row,) each.

    row, item, weight   one entry per allowed pair; rows are numbered across documents, better ranks first
    """
    gain, pairs = np.zeros(rows), np.zeros(rows)
    alone = (np.bincount(row, minlength=rows)[row] == 1) & (np.bincount(item)[item] == 1)
    gain[row[alone]], pairs[row[alone]] = weight[alone], 1.0
    # The other rows compete within connected components, mostly of two or three phrases.
    row, item, weight = row[~alone], item[~alone], weight[~alone]
    if not len(row):
        return gain, pairs
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = rows + int(item.max()) + 1
    links = coo_array((np.ones(len(row)), (row, rows + item)), shape=(size, size))
    part = connected_components(links, directed=False)[1][row]
    order = np.lexsort((row, part))
    row, item, weight, part = row[order], item[order], weight[order], part[order]
    begins = np.flatnonzero(np.diff(part, prepend=-1))
    ends = np.append(begins[1:], len(part))
    # Rows and items are numbered 0, 1, 2, ... within their component.
    (place, known), (column, _) = pd.factorize(row), pd.factorize(item)
    place, column = (number - np.repeat(number[begins], ends - begins) for number in (place, column))
    height, width = (np.maximum.reduceat(number, begins) + 1 for number in (place, column))
    begin = top = 0
    for end, high, wide in zip(ends.tolist(), height.tolist(), width.tolist(), strict=True):
        part_rows, matrix = known[top : top + high], np.zeros((high, wide))
        matrix[place[begin:end], column[begin:end]] = weight[begin:end]
        total, count = best_of_prefixes(matrix)
        total[1:] -= total[:-1].copy()
        count[1:] -= count[:-1].copy()
        gain[part_rows], pairs[part_rows] = total, count
        begin, top = end, top + high
    return gain, pairs


def best_gains(row: Ints, item: Ints, weight: Floats, rows: int) -> tuple[Floats, Floats]:
    """Return the largest weight of each row, and how much it raises the largest weights of its items: (row,) each.

    row, item, weight   as in `soft_gains`; rows ascend

    >>> [g.tolist() for g in best_gains(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.5, 0.75, 0.25]), 2)]
    [[0.5, 0.75], [0.5, 0.5]]
    """
    gain = np.zeros(rows)
    np.maximum.at(gain, row, weight)
    order = np.argsort(item, kind="stable")
    row, item, weight = row[order], item[order], weight[order]
    so_far = pd.Series(weight).groupby(item).cummax().to_numpy()
    before = np.where(np.diff(item, prepend=-1) != 0, 0.0, np.append(0.0, so_far[:-1]))
    return gain, np.bincount(row, so_far - before, minlength=rows).astype(float)


def semantic_counts(data: Prepared, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts by the user's similarity; reject averaging over ties."""
    given, made = given_of(data.corpus, data.coded, data.settings), dict[str, Counts]()
    for name, counts in systems.items():
        lists = counts.alignment.lists
        tied = lists.score is not None and ((np.diff(lists.score) == 0) & (np.diff(lists.owner) == 0)).any()
        if tied and data.settings.ties == "expected":
            raise input_error(f"system '{name}'", "ties by meaning")
        candidates = candidate_pairs(data, data.coded.runs[name], counts.alignment)
        repeated = lists.repeated & (data.settings.duplicates != "count")
        made[name] = replace(counts, hits=_by_meaning(data, candidates, given, ~repeated), judged=None)
    return made


def _by_meaning(data: Prepared, candidates: CandidatePairs, given: Given, counts: Bools) -> Hits:
    """Return the hits of predictions that are similar to any keyphrase; counts: mask of rows that count (row,)."""
    rows, best = len(candidates.document), data.settings.matching == "best"
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0)
    edges = zip(nothing, *_edges(data, candidates, given, counts), strict=True)
    row, item, value, plain = (np.concatenate(parts) for parts in edges)
    gain, recalled = (best_gains if best else soft_gains)(row, item, value, rows)
    if not best:  # a pair counts equally for precision and recall
        recalled = gain
    elif data.settings.sem_equal == "predictions":
        some = plain > 0
        recalled = best_gains(row[some], item[some], plain[some], rows)[1]
    return recalled_hits(candidates.document, candidates.rank, gain, recalled)


def _edges(
    data: Prepared, candidates: CandidatePairs, given: Given, counts: Bools
) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
    """Yield row, item and similarity of similar pairs, block by block: 1 for equal phrases, else as in the table.

    The most similar spelling of an item counts.
    """
    gold, phrases = candidates.gold, max(len(data.coded.phrases), 1)
    spelled = np.ones(len(candidates.item), bool)
    if data.settings.variants == "first":
        spelled = np.diff(candidates.item, prepend=-1) > 0
    item, spelling = candidates.item[spelled], (candidates.spelling[spelled] % phrases).astype(np.int32)
    width, height = (np.bincount(x, minlength=len(gold.size)) for x in (gold.document[item], candidates.document))
    first, start = np.cumsum(width) - width, np.cumsum(height) - height
    within = (item - gold.start[gold.document[item]]).astype(np.int32)
    phrase, one_each = candidates.phrase.astype(np.int32), len(item) == len(gold.grade)
    for documents in _slices(height, width):
        candidate = padded(phrase, start[documents], height[documents], -1)
        keyphrase = padded(spelling, first[documents], width[documents], -1)
        value = np.maximum(given.blocks(candidate, keyphrase), 0.0)
        # The padding, -1, selects the last phrase, which is then excluded.
        alike = data.identities.predicted[candidate][:, :, None] == data.identities.gold[keyphrase][:, None]
        equal = alike & (candidate >= 0)[:, :, None] & (keyphrase >= 0)[:, None]
        if not one_each:
            place = padded(within, first[documents], width[documents], 0)
            most = int(gold.size[documents].max(initial=0))
            value, equal = _by_item(value, place, most), _by_item(equal, place, most)
        counted = padded(counts.astype(np.int32), start[documents], height[documents], 0) > 0
        value, equal = value * counted[:, :, None], equal & counted[:, :, None]
        lifted = np.where(equal, 1.0, value)
        document, row, number = np.nonzero(lifted)
        rows = np.cumsum((candidate >= 0).ravel()).reshape(candidate.shape) - 1 + int(start[documents][0])
        similar = lifted[document, row, number].astype(float)
        plain = value[document, row, number].astype(float) if data.settings.sem_equal == "predictions" else similar
        yield rows[document, row], gold.start[documents][document] + number, similar, plain


def _by_item(values: Values, item: Codes, items: int) -> Values:
    """Return the largest value over the spellings of each item: (document, row, spelling) → (document, row, item)."""
    largest = np.zeros((*values.shape[:2], items), values.dtype)
    document = np.arange(len(values))
    for spelling, place in enumerate(item.T):
        largest[document, :, place] = np.maximum(largest[document, :, place], values[:, :, spelling])
    return largest


def _slices(height: Ints, width: Ints) -> Iterator[slice]:
    """Yield slices of documents that, padded to their largest, have at most about `_GIVEN` pairs."""
    begin, high, wide = 0, 0, 0
    for place, (rows, items) in enumerate(zip(height.tolist(), width.tolist(), strict=True)):
        high, wide = max(high, rows), max(wide, items)
        if place > begin and (place + 1 - begin) * high * wide > _GIVEN:
            yield slice(begin, place)
            begin, high, wide = place, rows, items
    if len(height):
        yield slice(begin, len(height))
