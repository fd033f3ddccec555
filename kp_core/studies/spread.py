"""Turn a corpus and settings into a grid of settings: one measure under many conventions, or those that print a number.

Why do systems change places, and why do I not get the printed number?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError, pluralize, refuse_unless
from kp_core.scoring.accumulate import Accumulator, mean_of
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import SystemCounts, counted_alike, table_settings
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.measures import Asked, matchers, parse
from kp_core.scoring.order import close, exceeds, reaches
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import count_systems
from kp_core.settings import (
    CONVENTIONS,
    PRESETS,
    Cutoff,
    Settings,
    format_value,
    in_words,
    presets_for,
    question,
    resolve_settings,
    signature,
)
from kp_core.studies.result import Numbers
from kp_core.typeset import listed

#: The grid of the specification of ranking, section 7; every other convention stays as it is.
GRID: dict[str, tuple[str, ...]] = {
    "normalise": ("lower+space", "lower+space+porter-nltk", "lower+space+snowball-en"),
    "duplicates": ("before", "after", "keep", "count"),
    "denominator": ("k", "returned", "min(k,gold)"),
    "average": ("macro", "f-of-means", "micro"),
    "empty_gold": ("skip", "zero"),
}
#: What the grid tries beside, for measures of a similarity alone.
_SIMILARITY = {"matching": ("one-to-one", "best")}
#: What nobody takes without knowing: means over subjects, and gains by rarity.
_CHOSEN = ("subject_empty", "propensity")
#: Every convention and value that is listed, in this order.
_LISTED = tuple(
    (name, value)
    for name, one in CONVENTIONS.items()
    if name not in ("by_concept", "titles", *_CHOSEN)
    for value in (GRID[name] if name == "average" else one.values)  # noqa: PD011
    if value not in _CHOSEN
)

#: Columns of a setting that was tried, one row per system.
TRIED = ("system", "measure", "k", "value", "signature", "preset", "changes")
#: So many settings are shown where none fits.
_NEAREST = 3
_NUMBER = re.compile(r"-?(?:\d+(?:[.,](\d*))?|[.,](\d+))\s*(%?)")
#: The value of each system.
Values = Mapping[str, float]


@dataclass(frozen=True)
class Tried:
    """A setting that is tried with one measure.

    kind   current, preset, change (of one convention), grid, or near: the grid under the present normalisation, so that
           an example names no step that makes no difference; name: the preset, or the convention that is changed
    means  what it means for the measure, so that settings which cannot differ are the same
    of     system → value; empty where the data refuse it
    """

    kind: str
    name: str
    settings: Settings
    means: Settings
    of: Values = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Spread(Numbers):
    """One measure of all systems under many conventions, at the current cutoff and gold standard.

    Undefined values, and those of settings that the data do not allow, are missing.

    Attributes
    ----------
    frame : DataFrame
        One row per setting and system: kind (current, preset, grid), preset, conventions, system, value.
    ranges : DataFrame
        One row per system: current, low and high over all settings.
    changes : DataFrame
        One row per changed convention and system: field, was, now, system, value, change.
    turns : DataFrame
        One row per pair of systems whose order reverses, the most frequent first: a (currently ahead), b, the settings
        of the grid in which b is ahead, those with ties, the presets in which b is ahead, and an example with the
        fewest changes.
    combinations : int
        Number of settings of the grid that differ for this measure.
    tried : tuple
        All settings: presets, current settings, single changes, grid.
    """

    measure: str
    asked: Asked
    tried: tuple[Tried, ...]
    ranges: pd.DataFrame
    changes: pd.DataFrame
    turns: pd.DataFrame
    combinations: int
    caption: str = "One measure under many conventions"

    def wide(self) -> pd.DataFrame:
        """Return one row per system: its value at present, the lowest and the highest."""
        return self.ranges

    def printing(self, value: str | float | None = None, system: str = "") -> Printing:
        """Return the settings that print a value, of one system or of any; without a value every setting.

        The digits decide what rounds to it: .348 is [.3475, .3485], and 34.8 the same in percent.
        """
        return printing_of([self], () if value is None else (Printed.of(self.measure, value, system),))


@dataclass(frozen=True)
class Spreads:
    """One measure of all systems under many conventions, at every cutoff of the settings; `at` looks one up.

    settings  the current settings; notes: what the reader must know of the data; documents: how many there are
    axes      the conventions of the grid
    tried     every setting, in an order that is the same for all measures
    values    what settings mean → the values of the systems, one a cutoff; nothing where the data refuse it
    """

    asked: Asked
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    axes: tuple[str, ...]
    tried: list[Tried]
    values: dict[Settings, dict[str, Floats]]

    def at(self, cutoff: Cutoff | str) -> Spread:
        """Return the spread at one of the cutoffs; a measure with a cutoff of its own has no other."""
        place = self.settings.k.index(cutoff) if self.asked.fixed is None else 0
        each: dict[Settings, Values] = {
            means: {system: float(own[place]) for system, own in systems.items()}
            for means, systems in self.values.items()
        }
        tried = [replace(one, of=each.get(one.means, {})) for one in self.tried]
        grid = {one.means: one for one in tried if one.kind == "grid"}
        [current] = (one for one in tried if one.kind == "current")
        rows = [current, *(one for one in tried if one.kind == "preset"), *grid.values()]
        table = [
            (one.kind, one.name, *(getattr(one.means, name) for name in self.axes), system, one.of.get(system))
            for one in rows
            for system in current.of
        ]
        frame = pd.DataFrame(table, columns=["kind", "preset", *self.axes, "system", "value"]).astype({"value": float})
        by_system = frame.groupby("system", sort=False)["value"]
        ranges = pd.DataFrame(
            {"current": by_system.first(skipna=False), "low": by_system.min(), "high": by_system.max()}
        )
        return Spread(
            frame,
            self.settings.changed(k=(self.settings.k[place],)),
            self.notes,
            self.documents,
            self.asked.of_tables,
            measure=self.asked.name(self.settings.k[place]),
            asked=self.asked,
            tried=tuple(one for one in tried if one.kind != "near"),
            ranges=ranges.reset_index(),
            changes=_changes(current, tried),
            turns=_turns(current, tried, list(grid.values())),
            combinations=len(grid),
        )


def spread(corpus: Corpus, settings: Settings | None = None, /, measure: str = "F1@k", **changes: Any) -> Spread:
    """Evaluate one measure under every preset and under the grid of conventions.

    Only conventions differ: presets are used at the current cutoff, the first one unless the measure has one, and keep
    settings that belong to the data.
    """
    asked = resolve_settings(corpus, settings, changes)
    studied = spreads(corpus, asked.changed(k=asked.k[:1]), measure)
    return studied.at(studied.settings.k[0])


def spreads(corpus: Corpus, settings: Settings, measure: str) -> Spreads:
    """Evaluate one measure under every preset and under the grid, at every cutoff of the settings."""
    asked = parse(measure)
    data = prepare(corpus, settings, interval="none")
    now, semantic = data.settings.changed(k=asked.cutoffs(data.settings)), asked.measure.family == "semantic"
    axes = GRID | (_SIMILARITY if semantic else {})
    of_data = {name: getattr(now, name) for name, card in CONVENTIONS.items() if card.of_data}
    presets = {name: {"preset": name, "k": now.k, **of_data} for name in presets_for(now, semantic)}
    named = [("preset", name, prepare(corpus, now, **own).settings) for name, own in presets.items()]
    named.append(("current", now.preset, now))
    for name, value in (*(("normalise", value) for value in GRID["normalise"]), *_LISTED):
        with suppress(UsageError):
            named.append(("change", name, now.changed(**{name: value})))
    present = axes | {"normalise": (_means(asked, now).normalise,)}
    for kind, own in (("grid", axes), ("near", present)):
        every = (dict(zip(own, values, strict=True)) for values in product(*own.values()))
        named += [(kind, "", now.changed(**changes)) for changes in every]
    tried = [Tried(kind, name, own, _means(asked, own)) for kind, name, own in named]
    values = grid(data.under(now), asked, [one.means for one in tried])
    current = values[_means(asked, now)]
    if isinstance(current, InputError):
        raise current
    if not current:
        raise UsageError("a spread needs at least one system")
    allowed = {means: own for means, own in values.items() if not isinstance(own, InputError)}
    return Spreads(asked, now, data.notes, len(data.documents), tuple(axes), tried, allowed)


def _means(asked: Asked, settings: Settings) -> Settings:
    """Return what settings mean for a measure: those between which it cannot differ are the same.

    They have the average that is taken, and sets on both sides for concordance tables.
    """
    # Settings that differ in nothing but the preset they started from are the same.
    same = {"preset": "kpscope", "average": asked.averages(settings.average)[0]}
    if asked.measure.family != "semantic":
        same |= {"matching": "one-to-one", "sem_equal": "both"}
    if left_one_out(settings.annotators):  # as `prepare` settles it
        same["empty_gold"] = "skip"
    settings = Settings(**vars(settings) | same)
    return table_settings(settings) if asked.of_tables else settings


def grid(data: Prepared, asked: Asked, every: Iterable[Settings]) -> dict[Settings, dict[str, Floats] | InputError]:
    """Return the values of every system under each of some settings, one a cutoff, or why the data refuse it.

    Settings that are counted alike are counted once, one group after the other, so that memory holds one group. Values
    are added up some documents at a time, which stay in the processor's cache.
    """
    groups: dict[Settings, list[Settings]] = {}
    for one in dict.fromkeys(every):
        groups.setdefault(counted_alike(one), []).append(one)
    found: dict[Settings, dict[str, Floats] | InputError] = {}
    for shared, group in groups.items():
        alike = data.under(shared)
        try:
            standards = [count_systems(alike, matchers([asked]), without=without) for without in alike.left_out]
        except InputError as refused:
            found |= dict.fromkeys(group, refused)
            continue
        for one in group:
            found[one] = {
                system: _value([own[system].under(one) for own in standards], asked, one) for system in standards[0]
            }
    return found


def _value(standards: list[SystemCounts], asked: Asked, settings: Settings) -> Floats:
    """Return the value at every cutoff, the mean under several gold standards."""
    whole, average, cutoffs = Accumulator("none"), settings.average, settings.k
    for place, one in enumerate(standards):
        for part in one.of(asked).blocks():
            whole.begin(part.resampled, None)
            whole.add(str(place), asked, part.at(cutoffs), average)
    return mean_of([whole.estimate(str(place), asked, average, cutoffs) for place in range(len(standards))]).value


def _changes(current: Tried, tried: Sequence[Tried]) -> pd.DataFrame:
    """Return one row per change of one convention and system; what the data refuse is left out."""
    rows = [
        (
            one.name,
            format_value(getattr(current.means, one.name)),
            format_value(getattr(one.settings, one.name)),
            system,
            value,
            value - current.of[system],
        )
        for one in tried
        if one.kind == "change" and one.means != current.means
        for system, value in one.of.items()
    ]
    return pd.DataFrame(rows, columns=["field", "was", "now", "system", "value", "change"])


def _turns(current: Tried, tried: Sequence[Tried], grid: Sequence[Tried]) -> pd.DataFrame:
    """Return one row per pair of systems whose order changes; if two tie now, most settings decide who is ahead."""
    near = [one for kind in ("near", "grid") for one in tried if one.kind == kind and one.of]
    changed = {one.means: current.means.differences(one.means) for one in near}
    near.sort(key=lambda one: len(changed[one.means]))
    rows = []
    for one, two in combinations(current.of, 2):
        gaps = {setting.means: setting.of[one] - setting.of[two] for setting in tried if setting.of}
        # 1 where the first system has the higher value, -1 where the second has, else 0
        ahead = {means: int(exceeds(gap, 0)) - int(exceeds(0, gap)) for means, gap in gaps.items()}
        order = [ahead.get(setting.means, 0) for setting in grid]
        present = ahead[current.means] or (-1 if sum(order) < 0 else 1)
        presets = (setting for setting in tried if setting.kind == "preset")
        named = tuple(setting.name for setting in presets if ahead.get(setting.means) == -present)
        turned = order.count(-present)
        if not turned and not named:
            continue
        tied = sum(close(gaps[setting.means], 0) for setting in grid if setting.of)
        example = next((changed[each.means] for each in near if turned and ahead[each.means] == -present), {})
        a, b = (one, two) if present > 0 else (two, one)
        rows.append((a, b, turned, tied, named, {name: format_value(new) for name, (_, new) in example.items()}))
    rows.sort(key=lambda row: -row[2])
    return pd.DataFrame(rows, columns=["a", "b", "settings", "tied", "presets", "example"])


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
            raise UsageError(f"'{text}' is not a printed number; write for example F1@5=.348 or bart:F1@5=.348")
        system, _, measure = named.strip().rpartition(":")
        return cls.of(measure, value, system)

    @classmethod
    def of(cls, measure: str, value: str | float, system: str = "") -> Printed:
        """Return a printed value of a measure; a number is read in its shortest decimal form."""
        text, asked = str(value).strip(), parse(measure.strip())
        if not (match := _NUMBER.fullmatch(text)):
            raise UsageError(
                f"'{text}' is not a printed number; write for example .348, or 34.8 for the same in percent"
            )
        number, digits = float(text.rstrip("% ").replace(",", ".")), len(match[1] or match[2] or "")
        scale = 100 if match[3] or abs(number) > asked.measure.high else 1
        half = 0.5 * 10.0**-digits
        return cls(asked.name(), text, (number - half) / scale, (number + half) / scale, system.strip())

    def off(self, value: float) -> float:
        """Return by how much a value lies above what rounds to the printed one; below it negative, inside it 0."""
        if reaches(value, self.low) and reaches(self.high, value):
            return 0.0
        return value - (self.high if value > self.high else self.low)

    def __str__(self) -> str:
        return f"{self.system}:{self.measure} = {self.text}".lstrip(":")


@dataclass(frozen=True, kw_only=True)
class Printing(Numbers):
    """The settings that print some numbers, or every setting that was tried if none is given.

    frame    one row per setting, system and number, fewest changes from a preset first: system, measure, k, value,
             signature, preset, changes (`name:value`, none where the preset is as published)
    printed  the numbers; fitting: how many settings print all of them; tried: how many were tried
    nearest  if none does, the same rows of those that come closest, with off: how far beyond the rounding they lie
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
        """What to ask the authors: what the numbers leave open, with the answers that fit."""
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


