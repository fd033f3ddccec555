"""Let people rate near misses on the page, by keyboard; the ratings are judgements like any others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.export import tables
from kp_core.judgements.sample import near_miss_pairs, rating_table
from kp_core.reading import Source
from kp_ui import cached, show, workspace

_RATINGS, _PAIRS = "ratings", "rating pairs"
SCORES = {
    0: "nothing in common", 1: "loosely related", 2: "related", 3: "nearly the same", 4: "the same",
}  # fmt: skip


def ratings() -> pd.DataFrame:
    """Return the ratings of this session as judgements: pair_id, doc_id, keyphrase, candidate, annotator, score."""
    return rating_table(st.session_state.get(_PAIRS), st.session_state.get(_RATINGS, {}))


def section() -> None:
    """Show one near miss after the other to rate."""
    if not workspace.current().corpus.systems:
        st.info("No system is loaded, so there are no near misses to rate. Add the ranked phrases of a system.")
        return
    st.caption("Near misses of the loaded systems, drawn at random by type. Rate how well the candidate says what the "
               "keyphrase says: press 0 to 4 on the keyboard, or click. Nobody sees which "
               "system found it.")  # fmt: skip
    left, right = st.columns(2)
    rater = left.text_input("Who rates?", "me", key="rater").strip() or "me"
    number = int(right.number_input("Pairs of each type", 1, 100, 5, key="pairs_of_type"))
    pairs = _pairs(number)
    if not len(pairs):
        st.info("There are no near misses: every prediction is a keyphrase, or has no word in common with one.")
        return
    own: dict[str, float] = st.session_state.setdefault(_RATINGS, {}).setdefault(rater, {})
    left_over = [place for place, pair in enumerate(pairs["pair_id"]) if pair not in own]
    st.progress(1 - len(left_over) / len(pairs), f"{len(pairs) - len(left_over)} of {len(pairs)} rated by you")
    if left_over:
        _one(pairs.iloc[left_over[0]], rater)
    else:
        st.success("All pairs are rated. The correlations on this page use them at once.")
    first, second, _ = st.columns([1, 1, 3])
    first.button("Back", key="rate_back", on_click=_back, args=(rater,), disabled=not own, shortcut="B")
    with second:
        _download()
    _resume()


def _one(pair: pd.Series, rater: str) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        for column, words, phrase in ((left, "Keyphrase", "keyphrase"), (right, "Candidate", "candidate")):
            column.caption(words)
            column.markdown(f"#### {show.plain(str(pair[phrase]))}")
        st.caption(show.plain(f"Document: {pair['doc_id']}"))
    for column, (score, words) in zip(st.columns(5), SCORES.items(), strict=True):
        column.button(
            f"{score} {words}", key=f"rate_{score}", on_click=_rate, args=(rater, str(pair["pair_id"]), score),
            shortcut=str(score), width="stretch",
        )  # fmt: skip


def _pairs(number: int) -> pd.DataFrame:
    """Return the pairs to rate; those rated already stay, whatever number is asked for."""
    made = (workspace.current().digest, number)
    if st.session_state.get("rating made") != made:
        kept = st.session_state.get(_PAIRS)
        rated = {pair for one in st.session_state.get(_RATINGS, {}).values() for pair in one}
        fresh = near_miss_pairs(cached.near_misses().predictions, number, 0)
        old = kept[kept["pair_id"].isin(rated)] if kept is not None else fresh.iloc[:0]
        st.session_state[_PAIRS] = pd.concat([old, fresh]).drop_duplicates("pair_id", ignore_index=True)
        st.session_state["rating made"] = made
    found: pd.DataFrame = st.session_state[_PAIRS]
    return found


def _rate(rater: str, pair: str, score: int) -> None:
    st.session_state[_RATINGS][rater][pair] = score


def _back(rater: str) -> None:
    own = st.session_state[_RATINGS][rater]
    if own:
        own.popitem()


def _download() -> None:
    done = ratings()
    st.download_button(
        "Download the ratings", lambda: tables.exchange_csv(done), "ratings.csv", "text/csv", key="ratings csv",
        disabled=not len(done), help="A table of judged pairs, as the Data page reads it.",
    )  # fmt: skip


def _resume() -> None:
    """Take up ratings that were downloaded before."""
    with st.expander("Go on with ratings that were downloaded before"):
        given = st.file_uploader("ratings.csv", key="ratings_file", max_upload_size=5)
        if given is None or st.session_state.get("ratings read") == given.file_id:
            return
        try:
            corpus = kp.load(judgements=Source(given.name, given.getvalue()))
        except (kp.InputError, kp.UsageError) as problem:
            show.error(problem)
            return
        table = corpus.judgements
        pairs = table.drop_duplicates("pair_id")[["pair_id", "doc_id", "keyphrase", "candidate"]]
        old = st.session_state.get(_PAIRS)
        st.session_state[_PAIRS] = pd.concat([pairs, old] if old is not None else [pairs]).drop_duplicates(
            "pair_id", ignore_index=True
        )
        for rater, rows in table.groupby("annotator", sort=False):
            own = st.session_state.setdefault(_RATINGS, {}).setdefault(str(rater), {})
            own |= dict(zip(rows["pair_id"], rows["score"], strict=True))
        st.session_state["ratings read"] = given.file_id
        st.rerun()
