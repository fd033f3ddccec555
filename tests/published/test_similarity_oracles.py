"""Similarity of phrases: printed values of Kim, Baldwin & Kan 2010, closed forms, and what the libraries give."""

import re
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from nltk.stem.snowball import SnowballStemmer
from scipy.stats import spearmanr

import kp_core as kp
from kp_core.similarity import Choices, best_over_gold, score
from kp_core.similarity.relation import describe
from kp_core.similarity.tokens import Recipe

#: Columns of `phrase_pairs_expected.csv` under the preset `paper-like`.
PAPER_LIKE = {
    "r_precision_bag": "R-precision",
    "r_precision_contiguous": "R-precision(overlap=contiguous)",
    "r_precision_denominator_keyphrase": "R-precision(denominator=keyphrase)",
    "mod_r_bag": "M-R-precision",
    "mod_r_ordered": "M-R-precision(alignment=ordered)",
    "mod_r_contiguous": "M-R-precision(alignment=contiguous)",
    "bleu_safe_none": "BLEU(smoothing=none)",
    "bleu_safe_exp": "BLEU",
    "bleu1_safe": "BLEU-1",
    "rouge1_recall": "ROUGE-1",
    "rouge1_precision": "ROUGE-1-P",
    "rouge1_f1": "ROUGE-1-F",
    "rouge2_f1": "ROUGE-2-F",
    "rougeL_f1": "ROUGE-L-F",
    "meteor_a09_b3_g05": "METEOR(complete=no)",
    "meteor_identical_rule": "METEOR",
    "meteor_a081_b083_g028": "METEOR(complete=no,weights=tuned-unverified)",
    "nist5_info_over_this_file": "NIST",
    "token_jaccard": "jaccard",
    "token_dice": "dice",
    "levenshtein_sim": "levenshtein",
    "jaro_winkler": "jaro-winkler",
    "token_set_ratio": "token-set",
}
LIKE_NLTK = {"bleu4_nltk_method1": "BLEU", "meteor_nltk": "METEOR"}


def number(printed):
    return np.nan if printed in ("undefined", "error") else float(Fraction(printed))


def values(pairs, measures, **options):
    frame = kp.similarity(pairs, measures, **options)
    return {name: rows["value"] for name, rows in frame.groupby("measure", sort=False)}


@pytest.fixture(scope="module")
def pairs(shared):
    path = shared("oracles/similarity/phrase_pairs_expected.csv")
    return pd.read_csv(path, keep_default_na=False, dtype="str").rename(columns={"id": "pair_id"})


@pytest.mark.parametrize(("columns", "compat"), [(PAPER_LIKE, "none"), (LIKE_NLTK, "nltk")])
def test_worked_pairs(pairs, columns, compat):
    found = values(pairs, list(columns.values()), compat=compat)
    for column, measure in columns.items():
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


CLOSED = {
    "r_precision": "R-precision",
    "mod_r_precision": "M-R-precision",
    "rouge1_recall": "ROUGE-1",
    "bleu_effective_order": "BLEU",
    "meteor_09_3_05": "METEOR",
    "meteor_081_083_028": "METEOR(weights=tuned-unverified)",
    "rouge1_f1": "ROUGE-1-F",
}


@pytest.mark.parametrize("turned", [False, True])
def test_closed_forms_of_contiguous_parts(shared, turned):
    table = pd.read_csv(shared("oracles/similarity/contiguous_substring_closed_forms.csv"), dtype="str")
    made = []
    for r, c, start in zip(table["r_longer"], table["c_shorter"], table["start"], strict=True):
        words = [f"t{i}x" for i in range(int(r))]
        part = words[int(start) - 1 : int(start) - 1 + int(c)]
        made.append((" ".join(part), " ".join(words)) if turned else (" ".join(words), " ".join(part)))
    found = values(made, list(CLOSED.values()))
    for column, measure in CLOSED.items():
        expected = [number(value) for value in table[column]]
        assert found[measure].tolist() == pytest.approx(expected, abs=1e-6), column


