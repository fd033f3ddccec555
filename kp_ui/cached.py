"""Ask the engine everything that takes time, and keep its answers for this session."""

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import scale
from kp_core.errors import Note
from kp_core.reading import report as on_reading
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare, prepare_annotators
from kp_core.settings import Average, Settings
from kp_core.studies import annotators, document_values
from kp_core.studies import indexing as of_indexers
from kp_core.studies.compare import Correction, Test
from kp_core.studies.correlation.estimates import Study
from kp_core.studies.correlation.human import near_miss_pairs
from kp_core.studies.document_values import DocumentView
from kp_core.studies.evaluate import interval_table
from kp_core.studies.soft import SoftResult
from kp_core.studies.stability import By
from kp_core.studies.trimming import Form, curve
from kp_core.text.normalise import Normaliser
from kp_ui import settings as chosen
from kp_ui import workspace

if TYPE_CHECKING:
    from kp_core.takeaway.bundle import Report

P = ParamSpec("P")
R = TypeVar("R")
#: Every cutoff that the sidebar offers, so that moving k only looks up.
ALL_CUTOFFS = (*range(1, 51), "gold", "all")


def digest_of(*parts: object) -> str:
    """Name the data on screen together with everything that was asked.

    Raises TypeError for a part that its `repr` may not tell whole, such as a table.
    """
    for part in parts:
        if not _is_told_whole(part):
            raise TypeError(f"{type(part).__name__} has no place in a digest; give a digest of its content")
    return hashlib.sha256(repr((workspace.current().digest, *parts)).encode()).hexdigest()


def _is_told_whole(part: object) -> bool:
    if isinstance(part, tuple | list):
        return all(map(_is_told_whole, part))
    if isinstance(part, dict):
        return all(map(_is_told_whole, part.values()))
    if is_dataclass(part):
        return all(_is_told_whole(getattr(part, field.name)) for field in fields(part))
    return part is None or isinstance(part, str | int | float)


