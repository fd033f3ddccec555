"""Give the numbers of Kim, Baldwin & Kan (2010) as tables, as printed, with suspected misprints marked.

Source: Su Nam Kim, Timothy Baldwin, Min-Yen Kan: Evaluating N-gram based Evaluation Metrics for Automatic Keyphrase
Extraction. COLING 2010; paper and slides. What is marked is never changed.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

SOURCE = "Kim, Baldwin & Kan 2010"


def table(name: str) -> pd.DataFrame:
    """Return a printed table with what is suspect about it.

    name   scores: the mean human score (0-4) by candidate (shorter, longer) and location, NaN if there was no pair;
           data: sizes and agreement of the data; claims: what the paper says about its tables, whether the printed
           numbers bear it out, and by which cells; correlations: unchanged in the file
    """
    with (files("kp_core.studies.correlation") / f"kim2010_{name}.csv").open(encoding="utf-8") as lines:
        return pd.read_csv(lines, keep_default_na=False, na_values={"mean_score": [""]})


def correlations() -> pd.DataFrame:
    """Return Spearman's rho of Tables 3 to 5: measure, subset, average, correlation, value, table, suspect.

    Measures, subsets and averages are named as in `correlate`; `human` is the leave-one-out ceiling, `semantic
    similarity` a cosine of web snippets that cannot be computed any more. `suspect` says why a cell looks misprinted.

    >>> found = correlations()
    >>> len(found), found["value"][0].item(), int((found["suspect"] != "").sum())
    (160, 0.4506, 8)
    """
    found = table("correlations")
    found.insert(3, "correlation", "spearman")
    return found


def printed_values(average: str) -> pd.DataFrame:
    """Return the printed correlations under one human score: measure, subset, value; none of what looks misprinted."""
    found = correlations()
    return found.loc[(found["average"] == average) & (found["suspect"] == ""), ["measure", "subset", "value"]]


def printed(average: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the printed table (subset, measure), a table of its suspected misprints, and a list of these."""
    found = correlations()
    rows = found[found["average"] == average].assign(marked=found["suspect"] != "")
    rows["subset"] = rows["subset"].str.replace("L<=", "L ≤ ").str.replace(":", ": ")
    wide = rows.pivot_table("value", "subset", "measure", sort=False).rename_axis(index="pairs", columns=None)
    marked = rows.pivot_table("marked", "subset", "measure", "max", fill_value=False, sort=False)
    marked = marked.reindex(index=wide.index, columns=wide.columns).eq(other=True)
    suspects = rows.loc[rows["marked"], ["measure", "subset", "value", "table", "suspect"]]
    return wide.reset_index(), marked.reset_index(drop=True), suspects
