"""Read spans and labels of annotation tools (JSON, brat, tagged tokens) as lists, and their texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypeAlias

from kp_core.corpus import Role
from kp_core.errors import Note, input_error, pluralize
from kp_core.reading.lists.list_builder import ListBuilder, document_rows
from kp_core.reading.meaning.fields import NAMES, find_roles, plain, quoted
from kp_core.reading.meaning.layout import Family, Recognition, Strength
from kp_core.reading.meaning.mapping import HEADS
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.open.decode import File
from kp_core.reading.open.json_table import records_of, shown
from kp_core.reading.open.values import Rejected
from kp_core.reading.rows.check import Rows
from kp_core.reading.rows.separators import pick, text_of
from kp_core.typeset import storable

#: Fields of spans or labels.
_LISTS = ("label", "labels", "entities", "annotations", "spans")
#: Prefixes of field names that identify tools.
_TOOL_MARKERS = ('"label', '"entities"', '"annotation', '"spans"', '"answer"')
#: Prodigy's names for annotator and id.
_PRODIGY = {"annotator": "_annotator_id", "doc_id": "_input_hash"}
_MARK = re.compile(r"T\S*\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
#: Relations, events, attributes, modifiers, normalizations, notes and equivalences.
_OTHER_MARK = re.compile(r"[REAMN]\d+\t\S+(?: .*)?|#\S*\t\S+ \S+.*|\*\t\S+ .*")
_CELLS, _TAG = re.compile(r"[\t ]+"), re.compile(r"([BIOESLU])(?:-(\S+))?")
#: The first line of a document of tagged tokens, and text after -DOCSTART- that is not an id.
_HEAD = re.compile(r"-DOCSTART-(.*)|#\s*(?:new)?(?:doc(?:ument)?)?[ _]?id(?:\s*[=:]\s*|\s+)(\S+).*")
_NOTHING = re.compile(r"(?:^|\s)(?:-X-|-|_|O)(?=\s|$)|[()]")
#: The value of the setting `label` that selects all labels.
_EVERY = "all"


class Span(NamedTuple):
    """A marked span or label: its labels, (start, end) of its parts, and its text if given."""

    labels: Sequence[str]
    parts: Sequence[tuple[Any, Any]] = ()
    text: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Marked:
    """The spans of one annotator or system in one document; `reason` says why they are left out, if they are."""

    doc_id: str
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    file: str = ""
    line: int = 0
    source: str | None = None
    role: Role | None = None
    reason: str = ""


#: A line of tagged tokens: its number, its text, and its cells if it ends in a tag.
_Line: TypeAlias = tuple[int, str, list[str]]
#: Marked documents, rejected lines, notes, and the number of documents without ids, numbered 1, 2, …
_Plan: TypeAlias = tuple[list[Marked], list[Rejected], list[Note], int]


def _recognise_json(file: File, role: Role | None) -> Recognition | None:
    """Recognize JSON objects with a text and a list of spans or labels, as in doccano, Prodigy and Label Studio.

    The name of the annotator comes from a field, the tool, or the file.
    """
    if role == "documents" or "{" not in file.text or not any(name in file.text for name in _TOOL_MARKERS):
        return None
    values = [record.value for record in records_of(file) if record.value is not None]
    examined, names = values[:200], list(dict.fromkeys(chain.from_iterable(values[:200])))
    unknown, other_names = [*map(_annotations_of, examined)].count(None), {plain(name) for name in names} - {*_LISTS}
    if 5 * unknown > len(examined) or other_names & {*NAMES["gold"]} or not {*names} & {*_LISTS}:
        return None
    assigned = {"doc_id": file.mapping.document, "annotator": file.mapping.annotator}
    columns = find_roles([name for name in names if name not in ("text", *_LISTS)], ("doc_id", "annotator"), assigned)
    if "annotator" not in columns and "_annotator_id" in names:
        columns = {part: name for part, name in _PRODIGY.items() if name in names} | columns
    marked, rejected, notes = list[Marked](), list[Rejected](), list[Note]()
    if "doc_id" not in columns and len(records_of(file)) > 1:
        notes.append(Note("warning", file.name, "There is no field of ids; the line numbers are the ids."))
    for position, record in enumerate(records_of(file), 1):
        value = record.value or {}
        source = text_of(value.get(columns.get("annotator")))
        doc_id = str(record.line or position) if notes else file.stem
        if "doc_id" in columns:
            doc_id = text_of(value.get(columns["doc_id"])) or ""
        if not (parts := _annotations_of(value)) or not doc_id:
            reason = "an empty id" if parts else record.broken or "no text with a list of spans or labels"
            rejected.append((file.name, record.line, reason, storable(record.content or shown(record.value))))
            continue
        for part in parts:
            part.doc_id, part.source = part.doc_id or doc_id, part.source or source
            part.file, part.line = file.name, record.line
        marked += parts
    reasons = Counter(part.reason for part in marked if part.reason)
    notes += [Note("info", file.name, f"{reason}: {count:,}.") for reason, count in reasons.items()]
    accepted = [part for part in marked if not part.reason]
    evidence = f"{pluralize(len(values), 'JSON object')} with a text and spans or labels"
    return _recognition("F13", role, [file], evidence, (accepted, rejected, notes, 0), columns=columns)


def _recognition(
    family: str, role: Role | None, files: Sequence[File], evidence: str, plan: _Plan, **extra: Any
) -> Recognition:
    """Return a recognition that offers a choice of labels, if there are several."""
    names = sorted({label for part in plan[0] for span in part.spans for label in span.labels})
    mapping = replace(files[0].mapping, format=family, label=files[0].mapping.label or _EVERY)
    extra |= {"offers": {"label": (_EVERY, *names)} if len(names) > 1 else {}, "plan": plan}
    return Recognition(family, role or "gold", tuple(files), evidence, mapping, strength=Strength.MARKS, **extra)


def _annotations_of(value: dict[str, Any]) -> list[Marked] | None:
    """Return the spans that each annotator marked in the document of a JSON object; None if no known tool wrote it."""
    if isinstance(value.get("data"), dict):
        return _task(value["data"], value)
    text = value.get("text")
    lists = [items for name in _LISTS if isinstance(items := value.get(name), list) and None not in map(_span, items)]
    if not isinstance(text, str) or not (lists or "answer" in value):
        return None
    by_user: dict[str | None, list[Span]] = {}
    for item in max(lists, key=bool, default=[]):
        user = text_of(item.get("user")) if isinstance(item, dict) else None
        by_user.setdefault(user, []).extend(filter(None, [_span(item)]))
    reason = "" if value.get("answer", "accept") == "accept" else "Tasks left out because they were not accepted"
    meta = value["meta"] if isinstance(value.get("meta"), dict) else {}
    doc_id = text_of(meta.get("doc_id") or meta.get("id")) or ""
    return [Marked(doc_id, text, spans, source=user, reason=reason) for user, spans in (by_user or {None: []}).items()]


def _span(item: Any) -> Span | None:
    """Return the span of an item: a label of the whole text, or offsets with a label (as list or object)."""
    if isinstance(item, str):
        return Span((), text=item)
    if isinstance(item, list) and len(item) == 3:
        item = dict(zip(("start", "end", "label"), item, strict=True))
    for start, end in (("start", "end"), ("start_offset", "end_offset")) if isinstance(item, dict) else ():
        if start in item and end in item:
            value = item.get("label", item.get("labels"))
            labels = [str(label) for label in (value if isinstance(value, list) else [value]) if label is not None]
            text = item.get("text")
            return Span(labels, ((item[start], item[end]),), text if isinstance(text, str) else None)
    return None


def _task(data: dict[str, Any], value: dict[str, Any]) -> list[Marked] | None:
    """Return the results of every annotator in a task of Label Studio."""
    entries = value.get("annotations")
    if not isinstance(entries, list) or not all(isinstance(part, dict) and "result" in part for part in entries):
        return None
    field = next((name for name in data if plain(name) in NAMES["text"] and isinstance(data[name], str)), "")
    ids = find_roles([name for name in data if name != field], ("doc_id",))
    doc_id, text = (text_of(data[ids["doc_id"]]) if ids else None) or "", data.get(field, "")
    marked = [] if entries else [Marked(doc_id, reason="Tasks left out because nobody annotated them")]
    for part in entries:
        reason = "Canceled annotations left out" if part.get("was_cancelled") else ""
        results = part["result"] if isinstance(part["result"], list) else []
        spans = [span for result in results for span in _results(result, text)]
        person = part.get("completed_by")
        source = text_of(pick(person, ("email", "username", "id")) if isinstance(person, dict) else person)
        marked.append(Marked(doc_id, text, spans, source=source, reason=reason))
    return marked


def _results(result: Any, text: str) -> Iterator[Span]:
    """Yield the span of a result, or the chosen or entered labels; for a taxonomy, those of the last level."""
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict):
        return
    kind = text_of(result.get("type")) or ""
    control = text_of(result.get("from_name")) or kind
    labels = value.get(kind) if kind.endswith("labels") else None
    if span := _span({**value, "label": labels if isinstance(labels, list) else control}):
        ((start, end),) = span.parts
        if span.text is None and type(start) is int and type(end) is int and text and max(text) > "\uffff":
            # JavaScript counts characters in units of UTF-16.
            units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
            span = span._replace(text=units.decode("utf-16-le", "surrogatepass"))
        yield span
        return
    choices = pick(value, ("choices", "taxonomy", "text"))
    for item in choices if isinstance(choices, list) else [choices]:
        if phrase := text_of(item[-1] if isinstance(item, list) and item else item):
            yield Span((control,), text=phrase)


def _group_brat(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim `.ann` files, or a single file, if 90% of the lines are marks of brat, and the texts with the same names.

    A file without spans is an empty list.
    """
    marks = [file for file in files if file.suffix == ".ann" or len(files) == 1]
    lines = [line for file in marks for line in file.sample]
    n_fitting = sum(bool(_MARK.fullmatch(line) or _OTHER_MARK.fullmatch(line)) for line in lines)
    if role == "documents" or not any(map(_MARK.fullmatch, lines)) or n_fitting < 0.9 * len(lines):
        return []
    texts = {key: file for file in files if file.suffix == ".txt" for key in (file.stem, file.name[:-4])}
    has_several = len({file.stem for file in marks}) < len(marks)
    marked, rejected, used_texts, n_others = list[Marked](), list[Rejected](), dict[str, File](), 0
    for file in marks:
        text, folder = texts.get(file.name[:-4]) or texts.get(file.stem), PurePosixPath(file.name).parent.name or None
        used_texts |= {text.name: text} if text else {}
        spans = list[Span]()
        for number, line in enumerate(file.lines, 1):
            if mark := _MARK.fullmatch(line):
                parts = [(int(begin), int(end)) for begin, end in (part.split() for part in mark[2].split(";"))]
                spans.append(Span((mark[1],), parts, mark[3], number))
            elif _OTHER_MARK.fullmatch(line):
                n_others += 1
            elif line.strip():
                rejected.append((file.name, number, "not a mark of brat", line[:200]))
        source = folder if has_several else None
        marked.append(Marked(file.stem, text.text if text else "", spans, file.name, 1, source))
    left_out = f"Relations, attributes and notes left out: {n_others:,}."
    notes = [Note("info", marks[0].name, left_out)] if n_others else []
    evidence = f"files of brat; {'annotator = folder, document = file' if has_several else 'document = file'}"
    return [_recognition("F13B", role, [*marks, *used_texts.values()], evidence, (marked, rejected, notes, 0))]


