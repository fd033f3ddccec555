"""How far can the gold standard be trusted?"""

from kp_ui.parts import annotators, page, sentence_study
from kp_ui.parts.page import Tab

page.tabs(
    "annotators_tab",
    {
        "Together and in pairs": Tab(annotators.together, ("rules",)),
        "Titles": Tab(annotators.titles, ("rules",)),
        "Human ceiling": Tab(annotators.ceiling, ("k", "rules")),
        "Trimming": Tab(annotators.trimming, ("k", "rules")),
        "Sentence study": Tab(sentence_study.section, ("rules",)),
    },
    annotators.answer,
    systems=False,
)
