"""Arrange the Annotators page: coefficients, pairs, the human ceiling, documents, trimming, the sentence study."""

import hashlib
from collections.abc import Sequence

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps, over_thresholds, screen_tables
from kp_core.charts.selection import named
from kp_core.reading.beside.named_tables import load_attributes
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.sentence_ids import names_sentences, sentence_id
from kp_core.studies import indexing
from kp_core.studies.annotators import AGAINST_OTHERS, OF_PAIRS, TOGETHER, interpretable, standard_error
from kp_core.studies.sentence_study import protocol
from kp_core.studies.sentence_study.attributes import ATTITUDE_WORDS, attributes, extracts
from kp_core.studies.subjects import subjects_of_people
from kp_core.studies.trimming import FEWEST_DOCUMENTS, FEWEST_PHRASES, FORMS, THRESHOLDS, k_and_score
from kp_core.words import answers
from kp_core.words.statements import SCALES, benchmark
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

#: Maximum number of annotators in the matrix of pairs.
_MAX_ANNOTATORS = 40


def answer() -> None:
    """Report how well the annotators agree; without a second annotator, describe what is missing, and stop."""
    if len(workspace.corpus().annotators) < 2:
        show.lacks(prose.text("people.alone"))
        st.stop()
    result = cached.agreement()
    show.answer(cached.ask(answers.people, cached.without_cutoff()))
    covered = ("intervals",)  # the answer itself reports too few documents
    show.notes(note for note in result.notes if note.level == "warning" and note.where not in covered)


def together() -> None:
    """Show all pairs, the most disputed keyphrases, all coefficients, and the probability of each word of the scale."""
    result, annotators, say = cached.agreement(), workspace.corpus().annotators, workspace.speech()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _in_pairs(result, annotators)
    with right:
        _disputed_titles()
        _disputed_headings(_TOP)
        page = "headings" if workspace.people_alone() else "annotators"
        link.to(page, f"All {say['keyphrases']}", annotators_tab="Documents")
    left, right = st.columns([5, 3], gap="medium")
    with left:
        show.subheader(f"All {say['annotators']} together")
        everybody = screen_tables.rows_where(result, "all", interpretable(TOGETHER, result.settings))
        tables.table(screen_tables.with_words(everybody, say), "together", documents=result.documents)
        show.about("people.together" if _interprets_k(result) else "people.no_word")
    if _interprets_k(result):
        with right:
            _word_for_k(result)
    if (result.frame["subset"] != "all").any():
        show.subheader(f"By {say['document']} type")
        drawn = dots.groups(result, "K" if _interprets_k(result) else "P_pos", say)
        show.chart(drawn, "groups", f"agreement by {say['document']} type")
    read = interpretable(result.frame["measure"].unique(), result.settings)
    show.recipe(result, (result.frame[result.frame["measure"].isin(read)], f"Agreement of {say['annotators']}"))


#: Number of titles and headings shown here; the pages of titles and headings have all.
_TOP = 5


def _disputed_titles() -> None:
    documents = workspace.speech()["documents"]
    show.subheader(f"Most disputed {documents}")
    titles = cached.ask(indexing.chosen_in_part, cached.without_cutoff()).head(_TOP)
    titles = screen_tables.by_title(titles, workspace.corpus().documents)
    shown = screen_tables.OF_TITLES if workspace.people_alone() else ("title", "P_pos")
    tables.table(titles[[name for name in titles if name in shown]], "disputed_titles")
    link.to("documents", f"All {documents}")


def _disputed_headings(most: int) -> None:
    say = workspace.speech()
    show.subheader(f"Most disputed {say['keyphrases']}")
    every = screen_tables.disputed(cached.ask(subjects_of_people, cached.without_cutoff()).frame)
    first = screen_tables.headings_in_short(every.head(most), len(workspace.corpus().annotators))
    tables.table(first, "disputed")
    if _TOP < most < len(every):
        show.small(f"{len(first)} of {show.pluralize(len(every), say['keyphrase'])}; the download has all.")
    show.downloads(every, f"Most disputed {say['keyphrases']}")


