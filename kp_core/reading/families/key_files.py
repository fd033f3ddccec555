"""F4: one file of keyphrases a document, in a folder or archive, becomes lists by document and annotator."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import Note, part_of
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.lists import ListBuilder

NAME = "F4"
TITLE = "one file a document: .key, .kwd, .tags"
EXAMPLE = "teams/ana/1203.key:\n4711: Tide table\n512: Harbour (sea)"
OPTIONS = {"labels": ("split", "literal"), "semicolons": ("kept", "split")}
GROUP_IS_ONE = True
_SUFFIXES = (".key", ".kwd", ".tags", ".contr", ".uncontr")
_LABEL = re.compile(r"^(\d+|https?://\S+|<[^>]+>)(?:: |\t)(?=\S)")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files whose ending is one of keyphrase lists, and short `.txt` files where lists are asked for."""
    group = [file for file in files if file.suffix in _SUFFIXES]
    if not group and role in ("gold", "system") and len(files) > 1:
        group = [file for file in files if file.suffix == ".txt"]
        if any(_holds_documents(file) for file in group):
            return []
    return [_recognition(group, role)] if group and role != "judgements" else []


def _holds_documents(file: File) -> bool:
    """Tell files of several documents, one a line, whose phrases are split at semicolons or stand behind an id."""
    aligned = sum(line.count(";") > 1 for line in file.sample) * 2 > len(file.sample) > 1
    tabs = [line for line in file.sample if "\t" in line.strip() and (";" in line or not _LABEL.match(line))]
    return aligned or len(tabs) * 2 > len(file.sample)


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a single list by its ending, or because the user says so."""
    if role in ("documents", "judgements") or not (choice.family or files[0].suffix in _SUFFIXES):
        return None
    return _recognition(files, role, choice)


def _recognition(files: Sequence[File], role: Role | None, choice: Choice | None = None) -> Recognition:
    suffixes = ", ".join(f"{count} {suffix}" for suffix, count in Counter(file.suffix for file in files).items())
    rule, sources = _sources(files)
    lines = [line for file in files for line in file.lines if line.strip()]
    labelled = sum(bool(_LABEL.match(line)) for line in lines)
    labels = "split" if labelled and labelled >= 0.9 * len(lines) else "literal"
    chosen = (choice or files[0].choice).options
    labels = chosen.get("labels", labels)
    evidence = f"files named {suffixes}; {rule}"
    if labelled:
        done = "split" if labels == "split" else "taken as they are"
        evidence += f"; {part_of(labelled, len(lines), 'line', 'is', 'are')} `id: label`, {done}"
    names = {source for _, source in sources.values() if source}
    guessed = {"role": "guessed"} if role is None and len(names) < 2 else {}
    options = {**chosen, "labels": labels, "labelled": f"{labelled} of {len(lines)}" if labelled else ""} | guessed
    return Recognition(NAME, role if role in ("gold", "system") else "gold", tuple(files), 0.95, evidence, {}, options)


def _sources(files: Sequence[File]) -> tuple[str, dict[str, tuple[str, str | None]]]:
    """Return the rule in words, and for each file its document and annotator; the first rule that fits is taken."""
    paths = {file.name: PurePosixPath(file.name) for file in files}
    own_folder = [p for p in paths.values() if p.parent.name and p.stem == p.parent.name]
    if own_folder and any("KEY" in p.parts[:-1] or p.parent.name != p.stem for p in paths.values()):
        return "document = folder, annotator = file", {name: _by_folder(p) for name, p in paths.items()}
    folders: dict[str, set[str]] = defaultdict(set)
    for path in paths.values():
        folders[path.stem].add(str(path.parent))
    if any(len(parents) > 1 for parents in folders.values()):
        last = {str(p.parent): p.parent.name for p in paths.values()}
        unique = len(set(last.values())) == len(last)
        names = {parent: (name if unique else parent) or None for parent, name in last.items()}
        return "annotator = folder", {n: (p.stem, names[str(p.parent)]) for n, p in paths.items()}
    suffixes: dict[str, set[str]] = defaultdict(set)
    for path in paths.values():
        suffixes[path.stem].add(path.suffix)
    if any(len(found) > 1 for found in suffixes.values()):
        return "annotator = ending", {name: (p.stem, p.suffix.lstrip(".").lower()) for name, p in paths.items()}
    return "document = file", {name: (p.stem, None) for name, p in paths.items()}


def _by_folder(path: PurePosixPath) -> tuple[str, str | None]:
    folder = path.parent.parent if path.parent.name == "KEY" else path.parent
    return folder.name, "author" if path.stem == folder.name else path.stem


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase a line."""
    builder = ListBuilder(recognition.role, recognition.files[0].limits)
    _, sources = _sources(recognition.files)
    split = recognition.options.get("labels") == "split"
    semicolon = recognition.options.get("semicolons")
    semicolons = []
    for file in recognition.files:
        doc_id, source = sources[file.name]
        builder.open(doc_id, file=file.name, line=1, source=source)
        if _is_wrapped(file.lines) and semicolon != "kept":
            builder.split(" ".join(line.strip() for line in file.lines))
            continue
        semicolons += [file.name] if semicolon is None and any(";" in line for line in file.lines) else []
        for number, line in enumerate(file.lines, 1):
            for phrase in builder.pieces(line) if semicolon == "split" and ";" in line else [line]:
                _add_line(builder, file.name, number, phrase, split)
    if semicolons:
        said = f"`;` in a few lines, such as those of {semicolons[0]}, was taken as part of the phrase"
        message = f"{said}; choose semicolons = split to split there."
        builder.notes.append(Note("info", semicolons[0], message))
    if recognition.options.get("labelled") and not split:
        message = f"Only {recognition.options['labelled']} lines are `id: label`; all lines were taken as they are."
        builder.notes.append(Note("warning", recognition.files[0].name, message))
    return [builder.rows()]


def _is_wrapped(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    wrapped = sum(";" in line or line.startswith("\t") for line in filled)
    return any(";" in line for line in filled) and wrapped * 2 >= len(filled)


def _add_line(builder: ListBuilder, file: str, number: int, line: str, split: bool) -> None:
    if not line.strip():
        builder.blank += 1
    elif not split:
        builder.add(line, line=number)
    elif found := _LABEL.match(line):
        builder.add(line[found.end() :], line=number, concept=found.group(1))
    else:
        builder.add(line, line=number, reject="no `id: label`")
