"""Which similarity measure agrees with people?"""

import streamlit as st

from kp_ui.parts import correlation, page, rating

if rating.invited():
    st.title("Rate near misses", anchor=False)
    rating.section()
    st.stop()
page.tabs(
    "view",
    {
        "Measures and people": page.Tab(correlation.section, ()),
        "Rate near misses yourself": page.Tab(rating.section, ("k", "gold", "conventions")),
        "The published study": page.Tab(correlation.published, ()),
    },
    systems=False,
    gold=False,
)
