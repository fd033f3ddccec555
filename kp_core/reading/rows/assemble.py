"""Assign sources and ids to the checked rows of all files, and combine them into one Corpus; refuse duplicate lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Corpus, LoadReport, Ranking, columns_of, empty_table, flatten, run_starts
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.beside.datasets import dataset_column, datasets_of
from kp_core.reading.limits import Limits, refuse_over
from kp_core.reading.meaning.fields import SYSTEM_FOLDERS, plain
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.open.source import stem_of
from kp_core.reading.open.table import as_text
from kp_core.reading.open.values import TEXT, distinct, frame_of, repeated, series, trim
from kp_core.reading.rows.check import Part, put
from kp_core.reading.rows.identifiers import WORDS, id_fix, types_in_ids, without_common

Integers = npt.NDArray[np.int64]
_LIST = ["role", "source", "doc_id"]
#: The name of a file with one run: a number, perhaps after a word such as “run”.
_RUN = re.compile(r"(?:seed|run|replicate|lauf|rep|r|s)?[-_ ]?\d+", re.IGNORECASE)


def align(parts: Sequence[Part], notes: list[Note]) -> None:
    """Name the documents of files without ids, whose line n is document n; refuse them if they differ in length.

    The ids come from a file of ids, or from the only table of texts if it has the same number of documents.
    """
    _refuse_other_titles(parts)
    numbered = [part for part in parts if part.counted]
    if all(part.only_ids for part in numbered):
        return
    reference = numbered[0]
    if unequal := next((part for part in numbered if part.counted != reference.counted), None):
        found = f"{pluralize(unequal.counted, 'document')}, where {reference.file} has {reference.counted:,}"
        remedy = "Lines of these files belong together by their number, blank lines included; compare the files."
        raise InputError(unequal.file, found, "as many as in the other files without ids", remedy)
    texts = [part for part in parts if part.role == "documents" and not part.counted and part.places is None]
    fitting = [part for part in texts if len(texts) == 1 and len(part.ids()) == reference.counted]
    companion = next((part for part in numbered if part.only_ids), next(iter(fitting), None))
    level: Any
    numbers = list(map(str, range(1, reference.counted + 1)))
    if companion is not None:
        names, level = companion.ids().to_pylist(), "info"
        if len(names) != reference.counted:
            found, expected = f"{len(names):,} different ids", f"{reference.counted:,} of them, one for each line"
            raise InputError(companion.file, found, expected, "Correct the file of ids.")
        subject = pluralize(reference.counted, "document has", "documents have")
        message = f"The {subject} the ids of {companion.file}, in this order."
        numbered = [part for part in numbered if not part.only_ids and names != numbers]
    else:
        parts_with_ids = [part for part in parts if not part.counted and part.role in ("gold", "system")]
        ids = {doc_id for part in parts_with_ids for doc_id in part.ids().to_pylist()}
        from_zero = list(map(str, range(reference.counted)))
        names = from_zero if "0" in ids and ids <= {*from_zero} else numbers
        as_others = f", as in {parts_with_ids[0].file}" if names is from_zero else ""
        message = f"There are no ids; documents are numbered {names[0]} to {int(names[-1]):,}{as_others}."
        level = "info" if len(numbered) > 1 and not parts_with_ids else "warning"
    for part in numbered:
        part.rename("doc_id", dict(zip(numbers, names, strict=True)))
        notes.append(Note(level, part.file, message))


def _refuse_other_titles(parts: Sequence[Part]) -> None:
    """Refuse files without ids that share titles with another file, but not all of them in the same order."""
    titled = list[tuple[Part, list[str]]]()
    for part in parts:
        table_titles = part.table["title"].to_pylist() if "title" in part.table.column_names else []
        titles = part.titles if part.counted else table_titles if part.role == "documents" else ()
        titled += [(part, [" ".join((title or "").casefold().split()) for title in titles])] if titles else []
    for (first, names), (part, others) in combinations(titled, 2):
        if (first.counted or part.counted) and names != others and {*filter(None, names)} & {*others}:
            found = f"other titles, or titles in another order, than in {first.file}"
            remedy = "Add a column of ids to both files, or name the column of titles as document in both."
            raise InputError(part.file, found, "the same documents in files without ids", remedy)


def label(parts: Sequence[Part], notes: list[Note]) -> None:
    """Replace identifiers used as phrases with their labels in other files, preferably in the gold standard."""
    with_concepts = [part for part in parts if part.role in ("gold", "system") and "concept" in part.table.column_names]
    with_concepts.sort(key=lambda part: part.role)
    tables = [part.table.select(["concept", "phrase"]).to_pandas() for part in with_concepts]
    unlabeled_masks = [table["concept"] == table["phrase"] for table in tables]
    if not any(unlabeled.any() for unlabeled in unlabeled_masks):
        return
    labeled = pd.concat([table[~unlabeled].dropna() for table, unlabeled in zip(tables, unlabeled_masks, strict=True)])
    labels = labeled.drop_duplicates("concept").set_index("concept")["phrase"]
    for part, table, unlabeled in zip(with_concepts, tables, unlabeled_masks, strict=True):
        replacements = table["concept"].map(labels).where(unlabeled).dropna()
        if len(replacements):
            phrases = pa.array(replacements.combine_first(table["phrase"]), pa.large_string())
            part.table = put(part.table, "phrase", pa.chunked_array([phrases]))
            message = f"Identifiers replaced by the label that another file has for them: {len(replacements):,}."
            notes.append(Note("info", part.file, message))


def _resolve_sources(parts: Sequence[Part], fixes: Sequence[str], notes: list[Note]) -> pd.DataFrame:
    """Assign the sources of all rows, apply the fixes, refuse duplicate lists, and return the empty lists."""
    for role in ("system", "gold"):
        _name_by_files([part for part in parts if part.role == role and not part.name_given], fixes)
    has_several = len({part.origin for part in parts if part.role == "gold"}) > 1
    owners: dict[str, Part] = {}
    for part in (part for part in parts if part.role in ("gold", "system")):
        _name_sources(part, part.name if has_several or part.name_given or part.role == "system" else "gold")
        for name in part.sources if part.role == "system" else ():
            if (earlier := owners.setdefault(name, part)).origin != part.origin:
                found = f"the system name “{name}” again, first in {earlier.file}"
                remedy = "Use a different name for each file (NAME=PATH)."
                raise InputError(part.file, found, "each system name once", remedy)
    for fix in fixes:
        _fix_ids(parts, fix, notes)
    return _resolve_duplicates(parts, fixes, notes)


def _name_by_files(parts: Sequence[Part], fixes: Sequence[str]) -> None:
    """Name files of runs after the folder of their system, and files with the same name after their paths."""
    folders: dict[PurePosixPath, list[Part]] = {}
    for part in parts:
        folders.setdefault(PurePosixPath(part.file).parent, []).append(part)
    for folder, members in folders.items():
        names = {part.name for part in members if part.role == "system" and _RUN.fullmatch(part.name)}
        are_runs = len(members) == len(names) == len({part.origin for part in members}) > 1
        for part in members if are_runs and folder.name and plain(folder.name) not in SYSTEM_FOLDERS else ():
            part.name = f"{folder.name}#{part.name}"
    times = Counter(name for name, _ in {(part.name, part.origin) for part in parts})
    for part in parts:
        folder_name, slash, _ = part.file.rpartition("/")
        if times[part.name] > 1 and slash:
            part.name = f"{folder_name}/{stem_of(part.file)}"
    if "strip-common" in fixes:
        for part, name in zip(parts, without_common([part.name for part in parts]), strict=True):
            part.name = name


def _name_sources(part: Part, default: str) -> None:
    """Assign a source to every row and list: the user's name for it, else that in the column, else the default."""
    if "source" not in part.table.column_names:
        part.table = part.table.append_column("source", repeated(default, len(part.table)))
    elif pc.any(blank := pc.equal(part.table["source"].fill_null(""), "")).as_py():
        sources = pc.if_else(blank, pa.scalar(default, pa.large_string()), part.table["source"])
        part.table = put(part.table, "source", sources)
    part.sources = distinct(part.table["source"])
    if part.lists is not None:
        part.lists = part.lists.assign(source=part.lists["source"].replace("", np.nan).fillna(default))
        part.sources = list(dict.fromkeys([*part.sources, *part.lists["source"].unique()]))
    if part.name_given and part.name not in part.sources:
        has_several = len(part.sources) > 1
        part.rename("source", {name: f"{part.name}/{name}" if has_several else part.name for name in part.sources})


