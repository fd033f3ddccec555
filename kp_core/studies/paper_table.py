"""Turn an evaluation into a table for a paper, with best values in bold and daggers for significance."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError, refuse_unknown, refuse_unless
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import names_in, parse
from kp_core.scoring.order import best_first, highest
from kp_core.scoring.paired import ALPHA, Family
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import OVER_RUNS, over_runs, runs_of
from kp_core.settings import SUBJECT, Settings, resolve_settings, short_form
from kp_core.studies import WORDS
from kp_core.studies.compare import Comparison, better_on, compared
from kp_core.studies.evaluate import evaluate
from kp_core.studies.means import MEAN
from kp_core.studies.parts import counted_sides, parse_by, side_of
from kp_core.studies.result import Result

DEFAULT = ("P@k", "R@k", "F1@k", "MAP")
#: Number of lines of a block besides its systems.
_HEAD = 3
#: Separator of a mean and its deviation, without a line break.
_DEVIATES, _LATEX_DEVIATES = "\u00a0±\u00a0", r"\,$\pm$\,"
_DAGGER, _LATEX_DAGGER = "†", r"$^{\dagger}$"


@dataclass(frozen=True)
class Column:
    """A column of a table: part and data set (empty for none), measure, and subset of its rows."""

    block: str
    head: str
    name: str
    subset: str

    @property
    def label(self) -> str:
        """Data set and measure."""
        return f"{self.head} {self.name}".strip()

    @property
    def key(self) -> str:
        """Part, data set and measure, such as “present nus F1@5”."""
        return f"{self.block} {self.label}".strip()


@dataclass(frozen=True)
class PaperTable:
    """A table for a paper, which can be written as LaTeX, Markdown, HTML, CSV, XLSX or Parquet.

    Attributes
    ----------
    blocks : dict
        Heading → columns of the rows below it; an empty heading if the table has no parts.
    digits : int
        Decimals of values and bounds.
    bounds, deviations : bool
        Whether intervals, and standard deviations over runs, are shown.
    beaten : dict
        Part and column → systems with a dagger.
    baseline : str
        System that those with a dagger outperform; if empty, daggers mark systems below the best.
    claim : str
        Number of data sets on which the best system is better than the second.
    """

    result: Result
    blocks: dict[str, list[Column]]
    caption: str
    label: str = "tab:keyphrases"
    digits: int = 3
    bounds: bool = False
    deviations: bool = False
    beaten: dict[str, frozenset[str]] = field(default_factory=dict)
    baseline: str = ""
    claim: str = ""

    @property
    def systems(self) -> list[str]:
        """The rows, in the order of the result."""
        return list(dict.fromkeys(self.result.frame["system"]))

    @property
    def measures(self) -> list[str]:
        """The columns, each with its data set."""
        return list(dict.fromkeys(column.label for columns in self.blocks.values() for column in columns))

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
        frames = []
        extra = ["low", "high"] * self.bounds + ["sd"] * self.deviations
        for block, columns in self.blocks.items():
            table: dict[str, Any] = {"system": self.systems} | ({"keyphrases": block} if block else {})
            for column in columns:
                rows = self._rows(column)
                table[column.label] = rows["value"].tolist()
                table |= {f"{column.label} {name}": rows[name].tolist() for name in extra if name in rows}
            frames.append(pd.DataFrame(table))
        return pd.concat(frames, ignore_index=True)

    def _rows(self, column: Column) -> pd.DataFrame:
        """Return the rows of a column, one per system; the value is missing if a data set lacks the system."""
        frame = self.result.frame
        rows = frame[(frame["subset"] == column.subset) & (self._names == column.name)]
        return rows.drop_duplicates("system").set_index("system").reindex(self.systems)

    @cached_property
    def _names(self) -> pd.Series[str]:
        return self.result.columns

    def ranked(self, column: Column) -> dict[str, float]:
        """Return system → value in a column, without baselines and undefined values."""
        values = self._rows(column)["value"].dropna()
        return dict(values[~values.index.isin(BASELINES)].items())

    def csv(self) -> str:
        """Return the numbers as CSV."""
        return typeset.csv(self.frame)

    def xlsx(self) -> bytes:
        """Return a workbook: a sheet of numbers, and one with signature and notes."""
        about = [("caption", self.caption), ("signature", self.signature), ("note", self.note())]
        about += [(note.where, note.message) for note in self.notes]
        return typeset.xlsx({"table": self.frame, "about": pd.DataFrame(about, columns=["what", "text"])})

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
        facts: dict[str, Any] = {"alpha": ALPHA, "marked": any(self.beaten.values()), "subjects": subjects}
        facts["apart"] = any(column.head for columns in self.blocks.values() for column in columns)
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
        """Return tabulars over one or two columns; wide tables are rotated, and split if they exceed a page.

        Requires the package booktabs, and rotating if the table is rotated.
        """
        parts = [part for columns in self.blocks.values() for part in self._parts(columns)]
        width = max(map(self._width, parts))
        rows = typeset.ROWS if width <= typeset.PAGE else typeset.ROWS // 2
        per_page = max(1, rows // (len(self.systems) + _HEAD))
        note = _marked(typeset.escape_latex(self.note())).replace("±", r"$\pm$")
        pages, before = [typeset.PACKAGES, f"% {self.signature}"], ""
        for start in range(0, len(parts), per_page):
            lines = [rf"\label{{{self.label}}}"] * (not start)
            for place, part in enumerate(parts[start : start + per_page]):
                block = part[0].block
                lines += [r"\par\medskip"] * bool(place)
                if block and (not place or block != before):
                    lines.append(rf"\emph{{{_heading(block)}}}\par\smallskip")
                lines += self._tabular(part)
                before = block
            pages += typeset.floating(width, self.caption + " (continued)" * bool(start), lines, note)
        return "\n".join([*pages, ""])

    def _tabular(self, columns: Sequence[Column]) -> list[str]:
        heads, rules, first = [""], list[str](), 2
        for head, grouped in _heads(columns):
            heads.append(rf"\multicolumn{{{len(grouped)}}}{{c}}{{{typeset.escape_latex(head)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + len(grouped) - 1}}}")
            first += len(grouped)
        top = [typeset.latex_row(heads), " ".join(rules)] if columns[0].head else []
        names = ["System", *(typeset.escape_latex(column.name) for column in columns)]
        rows = self._lines(columns, r"\textbf{{{}}}{}", typeset.escape_latex)
        body = [_marked(typeset.latex_row(row)) for row in rows]
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
    def _cells(self) -> dict[str, list[tuple[str, bool, str]]]:
        """Return cells by column key, one per system: text, whether it is the best, mark."""
        cells = {}
        for column in (column for columns in self.blocks.values() for column in columns):
            ranked, marked = self.ranked(column), self.beaten.get(column.key, frozenset())
            best = highest(ranked) if ranked else ()
            rows = self._rows(column).iterrows()
            cells[column.key] = [(self._text(row), name in best, _DAGGER * (name in marked)) for name, row in rows]
        return cells

    def _text(self, row: pd.Series[Any]) -> str:
        if pd.isna(row["value"]):
            return "–"
        numbers = {name: row[name] for name in ("value", "low", "high", "sd") if pd.notna(row.get(name))}
        shown = {name: typeset.number(number, self.digits) for name, number in numbers.items()}
        deviation = f"{_DEVIATES}{shown['sd']}" if self.deviations and "sd" in shown else ""
        bounds = f" [{shown['low']}, {shown['high']}]" if self.bounds and "low" in shown else ""
        return f"{shown['value']}{deviation}{bounds}"

    def _lines(self, columns: Sequence[Column], bold: str, escape: Callable[[str], str] = str) -> list[list[str]]:
        """Return one row per system; bold formats the best value with its mark, escape the names of systems."""
        lines = []
        for place, system in enumerate(self.systems):
            cells = (self._cells[column.key][place] for column in columns)
            written = [(bold if best else "{}{}").format(text, mark) for text, best, mark in cells]
            lines.append([escape(system), *written])
        return lines

    def _width(self, columns: Sequence[Column]) -> int:
        return typeset.wide([["System", *(column.name for column in columns)], *self._lines(columns, "{}{}")])

    def _parts(self, columns: Sequence[Column]) -> list[list[Column]]:
        """Split the columns into parts that fit the page width, keeping data sets together if possible."""
        parts: list[list[Column]] = [[]]
        for _, grouped in _heads(columns):
            together = self._width([*parts[-1], *grouped]) <= typeset.TURNED
            for column in grouped:
                full = parts[-1] and self._width([*parts[-1], column]) > typeset.TURNED
                if full or (parts[-1] and not together and column is grouped[0]):
                    parts.append([])
                parts[-1].append(column)
        return parts


def _marked(text: str) -> str:
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
    **changes: Any,
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
        Measures of absent keyphrases, if different.
    digits : int
        Decimals of values and bounds.
    bounds, deviations : bool
        Whether to show intervals, and standard deviations over runs.
    marks : bool
        Whether to mark systems by daggers: significantly below the best one (paired randomization test, Holm), or
        significantly better than `baseline`; separately for each data set.
    baselines : bool
        Whether to add the baselines.

    Examples
    --------
    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}, "b": {"d": ["sky"]}})
    >>> print(kp.paper_table(corpus, measures=["P@k"], k=2, digits=1, marks=False).markdown().splitlines()[2])
    | a | **0.5** |
    """
    asked, of_absent = names_in(measures), names_in(absent or measures)
    by, names = parse_by(by), list(runs_of(corpus.systems))
    refuse_unless("/".join(by), ("", "dataset", "presence", "dataset/presence"), "by")
    refuse_unknown(systems, names, "system")
    at = over_runs(resolve_settings(corpus, settings, changes), corpus.systems)
    result = evaluate(corpus, at, dict.fromkeys([*asked, *of_absent]), baselines=baselines, by=by)
    shown = [*(systems or names), *BASELINES]
    rows = result.frame[result.frame["system"].isin(shown)]
    frame = rows.sort_values("system", key=lambda column: column.map(shown.index), kind="stable", ignore_index=True)
    blocks = _blocks(result, "presence" in by, asked, of_absent)
    formats = caption, label, digits, bounds, deviations
    table = PaperTable(replace(result, frame=frame), blocks, *formats, baseline=baseline)
    if not marks or len(names) < 2:
        return table
    tests = _comparisons(corpus, at, result, table)
    beaten = {column: _marked_systems(comparison, shown) for column, comparison in tests.items()}
    return replace(table, beaten=beaten, claim=_claim(table, tests) if corpus.datasets else "")


