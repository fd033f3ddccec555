"""Turn the keyphrases of several annotators into what indexers ask: consistency by pair, titles, disputed headings."""

from __future__ import annotations

from itertools import permutations

import pandas as pd

from kp_core.corpus import Corpus
from kp_core.studies.result import Result
from kp_core.text.normalise import Normaliser


def consistency(result: Result) -> pd.DataFrame:
    """Return one row a pair of annotators: Hooper's and Rolling's consistency, with the documents that both saw.

    result   what `agreement` returned. Rolling 1981: twice the shared keyphrases over all that the two chose, which is
    P_pos and F1; Hooper 1965: the shared ones over the different ones, which follows as P_pos / (2 − P_pos)

    >>> import kp_core as kp
    >>> gold = pd.DataFrame({"doc_id": "d", "annotator": list("aab"), "phrase": ["tide", "sea", "tide"]})
    >>> consistency(kp.agreement(kp.load(gold=gold), universe=9))[["Hooper", "Rolling"]].round(3).to_numpy().tolist()
    [[0.5, 0.667]]
    """
    rows = result.frame[result.frame["measure"] == "P_pos"]
    names = [name for name in rows["system"] if name != "all"]
    pairs = {f"{a}|{b}" for a, b in permutations(names, 2)}  # an annotator's name may hold a bar
    rows = rows[rows["system"].isin(pairs)].drop_duplicates("system")
    rolling = rows["value"].astype(float)
    columns = {
        "pair": rows["system"],
        "Hooper": rolling / (2 - rolling),
        "Rolling": rolling,
        "documents": rows["documents"],
    }
    return pd.DataFrame(columns).reset_index(drop=True)


def _choices(corpus: Corpus, normalise: str) -> pd.DataFrame:
    """Return one row a document and phrase as it is compared: how many annotators chose it, of how many that saw it."""
    gold = corpus.gold[["doc_id", "annotator", "phrase"]].copy()
    gold["heading"] = Normaliser.parse(normalise).apply(gold["phrase"].tolist())
    seen = gold.groupby("doc_id")["annotator"].nunique()
    once = gold.drop_duplicates(["doc_id", "annotator", "heading"])
    chosen = once.groupby(["doc_id", "heading"], sort=False).agg(phrase=("phrase", "first"), chosen=("heading", "size"))
    chosen = chosen.reset_index()
    return chosen.assign(of=chosen["doc_id"].map(seen))


def disputed_headings(corpus: Corpus, normalise: str, most: int = 20) -> pd.DataFrame:
    """Return the phrases that some annotators chose and others did not, those with the most disagreeing pairs first.

    documents  in which anybody chose it; chosen, not chosen: by how many annotators who saw these documents
    """
    rows = _choices(corpus, normalise)
    rows = rows[rows["of"] > 1].assign(against=lambda table: table["of"] - table["chosen"])
    rows = rows.assign(apart=rows["chosen"] * rows["against"])
    summed = {name: (name, "sum") for name in ("chosen", "against", "apart")}
    found = rows.groupby("heading", sort=False).agg(phrase=("phrase", "first"), documents=("doc_id", "size"), **summed)
    found = found[found["apart"] > 0].sort_values(["apart", "documents"], ascending=False, kind="stable")
    return found.drop(columns="apart").head(most).rename(columns={"against": "not chosen"}).reset_index(drop=True)


def titles(corpus: Corpus, normalise: str) -> pd.DataFrame:
    """Return one row a document: how many keyphrases each annotator gave it, and how many all and only one chose."""
    rows = _choices(corpus, normalise)
    counts = corpus.gold.pivot_table("phrase", "doc_id", "annotator", aggfunc="size", sort=False)
    shared = rows.assign(everybody=rows["chosen"] == rows["of"], alone=rows["chosen"] == 1)
    shared = shared.groupby("doc_id", sort=False)[["everybody", "alone"]].sum()
    titles = corpus.documents.set_index("doc_id")["title"].reindex(counts.index).fillna("")
    table = counts.reindex(columns=corpus.annotators).astype("Int64").rename_axis(columns=None)
    table = table.assign(**{"chosen by all": shared["everybody"], "by one only": shared["alone"]})
    if titles.any():
        table.insert(0, "title", titles)
    return table.rename_axis("document").reset_index()
