"""Compute similarities of phrase pairs by named measures, as an array and as a tidy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from kp_core.corpus import Vocabulary
from kp_core.errors import InputError, input_error, refuse_below, refuse_unknown, refuse_unless
from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.scoring.measures.registry import names_in
from kp_core.similarity.declaration import MEASURES, Similarity, parse
from kp_core.similarity.phrase_measures import information
from kp_core.similarity.tokens import Phrases, Shared, Tokenization, sides
from kp_core.text.stem import STEMMERS

#: Tokens that measures use: words or stems depending on the measure, or stems for all.
PRESETS: dict[str, Tokenization] = {"paper-like": Tokenization(), "same-tokens": Tokenization(everywhere=True)}
DIRECTIONS = ("longer", "keyphrase")
DEFAULT_MEASURES = ("R-precision", "M-R-precision", "BLEU", "METEOR", "ROUGE-1")


@dataclass(frozen=True)
class SimilarityOptions:
    """All options that determine the values of pairs; see `similarity`."""

    direction: str = "longer"
    preset: str = "paper-like"
    stemmer: str = "porter-nltk"
    normalise: Mapping[str, str] = field(default_factory=dict)
    texts: Sequence[str] | None = None
    seed: int = 0
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    #: words and stems that replace those of the preset, such as those of an evaluation
    base: Tokenization | None = None

    def __post_init__(self) -> None:
        """Raise a UsageError if an option is unknown."""
        refuse_unless(self.direction, DIRECTIONS, "direction")
        refuse_unless(self.preset, PRESETS, "preset")
        refuse_unless(self.stemmer or STEMMERS[0], STEMMERS, "stemmer")
        refuse_below(self.seed, 0, "seed")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> SimilarityOptions:
        """Return the options of a user; for an unknown option, raise an error that lists the known options."""
        names = sorted(set(cls.__dataclass_fields__) - {"base"})
        refuse_unknown(options, names, "option")
        return cls(**options)

    def tokenization(self, measure: Similarity, name: str) -> Tokenization:
        """Return the tokenization for the tokens of a measure; `name`: its name with options."""
        pipeline = self.normalise.get(name) or self.normalise.get(measure.card.name)
        if pipeline:
            return Tokenization.parse(pipeline)
        return replace(self.base or Tokenization(stemmer=self.stemmer), everywhere=PRESETS[self.preset].everywhere)


@dataclass(frozen=True)
class Pairs:
    """All pairs together: indices of the scorer's phrases, and columns of the table."""

    scorer: Scorer
    keyphrase: Ints
    candidate: Ints
    columns: Mapping[str, Floats]


@dataclass(frozen=True)
class Scores:
    """Values of pairs under measures.

    * `table`: (pair, measure), NaN if undefined
    * `empty`: (pair, measure) whether a phrase has no tokens for the measure
    * `missing`: (measure,) why other values are missing
    """

    names: tuple[str, ...]
    table: Floats
    empty: Bools
    missing: tuple[str, ...]

    @property
    def reason(self) -> NDArray[np.object_]:
        """Reason for missing values (pair, measure): `ok` or a key of `REASONS`."""
        reasons = np.where(self.empty, "empty_phrase", np.array(self.missing, object))
        return np.where(np.isnan(self.table), reasons, "ok")


class Scorer:
    """Scorer of phrase pairs by any measure, which encodes the phrases once; pairs are two arrays of phrase indices.

    * `stemmed`: (phrase,) phrases that are already stems
    * `cache`: data that measures of meaning prepare once
    """

    def __init__(
        self, phrases: Sequence[str], options: SimilarityOptions | None = None, stemmed: Bools | None = None
    ) -> None:
        self.phrases, self.options, self._stemmed = phrases, options or SimilarityOptions(), stemmed
        self._coded: dict[Tokenization, Phrases] = {}
        self.cache: dict[str, Any] = {}

    def coded(self, tokenization: Tokenization) -> Phrases:
        """Return the phrases as tokens."""
        if tokenization not in self._coded:
            self._coded[tokenization] = Phrases(self.phrases, tokenization, self._stemmed)
        return self._coded[tokenization]

    def score(
        self, measures: Sequence[str], keyphrase: Ints, candidate: Ints, columns: Mapping[str, Floats] | None = None
    ) -> Scores:
        """Return the values of each pair (pair,), given the indices of its two phrases."""
        pairs = Pairs(self, keyphrase, candidate, columns or {})
        values = _given(measures, pairs.columns)
        parsed = {name: parse(name) for name in measures if name not in values}
        empty = dict.fromkeys(measures, np.zeros(len(keyphrase), bool))
        by_tokens: dict[tuple[Tokenization, str], dict[str, Similarity]] = {}
        for name, measure in parsed.items():
            if measure.card.level == "pairs":
                values[name] = measure.scores(pairs)
                continue
            tokenization, level = self.options.tokenization(measure, name), str(measure.card.level)
            level = "stems" if level == "words" and tokenization.everywhere else level
            by_tokens.setdefault((tokenization, level), {})[name] = measure
        size = max(1, len(self.phrases))
        index, distinct = pd.factorize(keyphrase.astype(np.int64) * size + candidate)
        times = np.bincount(index, minlength=len(distinct))
        first, second = distinct // size, distinct % size
        for (tokenization, level), measures_of in by_tokens.items():
            phrases = self.coded(tokenization)
            without_tokens = (phrases.words.length[first] == 0) | (phrases.words.length[second] == 0)
            for name, scored in self._score(phrases, level, measures_of, (first, second), times).items():
                scored[without_tokens] = np.nan
                values[name], empty[name] = scored[index], without_tokens[index]
        shape = len(measures), len(keyphrase)
        return Scores(
            tuple(measures),
            np.array([values[name] for name in measures], float).reshape(shape).T,
            np.array([empty[name] for name in measures], bool).reshape(shape).T,
            tuple(parsed[name].card.reason if name in parsed else "no_value" for name in measures),
        )

    def _score(
        self, phrases: Phrases, level: str, measures: Mapping[str, Similarity], pairs: tuple[Ints, Ints], times: Ints
    ) -> dict[str, Floats]:
        first, second = pairs
        if level == "texts":
            forms = pa.array(phrases.texts, pa.large_string())
            texts = forms.take(pa.array(first)).to_pylist(), forms.take(pa.array(second)).to_pylist()
            return {name: measure.scores(texts) for name, measure in measures.items()}
        values = {name: np.full(len(first), np.nan) for name in measures}
        longer, flat = self.options.direction == "longer", getattr(phrases, level)
        words = phrases.words if level == "stems" and not phrases.tokenization.everywhere else flat
        reference = np.where(flat.length[first] >= flat.length[second], first, second) if longer else first
        references = np.bincount(reference, times, minlength=len(self.phrases)).astype(np.int64)
        shared = Shared(flat, words, longer, cache(partial(information, flat, references)))
        for index, block in sides(shared, first, second):
            for name, measure in measures.items() if block.r and block.h else ():
                values[name][index] = measure.scores(block)
        return values


