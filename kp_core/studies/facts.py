"""Report in words what the reader of a result must know: who is missing, what is short, what a number cannot show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kp_core.corpus import Corpus
from kp_core.errors import Note, part_of, pluralize
from kp_core.reading.rows.identifiers import suggestions
from kp_core.scoring.accumulate import Ids, Sums
from kp_core.scoring.counts import BASELINES, SystemCounts
from kp_core.scoring.measures import Asked, parse
from kp_core.scoring.order import exceeds
from kp_core.scoring.prepare import Prepared, without_english
from kp_core.settings import Cutoff, Settings, change_in_words
from kp_core.studies import WORDS


def too_few(documents: int) -> str:
    """Warn that so few documents give no reliable interval."""
    return f"{pluralize(documents, 'document is', 'documents are')} too few for a reliable interval"


def add_evaluation(sums: Sums, data: Prepared, systems: dict[str, SystemCounts], concordance: bool) -> None:
    """Add what the notes on an evaluation need to know.

    ids     documents without a keyphrase (`empty`) and unseen ones; of each system, kind/system:
            lost, unknown    documents without a list; lists without a document of the gold standard
            short            lists shorter than the largest cutoff
            repeats, lists   phrases that repeat an earlier one, and the lists with such
    arrays  phrases that gold or system chose, N, and phrases of neither, of each system at the largest cutoff
    """
    documents, largest, ids = data.documents, _largest(data.settings.k), dict[str, Ids]()
    sums.add("documents", len(documents))
    systems = {name: both for name, both in systems.items() if name not in BASELINES}
    for name, both in systems.items():
        counts = both.exact
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
        cells = [(both.sets.at((largest,)), both.sets.scored) for both in systems.values()]
        sums.add("chosen", np.array([(own.size + own.system_only)[used].sum() for own, used in cells]))
        sums.add("N", np.array([own.universe[used].sum() for own, used in cells]))
        sums.add("neither", np.array([own.neither[used].sum() for own, used in cells]))
    if concordance and data.settings.universe == "candidates":
        ids["foreign"] = Ids.of(without_english(data))
    sums.note(ids)


def notes_on_subjects(settings: Settings, baselines: bool) -> list[Note]:
    """Return what the reader of means over subjects must know."""
    checks = (("baselines", baselines, "average"), ("interval", settings.interval != "none", "intervals"))
    return [Note("info", where, WORDS["subjects"][text]) for text, needed, where in checks if needed]


def by_document(settings: Settings, asked: Sequence[Asked]) -> list[Note]:
    """Return that values are those of documents, where means of some measures are over subjects."""
    over = any(one.over_subjects(settings.average) for one in asked)
    return [Note("info", "average", WORDS["subjects"]["by_document"])] if over else []


def _largest(cutoffs: tuple[Cutoff, ...]) -> int:
    return max((c for c in cutoffs if isinstance(c, int)), default=0)


def evaluation_notes(
    sums: Sums, systems: Sequence[str], settings: Settings, concordance: bool, ids: Sequence[Note] = ()
) -> list[Note]:
    """Explain what the sums mean for the reader; ids: notes on the fixes that would make ids meet."""
    notes, documents = list[Note](), sums.number("documents")
    if not systems:
        return [Note("warning", "systems", "no system output is loaded, so there is nothing to score")]
    if (unseen := sums.ids["unseen"]).count:
        left_out = part_of(unseen.count, documents, "document", "is", "are")
        text = f"{left_out} left out, because {settings.annotators} did not see them: {unseen}"
        notes.append(Note("info", "gold", text))
    if (empty := sums.ids["empty"]).count:
        have = part_of(empty.count, documents, "document", "has", "have")
        policy = WORDS["empty_gold"][settings.empty_gold]
        notes.append(Note("warning", "gold", f"{have} no keyphrase, {policy}: {empty}"))
    notes += ids
    for system in systems:
        notes += _system_notes(system, sums, settings)
    notes += _common_notes(sums, documents - empty.count, settings)
    return notes + (_universe_notes(settings, sums) if concordance and "N" in sums.numbers else [])


def _common_notes(sums: Sums, documents: int, settings: Settings) -> list[Note]:
    """Warn if documents are few, and if the universe of candidates contains nothing but what was chosen."""
    notes = list[Note]()
    if documents < 10 and settings.interval != "none":
        notes.append(Note("warning", "intervals", too_few(documents)))
    if (foreign := sums.ids.get("foreign", Ids())).count:
        verbs = "has no English token in its text", "have no English token in their texts"
        text = part_of(foreign.count, sums.number("documents"), "document", *verbs)
        text += f", so N counts no candidate there, only what was chosen: {foreign}"
        notes.append(Note("warning", "universe", text))
    return notes


def above_one(values: Iterable[tuple[str, float]]) -> list[Note]:
    """Report why measures that should end at 1 do not; values: a measure's name and its value."""
    above = dict.fromkeys(name for name, value in values if exceeds(value, 1) and parse(name).measure.high <= 1)
    why = "exceeds 1, because a keyphrase found twice, or listed twice, counts twice under such conventions"
    return [Note("warning", "measures", f"{name} {why}") for name in above]


