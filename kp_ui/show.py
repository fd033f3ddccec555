"""Show results and user text: tables with downloads, notes, signatures; phrases always appear as they stand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from kp_core import typeset
from kp_core.charts.style import Chart
from kp_core.errors import InputError, Note, UsageError
from kp_core.errors import counted as counted
from kp_core.settings import short_form
from kp_core.studies.answer import Answer
from kp_core.takeaway import methods
from kp_ui import link, prose

#: Where Streamlit would make a link, an icon, an arrow or a dash of bare text, escaped or not; an invisible word joiner
#: prevents that.
_REPLACED = re.compile(
    r"(?<=http)s?://|(?<=www)\.|@(?=[\w-]+\.)|(?<=:)(?:material/|streamlit:)|(?<!\S)(?:<->|->|<-|--|[<>~]=)(?!\S)",
    re.IGNORECASE,
)

#: Texts of more letters than this scroll within so many pixels.
_LONG, _PAGE = 900, 300
_ARROW = ":material/download:"


@dataclass
class Noted:
    """What one run of a page shows of the data with a digest: its first table of results, last signature, settings.

    seconds  that it took at most; refused: whether a part of the page was
    """

    digest: str = ""
    table: pd.DataFrame | None = None
    signature: str = ""
    seconds: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    refused: bool = False


def noted() -> Noted:
    """Return the record of this run, which `recovery` begins."""
    record: Noted = st.session_state.setdefault("noting", Noted())
    return record


def note_table(frame: pd.DataFrame) -> None:
    """Note a table, if it is the first."""
    if noted().table is None:
        noted().table = frame


def plain(text: str) -> str:
    """Return text that Streamlit shows as it stands: captions, labels and messages read Markdown."""
    return typeset.escape_markdown(_REPLACED.sub("\u2060\\g<0>", text))


def small(words: str) -> None:
    """Show words in small type as they stand."""
    st.caption(plain(words))


def about(name: str, **places: object) -> None:
    """Show a text of `prose.toml` in small type, its places filled in."""
    st.caption(prose.text(name, **places))


def paragraph(words: str) -> None:
    """Show words as they stand."""
    st.markdown(plain(words))


def subheader(title: str) -> None:
    """Show a title within a page; it is Markdown, so names in it must be plain."""
    st.subheader(title, anchor=False)


def sentence(words: object) -> str:
    """Return words of the engine, which begin small and end without a stop, as a sentence.

    >>> sentence("k is too large")
    'K is too large.'
    """
    text = str(words)
    return plain(f"{text[:1].upper()}{text[1:]}.")


def marked(pieces: Iterable[tuple[str, str]], looks: Mapping[str, tuple[str, str]]) -> str:
    """Return text with some pieces marked by a sign and a background; everything in it appears as it stands.

    >>> print(marked([("", "a "), ("hit", "b*")], {"hit": ("x", "blue")}).replace("\\u00a0", " "))
    a :blue-background[x b\\*]
    """
    found = []
    for kind, text in pieces:
        lines = text.splitlines() or [text]
        shown = "\n\n".join(plain(line) for line in lines) + ("\n\n" if text.endswith("\n") else "")
        if kind:
            sign, colour = looks[kind]
            shown = f":{colour}-background[{sign}\u00a0{plain(text)}]"
        found.append(shown)
    return "".join(found)


def formula(*lines: str) -> None:
    """Show a formula in LaTeX, its lines below each other.

    Streamlit cuts a formula at the upper edge of its letters, and scrolls one that ends in an array or a sum by two
    pixels: an invisible box gives it an edge, and a thin space the two pixels.
    """
    whole = r" \\[1.5ex] ".join(lines)
    if len(lines) > 1:
        whole = rf"\begin{{gathered}}{whole}\end{{gathered}}"
    st.latex(rf"\colorbox{{transparent}}{{$\displaystyle {whole}$}}\,")


def text(written: str) -> None:
    """Show the text of a document, given as Markdown; a long one scrolls, so that what follows stays within reach."""
    with st.container(height=_PAGE if len(written) > _LONG else "content"):
        st.markdown(written)


def notes(found: Iterable[Note]) -> None:
    """Show warnings where they stand, and the rest in one line that unfolds."""
    found = list(found)
    warnings = [note for note in found if note.level == "warning"]
    for note in warnings:
        st.warning(f"{plain(note.where)}: {plain(note.message)}")
    if further := [note for note in found if note.level != "warning"]:
        label = "1 thing to know" if len(further) == 1 else f"{len(further)} things to know"
        with st.popover(label, type="tertiary", icon=":material/info:"):
            for note in further:
                st.markdown(f"{plain(note.where)}: {plain(note.message)}")


def signature(line: str, place: str = "cite") -> None:
    """Offer a recipe to cite: its short form and the whole line; two of one page that may be equal need two places."""
    noted().signature = line
    with st.popover("Cite", icon=":material/format_quote:", key=f"{place} {line}"):
        for words, copied in (
            ("Short form, for a caption", short_form(line)),
            ("The link that leads here", link.address()),
            ("The whole recipe: whoever has the same files gets the same numbers", line),
        ):
            st.caption(words)
            st.code(copied, language=None, wrap_lines=True)


def recipe(result: Any) -> None:
    """Show what the reader of a result must know, and its signature."""
    with st.container(horizontal=True):
        notes(result.notes)
        signature(result.signature)


def foot(result: Any, *tables: tuple[pd.DataFrame, str, str]) -> None:
    """End what is shown of a result: its tables to take along, what the reader must know, and its signature."""
    with st.container(horizontal=True):
        for frame, name, caption in tables:
            downloads(frame, name, caption, result.signature)
        recipe(result)


def error(problem: InputError | UsageError) -> None:
    """Show what is wrong with the input, literally."""
    st.error(plain(str(problem)))


@contextmanager
def refusals() -> Iterator[None]:
    """Say why what is inside cannot be had; what stands beside it stays."""
    try:
        yield
    except UsageError as problem:
        st.info(sentence(problem))
    except InputError as problem:
        noted().refused = True
        error(problem)


#: Names of measures and columns that are codes, or would take the room of numbers → what stands on screen.
_HEADS = prose.entries("heads")


def head(name: str) -> str:
    """Return the name of a measure or a column as a reader meets it.

    >>> head("F1@O"), head("P@M"), head("kappa_max"), head("F1@5")
    ('F1 at gold size', 'P of the whole list', 'max. kappa', 'F1@5')
    """
    measure, _, cutoff = name.partition("@")
    at = {"O": f"{measure} at gold size", "M": f"{measure} of the whole list"}
    return _HEADS.get(name) or at.get(cutoff, name)


def in_heads(text: str) -> str:
    """Return a sentence with the names of measures as a reader meets them."""
    return re.sub(r"\b(?:Rprec|kappa_max|\w+@[OM])\b", lambda code: head(code[0]), text)


#: Grade of an answer → the icon and the colour of its badge.
_GRADES: dict[str, tuple[str, Any]] = {
    "clear": (":material/check_circle:", "green"),
    "leaning": (":material/trending_up:", "blue"),
    "cannot tell": (":material/balance:", "gray"),
    "not comparable": (":material/block:", "red"),
}


def answer(said: Answer) -> None:
    """Show the answer of a page with the badge of its grade, and in small type what it rests on."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"#### {plain(said.claim)}", width="content")
        if said.badge:
            icon, color = _GRADES[said.grade]
            st.badge(said.badge, icon=icon, color=color)
    small(" ".join(said.rests_on))


