"""Turn studies (near misses, correlation, trimming, sentences) into the tables of the screen."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kp_core.charts.screen_tables import interval, intervals
from kp_core.studies.correlation.breakdowns import exceeds_all
from kp_core.studies.correlation.correlate import CorrelationStudy
from kp_core.studies.near_misses import NearMisses
from kp_core.studies.sentence_study.attributes import ATTRIBUTES
from kp_core.studies.sentence_study.protocol import LEAD, MEASURES, NULL, TREE, SentenceStudy
from kp_core.words.statements import number


def near_shares(near: NearMisses) -> pd.DataFrame:
    """Return one row a system: how many of its misses are near."""
    return near.shares().rename(columns={"near": "near misses", "share": "share of misses"})


def near_examples(near: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return the most frequent near misses of a system, of one type or of all."""
    rows = near.examples(10)
    rows = rows[(rows["system"] == system) & ((rows["type"] == kind) | (kind == "all"))]
    return rows.drop(columns="system").rename(columns={"phrase": "prediction"}).reset_index(drop=True)


def _misses(near: NearMisses, system: str) -> pd.DataFrame:
    return near.frame[(near.frame["system"] == system) & ~near.frame["hit"]]


def near_of_system(near: NearMisses, system: str, kind: str) -> pd.DataFrame:
    """Return every near miss of a system with its document, of one type or of all."""
    rows = _misses(near, system)
    rows = rows[(rows["type"] == kind) | ((kind == "all") & (rows["type"] != "NONE"))]
    shown = rows[["document", "rank", "phrase", "keyphrase", "type", "reordered", "overlap"]]
    return shown.rename(columns={"phrase": "prediction", "overlap": "R-precision"}).reset_index(drop=True)


