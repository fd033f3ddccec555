"""Turn a corpus and settings into the sections of a report: sentences, charts and tables of aggregates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from kp_core import charts
from kp_core.charts import Chart, Marks, study_tables
from kp_core.charts import screen_tables as tables
from kp_core.corpus import Corpus
from kp_core.errors import InputError, UsageError, counted
from kp_core.reading.report import statistics, telling
from kp_core.scoring.codes import average_gold_size, shallowest
from kp_core.scoring.measures import MEASURES
from kp_core.settings import Settings
from kp_core.studies.annotators import agreement_with, annotated, standard_error
from kp_core.studies.compare import Comparison, compare_with
from kp_core.studies.correlation.study import correlate
from kp_core.studies.evaluate import DEFAULT_MEASURES, evaluate_with
from kp_core.studies.near_misses import near_misses as find_near_misses
from kp_core.studies.result import Result
from kp_core.studies.spread import spread_with
from kp_core.tables import CELLS
from kp_core.takeaway.paragraph import paragraph
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
    """One part of a report."""

    title: str
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
    _comparison: list[Comparison] = field(default_factory=list)

    @property
    def cutoff(self) -> int | str:
        """The cutoff of the report, in which `average` has become a number."""
        return self.result(("F1@k",)).settings.k[-1]

    def result(self, measures: tuple[str, ...]) -> Result:
        """Evaluate at k = 1 … 50 and at the cutoff asked for, which comes last, with baselines."""
        if measures not in self._results:
            last = self.settings.k[0]
            k = average_gold_size(self.corpus, self.settings.conventions) if last == "average" else last
            asked = replace(self.settings, k=(*(one for one in _CURVE if one != k), k))
            self._results[measures] = evaluate_with(self.corpus, asked, measures, baselines=True)
        return self._results[measures]

    def comparison(self) -> Comparison | None:
        """Compare all systems by the measure of the report, where there are several."""
        if len(self.corpus.systems) < 2:
            return None
        if not self._comparison:
            settings = replace(self.settings, k=(self.cutoff,))
            self._comparison.append(compare_with(self.corpus, settings, self.measure))
        return self._comparison[0]


def data(asked: Asked) -> Section:
    """Say what was loaded, and what the reader of the files must know."""
    corpus = asked.corpus
    counts = telling(statistics(corpus))
    said = (
        f"{counted(len(corpus.documents), 'document')}, {counted(len(corpus.annotators), 'annotator')}, "
        f"{counted(len(corpus.systems), 'system')}.",
        *(f"{note.where}: {note.message}" for note in corpus.report.notes if note.level == "warning"),
    )
    fixes = (f"Fixes applied while reading: {', '.join(corpus.report.fixes)}.",) if corpus.report.fixes else ()
    return Section("Data", (*said, *fixes), (), (Table("data", "Annotators and systems", counts),))


def leaderboard(asked: Asked) -> Section:
    """Show which system is better, and whether that is certain."""
    measure, comparison = asked.measure, asked.comparison()
    result = asked.result(tuple(dict.fromkeys((measure, "kappa", "MAP"))))
    here = result.at(asked.cutoff)
    name = tables.named(measure, asked.cutoff)
    said = (statements.verdict(comparison, name),) if comparison else ()
    marks = Marks(asked.cutoff, average_gold_size(asked.corpus, asked.settings.conventions), shallowest(asked.corpus))
    drawn = charts.over_k(result, measure, marks) if tables.has_curve(measure) else charts.bars(here, measure)
    board = tables.leaderboard(here, measure, ("kappa", "MAP"), comparison)
    return Section(
        "Which system is better?",
        said + tuple(tables.reasons(here)),
        (drawn,),
        (Table("leaderboard", f"Systems by {name}", board, here.signature),),
    )


def all_measures(asked: Asked) -> Section:
    """Show every measure at the cutoff with its interval."""
    here = asked.result(DEFAULT_MEASURES).at(asked.cutoff)
    names = [tables.named(name, asked.cutoff) for name in DEFAULT_MEASURES]
    shown = tables.with_intervals(here, names)
    said = () if asked.settings.interval == "none" else ("In brackets: the 95 % interval.",)
    return Section(
        "All measures", said, (), (Table("measures", f"All measures at k = {asked.cutoff}", shown, here.signature),)
    )


def pairs(asked: Asked) -> Section | None:
    """Show every pair of systems with its test and effect size."""
    comparison = asked.comparison()
    if comparison is None:
        return None
    name = tables.named(asked.measure, asked.cutoff)
    said = (f"Test: {comparison.test}; {statements.NOT_EQUAL}.", *(one.message for one in comparison.notes[1:]))
    return Section(
        "Pairs of systems",
        said,
        (charts.pair_map(comparison, name),),
        (
            Table("pairs", f"Differences in {name}", tables.pairs(comparison), comparison.signature),
            Table("effects", "Effect sizes", tables.effects(comparison), comparison.signature),
            Table("ranks", "Ranks in 95 % of the resamples", tables.ranks(comparison), comparison.signature),
        ),
    )


def agreement(asked: Asked) -> Section:
    """Show each system's concordance table and what it says."""
    here = evaluate_with(asked.corpus, replace(asked.settings, k=(asked.cutoff,), interval="none"), CELLS)
    frame = tables.numbers(here, CELLS)
    cells = frame.set_index("system").to_dict("index")
    best = max(asked.corpus.systems, key=lambda name: float(cells[name]["a"]))
    said = diagnose(best, cells[best], {name: found for name, found in cells.items() if name != best})
    caption = "Concordance tables of all documents together: a both, b gold only, c system only, d neither"
    return Section(
        "Agreement with people",
        tuple(said),
        (charts.against_universe(cells),),
        (Table("concordance", caption, frame, here.signature),),
    )


