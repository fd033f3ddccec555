"""Propose what a table means: words and two proofs decide, and everything else is proposed in a form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.reading.meaning import fields as known
from kp_core.reading.meaning.fields import (
    NAMES,
    base_of,
    find_roles,
    gold_beside,
    grouped,
    is_form,
    is_gold,
    is_predicted,
    number_of,
    plain,
    quoted,
    source_of,
    words_of,
)
from kp_core.reading.meaning.layout import Doubt, Proposal
from kp_core.reading.meaning.mapping import HEADS, ROW, Mapping
from kp_core.reading.meaning.profiles import (
    SAMPLE,
    Profile,
    cells_of,
    count_distinct,
    filled,
    is_long,
    is_merged,
    items_of,
    profile,
    whole_lists,
)
from kp_core.reading.meaning.shapes import are_scored
from kp_core.reading.open.table import BRACKETS, INNER, LIST, OUTER, TEXT, Table, list_columns, share_with
from kp_core.reading.open.values import floats, is_number, number, with_points
from kp_core.reading.rows.separators import cell_separator, json_list

#: Field of a mapping → the role whose words name its column.
_WORDS = {"document": "doc_id", "keyphrases": "phrase"}
_FIELDS: dict[Role, tuple[str, ...]] = {
    "gold": (*("document", "annotator", "relevance", "votes"), *("keyphrases", "concept", "title", "text", "group")),
    "system": ("document", "system", "rank", "score", "relevance", "keyphrases", "concept", "title", "text"),
    "documents": ("document", "text", "title", "group"),
    "judgements": ("document", "system", "rank", "relevance", "annotator", "keyphrases", "concept"),
}
_MAY = {
    "document": "may be the ids of documents",
    "keyphrases": "may be the keyphrases",
    "annotator": "may name who chose each keyphrase",
    "system": "may name the system",
    "rank": "may be a rank: then lists are ordered by it",
    "score": "may be a score: then lists are ranked by it",
    "text": "may be the texts",
}
#: Heads of marks in texts, which as often name the kind of a mark.
_TAGS = frozenset({"label", "tag", "labels", "tags"})
#: A column of keyphrases has a larger share of different cells than one that names systems or annotators.
_REPEATED = 0.2
#: Column names that a sentence holds.
_NAMES = 8
#: So many inner lists of several words, none with a blank, may as well be words of keyphrases.
_MANY_WORDS = 5
#: People who index the same documents, at the most.
_PEOPLE = 20
#: So many rows must be lists of their own if some document is there twice.
_FEW_TWICE = 0.6
#: Words of a title at the most, and the share of different cells of ids that are there several times.
_TITLE, _VARIED = 6, 0.9
#: So many ids of the smaller side must be met.
_MET = 0.5
#: Ends of the heads of two columns of phrases that are compared.
_TWIN = re.compile(r"[\s_-]?[12abAB]$")
#: Ends of the heads of questions about documents.
_ABOUT = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper|question|"
    r"frage|pregunta|domanda|pytanie|kysymys|vraag)[\s_]*(?:[0-9]{1,3}|[A-Z])$"
)


def proposal(table: Table, role: Role | None) -> Proposal | None:
    """Return the likeliest meaning of a table; None if neither headers nor content give a clue.

    >>> import pyarrow as pa
    >>> columns = [pa.chunked_array([["1", "2"]]), pa.chunked_array([["tide; sea", "moon"]])]
    >>> found = proposal(Table("g.csv", ["Nr", "Keywords"], columns), "gold")
    >>> str(found.mapping), found.doubts
    ('role=gold,document=Nr,keyphrases=Keywords,split=;', ())
    """
    if {OUTER, LIST} <= {*table.names}:
        return _nested(table, role)
    if role in (None, "judgements") and (pairs := _pairs(table, role)) is not None:
        return pairs
    guessed = role or _role_by_heads(table)
    found = _texts(table, asked=role is not None) if guessed == "documents" else _phrases(table, guessed or "gold")
    if found is None and table.header and guessed != "documents":
        made = guess(table, role)
        return made if made.mapping.keyphrases else None
    return found and replace(found, role_known=found.role_known and guessed is not None)


# what single columns may be


def _can_be(table: Table, name: str, field: str) -> bool:
    """Return whether the cells of a column can be what its head, or its place, says."""
    shape, head = profile(table, name), plain(name)
    if not shape.cells or name in BRACKETS or head in ("doc_id", "phrase"):
        return True
    if name in ("annotator", "system") and {"doc_id", "phrase"} <= {*table.names}:  # of our own tables, also 0 or 1
        return True
    beside_codes = shape.addresses and any(profile(table, other).codes for other in _unknown(table))
    is_list, other_kind, text = shape.lists >= 0.5, shape.moments or shape.marks, is_long(table, name, 200)
    partial = head in ("doi", "di") and len(shape.cells) < min(len(table), SAMPLE)  # not every record has one
    no: dict[str, bool] = {
        "document": is_list or shape.moments or text or beside_codes or partial,
        "keyphrases": other_kind
        or (shape.numbers > 0.5 and head not in known.IDENTIFIERS)
        or (text and not (shape.phrases and is_list))
        or (shape.codes and head in known.DOCUMENTS | {"ref", "refs"}),
        "annotator": is_list or other_kind or shape.fraction or ("mail" in head and shape.varied == 1),
        "system": is_list or other_kind or shape.fraction,
        "rank": shape.fraction or shape.numbers == 0,
        "score": shape.numbers == 0,
        "relevance": shape.fraction,
        "text": shape.codes,
        "title": shape.codes,
    }
    return not no.get(field, False)


def _is_unknown(table: Table, name: str) -> bool:
    return not table.header or plain(name) not in known.KNOWN | known.ASIDE | {*known.IDENTIFIERS}


def _unknown(table: Table, taken: Collection[str] = ()) -> list[str]:
    """Return the columns under heads that nobody knows, except those that are taken."""
    return [name for name in table.names if name not in taken and _is_unknown(table, name)]


def _named(table: Table, fields: Sequence[str]) -> dict[str, str]:
    """Return field → the column whose head is the most telling word for it and whose cells can be it."""
    found: dict[str, str] = {}
    for field in fields if table.header else ():
        words = words_of(_WORDS.get(field, field))
        free = [name for name in table.names if plain(name) in words and name not in found.values()]
        fitting = [name for name in free if _can_be(table, name, field)]
        if fitting:
            found[field] = min(fitting, key=lambda name: (_gives_way(table, name, field), words.index(plain(name))))
    if "score" in fields and "score" not in found:  # fractions are no ranks and no grades
        graded = [name for name in table.names if plain(name) in (*NAMES["rank"], *NAMES["relevance"])]
        if graded and table.header and profile(table, graded[0]).fraction:
            found["score"] = graded[0]
    return found


def _gives_way(table: Table, name: str, field: str) -> bool:
    """Return whether a column contains tags, or addresses that are no identifiers; a better column comes first."""
    return plain(name) in _TAGS or (field != "concept" and profile(table, name).addresses)


def _role_by_heads(table: Table) -> Role | None:
    """Return the role that the headers imply; None if the keyphrases could be anyone's."""
    heads = set(map(plain, table.names)) if table.header else set()
    ranked = heads & {*NAMES["rank"], *NAMES["score"]}
    worded = [name for name in table.names if table.header and plain(name) in words_of("phrase")]
    predicted = [name for name in table.names if table.header and is_predicted(name) and profile(table, name).phrases]
    whole = whole_lists(table, worded)
    if heads & {*NAMES["system"]} or (ranked and (not worded or worded[0] not in whole)):
        return "system"
    if predicted and all(is_predicted(name) for name in worded):
        return "system" if len(predicted) > 1 or not set(_lists_of(table)) - set(predicted) else None
    if any(_scored(table, name) for name in worded):
        return "system"
    if heads & {*NAMES["annotator"], *NAMES["relevance"], *NAMES["votes"]}:
        return "gold"
    if worded or not table.header or _lists_of(table) or any(base_of(name) != name for name in table.names):
        return None
    # Titles alone may stand beside the phrases of two people, one in every cell.
    beside = [name for name in table.names if _may_be_phrases(table, name)]
    texts = [profile(table, name) for name in table.names if plain(name) in NAMES["text"]]
    texts = [shape for shape in texts if shape.words > _TITLE or shape.varied > _VARIED]  # else the ids of documents
    return "documents" if texts or (heads & {*NAMES["title"]} and len(beside) < 2) else None


