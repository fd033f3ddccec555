"""Propose the mapping of a table from known column names and proofs in cells; ask about all else in a form."""

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
from kp_core.reading.meaning.fields import NAMES, base_of, is_predicted, number_of, plain, quoted, source_of, words_of
from kp_core.reading.meaning.layout import Doubt, Proposal
from kp_core.reading.meaning.mapping import HEADS, ROW, Mapping
from kp_core.reading.meaning.profiles import (
    SAMPLE,
    Profile,
    cells_of,
    count_distinct,
    filled,
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
_POSSIBLE_MEANINGS = {
    "document": "may be the ids of documents",
    "keyphrases": "may be the keyphrases",
    "annotator": "may name who chose each keyphrase",
    "system": "may name the system",
    "rank": "may be a rank: then lists are ordered by it",
    "score": "may be a score: then lists are ranked by it",
}
#: Columns of marked phrases, or of the kind of a mark.
_TAGS = frozenset({"label", "tag", "labels", "tags"})
#: Maximum share of distinct cells in a column of systems or annotators.
_REPEATED = 0.2
#: Maximum number of column names in a message.
_NAMES = 8
#: Minimum number of inner lists of single words that may be tokens of keyphrases.
_MANY_WORDS = 5
#: Maximum number of annotators of the same documents.
_PEOPLE = 20
#: Minimum share of rows that must be separate lists if a document occurs twice.
_SEPARATE_LISTS_SHARE = 0.6
#: Maximum number of words of a title, and maximum share of distinct cells of repeated ids.
_TITLE, _VARIED = 6, 0.9
#: Minimum share of matching ids of the smaller side.
_MATCHING_SHARE = 0.5
#: Endings of the names of two columns of phrases that are compared.
_PAIR_SUFFIX = re.compile(r"[\s_-]?[12abAB]$")
#: Endings of questions about documents.
_ABOUT = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper|question|"
    r"frage|pregunta|domanda|pytanie|kysymys|vraag)[\s_]*(?:[0-9]{1,3}|[A-Z])$"
)


