"""Spearman's rho on 11,930 judged French keyphrases (TermITH-Eval) against the values recomputed by another script."""

import re
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from nltk.stem.snowball import SnowballStemmer

from kp_core.studies.correlation.coefficients import correlation


@pytest.fixture(scope="module")
def judged(shared):
    def read(name):
        path = shared(f"data/termith_eval/{name}.tsv")
        return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)

    # the values were made with NLTK's French stems; PyStemmer 3.1 makes one more phrase an exact match (2,081)
    stem = cache(SnowballStemmer("french").stem)
    gold, table = read("gold"), read("system_judgements")

    def stems(phrases):
        return [[stem(word) for word in re.findall(r"\w+", phrase.lower())] for phrase in phrases]

    entries = {}
    for domain, document, tokens in zip(gold["domain"], gold["doc"], stems(gold["term"]), strict=True):
        entries.setdefault((domain, document), []).append(tokens)
    exact, overlap = [], []
    for domain, document, tokens in zip(table["domain"], table["doc"], stems(table["keyphrase"]), strict=True):
        best = 0.0
        for entry in entries[domain, document] if tokens else ():
            common = sum((Counter(tokens) & Counter(entry)).values())
            best = max(best, common / max(len(tokens), len(entry)))
        exact.append(float(bool(tokens) and tokens in entries[domain, document]))
        overlap.append(best)
    table["exact match 0/1"], table["best overlap, token multisets"] = exact, overlap
    return table


@pytest.fixture(scope="module")
def expected(shared):
    table = pd.read_csv(shared("oracles/real/termith_spearman.csv"))
    return table.set_index(["subset", "measure"])


@pytest.mark.parametrize("measure", ["exact match 0/1", "best overlap, token multisets"])
def test_all_methods_and_domains(judged, expected, measure):
    people = judged["pertinence"].to_numpy(float)
    subsets = {"all": np.ones(len(judged), bool)}
    subsets |= {f"method:{name}": (judged["method"] == name).to_numpy() for name in judged["method"].unique()}
    subsets |= {f"domain:{name}": (judged["domain"] == name).to_numpy() for name in judged["domain"].unique()}
    listed = {subset for subset, name in expected.index if name == measure}
    assert listed - {"partial matches only"} == set(subsets)
    for subset, used in subsets.items():
        row = expected.loc[(subset, measure)]
        assert used.sum() == row["judged_keyphrases"]
        assert correlation(judged[measure].to_numpy()[used], people[used]) == pytest.approx(row["spearman"], abs=1e-9)
