"""Compute soft precision, recall, F1 and concordance tables from a similarity and a threshold."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from kp_core.corpus import Corpus, whole_texts
from kp_core.errors import Note, UsageError
from kp_core.scoring.accumulate import Sums
from kp_core.scoring.alignment import recalled_hits
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts
from kp_core.scoring.measures import MEASURES, Measure, names_in, parse
from kp_core.scoring.measures.registry import Matcher
from kp_core.scoring.order import reaches
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.semantic import CandidatePairs, best_gains, candidate_pairs, notes_on_similarities, soft_gains
from kp_core.scoring.systems import count_unchecked
from kp_core.settings import Settings, resolve_settings
from kp_core.similarity import Scorer, SimilarityOptions
from kp_core.similarity import parse as parse_similarity
from kp_core.studies.evaluate import Query, add_systems, system_rows
from kp_core.studies.near_misses import phrases_of, tokenization_of
from kp_core.studies.result import Result, result_frame


@dataclass(frozen=True)
class Soft:
    """Definition of soft hits and their weights.

    Attributes
    ----------
    similarity : str
        Measure of `kp.SIMILARITIES`.
    tau : float
        Lowest similarity that counts as a hit.
    hits : "weighted" or "count"
        Whether a pair counts as its similarity or as 1.
    stemmer : str or None
        Stemmer; by default that of the evaluation.
    """

    similarity: str = "R-precision"
    tau: float = 0.8
    hits: str = "weighted"
    stemmer: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.tau < float("inf"):
            raise UsageError(f"tau is {self.tau}; write a number above 0")
        if self.hits not in ("weighted", "count"):
            raise UsageError(f"hits is '{self.hits}'; choose weighted or count")

    def __str__(self) -> str:
        stems = f"-{self.stemmer}" if self.stemmer else ""
        return f"{self.similarity}-{self.tau:g}-{self.hits}{stems}"


#: exact: as in the evaluation; MORPH and INCLUDE: Zesch & Gurevych 2009.
SOFT_PRESETS: dict[str, Soft] = {
    "exact": Soft("stem-exact", 1.0, "count"),
    "MORPH": Soft("match", 1.0, "count", "porter-nltk"),
    "INCLUDE": Soft("match(accept=include)", 1.0, "count"),
    "R-precision": Soft("R-precision", 0.5),
    "form and meaning": Soft("combined", 0.5),
}


@dataclass(frozen=True, kw_only=True)
class SoftResult(Result):
    """Result of soft matching: rows as in `Result.frame`, with the settings of the matching."""

    soft: Soft = field(default_factory=Soft)
    choices: dict[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The signature in one line; its field `soft` distinguishes it from that of an exact evaluation."""
        choices = {name: value for name, value in self.choices.items() if name not in ("texts", "vocabulary")}
        fields = [f"{name}={quote(str(value))}" for name, value in sorted(choices.items())]
        return f"{super().signature}|soft:{','.join([str(self.soft), *fields])}"


def soft_evaluate(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    soft: Soft | str = "R-precision",
    measures: Sequence[str] | str = ("P@k", "R@k", "F1@k"),
    **choices: Any,
) -> SoftResult:
    """Evaluate all systems, counting predictions that are similar enough to a keyphrase.

    Under matching = one-to-one, a keyphrase counts for one prediction only; under best, it may count for several, and
    only P, R, F1 and Rprec are defined.

    Parameters
    ----------
    soft : Soft or str
        Definition of soft hits, or a name of `SOFT_PRESETS`.
    measures : sequence of str, or str
        Overlap and concordance measures of `kp.MEASURES`, and Rprec.
    **choices
        Options of `similarity`: preset, direction, normalise, texts.

    References
    ----------
    Best one-to-one assignment: Kuhn 1955.
    """
    if isinstance(soft, str):
        if soft not in SOFT_PRESETS:
            raise UsageError(f"there is no soft matching '{soft}'; choose one of: {', '.join(SOFT_PRESETS)}")
        soft = SOFT_PRESETS[soft]
    parsed = [parse(name) for name in names_in(measures)]
    for measure in parsed:
        if measure.card.family not in ("overlap", "concordance") and measure.card.name != "Rprec":
            defined = "P@k, R@k, F1@k, Rprec or a concordance measure"
            raise UsageError(f"'{measure.name()}' has no soft form; choose {defined}")
    settings, notes = resolve_settings(corpus, settings, {}), list[Note]()
    if settings.by_concept == "yes":
        settings = settings.changed(by_concept="no")
        notes.append(Note("warning", "concepts", "soft matching compares spellings, so identifiers have no effect"))
    data = prepare(corpus, settings)
    settings, notes = data.settings, [*data.notes, *notes]
    if parse_similarity(soft.similarity).card.name == "given":
        notes += notes_on_similarities(corpus, data.coded, settings)
    if settings.matching == "best":
        parsed = [_semantic_form(measure) for measure in parsed]
    cutoffs = [*settings.k, *(measure.fixed for measure in parsed if measure.fixed is not None)]
    numbers = [k for k in cutoffs if isinstance(k, int)]
    deepest = max(numbers) if len(numbers) == len(cutoffs) else None
    query = Query(parsed, names=data.names, settings=settings)
    sums, concordance = Sums(), "sets" in query.matchers
    system_counts = soft_counts(data, soft, query.matchers, deepest, **choices)
    add_systems(sums, data, [system_counts], query)
    frame, documents = result_frame(system_rows(sums, query)), len(data.documents)
    return SoftResult(frame, settings, tuple(notes), documents, concordance, soft=soft, choices=choices)


