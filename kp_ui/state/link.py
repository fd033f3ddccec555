"""Store the choices of a session in its address, and complete actions that a later click interrupted."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import streamlit as st

from kp_ui import ROOT

_CHOSEN, _WRITTEN, _ASKED = "chosen", "written link", "just chosen"


def file_of(page: str) -> Path:
    """Return the file of a page, which identifies it in Streamlit."""
    return ROOT / "pages" / f"{page}.py"


def chosen() -> dict[str, str]:
    """Return all choices, including those that the data on screen do not allow."""
    return cast("dict[str, str]", st.session_state.setdefault(_CHOSEN, {}))


def choose(name: str, text: str | None) -> None:
    """Store a choice of the user; None restores the default."""
    mark_user_action()
    set_default(name, text)


def mark_user_action() -> None:
    """Mark this run as caused by a click, so that the choices take precedence over the address."""
    st.session_state[_ASKED] = True


def set_default(name: str, text: str | None) -> None:
    """Store a value that the user did not choose in this run, such as the number of files on screen."""
    if text is None:
        chosen().pop(name, None)
    else:
        chosen()[name] = text


def presented() -> bool:
    """Return whether the page is presented: in large type and without navigation."""
    return chosen().get("present") == "true"


def restore(query: Mapping[str, str]) -> None:
    """Replace all choices."""
    st.session_state[_CHOSEN] = {name: text for name, text in query.items() if text}


def choose_all(query: Mapping[str, str]) -> None:
    """Replace all choices on request of the user."""
    mark_user_action()
    restore(query)


def written() -> dict[str, str]:
    """Return the parameters in the address."""
    return dict(st.session_state.get(_WRITTEN, {}))


def take() -> bool:
    """Replace all choices by those of an address that was opened; return whether there was one.

    An address is ignored after a click, or if this session wrote it. An address without choices comes from the
    navigation. It gets the current choices at once, because writing them later would add a step to the browser's
    history.
    """
    asked = st.query_params.to_dict()
    if st.session_state.pop(_ASKED, False) and written():
        return False  # a fast click can arrive with an outdated address
    if asked in ({}, written()):
        if written() and not asked:
            st.query_params.from_dict(written())
        return False
    restore(asked)
    return True


def write(link: dict[str, str]) -> None:
    """Write the whole address at once, so that all changes are one step in the browser's history."""
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
    st.session_state[_WRITTEN] = link


def address(**more: str) -> str:
    """Return the address of this page with all choices and further ones, without the data."""
    query = {name: st.query_params.get_all(name) for name in st.query_params} | more
    return urlsplit(st.context.url or "")._replace(query=urlencode(query, doseq=True), fragment="").geturl()


def go(page: str, **choices: str) -> None:
    """Open another page with changed choices."""
    st.switch_page(file_of(page), query_params=written() | choices)


def to(page: str, label: str, inside: Any = st, icon: str | None = None, **choices: str) -> None:
    """Draw a link to another page with changed choices."""
    inside.page_link(file_of(page), label=label, icon=icon, query_params=written() | choices)


_WAITING = "clicks"


def deferred(act: Callable[..., object], *given: Any) -> Callable[[], None]:
    """Return a callback for a control; if the next click interrupts it, it is run again before the page is drawn.

    Streamlit stops a callback at its first access to the session after the next click, and never repeats it, so on a
    busy server a choice could be lost. As an interrupted action starts again, it must be safe to repeat.
    """
    waiting = st.session_state.setdefault(_WAITING, {})

    def begin() -> None:
        waiting[object()] = partial(act, *given)  # without access to the session, which could be interrupted
        _run_pending(waiting)

    return begin


def run_pending() -> None:
    """Run the actions of earlier clicks that were interrupted."""
    _run_pending(st.session_state.get(_WAITING, {}))


def _run_pending(waiting: dict[object, Callable[[], object]]) -> None:
    for click, act in list(waiting.items()):
        try:
            act()
        except Exception:  # an error would recur; an interruption is no Exception
            waiting.pop(click, None)
            raise
        waiting.pop(click, None)
