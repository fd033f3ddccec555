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
#: The tables of a `Vocabulary`.
VocabularyTable = Literal["broader", "frequencies", "similar", "vectors"]

#: The tidy tables and their columns, in order; `?` marks a column that may hold missing values.
COLUMNS: dict[str, tuple[str, ...]] = {
    "documents": ("doc_id", "text?", "title?", "group?"),
    "gold": ("doc_id", "annotator", "phrase", "relevance?", "variants?"),
    "runs": ("system", "doc_id", "rank", "phrase", "score?"),
    "judgements": ("pair_id", "doc_id?", "keyphrase?", "candidate", "annotator", "score"),
    "empty": ("role", "source", "doc_id"),
}
#: Types of the columns that are no text.
TYPES = {"rank": "int64", "score": "float64", "relevance": "float64", "variants": "object"}


def empty_table(name: str) -> pd.DataFrame:
    """Return a table of `COLUMNS` without rows.

    >>> list(empty_table("empty").columns)
    ['role', 'source', 'doc_id']
    """
    columns = [column.rstrip("?") for column in COLUMNS[name]]
    return pd.DataFrame({column: pd.Series(dtype=TYPES.get(column, "str")) for column in columns})


@dataclass(frozen=True)
class Reading:
    """How one file was understood, and how many of its rows were read, loaded, rejected and blank.

    whose      the annotators or systems in it
    systems    the systems next to a gold standard in it
    documents  how many of the documents in use it has; None if it has no ids
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
    """What was understood of all files: one `Reading` each, the rejected rows, and notes in words."""

    readings: tuple[Reading, ...] = ()
    rejected: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame({c: pd.Series(dtype="str") for c in ("file", "line", "reason", "content")})
    )
    notes: tuple[Note, ...] = ()
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """How the ranks of one system came about: from a rank column, from scores, or from the order in the file.

    resorted  lists that stood in another order in the file
    """

    ranked_by: Literal["rank", "score", "order"] = "order"
    higher_is_better: bool = True
    resorted: int = 0


#: The tables and their columns; `?` marks a column that need not be there.
VOCABULARY: dict[VocabularyTable, tuple[str, ...]] = {
    "broader": ("child", "parent"),
    "frequencies": ("concept", "n", "documents?"),
    "similar": ("a", "b", "score"),
    "vectors": ("phrase", "vector"),
}


def _without_rows(name: VocabularyTable) -> pd.DataFrame:
    return pd.DataFrame({column: pd.Series(dtype="str") for column in VOCABULARY[name] if not column.endswith("?")})


def joined(name: str, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables of a vocabulary of one name as one, rows that are the same once; a phrase has one vector."""
    every = pd.concat(tables, ignore_index=True)
    if name != "vectors":
        return every.drop_duplicates(ignore_index=True)
    if len(tables) == 1:
        return every
    vectors = [matrix_of(table) for table in tables]
    if len({one.shape[1] for one in vectors}) > 1:
        raise input_error("the vectors", "vectors of one length")
    once = first_of_phrases("the vectors", every["phrase"], np.concatenate(vectors))
    return every.iloc[once].reset_index(drop=True)


def first_of_phrases(where: str, phrases: pd.Series, vectors: np.ndarray[Any, Any]) -> NDArray[np.int64]:
    """Return where each phrase first occurs; reject a phrase with two different vectors."""
    code = pd.factorize(phrases)[0]
    first = np.unique(code, return_index=True)[1]
    if (twice := (vectors != vectors[first[code]]).any(axis=1)).any():
        raise input_error(where, "two vectors", phrase=phrases.iloc[int(twice.argmax())])
    return first


