"""Which sentences do people choose for an abstract, and are more reliable choices easier to learn?"""

from __future__ import annotations

import streamlit as st

from kp_ui import abstracting, results, shell, show

shell.enter()

VIEWS = ("Study", "Sentences")

results.open_page("Sentence study", needs_systems=False, needs_gold=False)
st.markdown(
    "People choose the sentences that say most about a text, and a decision tree learns from simple attributes which "
    "sentences they choose. The study asks whether that goes better the more the people agree, by trimming their "
    "choices to higher and higher agreement (after Nomoto and Matsumoto 1997)."
)
here = abstracting.data()
view = st.segmented_control(
    "Show",
    VIEWS,
    default=VIEWS[0],
    required=True,
    key="sentence_view",
    bind="query-params",
    label_visibility="collapsed",
)
if view == VIEWS[1]:
    abstracting.sentences(here)
elif (found := abstracting.choose(here)) is not None:
    study, measure, threshold = found
    abstracting.curve(study, measure, threshold)
    abstracting.tree(study, threshold)
    abstracting.beside(study, measure, threshold)
    show.notes(study.notes)
    show.signature(study.signature)
abstracting.assumed()
