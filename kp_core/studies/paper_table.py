"""Turn an evaluation into a table for a paper, with best values in bold and daggers for significance."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from typing import Any, Unpack

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, refuse_unknown, refuse_unless
from kp_core.reading.rows.identifiers import labels_of
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import names_in, parse
from kp_core.scoring.order import best_first, highest
from kp_core.scoring.paired import ALPHA, Family
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import OVER_RUNS, over_runs, runs_of
from kp_core.settings import SUBJECT, Changes, Settings, resolve_settings, short_form
from kp_core.studies import WORDS
from kp_core.studies.compare import Comparison, better_on, compare_prepared
from kp_core.studies.evaluate import evaluate
from kp_core.studies.parts import count_sides, parse_by, side_of
from kp_core.studies.result import MEAN, Result

DEFAULT = ("P@k", "R@k", "F1@k", "MAP")
#: Number of lines that a block has in addition to its systems.
_HEAD = 3
#: Separator of a mean and its deviation, without a line break.
_DEVIATES, _LATEX_DEVIATES = "\u00a0±\u00a0", r"\,$\pm$\,"
_DAGGER, _LATEX_DAGGER = "†", r"$^{\dagger}$"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: part and data set (or empty), measure, rows by system, and their comparison, if any.

    Values are missing if a data set lacks a system.
    """

    block: str
    head: str
    name: str
    rows: pd.DataFrame
    test: Comparison | None = None

    @property
    def label(self) -> str:
        """Data set and measure."""
        return f"{self.head} {self.name}".strip()

    @property
    def ranked(self) -> dict[str, float]:
        """System → value, without baselines and undefined values."""
        values = self.rows["value"].dropna()
        return dict(values[~values.index.isin(BASELINES)].items())

    @property
    def marked(self) -> frozenset[str]:
        """Systems significantly better than the baseline, or, without a baseline, worse than the best system shown."""
        if self.test is None:
            return frozenset()
        if baseline := self.test.baseline:
            return frozenset(name for name in self.rows.index if baseline in self.test.better.get(name, ()))
        values = {name: value for name, value in self.test.scores.items() if value == value and name in self.rows.index}
        return frozenset(self.test.better[highest(values)[0]]).intersection(self.rows.index) if values else frozenset()


