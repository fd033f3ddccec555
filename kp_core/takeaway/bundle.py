"""Turn a corpus and settings into a report: HTML, Markdown, tables, settings, or all of them as an archive."""

from __future__ import annotations

import io
import json
import platform
import re
import zipfile
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from typing import Any, cast

import pandas as pd
from jinja2 import Environment
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from kp_core import typeset
from kp_core.charts import curves, dots, heat_maps
from kp_core.charts import screen_tables as tables
from kp_core.charts.curves import Marks
from kp_core.charts.selection import has_curve, named
from kp_core.charts.style import Chart
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError, pluralize, refuse_unknown
from kp_core.reading.rows.report import statistics, telling
from kp_core.scoring.measures import MEASURES, parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import runs_of
from kp_core.scoring.systems import longest_lists
from kp_core.settings import SUBJECT, Settings, __version__, resolve_settings
from kp_core.studies import indexing
from kp_core.studies.annotators import TOGETHER, agreement, interpretable
from kp_core.studies.answer import Answer
from kp_core.studies.compare import Comparison, compare
from kp_core.studies.correlation import kim2010
from kp_core.studies.correlation.correlate import correlate
from kp_core.studies.document_values import documents, tables_by_document
from kp_core.studies.evaluate import DEFAULT_MEASURES, evaluate
from kp_core.studies.near_misses import near_misses
from kp_core.studies.result import Result
from kp_core.studies.spread import spread
from kp_core.studies.subjects import subjects_of_people
from kp_core.takeaway.figures import as_json, browser, chart_svg, charts_svg
from kp_core.takeaway.paragraph import bibtex, of_people_alone, paragraphs
from kp_core.typeset import CELLS
from kp_core.words import answers, statements
from kp_core.words.answers import USUAL, Speech, speech

#: Packages whose version can affect results.
_PACKAGES = ("numpy", "scipy", "pandas", "pyarrow", "PyStemmer", "nltk")


@dataclass(frozen=True)
class Table:
    """A table of a report with its caption and signature; values: the same numbers for spreadsheets."""

    name: str
    caption: str
    frame: pd.DataFrame
    signature: str = ""
    values: pd.DataFrame | None = None

    @property
    def numbers(self) -> pd.DataFrame:
        """The table for spreadsheets: intervals are columns low and high."""
        return self.frame if self.values is None else self.values


@dataclass(frozen=True)
class Section:
    """One section of a report."""

    text: tuple[str, ...]
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    title: str = ""
    name: str = ""
    new_page: bool = False


