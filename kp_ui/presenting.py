"""Show a page in large type and alone on the screen, for the back row of a room."""

import streamlit as st

from kp_ui import link

#: Everything Streamlit draws follows the size of the root; a constant, so no text of a user can reach it.
ALONE = "<style>[data-testid='stSidebar'], [data-testid='stExpandSidebarButton'] { display: none; }</style>"
LARGE = f"""<style>html {{ font-size: 150%; }}
.stMain .stMainBlockContainer {{ padding-top: 1rem; }} [data-testid="stHeader"] {{ display: none; }}</style>{ALONE}"""


def now() -> bool:
    """Tell whether the page is presented; it is part of the link."""
    return link.chosen().get("present") == "true"


def button() -> None:
    """Let the user begin or end presenting."""
    label, turned = ("End presenting", None) if now() else ("Present", "true")
    st.button(label, key="present", icon=":material/present_to_all:", on_click=link.choose, args=("present", turned))
