"""How good is the order in which the systems list their phrases?"""

from __future__ import annotations

import streamlit as st

from kp_core import charts, sentences
from kp_core.charts import tables
from kp_ui import cached, results, shell, show, sidebar, workspace

shell.enter()

AT_K = ("P@k", "R@k", "F1@k", "nDCG@k", "nDCG-exp@k", "MAP@k", "MRR@k", "success@k", "hits@k")
WHOLE = ("MAP", "MRR", "nDCG", "nDCG-exp", "RBP", "bpref", "Rprec")
RETURNED = ("P@M", "R@M", "F1@M")

results.open_page("Ranking")
cutoff = sidebar.cutoff()
result = cached.evaluation((*AT_K, *WHOLE), baselines=True)
here = result.at(cutoff)
names = [tables.named(measure, cutoff) for measure in AT_K]

st.subheader("Among the first k phrases", anchor=False)
results.two_lines(tables.with_intervals(result, names), "at_k", here.documents)
st.subheader("Over the whole list", anchor=False)
results.two_lines(tables.with_intervals(result, [*WHOLE, *RETURNED]), "whole", here.documents)
st.caption(
    "Below each value stands its 95 % interval. Rprec is precision at the gold size of each document (also written F1@O). "
    "P@M, R@M and F1@M count all phrases that a system returned."
)
for reason in tables.reasons(here):
    st.caption(show.plain(reason))
show.downloads(here.frame, "ranking", "Ranking measures", here.signature)

st.subheader("One measure at a time", anchor=False)
measure = results.choose_measure(results.measures(("overlap", "ranking")))
name = tables.named(measure, cutoff)
left, right = st.columns(2, gap="medium")
with left:
    st.markdown(f"**{show.plain(measure)}**")
    drawn = charts.over_k(result, measure, results.marks()) if tables.has_curve(measure) else charts.bars(here, measure)
    show.chart(drawn, "ranking_chart")
    show.downloads(tables.curves(result, measure), "ranking_over_k", f"{measure} over k", result.signature)
with right:
    st.markdown("**Precision and recall as k grows**")
    show.chart(charts.precision_recall(result, cutoff), "precision_recall")
results.where_no_mark()

st.subheader(f"Is the difference in {show.plain(name)} certain?", anchor=False)
if len(workspace.current().corpus.systems) < 2:
    st.info("One system is loaded. Load a second one to compare them.")
else:
    comparison = cached.comparison(measure)
    st.markdown(show.plain(sentences.verdict(comparison, name)))
    results.table(tables.pairs(comparison), "pairs", comparison.documents)
    st.caption(f"Test: {show.plain(sentences.significance())}. Intervals: bootstrap over documents.")
    show.downloads(comparison.frame, "pairs", f"Pairs of systems, {name}", comparison.signature)

show.notes(here.notes)
show.signature(here.signature)
