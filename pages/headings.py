"""Which keyphrases or concepts does a number come from, and on which do people disagree?"""

from kp_ui.parts import documents, page
from kp_ui.widgets import show

page.opened(documents.acts_on_headings(), systems=False)
with show.refusals():
    documents.headings()
