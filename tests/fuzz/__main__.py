"""Read mutated files in a process of bounded memory: `python -m tests.fuzz 100000 --seed 1`; print the figures."""

import argparse
import faulthandler
import json
import resource
import secrets
import sys
import time
import traceback
import warnings
from collections import Counter

from kp_core.errors import InputError, UsageError
from kp_core.reading import previews
from tests.fuzz.mutations import Case, case, seeds
from tests.fuzz.sound import is_clear, is_read_or_refused

#: Seconds of computing time that one file may take, and what each of its bytes adds.
SECONDS, SECONDS_A_BYTE = 1.0, 10e-6
#: Bytes of address space that the process may take; what Python and the libraries map at the start counts too.
MEMORY = 6_000_000_000


def outcome(one: Case) -> str:
    """Read a file, and what it could be besides; return `loaded` or `refused`; anything else raises."""
    name = one.source.name
    if one.look:
        try:
            previews(one.source, choice=one.choice)
        except (InputError, UsageError) as refusal:
            is_clear(refusal)
    given = {one.role: one.source, "strict": one.strict, "fixes": one.fixes, "roles": {name: one.choice}}
    return "loaded" if is_read_or_refused(one.used, **given) else "refused"


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
    found = seeds()
    counts: Counter[str] = Counter()
    families: Counter[str] = Counter()
    faults: list[str] = []
    slowest, slowest_input, slowest_seconds, begun = 0.0, 0, 0.0, time.monotonic()
    for number in range(asked.first, asked.first + asked.inputs):
        if time.monotonic() - begun > asked.seconds:
            break
        one = case(seed, number, found)
        families[one.family] += 1
        faulthandler.dump_traceback_later(120, exit=True)  # a file that hangs ends the run, and says where
        before = time.process_time()
        try:
            counts[outcome(one)] += 1
        except Exception:
            counts["faults"] += 1
            shown = f"input {number} of seed {seed}, {one.role}={one.source.name}"
            faults.append(f"{shown}\n{traceback.format_exc()}")
            print(faults[-1], file=sys.stderr, flush=True)
        took = 0.0 if one.used else time.process_time() - before
        allowed = SECONDS + SECONDS_A_BYTE * len(one.source.data)
        if took / allowed > slowest:
            slowest, slowest_input, slowest_seconds = took / allowed, number, took
    faulthandler.cancel_dump_traceback_later()
    figures = {
        "seed": seed,
        "inputs": counts.total(),
        "loaded": counts["loaded"],
        "refused": counts["refused"],
        "faults": len(faults),
        "slowest_seconds": round(slowest_seconds, 2),
        "slowest_of_its_budget": round(slowest, 2),
        "slowest_input": slowest_input,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
        "minutes": round((time.monotonic() - begun) / 60, 1),
        "families": dict(sorted(families.items())),
    }
    print(json.dumps(figures))
    return 1 if faults or slowest > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
