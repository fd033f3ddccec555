"""Arrange the tables against people: what a table says, its cells and measures, intervals, N, printed figures."""

from collections.abc import Mapping

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, screen_tables
from kp_core.charts.curves import LIMITS
from kp_core.scoring.measures import parse
from kp_core.studies.document_values import tables_by_document
from kp_core.studies.evaluate import interval_table
from kp_core.studies.published_tables import LECTURE_SYSTEMS, remarks, spans
from kp_core.typeset import CELLS
from kp_core.words.statements import diagnose, table_in_words
from kp_ui.parts import results
from kp_ui.state import cached, settings
from kp_ui.widgets import controls, show, tables

MEASURES = ("kappa", "kappa_max", "P_pos", "P_neg", "PABAK", "AC1", "pi", "BI", "PI")
#: Those that stand beside the cells; the others are in the table of all systems.
_FIRST = ("kappa", "P_pos", "P_neg", "PABAK", "AC1")
_PRINTED = ("kappa", "P_pos", "P_neg", "PABAK")
_OWN = "figures of your own"


def section() -> None:
    """Show one system's table against the gold standard, what it says, and all systems beside it."""
    here = cached.evaluation(MEASURES, baselines=True, people=False).at(settings.cutoff())
    results.ids_that_do_not_meet(here.notes)
    by_document = cached.here(tables_by_document, (*CELLS, "kappa", "P_pos", "PABAK"))
    cells = by_document.groupby("system", sort=False)[list(CELLS)].sum().to_dict("index")
    place = st.container()
    left, right = st.columns([5, 6], gap="medium")
    with left:
        system = controls.select("System", results.best_first(), "system")
        mean = float(by_document.loc[by_document["system"] == system, "kappa"].mean())
        others = {name: found for name, found in cells.items() if name != system}
        said = diagnose(system, cells[system], others, mean)
        show.paragraph(results.in_short(table_in_words(system, cells[system])))
        with place:
            show.lead(results.in_short((said or [f"{system} against the gold standard."])[0]))
        if said[1:]:
            with st.expander("What else this table says"):
                st.markdown("\n".join(f"- {show.plain(sentence)}" for sentence in said[1:]))
    with right:
        concordance = screen_tables.concordance(cells[system])
        tables.of_words(concordance)
        show.small(screen_tables.universe(cached.evaluation_at_cutoff(("N",), "macro")))
        tables.table(screen_tables.rows_where(here, results.system_of(system), _FIRST), "measures", here.documents)
        results.few(here)
    _everybody()
    show.recipe(here, (here.frame, "concordance", "Systems against the gold standard"))
    with st.expander("How wide is the interval, and what if phrases were independent?"):
        table = cached.here(interval_table, system=system, measures=MEASURES)
        tables.table(screen_tables.intervals_side_by_side(table, here.documents), "intervals", here.documents)
        show.about("agreement.intervals")
        show.downloads(table, "intervals", f"Intervals of {system}", cached.signature("kappa"))
    with st.expander("As the universe grows"):
        _against_universe(cells)
    with st.expander("Document by document"):
        documents = by_document[by_document["system"] == system].drop(columns="system").reset_index(drop=True)
        tables.of_documents(documents, "documents")
        show.downloads(documents, "concordance_by_document", f"By document, {system}", here.signature)
    with st.expander("From published figures back to a table"), show.refusals():
        _from_published_figures()


def _everybody() -> None:
    """Show all systems, baselines and, if they are asked for, people."""
    average = parse("kappa").averages(settings.settings().average)[0]
    show.subheader(f"All systems and baselines ({average} average)")
    people = results.people()
    beside = cached.evaluation(MEASURES, baselines=True, people=people).at(settings.cutoff())
    everybody = screen_tables.in_order(screen_tables.numbers(beside, MEASURES), results.best_first())
    tables.table(everybody, "everybody", beside.documents)
    results.about_baselines(settings.cutoff())
    results.reasons(beside)


def _against_universe(cells: Mapping[str, Mapping[str, float]]) -> None:
    measure = controls.select("Measure against N", LIMITS, "against_N", meaning=show.meanings(LIMITS))
    limit = "P\\_pos, which kappa never passes" if measure in ("kappa", "pi") else "1, whatever the systems do"
    show.chart(curves.against_universe(cells, measure), "against_universe")
    show.about("agreement.universe", limit=limit)


def _from_published_figures() -> None:
    """Let the user solve printed kappa, P_pos, P_neg and PABAK for the table behind them."""
    show.about("agreement.printed")
    chosen = controls.select("Figures", [*LECTURE_SYSTEMS, _OWN], "figures")
    texts = LECTURE_SYSTEMS.get(chosen)
    if texts is None:
        columns = zip(st.columns(4), _PRINTED, LECTURE_SYSTEMS["TF-IDF"], strict=True)
        texts = tuple(
            one.text_input(show.plain(name), key=f"printed {name}", placeholder=text) for one, name, text in columns
        )
        if not all(texts):
            st.info("Write the four values as they are printed, with all their digits.")
            return
    else:
        given = ", ".join(f"{name} {text}" for name, text in zip(_PRINTED, texts, strict=True))
        show.small(f"As printed in the lecture-keyword evaluation section: {given}.")
    found = kp.recover(*texts)
    if found is None:
        st.warning("No concordance table gives all four values: at least one of them is misprinted.")
        return
    table = spans(found)
    tables.table(table, "recovered")
    for sentence in remarks(found, chosen in LECTURE_SYSTEMS):
        show.small(sentence)
    show.downloads(table, "recovered", "What printed figures say about their table")
