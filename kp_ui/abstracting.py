"""Arrange the Sentence study page: sentences and their attributes, the study over thresholds, the tree, baselines."""

from __future__ import annotations

import hashlib
from typing import cast

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core import charts
from kp_core.charts import study_tables
from kp_core.errors import Note
from kp_core.reading import Source
from kp_core.reading.attribute_tables import load_attributes
from kp_core.scoring.codes import Ints
from kp_core.scoring.sentence_ids import names_sentences, sentence_id
from kp_core.studies.sentence_study.attributes import ATTITUDE_WORDS, attributes
from kp_core.studies.sentence_study.extracts import Extracts, extracts
from kp_core.studies.sentence_study.protocol import (
    FOLDS,
    MOST_YES,
    NO_PER_YES,
    REPEATS,
    TREE,
    Outcome,
    Plan,
    at_majority,
)
from kp_core.studies.sentence_study.thresholds import MEASURES, assemble
from kp_core.studies.sentence_study.trees import rules
from kp_core.studies.trimming import FORMS, Form
from kp_core.studies.trimming_curve import THRESHOLDS
from kp_ui import cached, intake, results, show, workspace
from kp_ui.workspace import Workspace

_GIVEN, _ASKED = "given_attributes", "sentence_studies"
#: Fewer draws than the source, so that the first answer comes within seconds.
_DRAWS = ("5", "10", str(REPEATS), "50")


def data() -> Workspace:
    """Return the data of the study: those on screen, or the extracts that belong to the sample lectures."""
    here = workspace.current()
    if here.sample == "lectures":
        here = workspace.beside("extracts")
        st.caption(
            "The sample on screen names keyphrases; this page takes the sentences that the same made-up "
            "annotators chose from the same lectures."
        )
        st.button(
            "Show these extracts on every page", on_click=workspace.open_sample, args=("extracts",), key="open_extracts"
        )
    if not here.corpus.has_texts:
        results.lacks("The study needs the texts of the documents, and none are loaded.")
        st.stop()
    return here


def sentences(here: Workspace) -> None:
    """Show every sentence with its id and attributes, for people to choose from, and take given attributes."""
    try:
        table, notes = _attributes(_digest(here, _given_digest()), here.corpus, _given())
    except kp.InputError as problem:
        show.error(problem)
    else:
        example = sentence_id(str(table["doc_id"].iloc[0]), 3)
        st.markdown(
            f"{show.counted(len(table), 'sentence')}. To annotate, write the ids that each person chooses into a table "
            f"with the columns doc\\_id, annotator, sentence, such as {show.plain(example)}, and load it as gold "
            "standard together with the texts. Every page about annotators then takes sentences like phrases."
        )
        results.table(table, "sentence_attributes", height=420)
        show.downloads(table, "sentences", "Sentences and their attributes")
        show.notes(notes)
    with st.expander("Attributes of your own", expanded=_GIVEN in st.session_state):
        st.caption(
            "A table with the column sentence, and any of the attributes above under the same names, takes the "
            "place of what is computed here; empty cells count as 0."
        )
        st.file_uploader(
            "A table of attributes",
            ["csv", "tsv", "txt"],
            key="attributes_file",
            on_change=_take,
            max_upload_size=intake.megabytes(),
        )
        if _GIVEN in st.session_state:
            st.caption(show.plain(f"In use: {st.session_state[_GIVEN].name}."))
            st.button("Compute all attributes again", on_click=_forget, key="forget_attributes")


def _take() -> None:
    file = st.session_state.get("attributes_file")
    if file is not None:
        st.session_state[_GIVEN] = Source(file.name, file.getvalue())


def _forget() -> None:
    del st.session_state[_GIVEN]


def _given() -> pd.DataFrame | None:
    return load_attributes([st.session_state[_GIVEN]]) if _GIVEN in st.session_state else None


def _given_digest() -> str:
    return hashlib.sha256(st.session_state[_GIVEN].data).hexdigest() if _GIVEN in st.session_state else ""


def _digest(here: Workspace, *parts: object) -> str:
    return cached.digest_of("sentence study", here.digest, *parts)


@st.cache_data(scope="session", max_entries=5, show_spinner="Reading the sentences …")
def _attributes(digest: str, _corpus: kp.Corpus, _given: pd.DataFrame | None) -> tuple[pd.DataFrame, list[Note]]:
    return attributes(_corpus, _given)


