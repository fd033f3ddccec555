"""Interactive lessons on the measures, each with a picture and three questions with computed answers."""

from kp_core.learn.every_lesson import LESSONS as LESSONS
from kp_core.learn.every_lesson import Lesson as Lesson
from kp_core.learn.every_lesson import Options as Options
from kp_core.learn.every_lesson import Question as Question
from kp_core.learn.every_lesson import Slider as Slider
from kp_core.learn.every_lesson import View as View
