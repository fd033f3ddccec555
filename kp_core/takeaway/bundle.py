"""Turn a corpus and settings into a report: HTML, Markdown, tables, settings, or all of them as an archive."""

from __future__ import annotations

import io
import json
import platform
import re
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Unpack, cast

import pandas as pd
from jinja2 import Environment
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from kp_core import typeset
from kp_core.charts import curves, dots, heat_maps
from kp_core.charts import screen_tables as tables
from kp_core.charts.curves import Marks
from kp_core.charts.selection import NEAR, has_curve, named, where
from kp_core.charts.style import REFERENCE_LABELS, Chart
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError, pluralize, refuse_unknown
from kp_core.reading.rows.report import statistics, telling
from kp_core.scoring.measures import MEASURES, parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import runs_of
from kp_core.scoring.systems import longest_lists
from kp_core.settings import SUBJECT, Changes, Settings, __version__, resolve_settings
from kp_core.studies import subjects
from kp_core.studies.annotators import TOGETHER, agreement, interpretable
from kp_core.studies.compare import Comparison, compare
from kp_core.studies.correlation import kim2010
from kp_core.studies.correlation.correlate import correlate
from kp_core.studies.document_values import documents, tables_by_document
from kp_core.studies.evaluate import DEFAULT_MEASURES, evaluate
from kp_core.studies.near_misses import near_misses
from kp_core.studies.result import Result
from kp_core.studies.sensitivity import sensitivity
from kp_core.takeaway.figures import as_json, browser, charts_svg
from kp_core.takeaway.paragraph import bibtex, of_people_alone, paragraphs
from kp_core.typeset import CELLS
from kp_core.words import answers, statements
from kp_core.words.answers import USUAL, Terms, terms_for

#: Packages whose version can affect results.
_PACKAGES = ("numpy", "scipy", "pandas", "pyarrow", "PyStemmer", "nltk")


@dataclass(frozen=True)
class Table:
    """A table of a report with its caption and signature; `values`: the same numbers for spreadsheets."""

    name: str
    caption: str
    frame: pd.DataFrame
    signature: str = ""
    values: pd.DataFrame | None = None

    @property
    def numbers(self) -> pd.DataFrame:
        """The table for spreadsheets, with intervals in columns low and high."""
        return self.frame if self.values is None else self.values

    def in_words(self) -> Table:
        """Return the table with the words of the charts; spreadsheets keep the names of baselines and types."""
        frame = self.frame.rename(columns=NEAR)
        if "system" in frame:
            frame["system"] = frame["system"].replace(REFERENCE_LABELS)
        return replace(self, frame=frame, values=self.numbers)


Parts = Iterator[str | Chart | Table]


@dataclass(frozen=True)
class Section:
    """One section of a report."""

    name: str
    title: str
    text: tuple[str, ...]
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    new_page: bool = False


@dataclass
class _ReportData:
    corpus: Corpus
    settings: Settings
    measure: str = "F1@k"

    @cached_property
    def result(self) -> Result:
        """All values, including those of baselines, at k = 1 … 50; the requested cutoff comes last."""
        (k,) = prepare(self.corpus, self.settings, k=self.settings.k[0]).settings.k
        settings = self.settings.changed(k=(*(step for step in range(1, 51) if step != k), k))
        return evaluate(self.corpus, settings, list(dict.fromkeys((self.measure, *DEFAULT_MEASURES))), baselines=True)

    @property
    def cutoff(self) -> int | str:
        return self.result.settings.k[-1]

    @cached_property
    def at_cutoff(self) -> Result:
        return self.result.at(self.cutoff)

    def at_k(self, *measures: str) -> list[str]:
        return list(dict.fromkeys(named(measure, self.cutoff) for measure in measures))

    @cached_property
    def terms(self) -> Terms:
        return terms_for(self.corpus)

    @property
    def of_people(self) -> Settings:
        return replace(self.settings, k=("all",), annotators="union")

    @cached_property
    def agreement(self) -> Result:
        return agreement(self.corpus, self.of_people)

    @cached_property
    def comparison(self) -> Comparison | None:
        several = len(runs_of(self.corpus.systems)) > 1
        return compare(self.corpus, self.at_cutoff.settings, self.measure) if several else None