@dataclass
class Asked:
    """The data of a report, and the results shared by several sections."""

    corpus: Corpus
    settings: Settings
    measure: str = "F1@k"

    @cached_property
    def result(self) -> Result:
        """All values with baselines at k = 1 … 50 and (last) at the requested cutoff."""
        (k,) = prepare(self.corpus, self.settings, k=self.settings.k[0]).settings.k
        asked = self.settings.changed(k=(*(step for step in range(1, 51) if step != k), k))
        return evaluate(self.corpus, asked, list(dict.fromkeys((self.measure, *DEFAULT_MEASURES))), baselines=True)

    @property
    def cutoff(self) -> int | str:
        """The cutoff of the report, with `average` as a number."""
        return self.result.settings.k[-1]

    @cached_property
    def here(self) -> Result:
        """All values at the cutoff of the report."""
        return self.result.at(self.cutoff)

    def named(self, *measures: str) -> list[str]:
        """Name measures at the cutoff of the report, without repetition."""
        return list(dict.fromkeys(named(measure, self.cutoff) for measure in measures))

    @cached_property
    def say(self) -> Speech:
        """The words for annotators, keyphrases and documents."""
        return speech(self.corpus)

    def of_people(self) -> Settings:
        """Return the settings for the agreement of annotators."""
        return replace(self.settings, k=("all",), annotators="union")

    @cached_property
    def agreement(self) -> Result:
        """The agreement of the annotators."""
        return agreement(self.corpus, self.of_people())

    @cached_property
    def answer(self) -> Answer:
        """The answer by the measure of the report."""
        return answers.answer(self.corpus, self.here.settings, self.measure, over="ask")

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison of all systems by the measure of the report, if there are several."""
        several = len(runs_of(self.corpus.systems)) > 1
        return compare(self.corpus, self.here.settings, self.measure) if several else None


def data(asked: Asked) -> Section:
    """Describe the data and the warnings of loading."""
    corpus = asked.corpus
    summary = (
        f"{pluralize(len(corpus.documents), 'document')}, {pluralize(len(corpus.annotators), 'annotator')}, "
        f"{pluralize(len(runs_of(corpus.systems)), 'system')}.",
        *(f"{note.where}: {note.message}" for note in corpus.report.notes if note.level == "warning"),
    )
    fixes = (f"Fixes applied while reading: {', '.join(corpus.report.fixes)}.",) if corpus.report.fixes else ()
    counts = Table("data", "Annotators and systems", telling(statistics(corpus)))
    known = [(reading.file, reading.size, reading.sha256) for reading in corpus.report.readings if reading.sha256]
    files = Table("files", "Files", pd.DataFrame(known, columns=["file", "bytes", "SHA-256"]))
    return Section(summary + fixes, tables=(counts, files) if known else (counts,))


def leaderboard(asked: Asked) -> Section:
    """Show which system is better, by how much, and whether that is significant."""
    measure, comparison, answer = asked.measure, asked.comparison, asked.answer
    shown = asked.named(measure, "kappa", "MAP")
    result, name = tables.only(asked.here, shown), shown[0]
    average = prepare(asked.corpus, asked.settings, k="average")
    (size,) = (k for k in average.settings.k if isinstance(k, int))
    marks = Marks(asked.cutoff, size, longest_lists(average), answer.over_k.significant if answer.over_k else ())
    curve = has_curve(measure)
    drawn = curves.over_k(asked.result, measure, marks) if curve else dots.leaderboard(result, measure)
    board = tables.leaderboard(result, measure, ("kappa", "MAP"), comparison)
    table = Table("leaderboard", f"Systems by {name}", board, result.signature, tables.in_numbers(result, shown))
    corpus, settings, beside_people = asked.corpus, result.settings, tuple[str, ...]()
    one_gold = settings.annotators == "union" and settings.average not in SUBJECT and not corpus.datasets
    if one_gold and comparison is not None and 1 < len(corpus.annotators) <= answers.MOST_PEOPLE:
        others = settings.changed(annotators="others")
        beside_people = answers.like_for_like(corpus, others, measure).sentences
    return Section((*answer.sentences, *beside_people, *tables.reasons(result)), charts=(drawn,), tables=(table,))


def all_measures(asked: Asked) -> Section:
    """Show every measure at the cutoff with its interval."""
    names = asked.named(*DEFAULT_MEASURES)
    shown, values = tables.with_intervals(asked.here, names), tables.in_numbers(asked.here, names)
    note = () if asked.settings.interval == "none" else ("In brackets: the 95% interval.",)
    caption = f"All measures at k = {asked.cutoff}"
    return Section(note, tables=(Table("measures", caption, shown, asked.here.signature, values),))


def pairs(asked: Asked) -> Section:
    """Show every pair of systems with its test and effect size."""
    comparison, (name,) = cast(Comparison, asked.comparison), asked.named(asked.measure)
    lines = (f"Test: {comparison.test}; {statements.NOT_EQUAL}.", *(note.message for note in comparison.notes[1:]))
    shown = (
        Table("pairs", f"Differences in {name}", tables.pairs(comparison), comparison.signature),
        Table("effects", "Effect sizes", tables.shown(comparison.effects_as_read(), "effects"), comparison.signature),
        Table("ranks", "Ranks in 95% of the resamples", tables.ranks(comparison), comparison.signature),
    )
    several = len(comparison.scores) >= heat_maps.FEWEST
    return Section(lines, charts=(heat_maps.pair_map(comparison, name),) if several else (), tables=shown)


def concordance(asked: Asked) -> Section:
    """Show each system's concordance table with a diagnosis."""
    result = evaluate(asked.corpus, asked.here.settings, CELLS, interval="none")
    by_document = tables_by_document(asked.corpus, asked.here.settings, CELLS)
    frame = by_document.groupby("system", sort=False)[list(CELLS)].sum().reset_index()
    cells = frame.set_index("system").to_dict("index")
    best = max(asked.corpus.systems, key=lambda name: float(cells[name]["a"]))
    diagnosis = statements.diagnose(best, cells[best], {name: counts for name, counts in cells.items() if name != best})
    caption = "Concordance tables of all documents together: a both, b gold only, c system only, d neither"
    table = Table("concordance", caption, frame, result.signature)
    return Section(tuple(diagnosis), charts=(curves.against_universe(cells),), tables=(table,))


