"""Break a result down into values per document, and into the phrases of one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.alignment import align, ranked_lists
from kp_core.scoring.codes import Bools, Floats
from kp_core.scoring.counts import SystemCounts
from kp_core.scoring.measures import Asked, matchers, names_in, of_systems, parse
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import count_systems
from kp_core.settings import Cutoff, Settings
from kp_core.studies import WORDS
from kp_core.studies.facts import by_document
from kp_core.studies.result import Numbers
from kp_core.text.normalise import Normaliser
from kp_core.text.places import pieces, places

BY_DOCUMENT = (
    *("system", "document", "group", "measure", "k", "value", "status"),
    *("hits", "returned", "gold_size", "duplicates"),
)
MARKS: dict[str, str] = WORDS["marks"]
#: Sources of a marked phrase: people, first and second system.
PEOPLE, FIRST, SECOND = "people", "first", "second"


def documents(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str = "F1@k",
    *,
    baselines: bool = False,
    **changes: Any,
) -> Numbers:
    """Return values per document, one row per system, document, measure and cutoff, like trec_eval with `-q`.

    Undefined values are missing; `status` has the reason.
    """
    asked = [parse(name) for name in names_in(measures)]
    data = prepare(corpus, settings, **changes)
    systems = count_systems(data, matchers(asked) | ({"sets"} if baselines else set()), baselines)
    groups, tables = [group or None for group in data.coded.groups], any(measure.of_tables for measure in asked)
    frames = [pd.DataFrame(columns=list(BY_DOCUMENT))]
    for (system, by_matcher), measure in product(systems.items(), asked):
        counts = by_matcher.of(measure)
        for cutoff in measure.cutoffs(data.settings):
            view = counts.at((cutoff,))
            value = np.where(view.scored, view.values(measure)[:, 0], np.nan)
            k = cutoff if "@" in measure.measure.name else None
            names = system, data.documents, groups, measure.name(cutoff), k, value, view.status(measure)[:, 0]
            numbers = view.hits[:, 0], view.returned[:, 0], counts.size, counts.duplicates
            rows = pd.DataFrame(dict(zip(BY_DOCUMENT, (*names, *numbers), strict=True)))
            frames.append(rows.astype({"k": object}))
    frame = pd.concat(frames[1:] or frames, ignore_index=True)
    caption, notes = "Values by document", (*data.notes, *by_document(data.settings, asked))
    return Numbers(frame, data.settings, notes, len(data.documents), tables, caption)


def tables_by_document(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] = ("kappa",), **changes: Any
) -> pd.DataFrame:
    """Return one row per system and document: concordance measures at the first cutoff, and their status."""
    data, frames = prepare(corpus, settings, **changes), [pd.DataFrame(columns=["system", "document"])]
    for system, counts in count_systems(data).items():
        view = counts.sets.at(data.settings.k[:1])
        values = {name: np.where(view.scored, view.values(parse(name))[:, 0], np.nan) for name in measures}
        names = {"system": system, "document": data.documents}
        frames.append(pd.DataFrame(names | values | {"status": view.status(parse("kappa"))[:, 0]}))
    return pd.concat(frames[1:] or frames, ignore_index=True)


def all_values(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] | None = None, **changes: Any
) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Yield system, measure and values (documents, cutoffs), one by one to save memory; undefined values are NaN.

    A measure without a cutoff has one column.

    Parameters
    ----------
    measures : sequence of str, optional
        Names of `kp.MEASURES`; by default all.
    """
    data, asked = prepare(corpus, settings, **changes), [parse(name) for name in measures or of_systems()]
    for system, counts in count_systems(data, matchers(asked)).items():
        for parts in zip(*(block.views(asked) for block in counts.blocks()), strict=True):
            measure = parts[0][0]
            yield system, measure.name(), np.concatenate([view.values(measure) for _, view in parts])


