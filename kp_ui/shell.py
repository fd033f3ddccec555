"""Draw the frame around every page: its look, the navigation; admit as many sessions as the server has seats for."""

import tomllib
from base64 import b64encode
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from kp_core.words.answers import Speech
from kp_ui import SEATS, recovery
from kp_ui.parts import rating
from kp_ui.parts.page import require_files
from kp_ui.state import link, settings, workspace
from kp_ui.widgets import controls, prose, show

#: The pages, each the stem of its file; the name in the navigation is the same word.
PAGES = ("data", "overview", "systems", "documents", "headings", "annotators", "correlation", "report", "learn")
_HERE = Path(__file__).parent
_DATA = tomllib.loads((_HERE / "pages.toml").read_text("utf-8"))
#: Address of a page that is no more → the page that has its content, and what is open there.
MOVED = {stem: (to["page"], to.get("query", {})) for stem, to in _DATA["moved"].items()}
_DAY = 86_400  # in seconds
#: The look of every page; constants, so no text of a user can reach them.
_LOGO = b64encode((_HERE / "logo.svg").read_bytes()).decode()
_STYLE = (_HERE / "style.css").read_text("utf-8") + f":root {{ --logo: url(data:image/svg+xml;base64,{_LOGO}); }}"
_ALONE = '[data-testid="stHeader"], [data-testid="stSidebar"] { display: none; }'
# Everything Streamlit draws follows the size of the root.
_LARGE = f"html {{ font-size: 150%; }} {_ALONE} {(_HERE / 'presented.css').read_text('utf-8')}"


def _lead(stem: str) -> None:
    page, query = MOVED[stem]
    st.switch_page(link.file_of(page), query_params=query | st.query_params.to_dict())


def _pages(words: Speech) -> list[StreamlitPage]:
    """Return the pages, called by the words for the data; those that the navigation does not show open by links."""
    people_alone = workspace.people_alone()
    own = {"annotators": "Agreement", "documents": words["Documents"], "headings": words["Keyphrases"]}
    titles = {stem: stem.capitalize() for stem in PAGES} | (own if people_alone else {})
    hidden = ("overview", "systems", "correlation") if people_alone else ("headings",)
    return [
        st.Page(link.file_of(stem), title=title, url_path=stem, visibility="hidden" if stem in hidden else "visible")
        for stem, title in titles.items()
    ]


@st.fragment(run_every=_DAY)
def _ask_after_reconnecting() -> None:
    """Have the browser ask for the page, with its address, when it is connected again.

    It does so only for a page with a part that runs by itself, which this one is; a page that stood there while the
    server was started anew would show what is gone, and its next click would come without the address.
    """


def run() -> None:
    """Run the app: choose the page of the address, and run it."""
    st.set_page_config(page_title="KPScope", page_icon="🔑", layout="wide", initial_sidebar_state="collapsed")
    _ask_after_reconnecting()
    words = workspace.speech()
    # The default page has only the address "/", and "/overview" would not be found: so "/" leads to "/overview".
    moved = [
        st.Page(partial(_lead, stem), title=stem or "Start", url_path=stem, default=not stem, visibility="hidden")
        for stem in MOVED
    ]
    link.carry_out()
    controls.take_changes()
    opened = link.take()
    page = st.navigation([*_pages(words), *moved], position="hidden" if link.presented() or rating.invited() else "top")
    if page.url_path in MOVED:
        page.run()  # leads elsewhere, so nothing is drawn here
    arrived = str(st.session_state.pop(workspace.ARRIVED, page.url_path))
    wanted = "correlation" if rating.invited() else arrived
    if wanted in PAGES and wanted != page.url_path:
        link.go(wanted)
    st.session_state[settings.PAGE] = page.url_path
    admit()
    st.html(f"<style>{_STYLE}{_LARGE * link.presented()}{_ALONE * bool(rating.invited())}</style>")
    workspace.reopen(opened)
    workspace.read_files()
    if workspace.speech() is not words:  # the navigation is made before the data are read
        link.stay()
        st.rerun()
    workspace.keep_in_link()
    if opened:
        settings.check_link()
    with recovery.page(page.url_path):
        settings.write_link()
        if page.url_path not in ("data", "learn"):  # lessons have lists of their own
            require_files()
        page.run()


_SEATED = "seated"
_taken: set[object] = set()


def admit() -> None:
    """Let this session in, which keeps its seat until its tab is closed; or say that there is none, and stop.

    A session that was in before, and lost its connection for a moment, comes in again: it has files to lose.
    """
    if SEATS is None or _SEATED in st.session_state or len(_taken) < SEATS:
        st.session_state[_SEATED] = True
        _seat()
        return
    st.title("KPScope is full", anchor=False)
    st.info(prose.text("recovery.full", tabs=show.pluralize(SEATS, "open tab")))
    st.button("Try again", key="try_again", type="primary")
    st.stop()


# Streamlit releases what a session keeps as soon as its tab is closed.
@st.cache_resource(scope="session", max_entries=1, show_spinner=False, on_release=_taken.discard)
def _seat() -> object:
    seat = object()
    _taken.add(seat)
    return seat
