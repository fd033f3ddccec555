"""Agreement of annotators in the invented corpus that an independent implementation worked end to end."""

import numpy as np
import pytest
from scipy.stats import t

import kp_core as kp
from kp_core.studies.annotators import agreement_by_document

OPTIONS = {"normalise": "none", "universe": "ngrams:1"}


@pytest.fixture(scope="module")
def expected(oracle):
    return oracle["expected"]["annotators"]


@pytest.fixture(scope="module")
def result(corpus):
    return kp.agreement(corpus, interval="cluster-t", **OPTIONS)


def value(result, system, measure, column="value"):
    frame = result.frame
    rows = frame[(frame["system"] == system) & (frame["measure"] == measure) & (frame["subset"] == "all")]
    assert len(rows) == 1
    return rows[column].item()


@pytest.mark.parametrize(("measure", "key"), [("K", "K"), ("alpha", "alpha"), ("AC1", "ac1"), ("PABAK", "pabak_R")])
def test_coefficients_of_all_annotators(result, expected, measure, key):
    assert value(result, "all", measure) == pytest.approx(expected["pooled"][key], abs=1e-9)
    assert value(result, "all", measure, "documents") == expected["pooled"]["D"]
    assert value(result, "all", "Light") == pytest.approx(expected["light"], abs=1e-9)
    assert value(result, "all", "Conger") == pytest.approx(expected["conger"], abs=1e-9)


def test_interval_of_k_takes_documents_as_clusters(result, expected):
    low, high = expected["pooled"]["ci95_cluster_t_K"]
    assert value(result, "all", "K", "low") == pytest.approx(low, abs=1e-9)
    assert value(result, "all", "K", "high") == pytest.approx(high, abs=1e-9)
    half = (value(result, "all", "K", "high") - value(result, "all", "K")) / t.ppf(0.975, 7)
    assert half == pytest.approx(expected["pooled"]["se_cluster_K"], abs=1e-9)


def test_k_of_every_document(corpus, expected):
    rows = agreement_by_document(corpus, **OPTIONS).set_index("document")
    for document, k in expected["K_per_document"].items():
        if k is None:
            assert np.isnan(rows["K"][document])
            assert rows["status"][document] == "both_empty"
        else:
            assert rows["K"][document] == pytest.approx(k, abs=1e-9)


def test_leaving_one_annotator_out(result, expected):
    for annotator, k in expected["leave_one_out_K"].items():
        assert value(result, annotator, "K") == pytest.approx(k, abs=1e-9)


def test_annotators_in_pairs_and_against_union_of_others(corpus, expected):
    result = kp.agreement(corpus, measures=["kappa", "P_pos", "a", "b", "c", "d"], interval="none", **OPTIONS)
    met = {pair.replace("-", "|"): (part["documents"], part) for pair, part in expected["pairwise_pooled"].items()}
    met |= {name: (part["documents"], part["human"]) for name, part in expected["human_ceiling"].items()}
    for name, (documents, actual) in met.items():
        assert value(result, name, "kappa", "documents") == documents
        assert value(result, name, "kappa") == pytest.approx(actual.get("cohen_kappa", actual.get("kappa")), abs=1e-9)
        assert value(result, name, "P_pos") == pytest.approx(actual["ppos"], abs=1e-9)
        assert [value(result, name, cell) for cell in "abcd"] == actual["totals"]


def test_systems_against_the_same_gold_as_people(corpus, expected):
    """The mean over annotators, each left out in turn; `s1` and people face the same keyphrases."""
    result = kp.evaluate(corpus, k=5, measures=["kappa", "P_pos"], annotators="others", interval="none", **OPTIONS)
    ceiling = expected["human_ceiling"].values()
    for system, key in {"s1": "s1", "s2": "s2", "human ceiling": "human"}.items():
        for measure, name in {"kappa": "kappa", "P_pos": "ppos"}.items():
            mean = np.mean([item[key][name] for item in ceiling])
            assert value(result, system, measure) == pytest.approx(mean, abs=1e-9)
            assert value(result, system, measure, "documents") == 7
