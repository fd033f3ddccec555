"""Which measure of similarity agrees with people?"""

import streamlit as st

from kp_ui import controls, correlation, rating, results

VIEWS = ("Measures and people", "Rate near misses yourself", "The published study")

if rating.invited():
    st.title("Rate near misses", anchor=False)
    rating.section()
    st.stop()
results.open_page("Correlation", needs_gold=False, needs_systems=False)
# No tabs: the keys that rate a pair would work on the hidden ones too.
view = controls.views("Show", VIEWS, "view")
if view == VIEWS[1]:
    rating.section()
elif view == VIEWS[2]:
    correlation.published()
else:
    correlation.section()
