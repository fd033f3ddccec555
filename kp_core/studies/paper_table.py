"""Turn an evaluation into the table of a paper: chosen systems, measures and cutoffs, the best bold, marks of tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Unpack

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.systems import BASELINES
from kp_core.settings import Changes, Settings, short_form
from kp_core.studies.compare import ALPHA, compare
from kp_core.studies.evaluate import evaluate
from kp_core.studies.result import Result

DEFAULT = ("P@k", "R@k", "F1@k", "MAP")
#: Letters that one line of a page holds in small type; a wider table goes over two columns, then in parts.
_COLUMN, _PAGE = 44, 72
#: Lines of a page, and those of a part beside its systems.
_LINES, _HEAD = 40, 3
_DAGGER = "†"


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper, which leaves in many forms.

    result     the values; beaten: measure → systems significantly below the best one of it
    digits     after the point, of values and bounds alike; bounds: whether intervals stand beside the values
    label      what LaTeX refers to
    """

    result: Result
    caption: str
    label: str = "tab:keyphrases"
    digits: int = 3
    bounds: bool = False
    beaten: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The rows, in the order of the result."""
        return list(dict.fromkeys(self.result.frame["system"]))

    @property
    def measures(self) -> list[str]:
        """The columns."""
        return list(dict.fromkeys(self.result.frame["measure"]))

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return self.result.signature

    def frame(self) -> pd.DataFrame:
        """Return one row a system with numbers as numbers, and low and high in columns of their own."""
        rows = self.result.frame.set_index(["system", "measure"])
        table = pd.DataFrame({"system": self.systems})
        for measure in self.measures:
            for name, column in ((measure, "value"), (f"{measure} low", "low"), (f"{measure} high", "high")):
                if column == "value" or self.bounds:
                    table[name] = [float(rows.loc[(system, measure), column]) for system in self.systems]
        return table

    def csv(self) -> str:
        """Return the numbers as CSV."""
        return typeset.csv(self.frame())

    def xlsx(self) -> bytes:
        """Return a workbook: a sheet of numbers, and one with recipe and notes."""
        said = [("caption", self.caption), ("signature", self.signature), ("note", self.note())]
        said += [(note.where, note.message) for note in self.result.notes]
        return typeset.xlsx({"table": self.frame(), "about": pd.DataFrame(said, columns=["what", "text"])})

    def parquet(self) -> bytes:
        """Return the numbers as Parquet."""
        buffer = io.BytesIO()
        self.frame().to_parquet(buffer, index=False)
        return buffer.getvalue()

    def note(self) -> str:
        """Say what bold, daggers and brackets mean."""
        parts = ["Bold: the highest value."]
        if any(self.beaten.values()):
            parts.append(f"{_DAGGER}: significantly below it (paired randomisation test, Holm, {ALPHA}).")
        if self.bounds:
            parts.append("In brackets: 95 % intervals.")
        return " ".join([*parts, f"{short_form(self.signature)}."])

    def markdown(self) -> str:
        """Return a Markdown table with its note."""
        head = " | ".join(map(typeset.escape_markdown, ["system", *self.measures]))
        lines = [f"| {head} |", "|" + " --- |" + " ---: |" * len(self.measures)]
        for system in self.systems:
            cells = [f"**{text}**{mark}" if bold else f"{text}{mark}" for text, bold, mark in self._row(system)]
            lines.append(f"| {' | '.join([typeset.escape_markdown(system), *cells])} |")
        return "\n".join([*lines, "", typeset.escape_markdown(self.note()), ""])

    def html(self) -> str:
        """Return an HTML table with its caption and note; every word of a user is escaped."""
        head = "".join(f"<th>{escape(name)}</th>" for name in ["system", *self.measures])
        rows = []
        for system in self.systems:
            cells = [f"<b>{text}</b>{mark}" if bold else f"{text}{mark}" for text, bold, mark in self._row(system)]
            rows.append(
                f"<tr><td>{escape(typeset.visible(system))}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
            )
        body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        caption = escape(typeset.visible(self.caption))
        return f"<table><caption>{caption}</caption>{body}</table><p>{escape(self.note())}</p>\n"

    def latex(self) -> str:
        """Return tables that need booktabs alone: in one column or over two, in parts where they are too wide."""
        parts, high = self._parts(), len(self.systems) + _HEAD
        name = "table*" if max(map(self._width, parts)) > _COLUMN else "table"
        a_page = max(1, _LINES // high)
        pages = [parts[start : start + a_page] for start in range(0, len(parts), a_page)]
        note = typeset.escape_latex(self.note()).replace(_DAGGER, r"$^{\dagger}$")
        lines = [f"% {self.signature}"]
        for place, page in enumerate(pages):
            caption = typeset.escape_latex(self.caption + " (continued)" * bool(place))
            lines += [rf"\begin{{{name}}}", r"\centering\small", rf"\caption{{{caption}}}"]
            lines += [rf"\label{{{self.label}}}"] * (not place)
            for step, part in enumerate(page):
                lines += [r"\par\medskip"] * bool(step) + self._tabular(part)
            lines += [r"\par\smallskip\footnotesize\raggedright", note, rf"\end{{{name}}}"]
        return "\n".join([*lines, ""])

    def _tabular(self, measures: Sequence[str]) -> list[str]:
        head = " & ".join(["System", *map(typeset.escape_latex, measures)])
        lines = [rf"\begin{{tabular}}{{l{'r' * len(measures)}}}", r"\toprule", rf"{head} \\", r"\midrule"]
        for system in self.systems:
            cells = [
                (rf"\textbf{{{text}}}" if bold else text) + (r"$^{\dagger}$" if mark else "")
                for text, bold, mark in self._row(system, measures)
            ]
            lines.append(" & ".join([typeset.escape_latex(system), *cells]) + r" \\")
        return [*lines, r"\bottomrule", r"\end{tabular}"]

    def text(self) -> str:
        """Return the table for a terminal."""
        shown = {
            measure: [f"{text}{'*' * bold}{mark}" for text, bold, mark in column]
            for measure, column in zip(
                self.measures, zip(*(self._row(system) for system in self.systems), strict=True), strict=True
            )
        }
        about = self.note().replace("Bold", "*")
        return f"{typeset.text(pd.DataFrame({'system': self.systems, **shown}))}\n{about}\n{self.signature}\n"

    def _row(self, system: str, measures: Sequence[str] = ()) -> list[tuple[str, bool, str]]:
        """Return for each measure the text of the cell, whether it is the best, and its mark."""
        rows = self.result.frame.set_index(["system", "measure"])
        cells = []
        for measure in measures or self.measures:
            value, low, high = (float(rows.loc[(system, measure), name]) for name in ("value", "low", "high"))
            text = "–" if value != value else typeset.number(value, self.digits)
            if self.bounds and low == low and value == value:
                text += f" [{typeset.number(low, self.digits)}, {typeset.number(high, self.digits)}]"
            cells.append((text, system in self._best(measure), _DAGGER * (system in self.beaten.get(measure, ()))))
        return cells

    def _best(self, measure: str) -> list[str]:
        rows = self.result.frame[self.result.frame["measure"] == measure]
        rows = rows[~rows["system"].isin(BASELINES) & rows["value"].notna()]
        values = dict(zip(rows["system"], rows["value"], strict=True))
        return typeset.highest(values) if values else []

    def _width(self, measures: Sequence[str]) -> int:
        rows = [[system, *(text + mark for text, _, mark in self._row(system, measures))] for system in self.systems]
        columns = zip(["System", *measures], *rows, strict=True)
        return sum(max(map(len, column)) + 2 for column in columns)

    def _parts(self) -> list[list[str]]:
        """Return the measures in parts that each fit the width of a page."""
        parts: list[list[str]] = [[]]
        for measure in self.measures:
            if parts[-1] and self._width([*parts[-1], measure]) > _PAGE:
                parts.append([])
            parts[-1].append(measure)
        return parts


def paper_table(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] = DEFAULT,
    *,
    systems: Sequence[str] = (),
    digits: int = 3,
    bounds: bool = False,
    marks: bool = True,
    baselines: bool = False,
    caption: str = "Evaluation of keyphrase extraction",
    label: str = "tab:keyphrases",
    **changes: Unpack[Changes],
) -> PaperTable:
    r"""Return the table of a paper: measures at every cutoff asked for, by system.

    systems  those shown, all of them if empty; digits: after the point; bounds: intervals beside the values
    marks    a dagger where a system is significantly below the best one (paired randomisation, Holm)
    Raises UsageError for a system or measure that does not exist.

    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}, "b": {"d": ["sky"]}})
    >>> print(kp.paper_table(corpus, measures=["P@k"], k=2, digits=1, marks=False).markdown().splitlines()[2])
    | a | **0.5** |
    """
    chosen = (settings or Settings()).changed(**changes)
    if unknown := [name for name in systems if name not in corpus.systems]:
        raise UsageError(f"there is no system '{unknown[0]}'; choose among: {', '.join(corpus.systems)}")
    result = evaluate(corpus, chosen, measures, baselines=baselines)
    wanted = [*(systems or corpus.systems), *BASELINES]
    rows = result.frame[result.frame["system"].isin(wanted)]
    frame = rows.sort_values("system", key=lambda names: names.map(wanted.index), kind="stable", ignore_index=True)
    beaten: dict[str, frozenset[str]] = {}
    if marks and len(corpus.systems) > 1:
        for measure, k in frame[["measure", "k"]].drop_duplicates().itertuples(index=False):
            beaten[measure] = _beaten(corpus, result.settings, measure, k, wanted)
    shown = Result(frame, result.settings, result.notes, result.documents, result.agreement, result.caption)
    return PaperTable(shown, caption, label, digits, bounds, beaten)


def _beaten(corpus: Corpus, settings: Settings, measure: str, k: object, shown: Sequence[str]) -> frozenset[str]:
    """Return which of the systems shown are significantly below the best of them; none without a comparison."""
    at = settings.changed(k="all" if k is None else str(k))
    try:
        found = compare(corpus, at, measure)
    except UsageError:  # a measure that ranks no systems
        return frozenset()
    values = {name: value for name, value in found.scores.items() if value == value and name in shown}
    return frozenset(found.better[typeset.highest(values)[0]]) & set(shown) if values else frozenset()
