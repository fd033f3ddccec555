"""Read files of one document each: lists by document and annotator or system (F4), or texts (F12)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import unescape
from pathlib import PurePosixPath
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import part_of
from kp_core.reading.lists.lines import KEYS, TEXTS, are_prose, is_trec
from kp_core.reading.lists.list_builder import BULLET, ListBuilder, bare_items, document_rows
from kp_core.reading.meaning.fields import KNOWN, PEOPLE, base_of, in_words, plain, role_of_path
from kp_core.reading.meaning.layout import Family, Recognition, Strength
from kp_core.reading.meaning.mapping import MARKS
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.open.decode import File
from kp_core.reading.open.source import KNOWN_EXTENSIONS, stem_of
from kp_core.reading.open.values import number
from kp_core.reading.rows.check import Rows

_WHOSE = {
    "none": "document = file",
    "folders": "annotator = folder",
    "files": "document = folder, annotator = file",
    "endings": "annotator = ending",
}
_RULE = re.compile(r"[-=+|\s]+")
#: Lines that begin with an id, or have two cells of which the first is not a label.
_ID = re.compile(r"[^\s@;]+(@| :( |$))|(?!(<[^<>\s]+>|\d+|https?://\S+)\t)[^\t]+\t.*\S")
# Possessive, so that long runs of blanks take linear time.
_NUMBER = r" *+(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*+"
#: Kinds of lines, most specific first: their form, the reason for rejecting other lines, and the evidence. Annif writes
#: URI, label, notation and score, of which the last two may be missing; KEA and Maui a stem or id before the number.
_LINES = {
    "subject": (
        re.compile(
            r"\s*(?P<concept><[^<>\s]+>)[^\S\t]*\t(?P<phrase>[^\t]+)"
            rf"(?:\t(?P<notation>[^\t]*))??(?:\t(?:{_NUMBER}| *))?"
        ),
        "no URI, TAB, label",
        "; subjects with URIs",
    ),
    "label": (
        re.compile(r"(?P<concept><[^<>\s]+>|\d+|https?://\S+)(?:: |\t)(?P<phrase>\S.*)"),
        "no `id: label`",
        "; {} `id: label`, split",
    ),
    "number": (
        re.compile(rf"(?P<phrase>[^\t]*[^\t ])(?: *+(?:\t(?P<concept>.*))?\t| ){_NUMBER}"),
        "no number at the end",
        "; each line has a number",
    ),
    "phrase": (re.compile("(?P<phrase>.*)", re.DOTALL), "", ""),
}
_LABEL = _LINES["label"][0]
# These take linear time even if a tag is never closed, unlike html.parser.
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript)\b.*?(?:</\1\s*+>|\Z)", re.I | re.S)
_TITLE = re.compile(r"<(title|h1)\b[^<>]*+>(.*?)(?:</\1\b[^<>]*+>|\Z)", re.I | re.S)
_BLOCK = re.compile(
    r"</?(?:p|div|br|li|[uo]l|t[rdh]|table|pre|blockquote|h[1-6]|section|article|header|footer)\b[^<>]*+>", re.I
)
_TAG = re.compile(r"</?[a-z!?][^<>]*+>", re.I)


def _ending(file: File) -> str:
    name = file.name.lower()
    ending = next((end for end in (*KEYS, *TEXTS) if name.endswith(end)), file.suffix)
    return ending if ending in (*KEYS, *TEXTS, *KNOWN_EXTENSIONS) else ""


def _document(file: File) -> str:
    """Return the document that a file is named after: 1 for `1.txt.phrases`."""
    name = PurePosixPath(file.name).name
    return stem_of(name[: len(name) - len(_ending(file))] if _ending(file) in (*KEYS, *TEXTS) else name)


def _folder(file: File) -> PurePosixPath:
    """Return the folder of a file; if a reader's file is in a folder KEY, the folder above it."""
    parent = PurePosixPath(file.name).parent
    return parent.parent if parent.name.upper() == "KEY" else parent


def _by_folder_and_extension(files: Iterable[File]) -> list[list[File]]:
    """Return the files by folder and extension; folders named after documents count as one."""
    groups: dict[tuple[str, str], list[File]] = defaultdict(list)
    for file in files:
        folder = PurePosixPath(file.name).parent
        groups[f"{folder.parent}/*" if folder.name == _document(file) else str(folder), _ending(file)].append(file)
    return list(groups.values())


