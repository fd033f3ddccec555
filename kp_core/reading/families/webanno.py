"""F13W: WebAnno TSV 3, as INCEpTION exports it, becomes keyphrases of annotators, and the texts beside them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.question import Finding, Question, Reply
from kp_core.reading.rows import Rows
from kp_core.reading.spans import LINGUISTIC, Marked, Span, labelled, span_rows
from kp_core.reading.values import Rejected

NAME = "F13W"
TITLE = "spans: INCEpTION, WebAnno TSV 3"
PROVED = True
#: Which files are meant, where a curator made one of the marks of all.
_MEANT = {
    "alone": "what the curator kept is the gold standard",
    "left-out": "the annotators without the curator are the gold standard",
    "beside": "the curator is an annotator like the others",
}
OPTIONS = ("curated", "label")
#: What INCEpTION calls the text before anybody marked it, and what a curator made of the marks of all.
_INITIAL, _CURATED = "INITIAL_CAS", "CURATION_USER"
_FORMAT = "#FORMAT=WebAnno TSV 3"
_BLANK = b"\xef\xbb\xbf \r\n"
_HEADER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_TOKEN = re.compile(r"\d+-\d+(?:\.\d+)?\t(\d{1,9})-(\d{1,9})\t(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(->|.)")
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files that begin like WebAnno TSV 3."""
    group = [file for file in files if file.source.data[:100].lstrip(_BLANK).startswith(_FORMAT.encode())]
    return [_recognition(group, role)] if group else []


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise a single file by its first line."""
    begins = bool(file.sample) and file.sample[0].startswith(_FORMAT)
    return _recognition([file], role) if begins else None


def _recognition(files: Sequence[File], role: Role | None) -> Recognition:
    meant = _meant(files)
    labels = {label for file in meant for span in _page(file)[0].spans for label in span.labels}
    layers = ", ".join(dict.fromkeys(layer for file in meant for layer in _layers(file) if layer))
    evidence = f"{files[0].sample[0][len('#FORMAT=') :]}, layers {layers or '(none)'}; {_places(meant)[0]}"
    return labelled(Recognition(NAME, role or "gold", tuple(files), evidence, strength=Strength.MARKS), labels)


def _is_of(file: File, who: str) -> bool:
    return who in (file.stem, PurePosixPath(file.name).parent.name)


def _meant(files: Sequence[File]) -> list[File]:
    """Return the files that somebody marked, without what was curated, or that alone, as the user says."""
    marked = [file for file in files if not _is_of(file, _INITIAL)] or list(files)
    curated = [file for file in marked if _is_of(file, _CURATED)]
    others = [file for file in marked if not _is_of(file, _CURATED)]
    chosen = files[0].mapping.switch("curated")
    if chosen == "beside" or not (curated and others):
        return marked
    if not chosen:
        first, found = files[0], f"annotators beside what a curator made of their marks ({_CURATED})"
        mappings = {one: first.mapping.with_switch("curated", one) for one in _MEANT}
        answers = tuple(Reply(words, {first.name: mappings[one]}) for one, words in _MEANT.items())
        raise Question(Finding("ask", first.name, found, "one of these", answers))
    return curated if chosen == "alone" else others


def _places(files: Sequence[File]) -> tuple[str, dict[str, tuple[str, str | None]]]:
    """Return the rule in words, and document and annotator of each file: files of one folder with one text are one."""
    paths = {file.name: PurePosixPath(file.name) for file in files}
    texts: dict[PurePosixPath, set[str]] = defaultdict(set)
    for file in files:
        texts[paths[file.name].parent].add(_page(file)[0].text)
    together = len(files) > len(texts) and all(len(found) == 1 for found in texts.values())
    alone = len(files) == len(texts) > 1 and len(set().union(*texts.values())) == len(texts)
    if (together or alone) and all(path.parent.name for path in paths.values()):
        return "document = folder, annotator = file", {n: (p.parent.name, p.stem) for n, p in paths.items()}
    if len(texts) > 1:
        return "annotator = folder, document = file", {n: (p.stem, p.parent.name) for n, p in paths.items()}
    return "document = file", {name: (path.stem, None) for name, path in paths.items()}


def _page(file: File) -> tuple[Marked, list[Rejected]]:
    """Return the text and the marks of a file, and the lines that do not fit."""
    return file.once("webanno", lambda: _parsed(file))


def _parsed(file: File) -> tuple[Marked, list[Rejected]]:
    layers, pieces, length = list(_layers(file)), [""], 0
    rejected: list[Rejected] = []
    # Offsets are those of the text so far, in which a sentence is placed by its first token.
    sentence: list[str] = []
    placed = False
    spans: dict[tuple[str, str], tuple[dict[str, None], list[int]]] = {}
    for number, line in enumerate(file.lines, 1):
        if line.startswith("#Text="):
            sentence, placed = [] if placed else sentence, False
            sentence.append(_unescaped(line[6:]))
        elif not line.strip() or line.startswith("#"):
            continue
        elif (token := _TOKEN.fullmatch(line)) is None:
            rejected.append((file.name, number, "no token, offsets and form", line[:200]))
        elif len(cells := token[3].split("\t")) > len(layers) + 2:
            reason = f"{counted(len(cells) - 1, 'column')} of layers instead of {len(layers)}"
            rejected.append((file.name, number, reason, line[:200]))
        else:
            begin, end = int(token[1]), int(token[2])
            if not placed:
                pieces.append(_placed("\n".join(sentence), begin, _unescaped(cells[0]), length, file, number))
                length, placed = length + _units(pieces[-1]), True
            for key, label in _values(layers, cells[1:], number):
                labels, places = spans.setdefault(key, ({key[0]: None}, []))
                labels |= {label: None} if label else {}
                places += [begin, end]
    found = [Span(list(labels), ((min(places), max(places)),)) for labels, places in spans.values()]
    return Marked("", "".join(pieces), found, file.name, 1, utf16=True), rejected


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _layers(file: File) -> Iterator[str]:
    """Give the layer of each column, an empty name for columns that hold no keyphrases."""
    for line in file.lines:
        if line.strip() and not line.startswith("#"):
            return
        if found := _HEADER.fullmatch(line):
            layer, *features = found[2].split("|")
            kept = found[1] == "SP" and not LINGUISTIC.search(layer)
            yield from [layer.rsplit(".", 1)[-1] if kept else ""] * max(1, len(list(filter(None, features))))


def _placed(sentence: str, begin: int, form: str, length: int, file: File, line: int) -> str:
    """Return a sentence behind the white space that lies between it and the text of this length before it."""
    before = sentence.find(form)
    start = begin - _units(sentence[: max(before, 0)])
    gap = start - length
    if before < 0 or gap < 0 or start > 2 * len(file.text) + 100_000:
        found = f"the token “{form[:40]}” at {begin}, which its sentence does not have there"
        raise InputError(f"{file.name}, line {line}", found, "tokens of the sentence above", "Export the file again.")
    return "\n" * min(gap, 1) + " " * (gap - 1) + sentence


def _values(layers: list[str], cells: list[str], line: int) -> Iterator[tuple[tuple[str, str], str]]:
    """Give key and label of every span on a token: `[2]` behind a label joins tokens, `|` stands between spans."""
    for layer, cell in zip(layers, cells, strict=False):
        for stacked, value in enumerate(re.split(r"(?<!\\)\|", cell) if layer and cell not in ("_", "") else ()):
            name, number = _VALUE.fullmatch(value).groups()  # type: ignore[union-attr]
            yield (layer, number or f"line {line} {stacked}"), "" if name in ("*", "_") else _unescaped(name)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: {"t": "\t", "n": "\n", "r": "\r"}.get(found[1], found[1]), text)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the spans of every file in the order of the text."""
    meant = _meant(recognition.files)
    pages = [_page(file) for file in meant]
    named = _places(meant)[1]
    every = [replace(page, doc_id=named[page.file][0], source=named[page.file][1]) for page, _ in pages]
    left = Counter(_is_of(file, _INITIAL) for file in set(recognition.files) - set(meant))
    words = {True: f"Files of nobody ({_INITIAL})", False: "Files of annotators or of the curator"}
    notes = [Note("info", meant[0].name, f"{words[one]} that were left out: {n:,}.") for one, n in left.items()]
    return span_rows(recognition, every, [row for _, rejected in pages for row in rejected], notes)
