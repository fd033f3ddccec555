"""Run the app in Streamlit; `app.py` starts this script, and every page runs inside it."""

from kp_ui import shell

shell.run()