def proposal(table: Table, role: Role | None) -> Proposal | None:
    """Return the likeliest meaning of a table, or None if neither names nor cells suggest any.

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
    proposed = _texts(table, asked=role is not None) if guessed == "documents" else _phrases(table, guessed or "gold")
    if proposed is None and table.header and guessed != "documents":
        made = guess(table, role)
        return made if made.mapping.keyphrases else None
    return proposed and replace(proposed, role_known=proposed.role_known and guessed is not None)


# possible meanings of single columns


def _can_be(table: Table, name: str, field: str) -> bool:
    shape, head = profile(table, name), plain(name)
    if not shape.cells or name in BRACKETS or head in ("doc_id", "phrase"):
        return True
    if name in ("annotator", "system") and {"doc_id", "phrase"} <= {*table.names}:  # names in our tables may be numbers
        return True
    beside_codes = shape.addresses and any(profile(table, other).codes for other in _unknown(table))
    is_list, other_kind, text = shape.lists >= 0.5, shape.moments or shape.marks, shape.long
    partial = head in ("doi", "di") and len(shape.cells) < min(len(table), SAMPLE)
    no: dict[str, bool] = {
        "document": is_list or shape.moments or text or beside_codes or partial,
        "keyphrases": other_kind
        or (shape.numbers > 0.5 and head not in known.IDENTIFIERS)
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
    return [name for name in table.names if name not in taken and _is_unknown(table, name)]


def _named(table: Table, fields: Sequence[str]) -> dict[str, str]:
    """Return field → the column whose name fits best and whose cells are valid."""
    columns: dict[str, str] = {}
    for field in fields if table.header else ():
        words = words_of(_WORDS.get(field, field))
        free = [name for name in table.names if plain(name) in words and name not in columns.values()]
        fitting = [name for name in free if _can_be(table, name, field)]
        if fitting:
            columns[field] = min(fitting, key=lambda name: (plain(name) in _TAGS, words.index(plain(name))))
    return columns


def _role_by_heads(table: Table) -> Role | None:
    heads = set(map(plain, table.names))
    ranked = heads & {*NAMES["rank"], *NAMES["score"]}
    worded = [name for name in table.names if plain(name) in words_of("phrase")]
    predicted = [name for name in table.names if is_predicted(name) and profile(table, name).phrases]
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
    beside = [name for name in table.names if _may_be_phrases(table, name)]
    return "documents" if heads & {*NAMES["text"]} or (heads & {*NAMES["title"]} and len(beside) < 2) else None


def _scored(table: Table, name: str) -> list[Any]:
    if not (table.nulls or name in list_columns(table)):
        return []
    cells = [cell for cell in table.column(name).slice(0, SAMPLE).to_pylist() if cell]
    lists = [json_list(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell for cell in cells]
    return lists if are_scored([cell for cell in lists if isinstance(cell, (list, dict))]) else []


def _lists_of(table: Table) -> list[str]:
    nested = list_columns(table)
    whole = whole_lists(table, table.names) if table.header else table.names
    lists = [name for name in whole if table.header or profile(table, name).lists >= 0.5]
    lists = [name for name in lists if profile(table, name).phrases or name in nested]
    return [name for name in lists if plain(name) not in known.NO_PHRASES]


def _may_be_phrases(table: Table, name: str) -> bool:
    shape = profile(table, name)
    words = _is_unknown(table, name) and shape.phrases and bool(shape.cells)
    return words and not (shape.codes or shape.addresses or shape.numbers)


# nested objects, judged pairs and texts


def _nested(table: Table, role: Role | None) -> Proposal:
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
    if not table.header:
        return None
    fields = {"pair_id": "pair", "doc_id": "document", "keyphrase": "keyphrases"}
    names = known.find_roles(table.names, (*fields, "candidate", "annotator", "score"))
    columns: dict[str, Any] = {fields.get(role, role): name for role, name in names.items()}
    free = [name for name in table.names if name not in columns.values()]
    if "keyphrases" in columns and "candidate" not in columns and (beside := known.find_roles(free, ("phrase",))):
        columns["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    twins = [name for name in free if profile(table, name).phrases and _PAIR_SUFFIX.search(name)]
    unsure = (
        "candidate" not in columns
        and len(twins) == 2
        and _PAIR_SUFFIX.sub("", twins[0]) == _PAIR_SUFFIX.sub("", twins[1])
    )
    if unsure:  # “word 1” and “word 2”
        columns |= dict(zip(("keyphrases", "candidate"), twins, strict=True))
        free = [name for name in free if name not in twins]
    if "candidate" in columns and "score" not in columns:
        raters = [name for name in free if known.JUDGE.match(name)]
        if not raters and "keyphrases" in columns:
            unknown = {name: profile(table, name) for name in free if plain(name) not in known.KNOWN}
            raters = [name for name, shape in unknown.items() if shape.cells and shape.numbers > 0.8]
        columns |= {"score": tuple(raters), "annotator": HEADS} if raters else {}
    if not {"candidate", "score"} <= columns.keys():
        return None
    made = Proposal(Mapping("judgements", **columns))
    words = f"The columns {quoted(twins)} may be pairs of phrases, with ratings beside them."
    return made.doubted(words, "keyphrases", "candidate", "score") if unsure and role is None else made


def _texts(table: Table, *, asked: bool) -> Proposal | None:
    columns = _named(table, _FIELDS["documents"])
    if not {"text", "title", "group"} & columns.keys():
        return None
    fields: dict[str, Any] = {"document": ROW, **columns}
    made = Proposal(Mapping("documents", **fields))
    beside = [name for name in table.names if name not in columns.values() and _may_be_phrases(table, name)]
    if asked or not beside:
        return made
    document = columns.get("document") or next((n for n in _ids_among(table, columns, ()) if n != beside[0]), ROW)
    phrases: dict[str, Any] = {"keyphrases": beside[0], "document": document, "split": _split(table, beside[0])}
    return made.doubted(_may_be([("keyphrases", beside[0])]).words, "keyphrases", role="gold", **phrases)


def _may_be(unknown: Sequence[tuple[str, str]]) -> Doubt:
    words = "; ".join(f"the column “{name[:40]}” {_POSSIBLE_MEANINGS[field]}" for field, name in unknown)
    return Doubt(f"{words[:1].upper()}{words[1:]}.", tuple(field for field, _ in unknown))


# keyphrases


def _phrases(table: Table, role: Role) -> Proposal | None:
    named = _named(table, _FIELDS[role])
    identifiers = [name for name in table.names if plain(name) in known.IDENTIFIERS and name not in named.values()]
    if "keyphrases" in named and "concept" not in named and identifiers:
        named["concept"] = identifiers[0]
    if "keyphrases" not in named and len(named) + len(identifiers) == len(table.names) and table.header:
        alone = [*identifiers, *(name for field, name in named.items() if field == "concept")]
        named |= {"keyphrases": alone[0], "concept": alone[0]} if "document" in named and alone else {}
    named = _with_headings(table, named)
    if "document" not in named and (marked := _marked(table, role, named)) is not None:
        return marked
    apart = _side_by_side(table, named)
    numbered = any(re.search(r"\d", name) for name in apart)
    if apart and not (named or numbered or share_lists(table, apart)):
        return None
    if apart and "document" in named and _count_lists(table, named) < len(table):
        apart = ()
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
    """Use a column named text, title or shelf mark as document or keyphrase, if its cells allow nothing else."""
    columns, ranked = dict(named), {*NAMES["rank"], *NAMES["score"]} & {*map(plain, table.names)}
    for name in table.names if table.header else ():
        shape = profile(table, name)
        if plain(name) not in known.DOCUMENTS | known.SHELF_MARKS or shape.lists >= 0.5:
            continue
        codes = [profile(table, other) for other in _unknown(table) if profile(table, other).codes]
        coded = any(not shape.numbers for shape in codes)
        again = (shape.varied <= _VARIED or is_merged(table, name)) and not coded
        is_person = plain(columns.get("document", "")) in NAMES["name"]
        if ("document" not in columns or is_person) and (shape.codes or again or plain(name) in known.SHELF_MARKS):
            person = {"annotator": columns["document"]} if is_person else {}
            columns = {field: other for field, other in columns.items() if other != name} | person | {"document": name}
        tag = plain(columns.get("keyphrases", "")) in _TAGS and profile(table, columns["keyphrases"]).varied <= 0.5
        short = shape.words <= 2.5 and not shape.codes and columns.get("document") != name
        if (tag or (ranked and "keyphrases" not in columns)) and short:
            columns = {field: other for field, other in columns.items() if other != name} | {"keyphrases": name}
    return columns


def _guessed(table: Table, named: dict[str, str]) -> list[tuple[str, str]]:
    nested, guesses = list_columns(table), list[tuple[str, str]]()
    free = [name for name in _unknown(table, named.values()) if cells_of(table, name) or name in nested]
    if "keyphrases" not in named:
        lists = [name for name in _lists_of(table) if name in free]
        words = [name for name in free if _may_be_phrases(table, name) or name in lists]
        ids = [name for name in words if "document" not in named and name == table.names[0]]
        if table.header and not named.keys() & {"document", "keyphrases"} and not lists and len(words) > 1:
            return []
        words = lists or [name for name in words if name not in ids] or words
        if not words:
            return []
        guesses.append(("keyphrases", max(words, key=lambda name: profile(table, name).varied)))
    if "document" not in named:
        taken = {*named.values(), *(name for _, name in guesses)}
        guesses = [("document", name) for name in _ids_among(table, named, taken)[:1]] + guesses
    return guesses


def _ids_among(table: Table, named: dict[str, str], taken: Collection[str]) -> list[str]:
    """Return the columns with unknown names that may contain document ids, likeliest first."""
    free, first = _unknown(table, {*named.values(), *taken}), table.names[0]
    free = [name for name in free if _can_be(table, name, "document") and cells_of(table, name)]
    shapes = {name: profile(table, name) for name in free}
    usable = [name for name, shape in shapes.items() if not (shape.marks or shape.fraction)]
    usable = [name for name in usable if shapes[name].codes or name == first or not shapes[name].numbers]
    coded, once = [n for n in usable if shapes[n].codes], [n for n in usable if shapes[n].varied == 1]
    return coded or once or usable


def _of_one(table: Table, role: Role, named: dict[str, str], unknown: list[tuple[str, str]]) -> Proposal | None:
    phrases = named["keyphrases"]
    split = _split_of(table, named)
    if "document" not in named and split == "none" and "text" not in named:
        return None
    fields: dict[str, Any] = {"document": ROW, **named, "split": split}
    better = {True: known.HIGHER, False: known.LOWER}
    ways = [way for way, words in better.items() if role == "system" and plain(named.get("score", "")) in words]
    mapping = Mapping(role, higher_is_better=ways[0] if ways else None, **fields)
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
    """Recognize the only column of lists, or, next to known keyphrases, the only column of codes."""
    if field == "keyphrases":
        return [named["keyphrases"]] == _lists_of(table)
    coded = [name for name in _unknown(table) if profile(table, name).codes]
    coded = [name for name in coded if not profile(table, name).numbers or name == table.names[0]]
    sure = ("keyphrases", named["keyphrases"]) not in unknown or _is_only_one(table, named, unknown, "keyphrases")
    return sure and coded == [named["document"]]


def _split_of(table: Table, named: dict[str, str]) -> str:
    name = named["keyphrases"]
    if name in list_columns(table):
        return ""
    alone = whole_lists(table, [name]) and profile(table, named.get("document", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & named.keys() and not alone):
        return "none"
    lists = _count_lists(table, named)
    if lists == len(table):
        return _split(table, name)
    marks = ";," if lists >= _SEPARATE_LISTS_SHARE * len(table) else ""
    return next((mark for mark in marks if 2 * share_with(table.texts(name), mark) >= 1), "none")


def _split(table: Table, name: str) -> str:
    return cell_separator(table, name, certain=plain(name) in {*NAMES["phrases"]} - {*NAMES["phrase"]}) or "none"


def _count_lists(table: Table, named: dict[str, str]) -> int:
    """Count the lists, if all rows of a document, and of a source, are one list."""
    keys = [named[field] for field in ("document", "annotator", "system") if field in named][:2]
    if "document" not in named:
        return len(table)
    if (key := f"lists of {keys}") not in table.seen:
        table.seen[key] = count_distinct({name: filled(table, name) for name in keys})
    return int(table.seen[key])


# doubts about other columns


def systems_named(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Ask about a column that names systems, next to annotators or the gold standard."""
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
    """Ask about a column of a few names that may be annotators or systems."""
    mapping, ids = made.mapping, made.mapping.document
    if ids == ROW or mapping.annotator or mapping.system or len(table) < 2:
        return made
    person = "annotator" if mapping.role == "gold" else "system"
    documents = len(pc.unique(filled(table, ids)))
    for name in free:
        shape = profile(table, name)
        values = len(set(shape.cells))
        if shape.varied > 0.5 or not (_is_unknown(table, name) and _can_be(table, name, "system")):
            continue
        pairs = count_distinct({"document": filled(table, ids), "value": table.texts(name)})
        if 1 < values <= _PEOPLE and documents > 1 and pairs >= 0.9 * values * documents:
            return made.doubted(_may_be([(person, name)]).words, person, **{person: name})
    group = mapping.group if mapping.role == "gold" and mapping.split == "none" else ""
    if group and count_distinct({"group": filled(table, group), "document": filled(table, ids)}) > documents:
        words = f"Documents have several entries in “{group[:40]}”."
        return made.doubted(words, "group", "annotator", group="", annotator=group)
    return made


