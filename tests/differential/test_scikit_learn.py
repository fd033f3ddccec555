"""nDCG of random corpora with ties against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics

from tests.corpora import corpus_of, document_values
from tests.differential.random_corpora import WORDS

UNIVERSE = len(WORDS)


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
    result = document_values(corpus, f"nDCG@{k}" if k else "nDCG", normalise="none", ties="expected")
    assert result.set_index("document")["value"].to_dict() == pytest.approx(expected, abs=1e-9)
