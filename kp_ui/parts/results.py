"""Define the shared parts of the pages with results: answers, human ceiling, marked cutoffs, undefined values."""

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.charts import board, curves, screen_tables
from kp_core.charts.selection import named
from kp_core.charts.style import looks, short_names
from kp_core.scoring.counts import ORACLE
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.systems import longest_lists
from kp_core.settings import SUBJECT
from kp_core.studies.answer import Answer
from kp_core.studies.evaluate import each_annotator
from kp_core.studies.result import Numbers
from kp_core.words import answers
from kp_ui.state import cached, settings, workspace
from kp_ui.widgets import controls, show, tables


def choose_system(label: str, key: str, options: Iterable[str] = (), **args: Any) -> str:
    """Let the user choose a system by its short name; if `options` is empty, all systems are offered."""
    labels = short_names(workspace.corpus().systems)
    return controls.select(label, options or best_first(), key, format_func=lambda name: labels.get(name, name), **args)


def like_for_like() -> Answer | None:
    """Compare the best system with people, on gold standards that leave out each annotator in turn.

    None for a single annotator or too many, measures that do not rank systems, and means over subjects.
    """
    if settings.settings().average in SUBJECT or parse(settings.value("measure")).card.better == "none":
        return None
    if not 1 < len(workspace.corpus().annotators) <= 20:  # with more, leaving each out in turn is too slow
        return None
    measure, cutoff = settings.value("measure"), settings.cutoff()
    result = cached.evaluation((measure,), baselines=True, leave_one_out=True).at(cutoff)
    values = cached.on_corpus(each_annotator, result.settings.changed(k="all"), measure)
    return answers.of_range(result, named(measure, cutoff), workspace.corpus().systems, values)


def best_first() -> list[str]:
    """Return the systems, best first by the current measure."""
    measure = settings.value("measure")
    values = cached.evaluation((measure,), baselines=True).at(settings.cutoff())
    return screen_tables.best_systems(values, measure, workspace.corpus().systems)


def marks() -> curves.Marks:
    """Return the cutoffs to mark on curves over k."""
    return curves.Marks(settings.cutoff(), settings.cutoff_of_average(), longest_lists(prepare(workspace.corpus())))


def small_curves(result: kp.Result, measures: Sequence[str]) -> None:
    """Show measures over k as small charts, three per row, in which a click chooses k."""
    styles = looks(result.frame["system"])
    shown = [look for name, look in styles.items() if name != ORACLE]
    names = "".join(f'<span><img src="{board.line(look)}" alt="">{tables.escape(look.name)}</span>' for look in shown)
    st.html(f'<div class="kp-names">{names}</div>')
    cutoffs = marks()
    for start in range(0, len(measures), 3):
        group = measures[start : start + 3]
        for column, measure in zip(st.columns(3), group, strict=False):
            with column:
                show.choosing_k(curves.small(result, measure, cutoffs), f"small {measure}", f"{measure} over k")


def choice() -> str:
    """Return how the other annotators are combined into the gold standard: majority or union."""
    return "majority" if settings.value("annotators") == "majority" else "union"


def people() -> bool:
    """Let the user show people next to the systems, if there are several annotators; return whether they are shown."""
    if len(workspace.corpus().annotators) < 2:
        return False
    chosen = controls.switch("Compare with people (human ceiling)", "people")
    if chosen:
        show.about("people.alike", choice=choice())
    return chosen


def few(result: Numbers) -> None:
    """Warn if there are too few documents for the intervals."""
    if result.documents < screen_tables.FEW and result.frame["low"].notna().any():
        st.caption("There are too few documents for the intervals to be reliable.")


def reasons(result: kp.Result) -> None:
    """Show why values of a result are undefined."""
    for reason in screen_tables.reasons(result):
        show.small(reason)
