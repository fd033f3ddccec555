"""Draw the lessons with their questions, all measures with formulas, and the glossary."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import streamlit as st

from kp_core.charts import screen_tables
from kp_core.learn import LESSONS, Lesson, Options, Question, Slider
from kp_core.takeaway import methods
from kp_core.words import statements
from kp_ui.parts import page, results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Title of the lesson on the data on screen, which comes before those on made-up lists.
ON_SCREEN = "The threshold, on the data on screen"
#: Height in pixels of a chart in large type; below its controls, it fits a screen of 720 pixels.
_HEIGHT = 370


def _lessons_by_title() -> dict[str, Lesson | None]:
    """Return the lessons by title, the one on the loaded data first if there are any."""
    corpus = workspace.corpus()
    first: dict[str, Lesson | None] = {ON_SCREEN: None} if corpus.systems and len(corpus.gold) else {}
    return first | {lesson.title: lesson for lesson in LESSONS.values()}


def turn(step: int) -> bool:
    """Open the next or previous lesson, and return whether there is one."""
    every = list(_lessons_by_title())
    chosen = link.chosen().get("lesson", "")
    place = (every.index(chosen) if chosen in every else 0) + step
    if not 0 <= place < len(every):
        return False
    link.choose("lesson", every[place])
    return True


def lessons() -> None:
    """Let the user choose a lesson from a list, or the next or previous one."""
    every = _lessons_by_title()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.select("Lesson", every, "lesson", label_visibility="collapsed")
        if not link.presented():  # a clicker turns them there
            controls.steps("lesson", list(every), list(every).index(chosen), keys=True)
    lesson = every[chosen]
    if lesson is None:
        _on_screen()
    else:
        draw(lesson)


def _on_screen() -> None:
    """Show kappa and PABAK of the data on screen over k, next to the random and the empty baseline."""
    page.one_dataset("lesson")
    with st.container(horizontal=True, vertical_alignment="center"):
        page.cutoff(320)
    cutoff, system = settings.cutoff(), results.best_first()[0]
    result = cached.evaluation(("F1@k", "kappa", "PABAK"), baselines=True)
    at_cutoff = result.at(cutoff)
    values = {name: screen_tables.values(at_cutoff, name) for name in ("kappa", "PABAK")}
    show.lead(results.in_short(statements.threshold(cutoff, system, values["kappa"], values["PABAK"])))
    results.small_curves(result, ("F1@k", "kappa", "PABAK"))
    show.about("learn.lecture")


def draw(lesson: Lesson) -> None:
    """Show one lesson as a slide: answer, controls and chart; the rest is collapsed."""
    large, above = link.presented(), st.container()
    # Large type needs the whole width, so the controls form a row that is visible together with the chart.
    left, right = (st.container(), st.container()) if large else st.columns([2, 5], gap="large")
    with left:
        values = _controls(lesson, len(lesson.controls) if large else 1)
        with st.container(horizontal=True, gap="xsmall"):
            for name, example in lesson.examples.items():
                controls.button(show.plain(name), f"{lesson.name} {name}", _set, lesson.name, example)
    view = lesson.show(values)
    with above:
        show.lead(view.sentences[0])
    with right:
        room: dict[str, Any] = {"height": _HEIGHT} if large else {}
        show.chart(view.chart, f"picture {lesson.name}", lesson.title, **room)
        for sentence in view.sentences[1:]:
            show.paragraph(sentence)
        for caption, table in view.tables.items():
            st.markdown(f"**{show.plain(caption)}**")
            tables.of_words(table)
    with st.expander("What this is about"):
        show.paragraph(lesson.text)
        show.small(f"Source: {lesson.source}.")
    with st.expander("Formula"):
        for formula in lesson.formulas:
            show.formula(formula)
    with st.expander("Questions"):
        for number, question in enumerate(lesson.questions, 1):
            _ask(question, f"{lesson.name}_answer_{number}", number)


def _controls(lesson: Lesson, beside: int) -> Mapping[str, Any]:
    """Draw the controls of a lesson in rows, and return their values, which are part of the link."""
    values: dict[str, Any] = {}
    for place, control in zip(cycle(st.columns(beside, vertical_alignment="bottom")), lesson.controls, strict=False):
        key, label = f"{lesson.name}_{control.name}", show.plain(control.label)
        with place:
            values[control.name] = (
                controls.select(label, control.among, key)
                if isinstance(control, Options)
                else _slider(control, label, key)
            )
    return values


def _slider(control: Slider, label: str, key: str) -> float:
    bounds = [control.low, control.high, control.start, control.step]
    # Streamlit requires four numbers of one type, and shows integers without a decimal point.
    low, high, start, step = map(int if all(number == int(number) for number in bounds) else float, bounds)
    return controls.amount(label, low, high, start, key, st.slider, step=step)


def _set(lesson: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        link.choose(f"{lesson}_{name}", str(value))


def _ask(question: Question, key: str, number: int) -> None:
    with st.container(border=True):
        text, hint = f"{number}. {show.plain(question.text)}", "a number or a fraction, such as 0.42 or 5/11"
        given = (
            st.radio(text, question.options, index=None, key=key)
            if question.options
            else st.text_input(text, key=key, placeholder=hint)
        )
        right = question.right(given) if given else None
        if given and right is None:
            st.info(f"Write {hint}.")
        elif right:
            st.success(show.plain(f"Right. {question.because}"))
        elif given:
            st.warning("Not yet. Move the controls above, or look at the answer.")
            if st.toggle("Show the answer", key=f"{key} shown"):
                shown = question.answer if isinstance(question.answer, str) else f"{question.answer:.3f}"
                show.paragraph(f"{shown}. {question.because}")


def every_measure() -> None:
    """Show the measures of one family, or those of all families that match a search."""
    show.about("methods.all")
    sections = {title.lower(): title for title, _, _ in methods.sections()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = controls.search("method_search", "kappa, recall, Gwet …")
        # All 150 formulas would take a browser seconds, so only one family or the search results are shown.
        chosen = controls.select("Show", [*methods.FAMILIES, *sections, "all"], "family", disabled=bool(search))
    with st.expander("The worked example, and symbols in the formulas"):
        show.small(methods.EXAMPLE)
        tables.of_words(methods.EXAMPLE_TABLE)
        st.markdown(show.definitions(methods.SYMBOLS.items()))
    wanted = {*methods.FAMILIES, *sections} if search or chosen == "all" else {chosen}
    cards = [_cards(name, search) for name in methods.FAMILIES if name in wanted]
    others = [_section(title, search) for name, title in sections.items() if name in wanted]
    if not any((*cards, *others)):
        st.info("Nothing matches this search.")


def _section(title: str, search: str = "") -> bool:
    """Show the entries of a section without formulas that match a search; return whether any do."""
    for name, words, table in methods.sections(search):
        if name == title:
            st.header(title, anchor=False)
            st.caption(words)
            if title == "Glossary":
                st.markdown(show.definitions(zip(table["term"], table["meaning"], strict=True)))
            else:
                tables.of_words(table)
            return True
    return False


def _cards(family: str, search: str) -> bool:
    """Show the measures of a family that match a search, and return whether any do."""
    cards = methods.cards(family, search)
    if cards:
        st.header(methods.FAMILIES[family], anchor=False)
        show.small(methods.INTRODUCTIONS.get(family, ""))
    for card in cards:
        with st.container(border=True):
            show.subheader(show.plain(card.title))
            show.paragraph(card.sentence)
            show.formula(*card.formula.split(r",\ "))
            if card.example:
                show.paragraph(f"In the example: {card.example}")
            show.small(card.facts)
    return bool(cards)


def glossary() -> None:
    """Show every term with its meaning."""
    _section("Glossary")
