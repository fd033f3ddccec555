"""Turn the values that JSON (or a Python dict) holds for a document into phrases, variants and scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from kp_core.errors import Note
from kp_core.reading.lists.list_builder import ListBuilder, bare_items
from kp_core.reading.open.json_text import shown
from kp_core.reading.open.values import is_number, number

#: How the value of a document is to be understood.
Shape = Literal["phrases", "variants", "scored", "tokens"]
PHRASE_NAMES = ("phrase", "keyphrase", "keyword", "term", "text", "word", "ngram", "name", "label", "uri")
SCORE_NAMES = ("score", "relevance", "confidence", "weight")
CONCEPT_NAMES = ("concept", "uri", "concept_id", "notation")
#: What some systems write between keyphrases that stand in the text and others.
BORDER = "<peos>"
_BORDERS = Note("info", "lists", f"Marks `{BORDER}` between present and absent keyphrases were left out.")


def text_of(value: Any) -> str | None:
    """Return a JSON value as text: strings as they are, numbers as written; None for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return str(value)
    except ValueError:  # Python shows no number of more than 4,300 digits
        return None


def shape_of(values: Iterable[Any]) -> tuple[Shape, str] | None:
    """Return how the lists of all documents are to be read, with the evidence; None if they are no lists.

    >>> shape_of([["tide table", "harbour"], []])
    ('phrases', 'lists of strings')
    >>> shape_of([[["a", "b"], ["c"]]])[0], shape_of([[["a", "1"], ["b", "0.5"]]])[0], shape_of([{"tide": 0.8}])[0]
    ('variants', 'scored', 'scored')
    """
    lists = [value for value in values if value is not None]
    if not lists or not all(isinstance(value, (list, tuple, dict)) for value in lists):
        return None
    if any(isinstance(value, dict) for value in lists):
        scored = any(lists) and all(isinstance(value, dict) for value in lists)
        scored = scored and all(text_of(score) is not None for value in lists for score in value.values())
        return ("scored", "objects of phrase and score") if scored else None
    items = [item for value in lists for item in value if item is not None]
    objects = [item for item in items if isinstance(item, dict)]
    nested = [item for item in items if isinstance(item, (list, tuple))]
    most = 0.8 * max(len(items), 1)
    if len(nested) < most:  # one bad item among many is a rejected row, not another format
        told = len(objects) >= most and any(_pick(item, PHRASE_NAMES) is not None for item in objects)
        said = "lists, mostly of strings" if nested or objects else "lists of strings"
        return ("scored", "lists of objects with a phrase") if told else ("phrases", said)
    if 2 * sum(len(item) != 2 and sum(isinstance(part, int) for part in item) > 1 for item in nested) > len(nested):
        return None  # places in a text
    pairs = [item for item in nested if len(item) == 2]
    numbered = [any(isinstance(part, (int, float)) for part in item) for item in pairs]
    scores = sum(number or is_number(item[1]) for number, item in zip(numbered, pairs, strict=True))
    if sum(numbered) >= 0.8 * len(nested) or scores == len(nested):
        return "scored", "pairs of phrase and score"
    return "variants", "lists of lists of strings"


def are_scored(values: Iterable[Any]) -> bool:
    """Tell lists of phrases with scores, as systems give them; a relevance is a grade of people.

    >>> are_scored([{"tide": 0.8}]), are_scored([[{"label": "tide", "uri": "x:1"}]]), are_scored([[["tide", 0.8]]])
    (True, False, True)
    """
    lists = [value for value in values if value]
    items = [item for value in lists for item in value] if (shape_of(lists) or " ")[0] == "scored" else []
    names = [name for name in SCORE_NAMES if name != "relevance"]
    return any(not isinstance(item, dict) or _pick(item, names) is not None for item in items)


