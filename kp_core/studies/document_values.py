"""Break a number down into what it is computed from: values per document, and the phrases of one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import UsageError
from kp_core.scoring.alignment import align, ranked_lists
from kp_core.scoring.codes import Bools, Floats
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
#: Marks of a phrase in a ranked list, in words.
MARKS: dict[str, str] = WORDS["marks"]
#: Who may have chosen a phrase in a text: people, the first system, the second.
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
    """Return the values of each document: one row per system, document, measure and cutoff, as trec_eval with `-q`.

    Undefined values are missing; `status` has the reason.
    """
    asked = [parse(name) for name in names_in(measures)]
    data = prepare(corpus, settings, **changes)
    tables = any(one.of_tables for one in asked)
    systems = count_systems(data, matchers(asked) | ({"sets"} if baselines else set()), baselines)
    groups = [group or None for group in data.coded.groups]
    frames = []
    for system, both in systems.items():
        for one in asked:
            counts = both.of(one)
            for cutoff in one.cutoffs(data.settings):
                view = counts.at((cutoff,))
                value = np.where(view.scored, view.values(one)[:, 0], np.nan)
                k = cutoff if "@" in one.measure.name else None
                named = system, data.documents, groups, one.name(cutoff), k, value, view.status(one)[:, 0]
                numbers = view.hits[:, 0], view.returned[:, 0], counts.size, counts.duplicates
                frames.append(
                    pd.DataFrame(dict(zip(BY_DOCUMENT, (*named, *numbers), strict=True))).astype({"k": object})
                )
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(BY_DOCUMENT))
    caption, notes = "Values by document", (*data.notes, *by_document(data.settings, asked))
    return Numbers(frame, data.settings, notes, len(data.documents), tables, caption)


def tables_by_document(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] = ("kappa",), **changes: Any
) -> pd.DataFrame:
    """Return one row per system and document: concordance measures at the first cutoff, and the status of the table."""
    data, frames = prepare(corpus, settings, **changes), []
    for system, both in count_systems(data).items():
        view = both.sets.at(data.settings.k[:1])
        values = {name: np.where(view.scored, view.values(parse(name))[:, 0], np.nan) for name in measures}
        named = {"system": system, "document": data.documents}
        frames.append(pd.DataFrame(named | values | {"status": view.status(parse("kappa"))[:, 0]}))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["system", "document"])


def all_values(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] | None = None, **changes: Any
) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Yield system, measure and an array of values (documents, cutoffs); undefined values are NaN.

    Arrays are yielded one by one to save memory; a measure without a cutoff has one column.

    Parameters
    ----------
    measures : sequence of str, optional
        Names of `kp.MEASURES`; by default all.
    """
    data, asked = prepare(corpus, settings, **changes), [parse(name) for name in measures or of_systems()]
    for system, both in count_systems(data, matchers(asked)).items():
        for parts in zip(*(block.views(asked) for block in both.blocks()), strict=True):
            one = parts[0][0]
            yield system, one.name(), np.concatenate([view.values(one) for _, view in parts])


def values_over(data: Prepared, asked: Asked, tried: Sequence[Cutoff]) -> tuple[dict[str, Floats], Bools]:
    """Return the values (D, K) of every system, and which documents they are of: those with all values for all."""
    systems = count_systems(data, matchers([asked]))
    found, shared = dict[str, Floats](), np.ones(len(data.documents), dtype=bool)
    for name, own in systems.items():
        view = own.of(asked).at(tuple(tried))
        found[name] = np.asarray(view.values(asked))
        shared &= view.scored & ~np.isnan(found[name]).any(axis=1)
    return {name: own[shared] for name, own in found.items()}, shared


@dataclass(frozen=True)
class DocumentView:
    """One document: its gold keyphrases and every system's ranked list, as the evaluation sees them.

    gold    phrase, spellings, annotators, votes, grade, found (systems that hit it within the cutoff)
    lists   per system: rank in the file, phrase, score, mark (a key of `MARKS`), keyphrase (the gold phrase it is),
            counts (whether it is within the cutoff)
    """

    title: str
    text: str
    group: str
    gold: pd.DataFrame
    lists: dict[str, pd.DataFrame]


def marked_text(view: DocumentView, systems: Sequence[str], settings: Settings) -> list[tuple[str, str]]:
    """Return the text of a document in pieces (who chose it, text), in order; settings are resolved.

    Who: nothing, or of `people`, `first` and `second` those who did, with blanks between them; first and second are one
    or two systems with what they have within the cutoff. Where phrases overlap, the longer one is marked.
    """
    names, normaliser = dict(zip(systems, (FIRST, SECOND), strict=False)), Normaliser.parse(settings.normalise)
    phrases: dict[str, list[str]] = {}
    for row in view.gold.itertuples():
        who = " ".join([PEOPLE, *(word for name, word in names.items() if name in row.found)])
        phrases.setdefault(who, []).extend(row.spellings)
    chosen = [
        ranked.loc[ranked["counts"] & (ranked["mark"] == "miss"), "phrase"]
        for ranked in map(view.lists.__getitem__, names)
    ]
    alike = [dict(zip(normaliser.apply(own.tolist()), own, strict=True)) for own in chosen]
    for form in dict.fromkeys(form for own in alike for form in own):
        who = " ".join(word for word, own in zip(names.values(), alike, strict=True) if form in own)
        phrases.setdefault(who, []).extend(own[form] for own in alike if form in own)
    kinds = sorted(phrases, key=lambda who: (not who.startswith(PEOPLE), -len(who)))
    stemmed = [who for who in kinds if who.startswith(PEOPLE)] if settings.gold_stemmed == "yes" else ()
    yielding = [who for who in kinds if not who.startswith(PEOPLE)]
    found = places(view.text, {who: phrases[who] for who in kinds}, normaliser, stemmed, yielding)
    return pieces(view.text, found)


