"""End a page: one place for all that can be downloaded, one to cite it, one for what the reader must know."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from kp_core.settings import short_form
from kp_ui.state import link
from kp_ui.widgets import show
from kp_ui.widgets.record import Noted, Offered, noted

#: Form of a download → the ending of its file.
_ENDINGS = {"LaTeX": "tex", "Markdown": "md"}


def draw() -> None:
    """Draw the foot of a page from what it noted; what is behind a button is made once somebody opens it."""
    record = noted()
    with st.container(horizontal=True, key="foot"):
        if record.offered:
            place = st.popover("Download", icon=show.ARROW, key="download", on_change="rerun")
            if place.open:
                with show.once_open(place):
                    _offer(record.offered, record.signatures[0] if record.signatures else "")
        if record.signatures:
            place = st.popover("Cite", icon=":material/format_quote:", key="cite", on_change="rerun")
            if place.open:
                with show.once_open(place):
                    _cite(record)
        if record.notes:
            number = len(record.notes)
            label = "1 thing to know" if number == 1 else f"{number} things to know"
            with st.popover(label, type="tertiary", icon=":material/info:"):
                for note in record.notes:
                    st.markdown(f"{show.plain(note.where)}: {show.plain(note.message)}")


def _offer(offered: Mapping[str, Offered], line: str) -> None:
    """Offer tables and charts, a line each: what it is, and its forms."""
    for words, one in offered.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width=560):
            st.markdown(show.plain(show.in_heads(words)), width="stretch")
            for form, make in one.forms.items():
                written = f"{one.name}.{_ENDINGS.get(form, form.lower())}"
                show.file(form, partial(make, line), written, f"{form} {words}", icon=None, type="tertiary")


def _cite(record: Noted) -> None:
    for line in record.signatures:
        for words, copied in (
            ("Short form, for a caption", short_form(line)),
            ("The whole recipe: whoever has the same files gets the same numbers", line),
        ):
            st.caption(words)
            st.code(copied, language=None, wrap_lines=True)
    st.caption("The link that leads here")
    st.code(link.address(), language=None, wrap_lines=True)
