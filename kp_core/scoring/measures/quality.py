"""Turn lists as they were returned into how long they are, and how much in them repeats, or stands in the text."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, cast

import numpy as np

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.hits import ListRows
from kp_core.scoring.measures.registry import measure

if TYPE_CHECKING:
    from kp_core.scoring.counts import View

measure("returned@k")(attrgetter("returned"))


@measure("size-error@k")
def size_error(at: View) -> Floats:
    """Return |returned - gold size|."""
    return np.abs(at.returned - at.size)


@measure("duplicate-phrases@k")
def duplicate_phrases(at: View) -> Floats:
    """Return repeats / returned; NaN for an empty list."""
    return ratio(at.total(cast(ListRows, at.counts.hits).repeated), at.returned, np.nan)


@measure("duplicate-words@k")
def duplicate_words(at: View) -> Floats:
    """Return words that stand earlier in the list / words; 1 for an empty list."""
    row = cast(ListRows, at.counts.hits)
    return ratio(at.total(row.repeated_words), at.total(row.words), 1.0)


@measure("present@k")
def present(at: View) -> Floats:
    """Return phrases in the text / returned; NaN for an empty list, or without a text."""
    return ratio(at.total(cast(ListRows, at.counts.hits).present), at.returned, np.nan)


@measure("self-similarity@k")
def self_similarity(at: View) -> Floats:
    """Return the mean similarity of all pairs of a list, 1 for one phrase; NaN for none, or without a similarity."""
    n, alike = at.returned, at.total(cast(ListRows, at.counts.hits).alike)
    return np.where(n == 1, 1 + alike, ratio(alike, n * (n - 1) / 2, np.nan))
