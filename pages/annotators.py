"""How far can the gold standard be trusted? Of people alone: how far do the indexers agree?"""

from kp_ui.parts import annotators, page
from kp_ui.parts.page import Tab
from kp_ui.state import workspace

TABS = {
    "Together and in pairs": Tab(annotators.together, ("rules",)),
    "Titles": Tab(annotators.titles, ("rules",)),
    "Human ceiling": Tab(annotators.ceiling, ("k", "rules")),
    "Trimming": Tab(annotators.trimming, ("k", "rules")),
    "Sentence study": Tab(annotators.sentence_study, ("rules",)),
}
OF_INDEXERS = {
    "Together and in pairs": Tab(annotators.together, ("rules",)),
    "Title by title": Tab(annotators.titles, ("rules",)),
    "Each indexer": Tab(annotators.ceiling, ("rules",)),
    "Trimming": Tab(annotators.trimming, ("rules",)),
}

page.tabs("annotators_tab", OF_INDEXERS if workspace.of_indexers() else TABS, annotators.answer, systems=False)
