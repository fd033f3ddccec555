"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

from __future__ import annotations

import streamlit as st

from kp_core.charts import tables
from kp_ui import cached, drill, results, shell, show, sidebar, workspace

shell.enter()

results.open_page("Documents")
systems = workspace.current().corpus.systems

measure = results.choose_measure(results.measures())
first, second = st.columns(2)
with first:
    better = st.selectbox("System", systems, key="system", bind="query-params")
with second:
    others = ["none", *(name for name in systems if name != better)]
    other = st.selectbox("Compared with", others, key="other", bind="query-params")
search = st.text_input("Search documents by id or title", key="search", bind="query-params")

name = tables.named(measure, sidebar.cutoff())
listed = drill.documents(cached.by_document(measure), better, other, search)
st.caption(
    f"{len(listed)} documents, {show.plain(name)} of every system"
    + (f", sorted by the difference {show.plain(better)} − {show.plain(other)}." if other != "none" else ".")
    + " Select a row to read its phrases."
)
chosen = results.table(listed, "documents", on_select="rerun", selection_mode="single-row")
show.downloads(listed, "documents", f"Documents by {name}", cached.signature(measure))

document = drill.chosen_document(listed, chosen)
if document is None:
    st.info("No document fits the search.")
    st.stop()

view = cached.one_document(document)
st.header(show.plain(view.title or document), anchor=False)
st.caption(show.plain(" · ".join(part for part in (document, view.group, sidebar.cutoff_in_words()) if part)))
st.caption(drill.LEGEND)

columns = st.columns(min(3, len(view.lists) + 1), gap="medium")
with columns[0]:
    st.subheader("Gold standard", anchor=False)
    drill.gold_table(view, workspace.current().corpus.annotators)
for place, system in enumerate(drill.chosen_first(systems, better, other), start=1):
    with columns[place % len(columns)]:
        st.subheader(show.plain(system), anchor=False)
        drill.ranked_table(system, view.lists[system])
if view.text:
    with st.expander("Text of the document"):
        st.text(view.text)