def annotators(asked: Asked) -> Section:
    """Show the agreement of all annotators and of each pair."""
    result, names, say = asked.agreement, asked.corpus.annotators, asked.say
    together = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    together = together[together["measure"].isin(interpretable(TOGETHER, result.settings))]
    shown = together[["measure", "value", "low", "high", "documents"]].reset_index(drop=True)
    shared = tables.pairs_of_annotators(result, names, interpretable(("P_pos", "kappa"), result.settings))
    shared["pair"] = shared["pair"].map({f"{a}|{b}": f"{a} and {b}" for a in names for b in names})
    shared = shared.sort_values("P_pos", ascending=False, kind="stable").dropna(axis="columns", how="all")
    few, pairs = len(names) <= indexing.FEW, len(shared) > 0
    every = Table("annotators", "Agreement of all annotators", shown, result.signature)
    consistency = Table("consistency", "Consistency by pair", tables.with_words(shared, say), result.signature)
    drawn = heat_maps.heat_map(heat_maps.pair_matrix(result, "P_pos", names), say["P_pos"], say["annotators"])
    # With annotators only, the answer has the coefficients; many pairs are shown as a heat map instead of a table.
    both = (consistency,) * (pairs and few) if say is not USUAL else (every, *(consistency,) * pairs)
    answer = answers.people(asked.corpus, asked.of_people()).sentences
    return Section(answer, charts=(drawn,) * (pairs and not few), tables=both)


#: Number of titles and headings in a report, so that the report on annotators fits two pages.
_TITLES, _HEADINGS = 6, 13


def titles(asked: Asked) -> Section:
    """Show the documents on which annotators agree least, with their choices."""
    partly_chosen = indexing.chosen_in_part(asked.corpus, asked.of_people())
    shown = tables.by_title(partly_chosen.head(_TITLES), asked.corpus.documents)
    disputed = _disputed(asked, "disputed_titles", "Where people agree least", shown, len(partly_chosen))
    if asked.say is not USUAL:
        return Section((), tables=(disputed,))
    titles = indexing.titles(asked.corpus, asked.of_people())
    return Section((), tables=(disputed, Table("titles", "Keyphrases by title", titles, asked.agreement.signature)))


def headings(asked: Asked) -> Section:
    """Show the keyphrases that annotators dispute most, with their choices."""
    every = tables.disputed(subjects_of_people(asked.corpus, asked.of_people()).frame)
    shown = tables.headings_in_short(every.head(_HEADINGS), len(asked.corpus.annotators))
    disputed = _disputed(asked, "disputed", "Chosen by some and not by others", shown, len(every))
    return Section((), tables=(disputed,), new_page=asked.say is not USUAL)


def _disputed(asked: Asked, name: str, caption: str, shown: pd.DataFrame, every: int) -> Table:
    """Return the first rows of a table, with a caption that reports their number and the total."""
    number = f": the first {len(shown)} of {every:,}" if every > len(shown) else ""
    return Table(name, f"{caption}{number}", tables.with_words(shown, asked.say), asked.agreement.signature)


def near(asked: Asked) -> Section:
    """Show near misses, which exact matching does not count."""
    misses = near_misses(asked.corpus, asked.here.settings)
    counts = misses.counts("predictions")
    shown = (
        Table("near_misses", f"Types of the predictions up to k = {asked.cutoff}", counts),
        Table("near_shares", "Misses that are near", tables.shown(misses.shares(), "near_shares")),
    )
    note = "Near: misses that have a word in common with a keyphrase of the document."
    return Section((note,), charts=(dots.type_bars(counts, "predictions"),), tables=shown)


def conventions(asked: Asked) -> Section:
    """Show the measure under other published conventions."""
    study = spread(asked.corpus, asked.here.settings, asked.measure)
    summary, caption = statements.range_of(study), f"{asked.measure} under other conventions"
    shown = [Table("convention_spread", caption, study.ranges, study.signature)]
    if len(study.turns):
        shown.append(
            Table("turns", "Where the order of two systems reverses", tables.rank_reversals(study), study.signature)
        )
    return Section((summary,), charts=(dots.strip(study, summary),), tables=tuple(shown))


