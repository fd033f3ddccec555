"""Find the layouts that a table allows: which column plays which role, each with a score by what it explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role, run_starts
from kp_core.errors import counted
from kp_core.reading.family import Choice
from kp_core.reading.fields import (
    BESIDES,
    IDENTIFIERS,
    JUDGE,
    KINDS,
    KNOWN,
    LANGUAGES,
    NAMES,
    NO_IDS,
    NO_PHRASES,
    SYSTEMS,
    base_of,
    find_roles,
    gold_beside,
    is_form,
    is_predicted,
    number_of,
    phrases_in,
    plain,
    source_of,
    told,
)
from kp_core.reading.layout_rows import PAIR, Layout
from kp_core.reading.profiles import (
    LONG_TEXT,
    MARKED,
    NO,
    SAMPLE,
    can_be_ids,
    cells_of,
    count_distinct,
    have_digits,
    is_blank,
    is_long,
    profile,
    whole_lists,
)
from kp_core.reading.roles_by_content import add_by_content, coded, completed, only_list, settled
from kp_core.reading.separators import SEPARATORS, cell_separator
from kp_core.reading.shapes import are_scored
from kp_core.reading.table import Table, list_columns, share_with
from kp_core.reading.values import floats
from kp_core.reading.wide_columns import (
    columns_by_source,
    lies_across,
    mixes_gold,
    odd_columns,
    record_columns,
    whose,
    worded_columns,
)

_LISTS = ("concept", "phrase", "phrases")
_TEXTS = ("doc_id", "text", "title", "group")
_ROLES: dict[str, tuple[str, ...]] = {
    "gold": ("doc_id", "annotator", "relevance", "votes", *_LISTS, "title", "text", "group"),
    "system": ("doc_id", "system", "rank", "score", "relevance", *_LISTS, "title", "text"),
    "documents": _TEXTS,
    "judgements": ("doc_id", "system", "rank", "relevance", "annotator", *_LISTS),
}
#: How sure a layout is. At least three known heads are clear, fewer are less so; where the rows are the documents, a
#: column of ids may have been overlooked. Without a header content alone speaks, which is just plausible. What is
#: doubtful is only offered. Heads of judged pairs mean nothing else.
_PAIRS, _CLEAR, _WIDE, _COUNTED, _NAMED, _BY_CONTENT, _DOUBTFUL = 0.97, 0.94, 0.9, 0.86, 0.85, 0.5, 0.45
#: Columns whose names say how rows are judged or ordered; such a table is about phrases.
_TELLING = ("doc_id", "rank", "score", "system", "annotator", "relevance", "votes", "phrase", "phrases")
#: The column of those who marked keyphrases.
_MARKING = "marked by"
#: More people do not index the same documents.
_PEOPLE = 20
#: So many rows must be lists of their own where some document stands there twice.
_FEW_TWICE = 0.6


def layout_of(table: Table, role: Role | None, choice: Choice) -> Layout | None:
    """Return the likeliest layout of a table; None if no phrases, no texts, or no documents can be found."""
    if not table.names:
        return None
    table = table.without(choice.several("ignore"))
    if any(name.startswith("Answer.") for name in table.names):  # of MTurk, whose other columns are the task
        task = [name for name in table.names if not name.startswith("Answer.")]
        table = table.without([name for name in task if phrases_in(find_roles([name], ("phrase", "phrases")))])
    asked = choice.role or role
    if asked in (None, "judgements") and (judged := _of_pairs(table, choice)) is not None:
        return judged
    guessed = asked or _guess_role(table)
    found = _of_texts(table, choice) if guessed == "documents" else _of_phrases(table, guessed or "gold", choice)
    return found and replace(found, role_sure=guessed is not None)


def _guess_role(table: Table) -> Role | None:
    """Tell by the names of the columns and their content what a table is; None for phrases of anybody."""
    found = _found_roles(table, _TELLING, Choice())
    if table.header and not phrases_in(found):
        lists = [name for names in columns_by_source(table, found, Choice()).values() for name in names]
        predicted = [name for name in lists or table.names if is_predicted(name) and profile(table, name).phrases]
        if predicted and predicted == (lists or predicted):
            return "system"
        if {"rank", "score"} & set(found) or any(plain(base_of(name)) in NAMES["score"] for name in table.names):
            return "system"
        if not lists and only_list(table, found) is None:
            long = any(is_long(table, name, LONG_TEXT) for name in table.names)
            texts = find_roles(table.names, _TEXTS)
            once = "doc_id" not in texts or profile(table, texts["doc_id"]).varied == 1
            return "documents" if long or (once and ("text" in texts or {"doc_id", "title"} <= set(texts))) else None
    name = phrases_in(found)
    scored = name in list_columns(table) and are_scored(table.column(name).slice(0, SAMPLE).to_pylist())
    ranked = {"rank", "score"} & set(found) and name not in whole_lists(table, table.names)
    if scored or ranked or "system" in found or plain(name or "") in NAMES["predictions"]:
        return "system"
    return "gold" if {"annotator", "relevance", "votes"} & set(found) else None


def _found_roles(table: Table, roles: Iterable[str], choice: Choice) -> dict[str, str]:
    """Return role → column by the names of the columns; one list of keyphrases of a kind is that of the table."""
    columns, records = _named_roles(table, tuple(roles), choice), record_columns(table)
    if records and not set(choice.columns) & {"phrase", "phrases"}:
        columns = {role: name for role, name in columns.items() if role not in ("phrase", "phrases")}
    whole = whole_lists(table, table.names)
    if "phrase" not in columns:  # else a name may hold what parts phrases elsewhere
        people = ("annotator", "system")
        columns = {role: name for role, name in columns.items() if role not in people or name not in whole}
    lists = [name for name in whole if name not in columns.values()]
    alone = records or [name for name in lists if source_of(name) != base_of(name) and table.header]
    if len(alone) == 1 and len(worded_columns(table)) < 2 and (records or lists == alone) and not phrases_in(columns):
        columns["phrase" if plain(alone[0]) in NAMES["phrase"] and alone[0] not in whole else "phrases"] = alone[0]
    return columns


def _named_roles(table: Table, roles: Sequence[str], choice: Choice) -> dict[str, str]:
    """Return role → column by the names of the columns, unless their content shows that another thing is meant."""
    names, chosen = table.names, set(choice.columns.values())
    codes = [name for name in names if name not in chosen and profile(table, name).codes]
    codes = [name for name in codes if plain(name) == "reference" or not profile(table, name).numbers]
    worded = [name for name in names if name not in codes]
    names = [name for name in names if name not in codes or plain(name) != "reference"]
    if table.header and phrases_in(find_roles(worded, ("phrase", "phrases"))):  # a reference number, say
        apart = [name for name in codes if phrases_in(find_roles([name], ("phrase", "phrases")))]
        names = [name for name in names if name not in apart]
    # Initials of a person are the tag of abstracts, too.
    names = [name for name in names if plain(name) != "ab" or is_long(table, name, LONG_TEXT)]
    found = find_roles(names, roles, choice.columns)
    if plain(found.get("phrase", "")) in ("label", "tag") and whole_lists(table, [found.get("phrases", names[0])]):
        found = {part: name for part, name in found.items() if part != "phrase" or "phrases" not in found}
    return found


def _as_chosen(table: Table, columns: dict[str, str], choice: Choice) -> dict[str, str]:
    """Return the columns with those that the user named, whatever their content says."""
    chosen = {part: name for part, name in choice.columns.items() if name in table.names}
    return {part: name for part, name in columns.items() if part not in chosen and name not in chosen.values()} | chosen


def _of_texts(table: Table, choice: Choice) -> Layout | None:
    columns = _as_chosen(table, settled(table, "documents", find_roles(table.names, _TEXTS, choice.columns)), choice)
    columns = add_by_content(table, columns, ("doc_id", "text"))
    numbered = "doc_id" not in columns
    # Lines of one text each are no documents by themselves: nothing says so.
    if not {"text", "title", "group"} & set(columns) or (numbered and not table.header):
        return None
    evidence = _evidence(table, columns)
    return Layout("documents", table, "documents", columns, _WIDE, numbered=numbered, evidence=evidence)


def _of_phrases(table: Table, role: Role, choice: Choice) -> Layout | None:
    """Return the layout of a table of phrases."""
    columns = _as_chosen(table, settled(table, role, _found_roles(table, _ROLES[role], choice)), choice)
    columns.pop("phrases" if "phrase" in columns else "", "")
    identifiers = [name for name in table.names if plain(name) in IDENTIFIERS and name not in columns.values()]
    if "phrase" in columns and "concept" not in columns and identifiers:
        columns["concept"] = identifiers[0]
    sources = columns_by_source(table, columns, choice)
    if sources:
        phrases = phrases_in(columns)
        columns = {name: column for name, column in columns.items() if name not in ("phrase", "phrases")}
        found = _of_columns(table, role, columns, sources, choice)
        if phrases is None or any(phrases in names for names in sources.values()) or "phrases_of" in choice.options:
            return found
        return replace(found, score=_DOUBTFUL, evidence=f"{found.evidence}; not read: “{phrases}”")
    columns = completed(table, columns, role)
    phrases = phrases_in(columns)
    if phrases is None:
        return None
    columns, proved = _with_people(table, columns, role)
    if marks := _who_marked(table, columns, role):
        table, columns, proved = _by_marks(table, marks), columns | {"annotator": _MARKING}, False
    numbered = choice.options.get("ids") == "rows" or "doc_id" not in columns
    if numbered:
        columns.pop("doc_id", "")
        long = [name for name in table.names if name != phrases and is_long(table, name, LONG_TEXT // 4)]
        if role == "gold" and "text" not in columns and long and long[0] not in columns.values():
            columns["text"] = long[0]
    if numbered and {"rank", "score"} & set(columns):
        return None  # several rows a list, and nothing that tells them apart
    table, filled = _filled_down(table, columns, choice)
    made = Layout("long", table, role, columns, 0.0, numbered=numbered)
    chosen = "lists" if phrases in list_columns(table) else choice.options.get("cells")
    cells = "" if chosen == "none" else chosen or list_separator(made)
    if numbered and not cells:
        return None
    said = f"; {SEPARATORS.get(cells, cells)}" if cells else ""
    said += "; each row is a document" if numbered else ""
    said += f"; {whose({name: (name,) for name in marks}, role)}, who marked them" if marks else ""
    evidence = _evidence(table, {part: name for part, name in columns.items() if name != _MARKING}) + said + filled
    # Answers of people that name no document may all be about one.
    people = made.source_column() is not None or is_form(table.names)
    torn = not cells and table.splits and phrases in whole_lists(table, [phrases])
    torn = torn and "variants" not in table.names and not {"rank", "score"} & set(columns)
    evidence += "; cells that look like lists are not split, as documents have several rows" * torn
    unread = _unread(made)
    proved = proved and not (torn or unread or (numbered and people))
    found = replace(made, kind="lists" if cells else "long", cells=cells, evidence=evidence + unread)
    return replace(found, score=min(_score(found), 1 if proved else _DOUBTFUL))


def _who_marked(table: Table, columns: dict[str, str], role: Role) -> list[str]:
    """Return the columns of several people who marked the phrase of each row."""
    known = "doc_id" in columns and not {"annotator", "rank", "score"} & set(columns)
    if role != "gold" or not known or len(table) < 2 or whole_lists(table, [phrases_in(columns) or ""]):
        return []
    marks = _marks(table, columns)
    return marks if 1 < len(marks) <= _PEOPLE else []


def _marks(table: Table, columns: dict[str, str]) -> list[str]:
    """Return the columns that only say yes or no, or nothing, of what stands beside them."""
    free = [name for name in table.names if name not in columns.values() and plain(name) not in BESIDES]
    shapes = {name: profile(table, name) for name in free if table.splits}
    return [name for name, shape in shapes.items() if shape.cells and shape.marks]


def _by_marks(table: Table, marks: list[str]) -> Table:
    """Return the rows that each of several people marked, with a column that says who."""
    others, parts = table.without(marks), []
    for name in marks:
        cells = pc.utf8_lower(pc.utf8_trim_whitespace(table.texts(name)))
        chosen = others.rows(pc.is_in(cells, pa.array(sorted(MARKED - NO), pa.large_string())))
        parts.append((chosen, pa.repeat(pa.scalar(name, pa.large_string()), len(chosen))))
    columns = [
        pa.chunked_array([c for one in every for c in one.chunks])
        for every in zip(*(p.columns for p, _ in parts), strict=True)
    ]
    lines = np.concatenate([one.line_numbers() for one, _ in parts]).tolist()
    who = pa.chunked_array([column for _, column in parts])
    return replace(others, names=[*others.names, _MARKING], columns=[*columns, who], lines=lines)


def _with_people(table: Table, columns: dict[str, str], role: Role) -> tuple[dict[str, str], bool]:
    """Add the column under an unknown head that tells whose the rows are, and tell whether that is proved.

    Rows of one document differ in it: each is a list, or says again what another row said. Where everybody has one
    list, each of another document, the people are no annotators.
    """
    ids, phrases = columns.get("doc_id"), phrases_in(columns) or ""
    if not table.header or ids is None or len(table) < 2:
        return columns, True
    lists = phrases in whole_lists(table, [phrases])
    if role == "gold" and "annotator" in columns and lists:
        once = all(profile(table, columns[name]).varied == 1 for name in ("annotator", "doc_id"))
        return {part: name for part, name in columns.items() if part != "annotator" or not once}, True
    if {"annotator", "system"} & set(columns) or ({"rank", "score"} & set(columns) and role == "gold"):
        return columns, True
    free = [name for name in table.names if name not in columns.values() and plain(name) not in NO_IDS]
    shapes = {name: profile(table, name) for name in free}
    free = [name for name, shape in shapes.items() if shape.ids and shape.varied <= (0.5 if not lists else 0.9)]
    said = {name: table.texts(name) for name in ((ids,) if lists else (ids, phrases))}
    free = [name for name in free if not shapes[name].marks]
    person = "annotator" if role == "gold" else "system"
    if not free or count_distinct(said) == len(table):
        whole = [name for name in free if not lists and _is_complete(table, ids, name)]
        return (columns | {person: whole[0]}, False) if whole else (columns, True)
    apart = [name for name in free if count_distinct({**said, name: table.texts(name)}) == len(table)]
    if not apart:
        return columns, True
    proved = lists and not shapes[apart[0]].numbers
    proved = proved and not {plain(cell) for cell in cells_of(table, apart[0])} <= LANGUAGES
    # Two columns of codes under heads that nobody knows may change places.
    proved = proved and (plain(ids) in NAMES["doc_id"] or not shapes[apart[0]].codes)
    return columns | {person: apart[0]}, proved


def _is_complete(table: Table, ids: str, name: str) -> bool:
    """Tell a column of a few values, each of which nearly every document has, as people who index all of them."""
    values, documents = len(set(cells_of(table, name))), len(pc.unique(table.texts(ids)))
    pairs = count_distinct({"doc_id": table.texts(ids), "value": table.texts(name)})
    return documents > 1 and 1 < values <= _PEOPLE and pairs >= 0.9 * values * documents


def _score(layout: Layout) -> float:
    """Return how sure a layout is: by the names of the columns, less where their content says otherwise."""
    table, columns = layout.table, layout.columns
    known = sum(plain(name) in KNOWN for name in table.names)
    score = _BY_CONTENT if not table.header else _CLEAR if known >= 3 else _NAMED
    if layout.numbered:
        score = min(score, _COUNTED)
    named = {role for role, name in columns.items() if plain(name) in NAMES.get(role, ())}
    if "doc_id" in columns and "doc_id" not in named and not profile(table, columns["doc_id"]).ids:
        score *= 0.4
    if not named & {"phrase", "phrases"} and layout.kind != "wide":
        phrases = profile(table, layout.phrases)
        score *= 1 if phrases.phrases or not phrases.cells else 0.6
    return score


def _unread(layout: Layout) -> str:
    """Name columns that say of each phrase who chose it, which no layout reads, and further lists of keyphrases."""
    table, columns = layout.table, layout.columns
    owned = layout.source_column() is not None
    if not table.splits or len(table) < 2 or _MARKING in table.names or (owned and layout.role != "gold"):
        return ""
    free = [name for name in table.names if name not in columns.values()]
    if owned:  # what people chose may be marked
        free = _marks(table, columns)
    if not table.header:  # nothing but content tells columns of words apart
        words = [name for name in free if profile(table, name).phrases and profile(table, name).characters > 2]
        return f"; not read: {', '.join(f'“{name}”' for name in words[:5])}" if words else ""
    values = {name: set(map(plain, set(cells_of(table, name)))) - {""} for name in free}
    group = columns.get("group", "")
    kinds = values | ({group: set(map(plain, set(cells_of(table, group))))} if group else {})
    mixed = [name for name, found in kinds.items() if found & SYSTEMS]
    mixed += [name for name in free if SYSTEMS & set(re.split(r"[\W_]+", plain(name)))]
    others = [name for name in free if plain(name.split()[0]) in NAMES["system"]]  # “system B” beside “system A”
    mixed += [name for name in others if name not in mixed and profile(table, name).phrases]
    told = plain(layout.phrases) in KNOWN or source_of(layout.phrases) != base_of(layout.phrases)
    if not told:  # nothing but its content told the column of phrases, and others are of the same kind
        mixed += [name for name in free if _is_like(table, name, layout.phrases) and name not in mixed]
    marks = _marks(table, columns)
    lists = [name for name in whole_lists(table, free) if plain(name) not in NO_PHRASES]
    lists = [name for name in lists if profile(table, name).phrases]
    # Where some rows are marked and others not, the mark says which of the phrases are meant.
    parted = [name for name in marks if values[name] & NO and values[name] - NO]
    meant = marks if len(marks) > 1 and not owned else parted
    unread = list(dict.fromkeys(mixed)) or lists or meant or _rivals(layout, free)
    shown = ", ".join(f"“{name[:40]}”" for name in unread[:5]) + " …" * (len(unread) > 5)
    return f"; not read: {shown}" if unread else ""


def _is_like(table: Table, name: str, phrases: str) -> bool:
    """Tell a column that may as well be that of phrases."""
    one, other = profile(table, name), profile(table, phrases)
    alike = one.phrases and other.phrases and not one.codes and plain(name) not in NO_PHRASES
    return alike and (one.lists > 0 if whole_lists(table, [phrases]) else one.varied > 0.5)


def _rivals(layout: Layout, names: list[str]) -> list[str]:
    """Return the numbers by which the phrases of a system may be meant to be ranked, since the rows have no order."""
    table, ids = layout.table, layout.columns.get("doc_id")
    if layout.role != "system" or ids is None or {"rank", "score"} & set(layout.columns):
        return []
    found = [name for name in names if profile(table, name).numbers == 1 and plain(name) not in BESIDES]
    groups = pd.Series(table.texts(ids).to_pylist())
    steps = [pd.Series(floats(table.column(name))[0]).groupby(groups).diff() for name in found]
    if any((step.dropna() >= 0).all() or (step.dropna() <= 0).all() for step in steps):
        return []  # the order that the file has
    return found


def _of_columns(
    table: Table, role: Role, columns: dict[str, str], sources: dict[str, tuple[str, ...]], choice: Choice
) -> Layout:
    """Return the layout with one column, or several numbered ones, an annotator or system."""
    columns, meant = _ids_beside(table, columns, sources, choice)
    odd = odd_columns(table, sources) if "phrases_of" not in choice.options else []
    kept = {source: names for source, names in sources.items() if names[0] not in odd}
    left = [f"“{name[:40]}”" for name in odd if len(kept) > 1]
    sources = kept if left else sources
    used = [name for names in sources.values() for name in names]
    lists = sum(profile(table, name).lists >= 0.5 for name in used)
    sure = len(used) > len(sources) or lists >= 2 or all(plain(name) in SYSTEMS for name in used)
    both = 0 < sum(map(is_predicted, used)) < len(used) and gold_beside(sources) is None  # people and systems
    told = bool(record_columns(table)) or (sure and not (both or odd or mixes_gold(sources)))
    across, numbered = lies_across(table, columns, sources), "doc_id" not in columns
    told = told and len(set(map(plain, used))) == len(used) and not (numbered and is_form(table.names))
    told = told and not {*map(plain, sources)} <= KINDS | LANGUAGES
    left += [f"“{name[:40]}”" for name in (_unordered(table, len(used)) if role == "system" else [])]
    told = told and not left
    sure = "phrases_of" in choice.options or (told and meant and not across)
    evidence = f"{_evidence(table, columns)}; {whose(sources, role)}"
    evidence += f"; not read: {', '.join(left[:5])}" if left else ""
    evidence += "; do the columns stand for documents? Then turn the table first" * across
    score = _DOUBTFUL if not sure or not table.header else _COUNTED if numbered else _WIDE
    table, filled = _filled_down(table, columns, choice)
    cells = choice.options.get("cells", "")
    return Layout("wide", table, role, columns, score, sources, cells, numbered, evidence=evidence + filled)


def _unordered(table: Table, size: int) -> list[str]:
    """Return numbered columns of numbers beside those of phrases, if they give the phrases another order."""
    numbers = [name for name in table.names if number_of(name) is not None and profile(table, name).numbers == 1]
    if len(numbers) != size or size < 2:
        return []
    steps = np.diff(np.stack([floats(table.column(name))[0] for name in numbers], axis=1), axis=1)
    steps = steps[np.isfinite(steps)]
    return [] if (steps >= 0).all() or (steps <= 0).all() else numbers


def _ids_beside(
    table: Table, columns: dict[str, str], sources: dict[str, tuple[str, ...]], choice: Choice
) -> tuple[dict[str, str], bool]:
    """Add ids and titles that stand beside the columns of people or systems, and tell whether these ids are sure."""
    columns = dict(columns)
    if choice.options.get("ids") == "rows":
        columns.pop("doc_id", "")
        return columns, True
    corner = next((part for part in ("annotator", "system") if part in columns and "doc_id" not in columns), "")
    meant = not corner or have_digits(table, columns[corner])
    if corner and profile(table, columns[corner]).varied == 1:  # it says what stands beside it, not below
        columns["doc_id"] = columns.pop(corner)
    used = {name for names in sources.values() for name in names}
    free = [name for name in table.names if name not in (*used, *columns.values())]
    first = [name for name in free[:1] if can_be_ids(table, name)]
    who = {part: table.texts(name) for part, name in columns.items() if part in ("annotator", "system")}
    ids = [n for n in coded(table, free) if count_distinct({**who, "doc_id": table.texts(n)}) == len(table)]
    ids += [name for name in first if not record_columns(table) or have_digits(table, name)]
    if "doc_id" not in columns and ids:
        columns["doc_id"] = ids[0]
        free.remove(ids[0])
    if "title" not in columns and free and profile(table, free[0]).words > 2:
        columns["title"] = free[0]
    if list(sources) != [""] or "doc_id" not in columns or who or profile(table, columns["doc_id"]).varied == 1:
        return columns, meant
    keys = {"doc_id": table.texts(columns["doc_id"])}  # several people, each of whom says something of a document
    people = [n for n in free if n not in columns.values() and plain(n) not in BESIDES and profile(table, n).ids]
    people = [n for n in people if count_distinct({**keys, "who": table.texts(n)}) == len(table)]
    if people:
        columns["source"] = people[0]
    return columns, meant and (not people or plain(people[0]) == "name")


def _of_pairs(table: Table, choice: Choice) -> Layout | None:
    """Return the layout of judged pairs: `candidate` beside `keyphrase` or scores of people."""
    if not table.header:
        return None
    columns = find_roles(table.names, (*PAIR, "annotator", "score"), choice.columns)
    free = [name for name in table.names if name not in columns.values()]
    if "keyphrase" in columns and "candidate" not in columns and (beside := find_roles(free, ("phrase",))):
        columns["candidate"] = beside["phrase"]
        free.remove(beside["phrase"])
    chosen = [name for name in choice.several("rater") if name in table.names]
    raters = chosen or [name for name in free if JUDGE.match(name)]
    if "candidate" not in columns or not ("keyphrase" in columns or raters or "score" in columns):
        return None
    if chosen:
        columns.pop("score", "")
    if not raters and "score" not in columns:
        shapes = {name: profile(table, name) for name in free if plain(name) not in KNOWN}
        raters = [name for name, shape in shapes.items() if shape.cells and shape.numbers > 0.8]
        if not raters:
            return None
    judges: dict[str, tuple[str, ...]] = {}
    for name in raters if "score" not in columns else ():
        judges[found.group(1) if (found := JUDGE.match(name)) else name] = (name,)
    evidence = f"{table.described}; `candidate` stands beside {'`keyphrase`' if 'keyphrase' in columns else 'scores'}"
    scale = choice.options.get("scale", "")
    return Layout("judged", table, "judgements", columns, _PAIRS, judges, scale, evidence=evidence)


def _filled_down(table: Table, columns: dict[str, str], choice: Choice) -> tuple[Table, str]:
    """Return the table with an id, or an annotator, that stands once above its rows repeated down, and words on it."""
    said = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], is_blank(table, columns[role])
        count = pc.sum(blank).as_py()
        if not count or blank[0].as_py() or not _is_merged(table, columns, role, blank, choice):
            continue
        place, nothing = table.names.index(name), pa.scalar(None, pa.large_string())
        filled = pc.fill_null_forward(pc.if_else(blank, nothing, table.texts(name)))
        table = replace(table, columns=[*table.columns[:place], filled, *table.columns[place + 1 :]])
        said += f"; “{name}” of {counted(count, 'row')} is that of the row above"
    return table, said


def _is_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, choice: Choice) -> bool:
    """Tell whether blank cells belong to the cell above: it stands once, over all of its rows."""
    if "fill_down" in choice.options:
        return choice.options["fill_down"] == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # a missing annotator may stand for the name of the file; a merged cell spans most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source, phrases = columns.get("annotator", columns.get("system")), phrases_in(columns)
    if source is None and phrases is not None and profile(table, phrases).lists >= 0.5:
        return False  # a list without an id is an error
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and count_distinct(keys) == len(heads)


def list_separator(layout: Layout) -> str:
    """Return how the phrase column is split into phrases, or an empty string if a row holds one phrase.

    Cells are lists if no document (of one annotator or system) has two rows and the name or content says so.
    """
    table, columns = layout.table, layout.columns
    name = layout.phrases
    if name in list_columns(table):
        return "lists"
    # A column of variants belongs to one keyphrase a row, as the tidy form writes it.
    alone = whole_lists(table, [name]) and profile(table, columns.get("doc_id", name)).varied == 1
    if not table.splits or "variants" in table.names or ({"rank", "score"} & set(columns) and not alone):
        return ""
    lists = _count_lists(layout)
    if lists < len(table):
        # A few documents that stand there twice are no reason to take lists for phrases.
        few = lists >= _FEW_TWICE * len(table)
        return next((mark for mark in ";," if few and share_with(table.texts(name), mark) >= 0.5), "")
    return cell_separator(table, name, certain="phrases" in columns)


def _count_lists(layout: Layout) -> int:
    """Return how many lists the rows are, if each of a document (of one annotator or system) is a part of one."""
    if layout.numbered:
        return len(layout.table)
    keys = {"doc_id": layout.ids()}
    if (source := layout.source_column()) is not None:
        keys["source"] = layout.table.texts(source)
    # Rows of one list mostly stand together; then their runs tell enough, without a look at every pair.
    begins = np.zeros(len(layout.table), dtype=bool)
    for column in keys.values():
        begins[run_starts(column)] = True
    if begins.sum() < _FEW_TWICE * len(begins):
        return int(begins.sum())
    return count_distinct(keys)


def _evidence(table: Table, columns: dict[str, str]) -> str:
    roles = told(columns)
    header = "" if table.header else " without a header"
    return f"{table.described}{header}{'; ' if roles else ''}{roles}"
