"""Test systems at every cutoff, and estimate the best cutoff and the required number of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from kp_core.corpus import Corpus
from kp_core.scoring import paired
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import matchers, parse
from kp_core.scoring.order import exceeds, leveled, reaches
from kp_core.scoring.pair_sums import under_other_rule
from kp_core.scoring.paired import ALPHA, TRIALS
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.runs import have_runs
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import Settings
from kp_core.studies.answer import BestK
from kp_core.studies.parts import values_over

#: Largest cutoff tested, and number of cutoffs if testing all would take too long.
_MAX_CUTOFF, _N_CUTOFFS = 50, 10
#: Number of multiplications that take about two seconds.
_MULTIPLICATIONS = 3e10
#: Minimum and maximum numbers of documents considered, and required power.
_MIN_DOCUMENTS, _MAX_DOCUMENTS, _POWER = 10, 10_000, 0.8
#: Pilot samples, draws from each pilot, and random swaps per draw.
_PILOTS, _DRAWS, _SWAPS = 30, 100, 400
#: Minimum number of differing documents, and maximum ratio of the bounds of the result.
FEWEST_DIFFERING, _MAX_RATIO = 5, 10
#: Effective number of documents from which |Σd| / √Σd² under random swaps is treated as normal.
_NORMAL = 40


@dataclass(frozen=True)
class AllCutoffs:
    """Paired tests of every pair of systems at every cutoff, corrected for all pairs and cutoffs together.

    * `by_document`: system → values (D, K) of the documents for which every system has a value at each cutoff
    * `p`: pair → corrected p at each cutoff (K,); if lists are missing, the larger p of both conventions, or 1 if the
      two disagree in direction
    """

    tested_cutoffs: tuple[int, ...]
    by_document: dict[str, Floats]
    p: dict[tuple[str, str], Floats]
    trials: int
    seed: int

    def significant(self, system: str, other: str) -> tuple[int, ...]:
        """Return the cutoffs at which a system is significantly better than another system."""
        p = self.p[(system, other)] if (system, other) in self.p else self.p[(other, system)]
        is_better = exceeds(self.by_document[system].mean(axis=0), self.by_document[other].mean(axis=0))
        return tuple(k for k, passes in zip(self.tested_cutoffs, (p < ALPHA) & is_better, strict=True) if passes)

    def best(self, system: str) -> BestK | None:
        """Return the cutoff with a system's highest value; None if this is the first or last cutoff."""
        return best_k(self.by_document[system], self.tested_cutoffs, self.trials, np.random.default_rng(self.seed))

    def leads(self) -> dict[str, tuple[int, ...]]:
        """Return system → cutoffs at which the system is significantly better than all others."""
        leads = {
            name: set.intersection(*({*self.significant(name, other)} for other in self.by_document if other != name))
            for name in self.by_document
        }
        return {name: tuple(sorted(cutoffs)) for name, cutoffs in leads.items() if cutoffs}


def all_cutoffs(corpus: Corpus, settings: Settings, measure: str = "F1@k", trials: int = TRIALS) -> AllCutoffs | None:
    """Test all pairs of systems at all cutoffs with the same random swaps.

    Return None if the measure has no cutoff or pools documents, fewer than two systems have lists, or a system has
    several runs.
    Source: Westfall & Young 1993 (single step): p of a pair at a cutoff is the share of trials whose largest
    |Σd| / √Σd² over all pairs and cutoffs reaches the pair's; a trial flips the signs of the differences d at random.
    """
    data, parsed = prepare(corpus, settings), replace(parse(measure), cutoff=None)
    no_curve = parsed.fixed is not None or parsed.averages(settings.average)[0] != "macro"
    universe_too_small = parsed.of_tables and settings.universe.isdigit()  # the longest lists may exceed N
    tested = () if no_curve or universe_too_small or have_runs(data.names.systems) else cutoffs(data, trials)
    if len(tested) < 2:
        return None
    systems = count_systems(data, matchers([parsed]))
    values, scored = values_over(systems, parsed, tested)
    if len(values) < 2 or not len(next(iter(values.values()))):
        return None
    pairs, with_missing_as_empty = list(combinations(values, 2)), values
    if data.settings.missing == "skip":
        with_missing_as_empty, scored = values_over(under_other_rule(systems), parsed, tested)
    differences = leveled(np.hstack([with_missing_as_empty[a] - with_missing_as_empty[b] for a, b in pairs]))
    p = corrected_p(differences, trials, np.random.default_rng(settings.seed))
    has_list = {name: run.listed[scored] for name, run in data.coded.runs.items()}
    both_listed = np.stack([has_list[a] & has_list[b] for a, b in pairs], axis=1)
    if not both_listed.all():
        # a document whose difference is 0 does not affect the test
        shared_differences = differences * np.repeat(both_listed, len(tested), axis=1)
        p_shared = corrected_p(shared_differences, trials, np.random.default_rng(settings.seed))
        p = np.where(differences.sum(axis=0) * shared_differences.sum(axis=0) < 0, 1.0, np.maximum(p, p_shared))
    return AllCutoffs(tested, values, dict(zip(pairs, p.reshape(len(pairs), -1), strict=True)), trials, settings.seed)


