"""F13C: a token and its tag a line (CoNLL: B, I, O) becomes keyphrases, and the texts beside them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, counted, part_of
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import quoted
from kp_core.reading.mapping import HEADS
from kp_core.reading.question import Finding, Question, Reply
from kp_core.reading.rows import Rows
from kp_core.reading.spans import Marked, Span, labelled, span_rows
from kp_core.reading.values import Rejected

NAME = "F13C"
TITLE = "a token a line with its tag: CoNLL, B I O"
OPTIONS = ("label",)
PROVED = True
_CELLS, _TAG = re.compile(r"[\t ]+"), re.compile(r"([BIOESLU])(?:-(\S+))?")
#: Tags of the parts of sentences, which CoNLL-2000 and CoNLL-2003 (chunks in English and German) have beside others.
_CHUNKS = {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP", "NC", "VC", "PC"}
#: The share of cells that are tags in a column of tags, at the least.
_MOST = 0.9
_START = "-DOCSTART-"
_ID = re.compile(r"#\s*(?:new)?(?:doc(?:ument)?)?[ _]?id(?:\s*[=:]\s*|\s+)(\S+).*")
#: What stands in the columns behind -DOCSTART- where nothing is to be said.
_NOTHING = re.compile(r"(?:^|\s)(?:-X-|-|_|O)(?=\s|$)")


#: Parts of a data set, which hold many documents each.
_PARTS = re.compile(r"(?<![a-z])(train|dev|test|valid)", re.IGNORECASE)


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim the files of a folder that are one document each: without ids, and none with the text of another one.

    Where texts are asked for, every file of tagged tokens is one, whatever its name says.
    """
    tagged = [file for file in files if _strength(file) == Strength.MARKS]
    folders: dict[str, list[File]] = defaultdict(list)
    for file in tagged:
        if not _PARTS.search(file.stem) and not _is_headed(file):
            folders[PurePosixPath(file.name).parent.name].append(file)
    groups = {name: group for name, group in folders.items() if _are_documents(group)}
    found = []
    for name, group in groups.items():
        evidence = f"{counted(len(group), 'file')}, each a document, with a token and its tag (B, I, O) in each line"
        reading = _recognition(group, role, Strength.MARKS, evidence)
        # What a folder is among several, its name tells.
        found.append(replace(reading, plan=(name,), guessed=role is None) if len(groups) > 1 else reading)
    grouped = {id(file) for group in groups.values() for file in group}
    alone = [file for file in tagged if role == "documents" and id(file) not in grouped]
    return [*found, *filter(None, (recognise(file, role) for file in alone))]


def _recognition(files: Sequence[File], role: Role | None, strength: Strength, evidence: str) -> Recognition:
    reading = Recognition(NAME, role or "gold", tuple(files), evidence, strength=strength)
    columns = _columns(files)
    used = _used(reading, columns)
    places = [columns[name] for names in used.values() for name in names]
    tagged = [_tagged(line, place) for file in files for line in file.lines for place in places]
    return labelled(reading, {found[2] for found in tagged if found})


def _columns(files: Sequence[File]) -> dict[str, int]:
    """Return the columns of tags of keyphrases, by name, with their places from the end of the line."""
    rows = [_CELLS.split(line.rstrip()) for file in files for line in file.lines if _tagged(line)]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    labels = dict[int, set[str]]()
    for place in range(1 - width, 0):
        found = [_TAG.fullmatch(row[place]) for row in rows if len(row) == width]
        tags = [tag for tag in found if tag]
        if place == -1 or (len(tags) >= _MOST * len(found) and any(tag[1] != "O" for tag in tags)):
            labels[place] = {tag[2] or "" for tag in tags if tag[1] != "O"}
    chunks = {place for place, every in labels.items() if every <= _CHUNKS and not labels[-1] <= _CHUNKS}
    return {f"column {width + place + 1}": place for place in labels if place not in chunks}


def _used(reading: Recognition, columns: Mapping[str, int]) -> dict[Role, list[str]]:
    """Return the columns of the gold standard and of systems; several are a question if the user chose none."""
    file, role = reading.files[0], reading.role
    if role == "documents" or (reading.strength == Strength.PROPOSED and file.mapping.format != NAME):
        return {role: list(columns)[-1:]}
    gold, some = list(file.mapping.gold), list(file.mapping.keyphrases)
    if unknown := [name for name in (*gold, *some) if name not in columns]:
        found, expected = f"no tags in “{unknown[0]}”", f"a column of tags: {quoted(list(columns))}"
        raise InputError(file.name, found, expected, "Name one of these columns.")
    every = some or list(columns)
    if gold:
        predicted = [name for name in every if name not in gold]
        return {"gold": gold, "system": predicted} if predicted else {"gold": gold}
    if some or len(columns) < 2:
        return {role: every}
    answers = []
    for name in columns:
        others = quoted([other for other in columns if other != name])
        words = f"“{name}” is the gold standard, and {others} system output"
        answers.append(Reply(words, {file.name: replace(file.mapping, format=NAME, gold=(name,))}))
    people = replace(file.mapping, role="gold", format=NAME, keyphrases=tuple(columns), annotator=HEADS)
    answers.append(Reply("each column is an annotator", {file.name: people}))
    found = f"a token with {len(columns)} tags in each line, in {quoted(list(columns))}"
    raise Question(Finding("ask", file.name, found, "one of them as the gold standard", tuple(answers)))


