"""Turn a corpus and settings into the view of each keyphrase or concept: where it was found, or who chose it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.by_subject import SubjectCounts
from kp_core.scoring.cells import ratio
from kp_core.scoring.prepare import Prepared, prepare, prepare_annotators
from kp_core.scoring.systems import count_systems
from kp_core.settings import Settings
from kp_core.studies.result import Numbers

#: One row per system and subject.
BY_SUBJECT = ("system", "subject", "label", "gold", "suggested", "found", "P", "R", "F1", "reason")
#: One row per subject, without systems.
_OF_PEOPLE = ("documents", "chosen", "seen", "by_all", "by_most", "apart", "P_pos", "annotators", "reason")
BY_PEOPLE = ("subject", "label", *_OF_PEOPLE)


def subjects(corpus: Corpus, settings: Settings | None = None, /, **changes: Any) -> Numbers:
    """Return one row per system and subject (keyphrase or concept), the most frequent first, at the first cutoff.

    Columns: system, subject, label (for concepts), gold (documents whose gold standard has it), suggested (documents in
    which the system lists it), found (both), P, R, F1, reason. P is missing for subjects that were never suggested, R
    for subjects without gold. These are the values that CASIMiR averages by subject. Without systems there is one row
    per subject: see `subjects_of_people`.

    Examples
    --------
    >>> from kp_core import load
    >>> gold = {"A": ["a", "b", "c"], "B": ["a", "d"], "C": ["a", "b", "d", "f"]}
    >>> suggested = {"A": ["a", "d", "f"], "B": ["a", "e"], "C": ["f"]}
    >>> frame = subjects(load(gold=gold, systems={"x": suggested}), k="all").frame.set_index("subject")
    >>> frame.loc["a", ["gold", "suggested", "found", "F1"]].tolist()
    [3.0, 2.0, 2.0, 0.8]
    """
    if not corpus.systems and len(corpus.annotators) < 2:
        raise UsageError("subjects need a system, or a second annotator")
    if not corpus.systems:
        return subjects_of_people(corpus, settings, **changes)
    data = prepare(corpus, settings, **changes)
    names, frames = names_of(data), list[pd.DataFrame]()
    for system, subject_counts in _subject_counts(data).items():
        counts = subject_counts.counts
        shares = {
            "P": ratio(counts.hits, counts.returned, np.nan),
            "R": ratio(counts.hits, counts.size, np.nan),
            "F1": ratio(2 * counts.hits, counts.size + counts.returned, np.nan),
        }
        why = np.select([counts.returned == 0, counts.size == 0], ["never_suggested", "never_due"], None)  # type: ignore[call-overload]
        whole = {"gold": counts.size, "suggested": counts.returned, "found": counts.hits}
        table = pd.DataFrame({name: own.astype(np.int64) for name, own in whole.items()})
        told = names.loc[subject_counts.form]
        table = table.assign(system=system, subject=told["subject"].to_numpy(), label=told["label"].to_numpy())
        table = table.assign(**shares, reason=why)[(counts.size + counts.returned) > 0]
        table = table.sort_values(["gold", "suggested"], ascending=False, kind="stable")
        frames.append(table[list(BY_SUBJECT)])
    return _numbers(pd.concat(frames, ignore_index=True), data)


def documents_of(
    corpus: Corpus, settings: Settings | None = None, /, subject: str = "", system: str = "", **changes: Any
) -> pd.DataFrame:
    """Return the documents of one subject, a row each.

    Of a system: gold, suggested and found, each yes or no. Without one: chosen (by how many annotators), seen (by how
    many), annotators (who chose it).
    """
    data = (prepare if system else prepare_annotators)(corpus, settings, **changes)
    if system:
        counts = _subject_counts(data)[system]
        flags = {"gold": counts.due > 0, "suggested": counts.suggested > 0, "found": counts.found > 0}
        table = pd.DataFrame({"form": counts.form[counts.subject], "document": counts.document, **flags})
    else:
        table = chosen_by(data)
        table = table.assign(annotators=table["annotators"].map(", ".join))
    names = names_of(data)["subject"]
    table = table[table["form"].isin(names.index[names == subject])].drop(columns="form")
    return table.assign(document=[data.documents[place] for place in table["document"]]).reset_index(drop=True)


def subjects_of_people(corpus: Corpus, settings: Settings | None = None, /, **changes: Any) -> Numbers:
    """Return one row per subject that annotators chose, that with the most disagreeing pairs of them first.

    frame: subject, label (where subjects are concepts), documents (in which anybody chose it), chosen and seen (how
    often it was chosen, of how many lists of these documents), by_all and by_most (in how many of the documents all who
    saw them chose it, and more than half), apart (pairs of annotators of whom one chose it), P_pos (where one chose it,
    how often another did), annotators (who chose it, and how often where it was more than once), reason.

    >>> from kp_core import load
    >>> gold = pd.DataFrame({"doc_id": list("ddde"), "annotator": list("ABCA"), "phrase": ["a", "a", "b", "a"]})
    >>> subjects_of_people(load(gold=gold)).frame[["subject", "chosen", "seen", "apart", "annotators"]].values.tolist()
    [['a', 3, 4, 2, 'A (2), B'], ['b', 1, 3, 2, 'C']]
    """
    data = prepare_annotators(corpus, settings, **changes)
    rows = chosen_by(data)
    several = rows["seen"] > 1
    rows = rows.assign(
        by_all=several & (rows["chosen"] == rows["seen"]),
        by_most=several & (2 * rows["chosen"] > rows["seen"]),
        apart=rows["chosen"] * (rows["seen"] - rows["chosen"]),
        both=rows["chosen"] * (rows["chosen"] - 1),
        one=rows["chosen"] * (rows["seen"] - 1),
    )
    by = rows.groupby("form", sort=False)
    names = ("chosen", "seen", "by_all", "by_most", "apart", "both", "one")
    table = by[list(names)].sum().assign(documents=by.size(), annotators=by["annotators"].agg(_who))
    table = table.assign(P_pos=ratio(table["both"].to_numpy(float), table["one"].to_numpy(float), np.nan))
    table = table.assign(reason=np.where(table["one"] > 0, None, "single_annotator"))  # type: ignore[call-overload]
    table = table.sort_values(["apart", "documents"], ascending=False, kind="stable")
    frame = names_of(data).loc[table.index].join(table)[list(BY_PEOPLE)].reset_index(drop=True)
    return _numbers(frame, data)


def chosen_by(data: Prepared) -> pd.DataFrame:
    """Return one row per document and subject that anybody chose, in the order of the files.

    Columns: document (its place), form, chosen (by how many annotators), seen (how many saw it), annotators (who).
    """
    own, coded = data.choices, data.coded
    spelled = coded.variant_phrase[np.searchsorted(coded.variant_entry, own.place)]
    columns = {"item": own.item, "place": own.place, "form": data.identities.gold[spelled]}
    rows = pd.DataFrame(columns).assign(annotators=[coded.annotators[one] for one in own.annotator])
    who = rows.groupby("item")["annotators"].agg(tuple)
    first = rows.sort_values("place").drop_duplicates("item").set_index("item")
    document = own.document[first.index]
    table = pd.DataFrame({"document": document, "form": first["form"], "chosen": own.votes[first.index]})
    return table.assign(seen=own.seen.sum(axis=0)[document], annotators=who).reset_index(drop=True)


def _who(lists: pd.Series[Any]) -> str:
    """Return who occurs in lists of annotators, the most frequent first, with the number where it is above one."""
    counts = pd.Series([name for names in lists for name in names]).value_counts(sort=False)
    counts = counts.sort_values(ascending=False, kind="stable")
    return ", ".join(f"{name} ({count})" if count > 1 else str(name) for name, count in counts.items())


def _numbers(frame: pd.DataFrame, data: Prepared) -> Numbers:
    settings = data.settings.changed(k=data.settings.k[:1], interval="none")
    notes, documents = data.notes, len(data.documents)
    return Numbers(frame, settings, notes, documents, concordance=False, caption="Values by subject")


def _subject_counts(data: Prepared) -> dict[str, SubjectCounts]:
    """Return where the subjects of each system are at the first cutoff, in documents that count in an average."""
    systems, cutoff = {name: one.exact for name, one in count_systems(data, ["exact"]).items()}, data.settings.k[0]
    return {name: SubjectCounts.of(one.alignment, one.limit(cutoff), one.scored) for name, one in systems.items()}


def names_of(data: Prepared) -> pd.DataFrame:
    """Return form → subject and label: unchanged first, in the gold standard rather than in a system's list."""
    coded, phrases = data.coded, data.coded.phrases.to_pylist()
    chosen = [coded.variant_phrase, *(run.phrase for run in coded.runs.values())]
    forms = [data.identities.gold[chosen[0]], *(data.identities.predicted[own] for own in chosen[1:])]
    form, place = np.unique(np.concatenate(forms), return_index=True)
    raw = np.concatenate(chosen)[place]
    told = [phrases[one] for one in raw]
    concepts = [coded.concepts[one] or None for one in raw] if coded.concepts else None
    named = told if concepts is None else [one or text for one, text in zip(concepts, told, strict=True)]
    return pd.DataFrame({"subject": named, "label": None if concepts is None else told}, index=form)
