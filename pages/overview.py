"""Which system is better, and is the difference significant?"""

from kp_ui.parts import intake, overview, page
from kp_ui.state import workspace

if workspace.all_datasets():
    page.opened(all_datasets=True)
    overview.datasets()
else:
    page.opened()
    intake.welcome()
    overview.answer()
    overview.conventions()
