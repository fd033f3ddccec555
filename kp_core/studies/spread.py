"""Turn a corpus and settings into the convention spread: one measure under every preset and a grid of conventions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError
from kp_core.order import close, exceeds
from kp_core.scoring.accumulate import Accumulator, mean_of
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import SystemCounts, counted_alike, table_settings
from kp_core.scoring.gold import left_one_out
from kp_core.scoring.measures import Asked, matchers, parse
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import count_systems
from kp_core.settings import CONVENTIONS, Cutoff, Settings, format_value, presets_for, resolve_settings
from kp_core.studies.printed import Printed, Printing, Tried
from kp_core.studies.printed import printing as printing_of
from kp_core.studies.result import Numbers

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

#: The value of each system.
Values = dict[str, float]
#: Kind (current, preset, grid), preset and record of a setting.
Row = tuple[str, str, Settings]
#: Field, value and record of a change of one convention.
Single = tuple[str, str, Settings]
#: Preset if it is one, the settings as they are, and the record of what they mean for the measure.
Meant = tuple[str, Settings, Settings]


@dataclass(frozen=True, kw_only=True)
class Spread(Numbers):
    """One measure of all systems under many conventions, at the cutoff and on the gold standard in use.

    frame         one row a setting and system: kind (current, preset, grid), preset, its conventions, system, value
    ranges        one row a system: current, low and high over all rows of frame
    changes       one row a change of one convention and system: field, was, now, system, value, change
    turns         one row a pair of systems whose order turns, most often first: a (ahead at present), b, the settings
                  of the grid in which b is ahead, those in which they tie, the presets in which b is ahead, and
                  example: the fewest changes that put b ahead
    combinations  how many settings the grid has that differ for this measure
    settings      those in use
    tried         every setting as it is: presets, those in use, single changes, the grid

    Undefined values, and those of settings that the data refuse, are missing.
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
        """Return one row a system: its value at present, the lowest and the highest."""
        return self.ranges

    def printing(self, value: str | float | None = None, system: str = "") -> Printing:
        """Return the settings that print a value, of one system or of any; without a value every setting.

        The digits decide what rounds to it: .348 is [.3475, .3485], and 34.8 the same in percent.
        """
        numbers = () if value is None else (Printed.of(self.measure, value, system),)
        return printing_of([self.asked], [self.tried], numbers, self.settings, self.documents, self.notes)


@dataclass(frozen=True)
class Spreads:
    """One measure of all systems under many conventions, at every cutoff of the settings; `at` looks one up.

    settings  those in use; notes: what the reader must know of the data; documents: how many there are
    axes      the conventions of the grid
    rows      kind (current, preset, grid), preset and record; the first is that of the settings in use
    near      the grid under the present normalisation, so that an example names no step that makes no difference
    singles   the changes of one convention
    meant     every setting as it is, with what it means for the measure, in an order that is the same for all measures
    values    the values of the systems under each record, one a cutoff, or why the data refuse it
    """

    asked: Asked
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    axes: tuple[str, ...]
    rows: list[Row]
    near: list[Settings]
    singles: list[Single]
    meant: list[Meant]
    values: dict[Settings, dict[str, Floats] | InputError]

    def at(self, cutoff: Cutoff | str) -> Spread:
        """Return the spread at one of the cutoffs; a measure with a cutoff of its own has no other."""
        place = self.settings.k.index(cutoff) if self.asked.fixed is None else 0
        values = {
            record: {system: float(own[place]) for system, own in one.items()}
            for record, one in self.values.items()
            if not isinstance(one, InputError)
        }
        current = self.rows[0][2]
        table = [
            (kind, preset, *(getattr(record, field) for field in self.axes), system, values.get(record, {}).get(system))
            for kind, preset, record in self.rows
            for system in values[current]
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
            tried=tuple(Tried(preset, own, record, values.get(record, {})) for preset, own, record in self.meant),
            ranges=ranges.reset_index(),
            changes=_changes(current, self.singles, values),
            turns=_turns(self.rows, self.near, values),
            combinations=sum(kind == "grid" for kind, _, _ in self.rows),
        )


