"""Turn the sizes of two label sets, and of what they have in common, into their similarity, of which alpha is made."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.registry import measure


@measure("alpha-Jaccard")
def jaccard(common: Floats, one: Floats, two: Floats) -> Floats:
    """Return the share of the union that is common, of sets (n,) that have something in common.

    >>> jaccard(np.array([1.0]), np.array([2.0]), np.array([3.0])).tolist()
    [0.25]
    """
    return common / (one + two - common)


@measure("alpha-MASI")
def masi(common: Floats, one: Floats, two: Floats) -> Floats:
    """Return the same times 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap.

    >>> masi(np.array([1.0, 2.0]), np.array([2.0, 2.0]), np.array([2.0, 3.0])).round(4).tolist()
    [0.1111, 0.4444]
    """
    monotone = np.select([common == np.maximum(one, two), common == np.minimum(one, two)], [1.0, 2 / 3], 1 / 3)
    return np.asarray(jaccard(common, one, two) * monotone)
