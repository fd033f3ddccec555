"""Turn one system's tables into intervals side by side: documents drawn again, documents as clusters, phrases alone.

Only documents are a sample; the interval that takes phrases as independent is a reference, and covers too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.scoring.accumulate import averaged
from kp_core.scoring.intervals import error_of, independent_error
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.systems import scored_systems
from kp_core.scoring.views import View
from kp_core.settings import Changes, Settings
from kp_core.studies.evaluate import weights_of


def interval_table(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    *,
    system: str,
    measures: Sequence[str],
    **changes: Unpack[Changes],
) -> pd.DataFrame:
    """Return one row a concordance measure of a system, pooled, at the first cutoff.

    low, high      bootstrap over documents; cluster_…: the t interval with documents as clusters; error: its error
    independent_…  value ± 1.96 errors as if phrases were independent
    """
    settings = (settings or Settings()).changed(**changes)
    data = prepare(corpus, settings, interval="bootstrap")
    counted = scored_systems(data)
    weights, view = weights_of([counted], data), View(counted[system].table, data.settings.k[:1])
    total = view.cells.mapped(lambda counts: counts[view.used].sum(axis=0))
    rows = []
    for asked in map(parse, measures):
        drawn = averaged(asked, view, "micro", weights, "bootstrap")
        cluster = averaged(asked, view, "micro", None, "cluster-t")
        value, n, low, high = drawn.value[0], drawn.documents[0], cluster.low[0], cluster.high[0]
        error = alone = float("nan")
        if not np.isnan(low):  # not for kappa_max, whose minimum has no gradient
            error, alone = error_of(low, high, n), float(independent_error(total, asked.scores)[0])
        rows.append(
            {
                "measure": asked.name(),
                "value": value,
                "low": drawn.low[0],
                "high": drawn.high[0],
                "cluster_low": low,
                "cluster_high": high,
                "error": error,
                "independent_low": value - 1.96 * alone,
                "independent_high": value + 1.96 * alone,
                "documents": n,
            }
        )
    return pd.DataFrame(rows)
