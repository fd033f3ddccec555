"""Show tables: short ones with horizontal rules, long and selectable ones as grids."""

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from html import escape as escaped
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts.screen_tables import FEW, look_of
from kp_core.charts.style import short, short_names
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import parse
from kp_core.typeset import digits_of, is_p, visible
from kp_ui.state import link, workspace
from kp_ui.widgets import controls, prose, show

#: Number of letters of a title next to two values.
_TITLE = 22
#: Maximum number of rows of a table without scrolling.
WHOLE = 30
#: Help on the columns that are not measures.
HELP = prose.entries("columns")


def escape(text: str) -> str:
    """Escape a text for HTML, including characters that change its direction."""
    return escaped(visible(text))


def table(
    frame: pd.DataFrame,
    key: str,
    documents: int = FEW,
    best: Container[tuple[str, str]] = (),
    take: str = "",
    **options: Any,
) -> Any:
    """Show a table of results: numbers with three digits, help on measures, gray baselines, best values in bold.

    Long or selectable tables are grids that scroll. take: its caption, if the footer offers it for download
    """
    show.noted().tables.append(frame)
    if take:
        show.downloads(frame, take)
    if len(frame) > WHOLE or options:
        return _grid(_with_short_names(frame), key, options)
    return rows(_with_short_names(frame), look_of(frame, documents, best))


def rows(
    frame: pd.DataFrame, looks: Callable[[int, str], str] = lambda row, column: "", missing: str = "undefined"
) -> None:
    """Show all rows of a table with horizontal rules, and all text unchanged.

    looks: index of row and column → CSS class; missing: text of a missing cell
    """
    right = {name for name in frame if pd.api.types.is_numeric_dtype(frame[name]) or _is_numbers(str(name))}
    head = "".join(
        f'<th{" class=n" if name in right else ""} title="{escape(help_of(str(name)) or "")}">'
        f"{escape(short(show.head(str(name)), 40))}</th>"
        for name in frame
    )
    written = {name: texts(frame[name], missing) for name in frame}
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_of_class(looks(place, str(name)), name in right)}>{escape(written[name][place])}</td>"
            for name in frame
        )
        + "</tr>"
        for place in range(len(frame))
    )
    st.html(
        f'<div class="kp-table" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _of_class(look: str, right: bool) -> str:
    return f' class="{look} n"' if right else f' class="{look}"' if look else ""


def texts(column: "pd.Series[Any]", missing: str = "undefined") -> list[str]:
    """Return the cells of a column as text.

    >>> texts(pd.Series([0.5, None], name="F1@5")), texts(pd.Series([12000], name="pairs"))
    (['0.500', 'undefined'], ['12,000'])
    """
    return [_text(cell, str(column.name), missing) for cell in column]


def _text(cell: Any, name: str, missing: str = "undefined") -> str:
    if pd.isna(cell):
        return missing
    if isinstance(cell, bool | str) or not isinstance(cell, int | float):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}".replace("-", "−")
    if is_p(name) and cell < 0.001:
        return "< 0.001"
    digits = digits_of(name)
    return f"{round(cell, digits) + 0.0:,.{digits}f}".replace("-", "−")  # never −0.000


def _grid(frame: pd.DataFrame, key: str, options: Mapping[str, Any]) -> Any:
    for name in frame.select_dtypes("float"):
        if is_p(str(name)):
            frame = frame.assign(**{name: texts(frame[name])})
    if "values" in frame and "title" in frame:  # a grid truncates wide text without an ellipsis
        frame = frame.assign(title=[short(title, _TITLE) for title in frame["title"]])
    more: dict[str, Any] = {"hide_index": True, "placeholder": "–", "column_config": _columns(frame)}
    more |= {"height": "content" if len(frame) <= WHOLE else "auto", **options}
    negative = [name for name in frame.select_dtypes("number") if (frame[name] < 0).any()]
    shown = frame.style.format({name: partial(_text, name=str(name)) for name in negative}) if negative else frame
    return st.dataframe(shown, key=key, **more)


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with labels in place of the names of systems and baselines; downloads have full names."""
    shown = labels()
    named = [name for name in ("system", "better", "worse") if name in frame]
    frame = frame.assign(**{name: [shown.get(cell, cell) for cell in frame[name]] for name in named})
    return frame.rename(columns=shown)


def labels() -> dict[str, str]:
    """Return the labels of the systems on screen, and of the baselines."""
    return short_names((*workspace.corpus().systems, *BASELINES))


def help_of(name: str) -> str | None:
    """Return the help on a column: the sentence of its measure, or of the column itself."""
    try:
        return parse(name).measure.sentence
    except kp.UsageError:
        return HELP.get(name)


def _is_numbers(name: str) -> bool:
    """Return whether a column of texts contains numbers, which are aligned at the decimal point."""
    return "interval" in name or is_p(name)


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in frame.columns:
        float_, whole = pd.api.types.is_float_dtype(frame[name]), pd.api.types.is_integer_dtype(frame[name])
        label, about = short(show.head(str(name)), 40), show.plain(help_of(str(name)) or "") or None
        look: dict[str, Any] = {"help": about, "pinned": name == "system" or None, "width": _WIDTHS.get(str(name))}
        if name == "values":
            columns[name] = st.column_config.ImageColumn(label, width=96)
        elif float_ or whole:
            number = f"%,.{digits_of(str(name))}f" if float_ else "%,d"  # would write a hyphen as minus sign
            minus = (frame[name] < 0).any()
            columns[name] = st.column_config.NumberColumn(label, format=None if minus else number, **look)
        else:
            columns[name] = st.column_config.Column(
                label, alignment="right" if _is_numbers(str(name)) else None, **look
            )
    return columns


#: Widths of columns in pixels (phones have 324); other columns are as wide as their content.
_WIDTHS = {"heading": 150, "title": 152, "document": 152, "difference": 80}


def of_documents(frame: pd.DataFrame, key: str, take: str) -> None:
    """Show a table with one row per document; the selected row gets a link with the settings of the address."""
    event = table(frame, key, take=take, height="auto", on_select="rerun", selection_mode="single-row")
    places = event["selection"]["rows"] if event else []
    if places and places[0] < len(frame):
        document = str(frame["document"].iloc[places[0]])
        label = f"Open {show.plain(document)} on the Documents page"
        link.to("documents", label, document=document)


def to_choose(frame: pd.DataFrame, ids: Sequence[str], place: int | None, name: str, opens: str = "") -> None:
    """Show a table in which the user can select a row, whose id becomes a parameter of the link.

    place: the selected row; opens: the page that a selected row opens. The order of the rows is part of the key, so
    that sorting does not change the selection.
    """
    if not ids:
        return
    order = hashlib.sha256(chr(0).join([*frame, *ids]).encode()).hexdigest()[:16]
    key = f"{name} {order}"
    controls.keep(key, {"selection": {"rows": [] if place is None else [place]}})
    mode: Any = "single-row" if place is None else "single-row-required"
    height: Any = 420 if len(ids) > 11 else "content"
    table(frame, key, height=height, on_select=link.deferred(_choose, key, ids, name, opens), selection_mode=mode)


def _choose(key: str, ids: Sequence[str], name: str, opens: str) -> None:
    for row in st.session_state[key]["selection"]["rows"]:
        link.choose(name, ids[row])
        if opens:
            link.choose(f"{opens}_tab", None)
            st.session_state[workspace.ARRIVED] = opens


def of_words(frame: pd.DataFrame) -> None:
    """Show all rows of a table of words."""
    show.noted().tables.append(frame)
    rows(frame, missing="")