def _fix_ids(parts: Sequence[Part], fix: str, notes: list[Note]) -> None:
    """Apply a fix to all ids; refuse it if two ids of a file would become equal."""
    rule = id_fix(fix)
    if rule is None:
        return
    changed: set[str] = set()
    for part in (part for part in parts if "doc_id" in part.table.column_names):
        ids = part.ids().to_pylist()
        fixed = trim(pa.chunked_array([[rule(doc_id) for doc_id in ids]], pa.large_string())).to_pylist()
        renamed = {old: new or old for old, new in zip(ids, fixed, strict=True)}
        originals: dict[str, str] = {}
        for old, new in renamed.items():
            if originals.setdefault(new, old) != old:
                found = f"the ids “{originals[new]}” and “{old}”, which the fix “{fix}” would make equal"
                raise InputError(part.file, found, "ids that stay different", "Load without this fix.")
        changed |= {old for old, new in renamed.items() if old != new}
        part.rename("doc_id", renamed)
    notes.append(Note("info", "ids", f"The fix “{fix}” changed {pluralize(len(changed), 'id')}."))


def _resolve_duplicates(parts: Sequence[Part], fixes: Iterable[str], notes: list[Note]) -> pd.DataFrame:
    """Keep only one list per source and document, or merge the lists; return the empty lists."""
    parts = [part for part in parts if part.role in ("gold", "system")]
    indices = {(part.role, name, part.origin, part.file) for part in parts for name in part.sources}
    files = Counter((role, name) for role, name, *_ in indices)
    for part in parts:
        if part.lists is None and any(files[part.role, name] > 1 for name in part.sources):
            part.find_lists()
    with_lists = [part for part in parts if part.lists is not None]
    if not with_lists:
        return empty_table("empty")
    lists = pd.concat([part.lists.assign(role=part.role, part=n) for n, part in enumerate(with_lists)])  # type: ignore[union-attr]
    is_repeated = lists.duplicated(_LIST)
    if is_repeated.any() and not {"keep-first", "merge"} & set(fixes):
        second = lists[is_repeated].iloc[0]
        first = lists[(lists[_LIST] == second[_LIST]).all(axis=1)].iloc[0]
        found = f"document “{second['doc_id']}” of “{second['source']}” again, first {_place(first)}"
        name_files = " or a different name for each file (NAME=PATH)" if first["file"] != second["file"] else ""
        answers = tuple(Reply(WORDS[fix], fixes=(fix,)) for fix in ("keep-first", "merge"))
        raise Question(Finding("ask", _place(second), found, f"each document once{name_files}", answers))
    if is_repeated.any():
        outcome = "the first was kept" if "keep-first" in fixes else "they were merged"
        singular, plural = f"document occurred twice; {outcome}.", f"documents occurred twice; {outcome}."
        notes.append(Note.counting("warning", "lists", int(is_repeated.sum()), singular, plural))
    lists = lists[~is_repeated] if "keep-first" in fixes else lists
    for index, part in enumerate(with_lists):
        part.lists, of_row = lists[lists["part"] == index], part.table["list"].to_numpy()
        if is_repeated.any():
            part.table = part.table.filter(pa.array(np.isin(of_row, part.lists.index)))
        part.lists = part.lists.assign(filled=np.isin(part.lists.index, of_row))
        part.table = part.table.drop_columns(["list"])
    filled = pd.concat([part.lists for part in with_lists]).groupby(_LIST, sort=False)["filled"].any()
    return filled[~filled].index.to_frame(index=False)


