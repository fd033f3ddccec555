"""Turn a corpus, a similarity and a threshold into soft precision, recall, F1 and soft concordance tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import Note, UsageError
from kp_core.scoring.codes import Coded, CodedRun, Floats, Identities, Ints, code, identify
from kp_core.scoring.counts import Counts, count, distinct_choices
from kp_core.scoring.gold import Gold, gather
from kp_core.scoring.hits import Terms, ordered_terms
from kp_core.scoring.match import Lists, prepare
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import Counted, table_conventions
from kp_core.scoring.universe import sizes
from kp_core.settings import Settings, signature
from kp_core.similarity import Choices, Scorer
from kp_core.similarity import parse as parse_similarity
from kp_core.similarity.assignment import soft_gains
from kp_core.studies.evaluate import averaged_rows, resolve, weights_of
from kp_core.studies.phrase_pairs import Facing, face, phrases_of, recipe_of
from kp_core.studies.result import ROW_COLUMNS


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


@dataclass(frozen=True)
class SoftResult:
    """Rows as in `Result.frame`, with what they were made by."""

    frame: pd.DataFrame
    soft: Soft
    settings: Settings
    notes: tuple[Note, ...]
    documents: int
    agreement: bool
    choices: dict[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The recipe in one line; the field `soft` tells it from an exact evaluation."""
        said = [f"{name}={quote(str(value))}" for name, value in sorted(self.choices.items()) if name != "texts"]
        return f"{signature(self.settings, self.documents, self.agreement)}|soft:{','.join([str(self.soft), *said])}"


def soft_evaluate(
    corpus: Corpus,
    settings: Settings,
    soft: Soft | str = "R-precision",
    measures: Sequence[str] = ("P@k", "R@k", "F1@k"),
    **choices: Any,
) -> SoftResult:
    """Evaluate every system, a prediction counting where it is similar enough to a keyphrase nobody else took.

    soft      what counts, or a name of `SOFT_PRESETS`
    measures  overlap and concordance measures of `kp.MEASURES`
    choices   of `similarity`: preset, direction, normalise, texts, synonyms, model

    Source: best one-to-one assignment, Kuhn 1955; soft cardinality is not used, so that no pair counts twice.
    """
    soft = _named(soft)
    asked = [parse(name) for name in measures]
    for one in asked:
        if one.measure.family == "ranking":
            raise UsageError(f"'{one.name()}' has no soft form; choose P@k, R@k, F1@k or a concordance measure")
    settings, notes = resolve(corpus, settings)
    agreement = any(one.measure.family == "concordance" for one in asked)
    cutoffs = [*settings.cutoffs, *(one.fixed for one in asked if one.fixed is not None)]
    deepest = max((k for k in cutoffs if isinstance(k, int)), default=0)
    whole = any(not isinstance(k, int) for k in cutoffs)
    counted = soft_counts(corpus, settings, soft, agreement, None if whole else deepest, **choices)
    weights = weights_of([counted], settings, code(corpus).documents)
    rows = [
        row
        for system, both in counted.items()
        for row in averaged_rows(system, [both], asked, settings.cutoffs, weights, settings)
    ]
    frame = pd.DataFrame(rows, columns=list(ROW_COLUMNS))
    frame["k"] = pd.Series([row["k"] for row in rows], dtype=object)
    return SoftResult(frame, soft, settings, tuple(notes), len(code(corpus).documents), agreement, choices)


def _named(soft: Soft | str) -> Soft:
    if isinstance(soft, Soft):
        return soft
    if soft not in SOFT_PRESETS:
        raise UsageError(f"there is no soft matching '{soft}'; choose one of: {', '.join(SOFT_PRESETS)}")
    return SOFT_PRESETS[soft]


def soft_counts(
    corpus: Corpus, settings: Settings, soft: Soft, agreement: bool = True, deepest: int | None = None, **choices: Any
) -> dict[str, Counted]:
    """Return the counts of every system under resolved settings, with soft hits in place of hits.

    Lists, gold sizes and N are those of the evaluation; concordance tables count pairs, whatever `hits` says. Nothing
    is looked at beyond the rank `deepest` (None: whole lists).
    """
    record = settings.conventions
    if record.ties == "expected":
        raise UsageError("soft matching looks at one order; choose ties = stable or trec")
    coded, identities = code(corpus), identify(corpus, record)
    universe = sizes(corpus, settings.universe, record) if agreement else np.zeros(len(coded.documents))
    recipe = recipe_of(record, soft.stemmer)
    own: dict[str, Any] = {"stemmer": recipe.stemmer}
    if corpus.has_texts:
        own["texts"] = corpus.documents["text"].dropna().tolist()
    phrases, stemmed = phrases_of(coded, record)
    scorer = Scorer(phrases, replace(Choices.of(own | choices), base=recipe), stemmed)
    counted = {}
    for system, run in coded.runs.items():
        ways = [record] if not agreement else [record, table_conventions(record)]
        made = []
        for tables, conventions in enumerate(ways):
            gold = gather(coded, identities, conventions, settings.annotators)
            lists = prepare(run, corpus.rankings[system], identities, conventions)
            if tables:
                lists = distinct_choices(lists, gold[0])
            counts = count(lists, run.listed, *gold, universe, conventions)
            pairs = bool(tables) or soft.hits == "count"
            counts = replace(counts, deepest=deepest)
            made.append(_softened(counts, coded, run, lists, identities, gold[0], scorer, soft, pairs))
        counted[system] = Counted(made[0], made[-1])
    return counted


def _softened(
    counts: Counts,
    coded: Coded,
    run: CodedRun,
    lists: Lists,
    identities: Identities,
    gold: Gold,
    scorer: Scorer,
    soft: Soft,
    as_pairs: bool,
) -> Counts:
    facing = face(coded, run, lists, identities, gold, counts.conventions)
    rows = ~lists.repeated
    if counts.deepest is not None:
        rows &= facing.rank <= counts.deepest
    allowed = allowed_pairs(facing, scorer, soft, rows)
    gain, pairs = soft_gains(*allowed, len(facing.document))
    return replace(counts, terms=_terms(facing, pairs if as_pairs else gain), judged=None)


def _terms(facing: Facing, gain: Floats) -> Terms:
    rows = np.flatnonzero(gain)
    return ordered_terms(facing.document[rows], facing.rank[rows], gain[rows], gain[rows])


def allowed_pairs(facing: Facing, scorer: Scorer, soft: Soft, rows: Any) -> tuple[Ints, Ints, Floats]:
    """Return row, gold item and similarity of all pairs that reach tau; of an item's spellings the best counts."""
    asked = parse_similarity(soft.similarity)
    # NIST counts over all references together, and measures of whole columns prepare themselves once.
    at_once = asked.measure.name == "NIST" or asked.measure.level == "pairs"
    found: list[tuple[Ints, Ints, Floats]] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for row, spelling in facing.pairs(rows, at_once):
        value = scorer.score([soft.similarity], facing.spelling[spelling], facing.phrase[row]).table[:, 0]
        enough = value >= soft.tau - 1e-12
        found.append((row[enough], facing.item[spelling[enough]], value[enough]))
    row, item, value = (np.concatenate(column) for column in zip(*found, strict=True))
    if len(facing.item) == len(facing.gold.grade):
        return row, item, value
    order = np.lexsort((-value, item, row))
    row, item, value = row[order], item[order], value[order]
    first = (np.diff(row, prepend=-1) != 0) | (np.diff(item, prepend=-1) != 0)
    return row[first], item[first], value[first]
