"""Draw the settings that hold on every page, and return them; every setting is part of the link."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import streamlit as st

import kp_core as kp
from kp_core.conventions import FIELDS
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.settings import Settings, format_value, make_settings
from kp_core.studies.evaluate import resolve
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import SNOWBALL
from kp_ui import show, workspace

#: Constant bounds, so that new data never reset the control.
CUTOFFS = ("average", *(str(k) for k in range(1, 51)), "gold", "all")
_NORMALISERS = (
    "as the preset says",
    "none",
    "lower+space",
    "nfkc+lower+space",
    "nfkc+lower+space+porter-nltk",
    "nfkc+lower+space+porter-original",
    "nfkc+lower+space+porter-martin",
    "lower+space+porter-semeval",
    "nfkc+lower+space+possessive-drop+porter-nltk",
    "nfkc+lower+space+hyphen-split+porter-nltk",
    *(f"nfkc+lower+space+snowball-{code}" for code in SNOWBALL),
)
_LARGEST_N, _LARGEST_GRADE = 10**9, 1e9
_AS_PRESET = "as the preset says"
#: Conventions with a control of their own in the sidebar, in the order a newcomer meets them.
_CONTROLS = (
    "gold_stemmed",
    "duplicates",
    "denominator",
    "average",
    "missing",
    "empty_gold",
    "gold_list",
    "hits_as",
    "variants",
    "filter",
    "ties",
    "gain",
    "ap",
    "ideal",
    "rr",
)
#: Every setting: the key of its widget, and its parameter in the link.
_SETTINGS = ("k", "annotators", "rel", "universe", "N", "preset", "pool", "normalise", *_CONTROLS)


def draw() -> None:
    """Draw the controls; their values are read back by `settings`."""
    here = workspace.current()
    with st.sidebar:
        st.select_slider(
            "Cutoff k",
            CUTOFFS,
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
            st.number_input(
                "Smallest grade that counts",
                0.0,
                _LARGEST_GRADE,
                1.0,
                1.0,
                "%g",
                key="rel",
                bind="query-params",
                help=f"Grades and votes: {FIELDS['rel'].meaning}. nDCG weighs keyphrases by their grade.",
            )
        else:
            st.session_state.pop("rel", None)  # it would go on counting where nobody sees it
        of_texts = ["ngrams:3", "ngrams:5", "candidates"] if here.corpus.has_texts else []
        universes = [*of_texts, "rankings", "vocabulary", "number"]
        if here.corpus.has_texts and names_sentences(here.corpus):
            universes = ["sentences", "rankings", "number"]  # n-grams of words are no sentences
        st.selectbox(
            "Universe N",
            universes,
            key="universe",
            bind="query-params",
            help="How many phrases could have been chosen in a document: the word n-grams of its text, its candidates "
            "(chunks of adjectives and nouns, for English texts), all phrases that any annotator or system lists for "
            "it, the vocabulary of the collection, or a number; where sentences are chosen, the sentences of its text.",
        )
        if st.session_state.get("universe") == "number":
            st.number_input("Phrases per document", 1, _LARGEST_N, 1000, key="N", bind="query-params")
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


def settings() -> Settings:
    """Return the settings of the sidebar; `k` holds the cutoff in use."""
    state = st.session_state
    chosen = {name: state[name] for name in ("normalise", *_CONTROLS) if state.get(name, _AS_PRESET) != _AS_PRESET}
    universe = str(state["N"]) if state["universe"] == "number" else state["universe"]
    if "rel" in state:
        chosen["rel"] = state["rel"]
    made = make_settings(k=state["k"], preset_name=state["preset"], annotators=state["annotators"], **chosen)
    return replace(made, universe=universe, pool=state["pool"])


def chosen() -> dict[str, str]:
    """Return every setting as its parameter in a link, also where it is the one that holds anyway."""
    return {name: str(st.session_state[name]) for name in _SETTINGS if name in st.session_state}


def numbers() -> dict[str, list[str]]:
    """Return the numbers in use as parameters of a link; the browser leaves out those that a workspace brought."""
    state = st.session_state
    used = ("rel", "N") if state.get("universe") == "number" else ("rel",)
    return {name: [format_value(state[name])] for name in used if name in state}


def restore(query: Mapping[str, str]) -> None:
    """Set the settings anew, before they are drawn; a value that is no choice here becomes the first one."""
    st.session_state.pop("rel", None)
    for name in _SETTINGS:
        value = query.get(name, "")
        if name == "rel":
            with suppress(ValueError):
                if 0 <= float(value) <= _LARGEST_GRADE:
                    st.session_state[name] = float(value)
        elif name != "N" and value:
            st.session_state[name] = value
        elif value.isdecimal() and 1 <= int(value) <= _LARGEST_N:
            st.session_state[name] = int(value)


def signature() -> str:
    """Return the settings as one line, k as it was chosen."""
    corpus, asked = workspace.current().corpus, settings()
    settled = resolve(corpus, asked)[0] if len(corpus.gold) else asked
    return kp.signature(replace(settled, k=asked.k), len(corpus.documents))


def normaliser() -> Normaliser:
    """Return the pipeline by which phrases are compared."""
    return Normaliser.parse(_resolved().conventions.normalise)


def gold_is_stemmed() -> bool:
    """Return whether the gold standard was released as stems, as the settings say."""
    return _resolved().conventions.gold_stemmed == "yes"


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
    if not len(workspace.current().corpus.gold):
        return "k = the average gold size, once a gold standard is loaded" if value == "average" else f"k = {value}"
    if value == "average":
        return f"k = {average}, the average gold size"
    words = {"gold": "k = the gold size of each document", "all": "k = all phrases returned"}
    return words.get(value, f"k = {value} (the average gold size is {average})")


def cutoff_of_average() -> int:
    """Return the average gold size of the data on screen, as an evaluation settles it."""
    return int(_resolved().k[0])
