"""What holds for similarity of any two phrases, near-miss types and soft matching, by the formulas alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from scipy.stats import spearmanr

import kp_core as kp
from kp_core.scoring.assignment import best_of_prefixes
from kp_core.similarity import MEASURES, score
from kp_core.similarity.relation import describe
from tests.corpora import corpus_of, never_falls, settings
from tests.differential.random_corpora import draw as draw_corpus
from tests.phrases import draw

phrase = st.lists(st.sampled_from(["a", "b", "c", "nets", "net", "of", "deep-net"]), min_size=1, max_size=6).map(
    " ".join
)
distinct = st.lists(st.sampled_from([f"t{i}x" for i in range(8)]), min_size=2, max_size=7, unique=True)
few = examples(max_examples=30)
#: Measures that need nothing but the two phrases and lie between 0 and 1.
BOUNDED = [
    name
    for name, one in MEASURES.items()
    if (one.low, one.high) == (0.0, 1.0) and one.level != "pairs" and name != "constant"
]
SYMMETRIC = ["R-precision", "jaccard", "dice", "overlap"]
SYMMETRIC += ["levenshtein", "levenshtein-tokens", "token-sort", "token-set"]


def one(keyphrase, candidate, measure):
    return score([keyphrase], [candidate], [measure]).table[0, 0]


def test_the_bounded_measures_are_all_there():
    unbounded = {"NIST", "length-difference", "candidate-length", "given", "combined"}
    assert set(MEASURES) - set(BOUNDED) == unbounded | {"context", "random", "constant"}


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
def test_symmetry(a, b):
    there, back = score([a], [b], SYMMETRIC).table[0], score([b], [a], SYMMETRIC).table[0]
    assert there == pytest.approx(back)
    if len(a.split()) != len(b.split()):  # of equal lengths the keyphrase is LONG, so the roles matter
        assert one(a, b, "M-R-precision") == pytest.approx(one(b, a, "M-R-precision"))


@given(distinct, st.integers(1, 6))
@few
def test_weights_of_complementary_parts_add_up_to_1(words, cut):
    cut = min(cut, len(words) - 1)
    whole, left, right = " ".join(words), " ".join(words[:cut]), " ".join(words[cut:])
    for alignment in ("bag", "ordered", "contiguous"):
        measure = f"M-R-precision(alignment={alignment})"
        assert one(whole, left, measure) + one(whole, right, measure) == pytest.approx(1.0)


@given(phrase, phrase)
@few
def test_modified_r_precision_is_1_iff_every_position_matches(a, b):
    whole = one(a, b, "R-precision") == 1
    assert (one(a, b, "M-R-precision") == pytest.approx(1.0, abs=1e-12)) == whole


@given(phrase, phrase)
@few
def test_less_freedom_of_alignment_never_weighs_more(a, b):
    bag, ordered, run = (one(a, b, f"M-R-precision(alignment={x})") for x in ("bag", "ordered", "contiguous"))
    assert bag >= ordered - 1e-12 >= run - 2e-12


def test_equal_order_on_contiguous_parts():
    rng = np.random.default_rng(5)
    long, short = [], []
    for _ in range(300):
        words = rng.choice([f"t{i}x" for i in range(30)], rng.integers(2, 7), replace=False)
        begin = rng.integers(0, len(words))
        long.append(" ".join(words))
        short.append(" ".join(words[begin : rng.integers(begin + 1, len(words) + 1)]))
    table = np.round(score(long, short, ["R-precision", "ROUGE-1", "ROUGE-1-F", "BLEU", "BLEU-1"]).table, 12)
    human = rng.integers(0, 5, len(table)) + table[:, 0]
    found = [spearmanr(column, human).statistic for column in table.T]
    assert found == pytest.approx([found[0]] * 5, abs=1e-12)
    assert 0.1 < found[0] < 0.9


@given(phrase, phrase)
@few
def test_a_pair_scores_the_same_alone_and_among_others(a, b):
    others = draw(7, pairs=50)
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
    assert never_falls(weight)
    assert never_falls(pairs)
    assert (pairs <= np.minimum(np.arange(1, len(rows) + 1), 3)).all()
    assert (np.diff(pairs, prepend=0.0) <= 1).all()


MEASURES_SHOWN = ("P@k", "R@k", "F1@k", "a", "b", "c", "kappa", "P_pos")


@pytest.mark.parametrize("normalise", ["none", "nfkc+lower+space+porter-nltk"])
@pytest.mark.parametrize(
    "options", [{}, {"duplicates": "keep"}, {"duplicates": "after", "denominator": "returned"}, {"gold_list": "listed"}]
)
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_with_tau_1_on_stems_soft_measures_are_the_exact_ones(normalise, options, average):
    drawn = draw_corpus(3)
    runs = {document: [*phrases, *phrases[:2]] for document, phrases in drawn.runs.items()}
    corpus = corpus_of({d: list(g) for d, g in drawn.gold.items()}, {"s": runs})
    made = settings("1-12,gold,all", universe=100, normalise=normalise, average=average, **options)
    soft = kp.soft_evaluate(corpus, made, "exact", MEASURES_SHOWN).frame
    exact = kp.evaluate(corpus, made, measures=MEASURES_SHOWN).frame
    keys = ["measure", "k", "value", "documents"]
    assert len(soft) == len(exact) == 8 * 14
    assert soft[keys].equals(exact[keys])


def test_variants_are_one_keyphrase():
    corpus = corpus_of(
        {"d": [("colour model", "color models"), "hue"]}, {"s": {"d": ["color model", "colour models", "hue"]}}
    )
    made = settings("1-3", universe=10)
    soft = kp.soft_evaluate(corpus, made, "exact", ("P@k", "R@k", "a", "c")).frame
    exact = kp.evaluate(corpus, made, measures=("P@k", "R@k", "a", "c")).frame
    assert soft["value"].tolist() == exact["value"].tolist()


@pytest.mark.parametrize("seed", range(5))
def test_soft_recall_never_falls_with_k_and_never_with_a_lower_threshold(seed):
    drawn = draw_corpus(seed)
    corpus, made = drawn.corpus, settings("1-12")
    before = None
    for tau in (1.0, 0.6, 0.2):
        found = kp.soft_evaluate(corpus, made, kp.Soft("levenshtein", tau), ["R@k"]).frame["value"].tolist()
        assert never_falls(found)
        if before:
            assert all(new >= old - 1e-12 for new, old in zip(found, before, strict=True))
        before = found
