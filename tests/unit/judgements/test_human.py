"""Human scores: tables into a matrix, and the matrix into one score a pair."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kp_core.errors import InputError
from kp_core.studies.correlation import human

ROWS = [("q", "ann", 1.0), ("p", "ann", 2.0), ("q", "bo", 3.0), ("p", "cy", 4.0), ("r", "bo", np.nan)]
LONG = pd.DataFrame(ROWS, columns=["pair_id", "annotator", "score"])


def test_a_long_table_keeps_the_order_of_pairs_and_annotators():
    scores = human.score_matrix(LONG)
    assert list(scores.index) == ["q", "p", "r"]
    assert list(scores.columns) == ["ann", "bo", "cy"]
    np.testing.assert_array_equal(scores, [[1, 3, np.nan], [2, np.nan, 4], [np.nan] * 3])


def test_a_wide_table_gives_the_same_matrix():
    columns = ["pair_id", "score_ann", "score_bo", "score_cy"]
    wide = pd.DataFrame([("q", 1, 3, None), ("p", 2, None, 4), ("r", None, None, None)], columns=columns)
    pd.testing.assert_frame_equal(human.score_matrix(wide), human.score_matrix(LONG))


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pd.DataFrame({"pair_id": ["p"], "rating": [1]}), "found pair_id, rating"),
        (pd.concat([LONG, LONG.head(1)]), "a second row for pair_id “q”, annotator “ann”"),
        (pd.DataFrame({"pair_id": ["p", "p"], "score_1": [1, 2]}), "a second row for pair_id “p”"),
    ],
)
def test_what_is_refused(table, says):
    with pytest.raises(InputError, match=says):
        human.score_matrix(table)


def test_missing_scores_do_not_vote():
    scores = np.array([[np.nan, 2, 2, np.nan, 0], [np.nan] * 5, [3, np.nan, np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(human.average(scores), [4 / 3, np.nan, 3])
    np.testing.assert_array_equal(human.majority(scores), [2, np.nan, 3])
    assert human.still_tied(scores).tolist() == [False, False, False]


def test_fractional_scores_at_the_same_distance_from_the_median_are_tied():
    scores = np.array([[0.1, 0.7, 0.7, 0.1]])
    assert human.still_tied(scores).tolist() == [True]
    assert [human.majority(scores, rule)[0] for rule in human.TIE_RULES] == [0.1, 0.7, pytest.approx(0.4)]


def test_no_pairs_and_no_annotators():
    assert human.majority(np.empty((0, 3))).shape == (0,)
    assert np.isnan(human.majority(np.empty((2, 0)))).tolist() == [True, True]
    assert np.isnan(human.average(np.empty((2, 0)))).tolist() == [True, True]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_majority_by_its_definition(scores):
    counts = {score: scores.count(score) for score in scores}
    modes = [score for score in counts if counts[score] == max(counts.values())]
    distance = min(abs(mode - np.median(scores)) for mode in modes)
    nearest = sorted(mode for mode in modes if abs(mode - np.median(scores)) == distance)
    matrix = np.array([scores], float)
    assert human.majority(matrix, "low")[0] == nearest[0]
    assert human.majority(matrix, "high")[0] == nearest[-1]
    assert human.majority(matrix, "mid")[0] == (nearest[0] + nearest[-1]) / 2
    assert human.still_tied(matrix)[0] == (len(nearest) > 1)


def test_what_is_resampled():
    pairs = pd.DataFrame({"pair_id": ["1", "2"], "doc_id": ["d", "e"], "keyphrase": ["a", "a"]})
    assert human.sampling_unit(pairs) == ("documents", ["d", "e"])
    assert human.sampling_unit(pairs.assign(doc_id=["d", ""])) == ("keyphrases", ["a", "a"])
    assert human.sampling_unit(pairs[["pair_id"]]) == ("pairs", ["1", "2"])


def test_one_row_a_pair_in_the_order_of_the_matrix():
    rows = [("q", "x", "a", 1.0), ("p", "y", "a", 2.0), ("q", "x", "b", 3.0)]
    table = pd.DataFrame(rows, columns=["pair_id", "candidate", "annotator", "score"])
    assert human.pair_table(table).to_numpy().tolist() == [["q", "x"], ["p", "y"]]
    assert list(human.score_matrix(table).index) == ["q", "p"]
