"""Turn similarities of predictions and gold items into soft hits: the best one-to-one assignment of every prefix."""

from __future__ import annotations

import numpy as np

from kp_core.coding import Floats, Ints

#: Added to every edge, so that among assignments of equal weight the one with more pairs wins.
_PAIR = 1e-9


def best_of_prefixes(weight: Floats) -> tuple[Floats, Floats]:
    """Return weight and number of pairs of the best assignment of the first 1, 2, ... rows: (row,) each.

    weight   (row, column), 0 where a pair is forbidden

    >>> best_of_prefixes(np.array([[0.75, 0.70], [0.70, 0.0]]))[0].tolist()
    [0.75, 1.4]
    """
    from scipy.optimize import linear_sum_assignment

    if weight.shape[1] == 1:
        best = np.maximum.accumulate(weight[:, 0])
        return best, (best > 0).astype(float)
    lifted = weight + _PAIR * (weight > 0)
    total, pairs = np.empty(len(weight)), np.empty(len(weight))
    for rows in range(1, len(weight) + 1):
        chosen = (
            weight[linear_sum_assignment(lifted[:rows], maximize=True)] if rows > 1 else weight[0, [lifted[0].argmax()]]
        )
        total[rows - 1], pairs[rows - 1] = chosen.sum(), np.count_nonzero(chosen)
    return total, pairs


def soft_gains(row: Ints, item: Ints, weight: Floats, document: Ints, rows: int) -> tuple[Floats, Floats]:
    """Return by how much each row raises the weight of the best assignment of its document, and its pairs: (row,).

    row, item, weight   one entry an allowed pair; rows of a document follow one another, best first
    document            (row,) of every row
    """
    gain, pairs = np.zeros(rows), np.zeros(rows)
    alone = (np.bincount(row, minlength=rows)[row] == 1) & (np.bincount(item)[item] == 1)
    gain[row[alone]], pairs[row[alone]] = weight[alone], 1.0
    # What is left competes; most documents of real data have nothing left.
    row, item, weight = row[~alone], item[~alone], weight[~alone]
    if not len(row):
        return gain, pairs
    order = np.lexsort((item, row))
    row, item, weight = row[order], item[order], weight[order]
    heads = np.flatnonzero(np.diff(document[row], prepend=-1))
    for begin, end in zip(heads.tolist(), [*heads.tolist()[1:], len(row)], strict=True):
        own, place = np.unique(row[begin:end], return_inverse=True)
        items, column = np.unique(item[begin:end], return_inverse=True)
        matrix = np.zeros((len(own), len(items)))
        matrix[place, column] = weight[begin:end]
        total, count = best_of_prefixes(matrix)
        gain[own], pairs[own] = np.diff(total, prepend=0.0), np.diff(count, prepend=0.0)
    return gain, pairs