def printing(
    corpus: Corpus, settings: Settings | None = None, /, numbers: Iterable[str] | str = (), **changes: Any
) -> Printing:
    """Find the settings under which systems have printed numbers.

    Every preset, the current settings, each single change of them, and the grid of `spread` are tried.

    Parameters
    ----------
    numbers : str or sequence of str
        Such as `F1@5=.348`, or `bart:F1@5=.348` for one of several systems, separated by commas. The digits define the
        rounding. All numbers must fit together, those without a name for the same system.
    """
    each = [numbers] if isinstance(numbers, str) else numbers
    printed = [Printed.parse(one) for number in each for one in re.split(r"[;,]\s*+(?=[^;,=]*=)", number)]
    if not printed:
        raise UsageError("name a printed number, such as F1@5=.348")
    return printing_of([spread(corpus, settings, one.measure, **changes) for one in printed], printed)


def printing_of(spreads: Sequence[Spread], printed: Sequence[Printed]) -> Printing:
    """Find the settings that print all numbers; without any number, list all that were tried.

    spreads  that of the measure of every number, or of the one measure
    """
    first = spreads[0]
    systems = list(dict.fromkeys(name for own in spreads for one in own.tried for name in one.of))
    for number in printed:
        if number.system:
            refuse_unless(number.system, systems, "system")
    # Numbers that name no system are those of one row of a table, whichever it is.
    choices = dict.fromkeys(tuple(one.system or system for one in printed) or (system,) for system in systems)
    every = _every(spreads)

    def table(chosen: Iterable[tuple[_Setting, Sequence[str]]]) -> pd.DataFrame:
        rows = [row for one, own in chosen for row in one.rows(spreads, own)]
        frame = pd.DataFrame(rows, columns=list(TRIED)).astype({"value": float})
        return frame.assign(k=pd.Series([row[2] for row in rows], dtype=object))

    pairs, recipe = [(one, own) for one in every for own in choices], (first.settings, first.notes, first.documents)
    if not printed:
        return Printing(table(pairs), *recipe, nearest=table([]), tried=len(every))
    off = [one.off(printed, own) for one, own in pairs]
    fits = [pair for pair, far in zip(pairs, off, strict=True) if not any(far)]
    fitting = [one for one in every if any(one is own for own, _ in fits)]
    nearest = table([]).assign(off=[])
    if not fits:
        order = sorted(range(len(pairs)), key=lambda place: max(map(abs, off[place])))[:_NEAREST]
        lie = [far for place in order for far in off[place]]
        nearest = table(pairs[place] for place in order).assign(off=lie)
    means = [one.means for setting in fitting for one in setting.together]
    values = {name: tuple(dict.fromkeys(format_value(getattr(one, name)) for one in means)) for name in CONVENTIONS}
    asks = {name: own for name, own in values.items() if len(own) > 1}
    numbers: dict[str, Any] = {"printed": tuple(printed), "fitting": len(fitting), "tried": len(every)}
    found = Printing(table(fits), *recipe, nearest=nearest, asks=asks, **numbers)
    return replace(found, notes=(*first.notes, *_notes(found)))


