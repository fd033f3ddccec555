"""Hold every choice of a session, and keep it in the address; carry out clicks, even where the next one stops them."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import streamlit as st

from kp_ui import ROOT

_CHOSEN, _WRITTEN, _ASKED = "chosen", "written link", "just chosen"


def file_of(page: str) -> Path:
    """Return the file of a page, by which Streamlit knows it."""
    return ROOT / "pages" / f"{page}.py"


def chosen() -> dict[str, str]:
    """Return every choice, also those that the data on screen do not allow."""
    return cast("dict[str, str]", st.session_state.setdefault(_CHOSEN, {}))


def choose(name: str, text: str | None) -> None:
    """Choose a value, as the user asks; None takes the choice back, so that the usual one holds."""
    stay()
    settle(name, text)


def stay() -> None:
    """Note that this run comes from a click in the page: an address that came with it is older than the choices."""
    st.session_state[_ASKED] = True


def settle(name: str, text: str | None) -> None:
    """Put a value among the choices that nobody asked for in this run, such as the number of files on screen."""
    if text is None:
        chosen().pop(name, None)
    else:
        chosen()[name] = text


def presented() -> bool:
    """Return whether the page is shown in large type and alone, for the back row of a room; it is part of the link."""
    return chosen().get("present") == "true"


def restore(query: Mapping[str, str]) -> None:
    """Put other choices in the place of all."""
    st.session_state[_CHOSEN] = {name: text for name, text in query.items() if text}


def choose_all(query: Mapping[str, str]) -> None:
    """Put other choices in the place of all, as the user asks."""
    stay()
    restore(query)


def written() -> dict[str, str]:
    """Return what occurs in the address."""
    return dict(st.session_state.get(_WRITTEN, {}))


def take() -> bool:
    """Take the choices of an address that was opened, or gone back to, in the place of all; tell whether there are any.

    An address says nothing new where the user has just chosen something, or where this session wrote it. One without
    any choice comes from the navigation, and gets the choices before Streamlit makes the address of the page: written
    later, they would be a second step back.
    """
    asked = st.query_params.to_dict()
    if st.session_state.pop(_ASKED, False) and written():
        return False  # a browser whose keys are faster than we are still has an older address
    if asked in ({}, written()):
        if written() and not asked:
            st.query_params.from_dict(written())
        return False
    restore(asked)
    return True


def write(link: dict[str, str]) -> None:
    """Write the whole address together: all that changed since the last time is one step that can be gone back."""
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
    st.session_state[_WRITTEN] = link


def address(**more: str) -> str:
    """Return the address of this page with all its choices, and others next to them; the data are not in it."""
    query = {name: st.query_params.get_all(name) for name in st.query_params} | more
    return urlsplit(st.context.url or "")._replace(query=urlencode(query, doseq=True), fragment="").geturl()


def go(page: str, **choices: str) -> None:
    """Open another page, with other choices."""
    st.switch_page(file_of(page), query_params=written() | choices)


def to(page: str, label: str, inside: Any = st, icon: str | None = None, **choices: str) -> None:
    """Offer another page, with other choices."""
    inside.page_link(file_of(page), label=label, icon=icon, query_params=written() | choices)


_WAITING = "clicks"


def does(act: Callable[..., object], *given: Any) -> Callable[[], None]:
    """Return what does something when a control changes; what the next click stops is done before its page is drawn.

    Streamlit ends a callback at its first look into the session after the next click, and never calls it again: on a
    busy server a choice would be lost to the key that closes its menu. What is stopped half-way begins anew, so it
    changes nothing before its last look, or the same thing once more.
    """
    waiting = st.session_state.setdefault(_WAITING, {})

    def begin() -> None:
        waiting[object()] = partial(act, *given)  # no look into the session, which would come too late
        _carry_out(waiting)

    return begin


def carry_out() -> None:
    """Do what earlier clicks asked for and could not do."""
    _carry_out(st.session_state.get(_WAITING, {}))


def _carry_out(waiting: dict[object, Callable[[], object]]) -> None:
    for click, act in list(waiting.items()):
        try:
            act()
        except Exception:  # a fault of ours, which would come again; the end of a run is no Exception
            waiting.pop(click, None)
            raise
        waiting.pop(click, None)
