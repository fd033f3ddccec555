"""Turn a number and a noun into words that agree."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun, or with words that begin with it; several: what more than one takes.

    >>> counted(1, "note"), counted(1200, "note"), counted(2, "list was", "lists were")
    ('1 note', '1,200 notes', '2 lists were')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def part_of(part: int, whole: int, noun: str, one: str, several: str) -> str:
    """Return a part of a whole with its noun and a verb that agrees with the part.

    >>> part_of(1, 2, "document", "has no text", "have no text"), part_of(2, 2, "document", "has", "have")
    ('1 of 2 documents has no text', '2 of 2 documents have')
    """
    return f"{part:,} of {counted(whole, noun)} {one if part == 1 else several}"
