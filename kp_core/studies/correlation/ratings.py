"""Turn near misses into pairs to be rated, and ratings into judgements."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pandas as pd

COLUMNS = ("pair_id", "doc_id", "keyphrase", "candidate")
_RATED = ("MORPH", "INCLUDE", "PARTOF", "OVERLAP")


#: The table of judgements while nothing is rated: every page asks for it, for the workspace that could be saved.
_NONE = pd.DataFrame(columns=[*COLUMNS, "annotator", "score"], dtype="str").astype({"score": "float64"})


def near_miss_pairs(predictions: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """Return up to `number` near misses of each type, drawn at random and shuffled: columns `COLUMNS`.

    predictions: those of `NearMisses`, with document, phrase, keyphrase and type. A pair has the same id in every draw,
    so that ratings of one draw fit another.
    """
    rng = np.random.default_rng(seed)
    near = predictions[predictions["type"].isin(_RATED)]
    near = near.rename(columns={"document": "doc_id", "phrase": "candidate"})
    near = near.drop_duplicates(["keyphrase", "candidate"])
    drawn = []
    for kind in _RATED:
        rows = near[near["type"] == kind]
        drawn.append(rows.iloc[np.sort(rng.permutation(len(rows))[:number])])
    pairs = pd.concat(drawn)
    pairs = pairs.iloc[rng.permutation(len(pairs))]
    pairs["pair_id"] = [_name(*row) for row in pairs[["doc_id", "keyphrase", "candidate"]].itertuples(index=False)]
    return pairs[list(COLUMNS)].astype("str").reset_index(drop=True)


def _name(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def rating_table(pairs: pd.DataFrame | None, ratings: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Return ratings {annotator: {pair: score}} as judgements, one row a score.

    >>> pairs = pd.DataFrame([["p", "d", "x", "y"]], columns=list(COLUMNS))
    >>> rating_table(pairs, {"ana": {"p": 3}})[["annotator", "score"]].to_numpy().tolist()
    [['ana', 3.0]]
    """
    if pairs is None or not ratings:
        return _NONE.copy()
    rows = [(rater, pair, float(score)) for rater, own in ratings.items() for pair, score in own.items()]
    table = pd.DataFrame(rows, columns=["annotator", "pair_id", "score"]).astype({"pair_id": "str", "score": "float64"})
    return pairs.merge(table, on="pair_id", how="inner")[[*COLUMNS, "annotator", "score"]]


def with_ratings(judgements: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Return loaded judgements with ratings made later; of two scores of one person for one pair the later counts."""
    both = pd.concat([judgements, ratings], ignore_index=True) if len(ratings) else judgements
    return both.drop_duplicates(["pair_id", "annotator"], keep="last", ignore_index=True)
