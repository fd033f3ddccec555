"""Turn what annotators marked in texts, by offsets or by whole labels, into lists of phrases, and the texts beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kp_core.errors import Note
from kp_core.reading.family import Recognition
from kp_core.reading.lists import ListBuilder, document_rows
from kp_core.reading.rows import Rows
from kp_core.reading.values import Rejected

#: The mapping of a label that keeps all of them.
EVERY = "all"
#: Layers that a machine makes: no keyphrases.
LINGUISTIC = re.compile(
    r"(\.pos\.|Lemma|Stem|MorphologicalFeatures|SurfaceForm|Dependency)|^(Token|SpaceToken|Sentence|Split|Lookup)$"
)


class Span(NamedTuple):
    """Something marked: its labels, where it begins and ends (in several parts, or nowhere), and its text if given."""

    labels: Sequence[str]
    parts: Sequence[tuple[Any, Any]] = ()
    text: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Marked:
    """What one annotator marked in one document.

    utf16      whether offsets count as Java and JavaScript count
    doubt      whether that is only likely
    left       why it is left out, in words that a number follows
    predicted  whether a model did
    """

    doc_id: str
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    file: str = ""
    line: int = 0
    source: str | None = None
    utf16: bool = False
    doubt: bool = False
    left: str = ""
    predicted: bool = False


class Units:
    """A text whose offsets count UTF-16 code units, as Java and JavaScript count; rare characters count two.

    >>> Units("\\U0001f30a tide").part(3, 7)
    'tide'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.differ = bool(text) and not text.isascii() and max(text) > "\uffff"
        self._coded = text.encode("utf-16-le", "surrogatepass") if self.differ else b""

    def part(self, start: int, end: int, utf16: bool = True) -> str | None:
        """Return the text between two offsets; None if they are outside, empty, or cut a character."""
        if not (utf16 and self.differ):
            return self.text[start:end] if 0 <= start < end <= len(self.text) else None
        if not 0 <= start < end <= len(self._coded) // 2:
            return None
        try:
            return self._coded[2 * start : 2 * end].decode("utf-16-le")
        except UnicodeDecodeError:
            return None

    def phrase(self, span: Span, utf16: bool, limit: int) -> tuple[str, str]:
        """Return the text of a span, and why it is rejected; its own text tells how its offsets are counted."""
        if not span.parts or (span.text and not _are_whole(span.parts)):
            return span.text or "", ""
        if not _are_whole(span.parts):
            return "", "offsets are no whole numbers"
        begin, end = span.parts[0]
        if sum(abs(stop - start) for start, stop in span.parts) > 2 * limit:  # many spans may hold nearly all of a text
            return self.text[max(begin, 0) : max(begin, 0) + limit + 1], f"phrase longer than {limit:,} characters"
        found = self._joined(span.parts, utf16)
        if span.text is None:
            where = "; ".join(f"{start}–{stop}" for start, stop in span.parts)
            return found or where, "" if found else "offsets outside the text"
        for phrase in (found, self._joined(span.parts, not utf16)):
            if phrase is not None and _plain(phrase) == _plain(span.text):
                return phrase, ""
        return span.text, f"the text at {begin}–{end} is “{str(found)[:40]}”" if self.text else ""

    def _joined(self, parts: Sequence[tuple[int, int]], utf16: bool) -> str | None:
        found = [self.part(start, end, utf16) for start, end in parts]
        return None if None in found else " ".join(filter(None, found))


def _are_whole(parts: Sequence[tuple[Any, Any]]) -> bool:
    return all(type(start) is int and type(end) is int for start, end in parts)


def _plain(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())


def labelled(recognition: Recognition, labels: Iterable[str]) -> Recognition:
    """Return a recognition that offers the labels to choose from, if there are several."""
    found = sorted(set(labels) - {""})
    offers = {"label": (EVERY, *found)} if len(found) > 1 else {}
    chosen = recognition.files[0].mapping.switch("label") or EVERY
    every = f"; labels {', '.join(label[:40] for label in found[:5])}{' …' * (len(found) > 5)}, all of them read"
    said = every if offers and chosen == EVERY else f"; label {chosen}" if offers else ""
    return replace(recognition, evidence=recognition.evidence + said, options={"label": chosen}, offers=offers)


def span_rows(
    recognition: Recognition, every: Iterable[Marked], rejected: list[Rejected], notes: Iterable[Note] = ()
) -> list[Rows]:
    """Return the lists of all annotators, and the texts; a phrase of one annotator counts once a document."""
    first, label = recognition.files[0], recognition.options["label"]
    lists = ListBuilder("gold" if recognition.role == "documents" else recognition.role, first.limits)
    texts: dict[tuple[str, str], int] = {}
    again = unsure = 0
    units = Units("")
    for marked in every:
        lists.open(marked.doc_id, file=marked.file or first.name, line=marked.line, source=marked.source)
        units = units if units.text == marked.text else Units(marked.text)
        if marked.text:
            texts.setdefault((marked.doc_id, marked.text), marked.line)
        seen: set[str] = set()
        for span in marked.spans:
            if label not in (EVERY, *span.labels):
                continue
            phrase, reject = units.phrase(span, marked.utf16, first.limits.phrase_characters)
            unsure += marked.doubt and bool(span.parts) and span.text is None and units.differ
            phrase = " ".join(filter(None, map(str.strip, re.split(r"[\r\n]", phrase))))
            if not reject and phrase in seen:
                again += 1
                continue
            if not reject:
                seen.add(phrase)
            more = {"label": ", ".join(dict.fromkeys(span.labels))} if span.labels else {}
            lists.add(phrase, line=span.line, reject=reject, **more)
    for row in rejected:
        lists.reject(*row)
    lists.notes += notes
    if again:
        said = f"Phrases marked again by the same annotator in the same document: {again:,}; once counts."
        lists.notes.append(Note("info", first.name, said))
    if unsure:
        said = f"Offsets beside rare characters that no text confirms, taken as UTF-16 units: {unsure:,}."
        lists.notes.append(Note("warning", first.name, said))
    ids, bodies = ([key[part] for key in texts] for part in (0, 1))
    documents = document_rows({"doc_id": ids, "text": bodies}, list(texts.values()))
    return [documents] if recognition.role == "documents" else [lists.rows(), documents][: 1 + bool(texts)]
