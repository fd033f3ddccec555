"""Define the corpus: documents, gold standard, system outputs, judgements, and the report on loading them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from graphlib import CycleError, TopologicalSorter
from threading import Lock
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kp_core.errors import Note, UsageError, input_error

T = TypeVar("T")
Role = Literal["gold", "system", "documents", "judgements"]
VocabularyTable = Literal["broader", "frequencies", "similar", "vectors"]

#: The tidy tables and their columns, in order; `?` marks columns that may have missing values.
COLUMNS: dict[str, tuple[str, ...]] = {
    "documents": ("doc_id", "text?", "title?", "group?"),
    "gold": ("doc_id", "annotator", "phrase", "relevance?", "variants?"),
    "runs": ("system", "doc_id", "rank", "phrase", "score?"),
    "judgements": ("pair_id", "doc_id?", "keyphrase?", "candidate", "annotator", "score"),
    "empty": ("role", "source", "doc_id"),
}
TYPES = {"rank": "int64", "score": "float64", "relevance": "float64", "variants": "object"}


def columns_of(table: str) -> tuple[str, ...]:
    """Return the columns of a table of `COLUMNS`."""
    return tuple(column.rstrip("?") for column in COLUMNS[table])


def empty_table(name: str) -> pd.DataFrame:
    """Return a table of `COLUMNS` without rows."""
    return pd.DataFrame({column: pd.Series(dtype=TYPES.get(column, "str")) for column in columns_of(name)})


@dataclass(frozen=True)
class Reading:
    """How one file was read, and its numbers of rows.

    * `whose`: its annotators or systems; `systems`: those next to its gold standard; `documents`: number of documents
      used, or None if the file has no ids
    """

    file: str
    size: int
    role: Role | VocabularyTable
    family: str
    evidence: str
    encoding: str = "utf-8"
    line_ends: str = "\\n"
    bom: bool = False
    rows_read: int = 0
    rows_loaded: int = 0
    rows_rejected: int = 0
    rows_blank: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    files: int = 1
    sha256: str = ""
    mapping: str = ""
    whose: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    documents: int | None = None


@dataclass(frozen=True)
class LoadReport:
    """The report on loading: a `Reading` per file, the rejected rows, and notes."""

    readings: tuple[Reading, ...] = ()
    rejected: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame({c: pd.Series(dtype="str") for c in ("file", "line", "reason", "content")})
    )
    notes: tuple[Note, ...] = ()
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """How the ranks of a system were derived; `resorted`: number of lists whose order in the file was different."""

    ranked_by: Literal["rank", "score", "order"] = "order"
    higher_is_better: bool = True
    resorted: int = 0


#: The vocabulary tables and their columns; `?` marks optional columns.
VOCABULARY: dict[VocabularyTable, tuple[str, ...]] = {
    "broader": ("child", "parent"),
    "frequencies": ("concept", "n", "documents?"),
    "similar": ("a", "b", "score"),
    "vectors": ("phrase", "vector"),
}


def _without_rows(name: VocabularyTable) -> pd.DataFrame:
    return pd.DataFrame({column: pd.Series(dtype="str") for column in VOCABULARY[name] if not column.endswith("?")})


def joined(name: str, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate vocabulary tables of one name, without repeated rows or, if they have vectors, repeated phrases."""
    rows = pd.concat(tables, ignore_index=True)
    if name != "vectors":
        return rows.drop_duplicates(ignore_index=True)
    if len(tables) == 1:
        return rows
    vectors = [matrix_of(table) for table in tables]
    if len({matrix.shape[1] for matrix in vectors}) > 1:
        raise input_error("the vectors", "vectors of one length")
    first_rows = first_of_phrases("the vectors", rows["phrase"], np.concatenate(vectors))
    return rows.iloc[first_rows].reset_index(drop=True)


def first_of_phrases(where: str, phrases: pd.Series, vectors: np.ndarray[Any, Any]) -> NDArray[np.int64]:
    """Return the row in which each phrase first occurs; refuse a phrase with two different vectors."""
    code = pd.factorize(phrases)[0]
    first_rows = np.unique(code, return_index=True)[1]
    if (differs := (vectors != vectors[first_rows[code]]).any(axis=1)).any():
        raise input_error(where, "two vectors", phrase=phrases.iloc[int(differs.argmax())])
    return first_rows


