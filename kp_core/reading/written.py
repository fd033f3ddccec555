"""Hold the files that a corpus becomes, beside what their format cannot hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kp_core.corpus import COLUMNS, Corpus
from kp_core.errors import Note, counted

_KNOWN = {column.rstrip("?") for table in ("gold", "runs") for column in COLUMNS[table]}


@dataclass
class Written:
    """Files by their path inside a folder, and what the format cannot hold, in words."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def lacks(self, where: str, count: int, one: str, several: str = "") -> None:
        """Note that something stays behind, where there is any of it, in the words for one or for several."""
        if count:
            self.notes.append(Note("warning", where, f"{counted(count, one, several or one)}."))

    def leaves(self, corpus: Corpus, form: str, keeps: Sequence[str]) -> None:
        """Note what a form of lists or rows has no place for; `keeps` names what it has one for, beside phrases."""
        for role, name in (("gold", "gold standard"), ("system", "systems")):
            if "empty" not in keeps:
                empty = int((corpus.empty["role"] == role).sum())
                self.lacks(
                    name, empty, f"empty list; {form} has no line for it", f"empty lists; {form} has no line for them"
                )
        if "variants" in corpus.gold and "variants" not in keeps:
            several = int(corpus.gold["variants"].notna().sum())
            self.lacks(
                "gold standard",
                several,
                "keyphrase has several spellings; the first is written",
                "keyphrases have several spellings; the first is written",
            )
        for table, name, column, what in (
            (corpus.gold, "gold standard", "relevance", "grade"),
            (corpus.runs, "systems", "score", "score"),
        ):
            if column in table and column not in keeps:
                rest = f"; {form} holds the order only"
                self.lacks(name, int(table[column].notna().sum()), f"{what}{rest}", f"{what}s{rest}")
        texts = corpus.documents[["text", "title", "group"]].notna().any(axis=1)
        rest = f"with a text, title or group; {form} holds ids only"
        self.lacks("documents", int(texts.sum()), f"document {rest}", f"documents {rest}")
        rest = f"{form} has no place for them"
        self.lacks("judgements", len(corpus.judgements), f"judgement of a pair; {rest}", f"judgements of pairs; {rest}")
        for name, table in (("gold standard", corpus.gold), ("systems", corpus.runs)):
            further = [str(column) for column in table.columns if column not in _KNOWN and column not in keeps]
            words = "further column stays behind", "further columns stay behind"
            self.lacks(name, len(further), *(f"{each}: {', '.join(further)}" for each in words))


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
