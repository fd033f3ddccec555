"""Ranking measures against exact fractions and against the recorded values of two libraries."""

import json
from fractions import Fraction

import numpy as np
import pytest

from tests.cases import rows
from tests.corpora import corpus_of, document_values, value

QUERIES = ("Q1", "Q2", "Q3", "Q4", "Q5")
#: Names of the oracle that KPScope writes otherwise: measure, and the denominator of average precision.
NOTES = {"MAP@k (denominator gold)": ("MAP@k", "gold"), "MAP@k (denominator min(k,gold))": ("MAP@k", "min(k,gold)")}
PRINTED_METHOD = "mean of P@1..P@5 (the printed method)"


def relevance(shared):
    table = rows(shared("published/notes_average_precision.csv"))
    return {row["query"]: row for row in table if row["query"] in QUERIES}


def ranked(bits):
    return [f"keyphrase {i}" if bit == "1" else f"other {i}" for i, bit in enumerate(bits, 1)]


@pytest.fixture(scope="module")
def notes(shared):
    runs = {q: ranked(row["relevance_of_ranks_1_to_10"]) for q, row in relevance(shared).items()}
    gold = {q: [p for p in phrases if p.startswith("keyphrase")] for q, phrases in runs.items()}
    assert {len(phrases) for phrases in gold.values()} == {5}
    return corpus_of(gold, {"notes": runs})


def of_documents(corpus, measure, k=10, **options):
    return document_values(corpus, measure, k, **options).set_index("document")["value"]


def test_worked_example_every_measure_at_every_k(shared, notes):
    table = [r for r in rows(shared("oracles/ranking/notes_example_expected.csv")) if r["measure"] != PRINTED_METHOD]
    result, wrong = {}, []
    for row in table:
        name, ap = NOTES.get(row["measure"], (row["measure"], "gold"))
        asked = name.replace("@k", f"@{row['k']}")
        if (asked, ap) not in result:
            per_query = of_documents(notes, asked, normalise="none", ap=ap)
            result[asked, ap] = per_query.to_dict() | {"mean": value(notes, asked, normalise="none", ap=ap)}
        expected = float(Fraction(row["exact"])) if row["exact"] else float(row["value"])
        if not abs(result[asked, ap][row["query"]] - expected) <= 1e-9:
            wrong.append((row["query"], asked, ap, result[asked, ap][row["query"]], expected))
    assert len(table) == 522
    assert not wrong


@pytest.mark.published
def test_worked_example_as_recomputed_and_as_printed(shared, notes):
    per_query = of_documents(notes, "MAP", normalise="none")
    for query, row in relevance(shared).items():
        assert per_query[query] == pytest.approx(float(Fraction(row["derived_AP_exact"])), abs=1e-12)
    assert value(notes, "MAP", normalise="none") == pytest.approx(float(Fraction(5347, 9000)), abs=1e-12)
    # The notes print .624: the mean of .654 .6 .733 .583 .55, of which only the first follows from any method.
    mean = rows(shared("published/notes_average_precision.csv"))[-1]
    assert mean["query"] == "mean"
    assert f"{np.mean([0.654, 0.6, 0.733, 0.583, 0.55]):.3f}" == mean["printed_AP"] == "0.624"
    assert f"{value(notes, 'MAP', normalise='none'):.6f}" == mean["derived_AP"] == "0.594111"


@pytest.fixture(scope="module")
def generated(shared):
    return json.loads(shared("oracles/ranking/generated_documents.json").read_text("utf-8"))["documents"]


@pytest.fixture(scope="module")
def generated_corpus(generated):
    gold = {name: list(document["gold"]) for name, document in generated.items()}
    grades = {name: document["gold"] for name, document in generated.items()}
    return corpus_of(gold, {"s": {name: document["ranked"] for name, document in generated.items()}}, grades=grades)


RANX = {f"f1@{k}": f"F1@{k}" for k in (1, 3, 5, 10, 15, 20, 30)}
RANX |= {"f1": "F1@M", "r-precision": "Rprec", "hits@10": "hits@10", "hit_rate@5": "success@5", "mrr@5": "MRR@5"}
RANX |= {"ndcg_burges@10": "nDCG-exp@10", "ndcg_burges": "nDCG-exp"}


def differing(generated, corpus, library, name, measure, factor=1.0, **options):
    result = of_documents(corpus, measure, normalise="none", **options)
    return [
        (document, name, result[document] * factor, record[library][name])
        for document, record in generated.items()
        if not abs(result[document] * factor - record[library][name]) <= 1e-9
    ]


def test_fifty_documents_as_ranx_scores_them(generated, generated_corpus):
    wrong = []
    for key, measure in RANX.items():
        wrong += differing(generated, generated_corpus, "ranx", key, measure)
    assert not wrong
    covered = {*RANX, "rbp.80", "rbp.95", "precision@10-l3", "recall@10-l3"}
    assert covered == set(generated["doc003"]["ranx"])


def test_rbp_equals_ranx_after_scaling_grades(generated, generated_corpus):
    largest = max(grade for document in generated.values() for grade in document["gold"].values())
    assert largest > 1
    for key, p in (("rbp.80", "0.8"), ("rbp.95", "0.95")):
        assert not differing(generated, generated_corpus, "ranx", key, f"RBP(p={p})", factor=largest)


def test_relevance_level_three_drops_lower_grades(generated, generated_corpus):
    for key, measure in (("precision@10-l3", "P@10"), ("recall@10-l3", "R@10")):
        result = of_documents(generated_corpus, measure, normalise="none", rel=3, empty_gold="zero")
        for document, record in generated.items():
            assert result[document] == pytest.approx(record["ranx"][key], abs=1e-9)


@pytest.fixture(scope="module")
def ties(shared):
    return json.loads(shared("oracles/ranking/tie_cases.json").read_text("utf-8"))["cases"]


def tied_corpus(case):
    phrases, scores = zip(*case["items"], strict=True)
    return corpus_of({"d": case["gold"]}, {"s": {"d": phrases}}, scores={"s": {"d": scores}})


@pytest.mark.parametrize("rule", ["stable", "trec", "expected"])
def test_tie_rules(ties, rule):
    assert len(ties) == 3
    for case in ties:
        for measure, expected in case[rule].items():
            if measure != "order":
                result = value(tied_corpus(case), measure, normalise="none", ties=rule)
                assert result == pytest.approx(float(Fraction(expected)), abs=1e-9), (case["name"], measure)
