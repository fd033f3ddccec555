"""Turn the checked rows of all files into one Corpus: documents, gold standard, ranked lists, judgements, report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.errors import InputError
from kp_core.model import Corpus, LoadReport, Note, Ranking, Reading, Role, empty_table
from kp_core.reading.check import Checked
from kp_core.reading.identifiers import id_fix
from kp_core.reading.judged import judgement_table
from kp_core.reading.limits import Limits
from kp_core.reading.ranking import order
from kp_core.reading.values import distinct, run_starts

_TEXT = pd.StringDtype(na_value=np.nan)


@dataclass
class Part:
    """The checked rows of one role from one reading; `name` is the annotator or system where no column says it."""

    role: Role
    file: str
    name: str
    checked: Checked
    origin: int = 0
    named: bool = False
    higher_is_better: bool | None = None
    sources: list[str] = field(default_factory=list)


@dataclass
class _Draft:
    ids: list[str] = field(default_factory=list)
    empty: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    rankings: dict[str, Ranking] = field(default_factory=dict)


def assemble(
    parts: Sequence[Part], readings: Sequence[Reading], fixes: Sequence[str], limits: Limits, notes: Iterable[Note] = ()
) -> Corpus:  # fmt: skip
    """Build the corpus; what cannot be built as a whole is refused."""
    draft = _Draft(notes=[*notes, *(note for part in parts for note in part.checked.notes)])
    for part in parts:
        _name_sources(part, parts)
    for fix in fixes:
        _fix_ids(parts, fix, draft)
    _settle_lists(parts, fixes, draft)
    gold = _gold([part for part in parts if part.role == "gold"], draft, limits)
    texts = [part for part in parts if part.role == "documents"]
    for part in texts:
        draft.ids.extend(part.checked.ids())
    runs = _runs([part for part in parts if part.role == "system"], draft, limits)
    documents = _documents(texts, draft, limits)
    judgements = judgement_table([p.checked for p in parts if p.role == "judgements"], gold, draft.notes)
    empty = pd.DataFrame(list(dict.fromkeys(draft.empty)), columns=["role", "source", "doc_id"], dtype=_TEXT)
    if "missing-as-empty" in fixes:
        empty = _with_missing(empty, gold, runs, draft)
    rejected = [row for part in parts for row in part.checked.rejected]
    table = pd.DataFrame(rejected, columns=["file", "line", "reason", "content"]).astype(str).astype(_TEXT)
    report = LoadReport(tuple(readings), table, tuple(dict.fromkeys(draft.notes)), tuple(fixes))
    return Corpus(documents, gold, runs, judgements, empty, draft.rankings, report)


def _name_sources(part: Part, parts: Sequence[Part]) -> None:
    """Give every row a source: the column's, else `gold` for a single gold file, else the name of the file."""
    if part.role not in ("gold", "system"):
        return
    checked = part.checked
    several = len({other.origin for other in parts if other.role == "gold"}) > 1
    default = part.name if part.role == "system" or several or part.named else "gold"
    if checked.lists is not None:
        sources = checked.lists["source"]
        checked.lists = checked.lists.assign(source=sources.where(sources.notna(), default))
    if "source" not in checked.table.column_names:
        names = pa.repeat(pa.scalar(default, pa.large_string()), len(checked.table))
        checked.table = checked.table.append_column("source", pa.chunked_array([names]))
        part.sources = [default] if len(checked.table) else []
        return
    found = distinct(checked.table["source"])
    if "" in found or None in found:
        blank = pc.equal(checked.table["source"].fill_null(""), "")
        checked.replace("source", pc.if_else(blank, pa.scalar(default, pa.large_string()), checked.table["source"]))
        found = list(dict.fromkeys(name or default for name in found))
    if part.named and part.name not in found:
        renamed = {name: part.name if len(found) == 1 else f"{part.name}/{name}" for name in found}
        checked.replace("source", _mapped(checked.table["source"], renamed))
        found = list(renamed.values())
        if checked.lists is not None:
            checked.lists = checked.lists.assign(source=checked.lists["source"].map(lambda name: renamed.get(name, part.name)))
    part.sources = found