def cutoffs(data: Prepared, trials: int) -> tuple[int, ...]:
    """Return the cutoffs from 1 to 50 or to the longest list, or ten of them if testing all would take too long."""
    longest = max(longest_lists(data).values(), default=0)
    all_cutoffs = tuple(range(1, min(_MAX_CUTOFF, longest) + 1))
    systems = len(data.names.systems)
    work = float(trials) * len(data.documents) * (systems * (systems - 1) // 2) * len(all_cutoffs)
    if work <= _MULTIPLICATIONS or len(all_cutoffs) <= _N_CUTOFFS:
        return all_cutoffs
    return tuple(int(k) for k in np.linspace(1, all_cutoffs[-1], _N_CUTOFFS).round())


def corrected_p(gaps: Floats, n_trials: int, rng: np.random.Generator) -> Floats:
    """Return p of each column of differences (D, M), corrected for all columns; 1 if all differences are 0.

    >>> corrected_p(np.array([[1.0], [2.0], [3.0]]), 100, np.random.default_rng(0))
    array([0.25])
    """
    scale = np.sqrt((gaps**2).sum(axis=0))
    differ = scale > 0
    p = np.ones(gaps.shape[1])
    if not differ.any():
        return p
    scaled = gaps[:, differ] / scale[differ]
    total = scaled.sum(axis=0)
    p[differ] = paired.randomisation(lambda rows: total - 2 * (rows @ scaled), len(gaps), n_trials, rng, joint=True)
    return p


def best_k(values: Floats, tested_cutoffs: Sequence[int], trials: int, rng: np.random.Generator) -> BestK | None:
    """Return the cutoff with the highest mean of values (D, K), and neighbors that are not significantly lower."""
    means = values.mean(axis=0)
    top = int(np.argmax(leveled(means)))
    if top == 0 or reaches(means[-1], means[top]):
        return None
    lower = np.flatnonzero(corrected_p(leveled(values[:, [top]] - values), trials, rng) < ALPHA)
    first = max(lower[lower < top], default=-1) + 1
    last = min(lower[lower > top], default=len(tested_cutoffs)) - 1
    return BestK(tested_cutoffs[top], tested_cutoffs[first], tested_cutoffs[last])


def documents_needed(differences: Floats, n_pairs: int, rng: np.random.Generator) -> tuple[int, int] | None:
    """Return the range of the number of documents that gives 80% power, for differences like these (D,).

    Pilots are drawn from the documents with replacement. At the size required for a pilot, 8 of 10 samples from it are
    significant by the randomization test at 5% / pairs. The range covers 8 of 10 pilots. None if fewer than five
    documents differ, or if the bounds differ by more than a factor of ten.
    """
    if np.count_nonzero(differences) < FEWEST_DIFFERING:
        return None
    sizes, trimmed = list[float](), _PILOTS // 10
    while len(sizes) < _PILOTS:
        sizes.append(_documents_required(rng.choice(differences, len(differences)), ALPHA / n_pairs, rng))
        if sizes.count(np.inf) > trimmed:
            return None
    low, *_, high = sorted(sizes)[trimmed:-trimmed]
    return (int(low), int(high)) if high <= _MAX_RATIO * low else None


def _documents_required(pilot: Floats, alpha: float, rng: np.random.Generator) -> float:
    """Return the number of documents that gives the randomization test the required power; infinite if too many."""
    low, high = _MIN_DOCUMENTS, _MAX_DOCUMENTS
    if power(pilot, high, alpha, rng) < _POWER:
        return np.inf
    if power(pilot, low, alpha, rng) >= _POWER:
        return low
    while high - low > max(1, low // 8):
        middle = round((low * high) ** 0.5)
        low, high = (low, middle) if power(pilot, middle, alpha, rng) >= _POWER else (middle, high)
    return high


def power(pilot: Floats, n_documents: int, alpha: float, rng: np.random.Generator) -> float:
    """Return the share of samples from differences (D,) that are significant by the randomization test."""
    from scipy.special import ndtri

    differing = pilot[pilot != 0]
    if not len(differing):
        return 0.0
    n_differing = rng.binomial(n_documents, len(differing) / len(pilot), _DRAWS)
    effective_share = (pilot**2).mean() ** 2 / (pilot**4).mean()
    if n_documents * effective_share > _NORMAL:
        moments = np.stack([differing, differing**2], axis=1)
        total, squares = (rng.multinomial(n_differing, np.full(len(differing), 1 / len(differing))) @ moments).T
        return float((np.abs(total) >= -ndtri(alpha / 2) * np.sqrt(squares)).mean())
    is_drawn = np.arange(n_differing.max())[:, None] < n_differing
    samples = differing[rng.integers(0, len(differing), is_drawn.shape)] * is_drawn
    total = np.abs(samples.sum(axis=0))
    swapped = np.abs(rng.choice([-1.0, 1.0], (_SWAPS, len(samples))) @ samples)
    reached = reaches(swapped, total).sum(axis=0)
    return float(((reached + 1) / (_SWAPS + 1) <= alpha).mean())
