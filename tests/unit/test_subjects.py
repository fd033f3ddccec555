"""Subjects, each by itself and on average: the example of CASIMiR, sets counted one by one, all swaps tried."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

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


def test_single_annotator_has_no_subject_agreement() -> None:
    with pytest.raises(kp.UsageError, match="a system, or a second annotator"):
        kp.subjects(kp.load(gold=GOLD))


THREE = "P@k,R@k,F1@k"
EXACT = {"k": "all", "normalise": "none"}


def _values(corpus: kp.Corpus, **asked: object) -> list[float]:
    return kp.evaluate(corpus, **{"measures": THREE, "interval": "none", **EXACT, **asked}).frame["value"].tolist()


def _loaded(gold: dict, **systems: dict) -> kp.Corpus:
    return kp.load(gold=gold, systems={name: {"d0": [], **lists} for name, lists in systems.items()})


def _by_hand(gold: dict, lists: dict, rule: str, weighted: bool) -> list[float]:
    """Return mean P, R and F1 over subjects, each counted by itself."""
    sums = np.zeros((3, 2))
    for subject in {item for side in (gold, lists) for phrases in side.values() for item in phrases}:
        due = {document for document, phrases in gold.items() if subject in phrases}
        said = {document for document in gold if subject in lists.get(document, [])}
        for place, absent in enumerate((not said, not due, not (said or due))):
            if not (said or due) or (absent and rule == "casimir"):
                continue
            both, weight = len(due & said), len(due) if weighted else 1
            value = 0 if absent else [both / max(len(said), 1), both / max(len(due), 1), 0][place]
            value = 2 * both / (len(due) + len(said)) if place == 2 else value
            sums[place] += weight * value, weight
    return [above / below if below else np.nan for above, below in sums]


def test_the_example_of_casimir() -> None:
    corpus = kp.load(gold=GOLD, systems={"x": SUGGESTED})
    assert _values(corpus, average="subject") == pytest.approx([0.375, 5 / 15, (0.8 + 2 / 3) / 6])
    by_document = [(1 / 3 + 1 / 2 + 1) / 3, (1 / 3 + 1 / 2 + 1 / 4) / 3, (1 / 3 + 1 / 2 + 2 / 5) / 3]
    assert _values(corpus, average="macro", denominator="returned") == pytest.approx(by_document)
    assert _values(corpus, average="micro", denominator="returned", measures="P@k,R@k") == pytest.approx([3 / 6, 3 / 9])
    assert _values(corpus, average="subject", measures="success@k") == pytest.approx([2 / 5])


def test_intervals_leave_out_each_document() -> None:
    gold = {f"d{i}": phrases for i, phrases in enumerate(["abc", "ad", "bcf", "a", "cd"])}
    lists = {f"d{i}": phrases for i, phrases in enumerate(["abx", "ab", "c", "ad", "e"])}
    gold, lists = ({name: list(part) for name, part in side.items()} for side in (gold, lists))
    rows = kp.evaluate(_loaded(gold, x=lists), measures=THREE, average="subject", **EXACT).frame
    without = np.array(
        [_by_hand({n: part for n, part in gold.items() if n != left}, lists, "casimir", False) for left in gold]
    )
    error = np.sqrt(4 / 5 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    half = t.ppf(0.975, 4) * error
    assert rows["low"].tolist() == pytest.approx((rows["value"] - half).tolist())
    assert rows["high"].tolist() == pytest.approx((rows["value"] + half).tolist())


@pytest.mark.parametrize("measure", ["P@k", "R@k", "F1@k"])
def test_p_is_the_share_of_all_swaps(measure: str) -> None:
    gold = {f"d{i}": list(phrases) for i, phrases in enumerate(["abc", "ad", "bcf", "a", "cd", "ef"])}
    a = {f"d{i}": list(phrases) for i, phrases in enumerate(["abx", "ab", "c", "ad", "e", "ef"])}
    b = {f"d{i}": list(phrases) for i, phrases in enumerate(["x", "a", "f", "bd", "ce", "e"])}
    place = ["P@k", "R@k", "F1@k"].index(measure)

    def difference(swapped: tuple[bool, ...]) -> float:
        sides = [{d: (b if s else a)[d] for d, s in zip(gold, swapped, strict=True)}]
        sides.append({d: (a if s else b)[d] for d, s in zip(gold, swapped, strict=True)})
        first, second = (_by_hand(gold, side, "casimir", False)[place] for side in sides)
        return first - second

    observed = difference((False,) * 6)
    reached = np.mean([abs(difference(s)) >= abs(observed) - 1e-12 for s in product([False, True], repeat=6)])
    (row,) = kp.compare(_loaded(gold, a=a, b=b), measure=measure, average="subject", **EXACT).frame.to_dict("records")
    assert (row["difference"], row["p"]) == pytest.approx((observed, reached))
    assert row["low"] < row["difference"] < row["high"]


def test_what_has_no_mean_over_subjects_is_refused() -> None:
    corpus = kp.load(gold=GOLD, systems={"x": SUGGESTED, "y": GOLD})
    runs = kp.load(gold=GOLD, systems={"x#1": SUGGESTED, "x#2": GOLD, "y": GOLD})
    for act, words in (
        (lambda: kp.evaluate(corpus, average="subject", ties="expected"), "needs the rank of each phrase"),
        (lambda: kp.evaluate(runs, average="subject", measures="F1@k"), "one run per system"),
        (lambda: kp.compare(corpus, average="subject", test="bootstrap"), "test = randomisation"),
        (lambda: kp.evaluate(corpus, by="presence,frequency"), "one of the two"),
    ):
        with pytest.raises(kp.UsageError, match=words):
            act()
