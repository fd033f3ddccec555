"""Turn n-gram matches and common subsequences into BLEU, NIST, ROUGE and chrF."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Floats, Ints
from kp_core.similarity.declaration import similarity_measure
from kp_core.similarity.sides import Sides
from kp_core.similarity.tokens import Flat


def bleu(sides: Sides, smoothing: str = "exp", *, order: int = 4) -> Floats:
    """Return sentence BLEU with effective order: no n-gram longer than the hypothesis is asked for.

    Source: Papineni et al. 2002; smoothing `exp` as sacreBLEU (Post 2018) ships it.
    """
    effective = min(order, sides.h)
    logs, zeros = np.zeros(sides.n), np.zeros(sides.n, np.int64)
    for i in range(1, effective + 1):
        possible = sides.h - i + 1
        share = np.arange(possible + 1) / possible  # of 0, 1, 2, ... matches, so that few logarithms are taken
        share[0] = 1.0 / possible
        missing = sides.matches(i) == 0
        zeros += missing
        logs += np.log(share)[sides.matches(i)] - np.log(2.0) * zeros * missing
    length = 1.0 if sides.h >= sides.r else float(np.exp(1 - sides.r / sides.h))
    nothing = sides.matches(1) == 0 if smoothing == "exp" else zeros > 0
    return np.where(nothing, 0.0, length * np.exp(logs / effective))


for _name, _order in {"BLEU": 4, "BLEU-1": 1, "BLEU-2": 2, "BLEU-3": 3}.items():
    similarity_measure(_name)(partial(bleu, order=_order))

NIST_ORDERS = 5


def information(flat: Flat, weight: Ints) -> list[Floats]:
    """Return by order how much information the n-gram that begins at each token holds, within the references (token,).

    weight  (phrase,) how often each phrase is a reference
    """
    owner = np.repeat(np.arange(len(flat.length)), flat.length)
    place = np.flatnonzero(weight[owner] > 0)
    left = (flat.start + flat.length)[owner[place]] - place  # tokens from here to the end of the phrase
    times, code = weight[owner[place]], flat.code
    gram, counts = np.zeros(len(place), np.int64), np.array([times.sum()], float)
    of_token = []
    for order in range(1, NIST_ORDERS + 1):
        # What begins with an n-gram that stands once stands once too, and adds no information.
        kept = (left >= order) & (counts[gram] > 1)
        place, left, times, before, gram = place[kept], left[kept], times[kept], counts[gram[kept]], gram[kept]
        gram = gram * (int(code.max(initial=0)) + 1) + code[place + order - 1]
        if order > 1:  # Arrow numbers distinct integers several times faster than sorting them does.
            gram = pa.array(gram).dictionary_encode().indices.to_numpy().astype(np.int64)
        counts = np.bincount(gram, times)
        held = np.zeros(len(code))
        held[place] = np.log2(before / counts[gram])
        of_token.append(held)
    return of_token


@similarity_measure("NIST")
def nist(sides: Sides, normalised: str = "no") -> Floats:
    """Return the information of clipped matched n-grams / n-grams of the hypothesis, over orders, with the penalty."""
    matched, whole = np.zeros(sides.n), np.zeros(sides.n)
    for order in range(1, min(NIST_ORDERS, sides.r) + 1):
        places = sides.shared.flat.start[sides.reference] + np.arange(sides.r - order + 1)[:, None]
        info = sides.shared.information[order - 1][places]
        if order <= sides.h:
            matched += (info * sides.matched(order)).sum(axis=0) / (sides.h - order + 1)
        whole += info.sum(axis=0) / (sides.r - order + 1)
    # 1/2 where the hypothesis has two thirds of the length
    penalty = np.exp(np.log(0.5) / np.log(1.5) ** 2 * np.log(min(1.0, sides.h / sides.r)) ** 2)
    matched *= penalty
    return matched if normalised == "no" else ratio(matched, whole, np.nan)


def rouge(sides: Sides, *, order: int, share: str) -> Floats:
    """Return ROUGE-n (order 1, 2) or ROUGE-L (order 0) as recall, precision -P or F1 -F. Source: Lin 2004."""
    shorter = max(order, 1) - 1  # a phrase of n words holds n - 1 pairs
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
    """Return F2 of the mean precision and recall of character n-grams, blanks removed."""
    orders = range(1, min(6, sides.r, sides.h) + 1)
    precision, recall = np.zeros(sides.n), np.zeros(sides.n)
    for order in orders:
        matches = sides.matches(order).astype(float)
        precision += matches / (sides.h - order + 1) / len(orders)
        recall += matches / (sides.r - order + 1) / len(orders)
    return ratio(5 * precision * recall, 4 * precision + recall)
