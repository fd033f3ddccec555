"""Turn a corpus and settings into the view of each keyphrase or concept: where it was due, suggested and found."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.cells import ratio
from kp_core.scoring.codes import Bools, CodedRun, Codes, Ints, ranks
from kp_core.scoring.hits import match, ranked_lists
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
    gold, due = data.gold, _first_form(data)
    used = gold.known & ((gold.size > 0) | (data.settings.empty_gold != "skip"))
    in_gold = _counted(due[used[gold.document]])
    names, frames = _names(data), list[pd.DataFrame]()
    for system, run in data.coded.runs.items():
        suggested, found = _of_system(data, run, due, used)
        table = pd.DataFrame({"gold": in_gold, "suggested": suggested, "found": found}).fillna(0).astype("int64")
        table = table.sort_values(["gold", "suggested"], ascending=False, kind="stable")
        counts = {name: table[name].to_numpy(float) for name in table}
        shares = {
            "P": ratio(counts["found"], counts["suggested"], np.nan),
            "R": ratio(counts["found"], counts["gold"], np.nan),
            "F1": ratio(2 * counts["found"], counts["gold"] + counts["suggested"], np.nan),
        }
        why = np.select([counts["suggested"] == 0, counts["gold"] == 0], ["never_suggested", "never_due"], None)  # type: ignore[call-overload]
        told = names.loc[table.index]
        table = table.assign(system=system, subject=told["subject"], label=told["label"], **shares, reason=why)
        frames.append(table[list(BY_SUBJECT)])
    frame = pd.concat(frames, ignore_index=True)
    settled = data.settings.changed(k=data.settings.k[:1], interval="none")
    return Numbers(frame, settled, data.notes, len(data.documents), concordance=False, caption="Values by subject")


def _first_form(data: Prepared) -> Ints:
    """Return the form of each gold item (item,), that of the spelling which stands first."""
    gold = data.gold
    form = np.zeros(len(gold.grade), np.int64)
    form[gold.spelling_item[::-1]] = gold.spelling_form[::-1]
    return form


def _of_system(data: Prepared, run: CodedRun, due: Ints, used: Bools) -> tuple[pd.Series[int], pd.Series[int]]:
    """Return form → in how many documents a system lists it within the cutoff, and in how many it finds it."""
    lists, gold = ranked_lists(run, data.identities, data.settings), data.gold
    limit = {"gold": gold.size, "all": lists.length}.get(str(data.settings.k[0]), data.settings.k[0])
    deepest = np.broadcast_to(np.asarray(limit, np.int64), gold.size.shape)[lists.owner]
    within = (ranks(lists.length) <= deepest) & used[lists.owner]
    matches = match(lists, gold)
    subject = lists.form.astype(np.int64)
    subject[matches.row] = due[matches.item]
    pairs = np.unique(np.stack([lists.owner[within], subject[within]]), axis=1)
    hits = matches.new & within[matches.row]
    return _counted(pairs[1]), _counted(due[matches.item[hits]])


def _counted(forms: Codes | Ints) -> pd.Series[int]:
    """Return how often each form stands in an array."""
    return pd.Series(*np.unique(forms, return_counts=True)[::-1])


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
