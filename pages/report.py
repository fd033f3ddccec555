"""What do I take with me?"""

from __future__ import annotations

from kp_ui import reporting, results, shell

shell.enter()

results.open_page("Report")
reporting.show_report()