def _blocks(result: Result, presence: bool, measures: Sequence[str], absent: Sequence[str]) -> dict[str, list[Column]]:
    """Return heading → columns, separately for present and absent keyphrases if requested."""
    sides: dict[str, Sequence[str]] = {"present": measures, "absent": absent} if presence else {"": measures}
    blocks = dict[str, list[Column]]()
    rows = list(zip(*(result.frame[name].tolist() for name in ("subset", "measure", "k")), result.columns, strict=True))
    for side, names in sides.items():
        asked = [parse(name) for name in names]
        columns = dict.fromkeys(
            Column(side, _head(subset), name, subset)
            for subset, measure, k, name in rows
            if (subset.rpartition("presence:")[2] if side_of(subset) else "") == side
            and any(measure in (asked_measure.name(), asked_measure.name(k)) for asked_measure in asked)
        )
        order = list(dict.fromkeys(column.subset for column in columns))
        blocks[side] = sorted(columns, key=lambda column: order.index(column.subset))
    return blocks


def _head(subset: str) -> str:
    """Return the data set of a subset: its name, `mean`, or empty."""
    whole = subset.removesuffix("/presence:present").removesuffix("/presence:absent")
    return "mean" if whole == MEAN else whole.removeprefix("dataset:") if whole.startswith("dataset:") else ""


