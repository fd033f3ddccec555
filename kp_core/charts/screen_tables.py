"""Turn answers into the tables of the screen: intervals as text, undefined values left empty."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from kp_core.charts.selection import NEAR, by_correlation, of_yes, rows_of, where
from kp_core.charts.style import REFERENCES
from kp_core.errors import REASONS, pluralize, read_toml
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.order import best_first, close, leveled, reaches
from kp_core.scoring.runs import runs_of
from kp_core.settings import change_in_words, in_words
from kp_core.studies.compare import Comparison
from kp_core.studies.correlation.breakdowns import exceeds_all
from kp_core.studies.correlation.correlate import CorrelationStudy
from kp_core.studies.indexing import FEW as FEW_PEOPLE
from kp_core.studies.indexing import consistency
from kp_core.studies.near_misses import NearMisses
from kp_core.studies.result import Numbers, Result
from kp_core.studies.sentence_study.attributes import ATTRIBUTES
from kp_core.studies.sentence_study.protocol import LEAD, MEASURES, NULL, TREE, SentenceStudy
from kp_core.studies.spread import Spread
from kp_core.typeset import number, say

#: Below this number of documents an interval is shown grey (specification of agreement, section 3).
FEW = 10
#: From here on the bootstrap comes before the t interval.
MANY = 30
#: Which documents may be listed where two systems are compared.
WHICH = ("all", "first wins", "second wins", "nobody finds")


def interval(low: float, high: float) -> str:
    """Print an interval, or a dash if there is none.

    >>> interval(0.1234, 0.3), interval(-0.3, -0.1), interval(float("nan"), 0.3)
    ('0.123–0.300', '−0.300 to −0.100', '–')
    """
    if low != low or high != high:
        return "–"
    return f"{number(low, 3)}{'–' if low >= 0 else ' to '}{number(high, 3)}"


def intervals(rows: pd.DataFrame, kind: str = "") -> list[str]:
    """Print the interval of every row, from the columns low and high, or those of a kind of interval."""
    return [interval(low, high) for low, high in zip(rows[f"{kind}low"], rows[f"{kind}high"], strict=True)]


#: Table → column of a result → its head; a column without a head is left out, and with `*` every one not named.
_HEADS: dict[str, dict[str, str]] = read_toml("charts/screen_tables.toml")


def shown(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return rows of a result with the headers shown on screen, with intervals as text and reasons in words."""
    rows, heads = frame.copy(), _HEADS[table]
    if "reason" in rows:
        rows["reason"] = rows["reason"].map(REASONS).fillna("")
    if "interval" in heads:
        rows.insert(list(rows).index("low"), "interval", intervals(rows))
    rows = rows[[name for name in heads if name in rows]] if "*" in heads else rows
    return _without_empty(rows.rename(columns=heads).drop(columns="", errors="ignore"))


def _without_empty(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without those columns of words that only some data have, if they are empty."""
    names = [name for name in ("title", "type", "by all", "by some") if name in table and len(table)]
    return table.drop(columns=[name for name in names if (table[name] == "").all()])


def pairs(comparison: Comparison) -> pd.DataFrame:
    """Return one row per pair of systems: difference with interval, p and corrected p."""
    return shown(comparison.wide().rename(columns={"p_adjusted": comparison.correction}), "pairs")


def with_bounds(rows: pd.DataFrame) -> list[str]:
    """Print the value of every row, its interval in brackets; constants have no interval."""
    parts = zip(rows["value"], intervals(rows), rows["low"] < rows["high"], strict=True)
    return [number(value) + (f" ({bounds})" if wide else "") for value, bounds, wide in parts]


def clusters(comparison: Comparison) -> dict[str, str]:
    """Return for each system the letters of the systems it is significantly better than (letters in order of value)."""
    ranking = best_first(comparison.scores)
    letters = {name: letter(place) for place, name in enumerate(ranking)}
    return {name: " ".join(letters[other] for other in ranking if other in comparison.better[name]) for name in ranking}


def letter(place: int) -> str:
    """Return a, b, …, z, aa, ab, … for 0, 1, …

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'aa')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(97 + place % 26)


def _place(name: str) -> int:
    """Return the part of a table to which a name belongs: systems, then people, then baselines."""
    return 2 if name in BASELINES else int(name in REFERENCES)


