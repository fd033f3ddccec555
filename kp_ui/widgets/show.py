"""Show results and texts of users: notes, charts, downloads, signatures. Phrases are always shown unchanged."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure
from plotly.io import templates

from kp_core import typeset
from kp_core.charts.pieces import enlarged
from kp_core.charts.screen_tables import FEW
from kp_core.charts.style import Chart, Part, short_names
from kp_core.errors import InputError, Note, UsageError
from kp_core.errors import pluralize as pluralize
from kp_core.scoring.runs import have_runs
from kp_core.settings import in_words, remedy_in_words, short_form, spelled_out
from kp_core.studies.answer import Answer
from kp_core.takeaway import figures, methods
from kp_ui.state import link, settings, workspace
from kp_ui.widgets import prose

#: Text that Streamlit would turn into a link, icon, arrow or dash even if it is escaped, unless an invisible word
#: joiner precedes it.
_REPLACED = re.compile(
    r"(?<=http)s?://|(?<=www)\.|@(?=[\w-]+\.)|(?<=:)(?:material/|streamlit:)|(?<!\S)(?:<->|->|<-|--|[<>~]=)(?!\S)",
    re.IGNORECASE,
)

#: Format of a download → file extension, if it is not the format in lower case.
_ENDINGS = {"LaTeX": "tex", "Markdown": "md"}


class Offered(NamedTuple):
    """A download: the name of its files, format → function that writes the file with a signature, and the signature."""

    name: str
    formats: Mapping[str, Callable[[str], Any]]
    signature: str | None


@dataclass
class PageRecord:
    """The signatures, notes and downloads (by title) of one run of a page."""

    signatures: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    offered: dict[str, Offered] = field(default_factory=dict)


def page_record() -> PageRecord:
    """Return the record of this run."""
    record: PageRecord = st.session_state.setdefault("page record", PageRecord())
    return record


def begin() -> None:
    """Begin the record of a run."""
    st.session_state["page record"] = PageRecord()


def plain(text: str) -> str:
    """Escape a string for Markdown, so that Streamlit shows it unchanged."""
    return typeset.escape_markdown(_REPLACED.sub("\u2060\\g<0>", text))


def small(text: str) -> None:
    """Show a string unchanged, in small type."""
    st.caption(plain(text))


def about(name: str, **values: object) -> None:
    """Show a text from `prose.toml` in small type, with its placeholders filled in."""
    st.caption(prose.text(name, **values))


def paragraph(text: str) -> None:
    """Show a string unchanged."""
    st.markdown(plain(text))


def subheader(title: str) -> None:
    """Show a heading within a page; the title is Markdown, so names in it must be escaped."""
    st.subheader(title, anchor=False)


def sentence(message: object, capital: bool = True) -> str:
    """Return a message of the core as a sentence with a period. `capital`: whether to capitalize the message"""
    text = spelled_out(str(message)).rstrip(".")
    return plain(f"{typeset.first_capital(text) if capital else text}{'' if text.endswith('…') else '.'}")


def formula(*lines: str) -> None:
    """Show a formula in LaTeX, each line below the previous one.

    An invisible box and a thin space prevent Streamlit from cutting off or scrolling formulas.
    """
    block = r" \\[1.5ex] ".join(lines)
    st.latex(rf"\colorbox{{transparent}}{{$\displaystyle \begin{{gathered}}{block}\end{{gathered}}$}}\,")


def notes(new_notes: Iterable[Note]) -> None:
    """Show each warning once per page, either next to its remedy or in a shared box; the footer shows other notes."""
    grouped, labels = dict[Note, list[str]](), short_names(workspace.corpus().systems)
    for note in new_notes:
        grouped.setdefault(replace(note, where=""), []).append(labels.get(note.where, note.where))
    texts = list[str]()
    for note, where in grouped.items():
        note = replace(note, where=typeset.listed(list(dict.fromkeys(where))))
        if note in page_record().notes:
            continue
        page_record().notes.append(note)
        if note.level == "warning" and (note.remedy or note.where in ("universe", "ids")):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.warning(note_text(note))
                remedy(note)
        elif note.level == "warning":
            texts.append(note_text(note))
    if texts:
        st.warning("  \n".join(texts))


#: Subjects of notes that need not be named; other notes begin with the name of a system or file.
_ABOUT = frozenset(
    ("annotators", "average", "by", "concepts", "documents", "draws", "filter", "gold", "group", "ids", "intervals")
) | {"lists", "measures", "normalise", "pos", "roles", "systems", "test", "tests", "texts", "trimming", "universe"}


def note_text(note: Note) -> str:
    """Return a note as a sentence, after the name of its system or file, if any."""
    return sentence(note.message) if note.where in _ABOUT else f"{plain(note.where)}: {sentence(note.message, False)}"


def remedy(note: Note) -> None:
    """Draw the remedy of a note, if there is one: a link, or a button for each choice; universes once per page."""
    if note.where == "ids" and note.level == "warning":
        link.to("data", "Apply this fix on the Data page")
    choices = {note.remedy: remedy_in_words(*note.remedy)} if note.remedy else {}
    if note.where == "universe" and note == next(one for one in page_record().notes if one.where == "universe"):
        choices = {("universe", value): f"N: {in_words('universe', value)}" for value in settings.options("universe")}
    for (name, value), label in choices.items():
        if value in settings.options(name) and value != settings.value(name):
            st.button(plain(label), key=f"remedy {name} {value}", on_click=link.deferred(link.choose, name, value))


def signature(text: str) -> None:
    """Record a signature, which the footer offers to cite."""
    if text not in page_record().signatures:
        page_record().signatures.append(text)


def provenance(result: Any, *tables: tuple[pd.DataFrame, str]) -> None:
    """Show the notes on a result, and record its signature and its tables (with captions) for the footer."""
    notes(result.notes)
    signature(result.signature)
    for frame, caption in tables:
        downloads(frame, caption, result.signature)


def downloads(frame: pd.DataFrame, caption: str, signature: str | None = None) -> None:
    """Record a table for download in the footer, with files named after the caption.

    * `signature`: that of the table, if it is not that of the page
    """
    formats: dict[str, Callable[[str], Any]] = {
        "CSV": lambda signature: typeset.csv(frame.assign(signature=signature) if signature else frame),
        "XLSX": lambda signature: typeset.xlsx(
            {caption: frame} | ({"signature": pd.DataFrame({"signature": [signature]})} if signature else {})
        ),
        "LaTeX": lambda signature: typeset.latex(frame, caption, signature),
        "Markdown": lambda signature: typeset.markdown(frame) + (f"\n`{signature}`\n" if signature else ""),
    }
    offer(f"Table: {caption}", caption, formats, signature)


def offer(title: str, caption: str, formats: Mapping[str, Callable[[str], Any]], signature: str | None = None) -> None:
    """Record a download for the footer, with files named after the caption.

    * `formats`: format → function that writes the file with a signature; `signature`: that of the files
    """
    page_record().offered[title] = Offered(figures.file_name(caption), formats, signature)


def offer_picture(title: str, caption: str, svg: Callable[[], str], **further_formats: Callable[[str], Any]) -> None:
    """Record a picture for download in the available image formats, and in further formats.

    The files contain the signature, and the full names of the systems if the picture shortens them.
    """
    systems = short_names(workspace.corpus().systems)
    full_names = "" if all(map(str.__eq__, systems, systems.values())) else f"Systems: {', '.join(systems)}"

    def image(format_: str, signature: str) -> bytes:
        return figures.image(svg(), format_.lower(), f"{signature} {full_names}".strip())

    offer(title, caption, {format_: partial(image, format_) for format_ in figures.forms()} | further_formats)


def popover(label: str, draw: Callable[[], None], key: str, **kwargs: Any) -> None:
    """Draw a popover whose content is computed when it is opened; the style reserves space until the content ends."""
    # Streamlit takes a popover with another label for a new one, which would be closed.
    st.session_state[key] = st.session_state.get(key, False)
    area = st.popover(label, key=key, on_change=link.deferred(link.mark_user_action), **kwargs)
    if area.open:
        with area:
            st.html('<span class="kp-begun"></span>')
            draw()
            st.html('<span class="kp-whole"></span>')


@contextmanager
def refusals() -> Iterator[None]:
    """Show errors about data or usage that are raised inside; the rest of the page is not affected."""
    try:
        yield
    except UsageError as problem:
        st.info(sentence(problem))
    except InputError as problem:
        st.error(plain(spelled_out(str(problem))))


_HEADS = prose.entries("heads")


def head(name: str) -> str:
    """Return the displayed name of a measure or column.

    >>> head("F1@O"), head("P@M"), head("kappa_max"), head("F1@5")
    ('F1 at gold size', 'P of the whole list', 'max. kappa', 'F1@5')
    """
    measure, _, suffix = name.partition("@")
    labels = {"O": f"{measure} at gold size", "M": f"{measure} of the whole list"}
    label = _HEADS.get(name) or labels.get(suffix, name)
    return workspace.terms().get(label, label)


def in_heads(text: str) -> str:
    """Replace the names of measures in a sentence with those on screen."""
    return re.sub(r"\b(?:Rprec|kappa_max|\w+@[OM])\b", lambda code: head(code[0]), text)


def in_short(text: str, systems: Iterable[str] = ()) -> str:
    """Replace the names of systems and measures in a sentence with the short names on screen."""
    short = short_names(systems or workspace.corpus().systems)
    if not short:
        return in_heads(text)
    parts = re.split(rf"(?<!\w)({'|'.join(map(re.escape, sorted(short, key=len, reverse=True)))})(?!\w)", text)
    return "".join(short[part] if part in short else in_heads(part) for part in parts)


_REASONS = prose.entries("suggestive")
GRADES = {grade: grade_text.split(" ", 2) for grade, grade_text in prose.entries("grades").items()}


def meaning(grade: str, n_documents: int) -> str:
    """Return the meaning of a grade; of “suggestive” with the reason that applies."""
    reason = "documents" if n_documents < FEW else "runs" if have_runs(workspace.corpus().systems) else "pairs"
    return f"{GRADES[grade][2]} {_REASONS[reason]}." if grade == "suggestive" else GRADES[grade][2]


def answer(verdict: Answer, systems: Iterable[str] = ()) -> None:
    """Show the answer of a page with its badge and caveats; the statistics are under “Why”."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer"):
        st.title(plain(in_short(verdict.claim, systems)), anchor=False, width="content")
        if verdict.badge:
            icon, color, _ = GRADES[verdict.grade]
            documents = next(iter(verdict.coverage.values()), (0, FEW))[1]
            kwargs: dict[str, Any] = {"color": color, "help": meaning(verdict.grade, documents)}
            st.badge(verdict.badge, icon=f":material/{icon}:", **kwargs)
    # without a badge nothing was tested, so the details are not under “Why”
    sentences = verdict.caveats if verdict.badge else (*verdict.caveats, *verdict.details)
    if sentences:
        small(in_short(" ".join(sentences), systems))
    if verdict.badge and not link.presented():  # small type is not presented
        with st.expander("Why"):
            small(in_short(" ".join(verdict.details), systems))


