"""One answer is made of the data, says no more than the numbers do, and stands word by word in every place."""

from __future__ import annotations

import html
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.studies.answer import BestK, SignificantAt
from kp_core.studies.compare import Family, compare_all
from kp_core.studies.over_k import OverK, best_k, documents_needed, over_k
from kp_core.takeaway.bundle import report
from kp_core.words.answers import of_comparison, of_preset
from tests.cases import LECTURES, cases
from tests.unit.test_statements import compared

FILES = {path.stem: path for path in sorted((LECTURES / "systems").glob("*"))}


@pytest.mark.parametrize("case", cases(__file__)["cases"])
def test_the_claim_its_grade_and_why_follow_from_the_test(case: dict[str, Any]) -> None:
    said = of_comparison(compared(case["values"], case["pairs"], case["documents"]), "F1@5")
    assert (said.claim, said.grade, said.why) == (case["claim"], case["grade"], case["why"])


def drawn(documents: int, sources: dict[str, tuple[float, range]], seed: int = 0) -> kp.Corpus:
    """Draw lists of five phrases; of each system the share of right ones, and the documents that it has."""
    rng = np.random.default_rng(seed)
    gold = {f"d{i}": [f"g{i} {j}" for j in range(5)] for i in range(documents)}
    systems = {
        name: {f"d{i}": [f"g{i} {j}" if rng.random() < share else f"n{i} {name} {j}" for j in range(5)] for i in own}
        for name, (share, own) in sources.items()
    }
    return kp.load(gold=gold, systems=systems)


def test_systems_of_two_data_sets_are_not_compared() -> None:
    said = kp.answer(drawn(60, {"yake": (0.6, range(40)), "yake_semeval": (0.2, range(40, 52))}), k=5)
    assert said.grade == "not comparable"
    assert said.claim == (
        "yake and yake_semeval cannot be compared by F1@5: of 60 documents, yake has lists for 40 and yake_semeval has "
        "lists for 12, and both for 0."
    )
    assert said.why == "They look like systems of two data sets: load one data set at a time."
    assert said.coverage == {"yake": (40, 60), "yake_semeval": (12, 60)}
    assert said.over_k is None
    assert not any(word in str(said) for word in ("better", "p ="))


@pytest.mark.parametrize(
    ("first", "second", "compared"),
    [
        (range(60), range(60), True),
        (range(54), range(60), True),
        (range(53), range(60), False),
        (range(56), range(4, 60), False),  # each has nine of ten, and both together less
    ],
)
def test_nine_of_ten_documents_are_needed(first: range, second: range, compared: bool) -> None:
    said = kp.answer(drawn(60, {"a": (0.9, first), "b": (0.2, second)}), k=5, resamples=200)
    assert (said.grade != "not comparable") == compared


def test_left_out_documents_make_systems_incomparable_too() -> None:
    corpus = drawn(40, {"a": (0.9, range(40)), "b": (0.2, range(40)), "c": (0.5, range(5))})
    said = kp.answer(corpus, k=5, resamples=200)
    assert said.grade == "significant"
    assert "c" not in said.why.split("documents")[1]  # of which too little is known
    said = kp.answer(corpus, k=5, missing="skip", resamples=200)
    assert said.grade == "not comparable"
    assert "c has lists for 5" in said.claim


def test_documents_without_keyphrases_need_no_list() -> None:
    gold = {f"d{i}": [f"g{i}"] if i < 20 else [] for i in range(40)}
    systems = {
        name: {f"d{i}": [f"g{i}" if i % 3 < right else "no"] for i in range(20)} for name, right in (("a", 3), ("b", 1))
    }
    assert kp.answer(kp.load(gold=gold, systems=systems), k=1, resamples=200).grade == "significant"


def test_one_system_says_how_many_lists_it_has() -> None:
    said = kp.answer(drawn(20, {"a": (0.5, range(12))}), k=5, resamples=200)
    assert said.caveats == ("It has lists for 12 of 20 documents.",)
    with pytest.raises(kp.UsageError, match="ranks no systems"):
        kp.answer(drawn(20, {"a": (0.5, range(12))}), measure="BI")


