"""Let people rate near misses on the page, by keyboard; the ratings are judgements like any others."""

from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import typeset
from kp_core.reading import Source
from kp_core.studies.correlation.human import near_miss_pairs, rating_table
from kp_core.studies.correlation.human import with_ratings as judged
from kp_ui import cached, prose, results, show, workspace

_RATED = "ratings"
SCORES = {0: "nothing in common", 1: "loosely related", 2: "related", 3: "nearly the same", 4: "the same"}


@dataclass
class _Rated:
    """What was rated of one data set: the pairs, {annotator: {pair: score}}, how the pairs were drawn, files read."""

    pairs: pd.DataFrame | None = None
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    drawn: int = 0
    files: set[str] = field(default_factory=set)


def _here() -> _Rated:
    """Return the ratings of the data on screen; those of other data wait until these are on screen again."""
    every: dict[str, _Rated] = st.session_state.setdefault(_RATED, {})
    return every.setdefault(workspace.current().digest, _Rated())


def ratings() -> pd.DataFrame:
    """Return the ratings of this session as judgements: pair_id, doc_id, keyphrase, candidate, annotator, score."""
    return rating_table(_here().pairs, _here().scores)


def with_ratings() -> pd.DataFrame:
    """Return the loaded judgements with the ratings made here; of two scores of one person the later one counts."""
    loaded, own = workspace.current().corpus.judgements, ratings()
    if len(own):
        st.caption(f"With {show.counted(own['pair_id'].nunique(), 'pair')} rated on this page, from 0 to 4.")
    return judged(loaded, own)


def section() -> None:
    """Show one near miss after the other to rate."""
    if not workspace.current().corpus.systems:
        results.lacks("No system is loaded, so there are no near misses to rate. Add the ranked phrases of a system.")
        return
    st.caption(prose.text("correlation.rate"))
    left, right = st.columns(2)
    rater = left.text_input("Who rates?", "me", key="rater").strip() or "me"
    number = int(right.number_input("Pairs of each type", 1, 100, 5, key="pairs_of_type"))
    pairs = _pairs(number)
    if not len(pairs):
        st.info("There are no near misses: every prediction is a keyphrase, or has no word in common with one.")
        return
    own = _here().scores.setdefault(rater, {})
    left_over = [place for place, pair in enumerate(pairs["pair_id"]) if pair not in own]
    st.progress(1 - len(left_over) / len(pairs), f"{len(pairs) - len(left_over)} of {len(pairs)} rated by you")
    if left_over:
        _one(pairs.iloc[left_over[0]], rater)
    else:
        st.success("All pairs are rated. The correlations on this page use them at once.")
    first, second, _ = st.columns([1, 1, 3])
    first.button("Back", key="rate_back", on_click=_back, args=(rater,), disabled=not own, shortcut="B")
    with second:
        done = ratings()
        data = partial(typeset.exchange_csv, done)
        label, about = "Download the ratings", "A table of judged pairs, as the Data page reads it."
        st.download_button(
            label, data, "ratings.csv", "text/csv", key="ratings csv", disabled=not len(done), help=about
        )
    _resume()


def _one(pair: pd.Series, rater: str) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        for column, words, phrase in ((left, "Keyphrase", "keyphrase"), (right, "Candidate", "candidate")):
            column.caption(words)
            column.markdown(f"#### {show.plain(str(pair[phrase]))}")
        st.caption(show.plain(f"Document: {pair['doc_id']}"))
    for column, (score, words) in zip(st.columns(5), SCORES.items(), strict=True):
        rated, key = (rater, str(pair["pair_id"]), score), f"rate_{score}"
        label, shortcut = f"{score} {words}", str(score)
        column.button(label, key=key, on_click=_rate, args=rated, shortcut=shortcut, width="stretch")


def _pairs(number: int) -> pd.DataFrame:
    """Return the pairs to rate; those rated already stay, whatever number is asked for."""
    here = _here()
    if here.pairs is None or here.drawn != number:
        fresh = near_miss_pairs(cached.near_misses().frame, number, 0)
        rated = {pair for one in here.scores.values() for pair in one}
        old = here.pairs[here.pairs["pair_id"].isin(rated)] if here.pairs is not None else fresh.iloc[:0]
        here.pairs = pd.concat([old, fresh]).drop_duplicates("pair_id", ignore_index=True)
        here.drawn = number
    return here.pairs


def _rate(rater: str, pair: str, score: int) -> None:
    _here().scores.setdefault(rater, {})[pair] = score


def _back(rater: str) -> None:
    _here().scores[rater].popitem()


def _resume() -> None:
    """Take up ratings that were downloaded before."""
    with st.expander("Go on with ratings that were downloaded before"):
        given = st.file_uploader("ratings.csv", key="ratings_file", max_upload_size=5)
        here = _here()
        if given is None or given.file_id in here.files:
            return
        try:
            table = kp.load(judgements=Source(given.name, given.getvalue())).judgements
        except (kp.InputError, kp.UsageError) as problem:
            show.error(problem)
            return
        if table["keyphrase"].isna().any():
            st.warning("This table has pairs without a keyphrase; only pairs of two phrases can be rated on.")
            return
        take_up(table)
        here.files.add(given.file_id)
        st.rerun()


def take_up(table: pd.DataFrame) -> None:
    """Add ratings made before to those of the data on screen."""
    if not len(table):
        return
    here = _here()
    pairs = table.drop_duplicates("pair_id")[["pair_id", "doc_id", "keyphrase", "candidate"]]
    known = [pairs, here.pairs] if here.pairs is not None else [pairs]
    here.pairs = pd.concat(known).drop_duplicates("pair_id", ignore_index=True)
    for rater, rows in table.groupby("annotator", sort=False):
        own = here.scores.setdefault(str(rater), {})
        own |= dict(zip(rows["pair_id"], rows["score"], strict=True))