@st.cache_data(scope="session", max_entries=5, show_spinner="Reading the sentences …")
def _extracts(digest: str, _corpus: kp.Corpus, _given: pd.DataFrame | None, _form: Form) -> Extracts:
    return extracts(_corpus, _given, _form)


@st.cache_data(scope="session", max_entries=200, show_spinner=False)
def _outcome(digest: str, _found: Extracts, _majority: Ints, _how: Plan) -> Outcome:
    return at_majority(_found, _majority, _how)


@st.cache_data(scope="session", max_entries=5, show_spinner="Putting the curve together …")
def _study(digest: str, _found: Extracts, _outcomes: dict[float, Outcome], _how: Plan) -> kp.SentenceStudy:
    return assemble(_found, _outcomes, _how)


def choose(here: Workspace) -> tuple[kp.SentenceStudy, str, float] | None:
    """Let the user choose options and start the study; return it with a measure and a threshold once it is done."""
    if not names_sentences(here.corpus):
        st.info(
            "The gold standard on screen names no sentences. See under “Sentences” what ids they have and how to "
            "annotate them, or open the sample extracts."
        )
        st.button("Open the sample extracts", on_click=workspace.open_sample, args=("extracts",), key="to_extracts")
        return None
    columns = st.columns([2, 2, 2, 2, 3], vertical_alignment="bottom")
    measure = str(
        columns[0].selectbox(
            "Measure",
            list(MEASURES),
            list(MEASURES).index("F1"),
            key="of_yes",
            bind="query-params",
            help=_MEASURES_HELP,
        )
    )
    draws = str(columns[1].selectbox("Draws", _DRAWS, key="draws", bind="query-params", help=_DRAWS_HELP))
    form = cast(Form, columns[2].selectbox("Form of trimming", FORMS, key="study_form", bind="query-params"))
    seed = columns[3].number_input("Seed", 0, 2**31 - 1, 0, key="study_seed", bind="query-params", help=_SEED_HELP)
    grouped = columns[4].toggle("Keep documents whole", key="grouped", bind="query-params", help=_GROUPED_HELP)
    how = Plan(form, int(draws), bool(grouped), int(seed))
    threshold = float(
        st.select_slider(
            "Look at the threshold of K", [f"{one:.2f}" for one in THRESHOLDS], "0.50", key="at", bind="query-params"
        )
    )
    study = _run(here, how)
    return None if study is None else (study, measure, threshold)


_MEASURES_HELP = (
    "accuracy: share of the sentences that were told right. P, R and F1: precision, recall and their balance for "
    "“yes”, the sentences that the annotators chose. kappa: agreement beyond chance."
)
_DRAWS_HELP = (
    f"How often {MOST_YES} “yes” and {MOST_YES * NO_PER_YES} “no” are drawn at each threshold and cross-validated. "
    f"{REPEATS} is the protocol; fewer are faster and less certain."
)
_SEED_HELP = (
    "Another number draws other sentences and folds; the same number always draws the same. It is in the signature."
)
_GROUPED_HELP = "A tree is tested on documents that it has not learned from. Stricter than the source."


def _stop(asked: dict[str, bool], wanted: str) -> None:
    asked.pop(wanted, None)


def _run(here: Workspace, how: Plan) -> kp.SentenceStudy | None:
    """Run the study where that was asked for, threshold by threshold, so that it can be stopped between two."""
    parts = (_given_digest(), how)
    asked: dict[str, bool] = st.session_state.setdefault(_ASKED, {})  # what was asked for → whether it is done
    wanted = _digest(here, *parts)
    if wanted not in asked:
        st.button("Run the study", type="primary", on_click=asked.update, args=({wanted: False},), key="run_study")
        number, seconds = show.counted(len(kp.list_sentences(here.corpus)), "sentence"), 2 * how.repeats + 5
        st.caption(
            f"{number}, {len(THRESHOLDS)} thresholds, {how.repeats} draws at each: about {seconds} seconds on the "
            "sample. The study can be stopped, and goes on from there."
        )
        return None
    found = _extracts(_digest(here, _given_digest(), how.form), here.corpus, _given(), how.form)
    outcomes, place, bar = {}, st.empty(), None
    if not asked[wanted]:
        with place.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0, "Growing trees …")
            st.button("Stop", on_click=_stop, args=(asked, wanted), key="stop_study")
    for done, threshold in enumerate(THRESHOLDS):
        if bar is not None:
            bar.progress(done / len(THRESHOLDS), f"K ≥ {threshold:g}: {how.repeats} draws, {FOLDS} trees each")
        majority = found.majority(threshold)
        outcomes[threshold] = _outcome(_digest(here, *parts, majority.tolist()), found, majority, how)
    place.empty()
    asked[wanted] = True
    return _study(wanted, found, outcomes, how)


