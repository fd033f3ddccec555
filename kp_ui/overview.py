"""Arrange the Overview: the answer in a sentence, a row a system, the curve over k, and other published conventions."""

from dataclasses import replace

import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, screen_tables
from kp_core.charts.selection import has_curve, named
from kp_core.settings import Settings
from kp_core.words import answers, statements
from kp_ui import cached, controls, link, results, settings, show, workspace

#: With more ranked phrases than this the spread takes longer than a person waits when moving k.
AT_ONCE = 100_000


def answer() -> None:
    """Say which system is better and whether that is certain, beside the values that say so."""
    systems = workspace.corpus().systems
    measure, cutoff = settings.value("measure"), settings.cutoff()
    name = named(measure, cutoff)
    top = st.container()
    left, right = st.columns([1, 1], gap="medium")
    with left:
        place = st.container()
        people = results.people()
    result = cached.measure_in_use(people)
    here = result.at(cutoff)
    said = answers.beside_people(here, name, systems) if people else cached.answer()
    with top:
        results.ids_that_do_not_meet(here.notes)
        results.answer(said)
        if said.systems and here.settings.preset != "kpscope":
            _published(here, name, said.systems[0])
    with place:
        beside = here if people else results.with_people(here)
        results.open_documents(show.clickable(dots.leaderboard(beside, measure), "leaderboard"), systems)
    with left:
        if not people and beside is not here:
            show.about("people.beside")
        results.reasons(here)
        results.few(here)
    with right:
        if has_curve(measure):
            clear = said.over_k.clear if said.over_k else ()
            show.chart(curves.over_k(result, measure, replace(results.marks(), clear=clear)), "overview_chart")
            results.where_no_mark()
        else:
            show.small(f"{name} does not depend on k, so it has no curve over k.")
    board = screen_tables.leaderboard(here, measure, (), None)
    show.note_table(board)  # nothing else on this page is a table
    with st.container(horizontal=True):
        results.links_to_documents(systems)
        controls.present()
        show.downloads(board, "leaderboard", f"Systems by {name}", here.signature, "Values")
        if has_curve(measure):
            curve = screen_tables.curves(result, measure)
            show.downloads(curve, "over_k", f"{measure} over k", result.signature, "Values over k")
        show.recipe(here)


def datasets() -> None:
    """Say on how many data sets which system is better, beside its values on each of them, and the curves over k."""
    measure, here = settings.value("measure"), workspace.whole()
    asked = settings.settings().changed(k=settings.value("k"))

    def ask(settings_: Settings) -> kp.Result:
        return cached.of((here.corpus,), f"all {here.digest}", kp.evaluate, settings_, (measure,), by="dataset")

    result = ask(asked)
    results.answer(cached.of((here.corpus,), f"all {here.digest}", kp.answer, asked, measure))
    show.chart(dots.by_dataset(result, measure), "by_dataset")
    results.reasons(result)
    if has_curve(measure):
        over = ask(asked.changed(k=range(1, 51), interval="none"))
        show.chart(curves.by_dataset(over, measure, settings.cutoff()), "datasets_over_k")
    table = result.wide()
    show.note_table(table)
    with st.container(horizontal=True):
        link.to("report", "The table for a paper", report_tab="Table for a paper")
        show.downloads(result.frame, "datasets", f"{measure} by data set", result.signature, "Values")
        show.recipe(result)


def _published(here: kp.Result, name: str, system: str) -> None:
    """Say what the preset does otherwise, and what it does to the value on top, with the way back."""
    plain = cached.at_cutoff().changed(preset="kpscope").changed(k=settings.cutoff())
    usual = cached.ask(kp.evaluate, plain.changed(interval="none"), (settings.value("measure"),))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show.small(results.in_short(answers.of_preset(here, usual, name, system)))
        controls.button("Take back", "preset_back", link.choose, "preset", None, type="tertiary")


def conventions() -> None:
    """Say in one line how far other published conventions move the best system."""
    if len(workspace.corpus().runs) <= AT_ONCE:
        show.small(statements.range_of(cached.spread(settings.value("measure"))))
    link.to("systems", "See every convention", systems_tab="Stability", stability="Other published conventions")
