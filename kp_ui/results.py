"""Arrange what the result pages share: what is loaded, the choice of a measure, marks on the charts, table columns."""

from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots
from kp_core.charts.curves import Marks
from kp_core.charts.screen_tables import FEW, styled
from kp_core.charts.selection import has_curve
from kp_core.charts.style import distinct, short
from kp_core.errors import Note
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.systems import shallowest
from kp_core.typeset import digits_of
from kp_ui import controls, kept, prose, show, sidebar, workspace

#: The measures people ask for first; the rest of the registry follows.
FIRST = ("F1@k", "P@k", "R@k", "kappa", "P_pos", "PABAK", "MAP", "MRR", "nDCG@k", "Rprec")

#: Longer names of systems are shown without their middle.
_LONGEST = 32

#: Tables of up to so many rows are shown whole.
WHOLE = 30


def measures(family: Iterable[str] = ("overlap", "ranking", "concordance")) -> list[str]:
    """Return the measures that rank systems, the common ones first."""
    ranking = [name for name, one in kp.MEASURES.items() if one.better == "higher" and one.family in set(family)]
    return [name for name in FIRST if name in ranking] + [name for name in ranking if name not in FIRST]


def choose_measure(options: list[str]) -> str:
    """Let the user choose a measure, and say what it answers; it is part of the link."""
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    # Without format_func: a link holds an option as it is shown, and is to read `?measure=MAP`.
    chosen = controls.select("Measure", options, "measure", inside=left, filter_mode="contains")
    right.markdown(show.plain(kp.MEASURES[chosen].sentence))
    return chosen


def open_page(title: str, needs_systems: bool = True, needs_gold: bool = True) -> None:
    """Open a result page: its title and what is loaded; without what it needs, point to the Data page and stop."""
    corpus = workspace.current().corpus
    st.title(title, anchor=False)
    sides = {"document": corpus.documents, "annotator": corpus.annotators, "system": corpus.systems}
    whose = "Sample data" if workspace.current().sample else "Your files"
    parts = [whose, *(show.counted(len(side), name) for name, side in sides.items())]
    st.caption(f"{' · '.join(parts)} · {show.plain(sidebar.cutoff_in_words())}")
    if needs_gold and not len(corpus.gold):
        lacks("No gold standard is loaded yet, so there is nothing to compare with. Add the keyphrases of people.")
        st.stop()
    if needs_systems and not corpus.systems:
        lacks("No system output is loaded yet, so there is nothing to score. Add the ranked phrases of a system.")
        st.stop()


def ids_that_do_not_meet(notes: Iterable[Note]) -> None:
    """Say aloud that lists meet no documents although a fix would match their ids: every number is wrong till then."""
    for note in notes:
        if note.level == "warning" and note.where == "ids":
            st.warning(show.plain(f"{note.message[:1].upper()}{note.message[1:]}. Apply it on the Data page."))
            st.page_link("pages/data.py", label="Open the Data page")


def lacks(words: str) -> None:
    """Say what is missing and what to do about it, with the way there."""
    st.info(words)
    st.page_link("pages/data.py", label="Open the Data page")


def marks() -> Marks:
    """Return the cutoffs to mark on a curve over k."""
    return Marks(sidebar.cutoff(), sidebar.cutoff_of_average(), shallowest(prepare(workspace.current().corpus)))


def people() -> bool:
    """Let the user put people beside the systems, where there are several annotators."""
    if len(workspace.current().corpus.annotators) < 2:
        return False
    chosen = controls.switch("Compare with people (human ceiling)", "people")
    if chosen:
        choice = "majority" if st.session_state["annotators"] == "majority" else "union"
        st.caption(prose.text("people.alike", choice=choice))
    return chosen


def about_baselines(cutoff: int | str) -> None:
    """Say what the grey rows are at a cutoff."""
    text = prose.text("results.baselines")
    if cutoff == "all":
        text += " At k = all, random k and oracle k return every phrase of the universe."
    st.caption(text)