def correlation(asked: Asked) -> Section:
    """Show which similarity measure agrees with people, if there are judged pairs."""
    study, shown = correlate(asked.corpus), "Correlation with the average human score"
    table = Table("correlation", shown, tables.overall(study, "average"), study.signature)
    drawn = dots.correlations(study, "average", "all", kim2010.printed_values("average"))
    return Section((" ".join(statements.best_measure(study, "average")),), charts=(drawn,), tables=(table,))


def methods(asked: Asked) -> Section:
    """Show the methods paragraph for a paper, and the definitions of the measures."""
    if asked.say is not USUAL:
        return Section((of_people_alone(asked.corpus, asked.agreement, asked.say),))
    (name,), test = asked.named(asked.measure), asked.comparison.test if asked.comparison else ""
    short, whole = paragraphs(asked.corpus, asked.here, name, DEFAULT_MEASURES, test)
    rows = [(name, MEASURES[name].sentence, MEASURES[name].undefined) for name in DEFAULT_MEASURES]
    explained = pd.DataFrame(rows, columns=["measure", "what it says", "undefined"])
    return Section((short, f"In full: {whole}"), tables=(Table("meanings", "What the measures say", explained),))


#: Sections in order: name → title (see also `heading`), required data (see `lacking`), function.
SECTIONS: dict[str, tuple[str, str, Callable[[Asked], Section]]] = {
    "leaderboard": ("Which system is better?", "scores", leaderboard),
    "measures": ("All measures", "scores", all_measures),
    "pairs": ("Pairs of systems", "pairs", pairs),
    "agreement": ("Systems against people", "scores", concordance),
    "annotators": ("Reliability of the gold standard", "people", annotators),
    "titles": ("Most disputed documents", "people", titles),
    "headings": ("Most disputed keyphrases", "people", headings),
    "near-misses": ("Near misses", "scores", near),
    "conventions": ("Other conventions", "scores", conventions),
    "correlation": ("Correlation with human scores", "judgements", correlation),
    "data": ("Data", "", data),
    "methods": ("Methods", "scores or people", methods),
}


def lacking(corpus: Corpus) -> dict[str, str]:
    """Return the sections without the required data, with what is missing."""
    lack = {"": "", "scores": "" if corpus.systems and len(corpus.gold) else "a gold standard and a system"}
    lack["pairs"] = lack["scores"] or ("" if len(runs_of(corpus.systems)) > 1 else "a second system")
    lack["people"] = "" if len(corpus.annotators) > 1 else "a second annotator"
    lack["scores or people"] = lack["scores"] and lack["people"]
    lack["judgements"] = "" if len(corpus.judgements) else "judged pairs"
    return {name: lack[needs] for name, (_, needs, _) in SECTIONS.items() if lack[needs]}


def possible(corpus: Corpus) -> list[str]:
    """Return the sections with the required data, in the order of the report."""
    lack = lacking(corpus)
    return [name for name in SECTIONS if name not in lack]


def usual(corpus: Corpus) -> list[str]:
    """Return the default sections of a report."""
    of_people = ["annotators", "titles", "headings", "methods"]
    return possible(corpus) if speech(corpus) is USUAL else of_people


