"""Arrange the extraction of keyphrases: systems, parameters, external sources, lists, and coverage."""

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
from kp_ui.parts import documents
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

_FOUND, _ADDED, _EXTERNAL = "extracted", "added", "external sources"
#: External source of a system → its description, and the file for the sample lectures.
_SOURCES = {
    "documents": ("External documents, such as the chapters of a textbook", "external/handbook.jsonl"),
    "phrases": (
        "External list of phrases, such as a glossary: one per line, optionally with a TAB and a weight",
        "external/glossary.txt",
    ),
}
#: Kind of a marked phrase → its CSS class.
_LOOKS = {"": "", "listed": "people", "candidate": "first"}
#: Number of characters up to which texts are tagged without a click; HanTa tags about 60,000 per second.
_AT_ONCE = 300_000


def section() -> None:
    """Let the user rank the phrases of the loaded texts, inspect the lists, and add them as systems."""
    if not workspace.corpus().has_texts:
        show.lacks("No texts are loaded, so there is nothing to extract from. Add the texts of the documents.")
        return
    left, right = st.columns([3, 1], gap="medium")
    with left:
        chosen = _systems()
    top = int(right.number_input("Length of the lists", 1, 1000, 50, key="top"))
    with st.expander("Parameters of the systems"):
        changed = _parameters(chosen)
    _run(chosen, external(chosen), top, {**changed, **_language()})
    lists = found()
    if lists is not None:
        show.subheader("What was extracted")
        _add_to_workspace(lists)
        show.file("JSONL", lists.jsonl(), "extracted.jsonl", "jsonl_extracted", mime="application/jsonl")
        show.recipe(lists, (lists.frame, "Extracted phrases"))
    with st.expander("One document and its candidates", expanded=lists is not None):
        _one_document(lists)
    with st.expander("How many keyphrases can be reached"):
        _reach()


def _systems() -> list[str]:
    chosen = controls.several("Systems", kp.SYSTEMS, ["tfidf"], "methods")
    for name in chosen:
        system = kp.SYSTEMS[name]
        st.markdown(f"**{show.plain(system.title)}**: {show.plain(system.sentence)}")
    st.caption(f"Every system is {RECONSTRUCTED}. Formulas are under Learn, Methods.")
    return chosen


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
        least, most, first, step = map(kind, (low, parameter.high, parameter.default, 1 if parameter.whole else 0.1))
        values[name] = column.number_input(f"{parameter.symbol}: {meaning}", least, most, first, step, key=key)
    return values


def _language() -> dict[str, Any]:
    with st.expander("Texts in another language than English"):
        st.caption("Systems with chunks need the tagger, which knows English only; the others need stop words.")
        left, right = st.columns([3, 1])
        words = "Stop words of the language, with blanks or commas between them"
        words_given = left.text_area(words, key="own_stop_words", height=80)
        stemmer = controls.select("Stemmer", ["none", *STEMMERS], "extraction_stemmer", 3, inside=right)
    return {"stop_words": stop_words_in(words_given) or "english", "stemmer": stemmer}


def external(chosen: Sequence[str]) -> kp.External:
    """Accept the external documents and lists of phrases that a chosen system needs, and list the loaded ones."""
    needs = {kp.SYSTEMS[system].needs for system in chosen}
    asked = [kind for kind in _SOURCES if kind in needs]
    sources: dict[str, list[Source]] = st.session_state.setdefault(_EXTERNAL, {})
    if workspace.current().sample == "lectures" and not sources:
        for kind, (_, name) in _SOURCES.items():
            path = workspace.SAMPLE_DATA / name
            sources[kind] = [Source(path.name, path.read_bytes())]
    if asked:
        st.markdown("**What the boosting systems know from elsewhere**")
    for kind in asked:
        controls.upload(_SOURCES[kind][0], f"external_{kind}", partial(sources.__setitem__, kind))
        if names := [source.name for source in sources.get(kind, [])]:
            with st.container(horizontal=True, vertical_alignment="center"):
                show.small(f"In use: {', '.join(names)}")
                controls.button("✕", f"external_{kind}_gone", sources.__setitem__, kind, [], help="Remove")
    given = [sources.get(kind, []) if kind in asked else [] for kind in _SOURCES]
    content = [[(source.name, hashlib.sha256(source.data).hexdigest()) for source in files] for files in given]
    return cached.of(tuple(given), content, _read)


