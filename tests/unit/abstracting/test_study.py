"""The sentence study: draws, trees, trimming and baselines against hand values, brute force and scikit-learn."""

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.studies.sentence_study import protocol
from kp_core.studies.sentence_study.attributes import extracts
from kp_core.studies.sentence_study.protocol import (
    CLASSIFIERS,
    LEAD,
    PRUNING,
    RANDOM,
    TREE,
    Design,
    decision_tree,
    errors_by_pruning,
    folds,
    rules,
)
from kp_core.studies.trimming import at_random
from tests.cases import LECTURES, cases

CASES = cases(__file__)


@pytest.fixture(scope="module")
def lectures():
    return kp.load(gold=LECTURES / "sentences.csv", documents=LECTURES / "documents.jsonl")


@pytest.fixture(scope="module")
def given(lectures):
    """Attributes without a tagger: fast, and the trees have something to learn."""
    rng = np.random.default_rng(7)
    table = kp.list_sentences(lectures)[["sentence"]].copy()
    return table.assign(title_similarity=rng.random(len(table)).round(3), tf_idf=rng.random(len(table)).round(3))


@pytest.fixture(scope="module")
def found(lectures, given):
    return extracts(lectures, given)


@pytest.fixture(scope="module")
def outcome(found):
    return protocol.run_at_majority(found, np.full(20, 2), Design(repeats=1))


def test_classes_follow_from_trimming(lectures, found):
    """As `trim` keeps them under the same universe, and as counted by brute force from the file."""
    gold = pd.read_csv(LECTURES / "sentences.csv")
    votes = gold.groupby("sentence")["annotator"].nunique()
    for threshold in (0.1, 0.3, 0.5, 0.65, 0.8):
        frame, majority = kp.trim(lectures, threshold=threshold).frame, found.majority(threshold)
        sizes = frame["size"].where(frame["status"] == "ok", 0).astype(int)
        expected = dict(zip(frame["document"], sizes, strict=True))
        assert dict(zip(found.documents, majority.tolist(), strict=True)) == expected
        yes = set(found.frame["sentence"][found.yes(majority)])
        needed = gold.drop_duplicates("sentence").set_index("sentence")["doc_id"].map(expected)
        assert yes == set(votes.index[(needed[votes.index] > 0) & (votes >= needed[votes.index])])


def ruled(names, matrix, yes, pruning=0.0):
    """Return decision, sentences and rule of each leaf of a tree grown on a column a name."""
    matrix, yes = np.array(matrix, float).T, np.array(yes, bool)
    tree = decision_tree(pruning, 0).fit(matrix, yes)
    return list(rules(tree, names, matrix, yes).itertuples(index=False, name=None))


def test_the_best_split_of_four_sentences():
    """Of length and location only length separates: 10, 20 | 80, 90; entropy 1 bit before, 0 after."""
    known = [("location", ""), ("length", "")], [[0.0, 0.3, 0.5, 0.9], [80, 10, 90, 20]], [1, 0, 1, 0]
    assert ruled(*known) == [("no", 0, 2, "length ≤ 50"), ("yes", 2, 0, "length > 50")]
    assert ruled(*known, pruning=1.0) == [("no", 2, 2, "no condition")]
    reported = ruled([("group", "lab note")], [[1, 1, 0, 0]], [1, 1, 0, 0])
    assert reported == [("yes", 2, 0, "type is lab note"), ("no", 0, 2, "type is not lab note")]


@pytest.mark.parametrize("seed", range(5))
def test_pruning_afterwards_is_pruning_by_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    matrix, yes = rng.random((150, 6)).round(2), rng.random(150) < 0.2
    train, test = np.arange(100), np.arange(100, 150)
    whole = decision_tree(0.0, seed).fit(matrix[train], yes[train])
    grown = [decision_tree(strength, seed).fit(matrix[train], yes[train]) for strength in PRUNING]
    expected = [int((tree.predict(matrix[test]) != yes[test]).sum()) for tree in grown]
    assert errors_by_pruning(whole, matrix[test], yes[test]).tolist() == expected