def _comparisons(corpus: Corpus, settings: Settings, result: Result, table: PaperTable) -> dict[str, Comparison]:
    """Return the comparison of each column by its key.

    Means over data sets, measures that rank no systems, and data sets with one system have none.
    """
    comparisons = dict[str, Comparison]()
    rows = result.frame.assign(column=result.columns).drop_duplicates(["subset", "column"])
    rows = rows.set_index(["subset", "column"])[["measure", "k", "average"]]
    for column in (column for columns in table.blocks.values() for column in columns):
        if column.subset.startswith(MEAN):
            continue
        measure, k, average = rows.loc[(column.subset, column.name)]
        part = corpus.by_dataset[column.head] if column.head else corpus
        with suppress(UsageError):
            family = Family(measure, baseline=table.baseline)
            data = prepare(part, settings.changed(k="all" if k is None else str(k), average=average))
            systems = counted_sides(data, "presence")[column.block] if column.block else None
            comparisons[column.key] = compared(data, family, family.asked.cutoffs(data.settings)[0], systems)
    return comparisons


def _marked_systems(comparison: Comparison, shown: Sequence[str]) -> frozenset[str]:
    """Return the systems that are better than the baseline, or below the best of those shown."""
    if comparison.baseline:
        return frozenset(name for name in shown if comparison.baseline in comparison.better.get(name, ()))
    values = {name: value for name, value in comparison.scores.items() if value == value and name in shown}
    return frozenset(comparison.better[highest(values)[0]]) & set(shown) if values else frozenset()


def _claim(table: PaperTable, tests: Mapping[str, Comparison]) -> str:
    block, columns = next(iter(table.blocks.items()))
    first = next(column for column in columns if column.head == "mean")
    best, *others = best_first(table.ranked(first)) or [""]
    if not others:
        return ""
    second = table.baseline if table.baseline in others else others[0]
    of_measure = [column for column in columns if column.name == first.name and column.key in tests]
    claims = better_on({column.head: tests[column.key] for column in of_measure})
    claim = next((claim for claim in claims if (claim.a, claim.b) == (best, second)), None)
    measure = f"{first.name} of {block} keyphrases" if block else first.name
    return typeset.say("claim of a table", best=best, second=second, found=claim, measure=measure)