def _read(documents: list[Source], phrases: list[Source]) -> kp.External:
    return kp.External(read_documents(documents or None), read_phrases(phrases or None))


def _run(chosen: Sequence[str], outside: kp.External, top: int, options: dict[str, Any]) -> None:
    reasons = [kp.SYSTEMS[name].missing(outside) for name in chosen]
    for reason in filter(None, reasons):
        st.warning(show.sentence(reason))
    place = st.empty()
    if place.button("Extract", type="primary", key="extract", disabled=not chosen or any(reasons)):
        with place.container():
            st.button("Cancel", key="cancel_extraction")
            bar = st.progress(0.0, "Reading the texts …")
        last = [-1]

        def tell(share: float, words: str) -> None:
            if int(share * 100) != last[0]:  # Cancel stops the script at this point
                last[0] = int(share * 100)
                bar.progress(share, f"{words[:1].upper()}{words[1:]} …")

        with show.refusals():
            lists = kp.extract(workspace.corpus(), chosen, top, outside, progress=tell, **options)
            st.session_state[_FOUND] = (_texts(), lists)
            st.rerun()
        place.empty()


def _texts() -> str:
    """Return the digest of the texts on screen, which does not depend on the systems."""
    table = workspace.corpus().documents[["doc_id", "text"]].fillna("")
    return hashlib.sha256(table.to_csv().encode("utf-8", "surrogatepass")).hexdigest()


def found() -> kp.Extracted | None:
    """Return the lists extracted from the texts on screen, if any."""
    extracted = st.session_state.get(_FOUND)
    return extracted[1] if extracted and extracted[0] == _texts() else None


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
    *left, right = st.columns([1, 2], gap="medium") if len(listed) else [st.container()]
    for place in left:
        with place:
            tables.table(listed, "extracted_list", height=420)
    with right:
        words = (
            f"Yellow: among the first {k} of the list. Underlined: another candidate."
            if left
            else "Underlined: a candidate."
        )
        show.small(f"{words} If phrases overlap, the longer one is marked.")
        pieces = cached.of((), "", marked_candidates, text, kind, listed["phrase"].head(k).tolist())
        documents.marked(((_LOOKS[kind], piece) for kind, piece in pieces), "--first: currentColor;")


def _reach() -> None:
    corpus = workspace.corpus()
    if not len(corpus.gold):
        st.caption("No gold standard is loaded, so there is nothing to reach.")
        return
    letters = int(corpus.documents["text"].str.len().sum())
    if letters > _AT_ONCE and not st.toggle(f"Tag all {letters:,} letters of the texts", key="reach"):
        st.caption(f"This takes about {show.pluralize(letters // 50_000 + 1, 'second')}.")
        return
    with show.refusals():
        now = settings.resolved()
        table = cached.ask(coverage, gold_stemmed=now.gold_stemmed == "yes", titles=now.titles)
        show.paragraph(in_words(table))
        tables.table(table, "coverage", take="Coverage of the gold standard by candidates")
        show.about("extract.reached")


def _add_to_workspace(lists: kp.Extracted) -> None:
    data = workspace.current()
    if data.sample is not None and workspace.session().uploads.files:
        st.info(prose.text("extract.own_files"))
        return
    # the same list again replaces its file; another system with this name is not replaced
    loaded = {file.name for file in workspace.session().uploads.files} if data.sample is None else set()
    files = {}
    for system in lists.settings:
        free = lists.renamed(system, system).as_source()
        taken = system in data.corpus.systems and free.name not in loaded
        name = f"{system} (extracted)" if taken else system
        files[name] = lists.renamed(system, name).as_source()
    if data.sample is not None:
        st.caption("The files of the sample then stand among your own files, with these lists beside them.")
    controls.button("Add to the workspace", "add_extracted", _add, files)
    if workspace.session().problem:
        st.error(show.plain(workspace.session().problem))
    added = [name for name in st.session_state.get(_ADDED, ()) if name in data.corpus.systems]
    if added:
        st.success(show.plain(f"In the workspace: {', '.join(added)}."))
        link.to("overview", "See the systems on the Overview")


def _add(files: dict[str, Source]) -> None:
    workspace.add(list(files.values()), beside_sample=True)
    st.session_state[_ADDED] = tuple(files)