def _recognise_tagged(file: File, role: Role | None) -> Recognition | None:
    """Recognize a file in which 80% of the lines end in a tag, including `O`, the tag outside keyphrases.

    Each column of tags gives one list of phrases per document; the tokens are the text.
    """
    first = [line for line in file.sample if not (line.startswith("# ") or _HEAD.fullmatch(line))]
    tags = [cells[-1][0] for line in first if (cells := _tagged_cells(line))]
    if role == "documents" or not {"O"} < {*tags} or not {*"BISU"} & {*tags} or len(tags) < 0.8 * len(first):
        return None
    documents = list(_documents(file))
    columns = _columns_of(file, [cells for _, lines in documents for _, _, cells in lines if cells])
    marked, rejected = list[Marked](), list[Rejected]()
    role_counts = Counter(column_role for _, column_role in columns.values())
    for position, (name, lines) in enumerate(documents, 1):
        text = re.sub(r" ?\n[ \n]*", "\n", " ".join(cells[0] if cells else "\n" for _, _, cells in lines)).strip()
        for column, (index, column_role) in columns.items():
            source, spans = column if role_counts[column_role] > 1 else None, _spans_of(lines, index)
            marked.append(Marked(name or str(position), text, spans, file.name, lines[0][0], source, column_role))
        bad = ((number, line) for number, line, cells in lines if not cells and line.strip() and line[0] != "#")
        rejected += [(file.name, number, "not a token with a tag", line[:200]) for number, line in bad]
    notes = [Note("info", file.name, "Texts are tokens; they were joined with spaces (tokenised).")]
    plan = marked, rejected, notes, 0 if all(name for name, _ in documents) else len(documents)
    return _recognition("F13C", role, [file], "a file of tokens with a tag (B, I, O) in each line", plan)