def _scores(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Ask about numbers that may rank the phrases of a system, unless the rows have this order."""
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
    for name in numbers:
        values = pd.Series(floats(table.column(name))[0])
        places = values.groupby(groups).apply(lambda ranks: sorted(ranks) == list(range(1, len(ranks) + 1)))
        if places.all() and groups.duplicated().any():
            jumps = (_steps(table, groups, name) != 1).any()
            return made.doubted(_may_be([("rank", name)]).words, "rank", rank=name) if jumps else made
    systems = [name for name in numbers if known.SYSTEMS & set(re.split(r"[\W_]+", plain(name)))]
    if len(systems) < 2 and any((_steps(table, groups, name) <= 0).all() for name in numbers):
        return made
    ranking = systems if len(systems) > 1 else [name for name in numbers if not profile(table, name).whole]
    if len(ranking) > 1:
        words = f"The columns {quoted(ranking)} may be scores of several systems, or of one."
        return made.doubted(words, "score", "system", score=tuple(ranking), system=HEADS)
    if ranking:
        words = _may_be([("score", ranking[0])]).words
        return made.doubted(words, "score", score=(ranking[0],), higher_is_better="yake" not in plain(ranking[0]))
    return made


def _scores_of_lists(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Ask about the order of lists of phrases with scores, and about lists of numbers next to lists of phrases."""
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
    if not min(steps) >= 0 < max(steps) or any(words != sorted(words) for words in lists):
        return made
    message = f"{what} are in alphabetical order, so it is unclear whether high scores are better."
    return made.doubted(message, "higher_is_better", higher_is_better=True)


def _steps(table: Table, groups: pd.Series, name: str) -> pd.Series:
    return pd.Series(floats(with_points(table.column(name)))[0]).groupby(groups).diff().dropna()


def _marked(table: Table, role: Role, named: dict[str, str]) -> Proposal | None:
    marks = [name for name in _unknown(table) if cells_of(table, name) and profile(table, name).marks]
    phrases = named.get("keyphrases") or next((n for n in table.names if profile(table, n).phrases), None)
    if len(marks) < 2 or phrases is None or not table.header:
        return None
    made = Proposal(Mapping(role, keyphrases=phrases, marks=tuple(marks), document=HEADS, split="none"))
    return made.doubted(f"The columns {quoted(marks)} may mark the keyphrases of documents, or of people.", "document")


def _verdicts(table: Table, made: Proposal, free: Sequence[str]) -> Proposal:
    """Ask about columns of yes and no: one rejects phrases, several are annotators."""
    mapping = made.mapping
    if mapping.split != "none" or mapping.document == ROW:
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
    """Ask about further columns of keyphrases, and about cells that look like lists."""
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
    """Ask whether inner lists of single words are variants or tokens, and about texts."""
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
    """Ask about rows of annotators or form answers, if no column identifies the documents."""
    mapping = made.mapping
    if mapping.document == ROW and (mapping.annotator or mapping.system or known.is_form(table.names)):
        words = "No column identifies the documents: each row may be one, or all rows may belong to one document."
        return made.doubted(words, "document")
    if mapping.document in table.names and plain(mapping.document) in NAMES["name"] and table.header:
        return made.doubted(f"“{mapping.document[:40]}” may name documents, or people.", "document")
    return made


# adjacent columns


def _side_by_side(table: Table, named: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of keyphrases, if annotators or systems each have one or several numbered columns."""
    if len(worded := _worded(table)) > 1:
        return tuple(worded)
    phrases = named.get("keyphrases")
    nested = [name for name in list_columns(table) if name not in named.values()]
    if phrases is None and len(nested) > 1:
        return tuple(nested)
    if len(again := _repeated(table, named)) > 1:
        return again
    gold = phrases is not None and known.is_gold(phrases)
    if not table.header or (phrases is not None and not gold) or {"rank", "score"} & named.keys():
        return ()
    return _unnamed(table, named, phrases if gold else None)


def _unnamed(table: Table, named: dict[str, str], gold: str | None) -> tuple[str, ...]:
    """Return the columns with other names that may be annotators, or systems next to a gold standard."""
    whole, free = whole_lists(table, table.names), _free(table, named)
    # A number after a word for a person counts people, not the phrases of one person.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in known.PEOPLE]
    groups = known.grouped(numbered)
    if any(len(names) > 1 for names in groups.values()) and not gold:
        return tuple(name for names in groups.values() if len(names) > 1 or number_of(names[0]) == 1 for name in names)
    if "document" not in named and free:
        first = next(iter(free))
        if free[first].lists < 0.5 and free[first].varied > 0.9:  # ids under an unknown column name
            del free[first]
    # A column without lists among columns of lists may be a title, unless its values repeat like keyphrases.
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in known.SYSTEMS for name in free) and "document" not in named:
        return ()
    if gold:  # next to systems
        predicted = [name for name in table.names if name not in free and is_predicted(name)]
        sure = plain(gold) in known.GOLD_WORDS
        # Titles may contain commas.
        lists = [n for n in lists if cell_separator(table, n, certain=False) != "," or share_lists(table, [gold, n])]
        beside = [name for name in free if sure or name in lists or plain(name) in known.SYSTEMS]
        return (gold, *beside, *predicted) if beside or predicted else ()
    return tuple(free) if len(free) > 1 else ()


def _worded(table: Table) -> list[str]:
    """Return the columns with a source in their name, such as “Keywords Anna”, without numbered ones."""
    heads = [name for name in table.names if source_of(name) != base_of(name)]
    heads = [name for name in heads if plain(name) not in known.KNOWN | known.BESIDES]
    lists = [name for name in whole_lists(table, heads) if source_of(name)]  # “Keywords R1”
    worded = [name for name in heads if number_of(name) is None or name in lists]
    return [name for name in worded if profile(table, name).phrases]


def _repeated(table: Table, named: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of phrases if all have the same name, and there are no lists and no further columns."""
    phrases = named.get("keyphrases")
    if phrases is None or named.keys() - {"document", "keyphrases", "title", "text", "group"}:
        return ()
    again = tuple(name for name in table.names if name.rstrip("'") == phrases)
    shapes = [profile(table, name) for name in again]
    alone = all(shape.lists < 0.5 and (shape.phrases or not shape.cells) for shape in shapes)
    once = "document" not in named or len(pc.unique(table.texts(named["document"]))) == len(table)
    return again if alone and once else ()


def _free(table: Table, named: dict[str, str]) -> dict[str, Profile]:
    """Return the columns that may be annotators or systems, because they have no other known meaning."""
    used = {*named.values()}
    taken = used | {name for name in table.names if plain(name.rstrip("'")) in known.KNOWN | known.BESIDES}
    whole = {*whole_lists(table, table.names)} - used
    if not {"pt", "ut"} <= set(map(plain, table.names)):  # initials are tags of Web of Science only among others
        taken -= {name for name in whole if re.fullmatch("[A-Z]{2}", name)}
    taken -= {name for name in whole if plain(name) in known.SYSTEMS}
    readers = {name for name in whole if plain(name) in NAMES["annotator"]}
    # “Authors” means annotators next to readers, else the authors of the document.
    authors = {name for name in table.names if plain(name.rpartition(".")[2]) in known.WRITERS}
    predicted = [name for name in table.names if is_predicted(name)]
    chose = {name for name in authors & whole if predicted and share_lists(table, [name, *predicted])}
    taken = taken - readers if readers else (taken | authors) - chose
    taken |= {name for name in table.names if plain(base_of(name)) in known.IDENTIFIERS}
    taken |= {name for name in table.names if known.REMARKS & set(map(plain, name.split()))}
    free = {name: profile(table, name) for name in table.names if name not in taken}
    return {name: shape for name, shape in free.items() if (shape.phrases and not shape.addresses) or not shape.cells}


def share_lists(table: Table, names: Iterable[str]) -> bool:
    """Return whether each column shares phrases with the others in at least two rows and 20% of the rows."""
    items = {name: [*map(items_of, table.first_texts(name, SAMPLE).to_pylist())] for name in names}
    for name, column_items in items.items():
        others = zip(*(cells for other, cells in items.items() if other != name), strict=True)
        both = sum(bool(cell & set().union(*row)) for cell, row in zip(column_items, others, strict=False))
        cells = sum(map(bool, column_items))
        if both < min(2, cells) or 5 * both < cells or not both:
            return False
    return len(items) > 1


def _of_several(table: Table, role: Role, named: dict[str, str], apart: tuple[str, ...]) -> Proposal:
    named = {field: name for field, name in named.items() if name not in apart}
    corner = next((field for field in ("annotator", "system") if field in named and "document" not in named), "")
    if corner and profile(table, named[corner]).varied == 1:  # a row header, not a column name
        named["document"] = named.pop(corner)
    if "document" not in named and (ids := _ids_among(table, named, apart)):
        named["document"] = ids[0]
    whole, head = whole_lists(table, apart), known.gold_beside({name: (name,) for name in apart})
    sources, gold = known.grouped(apart, whole), (head,) if head else ()
    again = len({name.rstrip("'") for name in apart}) == 1
    one_list = again or list(sources) == [""] or (len(sources) == 1 and bool({"annotator", "system"} & named.keys()))
    fields: dict[str, Any] = {"document": ROW, **named, "keyphrases": apart, "gold": gold}
    if not one_list:
        fields["system" if role == "system" or gold else "annotator"] = HEADS
    elif not whole:
        fields["split"] = "none"
    return _with_doubts_of_columns(table, Proposal(Mapping(role, **fields)), named)


def _with_doubts_of_columns(table: Table, made: Proposal, named: dict[str, str]) -> Proposal:
    """Ask whether columns are annotators or systems, unless names or shared phrases show it."""
    mapping, used = made.mapping, tuple(made.mapping.keyphrases)
    if _is_transposed(table, named, used):
        owner = named.get("annotator") or named.get("document") or (ROW if whole_lists(table, used) else "")
        turned = {"role": "gold", "document": HEADS, "annotator": owner, "system": "", "split": ""}
        words = "Are the columns documents, and the rows people?"
        return made.doubted(words, "document", "annotator", **turned)
    apart, changes = HEADS in (mapping.annotator, mapping.system), dict[str, Any]()
    people = tuple(name for name in used if not is_predicted(name))
    golds = [name for name in used if known.is_gold(name)]
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
    """Return whether numbered columns of numbers contradict the order of the numbered columns of phrases."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    if len(numbers) != size or size < 2:
        return False
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers], axis=1), axis=1)
    steps = steps[np.isfinite(steps)]
    return not ((steps >= 0).all() or (steps <= 0).all())


def _is_transposed(table: Table, named: dict[str, str], used: Sequence[str]) -> bool:
    """Recognize columns that are documents: “Keywords for text 1”, or numbered columns with one person per row."""
    if len(used) > 1 and all(_ABOUT.search(name.strip()) for name in used):
        return True
    words = {*map(plain, map(base_of, used))} & (known.PEOPLE | known.SYSTEMS | {*words_of("phrase")})
    numbered = all(re.search(r"\d", name) for name in used) and not words
    rows = named.get("document", named.get("annotator"))
    if rows is None:  # d1, d2, d3 above cells that are all phrases
        return numbered and "title" not in named
    a_person_each = profile(table, rows).varied == 1 and not profile(table, rows).codes
    is_person = plain(rows) in known.PEOPLE.union(NAMES["name"])
    return a_person_each and (is_person or (numbered and plain(rows) not in NAMES["doc_id"]))


# matching ids of another file, and the form of an unknown table


def column_with_ids(
    table: Table, mapping: Mapping, own: Sequence[str], others: Sequence[Collection[str]]
) -> str | None:
    """Return the only other column whose ids match those of another file.

    Parameters
    ----------
    own : list of str
        The document of each row.
    others : list of sets of str
        The ids of every other file.
    """
    if any(set(own) & set(ids) for ids in others):
        return None
    candidates = []
    for name in (name for name in table.names if name not in mapping.columns):
        shape = profile(table, name)
        if shape.lists >= 0.5 or shape.moments or shape.long:
            continue
        cells = [cell.strip() for cell in table.texts(name).to_pylist()]
        pairs = set(zip(own, cells, strict=True))
        one_to_one = len(pairs) == len(set(own)) == len(set(cells))
        met = [len(set(cells) & set(ids)) / min(len(set(cells)), len(set(ids))) for ids in others if ids]
        if one_to_one and met and max(met) >= _MATCHING_SHARE:
            candidates.append(name)
    return candidates[0] if len(candidates) == 1 else None


def guess(table: Table, role: Role | None) -> Proposal:
    """Return a first guess for a table with unknown names and cells."""
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
    if again and (not lists or (numbers and role == "system")):  # one keyphrase per row
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
