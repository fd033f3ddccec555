"""The sentence on the comparison of systems: each wording where it belongs, and nowhere else."""

import pandas as pd
import pytest

from kp_core.compare import Comparison
from kp_core.sentences import clusters, verdict
from kp_core.settings import Settings


def compared(
    values: dict[str, float], pairs: list[tuple[str, str, float, float, float]], documents: int = 20
) -> Comparison:
    """Build a comparison from values and pairs (a, b, low, high, corrected p)."""
    frame = pd.DataFrame(pairs, columns=["a", "b", "low", "high", "p_adjusted"])
    frame["difference"] = [values[a] - values[b] for a, b in zip(frame["a"], frame["b"], strict=True)]
    better = dict.fromkeys(values, ())
    for a, b, p in zip(frame["a"], frame["b"], frame["p_adjusted"], strict=True):
        if p < 0.05:
            winner, loser = (a, b) if values[a] > values[b] else (b, a)
            better[winner] += (loser,)
    return Comparison(
        frame, pd.DataFrame(), values, {}, documents, (), dict.fromkeys(values, 1), better, "holm", "", Settings(), ""
    )


@pytest.mark.parametrize(
    ("comparison", "sentence"),
    [
        (
            compared({"x": 0.3, "y": 0.2}, [("x", "y", 0.05, 0.15, 0.001)]),
            "x is better than y in F1@5 (difference 0.100, 95 % interval 0.050 to 0.150, "
            "Holm p = 0.001, 20 documents).",
        ),
        (
            compared({"y": 0.2, "x": 0.3}, [("y", "x", -0.15, -0.05, 0.0004)]),
            "x is better than y in F1@5 (difference 0.100, 95 % interval 0.050 to 0.150, "
            "Holm p < 0.001, 20 documents).",
        ),
        (
            compared({"x": 0.3, "y": 0.2}, [("x", "y", -0.05, 0.25, 0.2)], 9),
            "x has the highest F1@5 (0.300), but all pairwise difference intervals include zero, and no pairwise "
            "difference is significant after Holm's correction (9 documents), so the ranking is not decisive. Below 10 "
            "documents no such statement is reliable.",
        ),
        (
            compared({"x": 0.3, "y": 0.2}, [("x", "y", 0.01, 0.25, 0.06)]),
            "x has the highest F1@5 (0.300), but no pairwise difference is significant after Holm's correction (20 "
            "documents), so the ranking is not decisive.",
        ),
        (
            compared({"x": float("nan"), "y": float("nan")}, [("x", "y", float("nan"), float("nan"), float("nan"))]),
            "F1@5 is undefined for all systems or all but one, so there is nothing to compare.",
        ),
    ],
)
def test_the_verdict_says_what_the_numbers_say(comparison: Comparison, sentence: str) -> None:
    assert verdict(comparison, "F1@5") == sentence


def test_letters_name_the_systems_that_one_is_better_than() -> None:
    found = clusters(compared({"x": 0.3, "y": 0.2, "z": 0.1}, [("x", "z", 0.1, 0.3, 0.01), ("x", "y", 0, 0.2, 0.1)]))
    assert found == {"x": "c", "y": "", "z": ""}
