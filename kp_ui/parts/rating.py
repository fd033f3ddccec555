"""Let several people rate near misses independently on the page; ratings are used like loaded judgments."""

from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.reading import Source
from kp_core.studies.correlation.human import COLUMNS, near_miss_pairs, order_of_rater, rating_table
from kp_core.studies.correlation.human import with_ratings as judged
from kp_core.takeaway.workspace_file import rater_file
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show

_RATED, _RATER, _REFUSED = "ratings", "rater", "refused ratings"
SCORES = {0: "nothing in common", 1: "loosely related", 2: "related", 3: "nearly the same", 4: "the same"}


@dataclass
class _Rated:
    """Ratings of one data set: the pairs, and {annotator: {pair: score}}."""

    pairs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS), dtype="str"))
    scores: dict[str, dict[str, float]] = field(default_factory=dict)


def invited() -> str:
    """Return the rater whom the address invites, who sees only the rating; empty for other users."""
    return link.chosen().get(_RATER, "").strip()


def _current_ratings() -> _Rated:
    """Return the ratings of the data on screen, apart from those of other data."""
    every: dict[str, _Rated] = st.session_state.setdefault(_RATED, {})
    return every.setdefault(workspace.current().digest, _Rated())


def ratings() -> pd.DataFrame:
    """Return the ratings of this session as judgments; an invited rater gets only his or her own."""
    scores, rater = _current_ratings().scores, invited()
    return rating_table(_current_ratings().pairs, {rater: scores.get(rater, {})} if rater else scores)


def with_ratings() -> pd.DataFrame:
    """Return the loaded judgments with the ratings of this session; a person's later score of a pair counts."""
    loaded, rated = workspace.corpus().judgements, ratings()
    if len(rated):
        st.caption(f"With {show.pluralize(rated['pair_id'].nunique(), 'pair')} rated on this page, from 0 to 4.")
    return judged(loaded, rated)


def section() -> None:
    """Show near misses one at a time for rating."""
    if not workspace.corpus().systems:
        show.lacks("No system is loaded, so there are no near misses to rate. Add the ranked phrases of a system.")
        return
    blind = bool(invited())
    show.about("correlation.rate")
    if blind:
        show.about("correlation.pause")
    left, right = st.columns(2)
    asked = left.text_input("Who rates?", invited() or "me", key=f"who rates {invited()}", disabled=blind)
    rater = str(asked).strip() or "me"
    number = controls.amount("Pairs of each type", 1, 100, 5, "pairs_of_type", right.number_input, disabled=blind)
    pairs = _pairs(number, rater)
    if not len(pairs):
        st.info("There are no near misses: every prediction is a keyphrase, or has no word in common with one.")
        return
    scores = _current_ratings().scores.setdefault(rater, {})
    left_over = pairs[~pairs["pair_id"].isin(list(scores))]
    st.progress(1 - len(left_over) / len(pairs), f"{len(pairs) - len(left_over)} of {len(pairs)} rated by you")
    if len(left_over):
        _rate_pair(left_over.iloc[0], scores)
    else:
        st.success(prose.text("correlation.rated_by_one") if blind else prose.text("correlation.rated"))
    first, second, _ = st.columns([1, 1, 3])
    controls.button("Back", "rate_back", scores.popitem, inside=first, disabled=not scores, shortcut="B")
    done, file = ratings(), " ".join(filter(None, ("ratings", invited())))
    more = {"mime": "text/csv", "icon": None, "disabled": not len(done)}
    make = partial(typeset.exchange_csv, done)
    with second:
        about = "A table of judged pairs, as the Data page reads it."
        show.file("Download the ratings", make, f"{file}.csv", "ratings csv", help=about, **more)
    _resume()
    if not blind:
        _invite()


def _rate_pair(pair: pd.Series, ratings: dict[str, float]) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        for column, words, phrase in ((left, "Keyphrase", "keyphrase"), (right, "Candidate", "candidate")):
            column.caption(words)
            column.markdown(f"#### {show.plain(str(pair[phrase]))}")
        show.small(f"Document: {pair['doc_id']}")
    for column, (score, words) in zip(st.columns(5), SCORES.items(), strict=True):
        label, more = f"{score} {words}", {"shortcut": str(score), "width": "stretch"}
        controls.button(label, f"rate_{score}", ratings.__setitem__, str(pair["pair_id"]), score, inside=column, **more)


def _pairs(number: int, rater: str) -> pd.DataFrame:
    """Return the drawn pairs and those already rated by this rater, in the order of this rater."""
    drawn = near_miss_pairs(cached.near_misses().frame, number, 0)
    _remember_pairs(drawn)
    every, scores = _current_ratings().pairs, _current_ratings().scores.get(rater, {})
    return order_of_rater(every[every["pair_id"].isin({*drawn["pair_id"], *scores})], rater)


def _remember_pairs(pairs: pd.DataFrame) -> None:
    rating = _current_ratings()
    rating.pairs = pd.concat([rating.pairs, pairs]).drop_duplicates("pair_id", ignore_index=True)


def _invite() -> None:
    """Offer each rater a file that opens the rating only, and a link if the data are on the server."""
    with st.expander("Let several people rate, blind to each other"):
        show.about("correlation.invite")
        names = st.text_input("Names, with commas between them", key="raters").split(",")
        for rater in dict.fromkeys(name.strip() for name in names if name.strip()):
            make = partial(rater_file, workspace.corpus(), settings.saved(rater=rater))
            label, file = f"File for {show.plain(rater)}", f"rate {rater}.kpscope"
            with st.container(horizontal=True, vertical_alignment="center"):
                show.file(label, make, file, f"file for {rater}", icon=None, width=220)
                if workspace.on_the_server():
                    st.code(link.address(rater=rater), language=None)


def _resume() -> None:
    with st.expander("Go on with ratings that were downloaded before"):
        controls.upload("Ratings", "ratings_file", _take, several=True)
        if words := st.session_state.pop(_REFUSED, ""):
            st.warning(show.plain(words))


def _take(files: list[Source]) -> None:
    try:
        table = kp.load(judgements=files).judgements
    except (kp.InputError, kp.UsageError) as problem:
        st.session_state[_REFUSED] = str(problem)
        return
    rated = table[table["annotator"] == invited()] if invited() else table
    if table["keyphrase"].isna().any():
        st.session_state[_REFUSED] = (
            "This table has pairs without a keyphrase; only pairs of two phrases can be rated on."
        )
    elif not len(rated):
        st.session_state[_REFUSED] = f"Nothing in this file was rated by {invited()}."
    else:
        take_up(rated)


def take_up(table: pd.DataFrame) -> None:
    """Add earlier ratings to those of the data on screen."""
    if not len(table):
        return
    _remember_pairs(table[list(COLUMNS)])
    for rater, rows in table.groupby("annotator", sort=False):
        scores = _current_ratings().scores.setdefault(str(rater), {})
        scores |= dict(zip(rows["pair_id"], rows["score"], strict=True))
