"""Interactive lessons on the measures, each with a picture and three questions with computed answers."""

from kp_core.learn.every_lesson import LESSONS, Control, Lesson, Question, View

__all__ = ["LESSONS", "Control", "Lesson", "Question", "View"]