@pytest.mark.parametrize(("yes", "no", "drawn"), CASES["draws"])
def test_draw_takes_limited_yes_and_no_sentences(yes, no, drawn):
    classes = np.arange(yes + no + 20) < yes
    kept = np.arange(yes + no + 20) < yes + no  # the last 20 stand in documents that are not left
    planned = protocol.remaining_counts(np.array([2, 1, 0]), classes, kept)
    assert [planned.drawn_yes, planned.drawn_no, planned.reason] == drawn
    assert (planned.yes, planned.no, planned.documents, planned.dropped) == (yes, no, 2, 1)
    if not planned.reason:
        rows = protocol.draw(classes, kept, planned, np.random.default_rng(1))
        assert len(set(rows)) == len(rows) == drawn[0] + drawn[1]
        assert classes[rows].sum() == drawn[0]
        assert kept[rows].all()


@pytest.mark.parametrize("grouped", [False, True])
def test_folds_test_every_sentence_once(grouped):
    rng = np.random.default_rng(2)
    yes, document = np.arange(240) % 6 == 0, rng.integers(0, 20, 240)
    parts = list(folds(yes, document, 10, grouped, 5))
    assert len(parts) == 10
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(240))
    for train, test in parts:
        assert not set(train) & set(test)
        if grouped:
            assert not set(document[train]) & set(document[test])
        else:
            assert yes[test].sum() == 4


def test_random_trimming_keeps_as_many_of_the_chosen():
    votes = np.array([1, 0, 3, 1, 2, 0, 1, 1])
    document = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    size, numbers = np.array([2, 1, 0]), map(np.random.default_rng, range(600))
    kept = np.stack([at_random(votes, document, size, rng) for rng in numbers])
    assert (np.stack([kept[:, :4].sum(1), kept[:, 4:7].sum(1), kept[:, 7].astype(int)], 1) == [2, 1, 0]).all()
    assert not kept[:, votes == 0].any()
    # Each of the three chosen sentences stays in 2 of 3 cases, each of the two in 1 of 2: ± 4 standard errors.
    assert np.abs(kept[:, [0, 2, 3]].mean(0) - 2 / 3).max() < 4 * np.sqrt(2 / 9 / 600)
    assert np.abs(kept[:, [4, 6]].mean(0) - 1 / 2).max() < 4 * np.sqrt(1 / 4 / 600)


def test_measures_equal_scikit_learn(found, outcome):
    from sklearn import metrics

    frame = protocol.assemble(found, {0.5: outcome}, Design(repeats=1)).frame
    for system in (TREE, LEAD, RANDOM):
        hits, said, there, number = outcome.tables[0, CLASSIFIERS.index(system)].sum(axis=1).astype(int)
        guess = np.repeat([1, 1, 0, 0], [hits, said - hits, there - hits, number - said - there + hits])
        truth = np.repeat([1, 0, 1, 0], [hits, said - hits, there - hits, number - said - there + hits])
        part = frame[(frame["system"] == system) & (frame["subset"] == "all")].set_index("measure")
        expected = {
            "accuracy": metrics.accuracy_score(truth, guess),
            "P": metrics.precision_score(truth, guess),
            "R": metrics.recall_score(truth, guess),
            "F1": metrics.f1_score(truth, guess),
            "kappa": metrics.cohen_kappa_score(truth, guess),
        }
        assert part["value"].to_dict() == pytest.approx(expected, abs=1e-12)
        assert (part["low"] <= part["value"]).all()
        assert (part["value"] <= part["high"]).all()


def small(*lists: tuple[str, list[int]], texts: dict[str, str] | None = None) -> kp.Corpus:
    texts = texts or {"d1": " ".join(["A sea rises."] * 30)}
    gold = pd.DataFrame([("d1", name, f"d1#s{n:03d}") for name, numbers in lists for n in numbers])
    gold.columns = ["doc_id", "annotator", "sentence"]
    documents = pd.DataFrame(texts.items(), columns=["doc_id", "text"]).assign(title="Seas")
    return kp.load(gold=gold, documents=documents)


def test_one_sentence_and_one_annotator():
    item = small(("A", [1]), ("B", [1]), texts={"d1": "A sea."})
    assert kp.sentence_study(item, [0.1]).left["documents"].tolist() == [0]
    with pytest.raises(kp.InputError, match="one annotator"):
        kp.sentence_study(small(("A", [1])))
    with pytest.raises(kp.UsageError, match="repeats is 0"):
        kp.sentence_study(small(("A", [1]), ("B", [1])), repeats=0)
