"""Turn any result into the chart that says most of it, for a notebook; `.chart()` of every result asks here."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from kp_core.charts import curves, dots, heat_maps
from kp_core.charts.selection import over_numbers
from kp_core.charts.style import Chart
from kp_core.errors import UsageError
from kp_core.studies.compare import Comparison
from kp_core.studies.near_misses import NearMisses
from kp_core.studies.result import Numbers, Result
from kp_core.studies.spread import Spread
from kp_core.studies.stability import Stability
from kp_core.studies.versus import Versus

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@singledispatch
def chart_of(result: object) -> Chart:
    """Return the chart of a result; raises UsageError where there is none."""
    raise UsageError(f"there is no chart of a {type(result).__name__}; its table is .frame")


@chart_of.register
def _(result: Result) -> Chart:
    """Draw the first measure: over k where there are several cutoffs that are numbers, else a row a system."""
    first = result.frame.iloc[0]
    name = str(first["measure"]).replace(f"@{first['k']}", "@k")
    several = any(rows["k"].nunique() > 1 for rows in over_numbers(result, name).values())
    if "|" in "".join(map(str, result.frame["system"])):  # pairs of annotators
        return heat_maps.heat_map(heat_maps.pair_matrix(result, name, _people(result)), name)
    return curves.over_k(result, name) if several else dots.leaderboard(result, name)


def _people(result: Result) -> list[str]:
    return list(dict.fromkeys(name for pair in result.frame["system"] if "|" in pair for name in pair.split("|")))


@chart_of.register
def _(result: Comparison) -> Chart:
    return heat_maps.pair_map(result, str(result.frame["measure"].iloc[0]))


@chart_of.register
def _(result: Versus) -> Chart:
    return curves.difference(result, result.settings.k[0])


@chart_of.register
def _(result: Stability) -> Chart:
    return curves.rank_chart(result)


@chart_of.register
def _(result: Spread) -> Chart:
    return dots.strip(result, f"{result.measure} under {result.combinations} settings")


@chart_of.register
def _(result: NearMisses) -> Chart:
    return dots.type_bars(result.counts(), "predictions")


def figure_of(result: object) -> Figure:
    """Return the chart of a result as a Plotly figure, which a notebook shows."""
    from plotly.graph_objects import Figure  # a third of a second that nobody else waits for

    return Figure(chart_of(result).figure)


Numbers.figure_of = staticmethod(figure_of)
