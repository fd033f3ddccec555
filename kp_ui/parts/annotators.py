"""Arrange what the Annotators page shows: coefficients, pairs, the human ceiling, documents, and trimming."""

from collections.abc import Container, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import curves, dots, heat_maps, over_thresholds, screen_tables
from kp_core.charts.selection import named
from kp_core.scoring.prepare import prepare_annotators
from kp_core.studies import indexing
from kp_core.studies.annotators import AGAINST_OTHERS, OF_PAIRS, TOGETHER, legible, standard_error
from kp_core.studies.subjects import subjects_of_people
from kp_core.studies.trimming import FEWEST_DOCUMENTS, FEWEST_PHRASES, FORMS, k_and_score
from kp_core.words import answers
from kp_core.words.statements import SCALES, benchmark
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

#: Of more than a few annotators pairs are a matrix, which has room for so many at most.
_MOST = 40


def answer() -> None:
    """Say how well the annotators agree; without a second annotator say what is missing, and stop."""
    if len(workspace.corpus().annotators) < 2:
        show.lacks(prose.text("people.alone"))
        st.stop()
    result = cached.agreement()
    show.answer(cached.ask(answers.people, cached.without_cutoff()))
    said = ("intervals",)  # that there are too few documents stands in the answer
    show.notes(note for note in result.notes if note.level == "warning" and note.where not in said)


def together() -> None:
    """Show every pair, what people dispute most, every coefficient, and how sure the words of the scale are."""
    result, annotators, say = cached.agreement(), workspace.corpus().annotators, workspace.speech()
    if workspace.of_indexers():
        left, right = st.columns([7, 5], gap="medium")
        _disputed(left, right, screen_tables.OF_TITLES)
        _in_pairs(result, annotators)
    else:
        left, right = st.columns([6, 5], gap="medium")
        with left:
            _in_pairs(result, annotators)
        _disputed(right, right, ("title", "P_pos"))
    left, right = st.columns([5, 3], gap="medium")
    with left:
        show.subheader(f"All {say['annotators']} together")
        everybody = screen_tables.rows_where(result, "all", legible(TOGETHER, result.settings))
        tables.table(screen_tables.spoken(everybody, say), "together", documents=result.documents)
        if _reads_k(result):
            show.about("people.together", P_pos=say["P_pos"])
        else:
            show.about("people.no_word")
    if _reads_k(result):
        with right:
            _word_for_k(result)
    if (result.frame["subset"] != "all").any():
        show.subheader(f"By {say['document']} type")
        drawn = dots.groups(result, "K" if _reads_k(result) else "P_pos", say)
        show.chart(drawn, "groups", f"agreement by {say['document']} type")
    show.downloads(result.frame, "annotators", f"Agreement of {say['annotators']}", result.signature)
    show.notes(note for note in result.notes if note.level != "warning")  # those stand below the headline
    show.signature(result.signature)


#: So many titles and headings stand on the first screen; the rest is on the pages of titles and headings.
_TOP = 5


def _disputed(left: Any, right: Any, columns: Container[str]) -> None:
    """Show the titles and the headings that people dispute most, with who chose what; columns: those of the titles."""
    corpus, asked = workspace.corpus(), cached.without_cutoff()
    with left:
        show.subheader("Most disputed titles")
        titles = cached.ask(indexing.chosen_in_part, asked).head(_TOP)
        titles = screen_tables.by_title(titles, corpus.documents)
        tables.table(titles[[name for name in titles if name in columns]], "disputed_titles")
        link.to("documents", "All titles")
    with right:
        show.subheader("Most disputed headings")
        headings = screen_tables.disputed(cached.ask(subjects_of_people, asked).frame).head(_TOP)
        tables.table(screen_tables.headings_in_short(headings, len(corpus.annotators)), "top_disputed")
        link.to("headings" if workspace.of_indexers() else "annotators", "All headings", annotators_tab="Titles")


def _error(corpus: kp.Corpus, settings: kp.Settings) -> float:
    return standard_error(prepare_annotators(corpus, settings))


def _reads_k(result: kp.Result) -> bool:
    return "K" in legible(("K",), result.settings)