def kept(words: str | bool, most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep what a function of the data on screen returns, under one digest of these data and all of its arguments.

    words: what the page says meanwhile; most: so many answers are kept in a session
    """

    def decorate(compute: Callable[P, R]) -> Callable[P, R]:
        @st.cache_data(scope="session", max_entries=most, show_spinner=words)
        @_named_after(compute)
        def look_up(digest: str, _arguments: Any, _options: Any) -> R:
            return compute(*_arguments, **_options)

        @wraps(compute)
        def ask(*arguments: P.args, **options: P.kwargs) -> R:
            return look_up(digest_of(compute.__qualname__, arguments, options), arguments, options)

        return ask

    return decorate


def _named_after(compute: Callable[..., R]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a function the name of another: Streamlit tells caches apart by the names of their functions."""

    def name(look_up: Callable[..., R]) -> Callable[..., R]:
        look_up.__module__, look_up.__qualname__ = compute.__module__, compute.__qualname__
        return look_up

    return name


def at_cutoff() -> Settings:
    """Return the settings of the sidebar at its cutoff."""
    return chosen.settings().changed(k=chosen.cutoff())


def at_every_number() -> Settings:
    """Return the settings of the sidebar at every cutoff that is a number, and at its own."""
    return chosen.settings().changed(k=(*range(1, 51), chosen.cutoff()))


def without_cutoff() -> Settings:
    """Return the settings of the sidebar for what is asked of annotators alone; k plays no part."""
    return chosen.settings().changed(k="all", annotators="union")


def asked(
    words: str | bool, most: int, settings: Callable[[], Settings] = at_cutoff
) -> Callable[[Callable[Concatenate[Settings, P], R]], Callable[P, R]]:
    """Keep what a function returns as `kept` does, and give it the settings that hold as its first argument."""

    def decorate(compute: Callable[Concatenate[Settings, P], R]) -> Callable[P, R]:
        look_up = kept(words, most)(compute)

        @wraps(compute)
        def ask(*arguments: P.args, **options: P.kwargs) -> R:
            return look_up(settings(), *arguments, **options)

        return ask

    return decorate


def _corpus() -> kp.Corpus:
    return workspace.current().corpus


@kept("Evaluating …", 20)
def _evaluation(settings: Settings, measures: tuple[str, ...], baselines: bool = False) -> kp.Result:
    return kp.evaluate(_corpus(), settings, measures, baselines=baselines)


def evaluation(measures: tuple[str, ...], baselines: bool = False, people: bool = False) -> kp.Result:
    """Evaluate the data on screen under the sidebar's settings at every cutoff; `result.at(k)` looks one up.

    people: each annotator is left out in turn, and stands beside the systems as the human ceiling.
    Where the universe is a number too small for the longest lists, only the cutoffs up to the one in use are evaluated.
    """
    cutoff = chosen.cutoff()
    asked = chosen.settings().changed(k=(*ALL_CUTOFFS, cutoff))
    if people:
        asked = asked.changed(annotators="others:majority" if asked.annotators == "majority" else "others")
    try:
        result = _evaluation(asked, measures, baselines)
    except kp.InputError:
        if not isinstance(cutoff, int):
            raise
        result = _evaluation(asked.changed(k=range(1, cutoff + 1)), measures, baselines)
    return replace(result, notes=notes(measures))


def measure_in_use(people: bool = False) -> kp.Result:
    """Evaluate the measure of the sidebar at every cutoff, with baselines, and with people if they are asked for."""
    return evaluation((chosen.value("measure"),), baselines=True, people=people)


def notes(measures: tuple[str, ...]) -> tuple[Note, ...]:
    """Return what the reader of measures must know at the cutoff in use; those of all cutoffs would speak of k = 50.

    What is said of the universe matters to measures of concordance tables alone.
    """
    found = _evaluation(at_cutoff().changed(interval="none"), ("kappa",)).notes
    tables = any(parse(name).measure.family == "concordance" for name in measures)
    return tuple(note for note in found if tables or note.where != "universe")


def evaluation_at_cutoff(measures: tuple[str, ...], average: Average = "micro") -> kp.Result:
    """Evaluate at the sidebar's cutoff only, without intervals, under an average."""
    return _evaluation(at_cutoff().changed(interval="none", average=average), measures)


def signature(measure: str) -> str:
    """Return the recipe of values by document at the sidebar's cutoff."""
    return _evaluation(at_cutoff().changed(interval="none"), (measure,)).signature


@asked("Evaluating the parts …", 10)
def parts(settings: Settings, measures: tuple[str, ...], by: str) -> kp.Result:
    """Evaluate parts of the data at the sidebar's cutoff."""
    return kp.evaluate(_corpus(), settings, measures, by=by)


@asked("Comparing systems …", 50)
def comparison(
    settings: Settings, measure: str, test: Test = "randomisation", correction: Correction = "holm"
) -> kp.Comparison:
    """Compare all pairs of systems at the sidebar's cutoff."""
    return kp.compare(_corpus(), settings, measure, test=test, correction=correction)


@asked(False, 20)
def intervals(settings: Settings, system: str, measures: tuple[str, ...]) -> pd.DataFrame:
    """Return the intervals of one system side by side, at the sidebar's cutoff."""
    return interval_table(_corpus(), settings, system=system, measures=measures)


@asked("Evaluating under other conventions …", 10)
def spread(settings: Settings, measure: str) -> kp.Spread:
    """Return a measure under every preset and under the grid of conventions, at the sidebar's cutoff."""
    return kp.spread(_corpus(), settings, measure)


@asked("Ranking the systems again …", 20)
def stability(settings: Settings, by: By, measure: str) -> kp.Stability:
    """Return the rankings of the systems by measure, cutoff, normalisation or gold standard."""
    return kp.stability(_corpus(), settings, by, measure=measure)


@asked("Looking for near misses …", 10)
def near_misses(settings: Settings) -> kp.NearMisses:
    """Return how the predictions up to the sidebar's cutoff relate to the gold standard."""
    return kp.near_misses(_corpus(), settings)


@asked("Looking for near misses …", 5)
def pairs_to_rate(settings: Settings, number: int) -> pd.DataFrame:
    """Draw so many near misses of each type up to the sidebar's cutoff, always the same ones."""
    return near_miss_pairs(kp.near_misses(_corpus(), settings).frame, number, 0)


@asked("Matching what is similar …", 20, at_every_number)
def soft(settings: Settings, chosen: kp.Soft) -> SoftResult:
    """Evaluate with soft matching at every cutoff that is a number."""
    return kp.soft_evaluate(_corpus(), settings, chosen, ("P@k", "R@k", "F1@k"))


@asked("Making the table …", 20)
def paper_table(
    settings: Settings, systems: tuple[str, ...], measures: tuple[str, ...], cutoffs: str, marks: bool, baselines: bool
) -> kp.PaperTable:
    """Make the table of a paper under the sidebar's settings, at cutoffs of its own."""
    at = settings.changed(k="".join(cutoffs.split()))
    return kp.paper_table(_corpus(), at, measures, systems=systems, marks=marks, baselines=baselines)


@asked("Writing this section …", 12)
def report(settings: Settings, measure: str, sections: tuple[str, ...], title: str) -> "Report":
    """Write some sections of the report on the data on screen, under the sidebar's settings and cutoff."""
    from kp_core.takeaway import bundle

    return bundle.report(_corpus(), settings, measure, sections=sections, title=title)


def report_file(measure: str, sections: tuple[str, ...], title: str, form: str) -> Callable[[], str | bytes]:
    """Return what writes the report in a form, once somebody asks for it: by then this run of the page is over."""
    from kp_core.takeaway import bundle

    corpus, settings = _corpus(), at_cutoff()

    def write() -> str | bytes:
        whole = bundle.report(corpus, settings, measure, sections=sections, title=title)
        return cast("str | bytes", getattr(whole, form)())

    return write


@asked("Reading the documents …", 20)
def by_document(settings: Settings, measure: str) -> pd.DataFrame:
    """Return the values of every system and document at the sidebar's cutoff."""
    return kp.by_document(_corpus(), settings, measure)


@asked("Reading the documents …", 20)
def tables_by_document(settings: Settings, measures: tuple[str, ...]) -> pd.DataFrame:
    """Return concordance measures of every system and document at the sidebar's cutoff."""
    return document_values.tables_by_document(_corpus(), settings, measures)


@asked(False, 50)
def one_document(settings: Settings, document: str) -> DocumentView:
    """Return the phrases of one document at the sidebar's cutoff."""
    return kp.one_document(_corpus(), settings, document=document)


@asked(False, 50)
def marked_text(settings: Settings, document: str, system: str) -> list[tuple[str, str]]:
    """Return the text of a document in pieces, with what a system found, missed and added."""
    return document_values.marked_text(one_document(document), system, prepare(_corpus(), settings).settings)


def documents_of_run(run: scale.Opened, settings: Settings, ids: tuple[str, ...]) -> dict[str, DocumentView]:
    """Return single documents of a streamed run, as far as its gold standard has them."""
    return _documents_of_run(digest_of("streamed documents", run.digest, settings, ids), run.run, settings, ids)


@st.cache_data(scope="session", max_entries=10, show_spinner="Reading these documents …")
def _documents_of_run(
    digest: str, _run: scale.Streamed, _settings: Settings, _ids: tuple[str, ...]
) -> dict[str, DocumentView]:
    corpus = _run.documents(_ids)
    there = set(corpus.gold["doc_id"])
    return {name: kp.one_document(corpus, _settings, document=name) for name in _ids if name in there}


@kept("Counting …", 5)
def statistics(normalise: str, k: int) -> pd.DataFrame:
    """Return the counts of every annotator and system, under a normalisation and an average gold size."""
    return on_reading.statistics(_corpus(), Normaliser.parse(normalise), k)


@kept("Normalising …", 5)
def normalised(normalise: str) -> pd.DataFrame:
    """Return every distinct phrase before and after normalisation, those that change first."""
    return on_reading.normalised(_corpus(), Normaliser.parse(normalise))


@asked("Comparing the annotators …", 10, without_cutoff)
def agreement(settings: Settings) -> kp.Result:
    """Measure how well the annotators agree under the sidebar's settings."""
    return kp.agreement(_corpus(), settings)


@asked("Comparing the annotators …", 10, without_cutoff)
def annotated_documents(settings: Settings) -> tuple[pd.DataFrame, float]:
    """Return the agreement of the annotators document by document, and the standard error of K of all."""
    corpus = _corpus()
    data = prepare_annotators(corpus, settings)
    return annotators.agreement_by_document(corpus, settings), annotators.standard_error(data)


@asked(False, 5, without_cutoff)
def indexing(settings: Settings) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the most disputed headings, and the keyphrases of each annotator by title."""
    normalise = settings.normalise
    return of_indexers.disputed_headings(_corpus(), normalise), of_indexers.titles(_corpus(), normalise)


@asked("Trimming …", 50, without_cutoff)
def trimmed(settings: Settings, threshold: float, pooled: bool, form: Form) -> kp.Trimmed:
    """Trim the gold standard at a threshold."""
    return kp.trim(_corpus(), settings, threshold, pooled=pooled, form=form)


@asked("Trimming at every threshold …", 10, lambda: at_cutoff().changed(annotators="union"))
def trimming_curve(settings: Settings, pooled: bool) -> tuple[pd.DataFrame, str]:
    """Return the scores of the systems over the threshold, at the sidebar's cutoff, and their recipe."""
    data, levels = prepare(_corpus(), settings), trimmed(0.5, pooled, "binary").levels
    recipe = data.settings.changed(trim=f"every-binary{'-pooled' if pooled else ''}")
    return curve(data, levels), kp.signature(recipe, len(data.documents))


def correlation(
    judged: pd.DataFrame, measures: tuple[str, ...], by: tuple[str, ...], study: Study, **options: Any
) -> kp.CorrelationStudy:
    """Correlate measures with the human scores of the data on screen and of the ratings made here."""
    corpus = replace(_corpus(), judgements=judged)
    digest = digest_of("correlation", judged.to_csv(index=False), measures, by, study, options)
    return _correlation(digest, corpus, measures, by, study, options)


@st.cache_data(scope="session", max_entries=10, show_spinner="Correlating measures with people …")
def _correlation(
    digest: str,
    _corpus: kp.Corpus,
    _measures: tuple[str, ...],
    _by: tuple[str, ...],
    _study: Study,
    _options: dict[str, Any],
) -> kp.CorrelationStudy:
    return kp.correlate(_corpus, _measures, _by, study=_study, **_options)
