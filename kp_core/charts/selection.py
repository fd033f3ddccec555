"""Select the rows of results that charts and tables show, and name measures at a cutoff."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import Any, NamedTuple, cast

import pandas as pd

from kp_core.errors import read_toml
from kp_core.scoring.measures import parse
from kp_core.settings import Cutoff
from kp_core.studies.correlation.correlate import CorrelationStudy
from kp_core.studies.result import Numbers

VIEWS = {"measure": "measures", "k": "cutoffs", "normalise": "normalisations", "annotators": "gold standards"}

#: Type of near miss → words; exports use the types themselves.
NEAR: dict[str, str] = read_toml("charts/near_misses.toml")


def where(frame: pd.DataFrame, **cells: Any) -> pd.DataFrame:
    """Return the rows whose columns have the given values; a list matches any of its values."""
    for column, cell in cells.items():
        frame = frame[frame[column].isin(cell) if isinstance(cell, list) else frame[column] == cell]
    return frame


def rows_of(result: Numbers, measure: str) -> pd.DataFrame:
    """Return the rows of one measure, such as `F1@k`, at all cutoffs."""
    return where(result.frame, measure=[named(measure, k) for k in result.frame["k"].unique()])


class Curve(NamedTuple):
    """A system's values at numeric cutoffs, in order, with the ends of the intervals; undefined numbers are NaN."""

    k: list[int]
    value: list[float]
    low: list[float]
    high: list[float]

    def where(self, wanted: Iterable[bool]) -> Curve:
        """Return the wanted points."""
        mask = list(wanted)
        return Curve._make(list(compress(column, mask)) for column in self)

    def defined(self) -> Curve:
        """Return the points whose value is defined."""
        return self.where(value == value for value in self.value)


def over_numbers(result: Numbers, measure: str) -> dict[str, Curve]:
    """Return system → values of a measure at numeric cutoffs."""
    rows, points = rows_of(result, measure), dict[str, list[tuple[Any, ...]]]()
    columns = [rows[name].tolist() for name in ("k", "system", "value", "low", "high")]
    numeric = (row for row in zip(*columns, strict=True) if isinstance(row[0], int))
    for k, system, *numbers in sorted(numeric, key=lambda row: row[0]):
        points.setdefault(system, []).append((k, *numbers))
    return {name: Curve._make(map(list, zip(*cells, strict=True))) for name, cells in points.items()}


def named(measure: str, cutoff: int | str) -> str:
    """Return a measure's name at a cutoff."""
    return parse(measure).name(cast(Cutoff, cutoff))


def has_curve(measure: str) -> bool:
    """Return whether a measure has a value at every cutoff."""
    return parse(measure).fixed is None


def by_correlation(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return the rows over all pairs, highest correlation first, undefined correlations last."""
    rows = where(study.frame, average=average, subset="all")
    return rows.sort_values("value", ascending=False, kind="stable", na_position="last")


def of_yes(measure: str) -> str:
    """Return the name of a measure of the sentence study, as used in a sentence."""
    return measure if measure in ("accuracy", "kappa") else f"{measure} of “yes”"
