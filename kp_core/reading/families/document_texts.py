"""F12: text and HTML files, one a document, become documents with their texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import PurePosixPath

import pyarrow as pa

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.json_text import is_json
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists import storable
from kp_core.reading.shapes import text_of

NAME = "F12"
TITLE = "document texts: .txt, .abstr, .html, .md"
EXAMPLE = "documents/1203.txt:\nTides rise and fall twice a day."
GROUP_IS_ONE = True
_SUFFIXES = (".txt", ".abstr", ".html", ".htm", ".md")
_DROPPED = {"script", "style", "head", "template", "noscript"}
_BLOCKS = {
    *("p", "div", "br", "li", "ul", "ol", "tr", "td", "th", "table", "pre", "blockquote"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "header", "footer"),
}


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim files with the ending of texts: all of them where texts are asked for, else those with long lines."""
    group = [file for file in files if file.suffix in _SUFFIXES]
    alone = len(group) == 1 and group[0].suffix == ".txt" and "/" not in group[0].name
    if role == "judgements" or not group or (alone and role != "documents"):
        return []
    if role != "documents" and not _are_texts(group):
        return []
    return [_recognition(group)]


def _are_texts(files: Sequence[File]) -> bool:
    """Tell texts from lists of phrases: most files hold a line of more than twelve words."""
    longest = [max((len(line.split()) for line in file.sample), default=0) for file in files[:50]]
    semicolons = sum(line.count(";") > 1 for file in files[:50] for line in file.sample)
    lines = sum(len(file.sample) for file in files[:50])
    return sum(words > 12 for words in longest) * 2 > len(longest) and semicolons * 2 < lines + 1


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise one text file, or a JSON object of id and text."""
    if role != "documents":
        return None
    if files[0].suffix in _SUFFIXES:
        return _recognition(files)
    value = files[0].json
    if is_json(value) and isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
        evidence = f"a JSON object of {counted(len(value), 'text')} by id"
        # One document with its fields, such as {"id": "d1", "text": "…"}, is no object of texts by id.
        confidence = 0.4 if any(plain(key) in KNOWN for key in value) else 0.9
        return Recognition(NAME, "documents", tuple(files), confidence, evidence)
    return None


def _recognition(files: Sequence[File]) -> Recognition:
    suffixes = ", ".join(f"{count} {suffix}" for suffix, count in Counter(file.suffix for file in files).items())
    return Recognition(NAME, "documents", tuple(files), 0.95, f"text files ({suffixes}), document = file name")


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every file as one text; the title of HTML is its `<title>` or first `<h1>`."""
    first = recognition.files[0]
    if first.suffix not in _SUFFIXES:
        return [_rows([(text_of(key) or "", storable(text), "") for key, text in first.json.items()], None)]
    groups = _groups(recognition.files)
    pairs: list[tuple[str, str, str]] = []
    seen: dict[str, str] = {}
    for file in recognition.files:
        stem = file.stem
        if stem in seen:
            found = f"another text for “{stem}”, first in {seen[stem]}"
            raise InputError(file.name, found, "one text a document", "Remove one of them.")
        seen[stem] = file.name
        title, text = _html(file) if file.suffix in (".html", ".htm") else ("", file.text)
        pairs.append((stem, text.strip(), title))
    return [_rows(pairs, [file.name for file in recognition.files], groups)]


def _rows(pairs: list[tuple[str, str, str]], places: list[str] | None, groups: list[str] | None = None) -> Rows:
    columns = {
        name: pa.array([storable(pair[i]) for pair in pairs], pa.large_string())
        for i, name in enumerate(("doc_id", "text", "title"))
    }
    if groups:
        columns["group"] = pa.array(groups, pa.large_string())
    return Rows("documents", pa.table(columns), [1] * len(pairs), places)


def _groups(files: Sequence[File]) -> list[str]:
    """Return the folder of every file if there are 2 to 30 sibling folders, else nothing."""
    parents = [PurePosixPath(file.name).parent for file in files]
    siblings = len({parent.parent for parent in parents}) == 1 and 2 <= len(set(parents)) <= 30
    return [parent.name for parent in parents] if siblings and all(parent.name for parent in parents) else []


def _html(file: File) -> tuple[str, str]:
    """Return title and text; a tag without end is refused, since the parser takes 130 times its size."""
    for piece in file.text.split(">"):
        start = piece.find("<")
        if start >= 0:
            refuse_over(file.limits.line_bytes // 8, len(piece) - start, "characters", file.name, "a tag")
    return html_text(file.text)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.heading: list[str] = []
        self._open: list[str] = []
        self._depth: Counter[str] = Counter()
        self._dropped = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _DROPPED or tag in ("title", "h1"):
            self._open.append(tag)
            self._depth[tag] += 1
            self._dropped += tag in _DROPPED
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        closed = "" if self._depth[tag] else tag
        while closed != tag:  # what was opened within it ends too
            closed = self._open.pop()
            self._depth[closed] -= 1
            self._dropped -= closed in _DROPPED
        if tag in _BLOCKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self._depth["title"]:
            self.title.append(data)
        elif not self._dropped:
            self.pieces.append(data)
            if self._depth["h1"]:
                self.heading.append(data)

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Pass over `<![…>`, as browsers do; Python stops with an error."""
        return self.parse_bogus_comment(i, False)

    def finish(self) -> None:
        """Take what is left as text, but no tag or comment without end; `close` would look for its end for ever."""
        if not re.match(r"<[A-Za-z/!?]", self.rawdata):
            self.handle_data(unescape(self.rawdata))


def html_text(page: str) -> tuple[str, str]:
    """Return title and text of an HTML page: tags, scripts and styles dropped, entities decoded.

    >>> html_text("<title>Tides</title><script>x()</script><p>Sea &amp; <b>moon</b></p>")
    ('Tides', 'Sea & moon')
    """
    parser = _Text()
    parser.feed(page)
    parser.finish()
    lines = (" ".join(line.split(" ")).strip() for line in "".join(parser.pieces).split("\n"))
    return "".join(parser.title or parser.heading).strip(), "\n".join(line for line in lines if line)
