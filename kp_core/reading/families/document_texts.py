"""F12: text, HTML and SGML files become documents with their texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted
from kp_core.reading.families import trec
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import KNOWN, plain
from kp_core.reading.identifiers import WORDS
from kp_core.reading.json_text import is_json
from kp_core.reading.lists import document_rows
from kp_core.reading.question import Finding, Question, Reply
from kp_core.reading.rows import Rows
from kp_core.reading.source import stem_of

NAME = "F12"
TITLE = "document texts: .txt, .abstr, .html, .md, and SGML of DUC"
OPTIONS = ("texts",)
GROUP_IS_ONE = True
#: Endings that only texts have; `.txt` may be anything.
ENDINGS = (".abstr", ".html", ".htm", ".md", ".sgml")
_ENDINGS = (".txt", *ENDINGS)
_BLOCKS = re.compile(
    r"p|div|br|li|[uo]l|t[rdh]|table|pre|blockquote|h[1-6]|section|article|header|footer", re.IGNORECASE
)
# Each of these looks at a character once, also where nothing is ever closed; the parser of the library does not.
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript)\b.*?(?:</\1\s*+>|\Z)", re.IGNORECASE | re.DOTALL
)
_TITLE = re.compile(r"<(title|h1)\b[^<>]*+>(.*?)(?:</\1\b[^<>]*+>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r'<(?:[!?][^<>]*+|/?([a-z][a-z0-9]*+)(?:(?:[^<>"]++|"[^"<]*+")*+|[^<>]*+))>', re.IGNORECASE)
_DOC, _TEXT = re.compile(r"<DOC>", re.IGNORECASE), re.compile(r"</?TEXT>", re.IGNORECASE)
_FIELDS = re.compile(r"<(\w+)>\s*(?:<P>\s*)?([^<]*)", re.IGNORECASE)
_TITLES = ("HEAD", "HEADLINE", "HL", "TITLE", "H3")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim files of texts: all that may be some where texts are asked for, else those that read like prose."""
    group = [file for file in files if file.suffix in _ENDINGS or _is_final(file) or _is_sgml(file)]
    alone = len(group) == 1 and group[0].suffix == ".txt" and "/" not in group[0].name and not _is_sgml(group[0])
    if not group or (alone and role != "documents") or (role in ("gold", "system") and len(group) == len(files)):
        return []  # nothing but texts is no gold standard and no output
    told = {file.name: file.suffix in ENDINGS or _is_sgml(file) for file in group}
    if role != "documents" and not are_prose([file for file in group if not told[file.name]]):
        group = [file for file in group if told[file.name]]
    return [recognition(group)] if group else []


def _is_final(file: File) -> bool:
    """Tell a text of SemEval-2010, such as `C-41.txt.final`."""
    return file.name.endswith(".txt.final")


def are_prose(files: Sequence[File]) -> bool:
    """Tell texts from lists and tables: most have sentences, or lines that no separator makes as short as phrases."""
    prose = filled = 0
    for file in files[:50]:
        lines = file.sample
        pieces = [len(re.findall("[;,|]", line)) + 1 for line in lines]
        words = [len(line.split()) for line in lines]
        ends = sum(line.rstrip().endswith((".", "!", "?", "。", "…")) for line in lines)
        long = sum(count > 12 * parts for count, parts in zip(words, pieces, strict=True))
        sentences = sum(words) > 5 * sum(pieces) or ends * 2 >= len(lines) or long * 20 > len(lines)
        rows = sum("\t" in line.strip() for line in lines) * 2 > len(lines) or file.text.lstrip()[:1] in ("{", "[")
        filled += bool(lines)
        prose += bool(lines) and sentences and not rows and trec.recognise(file, None) is None
    return prose * 2 > filled


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise one file of texts, or a JSON object of id and text."""
    if role in (None, "documents") and _is_sgml(file):
        return recognition([file])
    if role != "documents":
        return None
    if file.suffix in _ENDINGS:
        return recognition([file])
    value = file.json
    if is_json(value) and isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
        evidence = f"a JSON object of {counted(len(value), 'text')} by id"
        # One document with its fields, such as {"id": "d1", "text": "…"}, is no object of texts by id.
        strength = Strength.PROPOSED if any(plain(key) in KNOWN for key in value) else Strength.GRAMMAR
        return Recognition(NAME, "documents", (file,), evidence, strength=strength)
    return None


def recognition(files: Sequence[File]) -> Recognition:
    """Return these files as texts, one or (SGML) several documents each."""
    if all(map(_is_sgml, files)):
        return Recognition(
            NAME, "documents", tuple(files), "SGML, a document from `<DOC>` to the next", strength=Strength.MARKS
        )
    endings = Counter(file.suffix or "none" for file in files)
    shown = ", ".join(f"{count} {ending}" for ending, count in endings.items())
    folders = dict.fromkeys(map(_folder, files))
    several = [name for name in (*endings, *folders) if len(endings) > 1 or name in folders]
    offers = {"texts": tuple(several)} if len(several) > 1 else {}
    evidence = f"text files ({shown}), document = file name"
    chosen = next((dict(file.mapping.switches) for file in files if file.mapping.switch("texts")), {})
    return Recognition(NAME, "documents", tuple(files), evidence, {}, dict(chosen), offers)


def _folder(file: File) -> str:
    return str(PurePosixPath(file.name).parent)


def _is_sgml(file: File) -> bool:
    return bool(file.sample) and bool(_DOC.match(file.sample[0].lstrip()))


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every file as one text, or as the documents of its SGML; the title of HTML is its `<title>` or `<h1>`."""
    first = recognition.files[0]
    if len(recognition.files) == 1 and first.suffix not in _ENDINGS and is_json(first.json):
        return [document_rows({"doc_id": list(first.json), "text": list(first.json.values())}, [1] * len(first.json))]
    groups = _groups(recognition.files)
    columns = {name: list[str]() for name in ("doc_id", "text", "title", "group", "file")}
    seen, notes = dict[str, tuple[str, File]](), list[Note]()
    for file in recognition.files:
        if recognition.options.get("texts") not in (None, file.suffix or "none", _folder(file)):
            continue
        for doc_id, title, text in _sgml(file) if _is_sgml(file) else [(stem_of(file.stem), *_plain(file))]:
            text = text.strip()
            other, earlier = seen.setdefault(doc_id, (text, file))
            if other != text and file.twice != "keep-first":
                raise _two_texts(doc_id, earlier, file)
            if earlier is not file:
                same = "The same text as in" if other == text else f"Another text for “{doc_id}” than that of"
                notes.append(Note("info", file.name, f"{same} {earlier.name}, so this one is not used."))
                continue
            row = (doc_id, text, title, groups.get(file.name, ""), file.name)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    places = columns.pop("file")
    columns = columns if groups else {name: column for name, column in columns.items() if name != "group"}
    return [replace(document_rows(columns, [1] * len(places), places), notes=notes)]


