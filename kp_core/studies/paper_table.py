"""Turn an evaluation into the table of a paper: chosen systems, measures and cutoffs, the best bold, marks of tests."""

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
#: Lines of a part of a table beside its systems.
_HEAD = 3
#: Between a mean and its deviation, which no line may end at.
_DEVIATES, _LATEX_DEVIATES = "\u00a0±\u00a0", r"\,$\pm$\,"
_DAGGER, _LATEX_DAGGER = "†", r"$^{\dagger}$"


@dataclass(frozen=True)
class Column:
    """A column of a table: the data set above it (empty for none), the measure, and the part that its rows are of."""

    head: str
    name: str
    subset: str

    @property
    def label(self) -> str:
        """The data set and the measure in one line."""
        return f"{self.head} {self.name}".strip()


@dataclass(frozen=True)
class PaperTable:
    """A table for a paper, which can be written as LaTeX, Markdown, HTML, CSV, XLSX or Parquet.

    Attributes
    ----------
    result : Result
        The values.
    blocks : dict
        Heading → columns of the rows below it; an empty heading if the table has no parts.
    digits : int
        Decimals of values and bounds.
    bounds, deviations : bool
        Whether intervals, and standard deviations over runs, are shown.
    beaten : dict
        Part and column, as in `key` → systems with a dagger.
    baseline : str
        System that those with a dagger beat; if empty, daggers mark systems below the best.
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
        """What the reader of the values must know."""
        return self.result.notes

    @property
    def frame(self) -> pd.DataFrame:
        """One row per system, and a part if there are parts, with low, high and sd in columns of their own."""
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
        """Return the rows of a column, a system each; without a value where a system is not on a data set."""
        frame = self.result.frame
        rows = frame[(frame["subset"] == column.subset) & (self._names == column.name)]
        return rows.drop_duplicates("system").set_index("system").reindex(self.systems)

    @cached_property
    def _names(self) -> pd.Series[str]:
        return self.result.columns

    def ranked(self, column: Column) -> dict[str, float]:
        """Return system → value of those that a column ranks: no baselines, and none without a value."""
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
        """Describe what bold, daggers and brackets mean."""
        frame, over_runs = self.result.frame, self.result.settings.interval in OVER_RUNS
        subjects = [
            WORDS["subjects"][average].format(measures=", ".join(dict.fromkeys(rows["measure"].str.partition("@")[0])))
            for average, rows in frame.groupby("average", sort=False)
            if average in SUBJECT
        ]
        facts: dict[str, Any] = {
            "apart": any(column.head for columns in self.blocks.values() for column in columns),
            "alpha": ALPHA,
        }
        facts |= {"marked": any(self.beaten.values()), "over_runs": over_runs, "subjects": subjects}
        return typeset.say("note of a table", table=self, signature=short_form(self.signature), **facts)

    def markdown(self) -> str:
        """Return a Markdown table for each part, with the note."""
        parts = list[str]()
        for block, columns in self.blocks.items():
            head = ["system", *(typeset.escape_markdown(column.label) for column in columns)]
            rows = self._lines(block, "**{}**{}", typeset.escape_markdown)
            parts += [f"**{_heading(block)}**\n"] * bool(block)
            parts.append(typeset.markdown_table([head, *rows], [False, *[True] * len(columns)]))
        return "\n".join([*parts, typeset.escape_markdown(self.note()), ""])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table as it is printed."""
        return self.html()

    def html(self) -> str:
        """Return an HTML table with its caption and note; every word of a user is escaped."""
        parts = [
            (block, _heads(columns), self._lines(block, "<b>{}</b>{}", typeset.escape_html))
            for block, columns in self.blocks.items()
        ]
        return typeset.say("table as HTML", caption=self.caption, parts=parts, note=self.note()) + "\n"

    def latex(self) -> str:
        """Return one tabular a part: in one column or over two, on its side and in parts if too wide for a page.

        It needs booktabs, and the package rotating where it is on its side.
        """
        parts = [(block, part) for block, columns in self.blocks.items() for part in self._parts(block, columns)]
        width = max(self._width(*part) for part in parts)
        rows = typeset.ROWS if width <= typeset.PAGE else typeset.ROWS // 2
        a_page = max(1, rows // (len(self.systems) + _HEAD))
        note = _marked(typeset.escape_latex(self.note())).replace("±", r"$\pm$")
        pages, before = [f"% {self.signature}"], ""
        for start in range(0, len(parts), a_page):
            lines = [rf"\label{{{self.label}}}"] * (not start)
            for place, (block, part) in enumerate(parts[start : start + a_page]):
                lines += [r"\par\medskip"] * bool(place)
                lines += [rf"\emph{{{_heading(block)}}}\par\smallskip"] * (
                    block != before or (not place and block != "")
                )
                lines += self._tabular(block, part)
                before = block
            pages += typeset.floating(width, self.caption + " (continued)" * bool(start), lines, note)
        return "\n".join([*pages, ""])

    def _tabular(self, block: str, columns: Sequence[Column]) -> list[str]:
        rows = self._lines(block, r"\textbf{{{}}}{}", typeset.escape_latex, columns)
        above, rules, first = [""], list[str](), 2
        for head, own in _heads(columns):
            above.append(rf"\multicolumn{{{len(own)}}}{{c}}{{{typeset.escape_latex(head)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + len(own) - 1}}}")
            first += len(own)
        top = [typeset.latex_row(above), " ".join(rules)] if any(column.head for column in columns) else []
        names = ["System", *(typeset.escape_latex(column.name) for column in columns)]
        body = [_marked(typeset.latex_row(row)) for row in rows]
        return typeset.tabular(f"l{'r' * len(columns)}", [*top, typeset.latex_row(names)], body)

    def text(self) -> str:
        """Return the table for a terminal."""
        tables = []
        for block, columns in self.blocks.items():
            shown = pd.DataFrame(self._lines(block, "{}*{}"), columns=["system", *(one.label for one in columns)])
            tables.append(f"{_heading(block)}\n{typeset.text(shown)}" if block else typeset.text(shown))
        return "\n".join([*tables, self.note().replace("Bold", "*"), self.signature, ""])

    @cached_property
    def _cells(self) -> dict[str, list[tuple[str, bool, str]]]:
        """The cells of each column by its key, system by system: text, whether it is the best, and its mark."""
        cells = {}
        for block, columns in self.blocks.items():
            for column in columns:
                ranked, marked = self.ranked(column), self.beaten.get(key(block, column), frozenset())
                best = highest(ranked) if ranked else ()
                cells[key(block, column)] = [
                    (self._text(row), system in best, _DAGGER * (system in marked))
                    for system, row in self._rows(column).iterrows()
                ]
        return cells

    def _text(self, row: pd.Series[Any]) -> str:
        text = "–" if row["value"] != row["value"] else typeset.number(row["value"], self.digits)
        if self.deviations and row.get("sd") == row.get("sd") and row.get("sd") is not None:
            text += f"{_DEVIATES}{typeset.number(row['sd'], self.digits)}"
        if self.bounds and row["low"] == row["low"] and row["value"] == row["value"]:
            text += f" [{typeset.number(row['low'], self.digits)}, {typeset.number(row['high'], self.digits)}]"
        return text

    def _lines(
        self, block: str, bold: str, escape: Callable[[str], str] = str, columns: Sequence[Column] = ()
    ) -> list[list[str]]:
        """Return one row per system; bold: how text and mark of the best stand; escape: of names."""
        lines = []
        for place, system in enumerate(self.systems):
            cells = (self._cells[key(block, column)][place] for column in columns or self.blocks[block])
            written = [(bold if best else "{}{}").format(text, mark) for text, best, mark in cells]
            lines.append([escape(system), *written])
        return lines

    def _width(self, block: str, columns: Sequence[Column]) -> int:
        return typeset.wide(
            [["System", *(column.name for column in columns)], *self._lines(block, "{}{}", columns=columns)]
        )

    def _parts(self, block: str, columns: Sequence[Column]) -> list[list[Column]]:
        """Return the columns in parts that each fit the width of a page; a data set stays whole where it can."""
        parts: list[list[Column]] = [[]]
        for _, own in _heads(columns):
            together = self._width(block, [*parts[-1], *own]) <= typeset.TURNED
            for column in own:
                full = parts[-1] and self._width(block, [*parts[-1], column]) > typeset.TURNED
                if full or (parts[-1] and not together and column is own[0]):
                    parts.append([])
                parts[-1].append(column)
        return parts


def key(block: str, column: Column) -> str:
    """Return the name of a column of a part.

    >>> key("present", Column("nus", "F1@5", "dataset:nus/presence:present")), key("", Column("", "MAP", "all"))
    ('present nus F1@5', 'MAP')
    """
    return f"{block} {column.label}".strip()


def _marked(text: str) -> str:
    """Return text with its marks in LaTeX."""
    return text.replace(_DAGGER, _LATEX_DAGGER).replace(_DEVIATES, _LATEX_DEVIATES)


def _heading(block: str) -> str:
    return f"{block.capitalize()} keyphrases"


def _heads(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    """Return columns that follow each other under one data set."""
    if not any(column.head for column in columns):
        return [("", [column]) for column in columns]
    return [(head, list(own)) for head, own in groupby(columns, lambda column: column.head)]


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

    Raises
    ------
    UsageError
        If a system or measure does not exist.

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
    wanted = [*(systems or names), *BASELINES]
    rows = result.frame[result.frame["system"].isin(wanted)]
    frame = rows.sort_values("system", key=lambda all_: all_.map(wanted.index), kind="stable", ignore_index=True)
    blocks = _blocks(result, "presence" in by, asked, of_absent)
    shown = replace(result, frame=frame)
    made = PaperTable(shown, blocks, caption, label, digits, bounds, deviations, {}, baseline)
    if not marks or len(names) < 2:
        return made
    tests = _comparisons(corpus, at, result, blocks, baseline)
    beaten = {column: _starred(found, wanted) for column, found in tests.items()}
    return replace(made, beaten=beaten, claim=_claim(made, tests) if corpus.datasets else "")


def _blocks(
    result: Result, by_presence: bool, measures: Sequence[str], absent: Sequence[str]
) -> dict[str, list[Column]]:
    """Return heading → columns: those of present and of absent keyphrases apart, or all of them."""
    sides: dict[str, Sequence[str]] = {"present": measures, "absent": absent} if by_presence else {"": measures}
    made = dict[str, list[Column]]()
    rows = list(zip(*(result.frame[name].tolist() for name in ("subset", "measure", "k")), result.columns, strict=True))
    for side, asked in sides.items():
        cutoffs = [parse(name) for name in asked]
        columns = dict.fromkeys(
            Column(_head(subset), column, subset)
            for subset, measure, k, column in rows
            if _side(subset) == side and any(measure in (one.name(), one.name(k)) for one in cutoffs)
        )
        # In the order of the data sets, and of the measures as they were asked for.
        order = list(dict.fromkeys(column.subset for column in columns))
        made[side] = sorted(columns, key=lambda column: order.index(column.subset))
    return made


def _head(subset: str) -> str:
    """Return the data set of a part: its name, `mean`, or nothing."""
    whole = subset.removesuffix("/presence:present").removesuffix("/presence:absent")
    return "mean" if whole == MEAN else whole.removeprefix("dataset:") if whole.startswith("dataset:") else ""


def _side(subset: str) -> str:
    return subset.rpartition("presence:")[2] if side_of(subset) else ""


def _comparisons(
    corpus: Corpus, settings: Settings, result: Result, blocks: Mapping[str, Sequence[Column]], baseline: str
) -> dict[str, Comparison]:
    """Return the comparison behind each column, by its key; means of data sets have none, since these are tested apart.

    Nor has a measure that ranks no systems, or a data set with one system.
    """
    frame, found = result.frame.assign(column=result.columns), dict[str, Comparison]()
    rows = frame.drop_duplicates(["subset", "column"]).set_index(["subset", "column"])[["measure", "k", "average"]]
    for block, column in ((block, column) for block, columns in blocks.items() for column in columns):
        if column.subset.startswith(MEAN):
            continue
        measure, k, average = rows.loc[(column.subset, column.name)]
        part = corpus.by_dataset[column.head] if column.head else corpus
        with suppress(UsageError):
            family = Family(measure, baseline=baseline)
            data = prepare(part, settings.changed(k="all" if k is None else str(k), average=average))
            systems = counted_sides(data, "presence")[block] if block else None
            found[key(block, column)] = compared(data, family, family.asked.cutoffs(data.settings)[0], systems)
    return found


def _starred(found: Comparison, shown: Sequence[str]) -> frozenset[str]:
    """Return the systems that are better than the baseline, or below the best of those shown."""
    if found.baseline:
        return frozenset(name for name in shown if found.baseline in found.better.get(name, ()))
    values = {name: value for name, value in found.scores.items() if value == value and name in shown}
    return frozenset(found.better[highest(values)[0]]) & set(shown) if values else frozenset()


def _claim(table: PaperTable, tests: Mapping[str, Comparison]) -> str:
    """Report on how many data sets the best system is better than the second, by the first measure of the table."""
    block, columns = next(iter(table.blocks.items()))
    first = next(column for column in columns if column.head == "mean")
    best, *others = best_first(table.ranked(first)) or [""]
    if not others:
        return ""
    second = table.baseline if table.baseline in others else others[0]
    by_dataset = {one.head: key(block, one) for one in columns if one.name == first.name}
    over = better_on({name: tests[own] for name, own in by_dataset.items() if own in tests})
    comparison = next((one for one in over if (one.a, one.b) == (best, second)), None)
    measure = f"{first.name} of {block} keyphrases" if block else first.name
    return typeset.say("claim of a table", best=best, second=second, found=comparison, measure=measure)
