"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

from __future__ import annotations

import streamlit as st

from kp_core.charts import screen_tables
from kp_ui import cached, drill, results, shell, show, sidebar, workspace

shell.enter()

results.open_page("Documents")
systems = workspace.current().corpus.systems

measure = results.choose_measure(results.measures())
first, second, third = st.columns(3)
with first:
    better = str(st.selectbox("System", systems, key="system", bind="query-params"))
with second:
    others = ["none", *(name for name in systems if name != better)]
    other = str(st.selectbox("Compared with", others, int(len(others) > 1), key="other", bind="query-params"))
with third:
    order = str(st.selectbox("Sorted by", drill.orders(), key="sort", bind="query-params"))
left, middle, right = st.columns([2, 1, 1])
search = left.text_input("Search documents by id or title", key="search", bind="query-params")
types = ["all", *drill.groups()]
group = str(right.selectbox("Document type", types, key="type", bind="query-params", disabled=len(types) == 1))

which = "all"
if other != "none":
    which = str(middle.selectbox("Only where", drill.WHERE, key="where", bind="query-params"))

name = screen_tables.named(measure, sidebar.cutoff())
listed = drill.documents(cached.by_document(measure), better, other, order, search, group)
listed = drill.only_where(listed, which)
st.caption(
    f"{show.counted(len(listed), 'document')}, {show.plain(name)} of every system. "
    + (f"Difference: {show.plain(better)} minus {show.plain(other)}. " if other != "none" else "")
    + "Select a row to read its phrases below."
)
document = drill.choose_document(listed)
show.downloads(listed, "documents", f"Documents by {name}", cached.signature(measure))
if document is None:
    st.info("No document fits the search.")
    st.stop()

view = cached.one_document(document)
st.header(show.plain(view.title or document), anchor=False)
named = document if view.title else ""
st.caption(show.plain(" · ".join(part for part in (named, view.group, sidebar.cutoff_in_words()) if part)))
st.caption(drill.LEGEND)

near = {system: drill.near_misses_of(system, document) for system in systems}
drill.side_by_side(view, workspace.current().corpus.annotators, drill.chosen_first(systems, better, other), near)
if view.text:
    st.subheader("In the text", anchor=False)
    drill.text_of(document, drill.chosen_first(systems, better, other))
with st.expander(f"What {show.plain(better)} misses and adds most often, over all documents"):
    drill.frequent(better)
show.signature(cached.signature(measure))
