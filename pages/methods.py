"""What does every measure mean, where does it come from, and when is it undefined?"""

from __future__ import annotations

import streamlit as st

from kp_core import methods
from kp_ui import shell, show

shell.enter()

st.title("Methods", anchor=False)
st.caption("Every measure, convention and reason, written from the same registry that the tables use.")
search = st.text_input("Search", key="search", bind="query-params", placeholder="kappa, recall, Gwet …").strip().lower()

with st.expander("Symbols in the formulas"):
    show.plain_table(methods.symbols(), "symbols")

for family, title in methods.FAMILIES.items():
    found = [one for one in methods.records() if one["family"] == family and search in " ".join(one.values()).lower()]
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

st.header("Conventions", anchor=False)
st.caption("Every choice that changes a number. Each is a setting in the sidebar and a field of the signature.")
show.plain_table(methods.conventions(), "conventions")
st.header("Presets", anchor=False)
st.caption("Records published with a data set or an evaluation script, as far as they differ from the defaults.")
show.plain_table(methods.presets(), "presets")
st.header("Reasons", anchor=False)
st.caption("Why a value is undefined, or what is special about a document.")
show.plain_table(methods.reasons(), "reasons")
