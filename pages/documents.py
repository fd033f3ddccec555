"""Which phrases does a number come from, and on which phrases do people disagree?"""

from kp_ui.parts import documents, page
from kp_ui.state import workspace

speech = workspace.speech()
page.tabs(
    "documents_tab",
    {
        speech["Documents"]: page.Tab(documents.section),
        speech["Keyphrases"]: page.Tab(documents.headings, ("k", "gold", "conventions")),
    },
    systems=False,
)
