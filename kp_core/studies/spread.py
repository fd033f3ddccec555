"""Evaluate one measure under many conventions, and find those that reproduce a printed number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from kp_core import settings as conventions
from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError, pluralize, refuse_unless
from kp_core.scoring.accumulate import Accumulator, mean_of
from kp_core.scoring.by_subject import subject_estimates
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import Counts, counted_alike, table_settings
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.measures import Asked, matchers, parse
from kp_core.scoring.order import close, exceeds, reaches
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import have_runs
from kp_core.scoring.systems import count_systems
from kp_core.settings import CONVENTIONS, PRESETS, SUBJECT, Cutoff, Settings, format_value, resolve_settings
from kp_core.studies.parts import Systems
from kp_core.studies.result import Numbers
from kp_core.typeset import listed

#: Conventions that are varied jointly in the grid.
GRID: dict[str, tuple[str, ...]] = {
    "normalise": ("lower+space", "lower+space+porter-nltk", "lower+space+snowball-en"),
    "duplicates": ("before", "after", "keep", "count"),
    "denominator": ("k", "returned", "min(k,gold)"),
    "average": ("macro", "f-of-means", "micro"),
    "empty_gold": ("skip", "zero"),
}
#: Further axes of the grid for semantic measures.
_SIMILARITY = {"matching": ("one-to-one", "best")}
#: Values of conventions that are deliberate choices, and so not varied: means over subjects, gains by rarity.
_CHOSEN = ("subject_empty", "propensity")
#: Single changes of conventions, in this order.
_LISTED = tuple(
    (name, value)
    for name, convention in CONVENTIONS.items()
    if name not in ("by_concept", "titles", *_CHOSEN)
    for value in (GRID[name] if name == "average" else convention.values)  # noqa: PD011
    if value not in _CHOSEN
)

TRIED = ("system", "measure", "k", "value", "signature", "preset", "changes")
#: Number of settings shown if none fits.
_NEAREST = 3
_NUMBER = re.compile(r"-?(?:\d+(?:[.,](\d*))?|[.,](\d+))\s*(%?)")
Values = Mapping[str, float]
Refusal = InputError | UsageError


@dataclass(frozen=True)
class Tried:
    """A setting evaluated with one measure.

    kind   current, preset, change (of one convention), grid, or near (the grid under the current normalization)
    name   preset, or changed convention; means: canonical settings, equal if the measure cannot differ
    of     system → value; empty if the data do not allow the setting
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
        One row per pair of systems whose order reverses, most frequent first: a (currently ahead), b, settings of the
        grid in which b is ahead, those with ties, presets in which b is ahead, an example with the fewest changes.
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
        """Return one row per system: current, lowest and highest value."""
        return self.ranges

    def printing(self, value: str | float | None = None) -> Printing:
        """Return the settings under which any system has a printed value; without a value, all settings.

        The digits determine the rounding: .348 is [.3475, .3485], and 34.8 the same in percent.
        """
        return printing_of([self], () if value is None else (Printed.of(self.measure, value),))


@dataclass(frozen=True)
class Spreads:
    """One measure of all systems under many conventions, at every cutoff of the settings.

    axes    conventions of the grid; tried: every setting, in the same order for all measures
    values  canonical settings → values of the systems, one per cutoff; none if the data do not allow them
    """

    asked: Asked
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    axes: tuple[str, ...]
    tried: list[Tried]
    values: dict[Settings, Mapping[str, Floats]]

    def at(self, cutoff: Cutoff | str) -> Spread:
        """Return the spread at one cutoff."""
        place = self.settings.k.index(cutoff) if self.asked.fixed is None else 0
        values: dict[Settings, Values] = {
            means: {system: float(at_cutoffs[place]) for system, at_cutoffs in systems.items()}
            for means, systems in self.values.items()
        }
        tried = [replace(setting, of=values.get(setting.means, {})) for setting in self.tried]
        grid = {setting.means: setting for setting in tried if setting.kind == "grid"}
        [current] = (setting for setting in tried if setting.kind == "current")
        presets = [setting for setting in tried if setting.kind == "preset"]
        table = [
            (item.kind, item.name, *(getattr(item.means, name) for name in self.axes), system, item.of.get(system))
            for item in (current, *presets, *grid.values())
            for system in current.of
        ]
        frame = pd.DataFrame(table, columns=["kind", "preset", *self.axes, "system", "value"]).astype({"value": float})
        by_system = frame.groupby("system", sort=False)["value"]
        ranges = by_system.agg(low="min", high="max")
        ranges.insert(0, "current", by_system.first(skipna=False))
        return Spread(
            frame,
            self.settings.changed(k=(self.settings.k[place],)),
            self.notes,
            self.documents,
            self.asked.of_tables,
            measure=self.asked.name(self.settings.k[place]),
            asked=self.asked,
            tried=tuple(setting for setting in tried if setting.kind != "near"),
            ranges=ranges.reset_index(),
            changes=_changes(current, tried),
            turns=_rank_reversals(current, tried, list(grid.values())),
            combinations=len(grid),
        )