def _place(row: pd.Series) -> str:
    return f"{row['file']}, line {row['line']}" if row["line"] else str(row["file"])


def assemble(
    parts: Sequence[Part], fixes: Sequence[str], limits: Limits, notes: Iterable[Note] = (), silent: Iterable[str] = ()
) -> Corpus:
    """Build the corpus, or raise an error if the files contradict each other.

    * `silent`: systems without output, which are scored as missing everywhere
    """
    all_notes = [*notes, *(note for part in parts for note in part.notes)]
    if datasets := datasets_of(parts):
        message = f"The documents are of {len(datasets)} data sets: {', '.join(datasets)}."
        all_notes.append(Note("info", "data sets", message))
    empty = _resolve_sources(parts, fixes, all_notes).astype(TEXT).reset_index(drop=True)
    gold_parts, system_parts, texts, judged = (
        [part for part in parts if part.role == role] for role in ("gold", "system", "documents", "judgements")
    )
    for parts_of_role, kind in ((gold_parts, "annotators"), (system_parts, "systems")):
        owners = {name: part.file for part in parts_of_role for name in part.sources}
        refuse_over(limits.sources, len(owners), kind, next(reversed(owners.values()), ""), "data")
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
    all_parts = [*gold_parts, *system_parts]
    filled = {(part.role, part.file) for part in all_parts if part.sources}
    without_lists = [part for part in all_parts if (part.role, part.file) not in filled and not part.rejected]
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
        subject = f"phrases for “{longest['doc_id'][:60]}”"
        refuse_over(limits.list_phrases, longest["count_all"], subject, longest["annotator"], "a list")
    return frame_of(table, ("doc_id", "annotator", "phrase", "relevance"))


