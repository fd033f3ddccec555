"""Turn a corpus and settings into the sections of a report: sentences, charts and tables of aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pandas as pd

from kp_core import charts
from kp_core.charts import Chart, Marks, study_tables
from kp_core.charts import screen_tables as tables
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError, counted
from kp_core.reading.report import statistics, telling
from kp_core.scoring.measures import MEASURES
from kp_core.scoring.prepare import prepare, prepare_annotators
from kp_core.scoring.systems import shallowest
from kp_core.settings import Settings
from kp_core.studies.annotators import agreement, standard_error
from kp_core.studies.compare import Comparison, compare
from kp_core.studies.correlation.correlate import correlate
from kp_core.studies.evaluate import DEFAULT_MEASURES, evaluate
from kp_core.studies.near_misses import near_misses
from kp_core.studies.result import Result
from kp_core.studies.spread import spread
from kp_core.takeaway.paragraph import paragraph
from kp_core.typeset import CELLS
from kp_core.words import statements
from kp_core.words.diagnosis import diagnose

_CURVE = tuple(range(1, 51))


@dataclass(frozen=True)
class Table:
    """A table of a report with its caption and the recipe of its numbers."""

    name: str
    caption: str
    frame: pd.DataFrame
    signature: str = ""


@dataclass(frozen=True)
class Section:
    """One part of a report; `SECTIONS` names it where it does not name itself."""

    title: str = ""
    text: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass
class Asked:
    """What is reported on; what several sections need is computed once."""

    corpus: Corpus
    settings: Settings
    measure: str = "F1@k"
    _results: dict[tuple[str, ...], Result] = field(default_factory=dict)

    @property
    def cutoff(self) -> int | str:
        """The cutoff of the report, in which `average` has become a number."""
        return self.result(("F1@k",)).settings.k[-1]

    def result(self, measures: tuple[str, ...]) -> Result:
        """Evaluate at k = 1 … 50 and at the cutoff asked for, which comes last, with baselines."""
        if measures not in self._results:
            (k,) = prepare(self.corpus, self.settings, k=self.settings.k[0]).settings.k
            asked = self.settings.changed(k=(*(step for step in _CURVE if step != k), k))
            self._results[measures] = evaluate(self.corpus, asked, measures, baselines=True)
        return self._results[measures]

    def at(self, *measures: str) -> Result:
        """Evaluate at the cutoff of the report alone."""
        return self.result(measures).at(self.cutoff)

    def here(self) -> Settings:
        """Return the settings with the cutoff of the report alone."""
        return self.settings.changed(k=self.cutoff)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison of all systems by the measure of the report, where there are several."""
        several = len(self.corpus.systems) > 1
        return compare(self.corpus, self.here(), self.measure) if several else None


def data(asked: Asked) -> Section:
    """Say what was loaded, and what the reader of the files must know."""
    corpus = asked.corpus
    said = (
        f"{counted(len(corpus.documents), 'document')}, {counted(len(corpus.annotators), 'annotator')}, "
        f"{counted(len(corpus.systems), 'system')}.",
        *(f"{note.where}: {note.message}" for note in corpus.report.notes if note.level == "warning"),
    )
    fixes = (f"Fixes applied while reading: {', '.join(corpus.report.fixes)}.",) if corpus.report.fixes else ()
    counts = Table("data", "Annotators and systems", telling(statistics(corpus)))
    return Section(text=said + fixes, tables=(counts,))


def leaderboard(asked: Asked) -> Section:
    """Show which system is better, and whether that is certain."""
    measure, comparison = asked.measure, asked.comparison
    beside = tuple(dict.fromkeys((measure, "kappa", "MAP")))
    here, name = asked.at(*beside), tables.named(measure, asked.cutoff)
    verdict = (statements.verdict(comparison, name),) if comparison else ()
    average = prepare(asked.corpus, asked.settings, k="average")
    (size,) = (k for k in average.settings.k if isinstance(k, int))
    marks = Marks(asked.cutoff, size, shallowest(average))
    curve = tables.has_curve(measure)
    drawn = charts.over_k(asked.result(beside), measure, marks) if curve else charts.bars(here, measure)
    board = tables.leaderboard(here, measure, ("kappa", "MAP"), comparison)
    table = Table("leaderboard", f"Systems by {name}", board, here.signature)
    return Section(text=(*verdict, *tables.reasons(here)), charts=(drawn,), tables=(table,))


def all_measures(asked: Asked) -> Section:
    """Show every measure at the cutoff with its interval."""
    here = asked.at(*DEFAULT_MEASURES)
    shown = tables.with_intervals(here, [tables.named(name, asked.cutoff) for name in DEFAULT_MEASURES])
    said = () if asked.settings.interval == "none" else ("In brackets: the 95 % interval.",)
    table = Table("measures", f"All measures at k = {asked.cutoff}", shown, here.signature)
    return Section(text=said, tables=(table,))


