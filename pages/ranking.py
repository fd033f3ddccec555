"""How good is the order in which the systems list their phrases?"""

import streamlit as st

from kp_core.charts import curves, screen_tables
from kp_core.charts.selection import named
from kp_ui import cached, comparison, prose, results, shell, show, sidebar

shell.enter()

#: Tab → measures; those written with M or O have a cutoff of their own.
TABS = {
    "Found among the first k": ("P@k", "R@k", "F1@k", "success@k", "hits@k"),
    "Order of the first k": ("nDCG@k", "nDCG-exp@k", "MAP@k", "MRR@k"),
    "Order of the whole list": ("MAP", "MRR", "nDCG", "nDCG-exp", "RBP", "bpref"),
    "At gold size, and the whole list": ("Rprec", "P@M", "R@M", "F1@M"),
}

# A measure that has no tab of its own yet.
others = [name for name in results.measures(("overlap", "ranking")) if name not in sum(TABS.values(), ())]
tabs = TABS | ({"Others": tuple(others)} if others else {})

results.open_page("Ranking")
cutoff = sidebar.cutoff()
asked = tuple(name for names in tabs.values() for name in names if not name.endswith("@M"))
people = results.people()
result = cached.evaluation(asked, baselines=True, people=people)
here = result.at(cutoff)
results.ids_that_do_not_meet(here.notes)

for place, (tab, names) in zip(st.tabs(list(tabs)), tabs.items(), strict=True):
    with place:
        shown = [named(name, cutoff) for name in names]
        results.table(screen_tables.with_intervals(result, shown), tab, here.documents)
        if "bpref" in names:
            for reason in screen_tables.reasons(here):
                st.caption(show.plain(reason))
        if "Rprec" in names:
            st.caption(prose.text("ranking.gold_size"))
results.about_baselines(cutoff)
st.caption(prose.text("ranking.brackets"))
show.downloads(here.frame, "ranking", "Ranking measures", here.signature)

st.subheader("One measure at a time", anchor=False)
measure = results.choose_measure(results.measures(("overlap", "ranking")))
name = named(measure, cutoff)
left, right = st.columns(2, gap="medium")
with left:
    st.markdown(f"**{show.plain(measure)}**")
    results.chart_over_k(result, measure, "ranking_chart")
    show.downloads(screen_tables.curves(result, measure), "ranking_over_k", f"{measure} over k", result.signature)
with right:
    st.markdown("**Precision and recall as k grows**")
    show.chart(curves.precision_recall(result, cutoff), "precision_recall")
results.where_no_mark()

comparison.section(measure, name)
comparison.parts(measure)
comparison.stability(measure)

show.recipe(here)
