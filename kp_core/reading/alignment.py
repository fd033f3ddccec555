"""Turn documents that are only counted into documents with ids: line n of every file is document n of its companion."""

from __future__ import annotations

from collections.abc import Sequence

from kp_core.errors import InputError, Note, counted
from kp_core.reading.settle import Part


def align(parts: Sequence[Part], notes: list[Note]) -> None:
    """Refuse counted files of unequal length; name their documents by a file of ids, else by a table of texts.

    A table of texts names them only if it is alone, one file, and has exactly as many documents.
    """
    numbered = [part for part in parts if part.counted]
    if not [part for part in numbered if not part.names]:
        return
    _refuse_unequal(numbered)
    companion = next((part for part in numbered if part.names), None)
    if companion is None:
        texts = [part for part in parts if part.role == "documents" and not part.counted and part.in_one_file]
        fits = len(texts) == 1 and len(texts[0].ids()) == numbered[0].counted
        companion = texts[0] if fits else None
    if companion is None:
        message = f"There are no ids; documents are counted 1 to {numbered[0].counted:,}."
        notes += [Note("warning", part.file, message) for part in numbered]
        return
    ids = companion.ids().to_pylist()
    renamed = {str(number): doc_id for number, doc_id in enumerate(ids, 1)}
    for part in numbered:
        if part.names or renamed == {name: name for name in renamed}:
            continue
        part.rename("doc_id", renamed)
        have = counted(part.counted, "document has", "documents have")
        message = f"The {have} the ids of {companion.file}, in this order."
        notes.append(Note("info", part.file, message))


def _refuse_unequal(numbered: Sequence[Part]) -> None:
    first = numbered[0]
    other = next((part for part in numbered if part.counted != first.counted), None)
    if other is not None:
        found = f"{counted(other.counted, 'document')}, where {first.file} has {first.counted:,}"
        remedy = "Lines of these files belong together by their number, blank lines included; compare the files."
        raise InputError(other.file, found, "as many as in the other files without ids", remedy)
