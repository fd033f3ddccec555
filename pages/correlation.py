"""Which measure of similarity agrees with people?"""

from __future__ import annotations

import streamlit as st

from kp_core.words import statements
from kp_ui import correlation, rating, results, shell, show

shell.enter()

VIEWS = ("Measures and people", "Rate near misses yourself", "The published study")

results.open_page("Correlation", needs_gold=False, needs_systems=False)
# No tabs: the keys that rate a pair would work on the hidden ones too.
view = st.segmented_control(
    "Show", VIEWS, default=VIEWS[0], required=True, key="view", bind="query-params", label_visibility="collapsed"
)
if view == VIEWS[1]:
    rating.section()
elif view == VIEWS[2]:
    correlation.published()
else:
    judged = rating.with_ratings()
    if not len(judged):
        results.lacks(
            "No judged pairs are loaded. Load a table of phrase pairs with scores on the Data page, or rate the near "
            "misses of the loaded systems here."
        )
        st.stop()
    average, study = correlation.choose(judged)
    if study is not None:
        st.markdown(f"#### {show.plain(statements.best_measure(study, average))}")
        correlation.overall(study, average)
        correlation.subsets(study, average)
        correlation.certainty(study, average)
        correlation.raters(judged)
        correlation.behind(study)
        show.notes(study.notes)
        show.signature(study.signature)