def _data(data: _ReportData) -> Parts:
    corpus = data.corpus
    counts = {"document": corpus.documents, "annotator": corpus.annotators, "system": runs_of(corpus.systems)}
    yield f"{', '.join(pluralize(len(items), noun) for noun, items in counts.items())}."
    yield from (f"{note.where}: {note.message}" for note in corpus.report.notes if note.level == "warning")
    if corpus.report.fixes:
        yield f"Fixes applied while reading: {', '.join(corpus.report.fixes)}."
    yield Table("data", "Annotators and systems", telling(statistics(corpus)))
    files = [(reading.file, reading.size, reading.sha256) for reading in corpus.report.readings if reading.sha256]
    if files:
        yield Table("files", "Files", pd.DataFrame(files, columns=["file", "bytes", "SHA-256"]))


def _leaderboard(data: _ReportData) -> Parts:
    corpus, measure, comparison = data.corpus, data.measure, data.comparison
    answer = answers.answer(corpus, data.at_cutoff.settings, measure, over="ask")
    names = data.at_k(measure, "kappa", "MAP")
    result, settings = tables.only(data.at_cutoff, names), data.at_cutoff.settings
    yield from answer.sentences
    one_gold = settings.annotators == "union" and settings.average not in SUBJECT and not corpus.datasets
    if one_gold and comparison is not None and 1 < len(corpus.annotators) <= answers.MOST_PEOPLE:
        yield from answers.like_for_like(corpus, settings.changed(annotators="others"), measure).sentences
    yield from tables.reasons(result)
    average = prepare(corpus, data.settings, k="average")
    (size,) = (k for k in average.settings.k if isinstance(k, int))
    marks = Marks(data.cutoff, size, longest_lists(average), answer.over_k.significant if answer.over_k else ())
    curve = has_curve(measure)
    yield curves.over_k(data.result, measure, marks) if curve else dots.leaderboard(result, measure)
    board, values = tables.leaderboard(result, names, comparison), tables.in_numbers(result, names)
    yield Table("leaderboard", f"Systems by {names[0]}", board, result.signature, values)


def _measures(data: _ReportData) -> Parts:
    names = data.at_k(*DEFAULT_MEASURES)
    rows, values = tables.with_intervals(data.at_cutoff, names), tables.in_numbers(data.at_cutoff, names)
    if data.settings.interval != "none":
        yield "In brackets: the 95% interval."
    yield Table("measures", f"All measures at k = {data.cutoff}", rows, data.at_cutoff.signature, values)


def _pairs(data: _ReportData) -> Parts:
    comparison, (name,) = cast(Comparison, data.comparison), data.at_k(data.measure)
    signature, effects = comparison.signature, tables.shown(comparison.wide(comparison.effects), "effects")
    yield f"Test: {comparison.test}; {statements.NOT_EQUAL}."
    yield from (note.message for note in comparison.notes[1:])
    if len(comparison.scores) >= heat_maps.FEWEST:
        yield heat_maps.pair_map(comparison, name)
    yield Table("pairs", f"Differences in {name}", tables.pairs(comparison), signature)
    yield Table("effects", "Effect sizes", effects, signature)
    yield Table("ranks", "Ranks in 95% of the resamples", tables.ranks(comparison), signature)


def _concordance(data: _ReportData) -> Parts:
    settings = data.at_cutoff.settings
    by_document = tables_by_document(data.corpus, settings, CELLS)
    frame = by_document.groupby("system", sort=False)[list(CELLS)].sum().reset_index()
    cells = frame.set_index("system").to_dict("index")
    best = max(data.corpus.systems, key=lambda name: float(cells[name]["a"]))
    other_cells = {name: counts for name, counts in cells.items() if name != best}
    yield from statements.diagnose(best, cells[best], other_cells)
    yield curves.against_universe(cells)
    caption = "Concordance tables of all documents together: a both, b gold only, c system only, d neither"
    signature = evaluate(data.corpus, settings, CELLS, interval="none").signature
    yield Table("concordance", caption, frame, signature)


