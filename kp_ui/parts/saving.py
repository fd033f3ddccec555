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
    """Draw a button that downloads the workspace as a file."""
    data = workspace.current()
    saved = Saved(data.uploads, settings.saved(), settings.signature(), rating.ratings())
    kwargs = {"mime": "application/octet-stream", "icon": ":material/save:", "help": prose.helps("save")}
    show.file("Save", partial(workspace_file, saved), f"{data.sample or 'workspace'}{ENDING}", key, **kwargs)


def take(files: Sequence[Source]) -> None:
    """Open a workspace file and the statistics of a streamed run, and load all other files as data."""
    workspace_files = [file for file in files if is_workspace_file(file)]
    statistics_files = [file for file in files if is_statistics_file(file)]
    streamed.take(statistics_files)
    with workspace.refusals():
        if len(workspace_files) > 1:
            raise kp.UsageError("only one workspace can be open at a time; choose one of these files")
        data_files = [file for file in files if file not in workspace_files and file not in statistics_files]
        for file in workspace_files:
            saved = read_workspace(file)
            workspace.open_uploads(replace(saved.uploads, title=f"the workspace {file.name}"))
            link.restore({name: text for name, text in saved.link.items() if name != settings.PAGE})
            workspace.read_files()
            if not workspace.session().problem:
                rating.restore_ratings(saved.ratings)
                if not data_files:
                    st.session_state[workspace.NEXT_PAGE] = saved.link.get(settings.PAGE, "data")
        if data_files:
            workspace.add(data_files)


def take_anywhere(files: Sequence[Source]) -> None:
    """Load files that were dropped on any page, and open the Data page, which shows how they were read."""
    st.session_state[workspace.NEXT_PAGE] = "data"
    take(files)


def take_shared() -> None:
    """Load the chosen shared data set like an uploaded file."""
    root = workspace.shared_folder()
    with workspace.refusals():
        take([] if root is None else [shared(root, st.session_state["shared"])])
