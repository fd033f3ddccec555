"""Recognize the meaning of JSON or Python lists: phrases, variants, tokens, or phrases with scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from kp_core.reading.open.values import is_number

#: Kinds of values per document.
Shape = Literal["phrases", "variants", "scored", "tokens"]
PHRASE_NAMES = ("phrase", "keyphrase", "keyword", "term", "text", "word", "ngram", "name", "label", "uri")
SCORE_NAMES = ("score", "relevance", "confidence", "weight")
CONCEPT_NAMES = ("concept", "uri", "concept_id", "notation")
#: Separator that some systems write between present and absent keyphrases.
BORDER = "<peos>"
#: Separator that some collections write between title and text.
TITLE_END = re.compile(r" (?:\[sep\]|<eos>) ", re.IGNORECASE)


def text_of(value: Any) -> str | None:
    """Return a string or a number as text; None for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return str(value)
    except ValueError:  # Python does not print integers of more than 4,300 digits
        return None


def shape_of(values: Iterable[Any]) -> tuple[Shape, str] | None:
    """Return how the lists of all documents are read, with the evidence; None if they are not lists.

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
        scored = len(objects) >= most and any(pick(item, PHRASE_NAMES) is not None for item in objects)
        evidence = "lists, mostly of strings" if nested or objects else "lists of strings"
        return ("scored", "lists of objects with a phrase") if scored else ("phrases", evidence)
    if 2 * sum(len(item) != 2 and sum(isinstance(part, int) for part in item) > 1 for item in nested) > len(nested):
        return None  # offsets in a text
    pairs = [item for item in nested if len(item) == 2]
    numbered = [any(isinstance(part, (int, float)) for part in item) for item in pairs]
    scores = sum(number or is_number(item[1]) for number, item in zip(numbered, pairs, strict=True))
    if sum(numbered) >= 0.8 * len(nested) or scores == len(nested):
        return "scored", "pairs of phrase and score"
    return "variants", "lists of lists of strings"


def are_scored(values: Iterable[Any]) -> bool:
    """Recognize lists of phrases with systems' scores, as opposed to annotators' grades.

    >>> are_scored([{"tide": 0.8}]), are_scored([[{"label": "tide", "uri": "x:1"}]]), are_scored([[["tide", 0.8]]])
    (True, False, True)
    """
    lists = [value for value in values if value]
    items = [item for value in lists for item in value] if (shape_of(lists) or " ")[0] == "scored" else []
    names = [name for name in SCORE_NAMES if name != "relevance"]
    return any(not isinstance(item, dict) or pick(item, names) is not None for item in items)


def title_and_body(text: str) -> tuple[str | None, str]:
    """Split a text at the marker that some collections put after the title.

    >>> title_and_body("Tides [sep] Water rises.")
    ('Tides', 'Water rises.')
    """
    title, *bodies = TITLE_END.split(text, maxsplit=1)
    return (title.strip(), bodies[0].strip()) if bodies else (None, text)


def pick(item: Any, names: Iterable[str]) -> Any:
    """Return the first field of an object with one of these names, or None."""
    if not isinstance(item, Mapping):
        return None
    lower = {str(key).lower(): value for key, value in item.items() if value is not None}
    return next((lower[name] for name in names if name in lower), None)
