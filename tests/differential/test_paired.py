"""Comparison of systems against SciPy, statsmodels and the enumeration of all assignments."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import kp_core as kp
from kp_core import MEASURES
from kp_core.scoring import intervals, paired
from kp_core.scoring.accumulate import Sums
from kp_core.scoring.measures import concordance
from kp_core.scoring.pair_sums import Pairing, Statistic
from tests.cases import expanded
from tests.corpora import corpus_of, document_values
from tests.differential.random_corpora import WORDS


def differences(seed, documents):
    return np.random.default_rng(seed).integers(-4, 7, documents) / 20


def enumerated(difference):
    observed = abs(difference.sum())
    flips = product((1, -1), repeat=len(difference))
    return np.mean([abs(np.dot(signs, difference)) >= observed - 1e-12 for signs in flips])


def drawn_p(differences, trials, rng):
    """Return p of the mean of differences (D,) or (D, P), where a trial swaps the sign of some documents."""
    return paired.randomisation(
        lambda swapped: differences.sum(axis=0) - 2 * swapped @ differences, len(differences), trials, rng
    )


def test_randomization_of_many_documents_approximates_exact_p():
    difference = differences(3, 14)
    exact = enumerated(difference)
    drawn = drawn_p(difference, 10_000, np.random.default_rng(1))  # 2^14 > 10,001: drawn
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4)
    assert drawn != exact


@pytest.mark.parametrize(("measure", "average"), [("F1@k", "macro"), ("F1@k", "f-of-means"), ("kappa", "micro")])
def test_identical_systems_have_p_one_and_zero_difference(measure, average):
    runs = {f"d{i}": ["a", "b", "c"][: i % 4] for i in range(20)}
    corpus = corpus_of({f"d{i}": ["a", "c"][: 1 + i % 2] for i in range(20)}, {"x": runs, "y": dict(runs)})
    row = kp.compare(corpus, measure=measure, k=2, average=average, universe=9, trials=200).frame.iloc[0]
    assert row[["difference", "low", "high", "p", "p_adjusted"]].tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(("number", "leader"), [(9, ""), (10, "good")])  # of 9 documents p is 2 / 512, but they are few
def test_leader_needs_ten_documents_but_no_value_of_others(number, leader):
    lists = {"good": ["a", "b", "x"], "bad": ["x", "y", "c"], "empty": []}  # MCC of empty lists is undefined
    documents = [f"d{i}" for i in range(number)]
    corpus = corpus_of(dict.fromkeys(documents, "abc"), {name: dict.fromkeys(documents, lists[name]) for name in lists})
    result = kp.compare(corpus, measure="MCC", k=3, average="both", universe=20)
    assert (result.leader(0.05), result.settings.average) == (leader, "micro")
    assert "Only the micro average is compared." in [note.message for note in result.notes]


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(8)
    names = [f"d{i}" for i in range(8)]
    gold = {d: [str(p) for p in rng.choice(WORDS, rng.integers(1, 7), replace=False)] for d in names}
    runs = {s: {d: [str(p) for p in rng.choice(WORDS, rng.integers(1, 9), replace=False)] for d in names} for s in "xy"}
    return corpus_of(gold, runs)


def swapped(first, second):
    """Yield both systems' values per document after every assignment of labels."""
    for bits in product((False, True), repeat=len(first)):
        mask = np.array(bits)[:, None]
        yield np.where(mask, second, first), np.where(mask, first, second)


def exact_p(first, second, statistic):
    observed = abs(statistic(first) - statistic(second))
    reached = [abs(statistic(a) - statistic(b)) >= observed - 1e-12 for a, b in swapped(first, second)]
    return np.mean(reached)


def columns(corpus, measures, k=3):
    frames = [document_values(corpus, m, k, normalise="none", universe=25) for m in measures]
    return [np.stack([f[f["system"] == s]["value"].to_numpy() for f in frames], axis=1) for s in "xy"]


def pooled(measure):
    return lambda cells: MEASURES[measure].score(concordance.table(*cells.sum(axis=0)))


@pytest.mark.parametrize(
    ("measure", "average", "parts", "statistic"),
    [
        *((measure, "micro", "abcd", pooled(measure)) for measure in ("kappa", "P_pos", "PABAK")),
        ("F1@k", "f-of-means", ["P@k", "R@k"], lambda values: 2 / (1 / values.mean(axis=0)).sum()),
        ("nDCG@k", "macro", ["nDCG@k"], np.mean),
    ],
)
def test_randomization_swaps_summands_of_average(two, measure, average, parts, statistic):
    row = kp.compare(two, measure=measure, k=3, average=average, universe=25, normalise="none").frame.iloc[0]
    first, second = columns(two, parts)
    assert row["difference"] == pytest.approx(statistic(first) - statistic(second), abs=1e-12)
    assert row["p"] == pytest.approx(exact_p(first, second, statistic), abs=1e-12)


def test_difference_interval_uses_paired_resamples(two):
    first, second = columns(two, ["F1@k"])
    weights = intervals.resample(8, 300, np.random.default_rng(4))
    resampled = [np.repeat((first - second)[:, 0], row.astype(int)).mean() for row in weights]
    row = kp.compare(two, measure="F1@k", k=3, normalise="none", resamples=300, seed=4).frame.iloc[0]
    assert [row["low"], row["high"]] == pytest.approx(expanded(resampled, 8), abs=1e-9)


@pytest.mark.parametrize("method", ["holm", "fdr_bh"])
def test_corrections_against_statsmodels(method):
    ours = {"holm": paired.holm, "fdr_bh": paired.benjamini_hochberg}[method]
    rng = np.random.default_rng(9)
    for size in (1, 2, 7, 45):
        p = rng.random(size) ** 3
        p[: size // 3] = p[0]  # equal p-values
        assert ours(p) == pytest.approx(multipletests(p, method=method)[1], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_t_and_wilcoxon_against_scipy(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 20, 30) / 32, rng.integers(0, 20, 30) / 32  # binary fractions: equal is equal
    t = stats.ttest_rel(x, y)
    mean = (x - y).mean()
    assert intervals.t_p(mean, ((x - y - mean) ** 2).sum(), 30) == pytest.approx(t.pvalue, abs=1e-12)
    w = stats.wilcoxon(x, y, zero_method="wilcox", correction=False, method="asymptotic")
    result = paired.wilcoxon_test(x - y)
    assert result[:2] == pytest.approx((w.statistic, w.pvalue), abs=1e-12)
    assert result[2] == (x == y).sum()


def test_t_test_of_nearly_equal_differences_is_undefined():
    difference = np.array([0.35 - 0.30, 0.80 - 0.75, 0.20 - 0.15] * 4)
    assert np.ptp(difference) > 0
    values = {"x": difference + 0.15, "y": np.full(12, 0.15)}
    block = {name: Statistic(part[:, None], part, np.ones(12, bool)) for name, part in values.items()}
    at = paired.FamilyAt(paired.Family("MAP", "t"), "none", kp.Settings(interval="cluster-t"))
    pairing = Pairing(at, ["x", "y"], Sums())
    pairing.add(block, None, [])
    compared = pairing.compared()
    assert np.isnan([*compared.p, *compared.half_widths]).all()
