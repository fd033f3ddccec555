"""Turn the entries of the annotators into the gold items of each document, under the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from kp_core.errors import usage_error
from kp_core.scoring.codes import Bools, Coded, Codes, Floats, Identities, Ints, distinct, owners
from kp_core.settings import Settings

#: Constants of inverse propensities.
_A, _B = 0.55, 1.5


@dataclass(frozen=True)
class Gold:
    """Gold items of D documents, grouped by document; an item is a keyphrase with all its spellings.

    * `size`, `start`: (D,) number of items of a document, and its first item
    * `grade`: (item,) grade of each item, 1 if the gold standard is binary
    * `spelling_start`, `spelling_count`: (D,) the spellings of a document's items in the two arrays below
    * `spelling_item`, `spelling_form`: (spelling,) item and normalized form
    * `known`: (D,) documents that the annotators of the gold standard saw
    * `negatives`: the items judged not relevant (grade below `rel`; needed by bpref and `gains = all` only), if known
    * `weights`: (form,) gain of a keyphrase by rarity; if None, every gain is 1
    * `declined`: (D,) documents without an item that count nevertheless, because the annotator who is left out chose
      something and the others nothing; None: no document
    """

    size: Ints
    start: Ints
    grade: Floats
    spelling_start: Ints
    spelling_count: Ints
    spelling_item: Ints
    spelling_form: Codes
    known: Bools
    negatives: Gold | None = None
    weights: Floats | None = None
    declined: Bools | None = None

    @cached_property
    def rarity(self) -> Floats:
        """Gain of each item by rarity (item,)."""
        return np.ones(len(self.grade)) if self.weights is None else self.weights[self.subject]

    @cached_property
    def subject(self) -> Ints:
        """The form of the first spelling of each item (item,)."""
        form = np.zeros(len(self.grade), np.int64)
        form[self.spelling_item[::-1]] = self.spelling_form[::-1]
        return form

    @property
    def document(self) -> Ints:
        """Document of each item."""
        return owners(self.size)

    def only(self, items: Bools) -> Gold:
        """Return the gold standard with only the selected items."""
        spellings = self.spelling_item, self.spelling_form
        selected = _gold(self.known, (self.document, self.grade), spellings, items)
        return replace(selected, negatives=self.negatives, weights=self.weights)

    @cached_property
    def gain_below_rel(self) -> Gold | None:
        """The items with a positive grade below `rel`, if any, which have a gain by convention."""
        below = self.negatives
        return below.only(below.grade > 0) if below is not None and (below.grade > 0).any() else None


def parse_choice(annotators: str, names: tuple[str, ...]) -> tuple[str, int]:
    """Parse how gold is formed: union, majority, majority:M, intersection, votes, others, or an annotator's name.

    >>> parse_choice("majority:2", ("A", "B", "C"))
    ('majority', 2)
    """
    if annotators in names:
        return "one", names.index(annotators)
    kind, _, number = annotators.partition(":")
    if kind in ("union", "intersection", "votes") and not number:
        return kind, 0
    if kind == "majority" and (not number or (number.isdigit() and int(number) > 0)):
        return kind, int(number or 0)
    if leave_one_out_rule(annotators):
        raise usage_error("left out", annotators=annotators)
    examples = ", ".join(names[:20])
    raise usage_error("no such gold", annotators=annotators, known=examples)


def leave_one_out_rule(annotators: str) -> str:
    """Return how the other annotators are combined if each annotator is left out in turn; else an empty string.

    >>> leave_one_out_rule("others"), leave_one_out_rule("others:majority"), leave_one_out_rule("union")
    ('union', 'majority', '')
    """
    return {"others": "union", "others:majority": "majority"}.get(annotators, "")


@dataclass(frozen=True)
class AnnotatorChoices:
    """The distinct choices of annotators: (n,) item and annotator of every choice, and (item,) document of each item.

    * `position`: (n,) position of the choice in the file
    * `label`: (item,) form of the first spelling of each item, which identifies keyphrases across documents
    * `seen`: (A, D) whether the annotator saw the document; phrases not chosen there are a “no”
    """

    item: Ints
    annotator: Ints
    position: Ints
    document: Ints
    label: Codes
    seen: Bools

    @property
    def votes(self) -> Ints:
        """The number of annotators who chose each item."""
        return np.bincount(self.item, minlength=len(self.document))

    def only(self, documents: Bools) -> AnnotatorChoices:
        """Return the choices in some documents; the other documents count as unseen."""
        return replace(self.where(documents[self.document[self.item]]), seen=self.seen & documents)

    def where(self, selected: Bools) -> AnnotatorChoices:
        """Return a subset of the choices; the others become “no”."""
        return replace(
            self, item=self.item[selected], annotator=self.annotator[selected], position=self.position[selected]
        )


def choices(coded: Coded, identities: Identities, settings: Settings) -> AnnotatorChoices:
    """Return the choices of all annotators, without phrases judged not relevant."""
    entry, form = _spellings(coded, identities, settings, np.ones(len(coded.annotators), bool))
    item_of_entry, items, representative = _merge(coded, entry, form, False)
    label = np.zeros(items, form.dtype)
    label[item_of_entry[entry[::-1]]] = form[::-1]  # the last assignment wins, that of the first spelling
    entries = distinct(entry)
    entries = entries[~(coded.entry_relevance[entries] < settings.rel)]
    key = item_of_entry[entries] * len(coded.annotators) + coded.entry_annotator[entries]
    choice_keys, first_rows = np.unique(key, return_index=True)
    item, annotator = np.divmod(choice_keys, len(coded.annotators))
    return AnnotatorChoices(
        item, annotator, entries[first_rows], coded.entry_document[representative].astype(np.int64), label, coded.seen
    )


def mean_size(n_chosen: int, n_lists: int) -> int:
    """Return the mean size of lists, rounded half up, at least 1.

    >>> mean_size(5, 2), mean_size(0, 4)
    (3, 1)
    """
    return max(1, int(np.floor(n_chosen / max(1, n_lists) + 0.5)))


def list_sizes(coded: Coded, identities: Identities, settings: Settings) -> tuple[int, int]:
    """Return the number of distinct relevant keyphrases, by first spelling, in all annotators' lists, and of lists."""
    return len(choices(coded, identities, settings.changed(variants="first")).item), int(coded.seen.sum())


