"""Keep the statistics of a streamed run with the session, and show them: values, pairs, annotators, documents."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

import kp_core as kp
from kp_core import scale
from kp_core.charts import curves, dots, screen_tables
from kp_core.charts.curves import Marks
from kp_core.charts.selection import has_curve, named
from kp_core.reading import Source
from kp_core.scoring.counts import BASELINES
from kp_core.scoring.measures import parse
from kp_core.studies.document_values import DocumentView
from kp_core.words import answers
from kp_ui.parts import documents, results, systems
from kp_ui.state import cached, link, workspace
from kp_ui.widgets import controls, prose, show, tables

_OPENED, _PROBLEM = "streamed", "streamed_problem"
#: What the Overview may show.
VIEWS = ("These data", "Streamed run")
#: So many documents are fetched at once.
MOST = 20
#: How a file of statistics is made.
COMMANDS = """kpscope compare  --gold gold.parquet --system runs.parquet --measures F1@k,MAP --k 1-10 \\
                 --stream --save-statistics pairs.npz
kpscope evaluate --gold gold.parquet --system runs.parquet --k 1-10 --baselines \\
                 --stream --save-statistics values.npz"""


def take(files: Sequence[Source]) -> None:
    """Open the last of some files of statistics; it takes the place of the one before."""
    for file in files[-1:]:
        st.session_state[_PROBLEM] = ""
        try:
            st.session_state[_OPENED] = scale.open_statistics(file)
        except kp.InputError as refusal:
            st.session_state[_PROBLEM] = str(refusal)


def opened() -> scale.Opened | None:
    """Return the run that is open in this session."""
    return cast("scale.Opened | None", st.session_state.get(_OPENED))


def listed() -> None:
    """Say on the Data page which run is open, or why a file of statistics was refused."""
    if problem := st.session_state.get(_PROBLEM, ""):
        st.error(f"Not opened: {show.plain(problem)}")
    run = opened()
    if run is None:
        return
    with st.container(border=True):
        name, gone = st.columns([10, 1], vertical_alignment="bottom")
        with name:
            st.text(f"{run.name}, statistics of a streamed run")
            link.to("overview", "Open it on the Overview", what=VIEWS[1])
        controls.button("✕", "remove streamed", st.session_state.pop, _OPENED, inside=gone, help="Remove")


def is_chosen() -> bool:
    """Let the user choose between the loaded data and the run, where one is open; tell whether it is the run."""
    asked = link.chosen().get("what") == VIEWS[1]
    if opened() is None:
        return asked
    return controls.views("What is shown", VIEWS, "what") == VIEWS[1]


def overview() -> None:
    """Show what a streamed run says: values, pairs, annotators, and single documents."""
    run = opened()
    if run is None:
        _how_to()
        return
    names = run.plan.names
    parts = [run.name, show.counted(run.documents, "document"), show.counted(len(names.annotators), "annotator")]
    parts += [show.counted(len(names.systems), "system")] if names.systems else []
    show.small(" · ".join(parts))
    show.about("streamed.about", intervals=_INTERVALS.get(run.plan.settings.interval, ""))
    result, used = run.result, run.plan.settings
    if run.plan.agreement is not None and result is not None:
        _agreement(run, result)
    else:
        measure, cutoff = choose(run)
        name, used = named(measure, cutoff), used.changed(k=cutoff)
        tests = (one for one in run.comparisons if len(one.frame) and one.frame["measure"].iloc[0] == name)
        comparison = next(tests, None)
        if comparison is not None:
            results.answer(answers.of_comparison(comparison, name), names.systems)
        if result is not None:
            result = of_one_average(result)
            if measure in run.plan.measures:
                _values(result, measure, cutoff)
            with st.expander(f"All measures at k = {cutoff}"):
                _all_measures(run, result, measure, cutoff)
        if comparison is not None:
            show.subheader(f"Is the difference in {show.plain(name)} significant?")
            systems.tested(comparison, name)
        else:
            st.caption("This run holds no tests of pairs by this measure; the command kpscope compare makes them.")
    _documents_of(run, used)
    if run.result is not None or run.comparisons:
        show.recipe(run.result or run.comparisons[0])


def _how_to() -> None:
    st.info("Nothing is open here yet. Drop a file of statistics (.npz) on the Data page.")
    link.to("data", "Open the Data page")
    st.markdown(prose.text("streamed.why"))
    st.code(COMMANDS, language=None)
    show.about("streamed.commands")


#: Kind of interval → how it was found.
_INTERVALS = prose.entries("intervals")


def choose(run: scale.Opened) -> tuple[str, int | str]:
    """Let the user choose a measure and a cutoff of the run, and say what the measure answers."""
    names = dict.fromkeys([*(one.measure for one in run.plan.compare), *run.plan.measures])
    ranking = [name for name in names if parse(name).measure.better == "higher"] or list(names)
    left, middle, right = st.columns([2, 1, 3], vertical_alignment="bottom")
    measure = controls.select("Measure", ranking, "streamed_measure", inside=left, filter_mode="contains")
    cutoffs = {str(k): k for k in run.plan.settings.k}
    last = len(cutoffs) - 1
    cutoff = cutoffs[controls.select("Cutoff k of this run", cutoffs, "streamed_k", last, inside=middle)]
    right.markdown(show.plain(parse(measure).measure.sentence))
    return measure, cutoff


def whole_of(result: kp.Result) -> kp.Result:
    """Return the rows about all documents, without those about document types."""
    return replace(result, frame=result.frame[result.frame["subset"] == "all"])


def of_one_average(result: kp.Result) -> kp.Result:
    """Return the rows of one average; where the run holds two, the user chooses."""
    if result.settings.average != "both":
        return result
    chosen = controls.select("Average", result.frame["average"].unique(), "streamed_average", width=220)
    has = result.frame.groupby("measure")["average"].transform(lambda own: chosen in set(own))
    return replace(result, frame=result.frame[~has | (result.frame["average"] == chosen)])


def _values(result: kp.Result, measure: str, cutoff: int | str) -> None:
    name, whole = named(measure, cutoff), whole_of(result)
    curve = has_curve(measure) and len(result.settings.k) > 1
    here = whole.at(cutoff) if has_curve(measure) else whole
    left, right = st.columns([4, 3], gap="medium")
    with left:
        show.chart(dots.leaderboard(here, measure), "streamed_leaderboard")
        board = screen_tables.leaderboard(here, measure, (), None)
        if set(here.frame["system"]) & set(BASELINES):
            results.about_baselines(cutoff)
        show.downloads(board, "streamed_leaderboard", f"Systems by {name}", here.signature)
    with right:
        if curve:
            show.chart(curves.over_k(whole, measure, Marks(cutoff)), "streamed_chart")
            show.downloads(
                screen_tables.curves(whole, measure), "streamed_over_k", f"{measure} over k", result.signature
            )


def _all_measures(run: scale.Opened, result: kp.Result, measure: str, cutoff: int | str) -> None:
    whole = whole_of(result)
    names = [named(one, cutoff) for one in run.plan.measures]
    tables.table(screen_tables.with_intervals(whole, names), "streamed_measures", result.documents)
    results.reasons(screen_tables.only(whole, names))
    show.downloads(result.frame, "streamed_values", "All values of a streamed run", result.signature)
    by_type = replace(result, frame=result.frame[result.frame["measure"] == named(measure, cutoff)])
    table = screen_tables.by_part(by_type)
    if not table.empty:
        show.subheader("By document type")
        show.chart(dots.by_part(by_type), "streamed_by_type")
        tables.table(table, "streamed_by_type_table", result.documents)


def _agreement(run: scale.Opened, result: kp.Result) -> None:
    people, whole = run.plan.names.annotators, whole_of(result)
    together = result.frame[result.frame["system"] == "all"]
    subsets = {subset.partition(":")[2] or "all": subset for subset in together["subset"].unique()}
    kind = "all"
    if len(subsets) > 1:
        kind = controls.select("Document type", subsets, "streamed_type", width=220)
    names = list(together["measure"].unique())
    shown = {"All annotators": screen_tables.rows_where(result, "all", names, subsets[kind])}
    own = whole.frame[whole.frame["system"].isin(people)]
    if "K" in set(own["measure"]):
        shown["Each annotator"] = screen_tables.each_annotator(whole, people, list(own["measure"].unique()))
    pairs = whole.frame[~whole.frame["system"].isin(["all", *people])]
    if len(pairs):
        shown["Each pair of annotators"] = screen_tables.pairs_of_annotators(
            whole, people, list(pairs["measure"].unique())
        )
    for place, (title, table) in enumerate(shown.items()):
        show.subheader(show.plain(title))
        tables.table(table, f"streamed_agreement_{place}", result.documents)
    show.downloads(result.frame, "streamed_agreement", "Agreement of annotators", result.signature)


def _documents(run: scale.Streamed, settings: kp.Settings, ids: tuple[str, ...]) -> dict[str, DocumentView]:
    corpus = run.documents(ids)
    there = set(corpus.gold["doc_id"])
    return {name: kp.one_document(corpus, settings, document=name) for name in ids if name in there}


def _documents_of(run: scale.Opened, settings: kp.Settings) -> None:
    show.subheader("Single documents")
    root = workspace.shared_folder()
    if root is None or not scale.lies_within(run.plan, root):
        st.markdown(prose.text("streamed.documents"))
        st.code("KPSCOPE_DATA=FOLDER kpscope app", language=None)
        return
    written = st.text_area(
        "Ids of documents, one a line", key="streamed_ids", height=100, help=prose.text("help.streamed_ids", most=MOST)
    )
    every = tuple(dict.fromkeys(line.strip() for line in written.splitlines() if line.strip()))
    asked = every[:MOST]
    if not asked:
        return
    if every[MOST:]:
        st.warning(f"The first {MOST} of {len(every):,} ids are read.")
    with show.refusals():
        _fetched(cached.of((run.run,), run.digest, _documents, settings, asked), asked, run, settings)


def _fetched(found: dict[str, DocumentView], asked: Sequence[str], run: scale.Opened, used: kp.Settings) -> None:
    if missing := [name for name in asked if name not in found]:
        st.warning(show.plain(f"No keyphrase of these documents is in the gold standard: {', '.join(missing)}."))
    if found:
        view = found[controls.select("Document", found, "streamed_document")]
        documents.phrases(view, list(view.lists), {}, list(run.plan.names.annotators), used)
        if view.text:
            with st.expander("Text"):
                show.text(show.plain(view.text))
