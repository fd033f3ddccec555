"""Turn a system's output into ranked lists, align them with the gold standard, and turn matches into hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from kp_core.scoring import codes
from kp_core.scoring.codes import Bools, CodedRun, Codes, Floats, Identities, Ints
from kp_core.scoring.gold import Gold
from kp_core.settings import Settings

_NO_GOLD, _NO_PHRASE = -1, -2


@dataclass(frozen=True)
class Lists:
    """Ranked lists after filtering, tie-breaking and deduplication: flat rows in document order, best first.

    * `length`: (D,) number of rows of each list
    * `form`: (row,) normalized form
    * `position`: (row,) rank in the file
    * `score`: (row,) scores that can tie, or None
    * `repeated`: (row,) whether a row repeats a form of its list; all False if such rows were removed
    * `duplicates`: (D,) number of rows that repeat a form of their list, removed or not
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
        return codes.owners(self.length)

    @cached_property
    def rank(self) -> Ints:
        """The rank of each row in its list, from 1."""
        return codes.ranks(self.length)

    def only(self, rows: Bools) -> Lists:
        """Return the lists with only the selected rows."""
        score = None if self.score is None else self.score[rows]
        length = np.bincount(self.owner[rows], minlength=len(self.length))
        return Lists(length, self.form[rows], self.position[rows], score, self.repeated[rows], self.duplicates)


@dataclass(frozen=True)
class Alignment:
    """Predictions of one system and gold items of the same documents: one row per matching pair.

    * `row`, `item`: (pair,) indices of prediction (in `lists`) and item (in `gold`), by document and rank
    * `is_best_ranked`: (pair,) whether it is the best-ranked prediction of the item; later ones are misses
    """

    lists: Lists
    gold: Gold
    row: Ints
    item: Ints
    is_best_ranked: Bools

    @property
    def document(self) -> Ints:
        """The document of each pair (pair,)."""
        return self.lists.owner[self.row]

    @cached_property
    def hit(self) -> Bools:
        """Whether a prediction matches an item (row,)."""
        hit = np.zeros(len(self.lists.form), bool)
        hit[self.row] = True
        return hit

    @cached_property
    def best(self) -> Ints:
        """The best-ranked prediction of each item (item,), -1 for items that are missed."""
        best = np.full(len(self.gold.grade), -1, np.int64)
        best[self.item[self.is_best_ranked]] = self.row[self.is_best_ranked]
        return best

    def subjects(self) -> tuple[Ints, Ints]:
        """Return row and subject of every prediction: the subject of the item that it matches, else its form."""
        missed = np.flatnonzero(~self.hit)
        subject = np.concatenate([self.gold.subject[self.item], self.lists.form[missed]])
        return np.concatenate([self.row, missed]), subject


def _repeats_form(form: Codes, length: Ints) -> Bools:
    """Mark every row whose form occurs higher in the same list."""
    start, repeated = np.cumsum(length) - length, np.zeros(len(form), bool)
    for block in codes.padded_blocks(len(length), int(length.max(initial=0))):
        lists = codes.padded(form, start[block], length[block], _NO_PHRASE)
        with_repeats = _equal_neighbors(np.sort(lists, axis=1)).any(axis=1)
        order = np.argsort(lists[with_repeats], axis=1, kind="stable")
        repeats = _equal_neighbors(np.take_along_axis(lists[with_repeats], order, axis=1))
        repeated[(start[block][with_repeats, None] + order[:, 1:])[repeats]] = True
    return repeated


def _equal_neighbors(ordered: Codes) -> Bools:
    """Mark phrases of sorted lists (list, phrase) that equal the preceding phrase, from the second column on."""
    equal: Bools = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != _NO_PHRASE)
    return equal


def _passes_filter(form: Codes, length: Ints, identities: Identities, rule: str) -> Bools:
    is_kept = np.ones(len(form), bool)
    if "invalid-tokens" in rule:
        invalid = pc.match_substring_regex(identities.forms, r"(\A| )(,|\.|<unk>)( |\z)")
        is_kept &= ~invalid.to_numpy(zero_copy_only=False)[form]
    if "one-word" in rule:
        has_blank = pc.match_substring(identities.forms, " ").to_numpy(zero_copy_only=False)
        is_one_word = ~has_blank[form]  # the first word may be invalid too, as in the script of Chan et al.
        is_kept &= ~is_one_word | (codes.running(is_one_word.astype(float), codes.ranks(length) == 1) == 1)
    return is_kept


