"""Which data are loaded, and were they read correctly?"""

from kp_ui.parts import extraction, intake, page, streamed

page.tabs(
    "data_tab",
    {
        "Files": page.Tab(intake.section, ()),
        "Details": page.Tab(intake.details, ()),
        "Extract phrases": page.Tab(extraction.section, ()),
        "Normalization": page.Tab(intake.normalization, ("conventions",)),
        **({streamed.TAB: page.Tab(streamed.section, ())} if streamed.is_open() else {}),
    },
    intake.problem,
    **page.NOTHING,
)
