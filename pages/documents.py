"""Which phrases make the number? From the list of documents to one document, its gold and every ranked list."""

from kp_ui.parts import documents, page

page.opened(systems=False)
documents.section()
