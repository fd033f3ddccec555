"""Say what of a link does not exist here, and give the link of what is on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode, urlsplit

import streamlit as st

from kp_ui import show, sidebar


def asked() -> dict[str, list[str]]:
    """Return what the link asks for, before any control has taken its part."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def say_what_is_ignored(link: Mapping[str, Sequence[str]]) -> None:
    """Say which choices of the link do not exist here, and what is used in their place; call it after the controls."""
    for name, values in link.items():
        used = st.session_state.get(name)
        # What a control holds is plain; other things of the session have names too, and are nobody's business.
        if isinstance(used, str | bool | int | float | list) and not _taken(values, used):
            shown = ", ".join(map(str, used)) if isinstance(used, list) else used
            st.warning(
                show.plain(f"The link asks for {name} = {', '.join(values)}, which is no choice here; {shown} is used.")
            )


def _taken(values: Sequence[str], used: object) -> bool:
    """Tell whether a control holds what the link says.

    >>> _taken(["5"], 5), _taken(["true"], True), _taken(["a", "b"], ["a", "b"]), _taken(["banana"], "F1@k")
    (True, True, True, False)
    """
    if isinstance(used, list | tuple):
        return {str(one) for one in used} >= set(values)
    if isinstance(used, bool):
        return values[-1].lower() == str(used).lower()
    if isinstance(used, int | float):
        try:
            return float(values[-1]) == used
        except ValueError:
            return False
    return values[-1] == str(used)


def copy() -> None:
    """Show the link of this page with all its choices, to copy; the data are not in it."""
    with st.popover("Link to this view", icon=":material/link:"):
        query = urlencode(asked() | sidebar.numbers(), doseq=True)
        address = urlsplit(st.context.url or "")._replace(query=query, fragment="").geturl()
        st.code(address, language=None, wrap_lines=True)
        st.caption("The link holds page and settings, not the data: others see the sample, or load the same files.")
