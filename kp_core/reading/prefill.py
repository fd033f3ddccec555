"""Propose what a table means: words and two proofs decide, and everything else is proposed in a form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.reading.fields import (
    ASIDE,
    BESIDES,
    DOCUMENTS,
    GOLD_WORDS,
    IDENTIFIERS,
    JUDGE,
    KINDS,
    KNOWN,
    LANGUAGES,
    NAMES,
    NO,
    NO_PHRASES,
    PEOPLE,
    REMARKS,
    SHELF_MARKS,
    SYSTEMS,
    WRITERS,
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
    record_phrases,
    source_of,
    words_of,
)
from kp_core.reading.layout import Doubt
from kp_core.reading.mapping import HEADS, ROW, Mapping
from kp_core.reading.marks import GRADES, marks_in
from kp_core.reading.profiles import (
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
from kp_core.reading.separators import cell_separator, json_list
from kp_core.reading.shapes import are_scored
from kp_core.reading.table import BRACKETS, INNER, LIST, OUTER, TEXT, Table, list_columns
from kp_core.reading.values import floats, is_number, number, with_points

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
    "annotator": "may say who chose each keyphrase",
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
#: So many ids of the smaller side must be met.
_MET = 0.5
#: Ends of the heads of questions about documents.
_ABOUT = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper|question|"
    r"frage|pregunta|domanda|pytanie|kysymys|vraag)[\s_]*(?:[0-9]{1,3}|[A-Z])$"
)


@dataclass(frozen=True)
class Proposal:
    """What a table most likely means, and what is not certain of it.

    role_known  whether the table itself tells its role
    worded      whether words tell anything of it
    program     what wrote it, if it is a known export
    own         whether it is a table of ours, of which nothing is doubted
    """

    mapping: Mapping
    doubts: tuple[Doubt, ...] = ()
    role_known: bool = True
    worded: bool = True
    program: str = ""
    own: bool = False

    def doubted(self, words: str, *fields: str, **changes: Any) -> Proposal:
        """Return the proposal with a doubt, and with what is likeliest about it."""
        mapping = replace(self.mapping, **changes)
        return replace(self, mapping=mapping, doubts=(*self.doubts, Doubt(words, fields)))


def proposal(table: Table, role: Role | None) -> Proposal | None:
    """Return what a table most likely means; None if no word and no content tells anything.

    >>> import pyarrow as pa
    >>> columns = [pa.chunked_array([["1", "2"]]), pa.chunked_array([["tide; sea", "moon"]])]
    >>> found = proposal(Table("g.csv", ["Nr", "Keywords"], columns), "gold")
    >>> str(found.mapping), found.doubts
    ('role=gold,document=Nr,keyphrases=Keywords,split=;', ())
    """
    if {OUTER, LIST} <= {*table.names}:
        return _nested(table, role)
    if role in (None, "judgements") and (pairs := _pairs(table)) is not None:
        return pairs
    guessed = role or _role_by_heads(table)
    found = _texts(table, asked=role is not None) if guessed == "documents" else _phrases(table, guessed or "gold")
    if found is None and table.header and guessed != "documents":
        made = guess(table, role)
        return made if made.mapping.keyphrases else None
    return found and replace(found, role_known=found.role_known and guessed is not None)


# what single columns may be


def _can_be(table: Table, name: str, field: str) -> bool:
    """Tell whether the cells of a column can be what its head, or its place, says."""
    shape = profile(table, name)
    if not shape.cells or name in BRACKETS or plain(name) in ("doc_id", "phrase"):
        return True
    whole_list = shape.lists >= 0.5
    no: dict[str, bool] = {
        "document": whole_list
        or shape.moments
        or is_long(table, name, 200)
        or _is_partial(table, name)
        or (shape.addresses and any(profile(table, n).codes and _is_unknown(table, n) for n in table.names)),
        "keyphrases": shape.moments
        or shape.marks
        or _are_numbers(shape, name)
        or _is_text(table, name)
        or (shape.codes and plain(name) in DOCUMENTS | {"ref", "refs"}),
        "annotator": whole_list or shape.moments or shape.marks or shape.fraction or _is_address_beside(shape, name),
        "system": whole_list or shape.moments or shape.marks or shape.fraction,
        "rank": shape.fraction or shape.numbers == 0,
        "score": shape.numbers == 0,
        "relevance": shape.fraction,
        "text": shape.codes,
        "title": shape.codes,
    }
    return not no.get(field, False)


def _is_address_beside(shape: Profile, name: str) -> bool:
    """Tell a mail address that is another one in every row."""
    return "mail" in plain(name) and shape.varied == 1


def _is_partial(table: Table, name: str) -> bool:
    """Tell a DOI that not every record has."""
    return plain(name) in ("doi", "di") and len(cells_of(table, name)) < min(len(table), SAMPLE)


def _are_numbers(shape: Profile, name: str) -> bool:
    return shape.numbers > 0.5 and plain(name) not in IDENTIFIERS


def _is_text(table: Table, name: str) -> bool:
    shape = profile(table, name)
    return is_long(table, name, 200) and not (shape.phrases and shape.lists >= 0.5)


def _is_unknown(table: Table, name: str) -> bool:
    return not table.header or plain(name) not in KNOWN | ASIDE | {*IDENTIFIERS}


def _named(table: Table, fields: Sequence[str]) -> dict[str, str]:
    """Return field → the column whose head is the most telling word for it and whose cells can be it."""
    found: dict[str, str] = {}
    for field in fields if table.header else ():
        words = words_of(_WORDS.get(field, field))
        fitting = [
            (
                _is_sparse(table, name),
                plain(name) in _TAGS,
                profile(table, name).addresses,
                words.index(plain(name)),
                place,
                name,
            )
            for place, name in enumerate(table.names)
            if plain(name) in words and name not in found.values() and _can_be(table, name, field)
        ]
        if fitting:
            found[field] = min(fitting)[-1]
    if "score" in fields and "score" not in found:  # fractions are no ranks and no grades
        graded = [name for name in table.names if plain(name) in (*NAMES["rank"], *NAMES["relevance"])]
        if graded and table.header and profile(table, graded[0]).fraction:
            found["score"] = graded[0]
    return found


def _is_sparse(table: Table, name: str) -> bool:
    """Tell a column with many blank cells that are no merged ones."""
    cells = table.first_texts(name, SAMPLE).to_pylist()
    blank = 1 - len(cells_of(table, name)) / max(len(cells), 1)
    return blank > 0.2 and not is_merged(table, name)


def _role_by_heads(table: Table) -> Role | None:
    """Return the role that the heads tell; None for keyphrases of anybody."""
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
    return "documents" if heads & {*NAMES["text"]} or (heads & {*NAMES["title"]} and len(beside) < 2) else None


def _scored(table: Table, name: str) -> list[Any]:
    """Return the first lists of a column if their items are phrases with scores."""
    if not (table.nulls or name in list_columns(table)):
        return []
    cells = [cell for cell in table.column(name).slice(0, SAMPLE).to_pylist() if cell]
    lists = [json_list(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell for cell in cells]
    return lists if are_scored([cell for cell in lists if isinstance(cell, (list, dict))]) else []


def _lists_of(table: Table) -> list[str]:
    """Return the columns of lists of phrases whose heads do not say that they are something else."""
    nested = list_columns(table)
    whole = (
        whole_lists(table, table.names) if table.header else [n for n in table.names if profile(table, n).lists >= 0.5]
    )
    lists = [name for name in whole if profile(table, name).phrases or name in nested]
    return [name for name in lists if plain(name) not in NO_PHRASES]


def _may_be_phrases(table: Table, name: str) -> bool:
    """Tell a column of words under a head that nobody knows."""
    shape = profile(table, name)
    words = _is_unknown(table, name) and shape.phrases and bool(shape.cells)
    return words and not (shape.codes or shape.addresses or shape.numbers)


# objects within objects, judged pairs and texts


def _nested(table: Table, role: Role | None) -> Proposal:
    """Return what lists by two keys mean: one key is the document, and one says whose list it is."""
    outer, inner = (set(table.texts(name).to_pylist()) for name in (OUTER, INNER))
    systems = [bool(SYSTEMS & set(map(plain, names))) for names in (outer, inner)]
    turned = (systems[1] and not systems[0]) or (not any(systems) and len(inner) < len(outer))
    owner, document = (INNER, OUTER) if turned else (OUTER, INNER)
    guessed: Role = role or ("system" if any(systems) else "gold")
    person = "annotator" if guessed == "gold" else "system"
    whose: dict[str, Any] = {person: owner}
    mapping = Mapping(guessed, document=document, keyphrases=LIST, **whose)
    made = Proposal(mapping, role_known=role is not None or guessed == "system")
    if systems[0] != systems[1]:
        return made
    return made.doubted(
        "Objects within objects: which keys are the documents, and which the people or systems?", "document"
    )


def _pairs(table: Table) -> Proposal | None:
    """Return what judged pairs mean: a candidate beside a keyphrase or beside scores of people."""
    if not table.header:
        return None
    parts = {"document": "doc_id", "pair": "pair_id", "keyphrases": "keyphrase"}
    fields = ("pair", "document", "keyphrases", "candidate", "annotator", "score")
    told = find_roles(table.names, [parts.get(field, field) for field in fields])
    found = {field: told[parts.get(field, field)] for field in fields if parts.get(field, field) in told}
    free = [name for name in table.names if name not in found.values()]
    if "keyphrases" in found and "candidate" not in found and (beside := find_roles(free, ("phrase",))):
        found["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    raters = [name for name in free if JUDGE.match(name)] if "score" not in found else []
    if "candidate" not in found or not ("keyphrases" in found or raters or "score" in found):
        return None
    if not raters and "score" not in found:
        unknown = {name: profile(table, name) for name in free if plain(name) not in KNOWN}
        raters = [name for name, shape in unknown.items() if shape.cells and shape.numbers > 0.8]
        if not raters:
            return None
    several: dict[str, Any] = {"score": tuple(raters), "annotator": HEADS} if raters else {}
    return Proposal(Mapping("judgements", **{**found, **several}))


def _texts(table: Table, *, asked: bool) -> Proposal | None:
    """Return what a table of texts means, with the doubt about a column that may hold their keyphrases."""
    found = _named(table, _FIELDS["documents"])
    doubts: tuple[Doubt, ...] = ()
    if not {"text", "title", "group"} & found.keys():
        free = [name for name in table.names if name not in found.values() and _is_unknown(table, name)]
        text = max(free, key=lambda name: profile(table, name).characters, default="")
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
    return replace(made, mapping=replace(made.mapping, role="gold", **phrases), doubts=()).doubted(
        _may_be([("keyphrases", beside[0])]).words, "keyphrases"
    )


def _may_be(unknown: Sequence[tuple[str, str]]) -> Doubt:
    """Return the doubt about columns under unknown heads."""
    words = "; ".join(f"the column “{name[:40]}” {_MAY[field]}" for field, name in unknown)
    return Doubt(f"{words[:1].upper()}{words[1:]}.", tuple(field for field, _ in unknown))


# keyphrases


def _phrases(table: Table, role: Role) -> Proposal | None:
    """Return what a table of keyphrases means: a keyphrase or a list per row, or columns of lists beside each other."""
    named = _named(table, _FIELDS[role])
    identifiers = [name for name in table.names if plain(name) in IDENTIFIERS and name not in named.values()]
    if "keyphrases" in named and plain(named["keyphrases"]) in IDENTIFIERS:
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
        if plain(name) not in DOCUMENTS | SHELF_MARKS or not shape.cells or shape.lists >= 0.5:
            continue
        coded = any(profile(table, one).codes and _is_unknown(table, one) for one in table.names)
        again = (shape.varied <= 0.9 or is_merged(table, name)) and not coded and shape.words <= 6
        is_person = plain(found.get("document", "")) in NAMES["name"]
        if ("document" not in found or is_person) and (shape.codes or again or plain(name) in SHELF_MARKS):
            person = {"annotator": found["document"]} if is_person else {}
            found = {field: other for field, other in found.items() if other != name} | person | {"document": name}
        tag = plain(found.get("keyphrases", "")) in _TAGS and profile(table, found["keyphrases"]).varied <= 0.5
        short = shape.words <= 2.5 and shape.phrases and not shape.codes
        if (tag or (ranked and "keyphrases" not in found)) and short and found.get("document") != name:
            found = {field: other for field, other in found.items() if other != name} | {"keyphrases": name}
    return found


def _guessed(table: Table, named: dict[str, str]) -> list[tuple[str, str]]:
    """Return the fields of columns that no word names, by what they hold."""
    free = [name for name in table.names if name not in named.values() and _is_unknown(table, name)]
    nested, found = list_columns(table), list[tuple[str, str]]()
    free = [name for name in free if cells_of(table, name) or name in nested]
    if "keyphrases" not in named:
        lists = [name for name in _lists_of(table) if name in free]
        words = [name for name in free if _may_be_phrases(table, name) or name in lists]
        ids = [name for name in words if "document" not in named and name == table.names[0]]
        headed = [name for name in named.values() if plain(name) in DOCUMENTS and profile(table, name).words <= 2.5]
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
    free = [n for n in table.names if n not in named.values() and n not in taken and _is_unknown(table, n)]
    free = [name for name in free if _can_be(table, name, "document") and cells_of(table, name)]
    shapes = {name: profile(table, name) for name in free}
    usable = [
        n
        for n, s in shapes.items()
        if not (s.marks or s.fraction) and (s.codes or n == table.names[0] or not s.numbers)
    ]
    once = [name for name in usable if shapes[name].varied == 1]
    likely = (
        [name for name in usable if shapes[name].codes] or [n for n in once if n == table.names[0]] or once or usable
    )
    return sorted(
        likely, key=lambda name: (bool(shapes[name].numbers and name != table.names[0]), table.names.index(name))
    )


def _of_one(table: Table, role: Role, named: dict[str, str], unknown: list[tuple[str, str]]) -> Proposal | None:
    """Return what a table with one column of keyphrases means, with what is in doubt."""
    phrases = named["keyphrases"]
    split = _split_of(table, named)
    if "document" not in named and split == "none" and "text" not in named:
        return None
    fields: dict[str, Any] = {"document": ROW, **named, "split": split}
    mapping = Mapping(role, **fields)
    made = Proposal(mapping)
    if table.header or not _is_plain(table, named):
        sure = [field for field, _ in unknown if table.header and _is_only_one(table, named, unknown, field)]
        open_fields = [(field, name) for field, name in unknown if field not in sure]
        if open_fields:
            made = replace(made, doubts=(_may_be(open_fields),))
    concept = named.get("concept", phrases)
    if split != "none" and mapping.document == ROW and concept != phrases and profile(table, concept).varied == 1:
        words = _may_be([("document", concept)]).words
        made = made.doubted(words, "document", document=concept, concept="")
    free = [name for name in table.names if name not in named.values()]
    for check in (systems_named, _people, _scores, _marks, _verdicts, _other_lists, _inner, _rows_of_people):
        made = check(table, made, free)
    mapping = made.mapping
    if split == "none" and (mapping.annotator or mapping.system):
        owned = {**named, "annotator": mapping.annotator, "system": mapping.system}
        again = _split_of(table, {field: name for field, name in owned.items() if name and name in table.names})
        made = replace(made, mapping=replace(mapping, split=again))
    return made


def _is_only_one(table: Table, named: dict[str, str], unknown: Sequence[tuple[str, str]], field: str) -> bool:
    """Tell the only column of lists, or beside keyphrases that are named the only column of codes."""
    if field == "keyphrases":
        return [named["keyphrases"]] == _lists_of(table)
    shapes = {name: profile(table, name) for name in table.names if _is_unknown(table, name)}
    coded = [n for n, shape in shapes.items() if shape.codes and (not shape.numbers or n == table.names[0])]
    sure = ("keyphrases", named["keyphrases"]) not in unknown or _is_only_one(table, named, unknown, "keyphrases")
    return sure and coded == [named["document"]]


def _is_plain(table: Table, named: dict[str, str]) -> bool:
    """Tell a table without a head of codes and one other column."""
    first = named.get("document") == table.names[0]
    return len(table.names) == 2 and first and profile(table, table.names[0]).codes


def _split_of(table: Table, named: dict[str, str]) -> str:
    """Return how the cells of keyphrases are split: not at all if a row holds one keyphrase."""
    name = named["keyphrases"]
    if name in list_columns(table):
        return ""
    alone = whole_lists(table, [name]) and profile(table, named.get("document", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & named.keys() and not alone):
        return "none"
    lists = _count_lists(table, named)
    if "document" in named and lists < len(table):
        # A few documents that are there twice are no reason to take lists for keyphrases.
        cells = table.texts(name)
        few = lists >= _FEW_TWICE * len(table)
        marks = [
            mark for mark in ";," if few and (pc.sum(pc.match_substring(cells, mark)).as_py() or 0) * 2 >= len(cells)
        ]
        return marks[0] if marks else "none"
    return _split(table, name)


def _split(table: Table, name: str) -> str:
    return cell_separator(table, name, certain=plain(name) in {*NAMES["phrases"]} - {*NAMES["phrase"]}) or "none"


def _count_lists(table: Table, named: dict[str, str]) -> int:
    """Return how many lists the rows are, if each of a document, and of one annotator or system, is a part of one."""
    owner = named.get("annotator", named.get("system"))
    keys = [name for name in (named.get("document"), owner) if name is not None]
    if "document" not in named:
        return len(table)
    key = f"lists of {keys}"
    if key not in table.seen:
        table.seen[key] = count_distinct({name: filled(table, name) for name in keys})
    return int(table.seen[key])


# what nobody can know about other columns


def systems_named(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt a column whose cells name systems, beside people or the gold standard."""
    mapping = made.mapping
    columns = {*free, mapping.group, mapping.annotator, mapping.text, mapping.title}
    for name in filter(columns.__contains__, table.names):
        values = dict.fromkeys(cells_of(table, name))
        others = tuple(value for value in values if plain(value) not in SYSTEMS)
        if len(others) == len(values) or len(values) > _PEOPLE:
            continue
        words = f"The column “{name[:40]}” names systems" + (f", and {quoted(others[:3])}." if others else ".")
        fields = ("annotator", "group", "text", "title")
        moved = {field: "" for field in fields if getattr(mapping, field) == name}
        gold = () if mapping.role == "system" and not GOLD_WORDS & set(map(plain, others)) else others
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
        other = shape.moments or shape.lists >= 0.5 or shape.fraction or shape.marks or not _is_unknown(table, name)
        if other or shape.varied > 0.5 or is_long(table, name, 200) or REMARKS & set(map(plain, name.split())):
            continue
        pairs = count_distinct({"document": filled(table, ids), "value": table.texts(name)})
        every = 1 < values <= _PEOPLE and documents > 1 and pairs >= 0.9 * values * documents
        lists = mapping.keyphrases[0] in whole_lists(table, mapping.keyphrases)
        if every or (lists and pairs == len(table) > documents):
            return made.doubted(_may_be([(person, name)]).words, person, **{person: name})
    group = mapping.group
    if group and mapping.role == "gold" and mapping.split == "none":
        pairs = count_distinct({"group": filled(table, group), "document": filled(table, ids)})
        if pairs > len(pc.unique(filled(table, ids))):
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
        ordered = pd.Series(words).str.casefold().groupby(groups).apply(lambda one: list(one) == sorted(one))
        if len(steps) > 1 and (steps > 0).any() and (steps >= 0).all() and ordered.all():
            said = "Rows are in alphabetical order, so their order does not tell whether high scores are better."
            return made.doubted(said, "higher_is_better", higher_is_better=True)
        return made
    numbers = [name for name in free if profile(table, name).numbers == 1 and plain(name) not in ASIDE]
    numbers = [name for name in numbers if cells_of(table, name)]
    for name in numbers:
        values = pd.Series(floats(table.column(name))[0])
        places = values.groupby(groups).apply(lambda one: sorted(one) == list(range(1, len(one) + 1)))
        if places.all() and groups.duplicated().any():
            jumps = (_steps(table, groups, name) != 1).any()
            return made.doubted(_may_be([("rank", name)]).words, "rank", rank=name) if jumps else made
    systems = [name for name in numbers if SYSTEMS & set(re.split(r"[\W_]+", plain(name)))]
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
    """Doubt the order of lists of phrases with scores, and lists of numbers beside lists of phrases."""
    mapping = made.mapping
    pairs = [cell for cell in _scored(table, mapping.keyphrases[0]) if all(isinstance(one, list) for one in cell)]
    steps = [after - before for cell in pairs for before, after in pairwise(number(one[-1]) for one in cell)]
    in_order = all(words == sorted(words) for words in ([str(one[0]).casefold() for one in c] for c in pairs))
    if len(steps) > 2 and min(steps) >= 0 < max(steps) and in_order:
        words = "Lists are in alphabetical order, so their order does not tell whether high scores are better."
        return made.doubted(words, "higher_is_better", higher_is_better=True)
    shapes = {name: profile(table, name) for name in free if table.nulls and not mapping.score}
    lists = [name for name, shape in shapes.items() if shape.numbers > 0.5 and shape.lists >= 0.5]
    changes = {"score": tuple(lists[:1]), "higher_is_better": True}
    return made.doubted(_may_be([("score", lists[0])]).words, "score", **changes) if lists else made


