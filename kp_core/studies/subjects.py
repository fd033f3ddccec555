"""Describe each subject (keyphrase or concept), and how consistently annotators choose them."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Unpack

import numpy as np
import pandas as pd

from kp_core.corpus import Corpus, memoize
from kp_core.errors import UsageError
from kp_core.scoring.by_subject import SubjectCounts
from kp_core.scoring.cells import ratio
from kp_core.scoring.measures.agreement import panel, sizes
from kp_core.scoring.measures.concordance import positive
from kp_core.scoring.prepare import Prepared, prepare, prepare_annotators
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.scoring.systems import count_systems
from kp_core.settings import Changes, Settings
from kp_core.studies.result import Numbers, Result

BY_SUBJECT = ("system", "subject", "label", "gold", "suggested", "found", "P", "R", "F1", "reason")
_ANNOTATOR_COLUMNS = ("documents", "chosen", "seen", "by_all", "by_most", "apart", "P_pos", "annotators", "reason")
BY_PEOPLE = ("subject", "label", *_ANNOTATOR_COLUMNS)


def subjects(corpus: Corpus, settings: Settings | None = None, /, **changes: Unpack[Changes]) -> Numbers:
    """Return one row per system and subject (keyphrase or concept), most frequent first, at the first cutoff.

    Columns: system, subject, label (for concepts), gold (number of documents with the subject in the
    gold standard), suggested (in the system's list), found (in both), P, R, F1, reason. P is missing for subjects never
    suggested, R for subjects never gold. CASIMiR averages these values by subject. Without systems, there is one row
    per subject: see `subjects_of_annotators`.

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
        return subjects_of_annotators(corpus, settings, **changes)
    data = prepare(corpus, settings, **changes)
    names, frames = names_of(data), list[pd.DataFrame]()
    for system, subject_counts in _subject_counts(data).items():
        counts = subject_counts.counts
        precision, recall = (ratio(counts.hits, total, np.nan) for total in (counts.returned, counts.size))
        f1 = ratio(2 * counts.hits, counts.size + counts.returned, np.nan)
        reason = np.select([counts.returned == 0, counts.size == 0], ["never_suggested", "never_due"], None)  # type: ignore[call-overload]
        totals = {"gold": counts.size, "suggested": counts.returned, "found": counts.hits}
        table = pd.DataFrame({name: column.astype(np.int64) for name, column in totals.items()})
        rows = names.loc[subject_counts.form]
        table = table.assign(system=system, subject=rows["subject"].to_numpy(), label=rows["label"].to_numpy())
        table = table.assign(P=precision, R=recall, F1=f1, reason=reason)[(counts.size + counts.returned) > 0]
        table = table.sort_values(["gold", "suggested"], ascending=False, kind="stable")
        frames.append(table[list(BY_SUBJECT)])
    return _numbers(pd.concat(frames, ignore_index=True), data)


def documents_of(
    corpus: Corpus, settings: Settings | None = None, /, subject: str = "", system: str = "", **changes: Any
) -> pd.DataFrame:
    """Return one row per document of a subject.

    With a system: gold, suggested, found. Without: chosen and seen (numbers of annotators), annotators who chose it.
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
    return table.assign(document=[data.documents[index] for index in table["document"]]).reset_index(drop=True)


def subjects_of_annotators(corpus: Corpus, settings: Settings | None = None, /, **changes: Any) -> Numbers:
    """Return one row per subject that annotators chose, the most disputed first.

    * documents: number in which any annotator chose it; by_all, by_most: all, or more than half, of the annotators
    * `chosen`: number of annotators' lists with it, of `seen` lists; apart: pairs of annotators of whom one chose it
    * `P_pos`: if an annotator chose it, how often another one did; annotators: who chose it, and how often

    >>> from kp_core import load
    >>> gold = pd.DataFrame({"doc_id": list("ddde"), "annotator": list("ABCA"), "phrase": ["a", "a", "b", "a"]})
    >>> table = subjects_of_annotators(load(gold=gold)).frame
    >>> table[["subject", "chosen", "seen", "apart", "annotators"]].values.tolist()
    [['a', 3, 4, 2, 'A (2), B'], ['b', 1, 3, 2, 'C']]
    """
    data = prepare_annotators(corpus, settings, **changes)
    rows = chosen_by(data)
    chosen, seen = rows["chosen"], rows["seen"]
    rows = rows.assign(by_all=(seen > 1) & (chosen == seen), by_most=(seen > 1) & (2 * chosen > seen))
    rows = rows.assign(apart=chosen * (seen - chosen), both=chosen * (chosen - 1), one=chosen * (seen - 1))
    by = rows.groupby("form", sort=False)
    names = ("chosen", "seen", "by_all", "by_most", "apart", "both", "one")
    table = by[list(names)].sum().assign(documents=by.size(), annotators=by["annotators"].agg(_annotator_names))
    table = table.assign(P_pos=ratio(table["both"].to_numpy(float), table["one"].to_numpy(float), np.nan))
    table = table.assign(reason=np.where(table["one"] > 0, None, "single_annotator"))  # type: ignore[call-overload]
    table = table.sort_values(["apart", "documents"], ascending=False, kind="stable")
    frame = names_of(data).loc[table.index].join(table)[list(BY_PEOPLE)].reset_index(drop=True)
    return _numbers(frame, data)


def chosen_by(data: Prepared) -> pd.DataFrame:
    """Return one row per document and subject chosen for it: document, form, chosen, seen, annotators."""
    choices, coded = data.choices, data.coded
    spelled = coded.variant_phrase[np.searchsorted(coded.variant_entry, choices.position)]
    columns = {"item": choices.item, "position": choices.position, "form": data.identities.gold[spelled]}
    rows = pd.DataFrame(columns).assign(annotators=[coded.annotators[index] for index in choices.annotator])
    names = rows.groupby("item")["annotators"].agg(tuple)
    items = rows.sort_values("position").drop_duplicates("item").set_index("item")
    document = choices.document[items.index]
    table = pd.DataFrame({"document": document, "form": items["form"], "chosen": choices.votes[items.index]})
    return table.assign(seen=choices.seen.sum(axis=0)[document], annotators=names).reset_index(drop=True)


def _annotator_names(lists: pd.Series[Any]) -> str:
    counts = pd.Series([name for names in lists for name in names]).value_counts(sort=False)
    counts = counts.sort_values(ascending=False, kind="stable")
    return ", ".join(f"{name} ({count})" if count > 1 else str(name) for name, count in counts.items())


def _numbers(frame: pd.DataFrame, data: Prepared) -> Numbers:
    settings = data.settings.changed(k=data.settings.k[:1], interval="none")
    return Numbers(frame, settings, data.notes, len(data.documents), concordance=False, caption="Values by subject")


def _subject_counts(data: Prepared) -> dict[str, SubjectCounts]:
    k, exact = data.settings.k[0], {name: counts.exact for name, counts in count_systems(data, ["exact"]).items()}
    return {name: SubjectCounts.of(run.alignment, run.limit(k), run.scored) for name, run in exact.items()}


def names_of(data: Prepared) -> pd.DataFrame:
    """Return form → subject and label, spelled as it first occurs in the gold standard, else in the systems."""
    coded, phrases = data.coded, data.coded.phrases.to_pylist()
    phrase_codes = [coded.variant_phrase, *(run.phrase for run in coded.runs.values())]
    forms = [data.identities.gold[phrase_codes[0]], *(data.identities.predicted[phrase] for phrase in phrase_codes[1:])]
    form, index = np.unique(np.concatenate(forms), return_index=True)
    first_phrase = np.concatenate(phrase_codes)[index]
    spelled = [phrases[index] for index in first_phrase]
    concepts = [coded.concepts[index] or None for index in first_phrase] if coded.concepts else None
    subjects = spelled if concepts is None else [index or text for index, text in zip(concepts, spelled, strict=True)]
    return pd.DataFrame({"subject": subjects, "label": None if concepts is None else spelled}, index=form)


def consistency(result: Result) -> pd.DataFrame:
    """Return Hooper's and Rolling's consistency of each pair of annotators, and the number of documents that both saw.

    result: of `agreement`. Rolling 1981: twice the number of shared keyphrases over the sum of both numbers chosen,
    which is P_pos; Hooper 1965: shared over distinct keyphrases, P_pos / (2 − P_pos).

    >>> import kp_core as kp
    >>> gold = pd.DataFrame({"doc_id": "d", "annotator": list("aab"), "phrase": ["tide", "sea", "tide"]})
    >>> consistency(kp.agreement(kp.load(gold=gold), universe=9))[["Hooper", "Rolling"]].round(3).to_numpy().tolist()
    [[0.5, 0.667]]
    """
    rows = result.frame[result.frame["measure"] == "P_pos"]
    names = [name for name in rows["system"] if name != "all"]
    pairs = {f"{a}|{b}" for a, b in permutations(names, 2)}  # an annotator's name may have a bar
    rows = rows[rows["system"].isin(pairs)].drop_duplicates("system")
    rolling = rows["value"].astype(float)
    columns = {"pair": rows["system"], "Hooper": rolling / (2 - rolling), "Rolling": rolling}
    return pd.DataFrame(columns).assign(documents=rows["documents"]).reset_index(drop=True)


def has_only_annotators(corpus: Corpus) -> bool:
    """Return whether the data have several annotators and no systems."""
    only_annotators = len(corpus.annotators) > 1 and not corpus.systems and not len(corpus.judgements)
    return only_annotators and not memoize(corpus, "names sentences", None, lambda: names_sentences(corpus))


#: Maximum number of annotators listed by name and in pairs; more annotators are counted, and their pairs drawn.
FEW = 4
#: Maximum number of disputed keyphrases listed per document.
_LISTED = 5


def disputed_documents(corpus: Corpus, settings: Settings) -> pd.DataFrame:
    """Return the documents with disputed keyphrases, lowest P_pos first: P_pos, undisputed and disputed keyphrases."""
    data = prepare_annotators(corpus, settings)
    agreement = pd.DataFrame({"P_pos": positive(panel(data.choices, data.universe))[:, 0]}, index=data.documents)
    rows = chosen_by(data)
    names = names_of(data)
    name = names["label"].fillna(names["subject"]).loc[rows["form"]].to_numpy()
    rows = rows.assign(name=name, apart=rows["chosen"] * (rows["seen"] - rows["chosen"]))
    rows = rows.sort_values("apart", ascending=False, kind="stable")
    rows["document"] = [data.documents[index] for index in rows["document"]]
    chosen_by_everybody = rows["apart"] == 0
    by_all = rows[chosen_by_everybody].groupby("document")["name"].agg(", ".join)
    annotator_text = rows["annotators"].map(", ".join)
    if len(data.coded.annotators) > FEW:
        annotator_text = rows["chosen"].astype("str") + " of " + rows["seen"].astype("str")
    disputed = (
        (rows["name"] + " (" + annotator_text + ")")[~chosen_by_everybody].groupby(rows["document"]).agg(_shortened)
    )
    table = agreement[data.choices.seen.sum(axis=0) > 1].sort_values("P_pos", kind="stable", na_position="last")
    table = table.assign(**{"by all": by_all, "by some": disputed}).fillna({"by all": "", "by some": ""})
    return table[table["by some"] != ""].rename_axis("document").reset_index()


def _shortened(phrases: pd.Series[str]) -> str:
    omitted = len(phrases) - _LISTED
    return "; ".join([*phrases.head(_LISTED), *([f"{omitted} more"] if omitted > 0 else [])])


def titles(corpus: Corpus, settings: Settings) -> pd.DataFrame:
    """Return one row per document: numbers of keyphrases per annotator, chosen by all, and by only one."""
    data = prepare_annotators(corpus, settings)
    choices, rows = data.choices, chosen_by(data)
    counts = pd.DataFrame(sizes(choices).T, index=data.documents, columns=data.coded.annotators).astype("Int64")
    counts = counts.mask(~choices.seen.T)
    kinds = {"chosen by all": rows["chosen"] == rows["seen"], "by one only": rows["chosen"] == 1}
    summed = pd.DataFrame(kinds).groupby(rows["document"]).sum().reindex(range(len(counts)), fill_value=0)
    table = counts.assign(**summed.set_axis(data.documents))
    titles = corpus.documents.set_index("doc_id")["title"].reindex(table.index).fillna("")
    if titles.any():
        table.insert(0, "title", titles)
    return table.rename_axis("document").reset_index()
