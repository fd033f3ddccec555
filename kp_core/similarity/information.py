"""Turn n-gram matches into NIST, which weighs an n-gram by how rare it is among the references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from kp_core.scoring.codes import Codes, Floats, Ints
from kp_core.scoring.measures.overlap import ratio
from kp_core.similarity.registry import as_library, similarity_measure
from kp_core.similarity.sides import Sides, total
from kp_core.similarity.tokens import Flat

ORDERS = 5


class Collection:
    """The references of all pairs: how much information each of their n-grams holds.

    weight  (phrase,) how often each phrase is a reference
    """

    def __init__(self, flat: Flat, weight: Ints) -> None:
        owner = np.repeat(np.arange(len(flat.length)), flat.length)
        place = np.flatnonzero(weight[owner] > 0)
        left = (flat.start + flat.length)[owner[place]] - place  # tokens from here to the end of the phrase
        times, code = weight[owner[place]], flat.code
        gram: Codes | Ints = code[place]
        counts: Any = np.bincount(gram, times)
        found = np.zeros(len(code))
        found[place] = np.log2(times.sum() / np.maximum(counts[gram], 1))
        self.of_token = [found]
        for order in range(2, ORDERS + 1):
            # What begins with an n-gram that stands once stands once too, and adds no information.
            kept = (left >= order) & (counts[gram] > 1)
            place, left, times, before, gram = place[kept], left[kept], times[kept], counts[gram[kept]], gram[kept]
            # Arrow numbers distinct integers several times faster than sorting them does.
            key = gram.astype(np.int64) * (int(code.max(initial=0)) + 1) + code[place + order - 1]
            gram = pa.array(key).dictionary_encode().indices.to_numpy()
            counts = np.bincount(gram, times) if len(gram) else np.zeros(0)
            found = np.zeros(len(code))
            found[place] = np.log2(before / counts[gram]) if len(gram) else 0.0
            self.of_token.append(found)


def _penalty(sides: Sides) -> float:
    """Return the length penalty: 1/2 where the hypothesis has two thirds of the length."""
    shorter = min(1.0, sides.h / sides.r)
    return float(np.exp(np.log(0.5) / np.log(1.5) ** 2 * np.log(shorter) ** 2))


@similarity_measure(
    "NIST",
    "Common word sequences, each weighed by how rare it is among all reference phrases loaded.",
    r"\mathrm{LP} \cdot \sum_{n=1}^{5} \frac{\sum_{\text{matched}} \mathrm{info}}{|hyp|-n+1},"
    r"\ \mathrm{LP} = \exp\Big(\frac{\ln 0.5}{(\ln 1.5)^2}\,\Big(\ln\min\Big(1, \frac{|hyp|}{|ref|}\Big)\Big)^2\Big)",
    high=np.inf,
    source="Doddington 2002, eqs. 2 and 3; counts over all references of the pair set",
    reason="no_information",
    undefined="normalised only: the longer phrase holds no information",
    compat=as_library(
        lambda sides, n="5": nist_of_nltk(sides, n),
        "NLTK 3.10",
        "the hypothesis has fewer than n words",
        n=("5", "1", "2", "3", "4", "length"),
    ),
    normalised=("no", "yes"),
)
def nist(sides: Sides, normalised: str = "no") -> Floats:
    """Return the information of clipped matched n-grams / n-grams of the hypothesis, over orders, with the penalty."""
    found, whole = np.zeros(sides.n), np.zeros(sides.n)
    for order in range(1, min(ORDERS, sides.r) + 1):
        places = sides.shared.flat.start[sides.reference] + np.arange(sides.r - order + 1)[:, None]
        info = sides.shared.collection.of_token[order - 1][places]
        if order <= sides.h:
            found += (info * sides.matched(order)).sum(axis=0) / (sides.h - order + 1)
        whole += info.sum(axis=0) / (sides.r - order + 1)
    found *= _penalty(sides)
    return found if normalised == "no" else ratio(found, whole, np.nan)


def nist_of_nltk(sides: Sides, n: str = "5") -> Floats:
    """Return sentence NIST as NLTK 3.10: information counted in the pair's own reference."""
    orders = min(ORDERS, sides.h) if n == "length" else int(n)
    if sides.h < orders or not sides.h or not sides.r:
        return np.full(sides.n, np.nan)
    everything, found = np.arange(sides.n), np.zeros(sides.n)
    before = np.full((sides.r, sides.n), sides.r)
    for order in range(1, min(orders, sides.r) + 1):
        count = total(sides.own_grams(order, everything), 1)
        info = np.log2(before[: len(count)] / count)
        found += (info * sides.matched(order)).sum(axis=0) / (sides.h - order + 1)
        before = count
    return found * _penalty(sides)
