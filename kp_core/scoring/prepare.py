"""Turn a corpus and settings into prepared data, including N, the number of phrases that could have been chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from kp_core.corpus import Corpus, memoize, whole_texts
from kp_core.errors import Note, UsageError, input_error, pluralize, usage_error
from kp_core.scoring import codes
from kp_core.scoring import gold as golds
from kp_core.scoring.codes import Coded, Floats, Identities, Ints
from kp_core.scoring.gold import AnnotatorChoices, Gold, leave_one_out_rule
from kp_core.scoring.sentence_ids import list_sentences, names_sentences, sentence_rows
from kp_core.settings import CONVENTIONS, Settings, resolve_settings
from kp_core.text.candidates import Stems, candidates, has_english
from kp_core.text.normalise import Normaliser, mostly_cjk
from kp_core.text.stem import misfit
from kp_core.text.tokenise import word_runs

_SELECTED_ONLY = ("selected", "selection", "chosen", "pair")


@dataclass(frozen=True)
class Names:
    """The names of annotators, systems, and types of documents; types are in alphabetical order."""

    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    groups: tuple[str, ...] = ()


NOBODY = Names((), ())


@dataclass(frozen=True)
class Prepared:
    """A corpus under settings.

    * `settings`: settings with the full name of the universe, cutoffs as numbers, and a suitable normalizer
    * `notes`: notes on the files and on the choice of settings
    * `names`: names in all data, even if this is only a part of them
    """

    corpus: Corpus
    settings: Settings
    notes: tuple[Note, ...]
    coded: Coded
    identities: Identities
    names: Names

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents of the gold standard (D,)."""
        return self.coded.documents

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each document (D,), with its title if the convention includes it, or an empty string."""
        described = self.corpus.documents.set_index("doc_id").reindex(list(self.documents))
        return tuple(whole_texts(described, self.settings.titles == "yes"))

    @cached_property
    def universe(self) -> Floats:
        """N of each document (D,); cached, because counting the n-grams of all texts is slow."""
        names = "universe", "normalise", "gold_stemmed", "variants", "by_concept", "titles"
        key = tuple(getattr(self.settings, name) for name in names)
        return memoize(self.corpus, "universe", key, lambda: _universe_sizes(self))

    @cached_property
    def all_items(self) -> Gold:
        """The distinct items of all annotators, relevant or not, all of which belong to the universe."""
        settings = self.settings.changed(annotators="union", gold_list="unique", rel=-np.inf)
        return golds.gold_items(self.coded, self.identities, settings)

    @cached_property
    def gold(self) -> Gold:
        """The gold items of each document."""
        return self.standard()

    @cached_property
    def choices(self) -> AnnotatorChoices:
        """The choices of the annotators."""
        return golds.choices(self.coded, self.identities, self.settings)

    @property
    def left_out(self) -> tuple[int | None, ...]:
        """The annotator left out of each gold standard: every annotator in turn under `others`, else only None."""
        return tuple(range(len(self.coded.annotators))) if leave_one_out_rule(self.settings.annotators) else (None,)

    def standard(self, without: int | None = None, votes_needed: Ints | None = None) -> Gold:
        """Return a gold standard with the gain of each form by rarity; arguments as in `gold_items`.

        Frequencies come from the loaded table, in which missing forms have 0, or else from the gold standard. Without a
        column `documents` in the table, the number of documents is the sum of n.
        """
        gold = golds.gold_items(self.coded, self.identities, self.settings, without, votes_needed)
        table, forms = self.corpus.vocabulary.frequencies, len(self.identities.forms)
        n, documents = np.bincount(gold.subject, minlength=forms), max(float(gold.known.sum()), 1.0)
        if len(table):
            by_concept, concepts = self.settings.by_concept == "yes", table["concept"].tolist()
            form = codes.forms_of(self.identities, concepts, self.settings.normalise, by_concept)
            n = np.bincount(form[form >= 0], table["n"].to_numpy(float)[form >= 0], minlength=forms)
            documents = float(table["documents"].max() if "documents" in table else table["n"].sum())
        return replace(gold, weights=golds.inverse_propensity(n, documents))

    def refuse_small_universe(self, chosen: Floats) -> None:
        """Raise an InputError if the universe has fewer phrases than were chosen in some document (D,)."""
        too_small = np.flatnonzero(self.universe < chosen)
        if len(too_small):
            index = int(too_small[np.argmax(chosen[too_small])])
            facts = {"chosen": int(chosen[index]), "document": self.documents[index], "most": int(chosen.max())}
            raise input_error(f"universe {self.settings.universe}", "small universe", **facts)

    def under(self, settings: Settings) -> Prepared:
        """Return the data under settings that differ only in conventions."""
        return replace(self, settings=settings, identities=_identities(self.corpus, self.coded, settings))


def prepare(corpus: Corpus, settings: Settings | None = None, /, **changes: Any) -> Prepared:
    """Return a corpus under settings, some of which are resolved from the data.

    Raises InputError for data that cannot be evaluated, UsageError for settings that do not apply.
    """
    settings = resolve_settings(corpus, settings, changes)
    if corpus.datasets:
        raise usage_error("several data sets", names=", ".join(corpus.datasets), first=corpus.datasets[0])
    if settings.trim:
        raise usage_error("trim", trim=settings.trim)
    by_concept = settings.by_concept == "yes"
    if by_concept and not corpus.has_concepts:
        text = "by_concept = yes needs identifiers on both sides"
        raise UsageError(f"{text}: a column “concept” or “uri”, or Annif files; choose by_concept = no")
    coded = memoize(corpus, "codes", by_concept, lambda: codes.code(corpus, by_concept))
    settings, notes = _fitted_to_data(corpus, coded, settings)
    identities = _identities(corpus, coded, settings)
    if leave_one_out_rule(settings.annotators):
        refuse_single_annotator(coded.annotators)
        settings = settings.changed(empty_gold="skip")  # except documents that the others `declined`
    cutoffs, key = settings.k, (settings.normalise, settings.gold_stemmed, settings.by_concept, settings.rel)
    if "average" in cutoffs:  # source: the threshold of the lecture-keyword evaluation section
        count_lists = partial(golds.list_sizes, coded, identities, settings)
        size = memoize(corpus, "gold size", key, lambda: golds.mean_size(*count_lists()))
        cutoffs = tuple(size if cutoff == "average" else cutoff for cutoff in cutoffs)
    universe = parse_universe(settings.universe or ("rankings" if by_concept else ""), corpus)
    if by_concept and universe.startswith(("ngrams", "candidates", "sentences")):
        raise UsageError(f"the universe {universe} counts strings of texts, not concepts; choose rankings")
    settings = settings.changed(k=cutoffs, universe=universe, fixes=corpus.report.fixes)
    notes += _notes_on_stemmer(corpus, settings)
    names = Names(coded.annotators, tuple(coded.runs), tuple(sorted({*coded.groups} - {""})))
    data = Prepared(corpus, settings, (*corpus.report.notes, *notes), coded, identities, names)
    if universe == "candidates" and not any(map(has_english, data.texts)):
        raise input_error("universe candidates", "no English")
    return data


def _fitted_to_data(corpus: Corpus, coded: Coded, settings: Settings) -> tuple[Settings, list[Note]]:
    """Return settings with a suitable normalizer: sentence ids are not stemmed, nor are CJK scripts by default."""
    notes = []
    if settings.by_concept == "yes":
        text = "phrases are compared by their identifiers, not by their spelling"
        without_id = coded.concepts.count("")
        suffix = f"; {pluralize(without_id, 'phrase')} without an identifier by spelling" if without_id else ""
        notes.append(Note("warning" if without_id else "info", "concepts", text + suffix))
    elif corpus.has_concepts:
        sources = "the gold standard and the systems" if len(corpus.runs) else "the lists"
        text = f"{sources} have identifiers, by which phrases can be compared"
        notes.append(Note("info", "concepts", text, remedy=("by_concept", "yes")))
    if settings.by_concept == "yes" and settings.filter != "none":
        text = f"the filter {settings.filter} applies to words, so no concept is dropped"
        notes.append(Note("warning", "filter", text))
        settings = settings.changed(filter="none")
    default_normalizer = settings.preset == "kpscope" and settings.normalise == CONVENTIONS["normalise"].usual
    phrases = coded.phrases.slice(0, 5000)
    if default_normalizer and memoize(corpus, "CJK", None, lambda: mostly_cjk(phrases.to_pylist())):
        settings = settings.changed(normalise=str(Normaliser.parse(settings.normalise).without_stemmer()))
        text = "most letters are Chinese, Japanese or Korean, so phrases are compared without stemming"
        notes.append(Note("info", "normalise", text))
    if settings.normalise != "none" and names_sentences(corpus):
        settings = settings.changed(normalise="none")  # a stemmer may cut all ids of a document at an apostrophe
        text = "the gold standard consists of sentence ids, which are compared literally"
        notes.append(Note("info", "normalise", text))
    return settings, notes


def _notes_on_stemmer(corpus: Corpus, settings: Settings) -> list[Note]:
    """Warn if the stemmer does not suit the language, judging by the first phrases and texts."""
    steps, stemmed = settings.normalise, settings.gold_stemmed == "yes"
    stemmer = Normaliser.parse(steps).stemmer

    def warnings() -> list[Note]:
        texts = corpus.documents["text"].dropna().head(50).str.slice(0, 2_000)
        problem = stemmer and misfit(stemmer, [*corpus.gold["phrase"].head(5_000)], [*texts], stemmed)
        if not problem:
            return []
        text, better = problem
        remedy = ("normalise", steps.replace(str(stemmer), better)) if better else ("gold_stemmed", "yes")
        return [Note("warning", "normalise", text, remedy=remedy)]

    return memoize(corpus, "misfit", (steps, stemmed), warnings)


def _identities(corpus: Corpus, coded: Coded, settings: Settings) -> Identities:
    key = (settings.normalise, settings.gold_stemmed == "yes", coded.concepts)
    return memoize(corpus, "identities", key, lambda: codes.identify(coded.phrases, *key))


def prepare_annotators(corpus: Corpus, settings: Settings | None = None, /, **changes: Any) -> Prepared:
    """Return a corpus prepared for its annotators; refuse a single annotator or too small a universe."""
    data = prepare(corpus, settings, **changes | {"k": "all", "annotators": "union"})
    refuse_single_annotator(data.coded.annotators)
    data.refuse_small_universe(data.all_items.size.astype(float))
    return data


def refuse_single_annotator(annotators: Sequence[str]) -> None:
    """Raise an InputError if there is only one annotator."""
    if len(annotators) < 2:
        raise input_error("the gold standard", "one annotator")


def parse_universe(universe: str, corpus: Corpus) -> str:
    """Return the full name of the universe; by default sentences (for gold sentence ids), n-grams, or rankings.

    The union of only the selected phrases is refused: it makes d = 0, so kappa <= 0 and P_neg = 0 by construction.
    """
    if not universe:
        if not corpus.has_texts:
            return "rankings"
        return "sentences" if names_sentences(corpus) else "ngrams:3"
    if universe in _SELECTED_ONLY:
        raise usage_error("selected")
    if universe in ("rankings", "vocabulary"):
        return universe
    counted_in_texts = re.fullmatch(r"(candidates|sentences|ngrams(?::0*([1-9]|10))?)", universe)
    if counted_in_texts:
        kind = universe.partition(":")[0]
        if not corpus.has_texts:
            raise UsageError(f"the universe '{kind}' needs the texts of the documents; load them, or choose rankings")
        return universe if kind != "ngrams" else f"ngrams:{counted_in_texts[2] or 3}"
    try:
        size = float(universe)
    except ValueError:
        size = np.nan
    if size > 0 and size.is_integer():  # neither infinite nor NaN
        return str(int(size))
    raise usage_error("no such universe", name=universe)


def _universe_sizes(data: Prepared) -> Floats:
    universe, documents, identities = data.settings.universe, len(data.documents), data.identities
    if universe.isdigit():
        return np.full(documents, float(universe))
    if universe == "sentences":  # refuse phrases that are not sentence ids
        corpus = data.corpus
        sentence_rows(corpus.gold, corpus, "the gold standard")
        for system, rows in corpus.runs.groupby("system", sort=False):
            sentence_rows(rows, corpus, f"system '{system}'")
        count = list_sentences(corpus).groupby("doc_id").size()
        return np.asarray(count.reindex(list(data.documents), fill_value=0), float)
    if universe == "vocabulary":
        occurs = np.zeros(len(identities.forms), bool)
        for run in data.coded.runs.values():
            occurs[identities.predicted[run.phrase]] = True
        is_first_spelling = np.diff(data.all_items.spelling_item, prepend=-1) > 0
        occurs[data.all_items.spelling_form[is_first_spelling]] = True
        return np.full(documents, float(occurs.sum()))
    if universe == "rankings":
        return _union(data, [set[str]()] * documents)
    return _union(data, _chunks(data) if universe == "candidates" else _ngrams(data, int(universe.partition(":")[2])))


def _ngrams(data: Prepared, n: int) -> list[set[str]]:
    texts = [word_runs(text) for text in data.texts]
    words = list(dict.fromkeys(word for runs in texts for run in runs for word in run))
    forms = Normaliser.parse(data.settings.normalise).apply(words)
    tokens_of = {word: [token for token in form.split(" ") if token] for word, form in zip(words, forms, strict=True)}
    grams = [set[str]() for _ in texts]
    for forms_of_text, runs in zip(grams, texts, strict=True):
        for run in runs:
            tokens = [token for word in run for token in tokens_of[word]]
            for order in range(1, n + 1):
                forms_of_text.update(map(" ".join, zip(*(tokens[first:] for first in range(order)), strict=False)))
    return grams


def _chunks(data: Prepared) -> list[set[str]]:
    stems, normaliser = Stems(), Normaliser.parse(data.settings.normalise)
    chunks = [list(candidates(text, stems=stems).values()) for text in data.texts]
    phrases = list(dict.fromkeys(phrase for phrases in chunks for phrase in phrases))
    form_of = dict(zip(phrases, normaliser.apply(phrases), strict=True))
    return [{form_of[phrase] for phrase in phrases} - {""} for phrases in chunks]


def without_english(data: Prepared) -> tuple[str, ...]:
    """Return the gold documents without English text, for which the tagger finds no candidates."""
    return tuple(name for name, text in zip(data.documents, data.texts, strict=True) if not has_english(text))


def _union(data: Prepared, in_text: Sequence[set[str]]) -> Floats:
    """Count the distinct forms in each text, its gold items and its predicted phrases; an item counts once."""
    items, documents, width = data.all_items, len(data.documents), len(data.identities.forms)
    index_of = {form: index for index, form in enumerate(data.identities.forms.to_pylist())}
    keys_in_text = [d * width + index_of[form] for d, forms in enumerate(in_text) for form in forms & index_of.keys()]
    in_texts = np.array(keys_in_text, np.int64)
    item_keys = items.document[items.spelling_item] * width + items.spelling_form
    not_in_text = np.ones(len(items.grade), bool)
    not_in_text[items.spelling_item[np.isin(item_keys, in_texts)]] = False
    keys = [codes.owners(run.length) * width + run.forms(data.identities) for run in data.coded.runs.values()]
    predicted = codes.distinct(np.concatenate([*keys, in_texts[:0]]))
    predicted = predicted[~np.isin(predicted, np.concatenate([item_keys, in_texts]))]
    total = np.bincount(np.concatenate([items.document[not_in_text], predicted // width]), minlength=documents)
    return (total + [len(forms) for forms in in_text]).astype(float)