def _annotators(data: _ReportData) -> Parts:
    result, names, terms = data.agreement, data.corpus.annotators, data.terms
    measures = list(interpretable(TOGETHER, result.settings))
    all_annotators = where(result.frame, system="all", subset="all", measure=measures).reset_index(drop=True)
    rows = all_annotators[["measure", "value", "low", "high", "documents"]]
    pairs = tables.pairs_of_annotators(result, names, interpretable(("P_pos", "kappa"), result.settings))
    pairs["pair"] = pairs["pair"].map({f"{a}|{b}": f"{a} and {b}" for a in names for b in names})
    pairs = pairs.sort_values("P_pos", ascending=False, kind="stable").dropna(axis="columns", how="all")
    few = len(names) <= subjects.FEW
    yield from answers.people(data.corpus, data.of_people).sentences
    if len(pairs) and not few:
        matrix = heat_maps.pair_matrix(result, "P_pos", names)
        yield heat_maps.heat_map(matrix, terms["P_pos"], terms["annotators"])
    # With annotators only, the answer has the coefficients; many pairs are shown as a heat map instead of a table.
    if terms is USUAL:
        yield Table("annotators", "Agreement of all annotators", rows, result.signature)
    if len(pairs) and (few or terms is USUAL):
        yield Table("consistency", "Consistency by pair", tables.in_terms(pairs, terms), result.signature)


#: Numbers of titles and headings shown, so that the report on annotators fits on two pages.
_TITLES, _HEADINGS = 6, 13


def _titles(data: _ReportData) -> Parts:
    partly_chosen = subjects.disputed_documents(data.corpus, data.of_people)
    shown = tables.by_title(partly_chosen.head(_TITLES), data.corpus.documents)
    yield _disputed_table(data, "disputed_titles", "Where people agree least", shown, len(partly_chosen))
    if data.terms is USUAL:
        titles = subjects.titles(data.corpus, data.of_people)
        yield Table("titles", "Keyphrases by title", titles, data.agreement.signature)


def _headings(data: _ReportData) -> Parts:
    every = subjects.subjects_of_annotators(data.corpus, data.of_people).frame.query("apart > 0")
    shown = tables.headings_in_short(every.head(_HEADINGS), len(data.corpus.annotators))
    yield _disputed_table(data, "disputed", "Chosen by some and not by others", shown, len(every))


def _disputed_table(data: _ReportData, name: str, caption: str, rows: pd.DataFrame, total: int) -> Table:
    """Return the shown rows as a table whose caption reports how many rows there are in all."""
    number = f": the first {len(rows)} of {total:,}" if total > len(rows) else ""
    return Table(name, f"{caption}{number}", tables.in_terms(rows, data.terms), data.agreement.signature)


def _near_misses(data: _ReportData) -> Parts:
    misses = near_misses(data.corpus, data.at_cutoff.settings)
    counts = misses.counts("predictions")
    yield "Near misses share a word with a keyphrase of the document."
    yield dots.type_bars(counts, "predictions")
    yield Table("near_misses", f"Types of the predictions up to k = {data.cutoff}", counts)
    yield Table("near_shares", "Misses that are near", tables.shown(misses.shares(), "near_shares"))


def _conventions(data: _ReportData) -> Parts:
    study = sensitivity(data.corpus, data.at_cutoff.settings, data.measure)
    yield (summary := statements.range_of(study))
    yield dots.strip(study, summary)
    yield Table("convention_spread", f"{data.measure} under other conventions", study.ranges, study.signature)
    if len(study.rank_reversals):
        caption = "Where the order of two systems reverses"
        yield Table("turns", caption, tables.rank_reversals(study), study.signature)


def _correlation(data: _ReportData) -> Parts:
    study, caption = correlate(data.corpus), "Correlation with the average human score"
    yield " ".join(statements.best_measure(study, "average"))
    yield dots.correlations(study, "average", "all", kim2010.printed_values("average"))
    yield Table("correlation", caption, tables.overall(study, "average"), study.signature)


def _methods(data: _ReportData) -> Parts:
    if data.terms is not USUAL:
        yield of_people_alone(data.corpus, data.agreement, data.terms)
        return
    (name,), test = data.at_k(data.measure), data.comparison.test if data.comparison else ""
    short, in_full = paragraphs(data.corpus, data.at_cutoff, name, DEFAULT_MEASURES, test)
    yield from (short, f"In full: {in_full}")
    rows = [(name, MEASURES[name].sentence, MEASURES[name].undefined) for name in DEFAULT_MEASURES]
    explained = pd.DataFrame(rows, columns=["measure", "what it says", "undefined"])
    yield Table("meanings", "What the measures say", explained)


