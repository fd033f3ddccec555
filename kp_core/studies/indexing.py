"""Describe how consistently several annotators choose keyphrases: by pair, by document, and by title."""

from __future__ import annotations

from itertools import permutations

import pandas as pd

from kp_core.corpus import Corpus, memoize
from kp_core.scoring.measures.agreement import sizes
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.sentence_ids import names_sentences
from kp_core.settings import Settings
from kp_core.studies.annotators import agreement_by_document
from kp_core.studies.result import Result
from kp_core.studies.subjects import chosen_by, names_of


def consistency(result: Result) -> pd.DataFrame:
    """Return Hooper's and Rolling's consistency of each pair of annotators, and the number of documents that both saw.

    result: of `agreement`. Rolling 1981: twice the number of shared keyphrases over the sum of both numbers chosen,
    which is P_pos; Hooper 1965: shared over distinct keyphrases, P_pos / (2 − P_pos).

    >>> import kp_core as kp
    >>> gold = pd.DataFrame({"doc_id": "d", "annotator": list("aab"), "phrase": ["tide", "sea", "tide"]})
    >>> consistency(kp.agreement(kp.load(gold=gold), universe=9))[["Hooper", "Rolling"]].round(3).to_numpy().tolist()
    [[0.5, 0.667]]
    """
    rows = result.frame[result.frame["measure"] == "P_pos"]
    names = [name for name in rows["system"] if name != "all"]
    pairs = {f"{a}|{b}" for a, b in permutations(names, 2)}  # an annotator's name may have a bar
    rows = rows[rows["system"].isin(pairs)].drop_duplicates("system")
    rolling = rows["value"].astype(float)
    columns = {"pair": rows["system"], "Hooper": rolling / (2 - rolling), "Rolling": rolling}
    return pd.DataFrame(columns).assign(documents=rows["documents"]).reset_index(drop=True)


def has_only_annotators(corpus: Corpus) -> bool:
    """Return whether the data have several annotators and no systems."""
    only_annotators = len(corpus.annotators) > 1 and not corpus.systems and not len(corpus.judgements)
    return only_annotators and not memoize(corpus, "names sentences", None, lambda: names_sentences(corpus))


#: Maximum number of annotators listed by name and in pairs; more annotators are counted, and their pairs drawn.
FEW = 4
#: Maximum number of disputed keyphrases listed per document.
_LISTED = 5


def disputed_documents(corpus: Corpus, settings: Settings) -> pd.DataFrame:
    """Return the documents with disputed keyphrases, lowest P_pos first: P_pos, undisputed and disputed keyphrases."""
    data = prepare_annotators(corpus, settings)
    agreement = agreement_by_document(corpus, settings, ("P_pos",)).set_index("document")
    rows = chosen_by(data)
    names = names_of(data)
    name = names["label"].fillna(names["subject"]).loc[rows["form"]].to_numpy()
    rows = rows.assign(name=name, apart=rows["chosen"] * (rows["seen"] - rows["chosen"]))
    rows = rows.sort_values("apart", ascending=False, kind="stable")
    rows["document"] = [data.documents[index] for index in rows["document"]]
    chosen_by_everybody = rows["apart"] == 0
    by_all = rows[chosen_by_everybody].groupby("document")["name"].agg(", ".join)
    choosers = rows["annotators"].map(", ".join)
    if len(data.coded.annotators) > FEW:
        choosers = rows["chosen"].astype("str") + " of " + rows["seen"].astype("str")
    disputed = (rows["name"] + " (" + choosers + ")")[~chosen_by_everybody].groupby(rows["document"]).agg(_shortened)
    table = agreement[agreement["annotators"] > 1][["P_pos"]].sort_values("P_pos", kind="stable", na_position="last")
    table = table.assign(**{"by all": by_all, "by some": disputed}).fillna({"by all": "", "by some": ""})
    return table[table["by some"] != ""].rename_axis("document").reset_index()


def _shortened(phrases: pd.Series[str]) -> str:
    omitted = len(phrases) - _LISTED
    return "; ".join([*phrases.head(_LISTED), *([f"{omitted} more"] if omitted > 0 else [])])


def titles(corpus: Corpus, settings: Settings) -> pd.DataFrame:
    """Return one row per document: numbers of keyphrases per annotator, chosen by all, and by one only."""
    data = prepare_annotators(corpus, settings)
    choices, rows = data.choices, chosen_by(data)
    counts = pd.DataFrame(sizes(choices).T, index=data.documents, columns=data.coded.annotators).astype("Int64")
    counts = counts.mask(~choices.seen.T)
    kinds = {"chosen by all": rows["chosen"] == rows["seen"], "by one only": rows["chosen"] == 1}
    summed = pd.DataFrame(kinds).groupby(rows["document"]).sum().reindex(range(len(counts)), fill_value=0)
    table = counts.assign(**summed.set_axis(data.documents))
    titles = corpus.documents.set_index("doc_id")["title"].reindex(table.index).fillna("")
    if titles.any():
        table.insert(0, "title", titles)
    return table.rename_axis("document").reset_index()
