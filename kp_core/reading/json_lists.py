"""Turn a JSON value (or a Python dict) of documents and their lists into rows, whatever stands inside the lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from kp_core.corpus import Role
from kp_core.errors import counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.json_text import is_json
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.lists import ListBuilder, is_number
from kp_core.reading.shapes import Shape, add_list, shape_of, text_of

_SHAPES: tuple[Shape, ...] = ("phrases", "variants", "scored", "tokens")


def recognise(
    family: str, shapes: tuple[Shape, ...], files: Sequence[File], role: Role | None, choice: Choice
) -> Recognition | None:
    """Recognise a JSON file whose lists have one of the shapes."""
    if len(files) != 1 or role in ("documents", "judgements") or not is_json(files[0].json):
        return None
    lists = documents_of(files[0].json, files[0].stem)
    refuse_over(files[0].limits.documents, len(lists or ()), "documents", files[0].name)
    found = shape_of(lists.values()) if lists is not None else None
    if lists is None or found is None:
        return None
    shape = choice.options.get("inner", found[0])
    if shape not in shapes and not ("inner" in choice.options and choice.family == family):
        return None
    options = {"inner": shape} | ({} if role else {"role": "guessed"})
    guess: Role = role or ("system" if shape == "scored" else "gold")
    if shape == "scored" and role is None:
        del options["role"]
    evidence = f"a JSON object of {counted(len(lists), 'document')} with {found[1]}"
    if isinstance(files[0].json, list):
        evidence = f"a JSON list of {counted(len(lists), 'document')}, counted from 1, with {found[1]}"
    return Recognition(family, guess, tuple(files), 0.95, evidence, {}, options)


def documents_of(value: Any, stem: str) -> dict[str, Any] | None:
    """Return document → list; documents of a plain list are counted, a plain list of pairs is one document."""
    if isinstance(value, dict):
        return value if all(isinstance(v, (list, tuple, dict)) or v is None for v in value.values()) else None
    if not isinstance(value, list) or not value or not all(isinstance(v, list) for v in value):
        return None
    if all(len(v) == 2 and is_number(v[0]) != is_number(v[1]) for v in value):
        return {stem: value}
    return {str(number): inner for number, inner in enumerate(value, 1)}


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the lists of a recognised JSON file."""
    file = recognition.files[0]
    lists = documents_of(file.json, file.stem) or {}
    shape = cast(Shape, recognition.options["inner"])
    rows = rows_of(lists, shape, recognition.role, file.name, file.limits)
    if isinstance(file.json, list) and len(lists) > 1:
        rows.counted = len(lists)
    return [rows]


def rows_of(lists: Mapping[str, Any], shape: Shape, role: Role, file: str, limits: Limits) -> Rows:
    """Return the rows of document → list."""
    builder = ListBuilder(role, limits)
    add_lists(builder, lists, shape, file)
    return builder.rows()


def add_lists(
    builder: ListBuilder, lists: Mapping[str, Any], shape: Shape, file: str, source: str | None = None
) -> None:
    """Add every list of document → list."""
    amount = "score" if builder.role == "system" else "relevance"
    for doc_id, value in lists.items():
        name = text_of(doc_id) or ""
        if not name.strip():
            builder.rejected.append((file, 0, "an empty id", str(value)[:200]))
            continue
        builder.open(name, file=file, line=0, source=source)
        add_list(builder, value, shape, amount)
