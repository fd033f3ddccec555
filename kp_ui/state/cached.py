"""Cache the results of slow computations: for this session, or for all sessions if they are on a sample."""

import hashlib
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.corpus import memoize
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.settings import SUBJECT, Settings
from kp_core.studies.all_cutoffs import AllCutoffs, all_cutoffs
from kp_core.studies.annotators import agreement_by_document
from kp_core.studies.sensitivity import sensitivities
from kp_core.studies.trimming import curve
from kp_ui.state import settings as in_use
from kp_ui.state import workspace

P = ParamSpec("P")
R = TypeVar("R")
#: All cutoffs that the control k offers, computed together so that changing k is fast.
ALL_CUTOFFS = (*range(1, 51), "gold", "all")


def digest_of(*parts: object) -> str:
    """Return a digest of the data on screen and the given parts; raise TypeError for parts such as tables."""
    return hashlib.sha256((json.dumps(parts, default=asdict) + workspace.current().digest).encode()).hexdigest()


@st.cache_data(scope="session", max_entries=150, show_spinner="Computing …", show_time=True)
def _look_up(digest: str, _compute: Callable[..., Any], _data: Any, _arguments: Any, _options: Any) -> Any:
    data, compute = workspace.current(), partial(_compute, *_data, *_arguments, **_options)
    if data.sample is None or not any(part is data.corpus for part in _data):  # not the user's own files or ratings
        return compute()
    # All sessions share the results on samples. Pickled, they do not slow garbage collection.
    return pickle.loads(memoize(data.corpus, "on screen", digest, lambda: pickle.dumps(compute()), most=2_048))


# Every prediction is a row, so few results are cached.
@st.cache_data(scope="session", max_entries=10, show_spinner="Looking for near misses …", show_time=True)
def _near_misses(digest: str, _settings: Settings) -> kp.NearMisses:
    return kp.near_misses(workspace.corpus(), _settings)


def call(data: tuple[Any, ...], key: object, compute: Callable[..., R], *arguments: Any, **options: Any) -> R:
    """Return the cached result of `compute(*data, *arguments, **options)`.

    * `key`: identifies the data if they are not those on screen
    """
    digest = digest_of(key, f"{compute.__module__}.{compute.__qualname__}", arguments, options)
    return cast(R, _look_up(digest, compute, data, arguments, options))


def on_corpus(compute: Callable[Concatenate[kp.Corpus, P], R], *arguments: P.args, **options: P.kwargs) -> R:
    """Return the cached result of a function of the corpus on screen."""
    return call((workspace.corpus(),), "", compute, *arguments, **options)


def on_screen(compute: Callable[Concatenate[kp.Corpus, Settings, P], R], *arguments: P.args, **options: P.kwargs) -> R:
    """Return the cached result of a function of the corpus on screen and the current settings and cutoff."""
    return on_corpus(compute, at_cutoff(), *arguments, **options)


def at_cutoff() -> Settings:
    """Return the current settings with the cutoff as a number."""
    return in_use.settings().changed(k=in_use.cutoff())


def at_every_number() -> Settings:
    """Return the current settings at all numeric cutoffs and at the current cutoff."""
    return in_use.settings().changed(k=(*range(1, 51), in_use.cutoff()))


def without_cutoff() -> Settings:
    """Return the current settings without the cutoff, for results on annotators only."""
    return in_use.settings().changed(k="all", annotators="union")


def evaluation(measures: tuple[str, ...], baselines: bool = False, leave_one_out: bool = False) -> kp.Result:
    """Evaluate the data on screen at every cutoff; `result.at(k)` selects a cutoff.

    If N is a number too small for the longest lists, only cutoffs up to the current one are evaluated. The notes are
    those of the current cutoff; notes on the universe are kept only for measures of concordance tables.

    * `leave_one_out`: whether to leave out each annotator in turn, for the human ceiling
    """
    cutoff = in_use.cutoff()
    requested = in_use.settings().changed(k=(*ALL_CUTOFFS, cutoff))
    if leave_one_out and requested.average not in SUBJECT:  # people have no mean over subjects
        requested = requested.changed(annotators="others:majority" if requested.annotators == "majority" else "others")
    try:
        result = on_corpus(kp.evaluate, requested, measures, baselines=baselines)
    except kp.InputError:
        if not isinstance(cutoff, int):
            raise
        result = on_corpus(kp.evaluate, requested.changed(k=range(1, cutoff + 1)), measures, baselines=baselines)
    notes = evaluation_at_cutoff(("kappa",), None).notes
    if not any(parse(name).card.family == "concordance" for name in measures):
        notes = tuple(note for note in notes if note.where != "universe")
    return replace(result, notes=notes)


def evaluation_at_cutoff(measures: tuple[str, ...], average: str | None = "micro") -> kp.Result:
    """Evaluate at the current cutoff without intervals; without an average, that of the current settings is used."""
    settings = at_cutoff().changed(interval="none")
    return on_corpus(kp.evaluate, settings.changed(average=average) if average else settings, measures)


def compare_pairs(measure: str) -> kp.Comparison | None:
    """Compare all pairs of systems at the current cutoff; None if no test is possible."""
    with suppress(kp.UsageError):
        return on_screen(kp.compare, measure) if len(workspace.corpus().systems) > 1 else None
    return None


def over_k(measure: str) -> AllCutoffs | None:
    """Test the differences between systems in a measure at every cutoff."""
    return on_corpus(all_cutoffs, in_use.settings().changed(k=1), measure)


def answer() -> kp.Answer:
    """Answer which system is better, by the current measure and cutoff."""
    comparisons_over_k = over_k(in_use.value("measure")) if len(workspace.corpus().systems) > 1 else None
    return call((workspace.corpus(), comparisons_over_k), "", _compute_answer, at_cutoff(), in_use.value("measure"))


def _compute_answer(corpus: kp.Corpus, over: AllCutoffs | None, settings: Settings, measure: str) -> kp.Answer:
    return kp.answer(corpus, settings, measure, over=over)


def signature(measure: str) -> str:
    """Return the signature of a measure's values per document at the current cutoff."""
    return evaluation_at_cutoff((measure,), None).signature


def near_misses() -> kp.NearMisses:
    """Return how the predictions up to the current cutoff relate to the gold standard."""
    settings = at_cutoff()
    return _near_misses(digest_of(settings), settings)


def sensitivity(measure: str) -> kp.Sensitivity:
    """Return the values of a measure at the current cutoff under other conventions; all cutoffs are cached together."""
    requested = at_every_number()  # N as a number may be too small for cutoffs above the current one
    at_all = on_corpus(sensitivities, at_cutoff() if requested.universe.isdigit() else requested, measure)
    return at_all.at(in_use.cutoff())


def agreement() -> kp.Result:
    """Measure how well the annotators agree."""
    return on_corpus(kp.agreement, without_cutoff())


def annotated_documents() -> pd.DataFrame:
    """Return the agreement of the annotators per document."""
    return on_corpus(agreement_by_document, without_cutoff())


def trimming_curve(corpus: kp.Corpus, settings: Settings, pooled: bool) -> tuple[pd.DataFrame, str]:
    """Return the scores of the systems at every threshold of agreement, and their signature."""
    data = prepare(corpus, settings)
    levels = on_corpus(kp.trim, without_cutoff(), 0.5, pooled=pooled, form="binary").levels
    trimmed_settings = data.settings.changed(trim=f"every-binary{'-pooled' if pooled else ''}")
    return curve(data, levels), kp.signature(trimmed_settings, len(data.documents))