def _mapped(column: pa.ChunkedArray, renamed: dict[str, str]) -> pa.ChunkedArray:
    coded = column.combine_chunks().dictionary_encode()
    values = pa.array([renamed.get(value, value) for value in coded.dictionary.to_pylist()], pa.large_string())
    return pa.chunked_array([values.take(coded.indices)])


def _fix_ids(parts: Sequence[Part], fix: str, draft: _Draft) -> None:
    """Apply one rule to all ids; refused where two ids of one file would become one."""
    rule = id_fix(fix)
    if rule is None:
        return
    changed: set[str] = set()
    for part in parts:
        checked = part.checked
        if "doc_id" not in checked.table.column_names:
            continue
        renamed = {doc_id: rule(doc_id) for doc_id in checked.ids()}
        taken: dict[str, str] = {}
        for old, new in renamed.items():
            if taken.setdefault(new, old) != old:
                found = f"the ids “{taken[new]}” and “{old}”, which the fix “{fix}” would make one"
                raise InputError(part.file, found, "ids that stay different", "Load without this fix.")
        changed.update(old for old, new in renamed.items() if old != new)
        checked.replace("doc_id", _mapped(checked.table["doc_id"], renamed))
        if checked.lists is not None:
            checked.lists = checked.lists.assign(doc_id=checked.lists["doc_id"].map(renamed))
    draft.notes.append(Note("info", "ids", f"The fix “{fix}” changed {len(changed):,} ids."))


def _settle_lists(parts: Sequence[Part], fixes: Sequence[str], draft: _Draft) -> None:
    """Refuse a document that one annotator or system has twice, keep the first or merge; then note empty lists."""
    with_lists = [part for part in parts if part.checked.lists is not None and part.role in ("gold", "system")]
    if not with_lists:
        return
    tables = [part.checked.lists.assign(role=part.role, part=n) for n, part in enumerate(with_lists)]  # type: ignore[union-attr]
    every = pd.concat(tables)
    keys = ["role", "source", "doc_id"]
    again = every.duplicated(keys)
    if again.any() and not {"keep-first", "merge"} & set(fixes):
        second = every[again].iloc[0]
        first = every[(every[keys] == second[keys]).all(axis=1)].iloc[0]
        found = f"document “{second['doc_id']}” of “{second['source']}” again, first {_place(first)}"
        remedy = "Remove one of them, or choose ‘keep the first’ or ‘merge’."
        raise InputError(_place(second), found, "each document once", remedy)
    if again.any():
        done = "the first was kept" if "keep-first" in fixes else "they were merged"
        draft.notes.append(Note("warning", "lists", f"{int(again.sum()):,} documents were there twice; {done}."))
    for number, part in enumerate(with_lists):
        checked = part.checked
        kept = ~again[(every["part"] == number)].to_numpy() if "keep-first" in fixes else np.ones(len(tables[number]), dtype=bool)
        checked.lists = tables[number][kept]
        if not kept.all():
            mask = np.isin(checked.table["list"].to_numpy(), checked.lists.index.to_numpy())
            checked.keep(mask)
        full = np.unique(checked.table["list"].to_numpy())
        hollow = checked.lists[~checked.lists.index.isin(full)]
        draft.empty.extend((part.role, source, doc_id) for source, doc_id in zip(hollow["source"], hollow["doc_id"], strict=True))
        checked.table = checked.table.drop_columns(["list"])
    filled = {(part.role, s, d) for part in with_lists for s, d in _filled(part)} if draft.empty else set()
    draft.empty = [key for key in draft.empty if key not in filled]


def _filled(part: Part) -> Iterable[tuple[str, str]]:
    pairs = part.checked.table.select(["source", "doc_id"]).group_by(["source", "doc_id"]).aggregate([])
    return zip(pairs["source"].to_pylist(), pairs["doc_id"].to_pylist(), strict=True)


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])