def _error(corpus: kp.Corpus, settings: kp.Settings) -> float:
    return standard_error(prepare_annotators(corpus, settings))


def _interprets_k(result: kp.Result) -> bool:
    return "K" in interpretable(("K",), result.settings)


def _word_for_k(result: kp.Result) -> None:
    show.subheader("Which word fits K?")
    scale = controls.select("Scale of words", SCALES, "scale")
    error = cached.ask(_error, cached.without_cutoff())
    if not error > 0:
        st.caption("K does not vary over the documents, or is undefined, so there is nothing to be sure about.")
        return
    _, bands = benchmark(screen_tables.value(result, "all", "K"), error, scale)
    tables.table(pd.DataFrame(bands, columns=["K deserves", "probability"]), "benchmark")
    show.about("people.word", error=f"{error:.4f}")


def _in_pairs(result: kp.Result, annotators: Sequence[str]) -> None:
    pairs = screen_tables.pairs_of_annotators(result, annotators, interpretable(OF_PAIRS, result.settings))
    if not len(pairs):  # the answer gives the reason
        return
    say, options = workspace.speech(), list(interpretable(("P_pos", "kappa", "PABAK", "P_neg"), result.settings))
    heads, meaning = {name: show.head(name) for name in options}, show.meanings(options)
    measure = controls.select("Measure of a pair", options, "pair", format_func=heads.__getitem__, meaning=meaning)
    if len(annotators) <= indexing.FEW:
        drawn = dots.pairs_of_annotators(result, measure, annotators, say)
    else:
        matrix = heat_maps.pair_matrix(result, measure, annotators)
        drawn = heat_maps.heat_map(matrix, show.head(measure), say["annotators"])
    if len(annotators) <= _MAX_ANNOTATORS:
        show.chart(drawn, "pairs", f"{measure} of pairs of annotators")
    else:
        st.caption(f"A matrix of {len(annotators)} {say['annotators']} has no room; the table has every pair.")
    pairs = pairs.drop(columns="P_neg", errors="ignore").rename(columns={"documents": "n"})
    shown = pairs.assign(pair=pairs["pair"].map({f"{a}|{b}": f"{a} and {b}" for a in annotators for b in annotators}))
    take = f"Agreement of pairs of {say['annotators']}"
    tables.table(shown, "annotator_pairs", result.documents, take=take)
    show.about("people.pairs", documents=say["documents"], P_pos=say["P_pos"])


def ceiling() -> None:
    """Show each annotator against the others, the agreement without this annotator, and systems on the same gold."""
    result, annotators, say = cached.agreement(), workspace.corpus().annotators, workspace.speech()
    against = f"Each {say['annotator']} against the others"
    show.subheader(against)
    table = screen_tables.each_annotator(result, annotators, interpretable(AGAINST_OTHERS, result.settings))
    tables.table(table, "each_annotator", take=against)
    show.about("people.each")
    if _interprets_k(result):
        show.about("people.without", annotator=say["annotator"])
    show.signature(result.signature)
    if workspace.corpus().systems:
        _people_and_systems(interpretable(("kappa", "P_pos", "PABAK"), result.settings))


def _people_and_systems(beside: Sequence[str]) -> None:
    show.subheader("People and systems, like for like")
    if (people := results.like_for_like()) is not None:
        show.paragraph(results.in_short(" ".join((people.claim, *people.details))))
    names = ("F1@k", *beside)
    evaluated = cached.evaluation(names, people=True)
    result = evaluated.at(settings.cutoff())
    shown = [named(name, settings.cutoff()) for name in names]
    tables.table(screen_tables.with_intervals(result, shown), "like_for_like", documents=result.documents)
    show.about("people.ceiling", choice=results.choice())
    show.chart(curves.over_k(evaluated, "F1@k", results.marks()), "ceiling_over_k")
    results.where_no_mark()
    show.downloads(result.frame, "People and systems, like for like", result.signature)
    show.signature(result.signature)


