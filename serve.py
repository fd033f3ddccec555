"""The KPScope dashboard for several people, closed to pages of other sites: `streamlit run serve.py`."""

import streamlit as st
from starlette.middleware import Middleware

from kp_ui.headers import OwnPagesOnly, SecurityHeaders

app = st.App("app.py", middleware=[Middleware(OwnPagesOnly), Middleware(SecurityHeaders)])
