"""Arrange what the result pages share: what is loaded, the choice of a measure, marks on the charts, table columns."""

import re
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any, Literal

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.charts.curves import Marks
from kp_core.charts.screen_tables import FEW, best_systems, styled
from kp_core.charts.style import distinct, short
from kp_core.errors import Note
from kp_core.scoring.counts import HUMANS, longest_lists
from kp_core.scoring.measures import parse
from kp_core.scoring.prepare import prepare
from kp_core.scoring.runs import runs_of
from kp_core.studies.answer import Answer
from kp_core.studies.result import Numbers
from kp_core.typeset import digits_of
from kp_ui import cached, controls, link, prose, settings, show, workspace

#: Longer names of systems are shown without their middle.
_LONGEST = 24

#: Up to so many annotators stand beside the systems unasked: with more, leaving each out takes too long.
FEW_PEOPLE = 20
#: Tables of up to so many rows are shown whole.
WHOLE = 30


def open_page(title: str, needs_systems: bool = True, needs_gold: bool = True, every: bool = False) -> None:
    """Open a result page with its title; without what it needs, say so, point to what can be opened, and stop.

    every: whether the page shows all data sets where all are chosen
    """
    corpus = workspace.corpus()
    st.title(title, anchor=False)
    if not every:
        one_dataset("page")
    if needs_gold and not len(corpus.gold):
        lacks("No gold standard is loaded yet, so there is nothing to compare with. Add the keyphrases of people.")
        st.stop()
    if needs_systems and not corpus.systems:
        lacks("No system output is loaded yet, so there is nothing to score. Add the ranked phrases of a system.")
        if len(corpus.annotators) > 1:
            link.to("annotators", "See how far the annotators agree", icon=":material/groups:")
        if corpus.has_texts:
            label = "Or let KPScope extract phrases from these texts"
            link.to("data", label, data_tab="Extract phrases")
        st.stop()


def one_dataset(what: str) -> None:
    """Say which data set a page or tab shows where all are chosen and it shows one."""
    if workspace.all_datasets():
        show.small(f"This {what} is of one data set: {workspace.dataset()}. Choose another one beside.")


def in_short(text: str, systems: Iterable[str] = ()) -> str:
    """Return a sentence with long names of systems without their middle, and measures as a reader meets them."""
    names = sorted(systems or workspace.corpus().systems, key=len, reverse=True)
    if not names:
        return show.in_heads(text)
    shown = dict(zip(names, distinct(short(name, _LONGEST) for name in names), strict=True))
    parts = re.split(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)", text)
    return "".join(shown[part] if part in shown else show.in_heads(part) for part in parts)


def answer(said: Answer, systems: Iterable[str] = ()) -> None:
    """Show the answer of a page, with names that leave it on one line."""
    claim, why, *caveats = (in_short(text, systems) for text in (said.claim, said.why, *said.caveats))
    named = tuple(in_short(name, systems) for name in said.systems)
    show.answer(replace(said, claim=claim, why=why, systems=named, caveats=tuple(caveats)))


def with_people(here: kp.Result) -> kp.Result:
    """Return values of systems with those of people beside them: each annotator against the others, where few are."""
    if not 1 < len(workspace.corpus().annotators) <= FEW_PEOPLE:
        return here
    # People choose sets, so their values are the same at every cutoff, and one is asked for, whatever k is.
    asked = cached.unless_too_small(settings.settings().changed(k="all"))
    found = cached.ask(kp.evaluate, asked.changed(annotators="others"), (settings.value("measure"),))
    named = {name: here.frame[name].iloc[0] for name in ("measure", "k")}
    rows = found.frame[found.frame["system"] == HUMANS].assign(**named)
    return replace(here, frame=pd.concat([here.frame, rows], ignore_index=True))


def best_first() -> list[str]:
    """Return the systems, the one with the highest value of the measure in use first."""
    values = cached.measure_in_use().at(settings.cutoff())
    return best_systems(values, settings.value("measure"), workspace.corpus().systems)


def ids_that_do_not_meet(notes: Iterable[Note]) -> None:
    """Say aloud that lists meet no documents although a fix would match their ids: every number is wrong till then."""
    for note in notes:
        if note.level == "warning" and note.where == "ids":
            st.warning(show.plain(f"{note.message[:1].upper()}{note.message[1:]}. Apply it on the Data page."))
            link.to("data", "Open the Data page")


def lacks(words: str) -> None:
    """Say what is missing and what to do about it, with the way there."""
    st.info(words)
    link.to("data", "Open the Data page")


def marks() -> Marks:
    """Return the cutoffs to mark on a curve over k."""
    return Marks(settings.cutoff(), settings.cutoff_of_average(), longest_lists(prepare(workspace.corpus())))


