"""Add the style and the navigation to every page, and limit the number of sessions."""

import logging
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from kp_core.words.answers import Terms
from kp_ui import MAX_SESSIONS
from kp_ui.parts import page as pages
from kp_ui.parts import rating
from kp_ui.state import link, settings, workspace
from kp_ui.widgets import controls, prose, show

PAGES = ("data", "overview", "systems", "documents", "annotators", "correlation", "report", "learn")
_HERE = Path(__file__).parent
_DAY = 86_400  # in seconds
#: Logo and style of every page; these constants contain no text from users.
_LOGO = b64encode((_HERE / "logo.svg").read_bytes()).decode()
_STYLE = (_HERE / "style.css").read_text("utf-8") + f":root {{ --logo: url(data:image/svg+xml;base64,{_LOGO}); }}"
_WITHOUT_NAVIGATION = '[data-testid="stHeader"], [data-testid="stSidebar"] { display: none; }'
# Streamlit's sizes are relative to the root.
_LARGE = f"html {{ font-size: 150%; }} {_WITHOUT_NAVIGATION} {(_HERE / 'presented.css').read_text('utf-8')}"


def _redirect() -> None:
    st.switch_page(link.file_of("overview"), query_params=st.query_params.to_dict())


def _pages(terms: Terms) -> list[StreamlitPage]:
    annotators_only = workspace.has_only_annotators()
    people_titles = {"annotators": "Agreement", "documents": terms["Documents"]}
    titles = {stem: stem.capitalize() for stem in PAGES} | (people_titles if annotators_only else {})
    hidden = ("overview", "systems", "correlation") if annotators_only else ()
    return [
        st.Page(link.file_of(stem), title=title, url_path=stem, visibility="hidden" if stem in hidden else "visible")
        for stem, title in titles.items()
    ]


@st.fragment(run_every=_DAY)
def _ask_after_reconnecting() -> None:
    """Make the browser request the page with its address after reconnecting.

    Streamlit requests only pages with a fragment that reruns by itself, such as this function. Otherwise a page would
    stay outdated after the server restarts, and the next click would be sent without the address.
    """


def run() -> None:
    """Run the page that the address names."""
    st.set_page_config(page_title="KPScope", page_icon="🔑", layout="wide", initial_sidebar_state="collapsed")
    _ask_after_reconnecting()
    words = workspace.terms()
    # The default page has only the address "/", without "/overview", so "/" redirects to "/overview".
    start = st.Page(_redirect, title="Start", default=True, visibility="hidden")
    link.run_pending()
    controls.take_changes()
    link.read_address()
    page = st.navigation([start, *_pages(words)], position="hidden" if link.presented() or rating.invited() else "top")
    if not page.url_path:
        page.run()  # redirects, so nothing below is run
    next_page = str(st.session_state.pop(workspace.NEXT_PAGE, page.url_path))
    target = "correlation" if rating.invited() else next_page
    if target in PAGES and target != page.url_path:
        link.go(target)
    st.session_state[settings.PAGE] = page.url_path
    admit()
    st.html(f"<style>{_STYLE}{_LARGE * link.presented()}{_WITHOUT_NAVIGATION * bool(rating.invited())}</style>")
    workspace.reopen()
    workspace.read_files()
    if workspace.terms() is not words:  # the navigation was drawn before the data were read
        link.mark_user_action()
        st.rerun()
    workspace.keep_in_link()
    show.begin()
    try:
        settings.write_link()
        if page.url_path not in ("data", "learn"):  # lessons have their own data
            pages.require_files()
        with show.refusals():
            page.run()
            show.foot()
    except Exception:
        logging.getLogger("kpscope").exception("The page %s failed", page.url_path)
        st.error(prose.text("recovery.failed"))
        st.button("Try again", key="try_again", icon=":material/refresh:")
        with suppress(Exception):  # the settings may have caused the error, and the data can still be loaded again
            pages.save_button("save_after_failure")


_admitted_sessions: set[object] = set()


def admit() -> None:
    """Admit this session until its tab is closed; if the server is full, report this and stop.

    An admitted session that reconnects is always admitted again, because it may have unsaved files.
    """
    if not MAX_SESSIONS or "admitted" in st.session_state or len(_admitted_sessions) < MAX_SESSIONS:
        st.session_state["admitted"] = True
        _admit_session()
        return
    st.title("KPScope is full", anchor=False)
    st.info(prose.text("recovery.full", tabs=show.pluralize(MAX_SESSIONS, "open tab")))
    st.button("Try again", key="try_again", type="primary")
    st.stop()


# Streamlit releases cached resources of a session when its tab is closed.
@st.cache_resource(scope="session", max_entries=1, show_spinner=False, on_release=_admitted_sessions.discard)
def _admit_session() -> object:
    marker = object()
    _admitted_sessions.add(marker)
    return marker
