"""Draw one page at a time, in about the order of the clicks; pages drawn at the same time would all be late."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident

#: Seconds after which a page no longer waits for others.
_PATIENCE = 2.0
_turn = Lock()
_drawing: int | None = None


def _take() -> None:
    global _drawing
    if _turn.acquire(timeout=_PATIENCE):
        _drawing = get_ident()


def _leave() -> bool:
    """End the turn of this thread; return whether it had the turn."""
    global _drawing
    had_turn = _drawing == get_ident()
    if had_turn:
        _drawing = None
        _turn.release()
    return had_turn


@contextmanager
def turn() -> Iterator[None]:
    """Wait until other pages are drawn, but not for long."""
    _take()
    try:
        yield
    finally:
        _leave()


@contextmanager
def given_up() -> Iterator[None]:
    """Let other pages be drawn during a computation."""
    had_turn = _leave()
    try:
        yield
    finally:
        if had_turn:
            _take()
