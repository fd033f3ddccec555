"""Turn a corpus and settings into what is certain at every cutoff at once, the best cutoff, and documents needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from kp_core.corpus import Corpus
from kp_core.order import EQUAL, leveled, reaches
from kp_core.scoring import paired
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import have_runs
from kp_core.scoring.systems import longest_lists
from kp_core.settings import Settings
from kp_core.studies.answer import BestK
from kp_core.studies.compare import ALPHA, TRIALS
from kp_core.studies.document_values import values_over

#: The last cutoff that is tried, and how many are tried where all of them would take too long.
_LAST, _FEW = 50, 10
#: Products of numbers that take about two seconds.
_WORK = 3e10
#: Numbers of signs that are held at once.
_AT_ONCE = 8_000_000
#: Documents that are said to be needed lie between these, and so often would a difference like this one be clear.
_FEWEST, _MOST, _POWER = 10, 10_000, 0.8
_DRAWS = 500


@dataclass(frozen=True)
class OverK:
    """Paired tests of every pair of systems at every cutoff, corrected for all pairs and all cutoffs at once.

    tried        the cutoffs: ten of them where all would take too long
    by_document  system → its values (D, K), of the documents for which every system has one at each cutoff
    p            pair of systems → corrected p at each cutoff (K,)
    trials       random swaps that the test looked at; seed: of the generator that drew them
    """

    tried: tuple[int, ...]
    by_document: dict[str, Floats]
    p: dict[tuple[str, str], Floats]
    trials: int
    seed: int

    def clear(self, system: str, other: str) -> tuple[int, ...]:
        """Return the cutoffs at which a system is better than another one for certain."""
        p = self.p[(system, other)] if (system, other) in self.p else self.p[(other, system)]
        ahead = self.by_document[system].mean(axis=0) > self.by_document[other].mean(axis=0)
        return tuple(k for k, sure in zip(self.tried, (p < ALPHA) & ahead, strict=True) if sure)

    def best(self, system: str) -> BestK | None:
        """Return the cutoff of a system's highest value; None where it is the first or last: it may rise beyond."""
        return best_k(self.by_document[system], self.tried, self.trials, np.random.default_rng(self.seed))


def over_k(corpus: Corpus, settings: Settings, measure: str = "F1@k", trials: int = TRIALS) -> OverK | None:
    """Test all pairs of systems at all cutoffs with one set of random swaps.

    None where the measure has no cutoff, pools the documents, fewer than two systems have lists, or one has
    several runs.

    Source: Westfall & Young 1993 (single step): p of a pair at a cutoff is the share of the trials whose largest
    |Σd| / √Σd² of all pairs and cutoffs reaches that of the pair; d is the difference of a document, whose sign each
    trial keeps or turns.
    """
    data, asked = prepare(corpus, settings), replace(parse(measure), cutoff=None)
    if have_runs(data.names.systems):  # swaps of documents know nothing of runs
        return None
    if asked.fixed is not None or asked.averages(settings.average)[0] != "macro":
        return None
    if asked.of_tables and settings.universe.isdigit():  # N may be smaller than what the longest lists choose
        return None
    tried = cutoffs(data, trials)
    if len(tried) < 2:  # all lists are empty, or of one phrase
        return None
    values, _ = values_over(data, asked, tried)
    if len(values) < 2 or not len(next(iter(values.values()))):
        return None
    pairs = list(combinations(values, 2))
    apart = leveled(np.hstack([values[a] - values[b] for a, b in pairs]))
    p = corrected(apart, trials, np.random.default_rng(settings.seed)).reshape(len(pairs), len(tried))
    return OverK(tried, values, dict(zip(pairs, p, strict=True)), trials, settings.seed)


def cutoffs(data: Prepared, trials: int) -> tuple[int, ...]:
    """Return the cutoffs to try: 1 … 50, or to the longest list; ten of these where all would take too long."""
    longest = max(longest_lists(data).values(), default=0)
    every = tuple(range(1, min(_LAST, longest) + 1))
    systems = len(data.names.systems)
    work = float(trials) * len(data.documents) * (systems * (systems - 1) // 2) * len(every)
    if work <= _WORK or len(every) <= _FEW:
        return every
    return tuple(int(k) for k in np.linspace(1, every[-1], _FEW).round())


def corrected(apart: Floats, trials: int, rng: np.random.Generator) -> Floats:
    """Return p of each column of differences (D, M), corrected for all of them; 1 where there is no difference at all.

    >>> corrected(np.array([[1.0], [2.0], [3.0]]), 100, np.random.default_rng(0))
    array([0.25])
    """
    scale = np.sqrt((apart**2).sum(axis=0))
    differ = scale > 0
    p = np.ones(apart.shape[1])
    if not differ.any():
        return p
    scaled = apart[:, differ] / scale[differ]
    total, every = scaled.sum(axis=0), paired.enumerated(len(apart), trials)
    observed, reached, count = np.abs(total) - EQUAL, np.zeros(len(total)), 0
    for rows in paired.swaps(len(apart), trials, rng, _AT_ONCE):
        # A turned sign takes a difference away twice.
        largest = np.sort(np.abs(total - 2 * (rows @ scaled)).max(axis=1))
        reached += len(largest) - np.searchsorted(largest, observed)
        count += len(rows)
    p[differ] = reached / count if every else (reached + 1) / (count + 1)
    return p


def best_k(values: Floats, tried: Sequence[int], trials: int, rng: np.random.Generator) -> BestK | None:
    """Return the cutoff of the highest mean of values (D, K), and those around it that are not lower for certain."""
    means = values.mean(axis=0)
    top = int(np.argmax(leveled(means)))
    if top == 0 or reaches(means[-1], means[top]):  # a curve that never falls has no best k
        return None
    alike = corrected(leveled(values[:, [top]] - values), trials, rng) >= ALPHA
    low = high = top
    while low > 0 and alike[low - 1]:
        low -= 1
    while high < len(tried) - 1 and alike[high + 1]:
        high += 1
    return BestK(tried[top], tried[low], tried[high])


def documents_needed(apart: Floats, pairs: int, rng: np.random.Generator) -> int | None:
    """Return about how many documents like these would make their mean difference clear in 8 of 10 cases.

    apart  differences of the documents (D,); pairs: for how many of them p is corrected. None below 10 and above
    10,000. Documents are drawn again with replacement; a draw is clear where |Σd| / √Σd² is beyond the normal
    distribution's bound for 5 % over all pairs.
    """
    from scipy.stats import norm

    bound, moments = norm.isf(ALPHA / (2 * pairs)), np.stack([apart, apart**2], axis=1)

    def is_clear(documents: int) -> bool:
        drawn = rng.multinomial(documents, np.full(len(apart), 1 / len(apart)), _DRAWS) @ moments
        clear = (drawn[:, 1] > 0) & (np.abs(drawn[:, 0]) >= bound * np.sqrt(drawn[:, 1]))
        return bool(clear.mean() >= _POWER)

    if not apart.any() or not is_clear(_MOST) or is_clear(_FEWEST):
        return None
    low, high = _FEWEST, _MOST
    while high - low > max(1, low // 20):
        middle = round((low * high) ** 0.5)
        low, high = (low, middle) if is_clear(middle) else (middle, high)
    return high
