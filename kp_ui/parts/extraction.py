"""Lay out keyphrase extraction: systems, parameters, external sources, extracted lists, and coverage."""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.extraction import PARAMETERS, RECONSTRUCTED
from kp_core.extraction.coverage import KINDS, coverage, in_words, marked_candidates
from kp_core.extraction.texts import read_documents, read_phrases, stop_words_in
from kp_core.reading import Source
from kp_core.text.candidates import has_english
from kp_core.text.stem import STEMMERS
from kp_core.typeset import first_capital
from kp_ui.parts import documents
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

_EXTRACTED, _ADDED, _EXTERNAL = "extracted", "added", "external sources"
#: External source of a system → its description, and the file for the sample lectures.
_SOURCES = {
    "documents": ("External documents, such as the chapters of a textbook", "external/handbook.jsonl"),
    "phrases": ("External phrases, such as a glossary: one per line, optionally a weight", "external/glossary.txt"),
}


def section() -> None:
    """Let the user extract ranked phrases from the loaded texts, inspect the lists, and add them as systems."""
    if not workspace.corpus().has_texts:
        show.missing_data("No texts are loaded, so there is nothing to extract from. Add the texts of the documents.")
        return
    left, right = st.columns([3, 1], gap="medium")
    with left:
        chosen = controls.several("Systems", kp.SYSTEMS, ["tfidf"], "methods")
        for system in map(kp.SYSTEMS.__getitem__, chosen):
            st.markdown(f"**{show.plain(system.title)}**: {show.plain(system.sentence)}")
        st.caption(f"Every system is {RECONSTRUCTED}. Formulas are under Learn, Methods.")
    top = int(right.number_input("Length of the lists", 1, 1000, 50, key="top"))
    with st.expander("Parameters of the systems"):
        changed = _parameters(chosen)
    _run(chosen, external(chosen), top, {**changed, **_language()})
    extracted = st.session_state.get(_EXTRACTED)
    lists = extracted[1] if extracted and extracted[0] == _texts() else None
    if lists is not None:
        show.subheader("What was extracted")
        _add_to_workspace(lists)
        show.file("JSONL", lists.jsonl(), "extracted.jsonl", "jsonl_extracted", mime="application/jsonl")
        show.provenance(lists, (lists.frame, "Extracted phrases"))
    with st.expander("One document and its candidates", expanded=lists is not None):
        _one_document(lists)
    expander = st.expander("How many keyphrases can be reached", on_change=link.deferred(link.mark_user_action))
    if expander.open:
        with expander, show.refusals():
            _reach()


def _parameters(chosen: Sequence[str]) -> dict[str, float]:
    names = [name for name in PARAMETERS if any(name in kp.SYSTEMS[system].parameters for system in chosen)]
    only_chunks, values = all(kp.SYSTEMS[system].chunks for system in chosen), dict[str, float]()
    for column, name in zip(st.columns(max(len(names), 1)), names, strict=False):
        parameter, key = PARAMETERS[name], f"parameter_{name}"
        low, meaning = parameter.low, parameter.meaning
        if name == "longest":
            key = f"{key}_{only_chunks}"
            low, meaning = (0, f"{meaning} (0: any number)") if only_chunks else (1, meaning)
        kind: Callable[[float], float] = int if parameter.whole else float
        least, most, default, step = map(kind, (low, parameter.high, parameter.default, 1 if parameter.whole else 0.1))
        values[name] = column.number_input(f"{parameter.symbol}: {meaning}", least, most, default, step, key=key)
    return values


def _language() -> dict[str, Any]:
    with st.expander("Texts in a language other than English"):
        st.caption("Systems that use chunks need the tagger, which supports English only; the others need stop words.")
        left, right = st.columns([3, 1])
        label = "Stop words of the language, separated by spaces or commas"
        stop_words = left.text_area(label, key="own_stop_words", height=80)
        stemmer = controls.select("Stemmer", ["none", *STEMMERS], "extraction_stemmer", 3, container=right)
    return {"stop_words": stop_words_in(stop_words) or "english", "stemmer": stemmer}


def external(chosen: Sequence[str]) -> kp.External:
    """Let the user load the external documents and phrases that the chosen systems need, and return those loaded."""
    needs, is_sample = {kp.SYSTEMS[system].needs for system in chosen}, workspace.current().sample == "lectures"
    uploads: dict[str, list[Source]] = st.session_state.setdefault(_EXTERNAL, {})
    sources: dict[str, list[Source]] = {kind: [] for kind in _SOURCES}
    for kind in (kind for kind in _SOURCES if kind in needs):
        label, path = _SOURCES[kind][0], workspace.SAMPLE_DATA / _SOURCES[kind][1]
        controls.upload(label, f"external_{kind}", partial(uploads.__setitem__, kind))
        sources[kind] = uploads.get(kind, [Source(path.name, path.read_bytes())] if is_sample else [])
        if sources[kind]:
            with st.container(horizontal=True, vertical_alignment="center"):
                show.small(f"In use: {', '.join(source.name for source in sources[kind])}")
                controls.button("✕", f"external_{kind}_gone", uploads.__setitem__, kind, [], help="Remove")
    content = [[(source.name, hashlib.sha256(source.data).hexdigest()) for source in sources[kind]] for kind in sources]
    return cached.call(tuple(sources.values()), content, _read)


