"""Open a page of the simulated app at once, as a link does, drop files on it, and read what it says."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import kp_core as kp
from kp_core.reading import Source
from kp_core.reading.uploads import Uploads
from kp_ui import shell
from kp_ui.workspace import Workspace
from tests.cases import ROOT

#: Every page with its tabs; only the open one is drawn.
TABS = {
    "data": ("Files", "Details", "Extract phrases", "What becomes of the phrases"),
    "systems": ("Concordance", "A against B", "Measures", "Over k", "Near misses", "Parts of the data", "Stability"),
    "annotators": ("Together and in pairs", "Human ceiling", "Titles", "Trimming", "Sentence study"),
    "report": ("Report", "Table for a paper", "Methods"),
    "learn": ("Lessons", "Methods", "Glossary"),
    "correlation": ("All pairs", "Location, complexity, part of speech", "Which measures differ", "Every pair"),
}
#: Results are kept under a digest of the data, so every corpus needs one of its own.
_NUMBER = count()


def opened(
    page: str,
    corpus: kp.Corpus | None = None,
    files: Sequence[Source] | str = (),
    state: Mapping[str, Any] | None = None,
    **link: str,
) -> Any:
    """Return the app on a page: with the sample, on a corpus, or as after an upload of files.

    state  what the session holds besides; link: what stands in the address, files="2" too
    """
    app = AppTest.from_file(str(ROOT / "kp_ui" / "main.py"), default_timeout=120)
    if page in shell.MOVED:  # an old address, which has no file
        app._page_hash = calc_hash(page)
    else:
        app.switch_page(f"../pages/{page}.py")
    held = dict(state or {})
    if corpus is not None:
        held["workspace"] = Workspace(corpus, f"test {next(_NUMBER)}", "test")
    if isinstance(files, str):
        link["files"] = files
    elif files:
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


def receipt(app: Any) -> dict[str, str]:
    """Return what the Data page says of each file, as file → words, in order."""
    found = (re.fullmatch(r"[✓…] \*\*(.+?)\*\* · (.+)", one.value.replace("\\", "")) for one in app.main.markdown)
    return {row[1]: row[2] for row in found if row}


def tab(app: Any, name: str) -> Any:
    """Open a tab of the Data page."""
    app.session_state["chosen"]["data_tab"] = name
    app.run()
    assert not app.exception, app.exception
    return app


def dots(app: Any, bounds: bool = False) -> dict[str, Any]:
    """Return the values that the dots of the leaderboard show, or value, low and high; in their order."""
    drawn = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    found = {}
    for dot in drawn:
        value = _numbers(dot["x"])[0]
        error = dot["error_x"]
        low, high = value - _numbers(error["arrayminus"])[0], value + _numbers(error["array"])[0]
        found[dot["customdata"][0]] = (value, low, high) if bounds else value
    return found


def _numbers(values: Any) -> list[float]:
    """Return numbers of a chart, which may stand there as base64."""
    return np.frombuffer(b64decode(values["bdata"]), values["dtype"]).tolist() if "bdata" in values else list(values)


def chosen(app: Any, key: str, value: str) -> Any:
    """Choose in a select box."""
    app.selectbox(key=key).set_value(value).run()
    assert not app.exception
    return app


def recipe(app: Any) -> str:
    """Return the whole signature that the page ends with."""
    return str([code.value for code in app.main.code if code.value.startswith("kps")][-1])


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
