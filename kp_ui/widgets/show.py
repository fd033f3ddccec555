"""Show results and user text (tables with downloads, notes, signatures), with phrases always unchanged."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import pandas as pd
import streamlit as st

from kp_core import typeset
from kp_core.charts.pieces import enlarged
from kp_core.charts.style import Chart, short_names
from kp_core.errors import InputError, Note, UsageError
from kp_core.errors import pluralize as pluralize
from kp_core.settings import in_words, remedy_in_words, short_form, spelled_out
from kp_core.studies.answer import Answer
from kp_core.takeaway import figures, methods
from kp_ui.state import link, settings, workspace
from kp_ui.widgets import prose

#: Text that Streamlit would turn into a link, icon, arrow or dash even if escaped; an invisible word joiner prevents
#: this.
_REPLACED = re.compile(
    r"(?<=http)s?://|(?<=www)\.|@(?=[\w-]+\.)|(?<=:)(?:material/|streamlit:)|(?<!\S)(?:<->|->|<-|--|[<>~]=)(?!\S)",
    re.IGNORECASE,
)

ARROW = ":material/download:"
#: Format of a download → extension of its file.
_ENDINGS = {"LaTeX": "tex", "Markdown": "md"}


@dataclass(frozen=True)
class Offered:
    """A download: the name of its files, and format → function from a signature to the file."""

    name: str
    forms: dict[str, Callable[[str], Any]]


@dataclass
class Noted:
    """The record of one run of a page: digest of the data, tables, signatures, settings.

    offered  title → download; seconds: longest duration; refused: whether a part raised an error
    """

    digest: str = ""
    tables: list[pd.DataFrame] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    offered: dict[str, Offered] = field(default_factory=dict)
    seconds: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    refused: bool = False


def noted() -> Noted:
    """Return the record of this run."""
    record: Noted = st.session_state.setdefault("noting", Noted())
    return record


def begin(digest: str) -> Noted:
    """Begin the record of a run."""
    st.session_state["noting"] = Noted(digest)
    return noted()


def plain(text: str) -> str:
    """Return a text escaped for Markdown, so that Streamlit shows it unchanged."""
    return typeset.escape_markdown(_REPLACED.sub("\u2060\\g<0>", text))


def small(words: str) -> None:
    """Show a text unchanged in small type."""
    st.caption(plain(words))


def about(name: str, **places: object) -> None:
    """Show a text of `prose.toml` in small type, with its placeholders filled in."""
    st.caption(prose.text(name, **places))


def paragraph(words: str) -> None:
    """Show a text unchanged."""
    st.markdown(plain(words))


def subheader(title: str) -> None:
    """Show a heading within a page; it is Markdown, so names in it must be escaped."""
    st.subheader(title, anchor=False)


def sentence(words: object, capital: bool = True) -> str:
    """Return a message of the core as a sentence: capitalized and with a full stop, or as the end of a sentence.

    >>> sentence("k is too large")
    'K is too large.'
    """
    text = spelled_out(str(words)).rstrip(".")
    return plain(f"{typeset.first_capital(text) if capital else text}{'' if text.endswith('…') else '.'}")


def formula(*lines: str) -> None:
    """Show a formula in LaTeX, its lines below each other.

    An invisible box and a thin space prevent Streamlit from cutting off or scrolling formulas.
    """
    whole = r" \\[1.5ex] ".join(lines)
    if len(lines) > 1:
        whole = rf"\begin{{gathered}}{whole}\end{{gathered}}"
    st.latex(rf"\colorbox{{transparent}}{{$\displaystyle {whole}$}}\,")


def notes(given: Iterable[Note]) -> None:
    """Show warnings once per page, each with its remedy; other notes are shown in the footer."""
    grouped, shown = dict[Note, list[str]](), short_names(workspace.corpus().systems)
    for note in given:
        grouped.setdefault(replace(note, where=""), []).append(shown.get(note.where, note.where))
    for note, where in grouped.items():
        note = replace(note, where=typeset.listed(list(dict.fromkeys(where))))
        if note not in noted().notes:
            noted().notes.append(note)
            if note.level == "warning":
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    st.warning(of_note(note))
                    remedy(note)


#: Subjects of notes that are clear without their name; other notes begin with the name of a system or file.
_ABOUT = frozenset(
    ("annotators", "average", "by", "concepts", "documents", "draws", "filter", "gold", "group", "ids", "intervals")
) | {"lists", "measures", "normalise", "pos", "roles", "systems", "test", "tests", "texts", "trimming", "universe"}


def of_note(note: Note) -> str:
    """Return a note as a sentence."""
    return sentence(note.message) if note.where in _ABOUT else f"{plain(note.where)}: {sentence(note.message, False)}"


def remedy(note: Note, folded: bool = True) -> None:
    """Draw the remedy of a note as a button, for the universe one per value; folded: whether in a popover."""
    if note.where == "universe":
        same_place = [other for other in noted().notes if other.where == "universe"]
        if note != min(same_place, key=lambda other: other.level != "warning"):
            return
        label, now = "Choose the universe", settings.value("universe")
        with st.popover(label) if folded else st.container(horizontal=True, gap="xsmall"):
            for value in settings.options("universe"):
                _choose("universe", value, in_words("universe", value), disabled=value == now)
    elif note.remedy and note.remedy[1] in settings.options(note.remedy[0]):
        if note != next(other for other in noted().notes if other.remedy == note.remedy):
            return  # once per page
        _choose(*note.remedy, remedy_in_words(*note.remedy))


def _choose(setting: str, value: str, label: str, **more: Any) -> None:
    act = link.deferred(link.choose, setting, value)
    st.button(plain(label), key=f"remedy {setting} {value}", on_click=act, **more)


def signature(line: str) -> None:
    """Record a signature to be cited in the footer."""
    if line not in noted().signatures:
        noted().signatures.append(line)


def recipe(result: Any, *tables: tuple[pd.DataFrame, str]) -> None:
    """Show the notes on a result, and record its signature and tables for download in the footer."""
    notes(result.notes)
    signature(result.signature)
    for frame, caption in tables:
        downloads(frame, caption, result.signature)


def downloads(frame: pd.DataFrame, caption: str, line: str | None = None) -> None:
    """Record a table for download in the footer, with files named after the caption.

    line: its signature, if it is not that of the page
    """
    forms: dict[str, Callable[[str], Any]] = {
        "CSV": lambda line: typeset.csv(frame.assign(signature=line) if line else frame),
        "XLSX": lambda line: typeset.xlsx(
            {caption: frame} | ({"signature": pd.DataFrame({"signature": [line]})} if line else {})
        ),
        "LaTeX": lambda line: typeset.latex(frame, caption, line),
        "Markdown": lambda line: typeset.markdown(frame) + (f"\n`{line}`\n" if line else ""),
    }
    signed = forms if line is None else {form: partial(_with_line, make, line) for form, make in forms.items()}
    offer(f"Table: {caption}", figures.file_name(caption), **signed)


def _with_line(make: Callable[[str], Any], line: str, _: str) -> Any:
    return make(line)


def offer(words: str, name: str, **forms: Callable[[str], Any]) -> None:
    """Record a download: its title, the name of its files, and format → function from a signature to the file."""
    noted().offered[words] = Offered(name, forms)


def offer_picture(words: str, name: str, svg: Callable[[], str], **more: Callable[[str], Any]) -> None:
    """Record a picture for download in the available formats; more: further formats.

    Files contain the signature, and full names of systems if the picture shortens them.
    """
    systems = short_names(workspace.corpus().systems)
    whole = "" if all(map(str.__eq__, systems, systems.values())) else f"Systems: {', '.join(systems)}"
    offer(words, name, **{form: partial(_image, svg, form.lower(), whole) for form in figures.forms()}, **more)


def _image(svg: Callable[[], str], form: str, whole: str, line: str) -> bytes:
    return figures.image(svg(), form, f"{line} {whole}".strip())


def error(problem: InputError | UsageError) -> None:
    """Show a refusal of data unchanged."""
    st.error(plain(spelled_out(str(problem))))


def popover(label: str, draw: Callable[[], None], key: str, **more: Any) -> None:
    """Draw a popover whose content is computed when it is opened.

    It opens before its content is ready, so the style reserves space between two marks.
    """
    place = st.popover(label, key=key, on_change=link.deferred(link.mark_user_action), **more)
    if place.open:
        with place:
            st.html('<span class="kp-begun"></span>')
            draw()
            st.html('<span class="kp-whole"></span>')


@contextmanager
def refusals() -> Iterator[None]:
    """Report errors raised inside; the rest of the page is not affected."""
    try:
        yield
    except UsageError as problem:
        st.info(sentence(problem))
    except InputError as problem:
        noted().refused = True
        error(problem)


#: Name of a measure or column that is a code or too long → its name on screen.
_HEADS = prose.entries("heads")


def head(name: str) -> str:
    """Return the displayed name of a measure or column.

    >>> head("F1@O"), head("P@M"), head("kappa_max"), head("F1@5")
    ('F1 at gold size', 'P of the whole list', 'max. kappa', 'F1@5')
    """
    measure, _, cutoff = name.partition("@")
    at = {"O": f"{measure} at gold size", "M": f"{measure} of the whole list"}
    label = _HEADS.get(name) or at.get(cutoff, name)
    return workspace.speech().get(label, label)


def in_heads(text: str) -> str:
    """Return a sentence with displayed names of measures."""
    return re.sub(r"\b(?:Rprec|kappa_max|\w+@[OM])\b", lambda code: head(code[0]), text)


#: Grade of an answer → icon, color, and meaning.
_GRADES = {grade: grade_text.split(" ", 2) for grade, grade_text in prose.entries("grades").items()}


def answer(verdict: Answer, words: Callable[[str], str] = str) -> None:
    """Show the answer of a page with its badge and caveats; the statistics are under “Why”.

    words: adapts a sentence to the screen
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer"):
        st.title(plain(words(verdict.claim)), anchor=False, width="content")
        if verdict.badge:
            icon, color, meaning = _GRADES[verdict.grade]
            st.badge(verdict.badge, icon=f":material/{icon}:", color=cast(Any, color), help=meaning)
    # a single value is not tested, so its details are not under “Why”
    at_once = verdict.caveats if verdict.badge else (*verdict.caveats, *verdict.details)
    if at_once:
        small(words(" ".join(at_once)))
    if verdict.badge:
        with st.expander("Why"):
            small(words(" ".join(verdict.details)))