def leaderboard(result: Result, measure: str, beside: Sequence[str], comparison: Comparison | None) -> pd.DataFrame:
    """Return one row per system at one cutoff, best first and baselines last.

    Columns: letter, system, value, interval, better than (letters), cluster, the number of documents if some are
    left out, and the measures next to.
    """
    rows = rows_of(result, measure)
    rows = rows.assign(last=rows["system"].map(_place))
    rows = rows.sort_values(["last", "value"], ascending=[True, False], kind="stable", key=leveled)
    names = rows["system"].tolist()
    table = pd.DataFrame({"system": names, rows["measure"].iloc[0] if names else measure: rows["value"].to_numpy()})
    table["95% interval"] = intervals(rows)
    if comparison is not None:
        better = clusters(comparison)
        letters = {name: letter(place) for place, name in enumerate(better)}
        table.insert(0, "", [letters.get(name, "") for name in names])
        table["better than"] = [better.get(name, "") for name in names]
        table["cluster"] = [str(comparison.clusters.get(name, "")) for name in names]
    if (rows["documents"] != result.documents).any():
        table["documents"] = rows["documents"].to_numpy()
    for other in beside:
        others = rows_of(result, other)
        if other != measure and len(others):
            values = dict(zip(others["system"], others["value"], strict=True))
            table[others["measure"].iloc[0]] = [values.get(name) for name in names]
    return table


def best_systems(result: Result, measure: str, systems: Sequence[str]) -> list[str]:
    """Return the systems by their value at one cutoff, the best first, those without a value last."""
    owners = {run: system for system, runs in runs_of(systems).items() for run in runs}
    values = {name: value(result, owners[name], measure) for name in systems}
    return best_first(values)


def in_order(table: pd.DataFrame, systems: Sequence[str]) -> pd.DataFrame:
    """Return a table with its systems in an order, and what is no system below; a system stands where its runs do."""
    place = {name: number for number, name in enumerate(systems)}
    place |= {system: min(place[run] for run in runs) for system, runs in runs_of(systems).items()}
    return table.sort_values(
        "system", key=lambda names: names.map(place).fillna(len(place)), kind="stable", ignore_index=True
    )


def _wide(rows: pd.DataFrame, columns: Sequence[str], values: str = "value") -> pd.DataFrame:
    """Return one row per system, baselines last, and one column per measure; of several cutoffs the last counts."""
    wide = rows.pivot_table(index="system", columns="measure", values=values, aggfunc="last", dropna=False)
    systems = sorted(rows["system"].unique(), key=_place)
    return wide.reindex(index=systems, columns=list(columns)).rename_axis(columns=None)


