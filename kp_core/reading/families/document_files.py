"""F4: lists of phrases, one file a document, become lists by document and annotator or system."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import PurePosixPath
from typing import Any

from kp_core.corpus import Role
from kp_core.errors import part_of
from kp_core.reading.families import document_texts, trec
from kp_core.reading.family import File, Recognition, Strength
from kp_core.reading.fields import KNOWN, PEOPLE, base_of, in_words, plain, role_of_path
from kp_core.reading.lists import ListBuilder, bare_lines
from kp_core.reading.question import Finding, Question, Reply
from kp_core.reading.rows import Rows
from kp_core.reading.source import KNOWN_EXTENSIONS, stem_of
from kp_core.reading.values import is_number, number

NAME = "F4"
TITLE = "one file a document: phrases, `id: label`, votes or scores, subjects of Annif"
#: What annotators are, as evidence says it.
_WHOSE = {
    "none": "document = file",
    "folders": "annotator = folder",
    "files": "document = folder, annotator = file",
    "endings": "annotator = ending",
}
OPTIONS = ("line", "semicolons", "suffix", "annotators")
GROUP_IS_ONE = True
KEYS = (".key", ".keys", ".maui", ".kwd", ".tags", ".contr", ".uncontr", ".phrases", ".keyphrases")
_LABEL = re.compile(r"(?:<([^<>\s]+)>|(\d+|https?://\S+))(?:: |\t)(?=\S)")
_SUBJECT = re.compile(r"\s*<([^<>\s]+)>\s*")
#: The ending of the output of a system.
_RUN = ".run"
#: Texts are so many times as long as lists of their keyphrases.
_LONGER = 3
_RULE = re.compile(r"[-=+|\s]+")
#: A phrase, and its concept and number where the line has any.
_Fields = tuple[str, dict[str, Any]]


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all lists of one document each, and the texts of these documents, whatever is asked for."""
    lists, texts = _sorted(files, role)
    systems = {f.name for f in lists if f.suffix == _RUN or role_of_path(f.name.rpartition("/")[0]) == "system"}
    apart = systems if len(systems) < len(lists) else set()
    lines = {file.name: line for shelf in _shelves(lists) for line in [line_of(shelf)] for file in shelf}
    groups: dict[tuple[bool, str], list[File]] = defaultdict(list)
    for file in files:
        if file.name in lines:
            groups[file.name in apart, lines[file.name]].append(file)
    ids, places = {file.stem for file in texts}, {PurePosixPath(file.name).with_suffix("") for file in texts}
    keys = {_document(file.name) for file in lists if file.suffix in KEYS}
    several = {line for system, line in groups if not system} if len(groups) > 1 else set()
    found = [
        _recognition(group, role, line, (ids, keys), apart=system, beside=several)
        for (system, line), group in groups.items()
    ]
    # Keyphrases that lie beside their texts are not named by the folder of both, which may be called `kea`.
    found = [replace(one, guessed=False) if _lie_beside(one.files, places) else one for one in found]
    return [*found, document_texts.recognition(texts)] if found and texts else found


def _lie_beside(lists: Sequence[File], texts: Collection[PurePosixPath]) -> bool:
    """Tell lists of keyphrases that each lie in the folder of their text, under its name."""
    return all(file.suffix in KEYS and PurePosixPath(file.name).with_suffix("") in texts for file in lists)


