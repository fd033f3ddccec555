"""Arrange near misses: their types, the most frequent ones, and the scores if they counted."""

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, screen_tables
from kp_core.charts.selection import NEAR
from kp_core.similarity.relation import TYPES
from kp_core.takeaway import methods
from kp_ui import cached, controls, prose, results, settings, show, workspace

VIEWS = ("What is nearly right", "If near misses counted")
_OWN = "own choice"
_SIMILARITIES = (
    *("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1-F", "jaccard", "dice"),
    *("levenshtein", "jaro-winkler", "token-set", "chrF", "stem-exact"),
)


def section() -> None:
    """Show what exact matching loses: types by system with examples, or the scores if near misses counted."""
    if controls.views("Look at", VIEWS, "near") == VIEWS[1]:
        _soft()
        return
    found = cached.near_misses()
    for note in found.notes:
        if note.where in workspace.current().corpus.systems:  # why EXACT and MORPH are not the hits
            st.caption(show.plain(f"{note.where}: {note.message}."))
    side = controls.views("Count", ["predictions", "gold entries"], "side")
    counts = found.counts("gold" if side == "gold entries" else "predictions")
    left, right = st.columns(2, gap="medium")
    with left:
        show.chart(dots.type_bars(counts, side), "types")
    with right:
        results.table(screen_tables.near_shares(found), "shares")
        st.caption("Near: misses that have a word in common with a keyphrase, as a share of all misses.")
        st.caption(show.plain("; ".join(f"{NEAR[name]}: {words}" for name, words in TYPES.items())) + ".")
        show.downloads(counts, "near_misses", f"Types of near misses, {side}")
    _examples(found)
    show.signature(cached.signature("F1@k"))


def _examples(found: kp.NearMisses) -> None:
    st.subheader("The most frequent near misses", anchor=False)
    first, second = st.columns(2)
    system = controls.select("System", results.best_first(), "system", inside=first)
    kind = controls.select("Type", ["all", *list(NEAR.values())[1:-1]], "near_type", inside=second)
    examples = screen_tables.near_examples(found, system, kind)
    if not len(examples):
        st.caption("This system has no such near miss.")
        return
    results.table(examples, "examples")
    listed = screen_tables.near_of_system(found, system, kind)
    with st.expander("Every one of them, with its document"):
        results.table_of_documents(listed, "near_list")
        show.downloads(listed, "near_misses_listed", f"Near misses of {system}")


def _soft() -> None:
    """Show soft precision, recall and F1 beside the exact ones."""
    st.caption(prose.text("near_misses.soft"))
    first, second, third, fourth = st.columns(4)
    preset = controls.select("What counts", [*kp.SOFT_PRESETS, _OWN], "soft", 3, inside=first)
    if preset == _OWN:
        name = controls.select("Similarity", _SIMILARITIES, "similarity", inside=second)
        second.caption(show.plain(methods.sentence(name)))
        tau = third.slider("Threshold", 0.05, 1.0, step=0.05, **controls.held("tau", 0.8, controls.number(0.05, 1)))
        hits = controls.choice("A pair counts", ["weighted", "count"], "soft_hits", inside=fourth)
        chosen = kp.Soft(name, tau, hits)
    else:
        chosen = kp.SOFT_PRESETS[preset]
        words = f"{chosen.similarity} of at least {chosen.tau:g}, {chosen.hits}. {methods.sentence(chosen.similarity)}"
        second.caption(show.plain(words))
    found = cached.ask(kp.soft_evaluate, cached.at_every_number(), chosen)
    exact = cached.evaluation(("P@k", "R@k", "F1@k"))
    cutoff = settings.cutoff()
    left, right = st.columns(2, gap="medium")
    with left:
        results.table(screen_tables.beside_exact(found.frame, exact.frame, cutoff), "soft_scores")
        show.foot(found, (found.frame, "soft_scores", "Soft scores"))
    with right:
        st.markdown("**Soft F1 over k**")
        show.chart(curves.over_k(found, "F1@k", results.marks()), "soft_over_k")
        results.where_no_mark()