def missing_data(message: str) -> None:
    """Show what data are missing and what to do, with a link to the Data page."""
    st.info(message)
    link.to("data", "Open the Data page")


def lead(text: str, container: Any = st) -> None:
    """Show the introductory sentence of a tab, with short names of systems."""
    container.subheader(plain(in_short(text)), anchor=False)


_TEMPLATE = templates["streamlit"].to_plotly_json()


class _Figure(BaseFigure):  # type: ignore[misc]
    """A figure that Streamlit shows as it is; Plotly would need longer to validate it than to draw it."""

    def __init__(self, figure: Part) -> None:
        self.to_dict = lambda: {**figure, "layout": {**figure["layout"], "template": _TEMPLATE}}


def chart(figure: Chart, key: str, caption: str = "", note: str = "", **options: Any) -> None:
    """Show a chart with its alternative text, or only this text if there is nothing to draw.

    The footer offers the chart as files named after the caption, or else the key. `note`: a text from `prose.toml` to
    show below the chart
    """
    if not figure.figure["data"]:
        st.info(plain(figure.alt))
        return
    chart_to_take(lambda: figure, caption or key.replace("_", " "))
    kwargs = {"config": {"displayModeBar": False}, "theme": "streamlit", "width": "stretch", **options}
    shown = enlarged(figure) if link.presented() else figure
    st.plotly_chart(_Figure(shown.figure), key=key, alt=figure.alt, **kwargs)
    if note:
        about(note)


