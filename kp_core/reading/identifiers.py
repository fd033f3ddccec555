"""Turn ids of one document that are written differently into a rule that maps them one to one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from kp_core.errors import UsageError

_EXTENSIONS = (".txt", ".key", ".kwd", ".tags", ".abstr", ".html", ".htm", ".xml", ".json", ".pdf")


def strip_extension(doc_id: str) -> str:
    """Take one known extension off an id.

    >>> strip_extension("C-7.txt"), strip_extension("C-7.2")
    ('C-7', 'C-7.2')
    """
    for extension in _EXTENSIONS:
        if doc_id.lower().endswith(extension) and len(doc_id) > len(extension):
            return doc_id[: -len(extension)]
    return doc_id


def _strip_path(doc_id: str) -> str:
    return doc_id.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or doc_id


def _strip_zeros(doc_id: str) -> str:
    return doc_id.lstrip("0") or "0" if doc_id.isdigit() else doc_id


#: Rules for ids in the order in which they are offered: name → what it does in words, and the rule.
ID_RULES: dict[str, tuple[str, Callable[[str], str]]] = {
    "trim": ("trim white space", str.strip),
    "nfc-ids": ("compose accents (NFC)", lambda doc_id: unicodedata.normalize("NFC", doc_id)),
    "strip-path": ("strip the path", _strip_path),
    "strip-extension": ("strip the extension", strip_extension),
    "casefold-ids": ("ignore case", str.casefold),
    "strip-zeros": ("strip leading zeros", _strip_zeros),
}
#: Fixes that concern no ids.
OTHER_FIXES: dict[str, str] = {
    "keep-first": "keep the first of two lists for one document",
    "merge": "merge two lists for one document",
    "strip-common": "strip what all file names of systems (or annotators) begin or end with",
}


def id_fix(name: str) -> Callable[[str], str] | None:
    """Return the rule of a fix for ids, None for another fix; an unknown name is a usage error."""
    if name in ID_RULES:
        return ID_RULES[name][1]
    if name in OTHER_FIXES:
        return None
    raise UsageError(f"there is no fix '{name}'; choose among: {', '.join((*ID_RULES, *OTHER_FIXES))}")


def without_common(names: Sequence[str]) -> list[str]:
    """Strip what all names begin or end with, up to a separator; a single name stays.

    >>> without_common(["candidats.degree", "candidats.textrank"]), without_common(["a-run", "b-run"])
    (['degree', 'textrank'], ['a', 'b'])
    """
    if len(set(names)) < 2:
        return list(names)
    head = re.match(r"(?:.*[._\- ])?", _shared(names))
    tail = re.match(r"(?:.*[._\- ])?", _shared([name[::-1] for name in names]))
    start, stop = (len(found.group()) if found else 0 for found in (head, tail))
    short = [name[start : len(name) - stop] for name in names]
    return short if all(short) and len(set(short)) == len(set(names)) else list(names)


def _shared(names: Sequence[str]) -> str:
    """Return the characters with which all names begin."""
    first, last = min(names), max(names)
    differing = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differing, min(len(first), len(last)))]


def matches(left: Collection[str], right: Collection[str], rule: Callable[[str], str]) -> int:
    """Return how many more ids of both sides meet under a rule; 0 unless it keeps the ids of each side apart.

    >>> matches(["C-1", "C-2"], ["C-1.txt", "C-2.txt", "C-3.txt"], strip_extension)
    2
    """
    mapped_left, mapped_right = {rule(i) for i in left}, {rule(i) for i in right}
    if len(mapped_left) < len(set(left)) or len(mapped_right) < len(set(right)):
        return 0
    gained = len(mapped_left & mapped_right)
    return gained if gained > len(set(left) & set(right)) else 0


def near(doc_id: str, others: Sequence[str], limit: int = 3) -> list[str]:
    """Return up to three ids at edit distance two or less, the nearest first.

    >>> near("C-14", ["C-41", "C-4", "H-999"])
    ['C-4', 'C-41']
    """
    close = process.extract_iter(doc_id, others, scorer=Levenshtein.distance, score_cutoff=2)
    return [other for _, other in sorted((distance, other) for other, distance, _ in close)[:limit]]
