"""Recognize the format and the role of files, or ask the user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import starmap

import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, UsageError, input_error, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.annotations import F13, F13B, F13C
from kp_core.reading.lists.document_files import F4, F12
from kp_core.reading.lists.lines import F3, F5, F8
from kp_core.reading.meaning.fields import SYSTEMS, in_words, plain, quoted, role_of_path
from kp_core.reading.meaning.layout import Family, NoData, Recognition, Strength
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.meaning.question import Finding, Form, Question, Reply, form_of
from kp_core.reading.meaning.tables import F10, form_of_unknown, tables_of
from kp_core.reading.open.decode import File, binary_kind
from kp_core.reading.open.json_table import is_json, json_of, records_of

#: Extensions of data files. A folder is refused if one of its data files cannot be read.
_DATA_EXTENSIONS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".ods", ".key", ".ann")
#: First bytes of unsupported formats.
_NOT_READ = {
    re.compile(rb"<\?xml|<TEI|<files>"): "XML",
    re.compile(rb"<DOC>", re.IGNORECASE): "SGML",
    re.compile(rb"#FORMAT=WebAnno"): "WebAnno TSV",
    re.compile(rb"[^\t\r\n]+\t(?:<[^<>\s]+> *)+(?:[\r\n]|$)"): "Text with URIs of Annif",
    re.compile(rb'\{.*"(?:@graph|dcterms:subject)"\s*:', re.DOTALL): "JSON-LD",
    re.compile(rb"(?:%[^\r\n]*[\r\n]\s*)*@\w+\{"): "BibTeX",
    re.compile(rb"TY  - |PMID ?- |%0 |FN |=LDR "): "records of RIS, PubMed, EndNote or MARC",
    re.compile(rb"@?prefix |@base ", re.IGNORECASE): "Turtle",
    re.compile(rb'\{.*"annotation_sets"\s*:', re.DOTALL): "JSON of GATE",
}
_ROLE_NAMES = {"gold": "keyphrases", "system": "ranked keyphrases", "documents": "texts", "judgements": "judged pairs"}


#: All families, by number.
FAMILIES = (F3, F4, F5, F8, F10, F12, F13, F13B, F13C)


def family_named(name: str) -> Family:
    """Return the family with this name, such as `F3`, or with a format of this name, such as `F6`."""
    by_name = {form: family for family in FAMILIES for form in (*family.FORMS, family.NAME)}
    if name.upper() not in by_name:
        raise UsageError(f"there is no format family '{name}'; choose among: {', '.join(by_name)}")
    return by_name[name.upper()]


def title_of(name: str) -> str:
    """Return the title of a family or format."""
    family = family_named(name)
    return family.FORMS.get(name, family.TITLE)


def together(questions: Iterable[Question]) -> Question:
    """Return several questions as one, without duplicates, since a file may be given for two roles."""
    findings, forms = list[Finding](), list[Form]()
    for question in questions:
        findings += [finding for finding in question.findings if finding not in findings]
        forms += [form for form in question.forms if form not in forms]
    return Question(*findings, forms=forms)


def recognise(
    files: Sequence[File], role: Role | None, questions: list[Question], left_out: dict[str, str] | None = None
) -> list[Recognition]:
    """Recognize all files of one upload: first groups of files that belong together, then single files.

    * `questions`: collects the open questions
    * `left_out`: collects the files of a folder without data, with the reason; if None, such files are refused
    """
    recognitions, single = _groups(files, role)
    refused = list[InputError]()
    if single:
        refuse_over(single[0].limits.sources, len(single), "files, each of many documents", single[0].name, "an upload")
    for file in single:
        is_data = file.mapping != Mapping() or file.suffix in _DATA_EXTENSIONS
        try:
            recognitions.append(recognise_one(file, chosen_role(file) or role, guess=left_out is None or is_data))
        except Question as question:
            questions.append(question)
        except InputError as refusal:
            if left_out is None or (is_data and not (isinstance(refusal, NoData) and file.mapping == Mapping())):
                raise
            refused.append(refusal)
            left_out[file.name] = refusal.found
    if refused and not recognitions and not questions:
        raise refused[0]
    _refuse_objects(recognitions)
    return recognitions


def _refuse_objects(recognitions: Sequence[Recognition]) -> None:
    """Refuse JSON files with the lists of one document each, which would be taken for annotators or systems."""
    unnamed = [layout for reading in recognitions if not reading.files[0].mapping.columns for layout in reading.layouts]
    lists = [item for item in unnamed if item.table.form == "F6" and len(item.table) == 1 and "doc_id" in item.columns]
    lists = [layout for layout in lists if layout.kind in ("lists", "wide")]
    if 1 < len(lists) == len({layout.ids()[0].as_py() for layout in lists}):
        raise input_error(lists[0].table.file, "one document per file")


def chosen_role(file: File) -> Role | None:
    """Return the role that the user chose for a file, or None."""
    role = file.mapping.role
    return None if role == "" or role == "leave out" else role


def _groups(files: Sequence[File], role: Role | None) -> tuple[list[Recognition], list[File]]:
    """Return the groups of files claimed by the families in turn, and the unclaimed files."""
    unclaimed, recognitions = list(files), list[Recognition]()
    # Marks in a file are stronger evidence than its extension or the length of its lines.
    for family in sorted(FAMILIES, key=lambda family: not family.PROVED):
        formats = (family.NAME, "")
        candidates = [file for file in unclaimed if file.mapping.format in formats and _may_be_grouped(file)]
        roles = {chosen_role(file) for file in candidates}
        requested = (roles.pop() if len(roles) == 1 else None) or role
        for group in family.recognise_groups(candidates, requested) if candidates and requested != "judgements" else []:
            user_role: Role | None = next(filter(None, map(chosen_role, group.files)), None)
            if user_role and user_role != group.role and not {user_role, group.role} <= {"gold", "system"}:
                continue
            recognitions.append(replace(group, role=user_role, guessed=False) if user_role else group)
            claimed = set(map(id, group.files))
            unclaimed = [file for file in unclaimed if id(file) not in claimed]
    return recognitions, unclaimed


def _may_be_grouped(file: File) -> bool:
    is_table = file.mapping.names_columns and not file.mapping.format
    return not is_table and binary_kind(file.source.data) is None and not _unsupported(file)


def recognise_one(file: File, role: Role | None, *, guess: bool = True) -> Recognition:
    """Return the reading of a file if it is certain; raise a `Question` otherwise.

    * `guess`: whether to ask about a table of unknown meaning instead of refusing it
    """
    recognitions, mapping = readings_of(file, role), file.mapping
    if mapping.format and not recognitions:
        kind = f"{mapping.format}, which is “{title_of(mapping.format)}”"
        raise input_error(file.name, "another family", found=_description(file), family=kind)
    if not recognitions:
        form = form_of_unknown(file, role) if guess else None
        raise Question(forms=[form]) if form else _refusal_of_unknown(file, role)
    best = max(recognitions, key=lambda reading: reading.strength)
    if mapping.format or mapping.names_columns or mapping.switches:
        return best
    headed = [reading for reading in recognitions if reading.layouts and reading.layouts[0].table.header]
    # Any text has lines, so they are weaker evidence than the column names of a table.
    equally_strong = [reading for reading in recognitions if reading.strength == best.strength]
    if best.strength == Strength.PROPOSED or len(equally_strong) > 1 or (best.strength == Strength.CONTENT and headed):
        raise _uneven_rows(file, recognitions) or _question(file, headed or recognitions)
    return best


def readings_of(file: File, role: Role | None) -> list[Recognition]:
    """Return the possible readings of a file, in the order of the families.

    A mapping that names columns implies a table; one with a format, or settings of a format, excludes other families.
    """
    mapping, recognitions = file.mapping, list[Recognition]()
    is_text = binary_kind(file.source.data) is None
    if mapping == Mapping() and is_text and (unread := _unsupported(file)):
        remedy = "Export it as CSV or XLSX, or see the conversions in docs/formats.md."
        raise NoData(file.name, unread, "lists or texts", remedy)
    for family in FAMILIES:
        # Binary files and judged pairs can only be tables.
        unfit = (role == "judgements" or not is_text) and family is not F10
        if unfit or (mapping.format and family is not family_named(mapping.format)):
            continue
        claims = family.recognise_groups([file], role) if family.recognise is None else [family.recognise(file, role)]
        recognitions += filter(None, claims)
        if any(reading.strength == Strength.MARKS for reading in recognitions):
            break
    # The mapping of an archive applies to all files that have its settings.
    matching = [item for item in recognitions if {*mapping.switches} <= {*family_named(item.family).OPTIONS}]
    if mapping.names_columns and not mapping.format:
        matching = [reading for reading in recognitions if reading.layouts]
    return matching or recognitions


def _question(file: File, readings: Sequence[Recognition]) -> Question:
    """Ask for the meaning of a file: in a form if one reading is a table, else by a choice of formats."""
    if (table := next((reading for reading in readings if reading.layouts), None)) is not None:
        return Question(forms=[form_of(table, _description(file), [reading.family for reading in readings])])
    formats = [(f"“{title_of(r.family)}”: {in_words(r.evidence)}", r.mapping) for r in readings]
    answers = (
        Reply(words, {file.name: mapping})
        for words, mapping in [*formats, ("leave the file out", Mapping("leave out"))]
    )
    return Question(Finding("ask", file.name, _description(file), "an unambiguous format", tuple(answers)))


def _uneven_rows(file: File, readings: Sequence[Recognition]) -> InputError | None:
    """Return the error about a CSV file with rows of different lengths; None if each line may be a list."""
    if file.suffix not in (".csv", ".tsv") or any(reading.layouts for reading in readings):
        return None
    separator = max("\t;,|", key=file.sample[0].count)
    widths = [line.count(separator) + 1 for line in file.sample]
    number = next((number for number, width in enumerate(widths, 1) if width != widths[0]), 0)
    if widths[0] == 1 or not number:
        return None
    cells = {"first": pluralize(widths[0], "cell"), "found": pluralize(widths[number - 1], "cell")}
    option = f"--as '{file.name}:format={readings[0].family}'"
    return input_error(f"{file.name}, line {number}", "uneven rows", **cells, separator=separator, option=option)


def resolve_roles(recognitions: list[Recognition], notes: list[Note], questions: list[Question]) -> list[Recognition]:
    """Infer roles from file names and paths if the content does not show them, or ask."""
    roles = {id(reading): role_of_path(reading.files[0].name) for reading in recognitions if reading.guessed}
    known_roles = {reading.role for reading in recognitions if not reading.guessed} | {*roles.values()}
    unknown = [reading for reading in recognitions if reading.guessed and roles[id(reading)] is None]
    if "gold" in known_roles:  # a single list is a system's; lists with several names may be annotators'
        doubts = list(filter(None, map(_doubt_of_names, unknown)))
    else:
        doubts = [_doubt_of_roles(unknown)] if len(unknown) > 1 else []
    if doubts:
        questions.append(Question(*doubts))
        return recognitions
    roles |= dict.fromkeys(map(id, unknown), "system" if "gold" in known_roles else "gold")
    resolved = []
    for reading in recognitions:
        if role := roles.get(id(reading)):
            role_name = "gold standard" if role == "gold" else "system output"
            notes.append(Note("info", "roles", f"{reading.files[0].name} was taken as {role_name}."))
        if role == "system" and len(reading.files) == 1 and reading.layouts and reading.role != role:
            try:  # lists with scores are read differently for systems
                resolved.append(recognise_one(reading.files[0], role))
                continue
            except Question as question:
                questions.append(question)
        resolved.append(replace(reading, role=role, guessed=False) if role else reading)
    return resolved


def _doubt_of_names(reading: Recognition) -> Finding | None:
    """Ask whether lists under several names, none of them a well-known system, come from annotators or from systems."""
    parts = family_named(reading.family).read(reading, None)
    lists = (part.table for part in parts if part.role in ("gold", "system"))
    columns = (table["source"] for table in lists if "source" in table.column_names)
    names = list(dict.fromkeys(name for column in columns for name in pc.unique(column).to_pylist()))
    if len(names) < 2 or SYSTEMS & set(map(plain, names)):
        return None
    answers = {"systems": _with_role([reading], "system"), "annotators, of the gold standard": _with_role([reading])}
    found = f"lists of {quoted(names)} next to a gold standard"
    return Finding("ask", reading.files[0].name, found, "systems or people", tuple(starmap(Reply, answers.items())))


def _doubt_of_roles(unknown: Sequence[Recognition]) -> Finding:
    names, systems = [reading.files[0].name for reading in unknown], _with_role(unknown, "system")
    pairs = zip(names[:10], unknown, strict=False)
    answers = {f"{name} is the gold standard": systems | _with_role([reading]) for name, reading in pairs}
    answers["all are gold, one annotator each"] = _with_role(unknown)
    found = f"{len(unknown)} candidates: {', '.join(names[:5])}{' …' * (len(names) > 5)}"
    return Finding("ask", "the gold standard", found, "one", tuple(starmap(Reply, answers.items())))


def _with_role(recognitions: Sequence[Recognition], role: Role = "gold") -> dict[str, Mapping]:
    return {file.name: replace(file.mapping, role=role) for reading in recognitions for file in reading.files}


def _description(file: File) -> str:
    if binary_kind(file.source.data):
        names = next((table.names for table in tables_of(file, file.mapping)), [])
        return f"the columns {', '.join(names[:10])}" if names else "no table"
    first_line = next(iter(file.sample), "")
    return f"a first line “{first_line.strip()[:60]}”" if first_line else "an empty file"


def _refusal_of_unknown(file: File, role: Role | None) -> InputError:
    if binary_kind(file.source.data):
        return input_error(file.name, "no columns", found=_description(file))
    if not file.text.strip():
        return InputError(file.name, "an empty file", "at least one document", "Check the file.")
    value, broken = json_of(file), [record.broken for record in records_of(file)]
    # JSONL with unknown fields contains only valid records.
    if not is_json(value) and value.message and (any(broken) or not broken):
        printed = re.match(r"\s*[\[{]+\s*[(']", file.text)
        return input_error(file.name, "printed Python" if printed else "broken JSON", message=value.message)
    facts = {"found": _description(file), "needed": _ROLE_NAMES[role] if role else "keyphrases"}
    return input_error(file.name, "unknown encoding" if file.decoded.notes else "unknown format", **facts)


def _unsupported(file: File) -> str:
    """Return the name of the format of a file if it is known but unsupported; empty otherwise."""
    start = file.source.data[:65_536].lstrip(b"\xef\xbb\xbf \r\n")
    return next((name for begins, name in _NOT_READ.items() if begins.match(start)), "")
