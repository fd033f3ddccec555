"""Which keyphrases or concepts make the number, or divide the people? A row each, and its documents."""

from kp_ui.parts import headings, page
from kp_ui.widgets import show

page.opened(headings.acts(), systems=False)
with show.refusals():
    headings.section()
