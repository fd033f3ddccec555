"""Turn the predictions of one system into lists in rank order: by rank, else by score, else as in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kp_core.corpus import Ranking, flatten

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """The order of the rows (None: as they stand), their ranks, how these came about, and what was counted."""

    take: Integers | None
    rank: Integers
    ranking: Ranking
    tied: int = 0


def order(table: pa.Table, starts: Integers, higher_is_better: bool | None = None) -> Order:
    """Order the rows of one system so that each document's rows stand together, ranked 1, 2, ...

    starts  rows at which another document begins, as the rows stand
    """
    size = len(table)
    heads = flatten(table["doc_id"]).take(pa.array(starts)).dictionary_encode()
    take: Integers | None = None
    codes: Integers | None = None
    if len(heads.dictionary) < len(starts):
        scattered = _spread(heads.indices.to_numpy().astype(np.int64), starts, size)
        take = np.argsort(scattered, kind="stable")
        codes = scattered[take]
        starts = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1])
    rank = np.arange(1, size + 1) - _spread(starts, starts, size)
    scores, ranks = _column(table, "score", take), _column(table, "rank", take)
    in_order = ranks is not None and np.array_equal(ranks, rank)
    if scores is None and (in_order or ranks is None):
        higher = True if higher_is_better is None else higher_is_better
        return Order(take, rank, Ranking("rank", higher) if in_order else Ranking("order", True))
    codes = _spread(np.arange(len(starts)), starts, size) if codes is None else codes
    if ranks is not None:
        moved = np.arange(size) if in_order else np.lexsort((ranks, codes))
        higher, _ = _orientation(codes, None if scores is None else scores[moved], higher_is_better)
        key, ranking = ranks, Ranking("rank", higher)
        if in_order:
            return Order(take, rank, ranking)
    else:
        assert scores is not None
        higher, resort = _orientation(codes, scores, higher_is_better)
        key, ranking = (-scores if higher else scores), Ranking("score", higher)
        if not resort:
            return Order(take, rank, ranking, _ties(codes, key))
        moved = np.lexsort((key, codes))
    resorted = len(np.unique(codes[moved != np.arange(size)]))
    ranking = replace(ranking, resorted=resorted)
    return Order(moved if take is None else take[moved], rank, ranking, _ties(codes, key[moved]))


def _spread(values: Integers, starts: Integers, size: int) -> Integers:
    """Repeat one value a run over the rows of its run."""
    return np.repeat(values, np.diff(np.append(starts, size)))


def _column(table: pa.Table, name: str, take: Integers | None) -> npt.NDArray[np.float64] | None:
    if name not in table.column_names:
        return None
    values: npt.NDArray[np.float64] = table[name].to_numpy()
    return values if take is None else values[take]


def _orientation(codes: Integers, scores: npt.NDArray[np.float64] | None, chosen: bool | None) -> tuple[bool, bool]:
    """Tell whether higher scores are better, judged over all lists, and whether any list must be re-sorted."""
    if scores is None:
        return (True if chosen is None else chosen), False
    with np.errstate(invalid="ignore"):
        steps = np.diff(scores)[np.diff(codes) == 0]
    rises, falls = bool((steps > 0).any()), bool((steps < 0).any())
    higher = (not rises or falls) if chosen is None else chosen
    return higher, rises if higher else falls


def _ties(codes: Integers, key: npt.NDArray[np.float64]) -> int:
    return int(((np.diff(key) == 0) & (np.diff(codes) == 0)).sum())
