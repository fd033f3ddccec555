"""Store the statistics of a streamed run in the session, and show values, pairs, and annotators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

import kp_core as kp
from kp_core import scale
from kp_core.charts import curves, dots, screen_tables
from kp_core.charts.selection import has_curve, named
from kp_core.reading import Source
from kp_core.scoring.measures import parse
from kp_core.words import answers
from kp_ui.parts import results, systems
from kp_ui.state import link
from kp_ui.widgets import controls, prose, show, tables

_OPENED, _PROBLEM = "streamed", "streamed_problem"
#: Data that the Overview can show.
VIEWS = ("These data", "Streamed run")


def take(files: Sequence[Source]) -> None:
    """Open the last of several files of statistics, in place of an earlier one."""
    for file in files[-1:]:
        st.session_state[_PROBLEM] = ""
        try:
            st.session_state[_OPENED] = scale.open_statistics(file)
        except kp.InputError as refusal:
            st.session_state[_PROBLEM] = str(refusal)


def opened() -> scale.Opened | None:
    """Return the open streamed run of this session."""
    return cast("scale.Opened | None", st.session_state.get(_OPENED))


def listed() -> None:
    """Show the open run on the Data page, or why a file of statistics was refused."""
    if problem := st.session_state.get(_PROBLEM, ""):
        st.error(f"Not opened: {show.plain(problem)}")
    if (run := opened()) is not None:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.text(f"{run.name}, statistics of a streamed run")
            link.to("overview", "Open it on the Overview", what=VIEWS[1])
            controls.button("✕", "remove streamed", st.session_state.pop, _OPENED, help="Remove")


def is_chosen() -> bool:
    """Let the user choose between the loaded data and an open run; return whether the run is chosen."""
    if opened() is None:
        return link.chosen().get("what") == VIEWS[1]
    return controls.views("What is shown", VIEWS, "what") == VIEWS[1]


def overview() -> None:
    """Show what a streamed run contains: values, pairs, or annotators."""
    run = opened()
    if run is None:
        _how_to()
        return
    names, interval = run.plan.names, run.plan.settings.interval
    sides = {"document": run.documents, "annotator": len(names.annotators), "system": len(names.systems)}
    show.small(" · ".join([run.name, *(show.pluralize(number, side) for side, number in sides.items() if number)]))
    show.about("streamed.about", intervals=prose.entries("intervals").get(interval, ""))
    if run.plan.agreement is not None and run.result is not None:
        _agreement(run, run.result)
    else:
        _systems(run)
    show.recipe(run.result or run.comparisons[0])


def _how_to() -> None:
    show.lacks("Nothing is open here yet. Drop a file of statistics (.npz) on the Data page.")
    st.markdown(prose.text("streamed.why"))
    st.code(prose.verbatim("streamed.how"), language=None)
    show.about("streamed.commands")


def _systems(run: scale.Opened) -> None:
    measure, cutoff = choose(run)
    name = named(measure, cutoff)
    tests = (test for test in run.comparisons if len(test.frame) and test.frame["measure"].iloc[0] == name)
    comparison = next(tests, None)
    if comparison is not None:
        results.answer(answers.of_comparison(comparison, name), run.plan.names.systems)
    if run.result is not None:
        _values(run, run.result, measure, cutoff)
    if comparison is not None:
        show.subheader(f"Is the difference in {show.plain(name)} significant?")
        systems.tested(comparison, name)
    else:
        st.caption("This run holds no tests of pairs by this measure; the command kpscope compare makes them.")


def choose(run: scale.Opened) -> tuple[str, int | str]:
    """Let the user choose a measure and a cutoff of the run, and explain the measure."""
    names = dict.fromkeys([*(comparison.measure for comparison in run.plan.compare), *run.plan.measures])
    ranking = [name for name in names if parse(name).measure.better == "higher"] or list(names)
    cutoffs = {str(k): k for k in run.plan.settings.k}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = controls.select("Measure", ranking, "streamed_measure", filter_mode="contains")
        cutoff = cutoffs[controls.select("Cutoff k of this run", cutoffs, "streamed_k", len(cutoffs) - 1)]
    show.small(parse(measure).measure.sentence)
    return measure, cutoff


def _values(run: scale.Opened, result: kp.Result, measure: str, cutoff: int | str) -> None:
    frame = result.frame
    if result.settings.average == "both":
        average = controls.select("Average", frame["average"].unique(), "streamed_average")
        has = frame.groupby("measure")["average"].transform(lambda averages: average in set(averages))
        frame = frame[~has | (frame["average"] == average)]
    whole = replace(result, frame=frame[frame["subset"] == "all"])
    if measure in run.plan.measures:
        left, right = st.columns([4, 3], gap="medium")
        with left:
            at_cutoff = whole.at(cutoff) if has_curve(measure) else whole
            show.chart(dots.leaderboard(at_cutoff, measure), "streamed_leaderboard")
        with right:
            if has_curve(measure) and len(result.settings.k) > 1:
                show.chart(curves.over_k(whole, measure, curves.Marks(cutoff)), "streamed_chart")
    with st.expander(f"All measures at k = {cutoff}"):
        names = [named(name, cutoff) for name in run.plan.measures]
        tables.table(screen_tables.with_intervals(whole, names), "streamed_measures", result.documents)
        results.reasons(screen_tables.only(whole, names))
        show.downloads(result.frame, "All values of a streamed run")
        by_type = replace(result, frame=frame[frame["measure"] == named(measure, cutoff)])
        if not (table := screen_tables.by_part(by_type)).empty:
            tables.table(table, "streamed_by_type_table", result.documents)


def _agreement(run: scale.Opened, result: kp.Result) -> None:
    people, frame = run.plan.names.annotators, result.frame
    shown = {}
    for subset in frame.loc[frame["system"] == "all", "subset"].unique():
        names = list(frame.loc[(frame["system"] == "all") & (frame["subset"] == subset), "measure"].unique())
        shown[f"All annotators, {subset}"] = screen_tables.rows_where(result, "all", names, subset)
    whole = replace(result, frame=frame[frame["subset"] == "all"])
    rows = whole.frame[whole.frame["system"].isin(people)]
    pairs = whole.frame[~whole.frame["system"].isin(["all", *people])]
    if "K" in set(rows["measure"]):
        shown["Each annotator"] = screen_tables.each_annotator(whole, people, list(rows["measure"].unique()))
    if len(pairs):
        measures = list(pairs["measure"].unique())
        shown["Each pair of annotators"] = screen_tables.pairs_of_annotators(whole, people, measures)
    for place, (title, table) in enumerate(shown.items()):
        show.subheader(show.plain(title))
        tables.table(table, f"streamed_agreement_{place}", result.documents)
    show.downloads(result.frame, "Agreement of annotators")