def test_people_without_a_readable_universe_have_no_k_and_no_word() -> None:
    people = kp.load(LECTURES / "gold.csv", documents=LECTURES / "documents.jsonl")
    said = kp.answer(people, universe="rankings")
    assert said.grade == "people"
    assert said.claim == "Two indexers share on average 49 % of their headings (Hooper 0.34)."
    assert "K = " not in str(said)
    assert "Landis" not in str(said)
    assert "K = 0.488" in kp.answer(people, universe="ngrams:3").why
    assert "Landis" not in report(people, universe="rankings").markdown()


def test_people_without_a_value_beside_systems_are_told_why() -> None:
    divided = {"ana": {"d1": ["tide"]}, "ben": {"d2": ["moon"]}}
    corpus = kp.load(gold=divided, systems={"s": {"d1": ["tide"], "d2": ["moon"]}})
    why = "no document with a choice was seen by anybody else"
    said = kp.answer(corpus, k=1, annotators="others").claim
    assert said == f"F1@1 of people is undefined: {why}; no system has a value."
    assert kp.answer(corpus, measure="MAP", k=1, annotators="others").claim.startswith("People choose a set without")


def test_pairs_are_said_better_minus_worse(lectures: kp.Corpus) -> None:
    found = kp.compare(lectures, measure="F1@k", k=6)
    wide, tidy = found.wide(), found.frame.set_index(["a", "b"])
    order = sorted(found.scores, key=lambda name: -found.scores[name])
    assert list(zip(wide["a"], wide["b"], strict=True)) == [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    assert (wide["difference"] >= 0).all()
    for row in wide.itertuples():
        straight = (row.a, row.b) in tidy.index
        one = tidy.loc[(row.a, row.b) if straight else (row.b, row.a)]
        sign = 1 if straight else -1
        assert row.difference == sign * one["difference"]
        assert (row.low, row.high) == tuple(sorted((sign * one["low"], sign * one["high"])))
    effects = found.effects_as_read().set_index(["a", "b"])
    assert (effects["wins"] + effects["ties"] + effects["losses"] == 20).all()
    assert effects.loc[(order[0], order[-1]), "wins"] > effects.loc[(order[0], order[-1]), "losses"]
    assert "-0.000" not in found.text()


def test_pairs_of_every_measure_are_better_minus_worse(lectures: kp.Corpus) -> None:
    found = compare_all(lectures, kp.Settings(k=30, resamples=50), [Family(name, trials=50) for name in ("P@k", "MAP")])
    wide = found.wide()
    assert list(wide["measure"]) == ["P@30"] * 6 + ["MAP"] * 6
    assert (wide["difference"] >= 0).all()
    for name, rows in wide.groupby("measure"):
        values = kp.evaluate(lectures, k=30, measures=[str(name)], interval="none").frame.set_index("system")["value"]
        expected = values[rows["a"]].to_numpy() - values[rows["b"]].to_numpy()
        assert rows["difference"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_a_preset_says_what_it_does_otherwise() -> None:
    usual, other = kp.Settings(), kp.Settings(preset="jcdl20")
    rules = kp.differences("jcdl20")
    changed = [name for name in vars(usual) if name != "preset" and getattr(usual, name) != getattr(other, name)]
    assert len(rules) == len([name for name in changed if name != "k"]) > 0
    assert all(own != its for _, own, its in rules)


def test_a_preset_says_what_it_does_to_the_value(lectures: kp.Corpus) -> None:
    here = kp.evaluate(lectures, preset="semeval2010", k=15, measures="F1@k")
    usual = kp.evaluate(lectures, k=15, measures="F1@k")
    now, before = (one.frame.set_index("system").loc["yake", "value"] for one in (here, usual))
    said = of_preset(here, usual, "F1@15", "yake")
    assert f"F1@15 of yake is {now:.3f} by them, {before:.3f} by the rules of KPScope." in said
    assert f"differs from KPScope in {len(kp.differences('semeval2010'))} rules" in said


# over k


def brute(values: dict[str, np.ndarray[Any, Any]]) -> dict[tuple[str, str], list[float]]:
    """Return p of all pairs and cutoffs by looking at every way to turn the signs of the documents."""
    names = list(values)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    documents, cutoffs = values[names[0]].shape
    largest, observed = [], {}
    for turns in product((1, -1), repeat=documents):
        found = []
        for a, b in pairs:
            for k in range(cutoffs):
                d = [round(values[a][i, k] - values[b][i, k], 12) for i in range(documents)]
                size = sum(x * x for x in d) ** 0.5
                found.append(abs(sum(s * x for s, x in zip(turns, d, strict=True))) / size if size else 0.0)
        if all(turn == 1 for turn in turns):
            observed = dict(zip(product(pairs, range(cutoffs)), found, strict=True))
        largest.append(max(found))
    every = np.array(largest)
    return {
        pair: [
            float((every >= observed[pair, k] - 1e-9).mean()) if observed[pair, k] >= 0 else 1.0 for k in range(cutoffs)
        ]
        for pair in pairs
    }


def test_p_over_k_is_that_of_every_assignment() -> None:
    corpus = drawn(8, {"a": (0.8, range(8)), "b": (0.5, range(8)), "c": (0.4, range(8))}, seed=3)
    found = over_k(corpus, kp.Settings())
    assert found is not None
    assert found.tried == (1, 2, 3, 4, 5)
    expected = kp.evaluate(corpus, k="1-5", measures="F1@k").frame.set_index("system")["value"]
    for name, own in found.by_document.items():
        assert own.mean(axis=0).tolist() == pytest.approx(expected[name].tolist())
    for pair, p in brute(found.by_document).items():
        assert found.p[pair].tolist() == pytest.approx(p, abs=1e-12)


def test_over_k_is_given_where_values_are_means_over_documents() -> None:
    corpus = drawn(12, {"a": (0.8, range(12)), "b": (0.5, range(12))})
    assert over_k(corpus, kp.Settings(), "MAP") is None
    assert over_k(corpus, kp.Settings(average="micro")) is None
    assert over_k(corpus, kp.Settings(average="macro", universe="16"), "kappa") is None  # too small for longer lists
    assert over_k(corpus, kp.Settings(), "F1@3") is not None
    nothing = kp.load(gold={"d": ["x"], "e": ["y"]}, systems={"a": {"d": [], "e": []}, "b": {"d": [], "e": []}})
    assert over_k(nothing, kp.Settings()) is None
    assert kp.answer(nothing, over="ask").grade == "not significant"


def test_significant_cutoffs_are_those_with_the_first_ahead() -> None:
    values = {"a": np.array([[0.2, 0.8, 0.5]]), "b": np.array([[0.9, 0.1, 0.4]])}
    found = OverK((1, 2, 3), values, {("a", "b"): np.array([0.01, 0.02, 0.3])}, 100, 0)
    assert found.significant("a", "b") == (2,)
    assert found.significant("b", "a") == (1,)
    assert found.leads() == {"a": (2,), "b": (1,)}
    corrected = "Corrected for 3 values of k from 1 to 23, a is significantly better than b at k = 12."
    assert str(SignificantAt((1, 12, 23), (12,), (), "a", "b")) == corrected


def test_the_best_k_has_those_beside_it_that_are_not_lower_for_certain() -> None:
    rng = np.random.default_rng(1)
    means = np.array([0.1, 0.48, 0.5, 0.48, 0.1])
    values = means + rng.normal(0, 0.1, (200, 1)) + rng.normal(0, 0.05, (200, 5)) * [1, 4, 1, 4, 1]
    found = best_k(values, range(1, 6), 2000, rng)
    assert found == BestK(3, 2, 4)
    assert best_k(values[:, :3], range(1, 4), 2000, rng) is None  # it may rise beyond
    rising = np.tile([0.1, 0.5, 0.5], (20, 1))
    assert best_k(rising, range(1, 4), 2000, rng) is None  # a plateau falls nowhere


def test_documents_needed_are_those_of_the_normal_test() -> None:
    apart = np.random.default_rng(0).normal(0.3, 1.0, 4000)
    needed = documents_needed(apart, 1, np.random.default_rng(0))
    mean, spread = apart.mean(), apart.std()
    expected = ((1.95996 + 0.84162) / (mean / spread)) ** 2
    assert needed is not None
    assert needed[0] <= expected <= needed[1]
    assert needed[1] / needed[0] < 1.6  # 4,000 documents tell it well
    assert documents_needed(apart * 0, 1, np.random.default_rng(0)) is None


@pytest.mark.parametrize("mean", [0.2, 0.4, 0.6, 0.8])
def test_power_is_reached_at_the_documents_needed(mean: float) -> None:
    apart = np.random.default_rng(1).normal(mean, 1.0, 500)
    needed = documents_needed(apart, 1, np.random.default_rng(2))
    rng = np.random.default_rng(3)
    assert needed is not None
    for documents, significant in ((int(needed[1] * 1.3) + 1, True), (int(needed[0] * 0.7), False)):
        drawn = rng.choice(apart, (2000, documents))
        share = (abs(drawn.sum(axis=1)) >= 1.95996 * np.sqrt((drawn**2).sum(axis=1))).mean()
        assert (share >= 0.8) == significant


def test_fewer_documents_than_there_are_are_never_needed() -> None:
    corpus = drawn(100, {"a": (0.65, range(100)), "b": (0.35, range(100))}, seed=4)
    said = kp.answer(corpus, k=5, family=Family("F1@k", trials=10))
    assert "documents to be significant" not in str(said)


def test_below_ten_documents_nothing_is_significant_over_k() -> None:
    said = kp.answer(drawn(7, {"a": (0.9, range(7)), "b": (0.1, range(7))}), k=5, over="ask")
    assert said.grade == "suggestive"
    assert said.over_k is said.best_k is None


def test_hooper_is_that_of_pooled_counts_under_every_average() -> None:
    rows = [(f"d{i}", who, f"x{i}" if i < 6 else f"{who}{i}") for i in range(12) for who in "AB"]
    people = kp.load(gold=pd.DataFrame(rows, columns=["doc_id", "annotator", "phrase"]))
    for average in ("micro", "macro", "both"):
        assert "(Hooper 0.33)" in kp.answer(people, average=average, universe="rankings").claim


# in every place


def told(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    systems = [word for path in FILES.values() for word in ("--system", str(path))]
    texts = ["--documents", str(LECTURES / "documents.jsonl")]
    assert main([words[0], "--gold", str(LECTURES / "gold.csv"), *systems, *texts, *words[1:]]) == 0
    return capsys.readouterr().out


def test_the_answer_is_the_same_in_every_place(capsys: pytest.CaptureFixture[str]) -> None:
    corpus = kp.load(LECTURES / "gold.csv", FILES, LECTURES / "documents.jsonl")
    said = kp.answer(corpus, k=7)
    over = kp.answer(corpus, k=7, over="ask")
    assert told("evaluate", "--k", "7", "--measures", "F1@k", capsys=capsys).rstrip().endswith(str(said))
    assert told("compare", "--k", "7", capsys=capsys).rstrip().endswith(str(said))
    assert told("compare", "--k", "7", "--over-k", capsys=capsys).rstrip().endswith(str(over))
    for verb in (["evaluate", "--measures", "F1@k"], ["compare"]):
        found = json.loads(told(verb[0], "--k", "7", "--format", "json", *verb[1:], capsys=capsys))["answer"]
        assert found == json.loads(json.dumps(said.as_dict()))
    found = json.loads(told("compare", "--over-k", "--k", "7", "--format", "json", capsys=capsys))["answer"]
    assert set(found) == {"claim", "grade", "why", "over_k", "best_k", "coverage", "caveats"}
    assert found["over_k"] == json.loads(json.dumps(over.as_dict()["over_k"]))
    assert over.over_k is not None
    assert found["over_k"]["significant"] == list(over.over_k.significant) == list(range(19, 51))
    made = report(corpus, k=7, sections=["leaderboard"])
    page, latex = html.unescape(made.html()), told("compare", "--k", "7", "--format", "latex", capsys=capsys)
    for sentence in over.sentences:
        assert sentence in page
        assert sentence in made.markdown().replace("\\", "")
    for sentence in said.sentences:
        assert sentence in latex.replace("\\", "")
        assert sentence in told("compare", "--k", "7", "--format", "markdown", capsys=capsys).replace("\\", "")


def test_agreement_on_the_command_line_says_how_far_people_agree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = [("d1", "A", "tide"), ("d1", "A", "sea"), ("d1", "B", "tide"), ("d1", "B", "moon"), ("d2", "A", "sand")]
    file = tmp_path / "gold.csv"
    pd.DataFrame([*rows, ("d2", "B", "sand")], columns=["doc_id", "annotator", "keyphrase"]).to_csv(file, index=False)
    assert main(["agreement", "--gold", str(file), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["answer"]
    assert found["claim"] == "The two indexers share 67 % of their headings (Hooper 0.50)."
    assert found["grade"] == "people"
