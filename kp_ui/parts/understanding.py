"""Say what is wrong with the data, each with its remedy; and all that was understood, and what becomes of phrases."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import streamlit as st

import kp_core as kp
from kp_core.reading import fields, findings, identifiers, report
from kp_core.reading.families import title_of
from kp_core.reading.identifiers import without_common
from kp_core.reading.uploads import proposed_runs
from kp_core.scoring.given import as_lines, entries_in_words, lacking
from kp_core.scoring.prepare import prepare
from kp_core.settings import in_words
from kp_ui.parts.meaning import ROLES
from kp_ui.state import cached, click, link, settings, workspace
from kp_ui.widgets import controls, prose, show, tables

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
    """Show all that was understood of the data on screen: lists, coverage, rejected rows, files, odd characters."""
    corpus = workspace.whole().corpus
    if workspace.current().sample is not None:
        show.small(f"Of the sample data: {workspace.current().title}.")
    _statistics(corpus)
    _coverage(corpus)
    if len(corpus.gold) and corpus.systems:
        st.markdown("**A similarity of your own**")
        show.about("data.similarity")
        show.file("All phrases, one a line", partial(_lines, corpus), "phrases.txt", "all phrases")
    if len(corpus.report.rejected):
        st.markdown(f"**{show.counted(len(corpus.report.rejected), 'rejected row')}**: not part of any number.")
        tables.table(corpus.report.rejected, "rejected")
        show.downloads(corpus.report.rejected, "rejected_rows", "Rejected rows")
    st.markdown("**How every file was read**")
    _understood(corpus)
    odd = report.characters(corpus)
    if len(odd):
        st.markdown("**Unusual characters**")
        tables.table(odd, "characters")


def stopped() -> bool:
    """Tell whether the sides of the data on screen do not meet, so that no number has a meaning."""
    return any(finding.level == "stop" for finding in findings(workspace.whole().corpus))


def wrong() -> None:
    """Say in one line each what is wrong with the data on screen, its remedy beside it; nothing where nothing is."""
    corpus = workspace.whole().corpus
    if not len(corpus.gold) and not len(corpus.judgements):
        _line("There is no gold standard among these files. Add one, or say above which file it is.")
    elif len(corpus.gold) and not corpus.systems and len(corpus.annotators) < 2:
        _line("There is no system output among these files. Add one, or say above which file it is.")
    apart = findings(corpus)
    for finding in apart:
        words = f"{finding.where}: {finding.found}, where {finding.expected} is needed."
        mends = [
            (str(answer), f"mend {finding.where} {answer.words}", workspace.answer, answer)
            for answer in finding.answers
        ]
        _line(words, *mends, level=finding.level)
    _runs(corpus)
    held(corpus.report.fixes)
    _offers(corpus, {",".join(answer.fixes) for finding in apart for answer in finding.answers})
    if not stopped():
        _missing_lists(corpus)
        _gaps(corpus)
    if rejected := len(corpus.report.rejected):
        _line(f"{show.counted(rejected, 'row')} rejected: not part of any number.", _details("rejected rows"))
    _similarity(corpus)
    told = {finding.where for finding in apart} | set(corpus.report.rejected["file"])
    with st.container(horizontal=True):
        show.notes(note for note in corpus.report.notes if note.level != "warning" or note.where not in told)


def _similarity(corpus: kp.Corpus) -> None:
    """Say how many phrases have no vector, and offer the list of them."""
    if not corpus.vocabulary.tells_similarity or not len(corpus.gold) or corpus.datasets:
        return
    data = prepare(corpus, settings.settings())
    words = entries_in_words(corpus, data.coded, data.settings)
    without = lacking(corpus, data.coded, data.settings)
    if not without:
        show.small(words)
        return
    # A pair that is not listed is not similar, which is meant; a phrase without a vector is mostly forgotten.
    shown = st.warning if len(corpus.vocabulary.vectors) else st.caption
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        shown(f"{words} The others are similar only to phrases that they equal.", width="stretch")
        show.file("The other phrases", as_lines(without), "phrases_without.txt", "phrases without")


def _line(words: str, *remedies: tuple[Any, ...], level: str = "warn") -> None:
    """Say what is wrong in one line, which ends with the buttons that mend it: label, key, what it does."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        (st.error if level == "stop" else st.warning)(show.plain(words), width="stretch")
        for label, key, act, *given in remedies:
            controls.button(show.plain(label), key, act, *given)


def _details(of: str) -> tuple[Any, ...]:
    return "See them", f"see {of}", link.choose, "data_tab", "Details"


def _understood(corpus: kp.Corpus) -> None:
    table = report.files(corpus)
    table["role"] = table["role"].replace(ROLES)
    table["format"] = [title_of(family) for family in table["family"]]
    table["evidence"] = table["evidence"].map(fields.in_words)
    wanted = ["file", "bytes", "role", "rows read", "loaded", "rejected", "blank"]
    wanted += ["format", "evidence", "encoding", "line ends"]
    more = [name for name in ("columns", "BOM", "ignored") if table[name].astype(bool).any()]
    tables.table(table[[*wanted, *more]], "files")