def choosing_k(drawn: Chart, key: str, caption: str, **options: Any) -> None:
    """Show a chart over k in which a click chooses k."""

    def choose_k() -> None:
        for point in st.session_state[key]["selection"]["points"][:1]:
            link.choose("k", str(round(point["x"])))

    chart(drawn, key, caption, on_select=link.deferred(choose_k), selection_mode="points", **options)


def chart_to_take(draw: Callable[[], Chart], caption: str) -> None:
    """Offer a chart for download in the footer; the chart is drawn when it is downloaded."""
    html = partial(figures.chart_html, draw)
    offer_picture(f"Chart: {caption}", caption, lambda: figures.charts_svg([draw()], 1)[0], HTML=html)


def meanings(names: Iterable[str]) -> str:
    """Return the meanings of measures, as help for a control."""
    return definitions((name, meaning) for name in names if (meaning := methods.sentence(name)))


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return terms and their meanings as paragraphs of Markdown."""
    return "\n\n".join(f"**{plain(term)}**: {plain(meaning)}" for term, meaning in pairs)


def file(label: str, data: Any, name: str, key: str, **kwargs: Any) -> None:
    """Draw a download button for a file. `data`: the content, or a function that returns it on download

    The page does not rerun after a download, since a rerun might close a popover.
    """
    st.download_button(label, data, name, key=key, on_click="ignore", **kwargs)


def foot() -> None:
    """Draw the footer of a page from its record; each popover is filled when it is opened."""
    record = page_record()
    with st.container(horizontal=True, key="foot"):
        if record.offered:
            popover("Download", _offer, "download", icon=":material/download:")
        if record.signatures:
            popover("Cite", _cite, "cite", icon=":material/format_quote:")
        if other_notes := [note for note in record.notes if note.level != "warning"]:
            with st.popover(pluralize(len(other_notes), "note"), type="tertiary", icon=":material/info:"):
                for note in other_notes:
                    st.markdown(note_text(note))
                    remedy(note)


def _offer() -> None:
    page_signature = page_record().signatures[0] if page_record().signatures else ""
    for title, download in page_record().offered.items():
        signature = page_signature if download.signature is None else download.signature
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width=560):
            st.markdown(plain(in_heads(title)), width="stretch")
            for format_, write in download.formats.items():
                file_name = f"{download.name}.{_ENDINGS.get(format_, format_.lower())}"
                file(format_, partial(write, signature), file_name, f"{format_} {title}", type="tertiary")


def _cite() -> None:
    entries = [("Link to this page", link.address())]
    for line in reversed(page_record().signatures):
        caption = "Signature: anybody who has the same files gets the same numbers"
        entries = [("Short form, for a caption", short_form(line)), (caption, line), *entries]
    for caption, code in entries:
        st.caption(caption)
        st.code(code, language=None, wrap_lines=True)
