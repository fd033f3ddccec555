"""Turn document ids into bootstrap weights and random signs that depend on the id, the seed and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.scoring.codes import Floats

Keys = NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
_WEIGHTS, _SIGNS = 1, 2
#: How many of 65,536 equally likely numbers mean 0, 1, 2, ... draws: Poisson with mean 1, rounded so that the mean and
#: the variance are exactly 1; no probability is off by more than 4 in 100,000.
_DRAWS = (24109, 24110, 12054, 4018, 1007, 199, 33, 5, 1)
_TABLE = np.repeat(np.arange(len(_DRAWS), dtype=np.float64), _DRAWS)


def keys(documents: Sequence[str]) -> Keys:
    """Return 64 bits for each document id (D,), the same in every process.

    Source: SipHash (Aumasson & Bernstein 2012) with the fixed key of pandas.
    """
    return np.asarray(pd.util.hash_array(np.array(documents, dtype=object), categorize=False), np.uint64)


def _mixed(x: Keys) -> Keys:
    """Return the finaliser of SplitMix64 (Steele, Lea & Flood 2014), in place."""
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def _bits(documents: Keys, numbers: int, stream: int, seed: int) -> Keys:
    """Return random numbers (D, numbers) of 64 bits: a hash of document, seed, stream and place."""
    begin = (seed * 0xD1342543DE82EF95 + stream * _GOLDEN) & _MASK
    counter = _mixed(np.arange(1, numbers + 1, dtype=np.uint64) * np.uint64(_GOLDEN) + np.uint64(begin))
    return _mixed(documents[:, None] ^ counter)


def poisson(documents: Keys, resamples: int, seed: int) -> Floats:
    """Return how often each document is drawn in each resample (D, B)."""
    sixteen = _bits(documents, -(-resamples // 4), _WEIGHTS, seed).astype("<u8", copy=False).view("<u2")
    drawn: Floats = _TABLE[sixteen[:, :resamples]]
    return drawn


def swaps(documents: Keys, trials: int, seed: int) -> NDArray[np.uint8]:
    """Return 1 where a trial swaps the two systems in a document, else 0 (D, T)."""
    eight = _bits(documents, -(-trials // 64), _SIGNS, seed).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(eight, axis=1, count=trials, bitorder="little")
