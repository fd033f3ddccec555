"""Which sentences do people choose for an abstract, and are more reliable choices easier to learn?"""

import streamlit as st

from kp_ui import abstracting, controls, prose, results, shell, show

shell.enter()

VIEWS = ("Study", "Sentences")

results.open_page("Sentence study", needs_systems=False, needs_gold=False)
st.markdown(prose.text("sentences.study"))
here = abstracting.data()
view = controls.views("Show", VIEWS, "sentence_view", folded=True)
if view == VIEWS[1]:
    abstracting.sentences(here)
elif (found := abstracting.choose(here)) is not None:
    study, measure, threshold = found
    abstracting.curve(study, measure, threshold)
    abstracting.tree(study, threshold)
    abstracting.beside(study, measure, threshold)
    show.recipe(study)
abstracting.assumed()
