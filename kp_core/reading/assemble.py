"""Turn the checked rows of all files into one Corpus: documents, gold standard, ranked lists, judgements, report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from kp_core.corpus import Corpus, LoadReport, Ranking, Reading, empty_table, run_starts
from kp_core.errors import InputError, Note, counted
from kp_core.reading.documents import document_table
from kp_core.reading.frame import TEXT, frame_of
from kp_core.reading.judged import judgement_table
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.ranking import order
from kp_core.reading.settle import Part, settle
from kp_core.reading.values import distinct_values


@dataclass
class _Draft:
    ids: list[pa.Array] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    rankings: dict[str, Ranking] = field(default_factory=dict)


def assemble(
    parts: Sequence[Part],
    readings: Sequence[Reading],
    fixes: Sequence[str],
    limits: Limits,
    notes: Iterable[Note] = (),
    silent: Sequence[str] = (),
) -> Corpus:
    """Build the corpus; what cannot be built as a whole is refused.

    silent  systems that were named and gave nothing: they are scored as missing everywhere, and said to be so
    """
    draft = _Draft(notes=[*notes, *(note for part in parts for note in part.notes)])
    hollow = settle(parts, fixes, draft.notes)
    for role, what in (("gold", "annotators"), ("system", "systems")):
        owners = {name: part.file for part in parts if part.role == role for name in part.systems()}
        refuse_over(limits.sources, len(owners), what, next(reversed(owners.values()), ""), "data")
    gold = _gold([part for part in parts if part.role == "gold"], draft, limits)
    texts = [part for part in parts if part.role == "documents"]
    for part in texts:
        draft.ids.append(part.ids())
    runs = _runs([part for part in parts if part.role == "system"], draft, limits)
    documents = document_table(texts, draft.ids, limits)
    judgements = judgement_table([p for p in parts if p.role == "judgements"], gold, draft.notes)
    empty = pd.DataFrame(list(dict.fromkeys(hollow)), columns=["role", "source", "doc_id"], dtype=TEXT)
    rejected = [row for part in parts for row in part.rejected]
    table = pd.DataFrame(rejected, columns=["file", "line", "reason", "content"]).astype(str).astype(TEXT)
    for file, rows in table.groupby("file", sort=False):
        draft.notes.append(Note("warning", str(file), rejected_in_words(rows)))
    for name in dict.fromkeys([*silent, *_without_lists(parts, draft)]):
        draft.rankings.setdefault(name, Ranking())
        draft.notes.append(Note("warning", name, "There is no list of this system; it is scored as missing."))
    report = LoadReport(tuple(readings), table, tuple(dict.fromkeys(draft.notes)), tuple(fixes))
    return Corpus(documents, gold, runs, judgements, empty, draft.rankings, report)


def _without_lists(parts: Sequence[Part], draft: _Draft) -> list[str]:
    """Return the systems whose files hold nothing; that there is nothing of an annotator is noted."""
    hollow = [part for part in parts if part.role in ("gold", "system") and not part.systems() and not part.rejected]
    draft.notes += [
        Note("warning", part.file, "The file holds no rows, so there is nothing of it.")
        for part in hollow
        if part.role == "gold"
    ]
    return [part.name for part in hollow if part.role == "system" and part.name not in draft.rankings]


def _gold(parts: list[Part], draft: _Draft, limits: Limits) -> pd.DataFrame:
    for part in parts:
        draft.ids.append(part.ids())
    parts = [part for part in parts if len(part.table)]
    tables = [part.table for part in parts]
    if not tables:
        return empty_table("gold").drop(columns="variants")
    table = _concat(tables).rename_columns({"source": "annotator"})
    if len(table) > limits.list_phrases:
        _refuse_long_lists(table, parts[0].starts() if len(tables) == 1 else run_starts(table["doc_id"]), limits)
    return frame_of(table, ("doc_id", "annotator", "phrase", "relevance"))


def _refuse_long_lists(table: pa.Table, starts: npt.NDArray[np.int64], limits: Limits) -> None:
    keys = ["annotator", "doc_id"]
    together = len(distinct_values(table["doc_id"], starts)) == len(starts)
    if together and np.diff(np.append(starts, len(table))).max() <= limits.list_phrases:
        return
    sizes = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    longest = sizes.sort_by([("count_all", "descending")]).slice(0, 1).to_pylist()[0]
    if longest["count_all"] > limits.list_phrases:
        found = f"a list of {longest['count_all']:,} phrases for “{longest['doc_id'][:60]}”"
        raise InputError(
            longest["annotator"], found, f"at most {limits.list_phrases:,}", "Shorten it, or raise the limit."
        )


def _runs(parts: list[Part], draft: _Draft, limits: Limits) -> pd.DataFrame:
    pieces: dict[str, list[pa.Table]] = {}
    owners: dict[str, Part] = {}
    for part in parts:
        draft.ids.append(part.ids())
        for name, table in _by_system(part):
            pieces.setdefault(name, []).append(table)
        for name in part.systems():
            owners.setdefault(name, part)
    tables: list[pa.Table] = []
    for name, part in owners.items():
        draft.rankings[name] = Ranking()
        if name in pieces:
            tables.append(_ranked(name, _concat(pieces[name]), part, draft, limits))
    if not tables:
        return empty_table("runs")
    return frame_of(_concat(tables), ("system", "doc_id", "rank", "phrase", "score"))


def _by_system(part: Part) -> list[tuple[str, pa.Table]]:
    table = part.table
    if len(part.sources) <= 1:
        return [(name, table) for name in part.sources]
    coded = table["source"].combine_chunks().dictionary_encode()
    codes = coded.indices.to_numpy()
    moved = np.argsort(codes, kind="stable")
    table = table.take(pa.array(moved))
    bounds = np.searchsorted(codes[moved], np.arange(len(coded.dictionary) + 1))
    labels = coded.dictionary.to_pylist()
    return [(label, table.slice(bounds[i], bounds[i + 1] - bounds[i])) for i, label in enumerate(labels)]


def _ranked(name: str, table: pa.Table, part: Part, draft: _Draft, limits: Limits) -> pa.Table:
    alone = table is part.table
    found = order(table, part.starts() if alone else run_starts(table["doc_id"]), part.choice.higher_is_better)
    draft.rankings[name] = found.ranking
    if found.rank.max() > limits.list_phrases:
        what = f"a list of {int(found.rank.max()):,} phrases of “{name}”"
        raise InputError(part.file, what, f"at most {limits.list_phrases:,}", "Shorten it, or raise the limit.")
    if found.take is not None:
        table = table.take(pa.array(found.take))
    if found.ranking.ranked_by == "score" and not found.ranking.higher_is_better:
        draft.notes.append(
            Note("info", part.file, f"Scores of “{name}” rise down the lists: lower is taken as better.")
        )
    if found.ranking.resorted:
        by = found.ranking.ranked_by
        one = f"list of “{name}” was not in order of {by}; it was sorted."
        several = f"lists of “{name}” were not in order of {by}; they were sorted."
        note = Note.counting("info", part.file, found.ranking.resorted, one, several)
        draft.notes.append(replace(note, level="warning") if by == "score" else note)
    if found.tied:
        rest = f"one of equal {found.ranking.ranked_by}; file order stays."
        one, several = f"phrase of “{name}” follows {rest}", f"phrases of “{name}” follow {rest}"
        draft.notes.append(Note.counting("info", part.file, found.tied, one, several))
    rank = pa.chunked_array([pa.array(found.rank)])
    names = table.column_names
    table = (
        table.set_column(names.index("rank"), "rank", rank) if "rank" in names else table.append_column("rank", rank)
    )
    return table.rename_columns({"source": "system"})


def _concat(tables: list[pa.Table]) -> pa.Table:
    """Put tables one after another; a further column of different types becomes text."""
    if len(tables) == 1:
        return tables[0]
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for column in table.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    mixed = [name for name, types in kinds.items() if len(types) > 1]
    for name in mixed:
        tables = [_as_text(table, name) for table in tables]
    return pa.concat_tables(tables, promote_options="default")


def _as_text(table: pa.Table, name: str) -> pa.Table:
    if name not in table.column_names or pa.types.is_large_string(table[name].type):
        return table
    values = [None if value is None else str(value) for value in table[name].to_pylist()]
    return table.set_column(
        table.column_names.index(name), name, pa.chunked_array([pa.array(values, pa.large_string())])
    )


def rejected_in_words(rows: pd.DataFrame) -> str:
    """Say how many rows of a file were rejected, and why the first."""
    first = rows.iloc[0]
    place = f"line {first['line']}: " if first["line"] != "0" else ""
    count = counted(len(rows), "row was", "rows were")
    return f"{count} rejected and {'is' if len(rows) == 1 else 'are'} not used; the first, {place}{first['reason']}."