def spread(corpus: Corpus, settings: Settings | None = None, /, measure: str = "F1@k", **changes: Any) -> Spread:
    """Evaluate one measure under every preset and under the grid; the first cutoff counts where it names none.

    Only conventions differ: presets are taken at this cutoff too, not at the one they were published with, and they
    keep what belongs to the data (`Convention.of_data`). Source: specification of ranking, section 7.
    """
    asked = resolve_settings(corpus, settings, changes)
    first = asked.k[0]
    found = spreads(corpus, asked.changed(k=(first,)), measure)
    return found.at(found.settings.k[0])


def spreads(corpus: Corpus, settings: Settings, measure: str) -> Spreads:
    """Evaluate one measure under every preset and under the grid, at every cutoff of the settings."""
    asked = parse(measure)
    data = prepare(corpus, settings, interval="none")
    now = data.settings.changed(k=asked.cutoffs(data.settings))
    meaning = _Meaning(asked, now)
    current, changes, grid = meaning.of(now), meaning.single_changes(), meaning.grid(meaning.axes)
    presets = {name: meaning.preset(corpus, name) for name in presets_for(now, meaning.semantic)}
    singles = [(field, value, record) for field, value, _, record in changes if record != current]
    rows = [("current", now.preset, current), *(("preset", name, meaning.of(own)) for name, own in presets.items())]
    rows += [("grid", "", record) for record in dict.fromkeys(map(meaning.of, grid))]
    near = list(dict.fromkeys(map(meaning.of, meaning.grid(meaning.axes | {"normalise": (current.normalise,)}))))
    meant = [(name, own, meaning.of(own)) for name, own in presets.items()]
    meant += [("", own, meaning.of(own)) for own in (now, *(own for _, _, own, _ in changes), *grid)]
    values = _values(data.under(now), asked, [*(record for _, _, record in [*rows, *singles]), *near])
    present = values[current]
    if isinstance(present, InputError):
        raise present
    if not present:
        raise UsageError("a spread needs at least one system")
    axes = tuple(meaning.axes)
    return Spreads(asked, now, data.notes, len(data.documents), axes, rows, near, singles, meant, values)


def printing(
    corpus: Corpus, settings: Settings | None = None, /, numbers: Iterable[str] | str = (), **changes: Any
) -> Printing:
    """Find the settings under which systems have printed numbers: why do I not get the printed number?

    numbers  such as `F1@5=.348`, or `bart:F1@5=.348` for one of several systems, with commas between several; the
             digits decide what rounds to them. All must fit at once, those without a name for one system

    Every preset is tried, the settings given, each single change of them, and the grid of `spread`.
    """
    each = [numbers] if isinstance(numbers, str) else numbers
    printed = [Printed.parse(one) for number in each for one in re.split(r"[;,]\s*+(?=[^;,=]*=)", number)]
    if not printed:
        raise UsageError("name a printed number, such as F1@5=.348")
    found = [spread(corpus, settings, one.measure, **changes) for one in printed]
    first = found[0]
    asked, tried = [one.asked for one in found], [one.tried for one in found]
    return printing_of(asked, tried, printed, first.settings, first.documents, first.notes)


