"""Concordance and overlap measures of random corpora against scikit-learn and statsmodels on expanded labels."""

import numpy as np
import pytest
from sklearn import metrics

from tests.corpora import corpus_of, document_values
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
    frame = document_values(drawn.corpus, names, k, **options)
    rows = [frame[frame["measure"] == name.replace("@k", f"@{k}")].set_index("document")["value"] for name in names]
    found = dict(zip(names, rows, strict=True))
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
