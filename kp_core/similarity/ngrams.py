"""Turn n-gram matches and common subsequences into BLEU and ROUGE."""

from __future__ import annotations

import sys

import numpy as np

from kp_core.scoring.codes import Floats
from kp_core.similarity.registry import as_library, similarity_measure
from kp_core.similarity.sides import Sides


def _log_of_share(sides: Sides, order: int, smoothed: Floats) -> Floats:
    """Return the values of `smoothed`, the logarithm for 0, 1, 2, ... matches, at the matches of each pair."""
    return np.asarray(smoothed[sides.matches(order)])


def bleu(sides: Sides, order: int, smoothing: str = "exp") -> Floats:
    """Return sentence BLEU with effective order: no n-gram longer than the hypothesis is asked for.

    Source: Papineni et al. 2002; smoothing `exp` as sacreBLEU (Post 2018) ships it.
    """
    effective = min(order, sides.h)
    logs, zeros = np.zeros(sides.n), np.zeros(sides.n, np.int64)
    for i in range(1, effective + 1):
        possible = sides.h - i + 1
        share = np.arange(possible + 1) / possible
        share[0] = 1.0 / possible
        missing = sides.matches(i) == 0
        zeros += missing
        logs += _log_of_share(sides, i, np.log(share)) - np.log(2.0) * zeros * missing
    length = 1.0 if sides.h >= sides.r else float(np.exp(1 - sides.r / sides.h))
    nothing = sides.matches(1) == 0
    if smoothing == "none":
        nothing = zeros > 0
    return np.where(nothing, 0.0, length * np.exp(logs / effective))


def bleu_of_nltk(sides: Sides, order: int, smoothing: str = "1") -> Floats:
    """Return sentence BLEU as NLTK 3.10: the order stays, whatever the length of the hypothesis."""
    if not sides.r or not sides.h:
        return np.zeros(sides.n)
    logs, zeros = np.zeros(sides.n), np.zeros(sides.n, np.int64)
    for i in range(1, order + 1):
        possible = max(1, sides.h - i + 1)
        matches = sides.matches(i)
        zeros += matches == 0
        counts = np.arange(possible + 1)
        if smoothing == "2" and i > 1:
            share = (counts + 1) / (possible + 1)
        else:
            share = counts / possible
            share[0] = {"none": sys.float_info.min, "1": 0.1 / possible}.get(smoothing, 1.0 / possible)
        log = np.log(share)[matches]
        if smoothing == "3":
            log = log - np.log(2.0) * zeros * (matches == 0)
        logs += log / order
    length = 1.0 if sides.h > sides.r else float(np.exp(1 - sides.r / sides.h))
    return np.where(sides.matches(1) == 0, 0.0, length * np.exp(logs))


def _declare_bleu(name: str, order: int) -> None:
    grams = {1: "words", 2: "words and pairs of words"}.get(order, f"sequences of 1 to {order} words")
    nltk = as_library(
        lambda sides, smoothing="1": bleu_of_nltk(sides, order, smoothing),
        "NLTK 3.10",
        smoothing=("1", "none", "2", "3"),
    )
    similarity_measure(
        name,
        f"How many {grams} of the shorter phrase stand in the longer one, less a penalty for being short.",
        rf"\mathrm{{BP}} \cdot \exp\Big(\frac{{1}}{{n}}\sum_{{i=1}}^{{n}} \ln p_i\Big),\ n = \min({order}, |hyp|),"
        r"\ \mathrm{BP} = \min\Big(1, \exp\Big(1-\frac{|ref|}{|hyp|}\Big)\Big)",
        source="Papineni et al. 2002; effective order as in sacreBLEU (Post 2018)",
        compat=nltk,
        smoothing=("exp", "none"),
    )(lambda sides, smoothing="exp": bleu(sides, order, smoothing))


for _name, _order in (("BLEU", 4), ("BLEU-1", 1), ("BLEU-2", 2), ("BLEU-3", 3)):
    _declare_bleu(_name, _order)


def _shares(found: Floats, reference: int, hypothesis: int, which: str) -> Floats:
    """Return recall, precision or F1 of what was found."""
    if which == "R":
        return np.asarray(found / reference)
    return np.asarray(found / hypothesis) if which == "P" else np.asarray(2 * found / (reference + hypothesis))


def rouge(sides: Sides, order: int, which: str) -> Floats:
    """Return ROUGE-n (order 1, 2) or ROUGE-L (order 0) as recall R, precision P or F1 F. Source: Lin 2004."""
    if not order:
        return _shares(sides.subsequence.astype(float), sides.r, sides.h, which)
    if min(sides.r, sides.h) < order:
        return np.full(sides.n, np.nan)
    return _shares(sides.matches(order).astype(float), sides.r - order + 1, sides.h - order + 1, which)


def rouge_of_library(sides: Sides, order: int, which: str) -> Floats:
    """Return ROUGE as rouge-score 0.1.2: 0 where a side has no n-gram."""
    if min(sides.r, sides.h) < max(order, 1):
        return np.zeros(sides.n)
    return rouge(sides, order, which)


def _declare_rouge(base: str, order: int, which: str) -> None:
    what = {0: "word order in common", 1: "words", 2: "pairs of words"}[order]
    shown = {
        "R": ("", f"Of the {what} of the longer phrase, the share that the shorter one has (recall).", r"m / |ref|"),
        "P": ("-P", f"Of the {what} of the shorter phrase, the share that the longer one has.", r"m / |hyp|"),
        "F": ("-F", f"Balance of recall and precision of {what}.", r"2 m / (|ref| + |hyp|)"),
    }[which]
    if not order:
        shown = (shown[0], shown[1].replace("word order", "words in order").replace(" in common", ""), shown[2])
    counted = {0: r"m = |\mathrm{LCS}|", 1: r"m = \text{common words}", 2: r"m = \text{common pairs of words}"}[order]
    formula = shown[2]
    if order == 2:  # a phrase of n words holds n - 1 pairs
        formula = formula.replace("|ref| + |hyp|", "|ref| + |hyp| - 2").replace("m / |ref|", "m / (|ref| - 1)")
        formula = formula.replace("m / |hyp|", "m / (|hyp| - 1)")
    library = as_library(
        lambda sides, **_: rouge_of_library(sides, order, which), "rouge-score 0.1.2", stemmer=("no", "yes")
    )
    similarity_measure(
        f"{base}{shown[0]}",
        shown[1],
        rf"{formula},\ {counted}",
        source="Lin 2004",
        undefined="a phrase has one word" if order == 2 else "a phrase is empty",
        reason="too_short" if order == 2 else "empty_phrase",
        compat=library,
    )(lambda sides: rouge(sides, order, which))


for _base, _order in (("ROUGE-1", 1), ("ROUGE-2", 2), ("ROUGE-L", 0)):
    for _which in "RPF":
        _declare_rouge(_base, _order, _which)
