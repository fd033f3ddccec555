"""What can be said of lists alone, against counting by hand, KPEval's formulas and NumPy's cosines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from nltk.stem.porter import PorterStemmer

import kp_core as kp

MEASURES = ["returned@k", "size-error@k", "duplicate-phrases@k", "duplicate-words@k", "present@k", "self-similarity@k"]
WORDS = ["tide", "tides", "moon", "harbour", "sail", "sailing", "storm"]


def test_lists_are_measured_as_they_were_returned() -> None:
    rng, stem = np.random.default_rng(4), PorterStemmer().stem

    def phrases(low: int) -> list[str]:
        return [" ".join(rng.choice(WORDS, int(rng.integers(1, 3)))) for _ in range(int(rng.integers(low, 9)))]

    names = [f"d{number}" for number in range(80)]
    gold, lists = ({name: phrases(low) for name in names} for low in (1, 0))
    texts = {name: " ".join(rng.choice(WORDS, 12)) for name in names}
    texts["d7"] = ""
    every = sorted({phrase for side in (gold, lists) for part in side.values() for phrase in part})
    vectors = dict(zip(every, rng.normal(size=(len(every), 5)), strict=True))
    corpus = kp.load(gold=gold, systems={"a": lists}, documents=texts, vectors=vectors)
    result = kp.documents(corpus, kp.Settings(k="3,8", duplicates="before"), MEASURES).frame
    values = {(row.document, row.measure, row.k): (row.value, row.status) for row in result.itertuples()}
    for name in names:
        for k in (3, 8):
            part = [[stem(word) for word in phrase.split()] for phrase in lists[name][:k]]
            n, words = len(part), [word for phrase in part for word in phrase]
            text, distinct = " " + " ".join(map(stem, texts[name].split())) + " ", {" ".join(item) for item in part}
            unit = [vectors[item] / np.linalg.norm(vectors[item]) for item in lists[name][:k]]
            cosines = (np.array(unit) @ np.array(unit).T)[np.triu_indices(n, 1)] if n > 1 else np.ones(n)
            expected = {
                "returned": n,
                "size-error": abs(n - len({" ".join(map(stem, item.split())) for item in gold[name]})),
                "duplicate-phrases": 1 - len(distinct) / n if n else np.nan,
                "duplicate-words": 1 - len(set(words)) / len(words) if words else 1,
                "present": np.mean([f" {' '.join(item)} " in text for item in part]) if n and texts[name] else np.nan,
                "self-similarity": cosines.mean() if n else np.nan,
            }
            for measure, value in expected.items():
                got, status = values[name, f"{measure}@{k}", k]
                assert got == pytest.approx(value, abs=1e-12, nan_ok=True), (name, measure, k)
                if np.isnan(value):
                    assert status == ("system_empty" if not n else "no_text")


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
