"""Draw the lessons with their questions, all measures with formulas, and the glossary."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import streamlit as st

from kp_core.charts import screen_tables
from kp_core.learn import LESSONS, Lesson, Question
from kp_core.takeaway import methods
from kp_core.typeset import say
from kp_ui.parts import page, results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

ON_SCREEN = "The threshold, on the data on screen"


def _lessons_by_title() -> dict[str, Lesson | None]:
    corpus = workspace.corpus()
    on_screen: dict[str, Lesson | None] = {ON_SCREEN: None} if corpus.systems and len(corpus.gold) else {}
    return on_screen | {lesson.title: lesson for lesson in LESSONS.values()}


def turn(step: int) -> bool:
    """Open the next or previous lesson, and return whether there is one."""
    return controls.turn("lesson", list(_lessons_by_title()), step)


def lessons() -> None:
    """Let the user choose a lesson, or step to the next or previous one, and draw the lesson."""
    lessons_by_title = _lessons_by_title()
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        chosen = controls.select("Lesson", lessons_by_title, "lesson", label_visibility="collapsed")
        if not link.presented():  # a clicker turns them there
            controls.steps("lesson", list(lessons_by_title), list(lessons_by_title).index(chosen))
    lesson = lessons_by_title[chosen]
    if lesson is None:
        _on_screen()
    else:
        _draw(lesson, row)


def _on_screen() -> None:
    page.one_dataset("lesson")
    with st.container(horizontal=True, vertical_alignment="center"):
        page.cutoff(320)
    cutoff, system = settings.cutoff(), results.best_first()[0]
    result = cached.evaluation(("F1@k", "kappa", "PABAK"), baselines=True)
    at_cutoff = result.at(cutoff)
    values = {name: screen_tables.values(at_cutoff, name) for name in ("kappa", "PABAK")}
    summary = say("threshold", cutoff=cutoff, system=system, kappa=values["kappa"], pabak=values["PABAK"])
    show.lead(summary)
    results.small_curves(result, ("F1@k", "kappa", "PABAK"))
    show.about("learn.lecture")


def _draw(lesson: Lesson, row: Any) -> None:
    presented, header = link.presented(), st.container()
    # Large type needs the whole width, so the controls form a row that is visible together with the chart.
    left, right = (st.container(), st.container()) if presented else st.columns([2, 5], gap="large")
    with left:
        values = _controls(lesson, len(lesson.controls) if presented else 1)
    if lesson.examples:
        with row.popover("Examples") if presented else left.container(horizontal=True, gap="xsmall"):
            for name, example in lesson.examples.items():
                choices = {f"{lesson.name}_{control}": str(value) for control, value in example.items()}
                controls.button(show.plain(name), f"{lesson.name} {name}", link.choose_all, choices)
    view = lesson.show(values)
    with header:
        show.lead(view.sentences[0])
    with right:
        size: dict[str, Any] = {"height": 370} if presented else {}  # controls and chart fit a screen of 720 pixels
        show.chart(view.chart, f"picture {lesson.name}", lesson.title, **size)
        for sentence in view.sentences[1:]:
            show.paragraph(sentence)
        for caption, table in view.tables.items():
            st.markdown(f"**{show.plain(caption)}**")
            tables.text_table(table)
    with st.expander("What this is about"):
        show.paragraph(lesson.text)
        show.small(f"Source: {lesson.source}.")
    with st.expander("Formula"):
        for formula in lesson.formulas:
            show.formula(formula)
    with st.expander("Questions"):
        for number, question in enumerate(lesson.questions, 1):
            _ask(question, f"{lesson.name}_answer_{number}", number)


def _controls(lesson: Lesson, width: int) -> Mapping[str, Any]:
    values: dict[str, Any] = {}
    for index, control in zip(cycle(st.columns(width, vertical_alignment="bottom")), lesson.controls, strict=False):
        key, label = f"{lesson.name}_{control.name}", show.plain(control.label)
        with index:
            if control.among:
                values[control.name] = controls.select(label, control.among, key)
            else:
                bounds = [control.low, control.high, control.start, control.step]
                # Streamlit requires four numbers of one type, and shows integers without a decimal point.
                low, high, start, step = map(int if all(map(float.is_integer, map(float, bounds))) else float, bounds)
                values[control.name] = controls.amount(label, low, high, start, key, st.slider, step=step)
    return values


def _ask(question: Question, key: str, number: int) -> None:
    with st.container(border=True):
        text, expected = f"{number}. {show.plain(question.text)}", "a number or a fraction, such as 0.42 or 5/11"
        if question.options:
            reply = st.radio(text, question.options, index=None, key=key)
        else:
            reply = st.text_input(text, key=key, placeholder=expected)
        is_right = question.right(reply) if reply else None
        if reply and is_right is None:
            st.info(f"Enter {expected}.")
        elif is_right:
            st.success(show.plain(f"Right. {question.because}"))
        elif reply:
            st.warning("Not correct yet. Move the controls above, or look at the answer.")
            if st.toggle("Show the answer", key=f"{key} shown"):
                answer = question.answer if isinstance(question.answer, str) else f"{question.answer:.3f}"
                show.paragraph(f"{answer}. {question.because}")


def every_measure() -> None:
    """Show the measures of one family, or all measures that match a search."""
    show.about("methods.all")
    sections = {title.lower(): title for title in methods.sections()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = controls.search("method_search", "kappa, recall, Gwet …")
        # All 150 formulas would take a browser seconds, so only one family or the search results are shown.
        chosen = controls.select("Show", [*methods.FAMILIES, *sections, "all"], "family", disabled=bool(search))
    with st.expander("The worked example, and symbols in the formulas"):
        show.small(methods.EXAMPLE)
        tables.text_table(methods.EXAMPLE_TABLE)
        st.markdown(show.definitions(methods.SYMBOLS.items()))
    titles_shown = {*methods.FAMILIES, *sections} if search or chosen == "all" else {chosen}
    families_shown = [_cards(name, search) for name in methods.FAMILIES if name in titles_shown]
    sections_shown = [section(title, search) for name, title in sections.items() if name in titles_shown]
    if not any((*families_shown, *sections_shown)):
        st.info("Nothing matches this search.")


def section(title: str, search: str = "") -> bool:
    """Show the entries of a section that match a search; return whether any do."""
    if title not in (matches := methods.sections(search)):
        return False
    words, table = matches[title]
    st.header(title, anchor=False)
    st.caption(words)
    if title == "Glossary":
        st.markdown(show.definitions(zip(table["term"], table["meaning"], strict=True)))
    else:
        tables.text_table(table)
    return True


def _cards(family: str, search: str) -> bool:
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
