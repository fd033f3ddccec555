"""Arrange the Report page: the report with its sections, preview and downloads, a table for a paper, and methods."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.scoring.runs import runs_of
from kp_core.studies.paper_table import DEFAULT
from kp_core.takeaway import bundle, figures
from kp_ui.parts import page, results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Label of each download button, name of its file, and method of the report that writes the file.
FILES = (
    ("HTML report", "report.html", "html"),
    ("Complete archive", "report.zip", "zip"),
    ("Markdown", "report.md", "markdown"),
    ("LaTeX tables", "tables.tex", "latex"),
    ("Settings as JSON", "settings.json", "record"),
)


def section() -> None:
    """Let the user choose the sections of the report, download it, and preview it."""
    page.one_dataset("report")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        default = workspace.terms()["report"]
        title = st.text_input("Title", max_chars=200, width=360, **controls.linked("title", default)) or default
        corpus, default_sections = workspace.corpus(), bundle.usual(workspace.corpus())
        headings, sections = {name: show.plain(bundle.heading(corpus, name)) for name in bundle.SECTIONS}, []
        with st.popover(f"Sections: {len(default_sections)}", icon=":material/checklist:"):
            for name in bundle.possible(corpus):
                if st.checkbox(headings[name], name in default_sections, key=f"section {name}"):
                    sections.append(name)
    if not sections:
        raise kp.UsageError("choose at least one section")
    arguments = corpus, cached.at_cutoff(), settings.value("measure")
    make_report = partial(bundle.report, *arguments, sections=tuple(sections), title=title)
    with st.container(horizontal=True):
        for label, file, format_ in FILES:
            kind = "primary" if format_ == "html" else "secondary"
            make_file = partial(lambda format_: getattr(make_report(), format_)(), format_)
            show.file(label, make_file, file, f"report {format_}", type=kind)
    show.about("report.files")
    for name in sections:
        expander = st.expander(headings[name], name == sections[0], on_change=link.deferred(link.mark_user_action))
        if expander.open:
            with expander:
                _preview(name)


def paper() -> None:
    """Let the user define a table for a paper (systems, measures, cutoffs, digits), and preview the table."""
    data = workspace.all_data() if workspace.all_datasets() else workspace.current()
    systems, has_datasets = list(runs_of(data.corpus.systems)), bool(data.corpus.datasets)
    if not systems:
        raise kp.UsageError("a table needs the output of at least one system")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help_text = "Numbers, average, gold or all, separated by commas."
        cutoffs = st.text_input("Cutoffs k", "5, 10", key="table_k", help=help_text, width=160)
        with st.popover("Measures, systems, digits, marks, caption", icon=":material/tune:"):
            default = ("F1@k",) if has_datasets else DEFAULT  # with several data sets, the table must fit a page
            measures = st.multiselect("Measures", settings.measures(), default, key="table_measures")
            ordered = systems if has_datasets else [name for name in results.best_first() if name in systems] or systems
            rows = st.multiselect("Systems", systems, ordered, key="table_systems")
            digits = int(st.number_input("Digits", 1, 6, 3, key="table_digits", width=120))
            by_presence = data.corpus.has_texts and st.toggle("Present and absent", key="table_presence")
            bounds = st.toggle("Intervals", key="table_bounds")
            has_runs = len(systems) < len(data.corpus.systems)
            deviations = has_runs and st.toggle("Standard deviation over runs", value=True, key="table_deviations")
            marks = st.toggle("Significance marks", value=True, key="table_marks")
            baselines = st.toggle("Baselines", key="table_baselines")
            baseline = st.selectbox("Daggers against", ["the best", *systems], key="table_baseline")
            caption = st.text_input("Caption", workspace.terms()["report"], key="table_caption", max_chars=300)
    if not rows or not measures:
        raise kp.UsageError("choose at least one system and one measure")
    at_k = cached.at_cutoff().changed(k="".join(cutoffs.split()))
    by = ("dataset",) * has_datasets + ("presence",) * by_presence
    options: dict[str, Any] = {"marks": marks, "baselines": baselines, "by": by, "systems": rows}
    options["baseline"] = "" if baseline == "the best" else baseline
    table = cached.call((data.corpus,), data.digest, kp.paper_table, at_k, measures, **options)
    table = replace(table, digits=digits, bounds=bounds, deviations=deviations, caption=caption)
    st.html(f'<div class="kp-paper" tabindex="0">{table.html()}</div>')
    with st.expander("LaTeX source"):
        st.code(table.latex(), language=None)
    name = f"table {' '.join(measures[:3])}"
    writers: dict[str, Callable[[str], Any]] = {
        format_: partial(lambda format_, _: getattr(table, format_.lower())(), format_)
        for format_ in ("LaTeX", "Markdown", "HTML", "XLSX", "CSV", "Parquet")
    }
    show.offer("Table", name, writers)
    show.offer_picture("Table as picture", name, lambda: figures.table_svg(table.html()))
    show.signature(table.signature)


def methods() -> None:
    """Show the methods paragraph for a paper, and its references."""
    page.one_dataset("paragraph")
    if "methods" not in bundle.possible(workspace.corpus()):
        raise kp.UsageError("the paragraph describes an evaluation of systems, but none is loaded")
    report = cached.on_screen(bundle.report, settings.value("measure"), sections=("methods",))
    paragraph = report.paragraph(in_full=False)
    st.caption("For a paper, generated from the current settings")
    st.code(paragraph, language=None, wrap_lines=True)
    others = {"In LaTeX": typeset.escape_latex(paragraph), "In full, for an appendix": report.paragraph()}
    for label, text in (others | {"References in BibTeX": report.references()}).items():
        with st.expander(label):
            st.code(text, language=None, wrap_lines=True)
    show.signature(report.signature)


def _preview(name: str) -> None:
    for section in cached.on_screen(bundle.report, settings.value("measure"), sections=(name,)).sections:
        for text in section.text:
            show.paragraph(text)
        for chart in section.charts:
            show.chart(chart, f"report {name}")
        for table in section.tables:
            if len(table.frame.columns) <= 7:  # wider tables are only in the files
                show.small(table.caption)
                tables.table(table.frame, f"report {name} {table.name}")