def _given(measures: Sequence[str], columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the values of measures that are columns: `column:x`, or x if no measure has this name."""
    column_of = {name: name.removeprefix("column:") for name in measures}
    return {n: columns[b] for n, b in column_of.items() if b in columns and (b != n or n not in MEASURES)}


def score(
    keyphrases: Sequence[str],
    candidates: Sequence[str],
    measures: Sequence[str],
    options: SimilarityOptions | None = None,
    columns: Mapping[str, Floats] | None = None,
) -> Scores:
    """Return the values (pair, measure) for two lists of strings.

    >>> score(["topic"], ["topic importance"], ["R-precision", "M-R-precision"]).table.round(4).tolist()
    [[0.5, 0.3333]]
    """
    try:
        encoded = pa.array([*keyphrases, *candidates], pa.large_string()).dictionary_encode()
    except UnicodeEncodeError as error:
        raise input_error("the pairs", "half a character", after="") from error
    first, second = np.split(encoded.indices.to_numpy().astype(np.int64), [len(keyphrases)])
    return Scorer(encoded.dictionary.to_pylist(), options).score(list(measures), first, second, columns)


def similarity(
    pairs: pd.DataFrame | Iterable[tuple[str, str]], measures: Sequence[str] | str = DEFAULT_MEASURES, **options: Any
) -> pd.DataFrame:
    """Return the similarity of phrase pairs, one row per pair and measure: pair, measure, value, reason.

    Parameters
    ----------
    pairs : DataFrame or sequence of tuple
        (keyphrase, candidate) tuples, or a table with these columns, optionally `pair_id`, and numeric columns that can
        be used as measures by name (`column:BLEU` if a measure has the same name).
    measures : str or sequence of str
        Names of `kp.SIMILARITIES` with options: "BLEU", "M-R-precision(alignment=ordered)".
    direction : str
        longer: the phrase with more tokens is the reference; keyphrase: the keyphrase is.
    preset : str
        paper-like: R-precision uses stems, other measures words; same-tokens: all use stems.
    stemmer : str
        Such as porter-nltk or snowball-fr.
    normalise : dict
        Measure → pipeline, such as {"chrF": "nfkc+casefold+space"}.
    texts : sequence of str
        Texts for the measure `context`.
    vocabulary : Vocabulary
        Table for the measure `given`, from a corpus or from `kp.vocabulary`.
    seed : int
        Seed of the measure `random`.
    """
    chosen = SimilarityOptions.of(options)
    table = pairs if isinstance(pairs, pd.DataFrame) else pd.DataFrame(list(pairs), columns=["keyphrase", "candidate"])
    lacking = [name for name in ("keyphrase", "candidate") if name not in table]
    if lacking:
        raise InputError("the pairs", f"no column '{lacking[0]}'", "columns keyphrase and candidate", "Rename it.")
    columns = {
        str(name): table[name].to_numpy(np.float64, na_value=np.nan)
        for name in table.columns
        if pd.api.types.is_numeric_dtype(table[name]) and name not in ("pair_id", "doc_id")
    }
    names = names_in(measures)
    keyphrases, candidates = (table[side].fillna("").astype(str).tolist() for side in ("keyphrase", "candidate"))
    scores = score(keyphrases, candidates, names, chosen, columns)
    numbers = table["pair_id"].to_numpy() if "pair_id" in table else np.arange(len(table))
    return pd.DataFrame(
        {
            "pair": np.repeat(numbers, len(names)),
            "measure": np.tile(np.array(names, object), len(table)),
            "value": scores.table.ravel(),
            "reason": scores.reason.ravel(),
        }
    ).astype({"measure": "str", "reason": "str"})


def best_over_gold(values: Floats, group: Ints) -> Floats:
    """Return the highest defined value of each group: values (row,) or (row, measure); group (row,): 0, 1, 2, ...

    >>> best_over_gold(np.array([0.5, np.nan, 0.25]), np.array([0, 1, 0])).tolist()
    [0.5, nan]
    """
    best = np.full((int(group.max(initial=-1)) + 1, *values.shape[1:]), np.nan)
    np.fmax.at(best, group, values)
    return best
