"""Text of users is shown unchanged on every page and in every download."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

import kp_core as kp
from kp_core.reading import Source
from kp_ui import shell
from kp_ui.state.workspace import Session, Workspace
from tests.app.opening import TABS, opened

#: What Markdown, HTML, LaTeX, a spreadsheet or the direction of writing would make something else of.
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<b>bold</b>",
    "<a href='http://evil.example'>a</a>",
    "$x$",
    ":red[x]",
    ":material/x:",
    "![](http://evil.example/x.png)",
    "[x](http://evil.example)",
    "`x`",
    "**x**",
    "=cmd()",
    "@SUM(A1)",
    "\\input{secret}",
    "& # % _ ~ ^",
    "exe\u202egnp.\u2066x",
    "a -> b <- c <-> d -- e >= f ~= g",
)
#: Those of them that mean something to Markdown, where no backslash stands before them.
MARKUP = [re.compile(rf"(?<!\\){re.escape(one)}") for one in HOSTILE if one not in ("=cmd()", "@SUM(A1)")]
#: Those of them that mean something to LaTeX.
LATEX = ("$x$", "\\input{secret}", "& # % _ ~ ^", "\u202e", "\u2066")
#: Fields that Streamlit shows as they are, or that are no text: options are literal, alt is an attribute.
LITERAL = {
    *("options", "raw_values", "raw_value", "default", "value", "set_value", "string_value", "alt", "code_text"),
    *("id", "user_key", "key", "query_param_key", "element_id", "form_id", "page", "page_script_hash", "name"),
    *("file_name", "url", "url_pathname", "spec", "config", "columns", "display_values", "styles", "caption"),
    "query_string",
}


def system(turn: int, ids: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the lists of a system: its phrases start elsewhere in the row, and near misses are among them."""
    return {item: [*(f"{p} y" for p in HOSTILE[:4]), *HOSTILE[turn:], *HOSTILE[:turn]] for item in ids}


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    """Return a corpus in which every name is hostile: documents, titles, types, annotators, systems, phrases."""
    gold = {name: {one: [*HOSTILE[i:], HOSTILE[0]] for one in HOSTILE} for i, name in enumerate(HOSTILE[:3], 1)}
    texts = pd.DataFrame(
        {
            "doc_id": HOSTILE,
            "title": HOSTILE[1:] + HOSTILE[:1],
            "group": HOSTILE[2:] + HOSTILE[:2],
            "text": [f"We say {one} and {one} y here." for one in HOSTILE],
        }
    )
    pairs = [
        (f"p{i}", d, HOSTILE[i % 15], f"{HOSTILE[i % 15]} y", who, float((i + j) % 5))
        for i in range(30)
        for j, who in enumerate(HOSTILE[4:6])
        for d in [HOSTILE[i % 3]]
    ]
    judged = pd.DataFrame(pairs, columns=["pair_id", "doc_id", "keyphrase", "candidate", "annotator", "score"])
    return kp.load(gold, {HOSTILE[i]: system(i, HOSTILE) for i in (0, 4, 12, 14)}, texts, judged)


