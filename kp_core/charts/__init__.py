"""Turn results into Plotly figures, each with one sentence that says what is seen, and into tables for the screen."""

from kp_core.charts.annotator_charts import groups, heat_map, histogram
from kp_core.charts.bars import bars, by_part
from kp_core.charts.concordance_charts import against_universe, concordance
from kp_core.charts.correlation_charts import forest, p_map
from kp_core.charts.near_miss_charts import type_bars
from kp_core.charts.over_k import Marks, over_k, small_multiples
from kp_core.charts.pair_charts import pair_map
from kp_core.charts.precision_recall import precision_recall
from kp_core.charts.spread_charts import effects, strip
from kp_core.charts.stability_charts import kendall, rank_chart
from kp_core.charts.style import Chart
from kp_core.charts.trimming_charts import over_threshold

__all__ = [
    "Chart",
    "Marks",
    "against_universe",
    "bars",
    "by_part",
    "concordance",
    "effects",
    "forest",
    "groups",
    "heat_map",
    "histogram",
    "kendall",
    "over_k",
    "over_threshold",
    "p_map",
    "pair_map",
    "precision_recall",
    "rank_chart",
    "small_multiples",
    "strip",
    "type_bars",
]
