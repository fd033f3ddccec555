"""Rank the systems in several views, such as measures or cutoffs, and measure the agreement of the rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, refuse_unless
from kp_core.scoring.codes import Floats
from kp_core.scoring.measures import names_in, parse
from kp_core.scoring.order import leveled
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import runs_of
from kp_core.settings import Changes, Cutoff, Settings, resolve_settings
from kp_core.studies.evaluate import DEFAULT_MEASURES
from kp_core.studies.result import Numbers, square
from kp_core.studies.sensitivity import GRID, Refusal, Values, grid
from kp_core.typeset import listed

By = Literal["measure", "k", "normalise", "annotators"]
CUTOFFS = (1, 3, 5, 10, 15, 20)


@dataclass(frozen=True, kw_only=True)
class Stability(Numbers):
    """Rankings of the systems by several measures, cutoffs, normalizations or gold standards.

    Attributes
    ----------
    frame : DataFrame
        One row per view and system: view, system, value, rank (1 is best, ties share the mean rank).
    pairs : DataFrame
        One row per pair of views: a, b, tau (Kendall's tau-b), systems compared, reason if undefined.
    """

    by: By
    pairs: pd.DataFrame
    caption: str = "Ranks of the systems from several views"

    @property
    def views(self) -> list[str]:
        """The names of the views, in order."""
        return [str(view) for view in self.frame["view"].unique()]

    def leaders(self) -> str:
        """Report which systems rank first, and in how many views."""
        ranked = self.frame[self.frame["rank"].notna()]
        if ranked.empty:
            return "No system has a value."
        top = ranked[ranked["rank"] == ranked.groupby("view")["rank"].transform("min")]
        lead_counts = Counter(tuple(names) for _, names in top.groupby("view", sort=False)["system"])
        (most_often, views), *others = lead_counts.most_common(2)
        share_of_views = f"all {views}" if views == len(self.views) else f"{views} of {len(self.views)}"
        text = f"{listed(most_often)} {'is' if len(most_often) == 1 else 'are'} first under {share_of_views} views"
        return f"{text}, {listed(others[0][0])} under {others[0][1]}." if others else f"{text}."

    def alike(self) -> list[list[str]]:
        """Return groups of views with the same ranking."""
        groups: dict[tuple[tuple[str, float], ...], list[str]] = {}
        for view in self.views:
            rows = self.frame[self.frame["view"] == view]
            ranks = zip(rows["system"], rows["rank"].fillna(0.0), strict=True)
            groups.setdefault(tuple(sorted(ranks)), []).append(view)
        return list(groups.values())

    def matrix(self) -> pd.DataFrame:
        """Return tau-b as a square table; undefined values and the diagonal are missing."""
        return square(self.pairs, "tau", self.views)


def stability(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    by: By = "measure",
    *,
    measure: str = "F1@k",
    views: Sequence[int | str] | str | None = None,
    **changes: Unpack[Changes],
) -> Stability:
    """Rank the systems by several measures, cutoffs, normalizations or gold standards.

    Parameters
    ----------
    by : str
        What varies: measure, k, normalise or annotators.
    measure : str
        Measure of the rankings, unless by = measure.
    views : str or sequence, optional
        Values to compare; by default the usual ones.
    """
    views = names_in(views) if isinstance(views, str) else views
    data = prepare(corpus, resolve_settings(corpus, settings, changes), interval="none")
    parsed, cutoffs, annotators = parse(measure), data.settings.k[:1], data.coded.annotators
    if by == "k":
        if parsed.card.fixed is not None:
            raise UsageError(f"{parsed.name()} has no cutoff; choose a measure with one, such as F1@k")
        cutoffs = _cutoffs(data.settings.k) if views is None else prepare(corpus, data.settings, k=views).settings.k
        views = [replace(parsed, cutoff=None).name(cutoff) for cutoff in cutoffs]
    current = data.settings.changed(k=cutoffs)
    usual: dict[str, Sequence[str]] = {
        "measure": DEFAULT_MEASURES,
        "k": (),
        "normalise": (current.normalise, *GRID["normalise"]),
        "annotators": (*(("union", "majority") if len(annotators) > 1 else ()), *annotators),
    }
    refuse_unless(by, usual, "by")
    names = list(dict.fromkeys(map(str, views or usual[by])))
    measures = [parse(name) for name in (names if by in ("measure", "k") else [measure])]
    for parsed in measures:
        if parsed.card.better == "none":
            raise UsageError(f"{parsed.name()} cannot rank systems, because neither high nor low values are better")
    candidates = [current]
    if by not in ("measure", "k"):
        candidates = [prepare(corpus, current, **{by: name}).settings for name in names]
    values = list[Values]()
    by_setting = grid(data, measures, candidates)
    for setting in candidates:
        by_measure = by_setting[setting]
        if isinstance(by_measure, Refusal):
            raise by_measure
        for by_system in by_measure:
            groups = runs_of(by_system)
            values.append({name: float(np.mean([by_system[run][0] for run in runs])) for name, runs in groups.items()})
    concordance = any(measure.of_tables for measure in measures)
    frame, pairs = _rank(names, values)
    return Stability(frame, current, data.notes, len(data.documents), concordance, by=by, pairs=pairs)


def _cutoffs(requested: Sequence[Cutoff]) -> tuple[Cutoff, ...]:
    """Return the given and the default cutoffs: ascending numbers, then cutoffs that depend on the document."""
    cutoffs = dict.fromkeys([*requested, *CUTOFFS])
    return tuple(sorted(cutoffs, key=lambda k: (0, k, "") if isinstance(k, int) else (1, 0, k)))


def _rank(views: list[str], values: list[Values]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row per view and system with its rank, and one row per pair of views with tau-b (Kendall 1945)."""
    systems = list(values[0]) if values else []
    table = np.array([list(by_system.values()) for by_system in values], float).reshape(len(views), len(systems))
    frame = pd.DataFrame({"view": np.repeat(views, len(systems)), "system": systems * len(views)})
    frame = frame.assign(value=table.ravel(), rank=ranks(table).ravel())
    defined = (~np.isnan(table)).astype(int)
    tau, n_common = pd.DataFrame(leveled(table).T).corr("kendall", min_periods=2).to_numpy(), defined @ defined.T
    pairs = []
    for i, j in combinations(range(len(views)), 2):
        reason = "few_systems" if n_common[i, j] < 2 else "all_tied" if np.isnan(tau[i, j]) else None
        pairs.append((views[i], views[j], tau[i, j], n_common[i, j], reason))
    return frame, pd.DataFrame(pairs, columns=["a", "b", "tau", "systems", "reason"])


def ranks(values: Floats) -> Floats:
    """Return the rank of each value in its row (views, systems), the highest first; ties share the mean rank.

    >>> ranks(np.array([[0.5, 0.2, 0.5, np.nan, 0.1]])).tolist()
    [[1.5, 3.0, 1.5, nan, 4.0]]
    """
    return np.asarray(pd.DataFrame(leveled(values)).rank(axis=1, ascending=False))
