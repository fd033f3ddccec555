"""Subjects, each by itself: the example of CASIMiR, and sets counted one by one."""

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kp_core as kp
from tests.corpora import corpus_of

#: The example that CASIMiR is tested with.
GOLD = {"A": ["a", "b", "c"], "B": ["a", "d"], "C": ["a", "b", "d", "f"]}
SUGGESTED = {"A": ["a", "d", "f"], "B": ["a", "e"], "C": ["f"]}
LISTS = st.dictionaries(
    st.sampled_from(["d1", "d2", "d3", "d4"]), st.lists(st.sampled_from("abcde"), max_size=5, unique=True), min_size=1
)


@given(LISTS, LISTS, st.integers(1, 4), st.sampled_from(["skip", "zero"]))
def test_each_subject_is_counted_over_documents(gold: dict, lists: dict, k: int, empty_gold: str) -> None:
    if not any(gold.values()):
        gold = {**gold, "d9": ["a"]}
    corpus = kp.load(gold=gold, systems={"x": {"d1": [], **lists}})
    result = kp.subjects(corpus, k=k, empty_gold=empty_gold, normalise="none").frame.set_index("subject")
    used = [document for document, phrases in gold.items() if phrases or empty_gold == "zero"]
    first = {document: lists.get(document, [])[:k] for document in used}
    for subject in "abcde":
        due = sum(subject in gold[document] for document in used)
        said = sum(subject in first[document] for document in used)
        both = sum(subject in gold[document] and subject in first[document] for document in used)
        if due or said:
            assert result.loc[subject, ["gold", "suggested", "found"]].tolist() == [due, said, both]
            assert result.loc[subject, "F1"] == pytest.approx(2 * both / (due + said))
        else:
            assert subject not in result.index


#: Who saw which document, and what they chose there: a list may be empty.
PEOPLE = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(st.sampled_from(["d1", "d2", "d3"]), st.lists(st.sampled_from("abc"), unique=True))
        for name in ("Ann", "Ben", "Cem", "Dora")
    },
)


@given(PEOPLE)
def test_subjects_of_annotators_equal_pairwise_counts(people: dict) -> None:
    people = {"Eva": {"d1": ["a", "b"]}, "Finn": {"d1": ["b"]}, **people}
    frame = kp.subjects(corpus_of(people), normalise="none").frame
    seen_by = {item: [name for name, lists in people.items() if item in lists] for item in ("d1", "d2", "d3")}
    expected, apart_of = {}, []
    for subject in "abc":
        has = {
            document: [subject in people[name][document] for name in names]
            for document, names in seen_by.items()
            if any(subject in people[name][document] for name in names)
        }
        pairs = [pair for chosen in has.values() for pair in combinations(chosen, 2)]
        by_all = sum(all(chosen) and len(chosen) > 1 for chosen in has.values())
        by_most = sum(len(chosen) > 1 and sum(chosen) > len(chosen) / 2 for chosen in has.values())
        apart, both = sum(a != b for a, b in pairs), sum(a and b for a, b in pairs)
        counts = [len(has), sum(map(sum, has.values())), sum(map(len, has.values())), by_all, by_most, apart]
        if has:
            expected[subject] = counts, 2 * both / (2 * both + apart) if pairs else None
    assert set(frame["subject"]) == set(expected)
    for row in frame.to_dict("records"):
        counts, shared = expected[row["subject"]]
        assert [row[name] for name in ("documents", "chosen", "seen", "by_all", "by_most", "apart")] == counts
        assert row["P_pos"] == pytest.approx(shared, nan_ok=True) if shared is not None else pd.isna(row["P_pos"])
        assert (row["reason"] == "single_annotator") == (shared is None)
        apart_of.append(counts[-1])
    assert apart_of == sorted(apart_of, reverse=True)


def test_of_one_person_alone_nothing_can_be_said() -> None:
    with pytest.raises(kp.UsageError, match="a system, or a second annotator"):
        kp.subjects(kp.load(gold=GOLD))
