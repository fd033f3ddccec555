"""Preserve data, settings and the last result if a page fails or is interrupted."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kp_core.errors import InputError, UsageError
from kp_ui.parts import saving
from kp_ui.state import link, workspace
from kp_ui.widgets import controls, prose, show, tables

_KEPT = "kept_results"
#: Seconds beyond which a page shows its last complete result during computation; faster pages would flicker.
SLOW = 2.0


@contextmanager
def page(name: str) -> Iterator[None]:
    """Draw a page; if it fails, report the error in one sentence above the last complete result.

    Nothing can be drawn after an interruption, so the last complete result of a slow page is drawn before the page and
    removed after it.
    """
    every: dict[str, show.Noted] = st.session_state.setdefault(_KEPT, {})
    digest, started = workspace.current().digest, time.monotonic()
    last = every.get(name, show.Noted())
    last = last if last.digest == digest else show.Noted()
    body, below = st.container(), st.empty()
    before = last.seconds > SLOW
    if before:
        _show(last, name, below)
    record = show.begin(digest)
    try:
        with body:
            yield
            show.foot()
    except (InputError, UsageError) as refusal:
        with body:
            show.error(refusal)
    except Exception:
        logging.getLogger("kpscope").exception("The page %s failed", name)
        with body:
            st.error(prose.text("recovery.failed"))
            _recovery_buttons()
    else:
        if not record.refused:
            if record.signatures:
                record.seconds = max(time.monotonic() - started, last.seconds)
                record.settings = dict(link.chosen())
                every[name] = record
            below.empty()
            return
    if last.signatures and not before:
        _show(last, name, below)


def _show(last: show.Noted, name: str, place: DeltaGenerator) -> None:
    with place.container():
        show.about("recovery.last")
        if last.tables:
            tables.table(last.tables[0], f"kept {name}")
        for line in last.signatures:
            show.signature(line)
            st.code(line, language=None, wrap_lines=True)
        label, icon = "Back to the settings of this result", ":material/undo:"
        controls.button(label, "back_to_result", link.choose_all, last.settings, icon=icon)


def _recovery_buttons() -> None:
    with st.container(horizontal=True):
        st.button("Try again", key="try_again", icon=":material/refresh:")
        try:
            saving.button("save_after_failure")
        except Exception:  # the settings may have caused the error, and the data can still be loaded again
            logging.getLogger("kpscope").exception("The workspace cannot be saved")
