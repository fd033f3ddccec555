"""Trimming of the gold standard by agreement: hand examples as exact fractions, and an invented corpus end to end."""

import json
from fractions import Fraction

import numpy as np
import pytest

from kp_core.scoring.prepare import prepare
from kp_core.studies.document_values import documents
from kp_core.studies.trimming import choice_levels, choice_matrix, curve, levels, trim
from tests.corpora import corpus_of


@pytest.fixture(scope="module")
def examples(shared):
    return json.loads(shared("oracles/agreement/trim_oracle.json").read_text("utf-8"))


def found(case, **options):
    gold = {name: {"d": [str(item) for item in items]} for name, items in case["sets"].items()}
    return corpus_of(gold), {"universe": case["N"], "normalise": "none", **options}


def all_cases(examples):
    return [examples, *examples["more_cases"]]


def test_every_level(examples):
    assert len(examples["more_cases"]) == 7
    for case in all_cases(examples):
        small, options = found(case)
        data = prepare(small, **options)
        result = levels(data.choices, data.universe)
        for place, level in enumerate(case["levels"]):
            if level["K"] is None:
                assert np.isnan(result.K[0, place])
            else:
                exact = float(Fraction(level["K_exact"])) if "K_exact" in level else level["K"]
                assert result.K[0, place] == pytest.approx(exact, abs=1e-9)
            assert result.gold[0, place] == len(level["gold"])


def test_the_majority_reached_at_every_threshold(examples):
    for case in all_cases(examples):
        for key, size in case["chosen"].items():
            small, options = found(case)
            row = trim(small, threshold=float(key.removeprefix("t=")), **options).frame.iloc[0]
            if size is None:
                assert row["status"] == "unreachable"
                defined = [level for level in case["levels"] if level["K"] is not None]
                assert (row["K"] == pytest.approx(defined[-1]["K"])) if defined else np.isnan(row["K"])
            else:
                assert (row["status"], row["size"], row["reason"]) == ("ok", size, None)


def test_the_choice_matrix_form(examples):
    cases = examples["choice_matrix_examples"]
    assert len(cases) == 4
    for case in cases:
        matrix, expected = choice_matrix(case["choices"]), np.array(case["matrix"])
        assert sorted(expected[:, expected.sum(axis=0) > 0].tolist()) == sorted(matrix.tolist())
        k, left = choice_levels(matrix, case["raters"])
        assert left[0] == matrix.shape[1]
        assert k[0] == pytest.approx(float(Fraction(case["K_exact"])), abs=1e-9)
        for steps in case["trimming"].values():
            for step in steps:
                assert left[step["size"] - 1] == len(step["kept"])
                if step["K_exact"] is None:
                    assert np.isnan(k[step["size"] - 1])
                else:
                    assert k[step["size"] - 1] == pytest.approx(float(Fraction(step["K_exact"])), abs=1e-9)


def test_both_forms_on_the_same_choices(examples):
    cases = [
        (one["choices"], one["sentences"], Fraction(one["K_binary_exact"]), Fraction(one["K_exact"]))
        for one in examples["choice_matrix_examples"]
    ]
    two = examples["choices_example"]  # two annotators of ten sentences
    for lists, sentences, *expected in (*cases, (two["sets"], two["N_sentences"], two["binary_K"], two["K"])):
        gold = {f"r{i}": {"d": [str(item) for item in items]} for i, items in enumerate(lists)}
        for form, k in zip(("binary", "choices"), expected, strict=True):
            frame = trim(corpus_of(gold), threshold=-1, form=form, universe=sentences, normalise="none").frame
            assert frame["K"].item() == pytest.approx(float(k), abs=1e-9)


def test_unequal_choices_have_no_choice_matrix():
    unequal = corpus_of({"A": {"d": ["x", "y"]}, "B": {"d": ["x"]}})
    assert trim(unequal, threshold=0.1, form="choices", universe=5).frame["reason"].tolist() == ["unequal_choices"]


def test_trimming_a_whole_corpus(corpus, oracle):
    expected = oracle["expected"]["trimming"]
    for threshold, at in expected["thresholds"].items():
        frame = trim(corpus, threshold=float(threshold), normalise="none", universe="ngrams:1").frame
        frame = frame.set_index("document")
        for document, size in at["size"].items():
            if size is None:
                assert frame["status"][document] == "unreachable"
            else:
                assert (frame["status"][document], frame["size"][document]) == ("ok", size)
        kept = frame[frame["status"] == "ok"]
        assert (len(kept), kept["gold"].sum()) == (at["documents_kept"], at["gold_items"])
    for document, steps in expected["levels"].items():
        if steps:
            frame = trim(corpus, threshold=-1, normalise="none", universe="ngrams:1").frame.set_index("document")
            assert frame["K"][document] == pytest.approx(steps[0]["K"], abs=1e-9)
            assert frame["gold"][document] == steps[0]["gold_size"]


def test_scores_after_trimming_and_random_trimming(corpus, oracle):
    expected = oracle["expected"]["trimming"]["thresholds"]
    data = prepare(corpus, normalise="none", universe="ngrams:1", k=5)
    thresholds = [float(item) for item in expected]
    names = ("P_pos", "kappa", "R@5", "a", "b", "c", "d")
    table = curve(data, levels(data.choices, data.universe), names, thresholds)
    table = table[table["system"] == "s1"].set_index(["measure", "threshold"])
    recall = documents(corpus, data.settings, "R@5").frame.query("system == 's1'").set_index("document")["value"]
    for threshold, at in expected.items():
        for key, name in {"kappa": "kappa", "ppos": "P_pos"}.items():
            row = table.loc[(name, float(threshold))]
            assert row["value"] == pytest.approx(at["s1_micro"][key], abs=1e-9)
            assert row["null"] == pytest.approx(at["s1_null_expected"][key], abs=1e-9)
            assert row["null_low"] <= row["null"] <= row["null_high"]
            assert (row["documents"], row["gold"]) == (at["documents_kept"], at["gold_items"])
            assert row["drawn"] == (at["documents_kept"] >= 5 and at["gold_items"] >= 40)
        # A random subset of the gold standard is expected to leave the recall of each document unchanged.
        kept = [document for document, size in at["size"].items() if size is not None]
        assert table.loc[("R@5", float(threshold)), "null"] == pytest.approx(recall[kept].mean(), abs=1e-9)
        found = [table.loc[(cell, float(threshold)), "value"] for cell in "abcd"]
        assert found == at["s1_micro"]["totals"]
