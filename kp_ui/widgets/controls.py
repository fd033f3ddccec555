"""Draw controls that are part of the link, and drop zones; `prose.toml` has their help by key."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Literal, TypeVar
from urllib.parse import quote, unquote

import streamlit as st

from kp_core.reading import LIMITS, Source
from kp_core.studies.trimming import THRESHOLDS
from kp_ui.state import link, settings
from kp_ui.widgets import show
from kp_ui.widgets.prose import helps, value

T = TypeVar("T", bound=str)
N = TypeVar("N", int, float)
A = TypeVar("A")
#: Key of the session: control → the page on which it was drawn last, its value, and its callback.
_DRAWN = "drawn"
#: Key of the session: whether controls are being drawn inside a popover.
_FOLDED = "folded"


def held(name: str, usual: Any, read: Callable[[str], Any] = str, key: str = "") -> dict[str, Any]:
    """Set a control to the chosen value, and return the options that make it part of the link.

    usual: the default; read: parses a text, and raises an error if it is invalid; key: that of the control, if several
    controls share one choice
    """
    key, wanted = key or name, usual
    with suppress(KeyError, ValueError):
        wanted = read(link.chosen()[name])
    keep(key, wanted, partial(_take, name, key, _text(usual)))
    return {"key": key}


def keep(key: str, wanted: Any, take: Callable[[], None] | None = None) -> None:
    """Set a control only if its value differs, because setting it loses keys pressed in the meantime.

    On another page, or when its popover opens, Streamlit creates the control anew, so its value must be set.

    take: called if the user changes the value
    """
    page, drawn = st.session_state.get(settings.PAGE), st.session_state.setdefault(_DRAWN, {})
    anew = key not in drawn or drawn[key][0] != page or st.session_state.get(_FOLDED, False)
    if anew or key not in st.session_state or st.session_state[key] != wanted:
        st.session_state[key] = wanted
    drawn[key] = page, wanted, take


def take_changes() -> None:
    """Apply the changes of users since the controls were drawn.

    Callbacks would lose some changes; see `link.deferred`.
    """
    drawn = st.session_state.setdefault(_DRAWN, {})
    for key, (page, last, take) in list(drawn.items()):
        if take and key in st.session_state and (now := st.session_state[key]) != last:
            take()
            drawn[key] = page, now, take


@contextmanager
def folded(label: str, inside: Any = st, **more: Any) -> Iterator[None]:
    """Draw a popover with controls that are part of the link."""
    with inside.popover(label, **more):
        st.session_state[_FOLDED] = True
        yield
    st.session_state[_FOLDED] = False


def _take(name: str, key: str, usual: str) -> None:
    text = _text(st.session_state[key])
    link.choose(name, None if text == usual else text)


def _text(chosen: object) -> str:
    if isinstance(chosen, list):
        return ",".join(quote(option, safe="@ ") for option in chosen) or "none"
    return str(chosen).lower() if isinstance(chosen, bool) else str(chosen)


def button(label: str, key: str, act: Callable[..., object], *given: Any, inside: Any = st, **more: Any) -> None:
    """Draw a button that calls a function with the given arguments before the page is drawn again."""
    inside.button(label, key=key, on_click=link.deferred(act, *given), **more)


def steps(name: str, options: Sequence[str], place: int, keys: bool = False) -> None:
    """Draw buttons for the previous and the next option; keys: whether their first letters are shortcuts."""
    for label, to in (("Previous", place - 1), ("Next", place + 1)):
        there = options[to] if 0 <= to < len(options) else None
        more = {"disabled": there is None, "shortcut": label[0] if keys else None}
        button(label, f"{name}_{label.lower()}", link.choose, name, there, **more)


def among(options: Iterable[str]) -> Callable[[str], str]:
    """Return a function that parses one of several options."""
    return {option: option for option in options}.__getitem__


def one_of(draw: Callable[..., Any], label: str, options: Iterable[T], key: str, start: int = 0, **more: Any) -> T:
    """Let the user choose one of several options, by default the one at a position; part of the link."""
    every = list(options)
    chosen: T = draw(label, every, **more, **held(key, every[start], among(every)))
    return chosen


def select(
    label: str, options: Iterable[T], key: str, start: int = 0, inside: Any = st, meaning: str = "", **more: Any
) -> T:
    """Let the user choose one of several options from a list that is as wide as its entries."""
    every = list(options)
    words: Callable[[T], str] = more.pop("format_func", partial(value, key))
    width = min(420, 64 + 8 * max(len(label), *map(len, map(words, every))))
    more = {"width": round(width * 1.5) if link.presented() else width, "help": meaning or helps(key)} | more
    return one_of(inside.selectbox, label, every, key, start, format_func=words, **more)


def of_file(label: str, words: Mapping[str, str], now: str, key: str, other: int | None = 0, **more: Any) -> str:
    """Let the user choose a setting of a file, value → words; not part of the link.

    now: the current value; other: position of the option that is shown for any other value
    """
    options = list(words)
    place = options.index(now) if now in words else other
    return str(st.selectbox(label, options, place, words.__getitem__, key=key, **more))


def pick(label: str, options: Iterable[str], key: str, words: Callable[[str], str] = str) -> str:
    """Let the user choose one of several visible options."""
    return one_of(st.pills, label, options, key, required=True, format_func=lambda option: show.plain(words(option)))


def several(
    label: str, options: Iterable[str], usual: Iterable[str], key: str, draw: Any = st.multiselect, **more: Any
) -> list[str]:
    """Let the user choose any of several options, and return them in their order."""
    every = list(options)
    more |= held(key, list(usual), lambda text: [option for option in map(unquote, text.split(",")) if option in every])
    chosen = draw(label, every, **more)
    return [option for option in every if option in chosen]


def search(key: str, where: str) -> str:
    """Let the user search; where: the searched texts, in words."""
    hidden: dict[str, Any] = {"label_visibility": "collapsed", "placeholder": where}
    return str(st.text_input("Search", **held(key, ""), **hidden))


def amount(label: str, low: N, high: N, usual: N, key: str, draw: Any = st.number_input, **more: Any) -> N:
    """Let the user choose a number between two bounds with a slider or a field."""

    def read(text: str) -> N:
        asked = type(usual)(text)
        if not low <= asked <= high:
            raise ValueError(text)
        return asked

    chosen: N = draw(label, low, high, **held(key, usual, read), help=helps(key), **more)
    return chosen


def of_k(label: str, key: str, inside: Any = st) -> float:
    """Let the user choose a threshold of agreement."""
    every = [f"{threshold:.2f}" for threshold in THRESHOLDS]
    return float(inside.select_slider(label, every, **held(key, "0.50", among(every))))


def switch(label: str, key: str, inside: Any = st, disabled: bool = False) -> bool:
    """Let the user turn something on."""
    return bool(inside.toggle(label, disabled=disabled, help=helps(key), **held(key, False, "true".__eq__)))


def views(label: str, options: Iterable[str], key: str) -> str:
    """Let the user choose one of a few views, by default the first."""
    return one_of(st.segmented_control, label, options, key, required=True, label_visibility="collapsed")


def tabs(key: str, sections: Mapping[str, Callable[[], None]]) -> None:
    """Draw tabs, each with its function; only the open tab is computed, and it is part of the link."""
    every = list(sections)
    more: dict[str, Any] = held(key, every[0], among(every)) | {"on_change": "rerun"}  # makes the open tab known
    for tab, draw in zip(st.tabs(every, **more), sections.values(), strict=True):
        if tab.open:
            with tab, show.refusals():
                draw()


def open_tab(key: str, sections: Mapping[str, A]) -> A:
    """Return the value of the open tab, before the tabs are drawn."""
    chosen = link.chosen().get(key, "")
    return sections.get(chosen) or next(iter(sections.values()))


#: Size limit of a file in megabytes, at least 1; a lower limit applies on reading.
MEGABYTES = max(1, LIMITS.file_bytes // 1_000_000)


def upload(
    label: str,
    key: str,
    take: Callable[[list[Source]], None],
    several: bool | Literal["directory"] = True,
    folded: bool = False,
) -> None:
    """Show a file uploader that passes on all files together and is then emptied.

    take: called with the files; folded: whether to hide the label
    """
    turn = f"{key}_turn"
    zone = f"{key}_{st.session_state.setdefault(turn, 0)}"

    def dropped() -> None:
        if files := st.session_state.get(zone):
            take([Source(file.name, file.getvalue()) for file in files])
            st.session_state[turn] += 1

    more: dict[str, Any] = {"label_visibility": "collapsed" if folded else "visible", "help": helps(key)}
    more |= {"accept_multiple_files": several, "on_change": link.deferred(dropped)}
    st.file_uploader(label, key=zone, max_upload_size=MEGABYTES, **more)
