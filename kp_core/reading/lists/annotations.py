"""Read spans and labels of annotation tools (JSON, brat, tagged tokens) as lists, and their texts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.lists.family import Family, File, Recognition, Strength
from kp_core.reading.lists.list_builder import ListBuilder, document_rows
from kp_core.reading.meaning.fields import NAMES, find_roles, plain, quoted
from kp_core.reading.meaning.mapping import HEADS
from kp_core.reading.meaning.question import Finding, Question, Reply
from kp_core.reading.meaning.shapes import text_of
from kp_core.reading.open.json_text import shown
from kp_core.reading.open.values import Rejected
from kp_core.reading.rows.check import Rows
from kp_core.typeset import storable

#: Fields of spans or labels.
_LISTS = ("label", "labels", "entities", "annotations", "spans")
#: Prefixes of field names that identify tools.
_TOOL_MARKERS = ('"label', '"entities"', '"annotation', '"spans"', '"answer"')
#: Names of Prodigy for annotator and id.
_PRODIGY = {"annotator": "_annotator_id", "doc_id": "_input_hash"}
_MARK = re.compile(r"T\S*\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
#: Relations, events, attributes, modifiers, normalizations, notes and equivalences.
_OTHER_MARK = re.compile(r"[REAMN]\d+\t\S+(?: .*)?|#\S*\t\S+ \S+.*|\*\t\S+ .*")
_CELLS, _TAG = re.compile(r"[\t ]+"), re.compile(r"([BIOESLU])(?:-(\S+))?")
#: The first line of a document of tagged tokens, and text after -DOCSTART- that is no id.
_HEAD = re.compile(r"-DOCSTART-(.*)|#\s*(?:new)?(?:doc(?:ument)?)?[ _]?id(?:\s*[=:]\s*|\s+)(\S+).*")
_NOTHING = re.compile(r"(?:^|\s)(?:-X-|-|_|O)(?=\s|$)|[()]")
#: Names of parts of a data set, which contain many documents each.
_PARTS = re.compile(r"(?<![a-z])(train|dev|test|valid)", re.IGNORECASE)
#: The value of the setting `label` for all labels.
_EVERY = "all"


class Span(NamedTuple):
    """A marked span or label: its labels, (start, end) of its parts, and its text if given."""

    labels: Sequence[str]
    parts: Sequence[tuple[Any, Any]] = ()
    text: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Marked:
    """The spans of one annotator or model in one document; `left` is the reason if they are left out."""

    doc_id: str
    text: str = ""
    spans: list[Span] = field(default_factory=list)
    file: str = ""
    line: int = 0
    source: str | None = None
    left: str = ""
    predicted: bool = False


def _recognise_json(file: File, role: Role | None) -> Recognition | None:
    """Recognize objects of a text with a list of spans or labels, as doccano, Prodigy and Label Studio write them."""
    if role == "documents" or not any(name in file.text for name in _TOOL_MARKERS):
        return None
    values = [record.value for record in file.records if record.value is not None]
    first, names = values[:200], list(dict.fromkeys(chain.from_iterable(values[:200])))
    unknown, others = [_marked_in(value) for value in first].count(None), {plain(name) for name in names} - {*_LISTS}
    if 5 * unknown > len(first) or others & {*NAMES["gold"]} or not {*names} & {*_LISTS}:
        return None
    assigned = {"doc_id": file.mapping.document, "annotator": file.mapping.annotator}
    columns = find_roles([name for name in names if name not in ("text", *_LISTS)], ("doc_id", "annotator"), assigned)
    if "annotator" not in columns and _PRODIGY["annotator"] in names:
        columns = {part: name for part, name in _PRODIGY.items() if name in names} | columns
    marked = [part for value in values for part in _marked_in(value) or () if not part.left]
    guess: Role = "system" if marked and all(part.predicted for part in marked) else "gold"
    evidence = f"{pluralize(len(values), 'JSON object')} with a text and spans or labels"
    labels = {label for part in marked for span in part.spans for label in span.labels}
    return _recognition("F13", role or guess, [file], evidence, labels, columns=columns)


def _recognition(
    family: str, role: Role, files: Sequence[File], evidence: str, labels: set[str], **more: Any
) -> Recognition:
    """Return a recognition that offers a choice of labels, if there are several."""
    options, names = {"label": files[0].mapping.switch("label") or _EVERY}, sorted(labels - {""})
    more["offers"] = {"label": (_EVERY, *names)} if len(names) > 1 else {}
    return Recognition(family, role, tuple(files), evidence, options=options, strength=Strength.MARKS, **more)


def _marked_in(value: dict[str, Any]) -> list[Marked] | None:
    """Return the spans of every annotator in the document of an object; None if the tool is unknown."""
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
    left = "" if value.get("answer", "accept") == "accept" else "Tasks that were not accepted, and left out"
    return [Marked("", text, spans, source=user, left=left) for user, spans in (by_user or {None: []}).items()]


def _span(item: Any) -> Span | None:
    """Return the span of an item: a label of the whole text, or offsets with a label (as list or object)."""
    if isinstance(item, str):
        return Span((), text=item)
    if isinstance(item, list) and len(item) == 3:
        item = dict(zip(("start", "end", "label"), item, strict=True))
    for start, end in (("start", "end"), ("start_offset", "end_offset")) if isinstance(item, dict) else ():
        if start in item and end in item:
            labels = item.get("label", item.get("labels"))
            names = [str(label) for label in (labels if isinstance(labels, list) else [labels]) if label is not None]
            text = item.get("text")
            return Span(names, ((item[start], item[end]),), text if isinstance(text, str) else None)
    return None


def _task(data: dict[str, Any], value: dict[str, Any]) -> list[Marked] | None:
    """Return the results of every annotator and every model in a task of Label Studio."""
    done, models = value.get("annotations"), value.get("predictions")
    if not isinstance(done, list) or not all(map(_has_results, done)):
        return None
    field = next((name for name in data if plain(name) in NAMES["text"] and isinstance(data[name], str)), "")
    ids = find_roles([name for name in data if name != field], ("doc_id",))
    doc_id, text = (text_of(data[ids["doc_id"]]) if ids else None) or "", data.get(field, "")
    marked = [] if done else [Marked(doc_id, left="Tasks that nobody annotated, and left out")]
    predictions = list(filter(_has_results, models)) if isinstance(models, list) else []
    for place, part in enumerate([*done, *predictions]):
        predicted = place >= len(done)
        who = part.get("model_version" if predicted else "completed_by")
        if isinstance(who, dict):
            who = next((who[name] for name in ("email", "username", "id") if who.get(name) is not None), None)
        left = "Cancelled annotations that were left out" if part.get("was_cancelled") else ""
        spans = [span for result in part["result"] for span in _results(result, text)]
        marked.append(Marked(doc_id, text, spans, source=text_of(who), left=left, predicted=predicted))
    return marked


def _has_results(done: Any) -> bool:
    return isinstance(done, dict) and isinstance(done.get("result"), list)


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
    chosen: Any = next((value[name] for name in ("choices", "taxonomy", "text") if name in value), [])
    for item in chosen if isinstance(chosen, list) else [chosen]:
        if phrase := text_of(item[-1] if isinstance(item, list) and item else item):
            yield Span((control,), text=phrase)


def _read_json(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the spans of each object; an annotator is named by a field, by the tool, or by the file."""
    file, columns = recognition.files[0], recognition.columns
    marked, rejected, notes = list[Marked](), list[Rejected](), list[Note]()
    if "doc_id" not in columns and len(file.records) > 1:
        notes.append(Note("warning", file.name, "There is no field of ids; the line numbers are the ids."))
    for position, record in enumerate(file.records, 1):
        value = record.value or {}
        source = text_of(value.get(columns.get("annotator")))
        doc_id = str(record.line or position) if notes else file.stem
        if "doc_id" in columns:
            doc_id = text_of(value.get(columns["doc_id"])) or ""
        parts = _marked_in(value)
        if not parts or not doc_id:
            reason = "an empty id" if parts else record.broken or "no text with a list of spans or labels"
            rejected.append((file.name, record.line, reason, storable(record.content or shown(record.value))))
            continue
        for part in parts:
            part.doc_id, part.source = part.doc_id or doc_id, part.source or source
            part.file, part.line = file.name, record.line
        marked += parts
    left = Counter(part.left for part in marked if part.left)
    notes += [Note("info", file.name, f"{reason}: {count:,}.") for reason, count in left.items()]
    models = [part for part in marked if part.predicted]
    people = [part for part in marked if not (part.predicted or part.left)]
    if recognition.role == "system" and models:
        return _span_rows(recognition, models, rejected, notes)
    beside = role is None and recognition.role == "gold" and models
    systems = _span_rows(replace(recognition, role="system"), models)[:1] if beside else []
    return [*_span_rows(recognition, people, rejected, notes), *systems]


