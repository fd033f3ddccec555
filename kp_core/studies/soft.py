"""Turn a corpus, a similarity and a threshold into soft precision, recall, F1 and soft concordance tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from kp_core.corpus import Corpus, whole_texts
from kp_core.errors import Note, UsageError
from kp_core.order import reaches
from kp_core.scoring.accumulate import Sums
from kp_core.scoring.alignment import ranked_lists, without_respellings
from kp_core.scoring.assignment import best_gains, soft_gains
from kp_core.scoring.candidate_pairs import CandidatePairs, candidate_pairs
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.counts import Counts, SystemCounts, count, table_settings
from kp_core.scoring.given import notes_on_given
from kp_core.scoring.gold import gather
from kp_core.scoring.hits import recalled_hits
from kp_core.scoring.measures import MEASURES, Asked, parse
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.settings import Settings, resolve_settings
from kp_core.similarity import Choices, Scorer
from kp_core.similarity import parse as parse_similarity
from kp_core.studies.evaluate import Query, add_systems, system_rows
from kp_core.studies.near_misses import phrases_of, recipe_of
from kp_core.studies.result import Result, result_frame


@dataclass(frozen=True)
class Soft:
    """When a prediction counts as a keyphrase, and for how much.

    similarity   measure of `kp.SIMILARITIES`; tau: the smallest value that counts
    hits         weighted: a pair counts with its similarity; count: it counts as one
    stemmer      of the stems; None: that of the evaluation's normaliser
    """

    similarity: str = "R-precision"
    tau: float = 0.8
    hits: str = "weighted"
    stemmer: str | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if not 0 < self.tau < float("inf"):
            raise UsageError(f"tau is {self.tau}; write a number above 0")
        if self.hits not in ("weighted", "count"):
            raise UsageError(f"hits is '{self.hits}'; choose weighted or count")

    def __str__(self) -> str:
        stems = f"-{self.stemmer}" if self.stemmer else ""
        return f"{self.similarity}-{self.tau:g}-{self.hits}{stems}"


#: Named choices: as in the evaluation; after Zesch & Gurevych 2009; half of the words; form and meaning (the notes).
SOFT_PRESETS: dict[str, Soft] = {
    "exact": Soft("stem-exact", 1.0, "count"),
    "MORPH": Soft("match", 1.0, "count", "porter-nltk"),
    "INCLUDE": Soft("match(accept=include)", 1.0, "count"),
    "R-precision": Soft("R-precision", 0.5),
    "form and meaning": Soft("combined", 0.5),
}


@dataclass(frozen=True, kw_only=True)
class SoftResult(Result):
    """Rows as in `Result.frame`, with what they were made by."""

    soft: Soft = field(default_factory=Soft)
    choices: dict[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The recipe in one line; the field `soft` tells it from an exact evaluation."""
        said = [
            f"{name}={quote(str(value))}"
            for name, value in sorted(self.choices.items())
            if name not in ("texts", "vocabulary")
        ]
        return f"{super().signature}|soft:{','.join([str(self.soft), *said])}"


def soft_evaluate(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    soft: Soft | str = "R-precision",
    measures: Sequence[str] = ("P@k", "R@k", "F1@k"),
    **choices: Any,
) -> SoftResult:
    """Evaluate every system, a prediction counting where it is similar enough to a keyphrase.

    soft      what counts, or a name of `SOFT_PRESETS`
    measures  overlap and concordance measures of `kp.MEASURES`, and Rprec
    choices   of `similarity`: preset, direction, normalise, texts, synonyms, model

    Under matching = one-to-one a keyphrase counts for one prediction, under best for all; then P, R, F1 and Rprec alone
    exist.

    Source: best one-to-one assignment, Kuhn 1955; soft cardinality is not used, so that no pair counts twice.
    """
    if isinstance(soft, str):
        if soft not in SOFT_PRESETS:
            raise UsageError(f"there is no soft matching '{soft}'; choose one of: {', '.join(SOFT_PRESETS)}")
        soft = SOFT_PRESETS[soft]
    asked = [parse(name) for name in measures]
    for one in asked:
        if one.measure.family not in ("overlap", "concordance") and one.measure.name != "Rprec":
            raise UsageError(f"'{one.name()}' has no soft form; choose P@k, R@k, F1@k, Rprec or a concordance measure")
    settings, notes = resolve_settings(corpus, settings, {}), list[Note]()
    if settings.by_concept == "yes":
        settings = settings.changed(by_concept="no")
        notes.append(Note("warning", "concepts", "soft matching compares spellings, so identifiers have no effect"))
    data = prepare(corpus, settings)
    settings, notes = data.settings, [*data.notes, *notes]
    if parse_similarity(soft.similarity).measure.name == "given":
        notes += notes_on_given(corpus, data.coded, settings)
    if settings.matching == "best":
        asked = [_best(one) for one in asked]
    concordance = any(one.of_tables for one in asked)
    cutoffs = [*settings.k, *(one.fixed for one in asked if one.fixed is not None)]
    deepest = max((k for k in cutoffs if isinstance(k, int)), default=0)
    whole = any(not isinstance(k, int) for k in cutoffs)
    counted = soft_counts(data, soft, concordance, None if whole else deepest, **choices)
    sums = Sums()
    query = Query(data.names, settings, asked)
    add_systems(sums, data, [counted], query)
    rows = system_rows(sums, query)
    frame, documents = result_frame(rows), len(data.documents)
    return SoftResult(frame, settings, tuple(notes), documents, concordance, soft=soft, choices=choices)


