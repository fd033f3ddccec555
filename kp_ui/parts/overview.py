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
from kp_core.settings import SUBJECT
from kp_core.studies.annotators import interpretable
from kp_core.words import answers, statements
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables


def answer() -> None:
    """Show which system is better and whether that is significant, one row per system, and the curve over k."""
    measure, cutoff = settings.value("measure"), settings.cutoff()
    name, header = named(measure, cutoff), st.container()
    result, verdict = cached.evaluation((measure,), baselines=True), cached.answer()
    at_cutoff, presented = result.at(cutoff), link.presented()
    # In large type, rows and curve stand side by side, so that both fit a screen of 720 pixels.
    left, right = st.columns([4, 5], gap="medium") if presented else (st.container(), st.container())
    with left:
        _rows(at_cutoff, result, measure, verdict)
        results.reasons(at_cutoff)
        results.few(at_cutoff)
    if has_curve(measure):
        significant = verdict.over_k.significant if verdict.over_k else ()
        plot = curves.over_k(result, measure, replace(results.marks(), significant=significant))
        with right:
            show.choosing_k(plot, "over_k", f"{measure} over k", **({"height": 470} if presented else {}))
        if significant:
            show.small(show.in_short(f"{verdict.over_k} The green bar on the axis marks these cutoffs."))
        show.downloads(screen_tables.curves(result, measure), f"{measure} over k", result.signature)
    else:
        show.small(f"{name} does not depend on k, so it has no curve over k.")
    with header:
        show.notes(note for note in at_cutoff.notes if note.where == "ids")
        show.answer(verdict)
        if verdict.systems and at_cutoff.settings.preset != "kpscope":
            _other_conventions(at_cutoff, name, verdict.systems[0])
    show.chart_to_take(lambda: dots.leaderboard(at_cutoff, measure), f"{name} by system")
    show.provenance(at_cutoff, (screen_tables.in_numbers(at_cutoff, (name,)), f"{name} by system"))
    if names := workspace.hidden():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            show.small(f"Hidden, and not included in any test: {', '.join(names)}.")
            controls.button("Show all", "show_all", link.choose, workspace.HIDDEN, None, type="tertiary")


def _rows(at_cutoff: kp.Result, over_k: kp.Result, measure: str, verdict: kp.Answer) -> None:
    cutoff = settings.cutoff()
    universe = interpretable(("kappa",), at_cutoff.settings)
    others = {"P": "P@k", "R": "R@k"} | ({"kappa": "kappa"} if universe else {})
    others = {title: name for title, name in others.items() if name != measure}
    further = cached.evaluation_at_cutoff(tuple(others.values()), None)
    cells = {title: screen_tables.values(further, named(name, cutoff)) for title, name in others.items()}
    comparison = cached.compare_pairs(measure)
    rows = board.rows(at_cutoff, over_k, measure, cells, comparison)
    incomplete = {system: lists for system, lists in verdict.coverage.items() if lists[0] < lists[1]}
    heads = [named(measure, cutoff), *cells, *(["lists"] * bool(incomplete)), "gap to best"]
    first, *middle, last = map(show.head, heads)
    with st.container(key="board", gap=None):
        curve = '<span class="kp-dot"></span><span class="kp-more kp-spark">over k</span>'
        st.html(_row(f'<span class="n">{tables.escape(first)}</span>{curve}', middle, last, "kp-row kp-head"))
        for row in rows:
            lists = incomplete.get(row.system)
            cell_texts = [row.cells.get(title, "") for title in cells]
            cell_texts += [f"{lists[0]} of {lists[1]}" if lists else ""] * bool(incomplete)
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"row {row.system}"):
                st.html(f'<div class="kp-mark"><span>{row.rank}</span><img src="{row.mark}" alt=""></div>', width=48)
                if row.rank:
                    kwargs: dict[str, Any] = {"type": "tertiary", "width": 160, "wrap": True}
                    kwargs |= {"key": f"name {row.system}", "help": show.plain(row.system)}
                    draw_menu = partial(_system_details, row.system, [other.system for other in rows if other.rank])
                    show.popover(show.plain(tables.breakable(show.in_short(row.system))), draw_menu, **kwargs)
                else:
                    name = tables.escape(tables.labels()[row.system])
                    st.html(f'<div class="kp-quiet kp-name">{name}</div>', width=160)
                st.html(_row(_pictures(row), cell_texts, row.gap_text), width="stretch")
    grades = {row.gap_text.partition(" · ")[2] for row in rows}
    for grade in (grade for grade in show.GRADES if grade in grades):
        show.small(show.meaning(grade, at_cutoff.documents))
    if not universe:
        show.about("people.no_word")
        show.about("results.random")
    if (human_comparison := results.like_for_like()) is not None:
        reason = f"Both are scored against the others, leaving out each in turn; {rows[0].number} above is against all."
        show.small(show.in_short(f"{human_comparison.claim} {reason}"))


