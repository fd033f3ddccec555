"""Preserve data, settings and the last result if a page fails or is interrupted."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kp_core.errors import InputError, UsageError
from kp_ui.parts import saving
from kp_ui.state import link, workspace
from kp_ui.widgets import controls, prose, show, tables

_RECORDS = "kept_results"
#: Pages that took longer (in seconds) show their last complete result while computing; faster pages would flicker.
SLOW = 2.0


@contextmanager
def page(name: str) -> Iterator[None]:
    """Draw a page; if it fails, report the error in one sentence above the last complete result.

    After an interruption nothing more can be drawn, so a slow page first draws its last complete result, and removes it
    once the new one is complete.
    """
    records: dict[str, show.Noted] = st.session_state.setdefault(_RECORDS, {})
    digest, started = workspace.current().digest, time.monotonic()
    last = records.get(name, show.Noted())
    last = last if last.digest == digest else show.Noted()
    content, below = st.container(), st.empty()
    is_slow = last.seconds > SLOW
    if is_slow:
        _show_record(last, name, below)
    record = show.begin(digest)
    try:
        with content:
            yield
            show.foot()
    except (InputError, UsageError) as refusal:
        with content:
            show.error(refusal)
    except Exception:
        logging.getLogger("kpscope").exception("The page %s failed", name)
        with content:
            st.error(prose.text("recovery.failed"))
            st.button("Try again", key="try_again", icon=":material/refresh:")
            with suppress(Exception):  # the settings may have caused the error, and the data can still be loaded again
                saving.button("save_after_failure")
    else:
        if not record.refused:
            if record.signatures:
                record.seconds = max(time.monotonic() - started, last.seconds)
                record.settings = dict(link.chosen())
                records[name] = record
            below.empty()
            return
    if last.signatures and not is_slow:
        _show_record(last, name, below)


def _show_record(record: show.Noted, name: str, place: DeltaGenerator) -> None:
    with place.container():
        show.about("recovery.last")
        if record.tables:
            tables.table(record.tables[0], f"kept {name}")
        for line in record.signatures:
            show.signature(line)
            st.code(line, language=None, wrap_lines=True)
        label, icon = "Back to the settings of this result", ":material/undo:"
        controls.button(label, "back_to_result", link.choose_all, record.settings, icon=icon)