def _sorted(files: Sequence[File], role: Role | None) -> tuple[list[File], list[File]]:
    """Return the lists of one document each, and the texts of the same documents; the rest is of other families.

    Endings tell most. A `.txt` is a text where a list has its name; of several such folders, the longest are texts.
    """
    lists = [file for file in files if file.suffix in KEYS]
    texts = [file for file in files if file.suffix in document_texts.ENDINGS]
    listed = {_document(file.name) for file in lists}
    texts_or_lists = _names(lists) | {file.stem for file in files if file.suffix in (".txt", *document_texts.ENDINGS)}
    undecided: list[list[File]] = []
    for shelf in _shelves(file for file in files if file.suffix not in (*KEYS, *document_texts.ENDINGS)):
        named = {file.stem for file in shelf} & texts_or_lists if shelf[0].suffix != ".txt" else set()
        if line_of(shelf) in ("subject", "number") and (len(shelf) > 1 or named):
            lists += shelf
        elif shelf[0].suffix == _RUN:
            lists += shelf if not _hold_documents(shelf) else []
        elif (shelf[0].suffix == ".txt" or _is_bare(shelf[0])) and (
            # A text may begin with a word and a colon, as lines of an id and its phrases do.
            not _hold_documents(shelf) or ({file.stem for file in shelf} & listed and document_texts.are_prose(shelf))
        ):
            undecided.append(shelf)
    named = _names(lists)
    shared = Counter(stem for shelf in undecided for stem in {file.stem for file in shelf})
    undecided.sort(key=_mean_size)
    sizes = [_mean_size(shelf) for shelf in undecided]
    for shelf in undecided:
        stems = {file.stem for file in shelf}
        beside = any(shared[stem] > 1 for stem in stems)
        enough = len(undecided) == 1 and len(shelf) > (1 if role in ("gold", "system") else 2)
        enough = enough and not _is_bare(shelf[0])
        # Short texts are longer than any list of the same documents.
        last = shelf is undecided[-1] and (len(sizes) < 2 or sizes[-1] > _LONGER * sizes[-2])
        if document_texts.are_prose(shelf) or (stems & named and last):
            met = beside or stems & named
            texts += [file for file in shelf if met and (file.stem in named or document_texts.are_prose([file]))]
        elif (beside or enough) and role != "documents":
            lists += shelf
            named |= stems
    return lists, texts if lists else []


def _mean_size(shelf: Sequence[File]) -> float:
    return sum(len(file.source.data) for file in shelf) / len(shelf)


def _shelves(files: Iterable[File]) -> list[list[File]]:
    """Return the files by folder and ending; folders named like their one document are one."""
    found: dict[tuple[str, str], list[File]] = defaultdict(list)
    for file in files:
        folder = PurePosixPath(file.name).parent
        place = f"{folder.parent}/*" if folder.name == file.stem else str(folder)
        found[place, "" if _is_bare(file) else file.suffix].append(file)
    return list(found.values())


def _is_bare(file: File) -> bool:
    """Tell a file without an ending, or whose ending is a part of its name, as in `10.1145_12`."""
    return file.suffix not in (*KEYS, *KNOWN_EXTENSIONS)


def _document(name: str) -> str:
    """Return the document of a file by its name: `1.txt.phrases` is one of document 1."""
    path = PurePosixPath(name)
    return stem_of(path.stem if path.suffix.lower() in KEYS else path.name)


def _names(lists: Sequence[File]) -> set[str]:
    """Return what may be the documents of lists: the names of the files, or of their folders."""
    paths = [PurePosixPath(file.name) for file in lists]
    return {_document(path.name) for path in paths} | {_folder(path).name for path in paths}


def _hold_documents(shelf: Sequence[File]) -> bool:
    """Tell files of several documents, one or more lines each: with ids, or all with as many lines and semicolons."""
    numbers = {len(file.lines) for file in shelf}
    split = any(sum(";" in line for line in file.sample) * 2 >= len(file.sample) for file in shelf if file.sample)
    aligned = len(shelf) > 1 and len(numbers) == 1 and numbers != {1} and split
    return aligned or sum(map(_holds_documents, shelf)) * 20 > len(shelf)


def _holds_documents(file: File) -> bool:
    lines = file.sample
    aligned = sum(line.count(";") > 1 for line in lines) * 2 > len(lines) > 1 and not document_texts.are_prose([file])
    tabs = sum("\t" in line.strip() and (";" in line or not _LABEL.match(line)) for line in lines)
    ids = sum(bool(re.match(r"[^\s@;]+(@| :( |$))", line)) for line in lines)
    rows = any(len(counts := {line.count(mark) for line in lines}) == 1 and counts != {0} for mark in ",;|")
    table = (rows and len(lines) > 1 and not document_texts.are_prose([file])) or any(map(_is_header, lines[:1]))
    json = bool(lines) and lines[0].lstrip()[0] in "{["
    lists = aligned or table or json or max(tabs, ids) * 2 > len(lines)
    return lists or trec.recognise(file, None) is not None


def recognise(file: File, role: Role | None) -> Recognition | None:
    """Recognise a single list by its ending, its lines, or because the user says so."""
    if role == "documents":
        return None
    line = file.mapping.switch("line") or line_of([file])
    if not (file.mapping.format or file.suffix in KEYS or line in ("subject", "number")):
        return None
    return _recognition([file], role, line, (set(), set()))


