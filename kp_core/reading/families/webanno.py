"""F13W: WebAnno TSV 3, as INCEpTION exports it, becomes keyphrases of annotators, and the texts beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from kp_core.corpus import Role
from kp_core.errors import InputError, counted
from kp_core.reading.family import Choice, File, Recognition, Rows
from kp_core.reading.spans import EVERY, SpanBuilder, Units, offers

NAME = "F13W"
TITLE = "spans: INCEpTION, WebAnno TSV 3"
EXAMPLE = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Keyphrase|kind\n\n\n#Text=The tide table is wrong.\n"
    "1-1\t0-3\tThe\t_\t\n1-2\t4-8\ttide\tKP[1]\t\n1-3\t9-14\ttable\tKP[1]\t\n"
    "1-4\t15-17\tis\t_\t\n1-5\t18-23\twrong\t_\t\n1-6\t23-24\t.\t_\t"
)
_FORMAT = "#FORMAT=WebAnno TSV 3"
_HEADER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_TOKEN = re.compile(r"\d+-\d+(?:\.\d+)?")
_ESCAPED = re.compile(r"\\(->|.)")
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)
#: Layers that a machine makes: no keyphrases.
_LINGUISTIC = (".pos.", "Lemma", "Stem", "MorphologicalFeatures", "SurfaceForm", "Dependency")


def recognise_groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files that begin like WebAnno TSV 3."""
    group = [file for file in files if role not in ("documents", "judgements") and _begins(file)]
    return [_recognition(group, role, group[0].choice)] if group else []


