"""Open a page of the simulated app as a link does, upload files, and read the content of the page."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import unescape
from typing import Any

import pandas as pd
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import kp_core as kp
from kp_core.charts.style import Chart
from kp_core.reading import Source
from kp_core.reading.uploads import Uploads
from kp_core.takeaway.figures import chart_html
from kp_ui.state.workspace import Session, Workspace
from kp_ui.widgets import show
from kp_ui.widgets import tables as tables_on_screen
from tests.cases import ROOT

#: Every page with its tabs; only the open one is drawn.
TABS = {
    "data": ("Files", "Details", "Extract phrases", "Normalization"),
    "documents": ("Documents", "Keyphrases"),
    "systems": ("Head to head", "Concordance", "Measures", "Over k", "Near misses", "Parts", "Stability"),
    "annotators": ("Together and in pairs", "Documents", "Human ceiling", "Trimming", "Sentence study"),
    "report": ("Table for a paper", "Report", "Methods"),
    "learn": ("Lessons", "Methods", "Glossary"),
    "correlation": ("All pairs", "Location, complexity, part of speech", "Which measures differ", "Every pair"),
}
# Each simulated app looks for components in the metadata of every installed package, which takes half a second.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
#: Corpora that were opened: every page finds the results that were computed for the same one.
_OPENED: list[kp.Corpus] = []
_draw_rows = tables_on_screen.rows


def _record_rows(frame: pd.DataFrame, *rest: Any, **options: Any) -> None:
    """Draw a table as HTML, and keep its values, which HTML has only in part."""
    vars(show.page_record()).setdefault("tables", []).append(frame)
    _draw_rows(frame, *rest, **options)


tables_on_screen.rows = _record_rows


def opened(
    page: str,
    corpus: kp.Corpus | None = None,
    files: Sequence[Source] | str = (),
    state: Mapping[str, Any] | None = None,
    **link: str,
) -> Any:
    """Return the app on a page: with the sample, a corpus, or uploaded files.

    state  further entries of the session state; link: parameters of the address, including files
    """
    app = AppTest.from_file(str(ROOT / "kp_ui" / "main.py"), default_timeout=120)
    app.switch_page(f"../pages/{page}.py")
    held = dict(state or {})
    if corpus is not None:
        if not any(corpus is item for item in _OPENED):
            _OPENED.append(corpus)
        number = [corpus is item for item in _OPENED].index(True)
        held["session"] = Session(Workspace(corpus, f"test {number}", "test"))
    if isinstance(files, str):
        link["files"] = files
    elif files:
        held["session"] = Session(uploads=Uploads(tuple(files)), pending=True)
    for name, value in held.items():
        app.session_state[name] = value
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [item.message for item in app.exception]
    return app


def tables(app: Any) -> list[pd.DataFrame]:
    """Return the tables of the page, both HTML tables and grids."""
    return [*vars(app.session_state["page record"]).get("tables", []), *(frame.value for frame in app.dataframe)]


def shown(app: Any, column: str) -> pd.DataFrame:
    return next(frame for frame in tables(app) if column in frame.columns)


def receipt(app: Any) -> dict[str, str]:
    """Return file → the description on the Data page, in order."""
    result = (re.fullmatch(r"[✓…] \*\*(.+?)\*\* · (.+)", item.value.replace("\\", "")) for item in app.main.markdown)
    return {row[1]: row[2] for row in result if row}


def tab(app: Any, name: str) -> Any:
    app.session_state["chosen"]["data_tab"] = name
    app.run()
    assert not app.exception, app.exception
    return app


def charts(app: Any) -> list[Chart]:
    every = (item.formats.get("HTML") for item in app.session_state["page record"].offered.values())
    return [make.args[0]() for make in every if make is not None and make.func is chart_html]


def dots(app: Any, bounds: bool = False) -> dict[str, Any]:
    """Return the values that the dots of the leaderboard show, or value, low and high, in order."""
    drawn = next(item for item in charts(app) if item.figure["data"][0].get("customdata"))
    result = {}
    for dot in drawn.figure["data"]:
        value, error = dot["x"][0], dot["error_x"]
        low, high = (value + sign * float(error[side][0]) for sign, side in ((-1, "arrayminus"), (1, "array")))
        result[dot["customdata"][0]] = (value, low, high) if bounds else value
    return result


def page_of(app: Any) -> str:
    return str(app.session_state["page"])


def html(app: Any) -> list[str]:
    return [item.proto.body for item in app.get("html")]


def chosen(app: Any, key: str, value: str) -> Any:
    """Choose a value with a control, or in the session state if the control is not drawn."""
    boxes = [box for box in (*app.selectbox, *app.pills) if box.key == key]
    if boxes:
        boxes[0].set_value(value).run()
    else:
        app.session_state["chosen"][key] = value
        app.session_state["just chosen"] = True
        app.run()
    assert not app.exception
    return app


def signature_of(app: Any) -> str:
    """Return the last signature that the page offers to cite."""
    return str(app.session_state["page record"].signatures[-1])


def words(app: Any) -> str:
    """Return all text of the page except code."""
    kinds = (app.title, app.subheader, app.caption, app.markdown, app.warning, app.error, app.info, app.text)
    return "\n".join(str(item.value) for kind in kinds for item in kind)


def literal(app: Any) -> str:
    """Return all text of the page, also code, without the backslashes that Markdown needs."""
    written = (unescape(re.sub(r"<[^>]*>", " ", item)) for item in html(app))
    return "\n".join([words(app), *written, *(item.value for item in app.code)]).replace("\\", "")


def drop(app: Any, *files: Source) -> None:
    zone = next(item for item in app.file_uploader if item.key.startswith("drop_"))
    for file in files:
        zone.upload(file.name, file.data)
    app.run()
    assert not app.exception, app.exception
