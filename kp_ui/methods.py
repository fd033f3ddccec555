"""Show every measure with its formula and worked example, the conventions and reasons, and the glossary."""

import streamlit as st

from kp_core.takeaway import methods
from kp_ui import controls, prose, show


def section() -> None:
    """Show the measures of a family, or what a search finds in all of them."""
    st.caption(prose.text("methods.all"))
    left, right = st.columns([3, 1])
    search = left.text_input("Search", placeholder="kappa, recall, Gwet …", **controls.held("method_search", ""))
    sections = {title.lower(): (title, words, table) for title, words, table in methods.sections(search)}
    # All of it at once are 150 formulas, which a browser draws for seconds: a part is shown, a search goes through all.
    parts = [*methods.FAMILIES, *(title.lower() for title, _, _ in methods.sections()), "all"]
    family = controls.select("Show", parts, "family", inside=right, disabled=bool(search))
    family = "all" if search else family
    with st.expander("The worked example"):
        st.caption(show.plain(methods.EXAMPLE))
        show.plain_table(methods.EXAMPLE_TABLE, "example")
    with st.expander("Symbols in the formulas"):
        show.definitions(methods.SYMBOLS.items())
    shown = [_cards(name, search) for name in methods.FAMILIES if family in ("all", name)]
    nothing = not any(shown)
    for name, (title, words, table) in sections.items():
        if family in ("all", name):
            nothing = False
            st.header(title, anchor=False)
            st.caption(words)
            if name == "glossary":
                show.definitions(zip(table["term"], table["meaning"], strict=True))
            else:
                show.plain_table(table, name)
    if nothing:
        st.info("Nothing matches this search.")


def _cards(family: str, search: str) -> bool:
    """Show the measures of a family that a search finds, and tell whether there are any."""
    found = methods.cards(family, search)
    if found:
        st.header(methods.FAMILIES[family], anchor=False)
        if family in methods.INTRODUCTIONS:
            st.caption(show.plain(methods.INTRODUCTIONS[family]))
    for card in found:
        with st.container(border=True):
            st.subheader(show.plain(card.title), anchor=False)
            st.markdown(show.plain(card.sentence))
            show.formula(*card.formula.split(r",\ "))
            if card.example:
                st.markdown(show.plain(f"In the example: {card.example}"))
            st.caption(show.plain(card.facts))
    return bool(found)


def glossary() -> None:
    """Show every term with its meaning."""
    _, words, table = next(one for one in methods.sections() if one[0].lower() == "glossary")
    st.caption(words)
    show.definitions(zip(table["term"], table["meaning"], strict=True))