def numbers(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per system and one column per measure, named with its cutoff; baselines last."""
    rows = result.frame[result.frame["measure"].isin(names)]
    return _wide(rows, [name for name in names if name in set(rows["measure"])]).reset_index()


def in_numbers(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per measure and system, the best system first, with low and high as numbers."""
    rows = result.frame[result.frame["measure"].isin(names) & (result.frame["subset"] == "all")]
    rows = rows.assign(order=rows["measure"].map(list(names).index), last=rows["system"].map(_place))
    rows = rows.sort_values(["order", "last", "value"], ascending=[True, True, False], kind="stable", ignore_index=True)
    return rows[["system", "measure", "k", "average", "value", "low", "high", "documents"]]


def with_intervals(result: Result, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per system and one column per measure: value and interval as text; baselines last."""
    rows = result.frame[result.frame["measure"].isin(names)]
    return _wide(rows.assign(text=with_bounds(rows)), names, "text").fillna("").reset_index()


def rows_where(result: Result, system: str, names: Sequence[str], subset: str = "all") -> pd.DataFrame:
    """Return one row per measure of a system, or of all annotators: value and interval."""
    rows = where(result.frame, system=system, subset=subset).set_index("measure")
    return shown(rows.reindex([name for name in names if name in rows.index]).reset_index(), "measures")


def intervals_side_by_side(table: pd.DataFrame, documents: int) -> pd.DataFrame:
    """Return one row per measure with its intervals as text, the one to quote first.

    table: what `evaluate.interval_table` gives.
    """
    kinds = {"documents as clusters": "cluster_", "bootstrap over documents": "", "phrases independent": "independent_"}
    order = sorted(kinds, key=lambda name: name != "bootstrap over documents") if documents >= MANY else list(kinds)
    columns = {f"interval, {name}": intervals(table, kinds[name]) for name in order}
    return pd.DataFrame({"measure": table["measure"], "pooled value": table["value"], **columns})


def pairs_of_annotators(result: Result, annotators: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Return one row per pair of annotators: their agreement, Hooper's consistency, and the documents that both saw."""
    rows = result.frame[result.frame["measure"].isin(names) & ~result.frame["system"].isin(["all", *annotators])]
    documents = rows.drop_duplicates("system").set_index("system")["documents"]
    wide = _wide(rows, names).assign(documents=documents).rename_axis("pair").reset_index()
    return wide.merge(consistency(result)[["pair", "Hooper"]], on="pair", how="left")


def each_annotator(result: Result, annotators: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Return one row per annotator: agreement with the union of the others, and K of all without this one if asked."""
    rows = where(result.frame, system=list(annotators), measure=list(names))
    documents = rows[rows["measure"] != "K"].drop_duplicates("system").set_index("system")["documents"]
    wide = _wide(rows, names).reindex(list(annotators)).assign(documents=documents)
    shown = [*(name for name in names if name != "K"), "documents"]
    if "K" in names:
        wide = wide.rename(columns={"K": "K without"}).assign(change=wide["K"] - value(result, "all", "K"))
        shown += ["K without", "change"]
    wide = wide[shown]
    return wide.rename_axis("annotator").reset_index()


def most_disputed(table: pd.DataFrame) -> pd.DataFrame:
    """Return documents with the share of keyphrases that annotators have in common, the smallest first."""
    shared = table[["document", "P_pos"]].sort_values("P_pos", kind="stable", na_position="last")
    return shared.reset_index(drop=True)


def by_title(table: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return a table of documents with the title in place of the id, which stands if there is no title.

    known: the documents of the corpus
    """
    titles = known.set_index("doc_id")["title"].reindex(table["document"]).fillna("").to_numpy()
    named = table.drop(columns="document")
    named.insert(0, "title", np.where(titles != "", titles, table["document"]))
    return _without_empty(named)


#: The columns of titles with who chose what.
OF_TITLES = ("title", "P_pos", "by all", "by some")
#: The columns of headings that a telephone has room for.
FEWER = ("heading", "gold", "chosen by", "F1", "shared")


def headings(found: Numbers, system: str, search: str = "") -> pd.DataFrame:
    """Return the headings of a system, or those of people, as a table to sort; subject is what names each of them.

    search: letters of a heading, its identifier, or who chose it
    """
    rows = found.frame
    rows = rows[rows["system"] == system] if system else rows
    table = shown(rows, "subjects")
    table.insert(1, "heading", rows["label"].fillna(rows["subject"]))
    if rows["label"].notna().any():
        table.insert(2, "concept", rows["subject"])
    if system:
        table["share of documents"] = table["gold"] / found.documents
    else:
        table.insert(2, "chosen by", table.pop("chosen by"))
    wanted = search.strip().lower()
    texts = [table[name].str.lower() for name in ("subject", "heading", "chosen by") if name in table]
    fits = np.logical_or.reduce([text.str.contains(wanted, regex=False) for text in texts])
    return table[fits].reset_index(drop=True)


def occurrences(table: pd.DataFrame, known: pd.DataFrame, annotators: int) -> pd.DataFrame:
    """Return the documents of a heading, by title: what a system did there, or who of the people chose it.

    table: what `documents_of` gives; known: the documents of the corpus; annotators: how many there are
    """
    head = "chosen by"
    if "found" in table:
        cells, head = np.select([table["found"], table["gold"]], ["found", "missed"], "not in gold"), "result"
    elif annotators <= FEW_PEOPLE:
        cells = table["annotators"].to_numpy()
    else:
        cells = np.array([f"{one} of {of}" for one, of in zip(table["chosen"], table["seen"], strict=True)])
    return by_title(table[["document"]].assign(**{head: cells}), known)


def disputed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the headings that some annotators chose and others did not, from `subjects_of_people`."""
    return frame[frame["apart"] > 0]


def headings_in_short(frame: pd.DataFrame, annotators: int) -> pd.DataFrame:
    """Return the headings of people as a table to read: who chose it (of few people), how often, how often together.

    frame: what `subjects_of_people` gives; annotators: how many there are
    """
    columns = {
        "heading": frame["label"].fillna(frame["subject"]),
        "chosen by": frame["annotators"],
        "chosen": [f"{one} of {of}" for one, of in zip(frame["chosen"], frame["seen"], strict=True)],
        "by all": [f"{one} of {of}" for one, of in zip(frame["by_all"], frame["documents"], strict=True)],
        "P_pos": frame["P_pos"],
    }
    return pd.DataFrame(columns).drop(columns=[] if annotators <= FEW_PEOPLE else ["chosen by"])


def spoken(table: pd.DataFrame, say: Mapping[str, str]) -> pd.DataFrame:
    """Return a table whose heads and measures are in the words for its people; say: what things are called."""
    shown = table.rename(columns={name: say[name] for name in ("P_pos", "documents") if name in table})
    return shown.assign(measure=shown["measure"].map(lambda name: say.get(name, name))) if "measure" in shown else shown


def ranks(comparison: Comparison) -> pd.DataFrame:
    """Return one row per system, best first: value, ranks in 95% of the resamples, and rank cluster."""
    scores, clusters = comparison.scores, comparison.clusters
    spans = {name: f"{low:.0f} to {high:.0f}" for name, (low, high) in comparison.ranks.items()}
    rows = [(name, scores[name], spans.get(name, "–"), clusters[name]) for name in best_first(scores)]
    return pd.DataFrame(rows, columns=["system", "value", "ranks", "cluster"])


def by_part(result: Result) -> pd.DataFrame:
    """Return one row per system and one column per part with documents: value and interval; documents in the head."""
    rows = result.frame[(result.frame["subset"] != "all") & (result.frame["documents"] > 0)]
    if not len(rows):
        return pd.DataFrame()
    parts = rows["subset"].str.partition(":")[2]
    heads = [f"{part} ({pluralize(size, 'document')})" for part, size in zip(parts, rows["documents"], strict=True)]
    texts = rows.assign(measure=heads, text=with_bounds(rows))
    return _wide(texts, list(dict.fromkeys(heads)), "text").fillna("").reset_index()


def best_cells(result: Result, names: Sequence[str]) -> set[tuple[str, str]]:
    """Return (system, measure) of the highest value of each measure, baselines and people apart."""
    rows = result.frame[result.frame["measure"].isin(names) & ~result.frame["system"].isin(REFERENCES)]
    rows = rows[rows["value"].notna()]
    best = rows[reaches(rows["value"], rows.groupby("measure")["value"].transform("max"))]
    return set(zip(best["system"], best["measure"], strict=True))


def marked(table: pd.DataFrame, comparisons: Mapping[str, Comparison]) -> pd.DataFrame:
    """Return a table of values with a dagger where a system is significantly below the best one of the measure."""
    shown = table.copy()
    for measure, comparison in comparisons.items():
        ranking = best_first(comparison.scores)
        beaten = set(comparison.better[ranking[0]]) if ranking else set()
        if measure in shown:
            cells = zip(shown["system"], shown[measure], strict=True)
            shown[measure] = [f"{text} †" if name in beaten else text for name, text in cells]
    return shown


def turns(spread: Spread) -> pd.DataFrame:
    """Return one row per pair of systems whose order turns under other conventions, in words."""
    rows = spread.turns
    table = rows[["a", "b"]].set_axis(["ahead now", "ahead elsewhere"], axis=1)
    return table.assign(
        settings=[f"{count} of {spread.combinations}" for count in rows["settings"]],
        presets=[", ".join(in_words("preset", one) for one in presets) for presets in rows["presets"]],
        **{"for example if": ["; ".join(change_in_words(*one) for one in case.items()) for case in rows["example"]]},
    )


def only(result: Result, names: Sequence[str]) -> Result:
    """Return a result with only the rows of some measures."""
    return replace(result, frame=result.frame[result.frame["measure"].isin(names)])


def reasons(result: Result) -> list[str]:
    """Report why values are undefined, once per measure and reason."""
    frame, sentences = result.frame, list[str]()
    rows = frame[frame["value"].isna() & frame["reason"].notna()]
    for (measure, reason), undefined in rows.groupby(["measure", "reason"], sort=False):
        everybody = len(undefined) == (frame["measure"] == measure).sum()
        systems = [] if everybody else list(dict.fromkeys(undefined["system"]))
        sentences.append(say("undefined values", measure=measure, systems=systems, reason=REASONS[reason]))
    return sentences


#: Columns of several phrases, which may take several lines.
_PROSE = ("title", "heading", "by all", "by some", "chosen by")


def look_of(
    table: pd.DataFrame, documents: int = FEW, best: Container[tuple[str, str]] = ()
) -> Callable[[int, str], str]:
    """Return the class of cells by row and column: the best; words; quiet baselines, intervals of few documents.

    best: cells (system, column) that are the best
    """
    systems = table["system"].tolist() if "system" in table else [""] * len(table)

    def look(row: int, column: str) -> str:
        if (systems[row], column) in best:
            return "best"
        if column in _PROSE:
            return "words"
        return "quiet" if systems[row] in BASELINES or (documents < FEW and "interval" in column) else ""

    return look


def curves(result: Result, measure: str) -> pd.DataFrame:
    """Return the data of a curve over k: one row per system and cutoff."""
    return rows_of(result, measure).drop(columns=["subset"]).reset_index(drop=True)


def value(result: Result, system: str, measure: str) -> float:
    """Return one value of a result at one cutoff; NaN if it is undefined or not there."""
    rows = rows_of(result, measure)
    found = rows.loc[rows["system"] == system, "value"]
    return float(found.iloc[0]) if len(found) else float("nan")


def values(result: Result, measure: str) -> dict[str, float]:
    """Return the value of each system by a measure at one cutoff."""
    rows = rows_of(result, measure)
    return dict(zip(rows["system"], rows["value"], strict=True))


def universe(result: Result) -> str:
    """Name the universe and its mean size; the result contains the macro average of N."""
    kind, _, size = result.settings.universe.partition(":")
    named = in_words("universe", "number" if kind[0].isdigit() else kind)
    mean = rows_of(result, "N")["value"].head(1).tolist()
    return say("universe", named=named, words=int(size) if kind == "ngrams" else 0, mean=[round(n) for n in mean])


def concordance(cells: Mapping[str, float]) -> pd.DataFrame:
    """Return the table of cells a, b, c, d with its margins; rows are the gold standard, columns the system.

    >>> concordance({"a": 40, "b": 9, "c": 6, "d": 45}).iloc[2].tolist()
    ['total', 'g₁ = 46', 'g₂ = 54', 'N = 100']
    """
    a, b, c, d = (cells[name] for name in "abcd")
    rows = {
        "gold standard: yes": {"a": a, "b": b, "f₁": a + b},
        "gold standard: no": {"c": c, "d": d, "f₂": c + d},
        "total": {"g₁": a + c, "g₂": b + d, "N": a + b + c + d},
    }
    shown = [[head, *(f"{symbol} = {_count(value)}" for symbol, value in row.items())] for head, row in rows.items()]
    return pd.DataFrame(shown, columns=["", "system: yes", "system: no", "total"])


def _count(value: float) -> str:
    """Print a count; that of the random baseline is an expectation and no whole number."""
    return f"{value:,.0f}" if close(value, round(value)) else f"{value:,.1f}"


def _near(near: NearMisses, system: str) -> pd.DataFrame:
    """Return the misses of a system that are near."""
    return where(near.frame, system=system, hit=False).query("type != 'NONE'")


def _of_kind(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the rows of one type in words, or of all."""
    rows = rows.assign(type=rows["type"].map(NEAR)).rename(columns={"phrase": "prediction"})
    return rows[(rows["type"] == kind) | (kind == "all")].reset_index(drop=True)


def near_examples(near: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return the most frequent near misses of a system, of one type or of all."""
    return _of_kind(where(near.examples(10), system=system), kind).drop(columns="system")


def near_of_system(near: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return every near miss of a system with its document, of one type or of all."""
    shown = _near(near, system)[["document", "rank", "phrase", "keyphrase", "type", "reordered", "overlap"]]
    return _of_kind(shown, kind).rename(columns={"overlap": "R-precision"})


def most_missed(near: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the keyphrases that a system misses in the most documents, and in how many they are gold."""
    hits = where(near.gold, system=system).groupby("keyphrase", sort=False)["hit"]
    counts = hits.agg(missed=lambda hit: int((~hit).sum()), gold="size")
    counts = counts[counts["missed"] > 0].sort_values("missed", ascending=False, kind="stable").head(most)
    return counts.reset_index()


def most_spurious(near: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the phrases that a system chooses in the most documents without a hit."""
    counts = where(near.frame, system=system, hit=False).groupby("phrase", sort=False).size().rename("documents")
    return counts.sort_values(ascending=False, kind="stable").head(most).reset_index()


def column_of(system: str) -> str:
    """Return the column of a system in the table of documents, which has further columns."""
    return f"system {system}" if system in ("document", "difference", "title", "type") else system


def documents(values: pd.DataFrame, known: pd.DataFrame, system: str, other: str, which: str = "all") -> pd.DataFrame:
    """Return one row per document and one column per system, where they differ most first, or else the highest value.

    values  rows of `documents`; known: the documents of the corpus
    system  the system that comes first, and the `other` that it is compared with, if there is one of this name
    which   one of `WHICH`
    """
    here = known.set_index("doc_id")
    table = values.pivot_table(index="document", columns="system", values="value", sort=False, dropna=False)
    table = table[[system, *(name for name in table.columns if name != system)]].rename_axis(columns=None)
    difference = table[system].sub(table[other]) if other in table else None
    nobody = (table[[name for name in (system, other) if name in table]].fillna(0.0) == 0.0).all(axis=1).to_numpy()
    by = table[system] if difference is None else difference
    table.columns = list(map(column_of, table.columns))
    if difference is not None:
        table.insert(0, "difference", difference)
    table["title"], table["type"] = (here[name].reindex(table.index).fillna("") for name in ("title", "group"))
    table = table.assign(nobody=nobody).loc[by.sort_values(ascending=False, kind="stable").index]
    table = table.rename_axis("document").reset_index()
    shown = pd.Series(data=True, index=table.index)
    if which == "nobody finds":
        shown = table["nobody"]
    elif which != "all" and difference is not None:
        shown = pd.Series(np.sign(leveled(table["difference"])) == (1 if which == "first wins" else -1))
    return _without_empty(table.drop(columns="nobody"))[shown].reset_index(drop=True)


def searched(table: pd.DataFrame, known: pd.DataFrame, search: str, texts: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of documents that a search finds in ids, titles, types or `texts`, in which letters are small."""
    wanted, ids = search.strip().lower(), table["document"]
    known = known.set_index("doc_id")[["title", "group"]].reindex(ids).fillna("").reset_index(drop=True)
    names = (ids.reset_index(drop=True) + "\n" + known["title"] + "\n" + known["group"]).str.lower()
    in_texts = np.array([wanted in texts.get(document, "") for document in ids], bool)
    matches = names.str.contains(wanted, regex=False).to_numpy(bool) | in_texts
    return table[matches].reset_index(drop=True)


def types_of(near: NearMisses, system: str, document: str) -> dict[str, str]:
    """Return the near misses of one list: phrase → the keyphrase that it nearly is, such as `near load factor`."""
    rows = where(_near(near, system), document=document)
    return {row.phrase: f"near {row.keyphrase}" for row in rows.itertuples()}


def beside_exact(soft: pd.DataFrame, exact: pd.DataFrame, cutoff: int | str) -> pd.DataFrame:
    """Return one row per system: P, R and F1 with soft and with exact matching at one cutoff."""
    both = pd.concat([exact.assign(kind="exact "), soft.assign(kind="soft ")])
    both = both[both["k"] == cutoff].assign(named=lambda rows: rows["kind"] + rows["measure"])
    wide = both.pivot_table(index="system", columns="named", values="value", sort=False, dropna=False)
    return wide.rename_axis(columns=None).reset_index()


def overall(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return one row per measure over all pairs, best first: value, interval, share of the ceiling, cluster, pairs."""
    rows, found = by_correlation(study, average).drop(columns="correlation").reset_index(drop=True), study.found
    ceiling = where(found.ceiling, average=average, subset="all").set_index("measure")["percent"]
    partial = where(found.partial, average=average).set_index("measure")["value"]
    clusters = {name: str(place) for name, place in found.clusters.get(average, {}).items()}
    of = {"percent": ceiling, "partial": partial, "cluster": clusters}
    rows = rows.assign(**{name: rows["measure"].map(known) for name, known in of.items()}).fillna({"cluster": ""})
    # If all have as many pairs, the sentence above the table says how many.
    return shown(rows.drop(columns=["n"] * (len({*rows["n"]}) == 1)), "overall")


def by_subset(frame: pd.DataFrame, average: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return correlations, one row per subset with its pairs and one column per measure, and the classes of the cells.

    A cell is `best` where it is above the measure's value over all pairs, `quiet` if there are few pairs.
    """
    rows = frame[frame["average"] == average]
    rows = rows.assign(bold=exceeds_all(rows) & (rows["subset"] != "all"))
    order = {"index": rows["subset"].unique(), "columns": rows["measure"].unique()}
    values, bold = (
        rows.pivot_table(index="subset", columns="measure", values=name, aggfunc="first").reindex(**order)
        for name in ("value", "bold")
    )
    labels = values.index.str.replace("L<=", "L ≤ ").str.replace(":", ": ")
    table = values.set_axis(labels).rename_axis(index="pairs", columns=None).reset_index()
    number_of = rows.groupby("subset", sort=False)["n"].max().reindex(values.index).to_numpy()
    table.insert(1, "n", number_of)
    looks = pd.DataFrame("", table.index, table.columns)
    looks[values.columns] = np.where(bold.eq(other=True), "best", "")
    return table, looks.mask(np.broadcast_to((number_of < FEW)[:, None], looks.shape), "quiet")


def left_over(curve: pd.DataFrame) -> pd.DataFrame:
    """Return one row per threshold: documents and gold phrases left, and the mean gold size."""
    left = curve.drop_duplicates("threshold")[["threshold", "documents", "gold"]].reset_index(drop=True)
    return left.assign(mean_gold=left["gold"] / left["documents"].where(left["documents"] > 0))


def finding(study: SentenceStudy, measure: str, threshold: float) -> str:
    """Report in one sentence what the tree reaches at a threshold, next to random trimming and the lead."""
    rows = where(study.frame, threshold=threshold, subset="all", measure=measure).set_index("system")
    facts = {"threshold": f"{threshold:g}", "measure": of_yes(measure)}
    if not len(rows):
        reason = study.left.set_index("threshold")["reason"][threshold]
        return say("no finding", threshold=facts["threshold"], reason=reason)
    tree, null, lead = (rows.loc[system] for system in (TREE, NULL, LEAD))
    bounds = interval(tree["low"], tree["high"])
    return say("finding", tree=tree, null=null["value"], lead=lead["value"], bounds=bounds, **facts)


def study_systems(study: SentenceStudy, threshold: float) -> pd.DataFrame:
    """Return one row per system at a threshold: all measures, and the interval of F1 and of kappa."""
    rows = where(study.frame, threshold=threshold, subset="all")
    table = _wide(rows, list(MEASURES))
    for measure in ("F1", "kappa"):
        of_measure = where(rows, measure=measure).set_index("system").reindex(table.index)
        table.insert(list(table.columns).index(measure) + 1, f"{measure}, 95% interval", intervals(of_measure))
    return table.reset_index()


def study_types(study: SentenceStudy, measure: str, threshold: float) -> pd.DataFrame:
    """Return one row per document type at a threshold: the tree with its interval, random trimming, the lead."""
    rows = where(study.frame, threshold=threshold, measure=measure).query("subset != 'all'")
    values = rows.pivot_table(index="subset", columns="system", values="value", sort=False, dropna=False)
    table = values.join(where(rows, system=TREE).set_index("subset")[["low", "high"]]).reset_index()
    return shown(table.assign(subset=table["subset"].str.partition(":")[2]), "study_types")


def attribute_definitions() -> pd.DataFrame:
    """Return one row per attribute: what it is, and what of it is assumed."""
    rows = [(name, one["what"], one["assumed"] or "–") for name, one in ATTRIBUTES.items()]
    return pd.DataFrame(rows, columns=["attribute", "what it is", "assumed here"])