def strings(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a protocol message with the name of its field."""
    for field, value in message.ListFields():
        for item in value if field.is_repeated and not hasattr(value, "items") else [value]:
            if isinstance(item, Message):
                yield from strings(item, field.name)
            elif isinstance(item, str):
                yield field.name, item


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text within JSON."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in pairs:
            seen = name != "customdata" or "%{customdata" in value.get("hovertemplate", "")
            if seen and name != "legendgroup":  # ties a band to its line, and is not shown
                yield from texts_of(item)
    elif isinstance(value, str):
        yield value


def read_as_markup(node: Any) -> Iterator[str]:
    """Yield the hostile texts below a node of the page that would be interpreted as markup."""
    proto = getattr(node, "proto", None)
    if type(proto).__name__ == "Html":
        yield from elements_in(proto.body)
    elif isinstance(proto, Message):
        for field, text in strings(proto):
            if field not in LITERAL and type(proto).__name__ != "Text":  # st.text reads no Markdown
                yield from (f"{type(proto).__name__}.{field}: {text[:200]}" for item in MARKUP if item.search(text))
        if type(proto).__name__ == "PlotlyChart":
            drawn = list(texts_of(json.loads(proto.spec)))
            marks = ("<img", "<b>b", "<a h", "\u202e", "\u2066")
            yield from (f"chart: {text[:200]}" for text in drawn if any(mark in text for mark in marks))
        if type(proto).__name__ in ("Arrow", "Dataframe") and proto.columns:
            helps = [item["help"] for item in json.loads(proto.columns).values() if item and item.get("help")]
            yield from (f"help: {text[:200]}" for text in helps for item in MARKUP if item.search(text))
    for child in getattr(node, "children", {}).values():
        yield from read_as_markup(child)


def elements_in(body: str) -> Iterator[str]:
    """Give what a text of users has become in HTML, where it should be nothing but text."""
    yield from (f"Html: {text!r}" for text in (*HOSTILE[:3], "\u202e", "\u2066") if text in body)


VIEWS = [
    *((page, {f"{page}_tab": tab}) for page in shell.PAGES for tab in TABS.get(page, ("",))),
    ("systems", {"systems_tab": "Near misses", "near": "If near misses counted"}),
    ("systems", {"systems_tab": "Stability", "stability": "Other published conventions"}),
    ("correlation", {"view": "Rate near misses yourself"}),
    ("correlation", {"view": "The published study"}),
]


def test_pages_and_downloads_show_hostile_text_unchanged(
    corpus: kp.Corpus, offered: dict[str, tuple[str, Any]]
) -> None:
    held = {"session": Session(Workspace(corpus, "hostile", "test"))}
    for page, link in VIEWS:
        app = opened(page, state=held, annotators=HOSTILE[0], **link)
        assert not [item.value for item in app.error if "Something went wrong" in item.value], link
        assert list(read_as_markup(app._tree)) == [], link
    assert len(offered) > 120
    for name, content in offered.values():
        assert not any(item in name for item in HOSTILE)
        if name.endswith(CHECKED) and name not in IN_ARCHIVE:
            check_download(name, content() if callable(content) else content)


#: Endings of the downloads that are looked into; pictures are opened in a browser elsewhere.
CHECKED = (".csv", ".tex", ".md", ".html", ".zip", ".xlsx")
#: Files of the report that its archive, which is looked into, holds as well.
IN_ARCHIVE = ("report.html", "report.md", "tables.tex")


def check_download(name: str, content: Any) -> None:
    """Assert that opening a file executes nothing."""
    if isinstance(content, bytes) and name.endswith((".csv", ".tex", ".md", ".html")):
        content = content.decode()
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                check_download(member.rpartition("/")[2], archive.read(member))
    elif name.endswith(".xlsx"):
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            xml = "".join(book.read(part).decode() for part in book.namelist() if part.endswith(".xml"))
        assert "<sheetData>" in xml
        assert not re.search(r"<f[ >]|<t[^>]*>[=@]", xml)  # a formula, or text that would become one
    elif name.endswith(".csv") and name not in ("ratings.csv", "gold.csv", "system.csv"):
        starts = {cell[:1] for row in csv.reader(io.StringIO(content)) for cell in row}
        assert not starts & {"=", "@", "\t", "\r"}
    elif name.endswith(".html"):
        assert not [item for item in HOSTILE[:3] if item in content], name
        shown = re.sub(r"<script>.*?</script>", "", content, flags=re.DOTALL)  # charts are looked at above
        assert not [item for item in ("\u202e", "\u2066") if item in shown], name
    elif name.endswith(".tex"):
        assert not [item for item in LATEX if item in content], name
    elif name.endswith(".md"):
        assert not [item for item in MARKUP if item.search(content)], name


def test_file_names_are_shown_unchanged_in_errors() -> None:
    good = b"doc_id,keyphrase\nd1,tide\nd2,moon\n"
    run = b"doc_id,rank,keyphrase\nd1,1,tide\nd3,1,sun\n"
    names = ["".join(c for c in item if c not in "/") for item in HOSTILE]
    for data in (run, b'{"d1": ["tide", '):
        files = (Source("gold.csv", good), *(Source(f"{name}.csv", data) for name in names))
        app = opened("data", files=files)
        assert list(read_as_markup(app._tree)) == []


def test_checker_finds_interpreted_markup() -> None:
    def careless() -> None:
        import streamlit as st

        st.caption("system :red[x]")
        st.selectbox("choose $x$", [":red[x]"])

    app = AppTest.from_function(careless).run()
    assert list(read_as_markup(app._tree)) == ["Markdown.body: system :red[x]", "Selectbox.label: choose $x$"]
