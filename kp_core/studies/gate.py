"""Check results against required values, and comparisons against forbidden verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kp_core.errors import UsageError
from kp_core.scoring.counts import BASELINES, HUMANS
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.order import exceeds, reaches
from kp_core.studies.compare import VERDICTS, Comparison
from kp_core.studies.means import MEAN
from kp_core.studies.result import Checked, Result

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": reaches,
    ">": exceeds,
    "<=": lambda value, limit: reaches(limit, value),
    "<": lambda value, limit: exceeds(limit, value),
}
_REQUIRED = re.compile(
    r"(?:(?P<system>.+) )?(?:(?P<bound>low|high):)?(?P<measure>[^\s<>]+) ?(?P<sign>[<>]=?) ?(?P<limit>[^\s<>=]+)"
)


@dataclass(frozen=True)
class Requirement:
    """Minimum or maximum of a value or bound, for one system or (empty) for all."""

    text: str
    system: str
    bound: str
    asked: Asked
    sign: str
    limit: float

    @staticmethod
    def parse(text: str) -> Requirement:
        """Parse [SYSTEM ][low:|high:]MEASURE>=NUMBER, or with another comparison sign.

        >>> required = Requirement.parse("bart low:F1@5>=.30")
        >>> required.system, required.bound, required.asked.name(), required.sign, required.limit
        ('bart', 'low', 'F1@5', '>=', 0.3)
        """
        match = _REQUIRED.fullmatch(text.strip())
        try:
            limit = float(match["limit"]) if match else float("nan")
        except ValueError:
            limit = float("nan")
        if match is None or limit != limit:
            raise UsageError(f"'{text}' is no requirement; write one such as F1@5>=.30, or bart low:F1@5>=.28")
        named = match["system"] or "", match["bound"] or "value"
        return Requirement(text.strip(), *named, parse(match["measure"]), match["sign"], limit)


def checked(result: Result, required: Sequence[Requirement]) -> tuple[Checked, ...]:
    """Return whether each system meets each requirement, on the mean of several data sets."""
    frame = result.frame
    whole = frame[frame["subset"].isin(["all", MEAN]) & ~frame["system"].isin([*BASELINES, HUMANS])]
    checks = list[Checked]()
    for requirement in required:
        names = [requirement.asked.name(None if requirement.asked.fixed is not None else k) for k in whole["k"]]
        rows = whole[whole["measure"] == names]
        rows = rows[rows["system"] == requirement.system] if requirement.system else rows
        if rows.empty:
            raise UsageError(
                f"'{requirement.text}' meets no row; the systems are: {', '.join(whole['system'].unique())}"
            )
        for system, value in rows[["system", requirement.bound]].itertuples(index=False):
            known = value == value
            met = known and _SIGNS[requirement.sign](float(value), requirement.limit)
            checks.append(Checked(requirement.text, system, float(value) if known else None, bool(met)))
    return tuple(checks)


def fails(comparison: Comparison, verdicts: Sequence[str]) -> bool:
    """Return whether a difference from the baseline has one of the verdicts, or a system is incomparable."""
    if unknown := [verdict for verdict in verdicts if verdict not in VERDICTS]:
        raise UsageError(f"'{unknown[0]}' is no verdict; choose among: {', '.join(VERDICTS)}")
    return bool(comparison.frame["verdict"].isin([*verdicts, "not comparable"]).any())
