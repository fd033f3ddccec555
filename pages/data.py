"""What do I have, and was it understood?"""

import streamlit as st

from kp_ui import controls, extraction, intake, understanding

st.title("Data", anchor=False)
intake.problem()
controls.tabs(
    "data_tab",
    {
        "Files": intake.section,
        "Details": understanding.section,
        "Extract phrases": extraction.section,
        "What becomes of the phrases": understanding.normalisation,
    },
)
