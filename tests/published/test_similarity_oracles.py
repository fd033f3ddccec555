"""Similarity of phrases: printed values of Kim, Baldwin & Kan 2010, closed forms, libraries, and assignments."""

import json
import re
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from nltk.stem.snowball import SnowballStemmer

import kp_core as kp
from kp_core.scoring.semantic import best_of_prefixes, soft_gains
from kp_core.similarity import SimilarityOptions, best_over_gold, score
from kp_core.similarity.relation import describe
from kp_core.similarity.tokens import Tokenization
from kp_core.studies.correlation.coefficients import correlation
from tests.cases import cases

CASES = cases(__file__)


def number(printed):
    return np.nan if printed in ("undefined", "error") else float(Fraction(printed))


def values(pairs, measures, **options):
    frame = kp.similarity(pairs, measures, **options)
    return {name: rows["value"] for name, rows in frame.groupby("measure", sort=False)}


@pytest.fixture(scope="module")
def pairs(shared):
    path = shared("oracles/similarity/phrase_pairs_expected.csv")
    return pd.read_csv(path, keep_default_na=False, dtype="str").rename(columns={"id": "pair_id"})


def test_worked_pairs(pairs):
    result = values(pairs, list(CASES["paper_like"].values()))
    for column, measure in CASES["paper_like"].items():
        expected = [number(value) for value in pairs[column]]
        assert result[measure].tolist() == pytest.approx(expected, abs=1e-6, nan_ok=True), column


@pytest.mark.published
def test_printed_weights_and_their_order():
    pairs = [("a b c", "a b"), ("a b c", "b c")]
    long = [
        ("effective grid computing algorithm", c) for c in ("effective grid", "grid computing", "computing algorithm")
    ]
    assert values(pairs, ["M-R-precision"])["M-R-precision"].tolist() == pytest.approx([5 / 11, 9 / 11], abs=1e-15)
    assert values(long, "M-R-precision")["M-R-precision"].tolist() == pytest.approx(
        [7 / 25, 10 / 25, 18 / 25], abs=1e-15
    )


@pytest.mark.parametrize("turned", [False, True])
def test_closed_forms_of_contiguous_parts(shared, turned):
    table = pd.read_csv(shared("oracles/similarity/contiguous_substring_closed_forms.csv"), dtype="str")
    made = []
    for r, c, start in zip(table["r_longer"], table["c_shorter"], table["start"], strict=True):
        words = [f"t{i}x" for i in range(int(r))]
        part = words[int(start) - 1 : int(start) - 1 + int(c)]
        made.append((" ".join(part), " ".join(words)) if turned else (" ".join(words), " ".join(part)))
    result = values(made, list(CASES["closed_forms"].values()))
    for column, measure in CASES["closed_forms"].items():
        expected = [number(value) for value in table[column]]
        assert result[measure].tolist() == pytest.approx(expected, abs=1e-6), column


def test_types_places_and_complexity_of_the_worked_pairs(pairs):
    result = describe(pairs["keyphrase"].tolist(), pairs["candidate"].tolist())
    assert result["type"].tolist() == pairs["near_miss_type"].tolist()
    assert result["location"].replace("", "exact").tolist() == pairs["location_on_longer"].tolist()
    assert result["complexity"].tolist() == pairs["complexity_of_keyphrase"].tolist()
    assert result["reordered"].tolist() == (pairs["reordered_bag"] == "yes").tolist()


@pytest.fixture(scope="module")
def judged(shared):
    """Judged French keyphrases and all gold terms of their document, stemmed by NLTK; PyStemmer changes three."""
    stem = lru_cache(None)(SnowballStemmer("french").stem)
    gold, rows = (
        pd.read_csv(shared(f"data/termith_eval/{name}.tsv"), sep="\t", quoting=3, dtype="str", keep_default_na=False)
        for name in ("gold", "system_judgements")
    )
    gold["key"], rows["phrase"] = (
        column.map(lambda text: " ".join(stem(word) for word in re.findall(r"\w+", text.lower())))
        for column in (gold["term"], rows["keyphrase"])
    )
    rows["row"] = range(len(rows))
    return rows, rows.merge(gold[["domain", "doc", "key"]], on=["domain", "doc"])


