"""A whole invented corpus, worked end to end by an independent implementation: tables, averages, errors, baselines.

Annotators and trimming have test files of their own.
"""

import pytest
from scipy.stats import t

import kp_core as kp
from tests.corpora import document_values, scored
from tests.measure_names import AGREEMENT as NAMES

#: The texts list the items 1..N, so that the 1-grams of a text are the universe of the oracle.
OPTIONS = {"normalise": "none", "universe": "ngrams:1"}


@pytest.fixture(scope="module")
def expected(oracle):
    return oracle["expected"]


def by_system(frame, measure, average="micro"):
    rows = frame[(frame["measure"] == measure) & (frame["average"] == average)]
    return rows.set_index("system")


def test_tables_of_every_document(corpus, expected):
    for cell, place in zip("abcd", range(4), strict=True):
        rows = document_values(corpus, cell, 5, **OPTIONS)
        for system, tables in expected["tables_per_document"].items():
            result = rows[rows["system"] == system].set_index("document")["value"]
            assert result.dropna().to_dict() == {document: table[place] for document, table in tables.items()}


def test_pooled_values(corpus, expected):
    frame = scored(corpus, [*NAMES.values(), *"abcd"], 5, average="micro", **OPTIONS)
    for system, micro in expected["micro"].items():
        for place, cell in enumerate("abcd"):
            assert by_system(frame, cell)["value"][system] == micro["totals"][place]
        for key, name in NAMES.items():
            result = by_system(frame, name.replace("@k", "@5"))["value"][system]
            assert result == pytest.approx(micro["metrics"][key], abs=1e-9), key


def test_document_cluster_errors_and_intervals_of_pooled_values(corpus, expected):
    keys = list(expected["micro"]["s1"]["ci95_cluster_t"])
    assert set(keys) <= set(NAMES)
    frame = scored(corpus, [NAMES[key] for key in keys], 5, average="micro", interval="cluster-t", **OPTIONS)
    for system, micro in expected["micro"].items():
        for key in keys:
            row = by_system(frame, NAMES[key]).loc[system]
            assert [row["low"], row["high"]] == pytest.approx(micro["ci95_cluster_t"][key], abs=1e-9), key
            error = (row["high"] - row["low"]) / 2 / t.ppf(0.975, micro["D"] - 1)
            assert error == pytest.approx(micro["se_cluster"][key], abs=1e-9), key


def test_macro_means_and_errors(corpus, expected):
    for system, macro in expected["macro"].items():
        for key, result in macro.items():
            frame = scored(corpus, NAMES[key], 5, average="macro", interval="cluster-t", **OPTIONS)
            row = by_system(frame, NAMES[key], "macro").loc[system]
            assert row["value"] == pytest.approx(result["mean"], abs=1e-9)
            assert row["documents"] == result["n_used"]
            error = (row["high"] - row["low"]) / 2 / t.ppf(0.975, result["n_used"] - 1)
            assert error == pytest.approx(result["se"], abs=1e-9)


def test_documents_without_gold_can_be_included(corpus, expected):
    options = OPTIONS | {"empty_gold": "zero", "interval": "cluster-t"}
    for system, result in expected["including_empty_gold"].items():
        frame = scored(corpus, ["kappa", "P_pos"], 5, average="both", **options)
        assert by_system(frame, "kappa")["value"][system] == pytest.approx(result["micro_kappa"], abs=1e-9)
        for key, name in (("macro_kappa", "kappa"), ("macro_ppos", "P_pos")):
            row = by_system(frame, name, "macro").loc[system]
            assert row["value"] == pytest.approx(result[key]["mean"], abs=1e-9)
            assert row["documents"] == result[key]["n_used"] == 8
            error = (row["high"] - row["low"]) / 2 / t.ppf(0.975, 7)
            assert error == pytest.approx(result[key]["se"], abs=1e-9)


@pytest.mark.parametrize(
    ("key", "name"), [("empty", "says nothing"), ("random_k", "random k"), ("oracle_k", "oracle k")]
)
def test_baselines(corpus, expected, key, name):
    result = expected["baselines"][key]
    metrics = result.get("metrics", result)
    frame = scored(corpus, [*NAMES.values(), *"abcd"], 5, average="micro", baselines=True, **OPTIONS)
    for place, total in enumerate(result.get("totals", [0, 88, 0, 307])):
        assert by_system(frame, "abcd"[place])["value"][name] == pytest.approx(total, abs=1e-8)
    for metric, measure in NAMES.items():
        value_found = by_system(frame, measure.replace("@k", "@5"))["value"][name]
        assert value_found == pytest.approx(metrics[metric], abs=1e-9), metric


def test_curve_over_k(corpus, expected):
    names = {key: NAMES[key] for key in ("kappa", "ppos", "pneg", "pabak")}
    frame = scored(corpus, list(names.values()), "1-6", average="micro", **OPTIONS)
    for system, points in expected["k_sweep_micro"].items():
        for point in points:
            for key, name in names.items():
                rows = frame[(frame["measure"] == name) & (frame["system"] == system) & (frame["k"] == point["k"])]
                assert rows["value"].item() == pytest.approx(point[key], abs=1e-9)


def test_interval_of_a_difference_takes_documents_as_clusters(corpus, expected):
    for key, result in expected["paired_s1_minus_s2_micro"].items():
        comparison = kp.compare(corpus, measure=NAMES[key], k=5, average="micro", interval="cluster-t", **OPTIONS)
        row = comparison.frame.iloc[0]
        assert row["difference"] == pytest.approx(result["difference"], abs=1e-9)
        assert [row["low"], row["high"]] == pytest.approx(result["ci95_cluster_t"], abs=1e-9)
