"""Draw controls that are part of the link, and drop zones; what each is for stands under its key in `prose.toml`."""

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
#: Control → the page on which it was drawn last, what it held then, and what takes another value.
_DRAWN = "drawn"
#: Whether what is drawn stands behind a button.
_FOLDED = "folded"


def held(name: str, usual: Any, read: Callable[[str], Any] = str, key: str = "") -> dict[str, Any]:
    """Set a control to what was chosen for it, and return the options that keep it in the link.

    usual: what contains unless something else is chosen; read: the value of a text, an error if it is none;
    key: that of the control, if several are for one choice
    """
    key, wanted = key or name, usual
    with suppress(KeyError, ValueError):
        wanted = read(link.chosen()[name])
    keep(key, wanted, partial(_take, name, key, _text(usual)))
    return {"key": key}


def keep(key: str, wanted: Any, take: Callable[[], None] | None = None) -> None:
    """Set a control where it stands otherwise; one that is written anew loses the keys pressed in the meantime.

    On another page it is another control to Streamlit, and behind a button it is made when that opens: there it begins
    at its first value unless it is written.

    take: what takes the value that a user sets in its place
    """
    page, drawn = st.session_state.get(settings.PAGE), st.session_state.setdefault(_DRAWN, {})
    anew = key not in drawn or drawn[key][0] != page or st.session_state.get(_FOLDED, False)
    if anew or key not in st.session_state or st.session_state[key] != wanted:
        st.session_state[key] = wanted
    drawn[key] = page, wanted, take


def take_changes() -> None:
    """Take what users set since the controls were drawn.

    Callbacks would lose some of it: see `link.does`. What a control contains stands until its page is drawn again.
    """
    drawn = st.session_state.setdefault(_DRAWN, {})
    for key, (page, last, take) in list(drawn.items()):
        if take and key in st.session_state and (now := st.session_state[key]) != last:
            take()
            drawn[key] = page, now, take


@contextmanager
def folded(label: str, inside: Any = st, **more: Any) -> Iterator[None]:
    """Draw a button that opens what is drawn inside this, controls that are part of the link."""
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
    """Draw a button that does something with what is given, before the page is drawn again."""
    inside.button(label, key=key, on_click=link.does(act, *given), **more)


def steps(name: str, options: Sequence[str], place: int, keys: bool = False) -> None:
    """Draw buttons that choose the option before and the one after a place; keys: their first letters do so too."""
    for label, to in (("Previous", place - 1), ("Next", place + 1)):
        there = options[to] if 0 <= to < len(options) else None
        more = {"disabled": there is None, "shortcut": label[0] if keys else None}
        button(label, f"{name}_{label.lower()}", link.choose, name, there, **more)


def among(options: Iterable[str]) -> Callable[[str], str]:
    """Return what reads one of some options."""
    return {option: option for option in options}.__getitem__


def one_of(draw: Callable[..., Any], label: str, options: Iterable[T], key: str, start: int = 0, **more: Any) -> T:
    """Let the user choose one of some options, at first the one at a place; they occurs in the link."""
    every = list(options)
    chosen: T = draw(label, every, **more, **held(key, every[start], among(every)))
    return chosen


def select(
    label: str, options: Iterable[T], key: str, start: int = 0, inside: Any = st, meaning: str = "", **more: Any
) -> T:
    """Let the user choose one of some options from a list, which is as wide as its words."""
    every = list(options)
    words: Callable[[T], str] = more.pop("format_func", partial(value, key))
    width = min(420, 64 + 8 * max(len(label), *map(len, map(words, every))))
    more = {"width": round(width * 1.5) if link.presented() else width, "help": meaning or helps(key)} | more
    return one_of(inside.selectbox, label, every, key, start, format_func=words, **more)


def of_file(label: str, words: Mapping[str, str], now: str, key: str, other: int | None = 0, **more: Any) -> str:
    """Let the user choose what holds for a file, value → words; it is no part of the link.

    now: what holds; other: the place of what is shown where that is none of the values
    """
    options = list(words)
    place = options.index(now) if now in words else other
    return str(st.selectbox(label, options, place, words.__getitem__, key=key, **more))


def pick(label: str, options: Iterable[str], key: str, words: Callable[[str], str] = str) -> str:
    """Let the user choose one of some options that occur in sight."""
    return one_of(st.pills, label, options, key, required=True, format_func=lambda option: show.plain(words(option)))


def several(
    label: str, options: Iterable[str], usual: Iterable[str], key: str, draw: Any = st.multiselect, **more: Any
) -> list[str]:
    """Let the user choose some of some options, which keep their order."""
    every = list(options)
    more |= held(key, list(usual), lambda text: [option for option in map(unquote, text.split(",")) if option in every])
    chosen = draw(label, every, **more)
    return [option for option in every if option in chosen]


def search(key: str, where: str) -> str:
    """Let the user search; where: what is looked at, in words."""
    hidden: dict[str, Any] = {"label_visibility": "collapsed", "placeholder": where}
    return str(st.text_input("Search", **held(key, ""), **hidden))


def amount(label: str, low: N, high: N, usual: N, key: str, draw: Any = st.number_input, **more: Any) -> N:
    """Let the user choose a number between two bounds; draw: a slider, or a field next to others."""

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
    """Let the user choose what to look at among a few views side by side, at first the first of them."""
    return one_of(st.segmented_control, label, options, key, required=True, label_visibility="collapsed")


def tabs(key: str, sections: Mapping[str, Callable[[], None]]) -> None:
    """Draw tabs, each with what draws its inside; only the open one is computed, and it is part of the link."""
    every = list(sections)
    more: dict[str, Any] = held(key, every[0], among(every)) | {"on_change": "rerun"}  # so that a tab knows it is open
    for tab, draw in zip(st.tabs(every, **more), sections.values(), strict=True):
        if tab.open:
            with tab, show.refusals():
                draw()


def open_tab(key: str, sections: Mapping[str, A]) -> A:
    """Return what stands under the tab that is open, before the tabs are drawn."""
    chosen = link.chosen().get(key, "")
    return sections.get(chosen) or next(iter(sections.values()))


#: The largest file in megabytes; one that is smaller than a megabyte is refused when it is read.
MEGABYTES = max(1, LIMITS.file_bytes // 1_000_000)


def upload(
    label: str,
    key: str,
    take: Callable[[list[Source]], None],
    several: bool | Literal["directory"] = True,
    folded: bool = False,
) -> None:
    """Show a file uploader that hands its files over together and is then empty: other pages lose its contents.

    take: called with the files; folded: whether to hide the label
    """
    turn = f"{key}_turn"
    zone = f"{key}_{st.session_state.setdefault(turn, 0)}"

    def dropped() -> None:
        if files := st.session_state.get(zone):
            take([Source(file.name, file.getvalue()) for file in files])
            st.session_state[turn] += 1

    more: dict[str, Any] = {"label_visibility": "collapsed" if folded else "visible", "help": helps(key)}
    more |= {"accept_multiple_files": several, "on_change": link.does(dropped)}
    st.file_uploader(label, key=zone, max_upload_size=MEGABYTES, **more)
