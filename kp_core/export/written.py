"""Hold the files that a corpus becomes, beside what their format cannot hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kp_core.model import Note


@dataclass
class Written:
    """Files by their path inside a folder, and what the format cannot hold, in words."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def lacks(self, where: str, count: int, what: str) -> None:
        """Note that something stays behind, where there is any of it."""
        if count:
            self.notes.append(Note("warning", where, f"{count:,} {what}."))


def file_names(names: Sequence[str], ending: str) -> list[str]:
    """Return a file name for each name: letters, digits and dots stay, and no two are equal.

    >>> file_names(["yake", "a/b", "A_b"], ".run")
    ['yake.run', 'a_b.run', 'A_b-2.run']
    """
    taken: Counter[str] = Counter()
    found = []
    for name in names:
        safe = plain = re.sub(r"[^\w.-]", "_", name)[:80].strip(".") or "_"
        while taken[safe.casefold()]:
            taken[plain.casefold()] += 1
            safe = f"{plain}-{taken[plain.casefold()]}"
        taken[safe.casefold()] += 1
        found.append(safe + ending)
    return found
