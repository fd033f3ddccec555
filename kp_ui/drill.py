"""Show documents and their phrases: the list to choose from, the gold standard, ranked lists with matches marked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from kp_core.documents import MARKS, DocumentView
from kp_ui import show

#: Mark → sign and colour; the sign alone says it, for those who do not see the colour.
SIGNS = {
    "hit": ("✓", "#2F86D0"),
    "miss": ("·", "inherit"),
    "repeated": ("↺", "#B07400"),
    "again": ("≈", "#B07400"),
    "filtered": ("✕", "#B07400"),
}
LEGEND = "; ".join(f"{SIGNS[mark][0]} {words}" for mark, words in MARKS.items()) + ". Grey: beyond the cutoff."


def documents(values: pd.DataFrame, system: str, other: str, search: str) -> pd.DataFrame:
    """Return one row a document and one column a system, sorted by the difference of two systems where one is asked."""
    titles = st.session_state["workspace"].corpus.documents.set_index("doc_id")["title"]
    table = values.pivot_table(index="document", columns="system", values="value", sort=False, dropna=False)
    table = table.reindex(columns=[system, *(name for name in table.columns if name != system)])
    if other != "none":
        table.insert(0, "difference", table[system].sub(table[other]))
        table = table.sort_values("difference", ascending=False, kind="stable")
    table["title"] = titles.reindex(table.index).fillna("")
    table = table.rename_axis(columns=None).reset_index()
    wanted = search.strip().lower()
    found = table["document"].str.lower().str.contains(wanted, regex=False)
    found |= table["title"].str.lower().str.contains(wanted, regex=False)
    table = table[found].reset_index(drop=True)
    return table.drop(columns="title") if (table["title"] == "").all() else table


def chosen_first(systems: list[str], system: str, other: str) -> list[str]:
    """Return the systems, the two chosen ones first."""
    first = [name for name in (system, other) if name in systems]
    return [*first, *(name for name in systems if name not in first)]


def chosen_document(listed: pd.DataFrame, selection: Any) -> str | None:
    """Return the document of the selected row, else that of the link, else the first; the link follows."""
    if not len(listed):
        return None
    rows = selection["selection"]["rows"] if selection else []
    asked = st.query_params.get("document")
    if rows and rows[0] < len(listed):
        asked = str(listed["document"].iloc[rows[0]])
    elif asked not in set(listed["document"]):
        asked = str(listed["document"].iloc[0])
    st.query_params["document"] = asked
    return asked


def gold_table(view: DocumentView, annotators: list[str]) -> None:
    """Show the gold keyphrases, who chose them, and which systems found them within the cutoff."""
    dots = ["".join("●" if name in chosen else "○" for name in annotators) for chosen in view.gold["annotators"]]
    few = 1 < len(annotators) <= 8
    table = pd.DataFrame(
        {
            "keyphrase": [" | ".join(spellings) for spellings in view.gold["spellings"]],
            "chosen by": dots if few else [", ".join(chosen) for chosen in view.gold["annotators"]],
            "found by": [", ".join(found) or "nobody" for found in view.gold["found"]],
        }
    )
    st.dataframe(table, key="gold keyphrases", hide_index=True, height=420)
    if few:
        st.caption(show.plain(f"One dot an annotator: {', '.join(annotators)}."))


def ranked_table(system: str, ranked: pd.DataFrame) -> None:
    """Show a ranked list as the evaluation sees it; rows beyond the cutoff are grey."""
    if not len(ranked):
        st.caption("This system has no list for this document, or an empty one.")
        return
    table = pd.DataFrame(
        {
            "rank": ranked["rank"],
            "": [SIGNS[mark][0] for mark in ranked["mark"]],
            "phrase": ranked["phrase"],
            "keyphrase": ranked["keyphrase"],
        }
    )
    colours = [
        SIGNS[mark][1] if counts else "#8c8c8c" for mark, counts in zip(ranked["mark"], ranked["counts"], strict=True)
    ]
    weight = np.where((ranked["mark"] == "hit") & ranked["counts"], "font-weight: 600; ", "")
    css = [
        f"{bold}color: {colour}" if colour != "inherit" else bold for bold, colour in zip(weight, colours, strict=True)
    ]
    styled = table.style.apply(lambda row: [css[int(row.name)]] * len(row), axis=1)
    st.dataframe(
        styled,
        key=f"list {system}",
        hide_index=True,
        height=420,
        column_config={
            "rank": st.column_config.NumberColumn("rank", width=50),
            "": st.column_config.TextColumn("", width=30, help=show.plain(LEGEND)),
            "keyphrase": st.column_config.TextColumn(
                "is the keyphrase", help="The gold keyphrase that this phrase is."
            ),
        },
    )
