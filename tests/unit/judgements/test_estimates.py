"""The study as a whole: rows, subsets, intervals, shares of the ceiling, tests, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from kp_core.errors import UsageError
from kp_core.scoring.intervals import resample
from kp_core.studies.correlation import coefficients, estimates
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
    """Return the study without breakdowns."""
    labels = pd.DataFrame(index=measures.index)
    return estimate(scores, measures, documents, labels, LENGTHS[: len(scores)], study, **options)


@pytest.fixture(scope="module")
def study():
    scores, measures, documents = data()
    rng = np.random.default_rng(1)
    labels = pd.DataFrame({"location": rng.choice(["First", "Head", ""], PAIRS)})
    lengths = rng.integers(1, 7, (PAIRS, 2)).astype(float)
    found = estimate(scores, measures, documents, labels, lengths, STUDY)
    return scores, measures, documents, labels, lengths, found


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
def test_intervals_and_ceiling_are_those_of_explicit_resampling(name):
    scores, measures, documents = data(4)
    found = plain(scores, measures, documents, replace(STUDY, correlation=name, test="none"))
    weights = resample(12, STUDY.resamples, np.random.default_rng(STUDY.seed))
    drawn, people = [], []
    for row in weights:
        rows = np.repeat(np.arange(PAIRS), row.astype(int)[documents])
        human = average(scores[rows])
        column = measures["gaps"].to_numpy()[rows]
        both = ~np.isnan(column) & ~np.isnan(human)
        drawn.append(SCIPY[name](column[both], human[both]).statistic)
        people.append(np.mean([leave_one_out(scores[rows], rater, name=name) for rater in range(3)]))
    row = cell(found, "gaps")
    assert [row["low"], row["high"]] == pytest.approx(expanded(drawn, row["documents"]), abs=1e-9)
    row = cell(found, "human")
    assert [row["low"], row["high"]] == pytest.approx(expanded(people, row["documents"]), abs=1e-9)
    percent = found.ceiling[(found.ceiling["measure"] == "gaps") & (found.ceiling["average"] == "average")].iloc[0]
    ratios = 100 * np.array(drawn) / np.array(people)
    assert [percent["low"], percent["high"]] == pytest.approx(expanded(ratios, 12), abs=1e-7)
    assert percent["percent"] == pytest.approx(100 * cell(found, "gaps")["value"] / row["value"], abs=1e-9)


def test_the_seed_decides_everything_random():
    scores, measures, documents = data()
    once, again, other = (plain(scores, measures, documents, replace(STUDY, seed=seed)) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(once.frame, again.frame)
    pd.testing.assert_frame_equal(once.tests, again.tests)
    assert cell(once, "good")["low"] != cell(other, "good")["low"]
    assert cell(once, "good")["value"] == cell(other, "good")["value"]
    without = plain(scores, measures, documents, replace(STUDY, interval="none"))
    pd.testing.assert_frame_equal(once.tests, without.tests)
    assert without.frame[["low", "high"]].isna().all(axis=None)


def test_tests_of_all_pairs_of_measures(study):
    scores, measures, _, _, _, found = study
    human = average(scores)
    rows = found.tests[found.tests["average"] == "average"]
    pairs = [("good", "gaps"), ("good", "candidate-length"), ("gaps", "candidate-length")]
    assert list(zip(rows["a"], rows["b"], strict=True)) == pairs
    assert rows["p_adjusted"].tolist() == pytest.approx(multipletests(rows["p"], method="holm")[1], abs=1e-12)
    both = ~measures["gaps"].isna().to_numpy() & ~np.isnan(human)
    good, gaps = (stats.spearmanr(measures[name][both], human[both]).statistic for name in ("good", "gaps"))
    assert rows.iloc[0]["difference"] == pytest.approx(good - gaps, abs=1e-12)
    assert rows.iloc[0]["n"] == both.sum()
    matrix = found.p_matrix()
    assert matrix.loc["gaps", "good"] == matrix.loc["good", "gaps"] == rows.iloc[0]["p_adjusted"]
    assert np.isnan(matrix.loc["good", "good"])


def test_clusters_and_sentinel(study):
    found = study[-1]
    assert found.clusters["average"]["good"] == 1
    assert found.clusters["average"]["candidate-length"] > 1
    assert "constant" not in found.clusters["average"]
    assert found.not_beating() == []
    rng = np.random.default_rng(8)
    scores, measures, documents = data()
    noise = measures.assign(random=rng.normal(size=PAIRS))
    assert plain(scores, noise, documents).not_beating() == ["random"]


def test_trials_that_can_reach_significance(study):
    found = study[-1]
    assert found.trials_needed() == 60  # three tests: 3 / 61 < .05, 3 / 60 is not
    assert replace(found, study=replace(STUDY, correction="bh")).trials_needed() == 20


def test_the_range_that_the_last_tie_rule_leaves(study):
    scores, measures, _, _, _, found = study
    assert found.tied == int((majority(scores, "low") < majority(scores, "high")).sum()) > 0
    row = found.tie_range[found.tie_range["measure"] == "good"].iloc[0]
    for rule in ("low", "high", "mid"):
        human = majority(scores, rule)
        both = ~np.isnan(human)
        assert row[rule] == pytest.approx(stats.spearmanr(measures["good"][both], human[both]).statistic, abs=1e-12)
    assert row["low"] == cell(found, "good", how="majority")["value"]


@pytest.mark.parametrize("name", ["spearman", "pearson", "kendall"])
def test_infinite_values_are_undefined(name):
    scores, measures, documents = data()
    study = replace(STUDY, correlation=name, test="none")
    gaps = plain(scores, measures, documents, study)
    endless = measures.assign(gaps=measures["gaps"].fillna(-np.inf))
    pd.testing.assert_frame_equal(plain(scores, endless, documents, study).frame, gaps.frame)


def test_one_annotator_has_no_ceiling():
    scores, measures, _ = data()
    found = plain(scores[:, :1], measures, np.arange(PAIRS))
    assert cell(found, "human")["reason"] == "one_annotator"
    assert cell(found, "human")["n"] == 0
    assert found.ceiling["percent"].isna().all()
    assert cell(found, "good")["documents"] == cell(found, "good")["n"]


def test_closed_form_and_williams():
    scores, measures, documents = data()
    found = plain(scores, measures, documents, Study(interval="closed-form", test="williams"))
    row = cell(found, "good")
    low, high = coefficients.closed_form(np.array([row["value"]]), np.array([row["n"]]))
    assert (row["low"], row["high"]) == (low[0], high[0])
    met = estimates.contests(measures.to_numpy(), average(scores))[["first", "second", "between", "n"]]
    assert found.tests["p"][0] == estimates.williams(*met.to_numpy().T)[1][0]
    assert np.isnan(cell(found, "human")["low"])


def test_no_pairs_at_all_give_rows_with_reasons():
    found = plain(np.empty((0, 2)), pd.DataFrame({"m": np.empty(0)}), np.empty(0, int))
    assert found.frame["reason"].tolist() == ["too_few"] * 12
    assert found.frame["n"].tolist() == [0] * 12
    assert found.tests.empty


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"correlation": "gamma"}, "correlation is 'gamma'; choose one of: spearman"),
        ({"test": "t"}, "perm-both, williams, none"),
        ({"test": "williams", "correlation": "kendall"}, "choose perm-both"),
        ({"resamples": 0}, "resamples is 0; choose a whole number from 1 up"),
    ],
)
def test_unknown_choices_are_named(choices, says):
    with pytest.raises(UsageError, match=says):
        Study(**choices)