def values_over(
    systems: Mapping[str, SystemCounts], asked: Asked, tried: Sequence[Cutoff]
) -> tuple[dict[str, Floats], Bools]:
    """Return the values (D, K) of every system on the documents with all values, and a mask of these documents."""
    values, defined = dict[str, Floats](), list[Bools]()
    for name, counts in systems.items():
        view = counts.of(asked).at(tuple(tried))
        values[name] = np.asarray(view.values(asked))
        defined.append(view.scored & ~np.isnan(values[name]).any(axis=1))
    shared = np.logical_and.reduce(defined)
    return {name: counts[shared] for name, counts in values.items()}, shared


@dataclass(frozen=True)
class DocumentView:
    """One document: its gold keyphrases and the ranked list of every system.

    gold    phrase, spellings, annotators, votes, grade, found (systems that hit it within the cutoff)
    lists   per system: rank, phrase, score, mark (a key of `MARKS`), keyphrase (if it is one), counts (within cutoff)
    """

    title: str
    text: str
    group: str
    gold: pd.DataFrame
    lists: dict[str, pd.DataFrame]


def marked_text(view: DocumentView, systems: Sequence[str], settings: Settings) -> list[tuple[str, str]]:
    """Return the text of a document in pieces (who chose it, text), in order; settings are resolved.

    Who is empty, or names `people`, `first` and `second` (one or two systems, within the cutoff), separated by blanks.
    Of overlapping phrases the longer one is marked.
    """
    words, normaliser = dict(zip(systems, (FIRST, SECOND), strict=False)), Normaliser.parse(settings.normalise)
    phrases: dict[str, list[str]] = {}
    for row in view.gold.itertuples():
        who = " ".join([PEOPLE, *(word for name, word in words.items() if name in row.found)])
        phrases.setdefault(who, []).extend(row.spellings)
    misses: dict[str, dict[str, str]] = {}  # form → system → phrase
    for name in words:
        ranked = view.lists[name]
        missed = ranked.loc[ranked["counts"] & (ranked["mark"] == "miss"), "phrase"].tolist()
        for form, phrase in zip(normaliser.apply(missed), missed, strict=True):
            misses.setdefault(form, {})[name] = phrase
    for spelled in misses.values():
        phrases.setdefault(" ".join(words[name] for name in words if name in spelled), []).extend(spelled.values())
    kinds = sorted(phrases, key=lambda who: (not who.startswith(PEOPLE), -len(who)))
    by_people = [who for who in kinds if who.startswith(PEOPLE)]
    stemmed = by_people if settings.gold_stemmed == "yes" else ()
    yielding = [who for who in kinds if who not in by_people]
    marked = places(view.text, {who: phrases[who] for who in kinds}, normaliser, stemmed, yielding)
    return pieces(view.text, marked)


@dataclass(frozen=True)
class Phrase:
    """A phrase: annotators who chose it, system → (rank, mark, within its cutoff), and whether within any cutoff."""

    phrase: str
    people: tuple[str, ...]
    ranks: dict[str, tuple[int, str, bool]]
    within: bool
    keyphrase: bool


def phrases_of(view: DocumentView, settings: Settings, beyond: int = 0) -> list[Phrase]:
    """Return the phrases of a document by best rank, up to `beyond` ranks after the cutoff, then missed keyphrases."""
    normaliser, phrases = Normaliser.parse(settings.normalise), dict[str, Phrase]()
    gold = {row.phrase: row for row in view.gold.itertuples()}
    of_gold = normaliser.without_stemmer() if settings.gold_stemmed == "yes" else normaliser
    keyphrases = {form: row.phrase for row in gold.values() for form in of_gold.apply(list(row.spellings))}
    missed = {
        f"gold {phrase}": Phrase(" | ".join(row.spellings), tuple(row.annotators), {}, False, True)
        for phrase, row in gold.items()
    }
    for system, ranked in view.lists.items():
        listed = ranked.head(int(ranked["counts"].sum()) + beyond)
        forms = normaliser.apply(listed["phrase"].tolist())
        for form, row in zip(forms, listed.itertuples(), strict=True):
            keyphrase = row.keyphrase or keyphrases.get(form, "")
            key = f"gold {keyphrase}" if keyphrase in gold else form
            known = phrases.get(key) or missed.pop(key, Phrase(row.phrase, (), {}, False, False))
            ranks = {system: (int(row.rank), str(row.mark), bool(row.counts))} | known.ranks
            phrases[key] = replace(known, ranks=ranks, within=known.within or bool(row.counts))
    order = sorted(phrases.values(), key=lambda phrase: (not phrase.within, min(phrase.ranks.values())[0]))
    return [*order, *missed.values()]


