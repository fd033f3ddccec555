"""What do I take with me?"""

import streamlit as st

from kp_core.takeaway.bundle import SECTIONS
from kp_ui import cached, prose, results, shell, show

shell.enter()

TITLE = "Evaluation of keyphrase extraction"
NAMES = {name: heading for name, (heading, _) in SECTIONS.items()}

results.open_page("Report")
measure = results.choose_measure(results.measures())
title = st.text_input("Title", TITLE, key="title", bind="query-params", max_chars=200)
chosen = st.multiselect("Sections", list(NAMES), list(NAMES), key="sections", bind="query-params")
if not chosen:
    st.info("Choose at least one section.")
    st.stop()
st.caption(" · ".join(show.plain(NAMES[name]) for name in SECTIONS if name in chosen))
report = cached.report(measure, tuple(chosen), title or TITLE)
st.markdown(prose.text("report.files"))
with st.container(horizontal=True):
    st.download_button("HTML report", report.html, "report.html", "text/html", key="report html", type="primary")
    st.download_button("Archive of everything", report.zip, "report.zip", "application/zip", key="report zip")
    st.download_button("LaTeX tables", report.latex, "tables.tex", "text/plain", key="report tex")
    st.download_button("Settings as JSON", report.record, "settings.json", "application/json", key="report json")
if report.paragraph():
    st.subheader("Methods, for a paper", anchor=False)
    st.caption("Written from the settings in use. Copy it, and the references below.")
    st.code(report.paragraph(), language=None, wrap_lines=True)
    with st.expander("References in BibTeX"):
        st.code(report.references(), language=None)
show.signature(report.signature)
