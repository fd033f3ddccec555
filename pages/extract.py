"""No system yet? Rank the phrases of the loaded texts."""

import streamlit as st

from kp_ui import extraction, results, shell, show, workspace

shell.enter()

results.open_page("Extract", needs_systems=False, needs_gold=False)
if not workspace.current().corpus.has_texts:
    results.lacks("No texts are loaded, so there is nothing to extract from. Add the texts of the documents.")
    st.stop()

chosen = extraction.systems()
left, right = st.columns([3, 1], gap="medium")
with left:
    parameters = extraction.parameters(chosen)
top = int(right.number_input("Length of the lists", 1, 1000, 50, key="top"))
outside = extraction.external(chosen)
extraction.run(chosen, outside, top, {**parameters, **extraction.language()})

lists = extraction.found()
if lists is not None:
    st.subheader("What was extracted", anchor=False)
    show.notes(lists.notes, expanded=any(note.level == "warning" for note in lists.notes))
    extraction.add_to_workspace(lists)
    with st.container(horizontal=True):
        st.download_button(
            "JSONL", lists.jsonl(), "extracted.jsonl", "application/jsonl", key="jsonl_extracted", icon="⬇️"
        )
        show.downloads(lists.frame, "extracted", "Extracted phrases", lists.signature)
    show.signature(lists.signature)

st.subheader("One document and its candidates", anchor=False)
extraction.one_document(lists)
st.subheader("How many gold keyphrases can be reached", anchor=False)
extraction.reach()
