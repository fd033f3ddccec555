"""Show documents in three panes: the list to choose from, the text with what people and systems chose, every phrase."""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import board, screen_tables
from kp_core.charts.selection import named
from kp_core.charts.style import short
from kp_core.scoring.measures import parse
from kp_core.studies.document_values import MARKS, DocumentView, Phrase, marked_text, phrases_of
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Mark → the sign beside a rank; a near miss has its own.
SIGNS = {"hit": "✓", "miss": "·", "repeated": "↺", "again": "↺", "filtered": "✕"}
_NEAR = "≈"
#: Of so many systems each has a column; so many annotators have one, of more there is the number.
_COLUMNS, _PEOPLE = 6, 6
#: So many ranks beyond the cutoff are shown, below the line.
_BEYOND = 5
#: The document that was shown last; any other one in the link was asked for from elsewhere.
_SHOWN = "document shown"


def section() -> None:
    """Arrange the three panes: list, text, phrases; without systems, the documents that people dispute most."""
    wide, corpus = not link.presented(), workspace.corpus()  # large type leaves room for two panes
    folded = None if wide else st.expander("The documents")
    if wide and not corpus.has_texts and not corpus.systems:
        left, middle = st.columns([5, 8], gap="medium")
        right = middle
    else:
        *aside, middle, right = st.columns([6, 6, 7] if wide else [6, 7], gap="medium")
        left = folded or aside[0]
    pair = _pair() if corpus.systems else ()
    with left:
        document = _listed(pair) if pair else _disputed()
    if document is None:
        middle.info("No document fits the search.")
        return
    view = cached.here(kp.one_document, document=document)
    with middle:
        _text(view, document, pair)
    with right:
        near = (
            {name: screen_tables.types_of(cached.near_misses(), name, document) for name in view.lists} if pair else {}
        )
        phrases(view, pair, near, corpus.annotators, settings.resolved())
    if pair:
        show.signature(cached.signature(settings.value("measure")))


def _pair() -> tuple[str, ...]:
    """Let the user choose a system, and the one that it is compared with if there are several."""
    systems = results.best_first()
    chosen = link.chosen().get("system", "")
    first = chosen if chosen in systems else systems[0]
    others = ["none", *(name for name in systems if name != first)]
    other = link.chosen().get("other", "")
    return first, *([name] if (name := other if other in others else others[int(len(others) > 1)]) != "none" else [])


def _listed(pair: Sequence[str]) -> str | None:
    """Let the user choose a document, those that differ most first; None where the search leaves none."""
    corpus, measure, systems = workspace.corpus(), settings.value("measure"), results.best_first()
    first, second = st.columns(2)
    a = controls.select("A", systems, "system", inside=first)
    others = ["none", *(name for name in systems if name != a)]
    controls.select("B", others, "other", int(len(others) > 1), inside=second)
    b = pair[1] if len(pair) > 1 else "none"
    search = controls.search("document_search", "Search titles, texts, phrases")
    which = _only() if b != "none" else "all"
    values = cached.here(kp.documents, measure).frame
    texts = cached.ask(_texts) if search else pd.Series(dtype=str)
    listed = screen_tables.documents(values, corpus.documents, a, b, search, which, texts)
    name = named(measure, settings.cutoff())
    told = f", {a} minus {b}" if b != "none" else f" of {a}"
    show.downloads(listed, "documents", f"{name} by document{told}", cached.signature(measure))
    of = " of each document, not by subject" if parse(measure).over_subjects(settings.value("average")) else ""
    show.small(results.in_short(f"{show.counted(len(listed), 'document')}: {name}{of}{told}."))
    shown = listed.assign(values=board.pairs(listed, pair, results.marks_of_systems()))
    wanted = ["title" if "title" in shown else "document", "values", *(["difference"] if b != "none" else [])]
    return choose_document(listed["document"].tolist(), shown[wanted], set(values["document"]))


def _only() -> str:
    """Let the user choose which documents are listed; folded, since few do."""
    now = link.chosen().get("where", "")
    with controls.folded(f"Only: **{now if now in screen_tables.WHICH else 'all'}**", type="tertiary", key="only"):
        return controls.pick("Only", screen_tables.WHICH, "where")


def _texts(corpus: kp.Corpus) -> pd.Series:
    """Return all that can be searched of each document, in small letters: text, keyphrases, phrases of systems."""
    tables_ = (corpus.documents.rename(columns={"text": "phrase"}), corpus.gold, corpus.runs)
    every = pd.concat([table[["doc_id", "phrase"]].dropna() for table in tables_])
    return every.groupby("doc_id", sort=False)["phrase"].agg(" \n ".join).str.lower()


def _disputed() -> str | None:
    """Let the user choose a document, those on which people agree least first; None where the search leaves none."""
    table = screen_tables.most_disputed(cached.annotated_documents())
    search = controls.search("document_search", "Search titles, texts, phrases")
    texts = cached.ask(_texts) if search else pd.Series(dtype=str)
    listed = screen_tables.searched(table, workspace.corpus().documents, search, texts)
    show.about("people.least", annotators=workspace.speech()["annotators"])
    shown = screen_tables.by_title(listed, workspace.corpus().documents)
    show.downloads(listed, "titles", "Agreement by title", cached.agreement().signature)
    show.signature(cached.agreement().signature)
    return choose_document(listed["document"].tolist(), shown, set(table["document"]))


