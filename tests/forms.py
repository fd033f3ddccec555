"""Fill in the form of a question as a person would: change one field after another."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from kp_core.reading import Mapping, Question
from kp_core.reading.meaning.mapping import HEADS, PLACES, SEVERAL, VALUES, each_is, meanings_of, with_meanings

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
    line=st.sampled_from(["", "label"]),
    separator=st.sampled_from(["", "\t"]),
    as_read=st.booleans(),
)


def proposed(question: Question) -> dict[str, Mapping]:
    """Return the mappings of all forms, and those of the first answer to a question about several files."""
    first = question.answers[0].mapping if question.answers else {}
    return {**{form.file: form.mapping for form in question.forms}, **first}


def changed(mapping: Mapping, words: str) -> Mapping:
    """Return a mapping changed by `words`: all columns if these include keyphrases or texts, else only those named."""
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


def choices(before: Mapping, after: Mapping, columns: Sequence[str] = ()) -> int:
    """Return how many dropdowns or buttons differ between two mappings of a file with these columns."""
    several, count = after.keyphrases, _differences(before, after)
    adjacent = [columns[n : n + len(several)] for n in range(len(columns))]
    if len(several) < 3 or list(several) not in adjacent:
        return count
    # The form takes adjacent columns by their first and their last, which at first is the last of the table.
    meanings = {name: field for name, field in meanings_of(before).items() if field != "keyphrases"}
    places = {place: each_is(before, place) for place in PLACES}
    taken = with_meanings(before, meanings | dict.fromkeys(several, "keyphrases"), places)
    return min(count, 1 + (several[-1] != columns[-1]) + _differences(taken, after))


def _differences(before: Mapping, after: Mapping) -> int:
    count = 0
    for field in fields(Mapping):
        old, new = getattr(before, field.name), getattr(after, field.name)
        count += len({*old} ^ {*new}) if field.name in SEVERAL else old != new
    moved = {*before.columns} & {*after.columns}
    return count - sum(_field(before, name) != _field(after, name) for name in moved)


def _field(mapping: Mapping, name: str) -> str:
    """Return the field that contains a column: moving the column is one choice, not two."""
    return next((f.name for f in fields(Mapping) if name in _texts(getattr(mapping, f.name))), "")


def _texts(value: Any) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
