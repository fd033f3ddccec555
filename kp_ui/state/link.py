"""Store the choices of a session in its address, and rerun actions that a later click interrupted."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

import streamlit as st

from kp_ui import ROOT

_CHOICES, _LAST_LINK, _USER_ACTED = "chosen", "written link", "just chosen"


def file_of(page: str) -> Path:
    """Return the file of a page, which identifies it in Streamlit."""
    return ROOT / "pages" / f"{page}.py"


def chosen() -> dict[str, str]:
    """Return all choices of the user, including those that the data on screen do not allow."""
    return cast("dict[str, str]", st.session_state.setdefault(_CHOICES, {}))


def choose(name: str, text: str | None) -> None:
    """Store a choice of the user; None restores the default."""
    mark_user_action()
    set_default(name, text)


def choose_all(choices: Mapping[str, str | None]) -> None:
    """Store several choices of the user."""
    for name, text in choices.items():
        choose(name, text)


def mark_user_action() -> None:
    """Mark this run as caused by a click, so that the choices take precedence over the address."""
    st.session_state[_USER_ACTED] = True


def set_default(name: str, text: str | None) -> None:
    """Store a value that the user did not choose in this run, such as the name of the sample on screen."""
    if text is None:
        chosen().pop(name, None)
    else:
        chosen()[name] = text


def presented() -> bool:
    """Return whether the page is presented: in large type and without navigation."""
    return chosen().get("present") == "true"


def restore(query: Mapping[str, str]) -> None:
    """Replace all choices."""
    st.session_state[_CHOICES] = {name: text for name, text in query.items() if text}


def written() -> dict[str, str]:
    """Return the parameters that this session last wrote into the address."""
    return dict(st.session_state.get(_LAST_LINK, {}))


def read_address() -> None:
    """Replace all choices with those of an address that the user opened.

    An address is ignored after a click, or if this session wrote it. An address without choices comes from the
    navigation; the current choices are written into it immediately, because writing them later would add a step to
    the browser's history.
    """
    query = st.query_params.to_dict()
    if st.session_state.pop(_USER_ACTED, False) and written():
        return  # a fast click can arrive with an outdated address
    if query not in ({}, written()):
        restore(query)
    elif written() and not query:
        st.query_params.from_dict(written())


def write_address(link: dict[str, str]) -> None:
    """Write all parameters of the address together, so that all changes are one step in the browser's history."""
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
    st.session_state[_LAST_LINK] = link


def address(**changes: str) -> str:
    """Return the address of this page with the current choices and those given, but without the data."""
    query = {name: st.query_params.get_all(name) for name in st.query_params} | changes
    return urlsplit(st.context.url or "")._replace(query=urlencode(query, doseq=True), fragment="").geturl()


def go(page: str, **choices: str) -> None:
    """Open another page with the current choices and those given."""
    st.switch_page(file_of(page), query_params=written() | choices)


def to(page: str, label: str, icon: str | None = None, **choices: str) -> None:
    """Draw a link to another page with the current choices and those given."""
    st.page_link(file_of(page), label=label, icon=icon, query_params=written() | choices)


_PENDING = "clicks"


def deferred(action: Callable[..., object], *arguments: Any) -> Callable[[], None]:
    """Return a callback that runs an action; if the next click interrupts the action, it is rerun before the page.

    After the next click, Streamlit stops a callback at its first access to the session and never repeats it, so a busy
    server could lose a choice. Since an interrupted action is rerun from its start, it must be safe to repeat.
    """
    pending = st.session_state.setdefault(_PENDING, {})

    def callback() -> None:
        pending[object()] = partial(action, *arguments)  # without access to the session, which could be interrupted
        run_pending(pending)

    return callback


def run_pending(actions: dict[object, Callable[[], object]] | None = None) -> None:
    """Run actions of earlier clicks, by default all that were interrupted."""
    pending = st.session_state.get(_PENDING, {}) if actions is None else actions
    for click, action in list(pending.items()):
        try:
            action()
        except Exception:  # an error would recur; an interruption is no Exception
            pending.pop(click, None)
            raise
        pending.pop(click, None)