#: Measure → semantic measure that replaces it if each phrase counts with its most similar counterpart.
_SEMANTIC = {"P@k": "SemP@k", "R@k": "SemR@k", "F1@k": "SemF1@k", "Rprec": "SemRprec"}


def _semantic_form(measure: Measure) -> Measure:
    if measure.card.name not in _SEMANTIC:
        raise UsageError(f"'{measure.name()}' counts pairs, which matching = best does not form; choose one-to-one")
    return replace(measure, card=replace(MEASURES[_SEMANTIC[measure.card.name]], name=measure.card.name))


def soft_counts(
    data: Prepared, soft: Soft, matchers: Set[Matcher], deepest: int | None = None, **choices: Any
) -> dict[str, SystemCounts]:
    """Return system → counts with soft hits, up to rank `deepest` (None: complete lists).

    Concordance tables always count pairs as 1, regardless of `hits`.
    """
    settings, corpus = data.settings, data.corpus
    if settings.ties == "expected":
        raise UsageError("soft matching needs a single order; choose ties = stable or trec")
    tokenization = tokenization_of(settings, soft.stemmer)
    options: dict[str, Any] = {"stemmer": tokenization.stemmer, "vocabulary": corpus.vocabulary}
    if corpus.has_texts:
        options["texts"] = whole_texts(corpus.documents, settings.titles == "yes")
    phrases, stemmed = phrases_of(data.coded, settings)
    system_counts = dict[str, SystemCounts]()
    scorer = Scorer(phrases, replace(SimilarityOptions.of(options | choices), base=tokenization), stemmed)
    for system, kinds in count_unchecked(data, matchers & {"sets"}).items():
        by_matcher = dict[Matcher, Counts]()
        for matcher in {"exact", *matchers & {"sets"}}:
            counts = kinds.by_matcher[matcher]
            candidates = candidate_pairs(data, data.coded.runs[system], counts.alignment)
            rows = ~counts.alignment.lists.repeated
            if deepest is not None:
                rows &= candidates.rank <= deepest
            row, item, value = allowed_pairs(candidates, scorer, soft, rows)
            as_pairs, size = matcher == "sets" or soft.hits == "count", len(rows)
            if settings.matching == "best":
                gain, recalled = best_gains(row, item, np.ones(len(value)) if as_pairs else value, size)
            else:
                gain, pairs = soft_gains(row, item, value, size)
                gain = recalled = pairs if as_pairs else gain
            hits = recalled_hits(candidates.document, candidates.rank, gain, recalled)
            by_matcher[matcher] = replace(counts, hits=hits, judged=None, deepest=deepest)
        system_counts[system] = SystemCounts(by_matcher | {"given": by_matcher["exact"]})
    return system_counts


def allowed_pairs(candidates: CandidatePairs, scorer: Scorer, soft: Soft, rows: Bools) -> tuple[Ints, Ints, Floats]:
    """Return row, gold item and similarity of all pairs that reach tau, by each item's best spelling."""
    parsed = parse_similarity(soft.similarity)
    # NIST and measures of whole columns depend on all pairs
    all_together = parsed.card.name == "NIST" or parsed.card.level == "pairs"
    pairs: list[tuple[Ints, Ints, Floats]] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for row, spelling in candidates.pairs(rows, all_together):
        value = scorer.score([soft.similarity], candidates.spelling[spelling], candidates.phrase[row]).table[:, 0]
        enough = reaches(value, soft.tau)
        pairs.append((row[enough], candidates.item[spelling[enough]], value[enough]))
    row, item, value = candidates.by_item(*map(np.concatenate, zip(*pairs, strict=True)))
    return row, item, value
