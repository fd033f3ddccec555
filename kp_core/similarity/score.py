"""Turn pairs of phrases and names of measures into a wide array of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kp_core.errors import InputError
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.similarity.choices import Choices
from kp_core.similarity.information import Collection
from kp_core.similarity.overlap import PREPOSITIONS
from kp_core.similarity.registry import MEASURES, Asked, parse
from kp_core.similarity.sides import sides
from kp_core.similarity.synonyms import Synonyms
from kp_core.similarity.tokens import Flat, Phrases, Recipe


class Shared:
    """What the blocks of one level keep in common."""

    def __init__(self, phrases: Phrases, flat: Flat, weight: Ints, synonyms: Sequence[Sequence[str]]) -> None:
        self.phrases, self.flat, self._weight = phrases, flat, weight
        self.synonyms = Synonyms(phrases, synonyms) if synonyms else None

    @cached_property
    def prepositions(self) -> Bools:
        """Which word codes are prepositions."""
        return np.array([word in PREPOSITIONS for word in self.phrases.vocabulary("words")], bool)

    @cached_property
    def collection(self) -> Collection:
        """The information of the n-grams of all references."""
        return Collection(self.flat, self._weight)


@dataclass
class Pairs:
    """Pairs as strings, for measures that look at strings or at whole columns."""

    keyphrases: list[str] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    seed: int = 0
    scorer: Scorer | None = None
    columns: Mapping[str, Floats] = field(default_factory=dict)
    numbers: tuple[Ints, ...] = ()


@dataclass(frozen=True)
class Wide:
    """Values of pairs under measures: table (pair, measure), NaN where undefined.

    undefined   measure, pairs, and the reason why their values are missing
    """

    names: tuple[str, ...]
    table: Floats
    undefined: tuple[tuple[int, Ints, str], ...] = ()

    @cached_property
    def reason(self) -> NDArray[np.object_]:
        """Reasons (pair, measure): `ok` or a key of `REASONS`."""
        found = np.full(self.table.shape, "ok", object)
        for measure, pairs, why in self.undefined:
            found[pairs, measure] = why
        return found


class Scorer:
    """Phrases, coded once, whose pairs are then scored by any measure.

    phrases   distinct phrases; pairs are two arrays of their numbers
    stemmed   (phrase,) phrases that are stems already
    """

    def __init__(self, phrases: Sequence[str], choices: Choices | None = None, stemmed: Bools | None = None) -> None:
        self.phrases, self.choices, self._stemmed = phrases, choices or Choices(), stemmed
        self._coded: dict[Recipe, Phrases] = {}
        self.kept: dict[str, Any] = {}  # what measures of meaning prepare once

    def coded(self, recipe: Recipe) -> Phrases:
        """Return the phrases under a recipe."""
        if recipe not in self._coded:
            self._coded[recipe] = Phrases(self.phrases, recipe, self._stemmed)
        return self._coded[recipe]

    def score(
        self, measures: Sequence[str], keyphrase: Ints, candidate: Ints, columns: Mapping[str, Floats] | None = None
    ) -> Wide:
        """Return the values of pairs, given by the numbers of their phrases (pair,)."""
        given = _given(measures, columns or {})
        asked = {name: parse(name, self.choices.compat) for name in measures if name not in given}
        codes = keyphrase.astype(np.int64) * len(self.phrases) + candidate
        scored, place, times = _distinct(codes)
        key, other = scored // max(1, len(self.phrases)), scored % max(1, len(self.phrases))
        recipes = {name: self.choices.recipe(one, name) for name, one in asked.items()}
        table = np.empty((len(measures), len(codes)))
        undefined: list[tuple[int, Ints, str]] = []

        def enter(name: str, values: Floats, why: str, blank: Bools | None = None) -> None:
            missing = np.flatnonzero(np.isnan(values))
            for row in (row for row, one in enumerate(measures) if one == name):
                table[row] = values
                if len(missing):
                    undefined.append((row, missing, why))
                    if blank is not None:
                        undefined.append((row, missing[blank[missing]], "empty_phrase"))

        for recipe in dict.fromkeys(recipes.values()):
            own = {name: one for name, one in asked.items() if recipes[name] == recipe}
            phrases = self.coded(recipe)
            blank = (phrases.words.length[key] == 0) | (phrases.words.length[other] == 0)
            for name, values in self._by_recipe(phrases, own, key, other, times).items():
                used = asked[name].used
                if used is asked[name].measure:  # libraries have values for empty phrases
                    values[blank] = np.nan
                enter(name, _spread(values, place), used.reason, _spread(blank, place))
        rows = (
            Pairs(
                self._strings(keyphrase),
                self._strings(candidate),
                self.choices.seed,
                self,
                columns or {},
                (keyphrase, candidate),
            )
            if _whole(asked)
            else Pairs()
        )
        for name, one in _whole(asked).items():
            enter(name, one.scores(rows), one.used.reason)
        for name, column in given.items():
            enter(name, column, "no_value")
        return Wide(tuple(measures), table.T, tuple(undefined))

    def _strings(self, numbers: Ints) -> list[str]:
        found: list[str] = pa.array(self.phrases, pa.large_string()).take(pa.array(numbers)).to_pylist()
        return found

    def _by_recipe(
        self, phrases: Phrases, asked: Mapping[str, Asked], key: Ints, other: Ints, times: Ints
    ) -> dict[str, Floats]:
        """Return the values of pairs, block by block, for all measures that share a recipe."""
        found = {name: np.full(len(key), np.nan) for name, one in asked.items() if one.measure.level != "pairs"}
        for level, flat in self._levels(phrases, asked).items():
            own = {name: one for name, one in asked.items() if _level(one, phrases.recipe) == level}
            words = phrases.words if level == "stems" and not phrases.recipe.everywhere else flat
            shared = Shared(phrases, flat, self._references(flat, key, other, times), self.choices.synonyms)
            for pairs, block in sides(flat, words, key, other, self.choices.direction == "longer", shared):
                for name, one in own.items():
                    if (block.r and block.h) or one.used is not one.measure:  # libraries score empty phrases too
                        found[name][pairs] = one.scores(block)
        texts = [name for name, one in asked.items() if one.measure.level == "texts"]
        if texts and len(key):
            forms = pa.array(phrases.texts, pa.large_string())
            strings = Pairs(forms.take(pa.array(key)).to_pylist(), forms.take(pa.array(other)).to_pylist())
            for name in texts:
                found[name] = np.array(asked[name].scores(strings), float)
        return found

    def _levels(self, phrases: Phrases, asked: Mapping[str, Asked]) -> dict[str, Flat]:
        levels = dict.fromkeys(_level(one, phrases.recipe) for one in asked.values())
        known = {
            "words": lambda: phrases.level("words"),
            "stems": lambda: phrases.stems,
            "characters": lambda: phrases.characters,
        }
        return {level: known[level]() for level in levels if level in known}

    def _references(self, flat: Flat, key: Ints, other: Ints, times: Ints) -> Ints:
        """Count how often each phrase is a reference."""
        longer = self.choices.direction == "longer"
        reference = np.where(flat.length[key] >= flat.length[other], key, other) if longer else key
        return np.bincount(reference, times, minlength=len(self.phrases)).astype(np.int64)


def _whole(asked: Mapping[str, Asked]) -> dict[str, Asked]:
    """Return the measures that look at all pairs at once."""
    return {name: one for name, one in asked.items() if one.measure.level == "pairs"}


def _level(one: Asked, recipe: Recipe) -> str:
    """Return the level a measure looks at under a recipe; measures that share one share its blocks."""
    level = one.measure.level
    return "stems" if level == "words" and recipe.everywhere else level


def _given(measures: Sequence[str], columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the measures that are columns of the table: those named `column:x`, or x where no measure is called so."""
    found = {}
    for name in measures:
        bare = name.removeprefix("column:")
        if bare in columns and (bare != name or name not in MEASURES):
            found[name] = columns[bare]
    return found