#: Section → title (see also `heading`), required data (see `lacking`), and function, in the order of the report.
SECTIONS: dict[str, tuple[str, str, Callable[[_ReportData], Parts]]] = {
    "leaderboard": ("Which system is better?", "scores", _leaderboard),
    "measures": ("All measures", "scores", _measures),
    "pairs": ("Pairs of systems", "pairs", _pairs),
    "agreement": ("Systems against people", "scores", _concordance),
    "annotators": ("Reliability of the gold standard", "people", _annotators),
    "titles": ("Most disputed documents", "people", _titles),
    "headings": ("Most disputed keyphrases", "people", _headings),
    "near-misses": ("Near misses", "scores", _near_misses),
    "conventions": ("Other conventions", "scores", _conventions),
    "correlation": ("Correlation with human scores", "judgements", _correlation),
    "data": ("Data", "", _data),
    "methods": ("Methods", "scores or people", _methods),
}


def lacking(corpus: Corpus) -> dict[str, str]:
    """Return section → missing data, for the sections that the corpus does not allow."""
    missing = {"": "", "scores": "" if corpus.systems and len(corpus.gold) else "a gold standard and a system"}
    missing["pairs"] = missing["scores"] or ("" if len(runs_of(corpus.systems)) > 1 else "a second system")
    missing["people"] = "" if len(corpus.annotators) > 1 else "a second annotator"
    missing["scores or people"] = missing["scores"] and missing["people"]
    missing["judgements"] = "" if len(corpus.judgements) else "judged pairs"
    return {name: missing[needs] for name, (_, needs, _) in SECTIONS.items() if missing[needs]}


def possible(corpus: Corpus) -> list[str]:
    """Return the sections that the corpus allows, in the order of the report."""
    missing = lacking(corpus)
    return [name for name in SECTIONS if name not in missing]


def usual(corpus: Corpus) -> list[str]:
    """Return the default sections of a report."""
    of_people = ["annotators", "titles", "headings", "methods"]
    return possible(corpus) if terms_for(corpus) is USUAL else of_people


def heading(corpus: Corpus, name: str) -> str:
    """Return the title of a section."""
    return terms_for(corpus).get(f"section {name}", SECTIONS[name][0])