def most_missed(near: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the keyphrases that a system misses in the most documents, and in how many they are gold."""
    rows = near.gold[near.gold["system"] == system]
    counts = rows.groupby("keyphrase", sort=False)["hit"].agg(missed=lambda hit: int((~hit).sum()), gold="size")
    counts = counts[counts["missed"] > 0].sort_values("missed", ascending=False, kind="stable").head(most)
    return counts.reset_index()


def most_spurious(near: NearMisses, system: str, most: int = 15) -> pd.DataFrame:
    """Return the phrases that a system chooses in the most documents without a hit."""
    counts = _misses(near, system).groupby("phrase", sort=False).size().rename("documents")
    return counts.sort_values(ascending=False, kind="stable").head(most).reset_index()


def types_of(near: NearMisses, system: str, document: str) -> dict[str, str]:
    """Return the near misses of one list: phrase → type and keyphrase, such as `PARTOF: load factor`."""
    rows = _misses(near, system)
    rows = rows[(rows["document"] == document) & (rows["type"] != "NONE")]
    return {row.phrase: f"{row.type}: {row.keyphrase}" for row in rows.itertuples()}


def beside_exact(soft: pd.DataFrame, exact: pd.DataFrame, cutoff: int | str) -> pd.DataFrame:
    """Return one row a system: P, R and F1 with soft and with exact matching at one cutoff."""
    both = pd.concat([exact.assign(kind="exact "), soft.assign(kind="soft ")])
    both = both[both["k"] == cutoff].assign(named=lambda rows: rows["kind"] + rows["measure"])
    wide = both.pivot_table(index="system", columns="named", values="value", sort=False, dropna=False)
    return wide.rename_axis(columns=None).reset_index()


def by_correlation(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return the rows of the correlation over all pairs, the highest first, undefined ones last."""
    rows = study.frame[(study.frame["average"] == average) & (study.frame["subset"] == "all")]
    return rows.sort_values("value", ascending=False, kind="stable", na_position="last")


def overall(study: CorrelationStudy, average: str) -> pd.DataFrame:
    """Return one row a measure over all pairs, best first: value, interval, share of the ceiling, cluster, pairs."""
    rows, share, partial = by_correlation(study, average), study.found.ceiling, study.found.partial
    share = share[(share["average"] == average) & (share["subset"] == "all")].set_index("measure")["percent"]
    partial = partial[partial["average"] == average].set_index("measure")["value"]
    clusters = study.found.clusters.get(average, {})
    columns = {
        "measure": rows["measure"].to_numpy(),
        "correlation": rows["value"].to_numpy(),
        "95 % interval": intervals(rows),
        "% of human ceiling": share.reindex(rows["measure"]).to_numpy(),
        "cluster": [str(clusters.get(name, "")) for name in rows["measure"]],
        "given the lengths": partial.reindex(rows["measure"]).to_numpy(),
        "pairs": rows["n"].to_numpy(),
    }
    return pd.DataFrame(columns)


def by_subset(frame: pd.DataFrame, average: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return correlations as a table, measures by subsets, and which cells exceed the measure's overall value."""
    rows = frame[frame["average"] == average].copy()
    rows["bold"] = exceeds_all(rows) & (rows["subset"] != "all")
    order = {"index": list(dict.fromkeys(rows["measure"])), "columns": list(dict.fromkeys(rows["subset"]))}
    values, bold = (
        rows.pivot_table(index="measure", columns="subset", values=name, aggfunc="first").reindex(**order)
        for name in ("value", "bold")
    )
    values = values.rename_axis(columns=None).rename_axis("measure").reset_index()
    return values, bold.fillna(value=False).astype(bool).reset_index(drop=True)


def left_over(curve: pd.DataFrame) -> pd.DataFrame:
    """Return one row a threshold: documents and gold phrases left, and the mean gold size."""
    left = curve.drop_duplicates("threshold")[["threshold", "documents", "gold"]].reset_index(drop=True)
    return left.assign(mean_gold=left["gold"] / left["documents"].where(left["documents"] > 0))


def of_yes(measure: str) -> str:
    """Return a measure of the sentence study as it stands in a sentence.

    >>> of_yes("kappa"), of_yes("F1")
    ('kappa', 'F1 of “yes”')
    """
    return measure if measure in ("accuracy", "kappa") else f"{measure} of “yes”"


def _at(study: SentenceStudy, threshold: float) -> pd.DataFrame:
    return study.frame[study.frame["threshold"] == threshold]


def finding(study: SentenceStudy, measure: str, threshold: float) -> str:
    """Say in one sentence what the tree reaches at a threshold, beside random trimming and the lead."""
    rows = _at(study, threshold).query("subset == 'all' and measure == @measure").set_index("system")
    if not len(rows):
        reason = study.left.set_index("threshold")["reason"][threshold]
        return f"The study does not run at K ≥ {threshold:g}: {reason}."
    tree, null, lead = (rows.loc[system] for system in (TREE, NULL, LEAD))
    value = f"reaches {of_yes(measure)} = {number(tree['value'])} (95 % interval {interval(tree['low'], tree['high'])})"
    if tree["value"] != tree["value"]:
        value = f"has no {of_yes(measure)}, because {tree['reason']}"
    return (
        f"At K ≥ {threshold:g} the tree {value}. After random trimming to the same size a tree {_reached(null)}; the "
        f"first tenth of each text {_reached(lead)}."
    )


def _reached(row: pd.Series[Any]) -> str:
    return f"reaches {number(row['value'])}" if row["value"] == row["value"] else "has no value"


def study_systems(study: SentenceStudy, threshold: float) -> pd.DataFrame:
    """Return one row a system at a threshold: all measures, and the interval of F1 and of kappa."""
    rows = _at(study, threshold).query("subset == 'all'")
    table = rows.pivot_table(index="system", columns="measure", values="value", sort=False, dropna=False)
    table = table.reindex(columns=list(MEASURES)).rename_axis(columns=None)
    for measure in ("F1", "kappa"):
        own = rows[rows["measure"] == measure].set_index("system").reindex(table.index)
        table.insert(list(table.columns).index(measure) + 1, f"{measure}, 95 % interval", intervals(own))
    return table.reset_index()


def study_types(study: SentenceStudy, measure: str, threshold: float) -> pd.DataFrame:
    """Return one row a document type at a threshold: the tree with its interval, random trimming, the lead."""
    rows = _at(study, threshold).query("subset != 'all' and measure == @measure")
    values = rows.pivot_table(index="subset", columns="system", values="value", sort=False, dropna=False)
    tree = rows[rows["system"] == TREE].set_index("subset").reindex(values.index)
    columns = {
        "document type": values.index.str.partition(":").get_level_values(2),
        "tree": values[TREE].to_numpy(),
        "95 % interval": intervals(tree),
        "random trimming": values[NULL].to_numpy(),
        "lead": values[LEAD].to_numpy(),
    }
    return pd.DataFrame(columns)


def attribute_definitions() -> pd.DataFrame:
    """Return one row an attribute: what it is, and what of it is assumed."""
    rows = [(name, one["what"], one["assumed"] or "–") for name, one in ATTRIBUTES.items()]
    return pd.DataFrame(rows, columns=["attribute", "what it is", "assumed here"])
