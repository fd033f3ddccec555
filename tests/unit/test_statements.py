"""The sentence on the comparison of systems: each wording where it belongs, and nowhere else."""

import pandas as pd
import pytest

from kp_core.charts.screen_tables import clusters
from kp_core.settings import Settings
from kp_core.studies.compare import Comparison
from kp_core.studies.spread import Spread
from kp_core.words.statements import range_of, verdict


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
    nothing, clusters = pd.DataFrame(), dict.fromkeys(values, 1)
    found = {"effects": nothing, "scores": values, "ranks": {}, "clusters": clusters, "better": better}
    return Comparison(frame, Settings(), (), documents, **found, correction="holm", test="", recipe="")


NAN = float("nan")
BETTER = "x is better than y in F1@5 (difference 0.100, 95 % interval 0.050 to 0.150, Holm {}, 20 documents)."
OPEN = "no pairwise difference is significant after Holm's correction ({} documents), so the ranking is not decisive."
ZERO = f"all pairwise difference intervals include zero, and {OPEN}"
FEW = " Below 10 documents no such statement is reliable."


@pytest.mark.parametrize(
    ("values", "pairs", "documents", "sentence"),
    [
        ({"x": 0.3, "y": 0.2}, [("x", "y", 0.05, 0.15, 0.001)], 20, BETTER.format("p = 0.001")),
        ({"y": 0.2, "x": 0.3}, [("y", "x", -0.15, -0.05, 0.0004)], 20, BETTER.format("p < 0.001")),
        (
            {"x": 0.3, "y": 0.2},
            [("x", "y", -0.05, 0.25, 0.2)],
            9,
            f"x has the highest F1@5 (0.300), but {ZERO.format(9)}{FEW}",
        ),
        (
            {"x": 0.3, "y": 0.2},
            [("x", "y", 0.01, 0.25, 0.06)],
            20,
            f"x has the highest F1@5 (0.300), but {OPEN.format(20)}",
        ),
        (
            {"x": 0.1 + 0.2, "y": 0.3},
            [("x", "y", 0.0, 0.0, 1.0)],
            20,
            "x and y have the same F1@5 (0.300, 20 documents), so there is no order among them.",
        ),
        (
            {"z": 0.1, "x": 0.3, "y": 0.3},
            [("x", "y", 0, 0, 1), ("z", "x", -1, 1, 1), ("z", "y", -1, 1, 1)],
            20,
            f"x and y have the highest F1@5 (0.300), but {ZERO.format(20)}",
        ),
        (
            {"x": NAN, "y": NAN},
            [("x", "y", NAN, NAN, NAN)],
            20,
            "F1@5 is undefined for all systems or all but one, so there is nothing to compare.",
        ),
    ],
)
def test_the_verdict_says_what_the_numbers_say(values: dict, pairs: list, documents: int, sentence: str) -> None:
    assert verdict(compared(values, pairs, documents), "F1@5") == sentence


def test_letters_name_the_systems_that_one_is_better_than() -> None:
    found = clusters(compared({"x": 0.3, "y": 0.2, "z": 0.1}, [("x", "z", 0.1, 0.3, 0.01), ("x", "y", 0, 0.2, 0.1)]))
    assert found == {"x": "c", "y": "", "z": ""}


def spread_of(ranges: list[tuple[str, float, float, float]], turns: list[tuple[object, ...]]) -> Spread:
    """Build a spread from system, current, low, high, and from the pairs that turn."""
    nothing = pd.DataFrame()
    bounds = pd.DataFrame(ranges, columns=["system", "current", "low", "high"])
    pairs = pd.DataFrame(turns, columns=["a", "b", "settings", "tied", "presets", "example"])
    found = {"ranges": bounds, "changes": nothing, "turns": pairs, "combinations": 216}
    return Spread(nothing, Settings(), (), 1, False, measure="F1@7", **found)


FILES = "Under other published conventions and their combinations the same files give"
ORDER = f"{FILES} yake 0.26 to 0.38, and the order of"
EXAMPLE = "for example with duplicates = keep and denominator = returned."
TURN = ("yake", "rake", 12, 0, ("kex",), {"duplicates": "keep", "denominator": "returned"})
ONLY_PRESETS = ("yake", "rake", 0, 3, ("chan", "kex"), {})
RANGES = [("rake", 0.19, 0.1, 0.2), ("yake", 0.31, 0.26, 0.38)]
UNDEFINED = "F1@7 is undefined under the present conventions, so there is no order that could change."


@pytest.mark.parametrize(
    ("ranges", "turns", "sentence"),
    [
        (RANGES, [], f"{ORDER} the systems never changes."),
        (RANGES[:1], [], f"{FILES} rake 0.10 to 0.20."),
        ([("yake", 0.3, 0.3, 0.301)], [], f"{FILES} yake 0.30 throughout."),
        (RANGES, [TURN], f"{ORDER} yake and rake turns in 12 of 216 settings, {EXAMPLE}"),
        (
            RANGES,
            [TURN, ONLY_PRESETS],
            f"{ORDER} 2 pairs of systems turns, that of yake and rake in 12 of 216 settings, {EXAMPLE}",
        ),
        (RANGES, [ONLY_PRESETS], f"{ORDER} yake and rake turns under the presets chan and kex."),
        ([("yake", NAN, 0.1, 0.2), ("rake", NAN, 0.1, 0.2)], [], UNDEFINED),
    ],
)
def test_the_range_of_values_and_the_turns_are_said(ranges: list, turns: list, sentence: str) -> None:
    assert range_of(spread_of(ranges, turns)) == sentence
