"""Printed numbers and the settings that print them: each found by evaluating every setting one by one."""

import json
from functools import cache
from itertools import product

import pandas as pd
import pytest

import kp_core as kp
from kp_core.studies.sensitivity import ReportedScore

#: A repeated phrase, a short list, two spellings and an empty gold list: nearly every convention changes a number.
GOLD = {"d1": ["hash tables", "collision"], "d2": ["tide", "moon", "sea"], "d3": []}
SYSTEMS = {
    "long": {"d1": ["hash table", "hash tables", "bucket", "probe"], "d2": ["moon", "sun", "seas"], "d3": ["x", "y"]},
    "short": {"d1": ["collisions"], "d2": ["tide", "tide", "wave"], "d3": ["z"]},
}


CORPUS = kp.load(gold=GOLD, systems=SYSTEMS)


@cache
def values_of(signature: str) -> dict[tuple[str, str], float]:
    """Return the value of each system and measure under one setting."""
    frame = kp.evaluate(CORPUS, kp.settings_from(signature), ["P@2", "R@2", "F1@2"], interval="none").frame
    rows = frame.drop_duplicates(["system", "measure"])
    return dict(zip(zip(rows["system"], rows["measure"], strict=True), rows["value"], strict=True))


@cache
def every_setting() -> pd.DataFrame:
    """Return P@2 under every setting that is tried."""
    return kp.sensitivity(CORPUS, k=2, measure="P@2").match_reported().frame


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("F1@5=.348", 0.3475, 0.3485),
        ("F1@5=34.8", 0.3475, 0.3485),
        ("bart:F1@5 = 0,35", 0.345, 0.355),
        ("kappa=-.1", -0.15, -0.05),
        ("F1@5=7%", 0.065, 0.075),
        ("hits@k=2.5", 2.45, 2.55),
    ],
)
def test_the_digits_decide_what_rounds_to_a_number(text: str, low: float, high: float) -> None:
    result = ReportedScore.parse(text)
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)
    assert result.system == ("bart" if "bart" in text else "")


@pytest.mark.parametrize("text", ["F1@5", "F1@5=", "F1@5=a", ".348", "F9=.3"])
def test_what_is_no_printed_number_is_refused(text: str) -> None:
    with pytest.raises(kp.UsageError):
        ReportedScore.parse(text)


@pytest.mark.parametrize(
    ("numbers", "systems"), [({"P@2": 2, "R@2": 3}, ("long", "short")), ({"long:F1@2": 3, "short:P@2": 2}, ())]
)
def test_fitting_settings_equal_enumerated_evaluations(numbers: dict[str, int], systems: tuple[str, ...]) -> None:
    plain, made = kp.Settings(k=2), dict[str, str]()
    for name, digits in numbers.items():
        system, _, measure = name.rpartition(":")
        value = values_of(kp.signature(plain, 3))[system or systems[0], measure]
        made[name] = f"{value:.{digits}f}"
    result = kp.match_reported(CORPUS, numbers=[f"{name}={text}" for name, text in made.items()])
    fits = {(row.system, row.signature, row.measure) for row in result.frame.itertuples()}
    expected, signatures = set(), dict.fromkeys(every_setting()["signature"])
    for signature, system in product(signatures, systems or ("",)):
        rows = [
            (name.partition(":")[0] if ":" in name else system, name.rpartition(":")[2], text)
            for name, text in made.items()
        ]
        values = [(values_of(signature)[part, measure], text) for part, measure, text in rows]
        if all(abs(value - float(text)) <= 0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9 for value, text in values):
            expected |= {(part, signature, measure) for part, measure, _ in rows}
    # of settings that cannot differ for these measures one stands for all, so signatures are held against values
    assert fits <= expected
    assert {(system, measure) for system, _, measure in fits} == {(part, measure) for part, _, measure in expected}
    assert result.fitting == len({signature for _, signature, _ in fits})
    assert all(
        row.value == pytest.approx(values_of(row.signature)[row.system, row.measure], abs=1e-12)
        for row in result.frame.itertuples()
    )


def test_nearest_settings_are_given_if_none_fits() -> None:
    result = kp.match_reported(CORPUS, numbers=["long:P@2=.99"])
    every = every_setting()
    highest = every.loc[every["system"] == "long", "value"].max()
    assert (result.fitting, len(result.frame), len(result.nearest)) == (0, 0, 3)
    assert result.nearest["off"].tolist() == pytest.approx([highest - 0.985] * 3)
    content = json.loads(result.json())
    assert (content["fitting"], content["rows"], len(content["nearest"])) == (0, [], 3)
    assert any(note.where == "printed" and "none of" in note.message for note in result.notes)


def test_semantic_and_exact_numbers_fit_the_same_settings() -> None:
    similar = pd.DataFrame({"a": ["tide"], "b": ["wave"], "score": [0.6]})
    gold, systems = {"d": ["tide", "sea"]}, {"s": {"d": ["wave", "sea"]}}
    result = kp.match_reported(kp.load(gold=gold, systems=systems, similar=similar), k=2, numbers="P@2=.5,SemP@2=.8")
    assert result.fitting > 0
    assert result.frame.groupby("measure")["value"].unique().map(list).to_dict() == {"P@2": [0.5], "SemP@2": [0.8]}
