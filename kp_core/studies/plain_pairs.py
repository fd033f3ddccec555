"""Turn plain pairs of phrases into rows of similarity with their recipe, as the command line prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from kp_core.errors import Note
from kp_core.settings import __version__
from kp_core.similarity import Choices, similarity, split_names
from kp_core.studies.result import Answer


@dataclass(frozen=True)
class Similarities(Answer):
    """Values of plain pairs: one row a pair and measure."""

    frame: pd.DataFrame
    settings: dict[str, str]
    notes: tuple[Note, ...] = ()
    caption: str = "Similarity of phrases"

    @classmethod
    def of(cls, pairs: pd.DataFrame, measures: str | None, options: dict[str, Any]) -> Similarities:
        """Score pairs by measures, written as one text with commas between them."""
        asked = {"measures": split_names(measures)} if measures else {}
        frame = similarity(pairs, **asked, **options)
        frame["reason"] = frame["reason"].where(frame["reason"] != "ok")
        choices = Choices.of(options)
        settings = {"sim": choices.preset, "dir": choices.direction, "stem": choices.stemmer, "seed": str(choices.seed)}
        return cls(frame, settings)

    @property
    def signature(self) -> str:
        """The recipe in one line."""
        return "|".join(["kps-similarity", *(f"{k}:{v}" for k, v in self.settings.items()), f"v:{__version__}"])
