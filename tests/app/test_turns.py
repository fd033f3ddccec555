"""Pages compute in turn, and nobody waits for somebody else's long computation."""

from __future__ import annotations

import threading
import time

import pytest

from kp_ui import sessions


def test_a_page_waits_for_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_LONGEST", 60)
    log, may_end, begun = list[str](), threading.Event(), threading.Event()

    def first() -> None:
        with sessions.turn():
            begun.set()
            may_end.wait(5)
            log.append("first")

    def second() -> None:
        begun.wait(5)
        with sessions.turn():
            log.append("second")

    threads = [threading.Thread(target=page) for page in (first, second)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    assert log == []
    may_end.set()
    for thread in threads:
        thread.join(5)
    assert log == ["first", "second"]


def test_nobody_waits_for_a_long_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_LONGEST", 0.2)
    with sessions.turn():
        begun = time.monotonic()
        with sessions.turn():
            assert 0.1 < time.monotonic() - begun < 2
    with pytest.raises(ValueError, match="released too many times"):  # every turn was given back, and only once
        sessions._turns.release()


def test_a_page_that_fails_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_LONGEST", 60)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), sessions.turn():
            raise ZeroDivisionError


def test_a_turn_is_not_lost_where_no_thread_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(timer: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Timer, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"), sessions.turn():
        pass
    assert sessions._turns.acquire(blocking=False)
    sessions._turns.release()
