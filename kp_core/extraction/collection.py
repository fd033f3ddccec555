"""Count the candidates in a collection of texts, and boost them by external sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Collection as Words
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from kp_core.scoring.codes import Bools, Floats
from kp_core.text.candidates import Edges, Rules, Stems, Tokens, chunks, ngrams, spellings
from kp_core.text.tags import text_classes
from kp_core.text.tokenise import Span, occurrences

#: Called after every document with the completed share and the current step; may raise an exception to cancel.
Progress = Callable[[float, str], None]
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class External:
    """External sources for the boosting systems: documents (id → text), and phrases with weights from 0 to 1."""

    documents: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Collection:
    """Texts with their candidates: n-grams of up to `longest` words, or all chunks if it is 0.

    Scores have one value per candidate.
    """

    texts: Mapping[str, str]
    stems: Stems
    stop: Words[str]
    longest: int = 3
    external: External = field(default_factory=External)
    progress: Progress = lambda share, words: None

    @cached_property
    def tokens(self) -> list[Tokens]:
        """The texts as sentences of tokens."""
        return list(self._results_of_texts("reading", lambda text: Tokens.of(text, self.stems)))

    def _results_of_texts(self, words: str, process: Callable[[str], _Read]) -> Iterator[_Read]:
        """Yield a result for each text, and report progress."""
        for number, text in enumerate(self.texts.values(), 1):
            yield process(text)
            self.progress(number / len(self.texts), f"{words} document {number:,} of {len(self.texts):,}")

    @cached_property
    def chunk_forms(self) -> list[set[str]]:
        """Forms of the chunks of each text that do not begin or end with a stop word."""
        rules = Rules("NBAR", longest=self.longest or None)
        classes = list(self._results_of_texts("tagging", text_classes))
        return [
            {text.form(span) for span in self._with_good_ends(text, chunks(letters, rules))}
            for text, letters in zip(self.tokens, classes, strict=True)
        ]

    @cached_property
    def _all_chunks(self) -> set[str]:
        return set().union(*self.chunk_forms)

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.stop)

    def _with_good_ends(self, text: Tokens, spans: Iterable[Span]) -> Iterator[Span]:
        for sentence, start, end in spans:
            words = text.raw[sentence]
            if self._edges[words[start]] == self._edges[words[end - 1]] == 2:
                yield sentence, start, end

    def spans(self, text: Tokens) -> Iterator[Span]:
        """Yield the spans of candidates in a text, in order, shorter ones first."""
        if self.longest:
            return ngrams(text, self.longest, self._edges)
        return self._with_good_ends(text, occurrences(text.forms, self._all_chunks))

    def _count_candidates(self, text: Tokens) -> Counter[str]:
        return Counter(map(text.form, self.spans(text)))

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """One row per candidate and document, in order of first occurrence: document (index), form, tf, df."""
        counts = [self._count_candidates(text) for text in self.tokens]
        forms = pd.Series([form for document in counts for form in document], dtype=object)
        table = pd.DataFrame({"document": np.repeat(np.arange(len(counts)), list(map(len, counts))), "form": forms})
        tf = np.array([number for document in counts for number in document.values()], float)
        return table.assign(tf=tf, df=forms.groupby(forms).transform("size").astype(float))

    def frequencies(self) -> Floats:
        """Return the frequency of each candidate in its document."""
        return np.asarray(self.candidates["tf"], float)

    def idf(self) -> Floats:
        """Return ln(N_docs / df) of each candidate; 1 if there is only one document."""
        if len(self.tokens) == 1:
            return np.ones(len(self.candidates))
        return np.asarray(np.log(len(self.tokens) / self.candidates["df"]), float)

    def in_chunks(self) -> Bools:
        """Return whether each candidate is a chunk of its document."""
        rows = zip(self.candidates["document"], self.candidates["form"], strict=True)
        return np.array([form in self.chunk_forms[document] for document, form in rows], bool)

    @cached_property
    def _external(self) -> list[Tokens]:
        return [Tokens.of(text, self.stems) for text in self.external.documents.values()]

    def cosines(self) -> Any:
        """Return tf-idf cosines of documents and external documents over single stems, as in scikit-learn."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectors = TfidfVectorizer(analyzer=attrgetter("words")).fit_transform([*self.tokens, *self._external])
        return (vectors[: len(self.tokens)] @ vectors[len(self.tokens) :].T).toarray()

    def external_counts(self, limit: int) -> Floats:
        """Return Σ cos · tf · len(d)/len(e) over the `limit` most similar external documents, for each candidate."""
        cosines, counters = self.cosines(), [self._count_candidates(text) for text in self._external]
        lengths = np.array([len(text.words) for text in self.tokens], float)
        external_lengths = np.array([len(text.words) for text in self._external], float)
        weights = (cosines * lengths[:, None] / np.maximum(external_lengths, 1)).tolist()
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :limit].tolist()
        weighted = [[(row[e], counters[e]) for e in near] for row, near in zip(weights, nearest, strict=True)]
        rows = zip(self.candidates["document"], self.candidates["form"], strict=True)
        return np.array([sum(weight * tf[form] for weight, tf in weighted[d] if form in tf) for d, form in rows], float)

    def weights(self, fewest_words: int = 1) -> Floats:
        """Return the weight of each candidate in the external list of phrases; 0 if it is absent or too short."""
        weight_of: dict[str, float] = {}
        for phrase, weight in self.external.phrases.items():
            words = [form for sentence in Tokens.of(phrase, self.stems).forms for form in sentence]
            if len(words) >= fewest_words:
                weight_of[" ".join(words)] = max(weight, weight_of.get(" ".join(words), 0.0))
        return np.array([weight_of.get(form, 0.0) for form in self.candidates["form"]], float)

    def ranked(self, scores: Floats, allowed: Bools, top: int | None) -> pd.DataFrame:
        """Return doc_id, rank, phrase and score of the allowed candidates, best first.

        Ties are broken by first occurrence, then by length (shorter first); the most frequent spelling is shown.
        """
        order = np.lexsort((-np.round(scores, 12), self.candidates["document"]))
        rows = self.candidates.assign(score=scores).iloc[order[allowed[order]]]
        rows = rows.groupby("document").head(len(rows) if top is None else top)
        phrases: list[str] = []
        for document, forms in rows.groupby("document")["form"]:
            text, forms_shown = self.tokens[document], set(forms)
            spellings_of = spellings(text, (span for span in self.spans(text) if text.form(span) in forms_shown))
            phrases += [spellings_of[form].most_common(1)[0][0] for form in forms]
        doc_id = np.array(list(self.texts), object)[rows["document"]]
        return rows.assign(doc_id=doc_id, rank=rows.groupby("document").cumcount() + 1, phrase=phrases)
