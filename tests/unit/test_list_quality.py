"""Measures of lists alone, against counting by hand, KPEval's formulas and NumPy's cosines."""

import numpy as np
import pandas as pd
import pytest

import kp_core as kp

MEASURES = ["returned@k", "size-error@k", "duplicate-phrases@k", "duplicate-words@k", "present@k", "self-similarity@k"]


def test_lists_are_measured_as_they_were_returned() -> None:
    lists = {"d1": ["tides", "tide", "moon tide", "storm"], "d2": [], "d3": ["sail"]}
    vectors = {
        "tides": [1.0, 0.0],
        "tide": [0.6, 0.8],
        "moon tide": [0.0, 1.0],
        "storm": [1.0, 0.0],
        "sail": [0.0, 1.0],
    }
    corpus = kp.load(
        gold={name: ["tide", "harbour"] for name in lists},
        systems={"a": lists},
        documents={"d1": "The tides of a moon tide.", "d2": "A storm.", "d3": ""},
        vectors=vectors,
    )
    frame = kp.documents(corpus, kp.Settings(k=3, duplicates="before"), MEASURES).frame
    values = frame.pivot_table("value", "document", "measure", sort=False, dropna=False).to_numpy().tolist()
    # of three phrases two are the stem tide, as are three of four words; cosines .6, 0 and .8
    assert values[0] == pytest.approx([3, 1, 1 / 3, 1 / 2, 1, 1.4 / 3])
    assert values[1] == pytest.approx([0, 2, np.nan, 1, np.nan, np.nan], nan_ok=True)
    assert values[2] == pytest.approx([1, 1, 0, 0, np.nan, 1], nan_ok=True)
    assert set(frame["status"]) == {"ok", "system_empty", "no_text"}


def test_missing_texts_or_vectors_give_reason() -> None:
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea", "tide"]}})
    rows = kp.evaluate(corpus, k=2, measures=MEASURES).frame.set_index("measure")
    assert rows["value"].fillna(-1).tolist() == [2, 1, 0, 0, -1, -1]
    assert rows["reason"].dropna().tolist() == ["no_text", "no_similarity"]


def test_repeated_phrase_has_self_similarity_one() -> None:
    table = pd.DataFrame({"a": ["sea"], "b": ["tide"], "score": [0.5]})
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea", "tide", "Tides"]}}, similar=table)
    value = kp.evaluate(corpus, k=3, measures="self-similarity@k").frame["value"].item()
    assert value == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_lists_have_parts_by_frequency_and_several_systems() -> None:
    gold = {"d1": ["tide", "sea"], "d2": ["tide"], "d3": ["tide", "moon"]}
    lists = {"a": {"d1": ["tide", "storm"], "d2": ["tide", "tide"], "d3": ["sail"]}, "b": {"d1": ["moon"]}}
    corpus = kp.load(gold=gold, systems=lists)
    result = kp.evaluate(corpus, k="all", measures="returned@M", by="frequency", empty_gold="zero", interval="none")
    values = result.frame.set_index(["system", "subset"])["value"]
    assert (values["a", "frequency:head"], values["a", "frequency:tail"]) == (pytest.approx(1), pytest.approx(2 / 3))
    assert (values["b", "frequency:head"], values["b", "frequency:tail"]) == (0, pytest.approx(1 / 3))
