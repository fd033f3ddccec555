"""Means over subjects: CASIMiR's example, scikit-learn, each document left out, all swaps tried."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import t

import kp_core as kp
from tests.unit.test_subjects import GOLD, SUGGESTED

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