def _word_for_k(result: kp.Result) -> None:
    """Show how sure the words of a scale are for K."""
    show.subheader("Which word fits K?")
    scale = controls.select("Scale of words", SCALES, "scale", width=260)
    error = cached.ask(_error, cached.without_cutoff())
    if not error > 0:
        st.caption("K does not vary over the documents, or is undefined, so there is nothing to be sure about.")
        return
    found = benchmark(screen_tables.value(result, "all", "K"), error, scale)
    tables.table(pd.DataFrame(found.cumulative, columns=["K deserves", "probability"]), "benchmark")
    words = f"Of this word or a higher one, after Gwet 2014, with documents as clusters (standard error {error:.4f})."
    show.small(f"{words} A band holds its lower bound.")


def _in_pairs(result: kp.Result, annotators: Sequence[str]) -> None:
    pairs = screen_tables.pairs_of_annotators(result, annotators, legible(OF_PAIRS, result.settings))
    if not len(pairs):  # the answer says why
        return
    options = list(legible(("P_pos", "kappa", "PABAK", "P_neg"), result.settings))
    heads, meaning = {name: show.head(name) for name in options}, show.meanings(options)
    measure = controls.select("Measure of a pair", options, "pair", format_func=heads.__getitem__, meaning=meaning)
    say = workspace.speech()
    pairs = pairs.drop(columns="P_neg", errors="ignore")
    if len(annotators) <= indexing.FEW:
        drawn = dots.pairs_of_annotators(result, measure, annotators, say)
        show.chart(drawn, "pairs", f"{measure} of pairs of annotators")
    elif len(annotators) <= _MOST:
        matrix = heat_maps.pair_matrix(result, measure, annotators)
        drawn = heat_maps.heat_map(matrix, show.head(measure), say["annotators"])
        show.chart(drawn, "pairs", f"{measure} of pairs of annotators")
    else:
        st.caption(f"A matrix of {len(annotators)} {say['annotators']} has no room; the table has every pair.")
    shown = pairs.assign(pair=pairs["pair"].map({f"{a}|{b}": f"{a} and {b}" for a in annotators for b in annotators}))
    tables.table(shown.rename(columns={"documents": "n"}), "annotator_pairs", documents=result.documents)
    show.about("people.pairs", documents=say["documents"], P_pos=say["P_pos"])
    show.downloads(pairs, "annotator_pairs", f"Agreement of pairs of {say['annotators']}", result.signature)


def ceiling() -> None:
    """Show each annotator against the others, the agreement without each, and the systems against the same gold."""
    result, annotators, say = cached.agreement(), workspace.corpus().annotators, workspace.speech()
    against = f"Each {say['annotator']} against the others"
    show.subheader(against)
    table = screen_tables.each_annotator(result, annotators, legible(AGAINST_OTHERS, result.settings))
    tables.table(table, "each_annotator")
    show.about("people.each", annotator=say["annotator"])
    show.downloads(table, "each_annotator", against, result.signature)
    if not workspace.corpus().systems:
        return
    show.subheader("People and systems, like for like")
    if (people := results.like_for_like()) is not None:
        show.paragraph(results.in_short(" ".join((people.claim, *people.details))))
    names = ("F1@k", *legible(("kappa", "P_pos", "PABAK"), result.settings))
    found = cached.evaluation(names, people=True)
    here = found.at(settings.cutoff())
    shown = [named(name, settings.cutoff()) for name in names]
    tables.table(screen_tables.with_intervals(here, shown), "like_for_like", documents=here.documents)
    choice = "majority" if settings.value("annotators") == "majority" else "union"
    show.about("people.ceiling", choice=choice)
    show.chart(curves.over_k(found, "F1@k", results.marks()), "ceiling_over_k")
    results.where_no_mark()
    show.downloads(here.frame, "human_ceiling", "People and systems, like for like", here.signature)
    show.signature(here.signature)


