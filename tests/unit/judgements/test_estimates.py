"""The study as a whole: rows, subsets, intervals, shares of the ceiling, tests, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from kp_core.errors import UsageError
from kp_core.scoring.intervals import resample
from kp_core.studies.correlation.estimates import Study, estimate
from kp_core.studies.correlation.human import average, majority
from tests.cases import expanded

PAIRS = 60
STUDY = Study(resamples=40, trials=200, seed=3)
LENGTHS = np.full((PAIRS, 2), 9.0)


def data(seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=PAIRS)
    matrix = np.clip(np.round(truth[:, None] + 2 + 0.7 * rng.normal(size=(PAIRS, 3))), 0, 4)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    noise = rng.normal(size=(PAIRS, 3))
    measures = pd.DataFrame({"good": np.round(truth + 0.3 * noise[:, 0], 1)})
    measures["gaps"] = np.where(np.arange(PAIRS) % 5 == 0, np.nan, truth + noise[:, 1])
    measures["candidate-length"] = rng.integers(1, 5, PAIRS).astype(float)
    return matrix, measures.assign(constant=0.5), np.arange(PAIRS) // 5


def plain(scores, measures, documents, study=STUDY, **options):
    labels = pd.DataFrame(index=measures.index)
    return estimate(scores, measures, documents, labels, LENGTHS[: len(scores)], study, **options)


SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}


def leave_one_out(scores, rater, how="average", name="spearman"):
    """Return the correlation of one annotator with the others together."""
    others = {"average": average, "majority": majority}[how](np.delete(scores, rater, axis=1))
    both = ~np.isnan(others) & ~np.isnan(scores[:, rater])
    return SCIPY[name](scores[both, rater], others[both]).statistic


def cell(found, measure, subset="all", how="average"):
    rows = found.frame
    row = rows[(rows["measure"] == measure) & (rows["subset"] == subset) & (rows["average"] == how)]
    assert len(row) == 1
    return row.iloc[0]


@pytest.mark.parametrize("name", ["spearman", "pearson", "kendall"])
def test_intervals_and_ceiling_equal_explicit_resampling(name):
    scores, measures, documents = data(4)
    result = plain(scores, measures, documents, replace(STUDY, correlation=name, test="none"))
    weights = resample(12, STUDY.resamples, np.random.default_rng(STUDY.seed))
    drawn, people = [], []
    for row in weights:
        rows = np.repeat(np.arange(PAIRS), row.astype(int)[documents])
        human = average(scores[rows])
        column = measures["gaps"].to_numpy()[rows]
        both = ~np.isnan(column) & ~np.isnan(human)
        drawn.append(SCIPY[name](column[both], human[both]).statistic)
        people.append(np.mean([leave_one_out(scores[rows], rater, name=name) for rater in range(3)]))
    row = cell(result, "gaps")
    assert [row["low"], row["high"]] == pytest.approx(expanded(drawn, row["documents"]), abs=1e-9)
    row = cell(result, "human")
    assert [row["low"], row["high"]] == pytest.approx(expanded(people, row["documents"]), abs=1e-9)
    percent = result.ceiling[(result.ceiling["measure"] == "gaps") & (result.ceiling["average"] == "average")].iloc[0]
    ratios = 100 * np.array(drawn) / np.array(people)
    assert [percent["low"], percent["high"]] == pytest.approx(expanded(ratios, 12), abs=1e-7)
    assert percent["percent"] == pytest.approx(100 * cell(result, "gaps")["value"] / row["value"], abs=1e-9)


def test_one_annotator_has_no_ceiling():
    scores, measures, _ = data()
    result = plain(scores[:, :1], measures, np.arange(PAIRS))
    assert cell(result, "human")["reason"] == "one_annotator"
    assert cell(result, "human")["n"] == 0
    assert result.ceiling["percent"].isna().all()
    assert cell(result, "good")["documents"] == cell(result, "good")["n"]


def test_no_pairs_at_all_give_rows_with_reasons():
    result = plain(np.empty((0, 2)), pd.DataFrame({"m": np.empty(0)}), np.empty(0, int))
    assert result.frame["reason"].tolist() == ["too_few"] * 12
    assert result.frame["n"].tolist() == [0] * 12
    assert result.tests.empty


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"correlation": "gamma"}, "correlation is 'gamma'; choose one of: spearman"),
        ({"test": "t"}, "perm-both, williams, none"),
        ({"test": "williams", "correlation": "kendall"}, "choose perm-both"),
        ({"resamples": 0}, "resamples is 0; choose a whole number of at least 1"),
    ],
)
def test_unknown_choices_are_named(choices, says):
    with pytest.raises(UsageError, match=says):
        Study(**choices)
