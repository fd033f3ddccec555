"""Turn identifiers of concepts that stand alone in one file into the labels that another file has for them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import Note
from kp_core.reading.rows import Part


def label(parts: Sequence[Part], notes: list[Note]) -> None:
    """Call every concept whose phrase is only its identifier as others call it, the gold standard before systems.

    Runs of identifiers and a gold standard of labels then meet by phrase too, and a reader sees words.
    """
    known = [part for part in parts if part.role in ("gold", "system") and "concept" in part.table.column_names]
    alone = [pc.fill_null(pc.equal(part.table["phrase"], part.table["concept"]), False) for part in known]
    if not any(pc.any(bare).as_py() for bare in alone):
        return
    labels = dict[str, str]()
    for part, bare in sorted(zip(known, alone, strict=True), key=lambda pair: pair[0].role != "gold"):
        pairs = part.table.select(["concept", "phrase"]).filter(pc.invert(bare)).drop_null()
        for pair in pairs.group_by(["concept", "phrase"], use_threads=False).aggregate([]).to_pylist():
            labels.setdefault(pair["concept"], pair["phrase"])
    for part, bare in zip(known, alone, strict=True):
        coded = part.table["concept"].combine_chunks().dictionary_encode()
        found = pa.array([labels.get(concept) for concept in coded.dictionary.to_pylist()], pa.large_string())
        called = pc.and_(bare, pc.is_valid(found.take(coded.indices)))
        if count := pc.sum(called).as_py():
            part.put("phrase", pc.if_else(called, found.take(coded.indices), part.table["phrase"]))
            said = f"Identifiers called by the label that another file has for them: {count:,}."
            notes.append(Note("info", part.file, said))