def lacks(words: str) -> None:
    """Describe what is missing and what to do, with a link."""
    st.info(words)
    link.to("data", "Open the Data page")


def lead(words: str) -> None:
    """Show the introductory sentence of a tab."""
    st.subheader(plain(words), anchor=False)


def chart(drawn: Chart, key: str, caption: str = "", **options: Any) -> Any:
    """Show a chart with its alternative text, or the text only if there is nothing to draw.

    The footer offers it as files named after the caption, or else after the key.
    """
    if not drawn.figure["data"]:
        return st.info(plain(drawn.alt))
    chart_to_take(lambda: drawn, caption or key.replace("_", " "))
    more = {"config": {"displayModeBar": False}, "theme": "streamlit", "width": "stretch", **options}
    return st.plotly_chart(enlarged(drawn).figure if link.presented() else drawn.figure, key=key, alt=drawn.alt, **more)


def choosing_k(drawn: Chart, key: str, caption: str) -> None:
    """Show a chart over k in which a click chooses k."""

    def take() -> None:
        for point in st.session_state[key]["selection"]["points"][:1]:
            link.choose("k", str(round(point["x"])))

    chart(drawn, key, caption, on_select=link.deferred(take), selection_mode="points")


def chart_to_take(drawn: Callable[[], Chart], caption: str) -> None:
    """Offer a chart for download in the footer; it is drawn on request."""
    name, html = figures.file_name(caption), partial(interactive, drawn)
    offer_picture(f"Chart: {caption}", name, lambda: figures.chart_svg(drawn()), HTML=html)