@dataclass(frozen=True)
class _Setting:
    """A setting as it was tried with every measure, and how it is told: a preset, and what is other than it says."""

    together: tuple[Tried, ...]
    preset: str
    changes: tuple[str, ...]

    def rows(self, spreads: Sequence[Spread], systems: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Give a row for each measure, of the system that is at its place."""
        for own, system, one in zip(spreads, systems, self.together, strict=True):
            k = own.asked.cutoffs(one.settings)[0]
            line = signature(one.settings.changed(k=(k,)), spreads[0].documents, own.asked.of_tables)
            name, shown = own.asked.name(k), None if "@" not in own.asked.name(k) else k
            yield system, name, shown, one.of.get(system), line, self.preset, list(self.changes)

    def off(self, printed: Sequence[Printed], systems: Sequence[str]) -> list[float]:
        """Return how far each printed number is from the value of the system at its place; endless without one."""
        values = [one.of.get(system, float("nan")) for one, system in zip(self.together, systems, strict=True)]
        return [one.off(value) if value == value else float("inf") for one, value in zip(printed, values, strict=True)]


def _every(spreads: Sequence[Spread]) -> list[_Setting]:
    """Return each setting once, as far as it means anything for the measures; fewest changes from a preset first."""
    presets = [{one.name: one.means for one in own.tried if one.kind == "preset"} for own in spreads]
    once: dict[tuple[Settings, ...], tuple[Tried, ...]] = {}
    for together in zip(*(own.tried for own in spreads), strict=True):
        once.setdefault(tuple(one.means for one in together), together)
    found = list[_Setting]()
    for means, together in once.items():
        changed = {
            name: {
                convention: new
                for one, its in zip(means, presets, strict=True)
                for convention, (_, new) in its[name].differences(one).items()
            }
            for name in presets[0]
        }
        sizes = {name: len(own) for name, own in changed.items()}
        nearest = min(sizes, key=sizes.__getitem__)
        told = tuple(f"{convention}:{format_value(value)}" for convention, value in changed[nearest].items())
        found.append(_Setting(together, nearest, told))
    order = {name: place for place, name in enumerate(PRESETS)}
    return sorted(found, key=lambda one: (len(one.changes), order[one.preset]))


def _notes(found: Printing) -> Iterator[Note]:
    """Report how many settings print the numbers, what to ask the authors, and what the search leaves as it is."""
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
    kept = "texts, tokens, gold standard, annotators and cutoff were not varied, only conventions"
    yield Note("info", "not varied", kept)
