"""Values that differ by rounding alone are equal wherever two are compared."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from kp_core.scoring import paired
from kp_core.scoring.order import EQUAL, best_first, close, exceeds, highest, leveled, reaches
from kp_core.studies.all_cutoffs import best_k
from kp_core.studies.facts import notes_above_one
from kp_core.studies.sensitivity import ReportedScore
from kp_core.studies.stability import ranks
from kp_core.studies.trimming import Levels
from kp_core.words.statements import word


def levels(*k: float) -> Levels:
    """Return one document with K at majorities 1, 2, …"""
    return Levels(np.array([k]), np.ones((1, len(k)), np.int64), np.array([""]))


def falling(by: float) -> Any:
    """Return the best k of a curve that rises, and then falls by so much."""
    return best_k(np.tile([0.1, 0.5, 0.5 - by], (5, 1)), [1, 2, 3], 100, np.random.default_rng(0))


#: What says of a difference whether there is one.
PLACES: dict[str, Callable[[float], object]] = {
    "exceeds": lambda by: exceeds(0.4 + by, 0.4),
    "reaches": lambda by: not reaches(0.4 - by, 0.4),
    "close": lambda by: not close(0.4, 0.4 + by),
    "highest": lambda by: highest({"a": 0.4, "b": 0.4 + by}) == ["b"],
    "best_first": lambda by: best_first({"a": 0.4, "b": 0.4 + by}) == ["b", "a"],
    "ranks over views": lambda by: ranks(np.array([[0.4, 0.4 + by]])).tolist() == [[2.0, 1.0]],
    "ranks in resamples": lambda by: paired.rank_bounds({"a": np.full(9, 0.4), "b": np.full(9, 0.4 + by)})["a"][0] == 2,
    "clusters": lambda by: paired.rank_clusters(np.array([0.4, 0.4 + by]), np.zeros((2, 2))) == [2, 1],
    "better than": lambda by: paired.decisions({"a": 0.4, "b": 0.4 + by}, [("a", "b", 0.01)], 0.05)[1]["b"] == ("a",),
    "wins of documents": lambda by: paired.rank_biserial(np.array([by])) == 1,
    "ties of documents": lambda by: paired.rank_biserial(np.array([0.4 + by, -0.4])) > 0,
    "signed ranks": lambda by: paired.wilcoxon_test(np.array([0.4 + by, -0.4, 0.9]))[0] == 1,
    "bootstrap": lambda by: paired.bootstrap(np.array([by, by, by, 0.2])) < 1,
    "words of scales": lambda by: word(0.2 - by) == "slight",
    "trimming, reached": lambda by: levels(0.5 - by, 0.7).size(0.5).tolist() == [2],
    "trimming, best": lambda by: levels(0.5 + by, 0.5).best().tolist() == [1],
    "best k": lambda by: falling(by) is not None,
    "printed": lambda by: ReportedScore.of("P@5", "0.40").off(0.405 + by) > 0,
    "above 1": lambda by: bool(notes_above_one([("P@5", 1 + by)])),
}


@pytest.mark.parametrize("place", PLACES)
def test_differences_below_the_tolerance_are_none(place: str) -> None:
    assert EQUAL == 1e-9
    assert [bool(PLACES[place](by)) for by in (0.0, 1e-15, 1e-11, 9e-10, 2e-9, 1e-6)] == [False] * 4 + [True] * 2


def test_leveled_values_keep_ranks_despite_noise() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        plain = rng.choice([-0.5, -0.25, 0.0, 0.1, 0.25, 0.3, 0.5, np.inf], 40)
        noisy = plain + rng.uniform(-1e-10, 1e-10, 40)
        assert rankdata(leveled(noisy)).tolist() == rankdata(plain).tolist()
        assert rankdata(np.abs(leveled(noisy))).tolist() == rankdata(np.abs(plain)).tolist()
        assert leveled(noisy) == pytest.approx(noisy, abs=1e-9)
    values = rng.random((30, 4))
    values[3, 1] = np.nan
    assert np.array_equal(leveled(values), values, equal_nan=True)


def test_infinite_and_undefined_values_have_their_place() -> None:
    assert [reaches(np.inf, np.inf), exceeds(np.inf, np.inf), close(-np.inf, -np.inf)] == [True, False, True]
    for reported in (reaches, exceeds, close):
        assert not reported(float("nan"), 0.0)
        assert not reported(0.0, float("nan"))
