"""Turn a user's table of similar phrases, or of vectors, into similarities, and similar phrases into soft hits.

Matches are one to one, or link each phrase to its best match. Source of the semantic measures: Wu, Yin & Chang 2024,
KPEval: towards fine-grained semantic-based keyphrase evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kp_core.corpus import Corpus, Vocabulary, matrix_of, memoize
from kp_core.errors import Note, input_error, pluralize, usage_error
from kp_core.scoring.alignment import Alignment, Hits, recalled_hits
from kp_core.scoring.codes import Bools, Coded, CodedRun, Floats, Ints, ragged
from kp_core.scoring.counts import Counts
from kp_core.scoring.gold import Gold
from kp_core.scoring.order import exceeds
from kp_core.scoring.prepare import Prepared
from kp_core.settings import Settings
from kp_core.text.normalise import Normaliser

#: Pairs per block.
_PAIRS_PER_BLOCK = 500_000
#: Added to the weight of every pair, so that among assignments of equal weight the one with more pairs wins.
_BONUS_PER_PAIR = 1e-9
#: Pairs, or phrases, per block, whose vectors fit into the processor's cache.
_VECTORS_PER_BLOCK = 500


@dataclass(frozen=True)
class SimilarityTable:
    """The similarity of V phrases, addressed by index; -1 is a missing phrase, similar to no other.

    * `entry`: (V + 1,) row of each phrase in the user's table, -1 for none and for zero vectors; the last is -1
    * `entries`: number of rows
    * `key`: sorted codes of pairs, a · entries + b; `score`: their similarities; empty if there are vectors
    * `vectors`: (V + 1, length) unit vector of each phrase, zeros for none; or None
    """

    entry: Ints
    entries: int
    key: Ints
    score: Floats
    vectors: NDArray[np.floating] | None

    @property
    def without(self) -> Bools:
        """Mask of the phrases without an entry or with a zero vector (V,)."""
        return self.entry[:-1] < 0

    def pairs(self, keyphrase: Ints, candidate: Ints) -> Floats:
        """Return the similarity of pairs (n,): NaN if a vector is missing, 0 for a pair that is not in the table."""
        first, second = self.entry[candidate], self.entry[keyphrase]
        both_known = (first >= 0) & (second >= 0)
        if self.vectors is None:
            key = first * self.entries + second
            index = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
            return np.where(both_known & (self.key[index] == key), self.score[index], 0.0)
        value = np.empty(len(first))
        for begin in range(0, len(first), _VECTORS_PER_BLOCK):
            part = slice(begin, begin + _VECTORS_PER_BLOCK)
            value[part] = np.einsum("pd,pd->p", self.vectors[candidate[part]], self.vectors[keyphrase[part]])
        return np.where(both_known, np.clip(value, -1.0, 1.0), np.nan)


def similarity_table(vocabulary: Vocabulary, phrases: Sequence[str], normalise: str) -> SimilarityTable:
    """Return the similarity of some phrases, looked up by normalized form, or by spelling if there are vectors for it.

    Raises UsageError without a table, InputError if pairs with different scores have the same normalized forms.
    """
    normaliser = Normaliser.parse(normalise)
    if len(vocabulary.vectors):
        return _of_vectors(vocabulary.vectors, phrases, normaliser)
    if not len(vocabulary.similar):
        raise usage_error("no similarity")
    return _of_pairs(vocabulary.similar, vocabulary.directed, phrases, normaliser)


def _of_pairs(table: pd.DataFrame, directed: bool, phrases: Sequence[str], normaliser: Normaliser) -> SimilarityTable:
    encoded = pd.concat([table["a"], table["b"]]).astype("category")
    # Phrases with an empty normalized form are compared by spelling.
    forms, forms_of_phrases = (
        pd.Index([form or raw for form, raw in zip(normaliser.apply(spelled), spelled, strict=True)], dtype="str")
        for spelled in (encoded.cat.categories.tolist(), list(phrases))
    )
    group, groups = pd.factorize(forms)
    a, b = np.split(group[encoded.cat.codes.to_numpy()].astype(np.int64), 2)
    score, row = table["score"].to_numpy(float), np.arange(len(table))
    if not directed:
        a, b, score, row = np.concatenate([a, b]), np.concatenate([b, a]), np.tile(score, 2), np.tile(row, 2)
    key = a * len(groups) + b
    order = np.lexsort((score, key))
    key, score, row, unequal = key[order], score[order], row[order], (a != b)[order]
    first_rows = np.flatnonzero(np.diff(key, prepend=-1))
    low, high = first_rows, np.append(first_rows[1:], len(key)) - 1
    if (contradictory := exceeds(score[high], score[low]) & unequal[low]).any():
        rows = (table.iloc[row[index[contradictory][0]]] for index in (low, high))
        values = ", ".join(f"“{pair['a']}” and “{pair['b']}” {pair['score']:g}" for pair in rows)
        raise input_error("the table of similarities", "two forms", values=values, normalise=str(normaliser))
    entry = np.append(groups.get_indexer(forms_of_phrases).astype(np.int64), -1)
    return SimilarityTable(entry, len(groups), key[first_rows], score[first_rows], None)


def _of_vectors(table: pd.DataFrame, phrases: Sequence[str], normaliser: Normaliser) -> SimilarityTable:
    entries, spellings = (pa.array(strings, pa.large_string()) for strings in (table["phrase"], phrases))
    entry = _places(spellings, entries)
    not_found = np.flatnonzero(entry < 0)
    if len(not_found):
        forms = [normaliser.apply(strings.to_pylist()) for strings in (spellings.take(pa.array(not_found)), entries)]
        entry[not_found] = _places(*(pa.array([form or None for form in side], pa.large_string()) for side in forms))
    entry = np.append(entry, -1)
    unit = _unit(matrix_of(table), entry)
    return SimilarityTable(
        np.where(unit.any(axis=1), entry, -1), len(entries), np.empty(0, np.int64), np.empty(0), unit
    )


def _unit(vectors: NDArray[np.floating], entry: Ints) -> NDArray[np.floating]:
    unit = np.empty((len(entry), vectors.shape[1]), vectors.dtype)
    for begin in range(0, len(entry), _VECTORS_PER_BLOCK):
        part = entry[begin : begin + _VECTORS_PER_BLOCK]
        block = vectors[part]
        block[part < 0] = 0.0
        # Scaled to a maximum of 1 first, so that squares neither overflow nor underflow.
        block = _scale(block, np.abs(block).max(axis=1))
        unit[begin : begin + _VECTORS_PER_BLOCK] = _scale(block, np.sqrt(np.einsum("pd,pd->p", block, block)))
    return unit


def _scale(vectors: NDArray[np.floating], length: NDArray[np.floating]) -> NDArray[np.floating]:
    return vectors / np.where(length > 0, length, 1)[:, None]


def _places(values: pa.Array, among: pa.Array) -> Ints:
    """Return the first position of each value, or -1."""
    indices = pc.fill_null(pc.index_in(values, among, skip_nulls=True), -1)
    return np.array(indices.to_numpy(zero_copy_only=False), np.int64)


def similarity_table_of(corpus: Corpus, coded: Coded, settings: Settings) -> SimilarityTable:
    """Return the similarity of the phrases of a coded corpus."""

    def make() -> SimilarityTable:
        return similarity_table(corpus.vocabulary, coded.phrases.to_pylist(), settings.normalise)

    return memoize(corpus, "given", (settings.normalise, coded.concepts), make)


def phrases(corpus: Corpus) -> list[str]:
    """Return the distinct phrases of the gold standard and the systems, in the order of the files.

    Examples
    --------
    >>> import pandas as pd
    >>> gold = pd.DataFrame({"doc_id": "d", "annotator": "A", "phrase": ["tide", "sea"]})
    >>> phrases(Corpus(gold=gold, runs=gold.assign(system="s", rank=1, phrase=["moon", "tide"])))
    ['tide', 'sea', 'moon']
    """
    spelled = [phrase for variants in corpus.gold.get("variants", ()) if variants is not None for phrase in variants]
    return list(dict.fromkeys([*corpus.gold["phrase"], *spelled, *corpus.runs["phrase"]]))


def as_lines(phrases: Sequence[str]) -> str:
    """Return phrases one per line; line ends and other white space within a phrase become one space.

    >>> as_lines(["spring\\ntide", "sea"])
    'spring tide\\nsea\\n'
    """
    return "".join(" ".join(phrase.split()) + "\n" for phrase in phrases)


def without_entry(corpus: Corpus, coded: Coded, settings: Settings) -> list[str]:
    """Return the phrases without an entry in the user's table, which are similar only to equal phrases."""
    indices = np.flatnonzero(similarity_table_of(corpus, coded, settings).without)
    return list(coded.phrases.take(pa.array(indices)).to_pylist())


