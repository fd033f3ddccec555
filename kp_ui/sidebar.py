"""Draw the settings that hold on every page, and return them; every setting is part of the link."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import kp_core as kp
from kp_core.conventions import FIELDS
from kp_core.evaluate import resolve
from kp_core.settings import Settings, make_settings
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import SNOWBALL
from kp_ui import show, workspace

#: Constant bounds, so that new data never reset the control.
CUTOFFS = ("average", *(str(k) for k in range(1, 51)), "gold", "all")
_NORMALISERS = (
    "as the preset says", "none", "lower+space", "nfkc+lower+space", "nfkc+lower+space+porter-nltk",
    "nfkc+lower+space+porter-original", "nfkc+lower+space+porter-martin", "lower+space+porter-semeval",
    "nfkc+lower+space+possessive-drop+porter-nltk", "nfkc+lower+space+hyphen-split+porter-nltk",
    *(f"nfkc+lower+space+snowball-{code}" for code in SNOWBALL),
)  # fmt: skip
_AS_PRESET = "as the preset says"
#: Conventions with a control of their own in the sidebar, in the order a newcomer meets them.
_CONTROLS = ("gold_stemmed", "duplicates", "denominator", "average", "missing", "empty_gold", "gold_list", "hits_as",
             "variants", "filter", "ties", "gain", "ap", "ideal", "rr")  # fmt: skip


def draw() -> None:
    """Draw the controls; their values are read back by `settings`."""
    here, link = workspace.current(), st.query_params.to_dict()
    with st.sidebar:
        st.select_slider(
            "Number of keywords k",
            CUTOFFS,
            value="average",
            key="k",
            bind="query-params",
            help="How many phrases of each list count. “average” is the mean number of keyphrases an annotator gives a "
            "document, “gold” the gold size of each document, “all” the whole list. Arrow keys move it.",
        )
        words = st.empty()  # filled below, when the conventions are known on which the average depends
        st.selectbox(
            "Gold standard",
            ["union", "majority", "intersection", "votes", *here.corpus.annotators],
            key="annotators",
            bind="query-params",
            help="union: a keyphrase is what any annotator chose. majority: more than half of those who saw the "
            "document. votes: the number of annotators is the grade. Or one annotator alone.",
        )
        if workspace.has_grades() or st.session_state["annotators"] == "votes":
            st.number_input("Smallest grade that counts", 0.0, 1e9, 1.0, 1.0, "%g", key="rel", bind="query-params",
                            help=f"Grades and votes: {FIELDS['rel'].meaning}. nDCG weighs keyphrases by their "
                            "grade.")  # fmt: skip
        universes = (["ngrams:3", "ngrams:5"] if here.corpus.has_texts else []) + ["rankings", "vocabulary", "number"]
        st.selectbox(
            "Universe N",
            universes,
            key="universe",
            bind="query-params",
            help="How many phrases could have been chosen in a document: the word n-grams of its text, all phrases "
            "that any annotator or system lists for it, the vocabulary of the collection, or a number.",
        )
        if st.session_state.get("universe") == "number":
            st.number_input("Phrases per document", 1, 10**9, 1000, key="N", bind="query-params")
        st.selectbox(
            "Preset",
            list(kp.PRESETS),
            key="preset",
            bind="query-params",
            help="Conventions published with a data set or an evaluation script. Every one can be changed below.",
        )
        preset = kp.PRESETS[st.session_state["preset"]]
        if preset.k != ("average",):
            st.caption(show.plain(f"Published with k = {', '.join(map(str, preset.k))}."))
        with st.expander("Conventions"):
            st.caption(show.plain(preset.source))
            meaning = FIELDS["normalise"].meaning
            st.selectbox("normalise", _NORMALISERS, key="normalise", bind="query-params", help=meaning)
            for name in _CONTROLS:
                st.selectbox(
                    name, (_AS_PRESET, *FIELDS[name].values), key=name, bind="query-params", help=FIELDS[name].meaning
                )
            pooling = "Average of the concordance measures: sums of all tables, or the mean over documents."
            st.selectbox("pool", ("micro", "macro"), key="pool", bind="query-params", help=pooling)
    with words:
        st.caption(show.plain(cutoff_in_words()))
    _say_what_is_ignored(link)


def _say_what_is_ignored(link: dict[str, str]) -> None:
    """Say which settings of the link do not exist here, and what is used in their place."""
    for name in ("k", "annotators", "universe", "N", "preset", "pool", "normalise", *_CONTROLS):
        used = str(st.session_state.get(name, link.get(name)))
        if link.get(name, used) != used:
            st.warning(show.plain(f"The link asks for {name} = {link[name]}, which is no choice here; {used} is used."))


def settings() -> Settings:
    """Return the settings of the sidebar; `k` holds the cutoff in use."""
    state = st.session_state
    chosen = {name: state[name] for name in ("normalise", *_CONTROLS) if state.get(name, _AS_PRESET) != _AS_PRESET}
    universe = str(state["N"]) if state["universe"] == "number" else state["universe"]
    if "rel" in state:
        chosen["rel"] = state["rel"]
    made = make_settings(k=state["k"], preset_name=state["preset"], annotators=state["annotators"], **chosen)
    return replace(made, universe=universe, pool=state["pool"])


def normaliser() -> Normaliser:
    """Return the pipeline by which phrases are compared."""
    return Normaliser.parse(_resolved().conventions.normalise)


def _resolved() -> Settings:
    """Return the settings as an evaluation settles them for the data on screen, k being the average gold size."""
    corpus = workspace.current().corpus
    asked = replace(settings(), k=("average",))
    return resolve(corpus, asked)[0] if len(corpus.gold) else replace(asked, k=(1,))


def cutoff() -> int | str:
    """Return the cutoff in use as a number, or gold or all."""
    value = st.session_state["k"]
    if value == "average":
        return cutoff_of_average()
    return int(value) if value.isdigit() else str(value)


def cutoff_in_words() -> str:
    """Say what the cutoff is."""
    value, average = st.session_state["k"], cutoff_of_average()
    if value == "average":
        return f"k = {average}, the average gold size"
    words = {"gold": "k = the gold size of each document", "all": "k = all phrases returned"}
    return words.get(value, f"k = {value} (the average gold size is {average})")


def cutoff_of_average() -> int:
    """Return the average gold size of the data on screen, as an evaluation settles it."""
    return int(_resolved().k[0])
