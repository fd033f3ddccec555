"""Human scores and correlations against the examples of Kim, Baldwin & Kan (2010) and the oracle files."""

import json

import numpy as np
import pandas as pd
import pytest

from kp_core.studies.correlation import coefficients, human


def fraction(text):
    top, _, below = str(text).partition("/")
    return float(top) / float(below) if below else float(top)


@pytest.fixture(scope="module")
def examples(shared):
    return pd.read_csv(shared("oracles/similarity/human_score_aggregation_examples.csv"), dtype=str)


def test_average_and_majority_under_every_tie_rule(examples):
    assert len(examples) == 16
    for row in examples.itertuples():
        scores = np.array([[float(s) for s in row.scores.split()]])
        assert human.average(scores)[0] == pytest.approx(float(row.average), abs=1e-6)
        for rule in ("low", "high", "mid"):
            assert human.majority(scores, rule)[0] == float(getattr(row, f"majority_{rule}"))
        needs_last_rule = human.majority(scores, "high")[0] > human.majority(scores, "low")[0]
        assert needs_last_rule == (row.resolved_by == "second tie-break needed")


@pytest.fixture(scope="module")
def example(shared):
    return pd.read_csv(shared("oracles/similarity/leave_one_out_example.csv"))


@pytest.fixture(scope="module")
def expected(shared):
    table = pd.read_csv(shared("oracles/similarity/leave_one_out_example_expected.csv"), keep_default_na=False)
    return {(row.quantity, row.human_combination, row.metric): float(row.value) for row in table.itertuples()}


COMBINED = {"average": ("average", "low")} | {f"majority_{ties}": ("majority", ties) for ties in human.TIE_RULES}


def test_combined_scores_of_the_example(example):
    scores = human.score_matrix(example)
    assert list(scores.index) == list(example["pair_id"])
    assert list(scores.columns) == ["1", "2", "3", "4"]
    for column, (how, ties) in COMBINED.items():
        place = human.COMBINATIONS.index(how)
        assert human.combine_scores(scores.to_numpy(), ties)[:, place].tolist() == example[column].tolist()


@pytest.mark.parametrize("column", COMBINED)
def test_leave_one_out(example, expected, column):
    how, ties = COMBINED[column]
    place, once = human.COMBINATIONS.index(how), np.ones((12, 1))
    result = human.Ceiling(human.score_matrix(example).to_numpy(), ties)
    wanted = [expected[f"loo_spearman_annotator_{i}", column, ""] for i in range(1, 5)]
    assert result.each(once)[0, 0, place].tolist() == pytest.approx(wanted, abs=1e-9)
    mean = expected["inter_annotator_spearman_mean", column, ""]
    assert result.kernel(once)[0, 0, place] == pytest.approx(mean, abs=1e-9)
    assert result.pairs[0, place] == 12


@pytest.fixture(scope="module")
def measures(shared, example):
    """Values of the measures on the twelve pairs; information weights of NIST are those of these references."""
    table = pd.read_csv(shared("oracles/similarity/phrase_pairs_expected.csv"), dtype=str).set_index("id")
    table = table.loc[example["pair_id"]]
    columns = ["r_precision_bag", "mod_r_bag", "mod_r_contiguous", "rouge1_recall", "rouge1_f1", "bleu_safe_none"]
    columns += ["bleu_safe_exp", "bleu4_nltk_method1", "meteor_a09_b3_g05"]
    return {name: table[name].map(fraction).to_numpy() for name in columns}


@pytest.mark.parametrize("column", COMBINED)
def test_correlations_of_nine_measures(example, expected, measures, column):
    people = example[column].to_numpy(float)
    assert len(measures) == 9
    for name, values in measures.items():
        # values of six decimals: ranks are exact, Pearson is not
        for kind, quantity in {"spearman": "spearman", "kendall": "kendall_b", "pearson": "pearson"}.items():
            result, within = coefficients.correlation(values, people, kind), 2e-6 if kind == "pearson" else 1e-9
            assert result == pytest.approx(expected[quantity, column, name], abs=within)


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads(shared("oracles/similarity/correlation_cases.json").read_text("utf-8"))["cases"]


def test_correlations_and_closed_intervals(cases):
    assert len(cases) == 10
    for case in cases:
        people = np.array(case["human"])
        for name in ("m1", "m2"):
            values = np.array(case[name])
            for kind, key in [("spearman", "spearman"), ("pearson", "pearson"), ("kendall", "kendall_b")]:
                result = coefficients.correlation(values, people, kind)
                assert result == pytest.approx(case[f"{key}_{name}"], abs=1e-9)
                interval = coefficients.closed_form_interval(np.array([result]), np.array([len(people)]), kind)
                wanted = case.get(f"fisher95_{kind}_{name}")
                assert wanted is not None or name == "m2"
                if wanted:
                    assert np.concatenate(interval).tolist() == pytest.approx(wanted, abs=1e-9)


def test_ordinal_alpha_of_the_example_of_krippendorff():
    # Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections C and E: four observers, twelve units
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    scores = [[np.nan if mark == "." else float(mark) for mark in row] for row in rows]
    assert round(human.ordinal_alpha(np.array(scores).T), 3) == 0.815
