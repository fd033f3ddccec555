"""The KPScope dashboard for several people, closed to pages of other sites: `streamlit run serve.py`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import iter_modules

import streamlit as st
from starlette.middleware import Middleware

import kp_ui
from kp_ui.headers import OwnPagesOnly, SecurityHeaders


@asynccontextmanager
async def ready(_: st.App) -> AsyncIterator[None]:
    """Import the whole app before anybody comes: visitors who did so at once, in threads, would block each other."""
    for part in iter_modules(kp_ui.__path__, "kp_ui."):
        if part.name != "kp_ui.__main__":
            import_module(part.name)
    yield


app = st.App("app.py", lifespan=ready, middleware=[Middleware(OwnPagesOnly), Middleware(SecurityHeaders)])
