"""Agreement in any number of categories: printed values of textbooks and packages, and derived ones to 1e-9."""

import json

import numpy as np
import pytest

from kp_core.nominal import from_counts, from_ratings, from_table

COUNTS = {
    "pa": "observed", "pe": "expected", "pe_fleiss": "expected", "kappa": "K", "fleiss": "K", "ac1": "AC1",
    "bp": "PABAK", "randolph": "PABAK", "alpha": "alpha", "kappa_se": "K_error", "fleiss_se": "K_error",
    "ac1_se": "AC1_error", "bp_se": "PABAK_error", "se0_fnl1979": "K_null_error",
}  # fmt: skip
TABLES = {
    "po": "observed", "pe": "expected", "kappa": "kappa", "se": "error", "se0": "null_error", "po_max": "observed_max",
    "kappa_max": "kappa_max", "pi_scott": "pi", "ac1": "AC1", "bp": "PABAK", "alpha": "alpha",
}  # fmt: skip
#: Errors that R's irrCAC derives for tables of two annotators, and conventions of one package (see the oracle's notes).
OTHER_ERRORS = {"pi_se", "ac1_se", "bp_se"}
ELSEWHERE = {"alpha_se", "alpha_se_R", "pa_krip"}


def load(shared, name):
    return json.loads(shared(f"oracles/agreement/{name}").read_text("utf-8"))


def printed_digits(number):
    return max(2, len(str(number).partition(".")[2]))


def agrees(found, expected, tolerance):
    if expected is None:
        return np.isnan(found)
    return abs(found - expected) <= tolerance + 1e-12


def wrong(record, found, skipped=frozenset()):
    """Compare the derived values to 1e-9, and the printed ones to half a unit of their last digit."""
    lost = []
    for key, expected in record["derived"].items():
        if key in found and not agrees(found[key], expected, 1e-9):
            lost.append((record["name"], key, found[key], expected))
    for key, expected in record.get("published", {}).items():
        if key in skipped or key not in found or isinstance(expected, list):
            continue
        tolerance = max(record.get("tol", 0), 0.5 * 10.0 ** -printed_digits(expected))
        if record["name"] == "fleiss_cohen_everitt" and key in ("se", "se0"):
            tolerance = 0.0006
        if not agrees(found[key], expected, tolerance):
            lost.append((record["name"], key, found[key], expected))
    return lost


def test_square_tables(shared):
    records = load(shared, "tables_kxk.json")
    lost = []
    for record in records:
        result = from_table(np.array(record["table"], float))
        found = {key: getattr(result, name) for key, name in TABLES.items()}
        assert set(record["derived"]) == set(TABLES)
        lost += wrong(record, found, OTHER_ERRORS)
    assert len(records) == 9
    assert not lost


def test_items_by_categories(shared):
    records = load(shared, "counts_multirater.json")
    lost = []
    for record in records:
        result = from_counts(np.array(record["counts"], float))
        found = {key: getattr(result, name) for key, name in COUNTS.items()}
        found["pe_ac1"] = (result.observed - result.AC1) / (1 - result.AC1) if result.AC1 < 1 else 0.0
        assert set(record["derived"]) - set(found) <= {"per_category", "binary_first_category"}
        for key, tolerance in (("derived", 1e-9), ("published", 0.004)):
            if per_category := record.get(key, {}).get("per_category"):
                assert result.per_category == pytest.approx(per_category, abs=tolerance)
        if printed := record.get("published", {}).get("z_h0_fnl1979"):
            assert result.K / result.K_null_error == pytest.approx(printed, abs=0.01)
        lost += wrong(record, found)
    assert len(records) == 6
    assert not lost


def test_ratings_with_missing_ones(shared):
    records = load(shared, "raw_missing.json")
    lost = []
    for record in records:
        names = record["derived"]["categories"]
        coded = [[-1 if one is None else names.index(one) for one in row] for row in record["items_by_raters"]]
        result, conger, light = from_ratings(np.array(coded), len(names))
        found = {key: getattr(result, name) for key, name in COUNTS.items()}
        found |= {"conger": conger, "conger_hubert": conger, "light": light}
        lost += wrong(record, found)
        assert set(record["published"]) - set(found) <= ELSEWHERE
    assert len(records) == 5
    assert not lost
