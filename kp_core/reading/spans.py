"""Turn annotated spans and labels of documents into keyphrases of annotators, and the texts beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import Note
from kp_core.reading.family import Rows
from kp_core.reading.limits import Limits
from kp_core.reading.lists import ListBuilder, storable

#: The choice of a label that keeps all of them.
EVERY = "all"


class Units:
    """A text whose offsets count UTF-16 code units, as Java and JavaScript count; rare characters count two.

    >>> Units("\\U0001f30a tide").part(3, 7)
    'tide'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.differ = bool(text) and not text.isascii() and max(text) > "\uffff"
        self._coded = text.encode("utf-16-le", "surrogatepass") if self.differ else b""

    def part(self, start: int, end: int) -> str | None:
        """Return the text between two offsets; None if they are outside, empty, or cut a character."""
        if not self.differ:
            return self.text[start:end] if 0 <= start < end <= len(self.text) else None
        if not 0 <= start < end <= len(self._coded) // 2:
            return None
        try:
            return self._coded[2 * start : 2 * end].decode("utf-16-le")
        except UnicodeDecodeError:
            return None


def offers(labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the labels to choose from, if there are several."""
    found = sorted(set(labels) - {""})
    return {"label": (EVERY, *found)} if len(found) > 1 else {}


class SpanBuilder:
    """Collects the phrases of documents, annotator by annotator; a phrase of one annotator counts once a document."""

    def __init__(self, role: Role, limits: Limits, label: str = EVERY) -> None:
        self.lists = ListBuilder(role, limits)
        self.repeated = self.unsure = 0
        self._label = label
        self._texts: dict[tuple[str, str], int] = {}
        self._text = Units("")
        self._seen: set[str] = set()

    def open(self, doc_id: str, text: str, *, file: str, line: int, source: str | None = None) -> None:
        """Begin what one annotator did in one document."""
        self.lists.open(doc_id, file=file, line=line, source=source)
        self._text = self._text if text == self._text.text else Units(text)
        self._seen = set()
        if text:
            self._texts.setdefault((doc_id, text), line)

    def span(self, start: Any, end: Any, labels: Iterable[str], *, shown: Any = None, utf16: bool = False) -> None:
        """Add the text between two offsets; `shown` is this text as the file itself gives it, by which it is checked.

        Offsets count characters; with utf16 they count UTF-16 code units, unless `shown` says otherwise.
        """
        labels = list(labels)
        if type(start) is not int or type(end) is not int:
            self.phrase(str(shown or ""), labels, "" if isinstance(shown, str) else "offsets are no whole numbers")
            return
        by_character = self._text.text[start:end] if 0 <= start < end <= len(self._text.text) else None
        by_unit = self._text.part(start, end) if utf16 else None
        found = by_unit if utf16 else by_character
        if isinstance(shown, str):
            fitting = [text for text in (by_unit, by_character) if text is not None and _plain(text) == _plain(shown)]
            if not fitting:
                self.phrase(shown, labels, f"the text at {start}–{end} is “{str(found)[:40]}”")
                return
            found = fitting[0]
        self.unsure += utf16 and shown is None and self._text.differ
        if found is None:
            self.phrase(f"{start}–{end}", labels, "offsets outside the text")
        else:
            self.phrase(found, labels)

    def phrase(self, text: str, labels: Iterable[str], reject: str = "") -> None:
        """Add a phrase with its labels, unless another label was chosen; line breaks inside become blanks."""
        labels = list(labels)
        if self._label != EVERY and self._label not in labels:
            return
        text, limit = text.strip(), self.lists.limits.phrase_characters
        if len(text) > limit:  # many spans may hold nearly all of a text
            self.lists.add(text[: limit + 1], reject=f"phrase longer than {limit:,} characters")
            return
        text = re.sub(r"\s*[\r\n]+\s*", " ", text)
        if text in self._seen and not reject:
            self.repeated += 1
            return
        if not reject:
            self._seen.add(text)
        more: dict[str, Any] = {"label": ", ".join(labels)} if labels else {}
        self.lists.add(text, reject=reject, **more)

    def rows(self, file: str) -> list[Rows]:
        """Return the lists, and the texts if there are any."""
        if self.repeated:
            message = (
                f"Phrases marked again by the same annotator in the same document: {self.repeated:,}; once counts."
            )
            self.lists.notes.append(Note("info", file, message))
        if self.unsure:
            message = f"Offsets beside rare characters that no text confirms, taken as UTF-16 units: {self.unsure:,}."
            self.lists.notes.append(Note("warning", file, message))
        if not self._texts:
            return [self.lists.rows()]
        pairs = [tuple(map(storable, key)) for key in self._texts]
        ids, texts = (pa.array([pair[i] for pair in pairs], pa.large_string()) for i in range(2))
        table = pa.table({"doc_id": ids, "text": texts})
        return [self.lists.rows(), Rows("documents", table, list(self._texts.values()))]


def _plain(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())
