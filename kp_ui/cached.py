"""Keep slow results for this session, each under one digest of the data and everything that was asked."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.errors import Note
from kp_core.reading import report
from kp_core.studies.annotators import annotated, standard_error
from kp_core.studies.annotators import by_document as agreement_of_documents
from kp_core.studies.correlation.estimates import Study
from kp_core.studies.documents import DocumentView
from kp_core.studies.documents import marked_text as marked_text_of
from kp_core.studies.documents import tables_by_document as tables_of_documents
from kp_core.studies.evaluate import resolve
from kp_core.studies.interval_table import interval_table
from kp_core.studies.soft import SoftResult
from kp_core.studies.stability import By
from kp_core.studies.trimming import Form, Levels
from kp_core.studies.trimming_curve import curve
from kp_core.text.normalise import Normaliser
from kp_ui import sidebar, workspace

#: Every cutoff that the sidebar offers, so that moving k only looks up.
ALL_CUTOFFS = (*range(1, 51), "gold", "all")


def digest_of(*parts: object) -> str:
    """Name the data on screen together with everything that was asked."""
    asked = repr((workspace.current().digest, *parts))
    return hashlib.sha256(asked.encode()).hexdigest()


def evaluation(measures: tuple[str, ...], baselines: bool = False, people: bool = False) -> kp.Result:
    """Evaluate the data on screen under the sidebar's settings at every cutoff; `result.at(k)` looks one up.

    people: each annotator is left out in turn, and stands beside the systems as the human ceiling.
    Where the universe is a number too small for the longest lists, only the cutoffs up to the one in use are evaluated.
    """
    cutoff, corpus = sidebar.cutoff(), workspace.current().corpus
    asked = replace(sidebar.settings(), k=tuple(dict.fromkeys((*ALL_CUTOFFS, cutoff))))
    if people:
        asked = replace(asked, annotators="others:majority" if asked.annotators == "majority" else "others")
    try:
        result = _evaluation(digest_of("evaluation", asked, measures, baselines), corpus, asked, measures, baselines)
    except kp.InputError:
        if not isinstance(cutoff, int):
            raise
        asked = replace(asked, k=tuple(range(1, cutoff + 1)))
        result = _evaluation(digest_of("evaluation", asked, measures, baselines), corpus, asked, measures, baselines)
    return replace(result, notes=notes())


def notes() -> tuple[Note, ...]:
    """Return what the reader must know at the sidebar's cutoff; the notes of all cutoffs would speak of k = 50."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),), interval="none")
    return _evaluation(digest_of("notes", asked), workspace.current().corpus, asked, ("kappa",), False).notes


@st.cache_data(scope="session", max_entries=20, show_spinner="Evaluating …")
def _evaluation(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measures: tuple[str, ...], _baselines: bool
) -> kp.Result:
    return kp.evaluate_with(_corpus, _settings, _measures, _baselines)


def at_cutoff(measures: tuple[str, ...], baselines: bool = False, pool: str = "micro") -> kp.Result:
    """Evaluate at the sidebar's cutoff only, without intervals, under an average of the concordance measures."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),), interval="none", pool=pool)
    digest = digest_of("at cutoff", asked, measures, baselines)
    return _evaluation(digest, workspace.current().corpus, asked, measures, baselines)


def tables_by_document(measures: tuple[str, ...]) -> pd.DataFrame:
    """Return concordance measures of every system and document at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _tables_by_document(digest_of("tables", asked, measures), workspace.current().corpus, asked, measures)


@st.cache_data(scope="session", max_entries=20, show_spinner="Reading the documents …")
def _tables_by_document(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measures: tuple[str, ...]
) -> pd.DataFrame:
    return tables_of_documents(_corpus, _settings, _measures)


def comparison(measure: str, test: str = "randomisation", correction: str = "holm") -> kp.Comparison:
    """Compare all pairs of systems at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    digest = digest_of("comparison", asked, measure, test, correction)
    return _comparison(digest, workspace.current().corpus, asked, measure, test, correction)


@st.cache_data(scope="session", max_entries=50, show_spinner="Comparing systems …")
def _comparison(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measure: str, _test: str, _correction: str
) -> kp.Comparison:
    return kp.compare_with(_corpus, _settings, _measure, test=_test, correction=_correction)


def by_document(measure: str, baselines: bool = False) -> pd.DataFrame:
    """Return the values of every system and document at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    digest = digest_of("by document", asked, measure, baselines)
    return _by_document(digest, workspace.current().corpus, asked, measure, baselines)


