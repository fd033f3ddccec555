import pandas as pd
import pytest

import kp_core as kp
from tests.corpora import corpus_of, settings

CORPUS = corpus_of(
    {"d1": ["neural network training", "topic"], "d2": ["hash table"]},
    {"s": {"d1": ["neural network", "network training", "topics"], "d2": ["tree", "hash table lookup"]}},
)


def values(soft, measure, k, corpus=CORPUS, **options):
    return kp.soft_evaluate(corpus, settings(k, universe=10, **options), soft, [measure]).frame["value"].tolist()


def test_a_keyphrase_is_found_once_and_the_better_pair_counts():
    # d1: 2/3 at rank 1, nothing new at 2 (the keyphrase is taken), 1 at 3; d2: 0, then 2/3
    half = kp.Soft("R-precision", 0.5)
    assert values(half, "P@k", "1-3") == pytest.approx([(2 / 3) / 2, (1 / 3 + 1 / 3) / 2, (5 / 9 + 2 / 9) / 2])
    assert values(half, "R@k", "1-3") == pytest.approx([(1 / 3) / 2, (1 / 3 + 2 / 3) / 2, (5 / 6 + 2 / 3) / 2])
    counted = kp.Soft("R-precision", 0.5, "count")
    assert values(counted, "R@k", "1-3") == pytest.approx([0.25, 0.75, 1.0])


def test_the_threshold_forbids():
    assert values(kp.Soft("R-precision", 0.7), "R@k", 3) == pytest.approx([0.25])
    assert values(kp.Soft("R-precision", 2 / 3), "R@k", 3) == pytest.approx([(5 / 6 + 2 / 3) / 2])


def test_tables_count_pairs_whatever_the_hits_weigh():
    for hits in ("weighted", "count"):
        soft = kp.Soft("R-precision", 0.5, hits)
        assert [values(soft, cell, 3)[0] for cell in "abcd"] == [3.0, 0.0, 2.0, 15.0]


def test_a_repeated_phrase_takes_no_second_keyphrase():
    corpus = corpus_of({"d": ["hash table", "hash tree"]}, {"s": {"d": ["hash", "hash"]}})
    soft = kp.Soft("R-precision", 0.5, "count")
    for duplicates in ("before", "keep", "after"):
        assert values(soft, "R@k", 2, corpus, duplicates=duplicates) == [0.5]


@pytest.mark.parametrize(("name", "found"), [("exact", 1.0), ("MORPH", 1.0), ("INCLUDE", 2.0), ("R-precision", 3.0)])
def test_presets(name, found):
    assert values(name, "a", 3) == [found]


def test_morph_stems_where_the_evaluation_does_not():
    corpus = corpus_of({"d": ["topic"]}, {"s": {"d": ["topics"]}})
    assert values("exact", "R@k", 1, corpus, normalise="lower+space") == [0.0]
    assert values("MORPH", "R@k", 1, corpus, normalise="lower+space") == [1.0]


def test_a_gold_standard_of_stems_is_not_stemmed_again():
    corpus = corpus_of({"d": ["univers", "univ"]}, {"s": {"d": ["univers", "universities"]}})
    assert values("exact", "R@k", "1-2", corpus, gold_stemmed="yes") == [0.5, 1.0]
    # stemmed again, both are one keyphrase and one prediction
    assert values("exact", "R@k", "1-2", corpus) == [1.0, 1.0]


def test_form_and_meaning_reads_the_texts_of_the_corpus():
    texts = {"d": "Alpha likes blue. Gamma likes blue. Red."}
    corpus = corpus_of({"d": ["alpha"]}, {"s": {"d": ["gamma"]}}, texts=texts)
    form = 1 - 4 / 5
    assert values("form and meaning", "R@k", 1, corpus) == pytest.approx([form / 2 + 0.5])


@pytest.mark.parametrize(("titles", "value"), [("yes", 0.5), ("no", 0)])
def test_contexts_stand_in_titles_too(titles, value):
    documents = {
        "doc_id": ["d", "e"],
        "title": ["Low tides are salty in spring", "Low ebbs are salty in spring"],
        "text": ["Boats wait.", "Boats sail."],
    }
    corpus = kp.load(
        gold={"d": ["low tides"], "e": ["x"]},
        systems={"s": {"d": ["low ebbs"], "e": ["x"]}},
        documents=pd.DataFrame(documents),
    )
    assert values(kp.Soft("context", 0.05), "R@k", 1, corpus, titles=titles) == pytest.approx([value])


def test_intervals_and_signature():
    made = settings("1-3", universe=10, interval="bootstrap", resamples=50)
    result = kp.soft_evaluate(CORPUS, made, kp.Soft("chrF", 0.4), direction="keyphrase")
    assert result.frame["measure"].tolist() == [f"{m}@{k}" for m in ("P", "R", "F1") for k in (1, 2, 3)]
    assert (result.frame["low"] <= result.frame["value"]).all()
    assert (result.frame["value"] <= result.frame["high"]).all()
    assert result.signature.endswith("|soft:chrF-0.4-weighted,direction=keyphrase")
    assert kp.settings_from(result.signature) == result.settings.changed(universe="")


@pytest.mark.parametrize(
    ("soft", "measures", "options", "said"),
    [
        ("exakt", ["P@k"], {}, "there is no soft matching 'exakt'"),
        ("exact", ["MAP"], {}, "'MAP' has no soft form"),
        ("exact", ["P@k"], {"ties": "expected"}, "soft matching looks at one order"),
    ],
)
def test_what_cannot_be_done_is_said(soft, measures, options, said):
    with pytest.raises(kp.UsageError, match=said):
        kp.soft_evaluate(CORPUS, settings(3, universe=10, **options), soft, measures)


@pytest.mark.parametrize(("tau", "hits"), [(0, "count"), (float("nan"), "count"), (0.5, "both")])
def test_choices_without_meaning_are_refused(tau, hits):
    with pytest.raises(kp.UsageError):
        kp.Soft("exact", tau, hits)