def _spellings(coded: Coded, identities: Identities, settings: Settings, in_standard: Bools) -> tuple[Ints, Codes]:
    spellings = np.ones(len(coded.variant_entry), bool)
    if settings.variants == "first":
        spellings = np.diff(coded.variant_entry, prepend=-1) > 0
    if not in_standard.all():
        spellings &= in_standard[coded.entry_annotator[coded.variant_entry]]
    return coded.variant_entry[spellings].astype(np.int64), identities.gold[coded.variant_phrase[spellings]]


def gold_items(
    coded: Coded,
    identities: Identities,
    settings: Settings,
    without: int | None = None,
    votes_needed: Ints | None = None,
) -> Gold:
    """Return the relevant items, which include as `negatives` the items judged not relevant.

    Entries that share a spelling are one item. Under `listed`, an annotator's repeated entry is another item.
    * `without`: an annotator whose choices are left out; the gold then has only the documents that this annotator saw.
    * `votes_needed`: the votes that an item needs in each document (D,), 0 to leave the document out.
    """
    annotators = settings.annotators
    if without is not None:
        annotators = leave_one_out_rule(annotators) or annotators
    kind, number = parse_choice(annotators, coded.annotators)
    in_standard = np.arange(len(coded.annotators)) != (-1 if without is None else without)
    in_standard &= (kind != "one") | (np.arange(len(coded.annotators)) == number)
    known = coded.seen[in_standard].any(axis=0)
    if without is not None:
        known &= coded.seen[without]
    if votes_needed is not None:
        known &= votes_needed > 0
    entry, form = _spellings(coded, identities, settings, in_standard)
    item_of_entry, items, representative = _merge(coded, entry, form, settings.gold_list == "listed")

    entries = distinct(entry)
    grades = coded.entry_relevance[entries]
    # A judgement of not relevant is no vote; an entry without a grade is a vote.
    grade, graded = np.ones(items), not np.isnan(grades).all()
    if graded:
        grade[:] = -np.inf
        np.maximum.at(grade, item_of_entry[entries], np.where(np.isnan(grades), 1.0, grades))
    rejected_items = item_of_entry[entries[grades < settings.rel]]
    entries = entries[~(grades < settings.rel)]
    voter = item_of_entry[entries] * len(coded.annotators) + coded.entry_annotator[entries]
    votes = np.bincount(distinct(voter) // len(coded.annotators), minlength=items)
    document = coded.entry_document[representative].astype(np.int64)
    n_seen = coded.seen[in_standard].sum(axis=0)[document]
    required_votes = {"majority": number or n_seen // 2 + 1, "intersection": n_seen}.get(kind, 1)
    if votes_needed is not None:
        required_votes = votes_needed[document]
    if kind == "votes" and not graded:
        grade = votes.astype(np.float64)
    relevant, rejected = (votes >= required_votes) & (grade >= settings.rel), np.zeros(items, bool)
    rejected[rejected_items] = True
    rejected &= votes == 0
    spelling_item = item_of_entry[entry]
    if items < len(spelling_item):  # one row per item and form, even if several entries have it
        width = np.int64(form.max(initial=0)) + 1
        first_rows = np.sort(np.unique(spelling_item * width + form, return_index=True)[1])
        spelling_item, form = spelling_item[first_rows], form[first_rows]
    spellings = spelling_item, form
    items_of = partial(_gold, known, (document, grade), spellings)
    gold, declined = items_of(relevant & known[document]), None
    if without is not None:
        withheld = (coded.entry_annotator == without) & ~(coded.entry_relevance < settings.rel)
        chose_something = np.bincount(coded.entry_document[withheld], minlength=len(gold.size)) > 0
        declined = gold.known & chose_something & (gold.size == 0)
    return replace(gold, negatives=items_of(rejected & known[document]), declined=declined)


def _merge(coded: Coded, entry: Ints, form: Codes, listed: bool) -> tuple[Ints, int, Ints]:
    entries = len(coded.entry_document)
    group = coded.entry_document[entry] * (np.int64(form.max(initial=0)) + 1) + form
    if not (np.diff(entry) > 0).all():  # some entry has several spellings
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        spelled, forms = pd.factorize(group)
        links = coo_array((np.ones(len(entry)), (entry, entries + spelled)), shape=(entries + len(forms),) * 2)
        entry = distinct(entry)
        group = connected_components(links, directed=False)[1][entry].astype(np.int64)
    if listed:
        # The r-th entry of one annotator for a phrase is the same item as the r-th of another.
        source = group * len(coded.annotators) + coded.entry_annotator[entry]
        repeat = pd.Series(source).groupby(source).cumcount().to_numpy()
        group = group * (repeat.max(initial=0) + 1) + repeat
    # Items are numbered by first occurrence, so that a gold list keeps its order.
    item, items = pd.factorize(group)
    item_of_entry, first_rows = np.full(entries, -1, np.int64), np.empty(len(items), np.int64)
    item_of_entry[entry] = item
    first_rows[item[::-1]] = entry[::-1]  # the last assignment wins, that of the first entry
    return item_of_entry, len(items), first_rows


def _gold(known: Bools, items: tuple[Ints, Floats], spellings: tuple[Ints, Codes], selected: Bools) -> Gold:
    """Return the selected items, grouped by document; `items`: document and grade; `spellings`: item and form."""
    (document, grade), (spelling_item, form) = items, spellings
    if not (selected.all() and (np.diff(document) >= 0).all() and (np.diff(spelling_item) >= 0).all()):
        order = np.flatnonzero(selected)
        order = order[np.argsort(document[order], kind="stable")]
        index = np.full(len(document), -1, np.int64)
        index[order] = np.arange(len(order))
        document, grade = document[order], grade[order]
        spelling_item = index[spelling_item]
        kept_spellings = np.flatnonzero(spelling_item >= 0)
        kept_spellings = kept_spellings[np.argsort(spelling_item[kept_spellings], kind="stable")]
        spelling_item, form = spelling_item[kept_spellings], form[kept_spellings]
    size = np.bincount(document, minlength=len(known))
    count = np.bincount(document[spelling_item], minlength=len(known))
    return Gold(size, np.cumsum(size) - size, grade, np.cumsum(count) - count, count, spelling_item, form, known)


def inverse_propensity(n: Floats | Ints, documents: float) -> Floats:
    """Return 1 + C (n + B)^-A, where C = (ln N - 1)(B + 1)^A: the weight of labels that occur in n of N documents.

    With fewer than e documents all weights are 1. Source: Jain, Prabhu & Varma 2016, inverse propensities with A =
    0.55, B = 1.5.

    >>> inverse_propensity(np.array([1.0, 100.0]), 1000).round(3).tolist()
    [6.908, 1.77]
    """
    c = (np.log(max(documents, np.e)) - 1) * (_B + 1) ** _A
    return np.asarray(1 + c * (n + _B) ** -_A)
