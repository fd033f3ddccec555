"""Arrange the comparison of systems: the test, all pairs, effect sizes, and how certain the ranks are."""

from __future__ import annotations

import streamlit as st

import kp_core as kp
from kp_core import charts, sentences
from kp_core.charts import tables
from kp_core.compare import CORRECTIONS, TESTS
from kp_ui import cached, results, show, workspace


def section(measure: str, name: str) -> None:
    """Show whether differences in a measure are certain; name: the measure at the cutoff in use."""
    st.subheader(f"Is the difference in {show.plain(name)} certain?", anchor=False)
    if len(workspace.current().corpus.systems) < 2:
        st.info("One system is loaded. Load a second one to compare them.")
        return
    left, right = st.columns(2)
    test = str(left.selectbox("Test", TESTS, key="test", bind="query-params", help=_TESTS))
    kinds = list(CORRECTIONS)
    correction = str(right.selectbox("Correction", kinds, key="correction", bind="query-params", help=_MANY))
    try:
        comparison = cached.comparison(measure, test, correction)
    except kp.UsageError as problem:
        st.info(show.plain(f"{str(problem)[0].upper()}{str(problem)[1:]}."))
        return
    st.markdown(show.plain(sentences.verdict(comparison, name)))
    for note in comparison.notes:
        if note.level == "warning":
            st.caption(show.plain(f"{note.message}."))
    first, second, third = st.tabs(["Pairs", "Effect sizes", "Ranks"])
    with first:
        left, right = st.columns([4, 3], gap="medium")
        with left:
            results.table(tables.pairs(comparison), "pairs", comparison.documents)
        with right:
            show.chart(charts.pair_map(comparison, name), "pair_map")
            st.caption("A star marks a difference that is significant after the correction.")
    with second:
        results.table(tables.effects(comparison), "effects")
        st.caption("d\\_z: mean difference over its standard deviation. Rank-biserial: share of rank sums in favour of "
                   "A minus that in favour of B. Wins: documents on which A scores higher.")  # fmt: skip
    with third:
        results.table(tables.ranks(comparison), "ranks")
        st.caption("The ranks that a system takes in 95 % of the resamples of the documents. Systems of one rank "
                   "cluster are not told apart by the test, which does not mean that they are equal.")  # fmt: skip
    st.caption(show.plain(f"Test: {comparison.test}; {sentences.NOT_EQUAL}."))
    show.downloads(comparison.frame, "pairs", f"Pairs of systems, {name}", comparison.signature)


_TESTS = (
    "randomisation: the labels of the two systems are swapped at random, document by document. bootstrap: the "
    "documents are drawn again. t and wilcoxon: the usual tests, for means over documents only."
)
_MANY = "Many pairs make chance findings likely. holm bounds the chance of any; bh their share; none corrects nothing."
