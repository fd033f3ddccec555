"""Encode the strings of a corpus as integers: documents, phrases, annotators and ranked lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kp_core.corpus import Corpus, Ranking, flatten, run_starts
from kp_core.errors import input_error
from kp_core.text.normalise import Normaliser

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Documents per block, whose counts at 50 cutoffs fit into the processor's cache.
_DOCUMENTS_PER_BLOCK = 1000
#: Cells per padded block, which limits the memory used by a single long list.
_BLOCK_CELLS = 1_000_000
#: Names of the ways to combine annotators, which no annotator may have.
_RESERVED_NAMES = ("all", "union", "majority", "intersection", "votes", "others")


@dataclass(frozen=True)
class CodedRun:
    """Ranked lists of one system for the documents of the gold standard: flat rows, best first.

    * `start`, `length`: (D,) first row and length of each list
    * `phrase`, `score`: (row,) raw phrase code; score as in the file, or None
    * `listed`: (D,) whether the system has a list, possibly empty
    * `unknown`: ids of documents without gold
    """

    start: Ints
    length: Ints
    phrase: Codes
    score: Floats | None
    listed: Bools
    unknown: tuple[str, ...]
    ranking: Ranking

    def forms(self, identities: Identities) -> Codes:
        """Return the normalized forms of all lists in document order."""
        return identities.predicted[self.phrase[ragged(self.start, self.length)]]


@dataclass(frozen=True)
class Coded:
    """A corpus in integers: D documents with gold, A annotators, E gold entries, V distinct raw phrases.

    * `entry_*`: (E,) document, annotator and relevance, NaN if not given
    * `variant_*`: entry and phrase of each accepted spelling; an entry's first spelling comes first
    * `seen`: (A, D) whether the annotator has a list, possibly empty
    * `groups`: (D,) type of each document, or an empty string
    * `concepts`: (V,) identifier of each phrase, or an empty string, if phrases are compared by identifier; a phrase
      with several identifiers then occurs several times
    """

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    phrases: pa.Array
    entry_document: Codes
    entry_annotator: Codes
    entry_relevance: Floats
    variant_entry: Codes
    variant_phrase: Codes
    seen: Bools
    groups: tuple[str, ...]
    runs: dict[str, CodedRun]
    concepts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Identities:
    """The form code of each raw phrase (V,), for predictions and for gold, and the forms; equal codes match."""

    predicted: Codes
    gold: Codes
    forms: pa.Array


def _strings(column: pd.Series[Any], name: str) -> pa.Array:
    """Return a string column as one Arrow array, without a copy if pandas stores it as Arrow."""
    try:
        array = pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as error:
        raise input_error(f"the {name} column", "not text") from error
    array = flatten(array) if isinstance(array, pa.ChunkedArray) else array
    return array if pa.types.is_large_string(array.type) else array.cast(pa.large_string())


def _places(values: pa.Array, index: pd.Index[Any]) -> Codes:
    """Return the position of every value in `index`, efficiently for runs of equal values."""
    starts = run_starts(values)
    positions = index.get_indexer(pd.Index(values.take(starts).to_pandas(), dtype="str"))
    return np.repeat(positions, np.diff(np.append(starts, len(values)))).astype(np.int32)


def ragged(start: Ints, length: Ints) -> Ints:
    """Return the flat positions of all items of lists that begin at `start`.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.repeat(start - (np.cumsum(length) - length), length) + np.arange(int(length.sum()))