#: Measures whose soft form, where each side counts with the best of the other, is that of a measure by meaning.
_BEST = {"P@k": "SemP@k", "R@k": "SemR@k", "F1@k": "SemF1@k", "Rprec": "SemRprec"}


def _best(asked: Asked) -> Asked:
    """Return a measure in this form, under its own name."""
    if asked.measure.name not in _BEST:
        raise UsageError(f"'{asked.name()}' counts pairs, which matching = best does not make; choose one-to-one")
    return replace(asked, measure=replace(MEASURES[_BEST[asked.measure.name]], name=asked.measure.name))


def soft_counts(
    data: Prepared, soft: Soft, concordance: bool = True, deepest: int | None = None, **choices: Any
) -> dict[str, SystemCounts]:
    """Return the counts of every system, with soft hits in place of hits.

    Lists, gold sizes and N are those of the evaluation; concordance tables count pairs, whatever `hits` says. Nothing
    is looked at beyond the rank `deepest` (None: whole lists).
    """
    settings, coded, corpus = data.settings, data.coded, data.corpus
    if settings.ties == "expected":
        raise UsageError("soft matching looks at one order; choose ties = stable or trec")
    universe = data.universe if concordance else np.zeros(len(coded.documents))
    recipe = recipe_of(settings, soft.stemmer)
    own: dict[str, Any] = {"stemmer": recipe.stemmer, "vocabulary": corpus.vocabulary}
    if corpus.has_texts:
        own["texts"] = whole_texts(corpus.documents, settings.titles == "yes")
    phrases, stemmed = phrases_of(coded, settings)
    scorer = Scorer(phrases, replace(Choices.of(own | choices), base=recipe), stemmed)
    counted = {}
    for system, run in coded.runs.items():
        kinds = []
        for tables, under in enumerate([settings, table_settings(settings)] if concordance else [settings]):
            gold = gather(coded, data.identities, under)
            lists = ranked_lists(run, data.identities, under)
            if tables:
                lists = without_respellings(lists, gold[0])
            counts = replace(count(lists, run.listed, *gold, universe, under), deepest=deepest)
            pairs = bool(tables) or soft.hits == "count"
            kinds.append(
                _softened(counts, candidate_pairs(data, run, lists, gold[0]), ~lists.repeated, scorer, soft, pairs)
            )
        counted[system] = SystemCounts({"exact": kinds[0], "sets": kinds[-1], "given": kinds[0]})
    return counted


def _softened(
    counts: Counts, candidates: CandidatePairs, rows: Bools, scorer: Scorer, soft: Soft, as_pairs: bool
) -> Counts:
    """Return the counts with the hits of the best assignment among some rows."""
    if counts.deepest is not None:
        rows &= candidates.rank <= counts.deepest
    row, item, value = allowed_pairs(candidates, scorer, soft, rows)
    if counts.settings.matching == "best":
        weight = np.ones(len(value)) if as_pairs else value
        gain, recalled = best_gains(row, item, weight, len(candidates.document))
    else:
        gain, pairs = soft_gains(row, item, value, len(candidates.document))
        gain = recalled = pairs if as_pairs else gain
    return replace(counts, hits=recalled_hits(candidates.document, candidates.rank, gain, recalled), judged=None)


def allowed_pairs(candidates: CandidatePairs, scorer: Scorer, soft: Soft, rows: Any) -> tuple[Ints, Ints, Floats]:
    """Return row, gold item and similarity of all pairs that reach tau; of an item's spellings the best counts."""
    asked = parse_similarity(soft.similarity)
    # NIST counts over all references together, and measures of whole columns prepare themselves once.
    at_once = asked.measure.name == "NIST" or asked.measure.level == "pairs"
    found: list[tuple[Ints, Ints, Floats]] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for row, spelling in candidates.pairs(rows, at_once):
        value = scorer.score([soft.similarity], candidates.spelling[spelling], candidates.phrase[row]).table[:, 0]
        enough = reaches(value, soft.tau)
        found.append((row[enough], candidates.item[spelling[enough]], value[enough]))
    row, item, value = (np.concatenate(column) for column in zip(*found, strict=True))
    if len(candidates.item) == len(candidates.gold.grade):
        return row, item, value
    order = np.lexsort((-value, item, row))
    row, item, value = row[order], item[order], value[order]
    first = (np.diff(row, prepend=-1) != 0) | (np.diff(item, prepend=-1) != 0)
    return row[first], item[first], value[first]