def one_document(corpus: Corpus, settings: Settings | None = None, /, *, document: str, **changes: Any) -> DocumentView:
    """Return the phrases of one document at the first cutoff of the settings."""
    data = prepare(corpus, settings, **changes)
    coded, identities, settings, gold = data.coded, data.identities, data.settings, data.gold
    if document not in coded.documents:
        raise UsageError(f"there is no document '{document}' in the gold standard")
    number = coded.documents.index(document)
    names = _gold_table(data, number)
    lists = {}
    for system, run in coded.runs.items():
        length = np.where(np.arange(len(coded.documents)) == number, run.length, 0)
        prepared = ranked_lists(replace(run, length=length), identities, settings)
        alignment = align(prepared, gold)
        hits = alignment.first | (settings.duplicates == "count")
        phrase = run.phrase[run.start[number] + np.arange(length[number])]
        kept = prepared.position - 1
        mark = np.where(pd.Series(identities.predicted[phrase]).duplicated(), "repeated", "filtered").astype(object)
        mark[kept] = np.where(prepared.repeated, "repeated", "miss")
        mark[kept[alignment.hit & ~prepared.repeated]] = "again"
        mark[kept[alignment.row[hits]]] = "hit"
        keyphrase = np.full(len(phrase), "", object)
        keyphrase[kept[alignment.row[hits]]] = names.loc[alignment.item[hits], "phrase"]
        cutoff = {"gold": gold.size[number], "all": len(kept)}.get(str(settings.k[0]), settings.k[0])
        table = pd.DataFrame({"rank": np.arange(1, len(phrase) + 1), "phrase": coded.phrases.take(phrase).to_pylist()})
        score = np.nan if run.score is None else run.score[run.start[number] :][: len(phrase)]
        counts = np.isin(np.arange(len(phrase)), kept[:cutoff])
        lists[system] = table.assign(score=score, mark=mark.tolist(), keyphrase=keyphrase.tolist(), counts=counts)
    hits = {system: set(table.loc[table["counts"], "keyphrase"]) for system, table in lists.items()}
    names["found"] = [tuple(system for system in hits if phrase in hits[system]) for phrase in names["phrase"]]
    row = corpus.documents.set_index("doc_id").reindex([document]).fillna("").iloc[0]
    title, text, group = (str(row.get(column, "")) for column in ("title", "text", "group"))
    return DocumentView(title, text, group, names.reset_index(drop=True), lists)


def _gold_table(data: Prepared, number: int) -> pd.DataFrame:
    coded, gold, entry = data.coded, data.gold, data.coded.variant_entry
    items = range(int(gold.start[number]), int(gold.start[number] + gold.size[number]))
    spelled = slice(int(gold.spelling_start[number]), int(gold.spelling_start[number] + gold.spelling_count[number]))
    item_of = dict(zip(gold.spelling_form[spelled][::-1], gold.spelling_item[spelled][::-1], strict=True))
    rejected = coded.entry_relevance[entry] < data.settings.rel
    votes: dict[int, tuple[dict[str, None], dict[str, None]]] = {item: ({}, {}) for item in items}
    for place in np.flatnonzero((coded.entry_document[entry] == number) & ~rejected):
        item = item_of.get(data.identities.gold[coded.variant_phrase[place]])
        if item is not None:
            spellings, annotators = votes[item]
            spellings[coded.phrases[coded.variant_phrase[place]].as_py()] = None
            annotators[coded.annotators[coded.entry_annotator[entry[place]]]] = None
    rows = [(next(iter(words), ""), tuple(words), tuple(people)) for words, people in votes.values()]
    table = pd.DataFrame(rows, list(items), ["phrase", "spellings", "annotators"])
    return table.assign(votes=table["annotators"].map(len), grade=gold.grade[list(items)])
