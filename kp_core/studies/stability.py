"""Turn a corpus and settings into rankings of the systems from several views, and how far these rankings agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.annotator_tables import HUMANS
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.settings import Changes, Settings
from kp_core.studies.evaluate import DEFAULT_MEASURES, evaluate, single_average
from kp_core.studies.spread import EQUAL, GRID, Values

By = Literal["measure", "k", "normalise", "annotators"]
#: Cutoffs of the view by k, besides those in use.
CUTOFFS = (1, 3, 5, 10, 15, 20)


@dataclass(frozen=True)
class Stability:
    """The systems ranked from several views.

    frame  one row a view and system: view, system, value, rank; 1 is best, ties share the mean rank, undefined values
           have none
    pairs  one row a pair of views: a, b, tau (Kendall's tau-b), systems compared, reason where it is undefined
    """

    by: By
    frame: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def views(self) -> list[str]:
        """The names of the views, in order."""
        return [str(view) for view in self.frame["view"].unique()]

    def matrix(self) -> pd.DataFrame:
        """Return tau-b as a square table, view by view; undefined values and the diagonal are missing."""
        table = pd.DataFrame(np.nan, index=self.views, columns=self.views)
        for a, b, tau in zip(self.pairs["a"], self.pairs["b"], self.pairs["tau"], strict=True):
            table.loc[a, b] = table.loc[b, a] = tau
        return table


def stability(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    by: By = "measure",
    *,
    measure: str = "F1@k",
    views: Sequence[int | str] | None = None,
    **changes: Unpack[Changes],
) -> Stability:
    """Rank the systems from several views; the first cutoff counts, except by k.

    by     measure, k, normalise or annotators: what the views differ in, all else being equal
    views  measures, cutoffs, normalisers or gold standards; by default the usual ones
    """
    data = prepare(corpus, single_average((settings or Settings()).changed(**changes)), interval="none")
    now = data.settings
    at = now.changed(k=now.k[0])
    if by == "measure":
        return _ranked(by, _by_measure(corpus, at, views))
    if by == "k":
        return _ranked(by, _by_cutoff(corpus, now, measure, views))
    if by == "normalise":
        names = list(dict.fromkeys(map(str, views or (at.normalise, *GRID["normalise"]))))
        given = [at.changed(normalise=name) for name in names]
    elif by == "annotators":
        every = data.coded.annotators
        several = ("union", "majority") if len(every) > 1 else ()
        names = list(dict.fromkeys(map(str, views or (*several, *every))))
        given = [at.changed(annotators=name) for name in names]
    else:
        raise UsageError(f"by is '{by}'; choose one of: measure, k, normalise, annotators")
    values = [_values(corpus, one, [_ranking(measure)])[0] for one in given]
    return _ranked(by, dict(zip(names, values, strict=True)))


def _ranking(measure: str) -> str:
    """Return a measure that ranks; one in which neither more nor less is better is refused."""
    asked = parse(measure)
    if asked.measure.better == "none":
        raise UsageError(f"{asked.name()} ranks no systems: neither more nor less of it is better")
    return asked.name()


def _by_measure(corpus: Corpus, at: Settings, views: Sequence[int | str] | None) -> dict[str, Values]:
    names = list(dict.fromkeys(_ranking(str(name)) for name in views or DEFAULT_MEASURES))
    return dict(zip(names, _values(corpus, at, names), strict=True))


def _by_cutoff(corpus: Corpus, now: Settings, measure: str, views: Sequence[int | str] | None) -> dict[str, Values]:
    asked = replace(parse(_ranking(measure)), cutoff=None)
    if asked.measure.fixed is not None:
        raise UsageError(f"{asked.name()} has no cutoff; choose a measure with one, such as F1@k")
    if views is not None:
        cutoffs = list(prepare(corpus, now, k=views).settings.k)
    else:
        # Numbers in order, then what differs by document.
        every = dict.fromkeys([*now.k, *CUTOFFS])
        cutoffs = sorted(every, key=lambda k: (0, k, "") if isinstance(k, int) else (1, 0, k))
    names = [asked.name(k) for k in cutoffs]
    return dict(zip(names, _values(corpus, now.changed(k=cutoffs), names), strict=True))


def _values(corpus: Corpus, settings: Settings, measures: Sequence[str]) -> list[Values]:
    """Return for each measure the value of every system, from one evaluation."""
    frame = evaluate(corpus, settings, measures).frame
    frame = frame[frame["system"] != HUMANS]
    found: list[Values] = []
    for measure in measures:
        asked = parse(measure)
        shown = None if asked.measure.fixed is not None else asked.cutoff or settings.k[0]
        rows = frame[
            (frame["measure"] == asked.name(shown)) & (frame["average"] == asked.averages(settings.average)[0])
        ]
        found.append(dict(zip(rows["system"], rows["value"], strict=True)))
    return found


def _ranked(by: By, values: dict[str, Values]) -> Stability:
    views, systems = list(values), list(next(iter(values.values()), {}))
    table = np.array([[values[view][system] for system in systems] for view in views]).reshape(len(views), len(systems))
    placed = ranks(table)
    rows = [
        (view, system, table[i, j], placed[i, j]) for i, view in enumerate(views) for j, system in enumerate(systems)
    ]
    pairs = []
    for i, j in combinations(range(len(views)), 2):
        both = ~np.isnan(table[i]) & ~np.isnan(table[j])
        tau, reason = tau_b(table[i, both], table[j, both])
        pairs.append((views[i], views[j], tau, int(both.sum()), reason))
    return Stability(
        by,
        pd.DataFrame(rows, columns=["view", "system", "value", "rank"]),
        pd.DataFrame(pairs, columns=["a", "b", "tau", "systems", "reason"]),
    )


def _signs(values: Floats) -> Floats:
    """Return the order of every two values of the last axis, as 1, 0 or -1; values that only rounding parts are equal.

    Shape (…, n) gives (…, n, n); NaN beside an undefined value.
    """
    difference = values[..., :, None] - values[..., None, :]
    return np.asarray(np.where(np.abs(difference) <= EQUAL, 0.0, np.sign(difference)))


def ranks(values: Floats) -> Floats:
    """Return the rank of each value in its row, the highest first; ties share the mean rank, NaN has none.

    Shape (views, systems), kept.

    >>> ranks(np.array([[0.5, 0.2, 0.5, np.nan, 0.1]])).tolist()
    [[1.5, 3.0, 1.5, nan, 4.0]]
    """
    signs = _signs(values)
    above, tied = (signs < 0).sum(axis=-1), (signs == 0).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, above + (tied + 1) / 2)


def tau_b(x: Floats, y: Floats) -> tuple[float, str | None]:
    """Return Kendall's tau-b of two rows of values, or NaN and the reason; source: Kendall 1945.

    Concordant less discordant pairs, divided by the geometric mean of the pairs that are not tied in x and in y.

    >>> tau_b(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.0]))[0] == 2 / 6**0.5
    True
    """
    if len(x) < 2:
        return np.nan, "few_systems"
    upper: Bools = np.triu(np.ones((len(x), len(x)), bool), 1)
    one, two = _signs(x)[upper], _signs(y)[upper]
    untied = float((one**2).sum() * (two**2).sum())
    if not untied:
        return np.nan, "all_tied"
    return float((one * two).sum() / np.sqrt(untied)), None