def _are_documents(files: Sequence[File]) -> bool:
    sizes = {len(list(_documents(file))) for file in files}
    texts = {tuple(line.split()[0] for line in file.lines if line.strip()) for file in files}
    return len(files) > 1 and len(texts) == len(files) and (len(sizes) > 1 or sizes == {1})


def _is_headed(file: File) -> bool:
    return any(_head(line) is not None for line in file.lines)


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise lines of a token and a tag, of which some begin a keyphrase and most are outside."""
    strength = _strength(file)
    if strength is None or (role == "documents" and strength != Strength.MARKS):
        return None
    lines = _sample(file)
    count = sum(_tagged(line) is not None for line in lines)
    evidence = f"{part_of(count, len(lines), 'first line', 'is', 'are')} a token with a tag such as B, I, O"
    return _recognition([file], role, strength, evidence)


def _sample(file: File) -> list[str]:
    return [line for line in file.sample if not line.startswith(("# ", _START))]


def _strength(file: File) -> Strength | None:
    """Return why the lines of a file are tokens with tags; None if they are not."""
    lines = _sample(file)
    tags = [found[1] for line in lines if (found := _tagged(line))]
    if not tags or not {"O"} < set(tags):
        return None
    # A tag within a keyphrase that follows one outside is no sequence of tags.
    torn = sum(before == "O" and tag in "IEL" for before, tag in pairwise(tags))
    fits = len(tags) / len(lines) * (1 - torn / len(tags)) > 0.5
    return Strength.MARKS if fits else Strength.PROPOSED


def _tagged(line: str, place: int = -1) -> tuple[str, str, str] | None:
    """Return the token of a line, the tag at a place from its end, and what the tag says of the phrase."""
    cells = _CELLS.split(line.rstrip())
    if not cells[0] or len(cells) <= -place:
        return None
    found = _TAG.fullmatch(cells[place])
    return (cells[0], found[1], found[2] or "") if found else None


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every document as a list of phrases for each column of tags, and its tokens as its text."""
    file = recognition.files[0]
    if len(recognition.files) > 1:
        documents = [(one, one.stem, list(enumerate(one.lines, 1))) for one in recognition.files]
    else:
        documents = [(file, name, lines) for name, lines in _documents(file)]
    named = all(name for _, name, _ in documents)
    said = Note("info", file.name, "Texts are tokens; they were joined with spaces (tokenised).")
    parts, refused = list[Rows](), set[Rejected]()
    columns = _columns(recognition.files)
    used = _used(recognition, columns)
    for of, names in used.items():
        rejected, every = list[Rejected](), list[Marked]()
        for number, (one, name, lines) in enumerate(documents, 1):
            for column in names:
                marked = _marked(one, name or str(number), lines, columns[column], rejected)
                marked.source = column if len(names) > 1 else next(iter(recognition.plan), None)
                every.append(marked)
        rejected = [row for row in rejected if row not in refused]
        refused.update(rejected)
        notes = [] if parts else [said]
        parts += span_rows(replace(recognition, role=of), every, rejected, notes)[: 1 if parts else None]
        if of == "documents":
            parts[0].rejected, parts[0].notes, parts[0].read = rejected, notes, parts[0].read + len(rejected)
    for part in parts:
        part.counted = 0 if named else len(documents)
    return parts


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


def _marked(file: File, name: str, lines: list[tuple[int, str]], place: int, rejected: list[Rejected]) -> Marked:
    pieces: list[str] = []
    phrases: list[tuple[str, int, list[str]]] = []
    inside = False
    for number, line in lines:
        found = _tagged(line, place)
        if found is None:
            inside = False
            pieces.append("\n")
            if line.strip() and not line.startswith("#"):
                rejected.append((file.name, number, "no token with a tag", line[:200]))
            continue
        token, tag, label = found
        pieces.append(token)
        if inside and tag in "IEL" and phrases[-1][0] == label:
            phrases[-1][2].append(token)
        elif tag != "O":
            phrases.append((label, number, [token]))
        inside = tag != "O"
    spans = [Span((label,) if label else (), text=" ".join(tokens), line=line) for label, line, tokens in phrases]
    return Marked(name, re.sub(r" ?\n[ \n]*", "\n", " ".join(pieces)).strip(), spans, file.name, lines[0][0])
