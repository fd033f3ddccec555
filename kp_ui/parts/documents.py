"""Show documents in three panes (list, marked text, all phrases), and headings."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

import kp_core as kp
from kp_core.charts import board, screen_tables
from kp_core.charts.selection import named
from kp_core.scoring.measures import parse
from kp_core.studies.document_values import MARKS, DocumentView, Phrase, marked_text, phrases_of
from kp_core.studies.subjects import documents_of
from kp_ui.parts import results
from kp_ui.parts.page import Acts
from kp_ui.state import cached, link, settings, workspace
from kp_ui.widgets import controls, show, tables

#: Mark of a phrase → the sign next to its rank; near misses have another sign.
SIGNS = {"hit": "✓", "miss": "·", "repeated": "↺", "again": "↺", "filtered": "✕"}
_NEAR = "≈"
_BELOW = "Grayed: below this list’s cutoff. Below the line: below every list’s cutoff."
#: System → phrase → the near miss in words, if near misses are computed.
Near = Mapping[str, Mapping[str, str]]
#: Maximum number of systems with a column, and of annotators with a column; more annotators are counted.
_COLUMNS, _PEOPLE = 6, 6
#: Number of ranks beyond the cutoff that are shown below the line.
_BEYOND = 5
#: The document shown last; any other one in the link was requested from elsewhere.
_SHOWN = "document shown"


def section() -> None:
    """Arrange the three panes: list, text, phrases; without systems, the documents that people dispute most."""
    wide, corpus = not link.presented(), workspace.corpus()  # in large type there is room for two panes
    folded = None if wide else st.expander("The documents")
    widths = (
        [6, 7] if not wide else [6, 6, 7] if corpus.has_texts else [5, 8]
    )  # without a text, the phrases use its space
    *left, middle, right = st.columns(widths, gap="medium")
    if wide and not corpus.has_texts:
        left, middle = [middle], right
    pair = _pair() if corpus.systems else ()
    with folded or left[0]:
        document = _listed(pair) if pair else _disputed()
    if document is None:
        middle.info(f"No {workspace.speech()['document']} matches the search.")
        return
    view = cached.here(kp.one_document, document=document)
    with middle:
        _text(view, document, pair)
    with right:
        misses = cached.near_misses() if pair else None
        near = {name: screen_tables.types_of(misses, name, document) for name in view.lists} if misses else {}
        phrases(view, pair, near, corpus.annotators, settings.resolved())
    if pair:
        show.signature(cached.signature(settings.value("measure")))


def _pair() -> tuple[str, ...]:
    """Return the chosen system, and the system to compare it with if there are several."""
    systems, asked = results.best_first(), link.chosen()
    first = asked["system"] if asked.get("system") in systems else systems[0]
    others = [name for name in systems if name != first]
    other = asked.get("other", "")
    return first, *([] if other == "none" else [other] if other in others else others[:1])


def _listed(pair: Sequence[str]) -> str | None:
    """Let the user choose a document, largest differences first; return None if the search matches none."""
    corpus, measure, systems = workspace.corpus(), settings.value("measure"), results.best_first()
    first, second = st.columns(2)
    a = results.choose_system("First system", "system", systems, inside=first)
    others = ["none", *(name for name in systems if name != a)]
    results.choose_system("Second system", "other", others, start=int(len(others) > 1), inside=second)
    b = pair[1] if len(pair) > 1 else "none"
    search, texts = _search()
    which, values = _filter() if b != "none" else "all", cached.here(kp.documents, measure).frame
    listed = screen_tables.documents(values, corpus.documents, a, b, which)
    listed = screen_tables.searched(listed, corpus.documents, search, texts)
    name = named(measure, settings.cutoff())
    suffix = f", {a} minus {b}" if b != "none" else f" of {a}"
    show.downloads(listed, f"{name} by document{suffix}")
    of = " of each document, not by subject" if parse(measure).over_subjects(settings.value("average")) else ""
    show.small(results.in_short(f"{show.pluralize(len(listed), 'document')}: {name}{of}{suffix}."))
    shown = listed.assign(values=board.pairs(listed, pair, results.marks_of_systems()))
    wanted = ["title" if "title" in shown else "document", "values", *(["difference"] if b != "none" else [])]
    return choose_document(listed["document"].tolist(), shown[wanted], set(values["document"]))


def _search() -> tuple[str, "pd.Series[str]"]:
    search = controls.search("document_search", "Search titles, texts, phrases")
    return search, cached.ask(_texts) if search else pd.Series(dtype=str)


def _filter() -> str:
    """Let the user filter the list of documents, behind a button."""
    now = link.chosen().get("where", "")
    with controls.folded(f"Only: **{now if now in screen_tables.WHICH else 'all'}**", type="tertiary", key="only"):
        return controls.pick("Only", screen_tables.WHICH, "where")


def _texts(corpus: kp.Corpus) -> pd.Series:
    """Return the searchable text of each document in lower case: text, keyphrases, and phrases of systems."""
    tables_ = (corpus.documents.rename(columns={"text": "phrase"}), corpus.gold, corpus.runs)
    every = pd.concat([table[["doc_id", "phrase"]].dropna() for table in tables_])
    return every.groupby("doc_id", sort=False)["phrase"].agg(" \n ".join).str.lower()


def _disputed() -> str | None:
    """Let the user choose a document, lowest agreement first; return None if the search matches none."""
    table, titles = screen_tables.most_disputed(cached.annotated_documents()), workspace.corpus().documents
    listed = screen_tables.searched(table, titles, *_search())
    show.about("people.least", annotators=workspace.speech()["annotators"])
    show.downloads(listed, f"Agreement by {workspace.speech()['document']}")
    show.signature(cached.agreement().signature)
    return choose_document(listed["document"].tolist(), screen_tables.by_title(listed, titles), set(table["document"]))


def choose_document(ids: list[str], listed: pd.DataFrame, known: Collection[str]) -> str | None:
    """Let the user select a row; at first the document in the link, else the previous one, else the first.

    A document in the link is shown even if the filters exclude it, until a row is selected.
    """
    before = st.session_state.get(_SHOWN)
    asked = link.chosen().get("document", before)
    linked = asked in known and asked not in ids and asked != before
    if asked not in ids and not linked:
        link.set_default("document", None)
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
    """Show the text with people's choices highlighted and the phrases of two systems underlined."""
    st.header(show.plain(view.title or document), anchor=False)
    own_id = document if view.title else ""
    show.small(" · ".join(part for part in (own_id, view.group, settings.cutoff_in_words() if pair else "") if part))
    shown = [name for name in pair if name in view.lists]
    if not view.text:
        show.small(f"No text of this {workspace.speech()['document']} is loaded.")
        return
    lines, looks = dict(zip(_LINES, shown, strict=False)), results.marks_of_systems()
    drawn = "".join(f"--{line}: {looks[name].colour};" for line, name in lines.items())
    pieces = marked_text(view, shown, settings.resolved())
    names = [f'<u class="{line}">{tables.escape(results.in_short(name))}</u>' for line, name in lines.items()]
    legend = " · ".join(["<mark>chosen by people</mark>", *names])
    marked(pieces, drawn)
    st.html(f'<div class="kp-text kp-legend" style="{drawn}">{legend}</div>')


