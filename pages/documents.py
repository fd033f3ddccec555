"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

import streamlit as st

from kp_ui import documents, results

results.open_page("Documents", needs_systems=False)
left, right = st.columns([2, 5], gap="medium")
with left:
    document = documents.chosen()
with right:
    if document is None:
        st.info("No document fits the search.")
    else:
        documents.show_document(document)
