"""Turn printed kappa, P_pos, P_neg and PABAK back into the concordance tables that they can come from.

The four numbers have three degrees of freedom, so they can contradict each other; and they leave open which side chose
more. Rounding is carried through as intervals.
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

#: Steps over the interval of b + c, and over that of a at each of them.
_STEPS = (2001, 101)
#: The lecture-keyword evaluation section as printed: kappa, P_pos, P_neg, PABAK of six systems.
LECTURE_SYSTEMS: dict[str, tuple[str, ...]] = {name: tuple(row) for name, row in WORDS["lecture_systems"].items()}


@dataclass(frozen=True)
class Span:
    """The smallest and the largest possible value."""

    low: float
    high: float


@dataclass(frozen=True)
class Recovered:
    """What a concordance table must look like to give the printed values, as shares of N.

    both, neither    cells a and d; apart: b + c
    larger, smaller  the shares of “yes” of the side that chose more and of the other; which is which stays open
    precision_max    the highest precision possible, where the smaller side is the system
    """

    both: Span
    apart: Span
    neither: Span
    larger: Span
    smaller: Span
    precision_max: float


def recover(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Recovered | None:
    """Return the concordance tables that give printed values, or None if no table gives all four.

    Values are strings such as ".178", whose digits define the rounding.

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
    # b + c as a share of N follows from PABAK; for each value of it, a lies where P_pos and P_neg allow.
    # P_pos and P_neg alone leave a span for it too, which is the narrower one where PABAK has fewer digits.
    fewest = max((1 - pabak.high) / 2, 1 / (1 + _odds(pos.high) + _odds(neg.high)), 0.0)
    largest = min((1 - pabak.low) / 2, 1 / (1 + _odds(pos.low) + _odds(neg.low)), 1.0)
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
    # The squared bias grows with kappa, so its ends are those of kappa; it must lie between 0 and (b + c) squared.
    ends = [2 * (mean**2 + (1 - mean) ** 2) - 2 * _chance(observed, end) for end in (k.low, k.high)]
    low_bias, high_bias = np.maximum(ends[0], 0.0), np.minimum(ends[1], apart**2)
    possible = low_bias <= high_bias
    if not possible.any():
        return None
    both, apart, neither, mean = (np.broadcast_to(x, possible.shape)[possible] for x in (both, apart, neither, mean))
    least, most = np.sqrt(low_bias[possible]), np.sqrt(high_bias[possible])
    smaller = Span(float((mean - most / 2).min()), float((mean - least / 2).max()))
    return Recovered(
        _span(both),
        _span(apart),
        _span(neither),
        Span(float((mean + least / 2).min()), float((mean + most / 2).max())),
        smaller,
        float(np.max(both / np.maximum(mean - most / 2, 1e-300))),
    )


def spans(found: Recovered) -> pd.DataFrame:
    """Return one row per share of all phrases, in per cent: the least and the most that it can be."""
    named = {
        "both chose it (a)": found.both,
        "one side alone chose it (b + c)": found.apart,
        "neither chose it (d)": found.neither,
        "chosen by the side that chose more": found.larger,
        "chosen by the other side": found.smaller,
    }
    rows = [(name, 100 * span.low, 100 * span.high) for name, span in named.items()]
    return pd.DataFrame(rows, columns=["share of all phrases", "at least, %", "at most, %"])


def recovered(kappa: str, P_pos: str, P_neg: str, PABAK: str) -> Numbers:
    """Return what `recover` finds as rows, shares of all phrases in per cent; raises InputError if no table fits.

    >>> recovered(".178", ".200", ".973", ".896").frame["at most, %"].round(1).tolist()
    [0.7, 5.2, 94.2, 4.8, 2.0]
    """
    printed = {"kappa": kappa, "P_pos": P_pos, "P_neg": P_neg, "PABAK": PABAK}
    if (found := recover(kappa, P_pos, P_neg, PABAK)) is None:
        raise input_error("the printed values", "no table")
    notes = tuple(Note("info", "recover", words) for words in remarks(found, lecture=False))
    return Numbers(spans(found), printed, notes, concordance=False, caption="Recovered tables", kind="recover")


def remarks(found: Recovered, lecture: bool) -> list[str]:
    """Describe what follows from a solved table; lecture: whether it is one of the six systems of the lecture table."""
    messages = ["The four values do not show which side chose more."]
    if found.precision_max < 0.5:
        messages.append(
            f"If the system chose fewer phrases, its precision is at most {found.precision_max:.2f}, so the empty "
            "baseline has a higher PABAK."
        )
    if lecture and (gold := _lecture_gold()):
        messages.append(
            f"All six systems fit one gold standard of {100 * gold.low:.2f} to {100 * gold.high:.2f}% of all phrases, "
            "but no common list length: they did not choose equally many."
        )
    return messages


@cache  # a page says it again whenever it is drawn
def _lecture_gold() -> Span | None:
    return common_gold(filter(None, (recover(*printed) for printed in LECTURE_SYSTEMS.values())))


def common_gold(tables: Iterable[Recovered]) -> Span | None:
    """Return the share of gold keyphrases that fits all systems, where the gold standard is the larger side of each.

    >>> both = common_gold(recover(*LECTURE_SYSTEMS[name]) for name in LECTURE_SYSTEMS)
    >>> round(both.low, 4), round(both.high, 4)
    (0.0454, 0.0468)
    """
    larger = [table.larger for table in tables]
    low, high = max(span.low for span in larger), min(span.high for span in larger)
    return Span(low, high) if low <= high else None


def _rounded(text: str) -> Span:
    """Return the values that are printed as this text: half a unit of the last digit around it."""
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a number; write the value as printed, such as .178") from None
    if not -1 <= value <= 1:
        raise UsageError(f"{text} is outside -1 to 1; write the value as printed, such as .178")
    half = 0.5 * 10.0 ** -len(str(text).strip().partition(".")[2])
    return Span(max(value - half, -1.0), min(value + half, 1.0))


def _odds(agreement: float) -> float:
    """Return a cell as a multiple of b + c, given its agreement."""
    return 0.0 if agreement <= 0 else agreement / (2 * (1 - agreement)) if agreement < 1 else float("inf")


def _share(agreement: float, apart: Floats) -> Floats:
    """Return the cell that gives a positive or negative agreement next to b + c: x / (x + (b+c)/2)."""
    odds = _odds(agreement)
    return apart * odds if odds < float("inf") else np.full_like(apart, np.inf)


def _chance(observed: Floats, kappa: float) -> Floats:
    return (observed - kappa) / (1 - kappa) if kappa < 1 else np.full_like(observed, -np.inf)


def _span(values: Floats) -> Span:
    return Span(float(values.min()), float(values.max()))
