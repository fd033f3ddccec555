"""Turn printed numbers into the settings under which systems have them: “why do I not get the printed number?”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.errors import Note, UsageError, pluralize, refuse_unless
from kp_core.order import reaches
from kp_core.scoring.measures import Asked, parse
from kp_core.settings import CONVENTIONS, PRESETS, Settings, format_value, in_words, question, signature
from kp_core.studies.result import Numbers
from kp_core.typeset import listed

#: Columns of a setting that was tried, one row a system.
TRIED = ("system", "measure", "k", "value", "signature", "preset", "changes")
#: So many settings are shown where none fits.
_NEAREST = 3
_NUMBER = re.compile(r"-?(?:\d+(?:[.,](\d*))?|[.,](\d+))\s*(%?)")


@dataclass(frozen=True)
class Printed:
    """A printed value: the measure, the system if one is named, and what rounds to it.

    low, high  the smallest and the largest value that is printed so; text: as it was printed

    >>> one = Printed.parse("bart:F1@5=34.8")
    >>> one.system, one.measure, round(one.low, 5), round(one.high, 5)
    ('bart', 'F1@5', 0.3475, 0.3485)
    """

    measure: str
    text: str
    low: float
    high: float
    system: str = ""

    @classmethod
    def parse(cls, text: str) -> Printed:
        """Read `F1@5=.348` or `SYSTEM:F1@5=.348`; the digits say what rounds to it, and 34.8 is the same in percent."""
        named, equals, value = text.rpartition("=")
        if not equals:
            raise UsageError(f"'{text}' is no printed number; write for example F1@5=.348 or bart:F1@5=.348")
        system, _, measure = named.strip().rpartition(":")
        return cls.of(measure, value, system)

    @classmethod
    def of(cls, measure: str, value: str | float, system: str = "") -> Printed:
        """Return a printed value of a measure; a number stands for its shortest decimal form."""
        text, asked = str(value).strip(), parse(measure.strip())
        if not (found := _NUMBER.fullmatch(text)):
            raise UsageError(f"'{text}' is no printed number; write for example .348, or 34.8 for the same in percent")
        number, digits = float(text.rstrip("% ").replace(",", ".")), len(found[1] or found[2] or "")
        scale = 100 if found[3] or abs(number) > asked.measure.high else 1
        half = 0.5 * 10.0**-digits
        return cls(asked.name(), text, (number - half) / scale, (number + half) / scale, system.strip())

    def off(self, value: float) -> float:
        """Return by how much a value lies above what rounds to the printed one; below it negative, inside it 0."""
        if reaches(value, self.low) and reaches(self.high, value):
            return 0.0
        return value - (self.high if value > self.high else self.low)

    def __str__(self) -> str:
        return f"{self.system}:{self.measure} = {self.text}".lstrip(":")


@dataclass(frozen=True)
class Tried:
    """A setting that was tried with one measure.

    settings  as it is; means: what it means for the measure, so that settings which cannot differ are the same
    of        system → value; empty where the data refuse it
    """

    preset: str
    settings: Settings
    means: Settings
    of: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Printing(Numbers):
    """The settings that print some numbers, or every setting that was tried where none is given.

    frame    one row a setting, system and number, fewest changes from a preset first: system, measure, k, value,
             signature, preset, changes (`name:value`, none where the preset is as published)
    printed  the numbers; fitting: how many settings print all of them; tried: how many were tried
    nearest  where none does, the same rows of those that come closest, with off: how far beyond the rounding they lie
    asks     what to ask the authors: convention → the values among which the numbers do not tell
    """

    printed: tuple[Printed, ...] = ()
    fitting: int = 0
    tried: int = 0
    nearest: pd.DataFrame
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    caption: str = "Settings that print a number"

    @property
    def questions(self) -> list[str]:
        """What to ask the authors, in words: what the numbers do not tell, with the answers that fit."""
        return [
            f"{question(name)} ({' or '.join(in_words(name, one) for one in own)})" for name, own in self.asks.items()
        ]

    def content(self) -> dict[str, Any]:
        """Return what the command line prints in JSON: with printed numbers, how many settings fit, and the nearest."""
        found = {"fitting": self.fitting, "nearest": typeset.records(self.nearest)} if self.printed else {}
        return super().content() | found

    def wide(self) -> pd.DataFrame:
        """Return the rows as people read them: what fits, or else what comes closest."""
        shown = self.nearest if self.printed and not self.fitting else self.frame
        told = [" ".join(changes) for changes in shown["changes"]]
        return shown.drop(columns="signature").assign(changes=told)


@dataclass(frozen=True)
class _Setting:
    """A setting as it was tried with every measure, and how it is told: a preset, and what is other than it says."""

    together: tuple[Tried, ...]
    preset: str
    changes: tuple[str, ...]

    def rows(self, asked: Sequence[Asked], systems: Sequence[str], documents: int) -> list[tuple[Any, ...]]:
        """Return a row for each measure, of the system that stands at its place."""
        found = list[tuple[Any, ...]]()
        for measure, system, one in zip(asked, systems, self.together, strict=True):
            k = measure.cutoffs(one.settings)[0]
            line = signature(one.settings.changed(k=(k,)), documents, measure.of_tables)
            shown = None if "@" not in measure.name(k) else k
            told = self.preset, list(self.changes)
            found.append((system, measure.name(k), shown, one.of.get(system), line, *told))
        return found

    def off(self, printed: Sequence[Printed], systems: Sequence[str]) -> list[float]:
        """Return how far each printed number is from the value of the system at its place; endless without one."""
        values = [one.of.get(system, float("nan")) for one, system in zip(self.together, systems, strict=True)]
        return [one.off(value) if value == value else float("inf") for one, value in zip(printed, values, strict=True)]


def printing(
    asked: Sequence[Asked],
    tried: Sequence[Sequence[Tried]],
    printed: Sequence[Printed],
    settings: Settings,
    documents: int,
    notes: tuple[Note, ...] = (),
) -> Printing:
    """Find the settings that print all numbers; without any number, list all that were tried.

    asked, tried: the measure of every number, or the one measure, and the same settings tried with each of them
    """
    systems = list(dict.fromkeys(name for own in tried for one in own for name in one.of))
    for number in printed:
        if number.system:
            refuse_unless(number.system, systems, "system")
    # Numbers that name no system are those of one row of a table, whichever it is.
    choices = dict.fromkeys(tuple(one.system or system for one in printed) or (system,) for system in systems)
    every = _every(tried)

    def table(chosen: Iterable[tuple[_Setting, Sequence[str]]]) -> pd.DataFrame:
        rows = [row for one, own in chosen for row in one.rows(asked, own, documents)]
        frame = pd.DataFrame(rows, columns=list(TRIED)).astype({"value": float})
        return frame.assign(k=pd.Series([row[2] for row in rows], dtype=object))

    pairs = [(one, own) for one in every for own in choices]
    if not printed:
        return Printing(table(pairs), settings, notes, documents, nearest=table([]), tried=len(every))
    off = [one.off(printed, own) for one, own in pairs]
    fits = [pair for pair, far in zip(pairs, off, strict=True) if not any(far)]
    fitting = list(dict.fromkeys(id(one) for one, _ in fits))
    nearest = table([]).assign(off=[])
    if not fits:
        order = sorted(range(len(pairs)), key=lambda place: max(map(abs, off[place])))[:_NEAREST]
        lie = [far for place in order for far in off[place]]
        nearest = table(pairs[place] for place in order).assign(off=lie)
    asks = _asks([one for one in every if id(one) in fitting])
    counts: dict[str, Any] = {"fitting": len(fitting), "tried": len(every)}
    found = Printing(
        table(fits), settings, notes, documents, printed=tuple(printed), nearest=nearest, asks=asks, **counts
    )
    return replace(found, notes=(*notes, *_notes(found)))


def _every(tried: Sequence[Sequence[Tried]]) -> list[_Setting]:
    """Return each setting once, as far as it means anything for the measures; fewest changes from a preset first."""
    named = [{one.preset: one.means for one in own if one.preset} for own in tried]
    once: dict[tuple[Settings, ...], tuple[Tried, ...]] = {}
    for together in zip(*tried, strict=True):
        once.setdefault(tuple(one.means for one in together), together)
    found = [_Setting(together, *_from_preset(means, named)) for means, together in once.items()]
    order = {name: place for place, name in enumerate(PRESETS)}
    return sorted(found, key=lambda one: (len(one.changes), order[one.preset]))


def _from_preset(means: Sequence[Settings], named: Sequence[Mapping[str, Settings]]) -> tuple[str, tuple[str, ...]]:
    """Return the preset that is nearest to a setting, and what is other than it says and means anything here."""
    found = {
        name: {
            convention: new
            for own, presets in zip(means, named, strict=True)
            for convention, (_, new) in presets[name].differences(own).items()
        }
        for name in named[0]
    }
    nearest = min(found, key=lambda name: len(found[name]))
    return nearest, tuple(f"{convention}:{format_value(value)}" for convention, value in found[nearest].items())


def _asks(fitting: Sequence[_Setting]) -> dict[str, tuple[str, ...]]:
    """Return the conventions that the numbers do not tell, with the values that fit."""
    every = [one.means for setting in fitting for one in setting.together]
    values = {name: tuple(dict.fromkeys(format_value(getattr(one, name)) for one in every)) for name in CONVENTIONS}
    return {name: own for name, own in values.items() if len(own) > 1}


def _notes(found: Printing) -> Iterator[Note]:
    """Say how many settings print the numbers, what to ask the authors, and what the search leaves as it is."""
    numbers = listed([str(one) for one in found.printed])
    if found.fitting:
        several = "setting prints" if found.fitting == 1 else "settings print"
        yield Note("info", "printed", f"{found.fitting} of {found.tried} {several} {numbers}")
    else:
        near = found.nearest.iloc[found.nearest["off"].abs().argmax()]
        told = f"the nearest gives {near['measure']} {typeset.number(near['value'], 4)} ({near['system']})"
        yield Note("warning", "printed", f"none of {pluralize(found.tried, 'setting')} prints {numbers}; {told}")
    if found.asks:
        yield Note("info", "ask the authors", "; ".join(found.questions))
    kept = "texts, tokens, gold standard, annotators and cutoff are as they are; only conventions were varied"
    yield Note("info", "not varied", kept)
