"""What do I take with me?"""

from kp_ui.parts import page, report
from kp_ui.parts.page import Tab

page.tabs(
    "report_tab",
    {
        "Table for a paper": Tab(report.paper, ("gold", "rules")),
        "Report": Tab(report.section),
        "Methods": Tab(report.methods, ()),
    },
    systems=False,
    every=True,
)
