"""Read files in a separate process if the server limits time or memory, so that no file slows other sessions.

`KPSCOPE_READING_SECONDS` limits the processor time of reading, `KPSCOPE_READING_BYTES` the additional memory. Without
these variables, the server process reads the files.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import kp_core.reading  # noqa: F401  imported in advance by the waiting process
from kp_core.errors import InputError, UsageError, input_error
from kp_core.reading.limits import at_start, whole_number
from kp_ui import ROOT

Made = TypeVar("Made")
_SECONDS, _BYTES = "KPSCOPE_READING_SECONDS", "KPSCOPE_READING_BYTES"


class Budget(NamedTuple):
    """Limits of processor time (seconds) and memory (bytes) per reading; 0 is no limit."""

    seconds: int
    bytes: int


def budget(environment: Mapping[str, str]) -> Budget:
    """Return the limits set by environment variables.

    >>> budget({"KPSCOPE_READING_SECONDS": "20"})
    Budget(seconds=20, bytes=0)
    """
    return Budget(*(whole_number(environment, name, 1) if environment.get(name) else 0 for name in (_SECONDS, _BYTES)))


_ALLOWED = at_start(budget)


def _started() -> subprocess.Popen[bytes]:
    """Start a process that waits for one task and ends after it."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "kp_ui.state.apart"], cwd=ROOT, **pipes)


#: The waiting process, started in advance because imports take a second.
_waiting = [_started()] if any(_ALLOWED) and __name__ != "__main__" else []


def apart(work: Callable[..., Made], *given: Any) -> Made:
    """Return `work(*given)`, computed within the budget; raise InputError if it exceeds the budget."""
    if not any(_ALLOWED):
        return work(*given)
    try:
        process = _waiting.pop()
    except IndexError:  # in use by another session
        process = _started()
    reply, _ = process.communicate(pickle.dumps((_ALLOWED, work, given), protocol=5))
    if not _waiting:
        _waiting.append(_started())
    if not reply:  # the process was killed
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
    """Apply the limits to this process."""
    import resource

    if allowed.seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed.seconds, allowed.seconds))
    if allowed.bytes:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            mapped = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + allowed.bytes,) * 2)


def _main() -> None:
    """Run the task from standard input, and write its result or error to standard output."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep output of libraries out of the reply
    request = sys.stdin.buffer.read()
    if not request:  # the server has stopped
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
