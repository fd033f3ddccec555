"""F13C: a token and its tag a line (CoNLL: B, I, O) becomes keyphrases, and the texts beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import Note, counted, part_of
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.rows import Rows
from kp_core.reading.spans import Marked, Span, labelled, span_rows
from kp_core.reading.values import Rejected

NAME = "F13C"
TITLE = "a token a line with its tag: CoNLL, B I O"
OPTIONS = ("label",)
_LINE = re.compile(r"([^\t ]+)(?:[\t ].*)?[\t ]([BIOESLU])(?:-(\S+))?\s*")
_START = "-DOCSTART-"
_ID = re.compile(r"#\s*(?:new)?(?:doc(?:ument)?)?[ _]?id(?:\s*[=:]\s*|\s+)(\S+).*")
#: What stands in the columns behind -DOCSTART- where nothing is to be said.
_NOTHING = re.compile(r"(?:^|\s)(?:-X-|-|_|O)(?=\s|$)")


#: Parts of a data set, which hold many documents each.
_PARTS = re.compile(r"(?<![a-z])(train|dev|test|valid)", re.IGNORECASE)


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim the files of a folder that are one document each: without ids, and none with the text of another one."""
    folders: dict[str, list[File]] = defaultdict(list)
    for file in files:
        if not _PARTS.search(file.stem) and recognise(file, role) is not None and not _is_headed(file):
            folders[PurePosixPath(file.name).parent.name].append(file)
    groups = {name: group for name, group in folders.items() if _are_documents(group)}
    found = []
    for name, group in groups.items():
        evidence = f"{counted(len(group), 'file')}, each a document, with a token and its tag (B, I, O) in each line"
        reading = _recognition(group, role, Strength.MARKS, evidence)
        # What a folder is among several, its name tells.
        found.append(replace(reading, plan=(name,), guessed=role is None) if len(groups) > 1 else reading)
    return found


def _recognition(files: Sequence[File], role: Role | None, strength: Strength, evidence: str) -> Recognition:
    labels = {found[3] or "" for file in files for line in file.lines if (found := _LINE.fullmatch(line))}
    return labelled(Recognition(NAME, role or "gold", tuple(files), evidence, strength=strength), labels)


def _are_documents(files: Sequence[File]) -> bool:
    sizes = {len(list(_documents(file))) for file in files}
    texts = {tuple(line.split()[0] for line in file.lines if line.strip()) for file in files}
    return len(files) > 1 and len(texts) == len(files) and (len(sizes) > 1 or sizes == {1})


def _is_headed(file: File) -> bool:
    return any(_head(line) is not None for line in file.lines)


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise lines of a token and a tag, of which some begin a keyphrase and most are outside."""
    if role == "documents":
        return None
    lines = [line for line in file.sample if not line.startswith(("# ", _START))]
    tags = [found[2] for line in lines if (found := _LINE.fullmatch(line))]
    if not tags or not {"O"} < set(tags):
        return None
    # A tag within a keyphrase that follows one outside is no sequence of tags.
    torn = sum(before == "O" and tag in "IEL" for before, tag in pairwise(tags))
    fits = len(tags) / len(lines) * (1 - torn / len(tags)) > 0.5
    strength = Strength.MARKS if fits else Strength.PROPOSED
    evidence = f"{part_of(len(tags), len(lines), 'first line', 'is', 'are')} a token with a tag such as B, I, O"
    return _recognition([file], role, strength, evidence)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every document as one list of phrases, and its tokens as its text."""
    file = recognition.files[0]
    rejected: list[Rejected] = []
    if len(recognition.files) > 1:
        every = [_marked(one, one.stem, list(enumerate(one.lines, 1)), rejected) for one in recognition.files]
    else:
        every = [_marked(file, name, lines, rejected) for name, lines in _documents(file)]
    named = all(marked.doc_id for marked in every)
    for number, marked in enumerate(every, 1):
        marked.doc_id = marked.doc_id or str(number)
        marked.source = next(iter(recognition.plan), None)
    said = Note("info", file.name, "Texts are tokens; they were joined with spaces (tokenised).")
    rows = span_rows(recognition, every, rejected, [said])
    for part in rows:
        part.counted = 0 if named else len(every)
    return rows


def _documents(file: File) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Give id and lines of every document: it begins at -DOCSTART- or its id, or else behind a blank line."""
    headed = _is_headed(file)
    name, lines = "", list[tuple[int, str]]()
    for number, line in enumerate([*file.lines, ""], 1):
        head = _head(line)
        if head is not None or number > len(file.lines) or not (headed or line.strip()):
            if any(text.strip() for _, text in lines):
                yield name, lines
            name, lines = head or "", []
        else:
            lines.append((number, line))


def _head(line: str) -> str | None:
    """Return the id of a line at which a document begins, empty if it has none; None for any other line."""
    if line.startswith(_START):
        return _NOTHING.sub("", line[len(_START) :]).strip(" \t()")
    found = _ID.fullmatch(line)
    return found[1] if found else None


def _marked(file: File, name: str, lines: list[tuple[int, str]], rejected: list[Rejected]) -> Marked:
    pieces: list[str] = []
    phrases: list[tuple[str, int, list[str]]] = []
    inside = False
    for number, line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            inside = False
            pieces.append("\n")
            if line.strip() and not line.startswith("#"):
                rejected.append((file.name, number, "no token with a tag", line[:200]))
            continue
        token, tag, label = found[1], found[2], found[3] or ""
        pieces.append(token)
        if inside and tag in "IEL" and phrases[-1][0] == label:
            phrases[-1][2].append(token)
        elif tag != "O":
            phrases.append((label, number, [token]))
        inside = tag != "O"
    spans = [Span((label,) if label else (), text=" ".join(tokens), line=line) for label, line, tokens in phrases]
    return Marked(name, re.sub(r" ?\n[ \n]*", "\n", " ".join(pieces)).strip(), spans, file.name, lines[0][0])
