"""How far can the gold standard be trusted? Of people alone: how far do the indexers agree?"""

from kp_ui.parts import annotators, page
from kp_ui.state import workspace

TABS = {
    "Together and in pairs": page.Tab(annotators.together, ("conventions",)),
    "Documents": page.Tab(annotators.titles, ("conventions",)),
    "Human ceiling": page.Tab(annotators.ceiling, ("k", "conventions")),
    "Trimming": page.Tab(annotators.trimming, ("k", "conventions")),
    "Sentence study": page.Tab(annotators.sentence_study, ("conventions",)),
}
OF_INDEXERS = {
    "Together and in pairs": page.Tab(annotators.together, ("conventions",)),
    "Title by title": page.Tab(annotators.titles, ("conventions",)),
    "Each indexer": page.Tab(annotators.ceiling, ("conventions",)),
    "Trimming": page.Tab(annotators.trimming, ("conventions",)),
}

page.tabs("annotators_tab", OF_INDEXERS if workspace.of_indexers() else TABS, annotators.answer, systems=False)
