"""The KPScope dashboard for several people, with security headers: `streamlit run serve.py`."""

import streamlit as st
from starlette.middleware import Middleware

from kp_ui.headers import SecurityHeaders

app = st.App("app.py", middleware=[Middleware(SecurityHeaders)])
