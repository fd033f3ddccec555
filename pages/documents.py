"""Which phrases does a number come from? Lists documents, and shows the gold standard and all rankings of one."""

from kp_ui.parts import documents, page
from kp_ui.state import workspace

if workspace.people_alone():  # their keyphrases are on the page of headings
    page.opened(("conventions",), systems=False)
    documents.section()
else:
    page.tabs(
        "documents_tab",
        {
            "Documents": page.Tab(documents.section),
            "Keyphrases": page.Tab(documents.headings, documents.acts_on_headings()),
        },
        systems=False,
    )
