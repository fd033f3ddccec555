"""Turn bad input and undefined values into words that a user can act on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


class InputError(ValueError):
    """Say what is wrong with the data: where, what was found, what was expected, what to do.

    >>> print(InputError("gold.csv, line 3", "an empty id", "a document id", "Fill the cell, or remove the row."))
    gold.csv, line 3: expected a document id, found an empty id. Fill the cell, or remove the row.
    """

    def __init__(self, where: str, found: str, expected: str, remedy: str) -> None:
        self.where, self.found, self.expected, self.remedy = where, found, expected, remedy
        super().__init__(f"{where}: expected {expected}, found {found}. {remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str, str]]:
        """Go from process to process whole: an error is otherwise rebuilt from its one message."""
        return type(self), (self.where, self.found, self.expected, self.remedy)


class UsageError(ValueError):
    """Say that an option, a measure or a convention was named wrongly (exit status 2 on the command line)."""


@dataclass(frozen=True)
class Note:
    """One thing the reader must be told: level `info` or `warning`, where it stands, and a full sentence.

    counts  of notes on parts of the data, which add up: the number, and the words for one and for several
    """

    level: Literal["info", "warning"]
    where: str
    message: str
    counts: tuple[int, str, str] | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def counting(level: Literal["info", "warning"], where: str, number: int, one: str, several: str) -> Note:
        """Return a note that begins with a number, so that those on parts of the data add up.

        >>> Note.counting("info", "a.csv", 1, "list was sorted", "lists were sorted").message
        '1 list was sorted'
        """
        return Note(level, where, counted(number, one, several), (number, one, several))

    def as_dict(self) -> dict[str, str]:
        """Return the note as the command line prints it."""
        return {"level": self.level, "where": self.where, "message": self.message}


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


#: Why a value is undefined, or what is special about a document; the keys stand in exports as `reason`.
REASONS: dict[str, str] = {
    "ok": "defined",
    "missing_document": "the system has no list for this document",
    "gold_empty": "the gold standard has no keyphrase for this document",
    "system_empty": "the system returned no phrase",
    "both_empty": "neither the gold standard nor the system chose anything",
    "all_yes": "both sides chose every phrase of the universe",
    "constant_yes": "one side chose every phrase of the universe",
    "no_items": "the universe holds no phrase",
    "no_true_negatives": "every phrase of the universe was chosen by somebody (d = 0)",
    "perfect": "both sides chose the same phrases",
    "no_hits": "no chosen phrase is a keyphrase",
    "no_judged_negatives": "bpref needs phrases judged as not relevant, and the gold standard has none",
    "universe_too_large": "the universe is too large to follow a random order to its end; ask for a cutoff",
    "no_documents": "no document is left to average over",
    "no_majority": "no majority of annotators reaches the threshold",
    "unequal_choices": "the annotators did not choose equally many phrases, which the choice-matrix form needs",
    "all_tied": "all systems have the same value, so there is no order to compare",
    "few_systems": "fewer than two systems have a value in both",
    "one_item": "only one phrase is left, so that the choices cannot differ",
    "nobody_else": "nobody else chose anything that counts here",
    "single_annotator": "fewer than two annotators saw the document",
    "too_few": "fewer than three pairs have both values",
    "one_annotator": "agreement among people needs at least two annotators",
    "constant": "one side has the same value for every pair, so nothing can vary with it",
    "empty_phrase": "one of the two phrases has no word",
    "too_short": "the measure needs two words in both phrases, and one has a single word",
    "no_context": "no sentence of the texts holds one of the two phrases, or it holds nothing else",
    "no_information": "the longer phrase holds no information: it is all that the references say",
    "few_yes": "fewer than 10 sentences are “yes”",
    "few_no": "fewer than 10 sentences are “no”",
    "one_document": "fewer than two documents are left, so no fold can leave one out",
    "no_value": "no value was given or could be computed for this pair",
}
