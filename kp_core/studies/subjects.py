"""Turn a corpus and settings into the view of each keyphrase or concept: where it was due, suggested and found."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.by_subject import Standing
from kp_core.scoring.cells import ratio
from kp_core.scoring.counts import count_systems, lists_of
from kp_core.scoring.hits import subjects_of
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.settings import Changes, Settings
from kp_core.studies.result import Numbers

#: One row a system and subject.
BY_SUBJECT = ("system", "subject", "label", "gold", "suggested", "found", "P", "R", "F1", "reason")


def subjects(corpus: Corpus, settings: Settings | None = None, /, **changes: Unpack[Changes]) -> Numbers:
    """Return one row a system and subject, a keyphrase or a concept, at the first cutoff; the most frequent first.

    frame: system, subject, label (where subjects are concepts), gold (documents whose gold standard has it), suggested
    (documents in which the system lists it), found (in both), P, R, F1, reason. P is missing where it was never
    suggested, R where it is in no gold standard; F1 never. A document counts where it counts in an average.

    The columns are those that CASIMiR averages by subject.

    >>> from kp_core import load
    >>> gold = {"A": ["a", "b", "c"], "B": ["a", "d"], "C": ["a", "b", "d", "f"]}
    >>> suggested = {"A": ["a", "d", "f"], "B": ["a", "e"], "C": ["f"]}
    >>> frame = subjects(load(gold=gold, systems={"x": suggested}), k="all").frame.set_index("subject")
    >>> frame.loc["a", ["gold", "suggested", "found", "F1"]].tolist()
    [3.0, 2.0, 2.0, 0.8]
    """
    data = prepare(corpus, settings, **changes)
    if not data.coded.runs:
        raise UsageError("subjects need at least one system")
    found = subjects_of(data.gold, lists_of(data))
    names, frames = _names(data), list[pd.DataFrame]()
    told = names.loc[found.form]
    for system, counted in count_systems(data, concordance=False).items():
        limit = counted.lists.limit(data.settings.k[0])
        counts = Standing.of(found, system, limit, counted.lists.used).counts
        shares = {
            "P": ratio(counts.hits, counts.returned, np.nan),
            "R": ratio(counts.hits, counts.size, np.nan),
            "F1": ratio(2 * counts.hits, counts.size + counts.returned, np.nan),
        }
        why = np.select([counts.returned == 0, counts.size == 0], ["never_suggested", "never_due"], None)  # type: ignore[call-overload]
        whole = {"gold": counts.size, "suggested": counts.returned, "found": counts.hits}
        table = pd.DataFrame({name: own.astype(np.int64) for name, own in whole.items()})
        table = table.assign(system=system, subject=told["subject"].to_numpy(), label=told["label"].to_numpy())
        table = table.assign(**shares, reason=why)[(counts.size + counts.returned) > 0]
        table = table.sort_values(["gold", "suggested"], ascending=False, kind="stable")
        frames.append(table[list(BY_SUBJECT)])
    frame = pd.concat(frames, ignore_index=True)
    settled = data.settings.changed(k=data.settings.k[:1], interval="none")
    return Numbers(frame, settled, data.notes, len(data.documents), concordance=False, caption="Values by subject")


def _names(data: Prepared) -> pd.DataFrame:
    """Return form → subject and label: as it stands first, in the gold standard rather than in a system's list."""
    coded, phrases = data.coded, data.coded.phrases.to_pylist()
    chosen = [coded.variant_phrase, *(run.phrase for run in coded.runs.values())]
    forms = [data.identities.gold[chosen[0]], *(data.identities.predicted[own] for own in chosen[1:])]
    form, place = np.unique(np.concatenate(forms), return_index=True)
    raw = np.concatenate(chosen)[place]
    told = [phrases[one] for one in raw]
    concepts = [coded.concepts[one] or None for one in raw] if coded.concepts else None
    named = told if concepts is None else [one or text for one, text in zip(concepts, told, strict=True)]
    return pd.DataFrame({"subject": named, "label": None if concepts is None else told}, index=form)