def _tagged_cells(line: str) -> list[str]:
    """Return the cells of a line that ends in a tag, else nothing."""
    cells = _CELLS.split(line.rstrip())
    return cells if len(cells) > 1 and cells[0] and _TAG.fullmatch(cells[-1]) else []


def _tag(cells: Sequence[str], index: int) -> re.Match[str] | None:
    return _TAG.fullmatch(cells[index]) if len(cells) > -index else None


def _columns_of(file: File, rows: Sequence[Sequence[str]]) -> dict[str, tuple[int, Role | None]]:
    """Return the position from the end and the role of each column of tags; ask if several may be the gold standard."""
    width = max(map(len, rows))
    longest = [row for row in rows if len(row) == width]
    tag_columns = (i for i in range(1 - width, 0) if sum(bool(_tag(row, i)) for row in longest) >= 0.9 * len(longest))
    columns = {f"column {index + width + 1}": index for index in tag_columns}
    gold, chosen = file.mapping.gold, file.mapping.keyphrases or tuple(columns)
    if unknown := [name for name in (*gold, *chosen) if name not in columns]:
        raise input_error(file.name, "no tags", column=unknown[0], columns=quoted(list(columns)))
    if len(columns) > 1 and not (gold or file.mapping.keyphrases):
        answers: dict[str, dict[str, Any]] = {
            f"“{name}” is the gold standard, and the others are systems": {"gold": (name,)} for name in chosen[:10]
        }
        answers["each column is an annotator"] = {"role": "gold", "keyphrases": chosen, "annotator": HEADS}
        answers[f"only “{chosen[-1]}” is read"] = {"keyphrases": chosen[-1:]}
        mapping = replace(file.mapping, format="F13C")
        replies = (Reply(words, {file.name: replace(mapping, **fields)}) for words, fields in answers.items())
        found = f"a token with {len(columns)} tags in each line, in {quoted(chosen)}"
        raise Question(Finding("ask", file.name, found, "one of them as the gold standard", tuple(replies)))
    other_role: Role | None = "system" if gold else None
    return {name: (columns[name], "gold" if name in gold else other_role) for name in (*gold, *chosen)}


