"""Which measure of similarity agrees with people?"""

import streamlit as st

from kp_core.words import statements
from kp_ui import controls, correlation, prose, rating, results, shell, show

shell.enter()

VIEWS = ("Measures and people", "Rate near misses yourself", "The published study")

results.open_page("Correlation", needs_gold=False, needs_systems=False)
# No tabs: the keys that rate a pair would work on the hidden ones too.
view = controls.views("Show", VIEWS, "view", folded=True)
if view == VIEWS[1]:
    rating.section()
elif view == VIEWS[2]:
    correlation.published()
else:
    judged = rating.with_ratings()
    if not len(judged):
        results.lacks(prose.text("correlation.none"))
        st.stop()
    average, study = correlation.choose(judged)
    if study is not None:
        st.markdown(f"#### {show.plain(statements.best_measure(study, average))}")
        correlation.overall(study, average)
        correlation.subsets(study, average)
        correlation.certainty(study, average)
        correlation.raters(judged)
        correlation.behind(study)
        show.recipe(study)
