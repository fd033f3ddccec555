"""How far can the gold standard be trusted?"""

import streamlit as st

from kp_core.words import statements
from kp_core.words.statements import SCALES
from kp_ui import cached, controls, prose, reliability, results, shell, show, workspace

shell.enter()

results.open_page("Annotators", needs_systems=False)
annotators = workspace.current().corpus.annotators
if len(annotators) < 2:
    results.lacks(prose.text("people.alone"))
    st.stop()

result = cached.agreement()
documents, error = cached.annotated_documents()
scale = controls.select("Words for kappa after", SCALES, "scale")
st.markdown(f"#### {show.plain(statements.reliability(result, error, scale))}")

together, people, by_document, trimming = st.tabs(
    ["All together and in pairs", "Human ceiling", "Documents", "Trimming by agreement"]
)
with together:
    reliability.together(result, error, scale)
    reliability.in_pairs(result, annotators)
with people:
    reliability.ceiling(result, annotators)
with by_document:
    reliability.documents(result, documents, scale)
with trimming:
    reliability.trimming(documents)

show.recipe(result)
