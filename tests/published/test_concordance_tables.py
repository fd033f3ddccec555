"""Agreement measures of one table against printed figures and an independent implementation."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from kp_core import MEASURES
from kp_core.scoring.intervals import independent_error
from kp_core.scoring.measures import concordance
from tests.cases import rows
from tests.measure_names import AGREEMENT

#: Key of the oracle → measure of KPScope.
NAMES = AGREEMENT | {"s": "PABAK", "precision": "P@k", "kappa_min": "kappa_min", "mcc": "MCC"}
#: Measures whose error with independent phrases is the gray reference.
ERRORS = {f"se_iid_{key}": NAMES[key] for key in ("kappa", "ppos", "pneg", "pabak", "bi", "pi", "ac1", "pi_scott")}
#: Cohen's first errors of 1960, far too wide when documents are alike; KPScope gives neither.
NOT_COVERED = {"se_simple_kappa", "se0_kappa"}
#: Intervals that a source prints from item-level errors: not how KPScope gives intervals.
PRINTED_ONLY = {"kappa_se0_lo", "kappa_se0_hi", "pabak_lo", "pabak_hi", "z0"}


def score(name, a, b, c, d):
    return float(MEASURES[name].score(concordance.table(a, b, c, d)))


def value(key, a, b, c, d):
    """Return KPScope's value for a key of the oracle, None if it has none."""
    if key in NAMES:
        return score(NAMES[key], a, b, c, d)
    if key in ERRORS:
        return float(independent_error(concordance.table(a, b, c, d), MEASURES[ERRORS[key]].score))
    if key == "alpha":
        total = np.array(2 * (a + b + c + d))
        decisions = SimpleNamespace(values=total, yes=np.array(2 * a + b + c), apart=2 * (b + c))
        return float(MEASURES["alpha"].score(decisions))
    if key == "ac1_pe":
        observed, ac1 = score("Po", a, b, c, d), score("AC1", a, b, c, d)
        return (observed - ac1) / (1 - ac1) if ac1 < 1 else np.nan
    return None


def cells(row):
    return [float(row[cell]) for cell in "abcd"]


def test_every_derived_value_of_thirteen_tables(shared):
    table, wrong, seen = rows(shared("oracles/agreement/tables_2x2.csv")), [], set()
    for row in table:
        for key, expected in json.loads(row["derived_json"]).items():
            seen.add(key)
            result = value(key, *cells(row))
            right = np.nan if expected is None else expected
            if result is not None and not np.isclose(result, right, rtol=0, atol=1e-9, equal_nan=True):
                wrong.append((row["name"], key, result, expected))
    assert len(table) == 13
    assert not wrong
    assert {key for key in seen if value(key, 1, 2, 3, 4) is None} == NOT_COVERED


@pytest.mark.published
def test_every_printed_value_of_thirteen_tables(shared):
    wrong, seen = [], set()
    for row in rows(shared("oracles/agreement/tables_2x2.csv")):
        printed = json.loads(row["published_json"], parse_float=str, parse_int=str)
        tolerance = float(printed.pop("tol", 0))
        for key, text in printed.items():
            seen.add(key)
            result = value(key, *cells(row))
            if result is not None:
                digits = max(2, len(text.partition(".")[2]))
                if not abs(result - float(text)) <= max(tolerance, 0.5 * 10**-digits) + 1e-12:
                    wrong.append((row["name"], key, result, text))
    assert not wrong
    assert {key for key in seen if value(key, 1, 2, 3, 4) is None} - NOT_COVERED == PRINTED_ONLY
