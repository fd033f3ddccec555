"""Find the columns that are those of one annotator or system each, or several numbered ones."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Collection, Iterable

import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.evidence import share_lists
from kp_core.reading.fields import (
    BESIDES,
    GOLD_WORDS,
    IDENTIFIERS,
    KNOWN,
    NAMES,
    PEOPLE,
    REMARKS,
    SYSTEMS,
    WRITERS,
    base_of,
    gold_beside,
    is_gold,
    is_predicted,
    number_of,
    phrases_in,
    plain,
    record_phrases,
    source_of,
)
from kp_core.reading.profiles import Profile, profile, whole_lists
from kp_core.reading.table import Table, list_columns

#: Ends of the heads of questions about documents.
_ABOUT = re.compile(
    r"(?i)(?:^|\W)(?:texte?|texto|testo|tekst|doc(?:ument)?|dokument|documento|abstract|article|artikel|paper)$"
)


def worded_columns(table: Table) -> list[str]:
    """Return the columns whose heads say whose keyphrases they are, such as “Keywords Anna”, without numbered ones."""
    heads = [name for name in table.names if plain(name) not in KNOWN | BESIDES and source_of(name) != base_of(name)]
    lists = [name for name in whole_lists(table, heads) if source_of(name)]  # “Keywords R1”
    worded = [name for name in heads if number_of(name) is None or name in lists]
    return [name for name in worded if profile(table, name).phrases] if table.header else []


def record_columns(table: Table) -> list[str]:
    """Return the columns of keyphrases in a table of records of a catalogue; none where the table is another one."""
    if not table.header:
        return []
    shapes = {name: profile(table, name) for name in record_phrases(table.names)}
    found = [n for n, shape in shapes.items() if shape.phrases and (number_of(n) is not None or not shape.codes)]
    whole = whole_lists(table, found)
    return [name for name in found if name in whole or plain(name) not in NAMES["phrase"]]


def columns_by_source(table: Table, columns: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Return annotator or system → columns, where each has a column of lists or several numbered columns."""
    if told := _told_by_heads(table):
        return grouped(told, told if is_gold(told[0]) else whole_lists(table, told))
    phrases = phrases_in(columns)
    if phrases is None and len(nested := [name for name in list_columns(table) if name not in columns.values()]) >= 2:
        return grouped(nested, nested)
    if len(again := _repeated(table, columns)) > 1:
        return {"": again}
    gold = phrases is not None and is_gold(phrases)
    if not table.header or (phrases is not None and not gold) or {"rank", "score"} & set(columns):
        return {}
    whole, free = whole_lists(table, table.names), _free(table, columns)
    # A number behind the word for a person counts people, not the phrases of one of them.
    numbered = [name for name in free if number_of(name) is not None and name not in whole]
    numbered = [name for name in numbered if plain(base_of(name)) not in PEOPLE]
    groups = grouped(numbered)
    several = any(len(names) > 1 for names in groups.values())
    groups = {source: names for source, names in groups.items() if len(names) > 1 or number_of(names[0]) == 1}
    if several and not gold:
        return groups
    if "doc_id" not in columns and free:
        first = next(iter(free))
        if free[first].lists < 0.5 and free[first].varied > 0.9:  # ids under a head that nobody knows
            del free[first]
    # A column without any list among columns of lists may be a title, unless it repeats as keyphrases do.
    lists = [name for name in free if name in whole]
    if not lists and not all(plain(name) in SYSTEMS for name in free) and "doc_id" not in columns:
        return {}
    wide = [name for name, shape in free.items() if name in lists or shape.lists > 0 or shape.words <= 3]
    if gold:  # the gold standard beside the systems, in one sheet
        predicted = [name for name in table.names if name not in free and is_predicted(name)]
        sure = plain(str(phrases)) in GOLD_WORDS
        beside = [*(name for name in wide if sure or name in lists or plain(name) in SYSTEMS), *predicted]
        return grouped([str(phrases), *beside], [str(phrases), *beside]) if beside else {}
    return grouped(wide, wide) if len(wide) >= 2 else {}


def _told_by_heads(table: Table) -> list[str]:
    """Return the columns that are lists beside each other by their heads alone."""
    tried = (_gold_and_predicted(table), record_columns(table), worded_columns(table))
    return next((names for names in tried if len(names) > 1), [])


def _gold_and_predicted(table: Table) -> list[str]:
    """Return the one column of a gold standard and those of systems, where a table has no other column of phrases."""
    shapes = {name: profile(table, name) for name in table.names if table.header}
    phrases = [name for name, shape in shapes.items() if shape.phrases and not shape.marks]
    held = [name for name in phrases if shapes[name].lists > 0 or is_predicted(name)]
    gold = [name for name in held if is_gold(name)]
    predicted = [name for name in held if is_predicted(name) and name not in gold]
    return [*gold, *predicted] if len(gold) == 1 and predicted and len(held) == 1 + len(predicted) else []


