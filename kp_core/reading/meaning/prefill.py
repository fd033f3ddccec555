"""Propose the mapping of a table from known column names and unambiguous cells; ask about the rest in a form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.reading.meaning import fields as known
from kp_core.reading.meaning.fields import NAMES, base_of, is_predicted, number_of, plain, quoted, source_of, words_of
from kp_core.reading.meaning.mapping import HEADS, MARKS, ROW, Mapping, Proposal
from kp_core.reading.meaning.profiles import (
    SAMPLE,
    cells_of,
    count_distinct,
    filled,
    is_merged,
    items_of,
    profile,
    whole_lists,
)
from kp_core.reading.open.table import BRACKETS, INNER, LIST, OUTER, TEXT, UNNAMED, Table, list_columns, share_with
from kp_core.reading.open.values import floats, is_number, number, with_points
from kp_core.reading.rows.separators import are_scored, cell_separator, json_list, number_behind

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
#: Names of columns that contain marked phrases, or the kind of each mark.
_TAGS = frozenset({"label", "tag", "labels", "tags"})
#: Maximum number of column names in a message.
_NAMES = 8
#: Minimum number of inner lists of single words that may be tokens of keyphrases.
_MANY_WORDS = 5
#: Maximum number of annotators of the same documents.
_PEOPLE = 20
#: Minimum share of rows that must be separate lists if a document occurs twice.
_SEPARATE_LISTS_SHARE = 0.6
#: Maximum share of distinct cells of repeated ids.
_VARIED_SHARE = 0.9
#: Minimum share of the ids of the smaller side that must match.
_MATCHING_SHARE = 0.5
#: Endings of the names of two columns of phrases that are compared.
_PAIR_SUFFIX = re.compile(r"[\s_-]?[12abAB]$")
#: Endings of questions about documents.
_DOCUMENT_NAME = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper|question|"
    r"frage|pregunta|domanda|pytanie|kysymys|vraag)[\s_]*(?:[0-9]{1,3}|[A-Z])$"
)


def proposal(table: Table, role: Role | None) -> Proposal | None:
    """Return the likeliest meaning of a table, or None if neither names nor cells suggest one.

    >>> import pyarrow as pa
    >>> columns = [pa.chunked_array([["1", "2"]]), pa.chunked_array([["tide; sea", "moon"]])]
    >>> found = proposal(Table("g.csv", ["Nr", "Keywords"], columns), "gold")
    >>> str(found.mapping), found.doubts
    ('role=gold,document=Nr,keyphrases=Keywords,split=;', ())
    """
    if {OUTER, LIST} <= {*table.names}:
        return _nested_columns(table, role)
    if role in (None, "judgements") and (pairs := _pairs(table, role)) is not None:
        return pairs
    guessed = role or _role_by_heads(table)
    draft = _texts(table, is_certain=role is not None) if guessed == "documents" else _phrases(table, guessed or "gold")
    if draft is None and guessed != "documents":
        draft = guess(table, role)
        is_list = table.header or (draft.mapping.document, draft.mapping.split) != (ROW, "none")
        return draft if draft.mapping.keyphrases and is_list else None
    return draft and replace(draft, role_known=draft.role_known and guessed is not None)


# possible meanings of single columns


def _can_be(table: Table, name: str, field: str) -> bool:
    shape, head = profile(table, name), plain(name)
    if not shape.cells or name in BRACKETS or head in ("doc_id", "phrase"):
        return True
    if name in ("annotator", "system") and {"doc_id", "phrase"} <= {*table.names}:  # names in our tables may be numbers
        return True
    is_list, other_kind = shape.lists >= 0.5, shape.moments or shape.marks
    partial = head in ("doi", "di") and len(shape.cells) < min(len(table), SAMPLE)
    beside_codes = shape.addresses and any(profile(table, other).codes for other in _unknown(table))
    is_code = shape.codes and head in known.DOCUMENTS | {"ref", "refs"}
    are_numbers = shape.numbers > 0.5 and head not in known.IDENTIFIERS
    ruled_out: dict[str, bool] = {
        "document": is_list or shape.moments or shape.long or partial or beside_codes,
        "keyphrases": other_kind or are_numbers or is_code,
        "annotator": is_list or other_kind or shape.fraction or ("mail" in head and shape.varied == 1),
        "system": is_list or other_kind or shape.fraction,
        "rank": shape.fraction or shape.numbers == 0,
        "score": shape.numbers == 0,
        "relevance": shape.fraction,
        "text": shape.codes,
        "title": shape.codes,
    }
    return not ruled_out.get(field, False)


def _is_unknown(table: Table, name: str) -> bool:
    return not table.header or plain(name) not in known.KNOWN | known.ASIDE | {*known.IDENTIFIERS}


def _unknown(table: Table, taken: Collection[str] = ()) -> list[str]:
    return [name for name in table.names if name not in taken and _is_unknown(table, name)]


def _columns_by_name(table: Table, fields: Sequence[str]) -> dict[str, str]:
    """Return field → the column whose name fits best and whose cells are valid."""
    columns: dict[str, str] = {}
    for field in fields if table.header else ():
        words = words_of(_WORDS.get(field, field))
        unassigned = [name for name in table.names if plain(name) in words and name not in columns.values()]
        fitting = [name for name in unassigned if _can_be(table, name, field)]
        if fitting:
            columns[field] = min(fitting, key=lambda name: (plain(name) in _TAGS, words.index(plain(name))))
    return columns


def _role_by_heads(table: Table) -> Role | None:
    heads = set(map(plain, table.names))
    scores = {plain(base_of(name)) for name in table.names if profile(table, name).fraction}
    ranked = heads & {*NAMES["rank"], *NAMES["score"]} | scores & {*NAMES["score"]}
    phrase_names = [name for name in table.names if plain(name) in words_of("phrase")]
    predicted = [name for name in table.names if is_predicted(name) and profile(table, name).phrases]
    if heads & {*NAMES["system"]} or (ranked and not {*phrase_names[:1]} & {*whole_lists(table, phrase_names)}):
        return "system"
    if predicted and all(is_predicted(name) for name in phrase_names):
        return "system" if len(predicted) > 1 or not set(_list_names(table)) - set(predicted) else None
    if any(_scored(table, name) for name in phrase_names):
        return "system"
    if heads & {*NAMES["annotator"], *NAMES["relevance"], *NAMES["votes"]}:
        return "gold"
    if phrase_names or not table.header or _list_names(table) or any(base_of(name) != name for name in table.names):
        return None
    candidates = [name for name in table.names if _may_be_phrases(table, name)]
    return "documents" if heads & {*NAMES["text"]} or (heads & {*NAMES["title"]} and len(candidates) < 2) else None


def _scored(table: Table, name: str) -> list[Any]:
    if not (table.nulls or name in list_columns(table)):
        return []
    cells = [cell for cell in table.column(name).slice(0, SAMPLE).to_pylist() if cell]
    lists = [json_list(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell for cell in cells]
    return lists if are_scored([cell for cell in lists if isinstance(cell, (list, dict))]) else []


def _list_names(table: Table) -> list[str]:
    nested = list_columns(table)
    candidates = whole_lists(table, table.names) if table.header else table.names
    lists = [name for name in candidates if table.header or profile(table, name).lists >= 0.5]
    lists = [name for name in lists if profile(table, name).phrases or name in nested]
    return [name for name in lists if plain(name) not in known.NO_PHRASES]


def _may_be_phrases(table: Table, name: str) -> bool:
    shape = profile(table, name)
    is_unknown_text = _is_unknown(table, name) and shape.phrases and bool(shape.cells)
    return is_unknown_text and not (shape.codes or shape.addresses or shape.numbers)


# nested objects, judged pairs and texts


def _nested_columns(table: Table, role: Role | None) -> Proposal:
    keys = {column: set(table.texts(column).to_pylist()) for column in (INNER, OUTER)}
    systems = {column: bool(known.SYSTEMS & set(map(plain, names))) for column, names in keys.items()}
    document, owner = sorted(keys, key=lambda column: (systems[column], -len(keys[column])))
    guessed: Role = role or ("system" if systems[owner] else "gold")
    source: dict[str, Any] = {"annotator" if guessed == "gold" else "system": owner}
    draft = Proposal(Mapping(guessed, document=document, keyphrases=LIST, **source), role_known=role == guessed)
    if systems[owner] and not systems[document]:
        return replace(draft, role_known=True)
    question = "Objects within objects: which keys are the documents, and which the people or systems?"
    return draft.doubted(question, "document")


def _pairs(table: Table, role: Role | None) -> Proposal | None:
    fields = {"pair_id": "pair", "doc_id": "document", "keyphrase": "keyphrases"}
    names = known.find_roles(table.names, (*fields, "candidate", "annotator", "score")) if table.header else {}
    columns: dict[str, Any] = {fields.get(role, role): name for role, name in names.items()}
    unused = [name for name in table.names if name not in columns.values()]
    if "keyphrases" in columns and (phrases := known.find_roles(unused, ("phrase",))):
        columns = {"candidate": phrases["phrase"], **columns}
    pair_names = [name for name in unused if number_of(name) or _PAIR_SUFFIX.search(name)]
    pair_names = [name for name in pair_names if profile(table, name).phrases]
    same_stem = len({_PAIR_SUFFIX.sub("", name) for name in pair_names}) == 1 and not whole_lists(table, pair_names)
    is_guess = "candidate" not in columns and len(pair_names) == 2 and same_stem  # “word 1” and “word 2”
    columns |= dict(zip(("keyphrases", "candidate"), pair_names, strict=True)) if is_guess else {}
    if "candidate" in columns and "score" not in columns:
        unused = [name for name in unused if name not in columns.values()]
        others = unused if "keyphrases" in columns else ()
        numbers = (name for name in others if _is_unknown(table, name) and profile(table, name).numbers > 0.8)
        raters = [name for name in unused if known.JUDGE.match(name)] or [*numbers]
        columns |= {"score": tuple(raters), "annotator": HEADS} if raters else {}
    # Candidates with scores only are those of a system.
    if not ({"candidate", "score"} <= columns.keys() and (role or {"annotator", "keyphrases"} & columns.keys())):
        return None
    draft = Proposal(Mapping("judgements", **columns))
    question = f"The columns {quoted(pair_names)} may be pairs of phrases, with ratings beside them."
    return draft.doubted(question, "keyphrases", "candidate", "score") if is_guess and role is None else draft


def _texts(table: Table, *, is_certain: bool) -> Proposal | None:
    columns = _columns_by_name(table, _FIELDS["documents"])
    if not {"text", "title", "group"} & columns.keys():
        return None
    fields: dict[str, Any] = {"document": ROW, **columns}
    draft = Proposal(Mapping("documents", **fields))
    phrases = [name for name in table.names if name not in columns.values() and _may_be_phrases(table, name)]
    if is_certain or not phrases:
        return draft
    document = columns.get("document") or next(iter(_ids_among(table, columns, phrases[:1])), ROW)
    return _may_be(draft, "keyphrases", phrases[0], role="gold", document=document, split=_split(table, phrases[0]))


def _may_be(draft: Proposal, field: str, name: str, **changes: Any) -> Proposal:
    """Give a column a possible meaning in a proposal, and ask about it."""
    message = f"The column “{name[:40]}” {_POSSIBLE_MEANINGS[field]}."
    return draft.doubted(message, field, **{field: name, **changes})


# keyphrases


def _phrases(table: Table, role: Role) -> Proposal | None:
    assigned = _columns_by_name(table, _FIELDS[role])
    identifiers = [name for name in table.names if plain(name) in known.IDENTIFIERS and name not in assigned.values()]
    concept = assigned.get("concept") or next(iter(identifiers), "")
    if concept and "keyphrases" in assigned:
        assigned["concept"] = concept
    elif concept and "document" in assigned and {*table.names} <= {*assigned.values(), *identifiers}:
        assigned |= {"keyphrases": concept, "concept": concept}
    assigned = _with_headings(table, assigned)
    if "document" not in assigned and (marked := _marked_layout(table, role, assigned)) is not None:
        return marked
    columns = _side_by_side(table, assigned)
    numbered = any(re.search(r"\d", name) for name in columns)
    if columns and not (assigned or numbered or share_lists(table, columns)):
        return None
    if columns and not ("document" in assigned and _count_lists(table, assigned) < len(table)):
        assigned.pop("keyphrases", "")
        return _several_columns(table, role, assigned, columns)
    if "keyphrases" not in assigned:
        return None
    ids = [] if "document" in assigned else _ids_among(table, assigned)
    draft = _single_column(table, role, dict(zip(["document"], ids, strict=False)) | assigned)
    return _may_be(draft, "document", ids[0]) if draft and ids else draft


def _with_headings(table: Table, assigned: dict[str, str]) -> dict[str, str]:
    """Use a column named text, title or shelf mark as document or keyphrase, if its cells allow nothing else."""
    columns, ranked = dict(assigned), {*NAMES["rank"], *NAMES["score"]} & {*map(plain, table.names)}
    for name in table.names if table.header else ():
        shape = profile(table, name)
        if plain(name) not in known.DOCUMENTS | known.SHELF_MARKS or shape.lists >= 0.5:
            continue
        codes = [profile(table, other) for other in _unknown(table) if profile(table, other).codes]
        coded = any(not shape.numbers for shape in codes)
        repeats = (shape.varied <= _VARIED_SHARE or is_merged(table, name)) and not coded
        is_person = plain(columns.get("document", "")) in NAMES["name"]
        if ("document" not in columns or is_person) and (shape.codes or repeats or plain(name) in known.SHELF_MARKS):
            person = {"annotator": columns["document"]} if is_person else {}
            columns = {field: other for field, other in columns.items() if other != name} | person | {"document": name}
        is_tag = plain(columns.get("keyphrases", "")) in _TAGS and profile(table, columns["keyphrases"]).varied <= 0.5
        is_short = shape.words <= 2.5 and not shape.codes and columns.get("document") != name
        if (is_tag or (ranked and "keyphrases" not in columns)) and is_short:
            columns = {field: other for field, other in columns.items() if other != name} | {"keyphrases": name}
    return columns


def _ids_among(table: Table, assigned: dict[str, str], excluded: Collection[str] = ()) -> list[str]:
    """Return the columns with unknown names that may contain document ids, likeliest first."""
    unknown, first_name = _unknown(table, {*assigned.values(), *excluded}), table.names[0]
    unknown = [name for name in unknown if _can_be(table, name, "document") and cells_of(table, name)]
    shapes = {name: profile(table, name) for name in unknown}
    usable = [name for name, shape in shapes.items() if not (shape.marks or shape.fraction)]
    usable = [name for name in usable if shapes[name].codes or name == first_name or not shapes[name].numbers]
    code_columns, distinct = [n for n in usable if shapes[n].codes], [n for n in usable if shapes[n].varied == 1]
    return code_columns or distinct or usable


def _single_column(table: Table, role: Role, assigned: dict[str, str]) -> Proposal | None:
    phrases, split = assigned["keyphrases"], _split_of(table, assigned)
    if "document" not in assigned and split == "none" and "text" not in assigned:
        return None
    fields: dict[str, Any] = {"document": ROW, **assigned, "split": split}
    better = {True: known.HIGHER, False: known.LOWER}
    ways = [way for way, words in better.items() if role == "system" and plain(assigned.get("score", "")) in words]
    draft = Proposal(Mapping(role, higher_is_better=ways[0] if ways else None, **fields))
    concept = assigned.get("concept", phrases)
    if split != "none" and "document" not in assigned and concept != phrases and profile(table, concept).varied == 1:
        draft = _may_be(draft, "document", concept, concept="")
    unused = [name for name in table.names if name not in assigned.values()]
    checks = (systems_named, _people_or_systems, _scores, _verdicts, _other_lists, _unnamed, _inner, _rows_of_people)
    for check in checks:
        draft = check(table, draft, unused)
    owners = {field: name for field in ("annotator", "system") if (name := getattr(draft.mapping, field))}
    if split != "none" or not owners or HEADS in owners.values():
        return draft
    return replace(draft, mapping=replace(draft.mapping, split=_split_of(table, assigned | owners)))


def _split_of(table: Table, assigned: dict[str, str]) -> str:
    name = assigned["keyphrases"]
    if name in list_columns(table):
        return ""
    has_row_lists = whole_lists(table, [name]) and profile(table, assigned.get("document", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & assigned.keys() and not has_row_lists):
        return "none"
    n_lists = _count_lists(table, assigned)
    if n_lists == len(table):
        return _split(table, name)
    marks = ";," if n_lists >= _SEPARATE_LISTS_SHARE * len(table) else ""
    return next((mark for mark in marks if 2 * share_with(table.texts(name), mark) >= 1), "none")


def _split(table: Table, name: str) -> str:
    return cell_separator(table, name, certain=plain(name) in {*NAMES["phrases"]} - {*NAMES["phrase"]}) or "none"


def _count_lists(table: Table, assigned: dict[str, str]) -> int:
    """Count the lists in a table, with all rows of the same document and source as one list."""
    keys = [assigned[field] for field in ("document", "annotator", "system") if field in assigned][:2]
    if "document" not in assigned:
        return len(table)
    if (key := f"lists of {keys}") not in table.seen:
        table.seen[key] = count_distinct({name: filled(table, name) for name in keys})
    return int(table.seen[key])


# doubts about other columns


def systems_named(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about a column that names systems, next to annotators or the gold standard."""
    mapping = draft.mapping
    columns = {*unused, mapping.group, mapping.annotator, mapping.text, mapping.title}
    for name in (name for name in table.names if name in columns and not name.endswith(known.BESIDE)):
        values = dict.fromkeys(cells_of(table, name))
        unknown = tuple(value for value in values if plain(value) not in known.SYSTEMS)
        if len(unknown) == len(values) or len(values) > _PEOPLE:
            continue
        message = f"The column “{name[:40]}” names systems" + (f", and {quoted(unknown[:3])}." if unknown else ".")
        fields = ("annotator", "group", "text", "title")
        cleared = {field: "" for field in fields if getattr(mapping, field) == name}
        gold = () if mapping.role == "system" and not known.GOLD_WORDS & set(map(plain, unknown)) else unknown
        return draft.doubted(message, "system", "annotator", **cleared, role="system", system=name, gold=gold)
    return draft


