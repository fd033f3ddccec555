"""Turn one system's tables into intervals side by side: documents drawn again, documents as clusters, phrases alone.

Only documents are a sample; the interval that takes phrases as independent is a reference, and covers too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.scoring.average import View
from kp_core.scoring.intervals import cluster_error, independent_error, influence
from kp_core.scoring.measures import parse
from kp_core.settings import Settings
from kp_core.studies.evaluate import counts_of, evaluate_with, resolve

COLUMNS = (
    "measure",
    "value",
    "low",
    "high",
    "cluster_low",
    "cluster_high",
    "error",
    "independent_low",
    "independent_high",
    "documents",
)


def interval_table(corpus: Corpus, settings: Settings, system: str, measures: Sequence[str]) -> pd.DataFrame:
    """Return one row a concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent
    """
    settings, _ = resolve(corpus, settings)
    settings = replace(settings, k=settings.k[:1], pool="micro", both=False)
    names = list(measures)
    frames = [evaluate_with(corpus, replace(settings, interval=one), names).frame for one in ("bootstrap", "cluster-t")]
    drawn, clustered = (frame[frame["system"] == system] for frame in frames)
    view = View(counts_of(corpus, settings)[system].table, settings.cutoffs[:1])
    rows = []
    for name in names:
        score, own = parse(name).scores, drawn[drawn["measure"] == name].iloc[0]
        bounds = clustered[clustered["measure"] == name].iloc[0]
        error = alone = float("nan")
        if bounds["low"] == bounds["low"]:  # not for kappa_max, whose minimum has no gradient
            error = float(cluster_error(influence(view.cells.only(view.used), score), int(view.used.sum()))[0])
            alone = float(independent_error(view.total, score)[0, 0])
        value, n = own["value"], own["documents"]
        edges = bounds["low"], bounds["high"], error, value - 1.96 * alone, value + 1.96 * alone
        rows.append((name, value, own["low"], own["high"], *edges, n))
    return pd.DataFrame(rows, columns=list(COLUMNS))
