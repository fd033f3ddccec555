"""Shared helpers: paths of the project and its sample, cases in TOML, expanded intervals, rows of an oracle."""

import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm, t

ROOT = Path(__file__).resolve().parents[1]
LECTURES = ROOT / "sample_data" / "lectures"


def cases(tests: str) -> dict[str, Any]:
    """Return the cases of a test module as {table: rows}, for `parametrize`. tests: the path of the module"""
    return tomllib.loads(Path(tests).with_suffix(".toml").read_text("utf-8"))


def expanded(values: Sequence[float], documents: int) -> list[float]:
    """Return the expanded percentile interval (Hesterberg 2015) of resampled values, from SciPy's distributions."""
    tail = norm.cdf(-((documents / (documents - 1)) ** 0.5) * t.ppf(0.975, documents - 1))
    return [float(x) for x in np.quantile(values, [tail, 1 - tail])]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
