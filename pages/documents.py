"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

import streamlit as st

from kp_core.charts import screen_tables
from kp_core.charts.selection import named
from kp_ui import cached, controls, drill, results, shell, show, sidebar, workspace

shell.enter()

results.open_page("Documents")
corpus = workspace.current().corpus
systems, types = corpus.systems, [str(name) for name in corpus.documents["group"].dropna().unique() if name]
length = ["length of the text"] if corpus.has_texts else []
orders = ["difference", "value", *length, "as loaded", "random"]

measure = results.choose_measure(results.measures())
first, second, third = st.columns(3)
with first:
    better = controls.select("System", systems, "system")
with second:
    others = ["none", *(name for name in systems if name != better)]
    other = controls.select("Compared with", others, "other", int(len(others) > 1))
with third:
    order = controls.select("Sorted by", orders, "sort")
left, middle, right = st.columns([2, 1, 1])
search = left.text_input("Search documents by id or title", key="search", bind="query-params")
group = controls.select("Document type", ["all", *types], "type", inside=right, disabled=not types)

which = "all"
if other != "none":
    which = controls.select("Only where", drill.WHERE, "where", inside=middle)

name = named(measure, sidebar.cutoff())
values = cached.by_document(measure)
listed = drill.documents(values, better, other, order, search, group, which)
difference = f"Difference: {show.plain(better)} minus {show.plain(other)}. " if other != "none" else ""
about = f"{show.counted(len(listed), 'document')}, {show.plain(name)} of every system."
st.caption(f"{about} {difference}Select a row to read its phrases below.")
document = drill.choose_document(listed, set(values["document"]))
show.downloads(listed, "documents", f"Documents by {name}", cached.signature(measure))
if document is None:
    st.info("No document fits the search.")
    st.stop()

view = cached.one_document(document)
st.header(show.plain(view.title or document), anchor=False)
own_id = document if view.title else ""
st.caption(show.plain(" · ".join(part for part in (own_id, view.group, sidebar.cutoff_in_words()) if part)))
st.caption(drill.LEGEND)

chosen_first = [name for name in (better, other) if name in systems]
chosen_first += [name for name in systems if name not in chosen_first]
near = {system: screen_tables.types_of(cached.near_misses(), system, document) for system in systems}
drill.side_by_side(view, corpus.annotators, chosen_first, near)
if view.text:
    st.subheader("In the text", anchor=False)
    drill.text_of(document, chosen_first)
with st.expander(f"What {show.plain(better)} misses and adds most often, over all documents"):
    drill.frequent(better)
show.signature(cached.signature(measure))
