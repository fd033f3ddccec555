"""Concordance and overlap measures of random corpora against scikit-learn and statsmodels on expanded labels."""

import warnings

import numpy as np
import pytest
from sklearn import metrics
from statsmodels.stats.inter_rater import cohens_kappa

from kp_core.scoring.measures import concordance
from tests.corpora import corpus_of, document_values, scored, value
from tests.differential.random_corpora import WORDS, draw

UNIVERSE = len(WORDS)


def labels(drawn, document, k):
    """Return whether each word of the vocabulary is gold, and whether the system chose it."""
    chosen = drawn.runs.get(document, [])[:k]
    return [word in drawn.gold[document] for word in WORDS], [word in chosen for word in WORDS]


@pytest.mark.parametrize("k", [1, 3, 10])
def test_every_document(k):
    drawn = draw(20 + k)
    options = {"normalise": "none", "universe": UNIVERSE, "denominator": "returned"}
    names = ("kappa", "P_pos", "P@k", "R@k", "F1@k", "Po")
    found = {name: document_values(drawn.corpus, name, k, **options).set_index("document")["value"] for name in names}
    for document, gold in drawn.gold.items():
        if gold:
            human, system = labels(drawn, document, k)
            expected = {
                "kappa": metrics.cohen_kappa_score(human, system, labels=[False, True]),
                "P_pos": metrics.f1_score(human, system),
                "P@k": metrics.precision_score(human, system, zero_division=0),
                "R@k": metrics.recall_score(human, system),
                "F1@k": metrics.f1_score(human, system),
                "Po": metrics.accuracy_score(human, system),
            }
            for name, number in expected.items():
                assert found[name][document] == pytest.approx(number, abs=1e-9), (document, name)


def test_pooled_kappa_and_overlap_are_those_of_all_labels_at_once():
    drawn = draw(30)
    both = [labels(drawn, document, 5) for document, gold in drawn.gold.items() if gold]
    human, system = (np.concatenate(side) for side in zip(*both, strict=True))
    options = {"normalise": "none", "universe": UNIVERSE, "denominator": "returned", "average": "micro"}
    expected = {
        "kappa": metrics.cohen_kappa_score(human, system),
        "P@5": metrics.precision_score(human, system),
        "R@5": metrics.recall_score(human, system),
        "F1@5": metrics.f1_score(human, system),
    }
    for name, number in expected.items():
        assert value(drawn.corpus, name, 5, **options) == pytest.approx(number, abs=1e-9)


def test_kappa_and_its_maximum_of_random_tables_against_statsmodels():
    cells = np.random.default_rng(0).integers(1, 500, (200, 4)).astype(float)
    table = concordance.table(*cells.T)
    theirs = [cohens_kappa(row.reshape(2, 2)) for row in cells]
    assert concordance.kappa(table) == pytest.approx(np.array([one.kappa for one in theirs]), abs=1e-9)
    assert concordance.kappa_max(table) == pytest.approx(np.array([one.kappa_max for one in theirs]), abs=1e-9)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [1, 4, None])
def test_ndcg_where_scikit_learn_defines_it(k, tied):
    """A ranking of the whole vocabulary, so that every keyphrase has a score; ties are averaged on both sides."""
    rng, gold, runs, scores, expected = np.random.default_rng(3), {}, {}, {}, {}
    for document in (f"d{i}" for i in range(25)):
        grades = rng.integers(0, 4, UNIVERSE) * (rng.random(UNIVERSE) < 0.4)
        grades[0] = max(1, grades[0])
        given = rng.integers(0, 5, UNIVERSE) if tied else rng.permutation(UNIVERSE)
        gold[document] = {word: int(grade) for word, grade in zip(WORDS, grades, strict=True) if grade}
        runs[document], scores[document] = list(WORDS), given.astype(float).tolist()
        expected[document] = metrics.ndcg_score([grades], [given], k=k)
    corpus = corpus_of({d: list(g) for d, g in gold.items()}, {"s": runs}, scores={"s": scores}, grades=gold)
    found = document_values(corpus, f"nDCG@{k}" if k else "nDCG", normalise="none", ties="expected")
    assert found.set_index("document")["value"].to_dict() == pytest.approx(expected, abs=1e-9)


def test_macro_mean_leaves_undefined_kappa_out_as_scikit_learn_marks_it():
    corpus = corpus_of({"d1": ["a", "b"], "d2": ["a"]}, {"s": {"d1": ["a", "b"], "d2": ["b"]}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        undefined = metrics.cohen_kappa_score([True, True], [True, True])
    assert np.isnan(undefined)
    row = scored(corpus, "kappa", 2, universe=2, average="macro", normalise="none").iloc[0]
    assert (row["documents"], row["undefined"]) == (1, 1)
    assert row["value"] == pytest.approx(metrics.cohen_kappa_score([True, False], [False, True]), abs=1e-12)
