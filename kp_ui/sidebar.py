"""Draw what stands beside every page: the data on screen, k, measure, gold standard, universe, preset, conventions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kp_core as kp
from kp_core.settings import FIELDS, in_words, question
from kp_ui import controls, link, prose, saving, settings, show, workspace

#: The controls in the order of the sidebar; k stands above them.
_MAIN = ("measure", "annotators", "rel", "universe", "N", "preset")


def draw() -> DeltaGenerator:
    """Draw the sidebar, and return the place of the link."""
    with st.sidebar:
        workspace.banner()
        if datasets := workspace.whole().corpus.datasets:
            controls.select("Data set", [workspace.EVERY, *datasets], workspace.DATASET)
        controls.upload("Drop your files here", "beside", saving.take_anywhere, folded=True)
        _cutoff("sidebar")
        for name in _MAIN:
            if _is_asked(name):
                _ask(name, "sidebar")
        changed = len(_changed())
        label = f"Change conventions · {changed}" if changed else "Change conventions"
        controls.button(label, "conventions", _open, icon=":material/tune:", width="stretch")
        with st.container(horizontal=True):
            saving.button("save")
            place = st.empty()
    copy_link(place)
    if st.session_state.pop("open conventions", False):
        _conventions()
    return place


def on_a_phone() -> None:
    """Draw k and measure above the page; a wide screen hides them, since they stand beside it there."""
    with st.container(key="narrow"):
        _cutoff("narrow")
        _ask("measure", "narrow")


def _is_asked(name: str) -> bool:
    return {"rel": settings.grades_count(), "N": settings.value("universe") == "number"}.get(name, True)


def _cutoff(place: str) -> None:
    """Draw a slider over numbers, and buttons for the cutoffs that follow the size of the gold standard."""
    now, number, size = settings.value("k"), f"k {place}", f"k by size {place}"
    cutoff = settings.cutoff()
    st.session_state[number] = min(cutoff, 50) if isinstance(cutoff, int) else settings.cutoff_of_average()
    st.session_state[size] = now if now in settings.BY_SIZE else None
    label = show.plain(settings.cutoff_in_words())
    st.slider(label, 1, 50, key=number, on_change=_take_number, args=(number,), help=prose.helps("k"))
    words, hidden = "Cutoffs that follow the gold standard", "collapsed"
    more: dict[str, Any] = {"format_func": lambda text: in_words("k", text), "label_visibility": hidden}
    st.pills(words, settings.BY_SIZE, key=size, on_change=_take_size, args=(size, number), **more)


def _take_number(key: str) -> None:
    link.choose("k", str(st.session_state[key]))


def _take_size(key: str, number: str) -> None:
    link.choose("k", st.session_state[key] or str(st.session_state[number]))


def _ask(name: str, place: str) -> None:
    """Draw the control of a setting: its question, and its values in words."""
    now, key = settings.value(name), f"{name} {place}"
    if name == "rel":
        more = controls.held(name, 1.0, lambda _: float(now), key)
        st.number_input(question(name), 0.0, 1e9, step=1.0, format="%g", **more)
    elif name == "N":
        st.number_input(question(name), 1, 10**9, **controls.held(name, 1000, lambda _: int(float(now)), key))
    else:
        about = show.meanings([now]) if name == "measure" else prose.helps(name) or ""
        _select(name, question(name), settings.options(name), key, about, settings.options(name)[0])


def _select(name: str, label: str, values: Sequence[str], key: str, about: str, usual: str) -> None:
    words = show.head if name == "measure" else partial(in_words, name)
    st.selectbox(
        label, values, format_func=words, help=about, **controls.held(name, usual, controls.among(values), key)
    )


def _changed() -> list[str]:
    """Return the conventions that are other than the preset says."""
    chosen = settings.chosen().items()
    return [name for name, text in chosen if name in settings.CONVENTIONS and text != settings.of_preset(name)]


def _open() -> None:
    st.session_state["open conventions"] = True


@st.dialog("Conventions", width="large", on_dismiss="rerun")
def _conventions() -> None:
    """Ask every convention as a question, beside what the preset says."""
    preset = settings.value("preset")
    show.small(f"{in_words('preset', preset)}: {kp.PRESETS[preset].source}.")
    if note := kp.PRESETS[preset].note:
        show.small(f"{note[:1].upper()}{note[1:]}.")
    changed = _changed()
    columns = st.columns(2, gap="medium")
    asked = [name for name in settings.CONVENTIONS if settings.options(name)]
    for place, name in enumerate(asked):
        with columns[place * 2 // len(asked)]:
            _ask_convention(name, name in changed)
    done, back = st.columns(2)
    if done.button("Done", key="conventions_done", type="primary", width="stretch"):
        st.rerun()
    label = f"Take back {show.counted(len(changed), 'change')}" if changed else "Nothing is changed"
    controls.button(label, "conventions_back", _take_back, inside=back, disabled=not changed, width="stretch")


def _ask_convention(name: str, changed: bool) -> None:
    says, values = settings.of_preset(name), settings.options(name)
    beside = f" (the preset: {show.plain(in_words(name, says))})" * changed
    label, about = f"{'**●** ' * changed}{question(name)}{beside}", show.plain(FIELDS[name].meaning)
    _select(name, label, values if says in values else (says, *values), f"convention {name}", about, says)


def _take_back() -> None:
    for name in settings.CONVENTIONS:
        link.choose(name, None)


def say_what_is_ignored() -> None:
    """Say which choices of the link do not exist here, and what is used in their place."""
    for name, text in settings.ignored().items():
        used = settings.value(name)
        st.warning(show.plain(f"The link asks for {name} = {text}, which is no choice here; {used} is used."))


def copy_link(place: DeltaGenerator) -> None:
    """Show the link of this page with all its choices, to copy; the data are not in it."""
    with place.popover("Link", icon=":material/link:"):
        st.code(link.address(), language=None, wrap_lines=True)
        st.caption("The link holds page and settings, not the data: others see the sample, or load the same files.")