def ranks(length: Ints) -> Ints:
    """Return 1, 2, ... for every list.

    >>> ranks(np.array([2, 0, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    return ragged(np.ones_like(length), length)


def document_blocks(n_documents: int) -> list[slice]:
    """Return blocks of documents, at least one."""
    return [slice(begin, begin + _DOCUMENTS_PER_BLOCK) for begin in range(0, max(n_documents, 1), _DOCUMENTS_PER_BLOCK)]


def padded_blocks(n_lists: int, n_cells: int, max_cells: int = _BLOCK_CELLS) -> Iterator[slice]:
    """Yield slices of lists with up to `n_cells` cells each; a padded block has at most `max_cells` if possible."""
    step = max(1, max_cells // max(1, n_cells))
    for begin in range(0, n_lists, step):
        yield slice(begin, begin + step)


def padded(values: Codes, start: Ints, length: Ints, filler: int) -> Codes:
    """Return consecutive lists as a matrix (list, position), padded at the end."""
    width = int(length.max(initial=0))
    if width * len(length) == length.sum():  # all of one length
        return values[start[0] : start[0] + width * len(length)].reshape(len(length), width)
    matrix = np.full((len(length), width), filler, np.int32)
    matrix[np.arange(width) < length[:, None]] = values[start[0] : start[0] + length.sum()]
    return matrix


def owners(length: Ints) -> Ints:
    """Return the list to which each row belongs.

    >>> owners(np.array([2, 0, 3])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.repeat(np.arange(len(length)), length)


def running(values: Floats, begin: Bools) -> Floats:
    """Return the cumulative sums of the values within each group.

    >>> running(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])).tolist()
    [1.0, 3.0, 3.0]
    """
    total = np.cumsum(values)
    head = np.maximum.accumulate(np.where(begin, np.arange(len(values)), 0))
    return np.asarray(total - (total - values)[head])


def distinct(values: Ints) -> Ints:
    """Return the distinct nonnegative values in ascending order (faster than np.unique)."""
    ordered = np.sort(values, kind="stable")
    return np.asarray(ordered[np.diff(ordered, prepend=-1) != 0])


#: Separates a phrase from its identifier.
_BORDER = "\x1f"


def code(corpus: Corpus, by_concept: bool = False) -> Coded:
    """Return the corpus in integers; raise InputError without a gold standard."""
    gold, runs, empty = corpus.gold, corpus.runs, corpus.empty
    gold_empty, run_empty = empty[empty["role"] == "gold"], empty[empty["role"] == "system"]
    gold_ids = _strings(gold["doc_id"], "document id of the gold standard")
    with_gold = pd.Index(gold_ids.take(run_starts(gold_ids)).to_pandas(), dtype="str")
    documents = pd.Index(with_gold.append(pd.Index(gold_empty["doc_id"], dtype="str")).unique(), dtype="str")
    if len(documents) == 0:
        raise input_error("the gold standard", "no document")
    entry_document = _places(gold_ids, documents)
    annotators = tuple(corpus.annotators)
    refuse_reserved_names(annotators)
    annotator_index = pd.Index(annotators, dtype="str")
    entry_annotator = _places(_strings(gold["annotator"], "annotator"), annotator_index)
    seen = np.zeros((len(annotators), len(documents)), bool)
    seen[entry_annotator, entry_document] = True
    seen[annotator_index.get_indexer(gold_empty["source"]), documents.get_indexer(gold_empty["doc_id"])] = True

    gold_phrases = _strings(gold["phrase"], "keyphrase")
    variant_entry = np.arange(len(gold), dtype=np.int32)
    if "variants" in gold:
        spellings = [
            variants if isinstance(variants, tuple | list) else (phrase,)
            for phrase, variants in zip(gold["phrase"], gold["variants"], strict=True)
        ]
        variant_entry = np.repeat(variant_entry, [len(s) for s in spellings])
        gold_phrases = pa.array([spelling for s in spellings for spelling in s], pa.large_string())
    all_phrases = pa.chunked_array([gold_phrases, _strings(runs["phrase"], "phrase")], pa.large_string())
    if by_concept:
        tables = [table for table in (gold, runs) if "concept" in table]
        identifiers = [_strings(table["concept"].fillna("").astype("str").str.strip(), "concept") for table in tables]
        identifiers[0] = identifiers[0].take(pa.array(variant_entry))
        column = pa.chunked_array(identifiers, pa.large_string())
        all_phrases = pc.binary_join_element_wise(all_phrases, column, pa.scalar(_BORDER, all_phrases.type))
    encoded = flatten(all_phrases.dictionary_encode())
    codes, phrases, concepts = encoded.indices.to_numpy(), encoded.dictionary, tuple[str, ...]()
    if by_concept:
        parts = [phrase.rpartition(_BORDER) for phrase in phrases.to_pylist()]
        phrases, concepts = pa.array([part[0] for part in parts], phrases.type), tuple(part[2] for part in parts)
    relevance = (
        gold["relevance"].to_numpy(np.float64, na_value=np.nan) if "relevance" in gold else np.full(len(gold), np.nan)
    )
    details = corpus.documents.set_index("doc_id").reindex(documents)
    return Coded(
        tuple(pa.array(documents).to_pylist()),
        annotators,
        phrases,
        entry_document,
        entry_annotator,
        relevance,
        variant_entry,
        codes[: len(gold_phrases)],
        seen,
        tuple(details["group"].fillna("").tolist()),
        _code_runs(corpus, documents, codes[len(gold_phrases) :], run_empty),
        concepts,
    )


def refuse_reserved_names(annotators: tuple[str, ...]) -> None:
    """Raise an InputError if an annotator is named like a way to combine annotators."""
    reserved = [name for name in annotators if name in _RESERVED_NAMES or name.startswith(("majority:", "others:"))]
    if reserved and len(annotators) > 1:
        raise input_error(f"annotator '{reserved[0]}'", "name taken", known=", ".join(_RESERVED_NAMES))


def _code_runs(corpus: Corpus, documents: pd.Index[Any], phrase: Codes, empty: pd.DataFrame) -> dict[str, CodedRun]:
    runs = corpus.runs
    ids, names = _strings(runs["doc_id"], "document id"), _strings(runs["system"], "system")
    name_starts = run_starts(names)
    list_starts = distinct(np.append(run_starts(ids), name_starts))
    scores = None
    if "score" in runs:
        scores = pd.to_numeric(runs["score"]).to_numpy(np.float64, na_value=np.nan)
    ends = np.append(name_starts[1:], len(runs))[: len(name_starts)]
    bounds = dict(zip(names.take(name_starts).to_pylist(), zip(name_starts, ends, strict=True), strict=True))
    coded = {}
    for system in corpus.rankings:
        begin, end = bounds.get(system, (0, 0))
        first_rows = list_starts[(list_starts >= begin) & (list_starts < end)]
        list_ids = pd.Index(ids.take(first_rows).to_pandas(), dtype="str")
        indices, lengths = documents.get_indexer(list_ids), np.diff(np.append(first_rows, end))
        has_gold = indices >= 0
        start, length = np.zeros(len(documents), np.int64), np.zeros(len(documents), np.int64)
        start[indices[has_gold]], length[indices[has_gold]] = first_rows[has_gold] - begin, lengths[has_gold]
        listed = length > 0
        empty_lists = documents.get_indexer(empty.loc[empty["source"] == system, "doc_id"])
        listed[empty_lists[empty_lists >= 0]] = True
        score = scores[begin:end] if scores is not None and not np.isnan(scores[begin:end]).all() else None
        unknown, ranking = tuple(list_ids[~has_gold]), corpus.rankings[system]
        coded[system] = CodedRun(start, length, phrase[begin:end], score, listed, unknown, ranking)
    return coded


def identify(phrases: pa.Array, normalise: str, gold_stemmed: bool, concepts: tuple[str, ...] = ()) -> Identities:
    """Return which raw phrases are equal: by identifier in `concepts`, else by normalized form.

    Phrases with an empty normalized form are compared by spelling.
    """
    normaliser = Normaliser.parse(normalise)
    if not normaliser.steps and not concepts:
        identity = np.arange(len(phrases), dtype=np.int32)
        return Identities(identity, identity, phrases)
    raw = phrases.to_pylist()
    pipelines = [normaliser]
    if gold_stemmed and normaliser.stemmer:
        pipelines.append(normaliser.without_stemmer())
    identifiers = [f"{_BORDER}{concept}" if concept else "" for concept in concepts] or [""] * len(raw)
    forms = [
        pa.array([c or f or r for c, f, r in zip(identifiers, p.apply(raw), raw, strict=True)], pa.large_string())
        for p in pipelines
    ]
    coded = pa.concat_arrays(forms).dictionary_encode()
    codes = coded.indices.to_numpy()
    return Identities(codes[: len(raw)], codes[-len(raw) :] if raw else codes, coded.dictionary)


def forms_of(identities: Identities, names: Sequence[str], normalise: str, by_concept: bool) -> Ints:
    """Return the form of each name (an identifier if concepts are compared, else a phrase), or -1 if it is unknown."""
    normaliser = Normaliser.parse(normalise)
    keys = [f"{_BORDER}{name}" for name in names] if by_concept else normaliser.apply(list(names))
    indices = pc.index_in(pa.array(keys, pa.large_string()), identities.forms)
    return np.asarray(pc.fill_null(indices, -1).to_numpy(zero_copy_only=False), np.int64)
