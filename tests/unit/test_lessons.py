"""What the lessons say is held against printed figures and against arithmetic written out here."""

import re
from fractions import Fraction

import pytest

from kp_core.learn import LESSONS, Options, every_lesson
from kp_core.learn.every_lesson import PAIRS, PEOPLE, PHRASES, lecture_cells, levels, scores, value
from kp_core.studies.published_tables import LECTURE_SYSTEMS

#: The answers, worked out on paper.
ANSWERS = {
    "threshold": (Fraction(1, 2), Fraction(1, 4), "many phrases, the hits come late"),
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
def test_every_lesson_has_a_formula_a_source_and_three_questions_whose_answers_are_right(name: str) -> None:
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
def test_an_answer_may_be_a_fraction_or_a_percentage(right: bool | None, answers: list[str]) -> None:
    question = LESSONS["weights"].questions[0]
    assert [question.right(given) for given in answers] == [right] * len(answers)


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
            shown.add((view.chart.alt, *view.sentences))
            assert "nan" not in " ".join(view.sentences)
    assert len(shown) > len(lesson.controls)  # the picture moves


def test_which_of_two_equal_kappas_is_larger_depends_on_the_reconstruction() -> None:
    tables = {"Document Boosting": (66, 434, 98, 10152), "Phrase Boosting": (72, 428, 139, 10111)}
    for system, cells in tables.items():
        figures = [f"{value(name, *cells):.3f}".removeprefix("0") for name in ("kappa", "P_pos", "P_neg", "PABAK")]
        assert (tuple(figures), sum(cells)) == (LECTURE_SYSTEMS[system], 10750)
    view = LESSONS["lecture"].show({"measure": "kappa"})
    said = view.tables["What the text says"].set_index(view.tables["What the text says"].columns[0]).iloc[:, 0]
    words = said["Document Boosting: higher PABAK, but lower P_pos and kappa"]
    assert "by these tables 0.1796 and 0.1799" in words
    assert "(0.1800 and 0.1799 with 500 gold keyphrases)" in words


def test_a_garbled_line_is_a_doubt() -> None:
    view = LESSONS["trimming"].show(LESSONS["trimming"].start())
    assert any("a doubt and no proof" in table.to_string() for table in view.tables.values())


@pytest.mark.published
def test_kappas_of_the_paradoxes_as_printed() -> None:
    examples = LESSONS["paradox"].examples.values()
    assert [round(value("kappa", **cells), 2) for cells in examples] == [0.70, 0.32, 0.13, 0.26]


@pytest.mark.published
def test_the_notes_recomputed() -> None:
    results = every_lesson.recomputed()
    for query, given in every_lesson.QUERIES.items():
        precision = [sum(rank <= k for rank in given["hits"]) / k for k in given["hits"]]
        assert results.loc[query, "MAP"] == pytest.approx(sum(precision) / 5, abs=1e-12)
        assert results.loc[query, "MRR"] == 1 / given["hits"][0]
    assert every_lesson.query_figures().iloc[-1].tolist() == ["mean", "0.624", "0.594", "0.527", "0.800", "0.780"]


@pytest.mark.published
def test_what_the_lecture_says_of_its_six_systems() -> None:
    measures = {"kappa": "None", "P_pos": "None", "P_neg": "All", "PABAK": "All"}
    for system in every_lesson.RECOVERED:
        cells = lecture_cells(system)
        assert sum(cells) == 10750
        assert tuple(f"{value(name, *cells):.3f}".lstrip("0") for name in measures) == LECTURE_SYSTEMS[system]
    assert every_lesson.lecture_figures()["precision"].tolist()[-1] == "undefined"
    for measure, number in measures.items():
        (said, *_) = LESSONS["lecture"].show({"measure": measure}).sentences
        assert said == f"{number} of the six systems stand below a system that says nothing by {measure}."


def test_weights_of_every_candidate_by_fractions() -> None:
    for keyphrase, candidate in PAIRS:
        words = keyphrase.split()
        weights = {word: Fraction(1, len(words) - place) for place, word in enumerate(words)}
        common = [word for word in words if word in candidate.split()]
        expected = sum((weights[word] for word in common), Fraction(0)) / sum(weights.values(), Fraction(0))
        assert scores(keyphrase, candidate) == (Fraction(len(common), len(words)), expected)


def test_trimming_by_counting_pairs() -> None:
    for name, people in PEOPLE.items():
        votes = [sum(phrase in own for own in people.values()) for phrase in range(1, PHRASES + 1)]
        for needed, k in zip(levels(name)["votes asked"], levels(name)["K"], strict=True):
            kept = [count if count >= needed else 0 for count in votes]
            if not sum(kept):
                assert k != k
                continue
            r = len(people)
            agree = Fraction(sum(c * (c - 1) + (r - c) * (r - c - 1) for c in kept), PHRASES * r * (r - 1))
            p = Fraction(sum(kept), PHRASES * r)
            chance = p**2 + (1 - p) ** 2
            assert k == pytest.approx(float((agree - chance) / (1 - chance)), abs=1e-12)


def test_no_lesson_speaks_of_pages_that_do_not_exist() -> None:
    from kp_ui.shell import PAGES

    titles = {stem.capitalize() for stem in PAGES}
    said = " ".join(f"{one.text} {' '.join(q.because for q in one.questions)}" for one in LESSONS.values())
    assert set(re.findall(r"[Pp]age (\w+)", said)) <= titles
