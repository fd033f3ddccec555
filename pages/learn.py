"""What do these measures do? Pieces to play with, alone or with a class, and every measure with its formula."""

from kp_ui.parts import learn, page

page.tabs(
    "learn_tab",
    {
        "Lessons": page.Tab(learn.lessons, (), learn.turn),
        "Methods": page.Tab(learn.every_measure, ()),
        "Glossary": page.Tab(learn.glossary, ()),
    },
    **page.NOTHING,
)
