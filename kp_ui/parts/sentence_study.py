"""Arrange the Sentence study page: sentences and their attributes, the study over thresholds, the tree, baselines."""

import hashlib

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import heat_maps, over_thresholds, screen_tables
from kp_core.reading import Source
from kp_core.reading.named_tables import load_attributes
from kp_core.scoring.sentence_ids import names_sentences, sentence_id
from kp_core.studies.sentence_study import protocol
from kp_core.studies.sentence_study.attributes import ATTITUDE_WORDS, attributes, extracts
from kp_core.studies.sentence_study.protocol import MEASURES, MOST_YES, NO_PER_YES, Design, rules
from kp_core.studies.trimming import FORMS, THRESHOLDS
from kp_ui.state import cached, workspace
from kp_ui.state.workspace import Workspace
from kp_ui.widgets import controls, prose, show, tables

_GIVEN, _ASKED = "given_attributes", "sentence_studies"
#: Fewer draws than the source, so that the first answer comes within seconds.
_SEEDS = 2**31 - 1
_DRAWS = ("5", "10", str(protocol.REPEATS), "50")


def section() -> None:
    """Show the study, or the sentences that people choose from."""
    st.markdown(prose.text("sentences.study"))
    here = data()
    if here is None:
        return
    if controls.views("Show", ("Study", "Sentences"), "sentence_view") == "Sentences":
        sentences(here)
    elif (found := choose(here)) is not None:
        study, measure, threshold = found
        _curve(study, measure, threshold)
        with st.expander("The tree"):
            _tree(study, threshold)
        with st.expander("Beside baselines"):
            _beside(study, measure, threshold)
        show.recipe(study)
    _assumed()


def data() -> Workspace | None:
    """Return the data of the study: those on screen, or the extracts of the sample lectures; None without texts."""
    here = workspace.current()
    if here.sample == "lectures":
        here = workspace.sample_workspace("extracts")
        show.about("sentences.instead")
        label = "Show these extracts on every page"
        controls.button(label, "open_extracts", workspace.open_sample, "extracts")
    if not here.corpus.has_texts:
        show.lacks("The study needs the texts of the documents, and none are loaded.")
        return None
    return here


def sentences(here: Workspace) -> None:
    """Show every sentence with its id and attributes, for people to choose from, and take given attributes."""
    with show.refusals():
        table, notes = cached.of((here.corpus, _given()), (here.digest, _given_digest()), attributes)
        example = sentence_id(str(table["doc_id"].iloc[0]), 3)
        number = show.counted(len(table), "sentence")
        st.markdown(prose.text("sentences.annotate", sentences=number, example=show.plain(example)))
        tables.table(table, "sentence_attributes", height=420)
        show.downloads(table, "sentences", "Sentences and their attributes")
        show.notes(notes)
    with st.expander("Attributes of your own", expanded=_GIVEN in st.session_state):
        show.about("sentences.attributes")
        controls.upload("A table of attributes", "attributes_file", _take)
        if _GIVEN in st.session_state:
            show.small(f"In use: {st.session_state[_GIVEN].name}.")
            controls.button("Compute all attributes again", "forget_attributes", st.session_state.pop, _GIVEN)


def _take(files: list[Source]) -> None:
    st.session_state[_GIVEN] = files[-1]


def _given() -> pd.DataFrame | None:
    return load_attributes([st.session_state[_GIVEN]]) if _GIVEN in st.session_state else None


def _given_digest() -> str:
    return hashlib.sha256(st.session_state[_GIVEN].data).hexdigest() if _GIVEN in st.session_state else ""


def choose(here: Workspace) -> tuple[kp.SentenceStudy, str, float] | None:
    """Let the user choose options and start the study; return it with a measure and a threshold once it is done."""
    if not names_sentences(here.corpus):
        st.info(prose.text("sentences.no_ids"))
        controls.button("Open the sample extracts", "to_extracts", workspace.open_sample, "extracts")
        return None
    columns = st.columns([2, 2, 2, 2, 3], vertical_alignment="bottom")
    measure = controls.select("Measure", MEASURES, "of_yes", list(MEASURES).index("F1"), inside=columns[0])
    about = prose.text("help.draws", most_yes=MOST_YES, most_no=MOST_YES * NO_PER_YES, repeats=protocol.REPEATS)
    draws = controls.select("Draws", _DRAWS, "draws", inside=columns[1], meaning=about)
    form = controls.select("Form of trimming", FORMS, "study_form", inside=columns[2])
    seed = controls.amount("Seed", 0, _SEEDS, 0, "study_seed", columns[3].number_input)
    grouped = controls.switch("Keep documents whole", "grouped", inside=columns[4])
    how = Design(form, int(draws), grouped, seed)
    at = controls.of_k("Look at the threshold of K", "at")
    study = _run(here, how)
    return None if study is None else (study, measure, at)


