"""Turn one system's ranked lists and the gold items into hits: at which ranks is which gold item found.

Ranking measures are sums over hits, one row each, at known ranks or among tied ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
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
    repeated      (row,) rows that repeat a form of their list; all False where they were removed
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
class Matches:
    """Every row that spells a gold item: (match,) document, row of the list (flat), and gold item.

    new   the best-ranked match of every item: an item counts once, later matches of it are misses
    """

    document: Ints
    row: Ints
    item: Ints
    new: Bools


def _repeated(form: Codes, length: Ints) -> Bools:
    """Mark every row whose form stands higher in its own list; most lists have none, which sorting tells at once."""
    start, repeated = np.cumsum(length) - length, np.zeros(len(form), bool)
    for block in padded_blocks(length):
        lists = padded(form, start[block], length[block], _NO_PHRASE)
        twice = _equal_neighbours(np.sort(lists, axis=1)).any(axis=1)
        order = np.argsort(lists[twice], axis=1, kind="stable")
        again = _equal_neighbours(np.take_along_axis(lists[twice], order, axis=1))
        repeated[(start[block][twice, None] + order[:, 1:])[again]] = True
    return repeated


def _equal_neighbours(ordered: Codes) -> Bools:
    """Mark every phrase of sorted lists (list, phrase), but for the first column, that equals the one before it."""
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


def match(lists: Lists, gold: Gold) -> Matches:
    """Return every row that spells an item of its document, by document and rank.

    Two steps, because most rows match nothing: a padded comparison finds the rows, then only these look for items.
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
        match_of, spelling = np.nonzero(spelled)
        document = which[match_of]
        row = start[block][document] + position[match_of]
        item = gold.spelling_item[gold.spelling_start[block][document] + spelling]
        found.append((document + block.start, row, item))
    documents, rows, items = (np.concatenate(part) for part in zip(*found, strict=True))
    best = np.full(len(gold.grade), -1, np.int64)
    best[items[::-1]] = np.arange(len(items))[::-1]  # the last assignment stays, that is the first match
    return Matches(documents, rows, items, best[items] == np.arange(len(items)))


@dataclass(frozen=True)
class Suggested:
    """What one system suggests: one row a document and subject, each once, where it stands first.

    document, subject, rank  (n,); found: whether the subject is in the document's gold standard
    """

    document: Ints
    subject: Ints
    rank: Ints
    found: Bools


@dataclass(frozen=True)
class Subjects:
    """Where each of S subjects is due, and where it is suggested; the subjects are ordered by their form.

    form       (S,) its normalised form
    due        (document, subject) of every gold item
    suggested  system → what it suggests
    """

    form: Ints
    due: tuple[Ints, Ints]
    suggested: dict[str, Suggested]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.form)


def subjects_of(gold: Gold, lists: Mapping[str, Lists]) -> Subjects:
    """Return where each subject stands in a gold standard and in the lists of each system."""
    due = gold.subject
    systems = {name: _suggested(gold, own, due) for name, own in lists.items()}
    form = np.unique(np.concatenate([due, *(one.subject for one in systems.values())]))
    return Subjects(
        form,
        (gold.document, np.searchsorted(form, due)),
        {
            name: Suggested(one.document, np.searchsorted(form, one.subject), one.rank, one.found)
            for name, one in systems.items()
        },
    )


def _suggested(gold: Gold, lists: Lists, due: Ints) -> Suggested:
    """Return what a system suggests by forms; what spells a gold item is the subject of this item."""
    matches, missed = match(lists, gold), np.ones(len(lists.form), bool)
    missed[matches.row] = False
    row = np.concatenate([matches.row, np.flatnonzero(missed)])
    subject = np.concatenate([due[matches.item], lists.form[missed]])
    found = np.arange(len(row)) < len(matches.row)
    order = np.argsort(row, kind="stable")
    row, subject, found = row[order], subject[order], found[order]
    document = lists.owner[row]
    first = np.unique(document * (subject.max(initial=0) + 1) + subject, return_index=True)[1]
    return Suggested(document[first], subject[first], ranks(lists.length)[row[first]], found[first])


@dataclass(frozen=True)
class Hits:
    """The hits of one system, one row a hit; every ranking measure is a sum over the rows up to the cutoff.

    document, rank     where the hit stands
    found              gold items found here (1; a probability where ties are averaged)
    precision          precision at this rank: the summand of average precision
    first              1 at the first hit (a probability where ties are averaged)
    gain, exp_gain     gain of the grade found here, linear and exponential
    rarity             gain of a keyphrase by how rare it is
    """

    document: Ints
    rank: Ints
    found: Floats
    precision: Floats
    first: Floats
    gain: Floats
    exp_gain: Floats
    rarity: Floats

    def part(self, documents: slice) -> Hits:
        """Return the hits of some documents, numbered from 0; rows are ordered by document."""
        rows = slice(*np.searchsorted(self.document, [documents.start, documents.stop]))
        rest = (getattr(self, field.name)[rows] for field in fields(self)[1:])
        return type(self)(self.document[rows] - documents.start, *rest)


def exponential(grade: Floats) -> Floats:
    """Return the exponential gain of a grade."""
    return np.exp2(grade) - 1