#: Maximum depth of a hierarchy; maximum number of concepts in a message on a cycle.
_LEVELS, _SHOWN = 100, 8


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Tables of phrases or concepts, with the columns of `VOCABULARY`; empty unless given.

    * `broader`: concept and a broader one; `frequencies`: concept, its documents (n), all documents; `similar`: two
      phrases and their similarity (0 to 1), of prediction a to keyphrase b if `directed`; `vectors`: phrase, vector
    """

    broader: pd.DataFrame = field(default_factory=lambda: _without_rows("broader"))
    frequencies: pd.DataFrame = field(default_factory=lambda: _without_rows("frequencies"))
    similar: pd.DataFrame = field(default_factory=lambda: _without_rows("similar"))
    vectors: pd.DataFrame = field(default_factory=lambda: _without_rows("vectors"))
    directed: bool = False

    @property
    def given(self) -> dict[str, pd.DataFrame]:
        """The tables that were given, by name."""
        tables = {name: getattr(self, name) for name in VOCABULARY}
        return {name: table for name, table in tables.items() if len(table)}

    @property
    def has_similarities(self) -> bool:
        """Whether similarities or vectors were given."""
        return bool(len(self.similar) or len(self.vectors))

    def with_tables(self, other: Vocabulary) -> Vocabulary:
        """Merge two vocabularies without repeated rows; refuse different similarities of the same phrases."""
        merged = {
            name: joined(name, [self.given[name], table] if name in self.given else [table])
            for name, table in other.given.items()
        }
        vocabulary = replace(self, directed=self.directed or other.directed, **merged)
        both_given = self.has_similarities and other.has_similarities and len(vocabulary.similar)
        if both_given and (len(vocabulary.vectors) or self.directed != other.directed or vocabulary.scored_twice):
            raise UsageError("the data sets have different similarity tables; load all of them with the same table")
        return vocabulary

    @cached_property
    def scored_twice(self) -> tuple[str, str] | None:
        """The first pair of phrases with two different scores, if any; order matters only if directed."""
        pairs = self.similar[["a", "b"]].to_numpy(str)
        pairs = pairs if self.directed else np.sort(pairs, axis=1)
        scores = self.similar["score"].astype(float).round(12).groupby([pairs[:, 0], pairs[:, 1]]).agg(["min", "max"])
        twice = scores["max"] > scores["min"]
        return twice.idxmax() if twice.any() else None

    @cached_property
    def ancestors(self) -> dict[str, frozenset[str]]:
        """Concept → its broader concepts, direct or not; refuse cycles and implausibly deep hierarchies."""
        parents = self.broader.groupby("child", sort=False)["parent"].agg(list).to_dict()
        ancestors, levels, where = dict[str, frozenset[str]](), dict[str, int](), "the table of broader concepts"
        try:
            for concept in TopologicalSorter(parents).static_order():
                broader = parents.get(concept, [])
                levels[concept] = 1 + max((levels[parent] for parent in broader), default=0)
                if levels[concept] > _LEVELS:  # time and memory are quadratic in the depth
                    raise input_error(where, "deep hierarchy", levels=_LEVELS, concept=concept[:60])
                ancestors[concept] = frozenset(broader).union(*(ancestors[parent] for parent in broader))
        except CycleError as error:
            names = error.args[1][::-1]  # from narrower to broader
            chain = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], "…", names[-1]]
            raise input_error(where, "cycle", names=" → ".join(name[:60] for name in chain)) from None
        return ancestors


@dataclass(frozen=True, eq=False)
class Corpus:
    """All loaded data, as tidy tables before normalization.

    Attributes
    ----------
    documents : DataFrame
        One row per document (doc_id, text?, title?, group?) with unique ids. With several data sets there is a column
        `dataset`, and ids are `dataset/id`.
    gold : DataFrame
        One row per keyphrase of an annotator, in file order. The column `variants`, if any, has a tuple of accepted
        spellings with `phrase` first, or None.
    runs : DataFrame
        One row per prediction; rows of a system and document are adjacent, ordered by `rank` = 1, 2, ...
    judgements : DataFrame
        One row per score of a pair by one annotator.
    empty : DataFrame
        Empty lists: role (gold or system), source (annotator or system), doc_id.
    rankings : dict
        System, in loading order → how its ranks were derived.
    vocabulary : Vocabulary
        Tables of phrases and concepts.
    """

    documents: pd.DataFrame = field(default_factory=lambda: empty_table("documents"))
    gold: pd.DataFrame = field(default_factory=lambda: empty_table("gold").drop(columns="variants"))
    runs: pd.DataFrame = field(default_factory=lambda: empty_table("runs"))
    judgements: pd.DataFrame = field(default_factory=lambda: empty_table("judgements"))
    empty: pd.DataFrame = field(default_factory=lambda: empty_table("empty"))
    rankings: dict[str, Ranking] = field(default_factory=dict)
    report: LoadReport = field(default_factory=LoadReport)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    @property
    def systems(self) -> list[str]:
        """Names of the systems, in order of loading."""
        return list(self.rankings)

    @cached_property
    def annotators(self) -> list[str]:
        """Names of the annotators, in order of loading."""
        gold_empty = self.empty.loc[self.empty["role"] == "gold", "source"]
        return list(dict.fromkeys([*self.gold["annotator"].unique(), *gold_empty.unique()]))

    @cached_property
    def datasets(self) -> list[str]:
        """Names of the data sets, in order of loading; empty for a single one."""
        return list(dict.fromkeys(self.documents["dataset"])) if "dataset" in self.documents else []

    @cached_property
    def by_dataset(self) -> dict[str, Corpus]:
        """Data set → its corpus, with the systems and annotators that have lists there."""
        return {name: self._of_dataset(name) for name in self.datasets}

    def _of_dataset(self, dataset: str) -> Corpus:
        ids = self.documents.loc[self.documents["dataset"] == dataset, "doc_id"]

        def part(table: pd.DataFrame) -> pd.DataFrame:
            rows = table[table["doc_id"].isin(ids)].reset_index(drop=True)
            return rows.assign(doc_id=rows["doc_id"].str.removeprefix(f"{dataset}/"))

        runs, empty = part(self.runs), part(self.empty)
        with_lists = {*runs["system"], *empty.loc[empty["role"] == "system", "source"]}
        return replace(
            self,
            documents=part(self.documents).drop(columns="dataset"),
            gold=part(self.gold),
            runs=runs,
            judgements=part(self.judgements),
            empty=empty,
            rankings={name: ranking for name, ranking in self.rankings.items() if name in with_lists},
        )

    def of_systems(self, names: Mapping[str, str]) -> Corpus:
        """Keep only the given systems, each under its new name; `names`: old → new."""
        runs = self.runs[self.runs["system"].isin(names)].reset_index(drop=True)
        source = self.empty["source"].where(self.empty["role"] != "system", self.empty["source"].map(names))
        empty = self.empty.assign(source=source).dropna(subset="source").reset_index(drop=True)
        rankings = {names[name]: ranking for name, ranking in self.rankings.items() if name in names}
        return replace(self, runs=runs.assign(system=runs["system"].map(names)), empty=empty, rankings=rankings)

    @cached_property
    def has_texts(self) -> bool:
        """Whether at least one document has a text."""
        return bool((self.documents["text"].fillna("") != "").any())

    @cached_property
    def has_concepts(self) -> bool:
        """Whether both the gold standard and the systems have identifiers."""
        tables = (self.gold, self.runs) if len(self.runs) else (self.gold,)
        return all("concept" in table and bool(table["concept"].fillna("").str.strip().any()) for table in tables)


def matrix_of(vectors: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return the vectors of a table (phrase, length), without a copy if possible."""
    if vectors["vector"].dtype == object:  # from tables of two precisions
        return np.array(vectors["vector"].tolist(), float)
    column = pa.array(vectors["vector"])
    flat = flatten(column) if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(flat.flatten().to_numpy(zero_copy_only=False).reshape(len(vectors), -1))


