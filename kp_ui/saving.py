"""Save the workspace of this session as one file, and open such files again."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import kp_core as kp
from kp_core.corpus import content_digest
from kp_core.reading import Saved, Source, is_workspace_file, read_workspace
from kp_core.reading.shared import shared
from kp_core.reading.workspace_file import ENDING
from kp_core.scale import is_statistics_file
from kp_core.takeaway.workspace_file import workspace_file
from kp_ui import rating, sidebar, streamed, workspace


def here() -> Saved:
    """Return the workspace of this session, as it is saved."""
    shown, own = workspace.current(), workspace.uploads()
    names = {} if shown.sample else {**(own.saved.names if own.saved else {}), **own.names}
    query = {name: value for name, value in st.query_params.to_dict().items() if name != workspace.SAMPLE}
    ratings = rating.ratings()
    return Saved(shown.corpus, shown.title, sidebar.signature(), query | sidebar.chosen(), names, ratings)


def button(key: str) -> None:
    """Offer the workspace as a file."""
    saved, name = here(), workspace.current().sample or "workspace"
    st.download_button(
        "Save the workspace",
        lambda: workspace_file(saved),
        f"{name}{ENDING}",
        "application/octet-stream",
        key=key,
        on_click="ignore",
        icon=":material/save:",
        help="One file with the data as they were understood, the settings and your ratings. Drop it on the Data page "
        "to go on where you stopped.",
    )


def take(files: Sequence[Source]) -> None:
    """Open the workspace file among some files and the statistics of a streamed run, and load the others."""
    opened = [file for file in files if is_workspace_file(file)]
    sums = [file for file in files if is_statistics_file(file)]
    streamed.take(sums)
    with workspace.refusals():
        if len(opened) > 1:
            raise kp.UsageError("two workspaces cannot be open at once; drop one of them")
        for file in opened:
            saved = read_workspace(file)
            workspace.open_saved(saved, file.name)
            sidebar.restore(saved.query)
            rating.take_up(content_digest(saved.corpus), saved.ratings)
        if others := [file for file in files if file not in opened and file not in sums]:
            workspace.add(others)


def take_shared() -> None:
    """Take the chosen shared data set as if it had been dropped."""
    root = workspace.shared_folder()
    with workspace.refusals():
        take([] if root is None else [shared(root, st.session_state["shared"])])
