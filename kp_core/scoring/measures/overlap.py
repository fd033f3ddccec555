"""Turn hits and sizes into precision, recall and F1 at a cutoff."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import AtK
from kp_core.scoring.measures.registry import measure


@measure(
    "P@k",
    "Of the first k phrases, the share that are keyphrases.",
    r"P@k = \frac{H_k}{D_k}",
    source="Manning, Raghavan & Schütze 2008, ch. 8",
    family="overlap",
    undefined="never; 0 for an empty list (status system_empty)",
)
def precision(cells: Cells) -> Floats:
    """Return hits / denominator."""
    return ratio(cells.hits, cells.denominator)


@measure(
    "R@k",
    "Of the keyphrases, the share found among the first k phrases.",
    r"R@k = \frac{H_k}{g}",
    source="Manning, Raghavan & Schütze 2008, ch. 8",
    family="overlap",
    undefined="the document has no gold",
)
def recall(cells: Cells) -> Floats:
    """Return hits / gold size."""
    return ratio(cells.hits, cells.size)


@measure(
    "F1@k",
    "Balance of precision and recall among the first k phrases.",
    r"F1@k = \frac{2 H_k}{D_k + g}",
    source="van Rijsbergen 1979, ch. 7",
    family="overlap",
    undefined="the document has no gold",
)
def f1(cells: Cells) -> Floats:
    """Return the harmonic mean of precision and recall."""
    return ratio(2 * cells.hits, cells.denominator + cells.size)


@measure(
    "Rprec",
    "Precision at the document's own gold size; precision, recall and F1 are equal there.",
    r"\mathrm{Rprec} = \frac{H_g}{g}",
    source="Buckley & Voorhees 2005; F1@O of Yuan et al. 2020",
    family="ranking",
    fixed="gold",
    undefined="the document has no gold",
)
def r_precision_at_gold(cells: Cells) -> Floats:
    """Return hits among the first g / g."""
    return ratio(cells.hits, cells.size)


@measure(
    "success@k",
    "Whether at least one of the first k phrases is a keyphrase.",
    r"\mathrm{success}@k = [H_k > 0]",
    source="Craswell & Hawking 2004",
    family="ranking",
    undefined="the document has no gold",
)
def success(at: AtK) -> Floats:
    """Return 1 if there is a hit (its probability where ties are averaged)."""
    return at.first_hit


@measure(
    "hits@k",
    "How many of the first k phrases are keyphrases.",
    r"\mathrm{hits}@k = H_k",
    source="count",
    family="ranking",
    high=np.inf,
    undefined="the document has no gold",
)
def hits(at: AtK) -> Floats:
    """Return the hits."""
    return at.hits
