"""Which results go into a report or a paper?"""

from kp_ui.parts import page, report
from kp_ui.state import workspace

TABS = {
    "Table for a paper": page.Tab(report.paper, ("gold", "conventions")),
    "Report": page.Tab(report.section),
    "Methods": page.Tab(report.methods, ()),
}
OF_PEOPLE = {"Report": page.Tab(report.section, ("conventions",)), "How it was computed": page.Tab(report.methods, ())}

page.tabs("report_tab", OF_PEOPLE if workspace.people_alone() else TABS, systems=False, every=True)