def _label(line: str) -> _Fields | None:
    found = _LABEL.match(line)
    return (line[found.end() :], {"concept": found.group(1) or found.group(2)}) if found else None


def subject(line: str) -> _Fields | None:
    """Return the label, URI, notation and score of a line of Annif; the last two may be missing."""
    uri, _, told = line.partition("\t")
    label, *rest = told.split("\t")
    found = _SUBJECT.fullmatch(uri)
    if found is None or not label.strip() or len(rest) > 2:
        return None
    more: dict[str, Any] = {"concept": found.group(1)}
    if rest and is_number(rest[-1]):
        more["number"] = number(rest.pop())
    if rest and rest[0].strip():
        more["notation"] = rest[0].strip()
    return label.strip(), more


def _number(line: str) -> _Fields | None:
    """Return a phrase and the number behind its last TAB, or blank; KEA and Maui write a stem or an id between them."""
    said, found, amount = line.rpartition("\t") if "\t" in line else line.rstrip().rpartition(" ")
    phrase, _, between = said.partition("\t")
    more: dict[str, Any] = {"concept": between} if re.search(r"\d", between) else {}
    return (phrase, more | {"number": number(amount)}) if found and phrase.strip() and is_number(amount) else None


#: What a line may be, most telling first: its fields, and why it is rejected where it has none.
_LINES: dict[str, tuple[Callable[[str], _Fields | None], str]] = {
    "subject": (subject, "no URI, TAB, label"),
    "label": (_label, "no `id: label`"),
    "number": (_number, "no number at the end"),
    "phrase": (lambda line: (line, {}), ""),
}


def _is_heading(line: str) -> bool:
    """Tell a line of known names of columns, or a rule below one."""
    return _is_header(line) or _is_header("\t".join(line.split())) or bool(_RULE.fullmatch(line))


def _is_header(line: str) -> bool:
    cells = re.split(r"[\t,;|]", line)
    return len(cells) > 1 and all(plain(cell) in KNOWN for cell in cells)


def line_of(shelf: Sequence[File]) -> str:
    """Return what at least 90 % of the first lines of some files are, or what the user says they are."""
    if chosen := shelf[0].mapping.switch("line"):
        return chosen
    samples = [[line for line in file.sample if not _is_heading(line)] for file in shelf]
    lines = [line for sample in samples for line in sample]
    fits = (name for name, (fields, _) in _LINES.items() if sum(map(bool, map(fields, lines))) >= 0.9 * len(lines))
    line = next(fits) if lines else "phrase"
    return line if line != "number" or _are_numbers(samples, shelf[0]) else "phrase"


def _are_numbers(samples: Sequence[Sequence[str]], first: File) -> bool:
    """Tell numbers that belong to phrases: each behind one TAB, or behind blanks and falling, rising or fractions.

    Phrases such as “covid 19” end in a number too, and so may lines of tables and qrels.
    """
    lines = [[line for line in sample if _number(line)] for sample in samples]
    tabs = {line.count("\t") for sample in lines for line in sample}
    if tabs != {0}:
        return tabs == {1} or (tabs == {2} and first.suffix in KEYS)
    firsts = [line.split()[0] for sample in lines for line in sample]
    if all(re.search(r"\d", first) for first in firsts) and len(set(firsts)) < len(firsts):
        return False  # an id in front of each phrase
    amounts = [[number(line.split()[-1]) for line in sample] for sample in lines]
    falling, rising = (all(a >= b for one in amounts for a, b in pairwise(one[::step])) for step in (1, -1))
    count = sum(map(len, lines))
    fractions = sum(amount % 1 != 0 for one in amounts for amount in one)
    free = first.suffix in (".txt", *KEYS) or first.suffix not in KNOWN_EXTENSIONS
    ordered = falling != rising and count > 2 * len(lines)
    return free and (fractions * 2 >= count or ordered) and trec.recognise(first, None) is None


