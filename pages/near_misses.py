"""What is lost by exact matching?"""

import streamlit as st

from kp_core.charts import dots, screen_tables
from kp_core.similarity.relation import TYPES
from kp_ui import cached, controls, results, shell, show, soft, workspace

shell.enter()

results.open_page("Near misses")
found = cached.near_misses()
st.caption(show.plain(". ".join(f"{name}: {words}" for name, words in TYPES.items())) + ".")

for note in found.notes:
    if note.where in workspace.current().corpus.systems:  # why EXACT and MORPH are not the hits
        st.caption(show.plain(f"{note.where}: {note.message}."))
side = controls.views("Look at", ["predictions", "gold entries"], "side")
counts = found.counts("gold" if side == "gold entries" else "predictions")
left, right = st.columns(2, gap="medium")
with left:
    show.chart(dots.type_bars(counts, side), "types")
with right:
    results.table(counts, "type_counts")
    results.table(screen_tables.near_shares(found), "shares")
    st.caption("Near: misses that have a word in common with a keyphrase of the document, as a share of all misses.")
    show.downloads(counts, "near_misses", f"Types of near misses, {side}")

st.subheader("The most frequent near misses", anchor=False)
first, second = st.columns(2)
system = controls.select("System", workspace.current().corpus.systems, "system", inside=first)
kind = controls.select("Type", ["all", *list(TYPES)[1:-1]], "type", inside=second)
examples = screen_tables.near_examples(found, system, kind)
if len(examples):
    results.table(examples, "examples")
else:
    st.caption("This system has no such near miss.")
listed = screen_tables.near_of_system(found, system, kind)
if len(listed):
    st.caption("Every one of them, with its document; select a row to open it.")
    results.table_of_documents(listed, "near_list")
    show.downloads(listed, "near_misses_listed", f"Near misses of {system}")

soft.section()
show.signature(cached.signature("F1@k"))
