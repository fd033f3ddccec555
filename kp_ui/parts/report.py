"""Arrange the report: its sections, a preview, and downloads."""

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

#: Label of a button, name of its file, and format of the report.
FILES = (
    ("HTML report", "report.html", "html"),
    ("Archive of everything", "report.zip", "zip"),
    ("Markdown", "report.md", "markdown"),
    ("LaTeX tables", "tables.tex", "latex"),
    ("Settings as JSON", "settings.json", "record"),
)
#: Default measures of a table over data sets, chosen so that it fits a page.
MAIN = ("F1@k",)
#: Maximum number of columns in the preview; wider tables are in the files only.
_WIDEST = 7


def section() -> None:
    """Let the user choose the sections of the report, download it, and preview it."""
    page.one_dataset("report")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = workspace.speech()["report"]
        title = st.text_input("Title", max_chars=200, width=360, **controls.held("title", usual)) or usual
        sections = _chosen()
    if not sections:
        st.info("Choose at least one section.")
        return
    offered(title, sections)


def paper() -> None:
    """Let the user define a table for a paper (systems, measures, cutoffs, digits), with a preview."""
    data = workspace.whole() if workspace.all_datasets() else workspace.current()
    systems, several = list(runs_of(data.corpus.systems)), bool(data.corpus.datasets)
    if not systems:
        st.info("A table needs the output of at least one system.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = "Numbers, average, gold or all, with commas."
        cutoffs = st.text_input("Cutoffs k", "5, 10", key="table_k", help=about, width=160)
        with st.popover("Measures, systems, digits, marks, caption", icon=":material/tune:"):
            measures = st.multiselect(
                "Measures", settings.measures(), MAIN if several else DEFAULT, key="table_measures"
            )
            rows, asked, look = _choices(data.corpus, systems, several)
    if not rows or not measures:
        st.info("Choose at least one system and one measure.")
        return
    try:
        at = cached.at_cutoff().changed(k="".join(cutoffs.split()))
        made = cached.of((data.corpus,), data.digest, kp.paper_table, at, measures, systems=rows, **asked)
    except (kp.InputError, kp.UsageError) as problem:
        st.info(show.sentence(problem))
        return
    made = replace(made, **look)
    st.html(f'<div class="kp-paper" tabindex="0">{made.html()}</div>')
    with st.expander("LaTeX, to copy"):
        st.code(made.latex(), language=None)
    name = figures.file_name(f"table {' '.join(measures[:3])}")
    show.offer("Table as text", name, **_file_writers(made, "LaTeX", "Markdown", "HTML"))
    show.offer("Table as data", f"{name}_values", **_file_writers(made, "XLSX", "CSV", "Parquet"))
    show.offer_picture("Table as picture", name, lambda: figures.table_svg(made.html()))
    show.signature(made.signature)


def _file_writers(table: kp.PaperTable, *forms: str) -> dict[str, Callable[[str], Any]]:
    """Return the functions that write a table, whose files contain its signature."""

    def make(form: str, _: str) -> Any:
        return getattr(table, form.lower())()

    return {form: partial(make, form) for form in forms}


def _choices(corpus: kp.Corpus, systems: list[str], several: bool) -> tuple[list[str], dict[str, Any], dict[str, Any]]:
    first = systems if several else [name for name in results.best_first() if name in systems] or systems
    rows = st.multiselect("Systems", systems, first, key="table_systems")
    digits = int(st.number_input("Digits", 1, 6, 3, key="table_digits", width=120))
    by_presence = corpus.has_texts and st.toggle("Present and absent", key="table_presence")
    bounds = st.toggle("Intervals", key="table_bounds")
    several_runs = len(systems) < len(corpus.systems)
    deviations = several_runs and st.toggle("Deviation over runs", value=True, key="table_deviations")
    marks = st.toggle("Marks of significance", value=True, key="table_marks")
    baselines = st.toggle("Baselines", key="table_baselines")
    baseline = st.selectbox("Daggers against", ["the best", *systems], key="table_baseline")
    caption = st.text_input("Caption", workspace.speech()["report"], key="table_caption", max_chars=300)
    by = (*(("dataset",) if several else ()), *(("presence",) if by_presence else ()))
    asked = {"marks": marks, "baselines": baselines, "by": by, "baseline": "" if baseline == "the best" else baseline}
    return rows, asked, {"digits": digits, "bounds": bounds, "deviations": deviations, "caption": caption}


def methods() -> None:
    """Show the methods paragraph for a paper with its references."""
    page.one_dataset("paragraph")
    if "methods" not in bundle.possible(workspace.corpus()):
        st.info("The paragraph describes an evaluation of systems, and none is loaded.")
        return
    report = _report("methods")
    short = report.paragraph(whole=False)
    st.caption("For a paper, written from the settings in use")
    st.code(short, language=None, wrap_lines=True)
    others = {"In LaTeX": typeset.escape_latex(short), "In full, for an appendix": report.paragraph()}
    for words, text in (others | {"References in BibTeX": report.references()}).items():
        with st.expander(words):
            st.code(text, language=None, wrap_lines=True)
    show.signature(report.signature)


def _report(name: str) -> bundle.Report:
    measure = settings.value("measure")
    return cached.here(bundle.report, measure, sections=(name,))


def _chosen() -> tuple[str, ...]:
    corpus = workspace.corpus()
    names, usual = {name: bundle.heading(corpus, name) for name in bundle.SECTIONS}, bundle.usual(corpus)
    with_data = bundle.possible(corpus)
    with st.popover(f"Sections: {len(usual)}", icon=":material/checklist:"):
        chosen = [
            name for name in with_data if st.checkbox(show.plain(names[name]), name in usual, key=f"section {name}")
        ]
        if left_out := [heading for name, heading in names.items() if name not in with_data]:
            show.small(f"Without data, so left out: {', '.join(left_out)}.")
    return tuple(chosen)


def offered(title: str, sections: tuple[str, ...]) -> None:
    """Offer the report as files, written on request, and preview each open section."""
    asked = workspace.corpus(), cached.at_cutoff(), settings.value("measure")
    whole = partial(bundle.report, *asked, sections=sections, title=title)
    with st.container(horizontal=True):
        for label, file, form in FILES:
            kind = "primary" if form == "html" else "secondary"
            written = partial(lambda form: getattr(whole(), form)(), form)
            show.file(label, written, file, f"report {form}", type=kind, icon=None)
    show.about("report.files")
    for name in sections:
        heading = bundle.heading(workspace.corpus(), name)
        place = st.expander(show.plain(heading), name == sections[0], on_change=link.deferred(link.mark_user_action))
        if place.open:
            with place:
                _preview(name)


def _preview(name: str) -> None:
    report = _report(name)
    for section in report.sections:
        for text in section.text:
            show.paragraph(text)
        for chart in section.charts:
            show.chart(chart, f"report {name}")
        for table in (shown for shown in section.tables if len(shown.frame.columns) <= _WIDEST):
            show.small(table.caption)
            tables.table(table.frame, f"report {name} {table.name}")