@dataclass(frozen=True)
class Phrase:
    """A phrase of a document: who of the annotators chose it, and system → rank, mark, whether it is within k.

    within  whether it is within the cutoff of a system; keyphrase: whether people chose it
    """

    phrase: str
    people: tuple[str, ...]
    ranks: dict[str, tuple[int, str, bool]]
    within: bool
    keyphrase: bool


def phrases_of(view: DocumentView, settings: Settings, beyond: int = 0) -> list[Phrase]:
    """Return every phrase of a document once: those that systems list, by their best rank, then what no system has.

    settings are resolved; beyond: how many ranks beyond the cutoff are taken
    """
    normaliser, found = Normaliser.parse(settings.normalise), dict[str, Phrase]()
    gold = {row.phrase: row for row in view.gold.itertuples()}
    of_gold = normaliser.without_stemmer() if settings.gold_stemmed == "yes" else normaliser
    spelt = {form: row.phrase for row in gold.values() for form in of_gold.apply(list(row.spellings))}
    for system, ranked in view.lists.items():
        last = int(ranked["counts"].sum()) + beyond
        listed = ranked.head(last)
        forms = normaliser.apply(listed["phrase"].tolist())
        for form, row in zip(forms, listed.itertuples(), strict=True):
            own = gold.get(row.keyphrase or spelt.get(form, ""))
            key = f"gold {own.phrase}" if own is not None else form
            known = found.get(key) or Phrase(
                " | ".join(own.spellings) if own is not None else row.phrase,
                tuple(own.annotators) if own is not None else (),
                {},
                False,
                own is not None,
            )
            ranks = {system: (int(row.rank), str(row.mark), bool(row.counts))} | known.ranks
            found[key] = replace(known, ranks=ranks, within=known.within or bool(row.counts))
    order = sorted(found.values(), key=lambda one: (not one.within, min(rank for rank, *_ in one.ranks.values())))
    missed = [row for phrase, row in gold.items() if f"gold {phrase}" not in found]
    return [*order, *(Phrase(" | ".join(row.spellings), tuple(row.annotators), {}, False, True) for row in missed)]


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
        # Only this document's list goes through the same steps as the whole evaluation.
        own = np.where(np.arange(len(coded.documents)) == number, run.length, 0)
        prepared = ranked_lists(replace(run, length=own), identities, settings)
        alignment = align(prepared, gold)
        hits = alignment.first | (settings.duplicates == "count")
        phrase = run.phrase[run.start[number] + np.arange(own[number])]
        kept = prepared.position - 1
        mark = np.where(pd.Series(identities.predicted[phrase]).duplicated(), "repeated", "filtered").astype(object)
        mark[kept] = np.where(prepared.repeated, "repeated", "miss")
        mark[kept[alignment.hit & ~prepared.repeated]] = "again"
        mark[kept[alignment.row[hits]]] = "hit"
        keyphrase = np.full(len(phrase), "", object)
        keyphrase[kept[alignment.row[hits]]] = names.loc[alignment.item[hits], "phrase"]
        cutoff = {"gold": gold.size[number], "all": len(kept)}.get(str(settings.k[0]), settings.k[0])
        columns = {
            "rank": np.arange(1, len(phrase) + 1),
            "phrase": coded.phrases.take(phrase).to_pylist(),
            "score": np.nan if run.score is None else run.score[run.start[number] :][: len(phrase)],
            "mark": mark.tolist(),
            "keyphrase": keyphrase.tolist(),
            "counts": np.isin(np.arange(len(phrase)), kept[:cutoff]),
        }
        lists[system] = pd.DataFrame(columns)
    names["found"] = [
        tuple(s for s, t in lists.items() if ((t["keyphrase"] == phrase) & t["counts"]).any())
        for phrase in names["phrase"]
    ]
    row = corpus.documents.set_index("doc_id").reindex([document]).fillna("").iloc[0]
    title, text, group = (str(row.get(column, "")) for column in ("title", "text", "group"))
    return DocumentView(title, text, group, names.reset_index(drop=True), lists)


def _gold_table(data: Prepared, number: int) -> pd.DataFrame:
    """Return the gold items of one document, indexed by item, in the spelling that comes first in the file."""
    coded, gold, entry = data.coded, data.gold, data.coded.variant_entry
    items = range(int(gold.start[number]), int(gold.start[number] + gold.size[number]))
    own = slice(int(gold.spelling_start[number]), int(gold.spelling_start[number] + gold.spelling_count[number]))
    item_of = dict(zip(gold.spelling_form[own][::-1], gold.spelling_item[own][::-1], strict=True))
    # what is rejected is no vote, as in the gold itself
    rejected = coded.entry_relevance[entry] < data.settings.rel
    told: dict[int, tuple[dict[str, None], dict[str, None]]] = {item: ({}, {}) for item in items}
    for place in np.flatnonzero((coded.entry_document[entry] == number) & ~rejected):
        item = item_of.get(data.identities.gold[coded.variant_phrase[place]])
        if item is not None:
            spellings, annotators = told[item]
            spellings[coded.phrases[coded.variant_phrase[place]].as_py()] = None
            annotators[coded.annotators[coded.entry_annotator[entry[place]]]] = None
    rows = [(next(iter(spellings), ""), tuple(spellings), tuple(annotators)) for spellings, annotators in told.values()]
    table = pd.DataFrame(rows, list(items), ["phrase", "spellings", "annotators"])
    return table.assign(votes=table["annotators"].map(len), grade=gold.grade[list(items)])