def curve(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    """Show the curve over thresholds, and what is left at each."""
    st.markdown(f"#### {show.plain(study_tables.finding(study, measure, threshold))}")
    show.chart(charts.over_agreement(study, measure, threshold), "over_agreement")
    st.caption(
        "Blue band: 95 % interval of the tree over documents, with the trees as they are. Grey band: 95 % of "
        "the draws after random trimming: as many sentences leave the gold standard as in trimming, but at "
        "random: only above it has agreement helped. All draws have the same size as long as 40 sentences are "
        "“yes”."
    )
    with st.expander("What is left at every threshold"):
        results.table(study.left.assign(reason=study.left["reason"].fillna("")), "left_for_study")
        st.caption("Dropped: documents whose annotators do not reach the threshold whatever is removed.")
    show.downloads(study.frame, "sentence_study", "Sentence study", study.signature)


def tree(study: kp.SentenceStudy, threshold: float) -> None:
    """Show the tree of the first draw at a threshold, drawn and as rules."""
    if threshold not in study.trees:
        return
    st.subheader(f"What the tree asks at K ≥ {threshold:g}", anchor=False)
    nodes = study.trees[threshold]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show.chart(charts.tree(nodes), "tree")
        st.caption(
            "The tree of the first draw. Solid lines: the condition holds; dotted: it does not. Numbers: "
            "sentences “yes” : “no” of the draw that get there."
        )
    with right:
        table = rules(list(nodes))
        rows = table.itertuples()
        st.markdown("\n".join(f"- **{row.decision}** ({row.yes} : {row.no}) if {show.plain(row.rule)}" for row in rows))
        show.downloads(table, "rules", f"Rules of the tree at K ≥ {threshold:g}", study.signature)


def beside(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    """Show the baselines, the attributes used, and the document types at a threshold."""
    if threshold not in study.trees:
        return
    st.subheader(f"Beside simple choices, at K ≥ {threshold:g}", anchor=False)
    results.table(study_tables.study_systems(study, threshold), "study_systems")
    st.caption(
        "All decide on the sentences that were drawn. Majority class: always “no”. Lead: the first tenth of "
        "each text. Random: a tenth of each text at random."
    )
    table = study_tables.study_types(study, measure, threshold)
    if len(table):
        st.subheader(f"By document type, at K ≥ {threshold:g}", anchor=False)
        results.table(table, "study_types")
        st.caption(f"{measure} of the same trees on the sentences of one type.")
    st.subheader("Attributes that the trees use", anchor=False)
    show.chart(charts.used(study), "attributes_used")
    show.downloads(study.used, "attributes_used", "Attributes that the trees use", study.signature)


def assumed() -> None:
    """Say what is reconstructed and assumed."""
    with st.expander("What is reconstructed or assumed"):
        st.markdown(
            f"The study follows Nomoto and Matsumoto 1997, whose result tables are not available, so nothing here can "
            f"be compared with their numbers. The learner is scikit-learn's decision tree with entropy, at least two "
            f"sentences a leaf, and a pruning strength chosen inside the training folds. It is called {TREE} because "
            f"it is not C4.5: no gain ratio, and another pruning. The draws ({MOST_YES} “yes”, "
            f"{MOST_YES * NO_PER_YES} “no”) and the {FOLDS} folds are as reported; repeating them is ours, and so is "
            "random trimming."
        )
        show.plain_table(study_tables.attribute_definitions(), "attribute_definitions")
        st.caption(
            "Nouns are found for English texts only. F: count of the noun in the sentence, MAX\\_F: the largest "
            "count there, N: sentences of the text, DF: those that have the noun."
        )
        st.caption(show.plain(f"Words of attitude: {ATTITUDE_WORDS}."))
