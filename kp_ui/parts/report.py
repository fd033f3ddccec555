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
#: Default measures of a table with several data sets, so few that the table fits a page.
MAIN = ("F1@k",)
#: Maximum number of columns in the preview; wider tables are only in the files.
_WIDEST = 7


def section() -> None:
    """Let the user choose the sections of the report, download it, and preview it."""
    page.one_dataset("report")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        default = workspace.speech()["report"]
        title = st.text_input("Title", max_chars=200, width=360, **controls.linked("title", default)) or default
        sections = _chosen()
    if not sections:
        st.info("Choose at least one section.")
        return
    arguments = workspace.corpus(), cached.at_cutoff(), settings.value("measure")
    make_report = partial(bundle.report, *arguments, sections=sections, title=title)
    with st.container(horizontal=True):
        for label, file, format_ in FILES:
            kind = "primary" if format_ == "html" else "secondary"
            make_file = partial(lambda format_: getattr(make_report(), format_)(), format_)
            show.file(label, make_file, file, f"report {format_}", type=kind, icon=None)
    show.about("report.files")
    for name in sections:
        heading = show.plain(bundle.heading(workspace.corpus(), name))
        expander = st.expander(heading, name == sections[0], on_change=link.deferred(link.mark_user_action))
        if expander.open:
            with expander:
                _preview(name)


def paper() -> None:
    """Let the user define a table for a paper (systems, measures, cutoffs, digits), and preview the table."""
    data = workspace.all_data() if workspace.all_datasets() else workspace.current()
    systems, several = list(runs_of(data.corpus.systems)), bool(data.corpus.datasets)
    if not systems:
        st.info("A table needs the output of at least one system.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help_text = "Numbers, average, gold or all, separated by commas."
        cutoffs = st.text_input("Cutoffs k", "5, 10", key="table_k", help=help_text, width=160)
        with st.popover("Measures, systems, digits, marks, caption", icon=":material/tune:"):
            default_measures = MAIN if several else DEFAULT
            measures = st.multiselect("Measures", settings.measures(), default_measures, key="table_measures")
            rows, options, layout = _choices(data.corpus, systems, several)
    if not rows or not measures:
        st.info("Choose at least one system and one measure.")
        return
    try:
        at_k = cached.at_cutoff().changed(k="".join(cutoffs.split()))
        made = cached.call((data.corpus,), data.digest, kp.paper_table, at_k, measures, systems=rows, **options)
    except (kp.InputError, kp.UsageError) as problem:
        st.info(show.sentence(problem))
        return
    made = replace(made, **layout)
    st.html(f'<div class="kp-paper" tabindex="0">{made.html()}</div>')
    with st.expander("LaTeX, to copy"):
        st.code(made.latex(), language=None)
    name = figures.file_name(f"table {' '.join(measures[:3])}")
    writers: dict[str, Callable[[str], Any]] = {
        format_: partial(lambda format_, _: getattr(made, format_.lower())(), format_)
        for format_ in ("LaTeX", "Markdown", "HTML", "XLSX", "CSV", "Parquet")
    }
    show.offer("Table", name, writers)
    show.offer_picture("Table as picture", name, lambda: figures.table_svg(made.html()))
    show.signature(made.signature)


def _choices(corpus: kp.Corpus, systems: list[str], several: bool) -> tuple[list[str], dict[str, Any], dict[str, Any]]:
    default = systems if several else [name for name in results.best_first() if name in systems] or systems
    rows = st.multiselect("Systems", systems, default, key="table_systems")
    digits = int(st.number_input("Digits", 1, 6, 3, key="table_digits", width=120))
    by_presence = corpus.has_texts and st.toggle("Present and absent", key="table_presence")
    bounds = st.toggle("Intervals", key="table_bounds")
    has_runs = len(systems) < len(corpus.systems)
    deviations = has_runs and st.toggle("Standard deviation over runs", value=True, key="table_deviations")
    marks = st.toggle("Significance marks", value=True, key="table_marks")
    baselines = st.toggle("Baselines", key="table_baselines")
    baseline = st.selectbox("Daggers against", ["the best", *systems], key="table_baseline")
    caption = st.text_input("Caption", workspace.speech()["report"], key="table_caption", max_chars=300)
    by = (*(("dataset",) if several else ()), *(("presence",) if by_presence else ()))
    options = {"marks": marks, "baselines": baselines, "by": by, "baseline": "" if baseline == "the best" else baseline}
    return rows, options, {"digits": digits, "bounds": bounds, "deviations": deviations, "caption": caption}


def methods() -> None:
    """Show the methods paragraph for a paper, and its references."""
    page.one_dataset("paragraph")
    if "methods" not in bundle.possible(workspace.corpus()):
        st.info("The paragraph describes an evaluation of systems, but none is loaded.")
        return
    report = _report("methods")
    paragraph = report.paragraph(in_full=False)
    st.caption("For a paper, generated from the current settings")
    st.code(paragraph, language=None, wrap_lines=True)
    others = {"In LaTeX": typeset.escape_latex(paragraph), "In full, for an appendix": report.paragraph()}
    for label, text in (others | {"References in BibTeX": report.references()}).items():
        with st.expander(label):
            st.code(text, language=None, wrap_lines=True)
    show.signature(report.signature)


def _report(name: str) -> bundle.Report:
    return cached.on_screen(bundle.report, settings.value("measure"), sections=(name,))


def _chosen() -> tuple[str, ...]:
    corpus = workspace.corpus()
    headings, default_sections = {name: bundle.heading(corpus, name) for name in bundle.SECTIONS}, bundle.usual(corpus)
    possible = bundle.possible(corpus)
    with st.popover(f"Sections: {len(default_sections)}", icon=":material/checklist:"):
        checkboxes = ((name, show.plain(headings[name]), name in default_sections) for name in possible)
        chosen = [name for name, label, checked in checkboxes if st.checkbox(label, checked, key=f"section {name}")]
        if left_out := [heading for name, heading in headings.items() if name not in possible]:
            show.small(f"Left out because they have no data: {', '.join(left_out)}.")
    return tuple(chosen)


def _preview(name: str) -> None:
    report = _report(name)
    for section in report.sections:
        for text in section.text:
            show.paragraph(text)
        for chart in section.charts:
            show.chart(chart, f"report {name}")
        for table in (small_table for small_table in section.tables if len(small_table.frame.columns) <= _WIDEST):
            show.small(table.caption)
            tables.table(table.frame, f"report {name} {table.name}")