def _group_brat(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim `.ann` files, or a single file, if 90% of the lines are brat, together with texts of the same names."""
    marks = [file for file in files if file.suffix == ".ann" or len(files) == 1]
    texts = {key: file for file in files if file.suffix == ".txt" for key in (file.stem, file.name[:-4])}
    beside = {file.name: texts.get(file.name[:-4]) or texts.get(file.stem) for file in marks}
    of_marks = {text.name: text for text in beside.values() if text is not None}
    lines = [line for file in marks for line in file.sample]
    fitting = sum(bool(_MARK.fullmatch(line) or _OTHER_MARK.fullmatch(line)) for line in lines)
    if not any(map(_MARK.fullmatch, lines)) or fitting < 0.9 * len(lines) or (role == "documents" and not of_marks):
        return []
    labels = {match[1] for file in marks for line in file.lines if (match := _MARK.fullmatch(line))}
    several = len({file.stem for file in marks}) < len(marks)
    evidence = f"files of brat; {'annotator = folder, document = file' if several else 'document = file'}"
    both = [*marks, *of_marks.values()]
    return [_recognition("F13B", role or "gold", both, evidence, labels, plan=(marks, beside, several))]


def _read_brat(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read the spans of every file; a file without spans is an empty list."""
    marks, texts, several = recognition.plan
    marked, rejected, other = list[Marked](), list[Rejected](), 0
    for file in marks:
        text, folder = texts[file.name], PurePosixPath(file.name).parent.name or None
        marked.append(Marked(file.stem, text.text if text else "", [], file.name, 1, folder if several else None))
        for number, line in enumerate(file.lines, 1):
            if mark := _MARK.fullmatch(line):
                parts = [(int(begin), int(end)) for begin, end in (part.split() for part in mark[2].split(";"))]
                marked[-1].spans.append(Span((mark[1],), parts, mark[3], number))
            elif _OTHER_MARK.fullmatch(line):
                other += 1
            elif line.strip():
                rejected.append((file.name, number, "no mark of brat", line[:200]))
    left_out = [Note("info", marks[0].name, f"Relations, attributes and notes left out: {other:,}.")] if other else []
    return _span_rows(recognition, marked, rejected, left_out)


def _group_tagged(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Claim all files of tagged tokens; files of one folder with different texts and no ids are one document each."""
    folders: dict[str, list[File]] = defaultdict(list)
    for file in filter(_is_tagged, files):
        alone = _PARTS.search(file.stem) or any(map(_HEAD.fullmatch, file.lines))
        folders[file.name if alone else PurePosixPath(file.name).parent.name].append(file)
    readings, several = list[Recognition](), len(folders) > 1
    for name, group in folders.items():
        texts = {tuple(line.split()[0] for line in file.lines if line.strip()) for file in group}
        if len(texts) == len(group) > 1:  # the name of one of several folders shows its role
            readings.append(_tagged(group, role, (name,) * several))
        else:
            readings += [_tagged([file], role) for file in group]
    return readings


def _is_tagged(file: File) -> bool:
    """Recognize a file in which 80% of the lines end in a tag, including tags outside keyphrases."""
    lines = [line for line in file.sample if not (line.startswith("# ") or _HEAD.fullmatch(line))]
    tags = [match[1] for line in lines if (match := _tag(line))]
    return {"O"} < {*tags} and bool({*"BISU"} & {*tags}) and len(tags) >= 0.8 * len(lines)


def _tag(line: str, place: int = -1) -> re.Match[str] | None:
    cells = _CELLS.split(line.rstrip())
    return _TAG.fullmatch(cells[place]) if cells[0] and len(cells) > -place else None


def _tagged(files: Sequence[File], role: Role | None, plan: tuple[str, ...] = ()) -> Recognition:
    evidence = f"{pluralize(len(files), 'file')} of tokens with a tag (B, I, O) in each line"
    places = [place for _, _, place in _columns_of(files[0], role or "gold")]
    lines = [line for file in files for line in file.lines]
    labels = {match[2] or "" for line in lines for place in places if (match := _tag(line, place))}
    return _recognition("F13C", role or "gold", files, evidence, labels, plan=plan, guessed=bool(plan) and role is None)


def _columns_of(file: File, role: Role) -> list[tuple[Role, str, int]]:
    """Return role, name and position from the end of each column of tags; ask if several may be the gold standard."""
    if role == "documents":
        return [("documents", "", -1)]
    rows = [_CELLS.split(line.rstrip()) for line in file.lines if _tag(line) and not _HEAD.fullmatch(line)]
    width = max(map(len, rows))
    longest = [list(map(_TAG.fullmatch, row)) for row in rows if len(row) == width]
    columns = {
        f"column {place + 1}": place - width
        for place in range(1, width)
        if sum(row[place] is not None for row in longest) >= 0.9 * len(longest)
    }
    gold, chosen = file.mapping.gold, file.mapping.keyphrases or tuple(columns)
    if unknown := [name for name in (*gold, *chosen) if name not in columns]:
        expected = f"a column of tags: {quoted(list(columns))}"
        raise InputError(file.name, f"no tags in “{unknown[0]}”", expected, "Name one of these columns.")
    if len(columns) > 1 and not (gold or file.mapping.keyphrases):
        raise _question(file, chosen)
    others: Role = "system" if gold else role
    roles: dict[str, Role] = dict.fromkeys(gold, "gold")
    return [(roles.get(name, others), name, columns[name]) for name in dict.fromkeys((*gold, *chosen))]


def _question(file: File, columns: Sequence[str]) -> Question:
    """Ask which of several columns of tags is the gold standard."""
    answers: dict[str, dict[str, Any]] = {
        f"“{name}” is the gold standard, and the others are systems": {"gold": (name,)} for name in columns[:10]
    }
    answers["each column is an annotator"] = {"role": "gold", "keyphrases": tuple(columns), "annotator": HEADS}
    answers[f"only “{columns[-1]}” is read"] = {"keyphrases": (columns[-1],)}
    replies = (
        Reply(words, {file.name: replace(file.mapping, format="F13C", **fields)}) for words, fields in answers.items()
    )
    found = f"a token with {len(columns)} tags in each line, in {quoted(columns)}"
    return Question(Finding("ask", file.name, found, "one of them as the gold standard", tuple(replies)))


def _read_tagged(recognition: Recognition, role: Role | None) -> list[Rows]:
    """Read every document as a list of phrases for each column of tags, and its tokens as its text."""
    files, folder = recognition.files, next(iter(recognition.plan), None)
    documents = [(file, file.stem, list(enumerate(file.lines, 1))) for file in files]
    if len(files) == 1:
        documents = [(files[0], name, lines) for name, lines in _documents(files[0])]
    notes = [Note("info", files[0].name, "Texts are tokens; they were joined with spaces (tokenised).")]
    rejected: list[Rejected] = [
        (file.name, number, "no token with a tag", line[:200])
        for file, _, lines in documents
        for number, line in lines
        if line.strip() and not line.startswith("#") and not _tag(line)
    ]
    parts = list[Rows]()
    for part_role, group in groupby(_columns_of(files[0], recognition.role), itemgetter(0)):
        columns = list(group)
        marked = [
            _marked(file, name or str(number), lines, column if len(columns) > 1 else folder, place)
            for number, (file, name, lines) in enumerate(documents, 1)
            for _, column, place in columns
        ]
        # Texts, rejected lines and notes belong to the first part.
        rows = _span_rows(replace(recognition, role=part_role), marked, *(() if parts else (rejected, notes)))
        parts += rows[:1] if parts else rows
    for part in parts:
        part.counted = 0 if all(name for _, name, _ in documents) else len(documents)
    return parts


def _documents(file: File) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield id and lines of every document, which begins at -DOCSTART- or an id, else after a blank line."""
    headed = any(map(_HEAD.fullmatch, file.lines))
    name, lines = "", list[tuple[int, str]]()
    for number, line in enumerate([*file.lines, ""], 1):
        head = _HEAD.fullmatch(line)
        if head or number > len(file.lines) or not (headed or line.strip()):
            if any(text.strip() for _, text in lines):
                yield name, lines
            name, lines = (head[2] or _NOTHING.sub("", head[1]).strip()) if head else "", []
        else:
            lines.append((number, line))


def _marked(file: File, name: str, lines: list[tuple[int, str]], source: str | None, place: int) -> Marked:
    pieces, spans, inside = list[str](), list[Span](), False
    for number, line in lines:
        tag, token = _tag(line, place), line.split()[:1]
        pieces += token if tag else ["\n"]
        if tag and tag[1] != "O":
            label = (tag[2],) if tag[2] else ()
            follows = inside and tag[1] in "IEL" and spans[-1].labels == label
            last = spans.pop() if follows else Span(label, line=number)
            spans.append(last._replace(text=" ".join(filter(None, [last.text, *token]))))
        inside = tag is not None and tag[1] != "O"
    text = re.sub(r" ?\n[ \n]*", "\n", " ".join(pieces)).strip()
    return Marked(name, text, spans, file.name, lines[0][0], source)


def _phrase(span: Span, text: str, limit: int) -> tuple[str, str]:
    """Return the phrase of a span, on one line, and the reason if it is rejected."""
    if not all(type(place) is int for part in span.parts for place in part):
        return span.text or "", "" if span.text else "offsets are no whole numbers"
    if sum(abs(end - start) for start, end in span.parts) > 2 * limit:
        return text[: limit + 1], f"phrase longer than {limit:,} characters"
    where = "; ".join(f"{start}–{end}" for start, end in span.parts)
    inside = all(0 <= start < end <= len(text) for start, end in span.parts)
    marked = _flat(" ".join(text[start:end] for start, end in span.parts)) if inside else ""
    if span.text is None:
        return marked or where, "" if inside else "offsets outside the text"
    phrase = _flat(span.text)
    # Tools count characters differently.
    differs = span.parts and text and phrase != marked and span.text not in text
    return phrase, f"the text at {where} is “{marked[:40]}”" if differs else ""


def _flat(text: str) -> str:
    return " ".join(text.replace("\\n", "\n").split())


def _span_rows(
    recognition: Recognition, every: Iterable[Marked], rejected: Iterable[Rejected] = (), notes: Iterable[Note] = ()
) -> list[Rows]:
    """Return the lists of all annotators, and the texts; a phrase counts once per annotator and document."""
    first, label = recognition.files[0], recognition.options["label"]
    lists = ListBuilder("gold" if recognition.role == "documents" else recognition.role, first.limits)
    texts: dict[tuple[str, str], int] = {}
    again = 0
    for marked in every:
        lists.open(marked.doc_id, file=marked.file, line=marked.line, source=marked.source)
        if marked.text:
            texts.setdefault((marked.doc_id, marked.text), marked.line)
        seen: set[str] = set()
        for span in marked.spans:
            if label not in (_EVERY, *span.labels):
                continue
            phrase, reject = _phrase(span, marked.text, first.limits.phrase_characters)
            if phrase in seen and not reject:
                again += 1
                continue
            seen |= set() if reject else {phrase}
            more = {"label": ", ".join(dict.fromkeys(span.labels))} if span.labels else {}
            lists.add(phrase, line=span.line, reject=reject, **more)
    for row in rejected:
        lists.reject(*row)
    lists.notes += notes
    if again:
        message = f"Phrases marked again by the same annotator in the same document: {again:,}; once counts."
        lists.say("info", first.name, message)
    ids, bodies = ([key[part] for key in texts] for part in (0, 1))
    documents = document_rows({"doc_id": ids, "text": bodies}, list(texts.values()))
    if recognition.role == "documents":
        read = documents.read + len(lists.rejected)
        return [replace(documents, rejected=lists.rejected, notes=lists.notes, read=read)]
    return [lists.rows(), documents] if texts else [lists.rows()]


def _alone(group: Callable[[Sequence[File], Role | None], list[Recognition]]) -> Callable[..., list[Recognition]]:
    return lambda file, role: group([file], role)


_SETTINGS: dict[str, Any] = {"OPTIONS": ("label",), "PROVED": True}
FAMILIES = (
    Family("F13", "JSON: doccano, Prodigy, Label Studio", _recognise_json, _read_json, **_SETTINGS),
    Family("F13B", "brat, .ann next to .txt", _alone(_group_brat), _read_brat, _group_brat, True, **_SETTINGS),
    Family("F13C", "tagged tokens, CoNLL", _alone(_group_tagged), _read_tagged, _group_tagged, **_SETTINGS),
)