def _recognition(
    files: Sequence[File],
    role: Role | None,
    line: str,
    known: tuple[set[str], set[str]],
    apart: bool = False,
    beside: Collection[str] = (),
) -> Recognition:
    """Return lists of one kind of line, given the names of texts and of keys beside them.

    apart   they lie in folders of systems
    beside  what lines of gold there are, if there are other lists: then these are gold, named by their ending
    """
    chosen = dict(files[0].mapping.switches)
    annotators = "folders" if apart else chosen.get("annotators") or _annotators(files, known[0])
    endings = ", ".join(f"{count} {ending}" for ending, count in Counter(f.suffix or "none" for f in files).items())
    evidence = f"files named {endings}; {'system = folder, document = file' if apart else _WHOSE[annotators]}"
    if line == "label":
        lines = [one for file in files for one in file.lines if one.strip()]
        labelled = sum(bool(_LABEL.match(one)) for one in lines)
        evidence += f"; {part_of(labelled, len(lines), 'line', 'is', 'are')} `id: label`, split"
    elif line != "phrase":
        evidence += f"; each line has a {'number' if line == 'number' else 'subject with its address (URI)'}"
    fields = [found for file in files for one in file.sample if (found := _LINES[line][0](one))]
    amounts = [more["number"] for _, more in fields if "number" in more]
    scored = len(amounts) == len(fields) and (line == "subject" or any(amount % 1 for amount in amounts))
    guess: Role = "system" if apart or role == "system" or (scored and role != "gold") else "gold"
    annotators = "endings" if line == "phrase" and annotators == "none" and len(beside) > 1 else annotators
    options = {"line": line, "annotators": annotators, **chosen}
    # Annif keeps the subjects of a text beside it, in a file of its name.
    proved = line == "subject" and {file.stem for file in files} <= known[0]
    guessed = role is None and not (beside or scored or proved) and options["annotators"] == "none"
    end = _common_end([file.stem for file in files]) if line == "number" else ""
    if end and {file.stem.removesuffix(end) for file in files} <= known[0] | known[1]:
        options = {"suffix": "removed", **options}
    weak = line == "number" and files[0].suffix not in KEYS
    strength = Strength.CONTENT if weak else Strength.GRAMMAR
    return Recognition(NAME, guess, tuple(files), evidence, {}, options, {}, (end,), guessed, strength)


def _annotators(files: Sequence[File], ids: set[str]) -> str:
    """Return what the annotators are, a key of `_WHOSE`; the first rule that fits is taken.

    An annotator is a folder, an ending, or a file in the folder of a document, and never what the texts are named.
    """
    paths = [PurePosixPath(file.name) for file in files]
    stems: dict[str, set[str]] = defaultdict(set)
    endings: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        stems[_document(path.name)].add(_folder(path).name)
        endings[_document(path.name)].add(path.suffix.lower())
    folders = {_folder(path).name for path in paths}
    readers = any(_folder(path) != path.parent for path in paths)
    own = {name for name, found in stems.items() if found == {name}}
    if readers or (len(own) < len(paths) and len(own) * 2 > len(folders)):
        return "files"
    if any(len(found) > 1 for found in stems.values()):
        numbers = all(map(str.isdigit, folders))
        people = not re.search(r"\d", "".join(stems)) or len(folders) > 5 * len(stems)
        if len(folders & ids) > len(stems.keys() & ids) or (numbers and people):
            return "files"
        coded = all(re.search(r"\d", folder) and plain(base_of(folder)) not in PEOPLE for folder in folders)
        either = numbers or (coded and not re.search(r"\d", "".join(stems)))
        if either and not ids and len(stems) <= 5 * len(folders):
            raise _ask_whose(files)
        return "folders"
    return "endings" if any(len(found) > 1 for found in endings.values()) else "none"


def _ask_whose(files: Sequence[File]) -> Question:
    """Ask what folders and files are whose names do not tell: documents, or annotators."""
    first = files[0]
    answers = [
        Reply(in_words(_WHOSE[what]), {first.name: first.mapping.with_switch("annotators", what)})
        for what in ("folders", "files")
    ]
    where = PurePosixPath(first.name).parent.parent.name or "the files"
    found = f"folders and files of which either may be documents, such as {first.name}"
    return Question(Finding("ask", where, found, "names that tell documents from annotators", tuple(answers)))


def _folder(path: PurePosixPath) -> PurePosixPath:
    """Return the folder of a file, that of the document for a reader's file in its folder KEY."""
    return path.parent.parent if path.parent.name.upper() == "KEY" else path.parent