def interactive(drawn: Callable[[], Chart], line: str) -> str:
    """Return a chart as a self-contained page."""
    return figures.chart_html(drawn(), line)


def meanings(names: Iterable[str]) -> str:
    """Return the meanings of measures as the help of a control."""
    return definitions((name, meaning) for name in names if (meaning := methods.sentence(name)))


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Return terms with their meanings as paragraphs."""
    return "\n\n".join(f"**{plain(term)}**: {plain(meaning)}" for term, meaning in pairs)


def file(label: str, data: Any, name: str, key: str, **more: Any) -> None:
    """Offer a file; if its content is a function, it is called on download.

    The page does not rerun, since that might close a popover.
    """
    st.download_button(label, data, name, key=key, **{"on_click": "ignore", "icon": ARROW, **more})


def foot() -> None:
    """Draw the footer of a page from its record; popovers are filled when opened."""
    record = noted()
    with st.container(horizontal=True, key="foot"):
        if record.offered:
            popover("Download", _offer, "download", icon=ARROW)
        if record.signatures:
            popover("Cite", _cite, "cite", icon=":material/format_quote:")
        if waiting := [note for note in record.notes if note.level != "warning"]:
            with st.popover(pluralize(len(waiting), "note"), type="tertiary", icon=":material/info:"):
                for note in waiting:
                    st.markdown(of_note(note))
                    remedy(note, folded=False)


def _offer() -> None:
    """Offer tables and charts, one line each: title and formats."""
    line = noted().signatures[0] if noted().signatures else ""
    for words, offered in noted().offered.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width=560):
            st.markdown(plain(in_heads(words)), width="stretch")
            for form, make in offered.forms.items():
                written = f"{offered.name}.{_ENDINGS.get(form, form.lower())}"
                file(form, partial(make, line), written, f"{form} {words}", icon=None, type="tertiary")


def _cite() -> None:
    copied = [("The link that leads here", link.address())]
    for line in reversed(noted().signatures):
        whole = "The whole recipe: whoever has the same files gets the same numbers"
        copied = [("Short form, for a caption", short_form(line)), (whole, line), *copied]
    for words, code in copied:
        st.caption(words)
        st.code(code, language=None, wrap_lines=True)
