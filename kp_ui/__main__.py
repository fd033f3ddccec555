"""Open the dashboard, as `kpscope app` does; all options are passed to `streamlit run`."""

import runpy
import sys

from kp_ui import ROOT

sys.argv = ["streamlit", "run", str(ROOT / "app.py"), *sys.argv[1:]]
runpy.run_module("streamlit", run_name="__main__")