def add_list(builder: ListBuilder, value: Any, shape: Shape, amount: str = "score", **more: Any) -> None:
    """Add the phrases of one document to the open list; `amount` names the column for scores, `more` further ones."""
    if isinstance(value, str):
        value = builder.pieces(value)
    elif isinstance(value, Mapping):
        value = list(value.items())
    elif not isinstance(value, (list, tuple)):
        if value is not None:
            builder.add(shown(value), reject="no list")
        return
    value = _present(builder, value)
    plain = all(type(item) is str for item in value)
    if BORDER in "\n".join(value) if plain else any(item in (BORDER, [BORDER]) for item in value):
        # One string may hold the whole list, as in line-aligned files.
        pieces = [builder.pieces(item) if plain and BORDER in item else [item] for item in value]
        value = [item for piece in pieces for item in piece if item not in (BORDER, [BORDER])]
        builder.notes += [] if _BORDERS in builder.notes else [_BORDERS]
    if plain and shape == "phrases" and not more:
        builder.extend(bare_items(list(value)))
        return
    for item in value:
        _add_item(builder, item, shape, amount, more)


def _present(builder: ListBuilder, items: Sequence[Any]) -> Sequence[Any]:
    """Return the items of a list; `null`, which is none, is counted as blank."""
    found = [item for item in items if item is not None]
    builder.skip(len(items) - len(found))
    return found


def title_and_body(text: str) -> tuple[str | None, str]:
    """Split a text at the marker that some collections put after the title.

    >>> title_and_body("Tides [sep] Water rises.")
    ('Tides', 'Water rises.')
    """
    for marker in (" [sep] ", " [SEP] ", " <eos> "):
        title, found, body = text.partition(marker)
        if found:
            return title.strip(), body.strip()
    return None, text


def _add_item(builder: ListBuilder, item: Any, shape: Shape, amount: str, further: Mapping[str, Any]) -> None:
    if isinstance(item, Mapping):
        concept = text_of(_pick(item, CONCEPT_NAMES))
        add_scored(builder, _pick(item, PHRASE_NAMES), _pick(item, SCORE_NAMES), amount, concept)
    elif shape == "scored" and isinstance(item, (list, tuple)) and len(item) == 2:
        first, second = item
        turned = is_number(first) and not isinstance(first, str) and not is_number(second)
        add_scored(builder, *((second, first) if turned else (first, second)), amount)
    elif isinstance(item, (list, tuple)):
        if item and not (item := _present(builder, item)):
            return
        spellings = tuple(text.strip() for text in map(text_of, item) if text is not None and text.strip())
        if shape == "tokens":
            builder.add(" ".join(spellings), reject="" if spellings else "an empty phrase")
        elif len(spellings) != len(item) or not spellings:
            builder.add(shown(item), reject="an entry with an empty or missing spelling")
        else:
            more: dict[str, Any] = {"variants": spellings} if len(spellings) > 1 else {}
            builder.add(spellings[0], **more)
    else:
        text = text_of(item)
        builder.add(shown(item) if text is None else text, reject="no text" if text is None else "", **further)


def add_scored(
    builder: ListBuilder, phrase: Any, score: Any, amount: str = "score", concept: str | None = None
) -> None:
    """Add a phrase with its score to the open list; a score that is no number makes a rejected row."""
    text = " ".join(filter(None, map(text_of, phrase))) if isinstance(phrase, list) else text_of(phrase)
    value = number(score)
    more: dict[str, Any] = {"concept": concept} if concept else {}
    if text is None:
        builder.add(shown(phrase), reject="no phrase")
    elif score is None:
        builder.add(text, **more)
    elif not math.isfinite(value):
        builder.add(text, reject=f"{amount} is not a finite number: {shown(score)[:40]}")
    else:
        builder.add(text, **{amount: value} | more)


def _pick(item: Any, names: Iterable[str]) -> Any:
    if not isinstance(item, Mapping):
        return None
    lower = {str(key).lower(): value for key, value in item.items() if value is not None}
    return next((lower[name] for name in names if name in lower), None)
