"""Break a result down by document: values, differences between two systems, and the phrases of one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kp_core.corpus import Corpus
from kp_core.errors import UsageError, input_error
from kp_core.scoring import intervals
from kp_core.scoring.alignment import align, ranked_lists
from kp_core.scoring.codes import Floats, Ints
from kp_core.scoring.counts import SystemCounts
from kp_core.scoring.measures import matchers, names_in, of_systems, parse
from kp_core.scoring.order import leveled
from kp_core.scoring.prepare import Prepared, prepare
from kp_core.scoring.systems import count_systems, longest_lists
from kp_core.settings import Changes, Cutoff, Settings, resolve_settings
from kp_core.studies import WORDS
from kp_core.studies.facts import note_by_document
from kp_core.studies.parts import values_over
from kp_core.studies.result import Numbers
from kp_core.studies.subjects import names_of
from kp_core.text.normalise import Normaliser
from kp_core.text.places import pieces, places

BY_DOCUMENT = (
    *("system", "document", "group", "measure", "k", "value", "status"),
    *("hits", "returned", "gold_size", "duplicates"),
)
MARKS: dict[str, str] = WORDS["marks"]
#: Who chose a marked phrase: people, the first system, the second system.
PEOPLE, FIRST, SECOND = "people", "first", "second"


def documents(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | str = "F1@k",
    *,
    baselines: bool = False,
    **changes: Unpack[Changes],
) -> Numbers:
    """Return the values of every document, one row per system, document, measure and cutoff, like `trec_eval -q`.

    Undefined values are missing; `status` has the reason.
    """
    parsed = [parse(name) for name in names_in(measures)]
    data = prepare(corpus, settings, **changes)
    systems = count_systems(data, matchers(parsed) | ({"sets"} if baselines else set()), baselines)
    groups, has_tables = [group or None for group in data.coded.groups], any(measure.of_tables for measure in parsed)
    frames = [pd.DataFrame(columns=list(BY_DOCUMENT))]
    for (system, by_matcher), measure in product(systems.items(), parsed):
        counts = by_matcher.of(measure)
        for cutoff in measure.cutoffs(data.settings):
            view = counts.at((cutoff,))
            value = np.where(view.scored, view.values(measure)[:, 0], np.nan)
            k = cutoff if "@" in measure.card.name else None
            names = system, data.documents, groups, measure.name(cutoff), k, value, view.status(measure)[:, 0]
            numbers = view.hits[:, 0], view.returned[:, 0], counts.size, counts.duplicates
            rows = pd.DataFrame(dict(zip(BY_DOCUMENT, (*names, *numbers), strict=True)))
            frames.append(rows.astype({"k": object}))
    frame = pd.concat(frames[1:] or frames, ignore_index=True)
    caption, notes = "Values by document", (*data.notes, *note_by_document(data.settings, parsed))
    return Numbers(frame, data.settings, notes, len(data.documents), has_tables, caption)


def tables_by_document(
    corpus: Corpus, settings: Settings | None = None, /, measures: Sequence[str] = ("kappa",), **changes: Any
) -> pd.DataFrame:
    """Return one row per system and document: concordance measures at the first cutoff, and their status."""
    settings = resolve_settings(corpus, settings, changes)
    rows = documents(corpus, settings.changed(k=settings.k[:1]), measures).frame
    wide = rows.pivot_table("value", ["system", "document"], "measure", dropna=False, sort=False)
    status = rows.drop_duplicates(["system", "document"]).set_index(["system", "document"])["status"]
    return wide[list(measures)].assign(status=status).rename_axis(columns=None).reset_index()


def all_values(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measures: Sequence[str] | None = None,
    **changes: Unpack[Changes],
) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Yield system, measure and values (documents, cutoffs), one by one to save memory; undefined values are NaN.

    A measure without a cutoff has one column.

    Parameters
    ----------
    measures : sequence of str, optional
        Names of `kp.MEASURES`; by default all.
    """
    data, parsed = prepare(corpus, settings, **changes), [parse(name) for name in measures or of_systems()]
    for system, counts in count_systems(data, matchers(parsed)).items():
        for parts in zip(*(block.views(parsed) for block in counts.blocks()), strict=True):
            measure = parts[0][0]
            yield system, measure.name(), np.concatenate([view.values(measure) for _, view in parts])


#: Largest cutoff of the differences.
_MAX_CUTOFF = 50