def together(**corpora: Corpus) -> Corpus:
    """Combine several data sets into one corpus, in which they remain separate.

    Raises
    ------
    UsageError
        If there are fewer than two data sets, or one of them consists of data sets itself.
    """
    if len(corpora) < 2:
        raise UsageError("together needs two or more data sets, as in together(inspec=…, nus=…)")
    if nested := [name for name, corpus in corpora.items() if corpus.datasets]:
        raise UsageError(f"the data set '{nested[0]}' consists of data sets itself; combine these instead")
    combined = dict[str, pd.DataFrame]()
    for name in COLUMNS:
        parts = [(dataset, getattr(corpus, name)) for dataset, corpus in corpora.items()]
        tables = [table.assign(doc_id=f"{dataset}/" + table["doc_id"], dataset=dataset) for dataset, table in parts]
        # Empty tables have arbitrary column types.
        rows = pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)
        combined[name] = rows if name == "documents" else rows.drop(columns="dataset")
    systems = list(dict.fromkeys(name for corpus in corpora.values() for name in corpus.rankings))
    index = combined["runs"]["system"].map({name: number for number, name in enumerate(systems)})
    combined["runs"] = combined["runs"].iloc[index.argsort(kind="stable")].reset_index(drop=True)
    return Corpus(
        **combined,
        rankings={name: _one_ranking(name, corpora.values()) for name in systems},
        report=_one_report({name: corpus.report for name, corpus in corpora.items()}),
        vocabulary=reduce(Vocabulary.with_tables, (corpus.vocabulary for corpus in corpora.values())),
    )


