"""What do these measures do? Pieces to play with, alone or with a class."""

import streamlit as st

from kp_core.learn import LESSONS
from kp_ui import controls, lessons, shell

shell.enter()

st.title("Learn", anchor=False)
titles = {lesson.title: lesson for lesson in LESSONS.values()}
with st.container(horizontal=True, vertical_alignment="bottom"):
    chosen = controls.select("Lesson", titles, "lesson")
    large = controls.switch("Large type", "large")
lessons.draw(titles[chosen], large)
