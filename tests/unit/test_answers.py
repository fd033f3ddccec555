"""One answer per data set claims no more than the numbers support, and is the same everywhere."""

import html
import json
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.studies.all_cutoffs import AllCutoffs, all_cutoffs, best_k, documents_needed
from kp_core.studies.answer import BestK, SignificantAt
from kp_core.takeaway.bundle import report
from kp_core.words.answers import of_comparison
from tests.cases import LECTURES, cases
from tests.unit.test_statements import compared

FILES = {path.stem: path for path in sorted((LECTURES / "systems").glob("*"))}


@pytest.mark.parametrize("case", cases(__file__)["cases"])
def test_claim_grade_and_reason_follow_from_test(case: dict[str, Any]) -> None:
    said = of_comparison(compared(case["values"], case["pairs"], case["documents"]), "F1@5")
    assert (said.claim, said.grade, said.why) == (case["claim"], case["grade"], case["why"])


def drawn(documents: int, sources: dict[str, tuple[float, range]], seed: int = 0) -> kp.Corpus:
    """Draw lists of five phrases; of each system the share of right ones, and the documents that it has."""
    rng = np.random.default_rng(seed)
    gold = {f"d{i}": [f"g{i} {j}" for j in range(5)] for i in range(documents)}
    systems = {
        name: {f"d{i}": [f"g{i} {j}" if rng.random() < share else f"n{i} {name} {j}" for j in range(5)] for i in part}
        for name, (share, part) in sources.items()
    }
    return kp.load(gold=gold, systems=systems)


def test_systems_of_two_data_sets_are_not_compared() -> None:
    said = kp.answer(drawn(60, {"yake": (0.6, range(40)), "yake_semeval": (0.2, range(40, 52))}), k=5)
    assert said.grade == "not comparable"
    assert said.claim == (
        "yake and yake_semeval cannot be compared by F1@5: of 60 documents, yake has lists for 40 and yake_semeval has "
        "lists for 12, and both for 0."
    )
    assert said.why == "These systems seem to belong to different data sets; load one data set at a time."
    assert said.coverage == {"yake": (40, 60), "yake_semeval": (12, 60)}
    assert said.over_k is None
    assert not any(word in str(said) for word in ("better", "p ="))


def test_systems_without_a_common_document_are_not_tested_over_k() -> None:
    corpus = drawn(4, {"a": (0.5, range(2)), "b": (0.5, range(2, 4))})
    assert all_cutoffs(corpus, kp.Settings(missing="skip"), "F1@k") is None


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


def test_single_system_reports_number_of_lists() -> None:
    said = kp.answer(drawn(20, {"a": (0.5, range(12))}), k=5, resamples=200)
    assert said.caveats == ("The system has lists for 12 of 20 documents.",)
    with pytest.raises(kp.UsageError, match="cannot rank systems"):
        kp.answer(drawn(20, {"a": (0.5, range(12))}), measure="BI")


def test_unreadable_universe_hides_k_and_its_label() -> None:
    people = kp.load(LECTURES / "gold.csv", documents=LECTURES / "documents.jsonl")
    said = kp.answer(people, universe="rankings")
    assert said.grade == "people"
    assert said.claim == "Two annotators share on average 49% of their keyphrases (Hooper 0.33)."
    assert "K = " not in str(said)
    assert "Landis" not in str(said)
    assert "K = 0.488" in kp.answer(people, universe="ngrams:3").why
    assert "Landis" not in report(people, universe="rankings").markdown()


def brute(values: dict[str, np.ndarray[Any, Any]]) -> dict[tuple[str, str], list[float]]:
    """Return p of all pairs and cutoffs by looking at every way to turn the signs of the documents."""
    pairs = list(combinations(values, 2))
    apart = np.stack([(values[a] - values[b]).round(12) for a, b in pairs])  # pair, document, k
    size = np.sqrt((apart**2).sum(axis=1))
    signs = np.array(list(product((1, -1), repeat=apart.shape[1])))
    result = np.abs(np.einsum("sd,pdk->spk", signs, apart)) / np.where(size, size, 1)
    largest = result.max(axis=(1, 2))[:, None]
    return {
        pair: (largest >= observed - 1e-9).mean(axis=0).tolist()
        for pair, observed in zip(pairs, result[0], strict=True)
    }


