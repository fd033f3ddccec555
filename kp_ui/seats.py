"""Let only as many sessions in as the server has seats for; without `KPSCOPE_SESSIONS` everybody comes in."""

from collections.abc import Mapping

import streamlit as st

from kp_core.reading.limits import at_start, whole_number
from kp_ui.widgets import prose, show

_VARIABLE, _SEATED = "KPSCOPE_SESSIONS", "seated"
_taken: set[object] = set()


def most(environment: Mapping[str, str]) -> int | None:
    """Return how many sessions may be open at once, from `KPSCOPE_SESSIONS`; None where nothing is said.

    >>> most({"KPSCOPE_SESSIONS": "30"})
    30
    """
    return whole_number(environment, _VARIABLE, 1) if environment.get(_VARIABLE) else None


_MOST = at_start(most)


def admit() -> None:
    """Let this session in, which keeps its seat until its tab is closed; or say that there is none, and stop.

    A session that was in before, and lost its connection for a moment, comes in again: it has files to lose.
    """
    if _MOST is None or _SEATED in st.session_state or len(_taken) < _MOST:
        st.session_state[_SEATED] = True
        _seat()
        return
    st.title("KPScope is full", anchor=False)
    st.info(prose.text("recovery.full", tabs=show.counted(_MOST, "open tab")))
    st.button("Try again", key="try_again", type="primary")
    st.stop()


# Streamlit releases what a session keeps as soon as its tab is closed.
@st.cache_resource(scope="session", max_entries=1, show_spinner=False, on_release=_taken.discard)
def _seat() -> object:
    seat = object()
    _taken.add(seat)
    return seat
