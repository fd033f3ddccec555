"""Order values; values that differ by less than `EQUAL` count as equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kp_core.typeset import number

#: Values that differ by less count as equal; rounding errors are far smaller.
EQUAL = 1e-9


def reaches(value: Any, limit: Any) -> Any:
    """Return whether a value is greater than or equal to a limit (numbers or arrays); false for NaN.

    >>> reaches(0.1 * 3 - 0.2, 0.1), reaches(0.3, 0.1 + 0.2), reaches(0.3, 0.30001), reaches(float("nan"), 0)
    (True, True, False, False)
    """
    return value >= limit - EQUAL


def exceeds(value: Any, limit: Any) -> Any:
    """Return whether a value is greater than a limit (numbers or arrays); false for NaN.

    >>> exceeds(0.1 + 0.2, 0.3), exceeds(0.30001, 0.3)
    (False, True)
    """
    return value > limit + EQUAL


def close(value: Any, other: Any) -> Any:
    """Return whether two values are equal (numbers or arrays).

    >>> close(0.1 + 0.2, 0.3), close(0.30001, 0.3)
    (True, False)
    """
    return reaches(value, other) & reaches(other, value)


def leveled(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the values, with absolute values made identical if they differ only by rounding error.

    >>> leveled([0.35 - 0.30, 0.75 - 0.80, 0.1 + 0.2 - 0.3]).round(12).tolist()
    [0.05, -0.05, 0.0]
    >>> abs(0.35 - 0.30) == abs(0.75 - 0.80), len({*abs(leveled([0.35 - 0.30, 0.75 - 0.80]))})
    (False, 1)
    """
    array = np.asarray(values, np.float64)
    size = np.append(0.0, np.abs(array))
    order = np.argsort(size, kind="stable")
    ordered = size[order]
    with np.errstate(invalid="ignore"):  # the difference of infinite values is NaN
        begins = np.append(True, ~(np.diff(ordered) < EQUAL))
    size[order] = ordered[np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    return np.asarray(np.copysign(size[1:].reshape(array.shape), array) + 0.0)  # never −0.0


def best_first(values: Mapping[str, float]) -> list[str]:
    """Sort names by their values, highest first and undefined last; ties keep their order.

    >>> best_first({"a": 0.3, "b": float("nan"), "c": 0.1 + 0.2, "d": 0.4})
    ['d', 'a', 'c', 'b']
    """
    names: Sequence[str] = list(values)
    return [names[index] for index in np.argsort(-leveled(list(values.values())), kind="stable")]


def highest(values: Mapping[str, float]) -> list[str]:
    """Return the names with the highest value.

    >>> highest({"a": 0.3, "b": 0.1 + 0.2, "c": 0.2})
    ['a', 'b']
    """
    top = max(values.values())
    return [name for name, value in values.items() if reaches(value, top)]


def digits_apart(first: float, second: float) -> int:
    """Return the number of decimals that distinguish two values: three, or more if they are close.

    It is four if three would contradict the printed difference, as for 0.095 and 0.088, which differ by 0.008.

    >>> digits_apart(0.3, 0.2), digits_apart(0.2394, 0.2386), digits_apart(0.0954, 0.0876), digits_apart(0.2, 0.2)
    (3, 4, 4, 3)
    """
    digits, difference = 3, abs(first - second)
    shown_difference = abs(round(first, digits) - round(second, digits))
    digits += not close(shown_difference, round(difference, digits))
    while digits < 6 and exceeds(difference, 0) and number(first, digits) == number(second, digits):
        digits += 1
    return digits
