"""What do I take with me?"""

from kp_ui.parts import page, report
from kp_ui.parts.page import Tab
from kp_ui.state import workspace

TABS = {
    "Table for a paper": Tab(report.paper, ("gold", "rules")),
    "Report": Tab(report.section),
    "Methods": Tab(report.methods, ()),
}
OF_INDEXERS = {"Report": Tab(report.section, ("rules",)), "How it was computed": Tab(report.methods, ())}

page.tabs("report_tab", OF_INDEXERS if workspace.of_indexers() else TABS, systems=False, every=True)
