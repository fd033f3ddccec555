"""What Streamlit runs for every page: `app.py` starts it. It is not one of `pages`, since every page runs in it."""

from kp_ui import shell

shell.run()
