"""Draw small corpora with the oddities of public files: short, empty and missing lists, no gold, grades, ties."""

from dataclasses import dataclass, field

import numpy as np

import kp_core as kp
from tests.corpora import corpus_of

#: Words that no stemmer touches; some are not ASCII, some sort differently as bytes and as letters.
WORDS = [f"t{i}x" for i in range(14)] + ["éa1", "zz9", "Ω7", "Zz9", "漢7"]


@dataclass
class Drawn:
    """A corpus and the plain dictionaries it was made of."""

    gold: dict[str, dict[str, int]] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)
    scores: dict[str, list[float]] = field(default_factory=dict)

    @property
    def corpus(self) -> kp.Corpus:
        scores = {"s": self.scores} if self.scores else None
        return corpus_of({d: list(g) for d, g in self.gold.items()}, {"s": self.runs}, scores=scores, grades=self.gold)


def draw(seed: int, documents: int = 40, tied: bool = False, lowest: int = 1, highest: int = 1) -> Drawn:
    """Return a random corpus: distinct phrases in every list, scores on a coarse grid where `tied`."""
    rng, drawn = np.random.default_rng(seed), Drawn()
    for number in range(documents):
        name = f"d{number}"
        gold = rng.choice(WORDS, rng.integers(0, 8), replace=False)
        drawn.gold[name] = {str(p): int(rng.integers(lowest, highest + 1)) for p in gold}
        if rng.random() < 0.1:
            continue  # the system misses the document
        phrases = [str(p) for p in rng.choice(WORDS, rng.integers(0, 15), replace=False)]
        steps = rng.integers(0, 4 if tied else 10_000, len(phrases)) if tied else np.arange(len(phrases), 0, -1)
        drawn.runs[name] = phrases
        drawn.scores[name] = [float(step) / 8 for step in steps]
    return drawn