def _gold(parts: list[Part], draft: _Draft, limits: Limits) -> pd.DataFrame:
    for part in parts:
        draft.ids.extend(part.checked.ids())
    parts = [part for part in parts if len(part.checked.table)]
    tables = [part.checked.table for part in parts]
    if not tables:
        empty = empty_table("gold").drop(columns="variants")
        return empty.astype({"relevance": "float64"})
    table = _concat(tables).rename_columns({"source": "annotator"})
    if len(table) > limits.list_phrases:
        _refuse_long_lists(table, parts[0].checked.starts() if len(tables) == 1 else run_starts(table["doc_id"]), limits)
    return _frame(table, ("doc_id", "annotator", "phrase", "relevance"))


def _refuse_long_lists(table: pa.Table, starts: npt.NDArray[np.int64], limits: Limits) -> None:
    keys = ["annotator", "doc_id"]
    together = len(distinct(table["doc_id"], starts)) == len(starts)
    if together and np.diff(np.append(starts, len(table))).max() <= limits.list_phrases:
        return
    sizes = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    longest = sizes.sort_by([("count_all", "descending")]).slice(0, 1).to_pylist()[0]
    if longest["count_all"] > limits.list_phrases:
        found = f"a list of {longest['count_all']:,} phrases for “{longest['doc_id'][:60]}”"
        raise InputError(longest["annotator"], found, f"at most {limits.list_phrases:,}", "Shorten it, or raise the limit.")


def _runs(parts: list[Part], draft: _Draft, limits: Limits) -> pd.DataFrame:
    pieces: dict[str, list[pa.Table]] = {}
    origins: dict[str, Part] = {}
    for part in parts:
        draft.ids.extend(part.checked.ids())
        listed = [] if part.checked.lists is None else part.checked.lists["source"].unique().tolist()
        for name, table in _by_system(part):
            pieces.setdefault(name, []).append(table)
        for name in dict.fromkeys([*part.sources, *listed]):
            other = origins.setdefault(name, part)
            if other.origin != part.origin:
                found = f"the system name “{name}” again, first in {other.file}"
                raise InputError(part.file, found, "each system name once", "Give each file its own name (NAME=PATH).")
    tables: list[pa.Table] = []
    for name, part in origins.items():
        table = _concat(pieces[name]) if name in pieces else None
        draft.rankings[name] = Ranking()
        if table is not None:
            tables.append(_ranked(name, table, part, draft, limits))
    if not tables:
        return empty_table("runs").astype({"rank": "int64", "score": "float64"})
    return _frame(_concat(tables), ("system", "doc_id", "rank", "phrase", "score"))


def _by_system(part: Part) -> list[tuple[str, pa.Table]]:
    table = part.checked.table
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
    alone = table is part.checked.table
    found = order(table, part.checked.starts() if alone else run_starts(table["doc_id"]), part.higher_is_better)
    draft.rankings[name] = found.ranking
    if found.rank.max() > limits.list_phrases:
        what = f"a list of {int(found.rank.max()):,} phrases of “{name}”"
        raise InputError(part.file, what, f"at most {limits.list_phrases:,}", "Shorten it, or raise the limit.")
    if found.take is not None:
        table = table.take(pa.array(found.take))
    if found.ranking.ranked_by == "score" and not found.ranking.higher_is_better:
        draft.notes.append(Note("info", part.file, f"Scores of “{name}” rise down the lists: lower is taken as better."))
    if found.resorted:
        message = f"{found.resorted:,} lists of “{name}” were not in order of {found.ranking.ranked_by}; they were sorted."
        draft.notes.append(Note("warning" if found.ranking.ranked_by == "score" else "info", part.file, message))
    if found.tied:
        message = f"{found.tied:,} neighbours of “{name}” have equal {found.ranking.ranked_by}s; they stay in file order."
        draft.notes.append(Note("info", part.file, message))
    rank = pa.chunked_array([pa.array(found.rank)])
    names = table.column_names
    table = table.set_column(names.index("rank"), "rank", rank) if "rank" in names else table.append_column("rank", rank)
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
    return table.set_column(table.column_names.index(name), name, pa.chunked_array([pa.array(values, pa.large_string())]))