@dataclass(frozen=True, kw_only=True)
class HeadToHead(Numbers):
    """Comparison of two systems by document and phrase.

    Attributes
    ----------
    frame : DataFrame
        One row per cutoff: mean difference a − b over documents, with its interval.
    a, b, measure : str
        The systems, and the measure with its cutoff.
    by_document : DataFrame
        One row per document: the values of both systems and their difference, largest difference first.
    phrases : DataFrame
        One row per keyphrase that only one system finds within the cutoff: document, keyphrase, found by, rank.
    stayed : float
        Share of a's phrases within the cutoff that b also has within the cutoff, averaged over documents.
    """

    a: str
    b: str
    measure: str
    by_document: pd.DataFrame
    phrases: pd.DataFrame
    stayed: float
    caption: str = "Two systems"

    @property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        """Numbers of documents on which a is better, on which a and b are tied, and on which b is better."""
        differences = self.by_document["difference"]
        return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())

    @property
    def found(self) -> tuple[int, int]:
        """Numbers of keyphrases that only a finds, and only b."""
        found_by = self.phrases["found by"]
        return int((found_by == self.a).sum()), int((found_by == self.b).sum())


def head_to_head(
    corpus: Corpus,
    settings: Settings | None = None,
    /,
    measure: str = "F1@k",
    *,
    a: str,
    b: str,
    **changes: Unpack[Changes],
) -> HeadToHead:
    """Compare two systems by document and phrase at the first cutoff, on documents for which both have values.

    Examples
    --------
    >>> from kp_core import load
    >>> lists = {"old": {"d1": ["tide", "sky"]}, "new": {"d1": ["tide", "sea"]}}
    >>> found = head_to_head(load(gold={"d1": ["tide", "sea"]}, systems=lists), k=2, a="new", b="old", interval="none")
    >>> found.wins_ties_losses, found.found, found.stayed, found.phrases["keyphrase"].tolist()
    ((1, 0, 0), (1, 0), 0.5, ['sea'])
    """
    data = prepare(corpus, settings, **changes)
    if unknown := [name for name in (a, b) if name not in data.names.systems]:
        raise UsageError(f"there is no system '{unknown[0]}'; choose among: {', '.join(data.names.systems)}")
    if a == b:
        raise UsageError(f"'{a}' is compared with itself; choose two systems")
    parsed, longest = parse(measure), longest_lists(data)
    cutoff = parsed.cutoffs(data.settings)[0]
    systems = count_systems(data, matchers([parsed]))
    systems = {name: systems[name] for name in (a, b)}
    numeric_cutoff = cutoff if isinstance(cutoff, int) else max(longest[a], longest[b], 1)
    curve = range(1, min(_MAX_CUTOFF, max(longest[a], longest[b], 1)) + 1) if parsed.card.fixed is None else ()
    cutoffs = sorted({*curve, numeric_cutoff})
    by_k, _ = values_over(systems, parsed, cutoffs)
    values, scored = values_over(systems, parsed, [cutoff])
    if not scored.any():
        raise input_error("the documents", "no value for both", a=a, b=b)
    documents = np.array(data.documents)[scored]
    table = pd.DataFrame({"document": documents, a: values[a][:, 0], b: values[b][:, 0]})
    table["difference"] = leveled(values[a][:, 0] - values[b][:, 0])
    order = table["difference"].abs().sort_values(ascending=False, kind="stable").index
    frame, notes = _over_k(by_k[a] - by_k[b], cutoffs, data.settings), note_by_document(data.settings, [parsed])
    numbers = frame, data.settings.changed(k=(cutoff,)), (*data.notes, *notes), len(data.documents), parsed.of_tables
    phrases, stayed = _phrases(data, systems, cutoff)
    measure_name = parsed.name(None if parsed.card.fixed is not None else cutoff)
    rows = table.loc[order].reset_index(drop=True)
    return HeadToHead(*numbers, a=a, b=b, measure=measure_name, by_document=rows, phrases=phrases, stayed=stayed)


def _over_k(differences: Floats, cutoffs: list[int], settings: Settings) -> pd.DataFrame:
    documents = len(differences)
    low = high = np.full(len(cutoffs), np.nan)
    if documents and settings.interval != "none":
        rng = np.random.default_rng(settings.seed)
        resampled = intervals.resample(documents, settings.resamples, rng) @ differences / documents
        low, high = intervals.percentile(resampled, intervals.expanded_tail(documents))
    means = differences.mean(axis=0) if documents else low
    return pd.DataFrame({"k": cutoffs, "difference": means, "low": low, "high": high, "documents": documents})