@dataclass(frozen=True)
class PaperTable:
    """A table for a paper, which can be written as LaTeX, Markdown, HTML, CSV, XLSX or Parquet.

    Attributes
    ----------
    columns : list
        The columns, grouped by part of the data.
    digits : int
        Decimals of values and bounds.
    bounds, deviations : bool
        Whether intervals, and standard deviations over runs, are shown.
    baseline : str
        System that systems with a dagger outperform; if empty, daggers mark systems below the best.
    claim : str
        Sentence on how many data sets the best system is better than the second.
    """

    result: Result
    columns: list[Column]
    caption: str
    label: str = "tab:keyphrases"
    digits: int = 3
    bounds: bool = False
    deviations: bool = False
    baseline: str = ""
    claim: str = ""

    @property
    def blocks(self) -> dict[str, list[Column]]:
        """Heading → columns of the rows below it; an empty heading if the table has no parts."""
        return {block: list(columns) for block, columns in groupby(self.columns, lambda column: column.block)}

    @property
    def systems(self) -> list[str]:
        """The rows, in the order of the result."""
        return list(dict.fromkeys(self.result.frame["system"]))

    @property
    def signature(self) -> str:
        """The signature in one line."""
        return self.result.signature

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes on the values."""
        return self.result.notes

    @property
    def frame(self) -> pd.DataFrame:
        """One row per system and part, with low, high and sd in separate columns."""
        frames, extra = [], ["low", "high"] * self.bounds + ["sd"] * self.deviations
        for block, columns in self.blocks.items():
            table: dict[str, Any] = {"system": self.systems} | ({"keyphrases": block} if block else {})
            for column in columns:
                table[column.label] = column.rows["value"].tolist()
                table |= {f"{column.label} {name}": column.rows[name].tolist() for name in extra if name in column.rows}
            frames.append(pd.DataFrame(table))
        return pd.concat(frames, ignore_index=True)

    def csv(self) -> str:
        """Return the numbers as CSV."""
        return typeset.csv(self.frame)

    def xlsx(self) -> bytes:
        """Return an XLSX file: a sheet of numbers, and a sheet with signature and notes."""
        metadata = [("caption", self.caption), ("signature", self.signature), ("note", self.note())]
        metadata += [(note.where, note.message) for note in self.notes]
        return typeset.xlsx({"table": self.frame, "about": pd.DataFrame(metadata, columns=["what", "text"])})

    def parquet(self) -> bytes:
        """Return the numbers as Parquet."""
        return bytes(self.frame.to_parquet(index=False))

    def json(self) -> str:
        """Return the values as the command line prints them, with caption and note."""
        content = {"caption": self.caption, "note": self.note()} | self.result.content()
        return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)

    def note(self) -> str:
        """Describe the meaning of bold, daggers and brackets."""
        by_average = self.result.frame.groupby("average", sort=False)["measure"]
        measures = {name: ", ".join(group.str.partition("@")[0].unique()) for name, group in by_average}
        subjects = [WORDS["subjects"][name].format(measures=measures[name]) for name in measures if name in SUBJECT]
        facts: dict[str, Any] = {
            "alpha": ALPHA,
            "marked": any(column.marked for column in self.columns),
            "subjects": subjects,
        }
        facts["apart"] = any(column.head for column in self.columns)
        facts["over_runs"] = self.result.settings.interval in OVER_RUNS
        return typeset.say("note of a table", table=self, signature=short_form(self.signature), **facts)

    def markdown(self) -> str:
        """Return a Markdown table for each part, with the note."""
        parts = list[str]()
        for block, columns in self.blocks.items():
            head = ["system", *(typeset.escape_markdown(column.label) for column in columns)]
            parts += [f"**{_heading(block)}**\n"] * bool(block)
            rows = [head, *self._lines(columns, "**{}**{}", typeset.escape_markdown)]
            parts.append(typeset.markdown_table(rows, [False, *[True] * len(columns)]))
        return "\n".join([*parts, typeset.escape_markdown(self.note()), ""])

    def html(self) -> str:
        """Return an HTML table with its caption and note; all user text is escaped."""
        parts = [
            (block, _heads(columns), self._lines(columns, "<b>{}</b>{}", typeset.escape_html))
            for block, columns in self.blocks.items()
        ]
        return typeset.say("table as HTML", caption=self.caption, parts=parts, note=self.note()) + "\n"

    _repr_html_ = html

    def latex(self) -> str:
        """Return LaTeX tables as wide as one or two columns; wide tables are rotated, and split if they exceed a page.

        The document needs the package booktabs, and also rotating if a table is rotated.
        """
        parts = [part for columns in self.blocks.values() for part in self._parts(columns)]
        width = max(map(self._width, parts))
        rows = typeset.PAGE_ROWS if width <= typeset.PAGE_WIDTH else typeset.PAGE_ROWS // 2
        per_page = max(1, rows // (len(self.systems) + _HEAD))
        note = _latex_marks(typeset.escape_latex(self.note())).replace("±", r"$\pm$")
        pages, previous_block = [typeset.PACKAGES, f"% {self.signature}"], ""
        for start in range(0, len(parts), per_page):
            lines = [rf"\label{{{self.label}}}"] * (not start)
            for index, part in enumerate(parts[start : start + per_page]):
                block = part[0].block
                lines += [r"\par\medskip"] * bool(index)
                if block and (not index or block != previous_block):
                    lines.append(rf"\emph{{{_heading(block)}}}\par\smallskip")
                lines += self._tabular(part)
                previous_block = block
            pages += typeset.floating(width, self.caption + " (continued)" * bool(start), lines, note)
        return "\n".join([*pages, ""])

    def _tabular(self, columns: Sequence[Column]) -> list[str]:
        heads, rules, start = [""], list[str](), 2
        for head, grouped in _heads(columns):
            heads.append(rf"\multicolumn{{{len(grouped)}}}{{c}}{{{typeset.escape_latex(head)}}}")
            rules.append(rf"\cmidrule(lr){{{start}-{start + len(grouped) - 1}}}")
            start += len(grouped)
        top = [typeset.latex_row(heads), " ".join(rules)] if columns[0].head else []
        names = ["System", *(typeset.escape_latex(column.name) for column in columns)]
        rows = self._lines(columns, r"\textbf{{{}}}{}", typeset.escape_latex)
        body = [_latex_marks(typeset.latex_row(row)) for row in rows]
        return typeset.tabular(f"l{'r' * len(columns)}", [*top, typeset.latex_row(names)], body)

    def text(self) -> str:
        """Return the table for a terminal."""
        tables = []
        for block, columns in self.blocks.items():
            tables += [_heading(block)] * bool(block)
            labels = ["system", *(column.label for column in columns)]
            tables.append(typeset.text(pd.DataFrame(self._lines(columns, "{}*{}"), columns=labels)))
        return "\n".join([*tables, self.note().replace("Bold", "*"), self.signature, ""])

    @cached_property
    def labels(self) -> dict[str, str]:
        """System → its name without the prefix and suffix that all systems share."""
        return labels_of([name for name in self.systems if name not in BASELINES])

    @cached_property
    def _cells(self) -> dict[Column, list[tuple[str, bool, str]]]:
        """Column → its cells, one per system: text, whether the value is the best, and dagger."""
        cells = {}
        for column in self.columns:
            best, marked, rows = highest(column.ranked) if column.ranked else (), column.marked, column.rows.iterrows()
            cells[column] = [(self._text(row), name in best, _DAGGER * (name in marked)) for name, row in rows]
        return cells

    def _text(self, row: pd.Series[Any]) -> str:
        if pd.isna(row["value"]):
            return "–"
        values = {name: row[name] for name in ("value", "low", "high", "sd") if pd.notna(row.get(name))}
        texts = {name: typeset.number(value, self.digits) for name, value in values.items()}
        deviation = f"{_DEVIATES}{texts['sd']}" if self.deviations and "sd" in texts else ""
        bounds = f" [{texts['low']}, {texts['high']}]" if self.bounds and "low" in texts else ""
        return f"{texts['value']}{deviation}{bounds}"

    def _lines(self, columns: Sequence[Column], bold: str, escape: Callable[[str], str] = str) -> list[list[str]]:
        lines = []
        for index, system in enumerate(self.systems):
            cells = (self._cells[column][index] for column in columns)
            texts = [(bold if best else "{}{}").format(text, mark) for text, best, mark in cells]
            lines.append([escape(self.labels.get(system, system)), *texts])
        return lines

    def _width(self, columns: Sequence[Column]) -> int:
        return typeset.wide([["System", *(column.name for column in columns)], *self._lines(columns, "{}{}")])

    def _parts(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Split the columns into parts that fit the page width, keeping data sets together if possible."""
        parts: list[list[Column]] = [[]]
        for _, grouped in _heads(columns):
            fits_page = self._width([*parts[-1], *grouped]) <= typeset.ROTATED_WIDTH
            for column in grouped:
                is_full = parts[-1] and self._width([*parts[-1], column]) > typeset.ROTATED_WIDTH
                if is_full or (parts[-1] and not fits_page and column is grouped[0]):
                    parts.append([])
                parts[-1].append(column)
        return parts


