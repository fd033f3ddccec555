"""Draw controls whose values are part of the link, and drop zones; `prose.toml` has the help of each by key."""

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
#: Key in the session state of: control → the page on which it was last drawn, its value, and its callback.
_DRAWN = "drawn"
#: Key in the session state of: whether controls are being drawn inside a popover.
_FOLDED = "folded"


def linked(name: str, default: Any, read: Callable[[str], Any] = str) -> dict[str, Any]:
    """Set a control to the chosen value, and return the option that makes its value part of the link.

    * `read`: parses the text in the link, and raises KeyError or ValueError if the text is invalid
    """
    value = default
    with suppress(KeyError, ValueError):
        value = read(link.chosen()[name])
    set_control(name, value, partial(_store_choice, name, _text(default)))
    return {"key": name}


def set_control(key: str, value: Any, on_change: Callable[[], None] | None = None) -> None:
    """Set a control only if its value differs, because setting a value discards what the user types in the meantime.

    On another page, or when its popover opens, Streamlit creates a new control, so its value must be set.

    * `on_change`: called if the user changes the value
    """
    page, drawn_controls = st.session_state.get(settings.PAGE), st.session_state.setdefault(_DRAWN, {})
    is_new = key not in drawn_controls or drawn_controls[key][0] != page or st.session_state.get(_FOLDED, False)
    if is_new or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    drawn_controls[key] = page, value, on_change


def take_changes() -> None:
    """Apply the changes that the user made since the controls were drawn.

    Streamlit's callbacks would lose some changes; see `link.deferred`.
    """
    drawn_controls = st.session_state.setdefault(_DRAWN, {})
    for key, (page, previous, on_change) in list(drawn_controls.items()):
        if on_change and key in st.session_state and (current := st.session_state[key]) != previous:
            on_change()
            drawn_controls[key] = page, current, on_change


@contextmanager
def folded(label: str, **kwargs: Any) -> Iterator[None]:
    """Draw a popover for controls that are part of the link."""
    with st.popover(label, **kwargs):
        st.session_state[_FOLDED] = True
        yield
    st.session_state[_FOLDED] = False


def _store_choice(name: str, default: str) -> None:
    text = _text(st.session_state[name])
    link.choose(name, None if text == default else text)


def _text(chosen: object) -> str:
    if isinstance(chosen, list):
        return ",".join(quote(option, safe="@ ") for option in chosen) or "none"
    return str(chosen).lower() if isinstance(chosen, bool) else str(chosen)


def button(label: str, key: str, action: Callable[..., object], *args: Any, container: Any = st, **kwargs: Any) -> None:
    """Draw a button that calls a function with arguments before the page is drawn again."""
    container.button(label, key=key, on_click=link.deferred(action, *args), **kwargs)


def steps(name: str, options: Sequence[str], position: int) -> None:
    """Draw buttons for the previous and the next option, which the keys P and N press, too."""
    for label, target in (("Previous", position - 1), ("Next", position + 1)):
        option = options[target] if 0 <= target < len(options) else None
        kwargs = {"disabled": option is None, "shortcut": label[0]}
        button(label, f"{name}_{label.lower()}", link.choose, name, option, **kwargs)


def turn(name: str, options: Sequence[str], step: int) -> bool:
    """Choose the option `step` places after the chosen one, and return whether there is one."""
    chosen = link.chosen().get(name, "")
    position = (options.index(chosen) if chosen in options else 0) + step
    if is_possible := 0 <= position < len(options):
        link.choose(name, options[position])
    return is_possible


def among(options: Iterable[str]) -> Callable[[str], str]:
    """Return a function that returns its argument if it is one of the options, and raises KeyError otherwise."""
    return {option: option for option in options}.__getitem__


def one_of(draw: Callable[..., Any], label: str, options: Iterable[T], key: str, start: int = 0, **kwargs: Any) -> T:
    """Let the user choose an option; the choice is part of the link. `start`: position of the default"""
    choices = list(options)
    chosen: T = draw(label, choices, **kwargs, **linked(key, choices[start], among(choices)))
    return chosen


def select(
    label: str, options: Iterable[T], key: str, start: int = 0, container: Any = st, meaning: str = "", **kwargs: Any
) -> T:
    """Let the user choose an option from a drop-down list that is as wide as its entries. `meaning`: the help"""
    choices = list(options)
    in_words: Callable[[T], str] = kwargs.pop("format_func", partial(value, key))
    width = min(420, 64 + 8 * max(len(label), *map(len, map(in_words, choices))))
    kwargs = {"width": round(width * 1.5) if link.presented() else width, "help": meaning or helps(key)} | kwargs
    return one_of(container.selectbox, label, choices, key, start, format_func=in_words, **kwargs)


