"""The KPScope dashboard: `streamlit run app.py`."""

from kp_ui import shell

shell.run()
