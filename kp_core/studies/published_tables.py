"""Recover concordance tables from printed kappa, P_pos, P_neg and PABAK.

The four numbers have three degrees of freedom, so they can be contradictory, and they do not show which side chose
more. Rounding is propagated as intervals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from kp_core.errors import Note, UsageError, input_error
from kp_core.scoring.codes import Floats
from kp_core.scoring.order import reaches
from kp_core.studies import WORDS
from kp_core.studies.result import Numbers

#: Grid points over the interval of b + c, and over that of a at each of them.
_STEPS = (2001, 101)
#: The lecture-keyword evaluation section as printed: kappa, P_pos, P_neg, PABAK of six systems.
LECTURE_SYSTEMS: dict[str, tuple[str, ...]] = {name: tuple(row) for name, row in WORDS["lecture_systems"].items()}


@dataclass(frozen=True)
class Span:
    """The lowest and the highest possible value."""

    low: float
    high: float


@dataclass(frozen=True)
class Recovered:
    """Bounds of the concordance tables that give the printed values, as shares of N.

    both, neither, apart   cells a and d, and b + c
    larger, smaller        shares of “yes” of the side that chose more, and of the other
    precision_max          highest possible precision if the system is the smaller side
    """

    both: Span
    apart: Span
    neither: Span
    larger: Span
    smaller: Span
    precision_max: float


def recover(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Recovered | None:
    """Return the concordance tables that give printed values, or None if no table gives all four.

    Values are strings such as ".178", whose digits determine the rounding.

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
    k, pos, neg, pabak = (_rounded(text) for text in (kappa, P_pos, P_neg, PABAK))
    # bounds of b + c from PABAK, and from P_pos with P_neg; each value of b + c bounds a by P_pos and P_neg
    fewest = max((1 - pabak.high) / 2, 1 / (1 + _cell_ratio(pos.high) + _cell_ratio(neg.high)), 0.0)
    largest = min((1 - pabak.low) / 2, 1 / (1 + _cell_ratio(pos.low) + _cell_ratio(neg.low)), 1.0)
    if fewest > largest:
        return None
    apart = np.linspace(fewest, largest, _STEPS[0])
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
    ends = [2 * (mean**2 + (1 - mean) ** 2 - expected) for expected in chance]
    low_bias, high_bias = np.maximum(ends[0], 0.0), np.minimum(ends[1], apart**2)
    possible = low_bias <= high_bias
    if not possible.any():
        return None
    both, apart, neither, mean = (np.broadcast_to(x, possible.shape)[possible] for x in (both, apart, neither, mean))
    least, most = np.sqrt(low_bias[possible]), np.sqrt(high_bias[possible])
    smaller = Span(float((mean - most / 2).min()), float((mean - least / 2).max()))
    larger = Span(float((mean + least / 2).min()), float((mean + most / 2).max()))
    precision_max = float(np.max(both / np.maximum(mean - most / 2, 1e-300)))
    return Recovered(_span(both), _span(apart), _span(neither), larger, smaller, precision_max)


def spans(table: Recovered) -> pd.DataFrame:
    """Return the lowest and highest possible percentage of all phrases, one row per share."""
    named = {
        "both chose it (a)": table.both,
        "one side alone chose it (b + c)": table.apart,
        "neither chose it (d)": table.neither,
        "chosen by the side that chose more": table.larger,
        "chosen by the other side": table.smaller,
    }
    rows = [(name, 100 * span.low, 100 * span.high) for name, span in named.items()]
    return pd.DataFrame(rows, columns=["share of all phrases", "at least, %", "at most, %"])


def recovered(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Numbers:
    """Return the result of `recover` as rows, in percent of all phrases; raises InputError if no table fits."""
    printed = {"kappa": kappa, "P_pos": P_pos, "P_neg": P_neg, "PABAK": PABAK}
    if (table := recover(kappa, P_pos, P_neg, PABAK)) is None:
        raise input_error("the printed values", "no table")
    notes = tuple(Note("info", "recover", words) for words in remarks(table, lecture=False))
    return Numbers(spans(table), printed, notes, concordance=False, caption="Recovered tables", kind="recover")


def remarks(table: Recovered, lecture: bool) -> list[str]:
    """Describe the implications of a recovered table; lecture: whether it is one of `LECTURE_SYSTEMS`."""
    messages = ["The four values do not show which side chose more."]
    if table.precision_max < 0.5:
        text = f"If the system chose fewer phrases, its precision is at most {table.precision_max:.2f}"
        messages.append(f"{text}, so the empty baseline has a higher PABAK.")
    if lecture and (gold := _lecture_gold()):
        text = f"All six systems fit one gold standard of {100 * gold.low:.2f} to {100 * gold.high:.2f}% of all phrases"
        messages.append(f"{text}, but no common list length: they did not choose equally many.")
    return messages


@cache
def _lecture_gold() -> Span | None:
    return common_gold(filter(None, (recover(*printed) for printed in LECTURE_SYSTEMS.values())))


def common_gold(tables: Iterable[Recovered]) -> Span | None:
    """Return the share of gold keyphrases consistent with all systems, if gold is the larger side of each."""
    larger = [table.larger for table in tables]
    low, high = max(span.low for span in larger), min(span.high for span in larger)
    return Span(low, high) if low <= high else None


def _rounded(text: str) -> Span:
    """Return the values that round to a printed number: half a unit of the last digit around it."""
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a number; write the value as printed, such as .178") from None
    if not -1 <= value <= 1:
        raise UsageError(f"{text} is outside -1 to 1; write the value as printed, such as .178")
    half = 0.5 * 10.0 ** -len(str(text).strip().partition(".")[2])
    return Span(max(value - half, -1.0), min(value + half, 1.0))


def _cell_ratio(agreement: float) -> float:
    """Return a cell as a multiple of b + c, given its agreement."""
    return 0.0 if agreement <= 0 else agreement / (2 * (1 - agreement)) if agreement < 1 else float("inf")


def _share(agreement: float, apart: Floats) -> Floats:
    """Return the cell x with agreement x / (x + (b+c)/2)."""
    odds = _cell_ratio(agreement)
    return apart * odds if odds < float("inf") else np.full_like(apart, np.inf)


def _span(values: Floats) -> Span:
    return Span(float(values.min()), float(values.max()))
