"""Turn near misses into stacked bars of their types, and into the tables of the screen."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from kp_core.charts.style import Chart, labels, lay_out
from kp_core.similarity.relation import TYPES
from kp_core.studies.near_misses import NearMisses

#: From a hit to nothing in common: dark to pale, so that the order shows without colour too.
_COLOURS = dict(zip(TYPES, ("#08519C", "#3182BD", "#6BAED6", "#9ECAE1", "#C6DBEF", "#BDBDBD"), strict=True))


def type_bars(counts: pd.DataFrame, what: str) -> Chart:
    """Draw how many predictions or gold entries of each system are of each type; counts: `NearMisses.counts`."""
    names = labels(counts["system"])
    figure = go.Figure()
    for kind, colour in _COLOURS.items():
        figure.add_bar(
            y=names,
            x=counts[kind],
            name=kind,
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate="%{y}, " + kind + ": %{x}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.35, legend_traceorder="normal")
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    figure.update_xaxes(title=what)
    total = counts[list(TYPES)].sum(axis=1)
    said = "; ".join(
        f"{row['system']}: " + ", ".join(f"{kind} {row[kind]} of {of}" for kind in ("EXACT", "NONE"))
        for row, of in zip(counts.to_dict("records"), total, strict=True)
    )
    return Chart(lay_out(figure, 130 + 40 * len(names)), f"Types of {what} by system as stacked bars. {said}.")


def near_shares(found: NearMisses) -> pd.DataFrame:
    """Return one row a system: how many of its misses are near."""
    return found.shares().rename(columns={"near": "near misses", "share": "share of misses"})


def near_examples(found: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return the most frequent near misses of a system, of one type or of all."""
    rows = found.examples(10)
    rows = rows[(rows["system"] == system) & ((rows["type"] == kind) | (kind == "all"))]
    return rows.drop(columns="system").rename(columns={"phrase": "prediction"}).reset_index(drop=True)


def near_of_system(found: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return every near miss of a system with its document, of one type or of all."""
    rows = found.predictions
    rows = rows[(rows["system"] == system) & ~rows["hit"] & (rows["type"] != "NONE")]
    rows = rows[(rows["type"] == kind) | (kind == "all")]
    shown = rows[["document", "rank", "phrase", "keyphrase", "type", "reordered", "overlap"]]
    return shown.rename(columns={"phrase": "prediction", "overlap": "R-precision"}).reset_index(drop=True)


def most_missed(found: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the keyphrases that a system misses in the most documents, and in how many they are gold."""
    rows = found.gold[found.gold["system"] == system]
    counts = rows.groupby("keyphrase", sort=False)["hit"].agg(missed=lambda hit: int((~hit).sum()), gold="size")
    counts = counts[counts["missed"] > 0].sort_values("missed", ascending=False, kind="stable").head(most)
    return counts.reset_index()


def most_spurious(found: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the phrases that a system chooses in the most documents without a hit."""
    rows = found.predictions[(found.predictions["system"] == system) & ~found.predictions["hit"]]
    counts = rows.groupby("phrase", sort=False).size().rename("documents")
    return counts.sort_values(ascending=False, kind="stable").head(most).reset_index()


def types_of(found: NearMisses, system: str, document: str) -> dict[str, str]:
    """Return the near misses of one list: phrase → type and keyphrase, such as `PARTOF: load factor`."""
    rows = found.predictions
    rows = rows[(rows["system"] == system) & (rows["document"] == document) & ~rows["hit"] & (rows["type"] != "NONE")]
    return {row.phrase: f"{row.type}: {row.keyphrase}" for row in rows.itertuples()}


def beside_exact(soft: pd.DataFrame, exact: pd.DataFrame, cutoff: int | str) -> pd.DataFrame:
    """Return one row a system: P, R and F1 with soft and with exact matching at one cutoff."""
    table: dict[str, dict[str, float]] = {}
    for kind, frame in (("exact", exact), ("soft", soft)):
        for row in frame[frame["k"] == cutoff].to_dict("records"):
            table.setdefault(row["system"], {})[f"{kind} {row['measure']}"] = row["value"]
    return pd.DataFrame(table).T.rename_axis("system").reset_index()
