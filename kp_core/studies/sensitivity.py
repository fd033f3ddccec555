"""Evaluate one measure under many conventions, and find the conventions that reproduce a printed value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from kp_core import settings as conventions
from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import InputError, Note, UsageError, pluralize, refuse_unless
from kp_core.scoring.accumulate import Accumulator, mean_of
from kp_core.scoring.by_subject import subject_estimates
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import Counts, table_settings, without_count_conventions
from kp_core.scoring.gold import leave_one_out_rule
from kp_core.scoring.measures import Measure, matchers, parse
from kp_core.scoring.order import close, exceeds, reaches
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import have_runs
from kp_core.scoring.systems import count_systems
from kp_core.settings import CONVENTIONS, PRESETS, SUBJECT, Changes, Cutoff, Settings, format_value, resolve_settings
from kp_core.studies.parts import Systems
from kp_core.studies.result import Numbers
from kp_core.typeset import listed

#: Convention → values that the grid combines.
GRID: dict[str, tuple[str, ...]] = {
    "normalise": ("lower+space", "lower+space+porter-nltk", "lower+space+snowball-en"),
    "duplicates": ("before", "after", "keep", "count"),
    "denominator": ("k", "returned", "min(k,gold)"),
    "average": ("macro", "f-of-means", "micro"),
    "empty_gold": ("skip", "zero"),
}
#: Further axes of the grid for semantic measures.
_SIMILARITY = {"matching": ("one-to-one", "best")}
#: Conventions and values that are deliberate choices, and so not varied: means over subjects, gains by rarity.
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
#: Number of closest settings shown if none fits.
_NEAREST = 3
_NUMBER = re.compile(r"-?(?:\d+(?:[.,](\d*))?|[.,](\d+))\s*(%?)")
Values = Mapping[str, float]
Refusal = InputError | UsageError


class Candidate(NamedTuple):
    """A setting evaluated with one measure.

    * `kind`: current, preset, change (of one convention), grid, or near (the grid under the current normalization)
    * `name`: preset or changed convention; `means`: canonical settings, which are equal if the measure cannot differ
    """

    kind: str
    name: str
    settings: Settings
    means: Settings


@dataclass(frozen=True, kw_only=True)
class Sensitivity(Numbers):
    """One measure of all systems under many conventions, at the current cutoff and gold standard.

    Values are missing if they are undefined, or if the data do not allow the settings.

    Attributes
    ----------
    frame : DataFrame
        One row per setting and system: kind (current, preset, grid), preset, conventions, system, value.
    axes, cutoffs : tuple
        Conventions of the grid; cutoffs at which all settings are evaluated (see `at`).
    candidates : tuple
        All settings: presets, current settings, single changes, grid.
    by_cutoff : dict
        Canonical settings → system → values, one per cutoff; settings that the data do not allow are left out.
    """

    parsed: Measure
    axes: tuple[str, ...]
    cutoffs: tuple[Cutoff, ...]
    candidates: tuple[Candidate, ...]
    by_cutoff: Mapping[Settings, Mapping[str, Floats]]
    caption: str = "One measure under many conventions"

    def at(self, cutoff: Cutoff | str) -> Sensitivity:
        """Return the sensitivity at one of the cutoffs."""
        index = self.cutoffs.index(cutoff) if self.parsed.fixed is None else 0
        result = replace(self, settings=self.settings.changed(k=(self.cutoffs[index],)))
        values = result.by_setting
        rows = [
            (kind, name, *(getattr(means, axis) for axis in self.axes), system, values.get(means, {}).get(system))
            for shown in ("current", "preset", "grid")
            for kind, name, _, means in _of_kind(self.candidates, shown)
            for system in next(iter(values.values()))
        ]
        frame = pd.DataFrame(rows, columns=["kind", "preset", *self.axes, "system", "value"]).astype({"value": float})
        return replace(result, frame=frame)

    @cached_property
    def by_setting(self) -> Mapping[Settings, Values]:
        """Canonical settings → system → value."""
        index = self.cutoffs.index(self.settings.k[0])
        return {
            means: {name: float(values[index]) for name, values in of.items()} for means, of in self.by_cutoff.items()
        }

    @property
    def measure(self) -> str:
        """The measure with its cutoff."""
        return self.parsed.name(self.settings.k[0])

    @cached_property
    def combinations(self) -> int:
        """The number of settings of the grid that differ for this measure."""
        return len(_of_kind(self.candidates, "grid"))

    @cached_property
    def ranges(self) -> pd.DataFrame:
        """One row per system: current, low and high over all settings."""
        by_system = self.frame.groupby("system", sort=False)["value"]
        ranges = by_system.agg(low="min", high="max")
        ranges.insert(0, "current", by_system.first(skipna=False))
        return ranges.reset_index()

    @cached_property
    def changes(self) -> pd.DataFrame:
        """One row per changed convention and system: field, was, now, system, value, change."""
        [current], rows = _of_kind(self.candidates, "current"), []
        for kind, name, changed, means in self.candidates:
            if kind == "change" and means != current.means:
                change = name, *(format_value(getattr(settings, name)) for settings in (current.means, changed))
                before, after = self.by_setting[current.means], self.by_setting.get(means, {})
                rows += [(*change, system, value, value - before[system]) for system, value in after.items()]
        return pd.DataFrame(rows, columns=["field", "was", "now", "system", "value", "change"])

    @cached_property
    def rank_reversals(self) -> pd.DataFrame:
        """One row per pair of systems whose order reverses, most frequent reversal first.

        a (currently ahead), b, number of grid settings with b ahead, number of ties, presets in which b is ahead,
        and an example with the fewest changes. If a and b are currently tied, the majority of settings decides.
        """
        [[current], presets, near, grid], rows = (_of_kind(self.candidates, kind) for kind in _KINDS), []
        changed = {candidate.means: current.means.differences(candidate.means) for candidate in (*near, *grid)}
        by_changes = sorted(changed, key=lambda means: len(changed[means]))
        for pair in combinations(self.by_setting[current.means], 2):
            gaps = {means: values[pair[0]] - values[pair[1]] for means, values in self.by_setting.items()}
            signs = {means: int(exceeds(gap, 0)) - int(exceeds(0, gap)) for means, gap in gaps.items()}
            grid_signs = [signs.get(candidate.means, 0) for candidate in grid]
            present = signs[current.means] or (-1 if sum(grid_signs) < 0 else 1)
            reversing = tuple(candidate.name for candidate in presets if signs.get(candidate.means) == -present)
            if -present in grid_signs or reversing:
                n_tied = sum(close(gaps[candidate.means], 0) for candidate in grid if candidate.means in gaps)
                fewest_changes = next((means for means in by_changes if signs.get(means) == -present), current.means)
                changes = changed[fewest_changes] if -present in grid_signs else {}
                example = {name: format_value(new) for name, (_, new) in changes.items()}
                rows.append((*pair[::present], grid_signs.count(-present), n_tied, reversing, example))
        rows.sort(key=lambda row: -row[2])
        return pd.DataFrame(rows, columns=["a", "b", "settings", "tied", "presets", "example"])

    def wide(self) -> pd.DataFrame:
        """Return one row per system: current, lowest and highest value."""
        return self.ranges

    def match_reported(self, value: str | float | None = None) -> ReportedMatches:
        """Return the settings under which any system has a printed value; without a value, all settings.

        The digits determine the rounding: .348 means [.3475, .3485], and so does 34.8 in percent.
        """
        return matches_of([self], () if value is None else (ReportedScore.of(self.measure, value),))


#: Kinds of settings under which the order of systems is compared.
_KINDS = ("current", "preset", "near", "grid")


def _of_kind(settings: Iterable[Candidate], kind: str) -> list[Candidate]:
    """Return the settings of a kind, only one of those under which the measure cannot differ."""
    return list(
        {(candidate.name, candidate.means): candidate for candidate in settings if candidate.kind == kind}.values()
    )


def sensitivity(
    corpus: Corpus, settings: Settings | None = None, /, measure: str = "F1@k", **changes: Unpack[Changes]
) -> Sensitivity:
    """Evaluate one measure under every preset and under the grid of conventions.

    Only conventions vary: presets are used at the current cutoff (that of the measure, else the first cutoff), and
    settings that describe the data are kept.
    """
    settings = resolve_settings(corpus, settings, changes)
    return sensitivities(corpus, settings.changed(k=settings.k[:1]), measure)


def _is_semantic(measure: str) -> bool:
    return parse(measure).card.family == "semantic"


def sensitivities(corpus: Corpus, settings: Settings, measure: str, semantic: bool = False) -> Sensitivity:
    """Evaluate one measure under every preset and under the grid, at every cutoff of the settings; show the first.

    * `semantic`: vary the conventions of similar phrases too, as for a semantic measure
    """
    parsed, semantic = parse(measure), semantic or _is_semantic(measure)
    data = prepare(corpus, settings, interval="none")
    start = data.settings.changed(k=parsed.cutoffs(data.settings))
    axes = GRID | (_SIMILARITY if semantic else {})
    of_data = {name: getattr(start, name) for name, card in CONVENTIONS.items() if card.of_data}
    settings_tried = [
        ("preset", name, prepare(corpus, start, **{"preset": name, "k": start.k} | of_data).settings)
        for name in conventions.presets_for(start, semantic)
    ]
    settings_tried.append(("current", start.preset, start))
    for name, value in (*(("normalise", value) for value in GRID["normalise"]), *_LISTED):
        with suppress(UsageError):
            settings_tried.append(("change", name, start.changed(**{name: value})))
    for kind, varied in (("grid", axes), ("near", axes | {"normalise": (_means(parsed, start).normalise,)})):
        combined = (dict(zip(varied, values, strict=True)) for values in product(*varied.values()))
        settings_tried += [(kind, "", start.changed(**changes)) for changes in combined]
    candidates = tuple(Candidate(*setting, _means(parsed, setting[-1])) for setting in settings_tried)
    values = grid(data.under(start), [parsed], [setting.means for setting in candidates])
    current = values[_means(parsed, start)]
    if isinstance(current, Refusal):
        raise current
    if not current[0]:
        raise UsageError("at least one system is needed")
    allowed = {means: of[0] for means, of in values.items() if not isinstance(of, Refusal)}
    base_fields, axis_names = (pd.DataFrame(), start, data.notes, len(data.documents), parsed.of_tables), tuple(axes)
    results = Sensitivity(
        *base_fields, parsed=parsed, axes=axis_names, cutoffs=start.k, candidates=candidates, by_cutoff=allowed
    )
    return results.at(start.k[0])


def _means(measure: Measure, settings: Settings) -> Settings:
    """Return canonical settings, which are the same for all settings under which the measure cannot differ."""
    canonical = {"preset": "kpscope", "average": measure.averages(settings.average)[0]}
    if measure.card.family != "semantic":
        canonical |= {"matching": "one-to-one", "sem_equal": "both"}
    if leave_one_out_rule(settings.annotators):  # as in `prepare`
        canonical["empty_gold"] = "skip"
    settings = Settings(**vars(settings) | canonical)
    return table_settings(settings) if measure.of_tables else settings


def grid(
    data: Prepared, measures: Sequence[Measure], settings: Iterable[Settings]
) -> dict[Settings, list[Mapping[str, Floats]] | Refusal]:
    """Return settings → values (by measure, system and cutoff), or the error if the data do not allow the settings.

    Settings with the same counts are counted only once; groups of them are evaluated one by one to save memory.
    """
    groups: dict[Settings, list[Settings]] = {}
    for setting in dict.fromkeys(settings):
        groups.setdefault(without_count_conventions(setting), []).append(setting)
    values: dict[Settings, list[Mapping[str, Floats]] | Refusal] = {}
    for shared, group in groups.items():
        prepared = data.under(shared)
        try:
            golds = [count_systems(prepared, matchers(measures), without=without) for without in prepared.left_out]
            for setting in group:
                counts = [{name: system.under(setting) for name, system in gold.items()} for gold in golds]
                values[setting] = _values(data.under(setting), measures, counts)
        except (InputError, UsageError) as error:
            values |= dict.fromkeys(group, error)
    return values


def _values(data: Prepared, measures: Sequence[Measure], golds: list[Systems]) -> list[Mapping[str, Floats]]:
    settings, with_runs = data.settings, have_runs(data.names.systems)
    subjects = subject_estimates(data, {"all": golds}, measures, with_runs) if settings.average in SUBJECT else {}
    values: list[Mapping[str, Floats]] = []
    for index, measure in enumerate(measures):
        average = measure.averages(settings.average)[0]
        if average in SUBJECT:
            values.append({name: subjects["all", name, index, average].value for name in golds[0]})
        else:
            values.append(
                {name: _mean([gold[name].of(measure) for gold in golds], measure, average) for name in golds[0]}
            )
    return values


def _mean(golds: list[Counts], measure: Measure, average: str) -> Floats:
    accumulator, cutoffs = Accumulator("none"), measure.cutoffs(golds[0].settings)
    for index, counts in enumerate(golds):
        for part in counts.blocks():
            accumulator.begin(part.resampled, None)
            accumulator.add(index, measure, part.at(cutoffs), average)
    return mean_of([accumulator.estimate(index, measure, average, cutoffs) for index in range(len(golds))]).value


@dataclass(frozen=True)
class ReportedScore:
    """A printed value of a measure, optionally of one system; low, high: bounds of the values that round to it.

    >>> number = ReportedScore.parse("bart:F1@5=34.8")
    >>> number.system, number.measure, round(number.low, 5), round(number.high, 5)
    ('bart', 'F1@5', 0.3475, 0.3485)
    """

    measure: str
    text: str
    low: float
    high: float
    system: str = ""

    @classmethod
    def parse(cls, text: str) -> ReportedScore:
        """Parse `F1@5=.348` or `SYSTEM:F1@5=.348`; 34.8 means the same in percent."""
        name, equals, value = text.rpartition("=")
        if not equals:
            raise UsageError(f"'{text}' is not a printed number; write for example F1@5=.348 or bart:F1@5=.348")
        system, _, measure = name.strip().rpartition(":")
        return cls.of(measure, value, system)

    @classmethod
    def of(cls, measure: str, value: str | float, system: str = "") -> ReportedScore:
        """Return a printed value of a measure; a number is read in its shortest decimal form."""
        text, parsed = str(value).strip(), parse(measure.strip())
        if not (match := _NUMBER.fullmatch(text)):
            raise UsageError(f"'{text}' is not a printed number; write for example .348, or 34.8 for percent")
        number, digits = float(text.rstrip("% ").replace(",", ".")), len(match[1] or match[2] or "")
        scale = 100 if match[3] or abs(number) > parsed.card.high else 1
        half_unit = 0.5 * 10.0**-digits
        return cls(parsed.name(), text, (number - half_unit) / scale, (number + half_unit) / scale, system.strip())

    def off(self, value: float) -> float:
        """Return how far a value is above (or, if negative, below) the values that round to the printed value."""
        if reaches(value, self.low) and reaches(self.high, value):
            return 0.0
        return np.inf if value != value else value - (self.high if value > self.high else self.low)

    def __str__(self) -> str:
        return f"{self.system}:{self.measure} = {self.text}".lstrip(":")


@dataclass(frozen=True, kw_only=True)
class ReportedMatches(Numbers):
    """The settings that reproduce printed numbers, or all settings evaluated if no number is given.

    Attributes
    ----------
    frame : DataFrame
        One row per setting, system and number, fewest changes from a preset first.
    printed : tuple
        The printed numbers; `fitting` of `candidates` settings reproduce all of them.
    nearest : DataFrame
        The closest settings if none fits; column off: distance beyond the rounding.
    questions : list
        Questions to the authors about conventions that the numbers leave open, with the answers that fit.
    """

    candidates: int
    printed: tuple[ReportedScore, ...] = ()
    fitting: int = 0
    nearest: pd.DataFrame = field(default_factory=pd.DataFrame)
    questions: list[str] = field(default_factory=list)
    caption: str = "Settings that print a number"

    def content(self) -> dict[str, Any]:
        """Return the JSON content that the command line prints."""
        fits = {"fitting": self.fitting, "nearest": typeset.records(self.nearest)} if self.printed else {}
        return super().content() | fits

    def wide(self) -> pd.DataFrame:
        """Return the settings that fit, else the closest ones."""
        rows = self.nearest if self.printed and not self.fitting else self.frame
        texts = [" ".join(changes) for changes in rows["changes"]]
        return rows.drop(columns="signature").assign(changes=texts)


def match_reported(
    corpus: Corpus, settings: Settings | None = None, /, numbers: Iterable[str] | str = (), **changes: Unpack[Changes]
) -> ReportedMatches:
    """Find the settings under which systems have the printed numbers.

    All presets, the current settings, each single change to them, and the grid of `sensitivity` are evaluated.

    Parameters
    ----------
    numbers : str or sequence of str
        Such as `F1@5=.348`, or `bart:F1@5=.348` for one of several systems, separated by commas. The digits determine
        the rounding. All must fit under the same settings, and those without a name the same system.
    """
    texts = [numbers] if isinstance(numbers, str) else numbers
    printed = [ReportedScore.parse(text) for number in texts for text in re.split(r"[;,]\s*+(?=[^;,=]*=)", number)]
    if not printed:
        raise UsageError("name a printed number, such as F1@5=.348")
    semantic = any(_is_semantic(number.measure) for number in printed)
    resolved = resolve_settings(corpus, settings, changes)
    resolved = resolved.changed(k=resolved.k[:1])
    return matches_of([sensitivities(corpus, resolved, number.measure, semantic) for number in printed], printed)


def matches_of(sensitivities: Sequence[Sensitivity], printed: Sequence[ReportedScore]) -> ReportedMatches:
    """Find the settings that reproduce all numbers, or list all settings; `sensitivities`: one per number."""
    first, settings = sensitivities[0], _distinct_settings(sensitivities)
    by_setting = (values for sensitivity in sensitivities for values in sensitivity.by_setting.values())
    systems = list(dict.fromkeys(name for values in by_setting for name in values))
    for score in printed:
        if score.system:
            refuse_unless(score.system, systems, "system")
    # numbers without a system belong to the same system
    choices = dict.fromkeys(tuple(score.system or name for score in printed) or (name,) for name in systems)
    rows = []
    for trial, ((candidates, preset, changes), names) in enumerate(product(settings, choices)):
        for index, (sensitivity, candidate, system) in enumerate(zip(sensitivities, candidates, names, strict=True)):
            measure, value = sensitivity.parsed, sensitivity.by_setting.get(candidate.means, {}).get(system, np.nan)
            k = measure.cutoffs(candidate.settings)[0]
            line = conventions.signature(candidate.settings.changed(k=(k,)), first.documents, measure.of_tables)
            shown_k, off = k if "@" in measure.name(k) else None, printed[index].off(value) if printed else 0.0
            rows.append((system, measure.name(k), shown_k, value, line, preset, changes, off, trial))
    frame = pd.DataFrame(rows, columns=[*TRIED, "off", "trial"]).astype({"value": float, "off": float})
    frame["k"] = pd.Series([row[2] for row in rows], dtype=object)
    distances = frame["off"].abs().groupby(frame["trial"]).max().sort_values(kind="stable")
    fits = frame[frame["trial"].map(distances) == 0][list(TRIED)].reset_index(drop=True)
    matches = ReportedMatches(fits, first.settings, first.notes, first.documents, candidates=len(settings))
    if not printed:
        return matches
    nearest = distances.index[:_NEAREST] if fits.empty else distances.index[:0]
    nearest_rows = pd.concat([frame[frame["trial"] == trial] for trial in nearest] or [frame[:0]], ignore_index=True)
    fitting = sorted({trial // len(choices) for trial in distances.index[distances == 0]})
    means = [candidate.means for index in fitting for candidate in settings[index][0]]
    open_values = {name: dict.fromkeys(getattr(settings, name) for settings in means) for name in CONVENTIONS}
    questions = [
        f"{conventions.question(name)} ({' or '.join(conventions.in_words(name, value) for value in values)})"
        for name, values in ((name, [*map(format_value, values)]) for name, values in open_values.items())
        if len(values) > 1
    ]
    text, n_settings = listed([str(score) for score in printed]), len(settings)
    if fitting:
        verb = "prints" if len(fitting) == 1 else "print"
        notes = [Note("info", "printed", f"{len(fitting)} of {pluralize(n_settings, 'setting')} {verb} {text}")]
    else:
        row = nearest_rows.iloc[nearest_rows["off"].abs().argmax()]
        closest = f"the nearest gives {row['measure']} {typeset.number(row['value'], 4)} ({row['system']})"
        notes = [Note("warning", "printed", f"none of {pluralize(n_settings, 'setting')} prints {text}; {closest}")]
    if questions:
        notes.append(Note("info", "ask the authors", "; ".join(questions)))
    fixed_parts = "texts, tokens, gold standard, annotators and cutoff were not varied, only conventions"
    notes.append(Note("info", "not varied", fixed_parts))
    found: dict[str, Any] = {"printed": tuple(printed), "fitting": len(fitting), "questions": questions}
    return replace(matches, notes=(*first.notes, *notes), nearest=nearest_rows.drop(columns="trial"), **found)


#: Settings as evaluated for each printed number, the closest preset, and the changes from this preset.
_Setting = tuple[tuple[Candidate, ...], str, list[str]]


def _distinct_settings(sensitivities: Sequence[Sensitivity]) -> list[_Setting]:
    tried_of = [
        [candidate for candidate in sensitivity.candidates if candidate.kind != "near"] for sensitivity in sensitivities
    ]
    presets = [
        {candidate.name: candidate.means for candidate in settings if candidate.kind == "preset"}
        for settings in tried_of
    ]
    distinct: dict[tuple[Settings, ...], tuple[Candidate, ...]] = {}
    for together in zip(*tried_of, strict=True):
        distinct.setdefault(tuple(candidate.means for candidate in together), together)
    settings = list[_Setting]()
    for means, together in distinct.items():
        changed = {
            preset: {
                name: format_value(new)
                for canonical, preset_settings in zip(means, presets, strict=True)
                for name, (_, new) in preset_settings[preset].differences(canonical).items()
            }
            for preset in presets[0]
        }
        nearest = min(changed, key=lambda preset: len(changed[preset]))
        settings.append((together, nearest, [f"{name}:{value}" for name, value in changed[nearest].items()]))
    order = list(PRESETS)
    return sorted(settings, key=lambda setting: (len(setting[2]), order.index(setting[1])))
