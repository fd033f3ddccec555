"""Open the statistics of a streamed run, and show the values and comparisons of its systems, or of its annotators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

import kp_core as kp
from kp_core import scale
from kp_core.charts import curves, dots, screen_tables
from kp_core.charts.selection import has_curve, named, where
from kp_core.reading import Source
from kp_core.scoring.measures import parse
from kp_core.words import answers
from kp_ui.parts import results, systems
from kp_ui.state import link
from kp_ui.widgets import controls, prose, show, tables

_OPENED, _PROBLEM = "streamed", "streamed_problem"
#: What the Overview can show.
VIEWS = ("These data", "Streamed run")


def take(files: Sequence[Source]) -> None:
    """Open the last of the given statistics files; it replaces a run that is already open."""
    for file in files[-1:]:
        st.session_state[_PROBLEM] = ""
        try:
            st.session_state[_OPENED] = scale.open_statistics(file)
        except kp.InputError as refusal:
            st.session_state[_PROBLEM] = str(refusal)


def opened() -> scale.Opened | None:
    """Return the streamed run that is open in this session; None if there is none."""
    return cast("scale.Opened | None", st.session_state.get(_OPENED))


def listed() -> None:
    """Show the open run on the Data page, and why a statistics file was refused, if it was."""
    if problem := st.session_state.get(_PROBLEM, ""):
        st.error(f"Not opened: {show.plain(problem)}")
    if (opened_run := opened()) is not None:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.text(f"{opened_run.name}, statistics of a streamed run")
            link.to("overview", "Open it on the Overview", what=VIEWS[1])
            controls.button("✕", "remove streamed", st.session_state.pop, _OPENED, help="Remove")


def is_chosen() -> bool:
    """If a run is open, let the user choose between it and the loaded data; return whether a run is chosen."""
    if opened() is None:
        return link.chosen().get("what") == VIEWS[1]
    return controls.views("What is shown", VIEWS, "what") == VIEWS[1]


def overview() -> None:
    """Show the results of a streamed run: those of its systems, or the agreement of its annotators."""
    run = opened()
    if run is None:
        show.lacks("Nothing is open here yet. Drop a file of statistics (.npz) on the Data page.")
        st.markdown(prose.text("streamed.why"))
        st.code(prose.verbatim("streamed.how"), language=None)
        show.about("streamed.commands")
        return
    names, interval = run.plan.names, run.plan.settings.interval
    counted = {"document": run.documents, "annotator": len(names.annotators), "system": len(names.systems)}
    show.small(" · ".join([run.name, *(show.pluralize(number, noun) for noun, number in counted.items() if number)]))
    show.about("streamed.about", intervals=prose.entries("intervals").get(interval, ""))
    if run.plan.agreement is not None and run.result is not None:
        _agreement(run, run.result)
    else:
        _systems(run)
    show.recipe(run.result or run.comparisons[0])


def _systems(run: scale.Opened) -> None:
    names = dict.fromkeys([*(comparison.measure for comparison in run.plan.compare), *run.plan.measures])
    ranking = [name for name in names if parse(name).card.better == "higher"] or list(names)
    cutoffs = {str(k): k for k in run.plan.settings.k}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = controls.select("Measure", ranking, "streamed_measure", filter_mode="contains")
        cutoff = cutoffs[controls.select("Cutoff k of this run", cutoffs, "streamed_k", len(cutoffs) - 1)]
    show.small(parse(measure).card.sentence)
    name = named(measure, cutoff)
    tests = (test for test in run.comparisons if len(test.frame) and test.frame["measure"].iloc[0] == name)
    comparison = next(tests, None)
    if comparison is not None:
        results.answer(answers.of_comparison(comparison, name), run.plan.names.systems)
    if run.result is not None:
        _values(run, replace(run.result, frame=run.result.frame.query("subset == 'all'")), measure, cutoff)
    if comparison is not None:
        show.subheader(f"Is the difference in {show.plain(name)} significant?")
        systems.tested(comparison, name)
    else:
        st.caption("This run contains no tests of pairs for this measure; run kpscope compare to obtain them.")


def _values(run: scale.Opened, result: kp.Result, measure: str, cutoff: int | str) -> None:
    if measure in run.plan.measures:
        at_cutoff = result.at(cutoff) if has_curve(measure) else result
        show.chart(dots.leaderboard(at_cutoff, measure), "streamed_leaderboard")
        if has_curve(measure) and len(result.settings.k) > 1:
            show.chart(curves.over_k(result, measure, curves.Marks(cutoff)), "streamed_chart")
    names = [named(name, cutoff) for name in run.plan.measures]
    with st.expander(f"All measures at k = {cutoff}"):
        tables.table(screen_tables.with_intervals(result, names), "streamed_measures", result.documents)
        results.reasons(screen_tables.only(result, names))
        show.downloads(result.frame, "All values of a streamed run")


def _agreement(run: scale.Opened, result: kp.Result) -> None:
    people, overall = run.plan.names.annotators, replace(result, frame=result.frame.query("subset == 'all'"))
    sides = {"all": ["all"], "each": list(people), "pairs": [*{*overall.frame["system"]}.difference(["all", *people])]}
    measures = {side: list(where(overall.frame, system=names)["measure"].unique()) for side, names in sides.items()}
    titled = {"All annotators": screen_tables.rows_where(overall, "all", measures["all"])}
    if "K" in measures["each"]:
        titled["Each annotator"] = screen_tables.each_annotator(overall, people, measures["each"])
    if measures["pairs"]:
        titled["Each pair of annotators"] = screen_tables.pairs_of_annotators(overall, people, measures["pairs"])
    for position, (title, table) in enumerate(titled.items()):
        show.subheader(show.plain(title))
        tables.table(table, f"streamed_agreement_{position}", result.documents)
    show.downloads(result.frame, "Agreement of annotators")
