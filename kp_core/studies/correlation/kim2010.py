"""Read the tables of Kim, Baldwin & Kan (2010) as printed, with suspected misprints marked.

Source: Su Nam Kim, Timothy Baldwin, Min-Yen Kan: Evaluating N-gram based Evaluation Metrics for Automatic Keyphrase
Extraction. COLING 2010; paper and slides. Suspect values are marked but not changed.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

SOURCE = "Kim, Baldwin & Kan 2010"


def table(name: str) -> pd.DataFrame:
    """Return a printed table, or the list of cells that look misprinted (suspects).

    * `scores`: mean human score (0-4) by candidate (shorter, longer) and location, NaN if there was no pair
    * `data`, `claims`: sizes and agreement of the data; statements, whether the numbers support them, and which numbers
    * `correlations`: Tables 3 to 5, one column per measure
    """
    with (files("kp_core.studies.correlation") / f"kim2010_{name}.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, keep_default_na=False, na_values={"mean_score": [""], "semantic similarity": [""]})


def correlations() -> pd.DataFrame:
    """Return Spearman's rho of Tables 3 to 5: table, average, subset, measure, value, suspect, correlation.

    Measures, subsets and averages are named as in `correlate`; `human` is the leave-one-out ceiling, `semantic
    similarity` a cosine of web snippets, which can no longer be computed. `suspect` gives the reason why a cell looks
    misprinted.

    >>> found = correlations()
    >>> len(found), found["value"][0].item(), int((found["suspect"] != "").sum())
    (160, 0.4506, 8)
    """
    wide = table("correlations").set_index(["table", "average", "subset"]).rename_axis(columns="measure")
    rows = wide.stack().dropna().rename("value").reset_index()  # noqa: PD013
    rows = rows.merge(table("suspects"), how="left").fillna({"suspect": ""})
    return rows.assign(correlation="spearman")


def printed_values(average: str) -> pd.DataFrame:
    """Return measure, subset and value of the printed correlations with one human score, without suspects."""
    rows = correlations()
    return rows.loc[(rows["average"] == average) & (rows["suspect"] == ""), ["measure", "subset", "value"]]


def printed_table(average: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the printed table (subsets × measures), a mask of suspected misprints, and a list of them."""
    rows = correlations().query("average == @average")
    rows = rows.assign(marked=rows["suspect"] != "")
    rows["subset"] = rows["subset"].str.replace("L<=", "L ≤ ").str.replace(":", ": ")
    wide = rows.pivot_table("value", "subset", "measure", sort=False).rename_axis(index="pairs", columns=None)
    marked = rows.pivot_table("marked", "subset", "measure", "max", fill_value=False, sort=False)
    marked = marked.reindex(index=wide.index, columns=wide.columns).eq(other=True)
    suspects = rows.loc[rows["marked"], ["measure", "subset", "value", "table", "suspect"]]
    return wide.reset_index(), marked.reset_index(drop=True), suspects
