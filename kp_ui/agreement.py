"""Arrange parts of the Agreement page: intervals side by side, curves against the universe, printed figures solved."""

from collections.abc import Mapping, Sequence

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, screen_tables
from kp_core.charts.curves import LIMITS
from kp_core.studies.published_tables import LECTURE_SYSTEMS, remarks, spans
from kp_ui import cached, controls, prose, results, show

_OWN = "figures of your own"


def intervals(system: str, measures: Sequence[str], documents: int) -> None:
    """Show the intervals of a system's pooled measures side by side; which comes first depends on the documents."""
    with st.expander("How wide is the interval, and what if phrases were independent?"):
        table = cached.intervals(system, tuple(measures))
        results.table(screen_tables.intervals_side_by_side(table, documents), "intervals", documents)
        st.caption(prose.text("agreement.intervals"))
        show.downloads(table, "intervals", f"Intervals of {system}", cached.signature("kappa"))


def against_universe(cells: Mapping[str, Mapping[str, float]]) -> None:
    """Show a measure as a function of N."""
    st.subheader("As the universe grows", anchor=False)
    measure = controls.select("Measure", LIMITS, "against_N", meaning=show.meanings(LIMITS))
    limit = "P\\_pos, which kappa never passes" if measure in ("kappa", "pi") else "1, whatever the systems do"
    show.chart(curves.against_universe(cells, measure), "against_universe")
    st.caption(prose.text("agreement.universe", limit=limit))


def from_published_figures() -> None:
    """Let the user solve printed kappa, P_pos, P_neg and PABAK for the table behind them."""
    with st.expander("From published figures back to a table"):
        st.caption(prose.text("agreement.printed"))
        chosen = controls.select("Figures", [*LECTURE_SYSTEMS, _OWN], "figures")
        texts = LECTURE_SYSTEMS.get(chosen, ("", "", "", ""))
        names = ("kappa", "P_pos", "P_neg", "PABAK")
        if chosen == _OWN:
            columns = st.columns(4)
            texts = tuple(
                column.text_input(show.plain(name), key=f"printed {name}", placeholder=example)
                for column, name, example in zip(columns, names, LECTURE_SYSTEMS["TF-IDF"], strict=True)
            )
            if not all(texts):
                st.info("Write the four values as they are printed, with all their digits.")
                return
        else:
            given = ", ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))
            st.caption(show.plain(f"As printed in the lecture-keyword evaluation section: {given}."))
        try:
            found = kp.recover(*texts)
        except kp.UsageError as problem:
            st.warning(show.plain(f"{problem}."))
            return
        if found is None:
            st.warning("No concordance table gives all four values: at least one of them is misprinted.")
            return
        table = spans(found)
        results.table(table, "recovered")
        for sentence in remarks(found, chosen in LECTURE_SYSTEMS):
            st.caption(show.plain(sentence))
        show.downloads(table, "recovered", "What printed figures say about their table")
