"""Hold the choices that decide values of similarity: tokens by measure, direction, library or phrase-safe variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kp_core.errors import UsageError
from kp_core.similarity.registry import Asked
from kp_core.similarity.tokens import ROUGE_SCORE, Recipe

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
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}; choose a whole number from 0 up")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Choices:
        """Return the choices that a user made by name; an unknown name is refused with the known ones."""
        known = sorted(set(cls.__dataclass_fields__) - {"base"})
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise UsageError(f"there is no option '{unknown[0]}'; the options are: {', '.join(known)}")
        return cls(**options)

    def recipe(self, asked: Asked, name: str) -> Recipe:
        """Return how phrases become tokens for a measure, by its name as asked for."""
        own = self.normalise.get(name) or self.normalise.get(asked.measure.name)
        if own:
            return Recipe.parse(own)
        if self.compat == "nltk":
            if asked.measure.name.startswith("ROUGE"):
                stemmer = "porter-nltk" if dict(asked.chosen).get("stemmer") == "yes" else ""
                return Recipe(ROUGE_SCORE, stemmer, True, False)
            return Recipe("lower+space", self.stemmer, False, False)
        everywhere = PRESETS[self.preset].everywhere
        if self.base is not None:
            return Recipe(self.base.words, self.base.stemmer, everywhere)
        return Recipe(PRESETS[self.preset].words, self.stemmer, everywhere)
