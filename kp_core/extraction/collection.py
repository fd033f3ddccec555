"""Turn the texts of a collection into the counts of their candidates, and external sources into what raises them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Words
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kp_core.scoring.codes import Bools, Floats, Ints
from kp_core.text.candidates import Edges, Rules, Span, Stems, Tokens, chunks, ngrams, occurrences, spellings
from kp_core.text.tags import text_classes
from kp_core.text.tokenise import is_word

#: Told after every document: the share that is done, and what is being done. It cancels by raising an exception.
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class External:
    """What the boosting systems know from elsewhere: documents (id → text), and phrases with weights from 0 to 1."""

    documents: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Collection:
    """Texts with their candidates: runs of up to `longest` words, or with `longest` = 0 the chunks of any length.

    counts  documents × candidates, sparse: how often each candidate of a document occurs in it, also inside longer ones
    """

    texts: Mapping[str, str]
    stems: Stems
    stop: Words[str]
    longest: int = 3
    repair: bool = True
    external: External = field(default_factory=External)
    progress: Progress = lambda share, words: None

    @cached_property
    def tokens(self) -> list[Tokens]:
        """The texts as sentences of tokens."""
        return self._each(list(self.texts.values()), "reading", lambda text: Tokens.of(text, self.stems))

    def _each(self, items: Sequence[Any], words: str, work: Callable[[Any], Any]) -> list[Any]:
        """Do something for each item, and tell how far it is."""
        found = []
        for place, item in enumerate(items, 1):
            found.append(work(item))
            self.progress(place / len(items), f"{words} document {place:,} of {len(items):,}")
        return found

    @cached_property
    def chunk_forms(self) -> list[set[str]]:
        """The forms of the chunks of each text whose ends are no stop words."""
        rules = Rules("NBAR", longest=self.longest or None, repair=self.repair)
        classes = self._each(list(self.texts.values()), "tagging", lambda text: text_classes(text, self.repair))
        return [
            {text.form(span) for span in chunks(own, rules) if self._is_candidate(text, span)}
            for text, own in zip(self.tokens, classes, strict=True)
        ]

    def spans(self, text: Tokens) -> Iterator[Span]:
        """Yield where candidates stand in a text, in its order, the shorter ones first."""
        if self.longest:
            return ngrams(text, self.longest, self._edges)
        return (span for span in occurrences(text, self._all_chunks) if self._is_candidate(text, span))

    def _is_candidate(self, text: Tokens, span: Span) -> bool:
        """Tell whether a phrase begins and ends as a candidate may."""
        sentence, start, end = span
        words = text.raw[sentence]
        return self._edges[words[start]] == self._edges[words[end - 1]] == 2

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.stop)

    @cached_property
    def _spans(self) -> list[list[Span]]:
        return [list(self.spans(text)) for text in self.tokens]

    @cached_property
    def _span_forms(self) -> list[list[str]]:
        return [[text.form(span) for span in own] for text, own in zip(self.tokens, self._spans, strict=True)]

    @cached_property
    def _all_chunks(self) -> set[str]:
        return set().union(*self.chunk_forms)

    @cached_property
    def _counted(self) -> tuple[Any, Any, Ints]:
        """The vectoriser, the counts, and how early each candidate comes in its document, aligned with the counts."""
        from sklearn.feature_extraction.text import CountVectorizer

        # One form that no text has keeps a collection without any candidate from being an error.
        vectoriser = CountVectorizer(analyzer=list, dtype=np.float64)
        counts = vectoriser.fit_transform([*self._span_forms, [""]])[:-1]
        counts.sort_indices()
        place = vectoriser.vocabulary_
        early = [np.argsort([place[form] for form in dict.fromkeys(own)]) for own in self._span_forms]
        return vectoriser, counts, np.concatenate(early).astype(np.int64)

    @property
    def counts(self) -> Any:
        """Documents × candidates, a sparse matrix in CSR form with sorted indices."""
        return self._counted[1]

    @property
    def columns(self) -> Ints:
        """The number of every candidate of every document in `forms`, one document after the other."""
        found: Ints = self.counts.indices
        return found

    @property
    def forms(self) -> list[str]:
        """The form of each candidate, in the order of the columns."""
        found: list[str] = self._counted[0].get_feature_names_out().tolist()
        return found

    def frequencies(self) -> Floats:
        """Return how often every candidate of every document occurs there, one document after the other."""
        found: Floats = self.counts.data
        return found

    def words(self) -> Ints:
        """Return the number of words of every candidate of every document."""
        return np.array([form.count(" ") + 1 for form in self.forms], np.int64)[self.columns]

    def idf(self) -> Floats:
        """Return ln(N_docs / df) of every candidate of every document; 1 where there is one document only."""
        documents = len(self.tokens)
        if documents == 1:
            return np.ones(self.counts.nnz)
        frequency = np.bincount(self.columns, minlength=self.counts.shape[1])
        return np.asarray(np.log(documents / frequency[self.columns]))

    def in_chunks(self) -> Bools:
        """Return whether each candidate of each document occurs in it as a chunk."""
        forms, bounds = np.array(self.forms, dtype=object)[self.columns], self.counts.indptr
        found = [
            form in own
            for own, start, end in zip(self.chunk_forms, bounds[:-1], bounds[1:], strict=True)
            for form in forms[start:end]
        ]
        return np.array(found, bool)

    @cached_property
    def _external(self) -> list[Tokens]:
        return [Tokens.of(text, self.stems) for text in self.external.documents.values()]

    def cosines(self) -> Any:
        """Return documents × external documents: cosines of tf-idf vectors of single stems, as scikit-learn weights."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        every = [*self.tokens, *self._external]
        vectors = TfidfVectorizer(analyzer=_stems).fit_transform(every)
        return (vectors[: len(self.tokens)] @ vectors[len(self.tokens) :].T).toarray()

    def external_counts(self, most: int) -> Floats:
        """Return Σ cos · tf · len(d)/len(e) over the external documents most similar, for every candidate.

        Among equally similar external documents the one loaded first counts.
        """
        from scipy import sparse

        cosines = np.asarray(self.cosines())
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :most]
        weights = np.zeros_like(cosines)
        np.put_along_axis(weights, nearest, np.take_along_axis(cosines, nearest, axis=1), axis=1)
        lengths, others = (np.array([text.length for text in texts], float) for texts in (self.tokens, self._external))
        weights *= lengths[:, None] / np.maximum(others, 1)[None, :]
        listed = [[text.form(span) for span in self.spans(text)] for text in self._external]
        frequencies = self._counted[0].transform(listed)
        added, counts = sparse.csr_matrix(weights) @ frequencies, self.counts
        rows = [
            added[row].toarray().ravel()[counts.indices[counts.indptr[row] : counts.indptr[row + 1]]]
            for row in range(counts.shape[0])
        ]
        return np.concatenate(rows)

    def weights(self) -> Floats:
        """Return the weight of every candidate of every document in the external list of phrases, 0 if absent."""
        known: dict[str, float] = {}
        for phrase, weight in self.external.phrases.items():
            form = " ".join(form for sentence in Tokens.of(phrase, self.stems).forms for form in sentence)
            known[form] = max(weight, known.get(form, 0.0))
        return np.array([known.get(form, 0.0) for form in self.forms])[self.columns]

    def ranked(self, scores: Floats, allowed: Bools, top: int | None) -> list[list[tuple[str, float]]]:
        """Return phrases with scores of each document, best first.

        Of equal scores the phrase that occurs earlier comes first, at the same place the shorter one.
        """
        _, counts, early = self._counted
        forms, found = np.array(self.forms, dtype=object), []
        for row, text in enumerate(self.tokens):
            own = np.arange(counts.indptr[row], counts.indptr[row + 1])
            own = own[allowed[own]]
            own = own[np.lexsort((early[own], -np.round(scores[own], 12)))][:top]
            chosen = forms[counts.indices[own]]
            wanted = set(chosen)
            both = zip(self._span_forms[row], self._spans[row], strict=True)
            spelled = spellings(text, (span for form, span in both if form in wanted))
            phrases = [spelled[form].most_common(1)[0][0] for form in chosen]
            found.append(list(zip(phrases, scores[own].tolist(), strict=True)))
        return found


def _stems(text: Tokens) -> list[str]:
    """Return the forms of the words of a text."""
    return [
        form
        for raw, forms in zip(text.raw, text.forms, strict=True)
        for token, form in zip(raw, forms, strict=True)
        if is_word(token)
    ]
