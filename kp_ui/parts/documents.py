"""Show a document in three panes (list of documents, marked text, all phrases), and all keyphrases."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import board, screen_tables
from kp_core.charts.selection import named
from kp_core.charts.style import looks
from kp_core.scoring.measures import parse
from kp_core.studies.document_values import MARKS, DocumentView, Phrase, marked_text, phrases_of
from kp_core.studies.subjects import documents_of
from kp_ui.parts import results
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Mark of a phrase → the sign next to its rank; near misses have another sign.
SIGNS = {"hit": "✓", "miss": "·", "repeated": "↺", "again": "↺", "filtered": "✕"}
_NEAR = "≈"
_BELOW = "Grayed: below this list’s cutoff. Below the line: below every list’s cutoff."
#: Maximum numbers of systems and of annotators with a column; if there are more annotators, they are counted.
_COLUMNS, _PEOPLE = 6, 6
#: Key in the session state of the document shown last; another document in the link was requested elsewhere.
_LAST_SHOWN = "document shown"


def section() -> None:
    """Arrange the three panes: list, text, phrases. Without systems, the most disputed documents come first."""
    presented, corpus = link.presented(), workspace.corpus()
    list_expander = st.expander("The documents") if presented else None  # in large type there is room for two panes
    if corpus.has_texts or presented:
        *panes, middle, right = st.columns([6, 7] if presented else [6, 6, 7], gap="medium")
    else:  # the phrases use the space of the text
        *panes, middle = st.columns([5, 8], gap="medium")
        right = middle
    with list_expander or panes[0]:
        pair = _pair() if corpus.systems else ()
        document = _list_documents(pair) if pair else _disputed()
    if document is None:
        middle.info(f"No {workspace.terms()['document']} matches the search.")
        return
    view = cached.on_screen(kp.one_document, document=document)
    with middle:
        _text(view, document, pair)
    with right:
        _phrases(view, document, pair)
    if pair:
        show.signature(cached.signature(settings.value("measure")))


def _pair() -> tuple[str, ...]:
    """Let the user choose one or two systems."""
    systems = results.best_first()
    first, second = st.columns(2)
    a = results.choose_system("First system", "system", systems, container=first)
    others = ["none", *(name for name in systems if name != a)]
    b = results.choose_system("Second system", "other", others, start=int(len(others) > 1), container=second)
    return (a,) if b == "none" else (a, b)


def _list_documents(pair: Sequence[str]) -> str | None:
    corpus, measure = workspace.corpus(), settings.value("measure")
    a, b = (*pair, "none")[:2]
    query, texts = _search()
    subset, document_values = "all", cached.on_screen(kp.documents, measure).frame
    if b != "none":
        current = next((name for name in screen_tables.WHICH if name == link.chosen().get("where")), "all")
        with controls.folded(f"Only: **{current}**", type="tertiary", key="only"):
            subset = controls.pick("Only", screen_tables.WHICH, "where")
    listed = screen_tables.documents(document_values, corpus.documents, a, b, subset)
    listed = screen_tables.searched(listed, corpus.documents, query, texts)
    name = named(measure, settings.cutoff())
    suffix = f", {a} minus {b}" if b != "none" else f" of {a}"
    show.downloads(listed, f"{name} by document{suffix}")
    addition = " of each document, not by subject" if parse(measure).over_subjects(settings.value("average")) else ""
    show.small(show.in_short(f"{show.pluralize(len(listed), 'document')}: {name}{addition}{suffix}."))
    height = 55 if tables.wraps(listed) else 24  # a grid scales a picture to the height of its row
    shown = listed.assign(values=board.pairs(listed, pair, looks(corpus.systems), height))
    columns = ["title" if "title" in shown else "document", "values", *(["difference"] if b != "none" else [])]
    return choose_document(listed["document"].tolist(), shown[columns], set(document_values["document"]))


def _search() -> tuple[str, "pd.Series[str]"]:
    search = controls.search("document_search", "Search titles, texts, phrases")
    return search, cached.on_corpus(_texts) if search else pd.Series(dtype=str)


def _texts(corpus: kp.Corpus) -> pd.Series:
    """Return what can be searched of each document, in lower case: text, keyphrases, and phrases of systems."""
    tables_ = (corpus.documents.rename(columns={"text": "phrase"}), corpus.gold, corpus.runs)
    all_phrases = pd.concat([table[["doc_id", "phrase"]].dropna() for table in tables_])
    return all_phrases.groupby("doc_id", sort=False)["phrase"].agg(" \n ".join).str.lower()


def _disputed() -> str | None:
    table, documents = cached.annotated_documents()[["document", "P_pos"]], workspace.corpus().documents
    table = table.sort_values("P_pos", kind="stable", ignore_index=True)
    rows = screen_tables.searched(table, documents, *_search())
    show.about("people.least", annotators=workspace.terms()["annotators"])
    show.downloads(rows, f"Agreement by {workspace.terms()['document']}")
    show.signature(cached.agreement().signature)
    return choose_document(rows["document"].tolist(), screen_tables.by_title(rows, documents), set(table["document"]))


def choose_document(ids: list[str], listed: pd.DataFrame, known_ids: Collection[str]) -> str | None:
    """Let the user select a document; initially that in the link, else the one shown last, else the first of the list.

    A document in the link is shown even if the filters exclude it, until the user selects a row.
    """
    previous = st.session_state.get(_LAST_SHOWN)
    requested = link.chosen().get("document", previous)
    is_linked = requested in known_ids and requested not in ids and requested != previous
    if requested not in ids and not is_linked:
        link.set_default("document", None)
    position = ids.index(requested) if requested in ids else 0
    if is_linked:
        show.small(f"The link names {requested}, which is not in the list; it is shown anyway.")
    elif ids:
        st.session_state[_LAST_SHOWN] = ids[position]
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            controls.steps("document", ids, position)
            st.caption(f"{position + 1:,} of {len(ids):,}; keys P and N")
    tables.selectable_table(listed, ids, None if is_linked else position, "document")
    return requested if is_linked else ids[position] if ids else None


def _text(view: DocumentView, document: str, pair: Sequence[str]) -> None:
    st.header(show.plain(view.title or document), anchor=False)
    show.small(" · ".join(part for part in (document if view.title else "", view.group) if part))
    systems = [name for name in pair if name in view.lists]
    if not view.text:
        show.small(f"No text of this {workspace.terms()['document']} is loaded.")
        return
    line_of_system, styles = dict(zip(_LINES, systems, strict=False)), looks(workspace.corpus().systems)
    style = "".join(f"--{line}: {styles[name].color};" for line, name in line_of_system.items())
    pieces = marked_text(view, systems, settings.resolved())
    names = [f'<u class="{line}">{tables.escape(show.in_short(name))}</u>' for line, name in line_of_system.items()]
    legend = " · ".join(["<mark>chosen by people</mark>", *names])
    show_marked(pieces, style)
    st.html(f'<div class="kp-text kp-legend" style="{style}">{legend}</div>')


_LINES = ("first", "second")


def show_marked(pieces: Iterable[tuple[str, str]], style: str = "") -> None:
    """Show a text in pieces, each marked as chosen by people, by the first system, or by the second."""
    text = "".join(_marked_piece(source, piece) for source, piece in pieces)
    st.html(f'<div class="kp-text" tabindex="0" style="{style}">{text}</div>')


def _marked_piece(marked_by: str, piece: str) -> str:
    text = tables.escape(piece)
    for line in _LINES:
        text = f'<u class="{line}">{text}</u>' if line in marked_by.split() else text
    return f"<mark>{text}</mark>" if "people" in marked_by.split() else text


def _phrases(view: DocumentView, document: str, pair: Sequence[str]) -> None:
    """Show a table of all phrases with the annotators who chose them, and each system's rank and mark."""
    annotators = workspace.corpus().annotators
    systems = [name for name in (*pair, *(name for name in view.lists if name not in pair)) if name in view.lists]
    hidden, systems = systems[_COLUMNS:], systems[:_COLUMNS]
    view = replace(view, lists={name: view.lists[name] for name in systems})
    listed = phrases_of(view, settings.resolved(), beyond=5)
    near_misses = {name: screen_tables.types_of(cached.near_misses(), name, document) for name in systems}
    people = list(annotators) if 1 < len(annotators) <= _PEOPLE else []
    first_heading = "phrase" if systems else workspace.terms()["keyphrase"]
    names = [first_heading, *(people or ["people"]), *systems]
    heads = [tables.breakable(tables.escape(show.in_short(name))) for name in names]
    head = "".join(f'<th title="{tables.escape(name)}">{shown}</th>' for name, shown in zip(names, heads, strict=True))
    rows = [_row(phrase, people, len(annotators), systems, near_misses) for phrase in listed]
    within_count = sum(phrase.within for phrase in listed)
    if systems and within_count < len(rows):
        rows.insert(within_count, f'<tr class="kp-line"><td colspan="{len(names)}"></td></tr>')
    tables.html(f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>", "kp-phrases")
    if systems:
        signs = "; ".join(f"{SIGNS[mark]} {words}" for mark, words in MARKS.items() if mark != "again")
        show.small(f"Number: rank in the list. {signs}; {_NEAR} a near miss. {_BELOW}")
    if hidden:
        show.small(f"Not shown: {', '.join(hidden)}. Choose them as first or second system.")


def _row(
    phrase: Phrase, people: Sequence[str], n_annotators: int, systems: Sequence[str], marks: dict[str, dict[str, str]]
) -> str:
    count_text = f"{len(phrase.people)} of {n_annotators}" if n_annotators > 1 else "●"
    people_cell = f'<td title="{tables.escape(", ".join(phrase.people))}">{count_text if phrase.people else ""}</td>'
    people_cells = "".join(f"<td>{'●' if name in phrase.people else ''}</td>" for name in people) or people_cell
    cells = "".join(_cell(phrase, name, marks[name]) for name in systems)
    css_class = " ".join(["best"] * phrase.keyphrase + ["quiet"] * (not phrase.within and bool(phrase.ranks)))
    return f'<tr class="{css_class}"><td>{tables.escape(phrase.phrase)}</td>{people_cells}{cells}</tr>'


def _cell(phrase: Phrase, system: str, near_types: Mapping[str, str]) -> str:
    if system not in phrase.ranks:
        return "<td></td>"
    rank, mark, within = phrase.ranks[system]
    near_miss = near_types.get(phrase.phrase, "") if mark == "miss" else ""
    css_class, addition = (f"kp-{mark}", "") if within else (f"kp-{mark} quiet", "; beyond the cutoff")
    title = tables.escape(f"{near_miss or MARKS[mark]}{addition}")
    return f'<td class="{css_class}" title="{title}">{rank} <b>{_NEAR if near_miss else SIGNS[mark]}</b></td>'


def headings() -> None:
    """Arrange the keyphrases that match a search, and the documents of the chosen keyphrase."""
    systems = results.best_first() if workspace.corpus().systems else []
    terms = workspace.terms()
    left, right = st.columns([8, 4], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            system = results.choose_system("System", "system", systems) if systems else ""
            query = controls.search("heading_search", f"Search {terms['keyphrases']}")
        heading = _list_headings(system, query)
    with right:
        if heading is None:
            st.info(f"No {terms['keyphrase']} matches the search.")
        else:
            _occurrences(system, *heading)
    if system:
        with st.expander(f"Most frequent misses and additions of {show.plain(show.in_short(system))}"):
            _frequent(system)


def _list_headings(system: str, query: str) -> tuple[str, str] | None:
    """Let the user choose a keyphrase, and return its identifier and name; None if none matches the search."""
    subjects = cached.on_screen(kp.subjects) if system else cached.on_corpus(kp.subjects, cached.without_cutoff())
    rows = screen_tables.headings(subjects, system, query)
    displayed, terms = rows.drop(columns="subject"), workspace.terms()
    show.downloads(displayed, f"{terms['Keyphrases']}{f', {system}' * bool(system)}")
    show.provenance(subjects)
    number = show.pluralize(len(rows), terms["keyphrase"])
    show.about("headings.of_system" if system else "headings.of_people", number=number, documents=terms["documents"])
    ids = rows["subject"].tolist()
    chosen = link.chosen().get("heading", "")
    selected = ids.index(chosen) if chosen in ids else 0
    tables.selectable_table(displayed, ids, selected, "heading")
    return (ids[selected], str(rows["heading"].iloc[selected])) if ids else None


def _occurrences(system: str, heading: str, name: str) -> None:
    settings_used = cached.at_cutoff() if system else cached.without_cutoff()
    table = cached.on_corpus(documents_of, settings_used, subject=heading, system=system)
    show.subheader(show.plain(name))
    corpus = workspace.corpus()
    displayed = screen_tables.occurrences(table, corpus.documents, len(corpus.annotators))
    tables.selectable_table(displayed, table["document"].tolist(), None, "document", target_page="documents")


def _frequent(system: str) -> None:
    titles = "Most often missed", "Most often chosen, but not a keyphrase"
    frequent = zip(titles, screen_tables.most_frequent(cached.near_misses(), system), strict=True)
    for column, (title, table) in zip(st.columns(2, gap="medium"), frequent, strict=True):
        with column:
            st.markdown(f"**{title}**")
            tables.table(table, title)
