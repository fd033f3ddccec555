"""Turn the checked rows of all files into one Corpus: documents, gold standard, ranked lists, judgements, report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, LoadReport, Ranking, empty_table, flatten, run_starts
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.beside.datasets import dataset_column, datasets_of
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.fields import plain
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.open.values import TEXT, distinct_values, frame_of, series
from kp_core.reading.rows.check import Part
from kp_core.reading.rows.identifiers import WORDS
from kp_core.reading.rows.settle import settle

Integers = npt.NDArray[np.int64]


def assemble(
    parts: Sequence[Part], fixes: Sequence[str], limits: Limits, notes: Iterable[Note] = (), silent: Iterable[str] = ()
) -> Corpus:
    """Build the corpus; what cannot be built as a whole is refused.

    silent  systems that were named and gave nothing: they are scored as missing everywhere, and said to be so
    """
    said = [*notes, *(note for part in parts for note in part.notes)]
    datasets = datasets_of(parts)
    if datasets:
        said.append(
            Note("info", "data sets", f"The documents are of {len(datasets)} data sets: {', '.join(datasets)}.")
        )
    empty = settle(parts, fixes, said).astype(TEXT).reset_index(drop=True)
    roles = ("gold", "documents", "system", "judgements")
    by_role = {role: [part for part in parts if part.role == role] for role in roles}
    listed = [*by_role["gold"], *by_role["system"]]
    for role, what in (("gold", "annotators"), ("system", "systems")):
        owners = {name: part.file for part in by_role[role] for name in part.every_source()}
        refuse_over(limits.sources, len(owners), what, next(reversed(owners.values()), ""), "data")
    gold = _gold([part for part in by_role["gold"] if len(part.table)], limits)
    rankings = dict[str, Ranking]()
    runs = _runs(by_role["system"], limits, rankings, said)
    every = [part for role in ("gold", "documents", "system") for part in by_role[role]]
    documents = _documents(by_role["documents"], every, limits, fixes)
    if datasets:
        documents["dataset"] = series(pa.chunked_array([dataset_column(documents["doc_id"], datasets)]))
    judgements = _judgements(by_role["judgements"], gold, said)
    out = [row for part in parts for row in part.rejected]
    rejected = pd.DataFrame(out, columns=["file", "line", "reason", "content"]).astype(str).astype(TEXT)
    for file, rows in rejected.groupby("file", sort=False):
        said.append(Note("warning", str(file), rejected_in_words(rows)))
    filled = {(part.role, part.file) for part in listed if part.every_source()}
    for part in listed:
        if (part.role, part.file) in filled or part.rejected:
            continue
        if part.role == "gold":
            said.append(Note("warning", part.file, "The file holds no rows, so there is nothing of it."))
        else:
            silent = [*silent, part.name]
    for name in (name for name in dict.fromkeys(silent) if name not in rankings):
        rankings[name] = Ranking()
        said.append(Note("warning", name, "There is no list of this system; it is scored as missing."))
    report = LoadReport((), rejected, tuple(dict.fromkeys(said)), tuple(fixes))
    return Corpus(documents, gold, runs, judgements, empty, rankings, report)


def _gold(parts: Sequence[Part], limits: Limits) -> pd.DataFrame:
    if not parts:
        return empty_table("gold").drop(columns="variants")
    table = _concat([part.table for part in parts]).rename_columns({"source": "annotator"})
    if len(table) > limits.list_phrases:
        _refuse_long_lists(table, parts[0].starts() if len(parts) == 1 else run_starts(table["doc_id"]), limits)
    return frame_of(table, ("doc_id", "annotator", "phrase", "relevance"))


def _refuse_long_lists(table: pa.Table, starts: Integers, limits: Limits) -> None:
    together = len(distinct_values(table["doc_id"], starts)) == len(starts)
    if together and np.diff(np.append(starts, len(table))).max() <= limits.list_phrases:
        return
    keys = ["annotator", "doc_id"]
    sizes = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    longest = sizes.sort_by([("count_all", "descending")]).slice(0, 1).to_pylist()[0]
    what = f"phrases for “{longest['doc_id'][:60]}”"
    refuse_over(limits.list_phrases, longest["count_all"], what, longest["annotator"], "a list")


def _runs(parts: Sequence[Part], limits: Limits, rankings: dict[str, Ranking], notes: list[Note]) -> pd.DataFrame:
    """Return the ranked lists of all systems, in order of loading; how their ranks came about goes to `rankings`."""
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
        starts = part.starts() if table is part.table else run_starts(table["doc_id"])
        found = order(table, starts, part.mapping.higher_is_better, lower="yake" in plain(name))
        rankings[name] = found.ranking
        refuse_over(limits.list_phrases, int(found.rank.max()), f"phrases of “{name}”", part.file, "a list")
        notes += _said_of_order(name, part.file, found, part.mapping.higher_is_better)
        table = table if found.take is None else table.take(pa.array(found.take))
        kept = [column for column in table.column_names if column != "rank"]
        ranked = table.select(kept).append_column("rank", pa.chunked_array([pa.array(found.rank)]))
        tables.append(ranked.rename_columns({"source": "system"}))
    return frame_of(_concat(tables), ("system", "doc_id", "rank", "phrase", "score")) if tables else empty_table("runs")


def _by_system(part: Part) -> list[tuple[str, pa.Table]]:
    if len(part.sources) <= 1:
        return [
            (name, part.table) for name in part.sources if len(part.table)
        ]  # a fix may have kept the lists of other files
    coded = part.table["source"].combine_chunks().dictionary_encode()
    codes = coded.indices.to_numpy()
    moved = np.argsort(codes, kind="stable")
    table = part.table.take(pa.array(moved))
    bounds = np.searchsorted(codes[moved], np.arange(len(coded.dictionary) + 1))
    labels = coded.dictionary.to_pylist()
    return [(label, table.slice(bounds[i], bounds[i + 1] - bounds[i])) for i, label in enumerate(labels)]


def _said_of_order(name: str, file: str, found: Order, chosen: bool | None) -> Iterator[Note]:
    """Say what was done to bring the lists of a system into the order of their ranks, and how to have the other one."""
    by, higher = found.ranking.ranked_by, found.ranking.higher_is_better
    first, other = ("highest", "lower") if higher else ("lowest", "higher")
    said = f"--as {file}:higher_is_better={'no' if higher else 'yes'}"
    remedy = f" If {other} scores are better, change it in the form of the file ({said})." if chosen is None else ""
    if by == "score" and not higher and not found.ranking.resorted:
        yield Note("info", file, f"Scores of “{name}” rise down the lists: lower is taken as better.{remedy}")
    if found.ranking.resorted:
        one, several = f"list of “{name}” was not in order of {by}", f"lists of “{name}” were not in order of {by}"
        rest = f" sorted, the {first} first.{remedy}" if by == "score" else " sorted."
        note = Note.counting(
            "info", file, found.ranking.resorted, f"{one}; it was{rest}", f"{several}; they were{rest}"
        )
        yield replace(note, level="warning") if by == "score" else note
    if found.tied:
        rest = f"one of equal {by}; file order stays."
        one, several = f"phrase of “{name}” follows {rest}", f"phrases of “{name}” follow {rest}"
        yield Note.counting("info", file, found.tied, one, several)


@dataclass(frozen=True)
class Order:
    """The order of the rows (None: as they stand), their ranks, how these came about, and what was counted."""

    take: Integers | None
    rank: Integers
    ranking: Ranking
    tied: int = 0


def order(table: pa.Table, starts: Integers, higher_is_better: bool | None = None, *, lower: bool = False) -> Order:
    """Order the rows of one system so that each document's rows stand together, ranked 1, 2, ...

    starts  rows at which another document begins, as the rows stand
    lower   whether lower scores are better if nothing else tells, as those of YAKE are
    """
    heads = flatten(table["doc_id"]).take(pa.array(starts)).dictionary_encode().indices.to_numpy().astype(np.int64)
    documents = np.repeat(heads, np.diff(np.append(starts, len(table))))
    take: Integers | None = None
    if heads.max(initial=-1) + 1 < len(heads):  # rows of one document stand apart
        take = np.argsort(documents, kind="stable")
        documents = documents[take]
    follows = np.diff(documents) == 0
    first = np.flatnonzero(np.append(True, ~follows))
    rank = np.arange(1, len(table) + 1) - np.repeat(first, np.diff(np.append(first, len(table))))
    ranks, scores = _column(table, "rank", take), _column(table, "score", take)
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


def _column(table: pa.Table, name: str, take: Integers | None) -> npt.NDArray[np.float64] | None:
    if name not in table.column_names:
        return None
    values: npt.NDArray[np.float64] = table[name].to_numpy()
    return values if take is None else values[take]


def _moved(documents: Integers, key: npt.NDArray[np.float64], follows: npt.NDArray[np.bool_]) -> Integers | None:
    """Return the rows of each document by a key, the least first; None if they are in this order."""
    return np.lexsort((key, documents)) if ((key[1:] < key[:-1]) & follows).any() else None


def _higher(
    scores: npt.NDArray[np.float64] | None, follows: npt.NDArray[np.bool_], chosen: bool | None, lower: bool
) -> bool:
    """Tell whether higher scores are better, judged over all lists."""
    if chosen is not None or scores is None:
        return chosen is not False
    rises = bool(((scores[1:] > scores[:-1]) & follows).any())
    falls = bool(((scores[1:] < scores[:-1]) & follows).any())
    return not rises or (falls and not lower)


def _concat(tables: list[pa.Table]) -> pa.Table:
    """Put tables one after another; a further column of different types becomes text."""
    if len(tables) == 1:
        return tables[0]
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for column in table.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    for name in (name for name, types in kinds.items() if len(types) > 1):
        tables = [_as_text(table, name) for table in tables]
    return pa.concat_tables(tables, promote_options="default")


def _as_text(table: pa.Table, name: str) -> pa.Table:
    if name not in table.column_names or pa.types.is_large_string(table[name].type):
        return table
    values = [None if value is None else str(value) for value in table[name].to_pylist()]
    texts = pa.chunked_array([pa.array(values, pa.large_string())])
    return table.set_column(table.column_names.index(name), name, texts)


def rejected_in_words(rows: pd.DataFrame) -> str:
    """Say how many rows of a file were rejected, and why the first."""
    first = rows.iloc[0]
    place = f"line {first['line']}: " if first["line"] != "0" else ""
    count = pluralize(len(rows), "row was", "rows were")
    return f"{count} rejected and {'is' if len(rows) == 1 else 'are'} not used; the first, {place}{first['reason']}."


def _documents(given: Sequence[Part], every: Sequence[Part], limits: Limits, fixes: Sequence[str]) -> pd.DataFrame:
    """Return a row for every id of any source, with the text, title and type that some file gives."""
    ids = pc.unique(pa.chunked_array([part.ids() for part in every], pa.large_string()))
    index = pd.Index(series(pa.chunked_array([ids])), name="doc_id")
    refuse_over(limits.documents, len(index), "documents", "documents", "data")
    nothing = pa.chunked_array([pa.nulls(len(index), pa.large_string())])
    blank = {name: series(nothing) for name in ("text", "title", "group")}
    if not given:
        return pd.DataFrame({"doc_id": index.to_series(index=range(len(index))), **blank})
    frames = [_without_blanks(frame_of(part.table, ("doc_id",))).assign(file_=part.file) for part in given]
    rows = pd.concat(frames, ignore_index=True)
    if rows["doc_id"].duplicated().any():
        if "text" in rows and "keep-first" not in fixes:
            _ask_about_two_texts(rows)
        rows = rows.groupby("doc_id", sort=False, dropna=False).first().reset_index()
    found = rows.drop(columns="file_").set_index("doc_id").reindex(index).reset_index()
    for name, column in blank.items():
        found[name] = found[name].astype(TEXT) if name in found else column
    return found[["doc_id", "text", "title", "group", *(c for c in found if c not in ("doc_id", *blank))]]


def _without_blanks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose blank texts are missing; lists of a further field cannot be compared with a text."""
    texts = {name: frame[name].replace("", np.nan) for name in frame if frame[name].dtype == TEXT}
    return frame.assign(**texts)


def _ask_about_two_texts(rows: pd.DataFrame) -> None:
    texts = rows.dropna(subset=["text"]).drop_duplicates(["doc_id", "text"])
    again = texts["doc_id"].duplicated()
    if again.any():
        second = texts[again].iloc[0]
        first = texts[texts["doc_id"] == second["doc_id"]].iloc[0]
        found = f"another text for “{second['doc_id']}”, first in {first['file_']}"
        answer = Reply(WORDS["keep-first"], fixes=("keep-first",))
        raise Question(Finding("ask", second["file_"], found, "one text a document", (answer,)))


def _judgements(parts: Sequence[Part], gold: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    """Return the table of judgements; a `gold_id` is followed to the keyphrase of the gold standard."""
    first = tuple(empty_table("judgements"))
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
        raise InputError("judgements", found, "one pair a number", "Number the pairs of all files anew.")
    again = table.duplicated(["pair_id", "annotator"])
    if again.any():
        row = table[again].iloc[0]
        found = f"a second score of “{row['annotator']}” for pair “{row['pair_id']}”"
        remedy = "Remove one of them, or number the pairs."
        raise InputError("judgements", found, "one score a pair and annotator", remedy)
    return table
