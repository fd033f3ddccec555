"""Recover concordance tables from printed kappa, P_pos, P_neg and PABAK.

The four values have three degrees of freedom, so they can contradict each other, and they do not show which side
chose more. Rounding is propagated as intervals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from kp_core.errors import Note, UsageError, input_error
from kp_core.scoring.codes import Floats
from kp_core.scoring.order import reaches
from kp_core.studies import WORDS
from kp_core.studies.result import Numbers

#: Number of grid points for b + c, and for a at each value of b + c.
_STEPS = (2001, 101)
#: System of the lecture-keyword evaluation → kappa, P_pos, P_neg and PABAK as printed.
LECTURE_SYSTEMS: dict[str, tuple[str, ...]] = {name: tuple(row) for name, row in WORDS["lecture_systems"].items()}


class Span(NamedTuple):
    """The lowest and the highest possible value."""

    low: float
    high: float

    @classmethod
    def of(cls, lowest: Floats, highest: Floats) -> Span:
        """Return the span from the least value of `lowest` to the largest value of `highest`."""
        return cls(float(lowest.min()), float(highest.max()))


class Recovered(NamedTuple):
    """Bounds of the concordance tables that give the printed values, as shares of N.

    * `both`, `neither`, `apart`: cells a and d, and b + c
    * `larger`, `smaller`: share of phrases chosen by the side that chose more, and by the other side
    * `precision_max`: highest possible precision if the system chose fewer
    """

    both: Span
    apart: Span
    neither: Span
    larger: Span
    smaller: Span
    precision_max: float


def recover(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Recovered | None:
    """Return bounds of the concordance tables that give printed values, or None if no table gives all four.

    Values are strings such as ".178"; the number of digits determines the rounding.

    References
    ----------
    Byrt, Bishop & Carlin 1993, whose identities are solved for the table.

    Examples
    --------
    >>> found = recover(".178", ".200", ".973", ".896")
    >>> round(found.larger.low, 3), round(found.larger.high, 3)
    (0.044, 0.048)
    >>> recover(".9", ".200", ".973", ".896") is None
    True
    """
    k, pos, neg, pabak = (_rounding_span(text) for text in (kappa, P_pos, P_neg, PABAK))
    # bounds of b + c from PABAK, and from P_pos with P_neg; each value of b + c bounds a by P_pos and P_neg
    smallest = max((1 - pabak.high) / 2, 1 / (1 + _odds(pos.high) + _odds(neg.high)), 0.0)
    largest = min((1 - pabak.low) / 2, 1 / (1 + _odds(pos.low) + _odds(neg.low)), 1.0)
    if smallest > largest:
        return None
    apart = np.linspace(smallest, largest, _STEPS[0])
    low, high = _share(pos.low, apart), _share(pos.high, apart)
    low = np.maximum(low, 1 - apart - _share(neg.high, apart))
    high = np.minimum(high, 1 - apart - _share(neg.low, apart))
    possible = reaches(high, low)
    if not possible.any():
        return None
    apart, low, high = apart[possible, None], low[possible, None], high[possible, None]
    both = low + (high - low) * np.linspace(0, 1, _STEPS[1])
    neither = np.maximum(1 - apart - both, 0.0)
    observed, mean = 1 - apart, both + apart / 2
    # the squared bias increases with kappa, and is between 0 and (b + c) squared
    chance = [(observed - end) / (1 - end) if end < 1 else np.full_like(observed, -np.inf) for end in (k.low, k.high)]
    squared_biases = [2 * (mean**2 + (1 - mean) ** 2 - expected) for expected in chance]
    low_bias, high_bias = np.maximum(squared_biases[0], 0.0), np.minimum(squared_biases[1], apart**2)
    possible = low_bias <= high_bias
    if not possible.any():
        return None
    both, apart, neither, mean = (np.broadcast_to(x, possible.shape)[possible] for x in (both, apart, neither, mean))
    least, most = np.sqrt(low_bias[possible]) / 2, np.sqrt(high_bias[possible]) / 2
    sides = Span.of(mean + least, mean + most), Span.of(mean - most, mean - least)
    precision_max = float(np.max(both / np.maximum(mean - most, 1e-300)))
    cells = Span.of(both, both), Span.of(apart, apart), Span.of(neither, neither)
    return Recovered(*cells, *sides, precision_max)


def spans(table: Recovered) -> pd.DataFrame:
    """Return one row per share of all phrases, with its lowest and highest possible percentage."""
    shares = (
        "both chose it (a)",
        "only one side chose it (b + c)",
        "neither chose it (d)",
        "chosen by the side that chose more",
        "chosen by the other side",
    )
    rows = [(name, 100 * low, 100 * high) for name, (low, high) in zip(shares, table[:5], strict=True)]
    return pd.DataFrame(rows, columns=["share of all phrases", "at least, %", "at most, %"])


def recover_table(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Numbers:
    """Return the result of `recover` as rows, in percent of all phrases; raises InputError if no table fits."""
    printed = {"kappa": kappa, "P_pos": P_pos, "P_neg": P_neg, "PABAK": PABAK}
    if (table := recover(kappa, P_pos, P_neg, PABAK)) is None:
        raise input_error("the printed values", "no table")
    notes = tuple(Note("info", "recover", words) for words in describe_recovered(table))
    return Numbers(spans(table), printed, notes, concordance=False, caption="Recovered tables", kind="recover")


def describe_recovered(table: Recovered) -> list[str]:
    """Return sentences on what the recovered tables imply."""
    messages = ["The four values do not show which side chose more."]
    if table.precision_max < 0.5:
        text = f"If the system chose fewer phrases, its precision is at most {table.precision_max:.2f}"
        messages.append(f"{text}, so the empty baseline has a higher PABAK.")
    return messages


def _rounding_span(text: str) -> Span:
    """Return the span of values that round to a printed number: up to half a unit of its last digit away."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not -1 <= value <= 1:
        raise UsageError(f"'{text}' is not a number from -1 to 1; write the value as printed, such as .178")
    half_unit = 0.5 * 10.0 ** -len(str(text).strip().partition(".")[2])
    return Span(max(value - half_unit, -1.0), min(value + half_unit, 1.0))


def _odds(agreement: float) -> float:
    """Return a cell x as a multiple of b + c, from its agreement x / (x + (b + c) / 2)."""
    return 0.0 if agreement <= 0 else agreement / (2 * (1 - agreement)) if agreement < 1 else np.inf


def _share(agreement: float, apart: Floats) -> Floats:
    odds = _odds(agreement)
    return apart * odds if odds < np.inf else np.full_like(apart, np.inf)
