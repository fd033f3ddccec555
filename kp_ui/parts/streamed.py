"""Open the statistics of a streamed run, and show the values and comparisons of its systems, or of its annotators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

import kp_core as kp
from kp_core import scale
from kp_core.charts import curves, screen_tables
from kp_core.charts.selection import has_curve, named, where
from kp_core.reading import Source
from kp_core.scoring.measures import parse
from kp_core.words import answers
from kp_ui.parts import results, systems
from kp_ui.state import link
from kp_ui.widgets import controls, prose, show, tables

_OPENED, _PROBLEM = "streamed", "streamed_problem"
TAB = "Streamed run"


def take(files: Sequence[Source]) -> None:
    """Open the last of the given statistics files; it replaces a run that is already open."""
    for file in files[-1:]:
        st.session_state[_PROBLEM] = ""
        try:
            st.session_state[_OPENED] = scale.open_statistics(file)
            link.choose("data_tab", TAB)
        except kp.InputError as refusal:
            st.session_state[_PROBLEM] = str(refusal)


def is_open() -> bool:
    """Return whether a streamed run is open in this session."""
    return _OPENED in st.session_state


def refusal() -> None:
    """Show why the last statistics file was refused, if it was."""
    if problem := st.session_state.get(_PROBLEM, ""):
        st.error(f"Not opened: {show.plain(problem)}")


def section() -> None:
    """Show the results of a streamed run: those of its systems, or the agreement of its annotators."""
    run = cast("scale.Opened", st.session_state[_OPENED])
    names, interval = run.plan.names, run.plan.settings.interval
    numbers = {"document": run.documents, "annotator": len(names.annotators), "system": len(names.systems)}
    texts = (show.pluralize(number, noun) for noun, number in numbers.items() if number)
    with st.container(horizontal=True, vertical_alignment="center"):
        show.small(" · ".join((run.name, *texts)))
        controls.button("Remove", "remove streamed", st.session_state.pop, _OPENED, type="tertiary")
    show.about("streamed.about", intervals=prose.entries("intervals").get(interval, ""))
    if run.result is not None:
        show.downloads(run.result.frame, "All values of a streamed run")
    if run.plan.agreement is not None and run.result is not None:
        _agreement(run, replace(run.result, frame=run.result.frame.query("subset == 'all'")))
    else:
        _systems(run)
    show.provenance(run.result or run.comparisons[0])


def _systems(run: scale.Opened) -> None:
    names = dict.fromkeys([*(comparison.measure for comparison in run.plan.compare), *run.plan.measures])
    ranking = [name for name in names if parse(name).card.better == "higher"] or list(names)
    cutoffs = {str(k): k for k in run.plan.settings.k}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = controls.select("Measure", ranking, "streamed_measure", filter_mode="contains")
        cutoff = cutoffs[controls.select("Cutoff k of this run", cutoffs, "streamed_k", len(cutoffs) - 1)]
    show.small(parse(measure).card.sentence)
    name = named(measure, cutoff)
    comparison = next((test for test in run.comparisons if test.frame["measure"].eq(name).any()), None)
    if comparison is not None:
        show.answer(answers.of_comparison(comparison, name), run.plan.names.systems)
    if run.result is not None:
        result = replace(run.result, frame=run.result.frame.query("subset == 'all'"))
        if measure in run.plan.measures and has_curve(measure) and len(cutoffs) > 1:
            show.chart(curves.over_k(result, measure, curves.Marks(cutoff)), "streamed_chart")
        at_cutoff = [named(other, cutoff) for other in run.plan.measures]
        tables.table(screen_tables.with_intervals(result, at_cutoff), "streamed_measures", result.documents)
        results.reasons(screen_tables.only(result, at_cutoff))
    if comparison is not None:
        show.subheader(f"Is the difference in {show.plain(name)} significant?")
        systems.tested(comparison, name)
    else:
        st.caption("This run contains no tests of pairs for this measure; run kpscope compare to obtain them.")


def _agreement(run: scale.Opened, result: kp.Result) -> None:
    people = run.plan.names.annotators
    groups = {"all": ["all"], "each": list(people), "pairs": [*{*result.frame["system"]}.difference(["all", *people])]}
    measures = {group: list(where(result.frame, system=names)["measure"].unique()) for group, names in groups.items()}
    titled = {"All annotators": screen_tables.rows_where(result, "all", measures["all"])}
    if "K" in measures["each"]:
        titled["Each annotator"] = screen_tables.each_annotator(result, people, measures["each"])
    if measures["pairs"]:
        titled["Each pair of annotators"] = screen_tables.pairs_of_annotators(result, people, measures["pairs"])
    for title, table in titled.items():
        show.subheader(title)
        tables.table(table, f"streamed {title}", result.documents)
