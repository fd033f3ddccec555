"""Turn a corpus and settings into prepared data: whatever depends on both is settled here, once, for every verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

from kp_core.corpus import Corpus, kept
from kp_core.errors import InputError, Note, UsageError
from kp_core.scoring.codes import Coded, Floats, Identities, code, gold_entries, identify, mean_size
from kp_core.scoring.gold import Choices, Gold, choices, gather, left_one_out
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.scoring.universe import all_items, check, parse_universe, refuse_without_english, sizes
from kp_core.settings import Changes, Settings
from kp_core.text.language import misfits
from kp_core.text.normalise import Normaliser


@dataclass(frozen=True)
class Prepared:
    """A corpus under settings; no function of an answer looks further back.

    settings   with the universe spelled out, cutoffs as numbers, and the normaliser that fits the data
    notes      what the reader must know of the files and of what was settled
    """

    corpus: Corpus
    settings: Settings
    notes: tuple[Note, ...]
    coded: Coded
    identities: Identities

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that the gold standard speaks about (D,)."""
        return self.coded.documents

    @cached_property
    def universe(self) -> Floats:
        """N of each document (D,); kept with the corpus, since counting the n-grams of all texts is slow."""
        one = self.settings
        key = (one.universe, one.normalise, one.gold_stemmed, one.variants)
        return kept(self.corpus, "universe", key, lambda: sizes(self.corpus, self.coded, self.identities, one))

    @cached_property
    def all_items(self) -> Gold:
        """The items of all annotators, relevant or not."""
        return all_items(self.coded, self.identities, self.settings)

    @cached_property
    def gold(self) -> Gold:
        """The gold items of each document."""
        return gather(self.coded, self.identities, self.settings)[0]

    @cached_property
    def choices(self) -> Choices:
        """Which annotator chose which item."""
        return choices(self.coded, self.identities, self.settings)

    @property
    def left_out(self) -> tuple[int | None, ...]:
        """The annotator whom each gold standard leaves out: everybody in turn under `others`, else nobody, once."""
        return tuple(range(len(self.coded.annotators))) if left_one_out(self.settings.annotators) else (None,)

    def refuse_small_universe(self, chosen: Floats) -> None:
        """Refuse N that is smaller than what was chosen in a document (D,); only a number can be."""
        check(self.universe, chosen, self.documents, self.settings.universe)

    def under(self, settings: Settings) -> Prepared:
        """Return the same data under settings that differ in conventions only, which are settled like these."""
        return replace(self, settings=settings, identities=_identities(self.corpus, self.coded, settings))


def prepare(corpus: Corpus, settings: Settings | None = None, /, **changes: Unpack[Changes]) -> Prepared:
    """Return a corpus under settings: what they leave to the data is settled.

    Raises InputError for data that cannot be evaluated so, UsageError for settings that have no meaning here.
    """
    settings = Settings() if settings is None else settings
    settings = settings.changed(**changes) if changes else settings
    if settings.trim:
        raise UsageError(
            f"these settings trim the gold standard ({settings.trim}), and no system is scored on it here; ask `trim`, "
            "or leave the field trim out of the signature"
        )
    coded = kept(corpus, "codes", None, lambda: code(corpus))
    settings, notes = _fitting(corpus, coded, settings)
    identities = _identities(corpus, coded, settings)
    if left_one_out(settings.annotators):
        refuse_alone(coded.annotators)
        settings = settings.changed(empty_gold="skip")  # a document counts only if the others chose some phrase
    size = _gold_size(corpus, coded, identities, settings) if "average" in settings.k else 0
    cutoffs = [size if cutoff == "average" else cutoff for cutoff in settings.k]
    universe = parse_universe(settings.universe, corpus)
    if universe == "candidates":
        refuse_without_english(coded.texts)
    settings = settings.changed(k=cutoffs, universe=universe, fixes=corpus.report.fixes)
    notes += _notes_on_stemmer(corpus, settings)
    return Prepared(corpus, settings, (*corpus.report.notes, *notes), coded, identities)


def _fitting(corpus: Corpus, coded: Coded, settings: Settings) -> tuple[Settings, list[Note]]:
    """Return the settings with a normaliser that fits: no stemming of CJK scripts by default, or of sentence ids."""
    notes = []
    if settings.preset == "kpscope" and settings.normalise == Settings().normalise and coded.mostly_cjk:
        settings = settings.changed(normalise=str(Normaliser.parse(settings.normalise).without_stemmer()))
        text = "most letters are Chinese, Japanese or Korean, so phrases are compared without stemming"
        notes.append(Note("info", "normalise", text))
    if settings.normalise != "none" and names_sentences(corpus):
        settings = settings.changed(normalise="none")  # a stemmer may cut all ids of a document at an apostrophe
        text = "the gold standard names sentences, whose ids are compared as they stand"
        notes.append(Note("info", "normalise", text))
    return settings, notes


def _notes_on_stemmer(corpus: Corpus, settings: Settings) -> list[Note]:
    """Warn where the stemmer does not fit the words, as far as the first of them tell."""
    stemmer, stemmed = Normaliser.parse(settings.normalise).stemmer, settings.gold_stemmed == "yes"
    if stemmer is None:
        return []
    texts = corpus.documents["text"].dropna().head(50).str.slice(0, 2_000)
    phrases = corpus.gold["phrase"].head(5_000)
    found = kept(corpus, "misfits", (stemmer, stemmed), lambda: misfits(stemmer, [*phrases], [*texts], stemmed))
    return [Note("warning", "normalise", text) for text in found]


def _identities(corpus: Corpus, coded: Coded, settings: Settings) -> Identities:
    key = (settings.normalise, settings.gold_stemmed)
    return kept(corpus, "identities", key, lambda: identify(coded.phrases, settings))


def _gold_size(corpus: Corpus, coded: Coded, identities: Identities, settings: Settings) -> int:
    """Return the mean number of distinct keyphrases an annotator gave a document, rounded half up, at least 1.

    Lists that are there but empty count as 0. Source: the threshold of the lecture-keyword evaluation section.
    """
    key = (settings.normalise, settings.gold_stemmed, settings.rel)
    return kept(corpus, "gold size", key, lambda: mean_size(*gold_entries(coded, identities.gold, settings.rel)))


def prepare_annotators(corpus: Corpus, settings: Settings) -> Prepared:
    """Return a corpus prepared for its annotators; refuses a single one and a universe that is too small."""
    data = prepare(corpus, settings, k="all", annotators="union")
    refuse_alone(data.coded.annotators)
    data.refuse_small_universe(data.all_items.size.astype(float))
    return data


def refuse_alone(annotators: Sequence[str]) -> None:
    """Refuse a single annotator."""
    if len(annotators) < 2:
        raise InputError(
            "the gold standard",
            "one annotator",
            "at least two, so that one can be held against the others",
            "Load the keyphrases of each annotator: a column “annotator”, a file each, or a folder each.",
        )
