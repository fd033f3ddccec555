"""A whole invented corpus, worked end to end by an independent implementation: tables, averages, errors, annotators."""

import numpy as np
import pytest
from scipy.stats import t

import kp_core as kp
from kp_core.studies.annotators import agreement_by_document
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


@pytest.fixture(scope="module")
def agreed(oracle):
    return oracle["expected"]["annotators"]


@pytest.fixture(scope="module")
def result(corpus):
    return kp.agreement(corpus, interval="cluster-t", **OPTIONS)


def cell(result, system, measure, column="value"):
    frame = result.frame
    rows = frame[(frame["system"] == system) & (frame["measure"] == measure) & (frame["subset"] == "all")]
    assert len(rows) == 1
    return rows[column].item()


@pytest.mark.parametrize(("measure", "key"), [("K", "K"), ("alpha", "alpha"), ("AC1", "ac1"), ("PABAK", "pabak_R")])
def test_coefficients_of_all_annotators(result, agreed, measure, key):
    assert cell(result, "all", measure) == pytest.approx(agreed["pooled"][key], abs=1e-9)
    assert cell(result, "all", measure, "documents") == agreed["pooled"]["D"]
    assert cell(result, "all", "Light") == pytest.approx(agreed["light"], abs=1e-9)
    assert cell(result, "all", "Conger") == pytest.approx(agreed["conger"], abs=1e-9)


def test_interval_of_k_takes_documents_as_clusters(result, agreed):
    low, high = agreed["pooled"]["ci95_cluster_t_K"]
    assert cell(result, "all", "K", "low") == pytest.approx(low, abs=1e-9)
    assert cell(result, "all", "K", "high") == pytest.approx(high, abs=1e-9)
    half = (cell(result, "all", "K", "high") - cell(result, "all", "K")) / t.ppf(0.975, 7)
    assert half == pytest.approx(agreed["pooled"]["se_cluster_K"], abs=1e-9)


def test_k_of_every_document(corpus, agreed):
    rows = agreement_by_document(corpus, **OPTIONS).set_index("document")
    for document, k in agreed["K_per_document"].items():
        if k is None:
            assert np.isnan(rows["K"][document])
            assert rows["status"][document] == "both_empty"
        else:
            assert rows["K"][document] == pytest.approx(k, abs=1e-9)


def test_leaving_one_annotator_out(result, agreed):
    for annotator, k in agreed["leave_one_out_K"].items():
        assert cell(result, annotator, "K") == pytest.approx(k, abs=1e-9)


def test_annotators_in_pairs_and_against_union_of_others(corpus, agreed):
    result = kp.agreement(corpus, measures=["kappa", "P_pos", "a", "b", "c", "d"], interval="none", **OPTIONS)
    met = {pair.replace("-", "|"): (part["documents"], part) for pair, part in agreed["pairwise_pooled"].items()}
    met |= {name: (part["documents"], part["human"]) for name, part in agreed["human_ceiling"].items()}
    for name, (documents, actual) in met.items():
        assert cell(result, name, "kappa", "documents") == documents
        assert cell(result, name, "kappa") == pytest.approx(actual.get("cohen_kappa", actual.get("kappa")), abs=1e-9)
        assert cell(result, name, "P_pos") == pytest.approx(actual["ppos"], abs=1e-9)
        assert [cell(result, name, letter) for letter in "abcd"] == actual["totals"]


def test_systems_against_the_same_gold_as_people(corpus, agreed):
    """The mean over annotators, each left out in turn; `s1` and people face the same keyphrases."""
    result = kp.evaluate(corpus, k=5, measures=["kappa", "P_pos"], annotators="others", interval="none", **OPTIONS)
    ceiling = agreed["human_ceiling"].values()
    for system, key in {"s1": "s1", "s2": "s2", "human ceiling": "human"}.items():
        for measure, name in {"kappa": "kappa", "P_pos": "ppos"}.items():
            mean = np.mean([item[key][name] for item in ceiling])
            assert cell(result, system, measure) == pytest.approx(mean, abs=1e-9)
            assert cell(result, system, measure, "documents") == 7
