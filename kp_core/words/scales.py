"""Turn a kappa-like coefficient into the word of a published scale, with the probability that the word is deserved.

Printed scales leave gaps (.20/.21); here a band holds its lower bound and not its upper one, but for the top band.
Words are for kappa, K, pi and alpha only: PABAK, P_pos, P_neg and AC1 are large on rare categories whatever people do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kp_core.errors import UsageError
from kp_core.words import read

#: Scale → (lower bound, word), lowest first; the first band begins at -1.
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    scale: tuple((low, band) for low, band in bands) for scale, bands in read("scales.toml").items()
}
#: How sure a word must be (Gwet 2014, ch. 6).
CERTAIN = 0.95


@dataclass(frozen=True)
class Benchmark:
    """A word for the value, the word that is certain, and the probability of each band or a higher one, top first."""

    word: str
    certain: str
    cumulative: tuple[tuple[str, float], ...]


def word(value: float, scale: str = "Landis & Koch 1977") -> str:
    """Return the band of a value.

    >>> word(0.204), word(0.2), word(1.0), word(-0.3)
    ('fair', 'fair', 'almost perfect', 'poor')
    """
    return next(name for low, name in reversed(_bands(scale)) if value >= low - 1e-12)


def benchmark(value: float, error: float, scale: str = "Landis & Koch 1977") -> Benchmark:
    """Return the highest band that the true value reaches with probability .95, given the value's standard error.

    The error must take documents as clusters. Source: Gwet 2014, section 6.3.

    >>> benchmark(0.67, 0.15).certain
    'moderate'
    """
    from scipy.stats import norm

    bands = _bands(scale)
    edges = np.array([low for low, _ in bands] + [1.0])
    within = norm.cdf((value - edges) / error)
    share = (within[:-1] - within[1:]) / (within[0] - within[-1])
    total = np.cumsum(share[::-1])
    cumulative = tuple((name, float(p)) for (_, name), p in zip(reversed(bands), total, strict=True))
    certain = next((name for name, p in cumulative if p >= CERTAIN), bands[0][1])
    return Benchmark(word(value, scale), certain, cumulative)


def _bands(scale: str) -> tuple[tuple[float, str], ...]:
    if scale not in SCALES:
        raise UsageError(f"there is no scale '{scale}'; choose one of: {', '.join(SCALES)}")
    return SCALES[scale]