def ranked_lists(run: CodedRun, identities: Identities, settings: Settings) -> Lists:
    """Apply filter, tie rule and duplicate rule to the lists of one system, in this order."""
    form, length = run.forms(identities), run.length
    score, ranking = None, run.ranking
    if ranking.ranked_by == "score" and run.score is not None:  # ranks and the order of a file have no ties
        score = run.score[codes.ragged(run.start, length)]
        score = score if ranking.higher_is_better else -score
    lists = Lists(length, form, codes.ranks(length), score, np.zeros(len(form), bool), np.zeros_like(length))
    if settings.filter != "none":
        lists = lists.only(_passes_filter(form, length, identities, settings.filter))
    if settings.ties == "trec" and lists.score is not None:
        alphabetical = pc.rank(identities.forms).to_numpy().astype(np.int64)  # by UTF-8 bytes
        order = np.lexsort((-alphabetical[lists.form], -lists.score, lists.owner))
        lists = replace(lists, form=lists.form[order], score=lists.score[order], position=lists.position[order])
    repeated = _repeats_form(lists.form, lists.length)
    if not repeated.any():
        return lists
    duplicates = np.bincount(lists.owner[repeated], minlength=len(lists.length))
    lists = replace(lists, repeated=repeated, duplicates=duplicates)
    return lists.only(~repeated) if settings.duplicates == "before" else lists


def align(lists: Lists, gold: Gold) -> Alignment:
    """Return all matches of predictions with gold items of their document, by document and rank."""
    start, matches = np.cumsum(lists.length) - lists.length, []
    longest = max(int(length.max(initial=0)) for length in (lists.length, gold.spelling_count))
    for block in codes.padded_blocks(len(start), longest):
        length = lists.length[block]
        predicted = codes.padded(lists.form, start[block], length, _NO_PHRASE)
        spellings = codes.padded(gold.spelling_form, gold.spelling_start[block], gold.spelling_count[block], _NO_GOLD)
        hit = np.zeros(predicted.shape, bool)
        for column in range(spellings.shape[1]):
            hit |= predicted == spellings[:, column : column + 1]
        member, position = np.nonzero(hit)
        equals_spelling = predicted[member, position][:, None] == spellings[member]
        pair, spelling = np.nonzero(equals_spelling)
        document = member[pair]
        row = start[block][document] + position[pair]
        matches.append((row, gold.spelling_item[gold.spelling_start[block][document] + spelling]))
    rows, items = (np.concatenate(part) for part in zip(*matches, strict=True))
    first_match = np.full(len(gold.grade), -1, np.int64)
    first_match[items[::-1]] = np.arange(len(items))[::-1]  # the last assignment, of the first match, remains
    return Alignment(lists, gold, rows, items, first_match[items] == np.arange(len(items)))


@dataclass(frozen=True)
class Hits:
    """The hits of one system, one row per hit, by document and rank, with columns of numbers (row,).

    * `found`: gold items found (1; a probability if ties are averaged)
    * `precision`: precision at this rank: the summand of average precision
    * `first`: 1 at the first hit (a probability if ties are averaged)
    * `gain`, `exp_gain`: linear and exponential gain of the grade
    * `rarity`: gain of the keyphrase by rarity
    * `others`: `recalled` in soft matching, or the columns of lists as returned
    """

    document: Ints
    rank: Ints
    columns: Mapping[str, Floats]

    def part(self, documents: slice) -> Hits:
        """Return the hits of some documents, numbered from 0."""
        rows = slice(*np.searchsorted(self.document, [documents.start, documents.stop]))
        columns = {name: array[rows] for name, array in self.columns.items()}
        return Hits(self.document[rows] - documents.start, self.rank[rows], columns)

    def changed(self, **columns: Floats) -> Hits:
        """Return the hits with new or changed columns."""
        return replace(self, columns={**self.columns, **columns})


def _hits(document: Ints, rank: Ints, *columns: Floats) -> Hits:
    names = ("found", "precision", "first", "gain", "exp_gain", "rarity")
    return Hits(document, rank, dict(zip(names, columns, strict=True)))


