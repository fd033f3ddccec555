"""Fifteen annotators of twenty documents: agreement of every pair under three universes."""

import pytest

from tests.cases import rows
from tests.corpora import corpus_of, scored, universe_sizes

NAMES = ("kappa", "PABAK", "P_pos", "P_neg")


@pytest.fixture(scope="module")
def labels(shared):
    """Return {annotator: {document: labels}}, lower-cased and without page ids."""
    folder = shared("data/wiki20") / "teams"
    result = {}
    for team in sorted(folder.iterdir()):  # team1, team10, …: the order decides which annotator of a pair is the row
        result[team.name] = {
            file.stem: [line.split(": ", 1)[1].strip().lower() for line in file.read_text("utf-8").split("\n") if line]
            for file in sorted(team.iterdir())
        }
    return result


@pytest.fixture(scope="module")
def expected(shared):
    return {row["universe"]: row for row in rows(shared("oracles/real/wiki20_pairwise_means.csv"))}


@pytest.fixture(scope="module")
def by_document(shared):
    return rows(shared("oracles/real/wiki20_pairwise_means_by_document.csv"))


def test_universe_of_every_document(labels, by_document):
    corpus = corpus_of(labels)
    result = {
        "document": universe_sizes(corpus, "rankings", normalise="lower"),
        "corpus": universe_sizes(corpus, "vocabulary", normalise="lower"),
    }
    for row in by_document:
        if row["N"]:
            assert result[row["universe"]][row["doc_id"]] == float(row["N"])
    assert set(result["corpus"].values()) == {558.0}


@pytest.mark.parametrize(("universe", "spelled"), [("document", "rankings"), ("corpus", "vocabulary")])
def test_each_annotator_as_a_system_against_each_other(labels, expected, universe, spelled):
    corpus = corpus_of(labels, labels)
    names, sums, pairs = list(labels), dict.fromkeys([*NAMES, *"abcd"], 0.0), 0
    for place, annotator in enumerate(names[:-1]):
        options = {"annotators": annotator, "universe": spelled, "normalise": "lower"}
        frame = scored(corpus, [*NAMES, *"abcd"], "all", average="both", **options)
        frame = frame[frame["system"].isin(names[place + 1 :])]
        for name in NAMES:
            sums[name] += 20 * frame[(frame["measure"] == name) & (frame["average"] == "macro")]["value"].sum()
        for cell in "abcd":
            sums[cell] += frame[(frame["measure"] == cell) & (frame["average"] == "micro")]["value"].sum()
        pairs += 20 * (len(names) - place - 1)
    row = expected[universe]
    assert pairs == int(row["pairs"])
    for name in NAMES:
        assert sums[name] / pairs == pytest.approx(float(row[name]), abs=1e-9)
    for cell in "abcd":
        assert sums[cell] == int(row[f"pooled_{cell}"])
