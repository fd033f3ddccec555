"""Turn rankings from several views into a rank chart with one line a system, and a heat map of their agreement."""

from __future__ import annotations

from collections import Counter

import plotly.graph_objects as go

from kp_core.charts.annotator_charts import heat_map
from kp_core.charts.style import Chart, label, lay_out, looks
from kp_core.errors import counted
from kp_core.studies.stability import Stability
from kp_core.words.statements import listed, number

#: What the views differ in, in words.
WORDS = {"measure": "measures", "k": "cutoffs", "normalise": "normalisations", "annotators": "gold standards"}


def rank_chart(stability: Stability) -> Chart:
    """Draw the rank of each system in each view, the best on top, each line named at its end."""
    frame, views = stability.frame, stability.views
    systems = list(dict.fromkeys(frame["system"]))
    shown, figure, ends = list(range(len(views))), go.Figure(), dict[float, list[str]]()
    for name, look in looks(systems).items():
        own = frame[frame["system"] == name]
        figure.add_scatter(
            x=shown,
            y=own["rank"],
            name=label(name),
            mode="lines+markers",
            showlegend=False,
            connectgaps=False,
            line={"color": look.colour, "dash": look.dash, "width": 2.5},
            marker={"symbol": look.symbol, "size": 11},
            customdata=own["value"],
            hovertemplate="rank %{y:g}, value %{customdata:.3f}",
        )
        if len(own) and own["rank"].iloc[-1] == own["rank"].iloc[-1]:
            ends.setdefault(float(own["rank"].iloc[-1]), []).append(name)
    longest = 0
    for rank, names in ends.items():  # systems that tie end in one point, and so share a label
        ends_as = _ending(names)
        longest = max(longest, len(ends_as))
        figure.add_annotation(
            x=shown[-1],
            y=rank,
            text=ends_as,
            showarrow=False,
            xanchor="left",
            xshift=12,
            font={"color": looks(systems)[names[0]].colour} if len(names) == 1 else None,
        )
    figure.update_yaxes(title="rank", range=[len(systems) + 0.5, 0.5], dtick=1, zeroline=False)
    figure.update_xaxes(tickvals=shown, ticktext=[label(view, 34) for view in views], automargin=True, zeroline=False)
    figure = lay_out(figure, 130 + 42 * max(2, len(systems)))
    figure.update_layout(margin={"r": 24 + 7 * longest})
    alt = f"Rank of {counted(len(systems), 'system')} under {len(views)} {WORDS[stability.by]}. {_said(stability)}"
    return Chart(figure, alt)


def _ending(names: list[str]) -> str:
    """Return what stands at the end of the lines of systems that share a rank; it must leave room for the lines."""
    shared = ", ".join(label(name, 20) for name in names)
    return shared if len(names) == 1 or len(shared) <= 24 else counted(len(names), "system")


def _said(stability: Stability) -> str:
    """Say who is first, and whether always; systems that share the first place are named together."""
    ranked = stability.frame[stability.frame["rank"].notna()]
    if ranked.empty:
        return "No system has a value."
    top = ranked[ranked["rank"] == ranked.groupby("view")["rank"].transform("min")]
    leaders = Counter(tuple(own) for _, own in top.groupby("view", sort=False)["system"])
    (often, views), *others = leaders.most_common(2)
    text = f"{listed(often)} {'is' if len(often) == 1 else 'are'} first under {views} of them"
    return f"{text}, {listed(others[0][0])} under {others[0][1]}." if others else f"{text}."


def kendall(stability: Stability) -> Chart:
    """Draw Kendall's tau-b between all pairs of views; cells without a value are undefined."""
    drawn = heat_map(stability.matrix(), "tau-b", WORDS[stability.by])
    undefined = stability.pairs["tau"].isna().sum()
    lowest = stability.pairs.loc[stability.pairs["tau"].idxmin()] if undefined < len(stability.pairs) else None
    alt = drawn.alt
    if lowest is not None:
        alt += f" Least alike are {lowest['a']} and {lowest['b']} ({number(lowest['tau'])})."
    return Chart(drawn.figure, alt + (f" {counted(undefined, 'pair is', 'pairs are')} undefined." if undefined else ""))
