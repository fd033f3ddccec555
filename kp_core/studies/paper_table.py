"""Turn an evaluation into the table of a paper: chosen systems, measures and cutoffs, the best bold, marks of tests."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Unpack

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.counts import BASELINES
from kp_core.settings import Average, Changes, Settings, short_form
from kp_core.studies.compare import ALPHA, compare
from kp_core.studies.evaluate import evaluate
from kp_core.studies.result import Result

DEFAULT = ("P@k", "R@k", "F1@k", "MAP")
#: Letters that one line of a page holds in small type; a wider table goes over two columns, then in parts.
_COLUMN, _PAGE = 44, 72
#: Lines of a page, and those of a part beside its systems.
_LINES, _HEAD = 40, 3
_DAGGER, _LATEX_DAGGER = "†", r"$^{\dagger}$"


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper, which leaves in many forms.

    result     the values; beaten: column → systems significantly below the best one of it
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
        return list(self._cells)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return self.result.signature

    def frame(self) -> pd.DataFrame:
        """Return one row a system with numbers as numbers, and low and high in columns of their own."""
        table = {"system": self.systems}
        for name, rows in self.result.frame.groupby(self.result.columns, sort=False):
            table[str(name)] = rows["value"].tolist()
            if self.bounds:
                table |= {f"{name} {bound}": rows[bound].tolist() for bound in ("low", "high")}
        return pd.DataFrame(table)

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
        head, *rows = self._lines("**{}**{}", typeset.escape_markdown)
        table = [f"| {' | '.join(line)} |" for line in (head, ["---", *["---:"] * len(self.measures)], *rows)]
        return "\n".join([*table, "", typeset.escape_markdown(self.note()), ""])

    def html(self) -> str:
        """Return an HTML table with its caption and note; every word of a user is escaped."""

        def escaped(text: str) -> str:
            return escape(typeset.visible(text))

        head, *rows = self._lines("<b>{}</b>{}", escaped)
        names = "".join(f"<th>{name}</th>" for name in head)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        table = f"<thead><tr>{names}</tr></thead><tbody>{body}</tbody>"
        return f"<table><caption>{escaped(self.caption)}</caption>{table}</table><p>{escape(self.note())}</p>\n"

    def latex(self) -> str:
        """Return tables that need booktabs alone: in one column or over two, in parts where they are too wide."""
        parts, high = self._parts(), len(self.systems) + _HEAD
        name = "table*" if max(map(self._width, parts)) > _COLUMN else "table"
        a_page = max(1, _LINES // high)
        pages = [parts[start : start + a_page] for start in range(0, len(parts), a_page)]
        note = typeset.escape_latex(self.note()).replace(_DAGGER, _LATEX_DAGGER)
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
        lines = self._lines(r"\textbf{{{}}}{}", typeset.escape_latex, measures, "System")
        head, *body = (" & ".join(line).replace(_DAGGER, _LATEX_DAGGER) + r" \\" for line in lines)
        begin = rf"\begin{{tabular}}{{l{'r' * len(measures)}}}"
        return [begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]

    def text(self) -> str:
        """Return the table for a terminal."""
        head, *rows = self._lines("{}*{}")
        about = self.note().replace("Bold", "*")
        return f"{typeset.text(pd.DataFrame(rows, columns=head))}\n{about}\n{self.signature}\n"

    @cached_property
    def _cells(self) -> dict[str, list[tuple[str, bool, str]]]:
        """The cells of each column, system by system: text, whether it is the best, and its mark."""
        columns = {}
        for name, rows in self.result.frame.groupby(self.result.columns, sort=False):
            measure, ranked = str(name), rows[~rows["system"].isin(BASELINES) & rows["value"].notna()]
            best = typeset.highest(dict(zip(ranked["system"], ranked["value"], strict=True))) if len(ranked) else ()
            columns[measure] = [
                (self._text(*numbers), system in best, _DAGGER * (system in self.beaten.get(measure, ())))
                for system, *numbers in rows[["system", "value", "low", "high"]].itertuples(index=False)
            ]
        return columns

    def _text(self, value: float, low: float, high: float) -> str:
        text = "–" if value != value else typeset.number(value, self.digits)
        if self.bounds and low == low and value == value:
            text += f" [{typeset.number(low, self.digits)}, {typeset.number(high, self.digits)}]"
        return text

    def _lines(
        self, bold: str, escape: Callable[[str], str] = str, measures: Sequence[str] = (), corner: str = "system"
    ) -> list[list[str]]:
        """Return the head and a row a system; bold: how text and mark of the best stand; escape: of names."""
        lines = [[corner, *map(escape, measures or self.measures)]]
        for place, system in enumerate(self.systems):
            cells = (self._cells[name][place] for name in measures or self.measures)
            written = [(bold if best else "{}{}").format(text, mark) for text, best, mark in cells]
            lines.append([escape(system), *written])
        return lines

    def _width(self, measures: Sequence[str]) -> int:
        columns = zip(*self._lines("{}{}", measures=measures), strict=True)
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
    shown, beaten = replace(result, frame=frame), dict[str, frozenset[str]]()
    if marks and len(corpus.systems) > 1:
        columns = frame.assign(column=shown.columns).drop_duplicates("column")
        for column, measure, k, average in columns[["column", "measure", "k", "average"]].itertuples(index=False):
            beaten[column] = _beaten(corpus, result.settings, measure, k, average, wanted)
    return PaperTable(shown, caption, label, digits, bounds, beaten)


def _beaten(
    corpus: Corpus, settings: Settings, measure: str, k: object, average: Average, shown: Sequence[str]
) -> frozenset[str]:
    """Return which of the systems shown are significantly below the best of them; none without a comparison."""
    at = settings.changed(k="all" if k is None else str(k), average=average)
    try:
        found = compare(corpus, at, measure)
    except UsageError:  # a measure that ranks no systems
        return frozenset()
    values = {name: value for name, value in found.scores.items() if value == value and name in shown}
    return frozenset(found.better[typeset.highest(values)[0]]) & set(shown) if values else frozenset()
