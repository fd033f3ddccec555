"""How far can the gold standard be trusted? If only annotators are loaded: how far do they agree?"""

from kp_ui.parts import annotators, page
from kp_ui.state import workspace

terms, only_annotators = workspace.terms(), workspace.has_only_annotators()
tabs = {
    "Together and in pairs": page.Tab(annotators.together, ("conventions",)),
    terms["Documents"]: page.Tab(annotators.by_document, ("conventions",)),
    f"Each {terms['annotator']}" if only_annotators else "Human ceiling": page.Tab(
        annotators.ceiling, ("k", "conventions")
    ),
    "Trimming": page.Tab(annotators.trimming, ("k", "conventions")),
}
sentence_tab = {} if only_annotators else {"Sentence study": page.Tab(annotators.sentence_study, ("conventions",))}
page.tabs("annotators_tab", tabs | sentence_tab, annotators.answer, systems=False)