def describe_entries(corpus: Corpus, coded: Coded, settings: Settings) -> str:
    """Describe how many phrases occur in the user's table."""
    with_entry = int((~similarity_table_of(corpus, coded, settings).without).sum())
    kind = "Vectors" if len(corpus.vocabulary.vectors) else "Similarities"
    return f"{kind} of {with_entry:,} of {pluralize(len(coded.phrases), 'phrase')}."


def notes_on_similarities(corpus: Corpus, coded: Coded, settings: Settings) -> list[Note]:
    """Describe how many phrases have no entry in the user's table, and name some."""
    if not (missing := without_entry(corpus, coded, settings)):
        return []
    subject = pluralize(len(coded.phrases) - len(missing), "phrase has", "phrases have")
    examples = ", ".join(missing[:5]) + " …" * (len(missing) > 5)
    text = (
        f"{subject} an entry there, of {len(coded.phrases):,}; the others are similar only to equal phrases: {examples}"
    )
    has_vectors = bool(len(corpus.vocabulary.vectors))
    return [Note("warning", "vectors", text) if has_vectors else Note("info", "similar", text)]


@dataclass(frozen=True)
class CandidatePairs:
    """Predictions of one system and gold spellings, by document and rank.

    * `document`, `rank`, `phrase`: (row,) indices of document and phrase, and rank, of every prediction that remains
      after filtering and deduplication
    * `item`, `spelling`: (spelling,) gold item, and index of the phrase
    """

    gold: Gold
    document: Ints
    rank: Ints
    phrase: Ints
    item: Ints
    spelling: Ints

    def pairs(self, rows: Bools, in_one_block: bool = False) -> Iterator[tuple[Ints, Ints]]:
        """Yield (row, spelling) of all pairs of some rows with the gold of their document, block by block."""
        size = np.bincount(self.gold.document[self.item], minlength=len(self.gold.size))
        start = np.cumsum(size) - size
        selected = np.flatnonzero(rows & (size[self.document] > 0))
        if not len(selected):
            return
        spellings = size[self.document[selected]]
        part = np.cumsum(spellings) // _PAIRS_PER_BLOCK
        starts = np.flatnonzero(np.diff(self.document[selected], prepend=-1))
        begins = starts[:1] if in_one_block else starts[np.flatnonzero(np.diff(part[starts], prepend=-1))]
        for begin, end in zip(begins, np.append(begins[1:], len(selected)), strict=True):
            part_rows, count = selected[begin:end], spellings[begin:end]
            yield np.repeat(part_rows, count), ragged(start[self.document[part_rows]], count)

    def by_item(self, row: Ints, item: Ints, *values: Floats) -> tuple[NDArray[Any], ...]:
        """Return each pair of row and item once, with the largest of its values over the spellings of the item."""
        if len(self.item) == len(self.gold.grade) or not len(row):
            return row, item, *values
        order = np.lexsort((item, row))
        row, item = row[order], item[order]
        first = np.flatnonzero((np.diff(row, prepend=-1) != 0) | (np.diff(item, prepend=-1) != 0))
        return row[first], item[first], *(np.maximum.reduceat(value[order], first) for value in values)


