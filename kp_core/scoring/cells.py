"""Define the counts from which overlap and concordance measures are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

import numpy as np

from kp_core.scoring.codes import Floats, Ints

#: Fields of `Cells`, in order.
CELLS = ("hits", "returned", "size", "universe", "denominator")


@dataclass(frozen=True)
class Cells:
    """Counts per document, or sums of such counts, as arrays of one shape.

    * `hits`, `returned`, `size`, `universe`: gold items found (cell a), phrases returned, gold items, possible phrases
    * `denominator`: the denominator of precision, which depends on a convention
    """

    hits: Floats
    returned: Floats
    size: Floats
    universe: Floats
    denominator: Floats

    @cached_property
    def gold_only(self) -> Floats:
        """Cell b: only in the gold standard."""
        return self.size - self.hits

    @cached_property
    def system_only(self) -> Floats:
        """Cell c: only in the system's list."""
        return self.returned - self.hits

    @cached_property
    def neither(self) -> Floats:
        """Cell d: in neither."""
        return self.universe - self.size - self.returned + self.hits

    def mapped(self, change: Callable[[Floats], Floats]) -> Self:
        """Return the counts with a function applied to every array."""
        return type(self)(*map(change, self.arrays()))

    def arrays(self) -> list[Floats]:
        """Return all arrays, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]


def ratio(numerator: Floats, denominator: Floats | Ints, empty: float = 0.0) -> Floats:
    """Return the quotient, or `empty` if the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    zero = denominator == 0
    if not zero.any():
        return np.asarray(numerator / denominator)
    return np.where(zero, empty, numerator / np.where(zero, 1, denominator))
