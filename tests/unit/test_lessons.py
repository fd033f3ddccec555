"""Statements of the lessons are compared with printed figures and explicit arithmetic."""

from fractions import Fraction

import pytest

from kp_core.learn import LESSONS, every_lesson
from kp_core.learn.every_lesson import lecture_cells, value
from kp_core.studies.published_tables import LECTURE_SYSTEMS

#: The answers, worked out on paper.
ANSWERS = {
    "threshold": (Fraction(1, 2), Fraction(1, 4), "a long list with late hits"),
    "paradox": (0.85, Fraction(3492, 4992), "on “no” (P_neg)"),
    "universe": (Fraction(140, 700), "below 0", 1 - 2 * Fraction(495, 10750)),
    "positive": (Fraction(3, 5), Fraction(8, 15), Fraction(4, 15)),
    "map": (Fraction(1, 2), Fraction(1, 2), "Q3"),
    "weights": (Fraction(5, 11), Fraction(9, 11), "computing algorithm"),
    "trimming": (Fraction(7, 22), Fraction(19, 25), "not necessarily"),
    "lecture": (Fraction(152, 679), 1 - Fraction(990, 10750), "above one half"),
    "claims": ("above", "rise", Fraction(1298, 250)),
}


@pytest.mark.parametrize("name", LESSONS)
def test_lesson_answers_are_right(name: str) -> None:
    assert LESSONS[name].formulas
    assert LESSONS[name].source
    for question, expected in zip(LESSONS[name].questions, ANSWERS[name], strict=True):
        if isinstance(expected, str):
            assert question.answer == expected
            assert expected in question.options
        else:
            assert question.answer == pytest.approx(float(expected), abs=1e-9)
            assert question.right(str(expected))
            assert not question.right(str(float(expected) + 0.02))


@pytest.mark.parametrize(
    ("right", "answers"),
    [
        (True, ["5/11", " .4545 ", "0,4545", "5 / 11", "45.5 %", "45.5%"]),
        (False, ["45.5", ".455 %"]),
        (None, ["5/0", "five", "", "%", "nan"]),
    ],
)
def test_answers_may_be_fractions_or_percentages(right: bool | None, answers: list[str]) -> None:
    question = LESSONS["weights"].questions[0]
    assert [question.right(given) for given in answers] == [right] * len(answers)


@pytest.mark.parametrize("given", ["1e400", "1e99999999", "1e-99999999", "9" * 400, f"1/{'9' * 400}"])
def test_huge_answers_are_rejected_quickly(given: str) -> None:
    assert not LESSONS["weights"].questions[0].right(given)


@pytest.mark.parametrize("name", LESSONS)
def test_lessons_draw_every_choice_and_slider_end(name: str) -> None:
    lesson = LESSONS[name]
    shown = set()
    for item in lesson.controls:
        for setting in item.among or (item.low, item.high):
            view = lesson.show(lesson.start() | {item.name: setting})
            shown.add((view.chart.alt, *view.sentences))
            assert "nan" not in " ".join(view.sentences)
    assert len(shown) > len(lesson.controls)  # the picture moves


@pytest.mark.published
def test_kappas_of_the_paradoxes_as_printed() -> None:
    examples = LESSONS["paradox"].examples.values()
    assert [round(value("kappa", **cells), 2) for cells in examples] == [0.70, 0.32, 0.13, 0.26]


def test_tables_behind_the_pictures() -> None:
    at_8 = every_lesson.AT_K.loc[("a short list with early hits", 8)]
    assert at_8[["P@k", "R@k"]].tolist() == pytest.approx([1 / 2, 2 / 3])
    assert every_lesson.over_k("a list of ten").loc[4, ["F1@k", "P_pos"]].tolist() == pytest.approx([4 / 9] * 2)
    assert every_lesson.levels("three people, five phrases")["K"].round(4).tolist() == [0.3182, 0.76, 1.0]


@pytest.mark.published
def test_the_notes_recomputed() -> None:
    results = every_lesson.RECOMPUTED
    for query, given in every_lesson.QUERIES.items():
        precision = [sum(rank <= k for rank in given["hits"]) / k for k in given["hits"]]
        assert results.loc[query, "MAP"] == pytest.approx(sum(precision) / 5, abs=1e-12)
        assert results.loc[query, "MRR"] == 1 / given["hits"][0]
    assert every_lesson.query_figures().iloc[-1].tolist() == ["mean", "0.624", "0.594", "0.527", "0.800", "0.780"]


@pytest.mark.published
def test_lecture_claims_about_six_systems() -> None:
    measures = {"kappa": "none", "P_pos": "none", "P_neg": "all", "PABAK": "all"}
    for system in every_lesson.RECOVERED:
        cells = lecture_cells(system)
        assert sum(cells) == 10750
        assert tuple(f"{value(name, *cells):.3f}".lstrip("0") for name in measures) == LECTURE_SYSTEMS[system]
    assert every_lesson.lecture_figures()["precision"].tolist()[-1] == "undefined"
    for measure, number in measures.items():
        (said, *_) = LESSONS["lecture"].show({"measure": measure}).sentences
        assert said == f"By {measure}, {number} of the six systems are below the empty baseline."