def _runs(parts: Sequence[Part], limits: Limits, rankings: dict[str, Ranking], notes: list[Note]) -> pd.DataFrame:
    """Return the ranked lists of all systems in order of loading; add to `rankings` how each was ranked."""
    pieces, owners, tables = dict[str, list[pa.Table]](), dict[str, Part](), []
    for part in parts:
        owners |= {name: part for name in part.sources if name not in owners}
        for name, table in _by_system(part):
            pieces.setdefault(name, []).append(table)
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
        other_columns = [column for column in table.column_names if column != "rank"]
        ranked = table.select(other_columns).append_column("rank", pa.chunked_array([pa.array(by_score.rank)]))
        tables.append(ranked.rename_columns({"source": "system"}))
    return frame_of(_concat(tables), ("system", "doc_id", "rank", "phrase", "score")) if tables else empty_table("runs")


def _by_system(part: Part) -> list[tuple[str, pa.Table]]:
    if len(part.sources) <= 1:
        return [(name, part.table) for name in part.sources if len(part.table)]
    codes, names = pd.factorize(part.table["source"].to_pandas())
    rows = pd.Series(codes).groupby(codes).indices
    return [(name, part.table.take(pa.array(rows[code]))) for code, name in enumerate(names)]


def _order_notes(name: str, file: str, by_score: Order, choice: bool | None) -> Iterator[Note]:
    by, higher = by_score.ranking.ranked_by, by_score.ranking.higher_is_better
    best, other = ("highest", "lower") if higher else ("lowest", "higher")
    option = f"--as {file}:higher_is_better={'no' if higher else 'yes'}"
    remedy = f" If {other} scores are better, change it in the form of the file ({option})." if choice is None else ""
    if by == "score" and not higher and not by_score.ranking.resorted:
        yield Note("info", file, f"Scores of “{name}” increase down the lists, so lower is taken as better.{remedy}")
    if by_score.ranking.resorted:
        singular, plural = f"list of “{name}” was not in order of {by}", f"lists of “{name}” were not in order of {by}"
        ending = f" sorted, the {best} first.{remedy}" if by == "score" else " sorted."
        level: Literal["info", "warning"] = "warning" if by == "score" else "info"
        yield Note.counting(
            level, file, by_score.ranking.resorted, f"{singular}; it was{ending}", f"{plural}; they were{ending}"
        )
    if by_score.tied:
        ending = f"one of equal {by}; they keep their order in the file."
        singular, plural = f"phrase of “{name}” follows {ending}", f"phrases of “{name}” follow {ending}"
        yield Note.counting("info", file, by_score.tied, singular, plural)


