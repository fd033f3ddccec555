"""Turn what a user decides about files into words such as `gold.xlsx:sheet=Lists` and back; ask what is not sure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

from kp_core.corpus import Role
from kp_core.errors import InputError, UsageError
from kp_core.reading.choice import Choice
from kp_core.reading.families import all_families, family_named
from kp_core.reading.fields import NAMES
from kp_core.reading.layout import SEVERAL
from kp_core.typeset import storable

_WORDS = re.compile(r"(?P<file>.+?):(?P<key>[a-z_]+)=(?P<value>.+)", re.DOTALL)
_ROLES = get_args(Role)
Level: TypeAlias = Literal["stop", "ask", "warn"]
#: Switches whose values depend on the file, and those of them that may be given several times.
_SEVERAL = ("sheet", *SEVERAL)
_FREE = (*_SEVERAL, "label", "texts", "dataset")
#: The row, or the two rows, of a header.
_ROWS = re.compile("[0-9]{1,7}(-[0-9]{1,7})?")


@dataclass(frozen=True)
class Reply:
    """What a user may decide with one click: in words, as a choice for each file, and as fixes of ids.

    example  what becomes of the data, such as “`C-1.txt` → `C-1`”
    """

    words: str
    choices: Mapping[str, Choice] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    example: str = ""

    def options(self) -> str:
        """Return the answer as options of the command line.

        >>> Reply("the gold standard", {"a b.csv": Choice("gold")}, ("trim",)).options()
        "--as 'a b.csv:role=gold' --fix trim"
        """
        decided = [f"{file}:{word}" for file, choice in self.choices.items() for word in words_of(choice)]
        return " ".join([*(f"--as {shlex.quote(one)}" for one in decided), *(f"--fix {fix}" for fix in self.fixes)])

    def __str__(self) -> str:
        return f"{self.words} ({self.example})" if self.example else self.words


@dataclass(frozen=True)
class Finding:
    """What makes no sense in the data as they were read, and what would mend it.

    level  stop: no number has a meaning; ask: the reading is not certain; warn: it stands with every number
    """

    level: Level
    where: str
    found: str
    expected: str
    answers: tuple[Reply, ...] = ()

    @property
    def remedy(self) -> str:
        """What may be decided, in words."""
        return f"Choose: {', or '.join(map(str, self.answers))}." if self.answers else "Compare the files."


class Question(InputError):
    """Ask the user what is not certain: every file of a load that needs an answer has its finding in `findings`.

    `answers` are those of all findings, in order. Given to `roles`, a reply of each finding loads the files.

    >>> print(Question(Finding("ask", "a.csv", "two columns of phrases", "one", (Reply("Term"), Reply("Label")))))
    a.csv: expected one, found two columns of phrases. Choose: Term, or Label.
    """

    def __init__(self, *findings: Finding) -> None:
        self.findings, first = findings, findings[0]
        self.answers = tuple(reply for finding in findings for reply in finding.answers)
        super().__init__(first.where, first.found, first.expected, first.remedy)

    def __str__(self) -> str:
        return "\n".join(str(InputError(one.where, one.found, one.expected, one.remedy)) for one in self.findings)

    def __reduce__(self) -> tuple[type[Question], tuple[Finding, ...]]:  # type: ignore[override]
        """Go from process to process whole."""
        return type(self), self.findings


def words_of(choice: Choice) -> list[str]:
    """Return a choice as the words KEY=VALUE that the command line takes after --as FILE.

    >>> words_of(Choice("gold", columns={"doc_id": "Nr"}, options={"phrases_of": "Anna\\nBen"}))
    ['role=gold', 'doc_id=Nr', 'phrases_of=Anna', 'phrases_of=Ben']
    """
    better = {None: None, True: "higher", False: "lower"}[choice.higher_is_better]
    decided = {"role": choice.role, "family": choice.family, "encoding": choice.encoding, "better": better}
    every = {**decided, "use": choice.use, **choice.columns, **choice.options}
    if every.get("delimiter") == "\t":
        every["delimiter"] = "TAB"
    parts = ((key, value.split("\n") if key in _SEVERAL else [value]) for key, value in every.items() if value)
    return [f"{key}={value}" for key, values in parts for value in values]


def choices_of(given: Iterable[str]) -> dict[str, Choice]:
    """Return file → what FILE:KEY=VALUE says of it: family, role, encoding, better, the column of a role, or a switch.

    Raises UsageError for anything else.

    >>> found = choices_of(["g.xlsx:sheet=Lists", "g.xlsx:phrase=Term", "y.csv:better=lower"])
    >>> found["g.xlsx"].columns, found["g.xlsx"].options, found["y.csv"].higher_is_better
    ({'phrase': 'Term'}, {'sheet': 'Lists'}, False)
    """
    found: dict[str, Choice] = {}
    for one in map(storable, given):
        words = _WORDS.fullmatch(one)
        if words is None:
            raise UsageError(f"--as is '{one}'; write FILE:KEY=VALUE, such as gold.xlsx:sheet=Lists")
        found[words["file"]] = _with(found.get(words["file"], Choice()), words["key"], words["value"])
    return found


def _with(choice: Choice, key: str, value: str) -> Choice:
    """Return a choice with one thing more decided."""
    fixed: dict[str, Sequence[str]] = {"role": _ROLES, "better": ("higher", "lower"), "use": ("as-read", "no")}
    switches: dict[str, set[str]] = {}
    for family in all_families():
        for name, values in getattr(family, "OPTIONS", {}).items():
            switches.setdefault(name, set()).update(values)
    value = "\t" if (key, value) == ("delimiter", "TAB") else value
    if key == "family":
        family_named(value)
        return replace(choice, family=value.upper())
    if key == "encoding":
        return replace(choice, encoding=value)
    if value in fixed.get(key, ()):
        return replace(choice, **({"higher_is_better": value == "higher"} if key == "better" else {key: value}))
    if key in _SEVERAL and key in choice.options:
        value = f"{choice.options[key]}\n{value}"
    if key in _FREE or value in switches.get(key, ()) or (key == "header" and _ROWS.fullmatch(value)):
        return replace(choice, options={**choice.options, key: value})
    if key in NAMES and key not in switches:
        return replace(choice, columns={**choice.columns, key: value})
    if known := {**fixed, **switches}.get(key):
        shown = ", ".join("TAB" if one == "\t" else one for one in sorted(known))
        raise UsageError(f"{key} is '{value}'; choose one of: {shown}")
    every = ["family", "encoding", *_FREE, *fixed, *switches, *(name for name in NAMES if name not in switches)]
    raise UsageError(f"there is no '{key}' to choose for a file; choose one of: {', '.join(every)}")
