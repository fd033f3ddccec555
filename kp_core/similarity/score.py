"""Turn pairs of phrases and names of measures into values: a wide array, or one tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from kp_core.coding import Bools, Floats, Ints
from kp_core.errors import InputError, UsageError
from kp_core.similarity.information import Collection
from kp_core.similarity.overlap import PREPOSITIONS
from kp_core.similarity.registry import MEASURES, Asked, parse
from kp_core.similarity.sides import Sides, sides
from kp_core.similarity.synonyms import Synonyms
from kp_core.similarity.tokens import ROUGE_SCORE, Flat, Phrases, Recipe

#: What every measure looks at: words and stems by measure, or stems everywhere.
PRESETS: dict[str, Recipe] = {"paper-like": Recipe(), "same-tokens": Recipe(everywhere=True)}
DIRECTIONS = ("longer", "keyphrase")


@dataclass(frozen=True)
class Choices:
    """What decides the values apart from the pairs; see `similarity` for the meaning of each."""

    direction: str = "longer"
    compat: str = "none"
    preset: str = "paper-like"
    stemmer: str = "porter-nltk"
    normalise: Mapping[str, str] = field(default_factory=dict)
    texts: Sequence[str] | None = None
    synonyms: Sequence[Sequence[str]] = ()
    model: str | None = None
    seed: int = 0
    #: what stands in place of the preset's words and stems, such as those of an evaluation
    base: Recipe | None = None

    def __post_init__(self) -> None:
        """Refuse a choice that does not exist."""
        for name, value, known in (
            ("direction", self.direction, DIRECTIONS),
            ("compat", self.compat, ("none", "nltk")),
            ("preset", self.preset, tuple(PRESETS)),
        ):
            if value not in known:
                raise UsageError(f"{name} is '{value}'; choose one of: {', '.join(known)}")

    def recipe(self, asked: Asked, name: str) -> Recipe:
        """Return how phrases become tokens for a measure, by its name as asked for."""
        own = self.normalise.get(name) or self.normalise.get(asked.measure.name)
        if own:
            return Recipe.parse(own)
        if self.compat == "nltk":
            if asked.measure.name.startswith("ROUGE"):
                stemmer = "porter-nltk" if dict(asked.chosen).get("stemmer") == "yes" else ""
                return Recipe(ROUGE_SCORE, stemmer, True)
            return Recipe("lower+space", self.stemmer)
        everywhere = PRESETS[self.preset].everywhere
        if self.base is not None:
            return Recipe(self.base.words, self.base.stemmer, everywhere)
        return Recipe(PRESETS[self.preset].words, self.stemmer, everywhere)


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
        distinct, place, times = _distinct(codes)
        key, other = distinct // max(1, len(self.phrases)), distinct % max(1, len(self.phrases))
        recipes = {name: self.choices.recipe(one, name) for name, one in asked.items()}
        table = np.empty((len(measures), len(codes)))
        undefined: list[tuple[int, Ints, str]] = []

        def enter(name: str, values: Floats, why: str, blank: Bools | None = None) -> None:
            row = measures.index(name)
            table[row] = values
            missing = np.flatnonzero(np.isnan(table[row]))
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
        rows = Pairs(seed=self.choices.seed, scorer=self, columns=columns or {}, numbers=(keyphrase, candidate))
        for name, one in asked.items():
            if one.measure.level == "pairs":
                rows.keyphrases = rows.keyphrases or self._strings(keyphrase)
                rows.candidates = rows.candidates or self._strings(candidate)
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
        """Return the values of distinct pairs, block by block, for all measures that share a recipe."""
        found = {name: np.full(len(key), np.nan) for name, one in asked.items() if one.measure.level != "pairs"}
        for level, flat in self._levels(phrases, asked).items():
            own = {name: one for name, one in asked.items() if _level(one, phrases.recipe) == level}
            words = phrases.words if level == "stems" and not phrases.recipe.everywhere else flat
            shared = Shared(phrases, flat, self._references(flat, key, other, times), self.choices.synonyms)
            for pairs, block in sides(flat, words, key, other, self.choices.direction == "longer", shared):
                if not (block.r and block.h) and self.choices.compat == "none":
                    continue
                for name, one in own.items():
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
    """Return the distinct pairs, the place of every pair among them (None: all are distinct), and how often each is."""
    ordered = np.sort(codes)
    if not (ordered[1:] == ordered[:-1]).any():
        return codes, None, np.ones(len(codes), np.int64)
    found, place, times = np.unique(codes, return_inverse=True, return_counts=True)
    return found, place, times


def score(
    keyphrases: Sequence[str], candidates: Sequence[str], measures: Sequence[str], choices: Choices | None = None,
    columns: Mapping[str, Floats] | None = None,
) -> Wide:  # fmt: skip
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


def similarity(
    pairs: pd.DataFrame | Iterable[tuple[str, str]],
    measures: Sequence[str] | str = ("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1"),
    **choices: Any,
) -> pd.DataFrame:
    """Return one row a pair and measure: pair, measure, value, reason (`ok`, or a key of `REASONS`).

    pairs       (keyphrase, candidate) tuples, or a table with these columns, `pair_id` if wanted, and numeric columns,
                which are measures by their name (`column:BLEU` where a measure has the name too)
    measures    names as in `kp.SIMILARITIES`, with options: "BLEU", "M-R-precision(alignment=ordered)"
    direction   longer: the phrase with more tokens is the reference; keyphrase: the keyphrase is
    compat      nltk: exactly what NLTK, rouge-score and sacreBLEU give; none: defined for short phrases
    preset      paper-like: R-precision sees stems, other measures words; same-tokens: all see stems
    stemmer     stemmer of the stems, such as snowball-fr
    normalise   measure → pipeline of its own, such as {"chrF": "nfkc+casefold+space"}
    texts       texts in which `context` looks phrases up
    synonyms    groups of words that METEOR may match at last
    model       path of a sentence-transformers model for `embedding`
    seed        of `random`
    """
    known = set(Choices.__dataclass_fields__) - {"base"}
    unknown = set(choices) - known
    if unknown:
        raise UsageError(f"there is no option '{sorted(unknown)[0]}'; the options are: {', '.join(sorted(known))}")
    table = pairs if isinstance(pairs, pd.DataFrame) else pd.DataFrame(list(pairs), columns=["keyphrase", "candidate"])
    lacking = [name for name in ("keyphrase", "candidate") if name not in table]
    if lacking:
        raise InputError("the pairs", f"no column '{lacking[0]}'", "columns keyphrase and candidate", "Name it.")
    columns = {
        str(name): table[name].to_numpy(np.float64, na_value=np.nan)
        for name in table.columns
        if pd.api.types.is_numeric_dtype(table[name]) and name not in ("pair_id", "doc_id")
    }
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    texts = [table[side].fillna("").astype(str).tolist() for side in ("keyphrase", "candidate")]
    wide = score(texts[0], texts[1], names, Choices(**choices), columns)
    numbers = table["pair_id"].to_numpy() if "pair_id" in table else np.arange(len(table))
    return pd.DataFrame(
        {
            "pair": np.repeat(numbers, len(names)),
            "measure": np.tile(np.array(names, object), len(table)),
            "value": wide.table.ravel(),
            "reason": wide.reason.ravel(),
        }
    ).astype({"measure": "str", "reason": "str"})


def best_over_gold(values: Floats, group: Ints) -> Floats:
    """Return the best value over the gold phrases of each candidate: values (row,) or (row, measure), group (row,).

    Groups are 0, 1, 2, ... in any order; undefined values count only where a group has no other.

    >>> best_over_gold(np.array([0.5, np.nan, 0.25]), np.array([0, 1, 0])).tolist()
    [0.5, nan]
    """
    best = np.full((int(group.max(initial=-1)) + 1, *values.shape[1:]), np.nan)
    np.fmax.at(best, group, values)
    return best


__all__ = ["PRESETS", "Choices", "Pairs", "Scorer", "Sides", "Wide", "best_over_gold", "score", "similarity"]
