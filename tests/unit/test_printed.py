"""Settings that reproduce printed numbers, against separate evaluations of every setting."""

import json
from functools import cache

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
def test_digits_determine_rounding_interval(text: str, low: float, high: float) -> None:
    result = ReportedScore.parse(text)
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)
    assert result.system == ("bart" if "bart" in text else "")


@pytest.mark.parametrize("text", ["F1@5", "F1@5=", "F1@5=a", ".348", "F9=.3"])
def test_invalid_printed_numbers_are_refused(text: str) -> None:
    with pytest.raises(kp.UsageError):
        ReportedScore.parse(text)


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