def titles() -> None:
    """Show the agreement on every document, as a histogram and as a table that leads to the document."""
    result, say, asked = cached.agreement(), workspace.speech(), cached.without_cutoff()
    table = cached.annotated_documents()
    if _reads_k(result):
        scale = controls.select("Scale of words", SCALES, "scale", width=260)
        show.chart(dots.histogram(table, "K", SCALES[scale], say), "histogram")
    else:
        show.chart(dots.histogram(table, "P_pos", (), say), "histogram")
        show.about("people.no_word")
        table = table.drop(columns=["K", "P_neg", "PABAK", "AC1", "N"])
    if not workspace.of_indexers():
        with st.expander("Most disputed headings", expanded=True):
            found = cached.ask(subjects_of_people, asked)
            every = screen_tables.disputed(found.frame)
            first = screen_tables.headings_in_short(every.head(tables.WHOLE), len(workspace.corpus().annotators))
            tables.table(first, "disputed")
            if len(first) < len(every):
                show.small(f"{len(first)} of {show.counted(len(every), 'heading')}; the download has all.")
            show.downloads(found.frame, "disputed_headings", "Most disputed headings", result.signature)
    with st.expander(f"{say['Keyphrases']} by title and {say['annotator']}"):
        by_title = cached.ask(indexing.titles, asked)
        tables.table(by_title, "by_title")
        show.downloads(by_title, "keyphrases_by_title", f"{say['Keyphrases']} by title", result.signature)
    shown = screen_tables.annotated_documents(table)
    tables.of_documents(shown, "agreement_of_documents")
    show.downloads(
        shown, "annotated_documents", f"Agreement of {say['annotators']} by {say['document']}", result.signature
    )
    show.signature(result.signature)


def trimming() -> None:
    """Show the gold standard trimmed at a threshold, what systems then get, and whether K goes with the score."""
    table = cached.annotated_documents()
    say = workspace.speech()
    show.about("people.trimming", annotators=say["annotators"], document=say["document"])
    first, second, third = st.columns([3, 2, 2], vertical_alignment="bottom")
    threshold = controls.of_k("Threshold of K", "threshold", first)
    form = controls.select("Form", FORMS, "form", inside=second)
    binary = form == "binary"
    pooled = controls.switch(f"One majority for all {say['documents']}", "pooled", inside=third, disabled=not binary)
    pooled = pooled and binary
    found = cached.trimmed(threshold, pooled, form)
    kept = found.frame[found.frame["status"] == "ok"]
    every = show.counted(len(found.frame), say["document"])
    phrases = show.counted(int(kept["gold"].sum()), say["keyphrase"])
    st.markdown(prose.text("people.left", threshold=threshold, kept=len(kept), every=every, phrases=phrases))
    if workspace.corpus().systems and binary:
        _curve(pooled, threshold)
    with st.expander(f"Every {say['document']} at this threshold"):
        tables.table(screen_tables.trimmed(found.frame), "trimmed")
        words = (
            f"A {say['document']} that does not reach the threshold leaves the gold standard; its best level is shown."
        )
        st.caption(words)
    show.downloads(found.frame, "trimmed", "Gold standard trimmed by agreement", found.signature)
    show.signature(found.signature)
    if workspace.corpus().systems:
        with st.expander("Do systems score higher where people agree?"):
            _k_and_score(table)


def _curve(pooled: bool, threshold: float) -> None:
    show.subheader("Does a more reliable gold standard change the scores?")
    curve, recipe = cached.ask(cached.trimming_curve, cached.at_cutoff().changed(annotators="union"), pooled)
    left, right = st.columns(2)
    scores = list(dict.fromkeys(curve["measure"]))
    measure = controls.select("Score", scores, "score", inside=left, meaning=show.meanings(scores))
    drawn = set(curve["system"])
    best = [name for name in results.best_first() if name in drawn]
    system = controls.select("System", best, "system", inside=right)
    show.chart(over_thresholds.over_threshold(curve, measure, system, threshold), "trimming")
    show.about("people.curve", documents=FEWEST_DOCUMENTS, phrases=FEWEST_PHRASES)
    with st.expander("What is left at every threshold"):
        tables.table(screen_tables.left_over(curve), "left_over")
    show.downloads(curve, "trimming_curve", "Scores on trimmed gold standards", recipe)


def _k_and_score(table: pd.DataFrame) -> None:
    scores = cached.here(kp.documents, "P_pos").frame
    words = {"group": "type", "rho": "correlation", "low": "from", "high": "to"}
    correlation = k_and_score(table, scores).rename(columns=words)
    tables.table(correlation, "k_and_score")
    st.caption("Spearman's correlation of a document's K with the P\\_pos of each system on it, with 95 % interval.")
    show.downloads(correlation, "k_and_score", "Agreement and score by document", cached.signature("P_pos"))