def test_relations_of_judged_french_keyphrases(judged, shared):
    rows, pairs = judged
    result = describe(pairs["key"].tolist(), pairs["phrase"].tolist(), Tokenization("none", ""))["type"]
    order = {"EXACT": 0, "MORPH": 0, "PARTOF": 1, "INCLUDE": 2, "OVERLAP": 3, "NONE": 4}
    best = result.map(order).groupby(pairs["row"]).min()
    table = pd.read_csv(shared("oracles/real/termith_pertinence_by_relation.csv")).set_index("relation")
    pertinence = rows["pertinence"].astype(int)
    for place, relation in enumerate(("exact", "included", "includes", "overlap", "none")):
        part = pertinence[best.to_numpy() == place]
        expected = table.loc[relation]
        counts = [expected[f"pertinence_{value}"] for value in (0, 1, 2)]
        assert [int((part == value).sum()) for value in (0, 1, 2)] == counts
        assert part.mean() == pytest.approx(expected["mean_pertinence"], abs=1e-9)


def test_spearman_with_judgements_by_method_and_domain(judged, shared):
    rows, pairs = judged
    measures = {"exact match 0/1": "exact", "best overlap, token multisets": "R-precision"}
    plain = SimilarityOptions(normalise=dict.fromkeys(measures.values(), "none"))
    values = score(pairs["key"], pairs["phrase"], list(measures.values()), plain).table
    people, expected = rows["pertinence"].to_numpy(float), pd.read_csv(shared("oracles/real/termith_spearman.csv"))
    subsets = {"all": np.ones(len(rows), bool)}
    for kind in ("method", "domain"):
        subsets |= {f"{kind}:{name}": (rows[kind] == name).to_numpy() for name in rows[kind].unique()}
    for name, column in zip(measures, values.T, strict=True):
        best = best_over_gold(column, pairs["row"].to_numpy())
        best[np.isnan(best)] = 0.0  # two phrases have no token
        table = expected[expected["measure"] == name].set_index("subset")
        assert set(table.index) - {"partial matches only"} == set(subsets)
        for subset, used in subsets.items():
            assert used.sum() == table["judged_keyphrases"][subset]
            result = correlation(best[used], people[used])
            assert result == pytest.approx(table["spearman"][subset], abs=1e-9), (name, subset)


@pytest.fixture(scope="module")
def matchings(shared):
    return json.loads(shared("oracles/similarity/soft_matching_cases.json").read_text("utf-8"))["cases"]


def test_hits_of_every_prefix(matchings):
    assert len(matchings) == 5
    for case in matchings:
        matrix = np.array(case["similarity_rows_predictions_columns_gold"])
        row, item = np.nonzero(matrix >= case["tau"])
        gain, pairs = soft_gains(row, item, matrix[row, item], len(matrix))
        weight = np.cumsum(gain)
        assert weight.tolist() == pytest.approx(case["soft_weight_H_k"], abs=1e-12), case["name"]
        assert np.cumsum(pairs).tolist() == case["soft_count_H_k"], case["name"]
        k, gold = np.arange(1, len(matrix) + 1), matrix.shape[1]
        assert (weight / k).tolist() == pytest.approx(case["weighted_P_at_k"], abs=1e-9)
        assert (weight / gold).tolist() == pytest.approx(case["weighted_R_at_k"], abs=1e-9)
        assert (2 * weight / (k + gold)).tolist() == pytest.approx(case["weighted_F1_at_k"], abs=1e-9)
        assert (2 * np.cumsum(pairs) / (k + gold)).tolist() == pytest.approx(case["count_F1_at_k"], abs=1e-9)


def test_greedy_matching_is_another_thing(matchings):
    case = matchings[0]
    best = best_of_prefixes(np.array(case["similarity_rows_predictions_columns_gold"]))[0][-1]
    assert (best, case["greedy_weight_all"]) == (pytest.approx(1.4), 0.75)
