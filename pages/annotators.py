"""How far can the gold standard be trusted?"""

from kp_ui import annotators, controls, results, sentence_study

results.open_page("Annotators", needs_systems=False)
annotators.answer()
controls.tabs(
    "annotators_tab",
    {
        "Together and in pairs": annotators.together,
        "Human ceiling": annotators.ceiling,
        "Titles": annotators.titles,
        "Trimming": annotators.trimming,
        "Sentence study": sentence_study.section,
    },
)
