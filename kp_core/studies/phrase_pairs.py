"""Turn one system's lists and the gold standard into pairs that face each other: predictions and gold spellings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kp_core.scoring.codes import Bools, Coded, CodedRun, Ints, ragged, ranks
from kp_core.scoring.gold import Gold
from kp_core.scoring.match import Lists
from kp_core.scoring.prepare import Prepared
from kp_core.settings import Settings
from kp_core.similarity.tokens import Recipe

#: Pairs that are looked at together.
_PAIRS = 500_000


@dataclass(frozen=True)
class Facing:
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

    @cached_property
    def _spellings(self) -> tuple[Ints, Ints]:
        """Return where the spellings of each document begin, and how many there are."""
        count = np.bincount(self.gold.document[self.item], minlength=len(self.gold.size))
        return np.cumsum(count) - count, count

    def pairs(self, rows: Bools, at_once: bool = False) -> Iterator[tuple[Ints, Ints]]:
        """Yield (row, spelling) of all pairs of some rows with the gold of their document, some documents at a time."""
        start, size = self._spellings
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


def recipe_of(settings: Settings, stemmer: str | None = None) -> Recipe:
    """Return words and stems as the evaluation's normaliser makes them, or with another stemmer.

    >>> recipe_of(Settings())
    Recipe(words='nfkc+lower+space', stemmer='porter-nltk', everywhere=False)
    """
    own = Recipe.parse(settings.normalise)
    return Recipe(own.words, own.stemmer if stemmer is None else stemmer)


def phrases_of(coded: Coded, settings: Settings) -> tuple[list[str], Bools | None]:
    """Return the phrases of a corpus, and which of them are stems already.

    Where the gold standard was released as stems, all stand a second time, for the gold standard, and are not stemmed.
    """
    phrases = coded.phrases.to_pylist()
    if settings.gold_stemmed != "yes":
        return phrases, None
    return phrases * 2, np.repeat([False, True], len(phrases))


def face(data: Prepared, run: CodedRun, lists: Lists, gold: Gold) -> Facing:
    """Return the predictions of prepared lists beside the gold spellings, as numbers of `phrases_of`."""
    document = np.repeat(np.arange(len(lists.length)), lists.length)
    phrase = run.phrase[run.start[document] + lists.position - 1].astype(np.int64)
    return Facing(gold, document, ranks(lists.length), phrase, *_spelled(data, gold))


def _spelled(data: Prepared, gold: Gold) -> tuple[Ints, Ints]:
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
