"""What does every measure mean, where does it come from, and when is it undefined?"""

import streamlit as st

from kp_core.takeaway import methods
from kp_ui import controls, prose, shell, show

shell.enter()

st.title("Methods", anchor=False)
st.caption(prose.text("methods.all"))
left, right = st.columns([3, 1])
search = left.text_input("Search", key="search", bind="query-params", placeholder="kappa, recall, Gwet …")
sections = {title.lower(): (title, words, table) for title, words, table in methods.sections(search)}
# All of it at once are 150 formulas, which a browser draws for seconds: a part is shown, and a search goes through all.
parts = [*methods.FAMILIES, *(title.lower() for title, _, _ in methods.sections()), "all"]
family = controls.select("Show", parts, "family", inside=right, disabled=bool(search))
if search:
    family = "all"

with st.expander("The worked example"):
    st.caption(show.plain(methods.EXAMPLE))
    show.plain_table(methods.EXAMPLE_TABLE, "example")
with st.expander("Symbols in the formulas"):
    show.definitions(methods.SYMBOLS.items())

nothing = True
for one_family, title in methods.FAMILIES.items():
    found = methods.cards(one_family, search) if family in ("all", one_family) else []
    if found:
        nothing = False
        st.header(title, anchor=False)
        if one_family in methods.INTRODUCTIONS:
            st.caption(show.plain(methods.INTRODUCTIONS[one_family]))
    for one in found:
        with st.container(border=True):
            st.subheader(show.plain(one.title), anchor=False)
            st.markdown(show.plain(one.sentence))
            show.formula(*one.formula.split(r",\ "))
            if one.example:
                st.markdown(show.plain(f"In the example: {one.example}"))
            st.caption(show.plain(one.facts))

for name, (title, words, table) in sections.items():
    if family not in ("all", name):
        continue
    nothing = False
    st.header(title, anchor=False)
    st.caption(words)
    if name == "glossary":
        show.definitions(zip(table["term"], table["meaning"], strict=True))
    else:
        show.plain_table(table, name)
if nothing:
    st.info("Nothing fits the search.")
