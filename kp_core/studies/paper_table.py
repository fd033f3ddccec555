"""Turn an evaluation into the table of a paper: chosen systems, measures and cutoffs, the best bold, marks of tests."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from itertools import groupby
from typing import Any

import pandas as pd

from kp_core import typeset
from kp_core.corpus import Corpus
from kp_core.errors import UsageError, refuse_unless
from kp_core.order import best_first, highest
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import names_in, parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import OVER_RUNS, over_runs, runs_of
from kp_core.settings import SUBJECT, Settings, resolve_settings, short_form
from kp_core.studies import WORDS
from kp_core.studies.compare import ALPHA, Comparison, Family, better_on, compared
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
    """A table of a paper, which leaves in many forms.

    result     the values; beaten: part and column, as in `key`, → systems that have a dagger there
    blocks     heading → columns of the rows below it; one without a heading if the table has no parts
    digits     after the point, of values and bounds alike; bounds: whether intervals stand beside the values
    deviations whether the standard deviation over runs stands behind the mean
    label      what LaTeX refers to
    baseline   what systems with a dagger are better than; empty: they are below the best
    claim      on how many data sets the best system is better than the second
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
        """The recipe in one line."""
        return self.result.signature

    def frame(self) -> pd.DataFrame:
        """Return one row a system, and a part if there are parts, with low, high and sd in columns of their own."""
        frames = []
        for block, columns in self.blocks.items():
            table: dict[str, Any] = {"system": self.systems} | ({"keyphrases": block} if block else {})
            for column in columns:
                rows = self._rows(column)
                table[column.label] = rows["value"].tolist()
                extra = (*(("low", "high") if self.bounds else ()), *(("sd",) if self.deviations else ()))
                table |= {f"{column.label} {name}": rows[name].tolist() for name in extra if name in rows}
            frames.append(pd.DataFrame(table))
        return pd.concat(frames, ignore_index=True)

    def _rows(self, column: Column) -> pd.DataFrame:
        """Return the rows of a column, a system each; without a value where a system is not on a data set."""
        frame = self.result.frame
        own = frame[(frame["subset"] == column.subset) & (self._names == column.name)]
        return own.drop_duplicates("system").set_index("system").reindex(self.systems)

    @cached_property
    def _names(self) -> pd.Series[str]:
        return self.result.columns

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

    def json(self) -> str:
        """Return the values as the command line prints them, with caption and note."""
        return json.dumps(
            {"caption": self.caption, "note": self.note()} | self.result.content(),
            ensure_ascii=False,
            indent=1,
            allow_nan=False,
        )

    def note(self) -> str:
        """Say what bold, daggers and brackets mean."""
        apart = any(column.head for columns in self.blocks.values() for column in columns)
        parts = [f"Bold: the highest value{' of a data set' * apart}."]
        if any(self.beaten.values()):
            method = "paired randomisation test"
            if self.result.settings.interval in OVER_RUNS:
                method = "t test over documents and runs"
            than = f"better than {self.baseline}" if self.baseline else "below it"
            parts.append(f"{_DAGGER}: significantly {than} ({method}, Holm, {ALPHA}).")
        if self.claim:
            parts.append(self.claim)
        for average, rows in self.result.frame.groupby("average", sort=False):
            if average in SUBJECT:
                measures = ", ".join(dict.fromkeys(name.partition("@")[0] for name in rows["measure"]))
                parts.append(WORDS["subjects"][average].format(measures=measures))
        if self.deviations:
            parts.append("Behind ±: the standard deviation over runs.")
        if self.bounds:
            parts.append("In brackets: 95 % intervals.")
        return " ".join([*parts, f"{short_form(self.signature)}."])

    def markdown(self) -> str:
        """Return a Markdown table for each part, with the note."""
        lines = list[str]()
        for block, columns in self.blocks.items():
            head = ["system", *(typeset.escape_markdown(column.label) for column in columns)]
            rows = self._lines(block, "**{}**{}", typeset.escape_markdown)
            lines += [f"**{_heading(block)}**", ""] * bool(block)
            lines += [f"| {' | '.join(line)} |" for line in (head, ["---", *["---:"] * len(columns)], *rows)] + [""]
        return "\n".join([*lines, typeset.escape_markdown(self.note()), ""])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table as it is printed."""
        return self.html()

    def html(self) -> str:
        """Return an HTML table with its caption and note; every word of a user is escaped."""

        def escaped(text: str) -> str:
            return escape(typeset.visible(text))

        tables = []
        for block, columns in self.blocks.items():
            heads = [(escaped(head), len(own)) for head, own in _heads(columns)]
            above = "".join(f'<th colspan="{size}">{head}</th>' for head, size in heads)
            top = f"<tr><th></th>{above}</tr>" * any(head for head, _ in heads)
            names = "".join(f"<th>{name}</th>" for name in ["system", *(escaped(column.name) for column in columns)])
            rows = self._lines(block, "<b>{}</b>{}", escaped)
            body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
            said = f"{escaped(self.caption)}: {block} keyphrases" if block else escaped(self.caption)
            table = f"<thead>{top}<tr>{names}</tr></thead><tbody>{body}</tbody>"
            tables.append(f"<table><caption>{said}</caption>{table}</table>")
        return f"{''.join(tables)}<p>{escape(self.note())}</p>\n"

    def latex(self) -> str:
        """Return one tabular as it is shown: in one column or over two, on its side if too wide for a page.

        It needs booktabs, and the package rotating where it is on its side. Over data sets a table too wide for a page
        is turned: a system is a column, and a measure on a data set a row. What no page holds is in parts.
        """
        whole = [(block, columns) for block, columns in self.blocks.items()]
        across = max(typeset.wide(self._turned(block)) for block in self.blocks)
        turned = max(self._width(*one) for one in whole) > typeset.PAGE >= across and any(
            one.head for _, own in whole for one in own
        )
        parts = whole if turned else [(block, part) for block, own in whole for part in self._parts(block, own)]
        width = across if turned else max(self._width(*part) for part in parts)
        name, high = (typeset.floating(width), max(len(own) for _, own in parts) if turned else len(self.systems))
        rows = typeset.ROWS if width <= typeset.PAGE else typeset.ROWS // 2
        a_page = max(1, rows // (high + _HEAD))
        pages = [parts[start : start + a_page] for start in range(0, len(parts), a_page)]
        note = _marked(typeset.escape_latex(self.note())).replace("±", r"$\pm$")
        lines = [f"% {self.signature}"]
        for place, page in enumerate(pages):
            caption = typeset.escape_latex(self.caption + " (continued)" * bool(place))
            lines += [rf"\begin{{{name}}}", r"\centering\small", rf"\caption{{{caption}}}"]
            lines += [rf"\label{{{self.label}}}"] * (not place)
            before = None
            for step, (block, part) in enumerate(page):
                lines += [r"\par\medskip"] * bool(step)
                lines += [rf"\emph{{{_heading(block)}}}\par\smallskip"] * bool(block and block != before)
                lines += self._tabular_turned(block) if turned else self._tabular(block, part)
                before = block
            lines += [r"\par\smallskip\footnotesize\raggedright", note, rf"\end{{{name}}}"]
        return "\n".join([*lines, ""])

    def _tabular(self, block: str, columns: Sequence[Column]) -> list[str]:
        rows = self._lines(block, r"\textbf{{{}}}{}", typeset.escape_latex, columns)
        names = ["System", *(typeset.escape_latex(column.name) for column in columns)]
        body = (_marked(" & ".join(line)) + r" \\" for line in rows)
        above, rules, first = [""], list[str](), 2
        for head, own in _heads(columns):
            above.append(rf"\multicolumn{{{len(own)}}}{{c}}{{{typeset.escape_latex(head)}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{first + len(own) - 1}}}")
            first += len(own)
        top = [" & ".join(above) + r" \\", " ".join(rules)] if any(column.head for column in columns) else []
        begin = rf"\begin{{tabular}}{{l{'r' * len(columns)}}}"
        heads = [begin, r"\toprule", *top, " & ".join(names) + r" \\", r"\midrule"]
        return [*heads, *body, r"\bottomrule", r"\end{tabular}"]

    def _turned(self, block: str, bold: str = "{}{}", escape: Callable[[str], str] = str) -> list[list[str]]:
        """Return the table of a part with a row a column: its data set where it is another one, measure, systems."""
        columns, rows = self.blocks[block], self._lines(block, bold, escape)
        heads = [head if place == 0 else "" for head, own in _heads(columns) for place in range(len(own))]
        named = [[escape(head), escape(column.name)] for head, column in zip(heads, columns, strict=True)]
        cells = zip(*(row[1:] for row in rows), strict=True)
        first = ["Data set", "Measure", *(row[0] for row in rows)]
        return [first, *([*name, *own] for name, own in zip(named, cells, strict=True))]

    def _tabular_turned(self, block: str) -> list[str]:
        head, *rows = self._turned(block, r"\textbf{{{}}}{}", typeset.escape_latex)
        body = list[str]()
        for place, row in enumerate(rows):
            body += [r"\addlinespace"] * bool(place and row[0])
            body.append(_marked(" & ".join(row)) + r" \\")
        begin = rf"\begin{{tabular}}{{ll{'r' * len(self.systems)}}}"
        top = [begin, r"\toprule", " & ".join(head) + r" \\", r"\midrule"]
        return [*top, *body, r"\bottomrule", r"\end{tabular}"]

    def text(self) -> str:
        """Return the table for a terminal."""
        tables = []
        for block, columns in self.blocks.items():
            shown = pd.DataFrame(self._lines(block, "{}*{}"), columns=["system", *(one.label for one in columns)])
            tables.append(f"{_heading(block)}\n{typeset.text(shown)}" if block else typeset.text(shown))
        about = self.note().replace("Bold", "*")
        return "\n".join([*tables, about, self.signature, ""])

    @cached_property
    def _cells(self) -> dict[str, list[tuple[str, bool, str]]]:
        """The cells of each column by its key, system by system: text, whether it is the best, and its mark."""
        cells = {}
        for block, columns in self.blocks.items():
            for column in columns:
                rows = self._rows(column)
                ranked = rows.loc[~rows.index.isin(BASELINES) & rows["value"].notna(), "value"]
                best = highest(dict(ranked.items())) if len(ranked) else ()
                marked = self.beaten.get(key(block, column), frozenset())
                cells[key(block, column)] = [
                    (self._text(row), system in best, _DAGGER * (system in marked)) for system, row in rows.iterrows()
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
        """Return a row a system; bold: how text and mark of the best stand; escape: of names."""
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
    r"""Return the table of a paper: measures at every cutoff asked for, by system.

    systems    those shown, all of them if empty; digits: after the point; bounds: intervals beside the values
    by         dataset: a column a data set and measure, with the mean; presence: present and absent keyphrases apart
    absent     measures of absent keyphrases, if they are others than those of present ones
    marks      a dagger where a system is significantly below the best one (paired randomisation, Holm), or, with a
               baseline, significantly better than that; within each data set
    deviations the standard deviation behind the mean of a system with several runs
    Raises UsageError for a system or measure that does not exist.

    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}, "b": {"d": ["sky"]}})
    >>> print(kp.paper_table(corpus, measures=["P@k"], k=2, digits=1, marks=False).markdown().splitlines()[2])
    | a | **0.5** |
    """
    asked, of_absent = names_in(measures), names_in(absent or measures)
    by, names = parse_by(by), list(runs_of(corpus.systems))
    refuse_unless("/".join(by), ("", "dataset", "presence", "dataset/presence"), "by")
    if unknown := [name for name in systems if name not in names]:
        raise UsageError(f"there is no system '{unknown[0]}'; choose among: {', '.join(names)}")
    at = over_runs(resolve_settings(corpus, settings, changes), corpus.systems)
    result = evaluate(corpus, at, dict.fromkeys([*asked, *of_absent]), baselines=baselines, by=by)
    wanted = [*(systems or names), *BASELINES]
    rows = result.frame[result.frame["system"].isin(wanted)]
    frame = rows.sort_values("system", key=lambda all_: all_.map(wanted.index), kind="stable", ignore_index=True)
    shown = replace(result, frame=frame)
    blocks = _blocks(result, "presence" in by, asked, of_absent)
    made = PaperTable(shown, blocks, caption, label, digits, bounds, deviations, {}, baseline)
    if not marks or len(names) < 2:
        return made
    marked = {
        key(block, column): starred
        for block, columns in blocks.items()
        for column, starred in _marks(corpus, at, result, block, columns, wanted, baseline)
    }
    return replace(made, beaten=marked, claim=_claim(corpus, at, shown, blocks, baseline) if corpus.datasets else "")


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


def _marks(
    corpus: Corpus,
    settings: Settings,
    result: Result,
    block: str,
    columns: Sequence[Column],
    shown: Sequence[str],
    baseline: str,
) -> Iterator[tuple[Column, frozenset[str]]]:
    """Give the systems with a dagger in each column; means of data sets have none, since these are tested apart."""
    frame = result.frame.assign(column=result.columns).drop_duplicates(["subset", "column"])
    asked = frame.set_index(["subset", "column"])[["measure", "k", "average"]]
    for column in columns:
        if column.subset.startswith(MEAN):
            continue
        measure, k, average = asked.loc[(column.subset, column.name)]
        part = corpus.by_dataset[column.head] if column.head else corpus
        found = _compared(
            part, settings.changed(k="all" if k is None else str(k), average=average), measure, block, baseline
        )
        if found is not None:
            yield column, _starred(found, shown)


def _starred(found: Comparison, shown: Sequence[str]) -> frozenset[str]:
    """Return the systems that are better than the baseline, or below the best of those shown."""
    if found.baseline:
        return frozenset(name for name in shown if found.baseline in found.better.get(name, ()))
    values = {name: value for name, value in found.scores.items() if value == value and name in shown}
    return frozenset(found.better[highest(values)[0]]) & set(shown) if values else frozenset()


def _compared(corpus: Corpus, settings: Settings, measure: str, block: str, baseline: str) -> Comparison | None:
    """Compare the systems of one data set, or their present or absent keyphrases; None where nothing can be."""
    try:
        family, data = Family(measure, baseline=baseline), prepare(corpus, settings)
        systems = counted_sides(data, "presence")[block] if block else None
        return compared(data, family, family.asked.cutoffs(data.settings)[0], systems)
    except UsageError:  # a measure that ranks no systems, or one system on a data set
        return None


def _claim(
    corpus: Corpus, settings: Settings, result: Result, blocks: Mapping[str, Sequence[Column]], baseline: str
) -> str:
    """Say on how many data sets the best system is better than the second, by the first measure of the table."""
    block, columns = next(iter(blocks.items()))
    first = next(column for column in columns if column.head == "mean")
    rows = result.frame[(result.frame["subset"] == first.subset) & (result.columns == first.name)]
    values = rows[rows["value"].notna() & ~rows["system"].isin(BASELINES)].set_index("system")["value"]
    ranked = best_first(values.to_dict())
    if len(ranked) < 2:
        return ""
    best, second = ranked[0], baseline if baseline in ranked[1:] else ranked[1]
    measure, k = (rows.iloc[0][name] for name in ("measure", "k"))
    at = settings.changed(k="all" if k is None else str(k), average=rows.iloc[0]["average"])
    each = {name: _compared(part, at, measure, block, baseline) for name, part in corpus.by_dataset.items()}
    over = better_on({name: one for name, one in each.items() if one is not None})
    found = next((one for one in over if (one.a, one.b) == (best, second)), None)
    what = f"{first.name} of {block} keyphrases" if block else first.name
    if found is None:
        return f"{best} is significantly better than {second} on no data set ({what})."
    where = f"all {found.of}" if found.better == found.of else f"at least {found.better} of {found.of}"
    return f"{best} is significantly better than {second} on {where} data sets ({what}, Holm over data sets)."
