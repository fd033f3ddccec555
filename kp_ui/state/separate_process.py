"""Read files in a separate process if the server limits time or memory, so that no file slows other sessions.

`KPSCOPE_READING_SECONDS` limits the processor time for reading, `KPSCOPE_READING_BYTES` the additional memory. If
neither is set, the server process reads the files.
"""

import traceback
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

from kp_core.errors import InputError, UsageError, input_error
from kp_ui import limit

Result = TypeVar("Result")


#: Limits of processor time in seconds, and of memory in bytes, per task; 0 means no limit.
_ALLOWED = limit("KPSCOPE_READING_SECONDS"), limit("KPSCOPE_READING_BYTES")
#: Every task runs in a copy of one waiting process, which has imported everything in advance.
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["streamlit.web.cli", "kp_core.reading", __name__])


def in_separate_process(task: Callable[..., Result], *arguments: Any) -> Result:
    """Return `task(*arguments)`, computed within the budget; raise InputError if the task exceeds the budget."""
    if not any(_ALLOWED):
        return task(*arguments)
    answers, channel = _CONTEXT.Pipe(duplex=False)
    _CONTEXT.Process(target=_run, args=(channel, _ALLOWED, task, arguments), daemon=True).start()
    channel.close()
    try:
        result = answers.recv()
    except EOFError:  # the process was killed
        raise _too_costly(_ALLOWED) from None
    if isinstance(result, Exception):
        raise result
    return cast(Result, result)


def _too_costly(allowed: tuple[int, int]) -> InputError:
    limits = [f"{limit:,} {unit}" for limit, unit in zip(allowed, ("seconds", "bytes"), strict=True) if limit]
    return input_error("the files", "too costly", allowed=" and ".join(limits))


def _run(channel: Connection, allowed: tuple[int, int], task: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    import os
    import resource

    os.nice(10)  # pages go first
    seconds, memory = allowed
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if memory:
        with open("/proc/self/statm", encoding="ascii") as sizes:
            mapped = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory,) * 2)
    try:
        result = task(*arguments)
    except (InputError, UsageError) as refusal:
        result = refusal
    except MemoryError:
        result = _too_costly(allowed)
    except Exception:
        result = RuntimeError(traceback.format_exc())
    channel.send(result)