def _frame(table: pa.Table, first: tuple[str, ...]) -> pd.DataFrame:
    """Return a DataFrame, the named columns first; text stays in Arrow memory."""
    columns: dict[str, object] = {}
    for name in [*first, *(n for n in table.column_names if n not in first)]:
        if name not in table.column_names:
            columns[name] = np.full(len(table), np.nan)
        elif name == "variants":
            lists = table[name].to_pylist()
            columns[name] = pd.Series([None if v is None else tuple(v) for v in lists], dtype=object)
        else:
            columns[name] = series(table[name])
    return pd.DataFrame(columns, copy=False)


def series(column: pa.ChunkedArray) -> pd.Series | npt.NDArray[np.float64]:
    """Return a column as pandas holds it, without a copy of text."""
    if pa.types.is_large_string(column.type):
        return pd.Series(_TEXT.__from_arrow__(column), copy=False)
    return column.to_pandas()


def _documents(parts: list[Part], draft: _Draft, limits: Limits) -> pd.DataFrame:
    ids = pd.Index(list(dict.fromkeys(draft.ids)), dtype=_TEXT, name="doc_id")
    if len(ids) > limits.documents:
        raise InputError("documents", f"{len(ids):,} documents", f"at most {limits.documents:,}", "Load fewer.")
    nothing = pa.chunked_array([pa.nulls(len(ids), pa.large_string())])
    blank = {name: series(nothing) for name in ("text", "title", "group")}
    if not parts:
        return pd.DataFrame({"doc_id": ids.to_series(index=range(len(ids))), **blank})
    frames = [_frame(part.checked.table, ("doc_id",)).assign(file_=part.file) for part in parts]
    every = pd.concat(frames, ignore_index=True).replace("", np.nan)
    if every["doc_id"].duplicated().any():
        if "text" in every:
            _refuse_two_texts(every)
        every = every.groupby("doc_id", sort=False, dropna=False).first().reset_index()
    found = every.drop(columns="file_").set_index("doc_id").reindex(ids).reset_index()
    for name, column in blank.items():
        found[name] = found[name].astype(_TEXT) if name in found else column
    return found[["doc_id", "text", "title", "group", *(c for c in found if c not in ("doc_id", *blank))]]


def _refuse_two_texts(every: pd.DataFrame) -> None:
    texts = every.dropna(subset=["text"]).drop_duplicates(["doc_id", "text"])
    again = texts["doc_id"].duplicated()
    if again.any():
        second = texts[again].iloc[0]
        first = texts[texts["doc_id"] == second["doc_id"]].iloc[0]
        found = f"another text for “{second['doc_id']}”, first in {first['file_']}"
        raise InputError(second["file_"], found, "one text a document", "Remove one of them.")


def _with_missing(empty: pd.DataFrame, gold: pd.DataFrame, runs: pd.DataFrame, draft: _Draft) -> pd.DataFrame:
    """Count documents of the gold standard that a system lacks as empty lists."""
    needed = list(dict.fromkeys([*gold["doc_id"].unique(), *empty.loc[empty["role"] == "gold", "doc_id"]]))
    added = []
    for system in draft.rankings:
        there = set(runs.loc[runs["system"] == system, "doc_id"]) | set(
            empty.loc[(empty["role"] == "system") & (empty["source"] == system), "doc_id"]
        )
        added += [("system", system, doc_id) for doc_id in needed if doc_id not in there]
    draft.notes.append(Note("info", "systems", f"{len(added):,} missing lists count as empty."))
    return pd.concat([empty, pd.DataFrame(added, columns=list(empty.columns), dtype=_TEXT)], ignore_index=True)
