"""What do I take with me?"""

import streamlit as st

from kp_ui import report, results, shell

shell.enter()

results.open_page("Report", needs_systems=False)
left, right = st.columns([1, 2], gap="large")
with left:
    title, sections = report.asked()
if not sections:
    st.info("Choose at least one section.")
    st.stop()
with right:
    report.offered(title, sections)
