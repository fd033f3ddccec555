"""Find the column of a table whose ids are those of the other files, where its own ids meet none of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kp_core.reading.evidence import clues_of
from kp_core.reading.layout import Layout

#: So many ids of the smaller side must be met.
_MET = 0.5


def column_that_meets(layout: Layout, others: Sequence[Collection[str]]) -> str | None:
    """Return the one other column that tells the same documents apart, by ids that another file has too.

    others  the ids of every other file
    """
    table = layout.table
    if layout.kind not in ("long", "lists", "wide"):
        return None
    own = layout.ids().to_pylist()
    if any(set(own) & set(ids) for ids in others):
        return None
    free = [name for name in table.names if name not in (*layout.columns.values(), *_used(layout))]
    found = []
    for name in (name for name in free if not {"long", "lists", "dates", "sparse"} & clues_of(table, name)):
        cells = [cell.strip() for cell in table.texts(name).to_pylist()]
        pairs = set(zip(own, cells, strict=True))
        one_to_one = len(pairs) == len(set(own)) == len(set(cells))
        met = [len(set(cells) & set(ids)) / min(len(set(cells)), len(set(ids))) for ids in others if ids]
        if one_to_one and met and max(met) >= _MET:
            found.append(name)
    return found[0] if len(found) == 1 else None


def _used(layout: Layout) -> list[str]:
    return [name for names in layout.sources.values() for name in names]
