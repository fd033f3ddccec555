"""Means over subjects: CASIMiR's example, scikit-learn, each document left out, all swaps tried."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.stats import t

import kp_core as kp
from kp_core.words.statements import of_two
from tests.unit.test_subjects import GOLD, LISTS, SUGGESTED

THREE = "P@k,R@k,F1@k"
EXACT = {"k": "all", "normalise": "none"}


def _values(corpus: kp.Corpus, **asked: object) -> list[float]:
    return kp.evaluate(corpus, **{"measures": THREE, "interval": "none", **EXACT, **asked}).frame["value"].tolist()


def _loaded(gold: dict, **systems: dict) -> kp.Corpus:
    return kp.load(gold=gold, systems={name: {"d0": [], **lists} for name, lists in systems.items()})


def _by_hand(gold: dict, lists: dict, rule: str, weighted: bool) -> list[float]:
    """Return mean P, R and F1 over subjects, each counted by itself."""
    sums = np.zeros((3, 2))
    for subject in {one for side in (gold, lists) for phrases in side.values() for one in phrases}:
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
    gold, lists = ({name: list(own) for name, own in side.items()} for side in (gold, lists))
    rows = kp.evaluate(_loaded(gold, x=lists), measures=THREE, average="subject", **EXACT).frame
    without = np.array(
        [_by_hand({n: own for n, own in gold.items() if n != left}, lists, "casimir", False) for left in gold]
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


@given(LISTS, LISTS)
def test_thirds_by_frequency_hold_only_their_subjects(gold: dict, lists: dict) -> None:
    gold = {name: phrases for name, phrases in gold.items() if phrases} | {"d9": ["a"], "d8": ["a", "b"]}
    number = pd.Series([one for phrases in gold.values() for one in phrases]).value_counts()
    ordered = sorted(number)
    first, second = (ordered[-(-len(ordered) * part // 3) - 1] for part in (1, 2))
    third = {one: "tail" if n <= first else "middle" if n <= second else "head" for one, n in number.items()}
    frame = kp.evaluate(
        _loaded(gold, x=lists), measures="R@k,P@k", average="subject", by="frequency", interval="none", **EXACT
    ).frame
    for name in ("head", "middle", "tail"):
        own = {d: [one for one in phrases if third[one] == name] for d, phrases in gold.items()}
        said = {d: [one for one in phrases if third.get(one, "tail") == name] for d, phrases in lists.items()}
        found = frame.loc[frame["subset"] == f"frequency:{name}"].set_index("measure")["value"]
        precision, recall, _ = _by_hand(own, said, "casimir", False)
        assert [found["P@M"], found["R@M"]] == pytest.approx([precision, recall], nan_ok=True)


def test_what_has_no_mean_over_subjects_is_refused() -> None:
    corpus = kp.load(gold=GOLD, systems={"x": SUGGESTED, "y": GOLD})
    runs = kp.load(gold=GOLD, systems={"x#1": SUGGESTED, "x#2": GOLD, "y": GOLD})
    for act, words in (
        (lambda: kp.evaluate(corpus, average="subject", ties="expected"), "which phrase stands where"),
        (lambda: kp.evaluate(runs, average="subject", measures="F1@k"), "one run a system"),
        (lambda: kp.compare(corpus, average="subject", test="bootstrap"), "test = randomisation"),
        (lambda: kp.spread(corpus, average="subject"), "for evaluate and compare"),
        (lambda: kp.evaluate(corpus, by="presence,frequency"), "one of them"),
    ):
        with pytest.raises(kp.UsageError, match=words):
            act()


def test_other_measures_keep_their_usual_average() -> None:
    frame = kp.evaluate(
        kp.load(gold=GOLD, systems={"x": SUGGESTED}), average="subject", measures="F1@k,MAP,kappa"
    ).frame
    assert frame["average"].tolist() == ["subject", "macro", "micro"]


def test_sentences_tell_means_over_subjects_from_values_of_documents() -> None:
    corpus = kp.load(gold=GOLD, systems={"x": SUGGESTED, "y": GOLD})
    assert "P@3 by subject 1.000 against 0.375" in kp.answer(corpus, measure="P@k", k=3, average="subject").claim
    assert "MAP 1.000 against" in kp.answer(corpus, measure="MAP", k=3, average="subject").claim
    one = kp.load(gold=GOLD, systems={"x": SUGGESTED})
    assert "reaches P@3 by subject (weighted) " in kp.answer(one, measure="P@k", k=3, average="subject-weighted").claim
    beside = kp.versus(corpus, measure="P@k", a="x", b="y", k=3, average="subject")
    assert of_two(beside).startswith("By P@3 of each document, not by subject, x is better on 0 documents")
    for found in (beside, kp.documents(corpus, average="subject")):
        assert [note.message for note in found.notes if note.where == "average"] == [
            "values and differences are those of documents; a mean over subjects has no value for one document"
        ]
    assert not [
        note for note in kp.documents(corpus, measures="MAP", average="subject").notes if note.where == "average"
    ]
    note = kp.paper_table(corpus, measures="P@k,F1@k,MAP", k=3, average="subject").note()
    assert "Means over subjects: P, F1." in note


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ("a ab abc abcd", "head more than 3, middle 3 to 3, tail 2 or fewer"),  # a 4, b 3, c 2, d 1
        ("ab ac ad ae", "head more than 1, middle nothing, since too many have equally many, tail 1 or fewer"),
    ],
)
def test_thirds_are_told_by_their_bounds(lists: str, words: str) -> None:
    gold = {f"d{place}": list(own) for place, own in enumerate(lists.split())}
    (note,) = (
        one for one in kp.evaluate(_loaded(gold, x={}), by="frequency", measures="P@k", k=1).notes if one.where == "by"
    )
    assert note.message == f"by how many documents have them: {words}"


@pytest.mark.parametrize("by", ["group,frequency", "frequency,group"])
def test_thirds_of_a_type_hold_its_documents_alone(by: str) -> None:
    types, number = {"A": "x", "B": "y", "C": "y"}, {"a": 3, "b": 2, "c": 1, "d": 2, "f": 1}
    texts = pd.DataFrame({"doc_id": list(types), "title": "t", "group": list(types.values())})
    frame = kp.evaluate(
        kp.load(gold=GOLD, systems={"x": SUGGESTED}, documents=texts),
        measures="R@k",
        average="subject",
        by=by,
        interval="none",
        **EXACT,
    ).frame.set_index("subset")["value"]
    for group in ("x", "y"):
        for third, counts in (("head", {3}), ("middle", {2}), ("tail", {1})):
            own = {d: [s for s in GOLD[d] if number[s] in counts] for d in GOLD if types[d] == group}
            due, lists = {s for phrases in own.values() for s in phrases}, {d: SUGGESTED[d] for d in own}
            shares = [
                sum(s in own[d] and s in lists[d] for d in own) / sum(s in own[d] for d in own) for s in sorted(due)
            ]
            found = frame[f"group:{group}/frequency:{third}"]
            assert found == pytest.approx(np.mean(shares) if shares else np.nan, nan_ok=True)
