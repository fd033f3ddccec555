"""Similarity of phrases: printed values of Kim, Baldwin & Kan 2010, closed forms, and what the libraries give."""

import re
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from nltk.stem.snowball import SnowballStemmer

import kp_core as kp
from kp_core.similarity import Choices, best_over_gold, score
from kp_core.similarity.relation import describe
from kp_core.similarity.tokens import Recipe
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
    found = values(pairs, list(CASES["paper_like"].values()))
    for column, measure in CASES["paper_like"].items():
        expected = [number(value) for value in pairs[column]]
        assert found[measure].tolist() == pytest.approx(expected, abs=1e-6, nan_ok=True), column


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


def test_pairs_that_are_undefined_say_why(pairs):
    frame = kp.similarity(pairs, ["ROUGE-2-F"])
    one_word = pairs["rouge2_f1"] == "undefined"
    assert frame["reason"].tolist() == np.where(one_word, "too_short", "ok").tolist()
    assert one_word.sum() == 4


@pytest.mark.parametrize("turned", [False, True])
def test_closed_forms_of_contiguous_parts(shared, turned):
    table = pd.read_csv(shared("oracles/similarity/contiguous_substring_closed_forms.csv"), dtype="str")
    made = []
    for r, c, start in zip(table["r_longer"], table["c_shorter"], table["start"], strict=True):
        words = [f"t{i}x" for i in range(int(r))]
        part = words[int(start) - 1 : int(start) - 1 + int(c)]
        made.append((" ".join(part), " ".join(words)) if turned else (" ".join(words), " ".join(part)))
    found = values(made, list(CASES["closed_forms"].values()))
    for column, measure in CASES["closed_forms"].items():
        expected = [number(value) for value in table[column]]
        assert found[measure].tolist() == pytest.approx(expected, abs=1e-6), column


@pytest.fixture(scope="module")
def generated(shared):
    table = pd.read_csv(shared("oracles/similarity/generated_pairs_library_values.csv"), dtype="str")
    return table.rename(columns={"ref": "keyphrase", "hyp": "candidate"})


def test_rouge_is_that_of_rouge_score(generated):
    """Where the words are runs of plain letters and digits; rouge-score splits at everything else."""
    plain = generated[~(generated["keyphrase"] + generated["candidate"]).str.contains("[^a-z0-9 ]", case=False)]
    assert len(plain) > 300
    measures = {f"rouge{n}_{share}": f"ROUGE-{n}-{share}".removesuffix("-R") for n in "12L" for share in "PRF"}
    found = values(plain, list(measures.values()), direction="keyphrase")
    for column, measure in measures.items():
        expected = plain[column].map(number).tolist()
        assert found[measure].fillna(0.0).tolist() == pytest.approx(expected, rel=1e-9), column


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize(("smoothing", "column"), [("none", "none"), ("exp", "m3")])
def test_bleu_is_that_of_nltk_where_the_candidate_is_long_enough(generated, order, smoothing, column):
    long = generated[generated["candidate"].str.split().str.len() >= order]
    found = kp.similarity(long, f"BLEU-{order}(smoothing={smoothing})", direction="keyphrase")["value"]
    # unsmoothed, NLTK puts the smallest positive number in place of 0
    assert found.tolist() == pytest.approx(long[f"bleu{order}_{column}"].map(number).tolist(), rel=1e-9, abs=1e-70)


def test_nist_of_one_pair_is_that_of_nltk(generated):
    alone = [
        kp.similarity([pair], "NIST", direction="keyphrase")["value"].item()
        for pair in zip(generated["keyphrase"], generated["candidate"], strict=True)
    ]
    assert alone == pytest.approx(generated["nist_len"].map(number).tolist(), rel=1e-9)


@pytest.mark.parametrize(("column", "measure", "scale"), CASES["libraries"])
def test_measures_that_are_the_libraries_own(generated, column, measure, scale):
    found = kp.similarity(generated, measure, direction="keyphrase")["value"] * scale
    assert found.tolist() == pytest.approx(generated[column].map(number).tolist(), rel=1e-9, abs=1e-9)


def test_greedy_alignment_differs_only_where_a_word_is_repeated(generated):
    options = {
        "measures": "METEOR(complete=no)",
        "direction": "keyphrase",
        "normalise": {"METEOR": "lower+space+porter-nltk"},
    }
    best = kp.similarity(generated, **options)["value"]
    greedy = generated["meteor_nowordnet"].map(number)
    differs = ~np.isclose(best, greedy, rtol=1e-12)
    assert differs.sum() == 23
    repeated = [
        any(len(set(p.split())) < len(p.split()) for p in pair)
        for pair in zip(generated["keyphrase"], generated["candidate"], strict=True)
    ]
    assert (best >= greedy - 1e-12).all()
    assert not (differs & ~np.array(repeated)).any()
    both = [("neural scheduling", "neural scheduling scheduling")]
    assert kp.similarity(both, "METEOR", direction="keyphrase")["value"].item() == pytest.approx(0.892857, abs=1e-6)


def test_types_places_and_complexity_of_the_worked_pairs(pairs):
    found = describe(pairs["keyphrase"].tolist(), pairs["candidate"].tolist())
    assert found["type"].tolist() == pairs["near_miss_type"].tolist()
    assert found["location"].replace("", "exact").tolist() == pairs["location_on_longer"].tolist()
    assert found["complexity"].tolist() == pairs["complexity_of_keyphrase"].tolist()
    assert found["reordered"].tolist() == (pairs["reordered_bag"] == "yes").tolist()


@pytest.fixture(scope="module")
def judged(shared):
    """Judged French keyphrases beside every gold term of their document, as stems of NLTK: PyStemmer moves three."""
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
    found = describe(pairs["key"].tolist(), pairs["phrase"].tolist(), Recipe("none", ""))["type"]
    order = {"EXACT": 0, "MORPH": 0, "PARTOF": 1, "INCLUDE": 2, "OVERLAP": 3, "NONE": 4}
    best = found.map(order).groupby(pairs["row"]).min()
    table = pd.read_csv(shared("oracles/real/termith_pertinence_by_relation.csv")).set_index("relation")
    pertinence = rows["pertinence"].astype(int)
    for place, relation in enumerate(("exact", "included", "includes", "overlap", "none")):
        own = pertinence[best.to_numpy() == place]
        expected = table.loc[relation]
        counts = [expected[f"pertinence_{value}"] for value in (0, 1, 2)]
        assert [int((own == value).sum()) for value in (0, 1, 2)] == counts
        assert own.mean() == pytest.approx(expected["mean_pertinence"], abs=1e-9)


def test_spearman_with_the_judgements_of_all_methods_and_domains(judged, shared):
    rows, pairs = judged
    measures = {"exact match 0/1": "exact", "best overlap, token multisets": "R-precision"}
    plain = Choices(normalise=dict.fromkeys(measures.values(), "none"))
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
            found = correlation(best[used], people[used])
            assert found == pytest.approx(table["spearman"][subset], abs=1e-9), (name, subset)
