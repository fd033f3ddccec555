"""Arrange the Annotators page: coefficients, pairs, documents, the human ceiling, trimming, the sentence study."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps, screen_tables
from kp_core.charts.selection import named, where
from kp_core.scoring.prepare import prepare_annotators
from kp_core.scoring.sentence_ids import names_sentences, sentence_id
from kp_core.studies import subjects
from kp_core.studies.annotators import AGAINST_OTHERS, OF_PAIRS, TOGETHER, interpretable, standard_error
from kp_core.studies.sentence_study import protocol
from kp_core.studies.sentence_study.attributes import ATTITUDE_WORDS, attributes, extracts
from kp_core.studies.trimming import FEWEST_DOCUMENTS, FEWEST_PHRASES, FORMS, THRESHOLDS, k_and_score
from kp_core.words import answers
from kp_core.words.statements import SCALES, benchmark
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

_MOST_NO = protocol.MOST_YES * protocol.NO_PER_YES


def answer() -> None:
    """Report how well the annotators agree; without a second annotator, say what is missing, and stop."""
    if len(workspace.corpus().annotators) < 2:
        show.missing_data(prose.text("people.alone"))
        st.stop()
    show.answer(cached.on_corpus(answers.people, cached.without_cutoff()))
    warnings = (note for note in cached.agreement().notes if note.level == "warning")
    show.notes(note for note in warnings if note.where != "intervals")  # the answer itself reports too few documents


def together() -> None:
    """Show all pairs, the most disputed documents and keyphrases, all coefficients, and the word for K."""
    result, annotators, terms = cached.agreement(), workspace.corpus().annotators, workspace.terms()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _in_pairs(result, annotators)
        show.subheader(f"All {terms['annotators']} together")
        all_annotators = screen_tables.rows_where(result, "all", interpretable(TOGETHER, result.settings))
        note = "people.together" if _interprets_k(result) else "people.no_word"
        tables.table(screen_tables.in_terms(all_annotators, terms), "together", result.documents, note=note)
    with right:
        show.subheader(f"Most disputed {terms['documents']}")
        documents = cached.on_corpus(subjects.disputed_documents, cached.without_cutoff()).head(5)
        documents = screen_tables.by_title(documents, workspace.corpus().documents)
        shown = screen_tables.OF_TITLES if workspace.has_only_annotators() else ("title", "P_pos")
        tables.table(documents[[name for name in documents if name in shown]], "disputed_titles")
        link.to("documents", f"All {terms['documents']}")
        show.subheader(f"Most disputed {terms['keyphrases']}")
        headings = cached.on_corpus(subjects.subjects_of_annotators, cached.without_cutoff()).frame.query("apart > 0")
        most_disputed = screen_tables.headings_in_short(headings.head(5), len(annotators))
        tables.table(most_disputed, "disputed", note="people.disputed")
        show.downloads(headings, f"Most disputed {terms['keyphrases']}")
        link.to("documents", f"All {terms['keyphrases']}", documents_tab=terms["Keyphrases"])
        if _interprets_k(result):
            _word_for_k(result)
    if (result.frame["subset"] != "all").any():
        show.subheader(f"By {terms['document']} type")
        plot = dots.groups(result, "K" if _interprets_k(result) else "P_pos", terms)
        show.chart(plot, "groups", f"agreement by {terms['document']} type")
    interpreted = screen_tables.only(result, interpretable(result.frame["measure"].unique(), result.settings))
    show.provenance(result, (interpreted.frame, f"Agreement of {terms['annotators']}"))


def _interprets_k(result: kp.Result) -> bool:
    return "K" in interpretable(("K",), result.settings)


def _word_for_k(result: kp.Result) -> None:
    show.subheader("Which word fits K?")
    scale = controls.select("Scale of words", SCALES, "scale")
    settings_used = cached.without_cutoff()
    error = cached.call((prepare_annotators(workspace.corpus(), settings_used),), settings_used, standard_error)
    if not error > 0:
        st.caption("K is undefined or does not vary over the documents, so these probabilities cannot be computed.")
        return
    _, bands = benchmark(screen_tables.value(result, "all", "K"), error, scale)
    tables.table(pd.DataFrame(bands, columns=["K is at least", "probability"]), "benchmark")
    show.about("people.word", error=f"{error:.4f}")


def _in_pairs(result: kp.Result, annotators: Sequence[str]) -> None:
    pairs = screen_tables.pairs_of_annotators(result, annotators, interpretable(OF_PAIRS, result.settings))
    if not len(pairs):  # the answer gives the reason
        return
    terms, options = workspace.terms(), list(interpretable(("P_pos", "kappa", "PABAK", "P_neg"), result.settings))
    labels, meaning = {name: show.head(name) for name in options}, show.meanings(options)
    measure = controls.select("Measure of a pair", options, "pair", format_func=labels.__getitem__, meaning=meaning)
    if len(annotators) <= subjects.FEW:
        plot = dots.pairs_of_annotators(result, measure, annotators, terms)
    else:
        matrix = heat_maps.pair_matrix(result, measure, annotators)
        plot = heat_maps.heat_map(matrix, show.head(measure), terms["annotators"])
    if len(annotators) <= 40:
        show.chart(plot, "pairs", f"{measure} of pairs of annotators")
    else:
        st.caption(f"A matrix of all {terms['annotators']} does not fit here; the table shows every pair.")
    pairs = pairs.drop(columns="P_neg", errors="ignore").rename(columns={"documents": "n"})
    shown = pairs.assign(pair=pairs["pair"].map({f"{a}|{b}": f"{a} and {b}" for a in annotators for b in annotators}))
    caption = f"Agreement of pairs of {terms['annotators']}"
    tables.table(shown, "annotator_pairs", result.documents, take=caption)
    documents, annotator_word = terms["documents"], terms["annotators"]
    show.about("people.pairs", documents=documents, annotators=annotator_word, P_pos=terms["P_pos"])


def ceiling() -> None:
    """Show each annotator against the others, the agreement without each, and systems scored on the same gold."""
    result, annotators, terms = cached.agreement(), workspace.corpus().annotators, workspace.terms()
    title = f"Each {terms['annotator']} against the others"
    show.subheader(title)
    table = screen_tables.each_annotator(result, annotators, interpretable(AGAINST_OTHERS, result.settings))
    tables.table(table, "each_annotator", take=title, note="people.each")
    if _interprets_k(result):
        show.about("people.without", annotator=terms["annotator"])
    show.signature(result.signature)
    if not workspace.corpus().systems:
        return
    show.subheader("People and systems, like for like")
    if (comparison := results.like_for_like()) is not None:
        show.paragraph(show.in_short(" ".join((comparison.claim, *comparison.details))))
    names = ("F1@k", *interpretable(("kappa", "P_pos", "PABAK"), result.settings))
    evaluated = cached.evaluation(names, leave_one_out=True)
    result = evaluated.at(settings.cutoff())
    table = screen_tables.with_intervals(result, [named(name, settings.cutoff()) for name in names])
    table = screen_tables.in_order(table, results.best_first())
    tables.table(table, "like_for_like", documents=result.documents)
    show.about("people.ceiling", choice=results.choice())
    show.chart(curves.over_k(evaluated, "F1@k", results.marks()), "ceiling_over_k")
    show.provenance(result, (result.frame, "People and systems, like for like"))


def by_document() -> None:
    """Show the agreement per document, as a histogram and as a table in which a selected row opens the document."""
    result, terms, table = cached.agreement(), workspace.terms(), cached.annotated_documents()
    if _interprets_k(result):
        scale = SCALES[controls.select("Scale of words", SCALES, "scale")]
        show.chart(dots.histogram(table, "K", scale, terms), "histogram")
    else:
        show.chart(dots.histogram(table, "P_pos", (), terms), "histogram", note="people.no_word")
        table = table.drop(columns=["K", "P_neg", "PABAK", "AC1", "N"])
    with st.expander(f"{terms['Keyphrases']} by {terms['document']} and {terms['annotator']}"):
        keyphrases = cached.on_corpus(subjects.titles, cached.without_cutoff())
        tables.table(keyphrases, "by_title", take=f"{terms['Keyphrases']} by {terms['document']}")
    caption = f"Agreement of {terms['annotators']} by {terms['document']}"
    table = table.drop(columns="status") if (table["status"] == "ok").all() else table
    tables.document_table(screen_tables.shown(table, "annotated_documents"), caption)
    show.signature(result.signature)


def trimming() -> None:
    """Show the trimmed gold standard, the systems' scores on it, and the correlation of the scores with K."""
    terms = workspace.terms()
    if not _interprets_k(cached.agreement()):
        show.about("people.no_word")
        controls.button("Set N = 1,000", "set_N", link.choose, "universe", "number", help=prose.text("people.set_N"))
        return
    show.about("people.trimming", annotators=terms["annotators"], document=terms["document"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        threshold = controls.threshold_of_k("Threshold of K", "threshold")
        form = controls.select("Form", FORMS, "form")
        binary, label = form == "binary", f"One majority for all {terms['documents']}"
        pooled = controls.switch(label, "pooled", disabled=not binary) and binary
    study = cached.on_corpus(kp.trim, cached.without_cutoff(), threshold, pooled=pooled, form=form)
    documents = study.frame[study.frame["status"] == "ok"]
    count = show.pluralize(len(study.frame), terms["document"])
    phrases = show.pluralize(int(documents["gold"].sum()), terms["keyphrase"])
    st.markdown(prose.text("people.left", threshold=threshold, kept=len(documents), every=count, phrases=phrases))
    if workspace.corpus().systems and binary:
        _curve(pooled, threshold)
    with st.expander(f"Every {terms['document']} at this threshold"):
        tables.table(screen_tables.shown(study.frame, "trimmed"), "trimmed")
        show.about("people.unreachable", document=terms["document"])
    show.downloads(study.frame, "Gold standard trimmed by agreement", study.signature)
    show.signature(study.signature)
    if workspace.corpus().systems:
        with st.expander("Do systems score higher where people agree?"):
            scores = cached.on_screen(kp.documents, "P_pos").frame
            column_names = {"group": "type", "rho": "correlation", "low": "from", "high": "to"}
            correlation = k_and_score(cached.annotated_documents(), scores).rename(columns=column_names)
            caption = "Agreement and score by document"
            tables.table(correlation, "k_and_score", take=caption, note="people.k_and_score")


def _curve(pooled: bool, threshold: float) -> None:
    show.subheader("Does a more reliable gold standard change the scores?")
    curve, signature = cached.on_corpus(cached.trimming_curve, cached.at_cutoff().changed(annotators="union"), pooled)
    scores, systems = list(dict.fromkeys(curve["measure"])), set(curve["system"])
    with st.container(horizontal=True):
        measure = controls.select("Score", scores, "score", meaning=show.meanings(scores))
        ranked = [name for name in results.best_first() if name in systems]
        system = results.choose_system("System", "system", ranked)
    if curve["drawn"].any():
        show.chart(curves.over_threshold(curve, measure, system, threshold), "trimming")
    show.about("people.curve", documents=FEWEST_DOCUMENTS, phrases=FEWEST_PHRASES)
    with st.expander("What remains at each threshold"):
        remaining = curve.drop_duplicates("threshold")[["threshold", "documents", "gold"]]
        tables.table(remaining.reset_index(drop=True), "left_over")
    show.downloads(curve, "Scores on trimmed gold standards", signature)


#: Choices for the number of draws; the first is fewer than in the source, so that a first result takes seconds.
_DRAWS = ("5", "10", str(protocol.REPEATS), "50")


def sentence_study() -> None:
    """Show the sentence study, or the sentences that people choose from, with their attributes."""
    st.markdown(prose.text("sentences.study"))
    data = workspace.current()
    if not data.corpus.has_texts:
        show.missing_data("The study needs the texts of the documents, but none are loaded.")
    elif controls.views("Show", ("Study", "Sentences"), "sentence_view") == "Sentences":
        table, notes = cached.call((data.corpus,), data.digest, attributes)
        number, example = show.pluralize(len(table), "sentence"), sentence_id(str(table["doc_id"].iloc[0]), 3)
        st.markdown(prose.text("sentences.annotate", sentences=number, example=show.plain(example)))
        tables.table(table, "sentence_attributes", take="Sentences and their attributes", height=420)
        show.notes(notes)
        _assumptions()
    elif not names_sentences(data.corpus):
        st.info(prose.text("sentences.no_ids"))
        controls.button("Open the sample extracts", "to_extracts", workspace.open_sample, "extracts")
    else:
        _study(data)
        _assumptions()


def _study(data: workspace.Workspace) -> None:
    help_text = prose.text("help.draws", most_yes=protocol.MOST_YES, most_no=_MOST_NO, repeats=protocol.REPEATS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = controls.select("Measure", protocol.MEASURES, "of_yes", list(protocol.MEASURES).index("F1"))
        draws = controls.select("Draws", _DRAWS, "draws", meaning=help_text)
        form = controls.select("Form of trimming", FORMS, "study_form")
        seed = controls.amount("Seed", 0, 2**31 - 1, 0, "study_seed", width=140)
        plan = protocol.Design(form, int(draws), controls.switch("Keep each document in one fold", "grouped"), seed)
    threshold = controls.threshold_of_k("Threshold of K to show", "at")
    requested: set[str] = st.session_state.setdefault("sentence_studies", set())
    if (study_key := cached.digest_of(data.digest, plan)) not in requested:
        controls.button("Run the study", "run_study", requested.add, study_key, type="primary")
        number, seconds = show.pluralize(len(kp.list_sentences(data.corpus)), "sentence"), 2 * plan.repeats + 5
        show.about("sentences.takes", sentences=number, thresholds=len(THRESHOLDS), draws=plan.repeats, seconds=seconds)
        return
    study, condition = _run_study(data, plan), f"K ≥ {threshold:g}"
    show.lead(screen_tables.finding(study, measure, threshold))
    show.chart(curves.over_agreement(study, measure, threshold), "over_agreement", note="sentences.bands")
    with st.expander("What remains at each threshold"):
        remaining = study.left.assign(reason=study.left["reason"].fillna(""))
        tables.table(remaining, "left_for_study", note="sentences.dropped")
    if threshold in study.trees:
        with st.expander(f"The tree at {condition}"):
            _tree(study.trees[threshold], condition)
        with st.expander(f"Compared with baselines, at {condition}"):
            tables.table(screen_tables.study_systems(study, threshold), "study_systems", note="sentences.baselines")
            table = screen_tables.study_types(study, measure, threshold)
            if len(table):
                show.subheader(f"{measure} by document type")
                tables.table(table, "study_types")
            shares, caption = where(study.used, threshold=threshold), "Attributes that the trees use"
            tables.table(shares.drop(columns="threshold"), "attributes_used", take=caption)
    show.provenance(study, (study.frame, "Sentence study"))


def _run_study(data: workspace.Workspace, plan: protocol.Design) -> kp.SentenceStudy:
    """Run the study threshold by threshold, so that the user can stop it after any threshold and resume it."""
    study, outcomes, area = cached.call((data.corpus,), data.digest, extracts, form=plan.form), {}, st.empty()
    with area.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, "Growing trees …")
        controls.button("Stop", "stop_study", st.session_state["sentence_studies"].clear)
    for step, threshold in enumerate(THRESHOLDS):
        bar.progress(step / len(THRESHOLDS), f"K ≥ {threshold:g}: {plan.repeats} draws, {protocol.FOLDS} trees each")
        majority = study.majority(threshold)
        key = (data.digest, majority.tolist())
        outcomes[threshold] = cached.call((study, majority), key, protocol.run_at_majority, plan)
    area.empty()
    return cached.call((study, outcomes), data.digest, protocol.assemble, plan)


def _tree(table: pd.DataFrame, condition: str) -> None:
    show.about("sentences.tree")
    rows = table.itertuples()
    st.markdown("\n".join(f"- **{row.decision}** ({row.yes} : {row.no}) if {show.plain(row.rule)}" for row in rows))
    show.downloads(table, f"Rules of the tree at {condition}")


def _assumptions() -> None:
    with st.expander("What is reconstructed or assumed"):
        tree, yes, folds = protocol.TREE, protocol.MOST_YES, protocol.FOLDS
        st.markdown(prose.text("sentences.assumed", tree=tree, most_yes=yes, most_no=_MOST_NO, folds=folds))
        tables.text_table(screen_tables.attribute_definitions())
        show.about("sentences.nouns")
        show.small(f"Words of attitude: {ATTITUDE_WORDS}.")