def _steps(table: Table, groups: pd.Series, name: str) -> pd.Series:
    """Return by how much numbers change from row to row of one document."""
    return pd.Series(floats(with_points(table.column(name)))[0]).groupby(groups).diff().dropna()


def _marks(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt columns in which Y, I and N all stand, under heads that do not say that these are marks."""
    if made.mapping.split != "none" or made.mapping.relevance:
        return made
    names = [name for name in free if marks_in(table, name) == GRADES.keys()]
    words = f"Y, I and N in {quoted(names)} may be marks: then they are grades 2, 1 and 0."
    return made.doubted(words, "relevance", relevance=names[0]) if names else made


def _marked(table: Table, role: Role, named: dict[str, str]) -> Proposal | None:
    """Return what a keyphrase per row means with a mark for each document, or person, that has it."""
    marks = [name for name in table.names if cells_of(table, name) and profile(table, name).marks]
    marks = [name for name in marks if _is_unknown(table, name)]
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
    marks = [n for n in free if plain(n) not in ASIDE and profile(table, n).cells and profile(table, n).marks]
    if 1 < len(marks) <= _PEOPLE and not mapping.annotator and mapping.role == "gold":
        words = f"The columns {quoted(marks)} may be people who marked the phrases."
        return made.doubted(words, "marks", marks=tuple(marks), annotator=HEADS)
    for name in marks:
        values = {cell.lower() for cell in cells_of(table, name)}
        if values & NO and values - NO:
            words = f"The column “{name[:40]}” may say which keyphrases were rejected."
            made = made.doubted(words, "verdict", verdict=name)
    return made


def _other_lists(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt further columns of keyphrases, and cells that look like lists."""
    mapping, phrases = made.mapping, made.mapping.keyphrases[0]
    lists = [name for name in _lists_of(table) if name in free]
    if phrases not in _lists_of(table) or plain(phrases) in words_of("phrase"):
        lists = [name for name in lists if not _is_unknown(table, name) or name.rstrip("'") == phrases]
    if mapping.role == "gold" and lists and mapping.split != "none":
        return made.doubted(f"Several columns hold keyphrases: {quoted((phrases, *lists))}.", "keyphrases")
    whole = (
        mapping.split == "none"
        and table.splits
        and mapping.document != ROW
        and phrases in whole_lists(table, [phrases])
    )
    if whole and "variants" not in table.names and not (mapping.rank or mapping.score or made.doubts):
        return made.doubted("Cells look like lists, and documents stand in several rows.", "split")
    return made


def _inner(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt lists of single words in lists, which may be spellings of a keyphrase or its words, and texts."""
    phrases = made.mapping.keyphrases[0]
    if phrases == TEXT and not profile(table, phrases).phrases:
        words = "The strings are longer than keyphrases are."
        return made.doubted(words, "text", role="documents", text=phrases, keyphrases=(), split="")
    lists = [json_list(cell) or [] for cell in table.first_texts(phrases, SAMPLE).to_pylist() if cell[:2] == "[["]
    items = [item for cells in lists for item in cells]
    words_of_items = [word for item in items if isinstance(item, list) for word in item]
    several = sum(isinstance(item, list) and len(item) > 1 for item in items)
    single = all(isinstance(word, str) and " " not in word.strip() and not is_number(word) for word in words_of_items)
    if made.mapping.inner or several < _MANY_WORDS or not single or not all(isinstance(item, list) for item in items):
        return made
    words = "Inner lists of single words may be spellings, or the words of keyphrases."
    return made.doubted(words, "inner", inner="variants")


def _rows_of_people(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Doubt rows of people, or of a form, without a column of documents: a person is never a document."""
    mapping = made.mapping
    if mapping.document == ROW and (mapping.annotator or mapping.system or is_form(table.names)):
        words = "No column tells the documents: each row may be one, or all rows may be about the same."
        return made.doubted(words, "document")
    if mapping.document in table.names and plain(mapping.document) in NAMES["name"] and table.header:
        return made.doubted(f"“{mapping.document[:40]}” may name documents, or people.", "document")
    return made


# columns beside each other


def _tell_whose(names: Sequence[str]) -> bool:
    """Tell columns whose heads say whose they are."""
    return all(is_predicted(name) or source_of(name) != base_of(name) for name in names)


def _beside_each_other(table: Table, named: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of keyphrases, where each annotator or system has one or several numbered ones."""
    for told in (_gold_and_predicted(table), _of_records(table), _worded(table)):
        if len(told) > 1:
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
    """Return the columns under other heads that may be those of annotators, or of systems beside a gold standard."""
    whole, free = whole_lists(table, table.names), _free(table, named)
    # A number behind the word for a person counts people, not the phrases of one of them.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in PEOPLE]
    groups = grouped(numbered)
    if any(len(names) > 1 for names in groups.values()) and not gold:
        return tuple(name for names in groups.values() if len(names) > 1 or number_of(names[0]) == 1 for name in names)
    if "document" not in named and free:
        first = next(iter(free))
        if free[first].lists < 0.5 and free[first].varied > 0.9:  # ids under a head that nobody knows
            del free[first]
    # A column without any list among columns of lists may be a title, unless it repeats as keyphrases do.
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in SYSTEMS for name in free) and "document" not in named:
        return ()
    wide = [name for name, shape in free.items() if name in lists or shape.lists > 0 or shape.words <= 3]
    if gold:  # the gold standard beside the systems, in one sheet
        predicted = [name for name in table.names if name not in free and is_predicted(name)]
        sure = plain(gold) in GOLD_WORDS
        beside = [name for name in wide if sure or name in lists or plain(name) in SYSTEMS]
        return (gold, *beside, *predicted) if beside or predicted else ()
    return tuple(wide) if len(wide) > 1 else ()


def _gold_and_predicted(table: Table) -> list[str]:
    """Return the one column of a gold standard and those of systems, if there is no other column of phrases."""
    shapes = {name: profile(table, name) for name in table.names if table.header}
    phrases = [name for name, shape in shapes.items() if shape.phrases and not shape.marks]
    held = [name for name in phrases if shapes[name].lists > 0 or is_predicted(name)]
    gold = [name for name in held if is_gold(name)]
    predicted = [name for name in held if is_predicted(name) and name not in gold]
    return [*gold, *predicted] if len(gold) == 1 and predicted and len(held) == 1 + len(predicted) else []


def _of_records(table: Table) -> list[str]:
    """Return the columns of keyphrases in a table of records of a catalogue; none if the table is another one."""
    shapes = {name: profile(table, name) for name in (record_phrases(table.names) if table.header else ())}
    found = [n for n, shape in shapes.items() if shape.phrases and (number_of(n) is not None or not shape.codes)]
    whole = whole_lists(table, found)
    return [name for name in found if name in whole or plain(name) not in NAMES["phrase"]]


def _worded(table: Table) -> list[str]:
    """Return the columns whose heads say whose keyphrases they are, such as “Keywords Anna”, without numbered ones."""
    heads = [name for name in table.names if plain(name) not in KNOWN | BESIDES and source_of(name) != base_of(name)]
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
    """Return the columns that may be those of annotators or systems: no other is known to hold something else."""
    used = {*named.values()}
    known = used | {name for name in table.names if plain(name.rstrip("'")) in KNOWN | BESIDES}
    whole = {*whole_lists(table, table.names)} - used
    if not {"pt", "ut"} <= set(map(plain, table.names)):  # initials are tags of Web of Science only among others
        known -= {name for name in whole if re.fullmatch("[A-Z]{2}", name)}
    readers = {name for name in whole if plain(name) in NAMES["annotator"]}
    # Authors choose keyphrases where readers do; elsewhere they are those who wrote the document.
    authors = {name for name in table.names if plain(name) in WRITERS}
    predicted = [name for name in table.names if is_predicted(name)]
    chose = {name for name in authors & whole if predicted and share_lists(table, [name, *predicted])}
    known = known - readers if readers else (known | authors) - chose
    known |= {name for name in table.names if plain(base_of(name)) in IDENTIFIERS}
    known |= {name for name in table.names if REMARKS & set(map(plain, name.split()))}  # “Comments Anna”
    free = {name: profile(table, name) for name in table.names if name not in known}
    return {name: shape for name, shape in free.items() if (shape.phrases and not shape.addresses) or not shape.cells}


def share_lists(table: Table, names: Iterable[str]) -> bool:
    """Tell columns whose lists have phrases in common row by row, as those of people and systems have.

    Each column shares with the others in at least one row of five, and in two rows at the least.
    """
    items = {name: [*map(items_of, table.first_texts(name, SAMPLE).to_pylist())] for name in names}
    for name, own in items.items():
        others = [set().union(*(items[other][row] for other in items if other != name)) for row in range(len(own))]
        both = sum(bool(cell & other) for cell, other in zip(own, others, strict=True))
        cells = sum(map(bool, own))
        if both < min(2, cells) or 5 * both < cells or not both:
            return False
    return len(items) > 1


def _of_several(table: Table, role: Role, named: dict[str, str], apart: tuple[str, ...]) -> Proposal:
    """Return what columns of keyphrases beside each other mean."""
    named = {field: name for field, name in named.items() if name not in apart}
    corner = next((field for field in ("annotator", "system") if field in named and "document" not in named), "")
    if corner and profile(table, named[corner]).varied == 1:  # it says what is beside it, not below
        named["document"] = named.pop(corner)
    if "document" not in named:
        ids = _ids_among(table, named, apart)
        if ids:
            named["document"] = ids[0]
    whole = whole_lists(table, apart)
    head = gold_beside({name: (name,) for name in apart})
    sources, gold = grouped(apart, whole), (head,) if head else ()
    again = len({name.rstrip("'") for name in apart}) == 1
    one_list = again or list(sources) == [""] or (len(sources) == 1 and bool({"annotator", "system"} & named.keys()))
    owner = "" if one_list else "system" if role == "system" or gold else "annotator"
    split = "none" if one_list and not whole else ""
    fields: dict[str, Any] = {"document": ROW, **named, "keyphrases": apart, "gold": gold, "split": split}
    if owner:
        fields[owner] = HEADS
    return _with_doubts_of_columns(table, Proposal(Mapping(role, **fields)), named)


def _with_doubts_of_columns(table: Table, made: Proposal, named: dict[str, str]) -> Proposal:
    """Doubt what is not certain of columns that may be those of people or systems."""
    used = made.mapping.keyphrases
    predicted = [name for name in used if is_predicted(name)]
    golds = [name for name in used if is_gold(name)]
    gold = made.mapping.gold
    apart = HEADS in (made.mapping.annotator, made.mapping.system)
    if _lies_across(table, named, used):
        owner = named.get("annotator") or named.get("document") or (ROW if whole_lists(table, used) else "")
        turned = {"role": "gold", "document": HEADS, "annotator": owner, "system": "", "split": ""}
        return made.doubted(
            "Do the columns stand for documents, and the rows for people?", "document", "annotator", **turned
        )
    if made.mapping.role == "system" and (numbers := _unordered(table, len(used))):
        return made.doubted(f"The columns {quoted(numbers)} give the phrases another order.", "rank")
    if {"rank", "score"} & named.keys():
        words = f"Each of the columns {quoted(used)} may hold the phrases of a system."
        return made.doubted(words, "keyphrases", role="system", annotator="", system=HEADS)
    if {plain(source_of(name) or name) for name in used} <= KINDS | LANGUAGES:
        rest = [name for name in _lists_of(table) if name not in (*used, *named.values())]
        words = f"The columns {quoted((*used, *rest))} may be kinds of keyphrases, or people."
        return made.doubted(words, "annotator", keyphrases=(*used, *rest), annotator="", system="", split="")
    if predicted and len(predicted) < len(used) and not gold:
        people = tuple(name for name in used if name not in predicted)
        words = f"The columns {quoted(predicted)} may be systems beside people."
        return made.doubted(words, "gold", annotator="", system=HEADS, gold=people)
    if golds and len(golds) < len(used) and not gold and apart:
        others = [name for name in used if name not in golds]
        return made.doubted(f"The columns {quoted(others)} may be systems or people.", "annotator", "system")
    return _whose_lists(table, made, named) if apart else made


def _whose_lists(table: Table, made: Proposal, named: dict[str, str]) -> Proposal:
    """Doubt columns of lists that neither their heads nor phrases in common tell to be those of people or systems."""
    used = made.mapping.keyphrases
    rest = [name for name in _lists_of(table) if name not in (*used, *named.values()) and _is_unknown(table, name)]
    rest = [name for name in rest if name.rstrip("'") not in used]
    if rest:
        words = f"The columns {quoted(rest)} may hold keyphrases too."
        return made.doubted(words, "keyphrases", keyphrases=(*used, *rest))
    worded = all(source_of(n) != base_of(n) or number_of(n) is not None or is_predicted(n) for n in used)
    if made.mapping.gold or worded or share_lists(table, used):
        return made
    sharing = [name for name in used if any(share_lists(table, [name, other]) for other in used if other != name)]
    if 1 < len(sharing) < len(used):
        words = f"Not all of the columns {quoted(used)} have phrases in common."
        return made.doubted(words, "keyphrases", keyphrases=tuple(sharing))
    words = f"The columns {quoted(used)} may be people or systems, each with a list."
    return made.doubted(words, "annotator", "system")


def _unordered(table: Table, size: int) -> list[str]:
    """Return numbered columns of numbers beside those of phrases, if they give the phrases another order."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    if len(numbers) != size or size < 2:
        return []
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers], axis=1), axis=1)
    steps = steps[np.isfinite(steps)]
    return [] if (steps >= 0).all() or (steps <= 0).all() else numbers