@dataclass(frozen=True)
class Order:
    """The order of rows (None if unchanged), their ranks, how they were ranked, and the number of ties."""

    take: Integers | None
    rank: Integers
    ranking: Ranking
    tied: int = 0


def order(table: pa.Table, starts: Integers, higher_is_better: bool | None = None, *, lower: bool = False) -> Order:
    """Group the rows of one system by document, ranked 1, 2, ...

    * `starts`: rows at which the document changes
    * `lower`: whether lower scores are better by default, as for YAKE
    """
    heads = flatten(table["doc_id"]).take(pa.array(starts)).dictionary_encode().indices.to_numpy().astype(np.int64)
    documents = np.repeat(heads, np.diff(starts, append=len(table)))
    numbers = {name: table[name].to_numpy() for name in ("rank", "score") if name in table.column_names}
    take: Integers | None = None
    if heads.max(initial=-1) + 1 < len(heads):  # rows of a document are not adjacent
        take = np.argsort(documents, kind="stable")
        documents, numbers = documents[take], {name: values[take] for name, values in numbers.items()}
    follows = np.diff(documents) == 0
    list_starts = np.flatnonzero(np.append(True, ~follows))
    rank = np.arange(1, len(table) + 1) - np.repeat(list_starts, np.diff(list_starts, append=len(table)))
    ranks, scores = numbers.get("rank"), numbers.get("score")
    if ranks is not None:
        row_order = _sorting(documents, ranks, follows)
        by_rank = scores if row_order is None or scores is None else scores[row_order]
        key, ranking = ranks, Ranking("rank", _is_higher_better(by_rank, follows, higher_is_better, lower))
    elif scores is not None:
        ranking = Ranking("score", _is_higher_better(scores, follows, higher_is_better, lower))
        key = -scores if ranking.higher_is_better else scores
        row_order = _sorting(documents, key, follows)
    else:
        return Order(take, rank, Ranking("order", True))
    if row_order is not None:
        ranking = replace(ranking, resorted=len(np.unique(documents[row_order != np.arange(len(table))])))
        key, take = key[row_order], row_order if take is None else take[row_order]
    return Order(take, rank, ranking, int(((np.diff(key) == 0) & follows).sum()))


def _sorting(documents: Integers, key: npt.NDArray[np.float64], follows: npt.NDArray[np.bool_]) -> Integers | None:
    return np.lexsort((key, documents)) if ((key[1:] < key[:-1]) & follows).any() else None


def _is_higher_better(
    scores: npt.NDArray[np.float64] | None, follows: npt.NDArray[np.bool_], choice: bool | None, lower: bool
) -> bool:
    if choice is not None or scores is None:
        return choice is not False
    rises = bool(((scores[1:] > scores[:-1]) & follows).any())
    falls = bool(((scores[1:] < scores[:-1]) & follows).any())
    return not rises or (falls and not lower)


