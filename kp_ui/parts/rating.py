"""Let several people rate near misses independently; their ratings are used like loaded judgments."""

from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.reading import Source
from kp_core.studies.correlation.human import COLUMNS, near_miss_pairs, rating_order, rating_table
from kp_core.studies.correlation.human import with_ratings as judged
from kp_core.takeaway.workspace_file import rater_file
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show

_RATED, _RATER, _REFUSED = "ratings", "rater", "refused ratings"
SCORES = {0: "nothing in common", 1: "loosely related", 2: "related", 3: "nearly the same", 4: "the same"}


@dataclass
class _Rated:
    """The ratings of one data set: the pairs, and annotator → pair → score."""

    pairs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS), dtype="str"))
    scores: dict[str, dict[str, float]] = field(default_factory=dict)


def invited() -> str:
    """Return the rater whom the address invites, who sees only the rating form; empty for other users."""
    return link.chosen().get(_RATER, "").strip()


def _current_ratings() -> _Rated:
    """Return the ratings of the data on screen; other data have their own ratings."""
    ratings_by_data: dict[str, _Rated] = st.session_state.setdefault(_RATED, {})
    return ratings_by_data.setdefault(workspace.current().digest, _Rated())


def ratings() -> pd.DataFrame:
    """Return the ratings of this session as judgments; for an invited rater only his or her own."""
    scores, rater = _current_ratings().scores, invited()
    return rating_table(_current_ratings().pairs, {rater: scores.get(rater, {})} if rater else scores)


def with_ratings() -> pd.DataFrame:
    """Return the loaded judgments and the ratings of this session; of a person's scores for a pair, the last counts."""
    loaded, rated = workspace.corpus().judgements, ratings()
    if len(rated):
        st.caption(f"With {show.pluralize(rated['pair_id'].nunique(), 'pair')} rated on this page, from 0 to 4.")
    return judged(loaded, rated)


def section() -> None:
    """Let the user rate near misses, one at a time."""
    if not workspace.corpus().systems:
        show.lacks("No system is loaded, so there are no near misses to rate. Add the ranked phrases of a system.")
        return
    is_invited = bool(invited())
    show.about("correlation.rate")
    if is_invited:
        show.about("correlation.pause")
    left, right = st.columns(2)
    rater_name = left.text_input(
        "Name of the rater", invited() or "me", key=f"who rates {invited()}", disabled=is_invited
    )
    rater = str(rater_name).strip() or "me"
    number = controls.amount("Pairs of each type", 1, 100, 5, "pairs_of_type", right.number_input, disabled=is_invited)
    pairs = _pairs(number, rater)
    if not len(pairs):
        st.info("There are no near misses: every prediction is a keyphrase, or has no word in common with one.")
        return
    scores = _current_ratings().scores.setdefault(rater, {})
    unrated = pairs[~pairs["pair_id"].isin(list(scores))]
    st.progress(1 - len(unrated) / len(pairs), f"{len(pairs) - len(unrated)} of {len(pairs)} rated by you")
    if len(unrated):
        _rate_pair(unrated.iloc[0], scores)
    else:
        st.success(prose.text("correlation.rated_by_one") if is_invited else prose.text("correlation.rated"))
    rated, file_name = ratings(), f"ratings {invited()}".strip()
    with st.container(horizontal=True):
        controls.button("Back", "rate_back", scores.popitem, disabled=not scores, shortcut="B")
        kwargs = {"mime": "text/csv", "icon": None, "disabled": not len(rated)}
        make_csv = partial(typeset.unescaped_csv, rated)
        show.file("Download the ratings", make_csv, f"{file_name}.csv", "ratings csv", **kwargs)
    with st.expander("Continue with downloaded ratings"):
        controls.upload("Ratings", "ratings_file", _take, several=True)
        if words := st.session_state.pop(_REFUSED, ""):
            st.warning(show.plain(words))
    if not is_invited:
        _invite()


def _rate_pair(pair: pd.Series, scores: dict[str, float]) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        for side, words, phrase in ((left, "Keyphrase", "keyphrase"), (right, "Candidate", "candidate")):
            side.caption(words)
            side.markdown(f"#### {show.plain(str(pair[phrase]))}")
        show.small(f"Document: {pair['doc_id']}")
    for side, (score, words) in zip(st.columns(5), SCORES.items(), strict=True):
        label, more = f"{score} {words}", {"shortcut": str(score), "width": "stretch"}
        controls.button(label, f"rate_{score}", scores.__setitem__, str(pair["pair_id"]), score, container=side, **more)


def _pairs(number: int, rater: str) -> pd.DataFrame:
    new_pairs = near_miss_pairs(cached.near_misses().frame, number, 0)
    _remember_pairs(new_pairs)
    known_pairs, scores = _current_ratings().pairs, _current_ratings().scores.get(rater, {})
    return rating_order(known_pairs[known_pairs["pair_id"].isin({*new_pairs["pair_id"], *scores})], rater)


def _remember_pairs(pairs: pd.DataFrame) -> None:
    rating = _current_ratings()
    rating.pairs = pd.concat([rating.pairs, pairs]).drop_duplicates("pair_id", ignore_index=True)


def _invite() -> None:
    with st.expander("Have several people rate independently"):
        show.about("correlation.invite")
        names = st.text_input("Names, separated by commas", key="raters").split(",")
        for rater in dict.fromkeys(name.strip() for name in names if name.strip()):
            make_file = partial(rater_file, workspace.corpus(), settings.saved(rater=rater))
            label, file = f"File for {show.plain(rater)}", f"rate {rater}.kpscope"
            with st.container(horizontal=True, vertical_alignment="center"):
                show.file(label, make_file, file, f"file for {rater}", icon=None, width=220)
                if workspace.on_the_server():
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


def restore_ratings(table: pd.DataFrame) -> None:
    """Add ratings from a file to those of the data on screen."""
    if not len(table):
        return
    _remember_pairs(table[list(COLUMNS)])
    for rater, rows in table.groupby("annotator", sort=False):
        scores = _current_ratings().scores.setdefault(str(rater), {})
        scores |= dict(zip(rows["pair_id"], rows["score"], strict=True))
