"""Score what each column of a table may be, by its head and its cells, and give roles the columns that fit best."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.reading.fields import ASIDE, DOCUMENTS, IDENTIFIERS, KNOWN, NAMES, REMARKS, SHELF_MARKS, plain, words_of
from kp_core.reading.profiles import SAMPLE, Profile, cells_of, is_blank, is_long, items_of, profile
from kp_core.reading.table import Table
from kp_core.reading.values import floats

#: How rows tell the documents of a table of phrases.
Shape = Literal["long", "lists", "texts"]
#: Role → clues that must all hold, and the points that they are worth.
Points = Mapping[str, list[tuple[frozenset[str], float]]]
#: How much less the last word of a role is worth than the first.
_LAST = 3.0


@cache
def points(shape: Shape) -> Points:
    """Return what clues are worth for each role in a shape of tables."""
    found = tomllib.loads(Path(__file__).with_name("evidence.toml").read_text("utf-8"))
    own = {name: found.pop(name) for name in ("long", "lists", "texts")}[shape]
    return {
        role: [(frozenset(clues.split()), n) for each in (common, own.get(role, {})) for clues, n in each.items()]
        for role, common in found.items()
    }


def clues_of(table: Table, name: str) -> frozenset[str]:
    """Return what a column is by its head and its cells."""
    seen = table.seen.setdefault(f"clues of {name}", None)
    if isinstance(seen, frozenset):
        return seen
    shape, head = profile(table, name), plain(name)
    blank = 1 - len(cells_of(table, name)) / max(min(len(table), SAMPLE), 1)
    holds = {
        "first": name == table.names[0],
        "heading": head in DOCUMENTS,
        "shelf": head in SHELF_MARKS,
        "name": head in NAMES["name"],
        "mail": "mail" in head,
        "identifier": head in IDENTIFIERS,
        "graded": head in (*NAMES["rank"], *NAMES["relevance"]),
        "beside": head in IDENTIFIERS and head.endswith("_id") and head[:-3] in map(plain, table.names),
        "tag": head in ("label", "tag", "labels", "tags"),
        "aside": head in ASIDE - KNOWN or bool(REMARKS & set(map(plain, name.split()))),
        "unknown": not table.header or head not in KNOWN | ASIDE | {*IDENTIFIERS},
        "full": blank == 0,
        "merged": (merged := blank > 0 and _is_merged(table, name)),
        "sparse": blank > 0.2 and not merged,
        "partial": head in ("doi", "di") and blank > 0,
        "long": is_long(table, name, 200) and not (shape.phrases and shape.lists >= 0.5),
        **(_content(table, name, shape) if shape.cells else {}),
    }
    table.seen[f"clues of {name}"] = found = frozenset(clue for clue, is_so in holds.items() if is_so)
    return found


def _content(table: Table, name: str, shape: Profile) -> dict[str, bool]:
    """Return what the cells of a column tell."""
    values = floats(table.column(name).slice(0, SAMPLE))[0] if shape.numbers > 0.5 else np.zeros(0)
    values = values[np.isfinite(values)]
    whole = bool(len(values)) and bool(np.all(values == np.floor(values)))
    return {
        "numbers": shape.numbers > 0.5,
        "whole": whole,
        "fraction": bool(len(values)) and 2 * int(np.sum(values != np.floor(values))) >= len(values),
        "letters": shape.numbers == 0,
        "codes": shape.codes,
        "dates": shape.moments,
        "marks": shape.marks,
        "addresses": shape.addresses,
        "coded": any(_are_codes(table, other) for other in table.names if other != name),
        "lists": shape.lists >= 0.5,
        "items": shape.phrases,
        "short": shape.words <= 2.5 and shape.phrases and not shape.codes,
        "wordy": shape.words > 2,
        "sentences": shape.words > 6,
        "once": shape.varied == 1,
        "again": shape.varied <= 0.9,
        "varied": shape.varied > 0.5,
        "few": shape.varied <= 0.5,
        "counts": whole and restarts(table, name) is not None,
    }


def _is_merged(table: Table, name: str) -> bool:
    """Tell cells that stand once above those that are blank, as merged cells do."""
    cells = [cell.strip() for cell in table.first_texts(name, SAMPLE).to_pylist()]
    filled = list(filter(None, cells))
    return bool(filled) and bool(cells[0]) and len(set(filled)) == len(filled)


def filled(table: Table, name: str) -> pa.ChunkedArray:
    """Return a column whose merged cells stand in each of their rows."""
    if "merged" not in clues_of(table, name):
        return table.texts(name)
    return pc.fill_null_forward(
        pc.if_else(is_blank(table, name), pa.scalar(None, pa.large_string()), table.texts(name))
    )


def _are_codes(table: Table, name: str) -> bool:
    """Tell a column of codes with letters, under a head that nobody knows or that of a text."""
    shape = profile(table, name)
    return shape.codes and shape.numbers < 0.5 and (plain(name) not in KNOWN or plain(name) in DOCUMENTS)


def restarts(table: Table, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Return the list that each row belongs to where a column counts 1 … n again and again, else None.

    One list of many rows is counted too; rows that are all 1 count nothing.
    """
    values, bad = floats(table.column(name))
    if bad.any() or not len(values) or values[0] != 1 or not np.isfinite(values).all():
        return None
    begins = values == 1
    counted_on = values[1:] == values[:-1] + 1
    if begins.all() or not np.all(begins[1:] | counted_on):
        return None
    return np.cumsum(begins)


