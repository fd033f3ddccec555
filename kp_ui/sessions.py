"""Count the sessions that are open, refuse the one too many, and give back the memory of those that have ended."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import streamlit as st
from starlette.formparsers import MultiPartParser
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile
from threadpoolctl import threadpool_limits

from kp_core.errors import UsageError
from kp_core.reading import LIMITS
from kp_ui import show

_VARIABLE, _SEATED = "KPSCOPE_SESSIONS", "seated"
_seats: set[str] = set()
_lock = threading.Lock()
_collection: asyncio.TimerHandle | None = None

#: Not every C library has what is asked of it below.
_c_library: Any = ctypes.CDLL(None) if sys.platform == "linux" else None

# Uploads stay in memory: from one megabyte on they would pass through a temporary file.
MultiPartParser.spool_max_size = 2 * LIMITS.file_bytes
# Sessions run side by side. Were each to use every core, their threads would wait for one another, and moving k took
# four times the processor time.
threadpool_limits(1, user_api="blas")
# Every run of a page is a new thread, and the C library has up to 8 heaps a core for them. Many heaps are hard to give
# back: ten sessions left a hundred megabytes more in 16 heaps than they do in 2.
_HEAPS = -8  # M_ARENA_MAX of malloc.h
if hasattr(_c_library, "mallopt"):
    _c_library.mallopt(_HEAPS, 2)
# Pages that compute side by side take the interpreter from each other: eight at once took half as long again.
_turns = threading.BoundedSemaphore()
#: Seconds after which the next page computes beside one that is at it still: nobody waits for a long computation.
_LONGEST = 1.0


def most(environment: Mapping[str, str] = os.environ) -> int | None:
    """Return how many sessions may be open at once, from `KPSCOPE_SESSIONS`; None where nothing is said.

    >>> most({"KPSCOPE_SESSIONS": "30"})
    30
    """
    value = environment.get(_VARIABLE, "")
    if value and not (value.isascii() and value.isdigit() and int(value)):
        raise UsageError(f"{_VARIABLE} must be a whole number from 1 up, not '{value}'")
    return int(value) if value else None


def admit() -> None:
    """Let this session in, which keeps its seat until its tab is closed; or say that there is none, and stop.

    A session that was in before, and lost its connection for a moment, comes in again: it has files to lose.
    """
    here, limit = get_script_run_ctx(), most()
    if here is None or _seated(here.session_id, None if _SEATED in st.session_state else limit):
        st.session_state[_SEATED] = True
        _ends()
        return
    st.title("KPScope is full", anchor=False)
    st.info(
        f"This server allows {show.counted(limit or 0, 'open tab')} at a time, and none is free. "
        "As soon as somebody closes theirs, there is room for you."
    )
    st.button("Try again", key="try_again", type="primary")
    st.stop()


@contextmanager
def turn() -> Iterator[None]:
    """Wait until no other page computes, those apart that take long."""
    over = threading.Lock()

    def give_back() -> None:
        if over.acquire(blocking=False):  # the first time only
            _turns.release()

    _turns.acquire()
    late = threading.Timer(_LONGEST, give_back)
    late.daemon = True
    try:
        late.start()  # fails where the system gives no more threads, and the turn must not go with it
        yield
    finally:
        late.cancel()
        give_back()


def _seated(session: str, limit: int | None) -> bool:
    with _lock:
        _seats.intersection_update([one for one in _seats if get_instance().is_active_session(one)])
        if limit is not None and session not in _seats and len(_seats) >= limit:
            return False
        _seats.add(session)
    return True


def arrived(uploaded: Iterable[UploadedFile | DeletedFile] | None) -> list[UploadedFile]:
    """Return the files that are there: a page that asks late may still name one that was forgotten."""
    return [file for file in uploaded or () if isinstance(file, UploadedFile)]


def forget(uploaded: Iterable[UploadedFile]) -> None:
    """Drop Streamlit's own copy of files that were copied into the session: it would keep them until the tab closes."""
    here: Any = get_script_run_ctx()  # its type names no way to remove a file
    for file in uploaded if here is not None else ():
        here.uploaded_file_mgr.remove_file(here.session_id, file.file_id)


def _close_later(session: str) -> None:
    """Close a session whose tab is closed before Streamlit forgets it, which would leave its memory taken.

    Streamlit keeps such a session for `server.disconnectedSessionTTL` seconds, in case that only the connection was
    lost; it then looks at it no more until another session ends.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # a page without a server, as in a test
        return
    loop.call_later(max(0, st.get_option("server.disconnectedSessionTTL") - 1), _close, session)


def _close(session: str) -> None:
    global _collection
    server, loop = get_instance(), asyncio.get_running_loop()
    if server.is_active_session(session):  # the connection came back
        return
    server.close_session(session)
    if _collection is not None:
        _collection.cancel()  # a whole class that leaves is one collection
    _collection = loop.call_later(1, loop.run_in_executor, None, _give_back)


def _give_back() -> None:
    """Return memory that nothing uses any more to the operating system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if hasattr(_c_library, "malloc_trim"):
        _c_library.malloc_trim(0)


@st.cache_resource(scope="session", max_entries=1, show_spinner=False, on_release=_close_later)
def _ends() -> str:
    """Return the session; Streamlit releases what a session keeps as soon as its tab is closed."""
    here = get_script_run_ctx()
    return here.session_id if here is not None else ""
