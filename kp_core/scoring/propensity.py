"""Turn how many documents have a keyphrase or concept into the gain of finding them: the rarer, the more.

Source: Jain, Prabhu & Varma 2016, Extreme multi-label loss functions (inverse propensities, A = 0.55, B = 1.5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_A, _B = 0.55, 1.5


def inverse_propensity(n: NDArray[np.float64] | NDArray[np.int64], documents: float) -> NDArray[np.float64]:
    """Return 1 + C (n + B)^-A, where C = (ln N - 1)(B + 1)^A: the weight of labels that n of N documents have.

    Below e documents the logarithm is less than 1, and all weigh 1.

    >>> inverse_propensity(np.array([1.0, 100.0]), 1000).round(3).tolist()
    [6.908, 1.77]
    """
    c = (np.log(max(documents, np.e)) - 1) * (_B + 1) ** _A
    return np.asarray(1 + c * (n + _B) ** -_A)