def signature(measure: str) -> str:
    """Return the recipe of values by document at the sidebar's cutoff."""
    corpus, asked = workspace.current().corpus, replace(sidebar.settings(), k=(sidebar.cutoff(),), interval="none")
    return _evaluation(digest_of("signature", asked, measure), corpus, asked, (measure,), False).signature


@st.cache_data(scope="session", max_entries=20, show_spinner="Reading the documents …")
def _by_document(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measure: str, _baselines: bool
) -> pd.DataFrame:
    return kp.by_document(_corpus, _settings, _measure, _baselines)


def one_document(document: str) -> DocumentView:
    """Return the phrases of one document at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _one_document(digest_of("document", asked, document), workspace.current().corpus, asked, document)


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _one_document(digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _document: str) -> DocumentView:
    return kp.one_document(_corpus, _settings, _document)


def marked_text(document: str, system: str) -> list[tuple[str, str]]:
    """Return the text of a document in pieces, with what a system found, missed and added."""
    corpus, asked = workspace.current().corpus, replace(sidebar.settings(), k=(sidebar.cutoff(),))
    digest = digest_of("marked text", asked, document, system)
    return _marked_text(digest, one_document(document), system, resolve(corpus, asked)[0])


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _marked_text(digest: str, _view: DocumentView, _system: str, _settings: kp.Settings) -> list[tuple[str, str]]:
    return marked_text_of(_view, _system, _settings)


def statistics() -> pd.DataFrame:
    """Return the counts of every annotator and system, under the normalisation and average of the sidebar."""
    asked = sidebar.normaliser(), sidebar.cutoff_of_average()
    return _statistics(digest_of("statistics", str(asked[0]), asked[1]), workspace.current().corpus, *asked)


@st.cache_data(scope="session", max_entries=5, show_spinner="Counting …")
def _statistics(digest: str, _corpus: kp.Corpus, _normaliser: Normaliser, _k: int) -> pd.DataFrame:
    return report.statistics(_corpus, _normaliser, _k)


def normalised() -> pd.DataFrame:
    """Return every distinct phrase before and after the sidebar's normalisation, those that change first."""
    normaliser = sidebar.normaliser()
    return _normalised(digest_of("normalised", str(normaliser)), workspace.current().corpus, normaliser)


@st.cache_data(scope="session", max_entries=5, show_spinner="Normalising …")
def _normalised(digest: str, _corpus: kp.Corpus, _normaliser: Normaliser) -> pd.DataFrame:
    return report.normalised(_corpus, _normaliser)


def agreement() -> kp.Result:
    """Measure how well the annotators agree under the sidebar's settings; k plays no part."""
    asked = replace(sidebar.settings(), k=("all",), annotators="union")
    return _agreement(digest_of("agreement", asked), workspace.current().corpus, asked)


@st.cache_data(scope="session", max_entries=10, show_spinner="Comparing the annotators …")
def _agreement(digest: str, _corpus: kp.Corpus, _settings: kp.Settings) -> kp.Result:
    return kp.agreement_with(_corpus, _settings)


def annotated_documents() -> tuple[pd.DataFrame, float]:
    """Return the agreement of the annotators document by document, and the standard error of K of all."""
    asked = replace(sidebar.settings(), k=("all",), annotators="union")
    return _annotated_documents(digest_of("annotated documents", asked), workspace.current().corpus, asked)


@st.cache_data(scope="session", max_entries=10, show_spinner="Comparing the annotators …")
def _annotated_documents(digest: str, _corpus: kp.Corpus, _settings: kp.Settings) -> tuple[pd.DataFrame, float]:
    return agreement_of_documents(_corpus, _settings), standard_error(annotated(_corpus, _settings))


def trimmed(threshold: float, pooled: bool, form: Form) -> kp.Trimmed:
    """Trim the gold standard at a threshold."""
    asked = replace(sidebar.settings(), k=("all",), annotators="union")
    digest = digest_of("trimmed", asked, threshold, pooled, form)
    return _trimmed(digest, workspace.current().corpus, asked, threshold, pooled, form)


@st.cache_data(scope="session", max_entries=50, show_spinner="Trimming …")
def _trimmed(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _threshold: float, _pooled: bool, _form: Form
) -> kp.Trimmed:
    return kp.trim_with(_corpus, _settings, _threshold, _pooled, _form)


