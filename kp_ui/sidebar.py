"""Draw the settings that hold on every page, and return them; every setting is part of the link, which is given."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import cast
from urllib.parse import urlencode, urlsplit

import streamlit as st

import kp_core as kp
from kp_core.scoring.prepare import prepare
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.settings import FIELDS, Changes, Settings, format_value
from kp_core.text.normalise import Normaliser
from kp_core.text.stem import SNOWBALL
from kp_ui import controls, prose, show, workspace

#: Constant bounds, so that new data never reset the control.
CUTOFFS = ("average", *(str(k) for k in range(1, 51)), "gold", "all")
_NORMALISERS = (
    *("as the preset says", "none", "lower+space", "nfkc+lower+space"),
    *(f"nfkc+lower+space+porter-{mode}" for mode in ("nltk", "original", "martin")),
    "lower+space+porter-semeval",
    *(f"nfkc+lower+space+{rule}+porter-nltk" for rule in ("possessive-drop", "hyphen-split")),
    *(f"nfkc+lower+space+snowball-{code}" for code in SNOWBALL),
    *(f"lower+space+nltk-snowball-{code}" for code in ("en", "fr")),
)
_LARGEST_N, _LARGEST_GRADE = 10**9, 1e9
_AS_PRESET = "as the preset says"
#: Conventions with a control of their own in the sidebar, in the order a newcomer meets them.
_CONTROLS = (
    *(
        "by_concept",
        "gold_stemmed",
        "duplicates",
        "denominator",
        "average",
        "missing",
        "empty_gold",
        "gold_list",
        "hits_as",
    ),
    *("variants", "filter", "ties", "gain", "gains", "ap", "ap_repeats", "ideal", "rr", "titles"),
)
#: Every setting: the key of its widget, and its parameter in the link.
_SETTINGS = ("k", "annotators", "rel", "universe", "N", "preset", "normalise", *_CONTROLS)


def draw() -> None:
    """Draw the controls; their values are read back by `settings`."""
    here = workspace.current()
    with st.sidebar:
        st.select_slider("Cutoff k", CUTOFFS, key="k", bind="query-params", help=prose.helps("k"))
        words = st.empty()  # filled below, when the conventions are known on which the average depends
        controls.select(
            "Gold standard", ["union", "majority", "intersection", "votes", *here.corpus.annotators], "annotators"
        )
        if here.corpus.gold["relevance"].notna().any() or st.session_state["annotators"] == "votes":
            about = f"Grades and votes: {FIELDS['rel'].meaning}. nDCG weighs keyphrases by their grade."
            label, largest = "Smallest grade that counts", _LARGEST_GRADE
            st.number_input(label, 0.0, largest, 1.0, 1.0, "%g", key="rel", bind="query-params", help=about)
        else:
            st.session_state.pop("rel", None)  # it would go on counting where nobody sees it
        strings = here.corpus.has_texts and st.session_state.get("by_concept") != "yes"  # concepts are none of a text
        of_texts = ["ngrams:3", "ngrams:5", "candidates"] if strings else []
        universes = [*of_texts, "rankings", "vocabulary", "number"]
        if here.corpus.has_texts and names_sentences(here.corpus):
            universes = ["sentences", "rankings", "number"]  # n-grams of words are no sentences
        controls.select("Universe N", universes, "universe")
        if st.session_state.get("universe") == "number":
            st.number_input("Phrases per document", 1, _LARGEST_N, 1000, key="N", bind="query-params")
        controls.select("Preset", kp.PRESETS, "preset")
        preset = kp.PRESETS[st.session_state["preset"]]
        if preset.k != ("average",):
            st.caption(show.plain(f"Published with k = {', '.join(map(str, preset.k))}."))
        with st.expander("Conventions"):
            st.caption(show.plain(preset.source))
            controls.select("normalise", _NORMALISERS, "normalise", meaning=FIELDS["normalise"].meaning)
            for name in _CONTROLS:
                if name == "by_concept" and not here.corpus.has_concepts:
                    st.session_state.pop(name, None)
                    continue
                values = [value for value in FIELDS[name].values if value != "both"]  # a page shows one value a system
                controls.select(name, (_AS_PRESET, *values), name, meaning=FIELDS[name].meaning)
    with words:
        st.caption(show.plain(cutoff_in_words()))


def settings() -> Settings:
    """Return the settings of the sidebar; `k` holds the cutoff in use."""
    state = st.session_state
    chosen = {name: state[name] for name in ("normalise", *_CONTROLS) if state.get(name, _AS_PRESET) != _AS_PRESET}
    universe = str(state["N"]) if state["universe"] == "number" else state["universe"]
    if "rel" in state:
        chosen["rel"] = state["rel"]
    chosen |= {"k": state["k"], "preset": state["preset"], "annotators": state["annotators"], "universe": universe}
    return Settings(**cast(Changes, chosen))


def chosen() -> dict[str, str]:
    """Return every setting as its parameter in a link, also where it is the one that holds anyway."""
    return {name: str(st.session_state[name]) for name in _SETTINGS if name in st.session_state}


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
    settled = prepare(corpus, asked).settings if len(corpus.gold) else asked
    return kp.signature(settled.changed(k=asked.k), len(corpus.documents))


def normaliser() -> Normaliser:
    """Return the pipeline by which phrases are compared."""
    return Normaliser.parse(resolved().normalise)


def resolved() -> Settings:
    """Return the settings as an evaluation settles them for the data on screen, k being the average gold size."""
    corpus = workspace.current().corpus
    asked = settings()
    return prepare(corpus, asked, k="average").settings if len(corpus.gold) else asked.changed(k=1)


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
    return int(resolved().k[0])


def link() -> dict[str, list[str]]:
    """Return what the link asks for, before any control has taken its part."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def say_what_is_ignored(asked: Mapping[str, Sequence[str]]) -> None:
    """Say which choices of the link do not exist here, and what is used in their place; call it after the controls."""
    for name, values in asked.items():
        used = st.session_state.get(name)
        # What a control holds is plain; other things of the session have names too, and are nobody's business.
        if isinstance(used, str | bool | int | float | list) and not _taken(values, used):
            shown = ", ".join(map(str, used)) if isinstance(used, list) else used
            st.warning(
                show.plain(f"The link asks for {name} = {', '.join(values)}, which is no choice here; {shown} is used.")
            )


def _taken(values: Sequence[str], used: object) -> bool:
    """Tell whether a control holds what the link says.

    >>> _taken(["5"], 5), _taken(["true"], True), _taken(["a", "b"], ["a", "b"]), _taken(["banana"], "F1@k")
    (True, True, True, False)
    """
    if isinstance(used, list | tuple):
        return {str(one) for one in used} >= set(values)
    if isinstance(used, bool):
        return values[-1].lower() == str(used).lower()
    if isinstance(used, int | float):
        with suppress(ValueError):
            return float(values[-1]) == used
    return values[-1] == str(used)


def copy_link() -> None:
    """Show the link of this page with all its choices, to copy; the data are not in it."""
    with st.popover("Link to this view", icon=":material/link:"):
        query = urlencode(link() | _numbers(), doseq=True)
        address = urlsplit(st.context.url or "")._replace(query=query, fragment="").geturl()
        st.code(address, language=None, wrap_lines=True)
        st.caption("The link holds page and settings, not the data: others see the sample, or load the same files.")


def _numbers() -> dict[str, list[str]]:
    """Return the numbers in use as parameters of a link; the browser leaves out those that a workspace brought."""
    state = st.session_state
    used = ("rel", "N") if state.get("universe") == "number" else ("rel",)
    return {name: [format_value(state[name])] for name in used if name in state}
