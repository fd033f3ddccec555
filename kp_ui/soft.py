"""Arrange soft scores: what the systems get when near misses count, beside exact matching."""

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, screen_tables
from kp_core.takeaway import methods
from kp_ui import cached, controls, prose, results, show, sidebar

_OWN = "own choice"
_SIMILARITIES = (
    *("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1-F", "jaccard", "dice"),
    *("levenshtein", "jaro-winkler", "token-set", "chrF", "stem-exact"),
)


def section() -> None:
    """Show soft precision, recall and F1 beside the exact ones."""
    st.subheader("If near misses counted", anchor=False)
    st.caption(prose.text("near_misses.soft"))
    first, second, third, fourth = st.columns(4)
    preset = controls.select("What counts", [*kp.SOFT_PRESETS, _OWN], "soft", 3, inside=first)
    if preset == _OWN:
        name = controls.select("Similarity", _SIMILARITIES, "similarity", inside=second)
        second.caption(show.plain(methods.sentence(name)))
        tau = float(third.slider("Threshold", 0.05, 1.0, 0.8, 0.05, key="tau", bind="query-params"))
        hits = controls.select("A pair counts", ["weighted", "count"], "soft_hits", inside=fourth)
        chosen = kp.Soft(name, tau, hits)
    else:
        chosen = kp.SOFT_PRESETS[preset]
        words = f"{chosen.similarity} of at least {chosen.tau:g}, {chosen.hits}. {methods.sentence(chosen.similarity)}"
        second.caption(show.plain(words))
    try:
        found = cached.soft(chosen)
    except kp.UsageError as problem:
        st.info(show.sentence(problem))
        return
    exact = cached.evaluation(("P@k", "R@k", "F1@k"))
    cutoff = sidebar.cutoff()
    left, right = st.columns(2, gap="medium")
    with left:
        results.table(screen_tables.beside_exact(found.frame, exact.frame, cutoff), "soft_scores")
        st.caption("“weighted”: a pair counts with its similarity; “count”: it counts as one.")
        show.downloads(found.frame, "soft_scores", "Soft scores", found.signature)
    with right:
        st.markdown("**Soft F1 over k**")
        show.chart(curves.over_k(found, "F1@k", results.marks()), "soft_over_k")
        results.where_no_mark()
    show.signature(found.signature)
