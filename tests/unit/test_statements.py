"""The sentences on systems and people: each wording appears exactly where it applies."""

import math
from typing import Any

import pandas as pd
import pytest

from kp_core.charts.screen_tables import clusters
from kp_core.scoring.measures import parse
from kp_core.settings import Settings
from kp_core.studies.compare import Comparison
from kp_core.studies.sensitivity import Sensitivity
from kp_core.words.statements import diagnose, range_of
from tests.cases import cases

CASES = cases(__file__)


def compared(
    values: dict[str, float], pairs: list[tuple[str, str, float, float, float]], documents: int = 20
) -> Comparison:
    """Build a comparison from values and pairs (a, b, low, high, corrected p)."""
    frame = pd.DataFrame(pairs, columns=["a", "b", "low", "high", "p_adjusted"]).assign(documents=documents)
    frame["difference"] = [values[a] - values[b] for a, b in zip(frame["a"], frame["b"], strict=True)]
    better = dict.fromkeys(values, ())
    for a, b, p in zip(frame["a"], frame["b"], frame["p_adjusted"], strict=True):
        if p < 0.05:
            winner, loser = (a, b) if values[a] > values[b] else (b, a)
            better[winner] += (loser,)
    nothing, clusters = pd.DataFrame(), dict.fromkeys(values, 1)
    result = {"effects": nothing, "scores": values, "ranks": {}, "clusters": clusters, "better": better}
    result["decisive"] = {(a, b): p for a, b, _, _, p in pairs}
    return Comparison(frame, Settings(), (), documents, **result, correction="holm", test="a test", recipe="")


def test_letters_name_significantly_worse_systems() -> None:
    _, result = clusters(
        compared({"x": 0.3, "y": 0.2, "z": 0.1}, [("x", "z", 0.1, 0.3, 0.01), ("x", "y", 0, 0.2, 0.1)])
    )
    assert result == {"x": "c", "y": "", "z": ""}


def squared_deviations(ranges: list[tuple[str, float, float, float]], turns: list[tuple[object, ...]]) -> Sensitivity:
    """Build a sensitivity from system, current, low, high, and from the pairs that turn."""
    nothing = pd.DataFrame()
    bounds = pd.DataFrame(ranges, columns=["system", "current", "low", "high"])
    pairs = pd.DataFrame(turns, columns=["a", "b", "settings", "tied", "presets", "example"])
    result = {"ranges": bounds, "changes": nothing, "rank_reversals": pairs, "combinations": 216}
    tried = {"parsed": parse("F1@7"), "axes": (), "cutoffs": (7,), "candidates": (), "by_cutoff": {}}
    sensitivity = Sensitivity(nothing, Settings(k=7), (), 1, False, **tried)
    vars(sensitivity).update(result)
    return sensitivity


@pytest.mark.parametrize(("ranges", "turns", "sentence"), [one.values() for one in CASES["ranges"]])
def test_sensitivity_sentence_states_range_and_reversals(ranges: list, turns: list, sentence: str) -> None:
    assert range_of(squared_deviations(ranges, turns)) == sentence


@pytest.mark.parametrize("case", CASES["diagnoses"])
def test_diagnosis_states_only_what_table_shows(case: dict[str, Any]) -> None:
    said = " ".join(diagnose("x", case["cells"], case.get("others", {}), case.get("macro", math.nan)))
    assert [item for item in case.get("said", []) if item not in said] == []
    assert [item for item in case.get("unsaid", []) if item in said] == []
