"""How far can the gold standard be trusted?"""

from __future__ import annotations

import streamlit as st

from kp_core.words import statements
from kp_core.words.scales import SCALES
from kp_ui import cached, reliability, results, shell, show, workspace

shell.enter()

results.open_page("Annotators", needs_systems=False)
annotators = workspace.current().corpus.annotators
if len(annotators) < 2:
    results.lacks(
        "The gold standard has one annotator, so there is nobody to agree with. Load the keyphrases of others too: a "
        "column “annotator”, or a file or a folder for each."
    )
    st.stop()

result = cached.agreement()
documents, error = cached.annotated_documents()
scale = str(st.selectbox("Words for kappa after", list(SCALES), key="scale", bind="query-params"))
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

show.notes(result.notes)
show.signature(result.signature)
