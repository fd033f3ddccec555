"""Which keyphrases or concepts make the number, or divide the people? A row each, and its documents."""

from kp_ui.parts import documents, page
from kp_ui.widgets import show

page.opened(documents.acts_on_headings(), systems=False)
with show.refusals():
    documents.headings()