def _lines(corpus: kp.Corpus) -> str:
    return as_lines(kp.phrases(corpus))


def _statistics(corpus: kp.Corpus) -> None:
    st.markdown("**Annotators and systems**")
    normaliser, k = settings.normaliser(), settings.cutoff_of_average()
    table = cached.of((corpus, normaliser), f"all {normaliser}", report.statistics, k)
    said = report.telling(table)
    said = said[[name for name in _LOOKED_FOR if name in said]].rename(columns=_NAMED)
    tables.table(said.assign(role=said["role"].replace(ROLES)), "statistics")
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
            st.text_input(show.plain(name), name, key=key, on_change=click.does(_rename, in_files.get(name, name), key))


def _rename(name: str, key: str) -> None:
    workspace.rename({name: st.session_state[key]})


def _runs(corpus: kp.Corpus) -> None:
    """Propose that systems told apart by a number are runs of one."""
    if workspace.current().sample is not None:
        return
    in_files = {shown: name for name, shown in workspace.uploads().names.items()}
    for system, names in proposed_runs(corpus).items():
        said = f"{', '.join(list(names)[:6])}{' …' * (len(names) > 6)} differ little: they may be runs of one system."
        wanted = {in_files.get(name, name): run for name, run in names.items()}
        _line(said, (f"They are {len(names)} runs of {system}", f"runs of {system}", workspace.rename, wanted))


def held(fixes: Iterable[str]) -> None:
    """Say which fixes hold, with what takes each back."""
    for name in fixes:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            words = f"{name}: {identifiers.WORDS[name]}"
            st.markdown(f"**Fix that holds**, part of every signature: {show.plain(words)}", width="stretch")
            controls.button("Undo", f"undo {name}", workspace.fix, name, False)


def _offers(corpus: kp.Corpus, there: set[str]) -> None:
    """Offer the fixes that make ids meet, but those that stand there already."""
    for fix, found in identifiers.suggestions(corpus).groupby("fix", sort=False):
        words, left, right, match, of = found.iloc[0][["what it does", "left", "right", "match", "of"]]
        more = f", and {show.counted(len(found) - 1, 'pair')} more" if len(found) > 1 else ""
        label = f"{words[:1].upper()}{words[1:]}: {match} of {of} ids of {left} and {right} match{more}"
        if fix not in there and workspace.current().sample is None:
            _line("Some ids are written in two ways.", (label, f"fix {fix}", workspace.fix, fix, True))


#: Side of the data → what its documents are.
_SIDES = prose.entries("sides")
#: Of two sides, those of which the second should have every document of the first.
_NEEDED = (("gold", "texts"), ("systems", "gold"))


def _gaps(corpus: kp.Corpus) -> None:
    """Say which documents a side lacks that it should have."""
    missing = identifiers.gaps(corpus)
    for side, other, _, number, first in missing[missing["only here"] > 0].itertuples(index=False):
        if (side, other) in _NEEDED:
            what = "have no text" if other == "texts" else "are not in the gold standard"
            said = f"{show.counted(number, 'document')} {_SIDES[side]} {what}: {first}{' …' * (number > 10)}"
            _line(said, _details(f"{side} {other}"))


def _coverage(corpus: kp.Corpus) -> None:
    """Show how many documents each side has, those that only one has, and ids that look alike."""
    counts = dict(identifiers.coverage(corpus).itertuples(index=False))
    words = ", ".join(f"{number:,} {_SIDES[side]}" for side, number in counts.items())
    st.caption(f"Documents: {words}.")
    missing = identifiers.gaps(corpus)
    missing = missing[missing["only here"] > 0]
    if len(missing):
        st.markdown("**Documents that only one side has**")
        tables.table(missing, "gaps")
    near = identifiers.unmatched(corpus)
    near = near[near["similar"] != ""]
    if len(near):
        st.markdown("**Ids that look alike**")
        tables.table(near, "near")
    table = identifiers.missing(corpus)
    if len(table):
        st.markdown("**Documents of the gold standard that a system has no list for**")
        tables.table(table, "missing_lists")


def _missing_lists(corpus: kp.Corpus) -> None:
    """Say which systems lack lists, and let the user choose what becomes of these documents."""
    table = identifiers.missing(corpus)
    if not len(table):
        return
    now, (system, number, of, _) = settings.settings().missing, table.iloc[0]
    more = f"; {show.counted(len(table) - 1, 'other system')} lack some" if len(table) > 1 else ""
    said = f"{system} has no list for {number} of {show.counted(of, 'document')}{more}. {_MISSING[now]}"
    ways = (("zero", "Treat them as empty"), ("skip", "Leave them out"))
    _line(said, *((label, f"missing_{value}", link.choose, "missing", value) for value, label in ways if value != now))


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
    tables.table(found.head(_MOST), "normalised")
    if len(found) > _MOST:
        st.caption(f"The first {_MOST:,} of {len(found):,} distinct phrases. Search to see others.")
