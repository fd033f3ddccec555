"""One file a format family; a module is imported only for files that may be of its families."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from kp_core.errors import UsageError

if TYPE_CHECKING:
    from kp_core.reading.lists.family import Family, File

#: Endings of tables, in which only some lines are of another family.
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".ods", ".parquet")
#: What the ending of a file and its first bytes must have for the families of each module.
_MAY: dict[str, Callable[[str, bytes], object]] = {
    "lists.annotations": lambda ending, first: (
        ending == ".ann"
        or first.lstrip()[:1] in (b"{", b"[")
        or re.match(rb"\s*[T#*REAMN]\S*\t", first)
        or re.search(rb"(?m)[ \t][OBIESL](?:-[^\s,;]*)?\r?$", first)
    ),
    "lists.document_files": lambda ending, first: ending not in _TABLES or re.match(rb"[^\n]*\t|\s*<[^<>\s]+>", first),
    "lists.lines": lambda ending, first: ending not in _TABLES or re.search(rb"[\t@:;]", first),
    "meaning.tables": lambda ending, first: True,
    "lists.trec": lambda ending, first: (
        ending in (".run", ".qrels") or re.search(rb"(?m)^\S+[ \t]+\S+[ \t]+\S+", first)
    ),
}
#: Bytes that are looked at.
_FIRST = 65_536


@cache
def all_families() -> tuple[Family, ...]:
    """Return the families of all modules, in the order of the numbers in their names."""
    return _in_order(_MAY)


def families_of(files: Sequence[File]) -> tuple[Family, ...]:
    """Return the families that some file may be of, by its first bytes and its ending, or because the user says so."""
    said = any(file.mapping.format for file in files)
    first = [(file.suffix, file.source.data[:_FIRST]) for file in files]
    return _in_order(name for name, may_be in _MAY.items() if said or any(may_be(*file) for file in first))


def _in_order(names: Iterable[str]) -> tuple[Family, ...]:
    families = [family for name in names for family in importlib.import_module(f"kp_core.reading.{name}").FAMILIES]
    return tuple(sorted(families, key=lambda family: (int(re.sub(r"\D", "", family.NAME)), family.NAME)))


def family_named(name: str) -> Family:
    """Return the family of this name, such as `F3`."""
    for family in all_families():
        if name.upper() in (family.NAME, *family.FORMS):
            return family
    raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(f.NAME for f in all_families())}")


def title_of(name: str) -> str:
    """Return what a family, or a format that one of them reads, is called.

    >>> title_of("F6")
    'one JSON object a document (JSONL)'
    """
    family = family_named(name)
    return family.FORMS.get(name, family.TITLE)
