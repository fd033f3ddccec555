"""Read mutated files in a process of bounded memory: `python -m tests.fuzz 100000 --seed 1`; print the figures."""

import argparse
import faulthandler
import json
import resource
import secrets
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from typing import Any

from kp_core import scale
from kp_core.corpus import VOCABULARY
from kp_core.errors import InputError, UsageError
from kp_core.reading import LIMITS, form_for, load, vocabulary
from kp_core.takeaway.workspace_file import is_workspace_file, read_workspace
from tests.fuzz.mutations import Case, case, seeds
from tests.fuzz.sound import is_clear, is_read_or_refused

#: Seconds of computing time that one file may take, and bytes that it may add to the memory of the process.
SECONDS, BYTES = 2.0, 500_000_000
#: A file over that time is read again so often, once at a time, and the least time counts: its outcome comes of up to
#: four readings, and a busy machine adds to each.
AGAIN = 2
#: Seconds of computing time after which a file hangs, whatever is done with what was read.
HANGS = 120
#: Bytes of address space that the process may take; what Python and the libraries map at the start counts too.
MEMORY = 6_000_000_000


def outcome(one: Case) -> str:
    """Read a file in all possible ways; return `loaded` or `refused`; anything else raises."""
    if (opened := _opens(one)) is not None:
        return "loaded" if opened else "refused"
    if one.look:
        try:
            form_for(one.source, one.mapping)
        except (InputError, UsageError) as refusal:
            is_clear(refusal)
    return "loaded" if is_read_or_refused(one.used, **_given(one)) else "refused"


def _given(one: Case) -> dict[str, Any]:
    return {one.role: one.source, "strict": one.strict, "fixes": one.fixes, "mapping": {one.source.name: one.mapping}}


def _opens(one: Case) -> bool | None:
    """Return whether files written by KPScope are recognized as such; None for other files."""
    try:
        table = one.source.name.partition(".")[0]
        if one.family == "vocabulary" and table in VOCABULARY and not one.look:  # else it is one file among others
            vocabulary(**{table: one.source})
        elif scale.is_statistics_file(one.source):
            scale.open_statistics(one.source, LIMITS)
        elif is_workspace_file(one.source):
            read_workspace(one.source).uploads.load()
        else:
            return None
    except (InputError, UsageError) as refusal:
        is_clear(refusal)
        return False
    return True


def _took(one: Case) -> float:
    before = time.process_time()
    with suppress(InputError, UsageError):
        if _opens(one) is None:
            load(**_given(one))
    return time.process_time() - before


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("inputs", type=int)
    parser.add_argument("--seed", type=int, help="gives the same inputs again; drawn and printed where it is not given")
    parser.add_argument("--first", type=int, default=0, help="number of the first input, to see one again")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    asked = parser.parse_args()
    seed = secrets.randbelow(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}", file=sys.stderr, flush=True)  # a run that is ended from outside has said it too
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    faulthandler.register(signal.SIGPROF, chain=True)  # a file that hangs ends the run, and says where
    result, counts, faults, over = seeds(), Counter[str](), 0, 0
    slowest, begun = 0.0, time.monotonic()
    at_start = peak = _peak()
    for number in range(asked.first, asked.first + asked.inputs):
        if time.monotonic() - begun > asked.seconds:
            break
        one = case(seed, number, result)
        signal.setitimer(signal.ITIMER_PROF, HANGS)
        before, took = time.process_time(), 0.0
        try:
            counts[outcome(one)] += 1
            took = 0.0 if one.used else time.process_time() - before
            if took > SECONDS:
                took = min(_took(one) for _ in range(AGAIN))
        except Exception:
            faults += 1
            shown = f"input {number} of seed {seed}, {one.role}={one.source.name}"
            print(f"{shown}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        slowest, before_it, peak = max(slowest, took), peak, _peak()
        if took > SECONDS or (peak > before_it and peak - at_start > BYTES):
            over += 1
            print(f"input {number} of seed {seed}: {took:.1f} s, {(peak - at_start) / 1e6:.0f} MB", file=sys.stderr)
    signal.setitimer(signal.ITIMER_PROF, 0)
    figures = {
        "seed": seed,
        "inputs": counts.total() + faults,
        "loaded": counts["loaded"],
        "refused": counts["refused"],
        "faults": faults,
        "over_limits": over,
        "slowest_seconds": round(slowest, 2),
        "largest_megabytes": round((peak - at_start) / 1e6),
        "minutes": round((time.monotonic() - begun) / 60, 1),
    }
    print(json.dumps(figures))
    return 1 if faults or over else 0


if __name__ == "__main__":
    sys.exit(main())