def _documents(file: File) -> Iterator[tuple[str, list[_Line]]]:
    """Yield the id and lines of every document; each begins at -DOCSTART- or an id, else after a blank line."""
    headed = any(map(_HEAD.fullmatch, file.lines))
    name, lines = "", list[_Line]()
    for number, line in enumerate([*file.lines, ""], 1):
        head = _HEAD.fullmatch(line)
        if head or number > len(file.lines) or not (headed or line.strip()):
            if any(text.strip() for _, text, _ in lines):
                yield name, lines
            name, lines = (head[2] or _NOTHING.sub("", head[1]).strip()) if head else "", []
        else:
            lines.append((number, line, _tagged_cells(line)))


def _spans_of(lines: Sequence[_Line], index: int) -> list[Span]:
    """Return the spans in one column of tags."""
    spans, in_span = list[Span](), False
    for number, _, cells in lines:
        tag = _tag(cells, index)
        if is_inside := tag is not None and tag[1] != "O":
            label = (tag[2],) if tag[2] else ()
            follows = in_span and tag[1] in "IEL" and spans[-1].labels == label
            last = spans.pop() if follows else Span(label, text="", line=number)
            spans.append(last._replace(text=f"{last.text} {cells[0]}".strip()))
        in_span = is_inside
    return spans