@dataclass(frozen=True)
class Report:
    """The sections of a report with their settings and signature."""

    title: str
    sections: tuple[Section, ...]
    settings: Settings
    signature: str
    date: str = field(default_factory=lambda: date.today().isoformat())
    by_document: pd.DataFrame | None = None

    @property
    def tables(self) -> list[Table]:
        """All tables, in the order of the sections."""
        return [table for section in self.sections for table in section.tables]

    @property
    def charts(self) -> list[Chart]:
        """All charts, in the order of the sections."""
        return [chart for section in self.sections for chart in section.charts]

    def html(self) -> str:
        """Return one self-contained HTML file."""
        charts = self.charts
        drawings = [b64encode(svg.encode()).decode() for svg in charts_svg(charts)] if charts and browser() else []
        # Images are much smaller than the JavaScript library for interactive charts.
        drawn = {chart.alt: f"data:image/svg+xml;base64,{svg}" for chart, svg in zip(charts, drawings, strict=False)}
        environment = Environment(autoescape=True, finalize=_literal, trim_blocks=True, lstrip_blocks=True)
        environment.globals |= {"cells": typeset.cells, "numeric": typeset.numeric, "drawn": drawn}
        environment.globals["figure"] = lambda chart: Markup(as_json(chart.figure))
        environment.globals["plotly"] = lambda: Markup(get_plotlyjs())
        page = environment.from_string((files("kp_core.takeaway") / "report.html").read_text(encoding="utf-8"))
        return page.render(vars(self), all_tables=self.tables, version=__version__) + "\n"

    def latex(self) -> str:
        """Return all tables with their signatures as LaTeX, which needs booktabs, rotating and longtable."""
        return "\n".join(typeset.latex(table.frame, table.caption, table.signature) for table in self.tables)

    def markdown(self) -> str:
        """Return the report without its charts."""
        escape = typeset.escape_markdown
        parts = [f"# {escape(self.title)}", f"`{self.signature}`"]
        for section in self.sections:
            parts += [f"## {escape(section.title)}", *map(escape, section.text)]
            parts += [f"{escape(table.caption)}\n\n{typeset.markdown(table.frame)}" for table in section.tables]
        return "\n\n".join(parts) + "\n"

    def paragraph(self, in_full: bool = True) -> str:
        """Return the methods paragraph, in full or short; empty if the report has no section on methods."""
        text = next((section.text for section in self.sections if section.name == "methods"), ("",))
        return text[-1].removeprefix("In full: ") if in_full else text[0]

    def references(self) -> str:
        """Return the BibTeX entries of the sources in the methods paragraph, and of KPScope."""
        return bibtex(self.paragraph())

    def record(self) -> str:
        """Return settings, signature and versions as JSON."""
        content = {"signature": self.signature, "settings": self.settings.as_dict(), "kpscope": __version__}
        content |= {"python": platform.python_version(), "packages": {name: version(name) for name in _PACKAGES}}
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    def workbook(self) -> bytes:
        """Return all tables as an XLSX file, one sheet per table."""
        sheets = {table.name: table.numbers for table in self.tables}
        return typeset.xlsx(sheets or {"signature": pd.DataFrame({"signature": [self.signature]})})

    def svg(self, columns: int = 1) -> str:
        """Return the report's only chart as SVG, as wide as one or two columns of a paper."""
        if len(charts := self.charts) != 1:
            raise UsageError(f"an image shows one chart, and these sections have {len(charts)}; choose one section")
        return charts_svg(charts, columns)[0]

    def zip(self) -> bytes:
        """Return all files of the report as one archive."""
        files: dict[str, str | bytes] = {"report.html": self.html(), "report.md": self.markdown()}
        files |= {"tables.tex": self.latex(), "tables.xlsx": self.workbook(), "settings.json": self.record()}
        if self.paragraph():
            files |= {"methods.txt": self.paragraph() + "\n", "references.bib": self.references()}
        frames = {table.name: table.numbers for table in self.tables}
        frames |= {"values_by_document": self.by_document} if self.by_document is not None else {}
        files |= {f"csv/{name}.csv": typeset.csv(frame) for name, frame in frames.items()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return buffer.getvalue()


def _literal(value: Any) -> Any:
    """Make direction marks visible in text that is not markup."""
    return typeset.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def report(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    sections: Sequence[str] = (),
    title: str = "",
    **changes: Unpack[Changes],
) -> Report:
    """Report on a corpus at the cutoff of the measure, or else at the first cutoff of the settings.

    * `sections`: names in `SECTIONS`; by default those of `usual`
    Raises UsageError if a section or measure is unknown, or if data are missing.

    >>> import kp_core as kp
    >>> corpus = kp.load(gold={"d": ["tide", "sea"]}, systems={"a": {"d": ["tide", "moon"]}})
    >>> [section.title for section in report(corpus, k=2, sections=["leaderboard"], interval="none").sections]
    ['Which system is better?']
    """
    refuse_unknown(sections, SECTIONS, "section")
    if len(possible(corpus)) < 2:
        raise UsageError("a report needs a gold standard, and the output of a system or a second annotator")
    settings = resolve_settings(corpus, settings, changes)
    if (cutoff := parse(measure).cutoff) is not None:
        settings, measure = settings.changed(k=cutoff), f"{measure.rpartition('@')[0]}@k"
    data = _ReportData(corpus, settings, measure)
    section_names, title = sections or usual(corpus), title or data.terms["report"]
    report_sections = tuple(_section(data, name) for name in SECTIONS if name in section_names)
    result = data.at_cutoff if corpus.systems else data.agreement
    has_one_dataset = corpus.systems and not corpus.datasets
    values = documents(corpus, result.settings, ("P@k", "R@k", "F1@k", measure)).frame if has_one_dataset else None
    title = typeset.storable(re.sub(r"\s+", " ", title).strip())
    return Report(title, report_sections, result.settings, result.signature, by_document=values)


def _section(data: _ReportData, name: str) -> Section:
    missing, title = lacking(data.corpus).get(name), heading(data.corpus, name)
    try:
        if missing:
            raise UsageError(f"it needs {missing}.")
        parts = [part.in_words() if isinstance(part, Table) else part for part in SECTIONS[name][2](data)]
    except (InputError, UsageError) as problem:
        return Section(name, title, (f"Not available: {problem}",))
    text = tuple(part for part in parts if isinstance(part, str))
    charts = tuple(part for part in parts if isinstance(part, Chart))
    tables = tuple(part for part in parts if isinstance(part, Table))
    return Section(name, title, text, charts, tables, new_page=name == "headings" and data.terms is not USUAL)
