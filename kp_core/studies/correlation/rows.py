"""Hold what a correlation study found: values, intervals, shares of the human ceiling, tests between measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Bools
from kp_core.studies.correlation.human import Combination, TieRule, Unit
from kp_core.studies.correlation.weighted import Correlation

Interval = Literal["bootstrap", "closed-form", "none"]
Test = Literal["perm-both", "williams", "none"]
Correction = Literal["holm", "bh", "none"]
Swap = Literal["pairs", "clusters"]

#: With fewer clusters an interval says little, and is shown in grey.
FEW_CLUSTERS = 10
#: What each field of a study that is a word may say.
CHOICES: dict[str, tuple[str, ...]] = {
    "correlation": get_args(Correlation),
    "ties": get_args(TieRule),
    "interval": get_args(Interval),
    "test": get_args(Test),
    "swap": get_args(Swap),
    "correction": get_args(Correction),
    "unit": get_args(Unit),
}
ROW_COLUMNS = (
    "measure",
    "subset",
    "average",
    "correlation",
    "value",
    "low",
    "high",
    "n",
    "documents",
    "undefined",
    "reason",
)


@dataclass(frozen=True)
class Study:
    """How measures are to be compared with human scores; everything random follows from the seed."""

    correlation: Correlation = "spearman"
    ties: TieRule = "low"
    interval: Interval = "bootstrap"
    resamples: int = 1000
    test: Test = "perm-both"
    trials: int = 2000
    swap: Swap = "pairs"
    correction: Correction = "holm"
    unit: Unit = "pairs"
    seed: int = 0
    combinations: tuple[Combination, ...] = ("average", "majority")


@dataclass(frozen=True)
class Correlations:
    """What was found.

    frame     a row a measure (and `human`, the leave-one-out ceiling), subset and way to combine the scores: value
              and interval; `n` pairs, `documents` the clusters they come from, `undefined` pairs without a value
    ceiling   the same rows without `human`: value in percent of the human ceiling of that subset, with interval
    tests     a row two measures, over all pairs: difference of their correlations, p and corrected p
    clusters  for each way to combine the scores: cluster of each measure, 1 is best
    partial   a row a measure: Spearman's rho given both lengths; empty without lengths
    tie_range a row a measure and subset: value of the majority under each rule for what is still tied
    tied      pairs that need that rule; study: what was asked
    """

    frame: pd.DataFrame
    ceiling: pd.DataFrame
    tests: pd.DataFrame
    clusters: dict[str, dict[str, int]]
    partial: pd.DataFrame
    tie_range: pd.DataFrame
    tied: int
    study: Study

    def p_matrix(self, average: str = "average") -> pd.DataFrame:
        """Return the corrected p of all pairs of measures as a square table, NaN on the diagonal."""
        rows = self.tests[self.tests["average"] == average]
        names = list(dict.fromkeys([*rows["a"], *rows["b"]]))
        table = pd.DataFrame(np.nan, index=names, columns=names)
        for row in rows.itertuples():
            table.loc[row.a, row.b] = table.loc[row.b, row.a] = row.p_adjusted
        return table

    def not_beating(
        self, sentinel: str = "candidate-length", average: str = "average", alpha: float = 0.05
    ) -> list[str]:
        """Return the measures that do not correlate significantly better than a sentinel such as `candidate-length`."""
        rows = self.tests[self.tests["average"] == average]
        beaten = set[str]()
        for row in rows[rows["p_adjusted"] < alpha].itertuples():
            if row.b == sentinel and row.difference > 0:
                beaten.add(row.a)
            if row.a == sentinel and row.difference < 0:
                beaten.add(row.b)
        names = list(dict.fromkeys([*rows["a"], *rows["b"]]))
        return [name for name in names if name not in beaten and name != sentinel]

    def trials_needed(self, alpha: float = 0.05) -> int:
        """Return the trials from which the corrected p of PERM-BOTH can fall below alpha at all.

        The smallest p is 1 / (trials + 1), and Holm multiplies it by the number of tests.
        """
        tests = max((int((self.tests["average"] == how).sum()) for how in self.study.combinations), default=0)
        return math.floor(tests / alpha) if self.study.correction == "holm" else math.floor(1 / alpha)

    def few(self) -> Bools:
        """Tell which rows of the frame rest on fewer than ten clusters."""
        return np.asarray(self.frame["documents"].to_numpy() < FEW_CLUSTERS)