def people() -> bool:
    """Let the user put people beside the systems, where there are several annotators."""
    if len(workspace.corpus().annotators) < 2:
        return False
    chosen = controls.switch("Compare with people (human ceiling)", "people")
    if chosen:
        choice = "majority" if settings.value("annotators") == "majority" else "union"
        show.about("people.alike", choice=choice)
    return chosen


def few(result: Numbers) -> None:
    """Say where there are too few documents for the intervals."""
    if result.documents < FEW:
        st.caption("There are too few documents for the intervals to be reliable.")


def reasons(result: kp.Result) -> None:
    """Say why values of a result are undefined."""
    for reason in screen_tables.reasons(result):
        show.small(reason)


def about_baselines(cutoff: int | str) -> None:
    """Say what the grey rows are at a cutoff."""
    text = prose.text("results.baselines")
    if cutoff == "all":
        text += " At k = all, random k and oracle k return every phrase of the universe."
    st.caption(text)


def where_no_mark() -> None:
    """Say why a curve has no mark where the cutoff differs by document."""
    if isinstance(settings.cutoff(), str):
        st.caption("The cutoff in use differs from document to document, so it has no place of its own on the k axis.")


def open_documents(system: str, systems: list[str]) -> None:
    """Open the documents of a system that was clicked in a chart; people and baselines have none."""
    runs = runs_of(systems)
    if system in runs:
        link.go("documents", system=runs[system][0])


def system_of(run: str) -> str:
    """Return the system that a run is of: itself where it has no other."""
    return next(name for name, runs in runs_of(workspace.corpus().systems).items() if run in runs)


def links_to_documents(systems: list[str]) -> None:
    """Offer the documents of every system, for those who do not click in charts."""
    with st.popover("Open documents", icon=":material/description:"):
        for name in systems:
            link.to("documents", show.plain(name), system=name)


def table_of_documents(frame: pd.DataFrame, key: str) -> None:
    """Show a table with a document a row; one that is selected has a link, to which the address adds the settings."""
    event = table(frame, key, on_select="rerun", selection_mode="single-row")
    rows = event["selection"]["rows"] if event else []
    if rows and rows[0] < len(frame):
        document = str(frame["document"].iloc[rows[0]])
        label = f"Open {show.plain(document)} on the Documents page"
        link.to("documents", label, document=document)


def table(
    frame: pd.DataFrame, key: str, documents: int = FEW, best: Container[tuple[str, str]] = (), **options: Any
) -> Any:
    """Show a table of results: numbers with three digits, help on every measure, baselines in grey.

    A long table shows ten rows and scrolls, so that what follows stays within reach.
    """
    show.note_table(frame)
    whole = len(frame) <= WHOLE
    frame = _with_short_names(frame)
    for name in frame.select_dtypes("float").columns.intersection(["p", "p after Holm", "p after Benjamini-Hochberg"]):
        if (frame[name] < 0.001).any():
            shown = [None if pd.isna(p) else "< 0.001" if p < 0.001 else f"{p:.3f}" for p in frame[name]]
            frame = frame.assign(**{name: shown})
    for name in frame.select_dtypes("float"):  # what would be read as -0.000 is zero
        frame = frame.assign(**{name: frame[name].mask(frame[name].between(-0.5 * 10.0 ** -digits_of(name), 0), 0.0)})
    return st.dataframe(
        styled(frame, documents, best) if len(frame) <= 200 else frame,
        key=key,
        hide_index=True,
        placeholder="undefined",
        column_config=_columns(frame),
        **{"height": "content" if whole else "auto", **options},
    )


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which long names of systems leave room for the numbers; downloads have them whole."""
    named = [name for name in ("system", "better", "worse") if name in frame]
    known, most = pd.unique(frame[named].to_numpy().ravel()), _LONGEST // max(1, len(named)) + 2
    if not any(len(name) > most for name in known):
        return frame
    shown = dict(zip(known, distinct(short(name, most) for name in known), strict=True))
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
            shown, decimals = short(show.head(str(name)), 40), digits_of(str(name))
            found[name] = st.column_config.NumberColumn(shown, format=f"%,.{decimals}f", help=sentence)
        elif pd.api.types.is_integer_dtype(frame[name]):
            found[name] = st.column_config.NumberColumn(name, format="%,d", help=sentence)
        elif sentence or "interval" in str(name):
            # Digits are fixed, so on the right the decimal points stand below each other, with a minus sign too.
            number = "interval" in str(name) or str(name)[:2] in ("p", "p ")
            alignment: Literal["right"] | None = "right" if number else None
            found[name] = st.column_config.Column(show.head(str(name)), help=sentence, alignment=alignment)
    if "system" in frame:
        found["system"] = st.column_config.TextColumn("system", pinned=True)
    if "" in frame:
        found[""] = st.column_config.TextColumn("", width=36, help=HELP[""])
    return found


#: What the columns that are no measures say.
HELP = prose.entries("columns")
