"""What do these measures do? Pieces to play with, alone or with a class, and every measure with its formula."""

import streamlit as st

from kp_ui import controls, learn

if controls.presented():
    learn.lessons()
    st.stop()
st.title("Learn", anchor=False)
controls.tabs("learn_tab", {"Lessons": learn.lessons, "Methods": learn.every_measure, "Glossary": learn.glossary})
