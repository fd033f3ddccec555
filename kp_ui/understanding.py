"""Say what was understood of the files: annotators and systems, fixes of ids, gaps, and what becomes of phrases."""

import streamlit as st

import kp_core as kp
from kp_core.reading import fields, identifiers, report
from kp_core.reading.identifiers import without_common
from kp_core.settings import in_words
from kp_ui import cached, controls, intake, link, prose, results, settings, show, streamed, workspace

#: What a reader looks for in the lists of annotators and systems, and its name there if it is another; the download
#: has the rest.
_LOOKED_FOR = (
    *("role", "source", "documents", "phrases", "shortest", "mean", "longest", "missing", "empty"),
    "duplicates, normalised",
)
_NAMED = {"mean": "mean length", "duplicates, normalised": "repeated in a list"}
#: So many phrases are shown at once.
_MOST = 2000


def section() -> None:
    """Show every file with what was understood of it, and the sense of the whole."""
    here, own = workspace.current(), workspace.uploads()
    corpus = here.corpus
    streamed.listed()
    if own.files:
        on_screen = here.sample is None and not workspace.problem()
        intake.file_choices(own, corpus.report.readings if on_screen else ())
    if not len(corpus.gold):
        st.warning("There is no gold standard among these files. Add one, or say above which file it is.")
    elif not corpus.systems and len(corpus.annotators) < 2:
        st.warning("There is no system output among these files. Add one, or say above which file it is.")
    _statistics(corpus)
    _fixes(corpus, own.fixes)
    _gaps(corpus)
    _missing_lists(corpus)
    with st.container(horizontal=True):
        show.notes(corpus.report.notes)
    if len(corpus.report.rejected):
        st.markdown(f"**{show.counted(len(corpus.report.rejected), 'rejected row')}**: not part of any number.")
        results.table(corpus.report.rejected, "rejected")
        show.downloads(corpus.report.rejected, "rejected_rows", "Rejected rows")
    with st.expander("How every file was read"):
        _understood(corpus)
    odd = report.characters(corpus)
    if len(odd):
        with st.expander("Unusual characters"):
            results.table(odd, "characters")


def _understood(corpus: kp.Corpus) -> None:
    table = report.files(corpus)
    table["role"] = table["role"].replace(intake.ROLES)
    table["format"] = [intake.format_of(family) for family in table["family"]]
    table["evidence"] = table["evidence"].map(fields.in_words)
    wanted = ["file", "bytes", "role", "rows read", "loaded", "rejected", "blank"]
    wanted += ["format", "evidence", "encoding", "line ends"]
    more = [name for name in ("columns", "BOM", "ignored") if table[name].astype(bool).any()]
    results.table(table[[*wanted, *more]], "files")


def _statistics(corpus: kp.Corpus) -> None:
    st.markdown("**Annotators and systems**")
    normaliser, k = settings.normaliser(), settings.cutoff_of_average()
    table = cached.of((corpus, normaliser), str(normaliser), report.statistics, k)
    said = report.telling(table)
    said = said[[name for name in _LOOKED_FOR if name in said]].rename(columns=_NAMED)
    results.table(said.assign(role=said["role"].replace(intake.ROLES)), "statistics")
    show.downloads(table, "load_report", "Annotators and systems")
    if corpus.systems and workspace.current().sample is None:
        _names(corpus.systems)


def _names(systems: list[str]) -> None:
    """Let the user give systems other names."""
    in_files = {shown: name for name, shown in workspace.uploads().names.items()}
    with st.expander("Names of the systems"):
        short = without_common(systems)
        if short != systems:
            wanted = {in_files.get(name, name): new for name, new in zip(systems, short, strict=True)}
            label = f"Shorten to {', '.join(short[:5])}{' …' if len(short) > 5 else ''}"
            controls.button(show.plain(label), "shorten", workspace.rename, wanted)
        for name in systems:
            key = f"name {name}"
            st.text_input(show.plain(name), name, key=key, on_change=_rename, args=(in_files.get(name, name), key))


def _rename(name: str, key: str) -> None:
    workspace.rename({name: st.session_state[key]})


def _fixes(corpus: kp.Corpus, own: tuple[str, ...]) -> None:
    table = identifiers.fixes(corpus)
    for name in (name for name in own if name not in corpus.report.fixes):  # those that led to a refusal
        table.loc[len(table)] = [name, identifiers.WORDS[name]]
    if not len(table):
        return
    st.markdown("**Fixes that hold**, part of every signature")
    for name, what in table.itertuples(index=False):
        words, undo = st.columns([5, 1], vertical_alignment="center")
        words.markdown(show.plain(f"{name}: {what}"))
        controls.button("Undo", f"undo {name}", workspace.fix, name, False, inside=undo)


#: Side of the data → what its documents are.
_SIDES = prose.entries("sides")


def _gaps(corpus: kp.Corpus) -> None:
    counts = dict(identifiers.coverage(corpus).itertuples(index=False))
    words = ", ".join(f"{number:,} {_SIDES[side]}" for side, number in counts.items())
    st.caption(f"Documents: {words}.")
    missing = identifiers.gaps(corpus)
    missing = missing[missing["only here"] > 0]
    if len(missing):
        st.markdown("**Documents that only one side has**")
        results.table(missing, "gaps")
    offers = identifiers.suggestions(corpus)
    for fix, found in offers.groupby("fix", sort=False):
        words, left, right, match, of = found.iloc[0][["what it does", "left", "right", "match", "of"]]
        more = f", and {show.counted(len(found) - 1, 'pair')} more" if len(found) > 1 else ""
        label = show.plain(f"{words[:1].upper()}{words[1:]}: {match} of {of} ids of {left} and {right} match{more}")
        sample = workspace.current().sample is not None
        controls.button(label, f"fix {fix}", workspace.fix, fix, True, disabled=sample)
    near = identifiers.unmatched(corpus)
    near = near[near["similar"] != ""]
    if len(near):
        with st.expander("Ids that look alike"):
            results.table(near, "near")


def _missing_lists(corpus: kp.Corpus) -> None:
    table = identifiers.missing(corpus)
    if not len(table):
        return
    st.markdown("**Documents of the gold standard that a system has no list for**")
    results.table(table, "missing_lists")
    now = settings.settings().missing
    show.small(f"{_MISSING[now]} It is one of the conventions, and part of every signature.")
    with st.container(horizontal=True):
        for value, label in (("zero", "Treat them as empty"), ("skip", "Leave them out")):
            controls.button(label, f"missing_{value}", link.choose, "missing", value, disabled=now == value)


#: What becomes of a document that a system has no list for, by the convention `missing`.
_MISSING = prose.entries("missing")


def normalisation() -> None:
    """Show phrases before and after the pipeline, those that change first."""
    words = in_words("normalise", settings.resolved().normalise)
    show.small(f"Phrases are the same if they are equal after this: {words}.")
    normaliser = settings.normaliser()
    table = cached.of((workspace.corpus(), normaliser), str(normaliser), report.normalised)
    search = st.text_input("Search phrases", key="phrase_search").strip().lower()
    found = table[table["phrase"].str.lower().str.contains(search, regex=False)]
    results.table(found.head(_MOST), "normalised")
    if len(found) > _MOST:
        st.caption(f"The first {_MOST:,} of {len(found):,} distinct phrases. Search to see others.")
