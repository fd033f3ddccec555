"""Ranking measures of random corpora against pytrec_eval (trec_eval 9), under the preset `trec`."""

import pytest
import pytrec_eval

from tests.corpora import corpus_of, document_values, value
from tests.differential.random_corpora import draw
from tests.measure_names import TREC, TREC_AT

CUTS = (1, 2, 3, 5, 10, 20)
SUPPORTED = {*TREC, "bpref", *(f"{name}.{','.join(map(str, CUTS))}" for name in TREC_AT)}


def trec(drawn, lowest_relevant=1):
    evaluator = pytrec_eval.RelevanceEvaluator(
        {d: gold for d, gold in drawn.gold.items() if gold}, SUPPORTED, relevance_level=lowest_relevant
    )
    return evaluator.evaluate({d: dict(zip(p, drawn.scores[d], strict=True)) for d, p in drawn.runs.items()})


def ours(drawn, *measures, **options):
    """Return measure → document → value."""
    frame = document_values(drawn.corpus, measures, 5, preset="trec", normalise="none", **options).dropna(
        subset="value"
    )
    return {name: rows.set_index("document")["value"].to_dict() for name, rows in frame.groupby("measure")}


def pairs():
    yield from TREC.items()
    for name, measure in TREC_AT.items():
        for cut in CUTS:
            yield f"{name}_{cut}", measure.format(cut)


@pytest.mark.parametrize(
    ("seed", "tied", "highest"), [(1, False, 1), (2, True, 1), (3, False, 3), (4, True, 3), (5, True, 2)]
)
def test_every_document_and_measure(seed, tied, highest):
    drawn = draw(seed, tied=tied, highest=highest)
    theirs, wrong, compared = trec(drawn), [], 0
    every = ours(drawn, *(measure for _, measure in pairs()))
    for name, measure in pairs():
        result = every[measure]
        # trec_eval drops documents without gold or without a list; so does the preset
        assert {d for d in result if drawn.runs.get(d)} == {d for d in theirs if drawn.runs[d]}
        for document, values in theirs.items():
            if drawn.runs[document]:
                compared += 1
                if not abs(result[document] - values[name]) <= 1e-9:
                    wrong.append((document, name, result[document], values[name]))
    assert compared > 500
    assert not wrong


@pytest.mark.parametrize(("seed", "lowest"), [(6, 0), (7, 0), (8, -1), (9, -1)])
def test_bpref_with_judged_negatives(seed, lowest):
    drawn = draw(seed, tied=seed % 2 == 0, lowest=lowest, highest=2)  # a grade of -1 is no judgement
    theirs, result, compared = trec(drawn), ours(drawn, "bpref")["bpref"], 0
    unjudged = 0  # topics without a judged negative, of which trec_eval gives relevant retrieved / R
    for document, values in theirs.items():
        grades = set(drawn.gold[document].values())
        if max(grades) > 0 and drawn.runs[document]:
            compared += 1
            unjudged += 0 not in grades
            assert result[document] == pytest.approx(values["bpref"], abs=1e-9), document
    assert compared > 5
    assert unjudged


@pytest.mark.parametrize(("level", "lowest"), [(1, 0), (2, 1), (2, -1)])
def test_grades_below_the_level_are_no_gold(level, lowest):
    drawn = draw(11, lowest=lowest, highest=3)  # some documents have such grades only, and nDCG has gains there
    assert any(gold and max(gold.values()) < 2 for gold in drawn.gold.values()) or lowest >= 0
    theirs, compared = trec(drawn, lowest_relevant=level), 0
    names = {"map": "MAP", "P_5": "P@5", "recall_10": "R@10", "recip_rank": "MRR", "ndcg": "nDCG"}
    names |= {"ndcg_cut_10": "nDCG@10"}
    result = ours(drawn, *names.values(), rel=level)
    for name, measure in names.items():
        for document, values in theirs.items():
            if drawn.runs[document]:
                compared += 1
                assert result[measure][document] == pytest.approx(values[name], abs=1e-9)
    assert compared > 50


def test_the_one_exception_scores_closer_than_single_precision():
    scores = [1.0, 1.0 - 1e-9]  # one number in float32: trec_eval 9 sorts the tie by name, downwards
    corpus = corpus_of({"d": ["a1"]}, {"s": {"d": ["a1", "b1"]}}, scores={"s": {"d": scores}})
    theirs = pytrec_eval.RelevanceEvaluator({"d": {"a1": 1}}, {"recip_rank"}).evaluate(
        {"d": {"a1": 1.0, "b1": 1 - 1e-9}}
    )
    assert theirs["d"]["recip_rank"] == 0.5
    assert value(corpus, "MRR", preset="trec", normalise="none") == 1.0
