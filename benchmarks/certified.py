"""Send the cases of the certified set to a script, and report by convention how its answers differ.

`python -m benchmarks certified --script CMD`; without a script, the installed libraries are asked.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from kp_core.settings import CONVENTIONS, Settings, format_value

CASES = Path(__file__).parents[1] / "docs" / "certified" / "cases.json"
#: What a script is not told.
ANSWERS = ("value", "reason", "why")
#: An answer: a number, NaN for a value that does not exist, None for a case that is not done.
Answer = float | None


def cases() -> list[dict[str, Any]]:
    """Return the cases of the certified set."""
    result: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    return result


def question(case: dict[str, Any]) -> str:
    """Return a case as one line of JSON, without the certified answer."""
    return json.dumps({key: value for key, value in case.items() if key not in ANSWERS}, ensure_ascii=False)


def read_answer(line: str) -> Answer:
    """Read one line from a script: a number or fraction, `-` for an unsupported case, `null` for no value.

    >>> read_answer("2/5"), read_answer("-"), read_answer("null")
    (0.4, None, nan)
    """
    word = line.strip()
    if word == "-":
        return None
    if word.lower() in ("null", "none", "nan"):
        return math.nan
    try:
        return float(Fraction(word))
    except (ValueError, ZeroDivisionError):
        raise SystemExit(f"the script says '{word}': expected a number, - or null") from None


def of_script(command: str, asked: Sequence[dict[str, Any]]) -> list[Answer]:
    """Send all cases to the standard input of a script, and return its answers."""
    lines = "".join(question(case) + "\n" for case in asked)
    run = subprocess.run(shlex.split(command), input=lines, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if run.returncode:
        raise SystemExit(f"the script ended with status {run.returncode}")
    answers = run.stdout.splitlines()
    if len(answers) != len(asked):
        raise SystemExit(f"the script has {len(answers)} lines for {len(asked)} cases: expected one line a case")
    return [read_answer(line) for line in answers]


def differs(case: dict[str, Any], answer: float, tolerance: float) -> bool:
    """Return whether an answer differs from the certified value."""
    if case["value"] is None or math.isnan(answer):
        return (case["value"] is None) != math.isnan(answer)
    return abs(answer - float(Fraction(case["value"]))) > tolerance


@dataclass(frozen=True)
class Tally:
    """The cases of one convention: their number, those answered, and those whose answers differ."""

    convention: str
    cases: int
    done: list[tuple[dict[str, Any], float]]
    differing: list[tuple[dict[str, Any], float]]

    @property
    def answered(self) -> int:
        """Return the number of cases answered."""
        return len(self.done)

    @property
    def followed(self) -> list[str]:
        """Return the values of the convention under which no answer differs; none if it is not a setting."""
        if self.convention not in CONVENTIONS:
            return []
        usual = getattr(Settings(), self.convention)
        value, wrong = (
            [format_value(case["settings"].get(self.convention, usual)) for case, _ in part]
            for part in (self.done, self.differing)
        )
        return [item for item in dict.fromkeys(value) if item not in wrong]


def tallies(asked: Sequence[dict[str, Any]], answers: Sequence[Answer], tolerance: float) -> list[Tally]:
    """Return the tally of each convention."""
    result = []
    for name in dict.fromkeys(case["convention"] for case in asked):
        part = [pair for pair in zip(asked, answers, strict=True) if pair[0]["convention"] == name]
        done = [(case, answer) for case, answer in part if answer is not None]
        result.append(Tally(name, len(part), done, [item for item in done if differs(*item, tolerance)]))
    return result


def report(name: str, found: Sequence[Tally]) -> Iterable[str]:
    """Yield the lines of a report: counts by convention, then the first differing case of each convention."""
    total, done, wrong = (sum(n) for n in zip(*((t.cases, t.answered, len(t.differing)) for t in found), strict=True))
    yield f"{name}: {total} cases, {done} answered, {done - wrong} equal, {wrong} differ"
    yield f"{'convention':14}{'cases':>7}{'answered':>10}{'equal':>7}{'differ':>8}"
    for one in found:
        bad = len(one.differing)
        yield f"{one.convention:14}{one.cases:7}{one.answered:10}{one.answered - bad:7}{bad:8}"
    for one in found:
        for case, answer in one.differing[:1]:
            said = "no value" if math.isnan(answer) else f"{answer:.12g}"
            certified = case["value"] or f"no value ({case['reason']})"
            yield f"\n{one.convention}: {case['id']}, {case['measure']}, settings {json.dumps(case['settings'])}"
            yield f"  certified {certified}, answered {said}"
            yield f"  {case['why']}"


def main(arguments: Sequence[str]) -> int:
    """Ask a script or installed libraries, print differing answers; return 1 if any differs or none is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks certified", description=__doc__)
    parser.add_argument("--script", metavar="CMD", help="a command that answers JSON lines, one line a case")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="the largest difference that is none")
    given, asked = parser.parse_args(arguments), cases()
    if given.script:
        result = tallies(asked, of_script(given.script, asked), given.tolerance)
        print(*report(given.script, result), sep="\n")
        return int(any(item.differing for item in result) or not any(item.answered for item in result))
    from benchmarks.certified_peers import installed, table

    peers: dict[str, Callable[[dict[str, Any]], Answer]] = installed()
    by_peer = dict[str, list[Tally]]()
    for name, peer in peers.items():
        by_peer[name] = tallies(asked, [peer(case) for case in asked], given.tolerance)
        print(*report(name, by_peer[name]), "", sep="\n", flush=True)
    print(*table(by_peer), sep="\n")
    return int(any(item.differing for result in by_peer.values() for item in result))