def _two_texts(doc_id: str, one: File, other: File) -> Question:
    """Ask which files are the texts: those with an ending or in a folder, or the first of each document."""
    kinds = [((file.suffix or "none"), _folder(file)) for file in (one, other)]
    apart = [names for names in zip(*kinds, strict=True) if names[0] != names[1]]
    answers = [
        Reply(f"the texts are those “{name}”", {file.name: file.mapping.with_switch("texts", name)})
        for name, file in (zip(apart[0], (one, other), strict=True) if apart else ())
    ]
    answers.append(Reply(WORDS["keep-first"], fixes=("keep-first",)))
    found = f"another text for “{doc_id}”, first in {one.name}"
    return Question(Finding("ask", other.name, found, "one text a document", tuple(answers)))


def _groups(files: Sequence[File]) -> dict[str, str]:
    """Return the folder of every file if there are 2 to 30 sibling folders, else nothing."""
    parents = {file.name: PurePosixPath(file.name).parent for file in files}
    folders = set(parents.values())
    siblings = len({folder.parent for folder in folders}) == 1 and 2 <= len(folders) <= 30
    return {name: folder.name for name, folder in parents.items()} if siblings and all(f.name for f in folders) else {}


def _plain(file: File) -> tuple[str, str]:
    return html_text(file.text) if file.suffix in (".html", ".htm") else ("", file.text)


def _sgml(file: File) -> list[tuple[str, str, str]]:
    """Return id, title and text of every `<DOC>`; its end, and that of its parts, may be missing."""
    found = []
    parts = _DOC.split(file.text)[1:]
    for part in parts:
        head, *texts = _TEXT.split(part)
        names = {name.upper(): words.strip() for name, words in _FIELDS.findall(head)}
        doc_id = names.get("DOCNO") or (file.stem if len(parts) == 1 else "")
        if not doc_id:
            raise InputError(file.name, "a `<DOC>` without `<DOCNO>`", "an id in every document", "Add `<DOCNO>`.")
        title = next((names[name] for name in _TITLES if names.get(name)), "")
        # Between the end of a text and the next there is none.
        found.append((doc_id, unescape(title), html_text("\n".join(texts[::2]) if texts else head)[1]))
    return found


def html_text(page: str) -> tuple[str, str]:
    """Return title and text of an HTML page: tags, comments and scripts dropped, entities decoded.

    >>> html_text("<title>Tides</title><script>x()</script><p>Sea &amp; <b>moon</b></p>")
    ('Tides', 'Sea & moon')
    """
    page = _HIDDEN.sub("", page)
    titles: dict[str, str] = {}
    for found in _TITLE.finditer(page):
        titles.setdefault(found[1].lower(), " ".join(_without_tags(found[2])))
    text = _TITLE.sub(lambda found: "" if found[1].lower() == "title" else found[0], page)
    return titles.get("title") or titles.get("h1", ""), "\n".join(_without_tags(text))


def _without_tags(page: str) -> list[str]:
    """Return the lines that a browser would show."""
    text = _TAG.sub(lambda found: "\n" if _BLOCKS.fullmatch(found[1] or "") else "", page)
    return [line.strip() for line in unescape(text).split("\n") if line.strip()]