def candidate_pairs(data: Prepared, run: CodedRun, alignment: Alignment) -> CandidatePairs:
    """Return the predictions and gold spellings of aligned lists, as indices of phrases.

    Each item comes with all spellings of its form in the document, in the order of the file.
    """
    lists, gold, coded = alignment.lists, alignment.gold, data.coded
    form = data.identities.gold[coded.variant_phrase].astype(np.int64)
    size = int(max(form.max(initial=0), gold.spelling_form.max(initial=0))) + 1
    key = coded.entry_document[coded.variant_entry] * np.int64(size) + form
    distinct_spellings = np.sort(np.unique(key * len(coded.phrases) + coded.variant_phrase, return_index=True)[1])
    distinct_spellings = distinct_spellings[np.argsort(key[distinct_spellings], kind="stable")]
    known_keys = key[distinct_spellings]
    item_keys = gold.document[gold.spelling_item] * size + gold.spelling_form
    begin = np.searchsorted(known_keys, item_keys)
    count = np.searchsorted(known_keys, item_keys, side="right") - begin
    spelling = coded.variant_phrase[distinct_spellings[ragged(begin, count)]].astype(np.int64)
    spelling += len(coded.phrases) if data.settings.gold_stemmed == "yes" else 0
    phrase = run.phrase[run.start[lists.owner] + lists.position - 1].astype(np.int64)
    item = np.repeat(gold.spelling_item, count)
    return CandidatePairs(gold, lists.owner, lists.rank, phrase, item, spelling)


