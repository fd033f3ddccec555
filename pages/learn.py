"""What do these measures do? Pieces to play with, alone or with a class, and every measure with its formula."""

from kp_ui.parts import learn, page
from kp_ui.parts.page import Tab

page.tabs(
    "learn_tab",
    {
        "Lessons": Tab(learn.lessons, (), learn.turn),
        "Methods": Tab(learn.every_measure, ()),
        "Glossary": Tab(learn.glossary, ()),
    },
    **page.NOTHING,
)