def _people_or_systems(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about a column of a few names that may be annotators or systems."""
    mapping, ids = draft.mapping, draft.mapping.document
    if ids == ROW or mapping.annotator or mapping.system or len(table) < 2:
        return draft
    person = "annotator" if mapping.role == "gold" else "system"
    n_documents = len(pc.unique(filled(table, ids)))
    for name in unused:
        shape = profile(table, name)
        n_values = len(set(shape.cells))
        if shape.varied > 0.5 or not (_is_unknown(table, name) and _can_be(table, name, "system")):
            continue
        n_pairs = count_distinct({"document": filled(table, ids), "value": table.texts(name)})
        if 1 < n_values <= _PEOPLE and n_documents > 1 and n_pairs >= 0.9 * n_values * n_documents:
            return _may_be(draft, person, name)
    group = mapping.group if mapping.role == "gold" and mapping.split == "none" else ""
    if group and count_distinct({"group": filled(table, group), "document": filled(table, ids)}) > n_documents:
        message = f"Documents have several entries in “{group[:40]}”."
        return draft.doubted(message, "group", "annotator", group="", annotator=group)
    return draft


def _scores(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about numbers that may rank the phrases of a system, unless the rows have this order."""
    mapping, ids = draft.mapping, draft.mapping.document
    if mapping.role != "system" or ids == ROW or mapping.rank:
        return draft
    if mapping.split != "none":
        return _scores_of_lists(table, draft, unused)
    groups = pd.Series(filled(table, ids).to_pylist())
    names = mapping.score or [name for name in unused if profile(table, name).numbers == 1]
    numbers = {name: pd.Series(floats(with_points(table.column(name)))[0]) for name in names}
    steps = {name: values.groupby(groups).diff().dropna() for name, values in numbers.items()}
    if mapping.score:
        phrases = pd.Series(table.texts(mapping.keyphrases[0]).to_pylist()).str.casefold()
        return _alphabetical(draft, "Rows", phrases.groupby(groups).agg(list), steps[mapping.score[0]])
    systems = [name for name in names if known.SYSTEMS & set(re.split(r"[\W_]+", plain(name)))]
    ranks = [name for name, values in numbers.items() if (values.groupby(groups).rank() == values).all()]
    in_order = ((step <= 0).all() or (name in ranks and (step == 1).all()) for name, step in steps.items())
    if len(systems) < 2 and any(in_order):
        return draft
    if ranks:
        return _may_be(draft, "rank", ranks[0])
    ranking = systems if len(systems) > 1 else [name for name in names if (numbers[name] % 1 > 0).any()]
    if len(ranking) > 1:
        message = f"The columns {quoted(ranking)} may be scores of several systems, or of one."
        return draft.doubted(message, "score", "system", score=tuple(ranking), system=HEADS)
    return _may_be(draft, "score", ranking[0], higher_is_better="yake" not in plain(ranking[0])) if ranking else draft


def _scores_of_lists(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about the order of lists of phrases with scores, and about lists of numbers next to lists of phrases."""
    mapping = draft.mapping
    pairs = [cell for cell in _scored(table, mapping.keyphrases[0]) if all(isinstance(item, list) for item in cell)]
    steps = [after - before for cell in pairs for before, after in pairwise(number(item[-1]) for item in cell)]
    lists = [[str(item[0]).casefold() for item in cell] for cell in pairs]
    draft = _alphabetical(draft, "Lists", lists, steps) if len(steps) > 2 else draft
    shapes = {name: profile(table, name) for name in unused if table.nulls and not mapping.score}
    scores = [name for name, shape in shapes.items() if shape.numbers > 0.5 and shape.lists >= 0.5]
    return _may_be(draft, "score", scores[0], higher_is_better=True) if scores else draft


def _alphabetical(draft: Proposal, noun: str, lists: Iterable[list[str]], steps: Collection[float]) -> Proposal:
    if len(steps) < 2 or not min(steps) >= 0 < max(steps) or any(words != sorted(words) for words in lists):
        return draft
    message = f"{noun} are in alphabetical order, so it is unclear whether high scores are better."
    return draft.doubted(message, "higher_is_better", higher_is_better=True)


def _marked_layout(table: Table, role: Role, assigned: dict[str, str]) -> Proposal | None:
    marks = [name for name in _unknown(table) if cells_of(table, name) and profile(table, name).marks]
    phrases = assigned.get("keyphrases") or next((n for n in table.names if profile(table, n).phrases), None)
    if len(marks) < 2 or phrases is None or not table.header:
        return None
    draft = Proposal(Mapping(role, keyphrases=phrases, marks=tuple(marks), document=HEADS, split="none"))
    return draft.doubted(f"The columns {quoted(marks)} may mark the keyphrases of documents, or of people.", "document")


def _verdicts(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about columns of yes and no: one rejects phrases, several are annotators."""
    mapping = draft.mapping
    if mapping.split != "none" or mapping.document == ROW:
        return draft
    aside, shapes = {"empty", *known.ASIDE}, {name: profile(table, name) for name in unused}
    marks = [name for name, shape in shapes.items() if plain(name) not in aside and shape.cells and shape.marks]
    if 1 < len(marks) <= _PEOPLE and not mapping.annotator and mapping.role == "gold":
        message = f"The columns {quoted(marks)} may be people who marked the phrases."
        return draft.doubted(message, "marks", marks=tuple(marks), annotator=HEADS)
    for name in marks:
        values = {cell.lower() for cell in cells_of(table, name)}
        if values & known.NO and values - known.NO:
            message = f"The column “{name[:40]}” may mark rejected keyphrases."
            draft = draft.doubted(message, "verdict", verdict=name)
    return draft


def _other_lists(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about further columns of keyphrases, and about cells that look like lists."""
    mapping, phrases = draft.mapping, draft.mapping.keyphrases[0]
    lists = [name for name in _list_names(table) if name in unused]
    if phrases not in _list_names(table) or plain(phrases) in words_of("phrase"):
        lists = [name for name in lists if not _is_unknown(table, name) or name.rstrip("'") == phrases]
    if mapping.role == "gold" and lists and mapping.split != "none":
        return draft.doubted(f"Several columns contain keyphrases: {quoted((phrases, *lists))}.", "keyphrases")
    are_lists = mapping.split == "none" and table.splits and whole_lists(table, [phrases]) and mapping.document != ROW
    if not are_lists or "variants" in table.names or mapping.rank or mapping.score or draft.doubts:
        return draft
    return draft.doubted("Cells look like lists, but documents have several rows.", "split")


def _unnamed(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask whether columns without names continue the lists of the column before them."""
    name = draft.mapping.keyphrases[0]
    following = takewhile(UNNAMED.fullmatch, table.names[table.names.index(name) + 1 :] if table.header else ())
    if not (columns := [column for column in following if column in unused and profile(table, column).phrases]):
        return draft
    message = f"The columns without names may contain further keyphrases of “{name[:40]}”."
    return draft.doubted(message, "keyphrases", keyphrases=(name, *columns))


def _inner(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about numbers behind phrases, inner lists of single words, and strings as long as texts."""
    phrases, mark = draft.mapping.keyphrases[0], MARKS.get(draft.mapping.split)
    cells = cells_of(table, phrases)
    numbers = [number_behind(item)[1] for cell in cells for item in (cell.split(mark) if mark else [cell])]
    if 2 * sum("." in digits for digits in numbers) > len(numbers):
        return draft.doubted("The phrases that are followed by a number may have scores.", "inner", inner="scored")
    if phrases == TEXT and not profile(table, phrases).phrases:
        question = "The strings are longer than keyphrases usually are."
        return draft.doubted(question, "text", role="documents", text=phrases, keyphrases=(), split="")
    lists = [json_list(cell) or [] for cell in cells if cell[:2] == "[["]
    items = [item for values in lists for item in values if isinstance(item, list)]
    words = [word for item in items for word in item]
    are_words = all(isinstance(word, str) and " " not in word.strip() and not is_number(word) for word in words)
    if draft.mapping.inner or not are_words or sum(len(item) > 1 for item in items) < _MANY_WORDS:
        return draft
    question = "Inner lists of single words may be spellings, or the words of keyphrases."
    return draft.doubted(question, "inner", inner="variants")


def _rows_of_people(table: Table, draft: Proposal, unused: Sequence[str]) -> Proposal:
    """Ask about rows of annotators or form answers, if no column identifies the documents."""
    mapping = draft.mapping
    if mapping.document == ROW and (mapping.annotator or mapping.system or known.is_form(table.names)):
        question = "No column identifies the documents: each row may be a document, or all rows may belong to one."
        return draft.doubted(question, "document")
    if mapping.document in table.names and plain(mapping.document) in NAMES["name"] and table.header:
        return draft.doubted(f"“{mapping.document[:40]}” may name documents, or people.", "document")
    return draft


# adjacent columns


def _side_by_side(table: Table, assigned: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of keyphrases, if annotators or systems each have one or several numbered columns."""
    phrases, whole = assigned.get("keyphrases", ""), whole_lists(table, table.names)
    worded = [name for name in table.names if source_of(name) not in ("", base_of(name))]  # “Keywords Anna”
    worded = [name for name in worded if plain(name) not in known.KNOWN | known.BESIDES]
    worded = [name for name in worded if (number_of(name) is None or name in whole) and profile(table, name).phrases]
    repeated_columns = [name for name in table.names if phrases and name.rstrip("'") == phrases]
    if assigned.keys() - {"document", "keyphrases", "title", "text", "group"} or phrases in whole:
        repeated_columns = []
    gold = phrases if known.is_gold(phrases) else ""
    for columns in (worded, repeated_columns):
        if len(columns) > 1:
            return (gold, *columns) if gold and all(map(is_predicted, columns)) else tuple(columns)
    if not table.header or phrases != gold or {"rank", "score"} & assigned.keys():
        return ()
    free = _unassigned_columns(table, assigned, whole)
    # A number after a word for a person counts people, not the phrases of one person; “column 3” has no name.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in known.PEOPLE and not UNNAMED.fullmatch(name)]
    groups = known.grouped(numbered)
    if any(len(names) > 1 for names in groups.values()) and not gold:
        return tuple(name for names in groups.values() if len(names) > 1 or number_of(names[0]) == 1 for name in names)
    if "document" not in assigned and free and free[0] not in whole and profile(table, free[0]).varied > _VARIED_SHARE:
        del free[0]  # ids under an unknown column name
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in known.SYSTEMS for name in free) and "document" not in assigned:
        return ()
    if not gold:
        return tuple(free) if len(free) > 1 else ()
    # Titles may contain commas.
    lists = [n for n in lists if cell_separator(table, n, certain=False) != "," or share_lists(table, [gold, n])]
    is_certain = plain(gold) in known.GOLD_WORDS
    system_columns = [name for name in free if is_certain or name in lists or plain(name) in known.SYSTEMS]
    system_columns += [name for name in table.names if name not in free and is_predicted(name)]
    return (gold, *system_columns) if system_columns else ()


def _unassigned_columns(table: Table, assigned: dict[str, str], whole: Collection[str]) -> list[str]:
    """Return the columns that may be annotators or systems, because they have no other known meaning."""
    free = [name for name in table.names if name not in assigned.values()]
    # “Authors” means annotators next to readers, else the authors of the document.
    readers = any(plain(name) in NAMES["annotator"] for name in free if name in whole)
    known_words = known.KNOWN.union(known.BESIDES, () if readers else known.WRITERS)
    columns, sources = list[str](), known.SYSTEMS.union(NAMES["annotator"])
    for name in free:
        heads = {plain(name.rstrip("'")), plain(name.rpartition(".")[2])} & known_words
        heads |= ({plain(base_of(name))} & {*known.IDENTIFIERS}) | (known.REMARKS & set(map(plain, name.split())))
        is_source = name in whole and (plain(name) in sources or re.fullmatch("[A-Z]{2}", name))
        shape = profile(table, name)
        if (is_source or not heads) and ((shape.phrases and not shape.addresses) or not shape.cells):
            columns.append(name)
    return columns


def share_lists(table: Table, names: Iterable[str]) -> bool:
    """Return whether each column shares phrases with the others in at least two rows and 20% of the rows."""
    items = {name: [*map(items_of, table.texts(name, SAMPLE).to_pylist())] for name in names}
    for name, column_items in items.items():
        other_rows = zip(*(cells for other, cells in items.items() if other != name), strict=True)
        n_shared = sum(bool(cell & set().union(*row)) for cell, row in zip(column_items, other_rows, strict=False))
        cells = sum(map(bool, column_items))
        if n_shared < min(2, cells) or 5 * n_shared < cells or not n_shared:
            return False
    return len(items) > 1


def _several_columns(table: Table, role: Role, assigned: dict[str, str], used: tuple[str, ...]) -> Proposal:
    row_key = next((field for field in ("annotator", "system") if field in assigned and "document" not in assigned), "")
    if row_key and profile(table, assigned[row_key]).varied == 1:  # a row header, not a column name
        assigned["document"] = assigned.pop(row_key)
    if "document" not in assigned and (ids := _ids_among(table, assigned, used)):
        assigned["document"] = ids[0]
    whole, gold_column = whole_lists(table, used), known.gold_beside(used)
    gold, sources = (gold_column,) if gold_column else (), known.grouped(used, whole)
    alike = len({name.rstrip("'") for name in used}) == 1
    one_list = alike or list(sources) == [""] or (len(sources) == 1 and bool({"annotator", "system"} & assigned.keys()))
    fields: dict[str, Any] = {"document": ROW, **assigned, "keyphrases": used, "gold": gold}
    if not one_list:
        fields["system" if role == "system" or gold else "annotator"] = HEADS
    elif not whole:
        fields["split"] = "none"
    draft = Proposal(Mapping(role, **fields))
    if _is_transposed(table, assigned, used):
        owner = assigned.get("annotator") or assigned.get("document") or (ROW if whole else "")
        transposed = {"role": "gold", "document": HEADS, "annotator": owner, "system": "", "split": ""}
        return draft.doubted("Are the columns documents, and the rows people?", "document", "annotator", **transposed)
    return _asked_if_unsure(table, draft, assigned, used)


def _asked_if_unsure(table: Table, draft: Proposal, assigned: dict[str, str], used: tuple[str, ...]) -> Proposal:
    """Ask whether columns are annotators or systems, unless names or shared phrases show it."""
    gold, one_list = draft.mapping.gold, HEADS not in (draft.mapping.annotator, draft.mapping.system)
    are_kinds = {plain(source_of(name) or name) for name in used} <= known.KINDS | known.LANGUAGES
    extra = [name for name in _list_names(table) if name not in assigned.values() and name.rstrip("'") not in used]
    extra = [name for name in extra if are_kinds or (not one_list and _is_unknown(table, name))]
    annotators, golds = tuple(name for name in used if not is_predicted(name)), list(map(known.is_gold, used))
    changes = dict[str, Any]()
    if are_kinds:
        changes = {"annotator": "", "system": "", "split": ""}
    elif 0 < len(annotators) < len(used) and not gold:
        changes = {"annotator": "", "system": HEADS, "gold": annotators}
    worded = all(source_of(n) != base_of(n) or number_of(n) is not None or is_predicted(n) for n in used)
    is_certain = share_lists(table, used) or all(is_predicted(name) for name in used if name not in gold)
    if not gold:
        is_certain = one_list or (len({*golds}) == 1 and (worded or is_certain))
    if is_certain and not (changes or extra or (draft.mapping.role == "system" and _unordered(table, len(used)))):
        return draft
    question = f"The columns {quoted((*used, *extra))} may be people, systems, or parts of one list."
    compared = () if one_list or changes or extra or len(used) > _PEOPLE else used
    sharing = [name for name in compared if any(share_lists(table, [name, other]) for other in used if other != name)]
    columns = sharing if len(sharing) > 1 else [*used, *extra]
    return draft.doubted(question, "keyphrases", "annotator", "system", **changes, keyphrases=tuple(columns))


def _unordered(table: Table, size: int) -> bool:
    """Return whether numbered columns of numbers contradict the order of the numbered columns of phrases."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers]), axis=0) if numbers else np.zeros(1)
    steps = steps[np.isfinite(steps)]
    return len(numbers) == size and not ((steps >= 0).all() or (steps <= 0).all())


def _is_transposed(table: Table, assigned: dict[str, str], used: Sequence[str]) -> bool:
    """Recognize columns that are documents: “Keywords for text 1”, or numbered columns with one person per row."""
    if len(used) > 1 and all(_DOCUMENT_NAME.search(name.strip()) for name in used):
        return True
    words = {*map(plain, map(base_of, used))} & (known.PEOPLE | known.SYSTEMS | {*words_of("phrase")})
    numbered = all(re.search(r"\d", name) for name in used) and not words
    rows = assigned.get("document", assigned.get("annotator"))
    if rows is None:  # d1, d2, d3 above cells that are all phrases
        return numbered and "title" not in assigned
    a_person_each = profile(table, rows).varied == 1 and not profile(table, rows).codes
    is_person = plain(rows) in known.PEOPLE.union(NAMES["name"])
    return a_person_each and (is_person or (numbered and plain(rows) not in NAMES["doc_id"]))


# matching ids of another file, and the form of an unknown table


def column_with_ids(
    table: Table, mapping: Mapping, doc_ids: Sequence[str], other_ids: Sequence[Collection[str]]
) -> str | None:
    """Return the only other column whose ids match those of another file.

    Parameters
    ----------
    doc_ids : list of str
        The document of each row.
    other_ids : list of sets of str
        The ids of every other file.
    """
    if any(set(doc_ids) & set(ids) for ids in other_ids):
        return None
    candidates = []
    for name in (name for name in table.names if name not in mapping.columns):
        pairs = set(zip(doc_ids, map(str.strip, table.texts(name).to_pylist()), strict=True))
        cells = {cell for _, cell in pairs}
        matches = any(len(cells & set(ids)) >= _MATCHING_SHARE * min(len(cells), len(ids)) for ids in other_ids if ids)
        if matches and len(pairs) == len(set(doc_ids)) == len(cells):
            candidates.append(name)
    return candidates[0] if len(candidates) == 1 else None


def guess(table: Table, role: Role | None) -> Proposal:
    """Propose a mapping, always with a question, for a table whose column names do not identify the keyphrases."""
    names = ", ".join(table.names[:_NAMES]) + (" …" if len(table.names) > _NAMES else "")
    words = f"KPScope does not know these column names: {names}." if table.header else "The columns have no names."
    shapes = {name: shape for name in table.names if (shape := profile(table, name)).cells}
    draft = Proposal(Mapping(role or "gold"))
    assigned = _columns_by_name(table, ("document", "annotator", "system", "rank", "score"))
    lists = [name for name in _list_names(table) if name in shapes and name not in assigned.values()]
    word_columns = [name for name in _unknown(table, assigned.values()) if _may_be_phrases(table, name)]
    ids = _ids_among(table, assigned, lists if len(lists) < len(shapes) else ())
    assigned = dict(zip(["document"], ids, strict=False)) | assigned
    document = assigned.get("document", "")
    n_repeated = len(table) - len(pc.unique(table.texts(document))) if document else 0
    ranked = n_repeated and role == "system" and any(shapes[name].numbers > 0.5 for name in {*shapes} - {document})
    singles = [name for name in word_columns if ranked and name not in lists]
    rows = {name: {"": table.texts(document), name: table.texts(name)} for name in singles}
    varied = [name for name, pair in rows.items() if 2 * (len(table) - count_distinct(pair)) < n_repeated]
    phrases = [name for name in (varied or lists or word_columns) if name != document]
    has_names = not any(map(UNNAMED.fullmatch, phrases))  # columns without names are one list
    if table.header and len(shapes) > 1 and all(re.search(r"\d", name) and " " not in name for name in shapes):
        words = "Are the columns documents?"
        draft = Proposal(replace(draft.mapping, document=HEADS, keyphrases=tuple(shapes)))
    elif len(phrases) > 1 and not n_repeated and (share_lists(table, phrases) or not (lists and has_names)):
        source = {"system" if role == "system" else "annotator": HEADS} if has_names else {}
        fields: dict[str, Any] = {"document": ROW, **assigned, **source, "keyphrases": tuple(phrases)}
        draft = Proposal(replace(draft.mapping, **fields))
    elif not phrases:
        marks = tuple(name for name, shape in shapes.items() if shape.marks and name not in assigned.values())
        fields = {"document": ROW, **assigned, "marks": marks if len(marks) > 1 else ()}
        draft = Proposal(replace(draft.mapping, **fields))
    else:
        best = max(phrases, key=lambda name: profile(table, name).varied)
        fallback = Proposal(replace(draft.mapping, document=ROW, keyphrases=(best,), split="none"))
        draft = _single_column(table, role or "gold", {**assigned, "keyphrases": best}) or fallback
    draft = replace(draft, role_known=False, worded=not table.header and len(phrases) == 1)
    coded = len(table.names) == 2 and document == table.names[0] and profile(table, document).codes
    return draft if coded and not table.header else draft.doubted(words, "document", "keyphrases")