def _latex_marks(text: str) -> str:
    return text.replace(_DAGGER, _LATEX_DAGGER).replace(_DEVIATES, _LATEX_DEVIATES)


def _heading(block: str) -> str:
    return f"{block.capitalize()} keyphrases"


def _heads(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    if not any(column.head for column in columns):
        return [("", [column]) for column in columns]
    return [(head, list(grouped)) for head, grouped in groupby(columns, lambda column: column.head)]


def paper_table(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str = DEFAULT,
    *,
    systems: Sequence[str] = (),
    by: str | Sequence[str] = "",
    absent: Sequence[str] | str = (),
    digits: int = 3,
    bounds: bool = False,
    deviations: bool = False,
    marks: bool = True,
    baseline: str = "",
    baselines: bool = False,
    caption: str = "Evaluation of keyphrase extraction",
    label: str = "tab:keyphrases",
    **changes: Unpack[Changes],
) -> PaperTable:
    r"""Return a table for a paper: measures at all cutoffs, one row per system.

    Parameters
    ----------
    measures : str or sequence of str
        Names of `kp.MEASURES`.
    systems : sequence of str
        Systems to show; by default all.
    by : str or sequence of str
        dataset: one column per data set and measure, with the mean; presence: present and absent keyphrases separately.
    absent : str or sequence of str
        Measures for absent keyphrases, if different from `measures`.
    digits : int
        Decimals of values and bounds.
    bounds, deviations : bool
        Whether to show intervals, and standard deviations over runs.
    marks : bool
        Whether to mark systems by daggers if they are significantly below the best one (paired randomization test,
        Holm), or significantly better than `baseline`; separately for each data set.
    baselines : bool
        Whether to add the baselines.

    Examples
    --------
    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}, "b": {"d": ["sky"]}})
    >>> print(kp.paper_table(corpus, measures=["P@k"], k=2, digits=1, marks=False).markdown().splitlines()[2])
    | a | **0.5** |
    """
    measure_names, names, by = names_in(measures), list(runs_of(corpus.systems)), parse_by(by)
    refuse_unless("/".join(by), ("", "dataset", "presence", "dataset/presence"), "by")
    refuse_unknown(systems, names, "system")
    at = over_runs(resolve_settings(corpus, settings, changes), corpus.systems)
    absent_names = names_in(absent or measures)
    result = evaluate(corpus, at, dict.fromkeys([*measure_names, *absent_names]), baselines=baselines, by=by)
    by_column, shown = result.frame.assign(column=result.columns), [*(systems or names), *BASELINES]
    rows = result.frame[result.frame["system"].isin(shown)]
    frame = rows.sort_values("system", key=lambda column: column.map(shown.index), kind="stable", ignore_index=True)
    result, columns = replace(result, frame=frame), list[Column]()
    sides = {"present": measure_names, "absent": absent_names} if "presence" in by else {"": measure_names}
    for side, subset in product(sides, by_column["subset"].unique()):
        subset_rows = by_column[by_column["subset"] == subset]
        if side != (subset.rpartition("presence:")[2] if side_of(subset) else ""):
            continue
        for name, values in subset_rows.groupby("column", sort=False):
            measure, k, average = values.iloc[0][["measure", "k", "average"]]
            if any(measure in (requested.name(), requested.name(k)) for requested in map(parse, sides[side])):
                head, by_system = _head(subset), values.drop_duplicates("system").set_index("system")
                column = Column(side, head, str(name), by_system.reindex(frame["system"].unique()))
                if marks and len(names) > 1 and not subset.startswith(MEAN):
                    part = corpus.by_dataset[head] if head else corpus
                    column_settings = at.changed(k="all" if k is None else str(k), average=average)
                    column = replace(column, test=_comparison(part, column_settings, measure, baseline, side))
                columns.append(column)
    claim = _claim(columns, baseline) if corpus.datasets and marks and len(names) > 1 else ""
    return PaperTable(result, columns, caption, label, digits, bounds, deviations, baseline, claim)


def _head(subset: str) -> str:
    dataset = subset.removesuffix("/presence:present").removesuffix("/presence:absent")
    return "mean" if dataset == MEAN else dataset.removeprefix("dataset:") if dataset.startswith("dataset:") else ""


def _comparison(corpus: Corpus, settings: Settings, measure: str, baseline: str, side: str) -> Comparison | None:
    """Return the comparison of a column; None if the measure ranks no systems, or the data set has one system."""
    with suppress(UsageError):
        data, family = prepare(corpus, settings), Family(measure, baseline=baseline)
        systems = count_sides(data, "presence")[side] if side else None
        return compare_prepared(data, family, family.parsed.cutoffs(data.settings)[0], systems)
    return None


def _claim(columns: Sequence[Column], baseline: str) -> str:
    first_mean = next(column for column in columns if column.head == "mean")
    best, *others = best_first(first_mean.ranked) or [""]
    if not others:
        return ""
    second = baseline if baseline in others else others[0]
    same_measure = (column for column in columns if (column.block, column.name) == (first_mean.block, first_mean.name))
    claims = better_on({column.head: column.test for column in same_measure if column.test})
    claim = next((claim for claim in claims if (claim.a, claim.b) == (best, second)), None)
    measure = f"{first_mean.name} of {first_mean.block} keyphrases" if first_mean.block else first_mean.name
    return typeset.say("claim of a table", best=best, second=second, found=claim, measure=measure)
