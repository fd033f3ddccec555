"""Claims in situations in which a claim was once false or misleading."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.scoring.pair_sums import ListCounts
from kp_core.studies.all_cutoffs import AllCutoffs, all_cutoffs, corrected_p, documents_needed
from kp_core.studies.compare import Comparison, better_on
from kp_core.words.answers import of_comparison, of_datasets
from kp_core.words.statements import leaders
from tests.unit.test_answers import drawn
from tests.unit.test_cli import answered
from tests.unit.test_statements import compared

QUICK = {"k": 5, "resamples": 300}


def test_missing_lists_that_turn_the_order_decide_nothing() -> None:
    corpus = drawn(400, {"full": (0.50, range(400)), "lossy": (0.535, range(400))}, seed=5)
    lists = corpus.runs[(corpus.runs["system"] == "full") | (corpus.runs["doc_id"].str[1:].astype(int) >= 37)]
    lossy = kp.load(gold=corpus.gold, systems=lists[["system", "doc_id", "rank", "phrase"]])
    said = kp.answer(lossy, **QUICK)
    shared = kp.compare(lossy, missing="skip", **QUICK).scores
    zero = kp.compare(lossy, **QUICK).scores
    assert zero["full"] > zero["lossy"]
    assert shared["full"] < shared["lossy"]
    assert said.grade == "depends on missing lists"
    assert said.claim.startswith("It depends on missing lists: if they count as 0, full is ahead of lossy ")
    assert f"F1@5 {zero['full']:.3f} against {zero['lossy']:.3f}" in said.claim
    assert "on the 363 documents with lists of both, lossy is ahead of full " in said.claim
    assert f"F1@5 {shared['lossy']:.3f} against {shared['full']:.3f}" in said.claim
    assert str(said).startswith(said.claim)  # which has the word of the grade
    assert said.caveats[0] == "lossy has no list for 37 of 400 documents; each counts as 0."
    assert kp.compare(lossy, **QUICK).better == {"full": (), "lossy": ()}
    assert kp.answer(lossy, missing="skip", **QUICK).claim == said.claim


def test_missing_list_is_caveat_of_robust_claim() -> None:
    said = kp.answer(drawn(60, {"a": (0.9, range(60)), "b": (0.3, range(2, 60))}), **QUICK)
    assert said.grade == "significant"
    assert said.caveats == ("b has no list for 2 of 60 documents; each counts as 0.",)
    assert "On the documents of both: difference " in said.why
    assert said.why.count("p < 0.001") == 2


def test_significance_over_k_needs_both_missing_rules() -> None:
    corpus = drawn(60, {"a": (0.7, range(60)), "b": (0.6, range(55))}, seed=5)
    for missing in ("zero", "skip"):
        result = all_cutoffs(corpus, kp.Settings(missing=missing))
        assert result is not None
        assert result.significant("a", "b") == ()
    zero = kp.documents(corpus, k="1-5").frame.pivot_table("value", ["document"], ["system", "k"])
    apart = (zero["a"] - zero["b"]).to_numpy()
    assert (corrected_p(apart, 10_000, np.random.default_rng(0)) < 0.05).tolist() == [False, False, False, True, True]


def test_lists_shifted_by_one_line_lead_caveats() -> None:
    gold = {f"d{i:02}": [f"tide {i}", f"wave {i}"] for i in range(20)}
    late = {f"d{i:02}": [f"wave {i + 1}", "no"] for i in range(19)} | {"d19": ["no"]}
    both = kp.load(gold=gold, systems={"right": {d: [part[0]] for d, part in gold.items()}, "late": late})
    warning = (
        "late has lists that match keyphrases of the next document (19 of them), not of their own (0), "
        "as if shifted by one line."
    )
    assert kp.answer(both, k=1, resamples=200).caveats == (warning,)
    alone = kp.load(gold=gold, systems={"late#1": late, "late#2": late})
    assert kp.answer(alone, k=1, resamples=200).caveats[0] == warning.replace("late", "late#1")
    sets = kp.together(nus=both, inspec=both)
    assert kp.answer(sets, k=1, resamples=200).caveats[0] == f"On nus, {warning}"


def with_runs(runs: int, seed: int, shift: float = 0.0) -> kp.Corpus:
    """Draw a system with several runs and one with a single run; runs differ by a deviation of .08."""
    rng = np.random.default_rng(seed)
    chances = {f"many#{run}": (0.5 + shift + 0.08 * rng.standard_normal(), range(60)) for run in range(runs)}
    return drawn(60, chances | {"single": (0.5 + 0.08 * rng.standard_normal(), range(60))}, seed)


def test_two_runs_against_one_are_suggestive_at_most() -> None:
    said = kp.answer(with_runs(2, 1, shift=0.4), **QUICK)
    assert said.grade == "suggestive"
    assert said.why.endswith(
        "single has one run; the variance between runs is taken from the systems with several runs, which are too few "
        "for a significant difference."
    )
    assert kp.compare(with_runs(2, 1, shift=0.4), **QUICK).better == {"many": (), "single": ()}
    assert kp.answer(with_runs(3, 1, shift=0.4), **QUICK).grade == "significant"


def on(values: dict[str, float], p: float, lists: ListCounts | None = None, documents: int = 30) -> Comparison:
    apart = values["a"] - values["b"]
    result = compared(values, [("a", "b", apart - 0.1, apart + 0.1, p)], documents)
    result.frame["measure"] = "F1@5"
    return result if lists is None else replace(result, lists=lists)


def over(**each: Comparison) -> Comparison:
    scores = {name: float(np.mean([one.scores[name] for one in each.values()])) for name in ("a", "b")}
    first = next(iter(each.values()))
    return replace(first, datasets=each, over_datasets=tuple(better_on(each)), scores=scores)


def test_opposite_results_are_the_headline() -> None:
    said = of_datasets(over(nus=on({"a": 0.6, "b": 0.3}, 0.001), inspec=on({"a": 0.3, "b": 0.55}, 0.001)), "F1@5", 2)
    assert said.grade == "depends on the data set"
    assert said.claim == (
        "It depends on the data set: a is better on nus (F1@5 0.600 against 0.300); "
        "b is better on inspec (F1@5 0.550 against 0.300)."
    )


def test_incomparable_data_set_supports_no_claim() -> None:
    apart = ListCounts({("a", "a"): 30, ("a", "b"): 10, ("b", "a"): 10, ("b", "b"): 10}, 30)
    nus, inspec = on({"a": 0.6, "b": 0.2}, 0.001, apart), on({"a": 0.40, "b": 0.41}, 0.8)
    said = of_datasets(over(nus=nus, inspec=inspec), "F1@5", 2)
    assert said.grade == "not significant"
    assert said.claim == ("b is ahead of a by 0.010, which may be due to chance (F1@5 on inspec 0.410 against 0.400).")
    assert said.caveats == ("On nus the two systems cannot be compared.",)
    assert of_datasets(over(nus=nus), "F1@5", 1).grade == "not comparable"


def at_cutoffs(first: float, second: float, third: float) -> AllCutoffs:
    values = {"broad": np.array([[0.2, 0.5, 0.5]]), "sharp": np.array([[0.6, 0.4, 0.4]])}
    return AllCutoffs((1, 2, 3), values, {("broad", "sharp"): np.array([first, second, third])}, 100, 0)


def at_two(p: float) -> Comparison:
    result = compared({"broad": 0.5, "sharp": 0.4}, [("broad", "sharp", 0.05, 0.15, p)])
    return replace(result, frame=result.frame.assign(k=pd.Series([2], dtype=object)))


def test_k_decides_where_both_directions_are_significant() -> None:
    said = of_comparison(at_two(0.001), "F1@2", at_cutoffs(0.01, 0.01, 0.01))
    assert said.grade == "depends on k"
    assert said.claim == (
        "It depends on k: sharp is better at k = 1, broad at k = 2–3 (F1@2: broad 0.500, sharp 0.400)."
    )
    assert said.as_dict()["over_k"] == {"tried": [1, 2, 3], "significant": [2, 3], "opposite": [1]}
    assert "broad is significantly better than sharp at k = 2–3, and sharp at k = 1." in said.details[1]
    alone = of_comparison(at_two(0.001), "F1@2", at_cutoffs(0.01, 0.2, 0.2))
    assert alone.claim.startswith("It depends on k: sharp is better at k = 1, broad at k = 2 (")


def test_one_deciding_document_gives_no_required_number() -> None:
    apart = np.array([0.5, *[0.0] * 14])
    assert documents_needed(apart, 1, np.random.default_rng(0)) is None
    assert documents_needed(np.array([0.5, 0.4, 0.3, 0.6, *[0.0] * 40]), 1, np.random.default_rng(0)) is None


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_systems_without_a_shared_document_fail_every_gate(
    tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, part in {"gold": range(12), "old": range(6), "new": range(6, 12)}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({f"d{i}": [f"g{i}"] for i in part}))
    gold, old, new = (str(tmp_path / f"{name}.json") for name in ("gold", "old", "new"))
    words = ["--gold", gold, "--system", old, new, "--k", "1", "--baseline", "old", "--missing", missing]
    printed = answered(capsys, "compare", *words, "--fail-on", "worse", status=3)
    assert printed["rows"][0]["verdict"] == printed["answer"]["grade"] == "not comparable"


def test_few_documents_that_differ_are_a_caveat() -> None:
    gold = {f"d{i}": [f"g{i}"] for i in range(40)}
    lists = {
        name: {f"d{i}": [f"g{i}" if i < right else "no"] for i in range(40)} for name, right in (("a", 7), ("b", 0))
    }
    said = kp.answer(kp.load(gold=gold, systems=lists), k=1, resamples=200)
    assert said.grade == "significant"
    nobody = kp.load(gold=gold, systems={"a": {d: ["x"] for d in gold}, "b": {d: ["y"] for d in gold}})
    assert kp.answer(nobody, k=1, resamples=200).caveats == ("a and b have the same value on all 40 documents.",)
    assert said.caveats == ("a and b differ on only 7 of 40 documents; intervals and tests are unreliable below 10.",)
    item = kp.answer(kp.load(gold=gold, systems={"a": lists["a"]}), k=1, resamples=200)
    assert item.caveats == (
        "Only 7 of 40 documents differ from the most frequent value; the interval is unreliable below 10.",
    )


def test_lead_needs_significant_difference() -> None:
    def pair(p: float) -> Comparison:
        return compared({"x": 0.201, "y": 0.2}, [("x", "y", -0.1, 0.1, p)])

    assert leaders({"head": pair(0.4), "tail": pair(0.9)}, "in") == (
        "No system is significantly ahead of every other one in head and tail."
    )
    assert leaders({"P@5": pair(0.02), "R@5": pair(0.03)}, "by") == (  # each at .05 / 2
        "x is significantly ahead of every other system by P@5; by R@5 no system is."
    )
    level = compared({"x": 0.7, "y": 0.7}, [("x", "y", 0, 0, 1.0)])
    assert leaders({"MAP": level}, "by") == "No system is significantly ahead of every other one by MAP."
