"""Similarity of random phrases against libraries with the same definitions."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.meteor_score import single_meteor_score
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, JaroWinkler, Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF

from kp_core.similarity import SimilarityOptions, score
from kp_core.similarity.phrase_measures import best_alignment
from tests.phrases import WORDS, draw

SEEDS = (1, 2)
OURS = SimilarityOptions(direction="keyphrase")


def values(pairs, measure, choices=OURS):
    return score(*pairs, [measure], choices).table[:, 0].tolist()


def words(pairs):
    return [(key.lower().split(), other.lower().split()) for key, other in zip(*pairs, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("smoothing", ["none", "exp"])
def test_bleu_equals_nltk_at_effective_order(seed, order, smoothing):
    """NLTK uses a fixed order for any hypothesis; with the effective order, it gives our values."""
    pairs = draw(seed)
    method = {"none": SmoothingFunction().method0, "exp": SmoothingFunction().method3}[smoothing]
    expected = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns about every short phrase
        for key, other in words(pairs):
            effective = min(order, len(other))
            expected.append(sentence_bleu([key], other, [1 / effective] * effective, method))
    # unsmoothed, NLTK puts the smallest positive number in place of 0
    assert values(pairs, f"BLEU-{order}(smoothing={smoothing})") == pytest.approx(expected, rel=1e-10, abs=1e-70)


class NoWordNet:
    def synsets(self, word):
        return []


@pytest.mark.parametrize("seed", SEEDS)
def test_meteor_equals_nltk_without_repeated_stems(seed):
    """NLTK's greedy alignment differs from the best one only if a stem is repeated."""
    stem = PorterStemmer().stem
    once = [
        pair
        for pair in zip(*draw(seed, 1000), strict=True)
        if all(len(set(map(stem, side.split()))) == len(side.split()) for side in pair)
    ]
    assert len(once) > 150
    pairs = [list(side) for side in zip(*once, strict=True)]
    expected = [single_meteor_score(k, c, wordnet=NoWordNet()) for k, c in words(pairs)]
    assert values(pairs, "METEOR(complete=no)") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("stemmer", [False, True])
def test_rouge_equals_rouge_score(seed, stemmer):
    """Of words of more than three letters without hyphens; rouge-score splits at hyphens and stems no shorter word."""
    pairs = draw(seed, words=[word for word in WORDS if len(word) > 3 and "-" not in word])
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stemmer)
    expected = [scorer.score(k, c) for k, c in zip(*pairs, strict=True)]
    choices = SimilarityOptions(direction="keyphrase", preset="same-tokens" if stemmer else "paper-like")
    for name, key in (("ROUGE-1", "rouge1"), ("ROUGE-2", "rouge2"), ("ROUGE-L", "rougeL")):
        for suffix, field in (("", "recall"), ("-P", "precision"), ("-F", "fmeasure")):
            result = np.nan_to_num(values(pairs, f"{name}{suffix}", choices))  # theirs is 0 where ours is undefined
            assert result == pytest.approx([getattr(item[key], field) for item in expected], rel=1e-12), name + suffix


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_phrase_safe_bleu_equals_sacrebleu(seed, order):
    pairs = draw(seed)
    scorer = BLEU(effective_order=True, tokenize="none", max_ngram_order=order, lowercase=True)
    expected = [scorer.sentence_score(c, [k]).score / 100 for k, c in zip(*pairs, strict=True)]
    assert values(pairs, f"BLEU-{order}") == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_chrf_equals_sacrebleu(seed):
    keyphrases, candidates = draw(seed)
    keyphrases += ["a", "ab", "Straße 漢字", "aaaaaaaa aaa"]
    candidates += ["b", "a", "straße 漢", "aaa"]
    expected = [
        CHRF(lowercase=True).sentence_score(c, [k]).score / 100 for k, c in zip(keyphrases, candidates, strict=True)
    ]
    assert values((keyphrases, candidates), "chrF") == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_edit_similarities_equal_rapidfuzz(seed):
    pairs = draw(seed)
    lower = [(k.lower(), c.lower()) for k, c in zip(*pairs, strict=True)]
    for measure, scorer, scale in (
        ("levenshtein", Levenshtein.normalized_similarity, 1),
        ("levenshtein(distance=osa)", OSA.normalized_similarity, 1),
        ("jaro-winkler", JaroWinkler.similarity, 1),
        ("token-sort", fuzz.token_sort_ratio, 100),
        ("token-set", fuzz.token_set_ratio, 100),
    ):
        expected = [scorer(k, c) / scale for k, c in lower]
        assert values(pairs, measure) == pytest.approx(expected, rel=1e-12), measure
    for measure, distance in (("levenshtein-tokens", Levenshtein), ("levenshtein-tokens(distance=osa)", OSA)):
        expected = [distance.normalized_similarity(k, c) for k, c in words(pairs)]
        assert values(pairs, measure) == pytest.approx(expected, rel=1e-12), measure


def every_alignment(same, exact):
    """Return most matches, most exact ones, fewest chunks over all one-to-one alignments."""
    r, h = same.shape
    best = (0, 0, 0)
    for places in set(permutations([*range(r), *[-1] * h], h)):
        used = [(i, j) for j, i in enumerate(places) if i >= 0]
        if all(same[i, j] for i, j in used):
            chunks = sum(1 for i, j in used if (i - 1, j - 1) not in used)
            best = max(best, (len(used), sum(int(exact[i, j]) for i, j in used), -chunks))
    return best[0], -best[2]


def test_best_alignment_is_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(150):
        r, h = rng.integers(1, 5, 2)
        ref, hyp = rng.integers(0, 3, r), rng.integers(0, 3, h)
        exact = (ref[:, None] == hyp) & (rng.integers(0, 2, r)[:, None] == rng.integers(0, 2, h))
        same = ref[:, None] == hyp
        assert best_alignment(same, exact) == every_alignment(same, exact)