def trimming_curve(pooled: bool) -> tuple[pd.DataFrame, str]:
    """Return the scores of the systems over the threshold, at the sidebar's cutoff, and their recipe."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),), annotators="union")
    found = trimmed(0.5, pooled, "binary")
    digest = digest_of("trimming curve", asked, pooled)
    return _trimming_curve(digest, workspace.current().corpus, asked, found.levels, pooled)


@st.cache_data(scope="session", max_entries=10, show_spinner="Trimming at every threshold …")
def _trimming_curve(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _levels: Levels, _pooled: bool
) -> tuple[pd.DataFrame, str]:
    settings, _ = resolve(_corpus, _settings)
    data = annotated(_corpus, settings)
    recipe = replace(settings, trim=f"every-binary{'-pooled' if _pooled else ''}")
    return curve(_corpus, settings, data, _levels), kp.signature(recipe, len(data.documents))


def intervals(system: str, measures: tuple[str, ...]) -> pd.DataFrame:
    """Return the intervals of one system side by side, at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    digest = digest_of("intervals", asked, system, measures)
    return _intervals(digest, workspace.current().corpus, asked, system, measures)


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _intervals(
    digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _system: str, _measures: tuple[str, ...]
) -> pd.DataFrame:
    return interval_table(_corpus, _settings, _system, _measures)


def near_misses() -> kp.NearMisses:
    """Return how the predictions up to the sidebar's cutoff relate to the gold standard."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _near_misses(digest_of("near misses", asked), workspace.current().corpus, asked)


@st.cache_data(scope="session", max_entries=10, show_spinner="Looking for near misses …")
def _near_misses(digest: str, _corpus: kp.Corpus, _settings: kp.Settings) -> kp.NearMisses:
    return kp.near_misses(_corpus, _settings)


def soft(chosen: kp.Soft) -> SoftResult:
    """Evaluate with soft matching at every cutoff that is a number."""
    asked = replace(sidebar.settings(), k=tuple(dict.fromkeys((*range(1, 51), sidebar.cutoff()))))
    return _soft(digest_of("soft", asked, str(chosen)), workspace.current().corpus, asked, chosen)


@st.cache_data(scope="session", max_entries=20, show_spinner="Matching what is similar …")
def _soft(digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _chosen: kp.Soft) -> SoftResult:
    return kp.soft_evaluate(_corpus, _settings, _chosen, ("P@k", "R@k", "F1@k"))


def correlation(
    judged: pd.DataFrame,
    measures: tuple[str, ...],
    by: tuple[str, ...],
    study: Study,
    paper: bool,
    preset: str,
    stemmer: str,
) -> kp.CorrelationStudy:
    """Correlate measures with the human scores of the data on screen and of the ratings made here."""
    corpus = replace(workspace.current().corpus, judgements=judged)
    content = judged.to_csv(index=False)
    digest = digest_of("correlation", content, measures, by, study, paper, preset, stemmer)
    return _correlation(digest, corpus, measures, by, study, paper, {"preset": preset, "stemmer": stemmer})


@st.cache_data(scope="session", max_entries=10, show_spinner="Correlating measures with people …")
def _correlation(
    digest: str,
    _corpus: kp.Corpus,
    _measures: tuple[str, ...],
    _by: tuple[str, ...],
    _study: Study,
    _paper: bool,
    _options: dict[str, Any],
) -> kp.CorrelationStudy:
    return kp.correlate(_corpus, _measures, _by, paper=_paper, study=_study, **_options)


def spread(measure: str) -> kp.Spread:
    """Return a measure under every preset and under the grid of conventions, at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _spread(digest_of("spread", asked, measure), workspace.current().corpus, asked, measure)


@st.cache_data(scope="session", max_entries=10, show_spinner="Evaluating under other conventions …")
def _spread(digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measure: str) -> kp.Spread:
    return kp.spread_with(_corpus, _settings, _measure)


def stability(by: By, measure: str) -> kp.Stability:
    """Return the rankings of the systems by measure, cutoff, normalisation or gold standard."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _stability(digest_of("stability", asked, by, measure), workspace.current().corpus, asked, by, measure)


@st.cache_data(scope="session", max_entries=20, show_spinner="Ranking the systems again …")
def _stability(digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _by: By, _measure: str) -> kp.Stability:
    return kp.stability_with(_corpus, _settings, _by, _measure)


def parts(measures: tuple[str, ...], by: str) -> kp.Result:
    """Evaluate parts of the data at the sidebar's cutoff."""
    asked = replace(sidebar.settings(), k=(sidebar.cutoff(),))
    return _parts(digest_of("parts", asked, measures, by), workspace.current().corpus, asked, measures, by)


@st.cache_data(scope="session", max_entries=10, show_spinner="Evaluating the parts …")
def _parts(digest: str, _corpus: kp.Corpus, _settings: kp.Settings, _measures: tuple[str, ...], _by: str) -> kp.Result:
    return kp.evaluate_with(_corpus, _settings, _measures, by=_by)
