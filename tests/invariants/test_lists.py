"""Properties of ranked lists that hold for every corpus."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpora import corpus_of, scored

#: The same examples in every run, so that a failure is no accident of the day.
few = settings(max_examples=8)
LETTERS = "abcdefghij"
MEASURES = """P@k R@k F1@k MAP MAP@k MRR MRR@k nDCG nDCG@k nDCG-exp RBP Rprec success@k F1@M F1@G
kappa P_pos P_neg PABAK AC1 pi a b c d N"""

phrases = st.lists(st.sampled_from(LETTERS), unique=True, max_size=8)
some = st.lists(st.sampled_from(LETTERS), unique=True, min_size=1, max_size=8)
documents = st.lists(st.tuples(some, phrases), min_size=1, max_size=5)


def build(pairs, names=None, system="s"):
    names = names or [f"d{i}" for i in range(len(pairs))]
    gold = {name: gold for name, (gold, _) in zip(names, pairs, strict=True)}
    return corpus_of(gold, {system: {name: run for name, (_, run) in zip(names, pairs, strict=True)}})


def values(corpus, k=3, **options):
    return scored(corpus, MEASURES.split(), k, **({"normalise": "none"} | options))["value"].to_numpy(copy=True)


@given(documents, st.randoms(use_true_random=False))
@few
def test_order_of_documents_changes_nothing(pairs, random):
    names = [f"d{i}" for i in range(len(pairs))]
    order = list(range(len(pairs)))
    random.shuffle(order)
    shuffled = build([pairs[i] for i in order], [names[i] for i in order])
    for average in ("micro", "macro"):
        before, after = (values(corpus, average=average) for corpus in (build(pairs), shuffled))
        np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-12)


@given(documents, st.permutations(LETTERS))
@few
def test_names_of_documents_and_phrases_change_nothing(pairs, letters):
    other = {old: f"{new} {new}É" for old, new in zip(LETTERS, letters, strict=True)}
    renamed = [([other[p] for p in gold], [other[p] for p in run]) for gold, run in pairs]
    again = build(renamed, [f"Ω {9 - i}" for i in range(len(pairs))], system="другой")
    np.testing.assert_array_equal(values(again), values(build(pairs)))


@given(documents, st.integers(1, 10))
@few
def test_no_system_beats_oracle(pairs, k):
    measures = ["P@k", "R@k", "F1@k", "MAP", "nDCG@k", "P_pos"]
    frame = scored(build(pairs), measures, k, average="macro", baselines=True, normalise="none")
    table = frame.pivot_table(index="system", columns="measure", values="value")
    assert (table.loc["s"] <= table.loc["oracle k"] + 1e-12).all()
    assert (table.loc["oracle k", ["MAP", f"nDCG@{k}"]] == 1).all()