def best_of_prefixes(weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight and the number of pairs of the best assignment of the first 1, 2, ... rows: (row,) each.

    * `weight`: (row, column), 0 for forbidden pairs

    >>> best_of_prefixes(np.array([[0.75, 0.70], [0.70, 0.0]]))[0].tolist()
    [0.75, 1.4]
    """
    from scipy.optimize import linear_sum_assignment

    if 1 in weight.shape:
        best = np.maximum.accumulate(weight.max(axis=1))
        return best, (best > 0).astype(float)
    with_bonus = weight + _BONUS_PER_PAIR * (weight > 0)
    total, pairs = np.empty(len(weight)), np.empty(len(weight))
    for rows in range(1, len(weight) + 1):
        chosen = weight[linear_sum_assignment(with_bonus[:rows], maximize=True)]
        total[rows - 1], pairs[rows - 1] = chosen.sum(), np.count_nonzero(chosen)
    return total, pairs


def soft_gains(row: Ints, item: Ints, weight: Floats, n_rows: int) -> tuple[Floats, Floats]:
    """Return how much each row adds to the weight, and to the pairs, of its document's best assignment: (row,) each.

    * `row`, `item`, `weight`: one entry per allowed pair; rows are numbered across documents, better ranks first
    """
    gain, pairs = np.zeros(n_rows), np.zeros(n_rows)
    is_only_pair = (np.bincount(row, minlength=n_rows)[row] == 1) & (np.bincount(item)[item] == 1)
    gain[row[is_only_pair]], pairs[row[is_only_pair]] = weight[is_only_pair], 1.0
    # The other rows compete within connected components, mostly of two or three phrases.
    row, item, weight = row[~is_only_pair], item[~is_only_pair], weight[~is_only_pair]
    if not len(row):
        return gain, pairs
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = n_rows + int(item.max()) + 1
    links = coo_array((np.ones(len(row)), (row, n_rows + item)), shape=(size, size))
    part = connected_components(links, directed=False)[1][row]
    order = np.lexsort((row, part))
    row, item, weight, part = row[order], item[order], weight[order], part[order]
    begins = np.flatnonzero(np.diff(part, prepend=-1))
    ends = np.append(begins[1:], len(part))
    # Rows and items are numbered 0, 1, 2, ... within their component.
    (index, distinct_rows), (column, _) = pd.factorize(row), pd.factorize(item)
    index, column = (number - np.repeat(number[begins], ends - begins) for number in (index, column))
    height, width = (np.maximum.reduceat(number, begins) + 1 for number in (index, column))
    begin = top = 0
    for end, high, wide in zip(ends.tolist(), height.tolist(), width.tolist(), strict=True):
        part_rows, matrix = distinct_rows[top : top + high], np.zeros((high, wide))
        matrix[index[begin:end], column[begin:end]] = weight[begin:end]
        total, count = best_of_prefixes(matrix)
        total[1:] -= total[:-1].copy()
        count[1:] -= count[:-1].copy()
        gain[part_rows], pairs[part_rows] = total, count
        begin, top = end, top + high
    return gain, pairs


def best_gains(row: Ints, item: Ints, weight: Floats, n_rows: int) -> tuple[Floats, Floats]:
    """Return the largest weight of each row, and how much it raises the largest weights of its items: (row,) each.

    * `row`, `item`, `weight`: as in `soft_gains`; rows ascend

    >>> [g.tolist() for g in best_gains(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.5, 0.75, 0.25]), 2)]
    [[0.5, 0.75], [0.5, 0.5]]
    """
    gain = np.zeros(n_rows)
    np.maximum.at(gain, row, weight)
    order = np.argsort(item, kind="stable")
    row, item, weight = row[order], item[order], weight[order]
    running_max = pd.Series(weight).groupby(item).cummax().to_numpy()
    previous_max = np.where(np.diff(item, prepend=-1) != 0, 0.0, np.append(0.0, running_max[:-1]))
    return gain, np.bincount(row, running_max - previous_max, minlength=n_rows).astype(float)


def semantic_counts(data: Prepared, systems: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return the counts by the user's similarity; refuse ties if they are averaged over."""
    similarities, counts_of = similarity_table_of(data.corpus, data.coded, data.settings), dict[str, Counts]()
    for name, counts in systems.items():
        lists = counts.alignment.lists
        has_ties = lists.score is not None and ((np.diff(lists.score) == 0) & (np.diff(lists.owner) == 0)).any()
        if has_ties and data.settings.ties == "expected":
            raise input_error(f"system '{name}'", "ties by meaning")
        candidates = candidate_pairs(data, data.coded.runs[name], counts.alignment)
        repeated = lists.repeated & (data.settings.duplicates != "count")
        counts_of[name] = replace(counts, hits=_by_meaning(data, candidates, similarities, ~repeated), judged=None)
    return counts_of


