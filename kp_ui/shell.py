"""Draw the frame around every page: page config, navigation, sidebar; and let a page be opened first by its link."""

from functools import partial
from pathlib import Path

import streamlit as st

from kp_ui import controls, link, rating, recovery, seats, settings, sidebar, workspace

#: The pages, each the stem of its file; the name in the navigation is the same word.
PAGES = ("data", "overview", "systems", "documents", "annotators", "correlation", "report", "learn")
START = "overview"
#: Address of a page that is no more → the page that has its content, and what is open there.
MOVED = {
    "": (START, {}),
    "agreement": ("systems", {"systems_tab": "Concordance"}),
    "ranking": ("systems", {"systems_tab": "Measures"}),
    "near_misses": ("systems", {"systems_tab": "Near misses"}),
    "streamed": (START, {"what": "Streamed run"}),
    "extract": ("data", {"data_tab": "Extract phrases"}),
    "sentences": ("annotators", {"annotators_tab": "Sentence study"}),
    "methods": ("learn", {"learn_tab": "Methods"}),
}
_STYLE = """<style>
.stMainBlockContainer { padding: 3.6rem 2.2rem 2rem 2.2rem; }
.stMainBlockContainer h1 { font-size: 1.7rem; padding: 0 0 .9rem 0; }
.stMainBlockContainer h2 { font-size: 1.35rem; padding: .4rem 0 .9rem 0; }
.stMainBlockContainer h3 { font-size: 1.15rem; padding: .4rem 0 .9rem 0; }
.stMainBlockContainer h4 { font-size: 1.25rem; padding: 0 0 .9rem 0; }
.stMainBlockContainer .stVerticalBlock { gap: .7rem; }
[data-testid="stSidebarHeader"] { height: 3.2rem; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] { padding: 0 0 1rem 0; }
[data-testid="stSidebarUserContent"] .stVerticalBlock { gap: .45rem; }
[data-testid="stSidebarUserContent"] p, [data-testid="stSidebarUserContent"] button { font-size: .85rem; }
[data-testid="stSidebarUserContent"] [data-testid="stFileUploaderDropzone"] { padding: .3rem .5rem; min-height: 0;
  flex-direction: row; align-items: center; flex-wrap: nowrap; }
[data-testid="stSidebarUserContent"] [data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
[data-testid="stSidebarUserContent"] [data-testid="stFileUploaderDropzone"]::after { content: "or drop files here";
  font-size: .85rem; padding-left: .6rem; }
[data-testid="stSidebarUserContent"] [data-testid="stButtonGroup"] button { padding: 0 .5rem; min-height: 1.7rem; }
.stMainBlockContainer .st-key-receipt { gap: 0; }
.st-key-receipt > * { border-bottom: 1px solid rgba(128, 128, 128, .25); min-height: 40px; }
.st-key-sheet { overflow-x: auto; }
.st-key-parts { flex-wrap: nowrap; }
@media (min-width: 768px) { .st-key-narrow { display: none; } }
@media (max-width: 640px) { [data-testid="stColumn"]:has(.st-key-title) { order: 2; } }
a:focus-visible, button:focus-visible, [role="tab"]:focus-visible { outline: 2px solid currentColor; }
</style>"""
# Everything Streamlit draws follows the size of the root; these are constants, so no text of a user can reach them.
_ALONE = "<style>[data-testid='stSidebar'], [data-testid='stExpandSidebarButton'] { display: none; }</style>"
_LARGE = f"""<style>html {{ font-size: 150%; }}
.stMain .stMainBlockContainer {{ padding-top: 1rem; }} [data-testid="stHeader"] {{ display: none; }}</style>{_ALONE}"""


def _lead(stem: str) -> None:
    page, query = MOVED[stem]
    st.switch_page(link.file_of(page), query_params=query | st.query_params.to_dict())


def run() -> None:
    """Run the app: choose the page of the address, draw the sidebar, run the page."""
    st.set_page_config(page_title="KPScope", page_icon="🔑", layout="wide", initial_sidebar_state="auto")
    st.logo(Path(__file__).with_name("logo.svg"), size="large")
    pages = [st.Page(link.file_of(stem), title=stem.capitalize(), url_path=stem) for stem in PAGES]
    # The default page has only the address "/", and "/overview" would not be found: so "/" leads to "/overview".
    moved = [
        st.Page(partial(_lead, stem), title=stem or "Start", url_path=stem, default=not stem, visibility="hidden")
        for stem in MOVED
    ]
    opened = link.take()
    page = st.navigation([*pages, *moved], position="hidden" if controls.presented() or rating.invited() else "top")
    if page.url_path in MOVED:
        page.run()  # leads elsewhere, so nothing is drawn here
    arrived = str(st.session_state.pop(workspace.ARRIVED, page.url_path))
    wanted = "correlation" if rating.invited() else arrived
    if wanted in PAGES and wanted != page.url_path:
        link.go(wanted)
    st.session_state[settings.PAGE] = page.url_path
    seats.admit()
    st.html(_STYLE + _LARGE * controls.presented() + _ALONE * bool(rating.invited()))
    workspace.reopen()
    with st.spinner("Opening the data …"):
        workspace.read_files()
    if page.url_path != "data":
        workspace.ask_for_lost_files()
    workspace.keep_in_link()
    if opened:
        settings.check_link()
    with recovery.page(page.url_path):
        settings.write_link()
        place = sidebar.draw()
        if page.url_path not in ("data", "report", "learn") and not rating.invited():
            sidebar.on_a_phone()
        sidebar.say_what_is_ignored()
        page.run()
        sidebar.copy_link(place)  # again, since a page may write into the address
