"""Show results and user text: tables with downloads, notes, signatures; phrases always appear as they stand."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kp_core import typeset
from kp_core.charts.pieces import enlarged
from kp_core.charts.style import Chart
from kp_core.errors import InputError, Note, UsageError
from kp_core.errors import counted as counted
from kp_core.studies.answer import Answer
from kp_core.takeaway import figures, methods
from kp_ui.state import click, link, workspace
from kp_ui.widgets import prose
from kp_ui.widgets.record import Offered, noted

#: Where Streamlit would make a link, an icon, an arrow or a dash of bare text, escaped or not; an invisible word joiner
#: prevents that.
_REPLACED = re.compile(
    r"(?<=http)s?://|(?<=www)\.|@(?=[\w-]+\.)|(?<=:)(?:material/|streamlit:)|(?<!\S)(?:<->|->|<-|--|[<>~]=)(?!\S)",
    re.IGNORECASE,
)

#: Texts of more letters than this scroll within so many pixels.
_LONG, _PAGE = 900, 300
ARROW = ":material/download:"


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
    """Show warnings where they stand; the rest waits at the foot of the page."""
    for note in found:
        if note.level == "warning":
            st.warning(f"{plain(note.where)}: {plain(note.message)}")
        elif note not in noted().notes:
            noted().notes.append(note)


def signature(line: str) -> None:
    """Note a recipe, which the foot of the page offers to cite."""
    if line not in noted().signatures:
        noted().signatures.append(line)


def recipe(result: Any, *tables: tuple[pd.DataFrame, str, str]) -> None:
    """Note what the reader of a result must know, its signature, and tables of it to take along."""
    notes(result.notes)
    signature(result.signature)
    for frame, name, caption in tables:
        downloads(frame, name, caption, result.signature)


def downloads(frame: pd.DataFrame, name: str, caption: str, line: str = "") -> None:
    """Note a table for the foot of the page, which offers it as files of that name."""
    signed = frame.assign(signature=line) if line else frame
    offer(
        f"Table: {caption}",
        name,
        CSV=lambda: typeset.csv(signed),
        XLSX=lambda: typeset.xlsx({"Sheet1": signed}),
        LaTeX=lambda: typeset.latex(frame, caption, line),
        Markdown=lambda: typeset.markdown(frame) + (f"\n`{line}`\n" if line else ""),
    )


def offer(words: str, name: str, **forms: Callable[[], Any]) -> None:
    """Note something to take along: what it is, the name of its files, and form → what makes the file."""
    noted().offered[words] = Offered(name, {form: partial(_whatever, make) for form, make in forms.items()})


def _whatever(make: Callable[[], Any], _: str) -> Any:
    return make()


def offer_picture(words: str, name: str, svg: Callable[[], str], **more: Callable[[str], Any]) -> None:
    """Note a drawing to take along, as far as anything here can draw it; more: further forms, given a signature."""
    forms: dict[str, Callable[[str], Any]] = {form: partial(_image, svg, form.lower()) for form in figures.forms()}
    noted().offered[words] = Offered(name, forms | more)


def _image(svg: Callable[[], str], form: str, line: str) -> bytes:
    return figures.image(svg(), form, line)


def error(problem: InputError | UsageError) -> None:
    """Show what is wrong with the input, literally."""
    st.error(plain(str(problem)))


@contextmanager
def once_open(place: DeltaGenerator) -> Iterator[None]:
    """Fill a popover that is open already, between two marks: until the second is there, the style keeps room."""
    with place:
        st.html('<span class="kp-begun"></span>')
        yield
        st.html('<span class="kp-whole"></span>')


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
_HEADS, _OF_INDEXERS = prose.entries("heads"), prose.entries("heads_of_indexers")


def head(name: str) -> str:
    """Return the name of a measure or a column as a reader meets it.

    >>> head("F1@O"), head("P@M"), head("kappa_max"), head("F1@5")
    ('F1 at gold size', 'P of the whole list', 'max. kappa', 'F1@5')
    """
    measure, _, cutoff = name.partition("@")
    at = {"O": f"{measure} at gold size", "M": f"{measure} of the whole list"}
    if name in _OF_INDEXERS and workspace.of_indexers():
        return _OF_INDEXERS[name]
    return _HEADS.get(name) or at.get(cutoff, name)


def in_heads(text: str) -> str:
    """Return a sentence with the names of measures as a reader meets them."""
    return re.sub(r"\b(?:Rprec|kappa_max|\w+@[OM])\b", lambda code: head(code[0]), text)


#: Grade of an answer → the icon and the colour of its badge.
_GRADES: dict[str, tuple[str, Any]] = {
    "significant": (":material/check_circle:", "green"),
    "suggestive": (":material/trending_up:", "blue"),
    "not significant": (":material/balance:", "gray"),
    "not comparable": (":material/block:", "red"),
    "depends on missing lists": (":material/call_split:", "orange"),
    "depends on the data set": (":material/call_split:", "orange"),
    "depends on k": (":material/call_split:", "orange"),
}
#: Grade → what it means, in the help of its badge.
_MEANT = prose.entries("grades")


def answer(said: Answer) -> None:
    """Show the answer of a page with the badge of its grade and its caveats; the statistics are behind “Why”."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer"):
        st.title(plain(said.claim), anchor=False, width="content")
        if said.badge:
            icon, color = _GRADES[said.grade]
            st.badge(said.badge, icon=icon, color=color, help=_MEANT[said.grade])
    at_once = said.caveats if said.badge else (*said.caveats, *said.details)  # of a value alone nothing is tested
    if at_once:
        small(" ".join(at_once))
    if said.badge:
        with st.expander("Why"):
            small(" ".join(said.details))


def lacks(words: str) -> None:
    """Say what is missing and what to do about it, with the way there."""
    st.info(words)
    link.to("data", "Open the Data page")


def lead(words: str) -> None:
    """Show the sentence that a tab begins with."""
    st.subheader(plain(words), anchor=False)


def chart(drawn: Chart, key: str, caption: str = "", **options: Any) -> Any:
    """Show a chart with its words; its words alone where there is nothing to draw.

    The foot of the page offers it as files that are called like the caption, or else like the key.
    """
    if not drawn.figure["data"]:
        return st.info(plain(drawn.alt))
    chart_to_take(lambda: drawn, caption or key.replace("_", " "))
    more = {"config": {"displayModeBar": False}, "theme": "streamlit", "width": "stretch", **options}
    return st.plotly_chart(enlarged(drawn).figure if link.presented() else drawn.figure, key=key, alt=drawn.alt, **more)


def choosing_k(drawn: Chart, key: str, caption: str) -> None:
    """Show a chart over k, in which a click chooses k."""

    def take() -> None:
        for point in st.session_state[key]["selection"]["points"][:1]:
            link.choose("k", str(round(point["x"])))

    chart(drawn, key, caption, on_select=click.does(take), selection_mode="points")


def chart_to_take(drawn: Callable[[], Chart], caption: str) -> None:
    """Note a chart for the foot of the page, drawn once somebody takes it."""
    name, html = figures.file_name(caption), partial(interactive, drawn)
    offer_picture(f"Chart: {caption}", name, lambda: figures.chart_svg(drawn()), HTML=html)


def interactive(drawn: Callable[[], Chart], line: str) -> str:
    """Return a chart as a page that works by itself."""
    return figures.chart_html(drawn(), line)


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
    st.download_button(label, data, name, key=key, **{"on_click": "ignore", "icon": ARROW, **more})