def _scored(table: Table, name: str) -> list[Any]:
    """Return the first lists of a column if their items are phrases with scores."""
    if not (table.nulls or name in list_columns(table)):
        return []
    cells = [cell for cell in table.column(name).slice(0, SAMPLE).to_pylist() if cell]
    lists = [json_list(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell for cell in cells]
    return lists if are_scored([cell for cell in lists if isinstance(cell, (list, dict))]) else []


def _is_remark(name: str) -> bool:
    """Recognize “Comments”, and “Comments Anna”."""
    return bool(known.REMARKS & set(map(plain, name.split())))


def _lists_of(table: Table) -> list[str]:
    """Return the columns of lists of phrases whose heads do not say that they are something else."""
    nested = list_columns(table)
    whole = whole_lists(table, table.names) if table.header else table.names
    lists = [name for name in whole if table.header or profile(table, name).lists >= 0.5]
    lists = [name for name in lists if profile(table, name).phrases or name in nested]
    return [name for name in lists if plain(name) not in known.NO_PHRASES]


def _may_be_phrases(table: Table, name: str) -> bool:
    """Recognize a column of words under a head that nobody knows."""
    shape = profile(table, name)
    words = _is_unknown(table, name) and shape.phrases and bool(shape.cells)
    return words and not (shape.codes or shape.addresses or shape.numbers)


# objects within objects, judged pairs and texts


def _nested(table: Table, role: Role | None) -> Proposal:
    """Return what lists by two keys mean: one key is the document, and one says whose list it is."""
    outer, inner = (set(table.texts(name).to_pylist()) for name in (OUTER, INNER))
    systems = [bool(known.SYSTEMS & set(map(plain, names))) for names in (outer, inner)]
    turned = (systems[1] and not systems[0]) or (not any(systems) and len(inner) < len(outer))
    owner, document = (INNER, OUTER) if turned else (OUTER, INNER)
    guessed: Role = role or ("system" if any(systems) else "gold")
    person = "annotator" if guessed == "gold" else "system"
    whose: dict[str, Any] = {person: owner}
    mapping = Mapping(guessed, document=document, keyphrases=LIST, **whose)
    made = Proposal(mapping, role_known=role is not None or guessed == "system")
    if systems[0] != systems[1]:
        return made
    words = "Objects within objects: which keys are the documents, and which the people or systems?"
    return made.doubted(words, "document")


def _pairs(table: Table, role: Role | None) -> Proposal | None:
    """Return what judged pairs mean: a candidate next to a keyphrase or next to scores of people."""
    if not table.header:
        return None
    fields = {"pair_id": "pair", "doc_id": "document", "keyphrase": "keyphrases"}
    told = find_roles(table.names, (*fields, "candidate", "annotator", "score"))
    found: dict[str, Any] = {fields.get(role, role): name for role, name in told.items()}
    free = [name for name in table.names if name not in found.values()]
    if "keyphrases" in found and "candidate" not in found and (beside := find_roles(free, ("phrase",))):
        found["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    twins = [name for name in free if profile(table, name).phrases and _TWIN.search(name)]
    unsure = "candidate" not in found and len(twins) == 2 and _TWIN.sub("", twins[0]) == _TWIN.sub("", twins[1])
    if unsure:  # “word 1” and “word 2”
        found |= dict(zip(("keyphrases", "candidate"), twins, strict=True))
        free = [name for name in free if name not in twins]
    if "candidate" in found and "score" not in found:
        raters = [name for name in free if known.JUDGE.match(name)]
        if not raters and "keyphrases" in found:
            unknown = {name: profile(table, name) for name in free if plain(name) not in known.KNOWN}
            raters = [name for name, shape in unknown.items() if shape.cells and shape.numbers > 0.8]
        found |= {"score": tuple(raters), "annotator": HEADS} if raters else {}
    if not {"candidate", "score"} <= found.keys():
        return None
    made = Proposal(Mapping("judgements", **found))
    words = f"The columns {quoted(twins)} may be pairs of phrases, with ratings beside them."
    return made.doubted(words, "keyphrases", "candidate", "score") if unsure and role is None else made


def _texts(table: Table, *, asked: bool) -> Proposal | None:
    """Return what a table of texts means, with the doubt about a column that may contain their keyphrases."""
    found = _named(table, _FIELDS["documents"])
    doubts: tuple[Doubt, ...] = ()
    if not {"text", "title", "group"} & found.keys():
        text = max(_unknown(table, found.values()), key=lambda name: profile(table, name).characters, default="")
        if not text or profile(table, text).words <= 5:
            return None
        found["text"] = text
        doubts = (_may_be([("text", text)]),)
    if "document" not in found and not table.header:
        return None
    fields: dict[str, Any] = {"document": ROW, **found}
    made = Proposal(Mapping("documents", **fields), doubts)
    beside = [name for name in table.names if name not in found.values() and _may_be_phrases(table, name)]
    if asked or not beside:
        return made
    document = found.get("document") or next((n for n in _ids_among(table, found, ()) if n != beside[0]), ROW)
    phrases: dict[str, Any] = {"keyphrases": beside[0], "document": document, "split": _split(table, beside[0])}
    words = _may_be([("keyphrases", beside[0])]).words
    return replace(made, doubts=()).doubted(words, "keyphrases", role="gold", **phrases)


def _may_be(unknown: Sequence[tuple[str, str]]) -> Doubt:
    """Return the doubt about columns under unknown heads."""
    words = "; ".join(f"the column “{name[:40]}” {_MAY[field]}" for field, name in unknown)
    return Doubt(f"{words[:1].upper()}{words[1:]}.", tuple(field for field, _ in unknown))


# keyphrases


def _phrases(table: Table, role: Role) -> Proposal | None:
    """Return what a table of keyphrases means: a keyphrase or a list per row, or columns of lists beside each other."""
    named = _named(table, _FIELDS[role])
    identifiers = [name for name in table.names if plain(name) in known.IDENTIFIERS and name not in named.values()]
    if "keyphrases" in named and plain(named["keyphrases"]) in known.IDENTIFIERS:
        identifiers = [named["keyphrases"]]  # identifiers alone are called by themselves
    if "keyphrases" in named and "concept" not in named and identifiers:
        named["concept"] = identifiers[0]
    if "keyphrases" not in named and len(named) + len(identifiers) == len(table.names) and table.header:
        alone = [*identifiers, *(name for field, name in named.items() if field == "concept")]
        named |= {"keyphrases": alone[0], "concept": alone[0]} if "document" in named and alone else {}
    named = _with_headings(table, named)
    if "document" not in named and (marked := _marked(table, role, named)) is not None:
        return marked
    apart = _beside_each_other(table, named)
    numbered = any(re.search(r"\d", name) for name in apart)
    if apart and not (named or numbered or _tell_whose(apart) or share_lists(table, apart)):
        return None
    if apart and "document" in named and _count_lists(table, named) < len(table) and not _tell_whose(apart):
        apart = ()  # a keyphrase per row under a head that nobody knows
    if apart:
        named.pop("keyphrases", "")
        return _of_several(table, role, named, apart)
    unknown: list[tuple[str, str]] = []
    if "keyphrases" not in named or "document" not in named:
        unknown = _guessed(table, named)
    phrases = dict(unknown).get("keyphrases", "")
    whole = {field: name for field, name in named.items() if name != phrases} | dict(unknown)
    if "keyphrases" not in whole or ("document" not in whole and {"rank", "score"} & whole.keys()):
        return None
    return _of_one(table, role, whole, unknown)


def _with_headings(table: Table, named: dict[str, str]) -> dict[str, str]:
    """Let a column headed as text, title or shelf mark be the document, or the keyphrase, that it can only be."""
    found, ranked = dict(named), {*NAMES["rank"], *NAMES["score"]} & {*map(plain, table.names)}
    for name in table.names if table.header else ():
        shape = profile(table, name)
        if plain(name) not in known.DOCUMENTS | known.SHELF_MARKS or not shape.cells or shape.lists >= 0.5:
            continue
        codes = [profile(table, other) for other in _unknown(table) if profile(table, other).codes]
        coded = any(not shape.numbers for shape in codes)
        again = (shape.varied <= _VARIED or is_merged(table, name)) and not coded and shape.words <= _TITLE
        is_person = plain(found.get("document", "")) in NAMES["name"]
        if ("document" not in found or is_person) and (shape.codes or again or plain(name) in known.SHELF_MARKS):
            person = {"annotator": found["document"]} if is_person else {}
            found = {field: other for field, other in found.items() if other != name} | person | {"document": name}
        tag = plain(found.get("keyphrases", "")) in _TAGS and profile(table, found["keyphrases"]).varied <= 0.5
        short = shape.words <= 2.5 and shape.phrases and not shape.codes
        if (tag or (ranked and "keyphrases" not in found)) and short and found.get("document") != name:
            found = {field: other for field, other in found.items() if other != name} | {"keyphrases": name}
    return found


def _guessed(table: Table, named: dict[str, str]) -> list[tuple[str, str]]:
    """Return the fields of columns that no word names, by what they contain."""
    nested, found = list_columns(table), list[tuple[str, str]]()
    free = [name for name in _unknown(table, named.values()) if cells_of(table, name) or name in nested]
    if "keyphrases" not in named:
        lists = [name for name in _lists_of(table) if name in free]
        words = [name for name in free if _may_be_phrases(table, name) or name in lists]
        ids = [name for name in words if "document" not in named and name == table.names[0]]
        headed = [name for name in named.values() if plain(name) in known.DOCUMENTS]
        headed = [name for name in headed if profile(table, name).words <= 2.5]
        if table.header and not named.keys() & {"document", "keyphrases"} and not lists and len(words) > 1:
            return []
        words = lists or [name for name in words if name not in ids] or words or headed
        if not words:
            return []
        found.append(("keyphrases", max(words, key=lambda name: profile(table, name).varied)))
    if "document" not in named:
        taken = {*named.values(), *(name for _, name in found)}
        found = [("document", name) for name in _ids_among(table, named, taken)[:1]] + found
    return found


def _ids_among(table: Table, named: dict[str, str], taken: Collection[str]) -> list[str]:
    """Return the columns under unknown heads that may be ids of documents, the likeliest first."""
    free, first = _unknown(table, {*named.values(), *taken}), table.names[0]
    free = [name for name in free if _can_be(table, name, "document") and cells_of(table, name)]
    shapes = {name: profile(table, name) for name in free}
    usable = [name for name, shape in shapes.items() if not (shape.marks or shape.fraction)]
    usable = [name for name in usable if shapes[name].codes or name == first or not shapes[name].numbers]
    coded, once = ([name for name in usable if getattr(shapes[name], kind)] for kind in ("codes", "once"))
    likely = coded or (once[:1] if first in once else once) or usable
    return sorted(likely, key=lambda name: bool(shapes[name].numbers and name != first))


def _of_one(table: Table, role: Role, named: dict[str, str], unknown: list[tuple[str, str]]) -> Proposal | None:
    """Return what a table with one column of keyphrases means, with what is in doubt."""
    phrases = named["keyphrases"]
    split = _split_of(table, named)
    if "document" not in named and split == "none" and "text" not in named:
        return None
    fields: dict[str, Any] = {"document": ROW, **named, "split": split}
    better = {True: known.HIGHER, False: known.LOWER}
    told = [way for way, words in better.items() if role == "system" and plain(named.get("score", "")) in words]
    mapping = Mapping(role, higher_is_better=told[0] if told else None, **fields)
    made = Proposal(mapping)
    coded = named.get("document") == table.names[0] and profile(table, table.names[0]).codes
    if table.header or len(table.names) != 2 or not coded:
        sure = [field for field, _ in unknown if table.header and _is_only_one(table, named, unknown, field)]
        open_fields = [(field, name) for field, name in unknown if field not in sure]
        if open_fields:
            made = replace(made, doubts=(_may_be(open_fields),))
    concept = named.get("concept", phrases)
    if split != "none" and mapping.document == ROW and concept != phrases and profile(table, concept).varied == 1:
        words = _may_be([("document", concept)]).words
        made = made.doubted(words, "document", document=concept, concept="")
    free = [name for name in table.names if name not in named.values()]
    for check in (systems_named, _people, _scores, _verdicts, _other_lists, _inner, _rows_of_people):
        made = check(table, made, free)
    mapping = made.mapping
    if split == "none" and (mapping.annotator or mapping.system):
        owned = {**named, "annotator": mapping.annotator, "system": mapping.system}
        again = _split_of(table, {field: name for field, name in owned.items() if name and name in table.names})
        made = replace(made, mapping=replace(mapping, split=again))
    return made


def _is_only_one(table: Table, named: dict[str, str], unknown: Sequence[tuple[str, str]], field: str) -> bool:
    """Recognize the only column of lists, or next to keyphrases that are named the only column of codes."""
    if field == "keyphrases":
        return [named["keyphrases"]] == _lists_of(table)
    coded = [name for name in _unknown(table) if profile(table, name).codes]
    coded = [name for name in coded if not profile(table, name).numbers or name == table.names[0]]
    sure = ("keyphrases", named["keyphrases"]) not in unknown or _is_only_one(table, named, unknown, "keyphrases")
    return sure and coded == [named["document"]]


def _split_of(table: Table, named: dict[str, str]) -> str:
    """Return how the cells of keyphrases are split: not at all if a row contains one keyphrase."""
    name = named["keyphrases"]
    if name in list_columns(table):
        return ""
    alone = whole_lists(table, [name]) and profile(table, named.get("document", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & named.keys() and not alone):
        return "none"
    lists = _count_lists(table, named)
    if lists == len(table):
        return _split(table, name)
    # A few documents that are there twice are no reason to take lists for keyphrases.
    marks = ";," if lists >= _FEW_TWICE * len(table) else ""
    return next((mark for mark in marks if 2 * share_with(table.texts(name), mark) >= 1), "none")


def _split(table: Table, name: str) -> str:
    return cell_separator(table, name, certain=plain(name) in {*NAMES["phrases"]} - {*NAMES["phrase"]}) or "none"


def _count_lists(table: Table, named: dict[str, str]) -> int:
    """Return how many lists the rows are, if each of a document, and of one annotator or system, is a part of one."""
    keys = [named[field] for field in ("document", "annotator", "system") if field in named][:2]
    if "document" not in named:
        return len(table)
    if (key := f"lists of {keys}") not in table.seen:
        table.seen[key] = count_distinct({name: filled(table, name) for name in keys})
    return int(table.seen[key])


# what nobody can know about other columns


def systems_named(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt a column whose cells name systems, next to people or the gold standard."""
    mapping = made.mapping
    columns = {*free, mapping.group, mapping.annotator, mapping.text, mapping.title}
    for name in (name for name in table.names if name in columns and not name.endswith(known.BESIDE)):
        values = dict.fromkeys(cells_of(table, name))
        others = tuple(value for value in values if plain(value) not in known.SYSTEMS)
        if len(others) == len(values) or len(values) > _PEOPLE:
            continue
        words = f"The column “{name[:40]}” names systems" + (f", and {quoted(others[:3])}." if others else ".")
        fields = ("annotator", "group", "text", "title")
        moved = {field: "" for field in fields if getattr(mapping, field) == name}
        gold = () if mapping.role == "system" and not known.GOLD_WORDS & set(map(plain, others)) else others
        return made.doubted(words, "system", "annotator", **moved, role="system", system=name, gold=gold)
    return made


def _people(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt a column of a few names that may say whose the rows of a document are."""
    mapping, ids = made.mapping, made.mapping.document
    if ids == ROW or mapping.annotator or mapping.system or len(table) < 2:
        return made
    if mapping.role == "gold" and (mapping.rank or mapping.score):
        return made
    person = "annotator" if mapping.role == "gold" else "system"
    documents = len(pc.unique(filled(table, ids)))
    for name in free:
        shape = profile(table, name)
        values = len(set(shape.cells))
        unfit = not (_is_unknown(table, name) and _can_be(table, name, "system")) or _is_remark(name)
        if unfit or shape.varied > 0.5 or is_long(table, name, 200):
            continue
        pairs = count_distinct({"document": filled(table, ids), "value": table.texts(name)})
        every = 1 < values <= _PEOPLE and documents > 1 and pairs >= 0.9 * values * documents
        lists = mapping.keyphrases[0] in whole_lists(table, mapping.keyphrases)
        if every or (lists and pairs == len(table) > documents):
            return made.doubted(_may_be([(person, name)]).words, person, **{person: name})
    group = mapping.group if mapping.role == "gold" and mapping.split == "none" else ""
    if group and count_distinct({"group": filled(table, group), "document": filled(table, ids)}) > documents:
        words = f"Documents have several entries in “{group[:40]}”."
        return made.doubted(words, "group", "annotator", group="", annotator=group)
    return made


def _scores(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt numbers by which a system may rank its phrases, unless the rows have that order already."""
    mapping, ids = made.mapping, made.mapping.document
    if mapping.role != "system" or ids == ROW or mapping.rank:
        return made
    if mapping.split != "none":
        return _scores_of_lists(table, made, free)
    groups = pd.Series(filled(table, ids).to_pylist())
    if mapping.score:
        steps, words = _steps(table, groups, mapping.score[0]), table.texts(mapping.keyphrases[0]).to_pylist()
        lists = pd.Series(words).str.casefold().groupby(groups).agg(list)
        return _alphabetical(made, "Rows", lists, steps) if len(steps) > 1 else made
    numbers = [name for name in free if profile(table, name).numbers == 1]
    numbers = [name for name in numbers if cells_of(table, name)]
    for name in numbers:
        values = pd.Series(floats(table.column(name))[0])
        places = values.groupby(groups).apply(lambda ranks: sorted(ranks) == list(range(1, len(ranks) + 1)))
        if places.all() and groups.duplicated().any():
            jumps = (_steps(table, groups, name) != 1).any()
            return made.doubted(_may_be([("rank", name)]).words, "rank", rank=name) if jumps else made
    systems = [name for name in numbers if known.SYSTEMS & set(re.split(r"[\W_]+", plain(name)))]
    if len(systems) < 2 and any((_steps(table, groups, name) <= 0).all() for name in numbers):
        return made  # the order that the file has
    ranking = systems if len(systems) > 1 else [name for name in numbers if not profile(table, name).whole]
    if len(ranking) > 1:
        words = f"The columns {quoted(ranking)} may be scores of several systems, or of one."
        return made.doubted(words, "score", "system", score=tuple(ranking), system=HEADS)
    if ranking:
        words = _may_be([("score", ranking[0])]).words
        return made.doubted(words, "score", score=(ranking[0],), higher_is_better="yake" not in plain(ranking[0]))
    return made


def _scores_of_lists(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt the order of lists of phrases with scores, and lists of numbers next to lists of phrases."""
    mapping = made.mapping
    pairs = [cell for cell in _scored(table, mapping.keyphrases[0]) if all(isinstance(item, list) for item in cell)]
    steps = [after - before for cell in pairs for before, after in pairwise(number(item[-1]) for item in cell)]
    if len(steps) > 2:
        made = _alphabetical(made, "Lists", ([str(item[0]).casefold() for item in cell] for cell in pairs), steps)
    shapes = {name: profile(table, name) for name in free if table.nulls and not mapping.score}
    lists = [name for name, shape in shapes.items() if shape.numbers > 0.5 and shape.lists >= 0.5]
    changes = {"score": tuple(lists[:1]), "higher_is_better": True}
    return made.doubted(_may_be([("score", lists[0])]).words, "score", **changes) if lists else made


def _alphabetical(made: Proposal, what: str, lists: Iterable[list[str]], steps: Iterable[float]) -> Proposal:
    """Doubt the direction of scores that rise within lists in alphabetical order."""
    if not min(steps) >= 0 < max(steps) or any(words != sorted(words) for words in lists):
        return made
    said = f"{what} are in alphabetical order, so it is unclear whether high scores are better."
    return made.doubted(said, "higher_is_better", higher_is_better=True)


def _steps(table: Table, groups: pd.Series, name: str) -> pd.Series:
    """Return by how much numbers change from row to row of one document."""
    return pd.Series(floats(with_points(table.column(name)))[0]).groupby(groups).diff().dropna()


def _marked(table: Table, role: Role, named: dict[str, str]) -> Proposal | None:
    """Return what a keyphrase per row means with a mark for each document, or person, that has it."""
    marks = [name for name in _unknown(table) if cells_of(table, name) and profile(table, name).marks]
    phrases = named.get("keyphrases") or next((n for n in table.names if profile(table, n).phrases), None)
    if len(marks) < 2 or phrases is None or not table.header:
        return None
    made = Proposal(Mapping(role, keyphrases=phrases, marks=tuple(marks), document=HEADS, split="none"))
    return made.doubted(f"The columns {quoted(marks)} may mark the keyphrases of documents, or of people.", "document")


def _verdicts(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt columns that say yes or no of each phrase: of one person, or of several."""
    mapping = made.mapping
    if mapping.split != "none" or len(table) < 2 or mapping.document == ROW:
        return made
    marks = [n for n in free if plain(n) not in known.ASIDE and profile(table, n).cells and profile(table, n).marks]
    if 1 < len(marks) <= _PEOPLE and not mapping.annotator and mapping.role == "gold":
        words = f"The columns {quoted(marks)} may be people who marked the phrases."
        return made.doubted(words, "marks", marks=tuple(marks), annotator=HEADS)
    for name in marks:
        values = {cell.lower() for cell in cells_of(table, name)}
        if values & known.NO and values - known.NO:
            words = f"The column “{name[:40]}” may mark rejected keyphrases."
            made = made.doubted(words, "verdict", verdict=name)
    return made


def _other_lists(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt further columns of keyphrases, and cells that look like lists."""
    mapping, phrases = made.mapping, made.mapping.keyphrases[0]
    lists = [name for name in _lists_of(table) if name in free]
    if phrases not in _lists_of(table) or plain(phrases) in words_of("phrase"):
        lists = [name for name in lists if not _is_unknown(table, name) or name.rstrip("'") == phrases]
    if mapping.role == "gold" and lists and mapping.split != "none":
        return made.doubted(f"Several columns contain keyphrases: {quoted((phrases, *lists))}.", "keyphrases")
    whole = mapping.split == "none" and table.splits and whole_lists(table, [phrases]) and mapping.document != ROW
    if not whole or "variants" in table.names or mapping.rank or mapping.score or made.doubts:
        return made
    return made.doubted("Cells look like lists, but documents have several rows.", "split")


def _inner(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt lists of single words in lists, which may be spellings of a keyphrase or its words, and texts."""
    phrases = made.mapping.keyphrases[0]
    if phrases == TEXT and not profile(table, phrases).phrases:
        words = "The strings are longer than keyphrases are."
        return made.doubted(words, "text", role="documents", text=phrases, keyphrases=(), split="")
    lists = [json_list(cell) or [] for cell in table.first_texts(phrases, SAMPLE).to_pylist() if cell[:2] == "[["]
    items = [item if isinstance(item, list) else [0] for cells in lists for item in cells]
    every = [word for words in items for word in words]
    single = all(isinstance(word, str) and " " not in word.strip() and not is_number(word) for word in every)
    if made.mapping.inner or not single or sum(len(item) > 1 for item in items) < _MANY_WORDS:
        return made
    words = "Inner lists of single words may be spellings, or the words of keyphrases."
    return made.doubted(words, "inner", inner="variants")


def _rows_of_people(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Ask about rows of annotators, or of a form, if no column identifies the documents."""
    mapping = made.mapping
    if mapping.document == ROW and (mapping.annotator or mapping.system or is_form(table.names)):
        words = "No column identifies the documents: each row may be one, or all rows may belong to one document."
        return made.doubted(words, "document")
    if mapping.document in table.names and plain(mapping.document) in NAMES["name"] and table.header:
        return made.doubted(f"“{mapping.document[:40]}” may name documents, or people.", "document")
    return made


# columns beside each other


def _tell_whose(names: Sequence[str]) -> bool:
    """Recognize columns whose heads say whose they are."""
    return all(is_predicted(name) or source_of(name) != base_of(name) for name in names)


def _beside_each_other(table: Table, named: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of keyphrases, where each annotator or system has one or several numbered ones."""
    if len(told := _worded(table)) > 1:
        return tuple(told)
    phrases = named.get("keyphrases")
    nested = [name for name in list_columns(table) if name not in named.values()]
    if phrases is None and len(nested) > 1:
        return tuple(nested)
    if len(again := _repeated(table, named)) > 1:
        return again
    gold = phrases is not None and is_gold(phrases)
    if not table.header or (phrases is not None and not gold) or {"rank", "score"} & named.keys():
        return ()
    return _unnamed(table, named, phrases if gold else None)


def _unnamed(table: Table, named: dict[str, str], gold: str | None) -> tuple[str, ...]:
    """Return the columns under other heads that may be those of annotators, or of systems next to a gold standard."""
    whole, free = whole_lists(table, table.names), _free(table, named)
    # A number behind the word for a person counts people, not the phrases of one of them.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in known.PEOPLE]
    groups = grouped(numbered)
    if any(len(names) > 1 for names in groups.values()) and not gold:
        return tuple(name for names in groups.values() if len(names) > 1 or number_of(names[0]) == 1 for name in names)
    if "document" not in named and free:
        first = next(iter(free))
        if free[first].lists < 0.5 and free[first].varied > 0.9:  # ids under a head that nobody knows
            del free[first]
    # A column without any list among columns of lists may be a title, unless it repeats as keyphrases do.
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in known.SYSTEMS for name in free) and "document" not in named:
        return ()
    wide = [name for name, shape in free.items() if name in lists or shape.lists > 0 or shape.words <= 3]
    if gold:  # the gold standard beside the systems, in one sheet
        predicted = [name for name in table.names if name not in free and is_predicted(name)]
        sure = plain(gold) in known.GOLD_WORDS
        # Titles hold commas too.
        lists = [n for n in lists if cell_separator(table, n, certain=False) != "," or share_lists(table, [gold, n])]
        beside = [name for name in wide if sure or name in lists or plain(name) in known.SYSTEMS]
        return (gold, *beside, *predicted) if beside or predicted else ()
    return tuple(wide) if len(wide) > 1 else ()


def _worded(table: Table) -> list[str]:
    """Return the columns whose heads say whose keyphrases they are, such as “Keywords Anna”, without numbered ones."""
    heads = [name for name in table.names if source_of(name) != base_of(name)]
    heads = [name for name in heads if plain(name) not in known.KNOWN | known.BESIDES]
    lists = [name for name in whole_lists(table, heads) if source_of(name)]  # “Keywords R1”
    worded = [name for name in heads if number_of(name) is None or name in lists]
    return [name for name in worded if profile(table, name).phrases] if table.header else []


def _repeated(table: Table, named: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of phrases that all have one head; none if cells are lists or rows have more to say."""
    phrases = named.get("keyphrases")
    if phrases is None or named.keys() - {"document", "keyphrases", "title", "text", "group"}:
        return ()
    again = tuple(name for name in table.names if name.rstrip("'") == phrases)
    shapes = [profile(table, name) for name in again]
    alone = all(shape.lists < 0.5 and (shape.phrases or not shape.cells) for shape in shapes)
    once = "document" not in named or len(pc.unique(table.texts(named["document"]))) == len(table)
    return again if alone and once else ()


def _free(table: Table, named: dict[str, str]) -> dict[str, Profile]:
    """Return the columns that may be those of annotators or systems: no other is held to contain something else."""
    used = {*named.values()}
    held = used | {name for name in table.names if plain(name.rstrip("'")) in known.KNOWN | known.BESIDES}
    whole = {*whole_lists(table, table.names)} - used
    if not {"pt", "ut"} <= set(map(plain, table.names)):  # initials are tags of Web of Science only among others
        held -= {name for name in whole if re.fullmatch("[A-Z]{2}", name)}
    held -= {name for name in whole if plain(name) in known.SYSTEMS}
    readers = {name for name in whole if plain(name) in NAMES["annotator"]}
    # Authors choose keyphrases where readers do; elsewhere they are those who wrote the document.
    authors = {name for name in table.names if plain(name) in known.WRITERS}
    predicted = [name for name in table.names if is_predicted(name)]
    chose = {name for name in authors & whole if predicted and share_lists(table, [name, *predicted])}
    held = held - readers if readers else (held | authors) - chose
    held |= {name for name in table.names if plain(base_of(name)) in known.IDENTIFIERS}
    held |= set(filter(_is_remark, table.names))
    free = {name: profile(table, name) for name in table.names if name not in held}
    return {name: shape for name, shape in free.items() if (shape.phrases and not shape.addresses) or not shape.cells}


def share_lists(table: Table, names: Iterable[str]) -> bool:
    """Recognize columns whose lists have phrases in common row by row, as those of people and systems have.

    Each column shares with the others in at least one row of five, and in two rows at the least.
    """
    items = {name: [*map(items_of, table.first_texts(name, SAMPLE).to_pylist())] for name in names}
    for name, column_items in items.items():
        others = [
            set().union(*(items[other][row] for other in items if other != name)) for row in range(len(column_items))
        ]
        both = sum(bool(cell & other) for cell, other in zip(column_items, others, strict=True))
        cells = sum(map(bool, column_items))
        if both < min(2, cells) or 5 * both < cells or not both:
            return False
    return len(items) > 1


def _of_several(table: Table, role: Role, named: dict[str, str], apart: tuple[str, ...]) -> Proposal:
    """Return what columns of keyphrases next to each other mean."""
    named = {field: name for field, name in named.items() if name not in apart}
    corner = next((field for field in ("annotator", "system") if field in named and "document" not in named), "")
    if corner and profile(table, named[corner]).varied == 1:  # it says what is beside it, not below
        named["document"] = named.pop(corner)
    if "document" not in named and (ids := _ids_among(table, named, apart)):
        named["document"] = ids[0]
    whole, head = whole_lists(table, apart), gold_beside({name: (name,) for name in apart})
    sources, gold = grouped(apart, whole), (head,) if head else ()
    again = len({name.rstrip("'") for name in apart}) == 1
    one_list = again or list(sources) == [""] or (len(sources) == 1 and bool({"annotator", "system"} & named.keys()))
    fields: dict[str, Any] = {"document": ROW, **named, "keyphrases": apart, "gold": gold}
    if not one_list:
        fields["system" if role == "system" or gold else "annotator"] = HEADS
    elif not whole:
        fields["split"] = "none"
    return _with_doubts_of_columns(table, Proposal(Mapping(role, **fields)), named)


def _with_doubts_of_columns(table: Table, made: Proposal, named: dict[str, str]) -> Proposal:
    """Ask whether columns belong to people or systems, if neither headers nor shared phrases settle it."""
    mapping, used = made.mapping, tuple(made.mapping.keyphrases)
    if _lies_across(table, named, used):
        owner = named.get("annotator") or named.get("document") or (ROW if whole_lists(table, used) else "")
        turned = {"role": "gold", "document": HEADS, "annotator": owner, "system": "", "split": ""}
        words = "Are the columns documents, and the rows people?"
        return made.doubted(words, "document", "annotator", **turned)
    apart, changes = HEADS in (mapping.annotator, mapping.system), dict[str, Any]()
    people = tuple(name for name in used if not is_predicted(name))
    golds = [name for name in used if is_gold(name)]
    kinds = {plain(source_of(name) or name) for name in used} <= known.KINDS | known.LANGUAGES
    rest = [name for name in _lists_of(table) if name not in named.values() and name.rstrip("'") not in used]
    rest = [name for name in rest if kinds or (apart and _is_unknown(table, name))]
    if {"rank", "score"} & named.keys():
        changes = {"role": "system", "annotator": "", "system": HEADS}
    elif kinds:
        changes = {"annotator": "", "system": "", "split": ""}
    elif 0 < len(people) < len(used) and not mapping.gold:
        changes = {"annotator": "", "system": HEADS, "gold": people}
    worded = all(source_of(n) != base_of(n) or number_of(n) is not None or is_predicted(n) for n in used)
    mixed = apart and 0 < len(golds) < len(used)
    known_to_be = share_lists(table, used) or all(is_predicted(name) for name in used if name not in mapping.gold)
    known_to_be = known_to_be if mapping.gold else not mixed and (worded or not apart or known_to_be)
    if not (changes or rest) and known_to_be and not (mapping.role == "system" and _unordered(table, len(used))):
        return made
    words = f"The columns {quoted((*used, *rest))} may be people, systems, or parts of one list."
    sharing = [name for name in used if any(share_lists(table, [name, other]) for other in used if other != name)]
    chosen = sharing if apart and not (changes or rest) and len(sharing) > 1 else [*used, *rest]
    return made.doubted(words, "keyphrases", "annotator", "system", **changes, keyphrases=tuple(chosen))


def _unordered(table: Table, size: int) -> bool:
    """Return whether numbered columns of numbers imply another order of the numbered columns of phrases."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    if len(numbers) != size or size < 2:
        return False
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers], axis=1), axis=1)
    steps = steps[np.isfinite(steps)]
    return not ((steps >= 0).all() or (steps <= 0).all())


def _lies_across(table: Table, named: dict[str, str], used: Sequence[str]) -> bool:
    """Tell a table whose columns are the documents: “Keywords for text 1”, or numbers over rows of a few people."""
    if len(used) > 1 and all(_ABOUT.search(name.strip()) for name in used):
        return True
    told = {*map(plain, map(base_of, used))} & (known.PEOPLE | known.SYSTEMS | {*words_of("phrase")})
    numbered = all(re.search(r"\d", name) for name in used) and not told
    rows = named.get("document", named.get("annotator"))
    if rows is None:  # d1, d2, d3 over nothing but phrases
        return numbered and "title" not in named
    a_person_each = profile(table, rows).once and not profile(table, rows).codes
    is_person = plain(rows) in known.PEOPLE.union(NAMES["name"])
    return a_person_each and (is_person or (numbered and plain(rows) not in NAMES["doc_id"]))


# the second proof, and the form of a table that nothing tells


def column_that_meets(
    table: Table, mapping: Mapping, own: Sequence[str], others: Sequence[Collection[str]]
) -> str | None:
    """Return the one other column that tells the same documents apart, by ids that another file has too.

    Parameters
    ----------
    own : list of str
        The document of each row.
    others : list of sets of str
        The ids of every other file.
    """
    if any(set(own) & set(ids) for ids in others):
        return None
    found = []
    for name in (name for name in table.names if name not in mapping.columns):
        shape = profile(table, name)
        if shape.lists >= 0.5 or shape.moments or is_long(table, name, 200):
            continue
        cells = [cell.strip() for cell in table.texts(name).to_pylist()]
        pairs = set(zip(own, cells, strict=True))
        one_to_one = len(pairs) == len(set(own)) == len(set(cells))
        met = [len(set(cells) & set(ids)) / min(len(set(cells)), len(set(ids))) for ids in others if ids]
        if one_to_one and met and max(met) >= _MET:
            found.append(name)
    return found[0] if len(found) == 1 else None


def guess(table: Table, role: Role | None) -> Proposal:
    """Return a first guess for a table whose headers and content give no clue."""
    shapes = {name: shape for name in table.names if (shape := profile(table, name)).cells}
    made = Proposal(Mapping(role or "gold"), role_known=False, worded=False)
    if len(shapes) > 1 and all(re.search(r"\d", name) and " " not in name for name in shapes):
        words, across = "Are the columns documents?", {"document": HEADS, "keyphrases": tuple(shapes)}
        return made.doubted(words, "document", "keyphrases", **across)
    ids = [name for name, shape in shapes.items() if _can_be(table, name, "document")]
    ids = [name for name in ids if not (shapes[name].fraction or shapes[name].marks or shapes[name].addresses)]
    coded = [name for name in ids if shapes[name].codes and not shapes[name].numbers]
    document = next(iter([*_named(table, ("document",)).values(), *coded, *ids]), "")
    beside = {name: shape for name, shape in shapes.items() if name != document}
    lists = [name for name in _lists_of(table) if name in beside]
    words_of_lists = [name for name, shape in beside.items() if shape.phrases or name in lists]
    phrases, fields = lists or words_of_lists, dict[str, Any](document=document or ROW)
    again = document and len(pc.unique(table.texts(document))) < len(table)
    numbers = any(shape.numbers > 0.5 for shape in beside.values())
    if again and (not lists or (numbers and role == "system")):  # a keyphrase per row
        plain_words = [name for name in words_of_lists if not (beside[name].numbers or beside[name].addresses)]
        plain_words = [name for name in plain_words if name not in lists]
        phrases = ([name for name in plain_words if beside[name].varied > _REPEATED] or plain_words)[:1]
        for field, kind in (("rank", "whole"), ("score", "fraction")) if role == "system" else ():
            fields[field] = next((name for name, shape in beside.items() if getattr(shape, kind)), "")
    elif len(phrases) > 1:
        fields["system" if role == "system" else "annotator"] = HEADS
    shown = ", ".join(table.names[:_NAMES]) + (" …" if len(table.names) > _NAMES else "")
    words = f"KPScope does not know these column names: {shown}."
    return made.doubted(words, "document", "keyphrases", **fields, keyphrases=tuple(phrases))
