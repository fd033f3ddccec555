"""Open a page of the simulated app at once, as a link does, drop files on it, and read what it says."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

import kp_core as kp
from kp_core.reading import Source
from kp_core.takeaway.workspace_file import Uploads
from kp_ui.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
#: Results are kept under a digest of the data, so every corpus needs one of its own.
_NUMBER = count()


def opened(
    page: str,
    corpus: kp.Corpus | None = None,
    files: Sequence[Source] = (),
    state: Mapping[str, Any] | None = None,
    **link: str,
) -> Any:
    """Return the app on a page: with the sample, on a corpus, or as after an upload of files.

    state  what the session holds besides; link: what stands in the address
    """
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    held = dict(state or {})
    if corpus is not None:
        held["workspace"] = Workspace(corpus, f"test {next(_NUMBER)}", "test")
    if files:
        held |= {"uploads": Uploads(tuple(files)), "pending": True}
    for name, value in held.items():
        app.session_state[name] = value
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [one.message for one in app.exception]
    return app


def shown(app: Any, column: str) -> pd.DataFrame:
    """Return the first table on the page that has a column."""
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def words(app: Any) -> str:
    """Return all text of the page, code apart."""
    kinds = (app.caption, app.markdown, app.warning, app.error, app.info, app.text)
    return "\n".join(str(one.value) for kind in kinds for one in kind)


def literal(app: Any) -> str:
    """Return all text of the page, also code, without the backslashes that Markdown needs."""
    return "\n".join([words(app), *(one.value for one in app.code)]).replace("\\", "")


def drop(app: Any, *files: Source) -> None:
    """Drop files on the zone of the Data page."""
    zone = next(one for one in app.file_uploader if one.key.startswith("drop_"))
    for file in files:
        zone.upload(file.name, file.data)
    app.run()
    assert not app.exception, app.exception