def choice(label: str, labels: Mapping[str, str], current: str, key: str, **kwargs: Any) -> str:
    """Let the user choose a setting of a file; the choice is not part of the link. `labels`: value → words"""
    options = list(labels)
    position = options.index(current) if current in labels else 0
    return str(st.selectbox(label, options, position, labels.__getitem__, key=key, **kwargs))


def pick(label: str, options: Iterable[str], key: str, in_words: Callable[[str], str] = str) -> str:
    """Let the user choose one of several options, all of which are visible."""
    return one_of(st.pills, label, options, key, required=True, format_func=lambda option: show.plain(in_words(option)))


def several(
    label: str, options: Iterable[str], default: Iterable[str], key: str, draw: Any = st.multiselect, **kwargs: Any
) -> list[str]:
    """Let the user choose any number of options, and return them in the order of the options."""
    every = list(options)
    kwargs |= linked(key, list(default), lambda text: [item for item in map(unquote, text.split(",")) if item in every])
    chosen = draw(label, every, **kwargs)
    return [item for item in every if item in chosen]


def search(key: str, placeholder: str) -> str:
    """Draw a search field, and return the query."""
    return str(st.text_input("Search", **linked(key, ""), label_visibility="collapsed", placeholder=placeholder))


def amount(label: str, low: N, high: N, default: N, key: str, draw: Any = st.number_input, **kwargs: Any) -> N:
    """Let the user choose a number between two bounds, with a number field or a slider."""

    def read(text: str) -> N:
        number = type(default)(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    chosen: N = draw(label, low, high, **linked(key, default, read), help=helps(key), **kwargs)
    return chosen


def threshold_of_k(label: str, key: str) -> float:
    """Let the user choose a threshold of agreement K."""
    labels = [f"{threshold:.2f}" for threshold in THRESHOLDS]
    return float(st.select_slider(label, labels, **linked(key, "0.50", among(labels))))


def switch(label: str, key: str, disabled: bool = False) -> bool:
    """Draw a switch that is off by default; return whether it is on."""
    return bool(st.toggle(label, disabled=disabled, help=helps(key), **linked(key, False, "true".__eq__)))


def views(label: str, options: Iterable[str], key: str) -> str:
    """Let the user choose a view; the first is the default."""
    return one_of(st.segmented_control, label, options, key, required=True, label_visibility="collapsed")


def tabs(key: str, sections: Mapping[str, Callable[[], object]]) -> None:
    """Draw tabs: title → function that draws the tab. Only the open tab is computed; its title is part of the link."""
    titles = list(sections)
    kwargs: dict[str, Any] = linked(key, titles[0], among(titles)) | {"on_change": "rerun"}  # makes the open tab known
    for tab, draw in zip(st.tabs(titles, **kwargs), sections.values(), strict=True):
        if tab.open:
            with tab, show.refusals():
                draw()


def open_tab(key: str, sections: Mapping[str, A]) -> A:
    """Return the entry of the tab that is open, or will be when the tabs are drawn."""
    chosen = link.chosen().get(key, "")
    return sections.get(chosen) or next(iter(sections.values()))


#: Maximum size of an uploaded file in megabytes, at least 1; reading may have a lower limit.
MEGABYTES = max(1, LIMITS.file_bytes // 1_000_000)


def upload(
    label: str,
    key: str,
    on_drop: Callable[[list[Source]], None],
    several: bool | Literal["directory"] = True,
    folded: bool = False,
) -> None:
    """Draw a file uploader, which is emptied after each upload.

    * `on_drop`: called with all files of an upload; `folded`: whether to hide the label
    """
    counter = f"{key}_turn"
    uploader_key = f"{key}_{st.session_state.setdefault(counter, 0)}"

    def pass_on_files() -> None:
        if files := st.session_state.get(uploader_key):
            on_drop([Source(file.name, file.getvalue()) for file in files])
            st.session_state[counter] += 1

    kwargs: dict[str, Any] = {"label_visibility": "collapsed" if folded else "visible", "help": helps(key)}
    kwargs |= {"accept_multiple_files": several, "on_change": link.deferred(pass_on_files)}
    st.file_uploader(label, key=uploader_key, max_upload_size=MEGABYTES, **kwargs)
