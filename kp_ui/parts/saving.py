"""Save the workspace of this session as one file, and open such files again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

import kp_core as kp
from kp_core.reading import Source
from kp_core.reading.open.source import shared
from kp_core.scale import is_statistics_file
from kp_core.takeaway.workspace_file import ENDING, Saved, is_workspace_file, read_workspace, workspace_file
from kp_ui.parts import rating, streamed
from kp_ui.state import link, settings, workspace
from kp_ui.widgets import prose, show


def button(key: str) -> None:
    """Offer the workspace as a file."""
    data = workspace.current()
    saved = Saved(data.uploads, settings.saved(), settings.signature(), rating.ratings())
    more = {"mime": "application/octet-stream", "icon": ":material/save:", "help": prose.helps("save")}
    show.file("Save", partial(workspace_file, saved), f"{data.sample or 'workspace'}{ENDING}", key, **more)


def take(files: Sequence[Source]) -> None:
    """Open workspace files and statistics of streamed runs, and load all other files as data."""
    opened = [file for file in files if is_workspace_file(file)]
    sums = [file for file in files if is_statistics_file(file)]
    streamed.take(sums)
    with workspace.refusals():
        if len(opened) > 1:
            raise kp.UsageError("two workspaces cannot be open at once; drop one of them")
        others = [file for file in files if file not in opened and file not in sums]
        for file in opened:
            saved = read_workspace(file)
            workspace.open_uploads(replace(saved.uploads, title=f"the workspace {file.name}"))
            link.restore({name: text for name, text in saved.link.items() if name != settings.PAGE})
            workspace.read_files()
            if not workspace.session().problem:
                rating.take_up(saved.ratings)
                if not others:
                    st.session_state[workspace.ARRIVED] = saved.link.get(settings.PAGE, "data")
        if others:
            workspace.add(others)


def take_anywhere(files: Sequence[Source]) -> None:
    """Load files that were dropped on any page, and open the Data page, which shows how they were read."""
    st.session_state[workspace.ARRIVED] = "data"
    take(files)


def take_shared() -> None:
    """Load the chosen shared data set like a dropped file."""
    root = workspace.shared_folder()
    with workspace.refusals():
        take([] if root is None else [shared(root, st.session_state["shared"])])
