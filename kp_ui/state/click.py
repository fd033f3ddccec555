"""Carry out what a click asks for, even where the next click does not wait."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from streamlit.runtime.scriptrunner import RerunException

P = ParamSpec("P")


def whole(act: Callable[P, object]) -> Callable[P, None]:
    """Return what does the same when a control changes, all of it, before Streamlit turns to the next change.

    A callback ends at its first look into the session where a newer run waits, and its control is not found changed
    again: on a busy server a choice would be lost to the key that closes its menu. So it begins anew, and the newer
    run comes after it. What can be begun anew: it changes nothing before its last look, or the same thing once more;
    and it asks for no run itself.
    """

    @wraps(act)
    def finished(*args: P.args, **named: P.kwargs) -> None:
        newer = None
        while True:
            try:
                act(*args, **named)
                break
            except RerunException as waiting:
                newer = waiting
        if newer:
            raise newer

    return finished
