"""Serve the KPScope dashboard, which refuses pages of other sites: `streamlit run app.py`."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import streamlit as st
import threadpoolctl
from starlette.middleware import Middleware
from starlette.routing import Route

import kp_ui
from kp_ui import shell
from kp_ui.headers import SecurityHeaders, start_page
from kp_ui.state.separate_process import in_separate_process


@asynccontextmanager
async def ready(_: st.App) -> AsyncIterator[None]:
    """Import the whole app before the first visit; visitors who import it at the same time would block each other."""
    for part in walk_packages(kp_ui.__path__, "kp_ui."):
        if part.name not in ("kp_ui.__main__", "kp_ui.main"):
            import_module(part.name)
    in_separate_process(int)  # starts the process that reads files, if their cost is limited
    # Sessions share the processor: threads of one session's matrix product that wait for a core slow down all others.
    threadpoolctl.threadpool_limits(1, "blas")
    gc.freeze()  # Streamlit collects garbage after every run, which need not search the imported modules each time
    yield


# kp_ui/main.py finds the pages. If they were next to it, Streamlit would run a page alone, or reject old addresses.
app = st.App(
    Path(kp_ui.__file__).with_name("main.py"),
    lifespan=ready,
    middleware=[Middleware(SecurityHeaders)],
    routes=[Route(f"/{stem}", start_page) for stem in ("", *shell.PAGES)],
)
