"""Situations in which a claim was false, or a layman took it for its opposite: what is claimed of them now."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import kp_core as kp
from kp_core.charts.heat_maps import pair_map
from kp_core.cli import main
from kp_core.scoring import intervals
from kp_core.scoring.pair_sums import ListCounts
from kp_core.scoring.runs import Sampled, pooled, variance_of
from kp_core.studies.compare import Comparison, better_on
from kp_core.studies.over_k import OverK, corrected, documents_needed, over_k, power
from kp_core.words.answers import of_comparison, of_datasets, of_range
from kp_core.words.statements import leaders
from tests.unit.test_answers import drawn
from tests.unit.test_statements import compared

QUICK = {"k": 5, "resamples": 300}


# 1: missing lists


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


def test_a_missing_list_is_a_caveat_of_what_holds_both_ways() -> None:
    said = kp.answer(drawn(60, {"a": (0.9, range(60)), "b": (0.3, range(2, 60))}), **QUICK)
    assert said.grade == "significant"
    assert said.caveats == ("b has no list for 2 of 60 documents; each counts as 0.",)
    assert "On the documents of both: difference " in said.why
    assert said.why.count("p < 0.001") == 2


def test_significance_over_k_holds_under_both_rules_for_missing_lists() -> None:
    corpus = drawn(60, {"a": (0.7, range(60)), "b": (0.6, range(55))}, seed=5)
    for missing in ("zero", "skip"):
        found = over_k(corpus, kp.Settings(missing=missing))
        assert found is not None
        assert found.significant("a", "b") == ()
    zero = kp.documents(corpus, k="1-5").frame.pivot_table("value", ["document"], ["system", "k"])
    apart = (zero["a"] - zero["b"]).to_numpy()
    assert (corrected(apart, 10_000, np.random.default_rng(0)) < 0.05).tolist() == [False, False, False, True, True]


def test_missing_lists_of_a_third_system_change_nothing_over_k() -> None:
    chances = {"a": (0.6, range(40)), "b": (0.3, range(40))}
    two = over_k(drawn(40, chances), kp.Settings())
    three = over_k(drawn(40, chances | {"c": (0.0, range(4))}), kp.Settings())
    assert two is not None
    assert three is not None
    assert two.significant("a", "b") == three.significant("a", "b") == (1, 2, 3, 4, 5)


def test_streamed_data_with_missing_lists_are_suggestive_at_most(tmp_path: Path) -> None:
    corpus = drawn(60, {"a": (0.9, range(60)), "b": (0.3, range(2, 60))})
    corpus.gold[["doc_id", "phrase"]].to_csv(tmp_path / "gold.csv", index=False)
    given = ["--gold", str(tmp_path / "gold.csv")]
    for name, own in corpus.runs.groupby("system"):
        own[["doc_id", "rank", "phrase"]].to_csv(tmp_path / f"{name}.csv", index=False)
        given += ["--system", f"{name}={tmp_path / f'{name}.csv'}"]
    out = tmp_path / "out.json"
    words = ["--k", "5", "--format", "json", "--out", str(out)]
    assert main(["compare", *given, *words]) == 0
    assert json.loads(out.read_text())["answer"]["grade"] == "significant"
    assert main(["compare", *given, *words, "--stream"]) == 0
    said = json.loads(out.read_text())["answer"]
    assert said["grade"] == "suggestive"
    assert said["coverage"] == {"a": [60, 60], "b": [58, 60]}
    assert said["caveats"] == ["b has no list for 2 of 60 documents; each counts as 0."]
    assert said["why"].endswith("leave out documents without a list instead.")


def test_lists_that_are_shifted_by_one_line_are_the_first_caveat() -> None:
    gold = {f"d{i:02}": [f"tide {i}", f"wave {i}"] for i in range(20)}
    late = {f"d{i:02}": [f"wave {i + 1}", "no"] for i in range(19)} | {"d19": ["no"]}
    both = kp.load(gold=gold, systems={"right": {d: [own[0]] for d, own in gold.items()}, "late": late})
    warning = (
        "late has lists that hold keyphrases of the next document (19 of them), not of their own (0), "
        "as if shifted by one line."
    )
    assert kp.answer(both, k=1, resamples=200).caveats == (warning,)
    alone = kp.load(gold=gold, systems={"late#1": late, "late#2": late})
    assert kp.answer(alone, k=1, resamples=200).caveats[0] == warning.replace("late", "late#1")
    sets = kp.together(nus=both, inspec=both)
    assert kp.answer(sets, k=1, resamples=200).caveats[0] == f"On nus, {warning}"


# 2: one run beside several


def sampled(values: list[float], rng: np.random.Generator) -> Sampled:
    moved = rng.normal(0, 0.001, (len(values), 40, 1))
    return Sampled(np.array(values)[:, None], moved - moved.mean(axis=1, keepdims=True))


def test_a_single_run_borrows_the_variance_of_the_others() -> None:
    rng = np.random.default_rng(0)
    one, three, five = sampled([0.5], rng), sampled([0.4, 0.5, 0.6], rng), sampled([0.3, 0.4, 0.4, 0.5, 0.4], rng)
    spread = (2 * np.var([0.4, 0.5, 0.6], ddof=1) + 4 * np.var([0.3, 0.4, 0.4, 0.5, 0.4], ddof=1)) / 6
    borrowed = pooled([one, three, five])
    assert borrowed is not None
    assert (borrowed.spread.item(), borrowed.freedom) == (pytest.approx(spread), 6)
    [(of_runs, freedom)] = variance_of([five, one], 40, borrowed).runs
    assert (of_runs.item(), freedom) == (pytest.approx(spread * (1 / 5 + 1)), 6)
    alone = variance_of([five, three], 40, borrowed).runs  # both have several runs of their own
    assert [own.item() for own, _ in alone] == pytest.approx([0.005 / 5, 0.01 / 3])
    assert pooled([one, one]) is None


def with_runs(runs: int, seed: int, shift: float = 0.0) -> kp.Corpus:
    """Draw a system with several runs and one with a single run; runs differ by a deviation of .08."""
    rng = np.random.default_rng(seed)
    chances = {f"many#{run}": (0.5 + shift + 0.08 * rng.standard_normal(), range(60)) for run in range(runs)}
    return drawn(60, chances | {"single": (0.5 + 0.08 * rng.standard_normal(), range(60))}, seed)


def test_five_runs_against_one_are_seldom_significant_by_chance() -> None:
    grades = [kp.answer(with_runs(5, seed), **QUICK).grade for seed in range(40)]
    assert grades.count("significant") <= 4  # without the variance of a run: 17


def test_two_runs_against_one_are_suggestive_at_most() -> None:
    said = kp.answer(with_runs(2, 1, shift=0.4), **QUICK)
    assert said.grade == "suggestive"
    assert said.why.endswith(
        "single has one run; the variance between runs is that of the systems with several, which are too few for a "
        "significant difference."
    )
    assert kp.compare(with_runs(2, 1, shift=0.4), **QUICK).better == {"many": (), "single": ()}
    assert kp.answer(with_runs(3, 1, shift=0.4), **QUICK).grade == "significant"


# 3 and 4: several data sets


def on(values: dict[str, float], p: float, lists: ListCounts | None = None, documents: int = 30) -> Comparison:
    apart = values["a"] - values["b"]
    found = compared(values, [("a", "b", apart - 0.1, apart + 0.1, p)], documents)
    found.frame["measure"] = "F1@5"
    return found if lists is None else replace(found, lists=lists)


def over(**each: Comparison) -> Comparison:
    scores = {name: float(np.mean([one.scores[name] for one in each.values()])) for name in ("a", "b")}
    first = next(iter(each.values()))
    return replace(first, datasets=each, over_datasets=tuple(better_on(each)), scores=scores)


def test_p_of_a_data_set_is_two_sided() -> None:
    ahead, level = on({"a": 0.6, "b": 0.3}, 0.03), on({"a": 0.41, "b": 0.40}, 0.9)
    assert list(better_on({"x": ahead, "y": level})) == []  # .03 is above .05 / 2
    (found,) = better_on({"x": on({"a": 0.6, "b": 0.3}, 0.02), "y": level})
    assert (found.a, found.better, found.which) == ("a", 1, ("x",))


def test_opposite_results_are_the_headline() -> None:
    said = of_datasets(over(nus=on({"a": 0.6, "b": 0.3}, 0.001), inspec=on({"a": 0.3, "b": 0.55}, 0.001)), "F1@5", 2)
    assert said.grade == "depends on the data set"
    assert said.claim == (
        "It depends on the data set: a is better on nus (F1@5 0.600 against 0.300); "
        "b is better on inspec (F1@5 0.550 against 0.300)."
    )


def test_a_data_set_with_the_other_order_is_a_caveat() -> None:
    each = over(nus=on({"a": 0.6, "b": 0.3}, 0.001), inspec=on({"a": 0.40, "b": 0.42}, 0.8))
    said = of_datasets(each, "F1@5", 2)
    assert said.claim == (
        "a is better than b on at least 1 of 2 data sets (nus), by 0.140 on average (mean F1@5 0.500 against 0.360)."
    )
    assert said.caveats == ("On inspec b is ahead, which may be due to chance.",)


def test_equal_means_over_data_sets_have_no_order() -> None:
    each = over(nus=on({"a": 0.6, "b": 0.3}, 0.2), inspec=on({"a": 0.3, "b": 0.6}, 0.2))
    said = of_datasets(each, "F1@5", 2)
    assert said.claim == "a and b have equal means on nus and inspec: F1@5 0.450."
    assert said.grade == "not significant"


def test_a_data_set_that_is_not_comparable_supports_no_claim() -> None:
    apart = ListCounts(("a", "b"), np.array([[30, 10], [10, 10]]), 30)
    nus, inspec = on({"a": 0.6, "b": 0.2}, 0.001, apart), on({"a": 0.40, "b": 0.41}, 0.8)
    said = of_datasets(over(nus=nus, inspec=inspec), "F1@5", 2)
    assert said.grade == "not significant"
    assert said.claim == ("b is ahead of a by 0.010, which may be due to chance (F1@5 on inspec 0.410 against 0.400).")
    assert said.caveats == ("On nus they cannot be compared.",)
    assert of_datasets(over(nus=nus), "F1@5", 1).grade == "not comparable"


# 6 and 7: over k


def at_cutoffs(first: float, second: float, third: float) -> OverK:
    values = {"broad": np.array([[0.2, 0.5, 0.5]]), "sharp": np.array([[0.6, 0.4, 0.4]])}
    return OverK((1, 2, 3), values, {("broad", "sharp"): np.array([first, second, third])}, 100, 0)


def at_two(p: float) -> Comparison:
    found = compared({"broad": 0.5, "sharp": 0.4}, [("broad", "sharp", 0.05, 0.15, p)])
    return replace(found, frame=found.frame.assign(k=pd.Series([2], dtype=object)))


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


def test_a_k_that_was_looked_for_is_no_second_headline() -> None:
    said = of_comparison(at_two(0.027), "F1@2", at_cutoffs(0.4, 0.2, 0.2))
    assert said.claim == "broad is better than sharp by 0.100 (F1@2 0.500 against 0.400)."
    assert said.details[1] == (
        "Significant at k = 2. Had you tried every k from 1 to 3 and reported the best, none would be significant."
    )
    assert said.sentences.index(said.details[1]) == 2


# 8: documents needed


def test_one_deciding_document_tells_no_number_of_documents() -> None:
    apart = np.array([0.5, *[0.0] * 14])
    assert documents_needed(apart, 1, np.random.default_rng(0)) is None
    assert documents_needed(np.array([0.5, 0.4, 0.3, 0.6, *[0.0] * 40]), 1, np.random.default_rng(0)) is None


def test_power_is_that_of_the_randomisation_test_by_enumeration() -> None:
    pilot, rng = np.array([0.5, 0.4, 0.3, 0.0, 0.0, 0.2, -0.1, 0.6]), np.random.default_rng(1)
    significant = []
    for _ in range(400):
        sample = rng.choice(pilot, 10)
        signs = np.array(list(product((1, -1), repeat=10)))
        significant.append((np.abs(signs @ sample) >= abs(sample.sum()) - 1e-9).mean() <= 0.05)
    found = np.mean([power(pilot, 10, 0.05, rng) for _ in range(20)])
    assert found == pytest.approx(np.mean(significant), abs=0.06)
    single = np.array([0.5, *[0.0] * 14])  # p = 2 / 2^m, so that six of 81 documents must be this one
    expected = 1 - sum(
        np.exp(
            np.log(1 / 15) * m
            + np.log(14 / 15) * (81 - m)
            + np.log(float(np.prod([(81 - i) / (i + 1) for i in range(m)])))
        )
        for m in range(6)
    )
    assert np.mean([power(single, 81, 0.05, rng) for _ in range(20)]) == pytest.approx(expected, abs=0.05)


def test_the_documents_needed_are_a_caveat_if_pilots_agree() -> None:
    corpus = drawn(200, {"a": (0.54, range(200)), "b": (0.5, range(200))}, seed=3)
    values = kp.documents(corpus, k=5).frame.pivot_table("value", "document", "system", sort=False)
    found = documents_needed((values["a"] - values["b"]).to_numpy().round(12), 1, np.random.default_rng(0))
    assert found is not None
    assert 200 < found[1] <= 10 * found[0]
    between = f"between {found[0]:,} and {found[1]:,} documents"
    (caveat,) = kp.answer(corpus, **QUICK).caveats
    assert caveat == f"A difference like this one needs {between} to be significant in 8 of 10 studies."
    few = drawn(60, {"a": (0.58, range(60)), "b": (0.5, range(60))}, seed=5)
    said = kp.answer(few, **QUICK)
    assert (said.grade, said.caveats) == ("not significant", ())


# 9: the gate


def write(tmp_path: Path, systems: dict[str, dict[str, list[str]]]) -> list[str]:
    """Write a gold standard of twelve documents and systems; return the words that name them."""
    given = ["--gold", str(tmp_path / "gold.csv")]
    rows = [(f"d{i}", f"g{i}") for i in range(12)]
    pd.DataFrame(rows, columns=["doc_id", "phrase"]).to_csv(tmp_path / "gold.csv", index=False)
    for name, lists in systems.items():
        own = [(d, rank + 1, phrase) for d, phrases in lists.items() for rank, phrase in enumerate(phrases)]
        pd.DataFrame(own, columns=["doc_id", "rank", "phrase"]).to_csv(tmp_path / f"{name}.csv", index=False)
        given += ["--system", f"{name}={tmp_path / f'{name}.csv'}"]
    return given


@pytest.mark.parametrize("interval", ["bootstrap", "cluster-t", "poisson", "two-way-t"])
def test_identical_outputs_pass_every_gate(tmp_path: Path, interval: str, capsys: pytest.CaptureFixture[str]) -> None:
    lists = {f"d{i}": [f"g{i}" if i % 3 else "no"] for i in range(12)}
    given = write(tmp_path, {"old": lists, "new": lists})
    words = ["--k", "1", "--baseline", "old", "--margin", "0", "--fail-on", "worse,cannot tell", "--format", "json"]
    assert main(["compare", *given, *words, "--interval", interval]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["low"], row["high"], row["verdict"]) == (0, 0, "not worse")


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_systems_without_a_shared_document_fail_every_gate(
    tmp_path: Path, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = ({f"d{i}": [f"g{i}"] for i in own} for own in (range(6), range(6, 12)))
    given = write(tmp_path, {"old": old, "new": new})
    words = ["--k", "1", "--baseline", "old", "--fail-on", "worse", "--missing", missing, "--format", "json"]
    assert main(["compare", *given, *words]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert printed["rows"][0]["verdict"] == printed["answer"]["grade"] == "not comparable"


# 10: intervals


@pytest.mark.parametrize("documents", [2, 5, 10, 20, 100, 5000])
def test_the_cut_is_that_of_hesterberg(documents: int) -> None:
    expected = norm.cdf(-np.sqrt(documents / (documents - 1)) * t.ppf(0.975, documents - 1))
    assert float(intervals.expanded_tail(documents)) == pytest.approx(expected, rel=1e-9)


def test_one_document_has_no_interval() -> None:
    found = kp.evaluate(kp.load(gold={"d": ["x", "y"]}, systems={"a": {"d": ["x"]}}), k=1, measures="F1@k").frame
    assert found["low"].isna().all()
    assert found["high"].isna().all()


def test_few_documents_that_differ_are_a_caveat() -> None:
    gold = {f"d{i}": [f"g{i}"] for i in range(40)}
    lists = {
        name: {f"d{i}": [f"g{i}" if i < right else "no"] for i in range(40)} for name, right in (("a", 7), ("b", 0))
    }
    said = kp.answer(kp.load(gold=gold, systems=lists), k=1, resamples=200)
    assert said.grade == "significant"
    nobody = kp.load(gold=gold, systems={"a": {d: ["x"] for d in gold}, "b": {d: ["y"] for d in gold}})
    assert kp.answer(nobody, k=1, resamples=200).caveats == ("a and b have the same value on each of 40 documents.",)
    assert said.caveats == ("a and b differ on only 7 of 40 documents; intervals and tests are unreliable below 10.",)
    one = kp.answer(kp.load(gold=gold, systems={"a": lists["a"]}), k=1, resamples=200)
    assert one.caveats == (
        "Only 7 of 40 documents differ from the most frequent value; the interval is unreliable below 10.",
    )


# 11: people


def test_k_of_the_others_is_titled_so() -> None:
    rows = [(f"d{i}", who, f"x{i}" if i < 6 else f"{who}{i}") for i in range(12) for who in "ABC"]
    people = kp.load(gold=pd.DataFrame(rows, columns=["doc_id", "annotator", "phrase"]))
    found = kp.agreement(people, measures="K,kappa", universe="30")
    titled = found.titled().set_index(["system", "measure"])["value"]
    two = kp.load(gold=people.gold[people.gold["annotator"] != "A"])
    assert titled["A", "K without"] == pytest.approx(kp.agreement(two, measures="K", universe="30").frame["value"][0])
    assert "A       K without" in found.text()
    assert "K without" in found.markdown()
    assert set(found.frame["measure"]) == {"K", "kappa"}


# 12: means, ties, and findings


def test_equal_means_are_called_means() -> None:
    gold = {f"d{i}": [f"g{i}"] for i in range(20)}
    lists = {
        name: {f"d{i}": [f"g{i}" if i % 2 == odd else "no"] for i in range(20)} for name, odd in (("a", 0), ("b", 1))
    }
    said = kp.answer(kp.load(gold=gold, systems=lists), k=1, resamples=200)
    assert said.claim == "a and b have equal means: F1@1 0.500."
    assert said.grade == "not significant"


def test_a_lead_is_found_only_by_a_significant_difference() -> None:
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


# 13: the size of a difference


def test_digits_follow_the_size_of_the_difference() -> None:
    said = of_comparison(compared({"x": 0.23914, "y": 0.23868}, [("x", "y", 0.0001, 0.0008, 0.01)], 5000), "F1@6")
    assert said.claim == "x is better than y by 0.0005 (F1@6 0.2391 against 0.2387)."
    assert said.why.startswith("Difference 0.0005, 95 % interval 0.0001 to 0.0008, ")


def test_marks_of_significance_follow_the_grade() -> None:
    few = kp.compare(drawn(8, {"a": (0.95, range(8)), "b": (0.05, range(8))}), **QUICK)
    assert few.frame["p_adjusted"].item() < 0.05
    assert few.better == {"a": (), "b": ()}
    assert pair_map(few, "F1@5").alt.endswith(" 0 of 1 are significant.")
    assert pair_map(few, "F1@5").figure["data"][0]["text"] == [["", "0.95"], ["-0.95", ""]]
    lists = drawn(60, {"a": (0.6, range(60)), "b": (0.6, range(55))}, seed=2)  # p = .024 if they count as 0
    drawn_map = pair_map(kp.compare(lists, **QUICK), "F1@5")
    assert kp.answer(lists, **QUICK).grade == "depends on missing lists"
    assert "*" not in str(drawn_map.figure["data"][0]["text"])


# 14: duplicates


def test_identical_outputs_are_one_system_of_a_family() -> None:
    two = drawn(40, {"a": (0.7, range(40)), "b": (0.5, range(40)), "c": (0.3, range(40))}, seed=3)
    again = two.runs[two.runs["system"] == "a"].assign(system="a2")
    corpus = kp.load(gold=two.gold, systems=pd.concat([two.runs, again])[["system", "doc_id", "rank", "phrase"]])
    before, after = kp.compare(two, **QUICK), kp.compare(corpus, **QUICK)
    assert after.identical == {"a2": "a"}
    shared = after.frame[after.frame["a"].isin([*"abc"]) & after.frame["b"].isin([*"abc"])]
    assert shared["p_adjusted"].tolist() == before.frame["p_adjusted"].tolist()
    for name, other in combinations("abc", 2):
        if name == "a":
            row, twin = (after.found(one, other) for one in ("a", "a2"))
            assert row == twin
    said = kp.answer(corpus, **QUICK)
    twice = kp.load(gold=two.gold, systems={name: list_of(two, name[0]) for name in ("a", "b", "b2")})
    assert said.claim.startswith("a (identical to a2) is better than b by ")
    assert "b2" not in kp.answer(twice, **QUICK).why.partition("Identical")[0]
    assert said.why.endswith("Identical outputs, counted once: a2 = a.")
    assert "(Holm, 3 pairs)" in said.why
    alone = kp.load(gold=two.gold, systems={"x": list_of(two, "a"), "y": list_of(two, "a")})
    assert kp.answer(alone, **QUICK).claim.startswith("x and y have identical outputs: F1@5 0.")


def list_of(corpus: kp.Corpus, system: str) -> dict[str, list[str]]:
    own = corpus.runs[corpus.runs["system"] == system]
    return {str(d): rows["phrase"].tolist() for d, rows in own.groupby("doc_id")}


# 15: people and systems


def people_and(share: float) -> kp.Corpus:
    """Draw three annotators who choose four of six keyphrases each, and a system that finds a share of them."""
    rng, rows, lists = np.random.default_rng(4), [], {}
    for i in range(30):
        words = [f"g{i} {j}" for j in range(6)]
        rows += [(f"d{i}", who, word) for who in "ABC" for word in rng.choice(words, 4, replace=False)]
        lists[f"d{i}"] = [word if rng.random() < share else f"no {i} {word}" for word in rng.permutation(words)[:4]]
    gold = pd.DataFrame(rows, columns=["doc_id", "annotator", "phrase"])
    return kp.load(gold=gold, systems={"machine": lists})


def test_a_system_is_above_below_or_within_the_range_of_people() -> None:
    for share, side in ((1.0, "within"), (0.2, "below")):
        said = kp.answer(people_and(share), k=4, annotators="others", resamples=300)
        assert said.claim.startswith(f"machine is {side} the range of people: F1@4 0.")
        assert said.why.startswith("95 % interval 0.")
        assert "for machine; people on average reach 0." in said.why
    corpus = people_and(1.0)
    rows = kp.evaluate(corpus, k=4, annotators="others", measures="F1@k").frame.set_index("system")["value"]
    each = {}
    for who in "ABC":
        others = kp.load(gold=corpus.gold[corpus.gold["annotator"] != who])
        own = corpus.gold[corpus.gold["annotator"] == who].groupby("doc_id")["phrase"].agg(list).to_dict()
        alone = kp.load(gold=others.gold, systems={"one": own})
        each[who] = kp.evaluate(alone, k="all", measures="F1@k").frame["value"][0]
    assert np.mean(list(each.values())) == pytest.approx(rows["human ceiling"])
    said = kp.answer(corpus, k=4, annotators="others", resamples=300)
    assert f"F1@4 {rows['machine']:.3f} against {min(each.values()):.3f} to {max(each.values()):.3f}." in said.claim


def test_above_the_range_of_people_needs_the_whole_interval() -> None:
    found = kp.evaluate(people_and(1.0), k=4, annotators="others", measures="F1@k", resamples=300)
    machine = found.frame.set_index("system").loc["machine"]
    under, just = float(machine["low"]) - 0.01, float(machine["value"]) - 0.001
    assert of_range(found, "F1@4", ["machine"], {"A": under, "B": under - 0.1}).claim.startswith(
        "machine is above the range of people: F1@4 "
    )
    assert of_range(found, "F1@4", ["machine"], {"A": just, "B": under}).claim.startswith(
        "machine is above the range of people, which may be due to chance: F1@4 "
    )