def spread(corpus: Corpus, settings: Settings | None = None, /, measure: str = "F1@k", **changes: Any) -> Spread:
    """Evaluate one measure under every preset and under the grid of conventions.

    Only conventions differ: presets are used at the current cutoff (that of the measure, else the first one) and keep
    settings of the data.
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
    settings_tried = [
        ("preset", name, prepare(corpus, now, **{"preset": name, "k": now.k} | of_data).settings)
        for name in conventions.presets_for(now, semantic)
    ]
    settings_tried.append(("current", now.preset, now))
    for name, value in (*(("normalise", value) for value in GRID["normalise"]), *_LISTED):
        with suppress(UsageError):
            settings_tried.append(("change", name, now.changed(**{name: value})))
    for kind, varied in (("grid", axes), ("near", axes | {"normalise": (_means(asked, now).normalise,)})):
        combined = (dict(zip(varied, values, strict=True)) for values in product(*varied.values()))
        settings_tried += [(kind, "", now.changed(**changes)) for changes in combined]
    tried = [Tried(kind, name, changed, _means(asked, changed)) for kind, name, changed in settings_tried]
    values = grid(data.under(now), [asked], [setting.means for setting in tried])
    current = values[_means(asked, now)]
    if isinstance(current, Refusal):
        raise current
    if not current[0]:
        raise UsageError("a spread needs at least one system")
    allowed = {means: found[0] for means, found in values.items() if not isinstance(found, Refusal)}
    return Spreads(asked, now, data.notes, len(data.documents), tuple(axes), tried, allowed)


def _means(asked: Asked, settings: Settings) -> Settings:
    """Return canonical settings, which are equal if the measure has the same value under them."""
    same = {"preset": "kpscope", "average": asked.averages(settings.average)[0]}
    if asked.measure.family != "semantic":
        same |= {"matching": "one-to-one", "sem_equal": "both"}
    if left_one_out(settings.annotators):  # as in `prepare`
        same["empty_gold"] = "skip"
    settings = Settings(**vars(settings) | same)
    return table_settings(settings) if asked.of_tables else settings


def grid(
    data: Prepared, measures: Sequence[Asked], settings: Iterable[Settings]
) -> dict[Settings, list[Mapping[str, Floats]] | Refusal]:
    """Return the values of every system under each of the settings, by measure, one per cutoff; or the error.

    Settings with the same counts are counted only once, group by group to save memory.
    """
    groups: dict[Settings, list[Settings]] = {}
    for setting in dict.fromkeys(settings):
        groups.setdefault(counted_alike(setting), []).append(setting)
    values: dict[Settings, list[Mapping[str, Floats]] | Refusal] = {}
    for shared, group in groups.items():
        prepared = data.under(shared)
        try:
            golds = [count_systems(prepared, matchers(measures), without=without) for without in prepared.left_out]
            for setting in group:
                counts = [{name: system.under(setting) for name, system in gold.items()} for gold in golds]
                values[setting] = _values(data.under(setting), measures, counts)
        except (InputError, UsageError) as refused:
            values |= dict.fromkeys(group, refused)
    return values


def _values(data: Prepared, measures: Sequence[Asked], golds: list[Systems]) -> list[Mapping[str, Floats]]:
    """Return the values of every system by measure, each with the first of its averages."""
    settings, several = data.settings, have_runs(data.names.systems)
    subjects = subject_estimates(data, {"all": golds}, measures, several) if settings.average in SUBJECT else {}
    values: list[Mapping[str, Floats]] = []
    for place, asked in enumerate(measures):
        average = asked.averages(settings.average)[0]
        if average in SUBJECT:
            values.append({name: subjects["all", name, place, average].value for name in golds[0]})
        else:
            values.append({name: _mean([gold[name].of(asked) for gold in golds], asked, average) for name in golds[0]})
    return values


def _mean(golds: list[Counts], asked: Asked, average: str) -> Floats:
    """Return the average over documents, and over gold standards, at the cutoffs of a measure."""
    whole, cutoffs = Accumulator("none"), asked.cutoffs(golds[0].settings)
    for index, counts in enumerate(golds):
        for part in counts.blocks():
            whole.begin(part.resampled, None)
            whole.add(str(index), asked, part.at(cutoffs), average)
    return mean_of([whole.estimate(str(index), asked, average, cutoffs) for index in range(len(golds))]).value


def _changes(current: Tried, tried: Sequence[Tried]) -> pd.DataFrame:
    rows = []
    for setting in tried:
        if setting.kind == "change" and setting.means != current.means:
            both = getattr(current.means, setting.name), getattr(setting.settings, setting.name)
            change = setting.name, *map(format_value, both)
            rows += [(*change, system, value, value - current.of[system]) for system, value in setting.of.items()]
    return pd.DataFrame(rows, columns=["field", "was", "now", "system", "value", "change"])


def _rank_reversals(current: Tried, tried: Sequence[Tried], grid: Sequence[Tried]) -> pd.DataFrame:
    """Return one row per pair of systems whose order changes; current ties are decided by the majority of settings."""
    near = [setting for kind in ("near", "grid") for setting in tried if setting.kind == kind and setting.of]
    changed = {setting.means: current.means.differences(setting.means) for setting in near}
    near.sort(key=lambda setting: len(changed[setting.means]))
    presets = [setting for setting in tried if setting.kind == "preset"]
    rows = []
    for first, second in combinations(current.of, 2):
        gaps = {setting.means: setting.of[first] - setting.of[second] for setting in tried if setting.of}
        signs = {means: int(exceeds(gap, 0)) - int(exceeds(0, gap)) for means, gap in gaps.items()}
        order = [signs.get(setting.means, 0) for setting in grid]
        present = signs[current.means] or (-1 if sum(order) < 0 else 1)
        named = tuple(setting.name for setting in presets if signs.get(setting.means) == -present)
        if -present not in order and not named:
            continue
        tied = sum(close(gaps[setting.means], 0) for setting in grid if setting.of)
        reversing = (changed[setting.means] for setting in near if signs[setting.means] == -present)
        changes = next(reversing, {}) if -present in order else {}
        example = {name: format_value(new) for name, (_, new) in changes.items()}
        a, b = (first, second) if present > 0 else (second, first)
        rows.append((a, b, order.count(-present), tied, named, example))
    rows.sort(key=lambda row: -row[2])
    return pd.DataFrame(rows, columns=["a", "b", "settings", "tied", "presets", "example"])


@dataclass(frozen=True)
class Printed:
    """A printed value of a measure, optionally of one system; low, high: bounds of the values that round to it.

    >>> number = Printed.parse("bart:F1@5=34.8")
    >>> number.system, number.measure, round(number.low, 5), round(number.high, 5)
    ('bart', 'F1@5', 0.3475, 0.3485)
    """

    measure: str
    text: str
    low: float
    high: float
    system: str = ""

    @classmethod
    def parse(cls, text: str) -> Printed:
        """Parse `F1@5=.348` or `SYSTEM:F1@5=.348`; 34.8 is the same in percent."""
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
            raise UsageError(f"'{text}' is not a printed number; write for example .348, or 34.8 for percent")
        number, digits = float(text.rstrip("% ").replace(",", ".")), len(match[1] or match[2] or "")
        scale = 100 if match[3] or abs(number) > asked.measure.high else 1
        half = 0.5 * 10.0**-digits
        return cls(asked.name(), text, (number - half) / scale, (number + half) / scale, system.strip())

    def off(self, value: float) -> float:
        """Return the distance of a value above (or, if negative, below) the values that round to the printed one."""
        if reaches(value, self.low) and reaches(self.high, value):
            return 0.0
        return value - (self.high if value > self.high else self.low)

    def __str__(self) -> str:
        return f"{self.system}:{self.measure} = {self.text}".lstrip(":")


@dataclass(frozen=True, kw_only=True)
class Printing(Numbers):
    """The settings that reproduce printed numbers, or all settings evaluated if no number is given.

    Attributes
    ----------
    frame : DataFrame
        One row per setting, system and number, fewest changes from a preset first.
    printed : tuple
        The numbers; `fitting` of the `tried` settings reproduce all of them.
    nearest : DataFrame
        If none fits, the closest settings, with off: distance beyond the rounding.
    asks : dict
        Questions to the authors: convention → values that the numbers leave open.
    """

    printed: tuple[Printed, ...] = ()
    fitting: int = 0
    tried: int = 0
    nearest: pd.DataFrame
    asks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    caption: str = "Settings that print a number"

    @property
    def questions(self) -> list[str]:
        """Questions to the authors about conventions that the numbers leave open, with the answers that fit."""
        return [
            f"{conventions.question(name)} ({' or '.join(conventions.in_words(name, value) for value in values)})"
            for name, values in self.asks.items()
        ]

    def content(self) -> dict[str, Any]:
        """Return the JSON content of the command line."""
        fits = {"fitting": self.fitting, "nearest": typeset.records(self.nearest)} if self.printed else {}
        return super().content() | fits

    def wide(self) -> pd.DataFrame:
        """Return the settings that fit, else the closest ones."""
        shown = self.nearest if self.printed and not self.fitting else self.frame
        texts = [" ".join(changes) for changes in shown["changes"]]
        return shown.drop(columns="signature").assign(changes=texts)


def printing(
    corpus: Corpus, settings: Settings | None = None, /, numbers: Iterable[str] | str = (), **changes: Any
) -> Printing:
    """Find the settings under which systems have printed numbers.

    All presets, the current settings, each single change of these, and the grid of `spread` are evaluated.

    Parameters
    ----------
    numbers : str or sequence of str
        Such as `F1@5=.348`, or `bart:F1@5=.348` for one of several systems, separated by commas. The digits determine
        the rounding. All numbers must fit under the same setting, and those without a name for the same system.
    """
    texts = [numbers] if isinstance(numbers, str) else numbers
    printed = [Printed.parse(text) for number in texts for text in re.split(r"[;,]\s*+(?=[^;,=]*=)", number)]
    if not printed:
        raise UsageError("name a printed number, such as F1@5=.348")
    return printing_of([spread(corpus, settings, number.measure, **changes) for number in printed], printed)


def printing_of(spreads: Sequence[Spread], printed: Sequence[Printed]) -> Printing:
    """Find the settings that reproduce all numbers, or list all settings; spreads: one per number."""
    first = spreads[0]
    systems = list(dict.fromkeys(name for spread in spreads for setting in spread.tried for name in setting.of))
    for number in printed:
        if number.system:
            refuse_unless(number.system, systems, "system")
    # numbers without a system belong to the same system
    choices = dict.fromkeys(tuple(number.system or name for number in printed) or (name,) for name in systems)
    settings = _distinct_settings(spreads)
    pairs, recipe = list(product(settings, choices)), (first.settings, first.notes, first.documents)

    def table(chosen: Iterable[tuple[_Setting, Sequence[str]]]) -> pd.DataFrame:
        rows = [row for setting, names in chosen for row in setting.rows(spreads, names)]
        frame = pd.DataFrame(rows, columns=list(TRIED)).astype({"value": float})
        return frame.assign(k=pd.Series([row[2] for row in rows], dtype=object))

    if not printed:
        return Printing(table(pairs), *recipe, nearest=table([]), tried=len(settings))
    off = [setting.off(printed, names) for setting, names in pairs]
    fits = [pair for pair, distances in zip(pairs, off, strict=True) if not any(distances)]
    fitting = list({id(setting): setting for setting, _ in fits}.values())
    order = sorted(range(len(pairs)), key=lambda place: max(map(abs, off[place])))[: 0 if fits else _NEAREST]
    nearest = table(pairs[place] for place in order).assign(off=[far for place in order for far in off[place]])
    means = [tried.means for setting in fitting for tried in setting.together]
    values = {
        name: tuple(dict.fromkeys(format_value(getattr(settings, name)) for settings in means)) for name in CONVENTIONS
    }
    result = Printing(
        table(fits),
        *recipe,
        printed=tuple(printed),
        fitting=len(fitting),
        tried=len(settings),
        nearest=nearest,
        asks={name: answers for name, answers in values.items() if len(answers) > 1},
    )
    return replace(result, notes=(*first.notes, *_notes(result)))


@dataclass(frozen=True)
class _Setting:
    """A setting as evaluated with all measures, described by a preset and changes of it."""

    together: tuple[Tried, ...]
    preset: str
    changes: tuple[str, ...]

    def rows(self, spreads: Sequence[Spread], systems: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield one row per measure and its system."""
        for spread, system, tried in zip(spreads, systems, self.together, strict=True):
            k = spread.asked.cutoffs(tried.settings)[0]
            line = conventions.signature(tried.settings.changed(k=(k,)), spreads[0].documents, spread.asked.of_tables)
            name, shown = spread.asked.name(k), None if "@" not in spread.asked.name(k) else k
            yield system, name, shown, tried.of.get(system), line, self.preset, list(self.changes)

    def off(self, printed: Sequence[Printed], systems: Sequence[str]) -> list[float]:
        """Return the distance of each printed number from the value of its system; infinite without a value."""
        values = [tried.of.get(system, np.nan) for tried, system in zip(self.together, systems, strict=True)]
        return [number.off(value) if value == value else np.inf for number, value in zip(printed, values, strict=True)]