def _one_ranking(system: str, corpora: Iterable[Corpus]) -> Ranking:
    rankings = [corpus.rankings[system] for corpus in corpora if system in corpus.rankings]
    return replace(rankings[0], resorted=sum(ranking.resorted for ranking in rankings))


def _one_report(reports: Mapping[str, LoadReport]) -> LoadReport:
    items = list(reports.items())
    readings = [replace(file, file=f"{name}/{file.file}") for name, report in items for file in report.readings]
    rejected = [report.rejected.assign(file=f"{name}/" + report.rejected["file"]) for name, report in items]
    notes = [replace(note, where=f"{name}: {note.where}") for name, report in items for note in report.notes]
    fixes = dict.fromkeys(fix for report in reports.values() for fix in report.fixes)
    return LoadReport(tuple(readings), pd.concat(rejected, ignore_index=True), tuple(notes), tuple(fixes))


def whole_texts(documents: pd.DataFrame, title: bool = True) -> list[str]:
    """Return the title, if wanted, and the text of each document; empty if there is no text.

    A period separates them, as in KPEval and OpenNMT-kpg, so that no phrase spans both.
    """
    titles, texts = (documents[name].fillna("").astype(str) for name in ("title", "text"))
    has_both = title & (titles != "") & (texts != "")
    return list(texts.where(~has_both, titles + " . " + texts))


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """Return a table of a corpus as an Arrow table; missing values are null."""
    return pa.table({str(name): _column(frame[name]) for name in frame})


def _column(column: pd.Series) -> pa.ChunkedArray:
    # pandas converts lists and records to Arrow only as Python objects.
    values = column.tolist() if column.dtype == object else column
    array = pa.array(values, from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def flatten(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array, without a copy if it has one chunk."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def run_starts(column: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    """Return the rows at which the value differs from the row before."""
    if not len(column):
        return np.zeros(0, np.int64)
    flat = flatten(column) if isinstance(column, pa.ChunkedArray) else column
    differs = pc.not_equal(flat.slice(1), flat.slice(0, len(flat) - 1)).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.flatnonzero(differs) + 1])


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of everything that determines a result: tables, rankings, fixes and notes, not file names."""
    report = corpus.report
    total = hashlib.sha256(repr((list(corpus.rankings.items()), report.fixes, report.notes)).encode())
    total.update(repr(corpus.vocabulary.directed).encode())
    tables = {name: getattr(corpus, name) for name in COLUMNS}
    for name, frame in {**tables, **corpus.vocabulary.given}.items():
        table = arrow_table(frame)
        total.update(repr((name, len(table), table.column_names, [str(kind) for kind in table.schema.types])).encode())
        for column in table.columns:
            missing = column.is_null()
            total.update(missing.cast(pa.uint8()).to_numpy().tobytes())
            dense = column.drop_null().combine_chunks()
            total.update(pa.record_batch([dense], names=["column"]).serialize())
    return total.hexdigest()


#: The most recently used results: {corpus: {step: {key: result}}}.
_KEPT: WeakKeyDictionary[Corpus, dict[str, dict[Hashable, Any]]] = WeakKeyDictionary()
_LOCK = Lock()


def memoize(corpus: Corpus, step: str, key: Hashable, make: Callable[[], T], most: int = 8) -> T:
    """Return the cached result of a step for a corpus and a key, or compute it; keep at most `most` results a step."""
    with _LOCK:
        results = _KEPT.setdefault(corpus, {}).setdefault(step, {})
        result: T | None = results.get(key)
    if result is None:
        result = make()
    with _LOCK:
        results.pop(key, None)
        results[key] = result
        while len(results) > most:
            results.pop(next(iter(results)))
    return result
