"""Draw the main chart of any result, for `.chart()` in a notebook."""

from __future__ import annotations

from functools import singledispatch
from itertools import chain
from typing import Any

from kp_core.charts import curves, dots, heat_maps
from kp_core.charts.selection import over_numbers
from kp_core.charts.style import Chart
from kp_core.errors import UsageError
from kp_core.studies.compare import Comparison
from kp_core.studies.document_values import HeadToHead
from kp_core.studies.near_misses import NearMisses
from kp_core.studies.result import Numbers, Result
from kp_core.studies.sensitivity import Sensitivity
from kp_core.studies.stability import Stability


@singledispatch
def chart_of(result: object) -> Chart:
    """Return the chart of a result; raise UsageError if there is none."""
    raise UsageError(f"there is no chart of a {type(result).__name__}; its table is .frame")


@chart_of.register
def _of_values(result: Result) -> Chart:
    first_row = result.frame.iloc[0]
    name = str(first_row["measure"]).replace(f"@{first_row['k']}", "@k")
    pairs = [pair.split("|") for pair in result.frame["system"] if "|" in pair]  # of annotators
    if pairs:
        return heat_maps.heat_map(heat_maps.pair_matrix(result, name, list(dict.fromkeys(chain(*pairs)))), name)
    has_cutoffs = any(len({*curve.k}) > 1 for curve in over_numbers(result, name).values())
    return curves.over_k(result, name) if has_cutoffs else dots.leaderboard(result, name)


chart_of.register(Comparison, lambda result: heat_maps.pair_map(result, str(result.frame["measure"].iloc[0])))
chart_of.register(HeadToHead, lambda result: curves.difference(result, result.settings.k[0]))
chart_of.register(Stability, curves.rank_chart)
chart_of.register(Sensitivity, lambda study: dots.strip(study, f"{study.measure} under {study.combinations} settings"))
chart_of.register(NearMisses, lambda result: dots.type_bars(result.counts(), "predictions"))


def figure_of(result: object) -> Any:
    """Return the chart of a result as a Plotly figure."""
    from plotly.graph_objects import Figure  # slow to import

    return Figure(chart_of(result).figure)


Numbers.figure_of = staticmethod(figure_of)
