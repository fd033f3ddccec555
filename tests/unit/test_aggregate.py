"""Values per document become one value, with the number of documents and the reason if there is none."""

import numpy as np
import pytest
from scipy.stats import t as student

import kp_core as kp
from tests.corpora import corpus_of, scored

SIZES = corpus_of({"d1": ["a", "b", "c", "d"], "d2": ["e"]}, {"s": {"d1": ["a", "x"], "d2": ["e", "y"]}})


NO_MEASURES = ["unknown@5", "P@", "P@0", "P@-1", "P@x", "P@G", "kappa@5", "RBP(p=1)", "RBP(p=0)", "RBP(q=0.5)"]


@pytest.mark.parametrize("measure", [*NO_MEASURES, "RBP(p=1.2.3)", "ndcg@5", ""])
def test_unknown_measures_are_refused_with_known_ones(measure):
    with pytest.raises(kp.UsageError, match=r"there is no measure .*; the measures are: .*kappa.*P@k"):
        scored(SIZES, [measure] if measure else [""])


def test_pairs_of_a_comparison():
    runs = {s: {f"d{i}": ["a"] if i < n else ["x"] for i in range(12)} for s, n in (("x", 12), ("y", 1), ("z", 0))}
    comparison = kp.compare(corpus_of({f"d{i}": ["a"] for i in range(12)}, runs), measure="F1@k", k=1)
    assert list(zip(comparison.frame["a"], comparison.frame["b"], strict=True)) == [("x", "y"), ("x", "z"), ("y", "z")]
    assert comparison.frame["difference"].tolist() == pytest.approx([11 / 12, 1, 1 / 12])
    assert comparison.frame["p"].tolist() == pytest.approx([2 / 2**11, 2 / 2**12, 1])
    assert comparison.frame["p_adjusted"].tolist() == pytest.approx([4 / 2**11, 6 / 2**12, 1])
    assert comparison.clusters == {"x": 1, "y": 2, "z": 2}
    assert comparison.better == {"x": ("y", "z"), "y": (), "z": ()}


def test_f_of_means_is_an_average_only_of_measures_that_name_their_means():
    averaged = [name for name, card in kp.MEASURES.items() if "f-of-means" in card.averages]
    named = [name for name, card in kp.MEASURES.items() if card.f_of]
    assert averaged == named, "in measures.toml, set f_of, or averages without f-of-means"


def test_t_interval_of_f_of_means_is_the_delta_method():
    lists = {"d1": ["a", "x"], "d2": ["e", "y", "g"], "d3": ["h"], "d4": ["z", "k", "m", "w"]}
    corpus = corpus_of({"d1": ["a", "b", "c"], "d2": ["e", "g"], "d3": ["h", "i"], "d4": ["k", "l", "m"]}, {"s": lists})
    p, r = np.array([1 / 2, 2 / 3, 1, 2 / 4]), np.array([1 / 3, 2 / 2, 1 / 2, 2 / 3])
    moved = 2 * (r.mean() ** 2 * (p - p.mean()) + p.mean() ** 2 * (r - r.mean())) / (p.mean() + r.mean()) ** 2
    half = student.ppf(0.975, 3) * moved.std(ddof=1) / 2
    options = {"k": "all", "average": "f-of-means", "interval": "cluster-t"}
    row = kp.evaluate(corpus, measures="F1@k", **options).frame.iloc[0]
    value = 2 * p.mean() * r.mean() / (p.mean() + r.mean())
    assert row[["value", "low", "high"]].tolist() == pytest.approx([value, value - half, value + half])