def _free(table: Table, columns: dict[str, str]) -> dict[str, Profile]:
    """Return the columns that may be those of annotators or systems: no other is known to hold something else."""
    # What has a known head a second time is neither an annotator nor a system of that name.
    known = {name for name in table.names if name in columns.values() or plain(name.rstrip("'")) in KNOWN | BESIDES}
    whole = {*whole_lists(table, table.names)}
    if not {"pt", "ut"} <= set(map(plain, table.names)):  # initials are tags of Web of Science only among others
        known -= {name for name in whole if re.fullmatch("[A-Z]{2}", name) and name not in columns.values()}
    readers = {name for name in whole if plain(name) in NAMES["annotator"] and name not in columns.values()}
    # Authors choose keyphrases where readers do; elsewhere they are those who wrote the document.
    authors = {name for name in table.names if plain(name) in WRITERS}
    predicted = [name for name in table.names if is_predicted(name)]
    chose = {name for name in authors & whole if predicted and share_lists(table, [name, *predicted])}
    known = known - readers if readers else (known | authors) - chose
    known |= {name for name in table.names if plain(base_of(name)) in IDENTIFIERS}
    known |= {name for name in table.names if REMARKS & set(map(plain, name.split()))}  # “Comments Anna”
    free = {name: profile(table, name) for name in table.names if name not in known}
    return {name: shape for name, shape in free.items() if (shape.phrases and not shape.addresses) or not shape.cells}


def _repeated(table: Table, columns: dict[str, str]) -> tuple[str, ...]:
    """Return the columns of phrases that all have one head; none where cells are lists or rows have more to say."""
    phrases = phrases_in(columns)
    if phrases is None or set(columns) - {"doc_id", "phrase", "phrases", "title", "text", "group"}:
        return ()
    again = tuple(name for name in table.names if name.rstrip("'") == phrases)
    shapes = [profile(table, name) for name in again]
    alone = all(shape.lists < 0.5 and (shape.phrases or not shape.cells) for shape in shapes)
    once = "doc_id" not in columns or len(pc.unique(table.texts(columns["doc_id"]))) == len(table)
    return again if alone and once else ()


def grouped(names: Iterable[str], whole: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
    """Group columns by whose keyphrases they hold; a number in the head of a whole list is a part of the name.

    >>> grouped(["Anna 1", "Anna 2", "Ben 1"]), grouped(["gpt-3", "Keywords Ben"], ["gpt-3", "Keywords Ben"])
    ({'Anna': ('Anna 1', 'Anna 2'), 'Ben': ('Ben 1',)}, {'gpt-3': ('gpt-3',), 'Ben': ('Keywords Ben',)})
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        source = source_of(name)
        apart = name in whole if number_of(name) is not None else source in found
        if apart or plain(base_of(name)) in PEOPLE:
            source = name.strip()
        found[source] = (*found.get(source, ()), name)
    return found


def lies_across(table: Table, columns: dict[str, str], sources: abc.Mapping[str, tuple[str, ...]]) -> bool:
    """Tell a table whose columns are the documents: “Keywords for text 1”, or numbers over rows of a few people."""
    rows, used = columns.get("doc_id", columns.get("annotator")), [name for own in sources.values() for name in own]
    if len(used) > 1 and all(number_of(name) is not None and _ABOUT.search(base_of(name)) for name in used):
        return True
    if rows is not None and (plain(rows) in NAMES["name"] or plain(rows) in PEOPLE):
        return profile(table, rows).varied == 1 and not profile(table, rows).codes  # a person a row
    if rows is None:  # d1, d2, d3 over nothing but phrases
        return len(sources) == 1 and "" not in sources and len(used) > 1 and "title" not in columns
    if (
        plain(rows) in NAMES["doc_id"]
        or len(table) > len(used)
        or {*map(plain, map(base_of, used))} & (PEOPLE | SYSTEMS)
    ):
        return False
    numbered = [name for name in used if re.search(r"\d", name)]
    return len(numbered) == len(used) and not any(re.search(r"\d", cell) for cell in table.texts(rows).to_pylist())


def whose(sources: abc.Mapping[str, tuple[str, ...]], role: Role) -> str:
    """Say whose lists the columns are."""
    if list(sources) == [""]:
        return f"one list in {counted(len(sources['']), 'column')}"
    gold = gold_beside(sources)
    names = [f"“{(source or names[0])[:40]}”" for source, names in sources.items() if names[0] != gold]
    shown = ", ".join(names[:5]) + " …" * (len(names) > 5)
    if gold:
        return f"the gold standard in “{gold}”, systems {shown}"
    numbered = ", each in several numbered columns" if any(len(one) > 1 for one in sources.values()) else ""
    return f"{'annotators' if role == 'gold' else 'systems'} {shown}{numbered}"