def _phrase(span: Span, text: str, limit: int) -> tuple[str, str]:
    """Return the phrase of a span, on one line, and the reason if it is rejected."""
    if not all(type(index) is int for part in span.parts for index in part):
        return span.text or "", "" if span.text else "offsets are not whole numbers"
    if sum(abs(end - start) for start, end in span.parts) > 2 * limit:
        return text[: limit + 1], f"phrase longer than {limit:,} characters"
    offsets = "; ".join(f"{start}–{end}" for start, end in span.parts)
    is_inside = all(0 <= start < end <= len(text) for start, end in span.parts)
    covered = _flat(" ".join(text[start:end] for start, end in span.parts)) if is_inside else ""
    if span.text is None:
        return covered or offsets, "" if is_inside else "offsets outside the text"
    phrase = _flat(span.text)
    # Tools count characters differently.
    differs = span.parts and text and phrase != covered and span.text not in text
    return phrase, f"the text at {offsets} is “{covered[:40]}”" if differs else ""


def _flat(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())


def _read(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Return the lists of each role, and the texts; a phrase counts once per annotator and document."""
    annotated, rejected, notes, counted = recognition.plan
    file, label, n_repeated = recognition.files[0], recognition.mapping.label, 0
    lists = {recognition.role: ListBuilder(recognition.role, file.limits)}
    texts = dict[tuple[str, str], int]()
    for marked in annotated:
        role, seen = marked.role or recognition.role, set[str]()
        builder = lists.setdefault(role, ListBuilder(role, file.limits))
        builder.open(marked.doc_id, file=marked.file, line=marked.line, source=marked.source)
        if marked.text:
            texts.setdefault((marked.doc_id, marked.text), marked.line)
        for span in marked.spans:
            if label not in (_EVERY, *span.labels):
                continue
            phrase, reject = _phrase(span, marked.text, file.limits.phrase_characters)
            if phrase in seen and not reject:
                n_repeated += 1
                continue
            seen |= set() if reject else {phrase}
            columns = {"label": ", ".join(dict.fromkeys(span.labels))} if span.labels else {}
            builder.add(phrase, line=span.line, reject=reject, **columns)
    main = lists[recognition.role]
    main.rejected += rejected
    main.notes += notes
    if n_repeated:
        message = f"Phrases marked again by the same annotator in the same document: {n_repeated:,}; each counts once."
        main.say("info", file.name, message)
    parts = [builder.rows() for builder in lists.values()]
    if texts:
        ids, bodies = zip(*texts, strict=True)
        parts.append(document_rows({"doc_id": ids, "text": bodies}, list(texts.values())))
    return [replace(part, counted=counted) for part in parts]


def _group_tagged(files: Sequence[File], role: Role | None) -> list[Recognition]:
    return [reading for file in files if (reading := _recognise_tagged(file, role))]


_SETTINGS: dict[str, Any] = {"OPTIONS": ("label",), "PROVED": True}
F13 = Family("F13", "JSON: doccano, Prodigy, Label Studio", _recognise_json, _read, **_SETTINGS)
F13B = Family("F13B", "brat, .ann next to .txt", None, _read, _group_brat, True, **_SETTINGS)
F13C = Family("F13C", "tagged tokens, CoNLL", _recognise_tagged, _read, _group_tagged, **_SETTINGS)
