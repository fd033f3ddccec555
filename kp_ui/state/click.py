"""Carry out what a click asks for, even where the next click stops it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

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
