"""What Streamlit runs for every page: `app.py` starts it. It stands apart from `pages`, since every page runs in it."""

from kp_ui import shell

shell.run()