def annotators(asked: Asked) -> Section | None:
    """Show how far the gold standard can be trusted."""
    if len(asked.corpus.annotators) < 2:
        return None
    settings = replace(asked.settings, k=("all",), annotators="union")
    result = agreement_with(asked.corpus, settings)
    error = standard_error(annotated(asked.corpus, settings))
    together = result.frame[(result.frame["system"] == "all") & (result.frame["subset"] == "all")]
    shown = together[["measure", "value", "low", "high", "documents"]].reset_index(drop=True)
    said = (statements.reliability(result, error, "Landis & Koch 1977"),)
    return Section(
        "Reliability of the gold standard",
        said,
        (),
        (Table("annotators", "Agreement of all annotators", shown, result.signature),),
    )


def near(asked: Asked) -> Section:
    """Show what is lost by exact matching."""
    found = find_near_misses(asked.corpus, replace(asked.settings, k=(asked.cutoff,)))
    counts = found.counts("predictions")
    return Section(
        "Near misses",
        ("Near: misses that have a word in common with a keyphrase of the document.",),
        (charts.type_bars(counts, "predictions"),),
        (
            Table("near_misses", f"Types of the predictions up to k = {asked.cutoff}", counts),
            Table("near_shares", "Misses that are near", study_tables.near_shares(found)),
        ),
    )


def conventions(asked: Asked) -> Section:
    """Show the measure under other published conventions."""
    found = spread_with(asked.corpus, replace(asked.settings, k=(asked.cutoff,)), asked.measure)
    shown = [Table("convention_spread", f"{asked.measure} under other conventions", found.ranges, found.signature)]
    if len(found.turns):
        shown.append(Table("turns", "Where the order of two systems turns", tables.turns(found), found.signature))
    return Section("Other conventions", (statements.range_of(found),), (charts.strip(found),), tuple(shown))


def correlation(asked: Asked) -> Section | None:
    """Show which similarity measure agrees with people, where pairs were judged."""
    if not len(asked.corpus.judgements):
        return None
    study = correlate(asked.corpus)
    table = study_tables.overall(study, "average")
    return Section(
        "Correlation with human scores",
        (statements.best_measure(study, "average"),),
        (charts.forest(study, "average"),),
        (Table("correlation", "Correlation with the average human score", table, study.signature),),
    )


def methods(asked: Asked) -> Section:
    """Give the paragraph for a paper."""
    comparison, here = asked.comparison(), asked.result(DEFAULT_MEASURES).at(asked.cutoff)
    test = comparison.test if comparison else ""
    text = paragraph(asked.corpus, here.settings, DEFAULT_MEASURES, test, here.signature, here.documents)
    said = [(name, MEASURES[name].sentence, MEASURES[name].undefined) for name in DEFAULT_MEASURES]
    explained = pd.DataFrame(said, columns=["measure", "what it says", "undefined"])
    return Section("Methods", (text,), (), (Table("meanings", "What the measures say", explained),))


#: Section by the name under which it is asked for, in the order of the report.
SECTIONS: dict[str, tuple[str, Callable[[Asked], Section | None]]] = {
    "data": ("Data", data),
    "leaderboard": ("Which system is better?", leaderboard),
    "measures": ("All measures", all_measures),
    "pairs": ("Pairs of systems", pairs),
    "agreement": ("Agreement with people", agreement),
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
    found = []
    for name, (title, write) in SECTIONS.items():
        if name in names:
            try:
                found.append(write(asked) or Section(title, (_ABSENT[name],)))
            except (InputError, UsageError) as problem:
                found.append(Section(title, (f"Not available: {problem}",)))
    return found


_ABSENT = {
    "pairs": "One system was loaded, so there is no pair to compare.",
    "annotators": "The gold standard has one annotator, so there is no agreement to measure.",
    "correlation": "No judged pairs were loaded.",
}
