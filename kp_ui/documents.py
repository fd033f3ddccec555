"""Show documents and their phrases: the list to choose from, the gold standard, ranked lists with matches marked."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import screen_tables
from kp_core.charts.selection import named
from kp_core.charts.style import short
from kp_core.studies.document_values import KINDS, MARKS, DocumentView, marked_text
from kp_ui import cached, controls, link, prose, results, settings, show, workspace

#: Mark → sign and colour; the sign alone says it, for those who do not see the colour.
SIGNS = {
    "hit": ("✓", "#2F86D0"),
    "miss": ("·", "inherit"),
    "repeated": ("↺", "#B07400"),
    "again": ("≈", "#B07400"),
    "filtered": ("✕", "#B07400"),
}
LEGEND = "; ".join(f"{SIGNS[mark][0]} {words}" for mark, words in MARKS.items()) + ". Grey: beyond the cutoff."


def chosen() -> str | None:
    """Let the user choose a document from the list: systems compared, most different first, or people, most disputed.

    Return its id, or None where the search leaves none.
    """
    corpus = workspace.corpus()
    types = [str(name) for name in corpus.documents["group"].dropna().unique() if name]
    if not corpus.systems:
        table = screen_tables.most_disputed(cached.annotated_documents())
        st.caption("Where the annotators agree least comes first.")
        return choose_document(table, set(table["document"]))
    measure = settings.value("measure")
    systems = results.best_first()
    better = controls.select("System", systems, "system")
    others = ["none", *(name for name in systems if name != better)]
    other = controls.select("Compared with", others, "other", int(len(others) > 1))
    with st.expander("Sort and search"):
        length = ["length of the text"] if corpus.has_texts else []
        orders = ["difference", "value", *length, "as loaded", "random"]
        order = controls.select("Sorted by", orders, "sort")
        search = st.text_input("Search by id or title", **controls.held("document_search", ""))
        group = controls.select("Document type", ["all", *types], "document_type", disabled=not types)
        which = controls.select("Only where", screen_tables.WHERE, "where") if other != "none" else "all"
    values = cached.here(kp.by_document, measure)
    listed = screen_tables.documents(values, corpus.documents, better, other, order, search, group, which)
    name = named(measure, settings.cutoff())
    told = f", {better} minus {other}" if other != "none" else f" of {better}"
    show.small(results.in_short(f"{show.counted(len(listed), 'document')}: {name}{told}."))
    column = "difference" if other != "none" else screen_tables.column_of(better)
    document = choose_document(listed[["document", column]], set(values["document"]))
    show.downloads(listed, "documents", f"Documents by {name}", cached.signature(measure), "Values by document")
    return document


def show_document(document: str) -> None:
    """Show one document: its text with the phrases of the system marked, the gold standard, and the ranked lists."""
    corpus, measure = workspace.corpus(), settings.value("measure")
    view = cached.here(kp.one_document, document=document)
    st.header(show.plain(view.title or document), anchor=False)
    own_id = document if view.title else ""
    show.small(" · ".join(part for part in (own_id, view.group, settings.cutoff_in_words()) if part))
    systems = [name for name in results.best_first() if name in view.lists] if view.lists else []
    first = [name for name in (st.session_state.get("system"), st.session_state.get("other")) if name in systems]
    systems = first + [name for name in systems if name not in first]
    if view.text and systems:
        _text_of(view, systems)
    near = {system: screen_tables.types_of(cached.near_misses(), system, document) for system in systems}
    side_by_side(view, corpus.annotators, systems, near)
    if systems:
        st.caption(LEGEND)
        with st.expander(f"What {show.plain(systems[0])} misses and adds most often, over all documents"):
            _frequent(systems[0])
        show.signature(cached.signature(measure))
    elif view.text:
        show.text(show.plain(view.text))


#: Kind of a marked phrase → sign and colour; the sign alone says it, for those who do not see the colour.
_MARKED = {"hit": ("✓", "blue"), "missed": ("☐", "orange"), "spurious": ("·", "gray")}


def _text_of(view: DocumentView, systems: list[str]) -> None:
    system = systems[0]
    legend = "; ".join(f"{_MARKED[kind][0]} {words}" for kind, words in KINDS.items())
    show.text(show.marked(marked_text(view, system, settings.resolved()), _MARKED))
    show.small(f"{system}: {legend}.")


def _frequent(system: str) -> None:
    found = cached.near_misses()
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Most often missed**")
        results.table(screen_tables.most_missed(found, system), "most_missed")
    with right:
        st.markdown("**Most often chosen, and no keyphrase**")
        results.table(screen_tables.most_spurious(found, system), "most_spurious")


#: The document that was shown last; any other one in the link was asked for from elsewhere.
_SHOWN = "document shown"


def choose_document(listed: pd.DataFrame, known: Collection[str]) -> str | None:
    """Let the user select a row; the document of the link is selected first, else the one shown before, else the first.

    A document that a link names is shown also where the filters leave it out, until a row is selected.
    """
    ids: list[str] = listed["document"].tolist()
    before = st.session_state.get(_SHOWN)
    asked = link.chosen().get("document", before)
    linked = asked in known and asked not in ids and asked != before
    if asked not in ids and not linked:
        link.choose("document", None)
    place = ids.index(asked) if asked in ids else 0
    # The order is part of the key: a selected row would otherwise stand for another document after sorting.
    key = f"documents {hashlib.sha256(chr(0).join(ids).encode()).hexdigest()[:16]}"
    if ids:
        st.session_state[key] = {"selection": {"rows": [] if linked else [place]}}
        mode: Any = {"selection_mode": "single-row" if linked else "single-row-required"}
        results.table(
            listed, key, height=380 if len(ids) > 10 else "content", on_select=partial(_take, key, ids), **mode
        )
    if linked:
        show.small(f"The link names {asked}, which is not among the documents listed; it is shown below.")
        return asked
    if not ids:
        return None
    st.session_state[_SHOWN] = ids[place]
    with st.container(horizontal=True, vertical_alignment="center"):
        controls.steps("document", ids, place, keys=True)
        st.caption(f"{place + 1:,} of {len(ids):,}; keys P and N")
    return ids[place]


def _take(key: str, ids: list[str]) -> None:
    for row in st.session_state[key]["selection"]["rows"]:
        link.choose("document", ids[row])


#: Width of a list: two stand side by side on a laptop, three on a large screen, one on a telephone.
_WIDE = 300
#: So many lists are open; those of the other systems unfold.
_OPEN = 2


def side_by_side(
    view: DocumentView, annotators: list[str], systems: Sequence[str], near: Mapping[str, Mapping[str, str]]
) -> None:
    """Show the gold standard of a document and the ranked lists, as many beside each other as fit.

    near: system → phrase → the near miss in words, where they are known
    """
    show.subheader("Gold standard")
    _gold_table(view, annotators)
    _lists(view, systems[:_OPEN], near)
    if systems[_OPEN:]:
        with st.expander(f"The lists of {show.counted(len(systems) - _OPEN, 'other system')}"):
            _lists(view, systems[_OPEN:], near)


def _lists(view: DocumentView, systems: Sequence[str], near: Mapping[str, Mapping[str, str]]) -> None:
    with st.container(horizontal=True):
        for system in systems:
            with st.container(width=_WIDE):
                show.subheader(show.plain(short(system, 30)))
                ranked_table(system, view.lists[system], near.get(system, {}))


def _gold_table(view: DocumentView, annotators: list[str]) -> None:
    table = {"keyphrase": [" | ".join(spellings) for spellings in view.gold["spellings"]]}
    narrow: dict[str, Any] = {}
    if 1 < len(annotators) <= 5:
        for name in annotators:  # who may be called like one of the other columns
            column = f"annotator {name}" if name in ("keyphrase", "found by") else name
            table[column] = ["●" if name in chosen else "" for chosen in view.gold["annotators"]]
            narrow[column] = st.column_config.TextColumn(short(column, 12), width=60)
    elif annotators[1:]:
        table["chosen by"] = [f"{len(chosen)}: {', '.join(chosen)}" for chosen in view.gold["annotators"]]
    if view.lists:
        table["found by"] = [", ".join(short(name, 20) for name in found) or "nobody" for found in view.gold["found"]]
    frame = pd.DataFrame(table)
    st.dataframe(frame, key="gold keyphrases", hide_index=True, height=_height(frame), column_config=narrow)


def _height(table: pd.DataFrame) -> int | Literal["content"]:
    """Return the height of a list: a long one scrolls, so that two lists are seen together."""
    return 320 if len(table) > 8 else "content"


def ranked_table(system: str, ranked: pd.DataFrame, near: Mapping[str, str]) -> None:
    """Show a ranked list as the evaluation sees it; rows beyond the cutoff are grey.

    near: phrase → type of the near miss, where types are known
    """
    if not len(ranked):
        st.caption("This system has no list for this document, or an empty one.")
        return
    other = ranked["keyphrase"].where(ranked["keyphrase"] != ranked["phrase"], "")
    missed = (ranked["mark"] == "miss") & ranked["counts"]
    rows = zip(ranked["phrase"], missed, other, strict=True)
    shown = [near.get(phrase, "") if miss else own for phrase, miss, own in rows]
    table = pd.DataFrame(
        {
            "rank": ranked["rank"],
            "": [SIGNS[mark][0] for mark in ranked["mark"]],
            "phrase": ranked["phrase"],
            "keyphrase": shown,
        }
    ).dropna(axis="columns", how="all")
    css = list(map(_css, ranked["mark"], screen_tables.within_cutoff(ranked)))
    styled = table.style.apply(lambda shown: pd.DataFrame(dict.fromkeys(shown, css), index=shown.index), axis=None)
    st.dataframe(
        styled,
        key=f"list {system}",
        hide_index=True,
        height=_height(table),
        column_config={
            "rank": st.column_config.NumberColumn("k", width=38),
            "": st.column_config.TextColumn("", width=28, help=show.plain(LEGEND)),
            "phrase": st.column_config.TextColumn("phrase", width=118),
            "keyphrase": st.column_config.TextColumn("gold", width=100, help=prose.text("documents.gold")),
        },
    )


def _css(mark: str, within: bool) -> str:
    """Return the style of a row: coloured by its mark, grey beyond the cutoff."""
    colour = SIGNS[mark][1] if within else "#8c8c8c"
    bold = "font-weight: 600; " if mark == "hit" and within else ""
    return bold if colour == "inherit" else f"{bold}color: {colour}"
