"""Turn lists, a gold standard and a similarity into hits by meaning, of predictions and of keyphrases.

Source: Wu, Yin & Chang 2024, KPEval: towards fine-grained semantic-based keyphrase evaluation (SemP, SemR, SemF1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from kp_core.errors import input_error
from kp_core.scoring.alignment import Lists
from kp_core.scoring.assignment import best_gains, soft_gains
from kp_core.scoring.candidate_pairs import CandidatePairs, candidate_pairs
from kp_core.scoring.codes import Bools, Codes, Floats, Ints, padded
from kp_core.scoring.counts import Counts, lists_of
from kp_core.scoring.given import Given, given_of
from kp_core.scoring.gold import Gold
from kp_core.scoring.hits import Recalled, recalled_hits
from kp_core.scoring.prepare import Prepared

Values = TypeVar("Values", Floats, Bools)

#: Row, keyphrase and similarity of pairs.
_Edges: TypeAlias = tuple[Ints, Ints, Floats]
#: Pairs of a prediction and a keyphrase that are looked at together.
_PAIRS = 200_000


@dataclass(frozen=True)
class _Block:
    """Some documents, whose rows follow one another from `begin`, and whose keyphrases begin at `item`, (document,).

    there  (document, row) whether there is such a row
    value  (document, row, keyphrase), 0 where a row does not count; equal: whether both are the same phrase
    """

    begin: int
    there: Bools
    value: Floats
    equal: Bools
    item: Ints


def semantic_counts(data: Prepared, gold: Gold, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts by the similarity that the user gave; refuses ties whose mean is asked for."""
    given, made, lists = given_of(data.corpus, data.coded, data.settings), dict[str, Counts](), lists_of(data)
    for name, counts in systems.items():
        if data.settings.ties == "expected" and _tied(lists[name]):
            raise input_error(f"system '{name}'", "ties by meaning")
        candidates = candidate_pairs(data, data.coded.runs[name], lists[name], gold)
        repeated = lists[name].repeated & (data.settings.duplicates != "count")
        made[name] = replace(counts, hits=_by_meaning(data, candidates, given, ~repeated), judged=None)
    return made


def _tied(lists: Lists) -> bool:
    """Tell whether two neighbours of a list have one score."""
    same = lists.score is not None and (np.diff(lists.score) == 0) & (np.diff(lists.owner) == 0)
    return bool(np.any(same))


def _by_meaning(data: Prepared, candidates: CandidatePairs, given: Given, counts: Bools) -> Recalled:
    """Return the rows of a system that are similar to some keyphrase."""
    rows, best = len(candidates.document), data.settings.matching == "best"
    rule = best_gains if best else soft_gains
    apart = best and data.settings.sem_equal == "predictions"
    found, plain = list[_Edges](), list[_Edges]()
    for block in _blocks(data, candidates, given, counts):
        found.append(_edges(block, block.equal))
        if apart:
            plain.append(_edges(block, None))
    gain, recalled = rule(*_joined(found), rows)
    if not best:  # what a pair is worth is worth as much to its prediction and to its keyphrase
        recalled = gain
    elif apart:
        recalled = best_gains(*_joined(plain), rows)[1]
    return recalled_hits(candidates.document, candidates.rank, gain, recalled)


def _joined(edges: list[_Edges]) -> _Edges:
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    row, item, value = (np.concatenate(each) for each in zip(nothing, *edges, strict=True))
    return row, item, value


def _edges(block: _Block, equal: Bools | None) -> _Edges:
    """Return row, keyphrase and similarity of all pairs that are similar; what is equal is 1."""
    value = block.value if equal is None else np.where(equal, 1.0, block.value)
    document, row, item = np.nonzero(value)
    number = np.cumsum(block.there.ravel()).reshape(block.there.shape) - 1 + block.begin
    return number[document, row], block.item[document] + item, value[document, row, item].astype(float)


def _blocks(data: Prepared, candidates: CandidatePairs, given: Given, counts: Bools) -> Iterator[_Block]:
    """Give the documents, some at a time; of the spellings of a keyphrase the most similar one counts."""
    gold, phrases = candidates.gold, max(len(data.coded.phrases), 1)
    spelled = np.ones(len(candidates.item), bool)
    if data.settings.variants == "first":
        spelled = np.diff(candidates.item, prepend=-1) > 0
    item, spelling = candidates.item[spelled], (candidates.spelling[spelled] % phrases).astype(np.int32)
    width, height = (np.bincount(own, minlength=len(gold.size)) for own in (gold.document[item], candidates.document))
    first, start = np.cumsum(width) - width, np.cumsum(height) - height
    within = (item - gold.start[gold.document[item]]).astype(np.int32)
    phrase, one_each = candidates.phrase.astype(np.int32), len(item) == len(gold.grade)
    for documents in _slices(height, width):
        candidate = padded(phrase, start[documents], height[documents], -1)
        keyphrase = padded(spelling, first[documents], width[documents], -1)
        value = np.maximum(given.blocks(candidate, keyphrase), 0.0)
        # What fills a row up is the last phrase, and is then no phrase at all.
        alike = data.identities.predicted[candidate][:, :, None] == data.identities.gold[keyphrase][:, None]
        equal = alike & (candidate >= 0)[:, :, None] & (keyphrase >= 0)[:, None]
        if not one_each:
            place = padded(within, first[documents], width[documents], 0)
            most = int(gold.size[documents].max(initial=0))
            value, equal = _by_item(value, place, most), _by_item(equal, place, most)
        counted = padded(counts.astype(np.int32), start[documents], height[documents], 0) > 0
        value, equal = value * counted[:, :, None], equal & counted[:, :, None]
        yield _Block(int(start[documents][0]), candidate >= 0, value, equal, gold.start[documents])


def _by_item(values: Values, item: Codes, items: int) -> Values:
    """Return the largest value over the spellings of each item: (document, row, spelling) → (document, row, item)."""
    largest = np.zeros((*values.shape[:2], items), values.dtype)
    each = np.arange(len(values))
    for spelling, own in enumerate(item.T):
        largest[each, :, own] = np.maximum(largest[each, :, own], values[:, :, spelling])
    return largest


def _slices(height: Ints, width: Ints) -> Iterator[slice]:
    """Yield documents that, padded to the largest among them, have about as many pairs as are looked at together."""
    begin, high, wide = 0, 0, 0
    for place, (rows, items) in enumerate(zip(height.tolist(), width.tolist(), strict=True)):
        high, wide = max(high, rows), max(wide, items)
        if place > begin and (place + 1 - begin) * high * wide > _PAIRS:
            yield slice(begin, place)
            begin, high, wide = place, rows, items
    if len(height):
        yield slice(begin, len(height))
