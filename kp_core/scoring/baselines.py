"""Turn gold items and N into the counts of three systems that everybody can imagine: silent, random, best possible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.counts import Counts
from kp_core.scoring.gold import Gold
from kp_core.scoring.hits import Terms, ideal_terms, no_terms, random_terms
from kp_core.scoring.match import ranks
from kp_core.settings import Settings

#: Rows of the random baseline at the most; larger universes are followed only as far as the cutoffs ask.
_RANDOM_ROWS = 5_000_000


def silent_counts(gold: Gold, universe: Floats, settings: Settings, deepest: int) -> Counts:
    """Return the counts of the baseline that says nothing."""
    zero = np.zeros(len(gold.size), np.int64)
    return _baseline(no_terms(), zero, gold, universe, settings)


def random_counts(gold: Gold, universe: Floats, settings: Settings, deepest: int) -> Counts:
    """Return the counts expected of a random order of the whole universe: one tie over N phrases.

    Ranks beyond `deepest` (at least the largest cutoff asked for) are left out where the universe is very large.
    """
    length = np.maximum(universe.astype(np.int64), gold.size)
    deepest = max(deepest, int(gold.size.max(initial=0)))
    limit = np.minimum(length, deepest) if length.sum() > _RANDOM_ROWS else length
    document, rank = np.repeat(np.arange(len(length)), limit), ranks(limit)
    terms = random_terms(document, rank, length[document].astype(float), gold)
    return _baseline(terms, length, gold, universe, settings, None if limit is length else deepest)


def oracle_counts(gold: Gold, universe: Floats, settings: Settings, deepest: int) -> Counts:
    """Return the counts of the best list possible: all gold items first, highest grade first."""
    length = np.maximum(universe.astype(np.int64), gold.size)
    return _baseline(ideal_terms(gold), length, gold, universe, settings)


def _baseline(
    terms: Terms, length: Ints, gold: Gold, universe: Floats, settings: Settings, deepest: int | None = None
) -> Counts:
    documents = len(gold.size)
    return Counts(
        terms,
        ideal_terms(gold),
        gold.size,
        length,
        length,
        np.zeros(documents, np.int64),
        np.ones(documents, bool),
        gold.known,
        universe,
        settings,
        float(gold.grade.max(initial=0.0)),
        deepest=deepest,
    )


BASELINES: dict[str, Callable[[Gold, Floats, Settings, int], Counts]] = {
    "says nothing": silent_counts,
    "random k": random_counts,
    "oracle k": oracle_counts,
}
