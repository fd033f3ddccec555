"""Turn results into tables for the screen: intervals as text, undefined values left empty."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from kp_core.charts.selection import NEAR, by_correlation, of_yes, rows_of, where
from kp_core.charts.style import REFERENCES
from kp_core.errors import REASONS, pluralize, read_toml
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.order import best_first, leveled, reaches
from kp_core.scoring.runs import runs_of
from kp_core.settings import change_in_words, in_words
from kp_core.studies.compare import Comparison
from kp_core.studies.correlation.breakdowns import exceeds_overall
from kp_core.studies.correlation.correlate import CorrelationStudy
from kp_core.studies.near_misses import NearMisses
from kp_core.studies.result import Numbers, Result
from kp_core.studies.sensitivity import Sensitivity
from kp_core.studies.sentence_study.attributes import ATTRIBUTES
from kp_core.studies.sentence_study.protocol import LEAD, MEASURES, NULL, TREE, SentenceStudy
from kp_core.studies.subjects import FEW as FEW_PEOPLE
from kp_core.studies.subjects import consistency
from kp_core.typeset import number, say

#: With fewer documents than FEW, intervals are gray; from MANY on, the bootstrap is listed before the t interval.
FEW, MANY = 10, 30
WHICH = ("all", "first wins", "second wins", "nobody finds")


def interval(low: float, high: float) -> str:
    """Return an interval as text, or a dash if there is none."""
    if low != low or high != high:
        return "–"
    return f"{number(low, 3)}{'–' if low >= 0 else ' to '}{number(high, 3)}"


def intervals(rows: pd.DataFrame, kind: str = "") -> list[str]:
    """Return the interval of every row as text; `kind`: prefix of the columns low and high."""
    return [interval(low, high) for low, high in zip(rows[f"{kind}low"], rows[f"{kind}high"], strict=True)]


_HEADS: dict[str, dict[str, str]] = read_toml("charts/screen_tables.toml")


def shown(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return rows of a result with the headers of a table in `screen_tables.toml`, and with intervals as text."""
    rows, heads = frame.copy(), _HEADS[table]
    if "reason" in rows:
        rows["reason"] = rows["reason"].map(REASONS).fillna("")
    if "interval" in heads:
        rows.insert(list(rows).index("low"), "interval", intervals(rows))
    rows = rows[[name for name in heads if name in rows]] if "*" in heads else rows
    return _without_empty(rows.rename(columns=heads).drop(columns="", errors="ignore"))


def _without_empty(table: pd.DataFrame) -> pd.DataFrame:
    names = [name for name in ("title", "type", "by all", "by some") if name in table and len(table)]
    return table.drop(columns=[name for name in names if (table[name] == "").all()])


def pairs(comparison: Comparison) -> pd.DataFrame:
    """Return one row per pair of systems."""
    return shown(comparison.wide().rename(columns={"p_adjusted": comparison.correction}), "pairs")


def with_bounds(rows: pd.DataFrame) -> list[str]:
    """Return the value of every row as text, with its interval in brackets if it is wider than 0."""
    parts = zip(rows["value"], intervals(rows), rows["low"] < rows["high"], strict=True)
    return [number(value) + (f" ({bounds})" if wide else "") for value, bounds, wide in parts]


def clusters(comparison: Comparison) -> tuple[dict[str, str], dict[str, str]]:
    """Return system → its letter, best first, and system → letters of the systems that are significantly worse."""
    from openpyxl.utils import get_column_letter  # slow to import

    letters = {name: get_column_letter(rank).lower() for rank, name in enumerate(best_first(comparison.scores), 1)}
    worse = {name: [letters[other] for other in letters if other in comparison.better[name]] for name in letters}
    return letters, {name: " ".join(worse_letters) for name, worse_letters in worse.items()}


def _group_order(name: str) -> int:
    return 2 if name in BASELINES else int(name in REFERENCES)


