"""Compute similarities of blocks of pairs: common tokens, n-grams, METEOR, edits, and trivial baselines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.tokens import Flat, Sides, total


@similarity_measure("R-precision")
def r_precision(sides: Sides, denominator: str = "longer", overlap: str = "bag") -> Floats:
    """Return common tokens, or the longest common run, divided by the length of the longer phrase or keyphrase."""
    common = sides.matches(1) if overlap == "bag" else sides.heaviest_run(np.ones((sides.r, 1)))
    length = max(sides.r, sides.h) if denominator == "longer" else sides.keyphrase_first.r
    return np.asarray(common / length)


@similarity_measure("M-R-precision")
def modified_r_precision(sides: Sides, alignment: str = "bag", weights: str = "longer") -> Floats:
    """Return the weight of matched tokens divided by that of all tokens, in the longer phrase or the keyphrase."""
    oriented = sides.long_first if weights == "longer" else sides.keyphrase_first
    weight = 1.0 / np.arange(oriented.r, 0, -1)[:, None]
    if alignment == "bag":
        # one product per position, so that rounding does not depend on the block size
        matched = sum((weight[i] * oriented.matched_from_right[i] for i in range(oriented.r)), np.zeros(oriented.n))
    elif alignment == "ordered":
        matched = oriented.heaviest_subsequence(weight)
    else:
        matched = oriented.heaviest_run(weight)
    return np.asarray(matched / weight.sum(axis=0))


@similarity_measure("match")
def match(sides: Sides, accept: str = "morph") -> Floats:
    """Return 1 for equal stems; `include`: also if the candidate contains the keyphrase; `part`: also vice versa."""
    block = sides.long_first
    accepted = accept == "part" or block.r == block.h or (accept == "include" and not block.keyphrase_is_reference)
    return np.asarray(block.inside & accepted, float)


def overlap_of_sets(sides: Sides, *, divisor: Callable[[Floats, Floats, Floats], Floats]) -> Floats:
    """Return the number of distinct common tokens divided by a function of this number and both sizes."""
    flags = sides.equal.any(axis=1) & sides.first, sides.first, sides.swapped.first
    sizes = [total(flag).astype(float) for flag in flags]
    return np.asarray(sizes[0] / divisor(*sizes))


similarity_measure("jaccard")(partial(overlap_of_sets, divisor=lambda common, ref, hyp: ref + hyp - common))
similarity_measure("dice")(partial(overlap_of_sets, divisor=lambda common, ref, hyp: (ref + hyp) / 2))
similarity_measure("overlap")(partial(overlap_of_sets, divisor=lambda common, ref, hyp: np.minimum(ref, hyp)))


def _string_similarity(sides: tuple[list[Any], list[Any]], distance: str = "", *, scorer: str) -> Floats:
    from rapidfuzz import distance as distances
    from rapidfuzz import fuzz
    from rapidfuzz.process import cpdist

    if scorer.endswith("ratio"):
        return np.asarray(cpdist(*sides, scorer=getattr(fuzz, scorer), dtype=np.float64) / 100)
    kind = getattr(distances, "OSA" if distance == "osa" else scorer)
    return np.asarray(cpdist(*sides, scorer=kind.normalized_similarity, dtype=np.float64))


for _name, _scorer in {
    "levenshtein": "Levenshtein",
    "jaro-winkler": "JaroWinkler",
    "token-sort": "token_sort_ratio",
    "token-set": "token_set_ratio",
}.items():
    similarity_measure(_name)(partial(_string_similarity, scorer=_scorer))


@similarity_measure("levenshtein-tokens")
def levenshtein_tokens(sides: Sides, distance: str = "levenshtein") -> Floats:
    """Return the normalized edit similarity of tokens."""
    return _string_similarity((sides.ref.T.tolist(), sides.hyp.T.tolist()), distance, scorer="Levenshtein")


@similarity_measure("stem-exact")
@similarity_measure("exact")
def exact(sides: Sides) -> Floats:
    """Return 1 if all tokens are equal, else 0."""
    return np.asarray(sides.inside, float) if sides.r == sides.h else np.zeros(sides.n)


similarity_measure("length-difference")(lambda sides: np.full(sides.n, -float(abs(sides.r - sides.h))))
similarity_measure("candidate-length")(lambda sides: np.full(sides.n, float(sides.keyphrase_first.h)))


def bleu(sides: Sides, smoothing: str = "exp", *, order: int = 4) -> Floats:
    """Return sentence BLEU with effective order and smoothing `exp` as in sacreBLEU (Post 2018)."""
    effective = min(order, sides.h)
    logs, zeros = np.zeros(sides.n), np.zeros(sides.n, np.int64)
    for i in range(1, effective + 1):
        possible = sides.h - i + 1
        share = np.arange(possible + 1) / possible  # indexed by the number of matches
        share[0] = 1.0 / possible
        unmatched = sides.matches(i) == 0
        zeros += unmatched
        logs += np.log(share)[sides.matches(i)] - np.log(2.0) * zeros * unmatched
    length = 1.0 if sides.h >= sides.r else float(np.exp(1 - sides.r / sides.h))
    no_match = sides.matches(1) == 0 if smoothing == "exp" else zeros > 0
    return np.where(no_match, 0.0, length * np.exp(logs / effective))


for _name, _order in {"BLEU": 4, "BLEU-1": 1, "BLEU-2": 2, "BLEU-3": 3}.items():
    similarity_measure(_name)(partial(bleu, order=_order))

NIST_ORDERS = 5


def information(flat: Flat, weight: Ints) -> list[Floats]:
    """Return, for each order, the information of the n-gram of the references that begins at each token (token,).

    * `weight`: (phrase,) how often each phrase is a reference
    """
    times = np.repeat(weight, flat.length)
    rest = np.repeat(flat.start + flat.length, flat.length) - np.arange(len(times))  # tokens to the end of the phrase
    grams = pd.DataFrame({"code": np.int64(0), "times": times, "rest": rest, "count": times.sum()})[times > 0]
    by_order = []
    for order in range(1, NIST_ORDERS + 1):
        # an n-gram that begins with an n-gram of a single occurrence adds no information
        grams = grams[(grams["rest"] >= order) & (grams["count"] > 1)]
        token, before = grams.index.to_numpy(), grams["count"]
        next_code = flat.code[token + order - 1].astype(np.int64)
        grams = grams.assign(code=pd.factorize(grams["code"] * (int(flat.code.max(initial=0)) + 1) + next_code)[0])
        grams["count"] = grams.groupby("code")["times"].transform("sum")
        information_of_token = np.zeros(len(times))
        information_of_token[token] = np.log2(before / grams["count"])
        by_order.append(information_of_token)
    return by_order


@similarity_measure("NIST")
def nist(sides: Sides, normalised: str = "no") -> Floats:
    """Return the sum over orders of matched information / n-grams of the hypothesis, times the length penalty."""
    matched, reference_total = np.zeros(sides.n), np.zeros(sides.n)
    information = sides.shared.information()
    for order in range(1, min(NIST_ORDERS, sides.r) + 1):
        indices = sides.shared.flat.start[sides.reference] + np.arange(sides.r - order + 1)[:, None]
        info = information[order - 1][indices]
        if order <= sides.h:
            matched += (info * sides.matched(order)).sum(axis=0) / (sides.h - order + 1)
        reference_total += info.sum(axis=0) / (sides.r - order + 1)
    # 1/2 if the hypothesis has two thirds of the length
    penalty = np.exp(np.log(0.5) / np.log(1.5) ** 2 * np.log(min(1.0, sides.h / sides.r)) ** 2)
    matched *= penalty
    return matched if normalised == "no" else ratio(matched, reference_total, np.nan)


def rouge(sides: Sides, *, order: int, share: str) -> Floats:
    """Return ROUGE-n (order 1, 2) or ROUGE-L (order 0) as recall, precision -P or F1 -F. Source: Lin 2004."""
    shorter = max(order, 1) - 1  # a phrase of n words has n - 1 pairs
    recall, precision = sides.r - shorter, sides.h - shorter
    if min(recall, precision) < 1:
        return np.full(sides.n, np.nan)
    common = sides.matches(order) if order else sides.subsequence
    return common / {"": recall, "-P": precision, "-F": (recall + precision) / 2}[share]


for _base, _order in {"ROUGE-1": 1, "ROUGE-2": 2, "ROUGE-L": 0}.items():
    for _share in ("", "-P", "-F"):
        similarity_measure(f"{_base}{_share}")(partial(rouge, order=_order, share=_share))


@similarity_measure("chrF")
def chrf(sides: Sides) -> Floats:
    """Return F2 of the mean precision and recall of character n-grams, without spaces."""
    orders = range(1, min(6, sides.r, sides.h) + 1)
    precision, recall = np.zeros(sides.n), np.zeros(sides.n)
    for order in orders:
        matches = sides.matches(order).astype(float)
        precision += matches / (sides.h - order + 1) / len(orders)
        recall += matches / (sides.r - order + 1) / len(orders)
    return ratio(5 * precision * recall, 4 * precision + recall)


#: alpha, beta, gamma; the second set is that of the tuned release of 2007-08 (unverified).
WEIGHTS = {"original": (0.9, 3.0, 0.5), "tuned-unverified": (0.81, 0.83, 0.28), "f1": (0.5, 1.0, 0.0)}

#: Maximum number of partial alignments of a pair, which only phrases with about ten repeated words reach.
_STATES = 2000


def best_alignment(same: Bools, exact: Bools) -> tuple[int, int]:
    """Return matches and chunks of the best alignment: most matches, then most exact ones, then fewest chunks.

    * `same`, `exact`: (r, h) whether a word of the reference and one of the hypothesis may be matched, and are equal

    >>> twice = np.array([[True, False, False], [False, True, True]])
    >>> best_alignment(twice, twice)
    (2, 1)
    """
    # state: used positions in the reference as bits, and the position used by the previous word (-2: none)
    states: dict[tuple[int, int], tuple[int, int, int]] = {(0, -2): (0, 0, 0)}
    for j in range(same.shape[1]):
        next_states: dict[tuple[int, int], tuple[int, int, int]] = {}
        for (taken, last), (matches, exacts, chunks) in states.items():
            steps = [((taken, -2), (matches, exacts, chunks))]
            for i in np.flatnonzero(same[:, j]).tolist():
                if not taken >> i & 1:
                    further = (matches + 1, exacts + int(exact[i, j]), chunks - int(i != last + 1))
                    steps.append(((taken | 1 << i, i), further))
            for state, value in steps:
                if value > next_states.get(state, (-1, 0, 0)):
                    next_states[state] = value
        states = dict(sorted(next_states.items(), key=lambda entry: entry[1], reverse=True)[:_STATES])
    matches, _, chunks = max(states.values())
    return matches, -chunks


def _aligned(sides: Sides) -> tuple[Ints, Ints]:
    same = sides.equal
    by_ref, by_hyp = total(same, 1), total(same, 0)
    matches = by_ref.sum(axis=0, dtype=np.int64)
    following = same[1:, 1:] & same[:-1, :-1]
    chunks = matches - following.sum(axis=(0, 1), dtype=np.int64)
    # If every word has at most one partner, there is only one alignment; the others are searched one by one.
    open_pairs = np.flatnonzero((by_ref > 1).any(axis=0) | (by_hyp > 1).any(axis=0))
    if len(open_pairs):
        equalities = np.stack([same[:, :, open_pairs], sides.words.equal[:, :, open_pairs]])
        kinds, which = np.unique(np.moveaxis(equalities, 3, 0), axis=0, return_inverse=True)
        best = np.array([best_alignment(*kind) for kind in kinds])[which.reshape(-1)]
        matches[open_pairs], chunks[open_pairs] = best.T
    return matches, chunks


@similarity_measure("METEOR")
def meteor(sides: Sides, weights: str = "original", complete: str = "yes") -> Floats:
    """Return METEOR over the best alignment; a complete match in one chunk has no penalty unless complete = no."""
    alpha, beta, gamma = WEIGHTS[weights]
    # the values for all numbers of matches m and chunks c
    max_matches = min(sides.r, sides.h)
    m, c = np.meshgrid(np.arange(max_matches + 1), np.arange(max_matches + 1), indexing="ij")
    positive_m = np.maximum(m, 1)
    p, r = positive_m / sides.h, positive_m / sides.r
    value = p * r / (alpha * p + (1 - alpha) * r) * (1 - gamma * (c / positive_m) ** beta)
    value[0] = 0.0
    if complete == "yes" and sides.r == sides.h:
        value[max_matches, 1] = 1.0
    return np.asarray(value[_aligned(sides)])
