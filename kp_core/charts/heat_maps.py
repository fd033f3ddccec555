"""Draw heat maps of pairwise results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kp_core.charts.pieces import VIOLET_TO_ORANGE, heat_map_of, plain
from kp_core.charts.selection import VIEWS, by_correlation, where
from kp_core.charts.style import Chart, short_names
from kp_core.errors import pluralize
from kp_core.scoring.codes import Floats
from kp_core.scoring.order import best_first
from kp_core.scoring.paired import ALPHA
from kp_core.studies.compare import Comparison
from kp_core.studies.correlation.correlate import CorrelationStudy
from kp_core.studies.result import Result, square
from kp_core.studies.stability import Stability
from kp_core.typeset import number, say


def _upper_triangle(values: pd.DataFrame) -> Floats:
    return np.asarray(values, float)[np.triu_indices(len(values), 1)]


def pair_matrix(result: Result, measure: str, annotators: Sequence[str]) -> pd.DataFrame:
    """Return the agreement of every pair of annotators as a square table; NaN for pairs without a common document."""
    values = where(result.frame, measure=measure, subset="all").set_index("system")["value"].to_dict()
    cells = [[values.get(f"{a}|{b}", values.get(f"{b}|{a}")) for b in annotators] for a in annotators]
    return pd.DataFrame(cells, index=list(annotators), columns=list(annotators), dtype=float)


def heat_map(matrix: pd.DataFrame, measure: str, noun: str = "annotators") -> Chart:
    """Draw a square table of agreement; the diagonal is empty."""
    lowest = min(0.0, float(np.nanmin(matrix.to_numpy(), initial=0.0)))
    figure = heat_map_of(matrix, measure, "%{y} and %{x}: %{z:.3f}", readable=12, zmin=lowest)
    values = pd.Series(_upper_triangle(matrix)).dropna()
    extent = f", from {number(values.min())} to {number(values.max())}" if len(values) else ""
    return Chart(figure, f"{measure} of {pluralize(len(values), 'pair')} of {noun} as a heat map{extent}.")


def kendall(stability: Stability) -> Chart:
    """Draw Kendall's tau-b between views; views with the same ranking share a row, named after the first of them."""
    row_names = {same[0]: same[0] + (f" and {len(same) - 1} more" if same[1:] else "") for same in stability.alike()}
    matrix = stability.matrix().loc[list(row_names), list(row_names)].rename(index=row_names, columns=row_names)
    chart = heat_map(matrix, "tau-b", VIEWS[stability.by])
    undefined, pairs = int(stability.pairs["tau"].isna().sum()), stability.pairs
    lowest = pairs.loc[pairs["tau"].idxmin()].to_dict() if undefined < len(pairs) else {}
    return Chart(chart.figure, chart.alt + say("rankings alike", lowest=lowest, undefined=undefined))


#: With fewer systems, a table is clearer than a heat map.
FEWEST = 4


def pair_map(comparison: Comparison, measure: str) -> Chart:
    """Draw the difference (row minus column) of every pair, best system first; stars mark significant differences."""
    names = best_first(comparison.scores)
    difference = square(comparison.frame, "difference", names, mirror_factor=-1)
    p = square(comparison.frame, "p_adjusted", names)
    is_better = np.array([[other in comparison.better[name] for other in names] for name in names])
    largest = float(np.nanmax(np.abs(difference.to_numpy()), initial=1e-9))
    hover = "%{y} minus %{x}: %{z:.3f}, corrected p %{customdata:.4f}"
    options = {"colorscale": VIOLET_TO_ORANGE, "zmin": -largest, "zmax": largest, "customdata": plain(p)}
    short_labels = short_names(names)
    difference = difference.rename(index=short_labels, columns=short_labels)
    figure = heat_map_of(difference, "row minus column", hover, 7, is_better | is_better.T, **options)
    facts = {"systems": len(names), "significant": int(is_better.sum()), "pairs": len(comparison.frame)}
    return Chart(figure, say("differences of pairs", measure=measure, **facts))


def p_map(study: CorrelationStudy, average: str) -> Chart:
    """Draw the corrected p of every pair of measures; stars mark significant differences."""
    p = study.found.p_matrix(average)
    rows = by_correlation(study, average).dropna(subset="value")
    order = [name for name in rows["measure"] if name in p.index]
    p = p.loc[order, order]
    figure = heat_map_of(p, "corrected p", "%{y} and %{x}: corrected p %{z:.4f}", 14, p < ALPHA, reversescale=True)
    figure["layout"]["xaxis"]["tickangle"] = -45
    differ = pluralize(int((_upper_triangle(p) < ALPHA).sum()), "pair differs", "pairs differ")
    return Chart(figure, f"Corrected p of all pairs of {len(p)} measures as a heat map; {differ} significantly.")
