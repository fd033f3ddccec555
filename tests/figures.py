"""What a test reads of a chart: its figure as Plotly itself reads it."""

import json

import plotly.graph_objects as go

from kp_core.charts.style import Chart


def checked(chart: Chart) -> go.Figure:
    """Return the figure of a chart after Plotly has checked every name and value in it; it must be plain data."""
    json.dumps(chart.figure, allow_nan=False)
    return go.Figure(**chart.figure)
