"""A study with several raters: each gets a blind file, and their ratings form one table."""

import pandas as pd
import pytest

import kp_core as kp
from kp_core.reading import Source
from kp_core.studies.correlation.human import COLUMNS, near_miss_pairs, ordinal_alpha, pairwise_agreement, score_matrix
from kp_core.takeaway.workspace_file import rater_file, read_workspace
from kp_core.typeset import unescaped_csv


def test_rater_file_hides_names_and_scores(lectures):
    file = Source("ana.kpscope", rater_file(lectures, {"page": "correlation?rater=ana"}))
    saved = read_workspace(file)
    blind = saved.uploads.load()
    assert saved.link == {"page": "correlation?rater=ana"}
    assert (blind.systems, len(blind.judgements)) == ([f"system 00{place}" for place in (1, 2, 3, 4)], 0)
    assert not [name for name in lectures.systems if name.encode() in file.data]
    drawn, again = (near_miss_pairs(kp.near_misses(item, k=9).frame, 5, 0) for item in (lectures, blind))
    pd.testing.assert_frame_equal(drawn, again)


def test_files_of_three_raters_form_one_table():
    pairs = pd.DataFrame([[f"p{one}", "d", "hash table", one] for one in "abcd"], columns=list(COLUMNS))
    scores = {"ana": [1, 2, 3, 1], "ben": [1, 2, 3, 2], "cem": [0, 2]}
    tables = [pairs.head(len(given)).assign(annotator=who, score=given) for who, given in scores.items()]
    files = [Source(f"ratings {number}.csv", unescaped_csv(one).encode()) for number, one in enumerate(tables)]
    matrix = score_matrix(kp.load(judgements=files).judgements)
    assert matrix.columns.tolist() == ["ana", "ben", "cem"]
    assert matrix["cem"].tolist()[:2] == [0, 2]
    assert matrix["cem"].isna().tolist() == [False, False, True, True]
    assert pairwise_agreement(matrix)[["a", "b", "n", "equal"]].to_numpy().tolist() == [
        ["ana", "ben", 4, 0.75],
        ["ana", "cem", 2, 0.5],
        ["ben", "cem", 2, 0.5],
    ]
    assert ordinal_alpha(matrix[["ana", "ben"]].to_numpy()) == pytest.approx(0.79, abs=5e-5)  # as in its docstring
