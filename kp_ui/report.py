"""Arrange the report: which sections it has, a look at it, and the files to take along."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.scoring.runs import runs_of
from kp_core.studies.paper_table import DEFAULT
from kp_core.takeaway import bundle, figures
from kp_core.takeaway.bundle import SECTIONS, possible
from kp_ui import cached, controls, results, settings, show, workspace

#: Label of a button, the file that it gives, and the form of the report that is in it.
FILES = (
    ("HTML report", "report.html", "html"),
    ("Archive of everything", "report.zip", "zip"),
    ("Markdown", "report.md", "markdown"),
    ("LaTeX tables", "tables.tex", "latex"),
    ("Settings as JSON", "settings.json", "record"),
)
#: The measures of a table over data sets, at first: two of them fit a page.
MAIN = ("F1@k",)
#: Tables of more columns are in the files alone: here they would be cut.
_WIDEST = 7
TITLE = "Evaluation of keyphrase extraction"


def section() -> None:
    """Let the user choose what the report has, look at it, and take it along."""
    results.one_dataset("report")
    left, right = st.columns([1, 2], gap="large")
    with left:
        title, sections = asked()
    with right:
        if sections:
            offered(title, sections)
        else:
            st.info("Choose at least one section.")


def paper() -> None:
    """Let the user make the table of a paper: systems, measures, cutoffs, digits; with a look at it."""
    here = workspace.whole() if workspace.all_datasets() else workspace.current()
    systems, several = list(runs_of(here.corpus.systems)), bool(here.corpus.datasets)
    if not systems:
        st.info("A table needs the output of at least one system.")
        return
    shown = systems if several else [name for name in results.best_first() if name in systems] or systems
    first, second, third = st.columns([3, 3, 2], gap="medium")
    rows = first.multiselect("Systems", systems, shown, key="table_systems")
    usual = MAIN if several else DEFAULT
    measures = second.multiselect("Measures", settings.measures(), usual, key="table_measures")
    cutoffs = third.text_input("Cutoffs k", "5, 10", key="table_k", help="Numbers, average, gold or all, with commas.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        digits = int(st.number_input("Digits", 1, 6, 3, key="table_digits", width=120))
        apart = here.corpus.has_texts and st.toggle("Present and absent", key="table_presence")
        bounds = st.toggle("Intervals", key="table_bounds")
        several_runs = len(systems) < len(here.corpus.systems)
        deviations = several_runs and st.toggle("Deviation over runs", value=True, key="table_deviations")
        marks = st.toggle("Marks of significance", value=True, key="table_marks")
        baselines = st.toggle("Baselines", key="table_baselines")
        baseline = st.selectbox("Daggers against", ["the best", *systems], key="table_baseline", width=180)
    caption = st.text_input("Caption", TITLE, key="table_caption", max_chars=300)
    if not rows or not measures:
        st.info("Choose at least one system and one measure.")
        return
    by = (*(("dataset",) if several else ()), *(("presence",) if apart else ()))
    chosen = {"systems": rows, "marks": marks, "baselines": baselines, "by": by}
    chosen["baseline"] = "" if baseline == "the best" else baseline
    try:
        at = cached.at_cutoff().changed(k="".join(cutoffs.split()))
        made = cached.of((here.corpus,), here.digest, kp.paper_table, at, measures, **chosen)
    except (kp.InputError, kp.UsageError) as problem:
        st.info(show.sentence(problem))
        return
    made = replace(made, digits=digits, bounds=bounds, deviations=deviations, caption=caption)
    st.markdown(made.markdown())
    with st.container(horizontal=True):
        for label, ending, data in (
            ("LaTeX", "tex", made.latex),
            ("Markdown", "md", made.markdown),
            ("HTML", "html", made.html),
            ("XLSX", "xlsx", made.xlsx),
            ("CSV", "csv", made.csv),
            ("Parquet", "parquet", made.parquet),
        ):
            show.file(label, data, f"table.{ending}", f"table {label}")
        show.signature(made.signature)
    images(lambda: figures.table_svg(made.html()), "table", made.signature)
    with st.expander("LaTeX, to copy"):
        st.code(made.latex(), language="latex")


def images(svg: Callable[[], str], name: str, line: str) -> None:
    """Offer an image of a chart or table for a paper; say what is missing where nothing can draw it."""
    if not figures.browser():
        st.caption(show.sentence(figures.WITHOUT))
        return
    with st.container(horizontal=True):
        for form in ("svg", "pdf", "png"):
            # Drawn when it is asked for: by then this run of the page is over.
            data = partial(lambda form: figures.image(svg(), form, line), form)
            show.file(form.upper(), data, f"{name}.{form}", f"{name} {form}")


def methods() -> None:
    """Show the paragraph on methods for a paper, with its references."""
    results.one_dataset("paragraph")
    if not workspace.corpus().systems:
        st.info("The paragraph describes an evaluation of systems, and none is loaded.")
        return
    report = _report("methods")
    st.caption("For a paper, written from the settings in use")
    short = report.paragraph(whole=False)
    st.code(short, language=None, wrap_lines=True)
    with st.expander("In LaTeX"):
        st.code(typeset.escape_latex(short), language="latex", wrap_lines=True)
    with st.expander("In full, for an appendix"):
        st.code(report.paragraph(), language=None, wrap_lines=True)
    with st.expander("References in BibTeX"):
        st.code(report.references(), language=None)
    show.signature(report.signature)


def _report(name: str) -> bundle.Report:
    """Return the report of one section on the data on screen, under the sidebar's settings and cutoff."""
    measure = settings.value("measure")
    return cached.here(bundle.report, measure, sections=(name,), title=TITLE)


