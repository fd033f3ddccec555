"""Show tables: short tables with horizontal rules, long or selectable tables as grids."""

import hashlib
import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from html import escape as escaped
from typing import Any

import pandas as pd
import streamlit as st

from kp_core.charts.screen_tables import FEW, look_of
from kp_core.charts.style import short, short_names
from kp_core.scoring.counts import BASELINES
from kp_core.takeaway import methods
from kp_core.typeset import cell_text, digits_of, is_p, visible
from kp_ui.state import link, workspace
from kp_ui.widgets import controls, prose, show

#: Most rows of a table that is no grid, and most cells of a grid with minus signs instead of hyphens.
_MAX_ROWS, _STYLED = 30, 100_000
#: Width of a column of titles, and height of a row in which a title has up to three lines, in pixels; letters per line.
_TITLE, _TALL, _LETTERS = 152, 66, 19
_HELP = prose.entries("columns")
_text = partial(cell_text, comma=",", minus="−")


def breakable(name: str) -> str:
    """Return a long name of a system with invisible characters after punctuation, where it may be broken.

    >>> breakable("sequences_noun:adjective").split("\u200b")
    ['sequences_', 'noun:', 'adjective']
    """
    return re.sub(r"(?<=[_:/.+-])(?=\w)", "\u200b", name) if len(name) > 16 else name


def escape(text: str) -> str:
    """Escape a string for HTML, including characters that change its direction."""
    return escaped(visible(text))


def table(
    frame: pd.DataFrame,
    key: str,
    documents: int = FEW,
    best: Container[tuple[str, str]] = (),
    take: str = "",
    note: str = "",
    **options: Any,
) -> None:
    """Show a table of results: numbers with three digits, help on measures, gray baselines, best values in bold.

    Long or selectable tables are grids that scroll. `take`: the caption under which the footer offers the table for
    download; `note`: a text from `prose.toml` to show below the table
    """
    if take:
        show.downloads(frame, take)
    if not len(frame):
        st.caption("None.")
    elif len(frame) > _MAX_ROWS or options:
        _grid(_with_short_names(frame), key, options)
    else:
        rows(_with_short_names(frame), look_of(frame, documents, best))
    if note:
        show.about(note)


def rows(
    frame: pd.DataFrame, class_of: Callable[[int, str], str] = lambda row, column: "", missing: str = "undefined"
) -> None:
    """Show all rows of a table with horizontal rules, and all text unchanged.

    * `class_of`: function from row (index) and column (name) to the CSS class of the cell; `missing`: text if missing
    """
    columns = {str(name): texts(frame[name], missing) for name in frame}
    classes = {name: "n" for name in columns if pd.api.types.is_numeric_dtype(frame[name]) or _is_numbers(name)}
    wide = (name for name, cells in columns.items() if max(map(len, cells), default=0) > 40)  # its cells are wrapped
    classes = dict.fromkeys(columns, "") | dict.fromkeys(wide, "words") | classes
    heads = [(classes[name], help_of(name) or "", breakable(escape(short(show.head(name), 48)))) for name in columns]
    header = "".join(f'<th class="{style}" title="{escape(tooltip)}">{label}</th>' for style, tooltip, label in heads)
    body = "".join(
        f"<tr>{''.join(_cell(cells[row], class_of(row, name), classes[name]) for name, cells in columns.items())}</tr>"
        for row in range(len(frame))
    )
    html(f"<thead><tr>{header}</tr></thead><tbody>{body}</tbody>")


def html(table: str, css_class: str = "") -> None:
    """Show a table given as HTML, in which all texts must be escaped."""
    st.html(f'<div class="kp-table {css_class}" tabindex="0"><table>{table}</table></div>')


def _cell(text: str, css_class: str, column_class: str) -> str:
    return f'<td class="{css_class} {column_class}">{escape(text)}</td>'


def texts(column: "pd.Series[Any]", missing: str = "undefined") -> list[str]:
    """Return the cells of a column as text.

    >>> texts(pd.Series([0.5, None], name="F1@5")), texts(pd.Series([12000], name="pairs"))
    (['0.500', 'undefined'], ['12,000'])
    """
    return [_text(cell, str(column.name), missing=missing) for cell in column]


