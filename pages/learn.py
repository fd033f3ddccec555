"""What do these measures do? Pieces to play with, alone or with a class, and every measure with its formula."""

import streamlit as st

from kp_ui import controls, lessons, methods, presenting

if presenting.now():
    lessons.section()
    st.stop()
st.title("Learn", anchor=False)
controls.tabs("learn_tab", {"Lessons": lessons.section, "Methods": methods.section, "Glossary": methods.glossary})