def _concat(tables: list[pa.Table]) -> pa.Table:
    names = Counter(name for name, _ in {(field.name, field.type) for table in tables for field in table.schema})
    for name in (name for name, types in names.items() if types > 1):
        for index, table in enumerate(tables):
            if name in table.column_names:
                tables[index] = put(table, name, as_text(table[name]))
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="default")


def rejected_in_words(rows: pd.DataFrame) -> str:
    """Report how many rows of a file were rejected, with the reason for the first."""
    row = rows.iloc[0]
    line = f"line {row['line']}: " if row["line"] != "0" else ""
    count = pluralize(len(rows), "row was", "rows were")
    return f"{count} rejected and {'is' if len(rows) == 1 else 'are'} not used; the first, {line}{row['reason']}."


def _documents(texts: Sequence[Part], all_parts: Sequence[Part], limits: Limits, fixes: Sequence[str]) -> pd.DataFrame:
    ids = pc.unique(pa.chunked_array([part.ids() for part in all_parts], pa.large_string()))
    index = pd.Index(series(pa.chunked_array([ids])), name="doc_id")
    refuse_over(limits.documents, len(index), "documents", "documents", "data")
    nothing = pa.chunked_array([pa.nulls(len(index), pa.large_string())])
    blank = {name: series(nothing) for name in ("text", "title", "group")}
    if "types-from-ids" in fixes:
        blank["group"] = index.to_series(index=range(len(index))).map(types_in_ids(list(index))).astype(TEXT)
    if not texts:
        return pd.DataFrame({"doc_id": index.to_series(index=range(len(index))), **blank})
    frames = [frame_of(part.table, ("doc_id",)).assign(file_=part.file) for part in texts]
    # Blank texts become missing; only text columns are searched, since lists cannot be compared with text.
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
    is_repeated = texts["doc_id"].duplicated()
    if is_repeated.any():
        second = texts[is_repeated].iloc[0]
        first = texts[texts["doc_id"] == second["doc_id"]].iloc[0]
        found = f"another text for “{second['doc_id']}”, first in {first['file_']}"
        answer = Reply(WORDS["keep-first"], fixes=("keep-first",))
        raise Question(Finding("ask", second["file_"], found, "one text per document", (answer,)))


def _judgements(parts: Sequence[Part], gold: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    first_columns = columns_of("judgements")
    frames = [frame_of(part.table, first_columns) for part in parts if len(part.table)]
    if not frames:
        return empty_table("judgements")
    table = pd.concat(frames, ignore_index=True).astype({"doc_id": TEXT, "keyphrase": TEXT})
    table["keyphrase"] = table["keyphrase"].replace("", np.nan)
    if {"gold_id", "doc_id"} <= set(table) and {"gold_id"} <= set(gold):
        terms = gold.drop_duplicates(["doc_id", "gold_id"]).set_index(["doc_id", "gold_id"])["phrase"]
        linked = terms.reindex(pd.MultiIndex.from_frame(table[["doc_id", "gold_id"]])).to_numpy()
        table["keyphrase"] = table["keyphrase"].fillna(pd.Series(linked, dtype=TEXT))
        singular, plural = "pair is linked to a gold keyphrase.", "pairs are linked to a gold keyphrase."
        notes.append(Note.counting("info", "judgements", int(table["keyphrase"].notna().sum()), singular, plural))
    pair_ids = table[["pair_id", "keyphrase", "candidate"]].drop_duplicates()["pair_id"]
    if pair_ids.duplicated().any():
        found = f"pair “{pair_ids[pair_ids.duplicated()].iloc[0]}” with different phrases"
        raise InputError("judgements", found, "one pair per number", "Renumber the pairs of all files.")
    is_repeated = table.duplicated(["pair_id", "annotator"])
    if is_repeated.any():
        row = table[is_repeated].iloc[0]
        found = f"a second score of “{row['annotator']}” for pair “{row['pair_id']}”"
        remedy = "Remove one of them, or number the pairs."
        raise InputError("judgements", found, "one score per pair and annotator", remedy)
    return table