def _phrases(data: Prepared, systems: Mapping[str, SystemCounts], cutoff: Cutoff) -> tuple[pd.DataFrame, float]:
    """Return the keyphrases that only one system finds within the cutoff, and the share of a's phrases in b's list."""
    counts = {name: system.exact for name, system in systems.items()}
    (a, b), names = counts, names_of(data)
    gold = counts[a].alignment.gold
    spelled = names["label"].fillna(names["subject"]).loc[gold.subject].tolist()
    rank, listed = dict[str, Ints](), dict[str, Ints]()
    for name, run in counts.items():
        lists, limit = run.alignment.lists, run.limit(cutoff)
        best_rank = np.append(lists.rank, 0)[run.alignment.best]
        rank[name] = np.where(best_rank <= limit[gold.document], best_rank, 0)
        within = lists.rank <= limit[lists.owner]
        listed[name] = (lists.owner * len(data.identities.forms) + lists.form)[within]
    rows = [
        (data.documents[gold.document[item]], spelled[item], name, int(rank[name][item]))
        for name, other in ((a, b), (b, a))
        for item in np.flatnonzero((rank[name] > 0) & (rank[other] == 0)).tolist()
    ]
    table = pd.DataFrame(rows, columns=["document", "keyphrase", "found by", "rank"])
    document = listed[a] // len(data.identities.forms)
    share_kept = pd.Series(np.isin(listed[a], listed[b])).groupby(document).mean()
    both_listed = counts[a].listed & counts[b].listed
    return table, float(share_kept[both_listed[share_kept.index]].mean())


@dataclass(frozen=True)
class DocumentView:
    """One document: its gold keyphrases and the ranked list of every system.

    * `gold`: phrase, spellings, annotators, votes, grade, found (systems that have it within the cutoff)
    * `lists`: system → rank, phrase, score, mark (a key of `MARKS`), keyphrase that it hits, counts (within the cutoff)
    """

    title: str
    text: str
    group: str
    gold: pd.DataFrame
    lists: dict[str, pd.DataFrame]


def marked_text(view: DocumentView, systems: Sequence[str], settings: Settings) -> list[tuple[str, str]]:
    """Return the text of a document as consecutive pieces (who chose it, text); settings must be resolved.

    “Who chose it” lists those of `people`, `first` and `second` (the systems, within the cutoff) that chose the piece,
    separated by spaces; it is empty if none did. Of overlapping phrases, the longer one is marked.
    """
    sources, normaliser = dict(zip(systems, (FIRST, SECOND), strict=False)), Normaliser.parse(settings.normalise)
    phrases: dict[str, list[str]] = {}
    for row in view.gold.itertuples():
        source = " ".join([PEOPLE, *(word for name, word in sources.items() if name in row.found)])
        phrases.setdefault(source, []).extend(row.spellings)
    misses: dict[str, dict[str, str]] = {}  # form → system → phrase
    for name in sources:
        ranked = view.lists[name]
        missed = ranked.loc[ranked["counts"] & (ranked["mark"] == "miss"), "phrase"].tolist()
        for form, phrase in zip(normaliser.apply(missed), missed, strict=True):
            misses.setdefault(form, {})[name] = phrase
    for spelled in misses.values():
        phrases.setdefault(" ".join(sources[name] for name in sources if name in spelled), []).extend(spelled.values())
    kinds = sorted(phrases, key=lambda source: (not source.startswith(PEOPLE), -len(source)))
    by_people = [source for source in kinds if source.startswith(PEOPLE)]
    stemmed = by_people if settings.gold_stemmed == "yes" else ()
    lower_priority = [source for source in kinds if source not in by_people]
    marked = places(view.text, {source: phrases[source] for source in kinds}, normaliser, stemmed, lower_priority)
    return pieces(view.text, marked)


@dataclass(frozen=True)
class Phrase:
    """A phrase: annotators who chose it, system → (rank, mark, within its cutoff), whether it is within any cutoff."""

    phrase: str
    people: tuple[str, ...]
    ranks: dict[str, tuple[int, str, bool]]
    within: bool
    keyphrase: bool


def phrases_of(view: DocumentView, settings: Settings, beyond: int = 0) -> list[Phrase]:
    """Return the phrases of a document by best rank, up to `beyond` ranks after the cutoff, then missed keyphrases."""
    normaliser, phrases = Normaliser.parse(settings.normalise), dict[str, Phrase]()
    gold = {row.phrase: row for row in view.gold.itertuples()}
    gold_normaliser = normaliser.without_stemmer() if settings.gold_stemmed == "yes" else normaliser
    keyphrases = {form: row.phrase for row in gold.values() for form in gold_normaliser.apply(list(row.spellings))}
    missed = {
        f"gold {phrase}": Phrase(" | ".join(row.spellings), tuple(row.annotators), {}, False, True)
        for phrase, row in gold.items()
    }
    for system, ranked in view.lists.items():
        top_rows = ranked.head(int(ranked["counts"].sum()) + beyond)
        forms = normaliser.apply(top_rows["phrase"].tolist())
        for form, row in zip(forms, top_rows.itertuples(), strict=True):
            keyphrase = row.keyphrase or keyphrases.get(form, "")
            key = f"gold {keyphrase}" if keyphrase in gold else form
            earlier = phrases.get(key) or missed.pop(key, Phrase(row.phrase, (), {}, False, False))
            ranks = {system: (int(row.rank), str(row.mark), bool(row.counts))} | earlier.ranks
            phrases[key] = replace(earlier, ranks=ranks, within=earlier.within or bool(row.counts))
    order = sorted(phrases.values(), key=lambda phrase: (not phrase.within, min(phrase.ranks.values())[0]))
    return [*order, *missed.values()]


