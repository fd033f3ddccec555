"""Human scores: blind files of several raters become one matrix, and the matrix one score per pair."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Source
from kp_core.studies.correlation import human
from kp_core.takeaway.workspace_file import rater_file, read_workspace
from kp_core.typeset import unescaped_csv


def needs_tie_rule(scores):
    return (human.majority(scores, "high") > human.majority(scores, "low")).tolist()


ROWS = [("q", "ann", 1.0), ("p", "ann", 2.0), ("q", "bo", 3.0), ("p", "cy", 4.0), ("r", "bo", np.nan)]
LONG = pd.DataFrame(ROWS, columns=["pair_id", "annotator", "score"])


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
def test_invalid_judgments_are_refused(table, says):
    with pytest.raises(InputError, match=says):
        human.score_matrix(table)


def test_missing_scores_do_not_vote():
    scores = np.array([[np.nan, 2, 2, np.nan, 0], [np.nan] * 5, [3, np.nan, np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(human.average(scores), [4 / 3, np.nan, 3])
    np.testing.assert_array_equal(human.majority(scores), [2, np.nan, 3])
    assert needs_tie_rule(scores) == [False, False, False]


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
    assert needs_tie_rule(matrix)[0] == (len(nearest) > 1)


def test_rater_file_hides_names_and_scores(lectures):
    file = Source("ana.kpscope", rater_file(lectures, {"page": "correlation?rater=ana"}))
    saved = read_workspace(file)
    blind = saved.uploads.load()
    assert saved.link == {"page": "correlation?rater=ana"}
    assert (blind.systems, len(blind.judgements)) == ([f"system 00{place}" for place in (1, 2, 3, 4)], 0)
    assert not [name for name in lectures.systems if name.encode() in file.data]
    drawn, again = (human.near_miss_pairs(kp.near_misses(item, k=9).frame, 5, 0) for item in (lectures, blind))
    pd.testing.assert_frame_equal(drawn, again)


def test_files_of_three_raters_form_one_table():
    pairs = pd.DataFrame([[f"p{one}", "d", "hash table", one] for one in "abcd"], columns=list(human.COLUMNS))
    scores = {"ana": [1, 2, 3, 1], "ben": [1, 2, 3, 2], "cem": [0, 2]}
    tables = [pairs.head(len(given)).assign(annotator=who, score=given) for who, given in scores.items()]
    files = [Source(f"ratings {number}.csv", unescaped_csv(one).encode()) for number, one in enumerate(tables)]
    matrix = human.score_matrix(kp.load(judgements=files).judgements)
    assert matrix.columns.tolist() == ["ana", "ben", "cem"]
    assert matrix["cem"].tolist()[:2] == [0, 2]
    assert matrix["cem"].isna().tolist() == [False, False, True, True]
    assert human.pairwise_agreement(matrix)[["a", "b", "n", "equal"]].to_numpy().tolist() == [
        ["ana", "ben", 4, 0.75],
        ["ana", "cem", 2, 0.5],
        ["ben", "cem", 2, 0.5],
    ]
    assert human.ordinal_alpha(matrix[["ana", "ben"]].to_numpy()) == pytest.approx(
        0.79, abs=5e-5
    )  # as in its docstring
