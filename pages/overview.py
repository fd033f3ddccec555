"""Which system is better, and is that certain?"""

import streamlit as st

from kp_core.charts import screen_tables
from kp_core.charts.selection import has_curve, named
from kp_core.words import statements
from kp_ui import cached, prose, results, shell, show, sidebar, workspace
from kp_ui import comparison as comparing

shell.enter()

results.open_page("Overview")
systems = workspace.current().corpus.systems
cutoff = sidebar.cutoff()

measure = results.choose_measure(results.measures())
name = named(measure, cutoff)
comparison = cached.comparison(measure) if len(systems) > 1 else None

if comparison is None:
    results.lacks("One system is loaded. Its values stand beside three baselines; load a second system to compare.")
else:
    st.markdown(f"#### {show.plain(statements.verdict(comparison, name))}")

people = results.people()
result = cached.evaluation((measure, "kappa", "MAP"), baselines=True, people=people)
here = result.at(cutoff)
results.ids_that_do_not_meet(here.notes)
if people and comparison is not None:
    st.caption(prose.text("overview.people"))
    comparison = None

leaderboard = screen_tables.leaderboard(here, measure, ("kappa", "MAP"), comparison)
left, right = st.columns([4, 3], gap="medium")
with left:
    event = results.table(leaderboard, "leaderboard", here.documents, on_select="rerun", selection_mode="single-row")
    results.link_to_system(leaderboard, event, systems, measure)
    if comparison is not None:
        st.caption(show.plain(f"Letters: {comparison.test}; {statements.NOT_EQUAL}."))
    results.about_baselines(cutoff)
    for reason in screen_tables.reasons(here):
        st.caption(show.plain(reason))
    if here.documents < screen_tables.FEW:
        st.caption("Intervals are grey: there are too few documents for them to be reliable.")
    show.downloads(leaderboard, "leaderboard", f"Systems by {name}", here.signature)
with right:
    results.chart_over_k(result, measure, "overview_chart")
    if has_curve(measure):
        results.where_no_mark()
        show.downloads(screen_tables.curves(result, measure), "over_k", f"{measure} over k", result.signature)

comparing.conventions(measure)
show.recipe(here)