def choose_document(ids: list[str], listed: pd.DataFrame, known: Collection[str]) -> str | None:
    """Let the user select a row; the document of the link is selected first, else the one shown before, else the first.

    A document that a link names is shown also where the filters leave it out, until a row is selected.
    """
    before = st.session_state.get(_SHOWN)
    asked = link.chosen().get("document", before)
    linked = asked in known and asked not in ids and asked != before
    if asked not in ids and not linked:
        link.settle("document", None)
    place = ids.index(asked) if asked in ids else 0
    if linked:
        show.small(f"The link names {asked}, which is not among the documents listed; it is shown beside them.")
    elif ids:
        st.session_state[_SHOWN] = ids[place]
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            controls.steps("document", ids, place, keys=True)
            st.caption(f"{place + 1:,} of {len(ids):,}; keys P and N")
    tables.to_choose(listed, ids, None if linked else place, "document")
    return asked if linked else ids[place] if ids else None


def _text(view: DocumentView, document: str, pair: Sequence[str]) -> None:
    """Show the text with what people chose, and two lines below what the systems did."""
    st.header(show.plain(view.title or document), anchor=False)
    own_id = document if view.title else ""
    show.small(" · ".join(part for part in (own_id, view.group, settings.cutoff_in_words() if pair else "") if part))
    own = [name for name in pair if name in view.lists]
    if not view.text:
        show.small(f"No text of this {workspace.speech()['document']} is loaded.")
        return
    text, looks = marked_text(view, own, settings.resolved()), results.marks_of_systems()
    colours = [looks[name].colour for name in own]
    drawn = "".join(f"--{line}: {colour};" for line, colour in zip(_LINES, colours, strict=False))
    pieces = "".join(_marked(who, piece) for who, piece in text)
    st.html(f'<div class="kp-text" tabindex="0" style="{drawn}">{pieces}</div>')
    said = [
        "<mark>chosen by people</mark>",
        *(f'<u class="{line}">{tables.escape(name)}</u>' for name, line in zip(own, _LINES, strict=False)),
    ]
    st.html(f'<div class="kp-text kp-legend" style="{drawn}">{" · ".join(said)}</div>')


#: The line below a phrase of the first and of the second system.
_LINES = ("first", "second")


def _marked(who: str, piece: str) -> str:
    """Return a piece of text as HTML, in which everything appears as it stands."""
    text = tables.escape(piece)
    for line in _LINES:
        text = f'<u class="{line}">{text}</u>' if line in who.split() else text
    return f"<mark>{text}</mark>" if "people" in who.split() else text


def phrases(
    view: DocumentView,
    pair: Sequence[str],
    near: Mapping[str, Mapping[str, str]],
    annotators: Sequence[str],
    used: kp.Settings,
) -> None:
    """Show one grid: every phrase, who of the people chose it, the rank and the sign that each system gives it.

    near: system → phrase → the near miss in words, where they are known
    """
    systems = [*pair, *(name for name in view.lists if name not in pair)]
    systems = [name for name in systems if name in view.lists][:_COLUMNS]
    found = phrases_of(
        DocumentView(**{**vars(view), "lists": {name: view.lists[name] for name in systems}}), used, _BEYOND
    )
    people = list(annotators) if 1 < len(annotators) <= _PEOPLE else ["people"]
    head = "".join(
        f'<th title="{tables.escape(name)}">{tables.escape(short(name, 14))}</th>' for name in (*people, *systems)
    )
    first = "phrase" if systems else workspace.speech()["keyphrase"]
    rows, before = list[str](), bool(systems)
    for one in found:
        if before and not one.within:
            rows.append(f'<tr class="kp-line"><td colspan="{1 + len(people) + len(systems)}"></td></tr>')
            before = False
        rows.append(_row(one, people, annotators, systems, near))
    st.html(
        f'<div class="kp-table kp-phrases" tabindex="0"><table><thead><tr><th>{first}</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    signs = "; ".join(f"{SIGNS[mark]} {words}" for mark, words in MARKS.items() if mark != "again")
    if systems:
        beyond = "Pale: beyond the cutoff of that list; below the line: of all lists."
        show.small(f"Number: rank in the list. {signs}; {_NEAR} nearly a keyphrase. {beyond}")
    if hidden := len(view.lists) - len(systems):
        show.small(f"{show.counted(hidden, 'further system')} not shown: choose them as A and B.")


def _row(
    one: Phrase,
    people: Sequence[str],
    annotators: Sequence[str],
    systems: Sequence[str],
    near: Mapping[str, Mapping[str, str]],
) -> str:
    if len(people) > 1:
        chosen = [f"<td>{'●' if name in one.people else ''}</td>" for name in people]
    else:
        several = f"{len(one.people)} of {len(annotators)}" if len(annotators) > 1 else "●"
        chosen = [f'<td title="{tables.escape(", ".join(one.people))}">{several if one.people else ""}</td>']
    cells = [_cell(one, name, near.get(name, {})) for name in systems]
    look = " ".join(word for word, on in (("best", one.keyphrase), ("quiet", not one.within and bool(one.ranks))) if on)
    return f'<tr class="{look}"><td>{tables.escape(one.phrase)}</td>{"".join(chosen)}{"".join(cells)}</tr>'


def _cell(one: Phrase, system: str, near: Mapping[str, str]) -> str:
    if system not in one.ranks:
        return "<td></td>"
    rank, mark, within = one.ranks[system]
    said = near.get(one.phrase, "") if mark == "miss" else ""
    sign = _NEAR if said else SIGNS[mark]
    look = f"kp-{mark}" if within else f"kp-{mark} quiet"
    words = said or MARKS[mark]
    title = words if within else f"{words}; beyond the cutoff"
    return f'<td class="{look}" title="{tables.escape(title)}">{rank} <b>{sign}</b></td>'