#: Levels of a hierarchy at most, and names of a cycle that a message shows.
_LEVELS, _SHOWN = 100, 8


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Tables about phrases or concepts, in the columns of `VOCABULARY`; each is empty unless it was given.

    broader      one row per concept and a broader one
    frequencies  one row per concept: in how many documents it stands (n), of how many in all (documents)
    similar      one row per pair of phrases and how similar they are (score, 0 to 1)
    vectors      one row per phrase and its vector, all of one length
    directed     whether `similar` says how similar a prediction a is to a keyphrase b, and nothing of the reverse
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
    def tells_similarity(self) -> bool:
        """Whether pairs or vectors say how similar phrases are."""
        return bool(len(self.similar) or len(self.vectors))

    def with_tables(self, other: Vocabulary) -> Vocabulary:
        """Merge the tables of both without repeated rows; reject different similarities of the same phrases."""
        both = {
            name: joined(name, [self.given[name], table] if name in self.given else [table])
            for name, table in other.given.items()
        }
        made = replace(self, directed=self.directed or other.directed, **both)
        both_tell = self.tells_similarity and other.tells_similarity and len(made.similar)
        if both_tell and (len(made.vectors) or self.directed != other.directed or made.scored_twice):
            raise UsageError("the data sets have different similarity tables; load all of them with the same table")
        return made

    @cached_property
    def scored_twice(self) -> tuple[str, str] | None:
        """A pair of phrases with two scores; without a direction the reverse is the same pair."""
        pairs = self.similar[["a", "b"]].to_numpy(str)
        pairs = pairs if self.directed else np.sort(pairs, axis=1)
        scores = self.similar["score"].astype(float).round(12).groupby([pairs[:, 0], pairs[:, 1]]).agg(["min", "max"])
        twice = scores["max"] > scores["min"]
        return twice.idxmax() if twice.any() else None

    @cached_property
    def ancestors(self) -> dict[str, frozenset[str]]:
        """Concept → all that are broader, directly or not; reject cycles, and chains longer than any thesaurus has.

        >>> rows = pd.DataFrame([["tide", "sea"], ["sea", "water"]], columns=["child", "parent"])
        >>> sorted(Vocabulary(rows).ancestors["tide"])
        ['sea', 'water']
        """
        parents = self.broader.groupby("child", sort=False)["parent"].agg(list).to_dict()
        found, levels, where = dict[str, frozenset[str]](), dict[str, int](), "the table of broader concepts"
        try:
            for concept in TopologicalSorter(parents).static_order():
                above = parents.get(concept, [])
                levels[concept] = 1 + max((levels[parent] for parent in above), default=0)
                if levels[concept] > _LEVELS:  # the sets of a chain grow with the square of its length
                    raise input_error(where, "deep hierarchy", levels=_LEVELS, concept=concept[:60])
                found[concept] = frozenset(above).union(*(found[parent] for parent in above))
        except CycleError as error:
            names = error.args[1][::-1]  # graphlib names a cycle from the broader concept down
            shown = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], "…", names[-1]]
            raise input_error(where, "cycle", names=" → ".join(name[:60] for name in shown)) from None
        return found


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
        """Names of the data sets, in order of loading; none where all documents are of one."""
        return list(dict.fromkeys(self.documents["dataset"])) if "dataset" in self.documents else []

    @cached_property
    def by_dataset(self) -> dict[str, Corpus]:
        """Each data set as a corpus of its own, with the systems and annotators that have lists there.

        >>> one = Corpus(pd.DataFrame({"doc_id": ["7"], "text": ["…"]}))
        >>> both = together(inspec=one, nus=one)
        >>> both.documents["doc_id"].tolist(), both.by_dataset["nus"].documents["doc_id"].tolist()
        (['inspec/7', 'nus/7'], ['7'])
        """
        return {name: self._of_dataset(name) for name in self.datasets}

    def _of_dataset(self, dataset: str) -> Corpus:
        ids = self.documents.loc[self.documents["dataset"] == dataset, "doc_id"]

        def part(table: pd.DataFrame) -> pd.DataFrame:
            rows = table[table["doc_id"].isin(ids)].reset_index(drop=True)
            return rows.assign(doc_id=rows["doc_id"].str.removeprefix(f"{dataset}/"))

        runs, empty = part(self.runs), part(self.empty)
        heard = {*runs["system"], *empty.loc[empty["role"] == "system", "source"]}
        return replace(
            self,
            documents=part(self.documents).drop(columns="dataset"),
            gold=part(self.gold),
            runs=runs,
            judgements=part(self.judgements),
            empty=empty,
            rankings={name: ranking for name, ranking in self.rankings.items() if name in heard},
        )

    def of_systems(self, names: Mapping[str, str]) -> Corpus:
        """Return the corpus with some of its systems alone, each under another name or its own: name → name.

        >>> runs = pd.DataFrame({"system": ["a", "b"], "doc_id": "d", "rank": 1, "phrase": ["tide", "sea"]})
        >>> Corpus(runs=runs, rankings={"a": Ranking(), "b": Ranking()}).of_systems({"b": "mine"}).systems
        ['mine']
        """
        runs = self.runs[self.runs["system"].isin(names)].reset_index(drop=True)
        of_people = self.empty["role"] != "system"
        empty = self.empty[of_people | self.empty["source"].isin(names)].reset_index(drop=True)
        source = empty["source"].where(empty["role"] != "system", empty["source"].map(names))
        return replace(
            self,
            runs=runs.assign(system=runs["system"].map(names)),
            empty=empty.assign(source=source),
            rankings={names[name]: ranking for name, ranking in self.rankings.items() if name in names},
        )

    @cached_property
    def has_texts(self) -> bool:
        """Whether at least one document has a text."""
        return bool((self.documents["text"].fillna("") != "").any())

    @cached_property
    def has_concepts(self) -> bool:
        """Whether gold standard and systems both carry identifiers next to their phrases."""
        tables = (self.gold, self.runs) if len(self.runs) else (self.gold,)
        return all("concept" in table and bool(table["concept"].fillna("").str.strip().any()) for table in tables)