def one_document(
    corpus: Corpus, settings: Settings | None = None, /, *, document: str, **changes: Unpack[Changes]
) -> DocumentView:
    """Return the phrases of one document at the first cutoff of the settings."""
    data = prepare(corpus, settings, **changes)
    coded, identities, settings, gold = data.coded, data.identities, data.settings, data.gold
    if document not in coded.documents:
        raise UsageError(f"there is no document '{document}' in the gold standard")
    index = coded.documents.index(document)
    names = _gold_table(data, index)
    lists = {}
    for system, run in coded.runs.items():
        length = np.where(np.arange(len(coded.documents)) == index, run.length, 0)
        prepared = ranked_lists(replace(run, length=length), identities, settings)
        alignment = align(prepared, gold)
        hits = alignment.is_best_ranked | (settings.duplicates == "count")
        phrase = run.phrase[run.start[index] + np.arange(length[index])]
        kept_rows = prepared.position - 1
        mark = np.where(pd.Series(identities.predicted[phrase]).duplicated(), "repeated", "filtered").astype(object)
        mark[kept_rows] = np.where(prepared.repeated, "repeated", "miss")
        mark[kept_rows[alignment.hit & ~prepared.repeated]] = "again"
        mark[kept_rows[alignment.row[hits]]] = "hit"
        keyphrase = np.full(len(phrase), "", object)
        keyphrase[kept_rows[alignment.row[hits]]] = names.loc[alignment.item[hits], "phrase"]
        cutoff = {"gold": gold.size[index], "all": len(kept_rows)}.get(str(settings.k[0]), settings.k[0])
        table = pd.DataFrame({"rank": np.arange(1, len(phrase) + 1), "phrase": coded.phrases.take(phrase).to_pylist()})
        score = np.nan if run.score is None else run.score[run.start[index] :][: len(phrase)]
        counts = np.isin(np.arange(len(phrase)), kept_rows[:cutoff])
        lists[system] = table.assign(score=score, mark=mark.tolist(), keyphrase=keyphrase.tolist(), counts=counts)
    hits = {system: set(table.loc[table["counts"], "keyphrase"]) for system, table in lists.items()}
    names["found"] = [tuple(system for system in hits if phrase in hits[system]) for phrase in names["phrase"]]
    row = corpus.documents.set_index("doc_id").reindex([document]).fillna("").iloc[0]
    title, text, group = (str(row.get(column, "")) for column in ("title", "text", "group"))
    return DocumentView(title, text, group, names.reset_index(drop=True), lists)


def _gold_table(data: Prepared, index: int) -> pd.DataFrame:
    coded, gold, entry = data.coded, data.gold, data.coded.variant_entry
    items = range(int(gold.start[index]), int(gold.start[index] + gold.size[index]))
    spelled = slice(int(gold.spelling_start[index]), int(gold.spelling_start[index] + gold.spelling_count[index]))
    item_of = dict(zip(gold.spelling_form[spelled][::-1], gold.spelling_item[spelled][::-1], strict=True))
    rejected = coded.entry_relevance[entry] < data.settings.rel
    votes: dict[int, tuple[dict[str, None], dict[str, None]]] = {item: ({}, {}) for item in items}
    for position in np.flatnonzero((coded.entry_document[entry] == index) & ~rejected):
        item = item_of.get(data.identities.gold[coded.variant_phrase[position]])
        if item is not None:
            spellings, annotators = votes[item]
            spellings[coded.phrases[coded.variant_phrase[position]].as_py()] = None
            annotators[coded.annotators[coded.entry_annotator[entry[position]]]] = None
    rows = [(next(iter(words), ""), tuple(words), tuple(people)) for words, people in votes.values()]
    table = pd.DataFrame(rows, list(items), ["phrase", "spellings", "annotators"])
    return table.assign(votes=table["annotators"].map(len), grade=gold.grade[list(items)])
