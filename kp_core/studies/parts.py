"""Divide a corpus into parts: by type or length of documents, presence or frequency of keyphrases."""

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
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts, count, without_count_conventions
from kp_core.scoring.gold import Gold
from kp_core.scoring.measures.registry import Matcher, Measure, names_in
from kp_core.scoring.prepare import Prepared
from kp_core.scoring.systems import occurs_in_text, returned_counts
from kp_core.settings import Cutoff
from kp_core.studies import WORDS
from kp_core.text.tokenise import tokens

Part = Literal["dataset", "group", "length", "presence", "frequency"]
By = tuple[Part, ...]
#: System → its counts.
Systems = dict[str, SystemCounts]
#: Criterion → description.
PARTS: dict[str, str] = WORDS["parts"]
DATASET: Part = "dataset"
_THIRDS = ("short", "medium", "long")
#: Criteria that divide keyphrases rather than documents → names of their parts.
SIDES: dict[Part, tuple[str, ...]] = {"presence": ("present", "absent"), "frequency": ("head", "middle", "tail")}


def parse_by(by: str | Sequence[str]) -> By:
    """Return the criteria in the order of `PARTS`.

    >>> parse_by("presence,group"), parse_by("")
    (('group', 'presence'), ())
    """
    criteria = names_in(by or ())
    for name in criteria:
        refuse_unless(name, PARTS, "by")
    if {*SIDES} <= {*criteria}:
        raise usage_error("two sides")
    return cast(By, tuple(name for name in PARTS if name in criteria))


def subsets(by: By, groups: Sequence[str]) -> list[str]:
    """Return the names of all subsets: the whole data (`all`) and its parts; `groups`: the document types.

    >>> subsets(("group",), ["lecture", "talk"]), subsets((), [])
    (['all', 'group:lecture', 'group:talk'], ['all'])
    """
    names: dict[Part, Sequence[str]] = {"group": groups, "length": _THIRDS, **SIDES}
    names_of = [[f"{criterion}:{name}" for name in names[criterion]] for criterion in by if criterion != DATASET]
    return ["all", *("/".join(parts) for parts in product(*names_of) if parts)]


def parts(data: Prepared, golds: list[Systems], by: By, matchers: Collection[str] = ()) -> dict[str, list[Systems]]:
    """Return subset → counts, one entry per gold standard, in the order of `subsets`.

    Raises InputError if documents lack the required type or text.
    """
    sides, masks = {"": golds}, {"": np.ones(len(data.documents), bool)}
    for criterion in by:
        if criterion in SIDES:
            returned = "as-returned" in matchers
            counts = [count_sides(data, criterion, without, returned) for without in data.left_out]
            sides = {f"{criterion}:{name}": [by_side[name] for by_side in counts] for name in SIDES[criterion]}
        elif criterion != DATASET:
            groups = _groups(data) if criterion == "group" else _lengths(data)
            masks = {
                _path(name, f"{criterion}:{group}"): mask & members
                for name, mask in masks.items()
                for group, members in groups.items()
            }
    return {"all": golds} | {
        _path(name, side): [{system: counts.restricted(mask) for system, counts in gold.items()} for gold in side_golds]
        for name, mask in masks.items()
        for side, side_golds in sides.items()
        if name or side
    }


def side_of(subset: str) -> tuple[Part, str] | None:
    """Return criterion and side of a subset of keyphrases, in which phrases are ranked anew; None for other subsets.

    >>> side_of("group:talk/presence:absent"), side_of("group:talk")
    (('presence', 'absent'), None)
    """
    by, _, side = subset.rpartition("/")[2].partition(":")
    return (by, side) if by in SIDES else None


def _path(*names: str) -> str:
    return "/".join(filter(None, names))


def _groups(data: Prepared) -> dict[str, Bools]:
    if not data.names.groups:
        raise input_error("the documents", "no type")
    return {name: np.array(data.coded.groups, str) == name for name in data.names.groups}


def _lengths(data: Prepared) -> dict[str, Bools]:
    has_text, words = _with_text(data, "length"), np.array([len(tokens(text)) for text in data.texts], np.float64)
    third = np.searchsorted(np.quantile(words[has_text], [1 / 3, 2 / 3], method="inverted_cdf"), words)
    return {name: has_text & (third == index) for index, name in enumerate(_THIRDS)}


def count_sides(data: Prepared, by: Part, without: int | None = None, as_returned: bool = False) -> dict[str, Systems]:
    """Return side of the keyphrases → counts of every system, with the phrases of the side ranked anew.

    * `presence`: a phrase is present if its tokens occur together in the text (Meng et al. 2017, on token boundaries)
    * `frequency`: thirds of the distinct keyphrases or concepts by gold frequency; other phrases belong to the tail
    """
    key = by, without_count_conventions(data.settings.changed(k="all", interval="none")), without, as_returned
    sides = memoize(data.corpus, "sides", key, lambda: _count_sides(data, by, without, as_returned))
    return {
        side: {name: counts.under(data.settings) for name, counts in systems.items()} for side, systems in sides.items()
    }


