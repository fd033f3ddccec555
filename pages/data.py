"""What do I have, and was it understood?"""

from kp_ui.parts import extraction, intake, page
from kp_ui.parts.page import Tab

page.tabs(
    "data_tab",
    {
        "Files": Tab(intake.section, ()),
        "Details": Tab(intake.details, ()),
        "Extract phrases": Tab(extraction.section, ()),
        "What becomes of the phrases": Tab(intake.normalisation, ("rules",)),
    },
    intake.problem,
    **page.NOTHING,
)
