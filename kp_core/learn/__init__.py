"""Turn the measures into lessons: each a picture that moves, and three questions with computed answers."""

from kp_core.learn import list_lessons, pair_lessons, table_lessons, trimming_by_hand
from kp_core.learn.lesson import Lesson, Options, Question, Slider, View

#: The lessons in the order in which a class may take them.
LESSONS: dict[str, Lesson] = {
    lesson.name: lesson
    for lesson in (
        table_lessons.PARADOX,
        table_lessons.UNIVERSE_SIZE,
        list_lessons.POSITIVE,
        list_lessons.AVERAGE_PRECISION,
        pair_lessons.WEIGHTS,
        trimming_by_hand.TRIMMING,
        table_lessons.LECTURE,
        pair_lessons.CLAIMS,
    )
}

__all__ = ["LESSONS", "Lesson", "Options", "Question", "Slider", "View"]
