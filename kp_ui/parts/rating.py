"""Let several people rate near misses independently; their ratings are used like loaded judgments."""

from functools import partial

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.corpus import empty_table
from kp_core.reading import Source
from kp_core.studies.correlation.human import COLUMNS, near_miss_pairs, rating_order
from kp_core.studies.correlation.human import with_ratings as judged
from kp_core.takeaway.workspace_file import rater_file
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show

_RATED, _RATER, _REFUSED = "ratings", "rater", "refused ratings"
SCORES = {0: "nothing in common", 1: "loosely related", 2: "related", 3: "nearly the same", 4: "the same"}


def invited() -> str:
    """Return the rater whom the address invites, who sees only the rating form; empty for other users."""
    return link.chosen().get(_RATER, "").strip()


def _all_ratings() -> pd.DataFrame:
    ratings_by_data: dict[str, pd.DataFrame] = st.session_state.setdefault(_RATED, {})
    return ratings_by_data.get(workspace.current().digest, empty_table("judgements")[[*COLUMNS, "annotator", "score"]])


def ratings() -> pd.DataFrame:
    """Return the ratings of the data on screen as judgments; for an invited rater only their own."""
    table, rater = _all_ratings(), invited()
    return table[table["annotator"] == rater] if rater else table


def restore_ratings(table: pd.DataFrame) -> None:
    """Add ratings to those of the data on screen; a later score of a pair replaces the earlier one."""
    combined = judged(_all_ratings(), table[[*COLUMNS, "annotator", "score"]])
    st.session_state.setdefault(_RATED, {})[workspace.current().digest] = combined


def with_ratings() -> pd.DataFrame:
    """Return the loaded judgments and the ratings of this session; of a person's scores for a pair, the last counts."""
    loaded, rated = workspace.corpus().judgements, ratings()
    if len(rated):
        st.caption(f"With {show.pluralize(rated['pair_id'].nunique(), 'pair')} rated on this page, from 0 to 4.")
    return judged(loaded, rated)


def section() -> None:
    """Let the user rate near misses, one at a time."""
    if not workspace.corpus().systems:
        show.missing_data("No system is loaded, so there are no near misses to rate. Add phrases of a system.")
        return
    is_invited = bool(invited())
    show.about("correlation.rate")
    if is_invited:
        show.about("correlation.pause")
    left, right = st.columns(2)
    key, initial = f"who rates {invited()}", invited() or "me"
    rater = str(left.text_input("Name of the rater", initial, key=key, disabled=is_invited)).strip() or "me"
    number = controls.amount("Pairs of each type", 1, 100, 5, "pairs_of_type", right.number_input, disabled=is_invited)
    rated_pairs = _all_ratings().query("annotator == @rater")
    pairs = pd.concat([near_miss_pairs(cached.near_misses().frame, number, 0), rated_pairs[list(COLUMNS)]])
    pairs = rating_order(pairs.drop_duplicates("pair_id"), rater)
    if not len(pairs):
        st.info("There are no near misses: every prediction is a keyphrase, or has no word in common with one.")
        return
    unrated = pairs[~pairs["pair_id"].isin(rated_pairs["pair_id"])]
    st.progress(1 - len(unrated) / len(pairs), f"{len(pairs) - len(unrated)} of {len(pairs)} rated by you")
    if len(unrated):
        _rate_pair(unrated.iloc[:1].assign(annotator=rater))
    else:
        st.success(prose.text("correlation.rated_by_one") if is_invited else prose.text("correlation.rated"))
    rated, file_name = ratings(), f"ratings {invited()}".strip()
    with st.container(horizontal=True):
        controls.button("Back", "rate_back", _undo, rater, disabled=rated_pairs.empty, shortcut="B")
        kwargs = {"mime": "text/csv", "disabled": not len(rated)}
        make_csv = partial(typeset.unescaped_csv, rated)
        show.file("Download the ratings", make_csv, f"{file_name}.csv", "ratings csv", **kwargs)
    with st.expander("Continue with downloaded ratings"):
        controls.upload("Ratings", "ratings_file", _take, several=True)
        if words := st.session_state.pop(_REFUSED, ""):
            st.warning(show.plain(words))
    if not is_invited:
        _invite()


def _undo(rater: str) -> None:
    table = _all_ratings()
    st.session_state[_RATED][workspace.current().digest] = table.drop(table.index[table["annotator"] == rater][-1])


def _rate_pair(pair: pd.DataFrame) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        for side, words, phrase in ((left, "Keyphrase", "keyphrase"), (right, "Candidate", "candidate")):
            side.caption(words)
            side.markdown(f"#### {show.plain(str(pair[phrase].item()))}")
        show.small(f"Document: {pair['doc_id'].item()}")
    for side, (score, words) in zip(st.columns(5), SCORES.items(), strict=True):
        options, rated = {"shortcut": str(score), "width": "stretch"}, pair.assign(score=float(score))
        controls.button(words, f"rate_{score}", restore_ratings, rated, container=side, **options)


def _invite() -> None:
    with st.expander("Have several people rate independently"):
        show.about("correlation.invite")
        names = st.text_input("Names, separated by commas", key="raters").split(",")
        for rater in dict.fromkeys(name.strip() for name in names if name.strip()):
            make_file = partial(rater_file, workspace.corpus(), settings.saved(rater=rater))
            label, file = f"File for {show.plain(rater)}", f"rate {rater}.kpscope"
            with st.container(horizontal=True, vertical_alignment="center"):
                show.file(label, make_file, file, f"file for {rater}", width=220)
                if workspace.current().sample is not None or workspace.KEY in st.query_params:  # on the server
                    st.code(link.address(rater=rater), language=None)


def _take(files: list[Source]) -> None:
    try:
        table = kp.load(judgements=files).judgements
    except (kp.InputError, kp.UsageError) as problem:
        st.session_state[_REFUSED] = str(problem)
        return
    rated = table[table["annotator"] == invited()] if invited() else table
    if table["keyphrase"].isna().any():
        st.session_state[_REFUSED] = "This table has pairs without a keyphrase, which cannot be rated."
    elif not len(rated):
        st.session_state[_REFUSED] = f"This file contains no ratings by {invited()}."
    else:
        restore_ratings(rated)