def _count_sides(data: Prepared, by: Part, without: int | None, as_returned: bool) -> dict[str, Systems]:
    gold, universe, sides = data.standard(without), np.zeros(len(data.documents)), dict[str, Systems]()
    side_of_item, sides_of_rows = _by_presence(data, gold) if by == "presence" else _by_frequency(gold)
    known = gold.known & _with_text(data, by) if by == "presence" else gold.known
    lists = {name: ranked_lists(run, data.identities, data.settings) for name, run in data.coded.runs.items()}
    rows = {name: sides_of_rows(ranked) for name, ranked in lists.items()}
    for index, side in enumerate(SIDES[by]):
        side_gold, counts = replace(gold.only(side_of_item == index), known=known), dict[str, Counts]()
        for name, ranked in lists.items():
            ranked_side, listed = ranked.only(rows[name] == index), data.coded.runs[name].listed
            counts[name] = count(ranked_side, listed, side_gold, universe, data.settings)
        by_matcher: list[tuple[Matcher, dict[str, Counts]]] = [("exact", counts), ("sets", counts)]
        if as_returned:
            by_matcher.append(("as-returned", returned_counts(data, counts, sides_of_rows, index)))
        sides[side] = {
            name: SystemCounts({matcher: counts_by_name[name] for matcher, counts_by_name in by_matcher})
            for name in counts
        }
    return sides


#: Side of each gold item, and a function that returns the sides of the rows of lists.
_Marked = tuple[Ints, Callable[[Lists], Ints]]


def _by_presence(data: Prepared, gold: Gold) -> _Marked:
    occurs = occurs_in_text(data)
    spelling_occurs = occurs(gold.document[gold.spelling_item], gold.spelling_form)
    absent = np.ones(len(gold.grade), np.int64)
    absent[gold.spelling_item[spelling_occurs]] = 0
    return absent, lambda lists: np.where(occurs(lists.owner, lists.form), 0, 1)


def _thirds(gold: Gold) -> tuple[Ints, npt.NDArray[np.integer[Any]], npt.NDArray[np.number[Any]]]:
    """Return the gold subjects, their document frequencies, and the highest frequencies in the middle and the tail."""
    distinct, counts = np.unique(gold.subject, return_counts=True)
    bounds = np.quantile(counts, [2 / 3, 1 / 3], method="inverted_cdf") if len(distinct) else np.zeros(2, np.int64)
    return distinct, counts, bounds


def describe_thirds(gold: Gold) -> str:
    """Describe the thirds by frequency; subjects with equal frequency are in the same third."""
    *_, (middle, tail) = _thirds(gold)
    span = f"{tail + 1:,.0f} to {middle:,.0f}" if middle > tail else "empty, since too many have the same number"
    return f"by how many documents have them: head more than {middle:,.0f}, middle {span}, tail {tail:,.0f} or fewer"


def _by_frequency(gold: Gold) -> _Marked:
    subject, (distinct, counts, bounds) = gold.subject, _thirds(gold)

    def third(frequency: npt.NDArray[np.integer[Any]]) -> Ints:
        return np.asarray((frequency[:, None] <= bounds).sum(axis=1))

    def of_row(lists: Lists) -> Ints:
        form = lists.form.astype(np.int64)
        alignment = align(lists, gold)
        form[alignment.row] = subject[alignment.item]
        index = np.minimum(np.searchsorted(distinct, form), len(distinct) - 1)
        return third(np.where(distinct[index] == form, counts[index], 0)) if len(distinct) else np.full(len(form), 2)

    return third(counts[np.searchsorted(distinct, subject)]), of_row


def _with_text(data: Prepared, by: Part) -> Bools:
    """Return a mask of documents with a text (D,); refuse data without texts."""
    has_text = np.array([bool(text) for text in data.texts])
    if not has_text.any():
        raise input_error("the documents", "no texts", by=by)
    return has_text


def values_over(systems: Systems, parsed: Measure, cutoffs: Sequence[Cutoff]) -> tuple[dict[str, Floats], Bools]:
    """Return system → values (D, K) on the documents for which all systems have values, and their mask."""
    values, defined = dict[str, Floats](), list[Bools]()
    for name, counts in systems.items():
        view = counts.of(parsed).at(tuple(cutoffs))
        values[name] = np.asarray(view.values(parsed))
        defined.append(view.scored & ~np.isnan(values[name]).any(axis=1))
    all_defined = np.logical_and.reduce(defined)
    return {name: counts[all_defined] for name, counts in values.items()}, all_defined