def id_notes(corpus: Corpus, sums: Sums, systems: Sequence[str]) -> list[Note]:
    """Name the fix that would make ids meet, where lists are missing on one side and unknown on the other."""
    if not any(sums.ids[f"unknown/{name}"].count and sums.ids[f"lost/{name}"].count for name in systems):
        return []
    return [
        Note("warning", "ids", f"the fix {fix} would match {match} of {of} ids of {left} and {right}")
        for fix, _, left, right, match, of in suggestions(corpus).itertuples(index=False)
    ]


def _system_notes(system: str, sums: Sums, settings: Settings) -> list[Note]:
    notes, documents = list[Note](), sums.number("documents")
    lost, unknown, short, repeats, lists = (
        sums.ids.get(f"{kind}/{system}", Ids()) for kind in ("lost", "unknown", "short", "repeats", "lists")
    )
    if lost.count:
        policy = "left out" if settings.missing == "skip" else "scored as empty"
        text = f"no list for {lost.count} of {pluralize(documents, 'document')}, {policy}: {lost}"
        notes.append(Note("warning", system, text))
    if unknown.count:
        known = "that the gold standard does not have"
        words = pluralize(unknown.count, f"list for a document {known} is", f"lists for documents {known} are")
        notes.append(Note("warning", system, f"{words} ignored: {unknown}"))
    if short.count:
        shorter = part_of(short.count, documents - lost.count, "list", "is", "are")
        notes.append(Note("info", system, f"{shorter} shorter than k = {_largest(settings.k)}"))
    if repeats.count:
        verb = "repeats" if repeats.count == 1 else "repeat"
        text = f"{pluralize(repeats.count, 'phrase')} in {pluralize(lists.count, 'list')} {verb} an earlier one"
        text += f" after normalization; {change_in_words('duplicates', settings.duplicates)}"
        if settings.duplicates == "count" or (settings.ap_repeats == "hit" and settings.duplicates != "before"):
            text += "; a hit counts again there, so that a value may exceed 1"
        notes.append(Note("info", system, text))
    return notes


def _universe_notes(settings: Settings, sums: Sums) -> list[Note]:
    notes = []
    if settings.universe == "rankings":
        text = "N is the union of all loaded rankings and annotators, so adding a system changes every kappa"
        notes.append(Note("info", "universe", f"{text}; load the texts to count their n-grams instead"))
    chosen, (n, *_), rejected = (sums.numbers[kind].tolist() for kind in ("chosen", "N", "neither"))
    if n < 5 * max(chosen):
        most = pluralize(round(max(chosen)), "phrase")
        text = f"N = {n:,.0f} is hardly larger than the {most} chosen at k = {_largest(settings.k)}"
        notes.append(Note("warning", "universe", f"{text}, which pulls kappa down"))
    if n and min(rejected) / n > 0.9:
        text = f"true negatives dominate (d/N = {min(rejected) / n:.2f}): PABAK, P_neg and AC1 are uninformative here"
        notes.append(Note("info", "universe", f"{text}; use P_pos and kappa"))
    return notes


def add_agreement(sums: Sums, data: Prepared) -> None:
    """Add what the notes on an agreement need to know: also how many documents so many annotators saw."""
    annotators = data.choices.seen.sum(axis=0)
    sums.add("documents", len(annotators))
    sums.add("seen", np.bincount(annotators, minlength=len(data.names.annotators) + 1))
    foreign = without_english(data) if data.settings.universe == "candidates" else ()
    sums.note({"alone": Ids.where(data.documents, annotators < 2), "foreign": Ids.of(foreign)})


def agreement_notes(sums: Sums, pairs: int, settings: Settings) -> list[Note]:
    """Say which documents are missing from the concordance, and what is too small; pairs: those without intervals."""
    notes, documents, alone = list[Note](), sums.number("documents"), sums.ids["alone"]
    annotators = np.flatnonzero(sums.numbers["seen"]).tolist()
    if alone.count:
        verbs = "has fewer than two annotators and is", "have fewer than two annotators and are"
        text = part_of(alone.count, documents, "document", *verbs)
        notes.append(Note("warning", "annotators", f"{text} left out: {alone}"))
    if pairs and settings.interval != "none":
        text = f"the {pairs:,} pairs of annotators have no intervals, because there are too many"
        notes.append(Note("info", "intervals", text))
    if len(annotators) > 1 and annotators[-1] > 1:
        fewest = next(number for number in annotators if number > 1)
        text = f"not everybody saw every document: {fewest} to {annotators[-1]} annotators per document"
        notes.append(
            Note("info", "annotators", f"{text}; annotators who did not see a document are missing there, not “no”")
        )
    notes += _common_notes(sums, documents - alone.count, settings)
    if settings.universe == "rankings":
        text = "N is the union of all annotators and loaded rankings"
        notes.append(Note("info", "universe", f"{text}, so another annotator or system changes every value"))
    return notes
