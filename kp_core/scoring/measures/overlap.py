"""Turn hits and sizes into precision, recall and F1 at a cutoff."""

from __future__ import annotations

import numpy as np

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.counts import AtK
from kp_core.scoring.measures.registry import measure


@measure("P@k", "overlap")
def precision(cells: Cells) -> Floats:
    """Return hits / denominator."""
    return ratio(cells.hits, cells.denominator)


@measure("R@k", "overlap")
def recall(cells: Cells) -> Floats:
    """Return hits / gold size."""
    return ratio(cells.hits, cells.size)


@measure("F1@k", "overlap")
def f1(cells: Cells) -> Floats:
    """Return the harmonic mean of precision and recall."""
    return ratio(2 * cells.hits, cells.denominator + cells.size)


@measure("Rprec", "ranking", fixed="gold")
def r_precision_at_gold(cells: Cells) -> Floats:
    """Return hits among the first g / g."""
    return ratio(cells.hits, cells.size)


@measure("success@k", "ranking")
def success(at: AtK) -> Floats:
    """Return 1 if there is a hit (its probability where ties are averaged)."""
    return at.first_hit


@measure("hits@k", "ranking", high=np.inf)
def hits(at: AtK) -> Floats:
    """Return the hits."""
    return at.hits