@pytest.fixture(scope="module")
def generated(shared):
    table = pd.read_csv(shared("oracles/similarity/generated_pairs_library_values.csv"), dtype="str")
    return table.rename(columns={"ref": "keyphrase", "hyp": "candidate"})


NLTK = (
    {
        f"bleu{n}_{s}": f"BLEU{f'-{n}' if n < 4 else ''}(smoothing={s[-1] if s != 'none' else s})"
        for n in (1, 2, 3, 4)
        for s in ("none", "m1", "m2", "m3")
    }
    | {f"nist{n}": f"NIST(n={n})" for n in (1, 2, 3, 5)}
    | {"nist_len": "NIST(n=length)", "meteor_nowordnet": "METEOR"}
    | {
        f"rouge{n}{stem}_{w}": f"ROUGE-{n}{'' if w == 'R' else f'-{w}'}{'(stemmer=yes)' if stem else ''}"
        for n in "12L"
        for stem in ("", "_stem")
        for w in "PRF"
    }
)


@pytest.mark.parametrize("column", NLTK)
def test_as_the_libraries_give_it(generated, column):
    expected = [number(value) for value in generated[column]]
    found = kp.similarity(generated, NLTK[column], direction="keyphrase", compat="nltk")
    # relative, because unsmoothed BLEU is as small as 1e-231 and still orders the pairs
    assert found["value"].tolist() == pytest.approx(expected, rel=1e-9, abs=0, nan_ok=True)
    assert found["reason"].tolist() == np.where(np.isnan(expected), "library_error", "ok").tolist()


def test_meteor_with_the_original_stemmer_and_even_weights(generated):
    options = {"direction": "keyphrase", "compat": "nltk", "stemmer": "porter-original"}
    found = kp.similarity(generated, "METEOR(weights=f1)", **options)["value"]
    expected = generated["meteor_nowordnet_origporter_a5b1g0"].map(number)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-9)


@pytest.mark.parametrize(
    ("column", "measure", "scale"),
    [
        ("sacre_bleu_eff", "BLEU", 100),
        ("chrF2", "chrF", 100),
        ("lev_norm_sim", "levenshtein", 1),
        ("osa_norm_sim", "levenshtein(distance=osa)", 1),
        ("jaro_winkler", "jaro-winkler", 1),
        ("token_lev_norm_sim", "levenshtein-tokens", 1),
        ("token_set_ratio", "token-set", 100),
        ("token_sort_ratio", "token-sort", 100),
        ("jaccard_tok", "jaccard", 1),
    ],
)
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
    assert kp.similarity(both, "METEOR", direction="keyphrase", compat="nltk")["value"].item() == pytest.approx(
        0.476190, abs=1e-6
    )


def test_types_places_and_complexity_of_the_worked_pairs(pairs):
    found = describe(pairs["keyphrase"].tolist(), pairs["candidate"].tolist())
    assert found["type"].tolist() == pairs["near_miss_type"].tolist()
    assert found["location"].replace("", "exact").tolist() == pairs["location_on_longer"].tolist()
    assert found["complexity"].tolist() == pairs["complexity_of_keyphrase"].tolist()
    assert found["reordered"].tolist() == (pairs["reordered_bag"] == "yes").tolist()


@pytest.fixture(scope="module")
def judged(shared):
    """Judged French keyphrases beside every gold term of their document, as stems of NLTK (PyStemmer moves three)."""
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


def test_best_overlap_over_gold_against_the_judgements(judged, shared):
    rows, pairs = judged
    values = score(pairs["key"], pairs["phrase"], ["R-precision"], Choices(normalise={"R-precision": "none"})).table
    best = best_over_gold(values[:, 0], pairs["row"].to_numpy())
    best[np.isnan(best)] = 0.0  # two phrases have no token
    table = pd.read_csv(shared("oracles/real/termith_spearman.csv")).set_index(["subset", "measure"])["spearman"]
    found = spearmanr(best, rows["pertinence"].astype(int)).statistic
    assert found == pytest.approx(table["all", "best overlap, token multisets"], abs=1e-9)
