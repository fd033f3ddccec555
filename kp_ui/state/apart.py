"""Read files in a process of its own, if the server limits what reading may cost, so that no file slows other sessions.

`KPSCOPE_READING_SECONDS` is the processor time that opening or reading files may take, `KPSCOPE_READING_BYTES` the
memory that it may add. Without them, files are read by the server itself.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import kp_core.reading  # noqa: F401  a waiting process has imported what it needs
from kp_core.errors import InputError, UsageError, input_error
from kp_core.reading.limits import at_start, whole_number
from kp_ui import ROOT

Made = TypeVar("Made")
_SECONDS, _BYTES = "KPSCOPE_READING_SECONDS", "KPSCOPE_READING_BYTES"


class Budget(NamedTuple):
    """Seconds of processor time and bytes of memory that one reading may take; 0 is no limit."""

    seconds: int
    bytes: int


def budget(environment: Mapping[str, str]) -> Budget:
    """Return what the server allows.

    >>> budget({"KPSCOPE_READING_SECONDS": "20"})
    Budget(seconds=20, bytes=0)
    """
    return Budget(*(whole_number(environment, name, 1) if environment.get(name) else 0 for name in (_SECONDS, _BYTES)))


_ALLOWED = at_start(budget)


def _started() -> subprocess.Popen[bytes]:
    """Start a process that waits for what it is to do, and ends with it."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "kp_ui.state.apart"], cwd=ROOT, **pipes)


#: The process that waits, since importing takes a second.
_waiting = [_started()] if any(_ALLOWED) and __name__ != "__main__" else []


def apart(work: Callable[..., Made], *given: Any) -> Made:
    """Return what work makes of what is given, within the budget; raises InputError for what costs more."""
    if not any(_ALLOWED):
        return work(*given)
    try:
        process = _waiting.pop()
    except IndexError:  # another session reads
        process = _started()
    reply, _ = process.communicate(pickle.dumps((_ALLOWED, work, given), protocol=5))
    if not _waiting:
        _waiting.append(_started())
    if not reply:  # it was ended from outside
        raise _too_costly(_ALLOWED)
    made = pickle.loads(reply)
    if isinstance(made, Exception):
        raise made
    return made  # type: ignore[no-any-return]


def _too_costly(allowed: Budget) -> InputError:
    limits = [f"{allowed.seconds:,} seconds"] * bool(allowed.seconds) + [f"{allowed.bytes:,} bytes"] * bool(
        allowed.bytes
    )
    return input_error("the files", "too costly", allowed=" and ".join(limits))


def _limited(allowed: Budget) -> None:
    """Let this process take no more than is allowed."""
    import resource

    if allowed.seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed.seconds, allowed.seconds))
    if allowed.bytes:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            mapped = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + allowed.bytes,) * 2)


def _main() -> None:
    """Do what standard input says, and write what was made, or why nothing was."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    request = sys.stdin.buffer.read()
    if not request:  # the server has ended
        return
    allowed, work, given = pickle.loads(request)
    _limited(allowed)
    try:
        made = work(*given)
    except (InputError, UsageError) as refusal:
        made = refusal
    except MemoryError:
        made = _too_costly(allowed)
    except Exception:
        made = RuntimeError(traceback.format_exc())
    with output:
        pickle.dump(made, output, protocol=5)


if __name__ == "__main__":
    _main()
