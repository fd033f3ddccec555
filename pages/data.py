"""What do I have, and was it understood?"""

from __future__ import annotations

import streamlit as st

from kp_core.reading import LIMITS, report
from kp_ui import intake, results, shell, show, sidebar, workspace

shell.enter()

st.title("Data", anchor=False)
here, own = workspace.current(), workspace.uploads()

left, right = st.columns([3, 2], gap="large")
with left:
    intake.drop_zone()
    st.caption(
        f"Gold keyphrases, system outputs and texts, all at once. Up to {LIMITS.file_bytes:,} bytes a file and "
        f"{LIMITS.documents:,} documents. Files stay in this session's memory and are gone when you close it."
    )
with right:
    intake.samples()
    intake.templates()

if workspace.problem():
    st.error(f"Not loaded: {show.plain(workspace.problem())}")
    st.caption("What was on screen before is still there. Change how the file is read below, or remove it.")
if own.files:
    st.subheader("Your files", anchor=False)
    intake.file_choices(own)

corpus = here.corpus
st.subheader("What was understood", anchor=False)
results.table(report.files(corpus), "files")
if not len(corpus.gold):
    st.warning("There is no gold standard among these files. Add one, or say above which file it is.")
st.markdown("**Annotators and systems**")
normaliser = sidebar.normaliser()
results.table(report.statistics(corpus, normaliser, sidebar.cutoff_of_average()), "statistics")
show.downloads(report.statistics(corpus, normaliser), "load_report", "Annotators and systems")

intake.gaps(corpus, own.fixes)
if len(corpus.report.rejected):
    st.markdown(f"**{len(corpus.report.rejected)} rejected rows**: they are not part of any number.")
    results.table(corpus.report.rejected, "rejected")
    show.downloads(corpus.report.rejected, "rejected_rows", "Rejected rows")
odd = report.characters(corpus)
if len(odd):
    with st.expander("Unusual characters"):
        results.table(odd, "characters")
show.notes(corpus.report.notes)

st.subheader("What becomes of the phrases", anchor=False)
st.caption(f"Phrases are the same if they are equal after this pipeline: {show.plain(str(normaliser))}.")
intake.normalisation(corpus, normaliser)
