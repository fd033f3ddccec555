"""Turn similarities of predictions and gold items into soft hits: one-to-one, or each with the best of the other side.

One-to-one is the best assignment of every prefix of a list.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Floats, Ints

#: Added to every edge, so that among assignments of equal weight the one with more pairs wins.
_PAIR = 1e-9


def best_of_prefixes(weight: Floats) -> tuple[Floats, Floats]:
    """Return weight and number of pairs of the best assignment of the first 1, 2, ... rows: (row,) each.

    weight   (row, column), 0 where a pair is forbidden

    >>> best_of_prefixes(np.array([[0.75, 0.70], [0.70, 0.0]]))[0].tolist()
    [0.75, 1.4]
    """
    from scipy.optimize import linear_sum_assignment

    if 1 in weight.shape:
        best = np.maximum.accumulate(weight.max(axis=1))
        return best, (best > 0).astype(float)
    lifted = weight + _PAIR * (weight > 0)
    total, pairs = np.empty(len(weight)), np.empty(len(weight))
    for rows in range(1, len(weight) + 1):
        chosen = weight[linear_sum_assignment(lifted[:rows], maximize=True)]
        total[rows - 1], pairs[rows - 1] = chosen.sum(), np.count_nonzero(chosen)
    return total, pairs


def soft_gains(row: Ints, item: Ints, weight: Floats, rows: int) -> tuple[Floats, Floats]:
    """Return by how much each row raises the weight of the best assignment of its document, and its pairs: (row,).

    row, item, weight   one entry an allowed pair; rows and items of all documents are numbered, better ranks first
    """
    gain, pairs = np.zeros(rows), np.zeros(rows)
    alone = (np.bincount(row, minlength=rows)[row] == 1) & (np.bincount(item)[item] == 1)
    gain[row[alone]], pairs[row[alone]] = weight[alone], 1.0
    # What is left competes; it falls into parts that do not touch, mostly of two or three phrases.
    row, item, weight = row[~alone], item[~alone], weight[~alone]
    if not len(row):
        return gain, pairs
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = rows + int(item.max()) + 1
    links = coo_array((np.ones(len(row)), (row, rows + item)), shape=(size, size))
    part = connected_components(links, directed=False)[1][row]
    order = np.lexsort((row, part))
    row, item, weight, part = row[order], item[order], weight[order], part[order]
    begins = np.flatnonzero(np.diff(part, prepend=-1))
    ends = np.append(begins[1:], len(part))
    # Rows and items number 0, 1, 2, ... within their part: no other part has them.
    (place, known), (column, _) = pd.factorize(row), pd.factorize(item)
    place, column = (number - np.repeat(number[begins], ends - begins) for number in (place, column))
    height, width = (np.maximum.reduceat(number, begins) + 1 for number in (place, column))
    begin = top = 0
    for end, high, wide in zip(ends.tolist(), height.tolist(), width.tolist(), strict=True):
        rows_here, matrix = known[top : top + high], np.zeros((high, wide))
        matrix[place[begin:end], column[begin:end]] = weight[begin:end]
        total, count = best_of_prefixes(matrix)
        total[1:] -= total[:-1].copy()
        count[1:] -= count[:-1].copy()
        gain[rows_here], pairs[rows_here] = total, count
        begin, top = end, top + high
    return gain, pairs


def best_gains(row: Ints, item: Ints, weight: Floats, rows: int) -> tuple[Floats, Floats]:
    """Return the largest weight of each row, and by how much it raises the largest of its items so far: (row,) each.

    row, item, weight   as in `soft_gains`; rows ascend

    >>> [each.tolist() for each in best_gains(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.5, 0.75, 0.25]), 2)]
    [[0.5, 0.75], [0.5, 0.5]]
    """
    gain = np.zeros(rows)
    np.maximum.at(gain, row, weight)
    order = np.argsort(item, kind="stable")
    row, item, weight = row[order], item[order], weight[order]
    so_far = pd.Series(weight).groupby(item).cummax().to_numpy()
    before = np.where(np.diff(item, prepend=-1) != 0, 0.0, np.append(0.0, so_far[:-1]))
    return gain, np.bincount(row, so_far - before, minlength=rows).astype(float)
