"""Seven awkward documents under every preset and every single change: exact fractions of an independent program.

The columns MAP and MRR of the oracle are by definition the first hit with 0 for a miss, whatever the preset says, so
these two are asked for with rr=first and rr_miss=0.
"""

import json
from fractions import Fraction

import pytest

import kp_core as kp
from kp_core.scoring.measures import parse
from tests.cases import rows
from tests.corpora import corpus_of, document_values, scored

#: In trec_eval a topic without any judgement is left out, as in the case, and one whose judgements are all 0 counts 0.
LATER = {("trec", "empty_gold"): "zero-if-judged"}


@pytest.fixture(scope="module")
def case(shared):
    return json.loads(shared("oracles/ranking/conventions_case.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def table(shared):
    return rows(shared("oracles/ranking/conventions_case_expected.csv"))


@pytest.fixture(scope="module")
def corpus(case):
    return corpus_of(case["gold"], {"s": case["run"]})


def test_presets_are_the_published_records(case):
    of_keyphrases = [name for name, item in kp.PRESETS.items() if item.of == "keyphrases"]
    for name in of_keyphrases:
        preset = kp.Settings(preset=name)
        for field, expected in case["conventions"][name].items():
            result = parse("F1@k").averages(preset.average)[0] if field == "average" else getattr(preset, field)
            assert result == LATER.get((name, field), expected), (name, field)
    assert {name for name in case["conventions"] if "," not in name} == set(of_keyphrases)


@pytest.mark.parametrize(
    ("measures", "rules"), [(["P@k", "R@k", "F1@k"], {}), (["MAP", "MRR"], {"rr": "first", "rr_miss": "0"})]
)
def test_means_under_every_convention(case, table, corpus, measures, rules):
    wrong = []
    for row in table:
        record = case["conventions"][row["convention"]] | rules
        frame = scored(corpus, measures, int(row["k"]), **record)
        for name, result in zip(measures, frame["value"], strict=True):
            expected = row[name.removesuffix("@k")]
            if result != pytest.approx(float(Fraction(expected)), abs=1e-12):
                wrong.append((row["convention"], row["k"], name, result, expected))
        assert set(frame["documents"]) == {int(row["documents"])} or rules, row["convention"]
    assert len(table) == 46
    assert not wrong


def test_every_document_under_the_defaults(shared, corpus):
    for row in rows(shared("oracles/ranking/conventions_case_expected_by_document.csv")):
        for column, measure in (("P", "P@k"), ("R", "R@k"), ("F1", "F1@k"), ("AP", "MAP"), ("rr", "MRR")):
            result = document_values(corpus, measure, int(row["k"])).set_index("document").loc[row["document"]]
            assert result["value"] == pytest.approx(float(Fraction(row[column])), abs=1e-12), (row, column)
            assert result["gold_size"] == int(row["gold_size"])
            assert result["hits"] == int(row["hits"]) or column in ("AP", "rr")