def ordered_hits(document: Ints, rank: Ints, credit: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return hits at known ranks from the gold items found and their gains; rows are ordered by document and rank."""
    found_so_far = codes.running(credit, np.diff(document, prepend=-1) != 0)
    is_first, credited_rows = np.zeros(len(document)), np.flatnonzero(credit)  # earlier rows may have no hit
    is_first[credited_rows[np.diff(document[credited_rows], prepend=-1) != 0]] = 1
    return _hits(document, rank, credit, found_so_far / rank, is_first, grade, np.exp2(grade) - 1, rarity)


def recalled_hits(document: Ints, rank: Ints, credit: Floats, recalled: Floats) -> Hits:
    """Return as hits the rows with a positive credit for precision (`found`) or for recall (`recalled`)."""
    rows = np.flatnonzero((credit > 0) | (recalled > 0))
    hits = ordered_hits(document[rows], rank[rows], credit[rows], credit[rows], np.ones(len(rows)))
    return hits.changed(recalled=recalled[rows])


def tied_hits(document: Ints, rank: Ints, group: Ints, credit: Floats, gains: Floats) -> Hits:
    """Return the hits expected over all orders of tied rows; one input row per rank; rows of one group are tied.

    * `gains`: (2, row), by grade and by rarity. A repeated phrase always follows its first occurrence.
    """
    size, credits = np.bincount(group), np.bincount(group, credit).astype(float)
    n_above = codes.running(credits, np.diff(document[np.cumsum(size) - size], prepend=-1) != 0) - credits
    tie = np.stack([size, credits, n_above])[:, group]
    sums = [np.bincount(group, value)[group] for value in (gains[0], np.exp2(gains[0]) - 1, gains[1])]
    return _expected_hits(document, rank, codes.ranks(size), tie, np.stack(sums) / tie[0])


def random_hits(document: Ints, rank: Ints, size: Floats, gold: Gold) -> Hits:
    """Return the hits expected in a random order of `size` phrases (row,), which include the document's gold items."""
    sums = [
        np.bincount(gold.document, value, minlength=len(gold.size))[document]
        for value in (gold.grade, np.exp2(gold.grade) - 1, gold.rarity)
    ]
    tie = np.stack([size, gold.size[document], np.zeros(len(rank))])
    return _expected_hits(document, rank, rank, tie, np.stack(sums) / size)


def _expected_hits(document: Ints, rank: Ints, position: Ints, tie: Floats, gains: Floats) -> Hits:
    """Return expected hits; position: that of each row in its tie; tie (3, row): its phrases, hits, and hits above it.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    possible = (tie[1] > 0) | (gains[0] > 0)
    document, rank, position, (t, r, n_above) = document[possible], rank[possible], position[possible], tie[:, possible]
    share = np.divide((position - 1) * (r - 1), t - 1, out=np.zeros(len(t)), where=t > 1)
    # Probability that this row is the first hit of its tie: no row above is a hit, then one of the r hits is here.
    n_left = t - position + 1
    none_here = np.zeros(len(t))
    np.log1p(-r / np.maximum(n_left, 1), out=none_here, where=n_left > r)
    none_above = codes.running(none_here, position == 1) - none_here
    is_first = np.where((n_above == 0) & (n_left >= r), np.exp(none_above) * r / n_left, 0.0)
    return _hits(document, rank, r / t, r / t * (n_above + 1 + share) / rank, is_first, *gains[:, possible])


def ideal_hits(gold: Gold, below_rel: Gold | None = None) -> Hits:
    """Return the hits of the ideal ranking: all gold items, highest grade first; items below `rel` only add gain."""
    document, grade, size, credit = gold.document, gold.grade, gold.size, np.ones(len(gold.grade))
    if below_rel is not None:
        document, grade = np.concatenate([document, below_rel.document]), np.concatenate([grade, below_rel.grade])
        size, credit = size + below_rel.size, np.concatenate([credit, np.zeros(len(below_rel.grade))])
    rarity = np.append(gold.rarity, np.zeros(len(grade) - len(gold.rarity)))
    order, by_rarity = (np.lexsort((-value, document)) for value in (grade, rarity))
    return ordered_hits(document[order], codes.ranks(size), credit[order], grade[order], rarity[by_rarity])


def returned_ideal(hits: Hits) -> Hits:
    """Return the hits of the best order of the returned phrases, used as ideal by some published scripts."""
    gain, exp_gain, rarity = (hits.columns[name] for name in ("gain", "exp_gain", "rarity"))
    order, by_rarity = (np.lexsort((-value, hits.document)) for value in (gain, rarity))
    ordered = hits.changed(gain=gain[order], exp_gain=exp_gain[order], rarity=rarity[by_rarity])
    return replace(ordered, rank=codes.ranks(np.bincount(hits.document)))
