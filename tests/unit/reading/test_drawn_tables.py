"""Drawn tables are read right, or their form has the truth as prefill or at most three choices away."""

import pytest

from kp_core.reading import Mapping, Source
from tests.sayable import Outcome, difference, fewest_choices, loaded, outcome
from tests.settled import Truth
from tests.unit.reading.drawn_tables import Drawn, table

SEED, TABLES = 1, 150


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[Drawn, Outcome]]:
    drawn = [table(SEED, number) for number in range(TABLES)]
    return [(one, outcome(one.given, one.file, one.truths, one.meanings)) for one in drawn]


def fail_on(outcomes: list[tuple[Drawn, Outcome]]) -> None:
    lines = [f"{drawn.words} => {found.column}: {found.reason[:300]}" for drawn, found in outcomes]
    assert not lines, "\n".join(lines)


def test_no_drawn_table_is_wrong(outcomes: list[tuple[Drawn, Outcome]]) -> None:
    wrong = [(drawn, found) for drawn, found in outcomes if found.ending == "wrong"]
    fail_on(wrong)


def test_a_form_reaches_the_truth_in_three_choices(outcomes: list[tuple[Drawn, Outcome]]) -> None:
    asked = [(drawn, found) for drawn, found in outcomes if found.ending in ("asked", "refused")]
    far = [(drawn, found) for drawn, found in asked if found.choices is None or found.choices > 3]
    fail_on(far)


def test_a_true_mapping_gives_the_truth(outcomes: list[tuple[Drawn, Outcome]]) -> None:
    failed = []
    for drawn, found in outcomes:
        said = [{**drawn.given, "mapping": {drawn.file.name: meaning}} for meaning in reversed(drawn.meanings)]
        corpora = (corpus for given in said for _, corpus in loaded(given))
        if not any(difference(truth, corpus) == "" for corpus in corpora for truth in drawn.truths):
            failed.append((drawn, found))
    fail_on(failed)


def test_a_number_draws_the_same_table_again() -> None:
    first, again, other = table(7, 30), table(7, 30), table(8, 30)
    assert (first.words, first.truths, first.meanings) == (again.words, again.truths, again.meanings)
    assert first.truths != other.truths


# the choices from a prefill, which takes Kod for the document and Wort for the keyphrases

FILE = Source("a.csv", b"Kod,Wort,Zahl\nk1,tide,3\nk1,sea,1\nk2,moon,2\n")
PREFILL = Mapping("gold", document="Kod", keyphrases="Wort")


@pytest.mark.parametrize(
    ("lists", "meaning", "choices"),
    [
        ({("*", "k1"): ["tide", "sea"], ("*", "k2"): ["moon"]}, "document=Kod,keyphrases=Wort,split=none", 0),
        ({("*", "3"): ["tide"], ("*", "1"): ["sea"], ("*", "2"): ["moon"]}, "document=Zahl,keyphrases=Wort", 1),
        ({("*", "k1"): ["3", "1"], ("*", "k2"): ["2"]}, "document=Kod,keyphrases=Zahl", 2),
        ({("*", "3"): ["k1"], ("*", "1"): ["k1"], ("*", "2"): ["k2"]}, "document=Zahl,keyphrases=Kod", 2),
        ({("*", "k1"): ["harbor"]}, "document=Kod,keyphrases=Wort,annotator=Zahl", None),
    ],
)
def test_choices_are_counted_from_the_prefill(lists, meaning, choices) -> None:
    truths, meanings = [Truth(gold=lists)], [Mapping.read(meaning)]
    assert fewest_choices({"gold": [FILE]}, "a.csv", {"a.csv": PREFILL}, truths, meanings) == choices


@pytest.mark.parametrize(("phrase", "column"), [("tide", "read right"), ("moon", "wrong in silence")])
def test_a_table_that_is_read_without_a_form_is_right_or_wrong(phrase: str, column: str) -> None:
    file = Source("a.csv", b"doc_id,keyphrase\nd1,tide\n")
    truth = Truth(gold={("*", "d1"): [phrase]})
    assert (
        outcome({"gold": [file]}, file, [truth], [Mapping(document="doc_id", keyphrases="keyphrase")]).column == column
    )