def _read(documents: list[Source], phrases: list[Source]) -> kp.External:
    return kp.External(read_documents(documents or None), read_phrases(phrases or None))


def _run(chosen: Sequence[str], sources: kp.External, top: int, options: dict[str, Any]) -> None:
    reasons = [kp.SYSTEMS[name].missing(sources) for name in chosen]
    for reason in filter(None, reasons):
        st.warning(show.sentence(reason))
    area = st.empty()
    if area.button("Extract", type="primary", key="extract", disabled=not chosen or any(reasons)):
        with area.container():
            st.button("Cancel", key="cancel_extraction")
            bar = st.progress(0.0, "Reading the texts …")

        def report_progress(share: float, words: str) -> None:
            bar.progress(share, f"{first_capital(words)} …")  # Cancel stops the script at this point

        with show.refusals():
            lists = kp.extract(workspace.corpus(), chosen, top, sources, progress=report_progress, **options)
            st.session_state[_EXTRACTED] = (_texts(), lists)
            st.rerun()
        area.empty()


def _texts() -> str:
    table = workspace.corpus().documents[["doc_id", "text"]].fillna("")
    return hashlib.sha256(table.to_csv().encode("utf-8", "surrogatepass")).hexdigest()


def _one_document(lists: kp.Extracted | None) -> None:
    texts = workspace.corpus().documents.dropna(subset=["text"]).set_index("doc_id")
    titles = {name: f"{name}: {title}" if title else name for name, title in texts["title"].fillna("").items()}
    listed = pd.DataFrame(columns=["rank", "phrase", "score"])
    with st.container(horizontal=True):
        document = controls.select("Document", titles, "document_of_extraction", format_func=titles.__getitem__)
        kind = controls.select("Candidates", [kind for kind, rules in KINDS.items() if rules], "candidates", 1)
        if lists is not None:
            system = controls.select("System", lists.settings, "system_of_extraction")
            in_list = (lists.frame["system"] == system) & (lists.frame["doc_id"] == document)
            listed = lists.frame.loc[in_list, list(listed)]
    text, k = str(texts.loc[document, "text"]), settings.cutoff_of_average()
    if not has_english(text):
        show.small(f"There are no English tokens in document {document}, so it has no candidates.")
        return
    left, right = st.columns([1, 2], gap="medium")
    with left:
        tables.table(listed, "extracted_list", height=420)
    with right:
        show.about("extract.marks", k=k)
        pieces = cached.call((), "", marked_candidates, text, kind, listed["phrase"].head(k).tolist())
        css_classes = {"": "", "listed": "people", "candidate": "first"}
        documents.show_marked(((css_classes[kind], piece) for kind, piece in pieces), "--first: currentColor;")


def _reach() -> None:
    corpus = workspace.corpus()
    if not len(corpus.gold):
        st.caption("No gold standard is loaded, so coverage cannot be computed.")
        return
    resolved = settings.resolved()
    table = cached.on_corpus(coverage, gold_stemmed=resolved.gold_stemmed == "yes", titles=resolved.titles)
    show.paragraph(in_words(table))
    tables.table(table, "coverage", take="Coverage of the gold standard by candidates", note="extract.reached")


def _add_to_workspace(lists: kp.Extracted) -> None:
    data, uploads = workspace.current(), workspace.session().uploads.files
    if data.sample is not None and uploads:
        st.info(prose.text("extract.own_files"))
        return
    # the same list again replaces its file; another system with this name is not replaced
    loaded_files, files = {file.name for file in uploads}, dict[str, Source]()
    for system in lists.settings:
        is_taken = system in data.corpus.systems and lists.renamed(system, system).as_source().name not in loaded_files
        name = f"{system} (extracted)" if is_taken else system
        files[name] = lists.renamed(system, name).as_source()
    if data.sample is not None:
        st.caption("This also adds the files of the sample to your files, together with these lists.")
    controls.button("Add to the workspace", "add_extracted", _add, files)
    if workspace.session().problem:
        st.error(show.plain(workspace.session().problem))
    if added := [name for name in st.session_state.get(_ADDED, ()) if name in data.corpus.systems]:
        st.success(show.plain(f"In the workspace: {', '.join(added)}."))
        link.to("overview", "See the systems on the Overview")


def _add(files: dict[str, Source]) -> None:
    workspace.add(list(files.values()), beside_sample=True)
    st.session_state[_ADDED] = tuple(files)
