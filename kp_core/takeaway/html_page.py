"""Turn sections into one HTML file that holds everything it needs: charts stay interactive with the network off."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from kp_core.charts import Chart
from kp_core.settings import __version__
from kp_core.takeaway.sections import Section
from kp_core.typeset import cells, numeric, visible


def html(title: str, sections: Sequence[Section], signature: str) -> str:
    """Return the file; every word of a user is escaped, and nothing is fetched from anywhere."""
    environment = Environment(autoescape=True, finalize=_literal, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {
        "figure": _figure,
        "cells": cells,
        "numeric": numeric,
        "plotly": lambda: Markup(get_plotlyjs()),
    }
    page = environment.from_string((files("kp_core.takeaway") / "report.html").read_text(encoding="utf-8"))
    return page.render(title=title, sections=sections, signature=signature, version=__version__) + "\n"


def _literal(value: Any) -> Any:
    """Spell marks of direction out in words of users; what is escaped already stays as it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _figure(chart: Chart) -> Markup:
    """Return a figure as JSON for a script, on white paper and with room for its labels."""
    figure = go.Figure(chart.figure)
    figure.update_layout(template="plotly_white", height=figure.layout.height + 40, margin_b=90)
    figure.update_xaxes(automargin=True).update_yaxes(automargin=True)
    # In a script, only “<” could end the script; as an escape it is the same JSON.
    return Markup(str(figure.to_json()).replace("<", "\\u003c"))