def _grid(frame: pd.DataFrame, key: str, options: Mapping[str, Any]) -> None:
    for name in frame.select_dtypes("float"):
        if is_p(str(name)):
            frame = frame.assign(**{name: texts(frame[name])})
    negative = [name for name in frame.select_dtypes("number") if (frame[name] < 0).any() and frame.size <= _STYLED]
    kwargs: dict[str, Any] = {"hide_index": True, "placeholder": "–", "column_config": _columns(frame, negative)}
    kwargs |= {"height": "content" if len(frame) <= _MAX_ROWS else "auto", **options}
    if wraps(frame):
        kwargs |= {"row_height": _TALL, "height": 530 if len(frame) > 7 else "content"}
        frame = frame.assign(title=[short(title, 3 * _LETTERS) for title in frame["title"]])
    styles = {name: partial(_text, column=str(name)) for name in negative}
    st.dataframe(frame.style.format(styles) if negative else frame, key=key, **kwargs)


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace the names of systems and baselines in a table with labels; downloads have the full names."""
    shortened = labels()
    columns = [name for name in ("system", "better", "worse") if name in frame]
    frame = frame.assign(**{name: [shortened.get(cell, cell) for cell in frame[name]] for name in columns})
    return frame.rename(columns=shortened)


def labels() -> dict[str, str]:
    """Return name → label of the systems on screen and the baselines."""
    return short_names((*workspace.corpus().systems, *BASELINES))


def help_of(name: str) -> str | None:
    """Return the help on a column: the sentence that defines its measure, or the help on the column itself."""
    return methods.sentence(name) or _HELP.get(name)


def _is_numbers(name: str) -> bool:
    return "interval" in name or is_p(name)


def _columns(frame: pd.DataFrame, negative: Sequence[str]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in frame.columns:
        is_float, is_integer = pd.api.types.is_float_dtype(frame[name]), pd.api.types.is_integer_dtype(frame[name])
        label, help_text = short(show.head(str(name)), 40), show.plain(help_of(str(name)) or "") or None
        width = {"heading": 150, "title": _TITLE, "document": 152, "difference": 80}.get(str(name))
        look_kwargs: dict[str, Any] = {"help": help_text, "pinned": name == "system" or None, "width": width}
        if name == "values":
            columns[name] = st.column_config.ImageColumn(label, width=96)
        elif is_float or is_integer:
            number_format = None if name in negative else f"%,.{digits_of(str(name))}f" if is_float else "%,d"
            columns[name] = st.column_config.NumberColumn(label, format=number_format, **look_kwargs)
        else:
            text_alignment: Any = "right" if _is_numbers(str(name)) else None
            columns[name] = st.column_config.Column(label, alignment=text_alignment, **look_kwargs)
    return columns


def wraps(frame: pd.DataFrame) -> bool:
    """Return whether some title is longer than a line, so that the rows are taller."""
    return "title" in frame and bool((frame["title"].str.len() > _LETTERS).any())


def document_table(frame: pd.DataFrame, take: str) -> None:
    """Show a table with one row per document; selecting a row opens the document. `take`: caption of the download"""
    show.downloads(frame, take)
    selectable_table(frame, frame["document"].tolist(), None, "document", target_page="documents")


def selectable_table(
    frame: pd.DataFrame, ids: Sequence[str], selected: int | None, name: str, target_page: str = ""
) -> None:
    """Show a table in which the user can select a row, whose id becomes the parameter `name` of the link.

    * `selected`: position of the selected row; `target_page`: the page that selecting a row opens. The order of the
      rows is part of the key, so that sorting does not change the selection.
    """
    if not ids:
        return
    order_digest = hashlib.sha256(chr(0).join([*frame, *ids]).encode()).hexdigest()[:16]
    key = f"{name} {order_digest}"
    controls.set_control(key, {"selection": {"rows": [] if selected is None else [selected]}})
    mode: Any = "single-row" if selected is None else "single-row-required"
    height: Any = 420 if len(ids) > 11 else "content"
    table(frame, key, height=height, on_select=link.deferred(_choose, key, ids, name, target_page), selection_mode=mode)


def _choose(key: str, ids: Sequence[str], name: str, target_page: str) -> None:
    for row in st.session_state[key]["selection"]["rows"]:
        link.choose(name, ids[row])
        if target_page:
            link.choose(f"{target_page}_tab", None)
            st.session_state[workspace.NEXT_PAGE] = target_page


def text_table(frame: pd.DataFrame) -> None:
    """Show all rows of a table that contains text; missing cells are empty."""
    rows(frame, missing="")