def titles() -> None:
    """Show the agreement on every document, as a histogram and as a table with links to the documents."""
    result, say, table = cached.agreement(), workspace.speech(), cached.annotated_documents()
    if _interprets_k(result):
        scale = SCALES[controls.select("Scale of words", SCALES, "scale")]
        show.chart(dots.histogram(table, "K", scale, say), "histogram")
    else:
        show.chart(dots.histogram(table, "P_pos", (), say), "histogram")
        show.about("people.no_word")
        table = table.drop(columns=["K", "P_neg", "PABAK", "AC1", "N"])
    if not workspace.people_alone():
        _disputed_headings(tables.WHOLE)
    with st.expander(f"{say['Keyphrases']} by {say['document']} and {say['annotator']}"):
        by_title = cached.ask(indexing.titles, cached.without_cutoff())
        tables.table(by_title, "by_title", take=f"{say['Keyphrases']} by {say['document']}")
    take = f"Agreement of {say['annotators']} by {say['document']}"
    tables.of_documents(screen_tables.shown(table, "annotated_documents"), "agreement_of_documents", take)
    show.signature(result.signature)


def trimming() -> None:
    """Show the trimmed gold standard, the systems' scores on it, and the correlation of K with the scores."""
    say = workspace.speech()
    if not _interprets_k(cached.agreement()):
        show.about("people.no_word")
        return
    show.about("people.trimming", annotators=say["annotators"], document=say["document"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        threshold = controls.of_k("Threshold of K", "threshold")
        form = controls.select("Form", FORMS, "form")
        binary = form == "binary"
        pooled = controls.switch(f"One majority for all {say['documents']}", "pooled", disabled=not binary) and binary
    study = cached.trimmed(threshold, pooled, form)
    documents = study.frame[study.frame["status"] == "ok"]
    every = show.pluralize(len(study.frame), say["document"])
    phrases = show.pluralize(int(documents["gold"].sum()), say["keyphrase"])
    st.markdown(prose.text("people.left", threshold=threshold, kept=len(documents), every=every, phrases=phrases))
    if workspace.corpus().systems and binary:
        _curve(pooled, threshold)
    with st.expander(f"Every {say['document']} at this threshold"):
        tables.table(screen_tables.shown(study.frame, "trimmed"), "trimmed")
        show.about("people.unreachable", document=say["document"])
    show.downloads(study.frame, "Gold standard trimmed by agreement", study.signature)
    show.signature(study.signature)
    if workspace.corpus().systems:
        with st.expander("Do systems score higher where people agree?"):
            scores = cached.here(kp.documents, "P_pos").frame
            words = {"group": "type", "rho": "correlation", "low": "from", "high": "to"}
            correlation = k_and_score(cached.annotated_documents(), scores).rename(columns=words)
            tables.table(correlation, "k_and_score", take="Agreement and score by document")
            show.about("people.k_and_score")


def _curve(pooled: bool, threshold: float) -> None:
    show.subheader("Does a more reliable gold standard change the scores?")
    curve, recipe = cached.ask(cached.trimming_curve, cached.at_cutoff().changed(annotators="union"), pooled)
    scores, drawn = list(dict.fromkeys(curve["measure"])), set(curve["system"])
    with st.container(horizontal=True):
        measure = controls.select("Score", scores, "score", meaning=show.meanings(scores))
        best = [name for name in results.best_first() if name in drawn]
        system = results.choose_system("System", "system", best)
    show.chart(over_thresholds.over_threshold(curve, measure, system, threshold), "trimming")
    show.about("people.curve", documents=FEWEST_DOCUMENTS, phrases=FEWEST_PHRASES)
    with st.expander("What is left at every threshold"):
        tables.table(screen_tables.left_over(curve), "left_over")
    show.downloads(curve, "Scores on trimmed gold standards", recipe)


_GIVEN, _ASKED = "given_attributes", "sentence_studies"
#: Choices for the number of draws; the first is below the source's, so that a first result takes only seconds.
_SEEDS = 2**31 - 1
_DRAWS = ("5", "10", str(protocol.REPEATS), "50")


def sentence_study() -> None:
    """Show the sentence study, or the sentences from which people choose."""
    st.markdown(prose.text("sentences.study"))
    data = _study_data()
    if data is None:
        return
    if controls.views("Show", ("Study", "Sentences"), "sentence_view") == "Sentences":
        _sentences(data)
    elif (chosen := _choose_study(data)) is not None:
        study, measure, threshold = chosen
        _study_curve(study, measure, threshold)
        if threshold in study.trees:
            with st.expander("The tree"):
                _tree(study, threshold)
            with st.expander("Beside baselines"):
                _tree_and_baselines(study, measure, threshold)
        show.recipe(study)
    _assumed()


def _study_data() -> workspace.Workspace | None:
    """Return the data on screen or the extracts of the sample lectures, or None if there are no texts."""
    data = workspace.current()
    if data.sample == "lectures":
        data = workspace.sample_workspace("extracts")
        show.about("sentences.instead")
        label = "Show these extracts on every page"
        controls.button(label, "open_extracts", workspace.open_sample, "extracts")
    if not data.corpus.has_texts:
        show.lacks("The study needs the texts of the documents, and none are loaded.")
        return None
    return data


def _sentences(data: workspace.Workspace) -> None:
    """Show every sentence with its id and attributes, and accept a table of custom attributes."""
    with show.refusals():
        table, notes = cached.of((data.corpus, _given()), (data.digest, _given_digest()), attributes)
        example = sentence_id(str(table["doc_id"].iloc[0]), 3)
        number = show.pluralize(len(table), "sentence")
        st.markdown(prose.text("sentences.annotate", sentences=number, example=show.plain(example)))
        tables.table(table, "sentence_attributes", take="Sentences and their attributes", height=420)
        show.notes(notes)
    with st.expander("Custom attributes", expanded=_GIVEN in st.session_state):
        show.about("sentences.attributes")
        controls.upload(
            "A table of attributes", "attributes_file", lambda files: st.session_state.update({_GIVEN: files[-1]})
        )
        if _GIVEN in st.session_state:
            show.small(f"In use: {st.session_state[_GIVEN].name}.")
            controls.button("Compute all attributes again", "forget_attributes", st.session_state.pop, _GIVEN)


def _given() -> pd.DataFrame | None:
    return load_attributes([st.session_state[_GIVEN]]) if _GIVEN in st.session_state else None


def _given_digest() -> str:
    return hashlib.sha256(st.session_state[_GIVEN].data).hexdigest() if _GIVEN in st.session_state else ""


def _choose_study(data: workspace.Workspace) -> tuple[kp.SentenceStudy, str, float] | None:
    """Let the user choose options and start the study; return it with a measure and a threshold when complete."""
    if not names_sentences(data.corpus):
        st.info(prose.text("sentences.no_ids"))
        controls.button("Open the sample extracts", "to_extracts", workspace.open_sample, "extracts")
        return None
    about = prose.text(
        "help.draws",
        most_yes=protocol.MOST_YES,
        most_no=protocol.MOST_YES * protocol.NO_PER_YES,
        repeats=protocol.REPEATS,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = controls.select("Measure", protocol.MEASURES, "of_yes", list(protocol.MEASURES).index("F1"))
        draws = controls.select("Draws", _DRAWS, "draws", meaning=about)
        form = controls.select("Form of trimming", FORMS, "study_form")
        seed = controls.amount("Seed", 0, _SEEDS, 0, "study_seed", width=140)
        how = protocol.Design(form, int(draws), controls.switch("Keep documents whole", "grouped"), seed)
    at = controls.of_k("Look at the threshold of K", "at")
    study = _run_study(data, how)
    return None if study is None else (study, measure, at)


def _run_study(data: workspace.Workspace, how: protocol.Design) -> kp.SentenceStudy | None:
    """Run the study on request, one threshold after the other, so that it can be stopped in between."""
    asked: dict[str, bool] = st.session_state.setdefault(_ASKED, {})  # requested study → whether it is complete
    inputs = (data.digest, _given_digest(), how)
    wanted = cached.digest_of(inputs)
    if wanted not in asked:
        controls.button("Run the study", "run_study", asked.update, {wanted: False}, type="primary")
        number, seconds = show.pluralize(len(kp.list_sentences(data.corpus)), "sentence"), 2 * how.repeats + 5
        show.about("sentences.takes", sentences=number, thresholds=len(THRESHOLDS), draws=how.repeats, seconds=seconds)
        return None
    study = cached.of((data.corpus, _given()), (data.digest, _given_digest()), extracts, how.form)
    outcomes, place, bar = {}, st.empty(), None
    if not asked[wanted]:
        with place.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0, "Growing trees …")
            controls.button("Stop", "stop_study", asked.__delitem__, wanted)
    for done, threshold in enumerate(THRESHOLDS):
        if bar is not None:
            bar.progress(done / len(THRESHOLDS), f"K ≥ {threshold:g}: {how.repeats} draws, {protocol.FOLDS} trees each")
        majority = study.majority(threshold)
        outcomes[threshold] = cached.of((study, majority), (inputs, majority.tolist()), protocol.at_majority, how)
    place.empty()
    asked[wanted] = True
    return cached.of((study, outcomes), inputs, protocol.assemble, how)


def _study_curve(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    show.lead(screen_tables.finding(study, measure, threshold))
    show.chart(over_thresholds.over_agreement(study, measure, threshold), "over_agreement")
    show.about("sentences.bands")
    with st.expander("What is left at every threshold"):
        tables.table(study.left.assign(reason=study.left["reason"].fillna("")), "left_for_study")
        st.caption("Dropped: documents whose annotators do not reach the threshold whatever is removed.")
    show.downloads(study.frame, "Sentence study")


def _tree(study: kp.SentenceStudy, threshold: float) -> None:
    show.subheader(f"What the tree asks at K ≥ {threshold:g}")
    nodes = study.trees[threshold]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show.chart(over_thresholds.tree(nodes), "tree")
        show.about("sentences.tree")
    with right:
        table = protocol.rules(list(nodes))
        rows = table.itertuples()
        st.markdown("\n".join(f"- **{row.decision}** ({row.yes} : {row.no}) if {show.plain(row.rule)}" for row in rows))
        show.downloads(table, f"Rules of the tree at K ≥ {threshold:g}")


def _tree_and_baselines(study: kp.SentenceStudy, measure: str, threshold: float) -> None:
    show.subheader(f"Beside simple choices, at K ≥ {threshold:g}")
    tables.table(screen_tables.study_systems(study, threshold), "study_systems")
    show.about("sentences.baselines")
    table = screen_tables.study_types(study, measure, threshold)
    if len(table):
        show.subheader(f"{measure} by document type, at K ≥ {threshold:g}")
        tables.table(table, "study_types")
    show.chart(heat_maps.used(study), "attributes_used", "Attributes that the trees use")
    show.downloads(study.used, "Attributes that the trees use")


def _assumed() -> None:
    with st.expander("What is reconstructed or assumed"):
        yes, no = protocol.MOST_YES, protocol.MOST_YES * protocol.NO_PER_YES
        st.markdown(prose.text("sentences.assumed", tree=protocol.TREE, most_yes=yes, most_no=no, folds=protocol.FOLDS))
        tables.of_words(screen_tables.attribute_definitions())
        show.about("sentences.nouns")
        show.small(f"Words of attitude: {ATTITUDE_WORDS}.")