def asked() -> tuple[str, tuple[str, ...]]:
    """Let the user give a title and choose among the sections that have data; return both."""
    title = st.text_input("Title", max_chars=200, **controls.held("title", TITLE))
    st.markdown("**Sections**")
    with_data = possible(workspace.corpus())
    chosen = [
        name
        for name, (heading, _) in SECTIONS.items()
        if name in with_data and st.checkbox(show.plain(heading), value=True, key=f"section {name}")
    ]
    if left_out := [heading for name, (heading, _) in SECTIONS.items() if name not in with_data]:
        show.small(f"Without data, so left out: {', '.join(left_out)}.")
    return title or TITLE, tuple(chosen)


def offered(title: str, sections: tuple[str, ...]) -> None:
    """Offer the report as files, which are written when they are asked for, and show each section that is opened."""
    asked = workspace.corpus(), cached.at_cutoff(), settings.value("measure")
    whole = partial(bundle.report, *asked, sections=sections, title=title)
    with st.container(horizontal=True):
        for label, file, form in FILES:
            kind = "primary" if form == "html" else "secondary"
            written = partial(lambda form: getattr(whole(), form)(), form)
            show.file(label, written, file, f"report {form}", type=kind, icon=None)
    show.about("report.files")
    for name in sections:
        heading = SECTIONS[name][0]
        place = st.expander(show.plain(heading), name == sections[0], on_change="rerun")
        if place.open:
            with place:
                _preview(name)


def _preview(name: str) -> None:
    """Show one section as the report will have it."""
    report = _report(name)
    for section in report.sections:
        for text in section.text:
            show.paragraph(text)
        for chart in section.charts:
            show.chart(chart, f"report {name}")
            widths = {"one column": 1, "two columns": 2}
            columns = widths[st.radio("As an image for a paper", widths, key=f"columns {name}", horizontal=True)]
            images(partial(report.svg, columns), name, report.signature)
            show.file("HTML", report.interactive, f"{name}.html", f"{name} html")
        for table in (one for one in section.tables if len(one.frame.columns) <= _WIDEST):
            show.small(table.caption)
            results.table(table.frame, f"report {name} {table.name}")