@dataclass(frozen=True)
class _Meaning:
    """What settings mean for one measure: settings between which it cannot differ are the same record."""

    asked: Asked
    now: Settings

    @property
    def semantic(self) -> bool:
        """Whether the measure is one of a similarity."""
        return self.asked.measure.family == "semantic"

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The conventions of the grid."""
        return GRID | (_SIMILARITY if self.semantic else {})

    def of(self, settings: Settings) -> Settings:
        """Return the settings with the average that is taken, and with sets on both sides for concordance tables."""
        # Settings that differ in nothing but the preset they started from are the same.
        same = {"preset": "kpscope", "average": self.asked.averages(settings.average)[0]}
        if not self.semantic:
            same |= {"matching": "one-to-one", "sem_equal": "both"}
        if left_one_out(settings.annotators):  # as `prepare` settles it
            same["empty_gold"] = "skip"
        settings = Settings(**vars(settings) | same)
        return table_settings(settings) if self.asked.of_tables else settings

    def preset(self, corpus: Corpus, name: str) -> Settings:
        """Return the settings of a preset, with what belongs to the data and not to a preset."""
        of_data = {field: getattr(self.now, field) for field, card in CONVENTIONS.items() if card.of_data}
        return prepare(corpus, self.now, preset=name, k=self.now.k, **of_data).settings

    def grid(self, axes: dict[str, tuple[str, ...]]) -> list[Settings]:
        """Return the settings of all combinations of values."""
        every = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
        return [self.now.changed(**changes) for changes in every]

    def single_changes(self) -> list[tuple[str, str, Settings, Settings]]:
        """Return field, value, settings and record of every change of one convention that the settings allow."""
        found = []
        for field, value in (*(("normalise", name) for name in GRID["normalise"]), *_LISTED):
            with suppress(UsageError):
                changed = self.now.changed(**{field: value})
                found.append((field, value, changed, self.of(changed)))
        return found


def _values(
    data: Prepared, asked: Asked, records: Iterable[Settings]
) -> dict[Settings, dict[str, Floats] | InputError]:
    """Return the values of every system under each record, one a cutoff, or why the data refuse it.

    Records that are counted alike are counted once, one group after the other, so that memory holds one group.
    """
    groups: dict[Settings, list[Settings]] = {}
    for record in dict.fromkeys(records):
        groups.setdefault(counted_alike(record), []).append(record)
    values: dict[Settings, dict[str, Floats] | InputError] = {}
    for shared, group in groups.items():
        alike = data.under(shared)
        try:
            standards = [count_systems(alike, matchers([asked]), without=one) for one in alike.left_out]
        except InputError as refused:
            values |= dict.fromkeys(group, refused)
            continue
        for record in group:
            values[record] = {
                system: _value([one[system].under(record) for one in standards], asked, record)
                for system in standards[0]
            }
    return values


def _value(standards: list[SystemCounts], asked: Asked, record: Settings) -> Floats:
    """Return the value at every cutoff, added up some documents at a time, which stay in the processor's cache."""
    whole = Accumulator("none")
    for place, one in enumerate(standards):
        for part in one.of(asked).blocks():
            whole.begin(part.resampled, None)
            whole.add(str(place), asked, part.at(record.k), record.average)
    places = map(str, range(len(standards)))
    return mean_of([whole.estimate(place, asked, record.average, record.k) for place in places]).value


def _changes(current: Settings, singles: list[Single], values: dict[Settings, Values]) -> pd.DataFrame:
    """Return one row a change of one convention and system; what the data refuse is left out."""
    rows = [
        (field, format_value(getattr(current, field)), value, system, changed, changed - values[current][system])
        for field, value, record in singles
        for system, changed in values.get(record, {}).items()
    ]
    return pd.DataFrame(rows, columns=["field", "was", "now", "system", "value", "change"])


def _turns(every: list[Row], near: list[Settings], values: dict[Settings, Values]) -> pd.DataFrame:
    """Return one row a pair of systems whose order turns; where two tie at present, most settings say who is ahead."""
    current, grid = every[0][2], [record for kind, _, record in every if kind == "grid"]
    candidates = sorted((r for r in [*near, *grid] if r in values), key=lambda r: len(current.differences(r)))
    rows = []
    for one, two in combinations(values[current], 2):
        gaps = {record: own[one] - own[two] for record, own in values.items()}
        # 1 where the first system has the higher value, -1 where the second has, else 0
        ahead = {record: int(exceeds(gap, 0)) - int(exceeds(0, gap)) for record, gap in gaps.items()}
        order = [ahead.get(record, 0) for record in grid]
        present = ahead[current] or (-1 if sum(order) < 0 else 1)
        named = tuple(name for kind, name, record in every if kind == "preset" and ahead.get(record) == -present)
        turned = order.count(-present)
        if not turned and not named:
            continue
        tied = sum(close(gaps[record], 0) for record in grid if record in gaps)
        example = next((current.differences(r) for r in candidates if turned and ahead[r] == -present), {})
        a, b = (one, two) if present > 0 else (two, one)
        rows.append((a, b, turned, tied, named, {field: format_value(new) for field, (_, new) in example.items()}))
    rows.sort(key=lambda row: -row[2])
    return pd.DataFrame(rows, columns=["a", "b", "settings", "tied", "presets", "example"])
