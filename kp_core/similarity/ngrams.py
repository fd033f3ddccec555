"""Turn n-gram matches and common subsequences into BLEU, NIST, ROUGE and chrF."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.table_cells import ratio
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


for _name, _order, _grams in (
    ("BLEU", 4, "sequences of 1 to 4 words"),
    ("BLEU-1", 1, "words"),
    ("BLEU-2", 2, "words and pairs of words"),
    ("BLEU-3", 3, "sequences of 1 to 3 words"),
):
    _n = rf"\ n = \min({_order}, |hyp|)"
    similarity_measure(
        _name,
        f"How many {_grams} of the shorter phrase stand in the longer one, less a penalty for being short.",
        rf"\mathrm{{BP}} \cdot \exp\Big(\frac{{1}}{{n}}\sum_{{i=1}}^{{n}} \ln p_i\Big),{_n},"
        r"\ \mathrm{BP} = \min\Big(1, \exp\Big(1-\frac{|ref|}{|hyp|}\Big)\Big)",
        source="Papineni et al. 2002; effective order as in sacreBLEU (Post 2018)",
        options={"smoothing": ("exp", "none")},
    )(partial(bleu, order=_order))

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


@similarity_measure(
    "NIST",
    "Common word sequences, each weighed by how rare it is among all reference phrases loaded.",
    r"\mathrm{LP} \cdot \sum_{n=1}^{5} \frac{\sum_{\text{matched}} \mathrm{info}}{|hyp|-n+1},"
    r"\ \mathrm{LP} = \exp\Big(\frac{\ln 0.5}{(\ln 1.5)^2}\,\Big(\ln\min\Big(1, \frac{|hyp|}{|ref|}\Big)\Big)^2\Big)",
    high=np.inf,
    source="Doddington 2002, eqs. 2 and 3; counts over all references of the pair set",
    reason="no_information",
    undefined="normalised only: the longer phrase holds no information",
    options={"normalised": ("no", "yes")},
)
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


#: Measure → order, what it counts, and the same in the formula.
_ROUGE = {
    "ROUGE-1": (1, "words", r"\text{common words}"),
    "ROUGE-2": (2, "pairs of words", r"\text{common pairs of words}"),
    "ROUGE-L": (0, "words in order", r"|\mathrm{LCS}|"),
}
#: Share → its sentence, and its formula for words and for pairs of words.
_SHARES = {
    "": (
        "Of the {} of the longer phrase, the share that the shorter one has (recall).",
        "m / |ref|",
        "m / (|ref| - 1)",
    ),
    "-P": ("Of the {} of the shorter phrase, the share that the longer one has.", "m / |hyp|", "m / (|hyp| - 1)"),
    "-F": ("Balance of recall and precision of {}.", "2 m / (|ref| + |hyp|)", "2 m / (|ref| + |hyp| - 2)"),
}
for _base, (_order, _what, _counted) in _ROUGE.items():
    for _share, (_sentence, *_formulas) in _SHARES.items():
        _pairs = _order == 2
        similarity_measure(
            f"{_base}{_share}",
            _sentence.format(_what),
            rf"{_formulas[_pairs]},\ m = {_counted}",
            source="Lin 2004",
            undefined="a phrase has one word" if _pairs else "a phrase is empty",
            reason="too_short" if _pairs else "empty_phrase",
        )(partial(rouge, order=_order, share=_share))


@similarity_measure(
    "chrF",
    "Sequences of one to six letters in common, recall counting twice as much as precision.",
    r"\frac{5 P R}{4 P + R}",
    source="Popović 2015; chrF2 of sacreBLEU / 100",
    level="characters",
)
def chrf(sides: Sides) -> Floats:
    """Return F2 of the mean precision and recall of character n-grams, blanks removed."""
    orders = range(1, min(6, sides.r, sides.h) + 1)
    precision, recall = np.zeros(sides.n), np.zeros(sides.n)
    for order in orders:
        matches = sides.matches(order).astype(float)
        precision += matches / (sides.h - order + 1) / len(orders)
        recall += matches / (sides.r - order + 1) / len(orders)
    return ratio(5 * precision * recall, 4 * precision + recall)
