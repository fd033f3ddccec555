"""Draw controls that are part of the link, and drop zones; what each is for stands under its key in `prose.toml`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

import streamlit as st

from kp_core.reading import LIMITS, Source
from kp_ui.prose import helps, value


def select(
    label: str,
    options: Iterable[str],
    key: str,
    start: int = 0,
    inside: Any = st,
    meaning: str | None = None,
    linked: bool = True,
    **more: Any,
) -> str:
    """Let the user choose one of some options, at first the one at a place; options are literal, as in the link."""
    bind = "query-params" if linked else None
    begin = {} if key in st.session_state else {"index": start}  # a control has a default or a state, not both
    about = meaning or helps(key)
    return str(inside.selectbox(label, list(options), key=key, bind=bind, help=about, **begin, **more))


def choice(label: str, options: Iterable[str], key: str, **more: Any) -> str:
    """Let the user choose one of some values, which are shown and linked in words; return the value."""
    words = {value(key, one): one for one in options}
    return words[select(label, words, key, **more)]


def switch(label: str, key: str, inside: Any = st, disabled: bool = False) -> bool:
    """Let the user turn something on."""
    return bool(inside.toggle(label, key=key, bind="query-params", disabled=disabled, help=helps(key)))


def views(label: str, options: Iterable[str], key: str, folded: bool = False, linked: bool = True) -> str:
    """Let the user choose what to look at among a few views side by side, at first the first of them."""
    every = list(options)
    hidden: Literal["collapsed", "visible"] = "collapsed" if folded else "visible"
    bind: Literal["query-params"] | None = "query-params" if linked else None
    chosen = st.segmented_control(
        label, every, default=every[0], required=True, key=key, bind=bind, label_visibility=hidden
    )
    return str(chosen)


def tabs(key: str, sections: Mapping[str, Callable[[], None]]) -> None:
    """Draw tabs, each with what draws its inside; only the open one is computed, and it is part of the link."""
    for tab, draw in zip(st.tabs(list(sections), key=key, bind="query-params"), sections.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def address(**more: str) -> str:
    """Return the address of this page with all its choices, and others beside them; the data are not in it."""
    query = {name: st.query_params.get_all(name) for name in st.query_params} | more
    return urlsplit(st.context.url or "")._replace(query=urlencode(query, doseq=True), fragment="").geturl()


def megabytes() -> int:
    """Return the largest file in megabytes; one that is smaller than a megabyte is refused when it is read."""
    return max(1, LIMITS.file_bytes // 1_000_000)


def upload(
    label: str,
    key: str,
    take: Callable[[list[Source]], None],
    several: bool | Literal["directory"] = True,
    folded: bool = False,
) -> None:
    """Let the user drop files, which are taken at once, since the zone forgets them on other pages; it is empty then.

    take: what becomes of them; folded: without its label
    """
    turn = f"{key}_turn"
    zone = f"{key}_{st.session_state.setdefault(turn, 0)}"

    def dropped() -> None:
        if files := st.session_state.get(zone):
            take([Source(file.name, file.getvalue()) for file in files])
            st.session_state[turn] += 1

    more: dict[str, Any] = {"label_visibility": "collapsed" if folded else "visible", "help": helps(key)}
    st.file_uploader(
        label, accept_multiple_files=several, key=zone, max_upload_size=megabytes(), on_change=dropped, **more
    )
