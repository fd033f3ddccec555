"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

from kp_ui.parts import documents, page
from kp_ui.state import workspace

if workspace.people_alone():  # their keyphrases have a page of their own
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
