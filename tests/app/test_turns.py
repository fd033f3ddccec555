"""Pages compute in turn, two at a time, and nobody waits for somebody else's long computation."""

from __future__ import annotations

import threading
import time

import pytest

from kp_ui import sessions


def test_two_pages_compute_at_once_and_a_third_waits_for_one_of_them() -> None:
    log, first, second = list[str](), threading.Event(), threading.Event()

    def page(name: str, may_end: threading.Event | None = None) -> None:
        with sessions.turn():
            log.append(name)
            if may_end:
                may_end.wait(5)
        log.append(f"{name} ended")

    one, two = (threading.Thread(target=page, args=each) for each in (("one", first), ("two", second)))
    one.start()
    two.start()
    third = threading.Thread(target=page, args=("three",))
    third.start()
    time.sleep(0.3)
    assert sorted(log) == ["one", "two"]
    first.set()
    third.join(5)
    assert log[2:] in (["one ended", "three", "three ended"], ["three", "one ended", "three ended"])
    second.set()
    for thread in (one, two):
        thread.join(5)


def test_nobody_waits_for_two_long_computations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_LONGEST", 0.2)
    with sessions.turn(), sessions.turn():
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
    assert sessions._turns.acquire(blocking=False)
    sessions._turns.release(2)
