"""Interactive lessons on the measures, each with a picture and three questions with computed answers."""

from kp_core.learn.every_lesson import LESSONS, Lesson, Options, Question, Slider, View

__all__ = ["LESSONS", "Lesson", "Options", "Question", "Slider", "View"]
