"""Similarity of random phrases against definitions written out for one pair, word by word."""

import math
from collections import Counter
from itertools import combinations

import pytest
from nltk.stem.porter import PorterStemmer

from kp_core.similarity import SimilarityOptions, score
from tests.phrases import draw

SEEDS = (4, 5)
STEM = PorterStemmer().stem


def words(pairs):
    return [(key.lower().split(), other.lower().split()) for key, other in zip(*pairs, strict=True)]


def stems(pairs):
    return [([STEM(w) for w in key], [STEM(w) for w in other]) for key, other in words(pairs)]


def values(pairs, measure, **choices):
    return score(*pairs, [measure], SimilarityOptions(**choices)).table[:, 0].tolist()


def long_and_short(key, other):
    return (key, other) if len(key) >= len(other) else (other, key)


def subsequences(tokens):
    return {n: set(combinations(tokens, n)) for n in range(1, len(tokens) + 1)}


def heaviest(along, other, weight, alignment):
    """Return the largest weight of matched positions by trying every choice of them."""
    if alignment == "bag":
        left, result = Counter(other), 0.0
        for i in reversed(range(len(along))):
            if left[along[i]]:
                left[along[i]] -= 1
                result += weight[i]
        return result
    if alignment == "contiguous":
        runs = {tuple(other[i:j]) for i in range(len(other)) for j in range(i + 1, len(other) + 1)}
        spans = [range(i, j) for i in range(len(along)) for j in range(i + 1, len(along) + 1)]
        return max(
            (sum(weight[i] for i in span) for span in spans if tuple(along[i] for i in span) in runs), default=0.0
        )
    held = subsequences(other)
    best = 0.0
    for n in range(1, min(len(along), len(other)) + 1):
        for places in combinations(range(len(along)), n):
            if tuple(along[i] for i in places) in held[n]:
                best = max(best, sum(weight[i] for i in places))
    return best


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alignment", ["bag", "ordered", "contiguous"])
@pytest.mark.parametrize("weights", ["longer", "keyphrase"])
@pytest.mark.parametrize("direction", ["longer", "keyphrase"])
def test_modified_r_precision(seed, alignment, weights, direction):
    pairs = draw(seed, 150, longest=6)
    expected = []
    for key, other in stems(pairs):
        along, against = (key, other) if weights == "keyphrase" else long_and_short(key, other)
        weight = [1 / (len(along) - i) for i in range(len(along))]
        expected.append(heaviest(along, against, weight, alignment) / sum(weight))
    measure = f"M-R-precision(alignment={alignment},weights={weights})"
    assert values(pairs, measure, direction=direction) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_r_precision(seed):
    pairs = draw(seed)
    bag = [(Counter(k) & Counter(c)).total() for k, c in stems(pairs)]
    run = [heaviest(k, c, [1] * len(k), "contiguous") for k, c in stems(pairs)]
    longer, part = ([f(len(k), len(c)) for k, c in words(pairs)] for f in (max, lambda k, c: k))
    for options, above, below in (
        ("", bag, longer),
        ("(denominator=keyphrase)", bag, part),
        ("(overlap=contiguous)", run, longer),
        ("(denominator=keyphrase,overlap=contiguous)", run, part),
    ):
        expected = [a / b for a, b in zip(above, below, strict=True)]
        assert values(pairs, f"R-precision{options}") == pytest.approx(expected), options


@pytest.mark.parametrize("seed", SEEDS)
def test_set_measures(seed):
    pairs = draw(seed)
    sets = [(set(k), set(c)) for k, c in words(pairs)]
    assert values(pairs, "jaccard") == pytest.approx([len(a & b) / len(a | b) for a, b in sets])
    assert values(pairs, "dice") == pytest.approx([2 * len(a & b) / (len(a) + len(b)) for a, b in sets])
    assert values(pairs, "overlap") == pytest.approx([len(a & b) / min(len(a), len(b)) for a, b in sets])


def grams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("direction", ["longer", "keyphrase"])
def test_information_of_a_collection(seed, direction):
    pairs = draw(seed, 120)
    chosen = [long_and_short(k, c) if direction == "longer" else (k, c) for k, c in words(pairs)]
    counts = {n: Counter(g for ref, _ in chosen for g in grams(ref, n)) for n in range(1, 6)}
    counts[0] = {(): counts[1].total()}
    info = {g: math.log2(counts[n - 1][g[:-1]] / count) for n in range(1, 6) for g, count in counts[n].items()}

    def nist(ref, hyp):
        total = 0.0
        for n in range(1, min(5, len(hyp)) + 1):
            matched = Counter(grams(ref, n)) & Counter(grams(hyp, n))
            total += sum(info[g] * count for g, count in matched.items()) / (len(hyp) - n + 1)
        shorter = min(1.0, len(hyp) / len(ref))
        return total * math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(shorter) ** 2)

    expected = [nist(ref, hyp) for ref, hyp in chosen]
    assert values(pairs, "NIST", direction=direction) == pytest.approx(expected, abs=1e-12)
    whole = [nist(ref, ref) for ref, _ in chosen]
    relative = [a / b for a, b in zip(expected, whole, strict=True)]
    assert values(pairs, "NIST(normalised=yes)", direction=direction) == pytest.approx(relative, abs=1e-12)
