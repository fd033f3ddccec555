"""Show keyphrases or concepts, a row each: where systems find them, or who of the people chose them."""

from collections.abc import Sequence

import streamlit as st

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.studies.subjects import documents_of
from kp_ui.parts import results
from kp_ui.parts.bar import Acts
from kp_ui.state import cached, link, workspace
from kp_ui.widgets import controls, show, tables


def acts() -> Sequence[Acts]:
    """Return what of the bar acts on headings: k where systems list them."""
    return ("k", "gold", "rules") if workspace.corpus().systems else ("rules",)


def section() -> None:
    """Arrange the headings that a search leaves, and the documents of the chosen one."""
    systems = results.best_first() if workspace.corpus().systems else []
    left, right = st.columns([8, 4], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            system = controls.select("System", systems, "system") if systems else ""
            search = controls.search("heading_search", "Search headings")
        heading = _listed(system, search)
    with right:
        if heading is None:
            st.info("No heading fits the search.")
        else:
            _documents(system, *heading)
    if system:
        with st.expander(f"What {show.plain(system)} misses and adds most often, over all documents"):
            _frequent(system)


def _listed(system: str, search: str) -> tuple[str, str] | None:
    """Let the user choose a heading, which has an identifier and a name; None where the search leaves none."""
    found = cached.here(kp.subjects) if system else cached.ask(kp.subjects, cached.without_cutoff())
    rows = screen_tables.headings(found, system, search)
    shown = rows.drop(columns="subject")
    show.downloads(shown, "headings", f"Headings{f', {system}' * bool(system)}", found.signature)
    show.recipe(found)
    number, documents = show.counted(len(rows), "heading"), workspace.speech()["documents"]
    if system:
        show.about("headings.of_system", number=number, documents=documents)
    else:
        show.about("headings.of_people", number=number, documents=documents)
    ids = rows["subject"].tolist()
    chosen = link.chosen().get("heading", "")
    place = ids.index(chosen) if chosen in ids else 0
    for width, columns in (("wide", list(shown)), ("narrow", screen_tables.FEWER)):
        with st.container(key=f"headings-{width}"):
            tables.to_choose(shown[[name for name in shown if name in columns]], ids, place, "heading")
    return (ids[place], str(rows["heading"].iloc[place])) if ids else None


def _documents(system: str, heading: str, name: str) -> None:
    """Show the documents of a heading; a click opens one."""
    asked = cached.at_cutoff() if system else cached.without_cutoff()
    table = cached.ask(documents_of, asked, subject=heading, system=system)
    show.subheader(show.plain(name))
    corpus = workspace.corpus()
    shown = screen_tables.occurrences(table, corpus.documents, len(corpus.annotators))
    tables.to_choose(shown, table["document"].tolist(), None, "document", opens="documents")


def _frequent(system: str) -> None:
    """Show the keyphrases that a system misses, and the other phrases that it chooses, in the most documents."""
    found = cached.near_misses()
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Most often missed**")
        tables.table(screen_tables.most_missed(found, system), "most_missed")
    with right:
        st.markdown("**Most often chosen, and no keyphrase**")
        tables.table(screen_tables.most_spurious(found, system), "most_spurious")