def chart_over_k(result: kp.Result, measure: str, key: str) -> None:
    """Show a measure over k, or as bars at the cutoff in use where k plays no part."""
    if has_curve(measure):
        show.chart(curves.over_k(result, measure, marks()), key)
    else:
        show.chart(dots.bars(result.at(sidebar.cutoff()), measure), key)


def where_no_mark() -> None:
    """Say why a curve has no mark where the cutoff differs by document."""
    if isinstance(sidebar.cutoff(), str):
        st.caption("The cutoff in use differs from document to document, so it has no place of its own on the k axis.")


def link_to_system(board: pd.DataFrame, event: Any, systems: list[str], measure: str) -> None:
    """Link from the selected row of a table of systems to that system's documents."""
    rows = event["selection"]["rows"] if event else []
    name = str(board["system"].iloc[rows[0]]) if rows and rows[0] < len(board) else ""
    if name in systems:
        label = f"Open the documents of {show.plain(name)}"
        st.page_link("pages/documents.py", label=label, query_params={"system": name, "measure": measure})
    else:
        st.caption("Select a system to read its phrases, document by document.")


def table_of_documents(frame: pd.DataFrame, key: str) -> None:
    """Show a table with a document a row; one that is selected has a link, to which the sidebar adds its settings."""
    event = table(frame, key, on_select="rerun", selection_mode="single-row")
    rows = event["selection"]["rows"] if event else []
    if rows and rows[0] < len(frame):
        document = str(frame["document"].iloc[rows[0]])
        label = f"Open {show.plain(document)} on the Documents page"
        st.page_link("pages/documents.py", label=label, query_params={"document": document})


def table(frame: pd.DataFrame, key: str, documents: int = FEW, **options: Any) -> Any:
    """Show a table of results: numbers with three digits, help on every measure, baselines in grey.

    A long table shows ten rows and scrolls, so that what follows stays within reach.
    """
    kept.table(frame)
    whole = len(frame) <= WHOLE
    frame = _with_short_names(frame)
    return st.dataframe(
        styled(frame, documents) if len(frame) <= 200 else frame,
        key=key,
        hide_index=True,
        placeholder="undefined",
        column_config=_columns(frame),
        **{"height": "content" if whole else "auto", **options},
    )


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which long names of systems leave room for the numbers; downloads have them whole."""
    named = [name for name in ("system", "system A", "system B") if name in frame]
    known = pd.unique(frame[named].to_numpy().ravel())
    if not any(len(name) > _LONGEST for name in known):
        return frame
    shown = dict(zip(known, distinct(short(name, _LONGEST) for name in known), strict=True))
    return frame.assign(**{name: frame[name].map(shown) for name in named})


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the configuration of columns named after measures, and of the others by their kind."""
    found: dict[str, Any] = {}
    for name in frame.columns:
        sentence: str | None
        try:
            sentence = show.plain(parse(name).measure.sentence)
        except kp.UsageError:
            sentence = HELP.get(name)
        if pd.api.types.is_float_dtype(frame[name]):
            shown, decimals = short(str(name), 40), digits_of(str(name))
            found[name] = st.column_config.NumberColumn(shown, format=f"%,.{decimals}f", help=sentence)
        elif pd.api.types.is_integer_dtype(frame[name]):
            found[name] = st.column_config.NumberColumn(name, format="%,d", help=sentence)
        elif sentence or "interval" in str(name):
            # Digits are fixed, so on the right the decimal points stand below each other, with a minus sign too.
            alignment: Literal["right"] | None = "right" if "interval" in str(name) else None
            found[name] = st.column_config.Column(name, help=sentence, alignment=alignment)
    if "system" in frame:
        found["system"] = st.column_config.TextColumn("system", pinned=True)
    if "what it says" in frame:
        found["what it says"] = st.column_config.TextColumn("what it says", width=260)
    if "" in frame:
        found[""] = st.column_config.TextColumn("", width=36, help=HELP[""])
    return found


#: What the columns that are no measures say.
HELP = prose.entries("columns")
