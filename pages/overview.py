"""Which system is better, and is the difference significant?"""

from kp_ui.parts import intake, overview, page, streamed
from kp_ui.state import workspace

if streamed.is_chosen():
    streamed.overview()
elif workspace.all_datasets():
    page.opened(all_datasets=True)
    overview.datasets()
else:
    page.opened()
    intake.welcome()
    overview.answer()
    overview.conventions()
