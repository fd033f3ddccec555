"""Collect notes on a result: missing documents, short lists, limits of a measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import Note, part_of, pluralize
from kp_core.reading.rows.identifiers import suggestions
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.counts import BASELINES, SystemCounts
from kp_core.scoring.measures import Measure, parse
from kp_core.scoring.order import exceeds
from kp_core.scoring.prepare import Prepared, without_english
from kp_core.settings import Cutoff, Settings, change_in_words
from kp_core.studies import WORDS


def too_few_documents(n_documents: int) -> str:
    """Warn that there are too few documents for reliable intervals."""
    return f"{pluralize(n_documents, 'document is', 'documents are')} too few for a reliable interval"


def part_note(
    level: Literal["info", "warning"], where: str, part: Ids, total: int, singular: str, plural: str
) -> list[Note]:
    """Return a note on a part of the documents, in singular or plural; an empty list if the part is empty."""
    return [Note(level, where, f"{part_of(part.count, total, 'document', singular, plural)}: {part}")] * bool(
        part.count
    )


def add_evaluation(sums: Sums, data: Prepared, systems: dict[str, SystemCounts], concordance: bool) -> None:
    """Add the facts for notes on an evaluation: ids and counts of documents, and tables at the largest cutoff.

    For each system: lost (documents without a list), unknown (lists for unknown documents), short (lists shorter than
    the largest cutoff), repeats (phrases that repeat an earlier phrase), lists (lists with such phrases).
    """
    documents, largest, ids = data.documents, _largest(data.settings.k), dict[str, Ids]()
    sums.add("documents", len(documents))
    systems = {name: system for name, system in systems.items() if name not in BASELINES}
    for name, system in systems.items():
        counts = system.exact
        ids |= {
            "empty": Ids.where(documents, (counts.size == 0) & counts.known),
            "unseen": Ids.where(documents, ~counts.known),
            f"lost/{name}": Ids.where(documents, ~counts.listed),
            f"unknown/{name}": Ids.of(data.coded.runs[name].unknown),
            f"short/{name}": Ids(int(((counts.length < largest) & (counts.size > 0) & counts.listed).sum())),
            f"repeats/{name}": Ids(int(counts.duplicates.sum())),
            f"lists/{name}": Ids(int((counts.duplicates > 0).sum())),
        }
    if concordance and largest and systems:
        cells = [(system.sets.at((largest,)), system.sets.scored) for system in systems.values()]
        sums.add("chosen", np.array([(table.size + table.system_only)[scored].sum() for table, scored in cells]))
        sums.add("N", np.array([table.universe[scored].sum() for table, scored in cells]))
        sums.add("neither", np.array([table.neither[scored].sum() for table, scored in cells]))
    if concordance and data.settings.universe == "candidates":
        ids["foreign"] = Ids.of(without_english(data))
    sums.note(ids)


def notes_on_subjects(settings: Settings, baselines: bool) -> list[Note]:
    """Return notes on means over subjects."""
    checks = (("baselines", baselines, "average"), ("interval", settings.interval != "none", "intervals"))
    return [Note("info", where, WORDS["subjects"][text]) for text, applies, where in checks if applies]


def note_by_document(settings: Settings, measures: Sequence[Measure]) -> list[Note]:
    """Note that values are per document if some measures are means over subjects."""
    any_over_subjects = any(measure.over_subjects(settings.average) for measure in measures)
    return [Note("info", "average", WORDS["subjects"]["by_document"])] if any_over_subjects else []


def _largest(cutoffs: tuple[Cutoff, ...]) -> int:
    return max((c for c in cutoffs if isinstance(c, int)), default=0)


def evaluation_notes(
    sums: Sums, systems: Sequence[str], settings: Settings, concordance: bool, ids: Sequence[Note] = ()
) -> list[Note]:
    """Return the notes on an evaluation; `ids`: notes on fixes that would make ids match."""
    if not systems:
        return [Note("warning", "systems", "no system output is loaded, so there is nothing to score")]
    documents, unseen, empty = sums.number("documents"), sums.ids["unseen"], sums.ids["empty"]
    text, policy = f"left out, because {settings.annotators} did not see them", WORDS["empty_gold"][settings.empty_gold]
    notes = part_note("info", "gold", unseen, documents, f"is {text}", f"are {text}")
    verbs = f"has no keyphrase, {policy}", f"have no keyphrase, {policy}"
    notes += [*part_note("warning", "gold", empty, documents, *verbs), *ids]
    for system in systems:
        notes += _system_notes(system, sums, settings)
    notes += _common_notes(sums, documents - empty.count, settings)
    return notes + (_universe_notes(settings, sums) if concordance and "N" in sums.numbers else [])


def _common_notes(sums: Sums, n_documents: int, settings: Settings) -> list[Note]:
    has_few = n_documents < 10 and settings.interval != "none"
    foreign, effect = sums.ids.get("foreign", Ids()), "so N counts only chosen phrases there"
    verbs = f"has no English token in its text, {effect}", f"have no English token in their text, {effect}"
    notes = [Note("warning", "intervals", too_few_documents(n_documents))] * has_few
    return notes + part_note("warning", "universe", foreign, sums.number("documents"), *verbs)


def notes_above_one(values: Iterable[tuple[str, float]]) -> list[Note]:
    """Explain values above 1 of measures that normally cannot exceed 1; `values`: pairs of measure and value."""
    above_one = dict.fromkeys(name for name, value in values if exceeds(value, 1) and parse(name).card.high <= 1)
    explanation = "exceeds 1, because a keyphrase found twice, or listed twice, counts twice under such conventions"
    return [Note("warning", "measures", f"{name} {explanation}") for name in above_one]


def id_notes(corpus: Corpus, sums: Sums, systems: Sequence[str]) -> list[Note]:
    """Suggest fixes that would make ids match, if documents lack lists and other lists belong to unknown documents."""
    if not any(sums.ids[f"unknown/{name}"].count and sums.ids[f"lost/{name}"].count for name in systems):
        return []
    return [
        Note("warning", "ids", f"the fix {fix} would match {match} of {total} ids of {first} and {second}")
        for fix, _, first, second, match, total in suggestions(corpus).itertuples(index=False)
    ]


def _system_notes(system: str, sums: Sums, settings: Settings) -> list[Note]:
    notes, documents = list[Note](), sums.number("documents")
    kinds = ("lost", "unknown", "short", "repeats", "lists")
    lost, unknown, short, repeats, lists = (sums.ids.get(f"{kind}/{system}", Ids()) for kind in kinds)
    if lost.count:
        policy = "left out" if settings.missing == "skip" else "scored as empty"
        text = f"no list for {lost.count} of {pluralize(documents, 'document')}, {policy}: {lost}"
        notes.append(Note("warning", system, text))
    if unknown.count:
        clause = "that the gold standard does not have"
        words = pluralize(unknown.count, f"list for a document {clause} is", f"lists for documents {clause} are")
        notes.append(Note("warning", system, f"{words} ignored: {unknown}"))
    if short.count:
        shorter = part_of(short.count, documents - lost.count, "list", "is", "are")
        notes.append(Note("info", system, f"{shorter} shorter than k = {_largest(settings.k)}"))
    if repeats.count:
        verb = "repeats" if repeats.count == 1 else "repeat"
        text = f"{pluralize(repeats.count, 'phrase')} in {pluralize(lists.count, 'list')} {verb} an earlier one"
        text += f" after normalization; {change_in_words('duplicates', settings.duplicates)}"
        if settings.duplicates == "count" or (settings.ap_repeats == "hit" and settings.duplicates != "before"):
            text += "; a hit counts again there, so a value may exceed 1"
        notes.append(Note("info", system, text))
    return notes


def _universe_notes(settings: Settings, sums: Sums) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        text = "N is the union of all loaded rankings and annotators, so adding a system changes every kappa"
        notes.append(Note("info", "universe", f"{text}; load the texts to count their n-grams instead"))
    n_chosen, (n, *_), rejected = (sums.numbers[kind].tolist() for kind in ("chosen", "N", "neither"))
    if n < 5 * max(n_chosen):
        largest = pluralize(round(max(n_chosen)), "phrase")
        text = f"N = {n:,.0f} is hardly larger than the {largest} chosen at k = {_largest(settings.k)}"
        notes.append(Note("warning", "universe", f"{text}, which pulls kappa down"))
    if n and min(rejected) / n > 0.9:
        text = f"true negatives dominate (d/N = {min(rejected) / n:.2f}): PABAK, P_neg and AC1 are uninformative here"
        notes.append(Note("info", "universe", f"{text}; use P_pos and kappa"))
    return notes


def add_agreement(sums: Sums, data: Prepared) -> None:
    """Add the facts for notes on agreement, such as how many documents have 1, 2, … annotators."""
    annotators = data.choices.seen.sum(axis=0)
    sums.add("documents", len(annotators))
    sums.add("seen", np.bincount(annotators, minlength=len(data.names.annotators) + 1))
    not_english = without_english(data) if data.settings.universe == "candidates" else ()
    sums.note({"alone": Ids.where(data.documents, annotators < 2), "foreign": Ids.of(not_english)})


def agreement_notes(sums: Sums, n_pairs: int, settings: Settings) -> list[Note]:
    """Return the notes on an agreement; `n_pairs`: number of pairs without intervals, or 0."""
    documents, left_out = sums.number("documents"), sums.ids["alone"]
    annotators = np.flatnonzero(sums.numbers["seen"]).tolist()
    verbs = "has fewer than two annotators and is left out", "have fewer than two annotators and are left out"
    notes = part_note("warning", "annotators", left_out, documents, *verbs)
    if n_pairs and settings.interval != "none":
        text = f"the {n_pairs:,} pairs of annotators have no intervals, because there are too many"
        notes.append(Note("info", "intervals", text))
    if len(annotators) > 1 and annotators[-1] > 1:
        lowest = next(number for number in annotators if number > 1)
        text = f"not everybody saw every document: {lowest} to {annotators[-1]} annotators per document"
        text += "; annotators who did not see a document are missing there, not “no”"
        notes.append(Note("info", "annotators", text))
    notes += _common_notes(sums, documents - left_out.count, settings)
    if settings.universe == "rankings":
        text = "N is the union of all annotators and loaded rankings"
        notes.append(Note("info", "universe", f"{text}, so another annotator or system changes every value"))
    return notes
