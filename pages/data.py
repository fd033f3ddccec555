"""What do I have, and was it understood?"""

import streamlit as st

from kp_core.reading import report
from kp_ui import intake, results, shell, show, sidebar, streamed, understanding, workspace

shell.enter()

st.title("Data", anchor=False)
here, own = workspace.current(), workspace.uploads()
corpus = here.corpus

left, right = st.columns([3, 2], gap="large")
with left:
    intake.drop_zone()
    intake.next_step()
with right:
    intake.samples()
    intake.shared()
    intake.templates()

intake.problem(workspace.problem())
streamed.listed()
if own.files:
    st.subheader("Your files", anchor=False)
    on_screen = here.sample is None and not workspace.problem()
    intake.file_choices(own, corpus.report.readings if on_screen else ())

st.subheader("What was understood", anchor=False)
if not len(corpus.gold):
    st.warning("There is no gold standard among these files. Add one, or say above which file it is.")
elif not corpus.systems:
    st.warning("There is no system output among these files. Add one, or say above which file it is.")
show.notes(corpus.report.notes, expanded=any(note.level == "warning" for note in corpus.report.notes))
understanding.understood(corpus)
understanding.statistics(corpus)
understanding.fixes(corpus, own.fixes)
understanding.gaps(corpus)
understanding.missing_lists(corpus)
if len(corpus.report.rejected):
    st.markdown(f"**{show.counted(len(corpus.report.rejected), 'rejected row')}**: not part of any number.")
    results.table(corpus.report.rejected, "rejected")
    show.downloads(corpus.report.rejected, "rejected_rows", "Rejected rows")
odd = report.characters(corpus)
if len(odd):
    with st.expander("Unusual characters"):
        results.table(odd, "characters")

st.subheader("What becomes of the phrases", anchor=False)
st.caption(f"Phrases are the same if they are equal after this pipeline: {show.plain(str(sidebar.normaliser()))}.")
understanding.normalisation()
