"""What do I take with me?"""

from kp_ui import controls, report, results

results.open_page("Report", needs_systems=False, every=True)
controls.tabs("report_tab", {"Report": report.section, "Table for a paper": report.paper, "Methods": report.methods})
