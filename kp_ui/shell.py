"""Draw the frame around every page: page config, navigation, sidebar; and let a page be opened first by its link."""

from contextvars import ContextVar

import streamlit as st

from kp_ui import ROOT, recovery, saving, seats, sidebar, workspace

_running: ContextVar[bool] = ContextVar("running", default=False)

#: Section → pages, each the stem of its file. The first page is what the app opens with.
SECTIONS = {
    "Start": ["overview", "documents", "data", "report", "learn"],
    "Measure": ["agreement", "ranking", "annotators", "near_misses", "correlation", "streamed"],
    "Make": ["extract", "sentences"],
    "Look up": ["methods"],
}
START = "overview"
#: A link of the navigation that has the focus of the keyboard hardly differs from the others.
_STYLE = """<style>
[data-testid="stSidebarNavLink"]:focus-visible { outline: 2px solid currentColor; }
</style>"""


def title_of(stem: str) -> str:
    """Return what a page is called in the navigation."""
    longer = {"streamed": "Streamed run", "sentences": "Sentence study"}
    return longer.get(stem, stem.replace("_", " ").capitalize())


def _open_start() -> None:
    st.switch_page(ROOT / "pages" / f"{START}.py", query_params=st.query_params.to_dict())


def run() -> None:
    """Run the app: choose the page of the address, draw the sidebar, run the page."""
    st.set_page_config(page_title="KPScope", page_icon="🔑", layout="wide", initial_sidebar_state="auto")
    pages = {
        section: [st.Page(ROOT / "pages" / f"{stem}.py", title=title_of(stem), url_path=stem) for stem in stems]
        for section, stems in SECTIONS.items()
    }
    # The default page has only the address "/", and "/overview" would not be found: so "/" leads to "/overview".
    pages[""] = [st.Page(_open_start, title="Start", default=True, visibility="hidden")]
    page = st.navigation(pages, expanded=True)
    if page.url_path == "":
        page.run()  # leads elsewhere, so nothing is drawn here
    seats.admit()
    with st.spinner("Opening the data …"):
        workspace.current()
    workspace.keep_in_link()
    link = sidebar.link()
    token = _running.set(True)
    try:
        with recovery.page(page.url_path):
            above = st.container()
            st.html(_STYLE)
            workspace.banner()
            sidebar.draw()
            with st.sidebar:
                saving.button("save")
            try:
                page.run()
            finally:
                with above:
                    sidebar.say_what_is_ignored(link)
                with st.sidebar:
                    sidebar.copy_link()
    finally:
        _running.reset(token)


def enter() -> None:
    """Open every page with this: a page that Streamlit runs by itself is run again inside the app.

    After a fresh start Streamlit runs `pages/x.py` without `app.py` if the first request asks for it.
    """
    if not _running.get():
        run()
        st.stop()