def _distinct_settings(spreads: Sequence[Spread]) -> list[_Setting]:
    """Return the distinct canonical settings, fewest changes from a preset first."""
    presets = [{tried.name: tried.means for tried in spread.tried if tried.kind == "preset"} for spread in spreads]
    once: dict[tuple[Settings, ...], tuple[Tried, ...]] = {}
    for together in zip(*(spread.tried for spread in spreads), strict=True):
        once.setdefault(tuple(tried.means for tried in together), together)
    settings = list[_Setting]()
    for means, together in once.items():
        changed = {
            name: {
                convention: new
                for its_means, of_measure in zip(means, presets, strict=True)
                for convention, (_, new) in of_measure[name].differences(its_means).items()
            }
            for name in presets[0]
        }
        nearest = min(changed, key=lambda name: len(changed[name]))
        changes = tuple(f"{convention}:{format_value(value)}" for convention, value in changed[nearest].items())
        settings.append(_Setting(together, nearest, changes))
    order = list(PRESETS)
    return sorted(settings, key=lambda setting: (len(setting.changes), order.index(setting.preset)))


def _notes(result: Printing) -> Iterator[Note]:
    numbers = listed([str(number) for number in result.printed])
    if result.fitting:
        several = "setting prints" if result.fitting == 1 else "settings print"
        yield Note("info", "printed", f"{result.fitting} of {result.tried} {several} {numbers}")
    else:
        near = result.nearest.iloc[result.nearest["off"].abs().argmax()]
        closest = f"the nearest gives {near['measure']} {typeset.number(near['value'], 4)} ({near['system']})"
        yield Note("warning", "printed", f"none of {pluralize(result.tried, 'setting')} prints {numbers}; {closest}")
    if result.asks:
        yield Note("info", "ask the authors", "; ".join(result.questions))
    kept = "texts, tokens, gold standard, annotators and cutoff were not varied, only conventions"
    yield Note("info", "not varied", kept)