def leaderboard(result: Result, names: Sequence[str], comparison: Comparison | None) -> pd.DataFrame:
    """Return one row per system, best by the first measure first and baselines last, with all measures in `names`."""
    rows = in_numbers(result, names[:1])
    systems = rows["system"].tolist()
    table = rows[["system"]].assign(**{names[0]: rows["value"], "95% interval": intervals(rows)})
    if comparison is not None:
        letters, better = clusters(comparison)
        table.insert(0, "", [letters.get(name, "") for name in systems])
        table["better than"] = [better.get(name, "") for name in systems]
        table["cluster"] = [str(comparison.clusters.get(name, "")) for name in systems]
    if (rows["documents"] != result.documents).any():
        table["documents"] = rows["documents"]
    return table.join(numbers(result, names[1:]).set_index("system"), on="system")


def best_systems(result: Result, measure: str, systems: Sequence[str]) -> list[str]:
    """Return the runs ordered by the values of their systems at one cutoff, best first, undefined values last."""
    return best_first({r: value(result, name, measure) for name, runs in runs_of(systems).items() for r in runs})


def in_order(table: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """Sort the systems of a table in the order of the given runs; baselines and human agreement come last."""
    index = {name: position for position, name in enumerate(systems)}
    index |= {system: min(index[run] for run in runs) for system, runs in runs_of(systems).items()}
    order = table["system"].map(index).fillna(len(index)).sort_values(kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _wide(rows: pd.DataFrame, columns: Iterable[str], values: str = "value") -> pd.DataFrame:
    """Return one row per system, baselines last, and one column per measure, at the last cutoff."""
    wide = rows.pivot_table(index="system", columns="measure", values=values, aggfunc="last", dropna=False)
    systems = sorted(rows["system"].unique(), key=_group_order)
    return wide.reindex(index=systems, columns=list(columns)).rename_axis(columns=None)


def numbers(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per system and one column per measure at its cutoff; baselines last."""
    rows = only(result, names).frame
    return _wide(rows, [name for name in names if name in set(rows["measure"])]).reset_index()


def in_numbers(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per measure and system, the best system first, with low and high as numbers."""
    rows = where(only(result, names).frame, subset="all")
    rows = rows.assign(order=rows["measure"].map(list(names).index), last=rows["system"].map(_group_order))
    order, up = ["order", "last", "value"], [True, True, False]
    rows = rows.sort_values(order, ascending=up, kind="stable", key=leveled, ignore_index=True)
    return rows[["system", "measure", "k", "average", "value", "low", "high", "documents"]]


def with_intervals(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per system and one column per measure: value and interval as text; baselines last."""
    rows = only(result, names).frame
    return _wide(rows.assign(text=with_bounds(rows)), names, "text").fillna("").reset_index()


def rows_where(result: Result, system: str, names: Sequence[str], subset: str = "all") -> pd.DataFrame:
    """Return one row per measure of a system, or of all annotators."""
    rows = where(result.frame, system=system, subset=subset).set_index("measure")
    return shown(rows.reindex([name for name in names if name in rows.index]).reset_index(), "measures")


def intervals_side_by_side(table: pd.DataFrame, n_documents: int) -> pd.DataFrame:
    """Return one row per measure with each kind of interval, recommended kind first; `table`: from `interval_table`."""
    kinds = {"documents as clusters": "cluster_", "bootstrap over documents": "", "phrases independent": "independent_"}
    order = sorted(kinds, key=lambda name: name != "bootstrap over documents") if n_documents >= MANY else list(kinds)
    columns = {f"interval, {name}": intervals(table, kinds[name]) for name in order}
    return pd.DataFrame({"measure": table["measure"], "pooled value": table["value"], **columns})


def pairs_of_annotators(result: Result, annotators: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Return one row per pair of annotators: agreement, common documents, and Hooper's consistency."""
    rows = only(result, names).frame
    rows = rows[~rows["system"].isin(["all", *annotators])]
    documents = rows.drop_duplicates("system").set_index("system")["documents"]
    wide = _wide(rows, names).assign(documents=documents).rename_axis("pair").reset_index()
    return wide.merge(consistency(result)[["pair", "Hooper"]], on="pair", how="left")


def each_annotator(result: Result, annotators: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Return one row per annotator: agreement with the union of the others, and K of the others alone."""
    rows = where(result.frame, system=list(annotators), measure=list(names))
    documents = rows[rows["measure"] != "K"].drop_duplicates("system").set_index("system")["documents"]
    wide = _wide(rows, names).reindex(list(annotators)).assign(documents=documents)
    if "K" in names:
        without_annotator = wide.pop("K")
        wide = wide.assign(**{"K without": without_annotator, "change": without_annotator - value(result, "all", "K")})
    return wide.rename_axis("annotator").reset_index()


def by_title(table: pd.DataFrame, document_rows: pd.DataFrame) -> pd.DataFrame:
    """Replace document ids with titles where there are any; `document_rows`: the documents of the corpus."""
    titles = document_rows.set_index("doc_id")["title"].reindex(table["document"]).fillna("").to_numpy()
    other_columns = table.drop(columns="document")
    other_columns.insert(0, "title", np.where(titles != "", titles, table["document"]))
    return _without_empty(other_columns)


OF_TITLES = ("title", "P_pos", "by all", "by some")


def headings(subjects: Numbers, system: str, search: str = "") -> pd.DataFrame:
    """Return the subjects of a system (or of annotators) whose heading, identifier or annotators match a search."""
    rows = where(subjects.frame, system=system) if system else subjects.frame
    table = shown(rows, "subjects")
    table.insert(1, "heading", rows["label"].fillna(rows["subject"]))
    if rows["label"].notna().any():
        table.insert(2, "concept", rows["subject"])
    if system:
        table["share of documents"] = table["gold"] / subjects.documents
    else:
        table.insert(2, "chosen by", table.pop("chosen by"))
    texts = table["subject"] + "\n" + table["heading"] + ("\n" + table["chosen by"] if "chosen by" in table else "")
    return table[texts.str.lower().str.contains(search.strip().lower(), regex=False)].reset_index(drop=True)


def occurrences(table: pd.DataFrame, document_rows: pd.DataFrame, n_annotators: int) -> pd.DataFrame:
    """Return the documents of a subject, with the result of a system or with the annotators who chose the subject.

    * `table`: from `documents_of`; `document_rows`: the documents of the corpus; `n_annotators`: number of annotators
    """
    header = "chosen by"
    if "found" in table:
        cells, header = np.select([table["found"], table["gold"]], ["found", "missed"], "not in gold"), "result"
    elif n_annotators <= FEW_PEOPLE:
        cells = table["annotators"].to_numpy()
    else:
        cells = _count_of(table, "chosen", "seen")
    return by_title(table[["document"]].assign(**{header: cells}), document_rows)


def _count_of(table: pd.DataFrame, part: str, whole: str) -> pd.Series:
    return table[part].astype(str) + " of " + table[whole].astype(str)


def headings_in_short(frame: pd.DataFrame, n_annotators: int) -> pd.DataFrame:
    """Return the rows of `subjects_of_annotators` as a short table; `n_annotators`: number of annotators."""
    rows = frame.drop(columns="annotators") if n_annotators > FEW_PEOPLE else frame
    counts = {"chosen": _count_of(rows, "chosen", "seen"), "by_all": _count_of(rows, "by_all", "documents")}
    return shown(rows.assign(heading=rows["label"].fillna(rows["subject"]), **counts), "disputed_headings")


def in_terms(table: pd.DataFrame, terms: Mapping[str, str]) -> pd.DataFrame:
    """Replace measures and headers with the words of `terms_for`."""
    heads = {"P_pos": terms["P_pos"], "documents": terms["documents"], "heading": terms["keyphrase"]}
    result = table.rename(columns=heads)
    return result.assign(measure=result["measure"].map(lambda m: terms.get(m, m))) if "measure" in result else result


def ranks(comparison: Comparison) -> pd.DataFrame:
    """Return one row per system, best first: value, ranks in 95% of the resamples, rank cluster."""
    scores, clusters = comparison.scores, comparison.clusters
    rank_ranges = {name: f"{low:.0f} to {high:.0f}" for name, (low, high) in comparison.ranks.items()}
    rows = [(name, scores[name], rank_ranges.get(name, "–"), clusters[name]) for name in best_first(scores)]
    return pd.DataFrame(rows, columns=["system", "value", "ranks", "cluster"])


def by_part(result: Result) -> pd.DataFrame:
    """Return one row per system and one column per non-empty part: value and interval."""
    rows = result.frame[(result.frame["subset"] != "all") & (result.frame["documents"] > 0)]
    if not len(rows):
        return pd.DataFrame()
    parts = rows["subset"].str.partition(":")[2]
    heads = [f"{part} ({pluralize(size, 'document')})" for part, size in zip(parts, rows["documents"], strict=True)]
    texts = rows.assign(measure=heads, text=with_bounds(rows))
    return _wide(texts, list(dict.fromkeys(heads)), "text").fillna("").reset_index()


def best_cells(result: Result, names: Sequence[str]) -> set[tuple[str, str]]:
    """Return (system, measure) of the highest value of each measure, without baselines and human agreement."""
    rows = only(result, names).frame.dropna(subset="value")
    rows = rows[~rows["system"].isin(REFERENCES)]
    best = rows[reaches(rows["value"], rows.groupby("measure")["value"].transform("max"))]
    return set(zip(best["system"], best["measure"], strict=True))


def marked(table: pd.DataFrame, comparisons: Mapping[str, Comparison]) -> pd.DataFrame:
    """Mark values with a dagger if the system is significantly below the best one."""
    for measure, comparison in comparisons.items():
        worse_systems = [name for best in best_first(comparison.scores)[:1] for name in comparison.better[best]]
        if measure in table:
            daggers = np.where(table["system"].isin(worse_systems), " †", "")
            table = table.assign(**{measure: table[measure] + daggers})
    return table


def rank_reversals(sensitivity: Sensitivity) -> pd.DataFrame:
    """Return one row per pair of systems whose order reverses under other conventions."""
    rows = sensitivity.rank_reversals
    settings = rows["settings"].map(lambda count: f"{count} of {sensitivity.combinations}")
    presets = rows["presets"].map(lambda names: ", ".join(in_words("preset", name) for name in names))
    examples = rows["example"].map(lambda case: "; ".join(change_in_words(*change) for change in case.items()))
    return shown(rows.assign(settings=settings, presets=presets, example=examples), "rank_reversals")


def effects(sensitivity: Sensitivity) -> pd.DataFrame:
    """Return one row per change of a single convention and one column per system: its effect, largest first.

    `gold_stemmed` is omitted: it describes the gold standard and is not a choice in the evaluation.
    """
    rows = sensitivity.changes[sensitivity.changes["field"] != "gold_stemmed"]
    changes = [change_in_words(field, now) for field, now in zip(rows["field"], rows["now"], strict=True)]
    table = rows.assign(changed=changes).pivot_table("change", "changed", "system", sort=False, dropna=False)
    order = table.abs().max(axis=1).sort_values(ascending=False, kind="stable", key=leveled).index
    return table.loc[order].rename_axis(columns=None).reset_index()


def only(result: Result, names: Sequence[str]) -> Result:
    """Return only the rows of the given measures."""
    return replace(result, frame=result.frame[result.frame["measure"].isin(names)])


def reasons(result: Result) -> list[str]:
    """Return one sentence per measure and reason that values are undefined."""
    frame, sentences = result.frame, list[str]()
    rows = frame[frame["value"].isna() & frame["reason"].notna()]
    for (measure, reason), undefined in rows.groupby(["measure", "reason"], sort=False):
        for_all = len(undefined) == (frame["measure"] == measure).sum()
        systems = [] if for_all else list(dict.fromkeys(undefined["system"]))
        sentences.append(say("undefined values", measure=measure, systems=systems, reason=REASONS[reason]))
    return sentences


_PROSE = ("title", "heading", "by all", "by some", "chosen by")


def look_of(
    table: pd.DataFrame, n_documents: int = FEW, best: Container[tuple[str, str]] = ()
) -> Callable[[int, str], str]:
    """Return a function that maps row and column to the CSS class of the cell; best: cells (system, column) in bold."""
    systems = table["system"].tolist() if "system" in table else [""] * len(table)

    def look(row: int, column: str) -> str:
        if (systems[row], column) in best:
            return "best"
        if column in _PROSE:
            return "words"
        return "quiet" if systems[row] in BASELINES or (n_documents < FEW and "interval" in column) else ""

    return look


def curves(result: Result, measure: str) -> pd.DataFrame:
    """Return the data of a curve over k: one row per system and cutoff."""
    return rows_of(result, measure).drop(columns=["subset"]).reset_index(drop=True)


def values(result: Numbers, measure: str) -> dict[str, float]:
    """Return the value of each system by a measure at one cutoff."""
    rows = rows_of(result, measure)
    return dict(zip(rows["system"], rows["value"], strict=True))


def value(result: Result, system: str, measure: str) -> float:
    """Return one value of a result at one cutoff; NaN if it is undefined or missing."""
    return float(where(rows_of(result, measure), system=system)["value"].head(1).sum(min_count=1))


def universe(result: Result) -> str:
    """Describe the universe and its mean size, from a result with the macro average of N."""
    kind, _, size = result.settings.universe.partition(":")
    label = in_words("universe", "number" if kind[0].isdigit() else kind)
    mean = rows_of(result, "N")["value"].head(1).tolist()
    return say("universe", named=label, words=int(size) if kind == "ngrams" else 0, mean=[round(n) for n in mean])


def concordance(cells: Mapping[str, float]) -> pd.DataFrame:
    """Return a concordance table with its margins."""
    a, b, c, d = (cells[name] for name in "abcd")
    counts = {"a": a, "b": b, "f₁": a + b, "c": c, "d": d, "f₂": c + d, "g₁": a + c, "g₂": b + d, "N": a + b + c + d}
    # Counts of the random baseline are fractional.
    texts = np.array([f"{name} = {f'{count:,.1f}'.removesuffix('.0')}" for name, count in counts.items()])
    table = pd.DataFrame(texts.reshape(3, 3), columns=["system: yes", "system: no", "total"])
    table.insert(0, "", ["gold standard: yes", "gold standard: no", "total"])
    return table


def _near_misses_of(misses: NearMisses, system: str) -> pd.DataFrame:
    return where(misses.frame, system=system, hit=False).query("type != 'NONE'")


def near_tables(misses: NearMisses, system: str, kind: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the most frequent near misses of a system, and every one with its document; `kind`: a type, or all."""
    kinds = list(NEAR.values()) if kind == "all" else [kind]
    tables = where(misses.examples(10), system=system), _near_misses_of(misses, system)
    in_words = (shown(rows.assign(type=rows["type"].map(NEAR)), "near_misses") for rows in tables)
    frequent, every = (where(rows, type=kinds).reset_index(drop=True) for rows in in_words)
    return frequent, every


def most_frequent(misses: NearMisses, system: str, top: int = 15) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the keyphrases that a system misses most often, and the wrong phrases that it returns most often."""
    gold = where(misses.gold, system=system).assign(missed=lambda rows: ~rows["hit"])
    missed = gold.groupby("keyphrase", sort=False)["missed"].agg(missed="sum", gold="size").query("missed > 0")
    added = where(misses.frame, system=system, hit=False).groupby("phrase", sort=False).agg(documents=("rank", "size"))
    missed = missed.sort_values("missed", ascending=False, kind="stable").head(top)
    return missed.reset_index(), added.sort_values("documents", ascending=False, kind="stable").head(top).reset_index()


def column_of(system: str) -> str:
    """Return a system's column name in the table of documents, distinct from the other columns."""
    return f"system {system}" if system in ("document", "difference", "title", "type") else system


def documents(values: pd.DataFrame, docs: pd.DataFrame, system: str, other: str, which: str = "all") -> pd.DataFrame:
    """Return one row per document and one column per system, sorted by the difference to `other` or by the value.

    * `values`: rows of `kp.documents`; `docs`: the documents of the corpus; `which`: one of `WHICH`
    """
    docs = docs.set_index("doc_id")
    table = values.pivot_table(index="document", columns="system", values="value", sort=False, dropna=False)
    table = table[[system, *(name for name in table.columns if name != system)]].rename_axis(columns=None)
    pair = table[[name for name in (system, other) if name in table]]
    subsets, sort_values = {"nobody finds": (pair.fillna(0.0) == 0.0).all(axis=1).to_numpy()}, table[system]
    table.columns = list(map(column_of, table.columns))
    if other in pair:
        sort_values = pair[system] - pair[other]
        signs = np.sign(leveled(sort_values))
        subsets |= {"first wins": signs == 1, "second wins": signs == -1}
        table.insert(0, "difference", sort_values)
    table["title"], table["type"] = (docs[name].reindex(table.index).fillna("") for name in ("title", "group"))
    is_shown = pd.Series(subsets.get(which, True), index=table.index)
    order = sort_values.sort_values(ascending=False, kind="stable").index
    listed = _without_empty(table.loc[order].rename_axis("document").reset_index())
    return listed[is_shown[order].to_numpy()].reset_index(drop=True)


def searched(table: pd.DataFrame, document_rows: pd.DataFrame, search: str, texts: Mapping[str, str]) -> pd.DataFrame:
    """Return the documents whose id, title, type or (lower-case) text contains a search word."""
    query, ids = search.strip().lower(), table["document"].reset_index(drop=True)
    document_rows = document_rows.set_index("doc_id")[["title", "group"]].reindex(ids).fillna("").reset_index(drop=True)
    names = ids + "\n" + document_rows["title"] + "\n" + document_rows["group"]
    in_texts = np.array([query in texts.get(document, "") for document in ids], bool)
    matches = names.str.lower().str.contains(query, regex=False).to_numpy(bool) | in_texts
    return table[matches].reset_index(drop=True)


def types_of(misses: NearMisses, system: str, document: str) -> dict[str, str]:
    """Return the near misses of one list: phrase → its nearest keyphrase, such as `near load factor`."""
    rows = where(_near_misses_of(misses, system), document=document)
    return {row.phrase: f"near {row.keyphrase}" for row in rows.itertuples()}


def beside_exact(soft: pd.DataFrame, exact: pd.DataFrame, cutoff: int | str) -> pd.DataFrame:
    """Return one row per system with the values of exact and of soft matching at one cutoff."""
    tables = [rows.assign(measure=f"{kind} " + rows["measure"]) for kind, rows in (("exact", exact), ("soft", soft))]
    combined = where(pd.concat(tables), k=cutoff)
    return _wide(combined, combined["measure"].unique()).reset_index()


def overall(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return one row per measure over all pairs, best first."""
    rows, estimates = by_correlation(study, average).drop(columns="correlation").reset_index(drop=True), study.found
    ceiling = where(estimates.ceiling, average=average, subset="all").set_index("measure")["percent"]
    partial = where(estimates.partial, average=average).set_index("measure")["value"]
    clusters = {name: str(index) for name, index in estimates.clusters.get(average, {}).items()}
    columns = {"percent": ceiling, "partial": partial, "cluster": clusters}
    rows = rows.assign(**{name: rows["measure"].map(cells) for name, cells in columns.items()}).fillna({"cluster": ""})
    # The sentence above the table reports the number of pairs if it is the same for all.
    return shown(rows.drop(columns=["n"] * (len({*rows["n"]}) == 1)), "overall")


def by_subset(frame: pd.DataFrame, average: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return correlations, one row per subset and one column per measure, and the CSS classes of the cells.

    A cell is `best` if it exceeds the measure's value over all pairs, `quiet` if there are few pairs.
    """
    rows = frame[frame["average"] == average]
    rows = rows.assign(bold=exceeds_overall(rows) & (rows["subset"] != "all"))
    order = {"index": rows["subset"].unique(), "columns": rows["measure"].unique()}
    values, bold = (
        rows.pivot_table(index="subset", columns="measure", values=name, aggfunc="first").reindex(**order)
        for name in ("value", "bold")
    )
    labels = values.index.str.replace("L<=", "L ≤ ").str.replace(":", ": ")
    table = values.set_axis(labels).rename_axis(index="pairs", columns=None).reset_index()
    pair_counts = rows.groupby("subset", sort=False)["n"].max().reindex(values.index).to_numpy()
    table.insert(1, "n", pair_counts)
    cell_classes = pd.DataFrame("", table.index, table.columns)
    cell_classes[values.columns] = np.where(bold.eq(other=True), "best", "")
    return table, cell_classes.mask(np.broadcast_to((pair_counts < FEW)[:, None], cell_classes.shape), "quiet")


def finding(study: SentenceStudy, measure: str, threshold: float) -> str:
    """Report the value of the tree at a threshold, with random trimming and each text's lead for comparison."""
    rows = where(study.frame, threshold=threshold, subset="all", measure=measure).set_index("system")
    if not len(rows):
        reason = study.left.set_index("threshold")["reason"][threshold]
        return say("no finding", threshold=threshold, reason=reason)
    tree, value = rows.loc[TREE], rows["value"]
    facts = {"tree": tree, "null": value[NULL], "lead": value[LEAD], "bounds": interval(tree["low"], tree["high"])}
    return say("finding", threshold=threshold, measure=of_yes(measure), **facts)


def study_systems(study: SentenceStudy, threshold: float) -> pd.DataFrame:
    """Return one row per system at a threshold, with the intervals of F1 and kappa."""
    rows = where(study.frame, threshold=threshold, subset="all")
    table = _wide(rows, list(MEASURES))
    for measure in ("F1", "kappa"):
        of_measure = where(rows, measure=measure).set_index("system").reindex(table.index)
        table.insert(list(table.columns).index(measure) + 1, f"{measure}, 95% interval", intervals(of_measure))
    return table.reset_index()


def study_types(study: SentenceStudy, measure: str, threshold: float) -> pd.DataFrame:
    """Return one row per document type at a threshold, with the tree, random trimming, and each text's lead."""
    rows = where(study.frame, threshold=threshold, measure=measure).query("subset != 'all'")
    table = rows.pivot_table(index="subset", columns="system", values="value", sort=False, dropna=False)
    table = table.join(where(rows, system=TREE).set_index("subset")[["low", "high"]])
    return shown(table.rename(lambda subset: subset.partition(":")[2]).reset_index(), "study_types")


def attribute_definitions() -> pd.DataFrame:
    """Return one row per attribute, with its definition and assumptions."""
    rows = [(name, card["what"], card["assumed"] or "–") for name, card in ATTRIBUTES.items()]
    return pd.DataFrame(rows, columns=["attribute", "what it is", "assumed here"])
