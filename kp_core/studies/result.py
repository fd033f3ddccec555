"""Define results (tidy rows with signature and notes), their output formats, means over data sets, and requirements."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError
from kp_core.scoring import intervals
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.scoring.intervals import Variance, error_of, half_width
from kp_core.scoring.measures.registry import Measure, parse
from kp_core.scoring.order import exceeds, reaches
from kp_core.settings import Cutoff, Settings, __version__, short_form, signature
from kp_core.studies.answer import Answer

#: Maximum number of rows shown in a notebook.
_SHOWN = 30


@dataclass(frozen=True)
class Numbers:
    """Base of all results: tidy rows with signature and notes.

    * `settings`: resolved `Settings`, or another mapping; then the signature begins with `kind`
    * `documents`: number of documents with gold; `concordance`: whether the rows have concordance measures
    """

    frame: pd.DataFrame
    settings: Any
    notes: tuple[Note, ...] = ()
    documents: int = 0
    concordance: bool = True
    caption: str = "Evaluation of keyphrase extraction"
    kind: str = ""
    answer: Answer | None = None

    #: Function that draws a result, set by `kp_core.charts`.
    figure_of: ClassVar[Callable[[Any], Any]]

    @property
    def signature(self) -> str:
        """The signature in one line; if `settings` are `Settings`, `settings_from` reads it back."""
        if isinstance(self.settings, Settings):
            return signature(self.settings, self.documents, self.concordance)
        return "|".join([self.kind, *(f"{key}:{value}" for key, value in self.settings.items()), f"v:{__version__}"])

    def wide(self) -> pd.DataFrame:
        """Return the rows in the form in which they are printed."""
        return self.frame

    def content(self) -> dict[str, Any]:
        """Return the JSON content that the command line prints; undefined values are null."""
        content = {
            "signature": self.signature,
            "settings": self.settings.as_dict() if isinstance(self.settings, Settings) else self.settings,
            "notes": [note.as_dict() for note in self.notes],
            "rows": typeset.records(self.frame),
        }
        return content | ({"answer": self.answer.as_dict()} if self.answer is not None else {})

    def json(self) -> str:
        """Return the content as JSON."""
        return json.dumps(self.content(), ensure_ascii=False, indent=1, allow_nan=False)

    def csv(self) -> str:
        """Return the tidy rows as CSV, with the signature in a last column."""
        return typeset.csv(self.frame.assign(signature=self.signature))

    def latex(self, caption: str = "") -> str:
        """Return a LaTeX table for a paper, with the signature below."""
        answer = f"{' '.join(self.answer.sentences)} " if self.answer else ""
        return typeset.latex(self.wide(), caption or self.caption, answer + self.signature)

    def markdown(self) -> str:
        """Return the table in Markdown with the signature below."""
        answer = f"\n{self.answer.markdown()}" if self.answer else ""
        return f"{typeset.markdown(self.wide())}{answer}\n`{self.signature}`\n"

    def text(self) -> str:
        """Return the table as plain text with the signature below."""
        return f"{typeset.text(self.wide())}{self._footer()}"

    def chart(self) -> Any:
        """Return the main chart of the result as a Plotly figure; raises UsageError if there is none."""
        return type(self).figure_of(self)

    def _repr_html_(self) -> str:
        table = self.wide()
        answer = self.answer._repr_html_() if self.answer else ""
        more = f"<p>… and {len(table) - _SHOWN:,} more rows: <code>.frame</code></p>" if len(table) > _SHOWN else ""
        return f"{answer}{typeset.html(table.head(_SHOWN))}{more}<p><small>{short_form(self.signature)}</small></p>"

    def _footer(self) -> str:
        return f"\n{self.signature}\n" + (f"\n{self.answer}\n" if self.answer else "")


@dataclass(frozen=True)
class RequirementCheck:
    """Whether a system meets a requirement; an undefined value does not."""

    require: str
    system: str
    value: float | None
    met: bool

    def __str__(self) -> str:
        value = "undefined" if self.value is None else typeset.number(self.value)
        return f"{self.require}: {self.system} {value}, {'met' if self.met else 'NOT met'}"


@dataclass(frozen=True)
class Result(Numbers):
    """Result of an evaluation.

    Attributes
    ----------
    frame : DataFrame
        One row per system, measure, cutoff and average: value, interval, numbers of documents averaged and left out;
        with several runs, also the number and standard deviation of runs.
    by_run : DataFrame or None
        One row per run, if there are several.
    checked, annotators : tuple
        Requirements with whether they are met; names of annotators among the rows.
    """

    settings: Settings
    by_run: pd.DataFrame | None = None
    checked: tuple[RequirementCheck, ...] = ()
    annotators: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """Return the JSON content that the command line prints, with requirements."""
        return super().content() | ({"requirements": [asdict(check) for check in self.checked]} if self.checked else {})

    def at(self, cutoff: int | str) -> Result:
        """Return the rows at one cutoff and the rows without a cutoff, with the signature of that cutoff."""

        def at(frame: pd.DataFrame) -> pd.DataFrame:
            return frame[(frame["k"] == cutoff) | frame["k"].isna()].reset_index(drop=True)

        by_run = None if self.by_run is None else at(self.by_run)
        return replace(self, frame=at(self.frame), settings=self.settings.changed(k=(cutoff,)), by_run=by_run)

    def titled(self) -> pd.DataFrame:
        """Return the rows with measures as titles; K of an annotator (the agreement of the others) is `K without`."""
        is_without = (self.frame["measure"] == "K") & self.frame["system"].isin(self.annotators)
        return self.frame.assign(measure=self.frame["measure"].mask(is_without, "K without"))

    @property
    def columns(self) -> pd.Series[str]:
        """The column of each row in a wide table: its measure, plus average and cutoff if these vary."""
        rows = list(zip(*(self.titled()[name].tolist() for name in ("measure", "average", "k")), strict=True))
        averages = Counter(measure for measure, _ in {(measure, average) for measure, average, _ in rows})
        cutoffs = Counter(measure for measure, _ in {(measure, str(k)) for measure, _, k in rows})
        names = (
            measure + f" ({average})" * (averages[measure] > 1) + f" k={k}" * (cutoffs[measure] > 1)
            for measure, average, k in rows
        )
        return pd.Series(list(names), self.frame.index, dtype=object)

    def wide(self) -> pd.DataFrame:
        """Return one row per system and subset, and one column per measure (and average and cutoff if several)."""
        rows = self.frame.assign(column=self.columns).set_index(["system", "subset", "column"])["value"]
        frame = rows.unstack(sort=False).rename_axis(columns=None).reset_index()  # noqa: PD010
        return frame if (frame["subset"] != "all").any() else frame.drop(columns="subset")

    def text(self) -> str:
        """Return the tidy rows as plain text, with subsets if there are several."""
        frame = self.titled()
        has_subsets = (frame["subset"] != "all").any()
        table = typeset.text(frame if has_subsets else frame.drop(columns="subset"))
        return table + self._footer() + "".join(f"\n{check}" for check in self.checked) + "\n" * bool(self.checked)


def square(pairs: pd.DataFrame, column: str, names: Sequence[str], mirror_factor: float = 1.0) -> pd.DataFrame:
    """Return pairs (a, b) as a square table; (b, a) is multiplied by `mirror_factor`, the diagonal is missing."""
    table = pairs.pivot_table(column, "a", "b", dropna=False).reindex(index=names, columns=names)
    return table.fillna(mirror_factor * table.T).rename_axis(index=None, columns=None)


class Row(NamedTuple):
    """One value of a result, with the data needed for means over runs and data sets.

    * `indices`: those of measure and cutoff
    * `resampled`: (B,) values of the resamples; `variance`: of the t interval over documents and runs
    * `runs`: values of the system's runs, if there are several
    """

    system: str
    measure: str
    k: Cutoff | None
    average: str
    subset: str
    value: float
    low: float
    high: float
    documents: int
    undefined: int
    reason: str | None
    indices: tuple[int, int] = (0, 0)
    resampled: Floats | None = None
    variance: Variance | None = None
    runs: tuple[float, ...] = ()


ROW_COLUMNS: tuple[str, ...] = Row._fields[:11]


def result_frame(rows: Sequence[Row], runs: bool = False) -> pd.DataFrame:
    """Return rows as a tidy frame; `runs`: whether to add the number of runs and their standard deviation."""
    frame = pd.DataFrame([row[:11] for row in rows], columns=list(ROW_COLUMNS))
    # pandas would turn 10 into 10.0 in a column with missing values
    frame["k"] = pd.Series([row.k for row in rows], dtype=object)
    if runs:
        frame["runs"] = [max(1, len(row.runs)) for row in rows]
        frame["sd"] = [float(np.std(row.runs, ddof=1)) if row.runs else None for row in rows]
    # “P@k” at k = 5 and “P@5” are the same row.
    return frame.drop_duplicates(["system", "subset", "measure", "k", "average"], ignore_index=True)


def run_frame(rows: Sequence[Row], groups: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    """Return one row per value and run: system, run, measure, k, average, subset, value; groups: system → its runs."""
    runs = [(row, *run) for row in rows if row.runs for run in zip(groups[row.system], row.runs, strict=True)]
    frame = pd.DataFrame([(row.system, run, *row[1:5], value) for row, run, value in runs], columns=list(_RUN_COLUMNS))
    frame["k"] = pd.Series([row.k for row, *_ in runs], dtype=object)
    return frame


_RUN_COLUMNS = ("system", "run", "measure", "k", "average", "subset", "value")


#: Subset of the unweighted mean of all data sets.
MEAN = "mean of data sets"


def subset_of(dataset: str, subset: str) -> str:
    """Return the name of the subset for a data set, or for a part of a data set.

    >>> subset_of("nus", "all"), subset_of("nus", "presence:absent")
    ('dataset:nus', 'dataset:nus/presence:absent')
    """
    return f"dataset:{dataset}" if subset == "all" else f"dataset:{dataset}/{subset}"


def mean_of_datasets(datasets: Sequence[Sequence[Row]], measures: Sequence[str]) -> list[Row]:
    """Return the mean of each row over data sets, undefined if a data set lacks the row; `measures`: as requested."""
    groups = dict[tuple[object, ...], list[Row]]()
    for row in chain.from_iterable(datasets):
        groups.setdefault((row.system, row.indices, row.average, row.subset), []).append(row)
    return [_mean_of(rows, len(datasets), measures) for rows in groups.values()]


def _mean_of(rows: Sequence[Row], n_datasets: int, measures: Sequence[str]) -> Row:
    first, names, cutoffs = rows[0], {row.measure for row in rows}, {row.k for row in rows}
    value, reason = float(np.mean([row.value for row in rows])), next((row.reason for row in rows if row.reason), None)
    if len(rows) < n_datasets:
        value, reason = float("nan"), "no_dataset"
    measure = names.pop() if len(names) == 1 else measures[first.indices[0]]
    k = cutoffs.pop() if len(cutoffs) == 1 else "average"
    subset = MEAN if first.subset == "all" else f"{MEAN}/{first.subset}"
    counts = sum(row.documents for row in rows), sum(row.undefined for row in rows)
    # if all data sets have the same number of runs, these are taken as runs of the same models
    equal_run_counts = bool(first.runs) and len({len(row.runs) for row in rows}) == 1
    runs = tuple(np.mean([row.runs for row in rows], axis=0).tolist()) if equal_run_counts else ()
    bounds = _bounds(value, rows, [runs] if runs else [row.runs for row in rows])
    return Row(
        first.system, measure, k, first.average, subset, value, *bounds, *counts, reason, first.indices, runs=runs
    )


def _bounds(value: float, rows: Sequence[Row], runs: Sequence[Sequence[float]]) -> tuple[float, float]:
    draws = [row.resampled for row in rows if row.resampled is not None]
    if value != value:
        return value, value
    if len(draws) == len(rows):
        # under one seed, equally large data sets have the same draws; permuting them makes them independent
        orders = [np.random.default_rng([index, len(rows)]) for index in range(len(rows))]
        mean = np.mean([rng.permutation(values) for rng, values in zip(orders, draws, strict=True)], axis=0)
        tail = intervals.expanded_tail(_effective_documents(draws, [row.documents for row in rows]))
        low, high = intervals.percentile(mean[:, None], tail)
        return float(low[0]), float(high[0])
    size = len(runs)
    shared = [(np.array([np.var(of, ddof=1) / len(of) / size**2]), len(of) - 1.0) for of in runs if len(of) > 1]
    documents, both = [], np.zeros(1)
    for row in rows:
        if row.variance is not None:
            [(variance, freedom)] = row.variance.documents
            both += row.variance.both
        else:
            freedom = row.documents - 1.0
            variance = np.array([error_of(row.low, row.high, row.documents) ** 2])
        documents.append((variance / len(rows) ** 2, freedom))
    margin = float(half_width(*Variance(shared, documents, both / len(rows) ** 2).error)[0])
    return value - margin, value + margin


def _effective_documents(draws: Sequence[Floats], documents: Sequence[int]) -> float:
    """Return the effective number of documents of a mean over data sets (Satterthwaite 1946)."""
    variances, freedom = np.array([np.nanvar(values) for values in draws]), np.array(documents) - 1.0
    if freedom.min() < 1 or not variances.any():
        return float(freedom.min()) + 1
    return float(variances.sum() ** 2 / (variances**2 / freedom).sum()) + 1


def notes_of_datasets(corpus: Corpus, results: Mapping[str, Numbers]) -> tuple[Note, ...]:
    """Return the notes that all data sets share, then the other notes of each data set under its name."""
    first, *others = results.values()
    everywhere = [note for note in first.notes if all(note in other.notes for other in others)]
    shared_notes = tuple(dict.fromkeys([*corpus.report.notes, *everywhere]))
    notes = [(name, note) for name, result in results.items() for note in result.notes if note not in shared_notes]
    return (*shared_notes, *(replace(note, where=f"{name}: {note.where}") for name, note in notes))


_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": reaches,
    ">": exceeds,
    "<=": lambda value, limit: reaches(limit, value),
    "<": lambda value, limit: exceeds(limit, value),
}
_REQUIREMENT = re.compile(
    r"(?:(?P<system>.+) )?(?:(?P<bound>low|high):)?(?P<measure>[^\s<>]+) ?(?P<sign>[<>]=?) ?(?P<limit>[^\s<>=]+)"
)


@dataclass(frozen=True)
class Requirement:
    """Minimum or maximum that a value or bound must respect, for one system or (if empty) for all."""

    text: str
    system: str
    bound: str
    parsed: Measure
    sign: str
    limit: float

    @staticmethod
    def parse(text: str) -> Requirement:
        """Parse [SYSTEM ][low:|high:]MEASURE>=NUMBER, or with another comparison sign.

        >>> required = Requirement.parse("bart low:F1@5>=.30")
        >>> required.system, required.bound, required.parsed.name(), required.sign, required.limit
        ('bart', 'low', 'F1@5', '>=', 0.3)
        """
        match = _REQUIREMENT.fullmatch(text.strip())
        try:
            limit = float(match["limit"]) if match else float("nan")
        except ValueError:
            limit = float("nan")
        if match is None or limit != limit:
            raise UsageError(f"'{text}' is not a requirement; write for example F1@5>=.30 or bart low:F1@5>=.28")
        parts = match["system"] or "", match["bound"] or "value"
        return Requirement(text.strip(), *parts, parse(match["measure"]), match["sign"], limit)


def checked(result: Result, required: Sequence[Requirement]) -> tuple[RequirementCheck, ...]:
    """Return whether each system meets each requirement; with several data sets, their mean counts."""
    frame = result.frame
    overall = frame[frame["subset"].isin(["all", MEAN]) & ~frame["system"].isin([*BASELINES, HUMANS])]
    checks = list[RequirementCheck]()
    for requirement in required:
        names = [requirement.parsed.name(None if requirement.parsed.fixed is not None else k) for k in overall["k"]]
        rows = overall[overall["measure"] == names]
        rows = rows[rows["system"] == requirement.system] if requirement.system else rows
        if rows.empty:
            raise UsageError(
                f"'{requirement.text}' matches no row; the systems are: {', '.join(overall['system'].unique())}"
            )
        for system, value in rows[["system", requirement.bound]].itertuples(index=False):
            is_defined = value == value
            met = is_defined and _SIGNS[requirement.sign](float(value), requirement.limit)
            checks.append(RequirementCheck(requirement.text, system, float(value) if is_defined else None, bool(met)))
    return tuple(checks)
