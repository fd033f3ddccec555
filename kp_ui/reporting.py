"""Arrange the Report page: choose sections, read the methods paragraph, and take files along."""

from __future__ import annotations

import streamlit as st

from kp_core.takeaway.bundle import Report
from kp_core.takeaway.sections import SECTIONS
from kp_ui import cached, results, show

_TITLE = "Evaluation of keyphrase extraction"


def show_report() -> None:
    """Let the user choose what the report holds, and download it."""
    measure = results.choose_measure(results.measures())
    title = st.text_input("Title", _TITLE, key="title", bind="query-params", max_chars=200)
    names = {name: heading for name, (heading, _) in SECTIONS.items()}
    chosen = st.multiselect("Sections", list(names), list(names), key="sections", bind="query-params")
    if not chosen:
        st.info("Choose at least one section.")
        return
    st.caption(" · ".join(show.plain(names[name]) for name in SECTIONS if name in chosen))
    found = cached.report(measure, tuple(chosen), title or _TITLE)
    _downloads(found)
    if found.paragraph():
        st.subheader("Methods, for a paper", anchor=False)
        st.caption("Written from the settings in use. Copy it, and the references below.")
        st.code(found.paragraph(), language=None, wrap_lines=True)
        with st.expander("References in BibTeX"):
            st.code(found.references(), language=None)
    show.signature(found.signature)


def _downloads(found: Report) -> None:
    st.markdown(
        "The HTML file holds charts and tables, needs no network, and prints. The archive holds it too, with every "
        "table as CSV, XLSX and LaTeX, the settings with the versions of the packages, and the references."
    )
    with st.container(horizontal=True):
        st.download_button("HTML report", found.html, "report.html", "text/html", key="report html", type="primary")
        st.download_button("Archive of everything", found.zip, "report.zip", "application/zip", key="report zip")
        st.download_button("LaTeX tables", found.latex, "tables.tex", "text/plain", key="report tex")
        st.download_button("Settings as JSON", found.record, "settings.json", "application/json", key="report json")