def _group_lists(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files with the list of one document, grouped by role and kind of line, and the texts next to them."""
    lists, texts = _lists_and_texts(files, role)
    systems = {f.name for f in lists if _ending(f) == ".run" or role_of_path(f.name.rpartition("/")[0]) == "system"}
    groups: dict[tuple[bool, str], list[File]] = defaultdict(list)
    lines = dict[str, str]()
    for group in _by_folder_and_extension(lists):
        lines |= dict.fromkeys((file.name for file in group), line_of(group))
    for file in (file for file in files if file.name in lines):
        groups[file.name in systems and len(systems) < len(lists), lines[file.name]].append(file)
    kinds = len({line for system, line in groups if not system}) if len(groups) > 1 else 0
    readings = [_recognition(group, role, line, texts, system, kinds) for (system, line), group in groups.items()]
    return [*readings, _texts_of(texts)] if readings and texts else readings


def _lists_and_texts(files: Sequence[File], role: Role | None) -> tuple[list[File], list[File]]:
    """Return the files with the list of one document, and those with its text, distinguished by their extensions.

    Files with other extensions are texts if they are prose, or the only ones that have the names of lists.
    """
    lists, texts = ([file for file in files if _ending(file) in endings] for endings in (KEYS, TEXTS))
    known, undecided = _documents_of([f for f in files if _ending(f) in (".txt", *KEYS, *TEXTS)]), list[list[File]]()
    for group in _by_folder_and_extension(file for file in files if _ending(file) not in (*KEYS, *TEXTS)):
        ids = {_document(file) for file in group}
        in_lists = ids & (_documents_of(lists) if _ending(group[0]) == ".txt" else known)
        if line_of(group) in ("subject", "number") and (len(group) > 1 or in_lists):
            lists += group
        elif _ending(group[0]) in (".txt", "", ".run") and (
            20 * sum(map(_holds_documents, group)) <= len(group) or (in_lists and are_prose(group))
        ):
            undecided.append(group)
    listed, least = _documents_of(lists), 2 if role in ("gold", "system") else 3
    shared = Counter(doc_id for group in undecided for doc_id in {_document(file) for file in group})
    for group in undecided:
        ids = {_document(file) for file in group}
        is_shared, in_lists, is_only = any(shared[doc_id] > 1 for doc_id in ids), ids & listed, len(undecided) == 1
        if are_prose(group) or (in_lists and is_only):
            matching = group if is_shared or in_lists else []
            texts += [file for file in matching if _document(file) in listed or are_prose([file])]
        elif (is_shared or in_lists or (is_only and len(group) >= least and _ending(group[0]))) and role != "documents":
            lists += group
    return lists, texts if lists else []


def _documents_of(lists: Sequence[File]) -> set[str]:
    return {_document(file) for file in lists} | {_folder(file).name for file in lists}


def _holds_documents(file: File) -> bool:
    """Recognize a file of several documents: with ids, with columns, or with one document per line."""
    lines = file.sample
    equal = any(len({line.count(mark) for line in lines}) == 1 and mark in lines[0] for mark in ",;|")
    lists = len(lines) > 1 and (equal or 2 * sum(";" in line for line in lines) > len(lines)) and not are_prose([file])
    ids = 2 * sum(map(bool, map(_ID.match, lines))) > len(lines)
    return bool(lines) and (_is_header(lines[0]) or lines[0].lstrip()[0] in "{[" or ids or lists or is_trec(file))


def _recognise_list(file: File, role: Role | None) -> Recognition | None:
    line = line_of([file])
    lists = sum(";" in text or "|" in text or "," in text.rpartition("\t")[0] for text in file.sample)
    is_numbered = line == "subject" or (line == "number" and 2 * lists <= len(file.sample))
    known = file.mapping.format or _ending(file) in KEYS or is_numbered
    return _recognition([file], role, line) if known and role != "documents" else None


def _fields(line: str, kind: str) -> tuple[str, dict[str, Any]] | None:
    """Return the phrase of a line of some kind, with its concept, notation and number, if given."""
    match = _LINES[kind][0].fullmatch(line)
    if match is None or not match["phrase"].strip():
        return None
    extra: dict[str, Any] = {name: text.strip("<> ") for name, text in match.groupdict("").items() if text.strip()}
    if kind == "number" and not re.search(r"\d", extra.get("concept", "")):  # a stem
        extra.pop("concept", None)
    if "number" in extra:
        extra["number"] = number(extra["number"])
    del extra["phrase"]
    return match["phrase"], extra


def _is_header(line: str) -> bool:
    cells = re.split(r"[\t,;|]", line)
    return len(cells) > 1 and all(plain(cell) in KNOWN for cell in cells)


def _is_heading(line: str) -> bool:
    """Recognize a line of known column names, even if separated by blanks, or a rule below it."""
    return _is_header(line) or _is_header("\t".join(line.split())) or bool(_RULE.fullmatch(line))


def line_of(group: Sequence[File]) -> str:
    """Return the kind of line chosen by the user, or the kind of at least 90% of the first lines.

    Numbers after blanks must mostly be fractions, because phrases such as “covid 19” also end in a number.
    """
    if chosen := group[0].mapping.line:
        return chosen
    lines = [line for file in group for line in file.sample if not _is_heading(line)]
    line = next(kind for kind in _LINES if sum(bool(_fields(text, kind)) for text in lines) >= 0.9 * len(lines))
    if not lines or line != "number":
        return line if lines else "phrase"
    numbers = [(text.count("\t"), fields[1]["number"]) for text in lines if (fields := _fields(text, line))]
    tabs = {count for count, _ in numbers}
    if tabs != {0}:
        return line if tabs == {1} or (tabs == {2} and _ending(group[0]) in KEYS) else "phrase"
    generic_extension = _ending(group[0]) in (".txt", "", *KEYS) and not is_trec(group[0])
    firsts = [text.split()[0] for text in lines]
    ids = all(re.search(r"\d", first) for first in firsts) and len({*firsts}) < len(firsts)
    are_fractions = 2 * sum(amount % 1 != 0 for _, amount in numbers) >= len(lines)
    return line if generic_extension and not ids and are_fractions else "phrase"


def _recognition(
    files: Sequence[File],
    role: Role | None,
    line: str,
    texts: Sequence[File] = (),
    in_folders: bool = False,
    kinds: int = 0,
) -> Recognition:
    """Return the reading of lists with one kind of line, given the texts next to them.

    * `in_folders`: whether the lists are in folders of systems
    * `kinds`: number of kinds of lines of the gold standard, if there are other lists
    """
    ids, documents = {_document(file) for file in texts}, {_document(file) for file in files}
    whose = "folders" if in_folders else files[0].mapping.annotators or _annotators(files, ids)
    whose = "endings" if line == "phrase" and whose == "none" and kinds > 1 else whose
    keys, meaning = {_ending(file) for file in files} <= {*KEYS}, _WHOSE[whose]
    lines = [text for file in files for text in file.lines if text.strip()]
    labels = part_of(sum(map(bool, map(_LABEL.match, lines))), len(lines), "line", "is", "are")
    evidence = f"files named {_extensions(files)}; {'system = folder, document = file' if in_folders else meaning}"
    evidence += _LINES[line][2].format(labels)
    amounts = [fields[1].get("number") for file in files for text in file.sample if (fields := _fields(text, line))]
    scored = None not in amounts and (line == "subject" or any(amount % 1 for amount in amounts if amount))
    guess: Role = "system" if in_folders or role == "system" or (scored and role != "gold") else "gold"
    # Keyphrases next to texts of the same names are gold, regardless of the folder's name.
    indices = {(_folder(file), _document(file)) for file in texts}
    beside_texts = keys and {(_folder(file), _document(file)) for file in files} <= indices
    known = beside_texts or (line == "subject" and documents <= ids)
    guessed = role is None and not (kinds or scored or known) and whose == "none"
    strength = Strength.CONTENT if line == "number" and not keys else Strength.GRAMMAR
    mapping = replace(files[0].mapping, format="F4", line=line, annotators=whose)
    return Recognition("F4", guess, tuple(files), evidence, mapping, guessed=guessed, strength=strength)


def _extensions(files: Sequence[File]) -> str:
    endings = Counter(_ending(file) or "none" for file in files)
    return ", ".join(f"{count} {ending}" for ending, count in endings.items())


def _annotators(files: Sequence[File], ids: set[str]) -> str:
    """Return how annotators are identified, a key of `_WHOSE`, given the documents that have texts.

    Names that are codes indicate documents, words indicate annotators.
    """
    folders_of, endings_of = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for file in files:
        folders_of[_document(file)].add(_folder(file).name)
        endings_of[_document(file)].add(_ending(file))
    stems, folders = folders_of.keys(), set().union(*folders_of.values())
    matching = [stem for stem in stems if folders_of[stem] == {stem}]
    readers = any(_folder(file) != PurePosixPath(file.name).parent for file in files)
    if readers or (len(matching) < len(files) and len(matching) * 2 > len(folders)):
        return "files"
    if all(len(names) == 1 for names in folders_of.values()):
        return "endings" if any(len(names) > 1 for names in endings_of.values()) else "none"
    if (folders | stems) & ids:
        return "files" if len(folders & ids) > len(stems & ids) else "folders"
    if not all(re.search(r"\d", name) and plain(base_of(name)) not in PEOPLE for name in folders):
        return "folders"
    first_file = files[0]
    mappings = {kind: replace(first_file.mapping, annotators=kind) for kind in ("folders", "files")}
    answers = (Reply(in_words(_WHOSE[kind]), {first_file.name: mapping}) for kind, mapping in mappings.items())
    where = PurePosixPath(first_file.name).parent.parent.name or "the files"
    found = f"folders and files, either of which may be documents, such as {first_file.name}"
    raise Question(Finding("ask", where, found, "names that distinguish documents from annotators", tuple(answers)))


def _read_lists(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase per line; votes are grades of an annotator called `votes`, unless folders name annotators."""
    files, line, separator = recognition.files, recognition.mapping.line, recognition.mapping.split
    builder = ListBuilder(recognition.role, files[0].limits)
    votes = "votes" if line == "number" and recognition.role == "gold" else None
    owners = _owners(files, recognition.mapping.annotators)
    may_split = line == "phrase" and not separator
    commas = may_split and _are_comma_lists(files)
    wrapped = {file.name for file in files if may_split and _is_wrapped(file.lines)}
    unsplit = [file for file in files if may_split and file.name not in wrapped]
    for file in files:
        doc_id, source = owners[file.name]
        builder.open(doc_id, file=file.name, line=1, source=source or votes)
        if file.name in wrapped:
            _add_lines(builder, [" ".join(map(str.strip, file.lines))], line, ";")
        else:
            _add_lines(builder, file.lines, line, "," if commas else MARKS.get(separator, ""))
    if name := next((file.name for file in unsplit if ";" in file.text), ""):
        message = f"`;` in a few lines, such as those of {name}, was taken as part of the phrase"
        builder.say("info", name, f"{message}; choose split=; to split there.")
    if commas:
        builder.say("warning", files[0].name, "Each file is one line, which was split at commas.")
    if labels := sum(bool(_LABEL.match(text)) for file in unsplit for text in file.lines):
        message = f"Only some lines have the form `id: label` ({labels:,}); all lines were read as phrases."
        builder.say("warning", files[0].name, f"{message} Choose line = label to split.")
    if votes:
        message = "Votes are grades: ranking measures such as nDCG use them, the others count a phrase from grade 1 on"
        builder.say("info", files[0].name, f"{message}, or from the grade that you set.")
    return [builder.rows()]


def _add_lines(builder: ListBuilder, lines: Sequence[str], line: str, mark: str) -> None:
    for index, text in enumerate(bare_items(list(lines)) if line == "phrase" else lines, 1):
        if not text.strip() or (line == "number" and index < 3 and _is_heading(text)):
            builder.blank += 1
            continue
        for piece in builder.pieces(text, mark) if mark else [text]:
            phrase, extra = fields if (fields := _fields(piece, line)) else (piece, {})
            value = extra.pop("number", None)
            # In a gold standard, the score of a subject is that of the accepted suggestion, not a grade.
            graded = value is not None and not (line == "subject" and builder.role == "gold")
            extra |= {builder.amount: value} if graded else {}
            builder.add(phrase, line=index, reject="" if fields else _LINES[line][1], **extra)


def _owners(files: Sequence[File], annotators: str) -> dict[str, tuple[str, str | None]]:
    """Return the document and annotator of every file; folders with the same name are distinguished by their paths."""
    parents = {PurePosixPath(file.name).parent for file in files}
    ambiguous = len({parent.name for parent in parents}) < len(parents)
    stem_counts = Counter(_document(file) for file in files if _folder(file) == PurePosixPath(file.name).parent)
    owners: dict[str, tuple[str, str | None]] = {}
    for file in files:
        stem, folder, parent = _document(file), _folder(file).name, PurePosixPath(file.name).parent
        owners[file.name] = {
            "none": (stem, None),
            "files": (folder, "author" if stem == parent.name and stem_counts[stem] == 1 else stem),
            "folders": (stem, (str(parent) if ambiguous else parent.name) or None),
            "endings": (stem, "votes" if _ending(file) == "-crowdcountskey" else _ending(file).lstrip(".")),
        }[annotators]
    return owners


def _are_comma_lists(files: Sequence[File]) -> bool:
    """Recognize several files of one line each, half of them with commas and none with a semicolon."""
    texts = [file.text.strip() for file in files]
    one_line = len(files) > 1 and not any(re.search(r"[;\r\n]", text) for text in texts)
    return one_line and 2 * sum("," in text for text in texts) >= len(texts)


def _is_wrapped(lines: Sequence[str]) -> bool:
    nonblank = [line for line in lines if line.strip()]
    wrapped = sum(";" in line or line.startswith("\t") for line in nonblank)
    return any(";" in line for line in nonblank) and wrapped * 2 >= len(nonblank)


def _is_list(file: File) -> bool:
    """Recognize a text in which most lines are items of lists, or rows of a table in Markdown."""
    lines = [line.strip() for line in file.sample]
    return 2 * sum(bool(re.match(rf"{BULLET}|\|.*\|$", line)) for line in lines) > len(lines)


def _group_texts(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim files of texts: all candidates if the role is documents, else only prose."""
    group = [file for file in files if _ending(file) in (".txt", *TEXTS)]
    is_single = len(group) == 1 and (_ending(group[0]) == ".txt" or _is_list(group[0])) and "/" not in group[0].name
    if not group or (is_single and role != "documents") or (role in ("gold", "system") and len(group) == len(files)):
        return []
    if role != "documents" and not are_prose([file for file in group if _ending(file) == ".txt"]):
        group = [file for file in group if _ending(file) != ".txt"]
    return [_texts_of(group)] if group else []


def _texts_of(files: Sequence[File]) -> Recognition:
    evidence = f"text files ({_extensions(files)}), document = file name"
    return Recognition("F12", "documents", tuple(files), evidence, replace(files[0].mapping, format="F12"))


def _read_texts(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every file as one text; sibling folders are groups of documents."""
    files = recognition.files
    pages = [html_text(file.text) if _ending(file) in (".html", ".htm") else ("", file.text.strip()) for file in files]
    folders = [PurePosixPath(file.name).parent for file in files]
    titles, texts = zip(*pages, strict=True)
    columns = {"doc_id": list(map(_document, files)), "text": texts, "title": titles}
    if len({folder.parent for folder in folders}) == 1 and all(f.name for f in folders) and 2 <= len({*folders}) <= 30:
        columns["group"] = [folder.name for folder in folders]
    return [document_rows(columns, [1] * len(files), [file.name for file in files])]


def html_text(page: str) -> tuple[str, str]:
    """Return title (`<title>` or `<h1>`) and text of an HTML page.

    >>> html_text("<title>Tides</title><script>x()</script><p>Sea &amp; <b>moon</b></p>")
    ('Tides', 'Sea & moon')
    """
    page = _HIDDEN.sub("", page)
    titles = {match[1].lower(): " ".join(_shown_lines(match[2])) for match in reversed([*_TITLE.finditer(page)])}
    text = _TITLE.sub(lambda match: "" if match[1].lower() == "title" else match[0], page)
    return titles.get("title") or titles.get("h1", ""), "\n".join(_shown_lines(text))


def _shown_lines(page: str) -> list[str]:
    text = unescape(_TAG.sub("", _BLOCK.sub("\n", page)))
    return [line.strip() for line in text.split("\n") if line.strip()]


_F4 = "one file per document: phrases, `id: label`, votes or scores, subjects of Annif"
_F12 = "document texts: .txt, .abstr, .html, .md"
F4 = Family("F4", _F4, _recognise_list, _read_lists, _group_lists, True, OPTIONS=("line", "annotators"))
F12 = Family("F12", _F12, None, _read_texts, _group_texts, True)
