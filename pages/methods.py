"""What does every measure mean, where does it come from, and when is it undefined?"""

from __future__ import annotations

import streamlit as st

from kp_core import methods
from kp_ui import shell, show

shell.enter()

st.title("Methods", anchor=False)
st.caption("Every measure, convention and reason, written from the same registry that the tables use.")
left, right = st.columns([3, 1])
search = left.text_input("Search", key="search", bind="query-params", placeholder="kappa, recall, Gwet …")
family = str(right.selectbox("Family", ["all", *methods.FAMILIES], key="family", bind="query-params"))

with st.expander("Symbols in the formulas"):
    show.plain_table(methods.symbols(), "symbols")

for one_family, title in methods.FAMILIES.items():
    found = methods.matching(one_family, search) if family in ("all", one_family) else []
    if found:
        st.header(title, anchor=False)
    for one in found:
        with st.container(border=True):
            st.subheader(show.plain(one["name"]), anchor=False)
            st.markdown(show.plain(one["sentence"]))
            st.latex(one["formula"])
            st.caption(
                show.plain(
                    f"Range: {one['range']}, {one['better']}. Averages: {one['averages']}. "
                    f"Undefined: {one['undefined']}. Source: {one['source']}."
                )
            )

systems = methods.extractors(search) if family == "all" else []
if systems:
    st.header(methods.EXTRACTION[0], anchor=False)
    st.caption(show.plain(methods.EXTRACTION[1]))
for one in systems:
    with st.container(border=True):
        st.subheader(show.plain(f"{one['name']}: {one['title']}"), anchor=False)
        st.markdown(show.plain(one["sentence"]))
        st.latex(one["formula"])
        st.caption(show.plain(f"Needs {one['needs']}. Parameters: {one['parameters']}. {one['source']}."))

beside = methods.sections(search) if family == "all" else []
for title, words, table in beside:
    st.header(title, anchor=False)
    st.caption(words)
    show.plain_table(table, title.lower())
if not beside and not systems and not methods.matching(family, search):
    st.info("Nothing fits the search.")