#: Marks of the phrases that the first and the second system chose, which are underlined.
_LINES = ("first", "second")


def marked(pieces: Iterable[tuple[str, str]], style: str = "") -> None:
    """Show a text in pieces, each with its marks: people, first, second."""
    text = "".join(_marked(who, piece) for who, piece in pieces)
    st.html(f'<div class="kp-text" tabindex="0" style="{style}">{text}</div>')


def _marked(who: str, piece: str) -> str:
    text = tables.escape(piece)
    for line in _LINES:
        text = f'<u class="{line}">{text}</u>' if line in who.split() else text
    return f"<mark>{text}</mark>" if "people" in who.split() else text


def phrases(view: DocumentView, pair: Sequence[str], near: Near, annotators: Sequence[str], used: kp.Settings) -> None:
    """Show a grid of all phrases with the annotators who chose them, and the rank and sign of each system."""
    systems = [name for name in (*pair, *(name for name in view.lists if name not in pair)) if name in view.lists]
    systems = systems[:_COLUMNS]
    listed = phrases_of(replace(view, lists={name: view.lists[name] for name in systems}), used, _BEYOND)
    people = list(annotators) if 1 < len(annotators) <= _PEOPLE else []
    first = "phrase" if systems else workspace.speech()["keyphrase"]
    names = [first, *(people or ["people"]), *systems]
    head = "".join(f'<th title="{tables.escape(name)}">{_head(name)}</th>' for name in names)
    rows = [_row(phrase, people, len(annotators), systems, near) for phrase in listed]
    within = sum(phrase.within for phrase in listed)
    if systems and within < len(rows):
        rows.insert(within, f'<tr class="kp-line"><td colspan="{len(names)}"></td></tr>')
    st.html(
        f'<div class="kp-table kp-phrases" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    if systems:
        signs = "; ".join(f"{SIGNS[mark]} {words}" for mark, words in MARKS.items() if mark != "again")
        show.small(f"Number: rank in the list. {signs}; {_NEAR} nearly a keyphrase. {_BELOW}")
    if hidden := len(view.lists) - len(systems):
        show.small(f"{show.pluralize(hidden, 'further system')} not shown: choose them as first or second system.")


def _head(name: str) -> str:
    return tables.escape(results.in_short(name)).replace("_", "_<wbr>")


def _row(phrase: Phrase, people: Sequence[str], annotators: int, systems: Sequence[str], near: Near) -> str:
    several = f"{len(phrase.people)} of {annotators}" if annotators > 1 else "●"
    together = f'<td title="{tables.escape(", ".join(phrase.people))}">{several if phrase.people else ""}</td>'
    chosen = "".join(f"<td>{'●' if name in phrase.people else ''}</td>" for name in people) or together
    cells = "".join(_cell(phrase, name, near.get(name, {})) for name in systems)
    look = " ".join(["best"] * phrase.keyphrase + ["quiet"] * (not phrase.within and bool(phrase.ranks)))
    return f'<tr class="{look}"><td>{tables.escape(phrase.phrase)}</td>{chosen}{cells}</tr>'


def _cell(phrase: Phrase, system: str, near: Mapping[str, str]) -> str:
    if system not in phrase.ranks:
        return "<td></td>"
    rank, mark, within = phrase.ranks[system]
    near_miss = near.get(phrase.phrase, "") if mark == "miss" else ""
    look, beyond = (f"kp-{mark}", "") if within else (f"kp-{mark} quiet", "; beyond the cutoff")
    title = tables.escape(f"{near_miss or MARKS[mark]}{beyond}")
    return f'<td class="{look}" title="{title}">{rank} <b>{_NEAR if near_miss else SIGNS[mark]}</b></td>'


def acts_on_headings() -> Sequence[Acts]:
    """Return the controls of the bar that affect headings: k if there are systems."""
    return ("k", "gold", "conventions") if workspace.corpus().systems else ("conventions",)


def headings() -> None:
    """Arrange the headings that match a search, and the documents of the chosen heading."""
    systems = results.best_first() if workspace.corpus().systems else []
    say = workspace.speech()
    left, right = st.columns([8, 4], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            system = results.choose_system("System", "system", systems) if systems else ""
            search = controls.search("heading_search", f"Search {say['keyphrases']}")
        heading = _list_headings(system, search)
    with right:
        if heading is None:
            st.info(f"No {say['keyphrase']} matches the search.")
        else:
            _occurrences(system, *heading)
    if system:
        with st.expander(f"What {show.plain(system)} misses and adds most often, over all documents"):
            _frequent(system)


def _list_headings(system: str, search: str) -> tuple[str, str] | None:
    """Let the user choose a heading; return its identifier and name, or None if the search matches none."""
    subjects = cached.here(kp.subjects) if system else cached.ask(kp.subjects, cached.without_cutoff())
    rows = screen_tables.headings(subjects, system, search)
    shown, say = rows.drop(columns="subject"), workspace.speech()
    show.downloads(shown, f"{say['Keyphrases']}{f', {system}' * bool(system)}")
    show.recipe(subjects)
    number = show.pluralize(len(rows), say["keyphrase"])
    show.about("headings.of_system" if system else "headings.of_people", number=number, documents=say["documents"])
    ids = rows["subject"].tolist()
    chosen = link.chosen().get("heading", "")
    place = ids.index(chosen) if chosen in ids else 0
    for width, columns in (("wide", list(shown)), ("narrow", screen_tables.FEWER)):
        with st.container(key=f"headings-{width}"):
            tables.to_choose(shown[[name for name in shown if name in columns]], ids, place, "heading")
    return (ids[place], str(rows["heading"].iloc[place])) if ids else None


def _occurrences(system: str, heading: str, name: str) -> None:
    asked = cached.at_cutoff() if system else cached.without_cutoff()
    table = cached.ask(documents_of, asked, subject=heading, system=system)
    show.subheader(show.plain(name))
    corpus = workspace.corpus()
    shown = screen_tables.occurrences(table, corpus.documents, len(corpus.annotators))
    tables.to_choose(shown, table["document"].tolist(), None, "document", opens="documents")


def _frequent(system: str) -> None:
    """Show the most frequent misses and the most frequent spurious phrases of a system."""
    near = cached.near_misses()
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Most often missed**")
        tables.table(screen_tables.most_missed(near, system), "most_missed")
    with right:
        st.markdown("**Most often chosen, and no keyphrase**")
        tables.table(screen_tables.most_spurious(near, system), "most_spurious")