def _common_end(names: Sequence[str]) -> str:
    """Return what all names end in, from a separator on."""
    backwards = zip(*(name[::-1] for name in names), strict=False)
    shared = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, backwards))[::-1]
    found = re.search(r"[-_. ].*", shared, re.DOTALL)
    return found.group() if found and len(names) > 1 and found.group() not in names else ""


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read one phrase a line; votes are grades of an annotator called `votes`, unless folders name the people."""
    files, options = recognition.files, recognition.options
    builder, line, (end,) = ListBuilder(recognition.role, files[0].limits), options["line"], recognition.plan
    votes = "votes" if line == "number" and recognition.role == "gold" else None
    owners = _owners(files, options["annotators"])
    commas = line == "phrase" and not files[0].mapping.switch("semicolons") and _are_comma_lists(files)
    for file in files:
        doc_id, source = owners[file.name]
        doc_id = doc_id.removesuffix(end) if options.get("suffix") == "removed" else doc_id
        builder.open(doc_id, file=file.name, line=1, source=source or votes)
        if commas:
            builder.split(file.text.strip(), ",")
        elif line == "phrase" and _is_wrapped(file.lines) and options.get("semicolons") != "kept":
            builder.split(" ".join(one.strip() for one in file.lines))
        else:
            _add_lines(builder, file, line, split=line == "phrase" and options.get("semicolons") == "split")
    if commas:
        builder.say("warning", files[0].name, "Each file is one line, which was split at commas.")
    first, phrases = files[0].name, [file for file in files if line == "phrase" and not _is_wrapped(file.lines)]
    labels = sum(bool(_LABEL.match(one)) for file in phrases for one in file.lines)
    kept = next((file.name for file in phrases if ";" in file.text), None)
    if kept and "semicolons" not in options:
        message = f"`;` in a few lines, such as those of {kept}, was taken as part of the phrase"
        builder.say("info", kept, f"{message}; choose semicolons = split to split there.")
    if labels:
        message = f"Lines that alone are `id: label`: {labels:,}; all lines were taken as they are."
        builder.say("warning", first, f"{message} Choose line = label to split.")
    if end and options.get("suffix") != "removed":
        message = f"All file names end in “{end}”, which stays in the ids; choose suffix = removed to take it off."
        builder.say("info", first, message)
    if votes:
        message = "Votes are grades: ranking measures such as nDCG use them, the others count a phrase from grade 1 on"
        builder.say("info", first, f"{message}, or from the grade that you set.")
    return [builder.rows()]


def _add_lines(builder: ListBuilder, file: File, line: str, split: bool) -> None:
    """Add the lines of a file to its list; a line of other fields is a rejected row."""
    fields_of, reason = _LINES[line]
    amount = "relevance" if builder.role == "gold" else "score"
    for place, one in enumerate(bare_lines(file.lines) if line == "phrase" else file.lines, 1):
        if not one.strip() or (line == "number" and place < 3 and _is_heading(one)):
            builder.skip()
            continue
        for piece in builder.pieces(one) if split else [one]:
            phrase, more = fields_of(piece) or (piece, None)
            # The score of a subject in a gold standard is that of a suggestion, which somebody accepted.
            more = more and {amount if name == "number" else name: value for name, value in more.items()}
            if more and line == "subject" and amount == "relevance":
                more.pop(amount, None)
            builder.add(phrase, line=place, reject="" if more is not None else reason, **(more or {}))


def _owners(files: Sequence[File], annotators: str) -> dict[str, tuple[str, str | None]]:
    """Return document and annotator of every file; folders of one name are told apart by their paths."""
    paths = {file.name: PurePosixPath(file.name) for file in files}
    folders = {path.parent for path in paths.values()}
    alike = len({folder.name for folder in folders}) < len(folders)
    times = Counter(_document(path.name) for path in paths.values() if _folder(path) == path.parent)
    owners: dict[str, tuple[str, str | None]] = {}
    for name, path in paths.items():
        stem = _document(path.name)
        if annotators == "files":
            author = stem == path.parent.name and times[stem] == 1
            owners[name] = _folder(path).name, "author" if author else stem
        elif annotators == "folders":
            owners[name] = stem, (str(path.parent) if alike else path.parent.name) or None
        else:
            owners[name] = stem, path.suffix.lstrip(".").lower() if annotators == "endings" else None
    return owners


def _are_comma_lists(files: Sequence[File]) -> bool:
    """Tell several files of one line each, most of them with commas and none with a semicolon."""
    texts = [file.text.strip() for file in files]
    single = len(files) > 1 and not any(";" in text or "\n" in text or "\r" in text for text in texts)
    return single and 2 * sum("," in text for text in texts) >= len(texts)


def _is_wrapped(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    wrapped = sum(";" in line or line.startswith("\t") for line in filled)
    return any(";" in line for line in filled) and wrapped * 2 >= len(filled)
