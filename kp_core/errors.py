"""Define errors and notes, with their messages."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal


class InputError(ValueError):
    """An error in the data: where it is, what was found, what was expected, and the remedy.

    Examples
    --------
    >>> print(InputError("gold.csv, line 3", "an empty id", "a document id", "Fill the cell, or remove the row."))
    gold.csv, line 3: expected a document id, found an empty id. Fill the cell, or remove the row.
    """

    def __init__(self, where: str, found: str, expected: str, remedy: str) -> None:
        self.where, self.found, self.expected, self.remedy = where, found, expected, remedy
        super().__init__(f"{where}: expected {expected}, found {found}. {remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str, str]]:
        """Pickle all fields; otherwise only the message would be pickled."""
        return type(self), (self.where, self.found, self.expected, self.remedy)


@contextmanager
def named(dataset: str) -> Iterator[None]:
    """Add the name of a data set to the errors that are raised inside."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{dataset}: {error.where}", error.found, error.expected, error.remedy) from None


class UsageError(ValueError):
    """A wrong option, measure or convention (exit status 2 on the command line)."""


def input_error(where: str, why: str, **facts: Any) -> InputError:
    """Return the error for refused data, with a message from `refusals.toml`.

    >>> print(input_error("gold.csv", "no row"))
    gold.csv: expected one row per keyphrase, found no row. Name another file.
    """
    words = _REFUSALS["data"][why]
    return InputError(where, *(words[part].format(**facts) for part in ("found", "expected", "remedy")))


def machine_reason(error: OSError) -> str:
    """Return the message of the operating system; messages of libraries are left out."""
    return os.strerror(error.errno) if error.errno else str(error)


def usage_error(why: str, **facts: Any) -> UsageError:
    """Return a `UsageError` with a message from `refusals.toml`."""
    return UsageError(_REFUSALS["choices"][why].format(**facts))


def refuse_unless(value: object, known: Collection[str], name: str) -> None:
    """Raise a UsageError that lists the known values if a value of an option is unknown."""
    if value not in known:
        raise UsageError(f"{name} is '{value}'; choose one of: {', '.join(known)}")


def refuse_unknown(names: Iterable[str], known: Collection[str], kind: str) -> None:
    """Raise a UsageError that lists the known names of a kind if one of the given names is unknown."""
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {kind} '{name}'; choose among: {', '.join(known)}")


def refuse_below(value: int, least: int, name: str) -> None:
    """Raise a UsageError if a number is below the minimum of an option."""
    if value < least:
        raise UsageError(f"{name} is {value}; choose a whole number of at least {least}")


@dataclass(frozen=True)
class Note:
    """A note for the user: `info` or `warning`, its subject, and a sentence.

    * `counts`: number and its wording for one and for several, if notes on parts of the data are added up
    * `remedy`: the setting that would help, and its value
    """

    level: Literal["info", "warning"]
    where: str
    message: str
    counts: tuple[int, str, str] | None = field(default=None, compare=False, repr=False)
    remedy: tuple[str, str] | None = None

    @staticmethod
    def counting(level: Literal["info", "warning"], where: str, number: int, singular: str, plural: str) -> Note:
        """Return a note that begins with a number; such notes on parts of the data are added up."""
        return Note(level, where, pluralize(number, singular, plural), (number, singular, plural))

    def as_dict(self) -> dict[str, str]:
        """Return the note as printed, with its remedy as a setting."""
        choose = f"; choose {' = '.join(self.remedy)}" if self.remedy else ""
        return {"level": self.level, "where": self.where, "message": self.message + choose}


def pluralize(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun in singular or plural; `plural`: its plural."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def part_of(part: int, whole: int, noun: str, singular: str, plural: str) -> str:
    """Return a part of a whole with its noun and a verb that agrees with the part."""
    return f"{part:,} of {pluralize(whole, noun)} {singular if part == 1 else plural}"


def read_toml(path: str) -> dict[str, Any]:
    """Read a TOML file, given its path within this package."""
    return tomllib.loads((files("kp_core") / path).read_text("utf-8"))


#: Reasons for undefined values and excluded documents; exported files contain their keys.
REASONS: dict[str, str] = read_toml("data/reasons.toml")
_REFUSALS = read_toml("data/refusals.toml")
