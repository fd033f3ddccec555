"""Turn a corpus that was loaded before, and further files, into one corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from kp_core.corpus import Corpus, LoadReport
from kp_core.reading import Choice, Item, load
from kp_core.reading.tidy import Written, tables


def extended(
    corpus: Corpus, files: Sequence[Item], roles: Mapping[str, Choice] | None = None, fixes: Iterable[str] = ()
) -> Corpus:
    """Return the corpus with the content of further files; ids and lists are settled anew, together.

    Fixes that the corpus was loaded with hold for the further files too. Ranks come about as they did before.

    >>> before = load(gold={"d1": ["tide"]}, systems={"yake": {"d1": [("tide", 0.1), ("moon", 0.4)]}})
    >>> extended(before, [], fixes=["trim"]).rankings == before.rankings
    True
    """
    found = tables(corpus, Written())
    gold = found.get("gold")
    if gold is not None and gold["variants"].isna().all():
        gold = gold.drop(columns="variants")
    systems: dict[str, Any] = {}
    choices = dict(roles or {})
    for name, ranking in corpus.rankings.items():
        own: Any = found["systems"].query("system == @name") if "systems" in found else []
        # A column of ranks would say how ranks came about; without it scores or the order do, as they did before.
        by_rank = ranking.ranked_by == "rank"
        systems[name] = own if by_rank or not len(own) else own.drop(columns="rank")
        choices[name] = Choice(role="system", higher_is_better=ranking.higher_is_better)
    made = load(
        gold=gold,
        systems=systems or None,
        documents=found["documents"],
        judgements=[found[name] for name in ("judgements", "judgements_without_document") if name in found] or None,
        files=list(files) or None,
        roles=choices,
        fixes=dict.fromkeys((*corpus.report.fixes, *fixes)),
    )
    return replace(made, report=_continued(corpus.report, made.report))


def _continued(before: LoadReport, now: LoadReport) -> LoadReport:
    """Return a report on both: what stood in memory was read from a file before."""
    readings = (*before.readings, *(reading for reading in now.readings if reading.family != "DataFrame"))
    rejected = pd.concat([before.rejected, now.rejected], ignore_index=True)
    return LoadReport(readings, rejected, tuple(dict.fromkeys((*before.notes, *now.notes))), now.fixes)
