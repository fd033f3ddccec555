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
    every = sorted({phrase for side in (gold, lists) for own in side.values() for phrase in own})
    vectors = dict(zip(every, rng.normal(size=(len(every), 5)), strict=True))
    corpus = kp.load(gold=gold, systems={"a": lists}, documents=texts, vectors=vectors)
    found = kp.documents(corpus, kp.Settings(k="3,8", duplicates="before"), MEASURES).frame
    values = {(row.document, row.measure, row.k): (row.value, row.status) for row in found.itertuples()}
    for name in names:
        for k in (3, 8):
            own = [[stem(word) for word in phrase.split()] for phrase in lists[name][:k]]
            n, words = len(own), [word for phrase in own for word in phrase]
            text, distinct = " " + " ".join(map(stem, texts[name].split())) + " ", {" ".join(one) for one in own}
            unit = [vectors[one] / np.linalg.norm(vectors[one]) for one in lists[name][:k]]
            cosines = (np.array(unit) @ np.array(unit).T)[np.triu_indices(n, 1)] if n > 1 else np.ones(n)
            expected = {
                "returned": n,
                "size-error": abs(n - len({" ".join(map(stem, one.split())) for one in gold[name]})),
                "duplicate-phrases": 1 - len(distinct) / n if n else np.nan,
                "duplicate-words": 1 - len(set(words)) / len(words) if words else 1,
                "present": np.mean([f" {' '.join(one)} " in text for one in own]) if n and texts[name] else np.nan,
                "self-similarity": cosines.mean() if n else np.nan,
            }
            for measure, value in expected.items():
                got, status = values[name, f"{measure}@{k}", k]
                assert got == pytest.approx(value, abs=1e-12, nan_ok=True), (name, measure, k)
                if np.isnan(value):
                    assert status == ("system_empty" if not n else "no_text")


def test_without_texts_or_vectors_there_is_no_value_and_a_reason() -> None:
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea", "tide"]}})
    rows = kp.evaluate(corpus, k=2, measures=MEASURES).frame.set_index("measure")
    assert rows["value"].fillna(-1).tolist() == [2, 1, 0, 0, -1, -1]
    assert rows["reason"].dropna().tolist() == ["no_text", "no_similarity"]


def test_with_pairs_a_repeated_phrase_is_as_similar_as_can_be() -> None:
    table = pd.DataFrame({"a": ["sea"], "b": ["tide"], "score": [0.5]})
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea", "tide", "Tides"]}}, similar=table)
    value = kp.evaluate(corpus, k=3, measures="self-similarity@k").frame["value"].item()
    assert value == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_a_document_without_gold_has_no_value_as_the_registry_says() -> None:
    lists = {"d1": ["sea", "tide"], "d2": ["moon", "moon"]}
    corpus = kp.load(gold={"d1": ["tide"], "d2": []}, systems={"a": lists}, documents={"d1": "sea", "d2": "moon"})
    found = kp.documents(corpus, kp.Settings(k=2), MEASURES[:-1]).frame
    assert found.loc[found["document"] == "d2", "value"].isna().all()
    assert found.loc[found["document"] == "d1", "value"].tolist() == [2, 1, 0, 0, 0.5]
    assert all("the document has no gold" in kp.MEASURES[name].undefined for name in MEASURES)
    counted = kp.evaluate(corpus, k=2, measures=MEASURES[:-1], empty_gold="zero", interval="none").frame["value"]
    assert counted.tolist() == [2, (1 + 2) / 2, (0 + 1 / 2) / 2, (0 + 1 / 2) / 2, (1 / 2 + 1) / 2]


def test_numbers_of_present_and_absent_keyphrases_and_their_mean_absolute_error() -> None:
    """As Chan et al. 2019 print them, against counting by hand; repeats are part of a list."""
    rng, stem = np.random.default_rng(7), PorterStemmer().stem
    names = [f"d{number}" for number in range(60)]
    texts = {name: " ".join(rng.choice(WORDS, 3)) for name in names}
    gold, lists = (
        {name: [str(one) for one in rng.choice(WORDS, int(rng.integers(low, 7)))] for name in names} for low in (1, 0)
    )
    corpus = kp.load(gold=gold, systems={"a": lists}, documents=texts)
    found = kp.evaluate(corpus, k="4,all", measures=MEASURES[:3], by="presence", empty_gold="zero", interval="none")
    values = found.frame.set_index(["subset", "measure"])["value"]
    for side in ("present", "absent"):
        numbers, errors, repeats = [], [], []
        for name in names:
            known = {stem(word) for word in texts[name].split()}
            own = [stem(word) for word in lists[name] if (stem(word) in known) == (side == "present")]
            due = {stem(word) for word in gold[name] if (stem(word) in known) == (side == "present")}
            numbers.append(len(own))
            errors.append(abs(len(own) - len(due)))
            repeats += [1 - len(set(own)) / len(own)] if own else []
        part = values[f"presence:{side}"]
        assert part["returned@M"] == pytest.approx(np.mean(numbers), abs=1e-12)
        assert part["size-error@M"] == pytest.approx(np.mean(errors), abs=1e-12)
        assert part["duplicate-phrases@M"] == pytest.approx(np.mean(repeats), abs=1e-12)
        assert part["returned@4"] == pytest.approx(np.mean(np.minimum(numbers, 4)), abs=1e-12)
    whole = values["all"]["returned@M"]
    assert whole == pytest.approx(values["presence:present"]["returned@M"] + values["presence:absent"]["returned@M"])
    assert not [note for note in found.notes if "have no parts" in str(note)]
    table = kp.paper_table(corpus, measures=["F1@M", "returned@M", "size-error@M"], by="presence", interval="none")
    assert list(table.blocks) == ["present", "absent"]
    assert [column.name for column in table.blocks["absent"]] == ["F1@M", "returned@M", "size-error@M"]


def test_lists_have_parts_by_frequency_and_several_systems() -> None:
    gold = {"d1": ["tide", "sea"], "d2": ["tide"], "d3": ["tide", "moon"]}
    lists = {"a": {"d1": ["tide", "storm"], "d2": ["tide", "tide"], "d3": ["sail"]}, "b": {"d1": ["moon"]}}
    corpus = kp.load(gold=gold, systems=lists)
    found = kp.evaluate(corpus, k="all", measures="returned@M", by="frequency", empty_gold="zero", interval="none")
    values = found.frame.set_index(["system", "subset"])["value"]
    assert (values["a", "frequency:head"], values["a", "frequency:tail"]) == (pytest.approx(1), pytest.approx(2 / 3))
    assert (values["b", "frequency:head"], values["b", "frequency:tail"]) == (0, pytest.approx(1 / 3))
