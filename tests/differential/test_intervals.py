"""Intervals against plain loops: the bootstrap by indices, and the cluster t interval by numerical gradients."""

import numpy as np
import pytest

from kp_core import MEASURES
from kp_core.scoring import intervals
from kp_core.scoring.accumulate import Grid, estimate
from kp_core.scoring.measures import concordance, parse
from kp_core.studies.evaluate import interval_table
from tests.cases import expanded
from tests.corpora import corpus_of, document_values, scored
from tests.differential.random_corpora import draw

RESAMPLES, SEED = 200, 5
OPTIONS = {"normalise": "none", "universe": 60, "interval": "bootstrap", "resamples": RESAMPLES, "seed": SEED}


def drawn_indices(documents):
    """Return the documents of every resample, with the weights that the evaluation draws."""
    weights = intervals.resample(documents, RESAMPLES, np.random.default_rng(SEED))
    assert weights.shape == (RESAMPLES, documents)
    assert set(weights.sum(axis=1)) == {float(documents)}
    return [np.repeat(np.arange(documents), row.astype(int)) for row in weights]


def bounds(values, documents):
    return pytest.approx(expanded(values, documents), abs=1e-9)


@pytest.fixture(scope="module")
def corpus():
    return draw(41, documents=30).corpus


def values_of(corpus, measure, k=5):
    """Return the values of the documents with gold, in their order."""
    rows = document_values(corpus, measure, k, normalise="none", universe=60)
    return rows[rows["gold_size"] > 0]["value"].to_numpy()


def interval(corpus, measure, average):
    row = scored(corpus, measure, 5, average=average, **OPTIONS).iloc[0]
    return [row["low"], row["high"]]


@pytest.mark.parametrize("measure", ["P@k", "F1@k", "MAP", "nDCG@k", "MRR"])
def test_macro_bootstrap(corpus, measure):
    values = values_of(corpus, measure)
    expected = [values[chosen].mean() for chosen in drawn_indices(len(values))]
    assert interval(corpus, measure, "macro") == bounds(expected, len(values))


def test_macro_bootstrap_leaves_out_undefined_documents():
    gold = {f"d{i}": ["a", "b"] if i % 3 else ["a"] for i in range(12)}
    runs = {f"d{i}": ["a"] if i % 2 else ["b", "c"] for i in range(12)}
    corpus = corpus_of(gold, {"s": runs})
    rows = document_values(corpus, "P_neg", 2, normalise="none", universe=3, annotators="union")
    values = rows["value"].to_numpy()
    row = scored(corpus, "P_neg", 2, average="macro", **(OPTIONS | {"universe": 3})).iloc[0]
    expected = [np.nanmean(values[chosen]) for chosen in drawn_indices(len(values))]
    assert row["value"] == pytest.approx(np.nanmean(values), abs=1e-12)
    assert [row["low"], row["high"]] == bounds(expected, int((~np.isnan(values)).sum()))


@pytest.mark.parametrize("measure", ["kappa", "P_pos", "P_neg", "PABAK", "AC1", "pi", "kappa_max", "BI"])
def test_micro_bootstrap_of_agreement(corpus, measure):
    cells = [values_of(corpus, cell) for cell in "abcd"]
    score = MEASURES[measure].score
    expected = [
        score(concordance.table(*(cell[chosen].sum() for cell in cells))) for chosen in drawn_indices(len(cells[0]))
    ]
    assert interval(corpus, measure, "micro") == bounds(expected, len(cells[0]))


def test_micro_and_f_of_means_bootstrap_of_f1(corpus):
    p, r = values_of(corpus, "P@5"), values_of(corpus, "R@5")
    hits = values_of(corpus, "hits@5")
    rows = document_values(corpus, "hits@5", 5, normalise="none")
    size = rows[rows["gold_size"] > 0]["gold_size"].to_numpy()
    micro, means = [], []
    for chosen in drawn_indices(len(p)):
        micro.append(2 * hits[chosen].sum() / (5 * len(chosen) + size[chosen].sum()))
        precision, recall = p[chosen].mean(), r[chosen].mean()
        means.append(2 * precision * recall / (precision + recall))
    assert interval(corpus, "F1@k", "micro") == bounds(micro, len(p))
    assert interval(corpus, "F1@k", "f-of-means") == bounds(means, len(p))


def test_every_interval_of_a_pooled_value(corpus):
    """If phrases were independent, recall would have the error of a share; kappa_max has no gradient."""
    system = corpus.systems[0]
    rows = document_values(corpus, "hits@5", 5, normalise="none")
    hits, size = rows[rows["system"] == system][["value", "gold_size"]].sum()
    table = interval_table(corpus, system=system, measures=["R@k", "kappa_max"], k=5, **OPTIONS).set_index("measure")
    recall, error = hits / size, 1.96 * np.sqrt(hits / size * (1 - hits / size) / size)
    cluster = scored(corpus, "R@k", 5, average="micro", **(OPTIONS | {"interval": "cluster-t"})).iloc[0]
    expected = [recall, *interval(corpus, "R@k", "micro"), cluster["low"], cluster["high"]]
    assert table.iloc[0, :5].tolist() == pytest.approx(expected, abs=1e-12)
    assert table.loc[:, "independent_low":"independent_high"].to_numpy() == pytest.approx(
        np.array([[recall - error, recall + error], [np.nan, np.nan]]), abs=1e-12, nan_ok=True
    )


def test_interval_needs_95_percent_of_resamples_defined():
    values = np.ones((100, 2))
    values[:5, 0], values[:6, 1] = np.nan, np.nan
    low, high = intervals.percentile(values)
    assert (low[0], high[0]) == (1, 1)
    assert np.isnan([low[1], high[1]]).all()


def found_cluster(measure, x):
    grid = Grid(concordance.table(*(cell[:, None] for cell in x)), np.ones((x.shape[1], 1), bool))
    pooled = estimate(parse(measure), grid, "micro", None, "cluster-t")
    return float(pooled.low[0]), float(pooled.high[0])


@pytest.mark.parametrize("cells", [[[3, 4], [0, 0], [0, 0], [9, 9]], [[0, 0], [3, 4], [0, 0], [9, 9]]])
def test_no_cluster_interval_where_the_value_cannot_vary(cells):
    """A perfect system, and one that returns nothing."""
    assert np.isnan(found_cluster("kappa", np.array(cells, float))).all()
