"""Which phrases does a number come from, and on which phrases do people disagree?"""

from kp_ui.parts import documents, page
from kp_ui.state import workspace

terms = workspace.terms()
page.tabs(
    "documents_tab",
    {
        terms["Documents"]: page.Tab(documents.section),
        terms["Keyphrases"]: page.Tab(documents.headings, ("k", "gold", "conventions")),
    },
    systems=False,
)