def matrix_of(vectors: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return the vectors of a table of phrases (phrase, length), without a copy if they are one piece."""
    if vectors["vector"].dtype == object:  # put together from tables of two precisions
        return np.array(vectors["vector"].tolist(), float)
    column = pa.array(vectors["vector"])
    flat = flatten(column) if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(flat.flatten().to_numpy(zero_copy_only=False).reshape(len(vectors), -1))


def together(**corpora: Corpus) -> Corpus:
    """Combine several data sets into one corpus; nothing is pooled.

    Raises
    ------
    UsageError
        If there are fewer than two data sets, or one of them consists of data sets itself.
    """
    if len(corpora) < 2:
        raise UsageError("together needs two or more data sets, as in together(inspec=…, nus=…)")
    if nested := [name for name, one in corpora.items() if one.datasets]:
        raise UsageError(f"the data set '{nested[0]}' consists of data sets itself; combine these instead")
    tables = {
        name: [
            table.assign(doc_id=f"{dataset}/" + table["doc_id"])
            for dataset, table in ((dataset, getattr(corpus, name)) for dataset, corpus in corpora.items())
        ]
        for name in COLUMNS
    }
    # An empty table has types that mean nothing.
    joined = {
        name: pd.concat([one for one in each if len(one)] or each[:1], ignore_index=True)
        for name, each in tables.items()
    }
    documents = pd.concat([each.assign(dataset=name) for name, each in zip(corpora, tables["documents"], strict=True)])
    systems = list(dict.fromkeys(name for one in corpora.values() for name in one.rankings))
    place = joined["runs"]["system"].map({name: number for number, name in enumerate(systems)})
    return Corpus(
        documents.reset_index(drop=True),
        joined["gold"],
        joined["runs"].iloc[place.argsort(kind="stable")].reset_index(drop=True),
        joined["judgements"],
        joined["empty"],
        {name: _one_ranking(name, corpora.values()) for name in systems},
        _one_report({name: one.report for name, one in corpora.items()}),
        reduce(Vocabulary.with_tables, (one.vocabulary for one in corpora.values())),
    )


def _one_ranking(system: str, corpora: Iterable[Corpus]) -> Ranking:
    rankings = [corpus.rankings[system] for corpus in corpora if system in corpus.rankings]
    return replace(rankings[0], resorted=sum(ranking.resorted for ranking in rankings))


def _one_report(reports: Mapping[str, LoadReport]) -> LoadReport:
    readings = [replace(one, file=f"{name}/{one.file}") for name, report in reports.items() for one in report.readings]
    rejected = [one.rejected.assign(file=f"{name}/" + one.rejected["file"]) for name, one in reports.items()]
    notes = [replace(note, where=f"{name}: {note.where}") for name, one in reports.items() for note in one.notes]
    fixes = dict.fromkeys(fix for one in reports.values() for fix in one.fixes)
    return LoadReport(tuple(readings), pd.concat(rejected, ignore_index=True), tuple(notes), tuple(fixes))


def whole_texts(documents: pd.DataFrame, title: bool = True) -> list[str]:
    """Return the text of each document, empty if there is none: its title, if wanted, then its text.

    A full stop separates them, as in KPEval and OpenNMT-kpg, so that no phrase runs from one into the other.

    >>> whole_texts(pd.DataFrame({"text": ["They rise.", None], "title": ["Tides", "Moon"]}))
    ['Tides . They rise.', '']
    """
    titles, texts = (documents[name].fillna("").astype(str) for name in ("title", "text"))
    named = title & (titles != "") & (texts != "")
    return list(texts.where(~named, titles + " . " + texts))


def arrow_table(frame: pd.DataFrame) -> pa.Table:
    """Return a table of a corpus in Arrow, column by column; missing values are null.

    >>> arrow_table(pd.DataFrame({"doc_id": ["d1"], "variants": [("tide", "tides")]}))["variants"].to_pylist()
    [['tide', 'tides']]
    """
    return pa.table({str(name): _column(frame[name]) for name in frame})


def _column(column: pd.Series) -> pa.ChunkedArray:
    # Lists and records stand in columns of objects, which pandas gives to Arrow only one by one.
    values = column.tolist() if column.dtype == object else column
    made = pa.array(values, from_pandas=True)
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])


def flatten(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array, without a copy if it is one already."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def run_starts(column: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    """Return the rows at which the value differs from the row before.

    >>> run_starts(pa.chunked_array([["a", "a", "b"]], pa.large_string())).tolist()
    [0, 2]
    """
    if not len(column):
        return np.zeros(0, np.int64)
    flat = flatten(column) if isinstance(column, pa.ChunkedArray) else column
    differs = pc.not_equal(flat.slice(1), flat.slice(0, len(flat) - 1)).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.flatnonzero(differs) + 1])


def content_digest(corpus: Corpus) -> str:
    """Return the SHA-256 of all that decides a result: the tables, how ranks came about, the fixes and the notes.

    Two corpora that are equal in these have the same digest in one process, whatever files they came from.
    """
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


#: What steps gave for corpora that are still in use; of each step the results used last, since a page tries one way to
#: compare phrases after the other.
_KEPT: WeakKeyDictionary[Corpus, dict[str, dict[Hashable, Any]]] = WeakKeyDictionary()
_LOCK = Lock()  # the sessions of a server share the samples
RECENT = 8


def memoize(corpus: Corpus, step: str, key: Hashable, make: Callable[[], T]) -> T:
    """Return what a step gives for a corpus and a key, made when first asked for.

    >>> corpus = Corpus()
    >>> [memoize(corpus, "square", n, lambda n=n: n * n) for n in (3, 3, 4)], list(_KEPT[corpus]["square"])
    ([9, 9, 16], [3, 4])
    """
    with _LOCK:
        results = _KEPT.setdefault(corpus, {}).setdefault(step, {})
        result: T | None = results.get(key)
    if result is None:
        result = make()
    with _LOCK:
        results.pop(key, None)
        results[key] = result
        while len(results) > RECENT:
            results.pop(next(iter(results)))
    return result
