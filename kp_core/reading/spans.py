"""Turn what annotators marked in texts, by offsets or by whole labels, into lists of phrases, and the texts beside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kp_core.errors import Note
from kp_core.reading.family import Recognition
from kp_core.reading.lists import ListBuilder, document_rows
from kp_core.reading.rows import Rows
from kp_core.reading.values import Rejected

#: The value of the setting `label` that keeps all labels.
EVERY = "all"


class Span(NamedTuple):
    """Something marked: its labels, where it begins and ends (in several parts, or nowhere), and its text if given."""

    labels: Sequence[str]
    parts: Sequence[tuple[Any, Any]] = ()
    text: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Marked:
    """What one annotator, or a model, marked in one document; `left` says why it is left out."""

    doc_id: str
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    file: str = ""
    line: int = 0
    source: str | None = None
    left: str = ""
    predicted: bool = False


def _phrase(span: Span, text: str, limit: int) -> tuple[str, str]:
    """Return the phrase of a span, on one line, and why it is rejected."""
    if not all(type(place) is int for part in span.parts for place in part):
        return span.text or "", "" if span.text else "offsets are no whole numbers"
    if sum(abs(end - start) for start, end in span.parts) > 2 * limit:  # many spans may hold nearly all of a text
        return text[: limit + 1], f"phrase longer than {limit:,} characters"
    where = "; ".join(f"{start}–{end}" for start, end in span.parts)
    inside = all(0 <= start < end <= len(text) for start, end in span.parts)
    marked = _flat(" ".join(text[start:end] for start, end in span.parts)) if inside else ""
    if span.text is None:
        return marked or where, "" if inside else "offsets outside the text"
    phrase = _flat(span.text)
    # Tools count the characters of a text in different ways.
    strange = span.parts and text and phrase != marked and span.text not in text
    return phrase, f"the text at {where} is “{marked[:40]}”" if strange else ""


def _flat(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())


def labelled(recognition: Recognition, labels: Iterable[str]) -> Recognition:
    """Return a recognition that offers the labels to choose from, if there are several."""
    names = sorted(set(labels) - {""})
    chosen = recognition.files[0].mapping.switch("label") or EVERY
    offers = {"label": (EVERY, *names)} if len(names) > 1 else {}
    which = f"; labels read: {chosen} ({', '.join(name[:40] for name in names[:5])}{' …' * (len(names) > 5)})"
    evidence = recognition.evidence + which * bool(offers)
    return replace(recognition, evidence=evidence, options={"label": chosen}, offers=offers)


def span_rows(
    recognition: Recognition, every: Iterable[Marked], rejected: Iterable[Rejected] = (), notes: Iterable[Note] = ()
) -> list[Rows]:
    """Return the lists of all annotators, and the texts; a phrase of one annotator counts once a document."""
    first, label = recognition.files[0], recognition.options["label"]
    lists = ListBuilder("gold" if recognition.role == "documents" else recognition.role, first.limits)
    texts: dict[tuple[str, str], int] = {}
    again = 0
    for marked in every:
        lists.open(marked.doc_id, file=marked.file, line=marked.line, source=marked.source)
        if marked.text:
            texts.setdefault((marked.doc_id, marked.text), marked.line)
        seen: set[str] = set()
        for span in marked.spans:
            if label not in (EVERY, *span.labels):
                continue
            phrase, reject = _phrase(span, marked.text, first.limits.phrase_characters)
            if phrase in seen and not reject:
                again += 1
                continue
            seen |= set() if reject else {phrase}
            more = {"label": ", ".join(dict.fromkeys(span.labels))} if span.labels else {}
            lists.add(phrase, line=span.line, reject=reject, **more)
    for row in rejected:
        lists.reject(*row)
    lists.notes += notes
    if again:
        said = f"Phrases marked again by the same annotator in the same document: {again:,}; once counts."
        lists.say("info", first.name, said)
    ids, bodies = ([key[part] for key in texts] for part in (0, 1))
    documents = document_rows({"doc_id": ids, "text": bodies}, list(texts.values()))
    if recognition.role == "documents":
        documents.rejected, documents.notes = lists.rejected, lists.notes
        documents.read += len(lists.rejected)
        return [documents]
    return [lists.rows(), documents][: 1 + bool(texts)]
