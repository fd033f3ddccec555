"""Which measure of similarity agrees with people?"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from kp_core import sentences
from kp_ui import correlation, rating, results, shell, show, workspace

shell.enter()

results.open_page("Correlation", needs_gold=False, needs_systems=False)
own, rate, published = st.tabs(["Measures and people", "Rate near misses yourself", "The published study"])
with rate:
    rating.section()
with own:
    judged = pd.concat([workspace.current().corpus.judgements, rating.ratings()], ignore_index=True)
    if not len(judged):
        st.info("No judged pairs are loaded. Load a table of phrase pairs with scores on the Data page, or rate the "
                "near "
                "misses of the loaded systems here: second tab.")  # fmt: skip
        st.page_link("pages/data.py", label="Open the Data page")
    else:
        average, study = correlation.choose(judged)
        if study is not None:
            st.markdown(f"#### {show.plain(sentences.best_measure(study, average))}")
            correlation.overall(study, average)
            correlation.subsets(study, average)
            correlation.certainty(study, average)
            correlation.behind(study)
            show.notes(study.notes)
            show.signature(study.signature)
with published:
    correlation.published()
