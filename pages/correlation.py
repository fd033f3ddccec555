"""Which measure of similarity agrees with people?"""

import streamlit as st

from kp_ui.parts import correlation, page, rating
from kp_ui.state import link
from kp_ui.widgets import controls

VIEWS = ("Measures and people", "Rate near misses yourself", "The published study")

if rating.invited():
    st.title("Rate near misses", anchor=False)
    rating.section()
    st.stop()
rated = link.chosen().get("view") == VIEWS[1]
page.opened(("k", "gold", "rules") if rated else (), systems=False, gold=False)
# No tabs: the keys that rate a pair would work on the hidden ones too.
view = controls.views("Show", VIEWS, "view")
if view == VIEWS[1]:
    rating.section()
elif view == VIEWS[2]:
    correlation.published()
else:
    correlation.section()