def assigned(
    table: Table,
    shape: Shape,
    roles: Iterable[str],
    taken: Mapping[str, str] | None = None,
    *,
    unknown: bool,
    out: Collection[str] = (),
) -> tuple[dict[str, str], float]:
    """Return role → column, and the points of all of them.

    taken    roles that have their columns already, which count for nothing
    unknown  whether columns under heads that say nothing may play a part
    out      columns that play none
    """
    taken = dict(taken or {})
    free = [role for role in roles if role not in taken]
    names = [name for name in table.names if name not in taken.values() and name not in out]
    worth = np.array([_worth(table, name, free, shape, unknown=unknown) for name in names])
    found = {free[role]: (names[column], worth[column, role]) for column, role in _best(worth)}
    kept = {role: found[role] for role in free if role in found}  # in the order of the roles
    return {**taken, **{role: name for role, (name, _) in kept.items()}}, sum(n for _, n in kept.values())


def _best(worth: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[tuple[int, int]]:
    """Return the pairs of column and role of the greatest sum; without a rival no solver is asked."""
    if not worth.size:
        return []
    useful = worth > 0
    if useful.sum(axis=0).max() <= 1 and useful.sum(axis=1).max() <= 1:
        return [(int(column), int(role)) for column, role in np.argwhere(useful)]
    from scipy.optimize import linear_sum_assignment  # a third of a second to import

    pairs = zip(*linear_sum_assignment(np.maximum(worth, 0), maximize=True), strict=True)
    return [(int(column), int(role)) for column, role in pairs if worth[column, role] > 0]


def _worth(table: Table, name: str, roles: Sequence[str], shape: Shape, *, unknown: bool) -> list[float]:
    """Return what a column is worth for each role."""
    head, clues, worth = plain(name), clues_of(table, name), points(shape)
    found = []
    for role in roles:
        words = words_of(role)
        word = table.header and head in words
        if not word and not unknown and "unknown" in clues:
            found.append(0.0)
            continue
        holds = clues
        if word:
            holds = clues | {"word", *(["exact"] if head == words[0] or head[0] == "(" else [])}
        elif table.header and head in KNOWN:
            holds = clues | {"other"}
        own = worth["source" if role in ("annotator", "system") else role]
        total = sum([n for needed, n in own if needed <= holds])
        found.append(total - (_LAST * words.index(head) / len(words) if word else 0))
    return found


def is_told(name: str, role: str) -> bool:
    """Tell whether the head of a column is a word for a role.

    >>> is_told("PPN", "doc_id"), is_told("Lfd", "doc_id")
    (True, False)
    """
    return plain(name) in words_of(role)


def share_lists(table: Table, names: Iterable[str]) -> bool:
    """Tell columns whose lists have phrases in common row by row, as those of people and systems have.

    Each column shares with the others in at least one row of five, and in two rows at the least.
    """
    items = {name: [*map(items_of, table.first_texts(name, SAMPLE).to_pylist())] for name in names}
    for name, own in items.items():
        others = [set().union(*(items[other][row] for other in items if other != name)) for row in range(len(own))]
        both = sum(bool(cell & other) for cell, other in zip(own, others, strict=True))
        filled = sum(map(bool, own))
        if both < min(2, filled) or 5 * both < filled or not both:
            return False
    return len(items) > 1
