"""Show a page in large type and alone on the screen, for the back row of a room."""

import streamlit as st

from kp_ui import link

#: Everything Streamlit draws follows the size of the root; a constant, so no text of a user can reach it.
LARGE = "<style>html { font-size: 150%; } [data-testid='stSidebar'] { display: none; }</style>"


def now() -> bool:
    """Tell whether the page is presented; it is part of the link."""
    return link.chosen().get("present") == "true"


def button() -> None:
    """Let the user begin or end presenting."""
    label, turned = ("End presenting", None) if now() else ("Present", "true")
    st.button(label, key="present", icon=":material/present_to_all:", on_click=link.choose, args=("present", turned))