def _run(here: Workspace, how: Design) -> kp.SentenceStudy | None:
    """Run the study where that was asked for, threshold by threshold, so that it can be stopped between two."""
    asked: dict[str, bool] = st.session_state.setdefault(_ASKED, {})  # what was asked for → whether it is done
    told = (here.digest, _given_digest(), how)
    wanted = cached.digest_of(told)
    if wanted not in asked:
        controls.button("Run the study", "run_study", asked.update, {wanted: False}, type="primary")
        number, seconds = show.counted(len(kp.list_sentences(here.corpus)), "sentence"), 2 * how.repeats + 5
        show.about("sentences.takes", sentences=number, thresholds=len(THRESHOLDS), draws=how.repeats, seconds=seconds)
        return None
    found = cached.of((here.corpus, _given()), (here.digest, _given_digest()), extracts, how.form)
    outcomes, place, bar = {}, st.empty(), None
    if not asked[wanted]:
        with place.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0, "Growing trees …")
            controls.button("Stop", "stop_study", asked.__delitem__, wanted)
    for done, threshold in enumerate(THRESHOLDS):
        if bar is not None:
            bar.progress(done / len(THRESHOLDS), f"K ≥ {threshold:g}: {how.repeats} draws, {protocol.FOLDS} trees each")
        majority = found.majority(threshold)
        outcomes[threshold] = cached.of((found, majority), (told, majority.tolist()), protocol.at_majority, how)
    place.empty()
    asked[wanted] = True
    return cached.of((found, outcomes), told, protocol.assemble, how)


def _curve(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    st.markdown(f"#### {show.plain(screen_tables.finding(study, measure, threshold))}")
    show.chart(over_thresholds.over_agreement(study, measure, threshold), "over_agreement")
    show.about("sentences.bands")
    with st.expander("What is left at every threshold"):
        tables.table(study.left.assign(reason=study.left["reason"].fillna("")), "left_for_study")
        st.caption("Dropped: documents whose annotators do not reach the threshold whatever is removed.")
    show.downloads(study.frame, "sentence_study", "Sentence study", study.signature)


def _tree(study: kp.SentenceStudy, threshold: float) -> None:
    if threshold not in study.trees:
        return
    show.subheader(f"What the tree asks at K ≥ {threshold:g}")
    nodes = study.trees[threshold]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show.chart(over_thresholds.tree(nodes), "tree")
        show.about("sentences.tree")
    with right:
        table = rules(list(nodes))
        rows = table.itertuples()
        st.markdown("\n".join(f"- **{row.decision}** ({row.yes} : {row.no}) if {show.plain(row.rule)}" for row in rows))
        show.downloads(table, "rules", f"Rules of the tree at K ≥ {threshold:g}", study.signature)


def _beside(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    if threshold not in study.trees:
        return
    show.subheader(f"Beside simple choices, at K ≥ {threshold:g}")
    tables.table(screen_tables.study_systems(study, threshold), "study_systems")
    show.about("sentences.baselines")
    table = screen_tables.study_types(study, measure, threshold)
    if len(table):
        show.subheader(f"By document type, at K ≥ {threshold:g}")
        tables.table(table, "study_types")
        st.caption(f"{measure} of the same trees on the sentences of one type.")
    show.subheader("Attributes that the trees use")
    show.chart(heat_maps.used(study), "attributes_used")
    show.downloads(study.used, "attributes_used", "Attributes that the trees use", study.signature)


def _assumed() -> None:
    with st.expander("What is reconstructed or assumed"):
        st.markdown(
            prose.text(
                "sentences.assumed",
                tree=protocol.TREE,
                most_yes=MOST_YES,
                most_no=MOST_YES * NO_PER_YES,
                folds=protocol.FOLDS,
            )
        )
        tables.of_words(screen_tables.attribute_definitions())
        show.about("sentences.nouns")
        show.small(f"Words of attitude: {ATTITUDE_WORDS}.")