def _lies_across(table: Table, named: dict[str, str], used: Sequence[str]) -> bool:
    """Tell a table whose columns are the documents: “Keywords for text 1”, or numbers over rows of a few people."""
    rows = named.get("document", named.get("annotator"))
    if len(used) > 1 and all(_ABOUT.search(name.strip()) for name in used):
        return True
    if rows is not None and (plain(rows) in NAMES["name"] or plain(rows) in PEOPLE):
        return profile(table, rows).varied == 1 and not profile(table, rows).codes  # a person per row
    bases = {*map(plain, map(base_of, used))}
    if rows is None:  # d1, d2, d3 over nothing but phrases
        told = bases & (PEOPLE | SYSTEMS | {*words_of("phrase")})
        return all(re.search(r"\d", name) for name in used) and not told and "title" not in named
    if plain(rows) in NAMES["doc_id"] or bases & (PEOPLE | SYSTEMS | {*words_of("phrase")}):
        return False
    numbered = all(re.search(r"\d", name) for name in used)
    return numbered and profile(table, rows).varied == 1 and not profile(table, rows).codes


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
        if shape.lists >= 0.5 or shape.moments or is_long(table, name, 200) or _is_sparse(table, name):
            continue
        cells = [cell.strip() for cell in table.texts(name).to_pylist()]
        pairs = set(zip(own, cells, strict=True))
        one_to_one = len(pairs) == len(set(own)) == len(set(cells))
        met = [len(set(cells) & set(ids)) / min(len(set(cells)), len(set(ids))) for ids in others if ids]
        if one_to_one and met and max(met) >= _MET:
            found.append(name)
    return found[0] if len(found) == 1 else None


