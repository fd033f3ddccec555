"""Fill in the form of a question as a person would: change one field after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from kp_core.reading import Form, Mapping, Question
from kp_core.reading.meaning.mapping import HEADS, ROW, SEVERAL, SHEET, VALUES

#: Fields of which a column may be one.
OF_COLUMN = ("document", "keyphrases", "annotator", "system", "rank", "score", "relevance", "title", "text", "group")
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(
    lambda text: text == text.strip()
)
#: Mappings of any kind, whether a file fits them or not.
mappings = st.builds(
    Mapping,
    role=st.sampled_from(["", *VALUES["role"]]),
    document=st.just("") | texts,
    keyphrases=st.lists(texts, max_size=3).map(tuple),
    annotator=st.sampled_from(["", HEADS, "Wer, bitte?"]),
    score=st.lists(texts, max_size=2).map(tuple),
    gold=st.lists(texts, max_size=2).map(tuple),
    higher_is_better=st.sampled_from([None, True, False]),
    split=st.sampled_from(["", *VALUES["split"]]),
    header=st.sampled_from(["", "yes", "no", "2", "1-2"]),
    delimiter=st.sampled_from(["", ",", "\t", ";", "|"]),
    sheet=st.lists(texts, max_size=2).map(tuple),
    encoding=st.just("") | texts,
    switches=st.sampled_from([(), (("line", "label"), ("separator", "\t"))]),
    as_read=st.booleans(),
)
SPLITS = ("", "none", ";", ",", "|", "lines", "json")


def proposed(question: Question) -> dict[str, Mapping]:
    """Return the mappings of all forms, and those of the first answer to what concerns several files."""
    first = question.answers[0].mapping if question.answers else {}
    return {**{form.file: form.mapping for form in question.forms}, **first}


def changed(mapping: Mapping, words: str) -> Mapping:
    """Return a mapping as `words` say: all columns anew if they name keyphrases or texts, else what they name."""
    said = Mapping.read(words) if words else Mapping()
    if said.keyphrases or said.text:
        kept = {"document": said.document or mapping.document, "role": said.role or mapping.role}
        if said.system or said.gold:
            kept["role"] = "system"
        elif mapping.gold or (said.annotator and mapping.role == "system"):
            kept["role"] = said.role or "gold"
        opened = {name: getattr(mapping, name) for name in ("header", "sheet", "delimiter", "encoding", "split")}
        return replace(said, **{**opened, **({"split": said.split} if said.split else {}), **kept})
    return mapping.merged(said)


def choices(before: Mapping, after: Mapping) -> int:
    """Return how many dropdowns or buttons differ between two mappings."""
    count = 0
    for field in fields(Mapping):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if field.name in SEVERAL:
            count += len({*old} ^ {*new})
        else:
            count += old != new
    moved = {*before.columns} & {*after.columns}
    return count - sum(_field(before, name) != _field(after, name) for name in moved)


def _field(mapping: Mapping, name: str) -> str:
    """Return the field in which a column stands: to move it is one choice, not two."""
    return next((f.name for f in fields(Mapping) if name in _texts(getattr(mapping, f.name))), "")


def _texts(value: Any) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def one_choice(form: Form, mapping: Mapping) -> Iterator[Mapping]:
    """Give every mapping that one more choice in the form makes."""
    for column in form.columns:
        for field in ("", *OF_COLUMN):
            yield with_column(mapping, column, field)
    for person in ("annotator", "system"):
        for place in ("", HEADS, SHEET if len(form.sheets) > 1 else ""):
            role = {"annotator": "gold", "system": "system"}[person]
            yield replace(mapping, **{"annotator": "", "system": "", "role": role, person: place})
    for place in (ROW, HEADS, *([SHEET] if len(form.sheets) > 1 else [])):
        yield replace(mapping, document=place)
    for split in SPLITS:
        yield replace(mapping, split=split)
    for role in ("gold", "system", "documents", "judgements", "leave out"):
        yield replace(mapping, role=role)
    yield replace(mapping, higher_is_better=not mapping.higher_is_better)
    for sheet in form.sheets:
        yield replace(mapping, sheet=(sheet,))


def with_column(mapping: Mapping, column: str, field: str) -> Mapping:
    """Return a mapping in which a column has another meaning, and no other."""
    gone: dict[str, Any] = {}
    for one in fields(Mapping):
        value = getattr(mapping, one.name)
        if one.name in SEVERAL and column in value:
            gone[one.name] = tuple(name for name in value if name != column)
        elif value == column:
            gone[one.name] = ""
    mapping = replace(mapping, **gone)
    if not field:
        return mapping
    several = field in ("keyphrases", "score", "marks")
    return replace(mapping, **{field: (*getattr(mapping, field), column) if several else column})
