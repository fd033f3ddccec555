"""How far can the gold standard be trusted? For data with annotators only: how far do they agree?"""

from kp_ui.parts import annotators, page
from kp_ui.state import workspace

words = workspace.speech()
TABS = {
    "Together and in pairs": page.Tab(annotators.together, ("conventions",)),
    "Documents": page.Tab(annotators.titles, ("conventions",)),
    "Human ceiling": page.Tab(annotators.ceiling, ("k", "conventions")),
    "Trimming": page.Tab(annotators.trimming, ("k", "conventions")),
    "Sentence study": page.Tab(annotators.sentence_study, ("conventions",)),
}
OF_PEOPLE = {
    "Together and in pairs": page.Tab(annotators.together, ("conventions",)),
    words["Documents"]: page.Tab(annotators.titles, ("conventions",)),
    f"Each {words['annotator']}": page.Tab(annotators.ceiling, ("conventions",)),
    "Trimming": page.Tab(annotators.trimming, ("conventions",)),
}

page.tabs("annotators_tab", OF_PEOPLE if workspace.people_alone() else TABS, annotators.answer, systems=False)
