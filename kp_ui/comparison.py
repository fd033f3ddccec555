"""Arrange the comparison of systems: the test, all pairs, effect sizes, and how certain the ranks are."""

from typing import cast

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps, screen_tables
from kp_core.scoring.paired import CORRECTIONS
from kp_core.studies.compare import TESTS, Correction, Test
from kp_core.studies.parts import PARTS
from kp_core.studies.stability import By
from kp_core.words import statements
from kp_ui import cached, controls, prose, results, show, workspace

#: With more ranked phrases than this the spread takes longer than a person waits when moving k, so it is worked out
#: only when it is opened.
_AT_ONCE = 100_000


def section(measure: str, name: str) -> None:
    """Show whether differences in a measure are certain; name: the measure at the cutoff in use."""
    st.subheader(f"Is the difference in {show.plain(name)} certain?", anchor=False)
    if len(workspace.current().corpus.systems) < 2:
        results.lacks("One system is loaded. Load a second one to compare them.")
        return
    if st.session_state.get("people"):
        st.caption("The tests are about the whole gold standard, not about that of the other annotators.")
    left, right = st.columns(2)
    test = controls.select("Test", TESTS, "test", inside=left)
    correction = controls.select("Correction", CORRECTIONS, "correction", inside=right)
    try:
        comparison = cached.comparison(measure, cast(Test, test), cast(Correction, correction))
    except kp.UsageError as problem:
        st.info(show.sentence(problem))
        return
    st.markdown(show.plain(statements.verdict(comparison, name)))
    tested(comparison, name)


def tested(comparison: kp.Comparison, name: str) -> None:
    """Show what a test found: all pairs, effect sizes and ranks, with downloads."""
    for note in comparison.notes:
        if note.level == "warning":
            st.caption(show.sentence(note.message))
    first, second, third = st.tabs(["Pairs", "Effect sizes", "Ranks"])
    with first:
        left, right = st.columns([4, 3], gap="medium")
        with left:
            results.table(screen_tables.pairs(comparison), "pairs", comparison.documents)
        with right:
            show.chart(heat_maps.pair_map(comparison, name), "pair_map")
            st.caption("A star marks a difference that is significant after the correction.")
    with second:
        results.table(screen_tables.effects(comparison), "effects")
        st.caption(prose.text("comparison.effects"))
    with third:
        results.table(screen_tables.ranks(comparison), "ranks")
        st.caption(prose.text("comparison.ranks"))
    st.caption(show.plain(f"Test: {comparison.test}; {statements.NOT_EQUAL}."))
    show.downloads(comparison.frame, "pairs", f"Pairs of systems, {name}", comparison.signature)


def conventions(measure: str) -> None:
    """Show a measure under every published convention, and under all combinations of a grid."""
    small = len(workspace.current().corpus.runs) <= _AT_ONCE
    if small:
        st.markdown(show.plain(statements.range_of(cached.spread(measure))))
    words = "Convention spread: the same files under other conventions"
    expander = st.expander(words, key="convention spread", on_change="rerun")
    if expander.open:  # its charts take longer to draw than the rest of the page
        with expander:
            found = cached.spread(measure)
            if not small:
                st.markdown(show.plain(statements.range_of(found)))
            _spread(found, measure)


def _spread(found: kp.Spread, measure: str) -> None:
    show.chart(dots.strip(found, statements.range_of(found)), "strip")
    st.caption(prose.text("comparison.spread"))
    results.table(found.ranges, "ranges")
    st.markdown("**What one change of the present conventions does**")
    show.chart(dots.effects(found), "effects_of_conventions")
    if len(found.turns):
        st.markdown("**Where the order of two systems turns**")
        results.table(screen_tables.turns(found), "turns")
    show.downloads(found.frame, "convention_spread", f"{measure} under other conventions", found.signature)
    caption = f"Single changes of conventions, {measure}"
    show.downloads(found.changes, "convention_changes", caption, found.signature)


def parts(measure: str) -> None:
    """Show a measure for parts of the data: document types, lengths, present and absent keyphrases."""
    st.subheader("Which part of the data does it come from?", anchor=False)
    chosen = controls.select("Parts by", PARTS, "parts", len(PARTS) - 1)
    st.caption(show.plain(f"{chosen}: {PARTS[chosen]}."))
    try:
        found = cached.parts((measure,), chosen)
    except (kp.InputError, kp.UsageError) as problem:
        st.info(show.plain(str(problem)))
        return
    table = screen_tables.by_part(found)
    if table.empty:
        st.info("This measure needs all phrases of the universe, so it does not tell present from absent keyphrases.")
        return
    show.chart(dots.by_part(found), "by_part")
    results.table(table, "by_part_table", found.documents)
    show.downloads(found.frame, "parts", f"{measure} by {chosen}", found.signature)


_BY = {"measure": "measure", "cutoff k": "k", "normalisation": "normalise", "gold standard": "annotators"}


def stability(measure: str) -> None:
    """Show how the ranking of the systems changes with the measure, the cutoff, the normalisation and the gold."""
    st.subheader("Is the ranking stable?", anchor=False)
    if len(workspace.current().corpus.systems) < 2:
        results.lacks("One system is loaded. Load a second one to rank them.")
        return
    chosen = controls.select("The ranking by", _BY, "views")
    try:
        found = cached.stability(cast(By, _BY[chosen]), measure)
    except kp.UsageError as problem:
        st.info(show.sentence(problem))
        return
    left, right = st.columns(2, gap="medium")
    with left:
        show.chart(curves.rank_chart(found), "rank_chart")
    with right:
        show.chart(heat_maps.kendall(found), "kendall")
    st.caption("Kendall's tau-b of two rankings: 1 is the same order, 0 no relation, −1 the reverse.")
    show.downloads(found.frame, "stability", f"Rankings by {chosen}", cached.signature(measure))