def pairs(asked: Asked) -> Section:
    """Show every pair of systems with its test and effect size."""
    comparison, name = asked.comparison, tables.named(asked.measure, asked.cutoff)
    if comparison is None:
        return Section(text=("One system was loaded, so there is no pair to compare.",))
    said = (f"Test: {comparison.test}; {statements.NOT_EQUAL}.", *(note.message for note in comparison.notes[1:]))
    shown = (
        Table("pairs", f"Differences in {name}", tables.pairs(comparison), comparison.signature),
        Table("effects", "Effect sizes", tables.effects(comparison), comparison.signature),
        Table("ranks", "Ranks in 95 % of the resamples", tables.ranks(comparison), comparison.signature),
    )
    return Section(text=said, charts=(charts.pair_map(comparison, name),), tables=shown)


def concordance(asked: Asked) -> Section:
    """Show each system's concordance table and what it says."""
    here = evaluate(asked.corpus, asked.here(), CELLS, interval="none")
    frame = tables.numbers(here, CELLS)
    cells = frame.set_index("system").to_dict("index")
    best = max(asked.corpus.systems, key=lambda name: float(cells[name]["a"]))
    said = diagnose(best, cells[best], {name: counts for name, counts in cells.items() if name != best})
    caption = "Concordance tables of all documents together: a both, b gold only, c system only, d neither"
    table = Table("concordance", caption, frame, here.signature)
    return Section(text=tuple(said), charts=(charts.against_universe(cells),), tables=(table,))


def annotators(asked: Asked) -> Section:
    """Show how far the gold standard can be trusted."""
    if len(asked.corpus.annotators) < 2:
        return Section(text=("The gold standard has one annotator, so there is no agreement to measure.",))
    settings = replace(asked.settings, k=("all",), annotators="union")
    result = agreement(asked.corpus, settings)
    error = standard_error(prepare_annotators(asked.corpus, settings))
    together = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    shown = together[["measure", "value", "low", "high", "documents"]].reset_index(drop=True)
    said = statements.reliability(result, error, "Landis & Koch 1977")
    return Section(text=(said,), tables=(Table("annotators", "Agreement of all annotators", shown, result.signature),))


def near(asked: Asked) -> Section:
    """Show what is lost by exact matching."""
    misses = near_misses(asked.corpus, asked.here())
    counts = misses.counts("predictions")
    shown = (
        Table("near_misses", f"Types of the predictions up to k = {asked.cutoff}", counts),
        Table("near_shares", "Misses that are near", study_tables.near_shares(misses)),
    )
    said = "Near: misses that have a word in common with a keyphrase of the document."
    return Section(text=(said,), charts=(charts.type_bars(counts, "predictions"),), tables=shown)


def conventions(asked: Asked) -> Section:
    """Show the measure under other published conventions."""
    study, caption = spread(asked.corpus, asked.here(), asked.measure), f"{asked.measure} under other conventions"
    shown = [Table("convention_spread", caption, study.ranges, study.signature)]
    if len(study.turns):
        shown.append(Table("turns", "Where the order of two systems turns", tables.turns(study), study.signature))
    return Section(text=(statements.range_of(study),), charts=(charts.strip(study),), tables=tuple(shown))


def correlation(asked: Asked) -> Section:
    """Show which similarity measure agrees with people, where pairs were judged."""
    if not len(asked.corpus.judgements):
        return Section(text=("No judged pairs were loaded.",))
    study = correlate(asked.corpus)
    table = study_tables.overall(study, "average")
    shown = Table("correlation", "Correlation with the average human score", table, study.signature)
    said = statements.best_measure(study, "average")
    return Section(text=(said,), charts=(charts.forest(study, "average"),), tables=(shown,))


def methods(asked: Asked) -> Section:
    """Give the paragraph for a paper."""
    here, test = asked.at(*DEFAULT_MEASURES), asked.comparison.test if asked.comparison else ""
    text = paragraph(asked.corpus, here.settings, DEFAULT_MEASURES, test, here.signature, here.documents)
    said = [(name, MEASURES[name].sentence, MEASURES[name].undefined) for name in DEFAULT_MEASURES]
    explained = pd.DataFrame(said, columns=["measure", "what it says", "undefined"])
    return Section("Methods", (text,), tables=(Table("meanings", "What the measures say", explained),))


#: Section by the name under which it is asked for, in the order of the report.
SECTIONS: dict[str, tuple[str, Callable[[Asked], Section]]] = {
    "data": ("Data", data),
    "leaderboard": ("Which system is better?", leaderboard),
    "measures": ("All measures", all_measures),
    "pairs": ("Pairs of systems", pairs),
    "agreement": ("Agreement with people", concordance),
    "annotators": ("Reliability of the gold standard", annotators),
    "near-misses": ("Near misses", near),
    "conventions": ("Other conventions", conventions),
    "correlation": ("Correlation with human scores", correlation),
    "methods": ("Methods paragraph", methods),
}


def build(asked: Asked, names: Sequence[str]) -> list[Section]:
    """Return the sections asked for, in the order of the report; one that the data cannot give says why."""
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise UsageError(f"there is no section '{unknown[0]}'; choose among: {', '.join(SECTIONS)}")
    if not asked.corpus.systems or not len(asked.corpus.gold):
        raise UsageError("a report needs a gold standard and the output of at least one system")
    return [_written(write, title, asked) for name, (title, write) in SECTIONS.items() if name in names]


def _written(write: Callable[[Asked], Section], title: str, asked: Asked) -> Section:
    try:
        section = write(asked)
    except (InputError, UsageError) as problem:
        section = Section(text=(f"Not available: {problem}",))
    return section if section.title else replace(section, title=title)
