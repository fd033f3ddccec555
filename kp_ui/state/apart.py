"""Read files in a separate process if the server limits time or memory, so that no file slows other sessions.

`KPSCOPE_READING_SECONDS` limits the processor time for reading, `KPSCOPE_READING_BYTES` the additional memory. If
neither is set, the server process reads the files.
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

Result = TypeVar("Result")
_SECONDS, _BYTES = "KPSCOPE_READING_SECONDS", "KPSCOPE_READING_BYTES"


class Budget(NamedTuple):
    """Limits of processor time (seconds) and memory (bytes) per task; 0 means no limit."""

    seconds: int
    bytes: int


def budget(environment: Mapping[str, str]) -> Budget:
    """Return the limits that environment variables set.

    >>> budget({"KPSCOPE_READING_SECONDS": "20"})
    Budget(seconds=20, bytes=0)
    """
    return Budget(*(whole_number(environment, name, 1) if environment.get(name) else 0 for name in (_SECONDS, _BYTES)))


_ALLOWED = at_start(budget)


def _started() -> subprocess.Popen[bytes]:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "kp_ui.state.apart"], cwd=ROOT, **pipes)


#: The waiting process, started in advance because imports take a second.
_waiting = [_started()] if any(_ALLOWED) and __name__ != "__main__" else []


def apart(task: Callable[..., Result], *arguments: Any) -> Result:
    """Return `task(*arguments)`, computed within the budget; raise InputError if the task exceeds the budget."""
    if not any(_ALLOWED):
        return task(*arguments)
    try:
        process = _waiting.pop()
    except IndexError:  # in use by another session
        process = _started()
    reply, _ = process.communicate(pickle.dumps((_ALLOWED, task, arguments), protocol=5))
    if not _waiting:
        _waiting.append(_started())
    if not reply:  # the process was killed
        raise _too_costly(_ALLOWED)
    result = pickle.loads(reply)
    if isinstance(result, Exception):
        raise result
    return result  # type: ignore[no-any-return]


def _too_costly(allowed: Budget) -> InputError:
    limits = [f"{limit:,} {unit}" for unit, limit in allowed._asdict().items() if limit]
    return input_error("the files", "too costly", allowed=" and ".join(limits))


def _set_limits(allowed: Budget) -> None:
    import resource

    if allowed.seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (allowed.seconds, allowed.seconds))
    if allowed.bytes:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            mapped = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + allowed.bytes,) * 2)


def _main() -> None:
    """Read a task from standard input, run it, and write its result or error to standard output."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep output of libraries out of the reply
    request = sys.stdin.buffer.read()
    if not request:  # the server has stopped
        return
    allowed, task, arguments = pickle.loads(request)
    _set_limits(allowed)
    try:
        result = task(*arguments)
    except (InputError, UsageError) as refusal:
        result = refusal
    except MemoryError:
        result = _too_costly(allowed)
    except Exception:
        result = RuntimeError(traceback.format_exc())
    with output:
        pickle.dump(result, output, protocol=5)


if __name__ == "__main__":
    _main()
