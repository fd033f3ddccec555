"""Arrange the report: which sections it has, a look at it, and the files to take along."""

import streamlit as st

from kp_core.takeaway.bundle import SECTIONS, possible
from kp_ui import cached, prose, settings, show, workspace

TITLE = "Evaluation of keyphrase extraction"


def asked() -> tuple[str, tuple[str, ...]]:
    """Let the user give a title and choose among the sections that have data; return both."""
    title = st.text_input("Title", TITLE, key="title", bind="query-params", max_chars=200)
    st.markdown("**Sections**")
    with_data = possible(workspace.current().corpus)
    chosen = [
        name
        for name, (heading, _) in SECTIONS.items()
        if name in with_data and st.checkbox(show.plain(heading), value=True, key=f"section {name}")
    ]
    if left_out := [heading for name, (heading, _) in SECTIONS.items() if name not in with_data]:
        st.caption(show.plain(f"Without data, so left out: {', '.join(left_out)}."))
    return title or TITLE, tuple(chosen)


def offered(title: str, sections: tuple[str, ...]) -> None:
    """Show what the report will say, and offer it as files, with the paragraph on methods for a paper."""
    report = cached.report(settings.value("measure"), sections, title)
    with st.container(horizontal=True):
        st.download_button("HTML report", report.html, "report.html", "text/html", key="report html", type="primary")
        st.download_button("Archive of everything", report.zip, "report.zip", "application/zip", key="report zip")
        st.download_button("LaTeX tables", report.latex, "tables.tex", "text/plain", key="report tex")
        st.download_button("Settings as JSON", report.record, "settings.json", "application/json", key="report json")
    st.caption(prose.text("report.files"))
    for section in report.sections:
        with st.expander(show.plain(section.title), expanded=section is report.sections[0]):
            for text in section.text:
                st.markdown(show.plain(text))
            for place, chart in enumerate(section.charts):
                show.chart(chart, f"report {section.title} {place}")
    if report.paragraph():
        st.subheader("Methods, for a paper", anchor=False)
        st.caption("Written from the settings in use. Copy it, and the references below.")
        st.code(report.paragraph(), language=None, wrap_lines=True)
        with st.expander("References in BibTeX"):
            st.code(report.references(), language=None)
    show.signature(report.signature)