def heading(corpus: Corpus, name: str) -> str:
    """Return the title of a section."""
    return speech(corpus).get(f"section {name}", SECTIONS[name][0])


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
    def all_tables(self) -> list[Table]:
        """All tables, in the order of the sections."""
        return [table for section in self.sections for table in section.tables]

    def html(self) -> str:
        """Return one self-contained HTML file."""
        charts = self._charts
        drawings = [b64encode(svg.encode()).decode() for svg in charts_svg(charts)] if charts and browser() else []
        # Images are much smaller than the JavaScript library for interactive charts.
        drawn = {chart.alt: f"data:image/svg+xml;base64,{svg}" for chart, svg in zip(charts, drawings, strict=False)}
        environment = Environment(autoescape=True, finalize=_literal, trim_blocks=True, lstrip_blocks=True)
        environment.globals |= {
            "figure": lambda chart: Markup(as_json(chart.figure)),
            "drawn": drawn,
            "cells": typeset.cells,
            "numeric": typeset.numeric,
            "plotly": lambda: Markup(get_plotlyjs()),
        }
        page = environment.from_string((files("kp_core.takeaway") / "report.html").read_text(encoding="utf-8"))
        return page.render(vars(self), all_tables=self.all_tables, version=__version__) + "\n"

    def latex(self) -> str:
        """Return all tables, with their signatures, as LaTeX for booktabs, rotating and longtable."""
        return "\n".join(typeset.latex(table.frame, table.caption, table.signature) for table in self.all_tables)

    def markdown(self) -> str:
        """Return the report without its charts."""
        escape = typeset.escape_markdown
        parts = [f"# {escape(self.title)}", f"`{self.signature}`"]
        for section in self.sections:
            parts += [f"## {escape(section.title)}", *map(escape, section.text)]
            parts += [f"{escape(table.caption)}\n\n{typeset.markdown(table.frame)}" for table in section.tables]
        return "\n\n".join(parts) + "\n"

    def paragraph(self, whole: bool = True) -> str:
        """Return the methods paragraph, in full or for a paper; empty without the section on methods."""
        text = next((section.text for section in self.sections if section.name == "methods"), ("",))
        return text[-1].removeprefix("In full: ") if whole else text[0]

    def references(self) -> str:
        """Return the BibTeX entries of the sources in the methods paragraph, and of KPScope."""
        return bibtex(self.paragraph())

    def record(self) -> str:
        """Return settings, signature and versions as JSON."""
        content = {
            "signature": self.signature,
            "settings": self.settings.as_dict(),
            "kpscope": __version__,
            "python": platform.python_version(),
            "packages": {name: version(name) for name in _PACKAGES},
        }
        return json.dumps(content, ensure_ascii=False, indent=1) + "\n"

    def workbook(self) -> bytes:
        """Return all tables as an XLSX file, one sheet per table."""
        sheets = {table.name: table.numbers for table in self.all_tables}
        return typeset.xlsx(sheets or {"signature": pd.DataFrame({"signature": [self.signature]})})

    def svg(self, columns: int = 1) -> str:
        """Return the only chart of the report as SVG, one or two columns of a paper wide."""
        charts = self._charts
        if len(charts) != 1:
            raise UsageError(f"an image shows one chart, and these sections have {len(charts)}; choose one section")
        return chart_svg(charts[0], columns)

    @property
    def _charts(self) -> list[Chart]:
        return [chart for section in self.sections for chart in section.charts]

    def zip(self) -> bytes:
        """Return everything as one archive."""
        files: dict[str, str | bytes] = {
            "report.html": self.html(),
            "report.md": self.markdown(),
            "tables.tex": self.latex(),
            "tables.xlsx": self.workbook(),
            "settings.json": self.record(),
        }
        if self.paragraph():
            files |= {"methods.txt": self.paragraph() + "\n", "references.bib": self.references()}
        frames = {table.name: table.numbers for table in self.all_tables}
        frames |= {"values_by_document": self.by_document} if self.by_document is not None else {}
        files |= {f"csv/{name}.csv": typeset.csv(frame) for name, frame in frames.items()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return buffer.getvalue()


def _literal(value: Any) -> Any:
    """Spell out direction marks in unescaped text."""
    return typeset.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def report(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    sections: Sequence[str] = (),
    title: str = "",
    **changes: Any,
) -> Report:
    """Report on a corpus at the cutoff of the measure, or else at the first cutoff of the settings.

    sections: names in `SECTIONS`; by default see `usual`
    Raises UsageError for unknown sections or measures, or without data.

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
    asked = Asked(corpus, settings, measure)
    wanted, title = sections or usual(corpus), title or asked.say["report"]
    written = tuple(_section(asked, name) for name in SECTIONS if name in wanted)
    result = asked.here if corpus.systems else asked.agreement
    single = corpus.systems and not corpus.datasets
    values = documents(corpus, result.settings, ("P@k", "R@k", "F1@k", measure)).frame if single else None
    title = typeset.storable(re.sub(r"\s+", " ", title).strip())
    return Report(title, written, result.settings, result.signature, by_document=values)


def _section(asked: Asked, name: str) -> Section:
    lack = lacking(asked.corpus).get(name)
    try:
        section = Section((f"Not available: it needs {lack}.",)) if lack else SECTIONS[name][2](asked)
    except (InputError, UsageError) as problem:
        section = Section((f"Not available: {problem}",))
    return replace(section, title=heading(asked.corpus, name), name=name)