def _by_meaning(data: Prepared, candidates: CandidatePairs, similarities: SimilarityTable, counts: Bools) -> Hits:
    rows, identities, best = len(candidates.document), data.identities, data.settings.matching == "best"
    used = np.diff(candidates.item, prepend=-1) > 0 if data.settings.variants == "first" else candidates.item >= 0
    pairs = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))]
    for row, spelling in candidates.pairs(counts):
        row, spelling = row[used[spelling]], spelling[used[spelling]]
        phrase, keyphrase = candidates.phrase[row], candidates.spelling[spelling] % len(data.coded.phrases)
        listed = np.fmax(similarities.pairs(keyphrase, phrase), 0.0)  # NaN without a vector
        value = np.where(identities.predicted[phrase] == identities.gold[keyphrase], 1.0, listed)
        similar = value > 0
        pairs.append((row[similar], candidates.item[spelling[similar]], value[similar], listed[similar]))
    row, item, value, listed = candidates.by_item(*map(np.concatenate, zip(*pairs, strict=True)))
    gain, recalled = (best_gains if best else soft_gains)(row, item, value, rows)
    if not best:  # a pair counts equally for precision and recall
        recalled = gain
    elif data.settings.sem_equal == "predictions":
        is_listed = listed > 0
        recalled = best_gains(row[is_listed], item[is_listed], listed[is_listed], rows)[1]
    return recalled_hits(candidates.document, candidates.rank, gain, recalled)
