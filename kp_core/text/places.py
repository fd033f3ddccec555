"""Find the places where phrases occur in texts, on token boundaries of the normalized text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from unicodedata import category

from kp_core.text.normalise import Normaliser
from kp_core.text.tokenise import tokens

_CHUNK = re.compile(r"\S+")
#: Vowels and final consonants of Korean syllables, and the Japanese voice marks of half width.
_JOINS = re.compile("[\u1160-\u11ff\uff9e\uff9f]")


@dataclass(frozen=True)
class Place:
    """A span of a text, `text[start:end]`, in which a phrase occurs, with its kind and listed spelling."""

    start: int
    end: int
    kind: str
    phrase: str


def token_lines(texts: Sequence[str], normaliser: Normaliser) -> list[str]:
    """Return the normalized tokens of each text or phrase as one line, with spaces around every token.

    Pass all texts together, so that distinct words are processed only once.
    """
    chunks = [text.split() for text in texts]
    form_and_words = _read(chain.from_iterable(chunks), normaliser)
    line_of = {chunk: "".join(f"{word} " for word, _, _ in words) for chunk, (_, words) in form_and_words.items()}
    return [" " + "".join(map(line_of.__getitem__, words)) for words in chunks]


def _read(chunks: Iterable[str], normaliser: Normaliser) -> dict[str, tuple[str, list[tuple[str, int, int]]]]:
    """Return for each distinct chunk its form before stemming, and its normalized tokens with their spans."""
    distinct = list(dict.fromkeys(chunks))
    forms = normaliser.as_text(distinct)
    tokens_of = [tokens(form) for form in forms]
    words = list(dict.fromkeys(token for spans in tokens_of for token, _, _ in spans))
    word_of = dict(zip(words, normaliser.by_word(words), strict=True))
    spans_of_words = [
        [(word, start, end) for token, start, end in spans if (word := word_of[token])] for spans in tokens_of
    ]
    return dict(zip(distinct, zip(forms, spans_of_words, strict=True), strict=True))


def occurs(phrase: str, text: str, any_order: bool = False) -> bool:
    """Return whether the tokens of one line of `token_lines` occur consecutively in another line."""
    if len(phrase) < 2:
        return False
    if not any_order:
        return phrase in text
    sequence, words = sorted(phrase.split()), text.split()
    return all(f" {token} " in text for token in sequence) and any(
        sorted(words[start : start + len(sequence)]) == sequence for start in range(len(words) - len(sequence) + 1)
    )


def places(
    text: str,
    phrases: Mapping[str, Sequence[str]],
    normaliser: Normaliser,
    stemmed: Collection[str] = (),
    yielding: Collection[str] = (),
) -> list[Place]:
    """Return the places of phrases of several kinds in a text, in order and without overlaps.

    Of overlapping phrases, the one with more tokens takes precedence, then the earlier one, then the first kind.

    * `stemmed`: kinds whose phrases were released as stems
    * `yielding`: kinds that get only words not covered by other kinds, so that their phrases never hide those of others
    """
    any_order = "sort" in normaliser.steps
    phrases_of: dict[int, dict[tuple[str, ...], tuple[str, str]]] = {}
    for kind, texts in phrases.items():
        pipeline = normaliser.without_stemmer() if kind in stemmed else normaliser
        for phrase, line in zip(texts, token_lines(texts, pipeline), strict=True):
            sequence = tuple(sorted(line.split()) if any_order else line.split())
            phrases_of.setdefault(len(sequence), {}).setdefault(sequence, (kind, phrase))
    phrases_of.pop(0, None)
    spans = _spans(text, normaliser)
    matches = []
    for size in sorted(phrases_of, reverse=True):
        for first in range(len(spans) - size + 1):
            words = [token for token, _, _ in spans[first : first + size]]
            if match := phrases_of[size].get(tuple(sorted(words) if any_order else words)):
                matches.append((match, [(start, end) for _, start, end in spans[first : first + size]]))
    covered, chosen = bytearray(len(text)), list[Place]()
    for match, ends in sorted(matches, key=lambda item: item[0][0] in yielding):
        is_yielding = match[0] in yielding
        taken_by = [max(covered[start:end], default=0) for start, end in ends]
        if max(taken_by) > is_yielding:  # overlaps a phrase of the same round
            continue
        for is_free, run in groupby(zip(taken_by, ends, strict=True), lambda token: not token[0]):
            if is_free:
                free_spans = [token[1] for token in run]
                start, end = free_spans[0][0], free_spans[-1][1]
                covered[start:end] = bytes([1 + is_yielding]) * (end - start)
                chosen.append(Place(start, end, *match))
    return sorted(chosen, key=lambda place: place.start)


def pieces(text: str, places: Iterable[Place]) -> list[tuple[str, str]]:
    """Split a text into pieces (kind, text), with an empty kind outside the places."""
    parts, end = list[tuple[str, str]](), 0
    for place in places:
        parts += [("", text[end : place.start]), (place.kind, text[place.start : place.end])]
        end = place.end
    return [part for part in (*parts, ("", text[end:])) if part[1]]


def _spans(text: str, normaliser: Normaliser) -> list[tuple[str, int, int]]:
    """Return the normalized tokens of a text, each with its span in the original text."""
    chunks = [(match.group(), match.start()) for match in _CHUNK.finditer(text)]
    spans_in_chunk = {}
    for chunk, (form, words) in _read((chunk for chunk, _ in chunks), normaliser).items():
        origin = _origins(chunk, form, normaliser)
        spans_in_chunk[chunk] = [(word, origin[start][0], origin[end - 1][1]) for word, start, end in words]
    return [(word, place + start, place + end) for chunk, place in chunks for word, start, end in spans_in_chunk[chunk]]


def _origins(chunk: str, form: str, normaliser: Normaliser) -> list[tuple[int, int]]:
    """Return the span of the original chunk for each character of a normalized chunk."""
    if chunk.isascii() and len(form) == len(chunk):
        return [(place, place + 1) for place in range(len(form))]
    starts = [place for place, c in enumerate(chunk) if not place or not (category(c)[0] == "M" or _JOINS.match(c))]
    pieces = list(zip(starts, [*starts[1:], len(chunk)], strict=True))  # characters combine only within a piece
    parts = normaliser.as_text([chunk[start:end] for start, end in pieces])
    letters_left = iter([piece for piece, part in zip(pieces, parts, strict=True) for c in part if not c.isspace()])
    letters = [not c.isspace() for c in form]
    whole_chunk = (0, len(chunk))
    if sum(len("".join(part.split())) for part in parts) != sum(letters):
        return [whole_chunk] * len(form)  # several characters changed together, such as a possessive
    return [next(letters_left) if letter else whole_chunk for letter in letters]
