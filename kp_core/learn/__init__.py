"""Turn the measures into lessons: each a picture that moves, and three questions with computed answers."""

from kp_core.learn.every_lesson import LESSONS, Lesson, Options, Question, Slider, View

__all__ = ["LESSONS", "Lesson", "Options", "Question", "Slider", "View"]