def guess(table: Table, role: Role | None) -> Proposal:
    """Return a meaning to begin with for a table that no word and no proof tells anything of."""
    shapes = {name: shape for name in table.names if (shape := profile(table, name)).cells}
    if len(shapes) > 1 and all(re.search(r"\d", name) and " " not in name for name in shapes):
        made = Proposal(
            Mapping(role or "gold", document=HEADS, keyphrases=tuple(shapes)), role_known=False, worded=False
        )
        return made.doubted("Do the columns stand for documents?", "document", "keyphrases")
    named = _named(table, ("document",))
    ids = [n for n, s in shapes.items() if _can_be(table, n, "document") and not (s.fraction or s.marks or s.addresses)]
    coded = [name for name in ids if shapes[name].codes and not shapes[name].numbers]
    likely = [*named.values(), *coded, *ids[:1]]
    document = likely[0] if likely else ""
    lists = [name for name in _lists_of(table) if name in shapes and name != document]
    words = [name for name in shapes if name != document and (shapes[name].phrases or name in lists)]
    fields: dict[str, Any] = {"document": document or ROW}
    again = document and len(pc.unique(table.texts(document))) < len(table)
    numbers = any(shape.numbers > 0.5 for name, shape in shapes.items() if name != document)
    if again and (not lists or (numbers and role == "system")):  # a keyphrase per row
        words = [name for name in words if not (shapes[name].numbers or shapes[name].addresses or name in lists)]
        words = ([name for name in words if shapes[name].varied > _REPEATED] or words)[:1]
        lists = []
        whole = [name for name, shape in shapes.items() if shape.whole and name != document]
        fields |= {"rank": whole[0]} if whole and role == "system" else {}
        fractions = [name for name, shape in shapes.items() if shape.fraction]
        fields |= {"score": fractions[0]} if fractions and role == "system" else {}
    elif len(lists or words) > 1:
        fields["system" if role == "system" else "annotator"] = HEADS
    made = Proposal(Mapping(role or "gold", **fields, keyphrases=tuple(lists or words)), role_known=False, worded=False)
    shown = ", ".join(table.names[:_NAMES]) + (" …" if len(table.names) > _NAMES else "")
    return made.doubted(f"KPScope does not know these column names: {shown}.", "document", "keyphrases")
