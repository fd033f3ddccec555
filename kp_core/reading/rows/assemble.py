"""Combine the checked rows of all files into one Corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, LoadReport, Ranking, columns_of, empty_table, flatten, run_starts
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.beside.datasets import dataset_column, datasets_of
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.fields import plain
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.open.table import as_text
from kp_core.reading.open.values import TEXT, frame_of, series
from kp_core.reading.rows.check import Part, put
from kp_core.reading.rows.identifiers import WORDS, types_in_ids
from kp_core.reading.rows.settle import settle

Integers = npt.NDArray[np.int64]


def assemble(
    parts: Sequence[Part], fixes: Sequence[str], limits: Limits, notes: Iterable[Note] = (), silent: Iterable[str] = ()
) -> Corpus:
    """Build the corpus, or raise an error if the files contradict each other.

    silent  systems without output, which are scored as missing everywhere
    """
    all_notes = [*notes, *(note for part in parts for note in part.notes)]
    if datasets := datasets_of(parts):
        message = f"The documents are of {len(datasets)} data sets: {', '.join(datasets)}."
        all_notes.append(Note("info", "data sets", message))
    empty = settle(parts, fixes, all_notes).astype(TEXT).reset_index(drop=True)
    gold_parts, system_parts, texts, judged = (
        [part for part in parts if part.role == role] for role in ("gold", "system", "documents", "judgements")
    )
    for parts_of_role, what in ((gold_parts, "annotators"), (system_parts, "systems")):
        owners = {name: part.file for part in parts_of_role for name in part.every_source()}
        refuse_over(limits.sources, len(owners), what, next(reversed(owners.values()), ""), "data")
    gold = _gold([part for part in gold_parts if len(part.table)], limits)
    rankings = dict[str, Ranking]()
    runs = _runs(system_parts, limits, rankings, all_notes)
    documents = _documents(texts, [*gold_parts, *texts, *system_parts], limits, fixes)
    if datasets:
        documents["dataset"] = series(pa.chunked_array([dataset_column(documents["doc_id"], datasets)]))
    judgements = _judgements(judged, gold, all_notes)
    rejected_rows = [row for part in parts for row in part.rejected]
    rejected = pd.DataFrame(rejected_rows, columns=["file", "line", "reason", "content"]).astype(str).astype(TEXT)
    for file, rows in rejected.groupby("file", sort=False):
        all_notes.append(Note("warning", str(file), rejected_in_words(rows)))
    listed = [*gold_parts, *system_parts]
    filled = {(part.role, part.file) for part in listed if part.every_source()}
    without_lists = [part for part in listed if (part.role, part.file) not in filled and not part.rejected]
    nothing = "The file contains no rows, so nothing was loaded from it."
    all_notes += [Note("warning", part.file, nothing) for part in without_lists if part.role == "gold"]
    for name in [*silent, *(part.name for part in without_lists if part.role == "system")]:
        if name not in rankings:
            rankings[name] = Ranking()
            all_notes.append(Note("warning", name, "There is no list of this system; it is scored as missing."))
    report = LoadReport((), rejected, tuple(dict.fromkeys(all_notes)), tuple(fixes))
    return Corpus(documents, gold, runs, judgements, empty, rankings, report)


def _gold(parts: Sequence[Part], limits: Limits) -> pd.DataFrame:
    if not parts:
        return empty_table("gold").drop(columns="variants")
    table = _concat([part.table for part in parts]).rename_columns({"source": "annotator"})
    if len(table) > limits.list_phrases:
        sizes = table.group_by(["annotator", "doc_id"]).aggregate([([], "count_all")])
        longest = sizes.sort_by([("count_all", "descending")]).slice(0, 1).to_pylist()[0]
        what = f"phrases for “{longest['doc_id'][:60]}”"
        refuse_over(limits.list_phrases, longest["count_all"], what, longest["annotator"], "a list")
    return frame_of(table, ("doc_id", "annotator", "phrase", "relevance"))


def _runs(parts: Sequence[Part], limits: Limits, rankings: dict[str, Ranking], notes: list[Note]) -> pd.DataFrame:
    """Return the ranked lists of all systems in order of loading; add to `rankings` how each was ranked."""
    pieces: dict[str, list[pa.Table]] = {}
    owners: dict[str, Part] = {}
    for part in parts:
        for name in part.every_source():
            owners.setdefault(name, part)
        for name, table in _by_system(part):
            pieces.setdefault(name, []).append(table)
    tables = []
    for name, part in owners.items():
        rankings[name] = Ranking()
        if name not in pieces:
            continue
        table = _concat(pieces[name])
        by_score = order(table, run_starts(table["doc_id"]), part.mapping.higher_is_better, lower="yake" in plain(name))
        rankings[name] = by_score.ranking
        refuse_over(limits.list_phrases, int(by_score.rank.max()), f"phrases of “{name}”", part.file, "a list")
        notes += _order_notes(name, part.file, by_score, part.mapping.higher_is_better)
        table = table if by_score.take is None else table.take(pa.array(by_score.take))
        others = [column for column in table.column_names if column != "rank"]
        ranked = table.select(others).append_column("rank", pa.chunked_array([pa.array(by_score.rank)]))
        tables.append(ranked.rename_columns({"source": "system"}))
    return frame_of(_concat(tables), ("system", "doc_id", "rank", "phrase", "score")) if tables else empty_table("runs")


def _by_system(part: Part) -> list[tuple[str, pa.Table]]:
    if len(part.sources) <= 1:
        return [(name, part.table) for name in part.sources if len(part.table)]
    codes, names = pd.factorize(part.table["source"].to_pandas())
    rows = pd.Series(codes).groupby(codes).indices
    return [(name, part.table.take(pa.array(rows[code]))) for code, name in enumerate(names)]


def _order_notes(name: str, file: str, by_score: Order, chosen: bool | None) -> Iterator[Note]:
    by, higher = by_score.ranking.ranked_by, by_score.ranking.higher_is_better
    first, other = ("highest", "lower") if higher else ("lowest", "higher")
    option = f"--as {file}:higher_is_better={'no' if higher else 'yes'}"
    remedy = f" If {other} scores are better, change it in the form of the file ({option})." if chosen is None else ""
    if by == "score" and not higher and not by_score.ranking.resorted:
        yield Note("info", file, f"Scores of “{name}” rise down the lists: lower is taken as better.{remedy}")
    if by_score.ranking.resorted:
        one, several = f"list of “{name}” was not in order of {by}", f"lists of “{name}” were not in order of {by}"
        rest = f" sorted, the {first} first.{remedy}" if by == "score" else " sorted."
        level: Literal["info", "warning"] = "warning" if by == "score" else "info"
        yield Note.counting(
            level, file, by_score.ranking.resorted, f"{one}; it was{rest}", f"{several}; they were{rest}"
        )
    if by_score.tied:
        rest = f"one of equal {by}; file order stays."
        one, several = f"phrase of “{name}” follows {rest}", f"phrases of “{name}” follow {rest}"
        yield Note.counting("info", file, by_score.tied, one, several)


@dataclass(frozen=True)
class Order:
    """The order of rows (None if unchanged), their ranks, how they were ranked, and the number of ties."""

    take: Integers | None
    rank: Integers
    ranking: Ranking
    tied: int = 0


def order(table: pa.Table, starts: Integers, higher_is_better: bool | None = None, *, lower: bool = False) -> Order:
    """Group the rows of one system by document, ranked 1, 2, ...

    starts  rows at which the document changes
    lower   whether lower scores are better by default, as for YAKE
    """
    heads = flatten(table["doc_id"]).take(pa.array(starts)).dictionary_encode().indices.to_numpy().astype(np.int64)
    documents = np.repeat(heads, np.diff(starts, append=len(table)))
    numbers = {name: table[name].to_numpy() for name in ("rank", "score") if name in table.column_names}
    take: Integers | None = None
    if heads.max(initial=-1) + 1 < len(heads):  # rows of a document are not adjacent
        take = np.argsort(documents, kind="stable")
        documents, numbers = documents[take], {name: values[take] for name, values in numbers.items()}
    follows = np.diff(documents) == 0
    first = np.flatnonzero(np.append(True, ~follows))
    rank = np.arange(1, len(table) + 1) - np.repeat(first, np.diff(first, append=len(table)))
    ranks, scores = numbers.get("rank"), numbers.get("score")
    if ranks is not None:
        moved = _moved(documents, ranks, follows)
        by_rank = scores if moved is None or scores is None else scores[moved]
        key, ranking = ranks, Ranking("rank", _higher(by_rank, follows, higher_is_better, lower))
    elif scores is not None:
        ranking = Ranking("score", _higher(scores, follows, higher_is_better, lower))
        key = -scores if ranking.higher_is_better else scores
        moved = _moved(documents, key, follows)
    else:
        return Order(take, rank, Ranking("order", True))
    if moved is not None:
        ranking = replace(ranking, resorted=len(np.unique(documents[moved != np.arange(len(table))])))
        key, take = key[moved], moved if take is None else take[moved]
    return Order(take, rank, ranking, int(((np.diff(key) == 0) & follows).sum()))


def _moved(documents: Integers, key: npt.NDArray[np.float64], follows: npt.NDArray[np.bool_]) -> Integers | None:
    return np.lexsort((key, documents)) if ((key[1:] < key[:-1]) & follows).any() else None


def _higher(
    scores: npt.NDArray[np.float64] | None, follows: npt.NDArray[np.bool_], chosen: bool | None, lower: bool
) -> bool:
    if chosen is not None or scores is None:
        return chosen is not False
    rises = bool(((scores[1:] > scores[:-1]) & follows).any())
    falls = bool(((scores[1:] < scores[:-1]) & follows).any())
    return not rises or (falls and not lower)


def _concat(tables: list[pa.Table]) -> pa.Table:
    names = Counter(name for name, _ in {(field.name, field.type) for table in tables for field in table.schema})
    for name in (name for name, types in names.items() if types > 1):
        for place, table in enumerate(tables):
            if name in table.column_names:
                tables[place] = put(table, name, as_text(table[name]))
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="default")


def rejected_in_words(rows: pd.DataFrame) -> str:
    """Report how many rows of a file were rejected, with the reason for the first."""
    first = rows.iloc[0]
    place = f"line {first['line']}: " if first["line"] != "0" else ""
    count = pluralize(len(rows), "row was", "rows were")
    return f"{count} rejected and {'is' if len(rows) == 1 else 'are'} not used; the first, {place}{first['reason']}."


def _documents(texts: Sequence[Part], every: Sequence[Part], limits: Limits, fixes: Sequence[str]) -> pd.DataFrame:
    ids = pc.unique(pa.chunked_array([part.ids() for part in every], pa.large_string()))
    index = pd.Index(series(pa.chunked_array([ids])), name="doc_id")
    refuse_over(limits.documents, len(index), "documents", "documents", "data")
    nothing = pa.chunked_array([pa.nulls(len(index), pa.large_string())])
    blank = {name: series(nothing) for name in ("text", "title", "group")}
    if "types-from-ids" in fixes:
        blank["group"] = index.to_series(index=range(len(index))).map(types_in_ids(list(index))).astype(TEXT)
    if not texts:
        return pd.DataFrame({"doc_id": index.to_series(index=range(len(index))), **blank})
    frames = [frame_of(part.table, ("doc_id",)).assign(file_=part.file) for part in texts]
    # Blank texts are missing, and list-valued fields cannot be compared with texts.
    frames = [frame.replace({name: {"": np.nan} for name in frame.select_dtypes("str")}) for frame in frames]
    rows = pd.concat(frames, ignore_index=True)
    if rows["doc_id"].duplicated().any():
        if "text" in rows and "keep-first" not in fixes:
            _ask_about_two_texts(rows)
        rows = rows.groupby("doc_id", sort=False, dropna=False).first().reset_index()
    documents = rows.drop(columns="file_").set_index("doc_id").reindex(index).reset_index()
    for name, column in blank.items():
        documents[name] = documents[name].astype(TEXT) if name in documents else column
    return documents[["doc_id", "text", "title", "group", *(c for c in documents if c not in ("doc_id", *blank))]]


def _ask_about_two_texts(rows: pd.DataFrame) -> None:
    texts = rows.dropna(subset=["text"]).drop_duplicates(["doc_id", "text"])
    again = texts["doc_id"].duplicated()
    if again.any():
        second = texts[again].iloc[0]
        first = texts[texts["doc_id"] == second["doc_id"]].iloc[0]
        found = f"another text for “{second['doc_id']}”, first in {first['file_']}"
        answer = Reply(WORDS["keep-first"], fixes=("keep-first",))
        raise Question(Finding("ask", second["file_"], found, "one text per document", (answer,)))


def _judgements(parts: Sequence[Part], gold: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    first = columns_of("judgements")
    frames = [frame_of(part.table, first) for part in parts if len(part.table)]
    if not frames:
        return empty_table("judgements")
    table = pd.concat(frames, ignore_index=True).astype({"doc_id": TEXT, "keyphrase": TEXT})
    table["keyphrase"] = table["keyphrase"].replace("", np.nan)
    if {"gold_id", "doc_id"} <= set(table) and {"gold_id"} <= set(gold):
        terms = gold.drop_duplicates(["doc_id", "gold_id"]).set_index(["doc_id", "gold_id"])["phrase"]
        linked = terms.reindex(pd.MultiIndex.from_frame(table[["doc_id", "gold_id"]])).to_numpy()
        table["keyphrase"] = table["keyphrase"].fillna(pd.Series(linked, dtype=TEXT))
        one, several = "pair is linked to a gold keyphrase.", "pairs are linked to a gold keyphrase."
        notes.append(Note.counting("info", "judgements", int(table["keyphrase"].notna().sum()), one, several))
    numbers = table[["pair_id", "keyphrase", "candidate"]].drop_duplicates()["pair_id"]
    if numbers.duplicated().any():
        found = f"pair “{numbers[numbers.duplicated()].iloc[0]}” with different phrases"
        raise InputError("judgements", found, "one pair per number", "Renumber the pairs of all files.")
    again = table.duplicated(["pair_id", "annotator"])
    if again.any():
        row = table[again].iloc[0]
        found = f"a second score of “{row['annotator']}” for pair “{row['pair_id']}”"
        remedy = "Remove one of them, or number the pairs."
        raise InputError("judgements", found, "one score per pair and annotator", remedy)
    return table