def ordered_hits(document: Ints, rank: Ints, found: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return hits at known ranks from the gold items found and their gains, rows ordered by document and rank."""
    so_far = running(found, np.diff(document, prepend=-1) != 0)
    first, some = np.zeros(len(document)), np.flatnonzero(found)  # rows without a hit may stand above
    first[some[np.diff(document[some], prepend=-1) != 0]] = 1
    return Hits(document, rank, found, so_far / rank, first, grade, exponential(grade), rarity)


@dataclass(frozen=True)
class Recalled(Hits):
    """Hits by similarity: what each row finds, and by how much it raises what is found of the keyphrases, recalled."""

    recalled: Floats


@dataclass(frozen=True)
class ListRows(Hits):
    """The rows of lists, each of them a hit.

    repeated       whether the phrase stands higher in its list
    words          how many it has; repeated_words: how many of them stand earlier in the list
    present        whether it stands in the text of its document; NaN without a text
    alike          how similar it is to all phrases above it together; NaN without a similarity of the user's
    """

    repeated: Floats
    words: Floats
    repeated_words: Floats
    present: Floats
    alike: Floats


def recalled_hits(document: Ints, rank: Ints, found: Floats, recalled: Floats) -> Recalled:
    """Return the rows (row,) that find something, or by which something is found."""
    some = np.flatnonzero((found > 0) | (recalled > 0))
    own = found[some]
    hits = ordered_hits(document[some], rank[some], own, own, np.ones(len(some)))
    return Recalled(**vars(hits), recalled=recalled[some])


def tied_hits(document: Ints, rank: Ints, group: Ints, found: Floats, grade: Floats, rarity: Floats) -> Hits:
    """Return the hits expected over all orders of tied rows; one input row a rank, rows of a group tie.

    A phrase that repeats another of its group stays behind it: such repeats keep the order of the file.
    """
    size, within = np.bincount(group), np.bincount(group, found).astype(float)
    first_group = np.diff(document[np.cumsum(size) - size], prepend=-1) != 0
    before = running(within, first_group) - within
    t = size[group].astype(float)
    gains = np.stack([np.bincount(group, value)[group] / t for value in (grade, exponential(grade), rarity)])
    return _expected(document, rank, ranks(size), t, within[group], before[group], gains)


def random_hits(document: Ints, rank: Ints, size: Floats, gold: Gold) -> Hits:
    """Return the hits expected of a random order of `size` phrases (row,), the document's gold items among them."""
    r = gold.size[document].astype(float)
    values = (gold.grade, exponential(gold.grade), gold.rarity)
    sums = [np.bincount(gold.document, value, minlength=len(gold.size)) for value in values]
    gains = np.stack([own[document] / size for own in sums])
    return _expected(document, rank, rank, size, r, np.zeros(len(rank)), gains)


def _expected(document: Ints, rank: Ints, place: Ints, t: Floats, r: Floats, before: Floats, gains: Floats) -> Hits:
    """Return expected hits, row by row: the row is number `place` of a tie of `t` phrases with `r` hits.

    Source: McSherry and Najork 2008; the closed forms equal the enumeration of all orders.
    """
    kept = (r > 0) | (gains[0] > 0)
    document, rank, place = document[kept], rank[kept], place[kept]
    t, r, before = (column[kept] for column in (t, r, before))
    share = np.divide((place - 1) * (r - 1), t - 1, out=np.zeros(len(t)), where=t > 1)
    # The chance that the tie's first hit is here: no hit at the places above, then one of r among those left.
    left = t - place + 1
    none_here = np.zeros(len(t))
    np.log1p(-r / np.maximum(left, 1), out=none_here, where=left > r)
    above = running(none_here, place == 1) - none_here
    first = np.where((before == 0) & (left >= r), np.exp(above) * r / left, 0.0)
    return Hits(document, rank, r / t, r / t * (before + 1 + share) / rank, first, *gains[:, kept])


def ideal_hits(gold: Gold, lower: Gold | None = None) -> Hits:
    """Return the hits of the ideal ranking: all gold items, highest grade first; `lower` have a gain only."""
    document, grade, size, found = gold.document, gold.grade, gold.size, np.ones(len(gold.grade))
    if lower is not None and len(lower.grade):
        document, grade = np.concatenate([document, lower.document]), np.concatenate([grade, lower.grade])
        size, found = size + lower.size, np.concatenate([found, np.zeros(len(lower.grade))])
    rarest = np.append(gold.rarity, np.zeros(len(grade) - len(gold.rarity)))
    by_grade, by_rarity = ((value == value[:1]).all() for value in (grade, rarest))
    in_order = len(grade) == len(gold.grade)
    order = np.arange(len(grade)) if by_grade and in_order else np.lexsort((-grade, document))
    rarest = rarest if by_rarity and in_order else rarest[np.lexsort((-rarest, document))]
    return ordered_hits(document[order], ranks(size), found[order], grade[order], rarest)


def returned_ideal(hits: Hits) -> Hits:
    """Return the hits of the best order of what was returned (the ideal of some published scripts)."""
    order, by_rarity = (np.lexsort((-value, hits.document)) for value in (hits.gain, hits.rarity))
    rank, rarity = ranks(np.bincount(hits.document)), hits.rarity[by_rarity]
    return replace(hits, rank=rank, gain=hits.gain[order], exp_gain=hits.exp_gain[order], rarity=rarity)
