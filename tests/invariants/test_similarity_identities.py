"""Identities of phrase similarity, near-miss types and soft matching that follow from the formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import kp_core as kp
from kp_core.scoring.semantic import best_of_prefixes
from kp_core.similarity import MEASURES, score
from kp_core.similarity.relation import describe
from tests.corpora import corpus_of, settings
from tests.differential.random_corpora import draw as draw_corpus
from tests.phrases import draw

phrase = st.lists(st.sampled_from(["a", "b", "c", "nets", "net", "of", "deep-net"]), min_size=1, max_size=6).map(
    " ".join
)
few = examples(max_examples=30)
#: Measures that need nothing but the two phrases and lie between 0 and 1.
BOUNDED = [
    name
    for name, one in MEASURES.items()
    if (one.low, one.high) == (0.0, 1.0) and one.level != "pairs" and name != "constant"
]


def one(keyphrase, candidate, measure):
    return score([keyphrase], [candidate], [measure]).table[0, 0]


@given(phrase, phrase)
@few
def test_bounded_measures_stay_between_0_and_1(a, b):
    values = score([a], [b], BOUNDED).table[0]
    assert ((values >= 0) & (values <= 1 + 1e-12) | np.isnan(values)).all()


@given(phrase)
@few
def test_identical_phrases_score_1_or_are_undefined(a):
    wide = score([a], [a], BOUNDED)
    undefined = np.isnan(wide.table[0])
    assert wide.table[0][~undefined] == pytest.approx(1.0)
    without_pairs = set() if " " in a else {"ROUGE-2", "ROUGE-2-P", "ROUGE-2-F"}
    assert {BOUNDED[i] for i in np.flatnonzero(undefined)} == without_pairs


@given(phrase, phrase)
@few
def test_pair_similarity_ignores_other_pairs(a, b):
    others = draw(7, pairs=5)
    measures = [name for name in BOUNDED if name != "random"]
    together = score([*others[0], a, a], [*others[1], b, b], measures).table
    assert np.array_equal(together[-1], score([a], [b], measures).table[0], equal_nan=True)
    assert np.array_equal(together[-1], together[-2], equal_nan=True)


@given(phrase, phrase)
@few
def test_types_follow_from_tokens(a, b):
    kind, turned = describe([a, b], [b, a])["type"]
    mirrored = {"INCLUDE": "PARTOF", "PARTOF": "INCLUDE"}
    assert turned == mirrored.get(kind, kind)
    overlap = one(a, b, "R-precision")
    assert (kind == "NONE") == (overlap == 0)
    assert (kind in ("EXACT", "MORPH")) == (one(a, b, "stem-exact") == 1)
    assert (kind == "EXACT") == (one(a, b, "exact") == 1)
    accepted = ["EXACT", "MORPH", "INCLUDE", "PARTOF"]
    for number, accept in ((2, "morph"), (3, "include"), (4, "part")):
        assert one(a, b, f"match(accept={accept})") == (kind in accepted[:number])
    shorter = min(len(a.split()), len(b.split())) / max(len(a.split()), len(b.split()))
    assert kind not in ("INCLUDE", "PARTOF") or overlap == pytest.approx(shorter)


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 0.7, 0.75, 1.0]), min_size=3, max_size=3), min_size=1, max_size=5))
@few
def test_soft_hits_never_fall_and_stay_below_gold(rows):
    weight, pairs = best_of_prefixes(np.array(rows))
    assert (np.diff([weight, pairs]) >= -1e-12).all()
    assert (pairs <= np.minimum(np.arange(1, len(rows) + 1), 3)).all()
    assert (np.diff(pairs, prepend=0.0) <= 1).all()


@pytest.mark.parametrize("rows", [[[0.75, 0.5, 0.0], [0.25, 0.0, 0.0]], [[0.5, 0.75, 0.0], [0.0, 0.25, 0.0]]])
def test_of_assignments_of_equal_weight_the_one_with_more_pairs_wins(rows):
    weight, pairs = best_of_prefixes(np.array(rows))
    assert (weight.tolist(), pairs.tolist()) == ([0.75, 0.75], [1, 2])  # .5 and .25, or .75 alone


MEASURES_SHOWN = ("P@k", "R@k", "F1@k", "a", "b", "c", "kappa", "P_pos")


@pytest.mark.parametrize("normalise", ["none", "nfkc+lower+space+porter-nltk"])
@pytest.mark.parametrize(
    "options", [{}, {"duplicates": "keep"}, {"duplicates": "after", "denominator": "returned"}, {"gold_list": "listed"}]
)
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_soft_measures_with_tau_1_equal_exact_ones(normalise, options, average):
    drawn = draw_corpus(3)
    runs = {document: [*phrases, *phrases[:2]] for document, phrases in drawn.runs.items()}
    corpus = corpus_of({d: list(g) for d, g in drawn.gold.items()}, {"s": runs})
    made = settings("1-12,gold,all", universe=100, normalise=normalise, average=average, **options)
    soft = kp.soft_evaluate(corpus, made, "exact", MEASURES_SHOWN).frame
    exact = kp.evaluate(corpus, made, measures=MEASURES_SHOWN).frame
    keys = ["measure", "k", "value", "documents"]
    assert len(soft) == len(exact) == 8 * 14
    assert soft[keys].equals(exact[keys])
