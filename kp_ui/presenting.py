"""Show a page in large type and alone on the screen, for the back row of a room."""

import streamlit as st

_PRESENT = "present"
#: Everything Streamlit draws follows the size of the root; a constant, so no text of a user can reach it.
ALONE = "<style>[data-testid='stSidebar'], [data-testid='stExpandSidebarButton'] { display: none; }</style>"
LARGE = f"""<style>html {{ font-size: 150%; }}
.stMain .stMainBlockContainer {{ padding-top: 1rem; }} [data-testid="stHeader"] {{ display: none; }}</style>{ALONE}"""


def now() -> bool:
    """Tell whether the page is presented; it is part of the link."""
    return st.query_params.get(_PRESENT) == "true"


def button() -> None:
    """Let the user begin or end presenting."""
    label = "End presenting" if now() else "Present"
    st.button(label, key="present", icon=":material/present_to_all:", on_click=_turn, args=(not now(),))


def _turn(on: bool) -> None:
    if on:
        st.query_params[_PRESENT] = "true"
    else:
        del st.query_params[_PRESENT]
