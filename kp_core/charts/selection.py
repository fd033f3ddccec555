"""Select the rows of results that charts and tables show, and name measures at a cutoff."""

from __future__ import annotations

from typing import Any, cast

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


def over_numbers(result: Numbers, measure: str) -> dict[str, pd.DataFrame]:
    """Return system → rows of a measure at numeric cutoffs, in order."""
    rows = rows_of(result, measure)
    rows = rows[[isinstance(k, int) for k in rows["k"]]].astype({"k": int}).sort_values("k", kind="stable")
    return {str(name): where(rows, system=name) for name in rows["system"].unique()}


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
