"""Which results go into a report or paper, and in which form?"""

from kp_ui.parts import page, report
from kp_ui.state import workspace

table_tab = {"Table for a paper": page.Tab(report.paper, ("gold", "conventions"))}
report_tabs = {"Report": page.Tab(report.section), "Methods": page.Tab(report.methods, ())}
sections = report_tabs if workspace.has_only_annotators() else table_tab | report_tabs
page.tabs("report_tab", sections, systems=False, all_datasets=True)
