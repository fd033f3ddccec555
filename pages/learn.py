"""What do these measures do? Pieces to play with, alone or with a class."""

from __future__ import annotations

import streamlit as st

from kp_core.learn import LESSONS
from kp_ui import lessons, shell

shell.enter()

st.title("Learn", anchor=False)
titles = {lesson.title: lesson for lesson in LESSONS.values()}
with st.container(horizontal=True, vertical_alignment="bottom"):
    chosen = str(st.selectbox("Lesson", list(titles), key="lesson", bind="query-params"))
    large = st.toggle("Large type", key="large", bind="query-params", help="For a projector.")
lessons.draw(titles[chosen], large)