def _row(first: str, middle: Sequence[str], last: str, css_class: str = "kp-row") -> str:
    cells = "".join(f'<span class="n kp-more">{tables.escape(text)}</span>' for text in middle)
    last_cell = f'<span class="kp-more">{tables.escape(last)}</span>'
    return f'<div class="{css_class}" style="--more:{len(middle)}">{first}{cells}{last_cell}</div>'


def _pictures(row: board.Row) -> str:
    words = tables.escape(f"{row.system} {row.value_text}")
    dot = f'<span class="kp-dot" role="img" aria-label="{words}" title="{words}"><img src="{row.value}" alt=""></span>'
    curve = f'<img src="{row.curve}" alt="">' if row.curve else ""
    return f'<b class="n">{row.number}</b>{dot}<span class="kp-more kp-spark">{curve}</span>'


def _system_details(system: str, ranked: Sequence[str]) -> None:
    runs, others = runs_of(workspace.corpus().systems), [name for name in ranked if name != system]
    if others:
        _won_and_lost(runs[system][0], runs[others[0]][0])
    link.to("documents", "All its documents", icon=":material/description:", system=runs[system][0])
    if not workspace.all_datasets():
        key = f"new name {system}"
        rename = link.deferred(lambda: workspace.show_as(system, st.session_state[key].strip()))
        st.text_input("Name", system, key=key, max_chars=80, on_change=rename)
        controls.button("Hide", f"hide {system}", workspace.hide, system, disabled=not others)


def _won_and_lost(system: str, other: str) -> None:
    pair = cached.on_screen(kp.head_to_head, settings.value("measure"), a=system, b=other)
    table = pair.by_document.sort_values("difference", kind="stable")
    show.paragraph(statements.of_two(pair))
    wins, losses = table[table["difference"] > 0].iloc[::-1], table[table["difference"] < 0]
    for label, rows in (("Wins most on", wins), ("Loses most on", losses)):
        if len(rows):
            st.markdown(f"**{label}**")
            for row in rows.head(3).itertuples():
                label = f"{show.plain(str(row.document))} {row.difference:+.3f}"
                link.to("documents", label, system=system, other=other, document=str(row.document))


def datasets() -> None:
    """Show on how many data sets a system is better, its values on each data set, and the curves over k."""
    measure, data = settings.value("measure"), workspace.all_data()
    chosen_settings = settings.settings().changed(k=settings.value("k"))

    call = partial(cached.call, (data.corpus,), f"all {data.digest}")
    result = call(kp.evaluate, chosen_settings, (measure,), by="dataset")
    show.answer(call(kp.answer, chosen_settings, measure))
    show.chart(dots.by_part(result, "data set"), "by_dataset", f"{measure} by data set")
    results.reasons(result)
    if has_curve(measure):
        at_every_k = chosen_settings.changed(k=range(1, 51), interval="none")
        over_k = call(kp.evaluate, at_every_k, (measure,), by="dataset")
        plot = curves.by_dataset(over_k, measure, settings.cutoff())
        show.chart(plot, "datasets_over_k", f"{measure} over k by data set")
    link.to("report", "The table for a paper", report_tab="Table for a paper")
    show.provenance(result, (result.frame, f"{measure} by data set"))


def _other_conventions(at_cutoff: kp.Result, name: str, system: str) -> None:
    default = cached.at_cutoff().changed(preset="kpscope").changed(k=settings.cutoff())
    result = cached.on_corpus(kp.evaluate, default.changed(interval="none"), (settings.value("measure"),))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show.small(show.in_short(answers.of_preset(at_cutoff, result, name, system)))
        controls.button("Undo", "preset_back", link.choose, "preset", None, type="tertiary")


def conventions() -> None:
    """Show in one line how much other published conventions change the value of the best system."""
    is_fast = len(workspace.corpus().runs) <= 100_000  # with more phrases, changing k would be slow
    if is_fast and settings.settings().average not in SUBJECT:
        show.small(show.in_short(statements.range_of(cached.sensitivity(settings.value("measure")))))
    link.to("systems", "See every convention", systems_tab="Stability", stability="Other published conventions")
