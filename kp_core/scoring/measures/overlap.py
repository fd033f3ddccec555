"""Turn hits and sizes into precision, recall and F1; their order in a list plays no part."""

from __future__ import annotations

from operator import attrgetter

from kp_core.scoring.cells import Cells, ratio
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures.registry import measure


@measure("P@k")
def precision(cells: Cells) -> Floats:
    """Return hits / denominator."""
    return ratio(cells.hits, cells.denominator)


@measure("Rprec")
@measure("R@k")
def recall(cells: Cells) -> Floats:
    """Return hits / gold size; at k = gold size this is R-precision."""
    return ratio(cells.hits, cells.size)


@measure("F1@k")
def f1(cells: Cells) -> Floats:
    """Return the harmonic mean of precision and recall."""
    # 0 where both sides are empty; documents without gold are settled where values are added up (`accumulate.py`)
    return ratio(2 * cells.hits, cells.denominator + cells.size)


measure("hits@k")(attrgetter("hits"))
