"""What the lessons say is held against printed figures and against arithmetic written out here."""

import re
from fractions import Fraction

import pytest

from kp_core.learn import LESSONS, Options, Question
from kp_core.learn.average_precision import HITS, compared, recomputed
from kp_core.learn.head_weights import CANDIDATES, KEYPHRASES, scores
from kp_core.learn.lecture_table import MEASURES, TABLES, cells
from kp_core.learn.lecture_table import compared as lecture
from kp_core.learn.paradox import EXAMPLES, value
from kp_core.learn.trimming_by_hand import PEOPLE, UNIVERSE, levels
from kp_core.studies.published_tables import LECTURE_SYSTEMS

QUESTIONS = [(f"{lesson.name} {i}", q) for lesson in LESSONS.values() for i, q in enumerate(lesson.questions, 1)]

#: The answers, worked out on paper.
ANSWERS = {
    "paradox 1": 0.85,
    "paradox 2": Fraction(3492, 4992),
    "paradox 3": "on “no” (P_neg)",
    "universe 1": Fraction(140, 700),
    "universe 2": "below 0",
    "universe 3": 1 - 2 * Fraction(495, 10750),
    "positive 1": Fraction(3, 5),
    "positive 2": Fraction(8, 15),
    "positive 3": Fraction(4, 15),
    "map 1": Fraction(1, 2),
    "map 2": Fraction(1, 2),
    "map 3": "Q3",
    "weights 1": Fraction(5, 11),
    "weights 2": Fraction(9, 11),
    "weights 3": "computing algorithm",
    "trimming 1": Fraction(7, 22),
    "trimming 2": Fraction(19, 25),
    "trimming 3": "not necessarily",
    "lecture 1": Fraction(152, 679),
    "lecture 2": 1 - Fraction(990, 10750),
    "lecture 3": "above one half",
    "claims 1": "above",
    "claims 2": "rise",
    "claims 3": Fraction(1298, 250),
}


@pytest.mark.parametrize(("name", "question"), QUESTIONS, ids=[name for name, _ in QUESTIONS])
def test_the_answer_is_right(name: str, question: Question) -> None:
    expected = ANSWERS[name]
    if isinstance(expected, str):
        assert question.answer == expected
        assert expected in question.options
    else:
        assert question.answer == pytest.approx(float(expected), abs=1e-9)
        assert question.right(str(expected) if isinstance(expected, Fraction) else f"{expected:.3f}")
        assert not question.right(str(float(expected) + 0.02))


def test_every_lesson_has_three_questions_a_formula_and_a_source() -> None:
    assert len(QUESTIONS) == len(ANSWERS) == 3 * len(LESSONS)
    assert all(lesson.formulas and lesson.source for lesson in LESSONS.values())


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("5/11", True),
        (" .4545 ", True),
        ("0,4545", True),
        ("5 / 11", True),
        ("45.5 %", True),
        ("45.5%", True),
        ("45.5", False),
        (".455 %", False),
        ("5/0", None),
        ("five", None),
        ("", None),
        ("%", None),
        ("nan", None),
    ],
)
def test_an_answer_may_be_a_fraction_or_a_percentage(given: str, right: bool | None) -> None:
    assert LESSONS["weights"].questions[0].right(given) is right


@pytest.mark.parametrize("given", ["1e400", "1e99999999", "1e-99999999", "9" * 400, f"1/{'9' * 400}"])
def test_an_answer_beyond_all_measure_is_wrong_or_none_and_takes_no_time(given: str) -> None:
    assert not LESSONS["weights"].questions[0].right(given)


@pytest.mark.parametrize("name", LESSONS)
def test_every_choice_and_both_ends_of_every_slider_can_be_shown(name: str) -> None:
    lesson = LESSONS[name]
    shown = set()
    for one in lesson.controls:
        for setting in one.among if isinstance(one, Options) else (one.low, one.high):
            view = lesson.show(lesson.start() | {one.name: setting})
            shown.add((view.chart.alt, view.sentences))
            assert "nan" not in " ".join(view.sentences)
    assert len(shown) > len(lesson.controls)  # the picture moves


@pytest.mark.published
@pytest.mark.parametrize(("name", "kappa"), list(zip(EXAMPLES, (0.70, 0.32, 0.13, 0.26), strict=True)))
def test_kappas_of_the_paradoxes_as_printed(name: str, kappa: float) -> None:
    assert round(value("kappa", *EXAMPLES[name]), 2) == kappa


@pytest.mark.published
def test_the_notes_recomputed() -> None:
    found = recomputed()
    for query, ranks in HITS.items():
        precision = [sum(rank <= k for rank in ranks) / k for k in ranks]
        assert found.loc[query, "MAP"] == pytest.approx(sum(precision) / 5, abs=1e-12)
        assert found.loc[query, "MRR"] == 1 / ranks[0]
    assert compared().iloc[-1].tolist() == ["mean", "0.624", "0.594", "0.527", "0.800", "0.780"]


@pytest.mark.published
def test_one_table_gives_all_printed_figures_of_a_lecture_system() -> None:
    for system in TABLES:
        a, b, c, d = cells(system)
        assert a + b + c + d == 10750
        again = tuple(f"{value(name, a, b, c, d):.3f}".lstrip("0") for name in MEASURES)
        assert again == LECTURE_SYSTEMS[system]
    assert lecture()["precision"].tolist()[-1] == "undefined"


def test_the_published_table_says_how_many_stand_below_silence() -> None:
    said = {measure: LESSONS["lecture"].show({"measure": measure}).sentences[0] for measure in MEASURES}
    assert said == {
        name: f"{number} of the six systems stand below a system that says nothing by {name}."
        for name, number in (("kappa", "None"), ("P_pos", "None"), ("P_neg", "All"), ("PABAK", "All"))
    }


def test_weights_of_every_candidate_by_fractions() -> None:
    for keyphrase in KEYPHRASES:
        words = keyphrase.split()
        weights = {word: Fraction(1, len(words) - place) for place, word in enumerate(words)}
        for candidate in CANDIDATES[keyphrase]:
            common = [word for word in words if word in candidate.split()]
            expected = sum((weights[word] for word in common), Fraction(0)) / sum(weights.values(), Fraction(0))
            assert scores(keyphrase, candidate) == (Fraction(len(common), len(words)), expected)


def test_trimming_by_counting_pairs() -> None:
    for name, people in PEOPLE.items():
        votes = [sum(phrase in own for own in people.values()) for phrase in range(1, UNIVERSE + 1)]
        for needed, k in zip(levels(name)["votes asked"], levels(name)["K"], strict=True):
            kept = [count if count >= needed else 0 for count in votes]
            if not sum(kept):
                assert k != k
                continue
            r = len(people)
            agree = Fraction(sum(c * (c - 1) + (r - c) * (r - c - 1) for c in kept), UNIVERSE * r * (r - 1))
            p = Fraction(sum(kept), UNIVERSE * r)
            chance = p**2 + (1 - p) ** 2
            assert k == pytest.approx(float((agree - chance) / (1 - chance)), abs=1e-12)


def test_no_lesson_speaks_of_pages_that_do_not_exist() -> None:
    from kp_ui.shell import SECTIONS, title_of

    titles = {title_of(stem) for stems in SECTIONS.values() for stem in stems}
    said = " ".join(f"{one.text} {' '.join(q.because for q in one.questions)}" for one in LESSONS.values())
    assert set(re.findall(r"[Pp]age (\w+)", said)) <= titles
