"""Turn a system's output and the gold standard into ranked lists and the pairs of a prediction and an item that match.

Counts, subjects, two systems side by side and near misses are all read from this alignment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from kp_core.scoring.codes import (
    Bools,
    CodedRun,
    Codes,
    Floats,
    Identities,
    Ints,
    owners,
    padded,
    padded_blocks,
    ragged,
    ranks,
    running,
)
from kp_core.scoring.gold import Gold
from kp_core.settings import Settings

_NO_GOLD, _NO_PHRASE = -1, -2


@dataclass(frozen=True)
class Lists:
    """Ranked lists after filter, tie rule and duplicate rule: flat rows, best first, in the order of the documents.

    length        (D,) rows of each list
    form          (row,) normalised form
    position      (row,) rank in the file
    score         (row,) scores that can tie, or None
    repeated      (row,) rows that repeat a form of their list; all False if they were removed
    duplicates    (D,) how many rows repeat a form of their list, removed or not
    """

    length: Ints
    form: Codes
    position: Ints
    score: Floats | None
    repeated: Bools
    duplicates: Ints

    @cached_property
    def owner(self) -> Ints:
        """The list of each row."""
        return owners(self.length)

    @cached_property
    def rank(self) -> Ints:
        """The rank of each row in its list, from 1."""
        return ranks(self.length)

    def only(self, rows: Bools) -> Lists:
        """Return the lists with only some of their rows."""
        return Lists(
            np.bincount(self.owner[rows], minlength=len(self.length)),
            self.form[rows],
            self.position[rows],
            self.score[rows] if self.score is not None else None,
            self.repeated[rows],
            self.duplicates,
        )


@dataclass(frozen=True)
class Alignment:
    """Predictions of one system and gold items of the same documents: one row per pair that matches.

    lists, gold  the predictions (row,) and the items (item,)
    row, item    (pair,) which prediction spells which item, by document and rank
    first        (pair,) whether it is the best-ranked prediction of the item; later ones are misses
    """

    lists: Lists
    gold: Gold
    row: Ints
    item: Ints
    first: Bools

    @property
    def document(self) -> Ints:
        """The document of each pair (pair,)."""
        return self.lists.owner[self.row]

    @cached_property
    def hit(self) -> Bools:
        """Whether a prediction spells an item (row,)."""
        hit = np.zeros(len(self.lists.form), bool)
        hit[self.row] = True
        return hit

    @cached_property
    def best(self) -> Ints:
        """The prediction that finds each item first (item,), -1 for items that are missed."""
        best = np.full(len(self.gold.grade), -1, np.int64)
        best[self.item[self.first]] = self.row[self.first]
        return best

    @property
    def without_respellings(self) -> Bools:
        """Which predictions are no further spelling of an item that one above them spells (row,)."""
        first = ~self.hit
        first[self.row[self.first]] = True
        return first

    def subjects(self) -> tuple[Ints, Ints]:
        """Return row and subject of every prediction: the subject of an item that it spells, or its own form."""
        missed = np.flatnonzero(~self.hit)
        subject = np.concatenate([self.gold.subject[self.item], self.lists.form[missed]])
        return np.concatenate([self.row, missed]), subject


def _repeated(form: Codes, length: Ints) -> Bools:
    """Mark every row whose form occurs higher in the same list; one sort finds the many lists without any."""
    start, repeated = np.cumsum(length) - length, np.zeros(len(form), bool)
    for block in padded_blocks(length):
        lists = padded(form, start[block], length[block], _NO_PHRASE)
        twice = _equal_neighbours(np.sort(lists, axis=1)).any(axis=1)
        order = np.argsort(lists[twice], axis=1, kind="stable")
        again = _equal_neighbours(np.take_along_axis(lists[twice], order, axis=1))
        repeated[(start[block][twice, None] + order[:, 1:])[again]] = True
    return repeated


def _equal_neighbours(ordered: Codes) -> Bools:
    """Mark every phrase of sorted lists (list, phrase), except the first column, that equals the one before it."""
    equal: Bools = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != _NO_PHRASE)
    return equal


def _unfiltered(form: Codes, length: Ints, identities: Identities, rule: str) -> Bools:
    """Mark the rows that the filter keeps."""
    kept = np.ones(len(form), bool)
    if "invalid-tokens" in rule:
        invalid = pc.match_substring_regex(identities.forms, r"(\A| )(,|\.|<unk>)( |\z)")
        kept &= ~invalid.to_numpy(zero_copy_only=False)[form]
    if "one-word" in rule:
        several = pc.match_substring(identities.forms, " ").to_numpy(zero_copy_only=False)
        one_word = ~several[form]  # the first of them may be invalid: the script of Chan et al. masks one by one
        kept &= ~one_word | (running(one_word.astype(float), ranks(length) == 1) == 1)
    return kept


def ranked_lists(run: CodedRun, identities: Identities, settings: Settings) -> Lists:
    """Apply filter, tie rule and duplicate rule to the lists of one system, in this order."""
    form, length = run.forms(identities), run.length
    score, ranking = None, run.ranking
    if ranking.ranked_by == "score" and run.score is not None:  # a rank column, or the order of the file, has no ties
        score = run.score[ragged(run.start, length)]
        score = score if ranking.higher_is_better else -score
    lists = Lists(length, form, ranks(length), score, np.zeros(len(form), bool), np.zeros_like(length))
    if settings.filter != "none":
        lists = lists.only(_unfiltered(form, length, identities, settings.filter))
    if settings.ties == "trec" and lists.score is not None:
        alphabetical = pc.rank(identities.forms).to_numpy().astype(np.int64)  # by their bytes in UTF-8
        order = np.lexsort((-alphabetical[lists.form], -lists.score, lists.owner))
        lists = replace(lists, form=lists.form[order], score=lists.score[order], position=lists.position[order])
    repeated = _repeated(lists.form, lists.length)
    if not repeated.any():
        return lists
    duplicates = np.bincount(lists.owner[repeated], minlength=len(lists.length))
    lists = replace(lists, repeated=repeated, duplicates=duplicates)
    return lists.only(~repeated) if settings.duplicates == "before" else lists


def align(lists: Lists, gold: Gold) -> Alignment:
    """Return every prediction that spells an item of its document, by document and rank.

    Two steps, because most predictions match nothing: a padded comparison finds those that do, which then look for
    their items.
    """
    start, found = np.cumsum(lists.length) - lists.length, []
    for block in padded_blocks(np.maximum(lists.length, gold.spelling_count)):
        length = lists.length[block]
        predicted = padded(lists.form, start[block], length, _NO_PHRASE)
        wanted = padded(gold.spelling_form, gold.spelling_start[block], gold.spelling_count[block], _NO_GOLD)
        hit = np.zeros(predicted.shape, bool)
        for column in range(wanted.shape[1]):
            hit |= predicted == wanted[:, column : column + 1]
        which, position = np.nonzero(hit)
        spelled = predicted[which, position][:, None] == wanted[which]
        pair, spelling = np.nonzero(spelled)
        document = which[pair]
        row = start[block][document] + position[pair]
        found.append((row, gold.spelling_item[gold.spelling_start[block][document] + spelling]))
    rows, items = (np.concatenate(part) for part in zip(*found, strict=True))
    first = np.full(len(gold.grade), -1, np.int64)
    first[items[::-1]] = np.arange(len(items))[::-1]  # the last assignment stays, that is the first match
    return Alignment(lists, gold, rows, items, first[items] == np.arange(len(items)))
