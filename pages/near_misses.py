"""What is lost by exact matching?"""

from __future__ import annotations

import streamlit as st

from kp_core import charts
from kp_core.charts import study_tables
from kp_core.similarity.relation import TYPES
from kp_ui import cached, results, shell, show, soft, workspace

shell.enter()

results.open_page("Near misses")
found = cached.near_misses()
st.caption(show.plain(". ".join(f"{name}: {words}" for name, words in TYPES.items())) + ".")

side = str(
    st.segmented_control(
        "Look at",
        ["predictions", "gold entries"],
        default="predictions",
        required=True,
        key="side",
        bind="query-params",
    )
)
counts = found.counts("gold" if side == "gold entries" else "predictions")
left, right = st.columns(2, gap="medium")
with left:
    show.chart(charts.type_bars(counts, side), "types")
with right:
    results.table(counts, "type_counts")
    results.table(study_tables.near_shares(found), "shares")
    st.caption("Near: misses that have a word in common with a keyphrase of the document, as a share of all misses.")
    show.downloads(counts, "near_misses", f"Types of near misses, {side}")

st.subheader("The most frequent near misses", anchor=False)
first, second = st.columns(2)
system = str(first.selectbox("System", workspace.current().corpus.systems, key="system", bind="query-params"))
kind = str(second.selectbox("Type", ["all", *list(TYPES)[1:-1]], key="type", bind="query-params"))
examples = study_tables.near_examples(found, system, kind)
if len(examples):
    results.table(examples, "examples")
else:
    st.caption("This system has no such near miss.")
listed = study_tables.near_of_system(found, system, kind)
if len(listed):
    st.caption("Every one of them, with its document; select a row to open it.")
    event = results.table(listed, "near_list", on_select="rerun", selection_mode="single-row")
    if (rows := event.selection.rows) and rows[0] < len(listed):
        results.link_to_document(str(listed["document"].iloc[rows[0]]))
    show.downloads(listed, "near_misses_listed", f"Near misses of {system}")

soft.section()
show.signature(cached.signature("F1@k"))
