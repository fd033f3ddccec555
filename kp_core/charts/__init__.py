"""Turn results into Plotly figures, each with one sentence that says what is seen, and into tables for the screen."""

from kp_core.charts.curves import Marks, against_universe, over_k, precision_recall, rank_chart, small_multiples
from kp_core.charts.dots import bars, by_part, effects, forest, groups, histogram, strip, type_bars
from kp_core.charts.heat_maps import heat_map, kendall, p_map, pair_map, pair_matrix, used
from kp_core.charts.over_thresholds import over_agreement, over_threshold, tree
from kp_core.charts.style import Chart

__all__ = [
    "Chart",
    "Marks",
    "against_universe",
    "bars",
    "by_part",
    "effects",
    "forest",
    "groups",
    "heat_map",
    "histogram",
    "kendall",
    "over_agreement",
    "over_k",
    "over_threshold",
    "p_map",
    "pair_map",
    "pair_matrix",
    "precision_recall",
    "rank_chart",
    "small_multiples",
    "strip",
    "tree",
    "type_bars",
    "used",
]
