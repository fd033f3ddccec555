"""One file a format family; each is found by its place here, and asked only about files that may be of it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from kp_core.errors import UsageError

if TYPE_CHECKING:
    from kp_core.reading.family import File, FormatFamily

#: Endings of tables, in which only some lines are of another family.
_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".ods", ".parquet")
#: What the first bytes of a file, and its ending, must have for each family; a family that is not here is always asked.
_MAY: dict[str, Callable[[str, bytes], object]] = {
    "annotations": lambda ending, first: (
        ending == ".ann"
        or first.lstrip()[:1] in (b"{", b"[")
        or re.match(rb"\s*[T#*REAMN]\S*\t", first)
        or re.search(rb"(?m)[ \t][OBIESL](?:-[^\s,;]*)?\r?$", first)
    ),
    "document_files": lambda ending, first: ending not in _TABLES or re.match(rb"[^\n]*\t|\s*<[^<>\s]+>", first),
    "lines": lambda ending, first: ending not in _TABLES or re.search(rb"[\t@:;]", first),
    "trec": lambda ending, first: ending in (".run", ".qrels") or re.search(rb"(?m)^\S+[ \t]+\S+[ \t]+\S+", first),
}
#: Bytes that are looked at.
_FIRST = 65_536


@cache
def all_families() -> tuple[FormatFamily, ...]:
    """Return every module in this folder, in the order of the numbers in their names."""
    return _in_order(found.name for found in pkgutil.iter_modules(__path__))


def families_of(files: Sequence[File]) -> tuple[FormatFamily, ...]:
    """Return the families that some file may be of, by its first bytes and its ending, or because the user says so."""
    chosen = {file.mapping.format for file in files if file.mapping.format}
    names = [found.name for found in pkgutil.iter_modules(__path__) if chosen or _may_be(found.name, files)]
    return _in_order(names)


def _may_be(family: str, files: Sequence[File]) -> bool:
    test = _MAY.get(family)
    return test is None or any(test(file.suffix, file.source.data[:_FIRST]) for file in files)


def _in_order(names: Iterable[str]) -> tuple[FormatFamily, ...]:
    """Return the families of these modules: what they list in `FAMILIES`, or they themselves."""
    modules = (importlib.import_module(f"{__name__}.{name}") for name in names)
    families = [family for module in modules for family in getattr(module, "FAMILIES", (module,))]
    return tuple(sorted(families, key=lambda family: (int(re.sub(r"\D", "", family.NAME)), family.NAME)))


def family_named(name: str) -> FormatFamily:
    """Return the family of this name, such as `F3`."""
    for family in all_families():
        if name.upper() == family.NAME.upper() or name.upper() in getattr(family, "FORMS", {}):
            return family
    raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(f.NAME for f in all_families())}")


def title_of(name: str) -> str:
    """Return what a family, or a format that one of them reads, is called.

    >>> title_of("F6")
    'one JSON object a document (JSONL)'
    """
    family = family_named(name)
    return str(getattr(family, "FORMS", {}).get(name, family.TITLE))
