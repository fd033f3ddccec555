"""The sentence study: draws, trees, trimming and baselines against hand values, brute force and scikit-learn."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core.charts import heat_maps, over_thresholds, screen_tables
from kp_core.studies.sentence_study import protocol
from kp_core.studies.sentence_study.attributes import extracts
from kp_core.studies.sentence_study.protocol import (
    CLASSIFIERS,
    LEAD,
    MAJORITY,
    MEASURES,
    NULL,
    PRUNING,
    RANDOM,
    TREE,
    Design,
    errors_when_pruned,
    folds,
    learner,
    nodes,
    rules,
)
from kp_core.studies.trimming import at_random
from tests.cases import LECTURES, cases
from tests.figures import checked

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
    return protocol.at_majority(found, np.full(20, 2), Design(repeats=1))


@pytest.fixture(scope="module")
def study(lectures, given):
    return kp.sentence_study(lectures, [0.1, 0.5], attributes=given, repeats=1)


def test_classes_are_those_of_trimming(lectures, found):
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


def test_choices_stand_in_the_order_of_the_text(lectures, given):
    shuffled = lectures.gold.sample(frac=1, random_state=3).sort_values("doc_id", kind="stable").reset_index(drop=True)
    one, two = (extracts(corpus, given, "choices") for corpus in (lectures, replace(lectures, gold=shuffled)))
    place = [two.documents.index(name) for name in one.documents]
    np.testing.assert_array_equal(one.majority(0.4), two.majority(0.4)[place])
    frame = kp.trim(lectures, threshold=0.4, form="choices").frame
    assert one.majority(0.4).tolist() == frame["size"].where(frame["status"] == "ok", 0).tolist()


def ruled(names, matrix, yes, pruning=0.0):
    """Return decision, sentences and rule of each leaf of a tree grown on a column a name."""
    matrix, yes = np.array(matrix, float).T, np.array(yes, bool)
    tree = learner(pruning, 0).fit(matrix, yes)
    return list(rules(nodes(tree, names, matrix, yes)).itertuples(index=False, name=None))


def test_the_best_split_of_four_sentences():
    """Of length and location only length separates: 10, 20 | 80, 90; entropy 1 bit before, 0 after."""
    known = [("location", ""), ("length", "")], [[0.0, 0.3, 0.5, 0.9], [80, 10, 90, 20]], [1, 0, 1, 0]
    assert ruled(*known) == [("no", 0, 2, "length ≤ 50"), ("yes", 2, 0, "length > 50")]
    assert ruled(*known, pruning=1.0) == [("no", 2, 2, "nothing is asked")]
    told = ruled([("group", "lab note")], [[1, 1, 0, 0]], [1, 1, 0, 0])
    assert told == [("yes", 2, 0, "type is lab note"), ("no", 0, 2, "type is not lab note")]


def test_a_rule_on_lengths_holds_for_the_sentences_that_it_names():
    """Cuts of 123.5 and 1235.5 characters must not be read as 124 and 1.24e+03."""
    lengths = [123, 123, 124, 124, 1235, 1235, 1236, 1236]
    *_, table = zip(*ruled([("length", "")], [lengths], [1, 1, 0, 0, 0, 0, 1, 1]), strict=True)
    found = {part for rule in table for part in rule.split(" and ")}
    assert found == {"length ≤ 123.5", "length > 123.5", "length ≤ 1235.5", "length > 1235.5"}


@pytest.mark.parametrize("seed", range(5))
def test_pruning_afterwards_is_pruning_by_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    matrix, yes = rng.random((150, 6)).round(2), rng.random(150) < 0.2
    train, test = np.arange(100), np.arange(100, 150)
    whole = learner(0.0, seed).fit(matrix[train], yes[train])
    grown = [learner(strength, seed).fit(matrix[train], yes[train]) for strength in PRUNING]
    expected = [int((tree.predict(matrix[test]) != yes[test]).sum()) for tree in grown]
    assert errors_when_pruned(whole, matrix[test], yes[test]).tolist() == expected


@pytest.mark.parametrize(("yes", "no", "drawn"), CASES["draws"])
def test_what_a_draw_takes(yes, no, drawn):
    classes = np.arange(yes + no + 20) < yes
    kept = np.arange(yes + no + 20) < yes + no  # the last 20 stand in documents that are not left
    planned = protocol.what_is_left(np.array([2, 1, 0]), classes, kept)
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


def test_measures_are_those_of_scikit_learn(found, outcome):
    from sklearn import metrics

    frame = protocol.assemble(found, {0.5: outcome}, Design(repeats=1)).frame
    for system in (TREE, LEAD, RANDOM):
        hits, said, there, number = outcome.tables[0, CLASSIFIERS.index(system)].sum(axis=1).astype(int)
        guess = np.repeat([1, 1, 0, 0], [hits, said - hits, there - hits, number - said - there + hits])
        truth = np.repeat([1, 0, 1, 0], [hits, said - hits, there - hits, number - said - there + hits])
        own = frame[(frame["system"] == system) & (frame["subset"] == "all")].set_index("measure")
        expected = {
            "accuracy": metrics.accuracy_score(truth, guess),
            "P": metrics.precision_score(truth, guess),
            "R": metrics.recall_score(truth, guess),
            "F1": metrics.f1_score(truth, guess),
            "kappa": metrics.cohen_kappa_score(truth, guess),
        }
        assert own["value"].to_dict() == pytest.approx(expected, abs=1e-12)
        assert (own["low"] <= own["value"]).all()
        assert (own["value"] <= own["high"]).all()


def test_the_lead_and_the_majority_by_hand(found, study, outcome):
    rows = study.frame[(study.frame["threshold"] == 0.5) & (study.frame["subset"] == "all")]
    majority = rows[rows["system"] == MAJORITY].set_index("measure")
    assert majority["value"].drop("P").to_dict() == {"accuracy": 200 / 240, "R": 0, "F1": 0, "kappa": 0}
    assert np.isnan(majority["value"]["P"])
    assert majority["reason"]["P"] == "it says “yes” to no sentence"
    size = found.frame.groupby("doc_id", sort=False).size()
    few = np.maximum(1, np.floor(size / 10 + 0.5)).astype(int)
    first = found.frame.groupby("doc_id", sort=False).cumcount() < found.frame["doc_id"].map(few)
    yes, left = found.yes(np.full(20, 2)), np.ones(len(found.frame), bool)
    rows = protocol.draw(yes, left, outcome.left, np.random.default_rng((0, 0)))
    assert outcome.tables[0, CLASSIFIERS.index(LEAD)][1].sum() == first.to_numpy()[rows].sum()


def test_the_same_seed_gives_the_same_study(lectures, given, study):
    again = kp.sentence_study(lectures, [0.1, 0.5], attributes=given, repeats=1)
    pd.testing.assert_frame_equal(again.frame, study.frame)
    at_half = study.frame.loc[study.frame["threshold"] == 0.5, "value"].tolist()
    for change, written in (({"seed": 1}, "grouped:no|seed:1"), ({"grouped": True}, "grouped:yes|seed:0")):
        other = kp.sentence_study(lectures, [0.5], attributes=given, repeats=1, **change)
        assert other.frame["value"].tolist() != at_half
        begin = f"kps-sentences|t:0.5|form:binary|draw:40+200|folds:10|repeats:1|{written}|learner:c4.5-like|"
        assert other.signature.startswith(begin)
        assert json.loads(other.json())["signature"] in other.latex().replace(r"\textbar{}\allowbreak{}", "|")
        assert len(other.csv().splitlines()) == 1 + len(other.frame)


def test_thresholds_with_the_same_classes_are_computed_once(lectures, given, monkeypatch):
    """From 0.5 to 0.55 the majorities of the sample are the same."""
    asked, at_majority = [], protocol.at_majority
    monkeypatch.setattr(protocol, "at_majority", lambda *given: asked.append(1) or at_majority(*given))
    found = kp.sentence_study(lectures, [0.5, 0.55], attributes=given, repeats=1)
    assert asked == [1]
    one, two = (found.frame[found.frame["threshold"] == t].drop(columns="threshold") for t in (0.5, 0.55))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), two.reset_index(drop=True))


def test_learning_finds_what_is_there(lectures):
    """Where an attribute says which sentences people chose, the tree finds it, and random trimming breaks it."""
    gold = pd.read_csv(LECTURES / "sentences.csv")
    votes = gold.groupby("sentence")["annotator"].nunique()
    table = kp.list_sentences(lectures)[["sentence"]].copy()
    told = table.assign(tf_idf=table["sentence"].map(votes).fillna(0).astype(float), title_similarity=0.0)
    found = kp.sentence_study(lectures, [0.8], attributes=told, repeats=1)
    rows = found.frame[(found.frame["measure"] == "F1") & (found.frame["subset"] == "all")].set_index("system")["value"]
    assert rows[TREE] > 0.85
    assert rows[NULL] < 0.7
    share = found.used.set_index("attribute")
    assert share["share"]["tf_idf"] == 1
    assert share["importance"].idxmax() == "tf_idf"
    assert share["share"]["title_similarity"] == 0


def test_given_types_have_the_rows(lectures, given):
    """The first ten documents are of one given type, the others of another, but for one that has both."""
    documents = lectures.documents["doc_id"].tolist()
    of = dict.fromkeys(documents[:10], "short") | dict.fromkeys(documents[10:], "long")
    owner = given["sentence"].str.rpartition("#")[0]
    told = given.assign(group=owner.map(of))
    found = kp.sentence_study(lectures, [0.5], attributes=told, repeats=1)
    assert set(found.frame["subset"]) == {"all", "group:short", "group:long"}
    assert not [note for note in found.notes if note.where == "group"]
    told.loc[told.index[-1], "group"] = "short"
    mixed = extracts(lectures, told)
    assert mixed.groups == ("short",) * 10 + ("long",) * 9 + ("",)
    said = f"1 of 20 documents has sentences of several types and is in no row by document type: {documents[-1]}"
    assert [note.message for note in mixed.notes if note.where == "group"] == [said]


def small(*lists: tuple[str, list[int]], texts: dict[str, str] | None = None) -> kp.Corpus:
    """Return a corpus of d1 (and others) with sentences chosen by their number."""
    texts = texts or {"d1": " ".join(["A sea rises."] * 30)}
    gold = pd.DataFrame([("d1", name, f"d1#s{n:03d}") for name, numbers in lists for n in numbers])
    gold.columns = ["doc_id", "annotator", "sentence"]
    documents = pd.DataFrame(texts.items(), columns=["doc_id", "text"]).assign(title="Seas")
    return kp.load(gold=gold, documents=documents)


def test_too_little_is_said_and_not_run():
    found = kp.sentence_study(small(("A", [1, 2, 3]), ("B", [1, 2, 4])), [0.1, 0.8])
    assert found.frame.empty
    assert found.left["reason"].tolist() == ["fewer than 10 sentences are “yes”"] * 2
    assert found.left["yes"].tolist() == [4, 2]
    assert found.notes[-1].message == "the study does not run at 0.1, 0.8: fewer than 10 sentences are “yes”"
    assert "does not run at K ≥ 0.8: fewer than 10" in screen_tables.finding(found, "F1", 0.8)


def test_one_document_cannot_be_left_out():
    corpus = small(("A", list(range(1, 13))), ("B", list(range(1, 14))))
    left = kp.sentence_study(corpus, [0.1], grouped=True).left
    assert left["reason"].tolist() == ["fewer than two documents are left, so no fold can leave one out"]
    assert kp.sentence_study(corpus, [0.1], repeats=1).left[["drawn_yes", "drawn_no"]].to_numpy().tolist() == [[13, 17]]


def test_one_sentence_and_one_annotator():
    one = small(("A", [1]), ("B", [1]), texts={"d1": "A sea."})
    assert kp.sentence_study(one, [0.1]).left["documents"].tolist() == [0]
    with pytest.raises(kp.InputError, match="one annotator"):
        kp.sentence_study(small(("A", [1])))
    with pytest.raises(kp.UsageError, match="repeats is 0"):
        kp.sentence_study(small(("A", [1]), ("B", [1])), repeats=0)


def test_documents_without_extracts_are_left_out():
    texts = {"d1": " ".join(["A sea rises."] * 30), "d2": "Not read.", "d3": ""}
    found = kp.sentence_study(small(("A", [1]), ("B", [1]), texts=texts), [0.1])
    said = [note.message for note in found.notes]
    assert "no sentence in 1 document: d3, so nothing can be chosen there" in said
    assert "1 of 2 documents has no extract and is left out" in said


def test_charts_say_what_is_seen(study):
    curve = over_thresholds.over_agreement(study, "F1", 0.5)
    value = study.frame.query("system == @TREE and measure == 'F1' and subset == 'all'").set_index("threshold")["value"]
    assert f"from {value[0.1]:.3f} at 0.1 to {value[0.5]:.3f} at 0.5" in curve.alt
    assert [list(t.y) for t in checked(curve).data if t.name == TREE] == [value.tolist()]
    tree = over_thresholds.tree(study.trees[0.5])
    table = rules(list(study.trees[0.5]))
    assert f"with {len(table)} leaves; those that decide yes: {(table['decision'] == 'yes').sum()}" in tree.alt
    assert table["yes"].sum() == 40
    assert table["no"].sum() == 200
    assert [len(row) for row in checked(heat_maps.used(study)).data[0].z] == [2] * 7
    assert screen_tables.study_systems(study, 0.5)["system"].tolist() == list(CLASSIFIERS)
    kinds = ["lab note", "lecture", "reading guide"]
    assert screen_tables.study_types(study, "F1", 0.5)["document type"].tolist() == kinds
    assert list(screen_tables.study_systems(study, 0.5).columns)[1:5] == list(MEASURES)[:4]
