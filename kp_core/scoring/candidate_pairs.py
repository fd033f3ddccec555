"""Turn lists and a gold standard into predictions that face the spellings of the keyphrases of their document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kp_core.scoring.alignment import Lists
from kp_core.scoring.codes import Bools, CodedRun, Ints, ragged
from kp_core.scoring.gold import Gold
from kp_core.scoring.prepare import Prepared

#: Pairs that are looked at together.
_PAIRS = 500_000


@dataclass(frozen=True)
class CandidatePairs:
    """Predictions and gold spellings of one system; rows stand in the order of documents and ranks.

    document, rank   (row,) of every prediction after filter and duplicate rule
    phrase           (row,) number of the phrase as the system spells it
    item, spelling   (spelling,) gold item, and number of the phrase as the gold standard spells it
    """

    gold: Gold
    document: Ints
    rank: Ints
    phrase: Ints
    item: Ints
    spelling: Ints

    def pairs(self, rows: Bools, at_once: bool = False) -> Iterator[tuple[Ints, Ints]]:
        """Yield (row, spelling) of all pairs of some rows with the gold of their document, some documents at a time."""
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
            own, count = chosen[begin:end], spellings[begin:end]
            yield np.repeat(own, count), ragged(start[self.document[own]], count)


def candidate_pairs(data: Prepared, run: CodedRun, lists: Lists, gold: Gold) -> CandidatePairs:
    """Return the predictions of prepared lists beside the gold spellings, as numbers of `phrases_of`."""
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1].astype(np.int64)
    return CandidatePairs(gold, lists.owner, lists.rank, phrase, *_gold_spellings(data, gold))


def _gold_spellings(data: Prepared, gold: Gold) -> tuple[Ints, Ints]:
    """Return all phrases of a document that the conventions take for a gold item: (spelling,) item and phrase.

    An item that annotators spell in several ways, which are one form, keeps all of them, in the order of the file.
    """
    coded = data.coded
    form = data.identities.gold[coded.variant_phrase].astype(np.int64)
    size = int(max(form.max(initial=0), gold.spelling_form.max(initial=0))) + 1
    key = coded.entry_document[coded.variant_entry] * np.int64(size) + form
    once = np.sort(np.unique(key * len(coded.phrases) + coded.variant_phrase, return_index=True)[1])
    once = once[np.argsort(key[once], kind="stable")]
    known = key[once]
    wanted = gold.document[gold.spelling_item] * size + gold.spelling_form
    begin = np.searchsorted(known, wanted)
    count = np.searchsorted(known, wanted, side="right") - begin
    phrase = coded.variant_phrase[once[ragged(begin, count)]].astype(np.int64)
    phrase += len(coded.phrases) if data.settings.gold_stemmed == "yes" else 0
    return np.repeat(gold.spelling_item, count), phrase
