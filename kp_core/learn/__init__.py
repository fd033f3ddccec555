"""Turn the measures into lessons: each a picture that moves, and three questions with computed answers."""

from kp_core.learn import (
    average_precision,
    claims,
    head_weights,
    large_universe,
    lecture_table,
    paradox,
    positive_agreement,
    trimming_by_hand,
)
from kp_core.learn.lesson import Lesson, Options, Question, Slider, View

#: The lessons in the order in which a class may take them.
LESSONS: dict[str, Lesson] = {
    module.LESSON.name: module.LESSON
    for module in (
        paradox,
        large_universe,
        positive_agreement,
        average_precision,
        head_weights,
        trimming_by_hand,
        lecture_table,
        claims,
    )
}

__all__ = ["LESSONS", "Lesson", "Options", "Question", "Slider", "View"]
