"""Define the shared parts of result pages: answers, human agreement, marks of cutoffs, and undefined values."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.charts import board, curves, screen_tables
from kp_core.charts.style import ORACLE, Look, looks, short_names
from kp_core.errors import Note
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.systems import longest_lists
from kp_core.settings import SUBJECT
from kp_core.studies.answer import Answer
from kp_core.studies.result import Numbers
from kp_core.words import answers
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

#: Maximum number of annotators that are scored like systems; with more, leaving each out is too slow.
FEW_PEOPLE = 20


def in_short(text: str, systems: Iterable[str] = ()) -> str:
    """Return a sentence with short names of systems and measures as on screen."""
    shown = short_names(systems or workspace.corpus().systems)
    if not shown:
        return show.in_heads(text)
    names = sorted(shown, key=len, reverse=True)
    parts = re.split(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)", text)
    return "".join(shown[part] if part in shown else show.in_heads(part) for part in parts)


def answer(said: Answer, systems: Iterable[str] = ()) -> None:
    """Show the answer of a page with short names of systems."""
    show.answer(said, partial(in_short, systems=systems))


def choose_system(label: str, key: str, options: Iterable[str] = (), **more: Any) -> str:
    """Let the user choose a system by its label, among all by default."""
    shown = short_names(workspace.corpus().systems)
    return controls.select(label, options or best_first(), key, format_func=lambda name: shown.get(name, name), **more)


def like_for_like() -> Answer | None:
    """Compare the best system with the human range on gold standards that leave out each annotator.

    Return None for too many annotators, measures that do not rank systems, and means over subjects.
    """
    if settings.settings().average in SUBJECT or parse(settings.value("measure")).measure.better == "none":
        return None
    if not 1 < len(workspace.corpus().annotators) <= FEW_PEOPLE:
        return None
    others = "others:majority" if choice() == "majority" else "others"
    asked = cached.at_cutoff().changed(annotators=others)
    return cached.ask(answers.like_for_like, asked, settings.value("measure"))


def best_first() -> list[str]:
    """Return the systems by their values of the current measure, highest first."""
    values = cached.measure_in_use().at(settings.cutoff())
    return screen_tables.best_systems(values, settings.value("measure"), workspace.corpus().systems)


def ids_that_do_not_meet(notes: Iterable[Note]) -> None:
    """Show an error if the ids of lists match no documents but a fix would match them."""
    for note in notes:
        if note.level == "warning" and note.where == "ids":
            show.notes([note])
            link.to("data", "Apply it on the Data page")


def marks() -> curves.Marks:
    """Return the cutoffs to mark on a curve over k."""
    return curves.Marks(settings.cutoff(), settings.cutoff_of_average(), longest_lists(prepare(workspace.corpus())))


def small_curves(result: kp.Result, measures: Sequence[str]) -> None:
    """Show measures over k as small charts, three per row, in which a click chooses k."""
    drawn = looks(result.frame["system"])
    names = "".join(
        f'<span><img src="{board.line(drawn[name])}" alt="">{tables.escape(drawn[name].name)}</span>'
        for name in drawn
        if name != ORACLE
    )
    st.html(f'<div class="kp-names">{names}</div>')
    marked = marks()
    for first in range(0, len(measures), 3):
        group = measures[first : first + 3]
        for column, measure in zip(st.columns(3), group, strict=False):
            with column:
                show.choosing_k(curves.small(result, measure, marked), f"small {measure}", f"{measure} over k")


def choice() -> str:
    """Return how the other annotators are combined into the gold standard."""
    return "majority" if settings.value("annotators") == "majority" else "union"


def people() -> bool:
    """Let the user show people next to the systems, if there are several annotators."""
    if len(workspace.corpus().annotators) < 2:
        return False
    chosen = controls.switch("Compare with people (human ceiling)", "people")
    if chosen:
        show.about("people.alike", choice=choice())
    return chosen


def marks_of_systems() -> dict[str, Look]:
    """Return how each system is drawn."""
    return looks(workspace.corpus().systems)


def few(result: Numbers) -> None:
    """Warn if there are too few documents for the intervals."""
    if result.documents < screen_tables.FEW and result.frame["low"].notna().any():
        st.caption("There are too few documents for the intervals to be reliable.")


def reasons(result: kp.Result) -> None:
    """Report why values of a result are undefined."""
    for reason in screen_tables.reasons(result):
        show.small(reason)


def about_baselines(cutoff: int | str) -> None:
    """Explain the gray rows at a cutoff."""
    text = prose.text("results.baselines")
    if cutoff == "all":
        text += " At k = all, the random baseline and the oracle return every phrase of the universe."
    st.caption(text)


def where_no_mark() -> None:
    """Explain why a curve has no mark if the cutoff differs by document."""
    if isinstance(settings.cutoff(), str):
        st.caption("The cutoff in use differs from document to document, so it has no place of its own on the k axis.")