def test_p_over_k_equals_enumerated_assignments() -> None:
    corpus = drawn(8, {"a": (0.8, range(8)), "b": (0.5, range(8)), "c": (0.4, range(8))}, seed=3)
    result = all_cutoffs(corpus, kp.Settings())
    assert result is not None
    assert result.tested_cutoffs == (1, 2, 3, 4, 5)
    expected = kp.evaluate(corpus, k="1-5", measures="F1@k").frame.set_index("system")["value"]
    for name, part in result.by_document.items():
        assert part.mean(axis=0).tolist() == pytest.approx(expected[name].tolist())
    for pair, p in brute(result.by_document).items():
        assert result.p[pair].tolist() == pytest.approx(p, abs=1e-12)


def test_significant_cutoffs_favor_first_system() -> None:
    values = {"a": np.array([[0.2, 0.8, 0.5]]), "b": np.array([[0.9, 0.1, 0.4]])}
    result = AllCutoffs((1, 2, 3), values, {("a", "b"): np.array([0.01, 0.02, 0.3])}, 100, 0)
    assert result.significant("a", "b") == (2,)
    assert result.significant("b", "a") == (1,)
    assert result.leads() == {"a": (2,), "b": (1,)}
    corrected = "Corrected for 3 values of k from 1 to 23, a is significantly better than b at k = 12."
    assert str(SignificantAt((1, 12, 23), (12,), (), "a", "b")) == corrected


def test_best_k_comes_with_indistinguishable_neighbors() -> None:
    rng = np.random.default_rng(1)
    means = np.array([0.1, 0.48, 0.5, 0.48, 0.1])
    values = means + rng.normal(0, 0.1, (200, 1)) + rng.normal(0, 0.05, (200, 5)) * [1, 4, 1, 4, 1]
    result = best_k(values, range(1, 6), 2000, rng)
    assert result == BestK(3, 2, 4)
    assert best_k(values[:, :3], range(1, 4), 2000, rng) is None  # it may rise beyond
    rising = np.tile([0.1, 0.5, 0.5], (20, 1))
    assert best_k(rising, range(1, 4), 2000, rng) is None  # a plateau falls nowhere


def test_documents_needed_match_normal_approximation() -> None:
    apart = np.random.default_rng(0).normal(0.3, 1.0, 4000)
    needed = documents_needed(apart, 1, np.random.default_rng(0))
    mean, spread = apart.mean(), apart.std()
    expected = ((1.95996 + 0.84162) / (mean / spread)) ** 2
    assert needed is not None
    assert needed[0] <= expected <= needed[1]
    assert needed[1] / needed[0] < 1.6  # 4,000 documents tell it well
    assert documents_needed(apart * 0, 1, np.random.default_rng(0)) is None


def test_below_ten_documents_nothing_is_significant_over_k() -> None:
    said = kp.answer(drawn(7, {"a": (0.9, range(7)), "b": (0.1, range(7))}), k=5, over="ask")
    assert said.grade == "suggestive"
    assert said.over_k is said.best_k is None


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
    result = json.loads(told("evaluate", "--k", "7", "--format", "json", "--measures", "F1@k", capsys=capsys))["answer"]
    assert result == json.loads(json.dumps(said.as_dict()))
    result = json.loads(told("compare", "--over-k", "--k", "7", "--format", "json", capsys=capsys))["answer"]
    assert set(result) == {"claim", "grade", "why", "over_k", "best_k", "coverage", "caveats"}
    assert result["over_k"] == json.loads(json.dumps(over.as_dict()["over_k"]))
    assert over.over_k is not None
    assert result["over_k"]["significant"] == list(over.over_k.significant) == list(range(19, 51))
    made = report(corpus, k=7, sections=["leaderboard"])
    page, latex = html.unescape(made.html()), told("compare", "--k", "7", "--format", "latex", capsys=capsys)
    for sentence in over.sentences:
        assert sentence in page
        assert sentence in made.markdown().replace("\\", "")
    markdown = told("compare", "--k", "7", "--format", "markdown", capsys=capsys).replace("\\", "")
    for sentence in said.sentences:
        assert sentence in latex.replace("\\", "").replace("$-$", "−")
        assert sentence in markdown
