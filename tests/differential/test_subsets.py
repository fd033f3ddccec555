"""Parts of the data: each group as if it were loaded alone, present and absent keyphrases filtered by hand."""

import pandas as pd
import pytest

import kp_core as kp
from tests.corpora import corpus_of

TEXTS = {
    "d1": "The hash table stores keys. Tables of tables, and a hash.",
    "d2": "Waves move the sea; the sea moves sand.",
    "d3": "Sorting needs comparisons. A heap sorts in place.",
    "d4": "concatenated strings only",
}
GOLD = {
    "d1": ["hash table", "bucket", "key"],
    "d2": ["wave", "moon"],
    "d3": ["heap", "heap sort"],
    "d4": ["cat", "string"],
}
RUNS = {
    "s": {"d1": ["keys", "bucket", "hash", "table"], "d2": ["moon", "sea"], "d3": ["heap sort", "heap"], "d4": ["cat"]},
    "t": {"d1": ["hash tables"], "d2": ["tide", "waves", "moon"], "d4": ["strings", "cat"]},
}


def corpus(gold=GOLD, runs=RUNS, texts=TEXTS, groups=None):
    made = corpus_of(gold, runs, texts=texts)
    if groups:
        made.documents["group"] = made.documents["doc_id"].map(groups).fillna("")
    return made


def rows(result, subset):
    frame = result.frame[result.frame["subset"] == subset].drop(columns="subset")
    return frame.set_index(["system", "measure"])["value"]


@pytest.mark.parametrize("measures", [["F1@2", "MAP"], ["kappa", "P_pos", "PABAK"]])
def test_group_scores_equal_those_of_group_alone(measures):
    groups = {"d1": "x", "d2": "y", "d3": "x", "d4": "y"}
    result = kp.evaluate(
        corpus(groups=groups), k=2, measures=measures, by="group", interval="none", universe="ngrams:3"
    )
    for name in ("x", "y"):
        part = [d for d, group in groups.items() if group == name]
        alone = corpus(
            {d: GOLD[d] for d in part},
            {s: {d: lists[d] for d in part if d in lists} for s, lists in RUNS.items()},
            {d: TEXTS[d] for d in part},
        )
        expected = kp.evaluate(alone, k=2, measures=measures, interval="none", universe="ngrams:3")
        actual = rows(result, f"group:{name}")
        pd.testing.assert_series_equal(actual, rows(expected, "all").reindex(actual.index))


def test_missing_subsets_are_refused():
    with pytest.raises(kp.InputError, match="no texts"):
        kp.evaluate(corpus_of(GOLD, RUNS), k=2, by="presence")
    with pytest.raises(kp.InputError, match="no document type"):
        kp.evaluate(corpus(), k=2, by="group")
    with pytest.raises(kp.UsageError, match="by is 'colour'"):
        kp.evaluate(corpus(), k=2, by="colour")
