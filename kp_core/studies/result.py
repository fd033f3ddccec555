"""Define results: a tidy table with signature, notes, and output formats."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import pandas as pd

from kp_core import typeset
from kp_core.errors import Note
from kp_core.scoring.codes import Floats
from kp_core.scoring.intervals import Estimate, error_of
from kp_core.settings import Cutoff, Settings, __version__, short_form, signature
from kp_core.studies.answer import Answer

#: Maximum number of rows shown in a notebook.
_SHOWN = 30


@dataclass(frozen=True)
class Numbers:
    """Base of all results: tidy rows with signature and notes.

    settings     resolved settings; for other mappings, the signature begins with `kind`
    documents    number of documents with gold; concordance: whether the rows have concordance measures
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
        """The signature in one line; `settings_from` reads that of `Settings` back."""
        if isinstance(self.settings, Settings):
            return signature(self.settings, self.documents, self.concordance)
        return "|".join([self.kind, *(f"{key}:{value}" for key, value in self.settings.items()), f"v:{__version__}"])

    def wide(self) -> pd.DataFrame:
        """Return the rows as printed."""
        return self.frame

    def content(self) -> dict[str, Any]:
        """Return the JSON content of the command line; undefined values are null."""
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
        """Return a paper-ready table with the signature below."""
        answer = f"{' '.join(self.answer.sentences)} " if self.answer else ""
        return typeset.latex(self.wide(), caption or self.caption, answer + self.signature)

    def markdown(self) -> str:
        """Return the table in Markdown with the signature below."""
        answer = f"\n{self.answer.markdown()}" if self.answer else ""
        return f"{typeset.markdown(self.wide())}{answer}\n`{self.signature}`\n"

    def text(self) -> str:
        """Return the table as plain text with the signature below."""
        return f"{typeset.text(self.wide())}{self._end()}"

    def chart(self) -> Any:
        """Return the main chart of the result as a Plotly figure; raises UsageError if there is none."""
        return type(self).figure_of(self)

    def _repr_html_(self) -> str:
        table = self.wide()
        answer = self.answer._repr_html_() if self.answer else ""
        more = f"<p>… and {len(table) - _SHOWN:,} more rows: <code>.frame</code></p>" if len(table) > _SHOWN else ""
        return f"{answer}{typeset.html(table.head(_SHOWN))}{more}<p><small>{short_form(self.signature)}</small></p>"

    def _end(self) -> str:
        return f"\n{self.signature}\n" + (f"\n{self.answer}\n" if self.answer else "")


@dataclass(frozen=True)
class Checked:
    """Whether a system meets a requirement; an undefined value does not."""

    require: str
    system: str
    value: float | None
    met: bool

    def __str__(self) -> str:
        shown = "undefined" if self.value is None else typeset.number(self.value)
        return f"{self.require}: {self.system} {shown}, {'met' if self.met else 'NOT met'}"


@dataclass(frozen=True)
class Result(Numbers):
    """Result of an evaluation.

    Attributes
    ----------
    frame : DataFrame
        One row per system, measure, cutoff and average: value, interval, number of documents averaged and left out;
        with several runs also their number and standard deviation.
    by_run : DataFrame or None
        One row per run, if there are several.
    checked, annotators : tuple
        Requirements, and whether they are met; annotators among the rows.
    """

    settings: Settings
    by_run: pd.DataFrame | None = None
    checked: tuple[Checked, ...] = ()
    annotators: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """Return the JSON content of the command line, with requirements."""
        return super().content() | ({"requirements": [asdict(check) for check in self.checked]} if self.checked else {})

    def at(self, cutoff: int | str) -> Result:
        """Return the rows at one cutoff and the rows without a cutoff, with the signature of that cutoff."""

        def at(frame: pd.DataFrame) -> pd.DataFrame:
            return frame[(frame["k"] == cutoff) | frame["k"].isna()].reset_index(drop=True)

        by_run = None if self.by_run is None else at(self.by_run)
        return replace(self, frame=at(self.frame), settings=self.settings.changed(k=(cutoff,)), by_run=by_run)

    def titled(self) -> pd.DataFrame:
        """Return the rows with titles of measures; K of an annotator is the agreement of the others."""
        alone = (self.frame["measure"] == "K") & self.frame["system"].isin(self.annotators)
        return self.frame.assign(measure=self.frame["measure"].mask(alone, "K without"))

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
        table: dict[tuple[str, str], dict[str, Any]] = {}
        columns = (self.frame[name].tolist() for name in ("system", "subset", "value"))
        for system, subset, value, column in zip(*columns, self.columns, strict=True):
            table.setdefault((system, subset), {"system": system, "subset": subset})[column] = value
        frame = pd.DataFrame(list(table.values()))
        return frame if (frame["subset"] != "all").any() else frame.drop(columns="subset")

    def text(self) -> str:
        """Return the tidy rows as plain text, with subsets if there are several."""
        frame = self.titled()
        several = (frame["subset"] != "all").any()
        shown = typeset.text(frame if several else frame.drop(columns="subset"))
        return shown + self._end() + "".join(f"\n{check}" for check in self.checked) + "\n" * bool(self.checked)


def square(pairs: pd.DataFrame, column: str, names: Sequence[str], turned: float = 1.0) -> pd.DataFrame:
    """Return a column of pairs (a, b) as a square table, times `turned` for (b, a); the diagonal is missing."""
    table = pairs.pivot_table(column, "a", "b", dropna=False).reindex(index=names, columns=names)
    return table.fillna(turned * table.T).rename_axis(index=None, columns=None)


class Row(NamedTuple):
    """One value of a result; provenance: its source estimate, for means over runs and data sets."""

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
    provenance: Provenance | None = None


ROW_COLUMNS: tuple[str, ...] = Row._fields[:-1]


class Provenance(NamedTuple):
    """A column of an estimate; place: indices of measure and cutoff."""

    place: tuple[int, int]
    estimate: Estimate
    column: int

    @property
    def drawn(self) -> Floats | None:
        """Values of the resamples (B,), if any."""
        return None if self.estimate.resampled is None else self.estimate.resampled[:, self.column]

    @property
    def runs(self) -> tuple[float, ...]:
        """Values of the runs of a system."""
        return () if self.estimate.runs is None else tuple(self.estimate.runs[:, self.column].tolist())

    @property
    def documents(self) -> tuple[float, float]:
        """The variance between documents, with its degrees of freedom; NaN if unknown."""
        estimate, column = self.estimate, self.column
        if estimate.variance is not None:
            [(of_documents, freedom)] = estimate.variance.documents
            return float(of_documents[column]), freedom
        n, low, high = (float(bound[column]) for bound in (estimate.documents, estimate.low, estimate.high))
        return error_of(low, high, int(n)) ** 2 if n > 1 else float("nan"), n - 1.0

    @property
    def both(self) -> float:
        """The variance that documents and runs share."""
        return 0.0 if self.estimate.variance is None else float(self.estimate.variance.both[self.column])


def result_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the tidy frame of rows."""
    frame = pd.DataFrame([row[:-1] for row in rows], columns=list(ROW_COLUMNS))
    # pandas would turn 10 into 10.0 in a column with missing values
    frame["k"] = pd.Series([row.k for row in rows], dtype=object)
    # “P@k” at k = 5 and “P@5” are the same row.
    return frame.drop_duplicates(["system", "subset", "measure", "k", "average"], ignore_index=True)
