"""How do the measures behave? Interactive lessons, and all measures with formulas."""

from functools import partial

from kp_ui.parts import learn, page

page.tabs(
    "learn_tab",
    {
        "Lessons": page.Tab(learn.lessons, (), learn.turn),
        "Methods": page.Tab(learn.every_measure, ()),
        "Glossary": page.Tab(partial(learn.section, "Glossary"), ()),
    },
    **page.NOTHING,
)