def _spread(values: Any, place: Ints | None) -> Any:
    """Return the values of all pairs from those of the distinct ones."""
    return values if place is None else values[place]


def _distinct(codes: Ints) -> tuple[Ints, Ints | None, Ints]:
    """Return the distinct pairs, the place of every pair among them, and how often each is.

    The place is None, and every pair is looked at, where few are there again: telling them apart would take longer.
    """
    ordered = np.sort(codes)
    if 10 * np.count_nonzero(ordered[1:] == ordered[:-1]) < len(codes):
        return codes, None, np.ones(len(codes), np.int64)
    found, place, times = np.unique(codes, return_inverse=True, return_counts=True)
    return found, place, times


def score(
    keyphrases: Sequence[str],
    candidates: Sequence[str],
    measures: Sequence[str],
    choices: Choices | None = None,
    columns: Mapping[str, Floats] | None = None,
) -> Wide:
    """Return a wide array of values (pair, measure) for two lists of strings.

    >>> score(["topic"], ["topic importance"], ["R-precision", "M-R-precision"]).table.round(4).tolist()
    [[0.5, 0.3333]]
    """
    try:
        both = pa.array([*keyphrases, *candidates], pa.large_string()).dictionary_encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "the pairs", "half a character", "text that can be stored", "Save the file as UTF-8."
        ) from error
    numbers = both.indices.to_numpy().astype(np.int64)
    scorer = Scorer(both.dictionary.to_pylist(), choices)
    return scorer.score(list(measures), numbers[: len(keyphrases)], numbers[len(keyphrases) :], columns)
