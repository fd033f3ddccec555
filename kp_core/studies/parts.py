"""Turn a corpus into parts of it: documents of one type or length, keyphrases present or absent, frequent or rare."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from kp_core.corpus import memoize
from kp_core.errors import input_error, refuse_unless, usage_error
from kp_core.scoring.alignment import Lists, align, ranked_lists
from kp_core.scoring.codes import Bools, Ints
from kp_core.scoring.counts import SystemCounts, count, counted_alike, standard_of
from kp_core.scoring.gold import Gold
from kp_core.scoring.list_quality import occurs_in_text, returned_counts
from kp_core.scoring.measures.registry import names_in
from kp_core.scoring.prepare import Prepared
from kp_core.studies import WORDS
from kp_core.text.tokenise import tokens

Part = Literal["dataset", "group", "length", "presence", "frequency"]
#: What the parts of an evaluation tell apart, one or several of `PARTS` at once; none for the whole alone.
By = tuple[Part, ...]
#: What the parts of an evaluation may tell apart, and what that is.
PARTS: dict[str, str] = WORDS["parts"]
#: What tells data sets apart, each of which is an evaluation of its own.
DATASET: Part = "dataset"
_THIRDS = ("short", "medium", "long")
#: What tells keyphrases apart, not documents, and the names of its sides.
SIDES: dict[Part, tuple[str, ...]] = {"presence": ("present", "absent"), "frequency": ("head", "middle", "tail")}


def parse_by(by: str | Sequence[str]) -> By:
    """Return what distinguishes the parts, in the order of `PARTS`.

    >>> parse_by("presence,group"), parse_by("")
    (('group', 'presence'), ())
    """
    asked = [name for name in names_in(by) if name]
    for name in asked:
        refuse_unless(name, PARTS, "by")
    if {*SIDES} <= {*asked}:
        raise usage_error("two sides")
    return cast(By, tuple(name for name in PARTS if name in asked))


def subsets(by: By, groups: Sequence[str]) -> list[str]:
    """Return the names of the whole and of all parts as rows print them; groups: the types of documents.

    >>> subsets(("group",), ["lecture", "talk"]), subsets((), [])
    (['all', 'group:lecture', 'group:talk'], ['all'])
    """
    names: dict[Part, Sequence[str]] = {"group": groups, "length": _THIRDS, **SIDES}
    each = [[f"{one}:{name}" for name in names[one]] for one in by if one != DATASET]
    return ["all", *("/".join(parts) for parts in product(*each) if parts)]


def parts(
    data: Prepared, standards: list[dict[str, SystemCounts]], by: By, matchers: Collection[str] = ()
) -> dict[str, list[dict[str, SystemCounts]]]:
    """Return the counts of the whole and of each part, in the order of `subsets`, one entry per gold standard.

    matchers: for which counts are needed; a side of the keyphrases has none but of lists as they were returned

    Raises InputError if the documents have no type, or no text.
    """
    made = {"": standards}
    for one in SIDES:
        if one in by:
            each = [counted_sides(data, one, without, "as-returned" in matchers) for without in data.left_out]
            made = {f"{one}:{name}": [own[name] for own in each] for name in SIDES[one]}
    masks: dict[str, Bools] = {"": np.ones(len(data.documents), bool)}
    for one in by:
        if one in ("group", "length"):
            own = _groups(data) if one == "group" else _lengths(data)
            masks = {_joined(a, f"{one}:{b}"): left & right for a, left in masks.items() for b, right in own.items()}
    return {"all": standards} | {
        _joined(name, side): [{system: own.restricted(where) for system, own in one.items()} for one in counts]
        for name, where in masks.items()
        for side, counts in made.items()
        if name or side
    }


def side_of(subset: str) -> tuple[Part, str] | None:
    """Return the criterion of a subset of keyphrases, and its side, in which ranks are given anew; None elsewhere.

    >>> side_of("group:talk/presence:absent"), side_of("group:talk")
    (('presence', 'absent'), None)
    """
    by, _, side = subset.rpartition("/")[2].partition(":")
    return (by, side) if by in SIDES else None


def _joined(*names: str) -> str:
    return "/".join(filter(None, names))


def _groups(data: Prepared) -> dict[str, Bools]:
    """Return type of document → where it is (D,)."""
    if not data.names.groups:
        raise input_error("the documents", "no type")
    return {name: np.array(data.coded.groups, str) == name for name in data.names.groups}


def _lengths(data: Prepared) -> dict[str, Bools]:
    """Return third of the lengths of texts → where it is (D,)."""
    there, words = _with_text(data, "length"), np.array([len(tokens(text)) for text in data.texts], np.float64)
    third = np.searchsorted(np.quantile(words[there], [1 / 3, 2 / 3], method="inverted_cdf"), words)
    return {name: there & (third == place) for place, name in enumerate(_THIRDS)}


def counted_sides(
    data: Prepared, by: Part, without: int | None = None, as_returned: bool = False
) -> dict[str, dict[str, SystemCounts]]:
    """Return side of the keyphrases → the counts of every system there; by: presence or frequency.

    presence   a phrase is present if its tokens occur together in the text (Meng et al. 2017, on token boundaries)
    frequency  thirds of the distinct keyphrases or concepts by how many documents have them in the gold standard; a
               phrase that none has is of the tail

    Ranks are given anew. as_returned: also those of lists with their repeats.
    """
    # Table, tests and values of one data set ask for the same counts, at other cutoffs.
    key = by, counted_alike(data.settings.changed(k="all", interval="none")), without, as_returned
    made = memoize(data.corpus, "sides", key, lambda: _counted_sides(data, by, without, as_returned))
    return {side: {name: own.under(data.settings) for name, own in systems.items()} for side, systems in made.items()}


def _counted_sides(
    data: Prepared, by: Part, without: int | None, as_returned: bool
) -> dict[str, dict[str, SystemCounts]]:
    standard, made = standard_of(data, np.zeros(len(data.documents)), without), dict[str, dict[str, SystemCounts]]()
    gold = standard.gold
    of_item, of_row = _by_presence(data, gold) if by == "presence" else _by_frequency(gold)
    known = gold.known & _with_text(data, by) if by == "presence" else gold.known
    lists = {name: ranked_lists(run, data.identities, data.settings) for name, run in data.coded.runs.items()}
    rows = {name: of_row(own) for name, own in lists.items()}
    for place, side in enumerate(SIDES[by]):
        own = replace(standard, gold=replace(gold.only(of_item == place), known=known))
        counts = {
            name: count(each.only(rows[name] == place), data.coded.runs[name].listed, own)
            for name, each in lists.items()
        }
        kinds = {name: {"exact": each, "sets": each} for name, each in counts.items()}
        if as_returned:
            for name, each in returned_counts(data, counts, of_row, place).items():
                kinds[name]["as-returned"] = each
        made[side] = {name: SystemCounts(each) for name, each in kinds.items()}
    return made


#: The side of each gold item, and what tells that of each row of lists; sides are numbers, in the order of `SIDES`.
_Marked = tuple[Ints, Callable[[Lists], Ints]]


def _by_presence(data: Prepared, gold: Gold) -> _Marked:
    stands = occurs_in_text(data)
    spelled = stands(gold.document[gold.spelling_item], gold.spelling_form)
    absent = np.ones(len(gold.grade), np.int64)
    absent[gold.spelling_item[spelled]] = 0
    return absent, lambda lists: np.where(stands(lists.owner, lists.form), 0, 1)


def _thirds(gold: Gold) -> tuple[Ints, npt.NDArray[np.integer[Any]], npt.NDArray[np.number[Any]]]:
    """Return the subjects of a gold standard, how many documents have each, and the most of the middle and the tail."""
    own, number = np.unique(gold.subject, return_counts=True)
    bounds = np.quantile(number, [2 / 3, 1 / 3], method="inverted_cdf") if len(own) else np.zeros(2, np.int64)
    return own, number, bounds


def thirds_in_words(gold: Gold) -> str:
    """Report how many documents have what is frequent, what is rare, and what is between them; equals stay together."""
    *_, (middle, tail) = _thirds(gold)
    between = f"{tail + 1:,.0f} to {middle:,.0f}" if middle > tail else "nothing, since too many have equally many"
    return f"by how many documents have them: head more than {middle:,.0f}, middle {between}, tail {tail:,.0f} or fewer"


def _by_frequency(gold: Gold) -> _Marked:
    subject, (own, number, bounds) = gold.subject, _thirds(gold)

    def third(frequency: npt.NDArray[np.integer[Any]]) -> Ints:
        return np.asarray((frequency[:, None] <= bounds).sum(axis=1))

    def of_row(lists: Lists) -> Ints:
        form = lists.form.astype(np.int64)
        alignment = align(lists, gold)
        form[alignment.row] = subject[alignment.item]
        place = np.minimum(np.searchsorted(own, form), max(len(own) - 1, 0))
        return third(np.where(own[place] == form, number[place], 0)) if len(own) else np.full(len(form), 2)

    return third(number[np.searchsorted(own, subject)]), of_row


def _with_text(data: Prepared, by: Part) -> Bools:
    """Return which documents have a text (D,); reject data in which none has."""
    there = np.array([bool(text) for text in data.texts])
    if not there.any():
        raise input_error("the documents", "no texts", by=by)
    return there
