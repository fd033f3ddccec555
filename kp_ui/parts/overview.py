"""Arrange the Overview: answer, one row per system, curve over k, and other published conventions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.charts import board, curves, dots, screen_tables
from kp_core.charts.selection import has_curve, named
from kp_core.scoring.runs import runs_of
from kp_core.settings import SUBJECT, Settings
from kp_core.studies.annotators import interpretable
from kp_core.words import answers, statements
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Number of ranked phrases beyond which evaluating other conventions is too slow for moving k.
AT_ONCE = 100_000
#: Further measures of a row, without the current measure.
_CELLS = {"P": "P@k", "R": "R@k", "kappa": "kappa"}
#: Number of documents won and lost in an open row.
_FEW = 3


def answer() -> None:
    """Show which system is better and whether that is significant, one row per system, and the curve over k."""
    measure, cutoff = settings.value("measure"), settings.cutoff()
    name, top = named(measure, cutoff), st.container()
    result, verdict = cached.measure_in_use(), cached.answer()
    at_cutoff = result.at(cutoff)
    _rows(at_cutoff, result, measure, verdict)
    results.reasons(at_cutoff)
    results.few(at_cutoff)
    if has_curve(measure):
        significant = verdict.over_k.significant if verdict.over_k else ()
        drawn = curves.over_k(result, measure, replace(results.marks(), significant=significant))
        show.choosing_k(drawn, "over_k", f"{measure} over k")
        results.where_no_mark()
        if significant:
            show.small(results.in_short(f"The bar on the axis: {verdict.over_k}"))
        show.downloads(screen_tables.curves(result, measure), f"{measure} over k", result.signature)
    else:
        show.small(f"{name} does not depend on k, so it has no curve over k.")
    with top:
        results.ids_that_do_not_meet(at_cutoff.notes)
        results.answer(verdict)
        if verdict.systems and at_cutoff.settings.preset != "kpscope":
            _published(at_cutoff, name, verdict.systems[0])
    show.noted().tables.append(screen_tables.leaderboard(at_cutoff, measure, (), None))
    show.chart_to_take(lambda: dots.leaderboard(at_cutoff, measure), f"{name} by system")
    show.recipe(at_cutoff, (screen_tables.in_numbers(at_cutoff, (name,)), f"{name} by system"))
    if names := workspace.hidden():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            show.small(f"Hidden, and part of no test: {', '.join(names)}.")
            controls.button("Show all", "show_all", link.choose, workspace.HIDDEN, None, type="tertiary")


def _rows(at_cutoff: kp.Result, over: kp.Result, measure: str, verdict: kp.Answer) -> None:
    """Show one row per system; its name opens a menu."""
    cutoff = settings.cutoff()
    universe = interpretable(("kappa",), at_cutoff.settings)
    asked = {title: name for title, name in _CELLS.items() if name != measure and (name != "kappa" or universe)}
    further = cached.evaluation_at_cutoff(tuple(asked.values()), None)
    cells = {title: screen_tables.values(further, named(name, cutoff)) for title, name in asked.items()}
    comparison = cached.compared(measure)
    rows = board.rows(at_cutoff, over, measure, cells, comparison)
    many = {system: lists for system, lists in verdict.coverage.items() if lists[0] < lists[1]}
    first, *middle, last = map(show.head, [named(measure, cutoff), *cells, *(["lists"] * bool(many)), "gap to best"])
    with st.container(key="board", gap=None):
        curve = '<span class="kp-dot"></span><span class="kp-more kp-spark">over k</span>'
        st.html(_row(f'<span class="n">{tables.escape(first)}</span>{curve}', middle, last, "kp-row kp-head"))
        for row in rows:
            lists = many.get(row.system)
            texts = [row.cells.get(title, "") for title in cells]
            texts += [f"{lists[0]} of {lists[1]}" if lists else ""] * bool(many)
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"row {row.system}"):
                st.html(f'<div class="kp-mark"><span>{row.rank}</span><img src="{row.mark}" alt=""></div>', width=48)
                if row.rank:
                    more: dict[str, Any] = {
                        "type": "tertiary",
                        "width": 160,
                        "wrap": True,
                        "help": show.plain(row.system),
                    }
                    draw = partial(_of_system, row.system, [other.system for other in rows if other.rank])
                    show.popover(show.plain(results.in_short(row.system)), draw, f"name {row.system}", **more)
                else:
                    st.html(
                        f'<div class="kp-quiet kp-name">{tables.escape(tables.labels()[row.system])}</div>', width=160
                    )
                st.html(_row(_pictures(row), texts, row.behind), width="stretch")
    if not universe:
        show.about("people.no_word")
    if (people := results.like_for_like()) is not None:
        show.small(results.in_short(" ".join((people.claim, *people.details))))


def _row(first: str, middle: Sequence[str], last: str, look: str = "kp-row") -> str:
    """Return a row as HTML: value with pictures, further values, and gap to best."""
    cells = "".join(f'<span class="n kp-more">{tables.escape(text)}</span>' for text in middle)
    behind = f'<span class="kp-more">{tables.escape(last)}</span>'
    return f'<div class="{look}" style="--more:{len(middle)}">{first}{cells}{behind}</div>'


def _pictures(row: board.Row) -> str:
    words = tables.escape(f"{row.system} {row.said}")
    dot = f'<span class="kp-dot" role="img" aria-label="{words}" title="{words}"><img src="{row.value}" alt=""></span>'
    curve = f'<img src="{row.curve}" alt="">' if row.curve else ""
    return f'<b class="n">{row.number}</b>{dot}<span class="kp-more kp-spark">{curve}</span>'


def _of_system(system: str, ranked: Sequence[str]) -> None:
    runs, others = runs_of(workspace.corpus().systems), [name for name in ranked if name != system]
    if others:
        _won_and_lost(runs[system][0], runs[others[0]][0])
    link.to("documents", "All its documents", icon=":material/description:", system=runs[system][0])
    if not workspace.all_datasets():
        key = f"new name {system}"
        st.text_input("Name", system, key=key, max_chars=80, on_change=link.deferred(_rename, system, key))
        controls.button("Hide", f"hide {system}", workspace.hide, system, disabled=not others)


def _rename(system: str, key: str) -> None:
    workspace.show_as(system, st.session_state[key].strip())


def _won_and_lost(system: str, other: str) -> None:
    pair = cached.here(kp.versus, settings.value("measure"), a=system, b=other)
    table = pair.by_document.sort_values("difference", kind="stable")
    show.paragraph(statements.of_two(pair))
    for words, rows in (
        ("Wins most on", table[table["difference"] > 0].iloc[::-1]),
        ("Loses most on", table[table["difference"] < 0]),
    ):
        if len(rows):
            st.markdown(f"**{words}**")
            for row in rows.head(_FEW).itertuples():
                label = f"{show.plain(str(row.document))} {row.difference:+.3f}"
                link.to("documents", label, system=system, other=other, document=str(row.document))


def datasets() -> None:
    """Report on how many data sets each system is better, its values on each data set, and the curves over k."""
    measure, data = settings.value("measure"), workspace.whole()
    asked = settings.settings().changed(k=settings.value("k"))

    def ask(settings_: Settings) -> kp.Result:
        return cached.of((data.corpus,), f"all {data.digest}", kp.evaluate, settings_, (measure,), by="dataset")

    result = ask(asked)
    results.answer(cached.of((data.corpus,), f"all {data.digest}", kp.answer, asked, measure))
    show.chart(dots.by_part(result, "data set"), "by_dataset", f"{measure} by data set")
    results.reasons(result)
    if has_curve(measure):
        over = ask(asked.changed(k=range(1, 51), interval="none"))
        drawn = curves.by_dataset(over, measure, settings.cutoff())
        show.chart(drawn, "datasets_over_k", f"{measure} over k by data set")
    show.noted().tables.append(result.wide())
    link.to("report", "The table for a paper", report_tab="Table for a paper")
    show.recipe(result, (result.frame, f"{measure} by data set"))


def _published(at_cutoff: kp.Result, name: str, system: str) -> None:
    """Describe how the preset differs from the default and changes the value shown, with a button to leave it."""
    plain = cached.at_cutoff().changed(preset="kpscope").changed(k=settings.cutoff())
    usual = cached.ask(kp.evaluate, plain.changed(interval="none"), (settings.value("measure"),))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show.small(results.in_short(answers.of_preset(at_cutoff, usual, name, system)))
        controls.button("Take back", "preset_back", link.choose, "preset", None, type="tertiary")


def conventions() -> None:
    """Report in one line how much other published conventions change the value of the best system."""
    if len(workspace.corpus().runs) <= AT_ONCE and settings.settings().average not in SUBJECT:
        show.small(results.in_short(statements.range_of(cached.spread(settings.value("measure")))))
    link.to("systems", "See every convention", systems_tab="Stability", stability="Other published conventions")