def chart(drawn: Chart, key: str, **options: Any) -> Any:
    """Show a chart with its words, and a bar that saves it as SVG; its words alone where there is nothing to draw."""
    if not drawn.figure["data"]:
        return st.info(plain(drawn.alt))
    config = {"displaylogo": False, "toImageButtonOptions": {"format": "svg", "filename": key}}
    more = {"config": config, "theme": "streamlit", "width": "stretch", **options}
    return st.plotly_chart(drawn.figure, key=key, alt=drawn.alt, **more)


def clickable(drawn: Chart, key: str) -> str:
    """Show a chart whose dots can be clicked, and return the name that the clicked one carries, or nothing."""
    event = chart(drawn, key, on_select="rerun", selection_mode="points")
    points = event["selection"]["points"] if drawn.figure["data"] and event else []
    return str(points[0].get("customdata", "")) if points else ""


def plain_table(frame: pd.DataFrame, key: str) -> None:
    """Show a table of words, whole; where cells are long, every row has room for several lines."""
    longest = {str(column): max((len(str(cell)) for cell in frame[column]), default=0) for column in frame}
    most = max(longest.values(), default=0)
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content",
        width="stretch",
        row_height=None if most <= 80 else 66 if most <= 120 else 76,  # text is wrapped from 66 up
        column_config={name: st.column_config.TextColumn(width=380) for name, size in longest.items() if size > 80},
    )


def meanings(names: Iterable[str]) -> str:
    """Return what measures answer, as the help of a control that chooses among them."""
    return definitions((name, said) for name in names if (said := methods.sentence(name)))


def definitions(found: Iterable[tuple[str, str]]) -> str:
    """Return terms, each with its meaning, as paragraphs."""
    return "\n\n".join(f"**{plain(term)}**: {plain(meaning)}" for term, meaning in found)


def file(label: str, data: Any, name: str, key: str, **more: Any) -> None:
    """Offer a file; where its content is a function, it is made once somebody asks for it.

    A run of the page would change nothing, and might close a popover.
    """
    st.download_button(label, data, name, key=key, **{"on_click": "ignore", "icon": _ARROW, **more})


def downloads(frame: pd.DataFrame, name: str, caption: str, line: str = "", label: str = "Download") -> None:
    """Offer a table as CSV, XLSX, LaTeX and Markdown."""
    with st.popover(label, icon=_ARROW, key=f"download {name}"):
        signed = frame.assign(signature=line) if line else frame
        for written, made, ending, kind in (
            ("CSV", lambda: typeset.csv(signed), "csv", "text/csv"),
            ("XLSX", lambda: typeset.xlsx({"Sheet1": signed}), "xlsx", None),
            ("LaTeX", lambda: typeset.latex(frame, caption, line), "tex", "text/plain"),
            ("Markdown", lambda: _markdown(frame, line), "md", "text/markdown"),
        ):
            file(written, made, f"{name}.{ending}", f"{ending} {name}", mime=kind, icon=None)


def _markdown(frame: pd.DataFrame, line: str) -> str:
    return typeset.markdown(frame) + (f"\n`{line}`\n" if line else "")