def recognise(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition | None:
    """Recognise a single file by its first line."""
    return _recognition(files, role, choice) if role not in ("documents", "judgements") and _begins(files[0]) else None


def _begins(file: File) -> bool:
    return bool(file.sample) and file.sample[0].startswith(_FORMAT)


def _recognition(files: Sequence[File], role: Role | None, choice: Choice) -> Recognition:
    rule, _ = _places(files)
    labels = {label for file in files for span in _page(file).spans for label in span.labels}
    options = {"label": choice.options.get("label", EVERY)}
    layers = ", ".join(dict.fromkeys(layer for file in files for layer in _page(file).layers))
    evidence = f"{files[0].sample[0][len('#FORMAT=') :]}, layers {layers or '(none)'}; {rule}"
    return Recognition(NAME, role or "gold", tuple(files), 0.99, evidence, {}, options, offers(labels))


def _places(files: Sequence[File]) -> tuple[str, dict[str, tuple[str, str | None]]]:
    """Return the rule in words, and document and annotator of each file: files of one folder with one text are one."""
    named: dict[str, tuple[str, str | None]]
    paths = {file.name: PurePosixPath(file.name) for file in files}
    texts: dict[str, set[str]] = defaultdict(set)
    for file in files:
        texts[str(paths[file.name].parent)].add(_page(file).text)
    together = len(files) > len(texts) and all(len(found) == 1 for found in texts.values())
    alone = len(files) == len(texts) > 1 and len(set().union(*texts.values())) == len(texts)
    if (together or alone) and all(path.parent.name for path in paths.values()):
        named = {name: (path.parent.name, path.stem) for name, path in paths.items()}
        return "document = folder, annotator = file", named
    if len(texts) > 1:
        named = {name: (path.stem, path.parent.name) for name, path in paths.items()}
        return "annotator = folder, document = file", named
    return "document = file", {name: (path.stem, None) for name, path in paths.items()}


@dataclass
class _Span:
    begin: int
    end: int
    labels: list[str]
    line: int


@dataclass
class _Page:
    """A parsed file: its text, its spans in order, its layers, and lines that do not fit."""

    text: str = ""
    spans: list[_Span] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    rejected: list[tuple[int, str, str]] = field(default_factory=list)


def _page(file: File) -> _Page:
    return file.once("webanno", lambda: _parsed(file))


def _parsed(file: File) -> _Page:
    page, pieces = _Page(), [""]
    length = 0
    columns = list(_columns(file))
    page.layers = list(dict.fromkeys(layer for layer in columns if layer))
    sentence: list[str] = []
    placed = False
    open_spans: dict[tuple[str, str], _Span] = {}
    for number, line in enumerate(file.lines, 1):
        cells = line.split("\t")
        if line.startswith("#Text="):
            sentence, placed = [*(sentence if not placed else []), _unescaped(line[6:])], False
        elif not line.strip() or line.startswith("#"):
            continue
        elif not _TOKEN.fullmatch(cells[0]) or len(cells) < 3 or not re.fullmatch(r"\d{1,9}-\d{1,9}", cells[1]):
            page.rejected.append((number, "no token, offsets and form", line[:200]))
        elif len(cells) - 3 > len(columns) + 1:
            reason = f"{counted(len(cells) - 3, 'column')} of layers instead of {len(columns)}"
            page.rejected.append((number, reason, line[:200]))
        else:
            begin, end = map(int, cells[1].split("-"))
            if not placed:
                pieces.append(_placed("\n".join(sentence), begin, _unescaped(cells[2]), length, file, number))
                length, placed = length + _length(pieces[-1]), True
            _add(page, open_spans, columns, cells[3:], begin, end, number)
    page.text = "".join(pieces)
    return page


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _columns(file: File) -> Iterator[str]:
    """Give the layer of each column, an empty name for columns that hold no keyphrases."""
    for line in file.lines:
        found = _HEADER.fullmatch(line)
        if found is None and not line.startswith("#"):
            if line.strip():
                return
            continue
        if found is not None:
            layer, *features = found.group(2).split("|")
            kept = found.group(1) == "SP" and not any(name in layer for name in _LINGUISTIC)
            yield from [layer.rsplit(".", 1)[-1] if kept else ""] * max(1, len([name for name in features if name]))


def _placed(sentence: str, begin: int, form: str, length: int, file: File, line: int) -> str:
    """Return a sentence behind the white space that lies between it and the text of this length before it."""
    before = sentence.find(form)
    start = begin - _length(sentence[: max(before, 0)])
    gap = start - length
    if before < 0 or gap < 0 or start > 2 * len(file.text) + 100_000:
        found = f"the token “{form[:40]}” at {begin}, which its sentence does not have there"
        raise InputError(f"{file.name}, line {line}", found, "tokens of the sentence above", "Export the file again.")
    return "\n" * min(gap, 1) + " " * (gap - 1) + sentence


def _add(
    page: _Page,
    known: dict[tuple[str, str], _Span],
    columns: list[str],
    cells: list[str],
    begin: int,
    end: int,
    line: int,
) -> None:
    """Add the spans of a token; `[2]` after a value joins tokens, `|` stands between spans on one token."""
    here: dict[tuple[str, str], _Span] = {}
    for layer, cell in zip(columns, cells, strict=False):
        if not layer or cell in ("_", ""):
            continue
        for stacked, value in enumerate(re.split(r"(?<!\\)\|", cell)):
            found = _VALUE.fullmatch(value)
            name, number = (found.group(1), found.group(2)) if found else (value, None)
            key = (layer, number or f"line {line} {stacked}")
            if key not in known:
                known[key] = _Span(begin, end, [layer], line)
                page.spans.append(known[key])
            here[key] = known[key]
            if name not in ("*", "_", "") and (label := _unescaped(name)) not in known[key].labels:
                known[key].labels.append(label)
    for span in here.values():
        span.begin, span.end = min(span.begin, begin), max(span.end, end)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: {"t": "\t", "n": "\n", "r": "\r"}.get(found.group(1), found.group(1)), text)


def read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the spans of every file in the order of the text."""
    builder = SpanBuilder(recognition.role, recognition.files[0].limits, recognition.options["label"])
    _, places = _places(recognition.files)
    for file in recognition.files:
        page = _page(file)
        text = Units(page.text)
        doc_id, source = places[file.name]
        builder.open(doc_id, page.text, file=file.name, line=1, source=source)
        for number, reason, content in page.rejected:
            builder.lists.rejected.append((file.name, number, reason, content))
        for span in page.spans:
            phrase = text.part(span.begin, span.end)
            outside = "" if phrase else "offsets outside the text"
            builder.phrase(phrase or f"{span.begin}-{span.end}", span.labels, outside)
    return builder.rows(recognition.files[0].name)
