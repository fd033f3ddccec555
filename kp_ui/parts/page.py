"""Open a page: its bar, what it needs, its tabs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.reading.sense import refuse_apart
from kp_ui.parts import bar
from kp_ui.parts.bar import Acts
from kp_ui.state import cached, kept, link, settings, workspace
from kp_ui.widgets import controls, prose, show

#: What a page needs that works without any data.
NOTHING: dict[str, Any] = {"systems": False, "gold": False, "every": True}


@dataclass(frozen=True)
class Tab:
    """A tab of a page: what draws it, what of the bar acts on it, and what a clicker turns in it, if it can."""

    draw: Callable[[], None]
    acts: Sequence[Acts] = bar.EVERY
    turn: Callable[[int], bool] | None = None


def opened(
    acts: Sequence[Acts] = bar.EVERY,
    systems: bool = True,
    gold: bool = True,
    every: bool = False,
    turn: Callable[[int], None] | None = None,
) -> None:
    """Draw the bar; without what the page needs, say so, point to what can be opened, and stop.

    systems, gold: whether it needs these; every: whether it shows all data sets where all are chosen; turn: what a
    clicker does where it is presented, else the next page follows
    """
    corpus = workspace.corpus()
    bar.draw(acts, turn or _turn_page)
    if not every:
        one_dataset("page")
    if gold and not len(corpus.gold):
        show.lacks("No gold standard is loaded yet, so there is nothing to compare with. Add the keyphrases of people.")
        st.stop()
    if systems and not corpus.systems:
        show.lacks("No system output is loaded yet, so there is nothing to score. Add the ranked phrases of a system.")
        if len(corpus.annotators) > 1:
            link.to("annotators", "See how far the annotators agree", icon=":material/groups:")
        if corpus.has_texts:
            label = "Or let KPScope extract phrases from these texts"
            link.to("data", label, data_tab="Extract phrases")
        st.stop()
    if systems and gold and (apart := cached.ask(_apart)):
        show.lacks(show.plain(apart))
        st.stop()


def _apart(corpus: kp.Corpus) -> str:
    """Return why no number has a meaning: no system has a document of the gold standard; else nothing."""
    try:
        refuse_apart(corpus)
    except kp.InputError as refusal:
        return str(refusal)
    return ""


def tabs(key: str, sections: Mapping[str, Tab], above: Callable[[], None] | None = None, **needs: bool) -> None:
    """Open a page with tabs: the bar has what acts on the open one, and only that one is computed.

    above: what stands above the tabs; a presented page shows the open one alone
    """
    opened(controls.open_tab(key, sections).acts, turn=partial(_turn_tab, key, sections), **needs)
    if above is not None:
        above()
    if link.presented():
        with show.refusals():
            controls.open_tab(key, sections).draw()
    else:
        controls.tabs(key, {name: tab.draw for name, tab in sections.items()})


#: The pages that a clicker goes through.
_PRESENTED = ("overview", "systems", "documents", "annotators", "correlation", "learn")


def _turn_page(step: int) -> None:
    """Go on to the next presented page, or back."""
    here = st.session_state[settings.PAGE]
    place = _PRESENTED.index(here) if here in _PRESENTED else 0
    st.session_state[workspace.ARRIVED] = _PRESENTED[max(0, min(len(_PRESENTED) - 1, place + step))]


def _turn_tab(key: str, sections: Mapping[str, Tab], step: int) -> None:
    """Go on in the tab, else to the next tab, or back; beyond the last one to the next page."""
    chosen, names, turn = link.chosen().get(key, ""), list(sections), controls.open_tab(key, sections).turn
    if turn is not None and turn(step):
        return
    place = (names.index(chosen) if chosen in names else 0) + step
    if 0 <= place < len(names):
        link.choose(key, names[place])
    else:
        _turn_page(step)


def one_dataset(what: str) -> None:
    """Say which data set a page or tab shows where all are chosen and it shows one."""
    if workspace.all_datasets():
        show.small(f"This {what} is of one data set: {workspace.dataset()}. Choose another one above.")


def require_files() -> None:
    """Stop before other data could be taken for uploads that are not here, or that wait for an answer."""
    if lost := workspace.lost_files():
        st.title("Your files are not here", anchor=False)
        lost_in_words(lost)
        link.to("data", "Load the files again", icon=":material/upload_file:")
        controls.button("Show the sample data", "show_sample", workspace.open_sample, workspace.FIRST)
        st.stop()
    if workspace.problem() and workspace.is_empty():
        st.title(workspace.waiting(), anchor=False)
        _to_question()
        st.stop()
    if workspace.problem():
        with st.container(horizontal=True, vertical_alignment="center"):
            show.small(f"{workspace.waiting()}. The results below do not include your last upload.")
            _to_question()


def lost_in_words(files: int) -> None:
    """Explain why uploads are not here, and what to do."""
    why = prose.text("recovery.lost_kept") if kept.is_kept() else prose.text("recovery.lost_here")
    st.info(prose.text("recovery.lost", files=show.counted(files, "uploaded file"), why=why))


def _to_question() -> None:
    asked = workspace.forms() or workspace.findings()
    label = "Answer on the Data page" if asked else "See why on the Data page"
    link.to("data", label, icon=":material/arrow_forward:", data_tab="Files")
