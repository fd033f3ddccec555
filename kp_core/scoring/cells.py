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
    """Counts of documents, or their sums; arrays of one shape.

    hits, returned, size, universe   gold items found, phrases returned, gold items, phrases that could be chosen
    denominator                      of precision, by convention
    """

    hits: Floats
    returned: Floats
    size: Floats
    universe: Floats
    denominator: Floats

    @cached_property
    def both(self) -> Floats:
        """Cell a: chosen by gold standard and system."""
        return self.hits

    @cached_property
    def gold_only(self) -> Floats:
        """Cell b: missed."""
        return self.size - self.hits

    @cached_property
    def system_only(self) -> Floats:
        """Cell c: spurious."""
        return self.returned - self.hits

    @cached_property
    def neither(self) -> Floats:
        """Cell d: rejected by both."""
        return self.universe - self.size - self.returned + self.hits

    def mapped(self, change: Callable[[Floats], Floats]) -> Self:
        """Return the counts with a function applied to every array."""
        return type(self)(*map(change, self.arrays()))

    def arrays(self) -> list[Floats]:
        """Return all arrays, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]


def ratio(above: Floats, below: Floats | Ints, empty: float = 0.0) -> Floats:
    """Divide; the result is `empty` if the divisor is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    zero = below == 0
    if not zero.any():
        return np.asarray(above / below)
    return np.where(zero, empty, above / np.where(zero, 1, below))
