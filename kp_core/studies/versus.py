"""Compare two systems over k, by document, and phrase by phrase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, input_error
from kp_core.scoring import intervals
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.counts import SystemCounts
from kp_core.scoring.measures import matchers, parse
from kp_core.scoring.order import leveled
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import Cutoff, Settings
from kp_core.studies.document_values import values_over
from kp_core.studies.facts import by_document
from kp_core.studies.result import Numbers
from kp_core.studies.subjects import names_of

#: Largest cutoff of the differences.
_LAST = 50


@dataclass(frozen=True, kw_only=True)
class Versus(Numbers):
    """Comparison of two systems by document and phrase.

    Attributes
    ----------
    frame : DataFrame
        One row per cutoff: mean difference a − b over documents, with its interval.
    a, b, measure : str
        The systems, and the measure with its cutoff.
    by_document : DataFrame
        One row per document: the values of both and their difference, the largest first.
    phrases : DataFrame
        One row per keyphrase that only one of the two finds within the cutoff: document, keyphrase, found by, rank.
    stayed : float
        Share of a's phrases within the cutoff that are also within that of b, as a mean over documents.
    """

    a: str
    b: str
    measure: str
    by_document: pd.DataFrame
    phrases: pd.DataFrame
    stayed: float
    caption: str = "Two systems"

    @property
    def won(self) -> tuple[int, int, int]:
        """Numbers of documents on which a is better, both are tied, and b is better."""
        differences = self.by_document["difference"]
        return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())

    @property
    def found(self) -> tuple[int, int]:
        """Numbers of keyphrases that only a finds, and only b."""
        by = self.phrases["found by"]
        return int((by == self.a).sum()), int((by == self.b).sum())


def versus(
    corpus: Corpus, settings: Settings | None = None, /, measure: str = "F1@k", *, a: str, b: str, **changes: Any
) -> Versus:
    """Compare two systems by document and phrase, on documents with values of both; the first cutoff is used.

    Examples
    --------
    >>> from kp_core import load
    >>> lists = {"old": {"d1": ["tide", "sky"]}, "new": {"d1": ["tide", "sea"]}}
    >>> found = versus(load(gold={"d1": ["tide", "sea"]}, systems=lists), k=2, a="new", b="old", interval="none")
    >>> found.won, found.found, found.stayed, found.phrases["keyphrase"].tolist()
    ((1, 0, 0), (1, 0), 0.5, ['sea'])
    """
    data = prepare(corpus, settings, **changes)
    if unknown := [name for name in (a, b) if name not in data.names.systems]:
        raise UsageError(f"there is no system '{unknown[0]}'; choose among: {', '.join(data.names.systems)}")
    if a == b:
        raise UsageError(f"'{a}' is compared with itself; choose two systems")
    asked, longest = parse(measure), longest_lists(data)
    cutoff = asked.cutoffs(data.settings)[0]
    systems = count_systems(data, matchers([asked]))
    systems = {name: systems[name] for name in (a, b)}
    number = cutoff if isinstance(cutoff, int) else max(longest[a], longest[b], 1)
    curve = range(1, min(_LAST, max(longest[a], longest[b], 1)) + 1) if asked.measure.fixed is None else ()
    tried = sorted({*curve, number})
    over, _ = values_over(systems, replace(asked, cutoff=None), tried)
    values, scored = values_over(systems, asked, [cutoff])
    if not scored.any():
        raise input_error("the documents", "no value for both", a=a, b=b)
    documents = np.array(data.documents)[scored]
    table = pd.DataFrame({"document": documents, a: values[a][:, 0], b: values[b][:, 0]})
    table["difference"] = leveled(values[a][:, 0] - values[b][:, 0])
    order = table["difference"].abs().sort_values(ascending=False, kind="stable").index
    frame, notes = _over_k(over[a] - over[b], tried, data.settings), by_document(data.settings, [asked])
    numbers = frame, data.settings.changed(k=(cutoff,)), (*data.notes, *notes), len(data.documents), asked.of_tables
    phrases, stayed = _phrases(data, systems, cutoff)
    shown = asked.name(None if asked.measure.fixed is not None else cutoff)
    rows = table.loc[order].reset_index(drop=True)
    return Versus(*numbers, a=a, b=b, measure=shown, by_document=rows, phrases=phrases, stayed=stayed)


def _over_k(differences: Floats, tried: list[int], settings: Settings) -> pd.DataFrame:
    documents = len(differences)
    low = high = np.full(len(tried), np.nan)
    if documents and settings.interval != "none":
        rng = np.random.default_rng(settings.seed)
        drawn = intervals.resample(documents, settings.resamples, rng) @ differences / documents
        low, high = intervals.percentile(drawn, intervals.expanded_tail(documents))
    means = differences.mean(axis=0) if documents else low
    return pd.DataFrame({"k": tried, "difference": means, "low": low, "high": high, "documents": documents})


def _phrases(data: Prepared, systems: Mapping[str, SystemCounts], cutoff: Cutoff) -> tuple[pd.DataFrame, float]:
    """Return the keyphrases that only one system finds within the cutoff, and the share of a's phrases in b's list."""
    counts = {name: system.exact for name, system in systems.items()}
    (a, b), names = counts, names_of(data)
    gold = counts[a].alignment.gold
    spelled = names["label"].fillna(names["subject"]).loc[gold.subject].tolist()
    rank, listed = dict[str, Ints](), dict[str, Ints]()
    for name, run in counts.items():
        lists, limit = run.alignment.lists, run.limit(cutoff)
        best = np.append(lists.rank, 0)[run.alignment.best]
        rank[name] = np.where(best <= limit[gold.document], best, 0)
        within = lists.rank <= limit[lists.owner]
        listed[name] = (lists.owner * len(data.identities.forms) + lists.form)[within]
    rows = [
        (data.documents[gold.document[item]], spelled[item], name, int(rank[name][item]))
        for name, other in ((a, b), (b, a))
        for item in np.flatnonzero((rank[name] > 0) & (rank[other] == 0)).tolist()
    ]
    table = pd.DataFrame(rows, columns=["document", "keyphrase", "found by", "rank"])
    document = listed[a] // len(data.identities.forms)
    kept = pd.Series(np.isin(listed[a], listed[b])).groupby(document).mean()
    both = counts[a].listed & counts[b].listed
    return table, float(kept[both[kept.index]].mean())
