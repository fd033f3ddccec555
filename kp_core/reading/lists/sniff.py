"""Turn files of unknown format into recognitions: what each is and which role it plays, proved or asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.families import families_of, family_named, title_of
from kp_core.reading.lists.family import File, NoData, NotKnown, Recognition, Strength
from kp_core.reading.meaning.fields import SYSTEMS, in_words, plain, quoted, role_of_path
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.mapping import SWITCHES, Mapping
from kp_core.reading.meaning.prefill import guess
from kp_core.reading.meaning.question import FIELDS, Finding, Form, Question, Reply, first_values, form_of
from kp_core.reading.open.decode import binary_kind
from kp_core.reading.open.json_text import is_json

#: Endings of files that are meant to be read: a folder is refused rather than read without one of them.
_MEANT = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".ods", ".key", ".ann")
#: How records of RIS, MEDLINE, EndNote, BibTeX, MARC and Turtle begin.
_TAGGED = re.compile(r"\s*(?:TY  - |PMID ?- |%0 |@\w+\{|=LDR |FN |@?prefix |@base )", re.IGNORECASE)
#: How files begin whose formats are not read.
_NOT_READ = {
    re.compile(rb"<\?xml|<TEI|<files>"): "XML",
    re.compile(rb"<DOC>", re.IGNORECASE): "SGML",
    re.compile(rb"#FORMAT=WebAnno"): "WebAnno TSV",
    re.compile(rb"[^\t\r\n]+\t(?:<[^<>\s]+> *)+(?:[\r\n]|$)"): "Text with URIs of Annif",
    re.compile(rb'\{.*"(?:@graph|dcterms:subject)"\s*:', re.DOTALL): "JSON-LD",
    re.compile(rb'\{.*"annotation_sets"\s*:', re.DOTALL): "JSON of GATE",
}
_WHAT = {"gold": "keyphrases", "system": "ranked keyphrases", "documents": "texts", "judgements": "judged pairs"}


@dataclass
class Asked:
    """What is not certain about the files of a load: findings, and a form for each file whose meaning is asked."""

    findings: list[Finding] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.findings or self.forms)

    def add(self, asked: Question | Asked) -> None:
        """Add what is asked, once where a file is given for two roles."""
        self.findings += [finding for finding in asked.findings if finding not in self.findings]
        self.forms += [form for form in asked.forms if form not in self.forms]

    def question(self) -> Question:
        """Return all of it as one question."""
        return Question(*self.findings, forms=self.forms)


def recognise(
    files: Sequence[File],
    role: Role | None,
    asked: Asked,
    left_out: dict[str, str] | None = None,
    lines: Collection[int] = (),
) -> list[Recognition]:
    """Recognise all files of one upload: groups of files that belong together first, then each file by itself.

    asked     receives what is not certain of some files
    left_out  receives the files of a folder that hold no data, with the reason; without it they are refused
    lines     how many lines other files have whose line n is document n
    """
    found = _groups(files, role)
    claimed = {id(file) for recognition in found for file in recognition.files}
    left, refused = [file for file in files if id(file) not in claimed], list[InputError]()
    if left:
        refuse_over(left[0].limits.sources, len(left), "files, each of many documents", left[0].name, "an upload")
    for file in left:
        try:
            found.append(recognise_one(file, role_said(file) or role, lines))
        except Question as question:
            asked.add(question)
        except InputError as refusal:
            none = isinstance(refusal, NoData) and file.mapping == Mapping()
            if left_out is None or (_is_meant(file) and not none):
                form = form_of_unknown(file, role) if isinstance(refusal, NotKnown) else None
                if form is None:
                    raise
                asked.forms.append(form)
                continue
            refused.append(refusal)
            left_out[file.name] = refusal.found
    if refused and not found and not asked:
        raise refused[0]
    return found


def role_said(file: File) -> Role | None:
    """Return what the user said that a file is, None if nothing was said."""
    role = file.mapping.role
    return None if role == "" or role == "leave out" else role


def _groups(files: Sequence[File], role: Role | None) -> list[Recognition]:
    """Return the files that belong together, as the families claim them one after another."""
    left, found = list(files), list[Recognition]()
    # What a mark in the file proves goes before what an ending or the length of lines suggests.
    for family in sorted(families_of(files), key=lambda family: not family.PROVED):
        free = [file for file in left if _may_be_of_group(file, family.NAME)]
        chosen = {role_said(file) for file in free}
        wanted = (chosen.pop() if len(chosen) == 1 else None) or role
        groups = family.recognise_groups(free, wanted) if free and wanted != "judgements" else []
        for recognition in filter(None, map(_as_chosen, groups)):
            found.append(recognition)
            claimed = set(map(id, recognition.files))
            left = [file for file in left if id(file) not in claimed]
    return found


def _may_be_of_group(file: File, family: str) -> bool:
    """Tell a text that may belong with others to a family, as far as the user says nothing else."""
    said = file.mapping
    fits = said.format == family or not (said.format or said.names_columns)
    return fits and binary_kind(file.source.data) is None and not _not_read(file)


def _as_chosen(recognition: Recognition) -> Recognition | None:
    """Return a group with the role that the user chose for its files; None if they were said to be something else."""
    chosen = next((role for file in recognition.files if (role := role_said(file)) is not None), None)
    if chosen is None:
        return recognition
    if chosen != recognition.role and not {chosen, recognition.role} <= {"gold", "system"}:
        return None
    return replace(recognition, role=chosen, guessed=False)


def _is_meant(file: File) -> bool:
    """Tell a file that is meant to be read from one that merely lies in the folder."""
    return file.mapping != Mapping() or file.suffix in _MEANT


def lines_of_lists(reading: Recognition) -> int:
    """Return the number of lines of a file whose line n is the list of document n; 0 for any other."""
    return len(reading.files[0].lines) if reading.options.get("lines") == "lists" else 0


def recognise_one(file: File, role: Role | None, lines: Collection[int] = ()) -> Recognition:
    """Return the one clear reading of a file; what neither names, a grammar nor a proof decides is a question.

    lines  how many lines other files have whose line n is document n: as many lines are such lists, and no table
    """
    found, said = readings_of(file, role), file.mapping
    if said.format and not found:
        expected = f"a file of family {said.format}, which is “{title_of(said.format)}”"
        raise InputError(file.name, _shown(file), expected, "Choose another family.")
    if not found:
        raise _unknown(file, role)
    best = max(found, key=lambda reading: reading.strength)
    decided = bool(said.format or said.names_columns or said.switches)
    if decided:
        return best
    aligned = [reading for reading in found if lines_of_lists(reading) in lines]
    headed = any(map(_is_headed, found))
    if aligned and best.strength <= Strength.CONTENT and not headed:
        return replace(aligned[0], evidence=f"{aligned[0].evidence}; as many lines as another file of lists")
    # Lines that any text has are no reason to pass over a table with heads.
    plain_lines = best.strength == Strength.CONTENT and not best.plan and headed
    if best.strength == Strength.PROPOSED or plain_lines:
        raise _uneven(file, found) or _question(file, found)
    near = [reading for reading in found if reading.strength == best.strength]
    rivals = near if len(near) < 2 else list(_differing(near))
    if len(rivals) > 1:
        raise _question(file, rivals)
    return rivals[0] if rivals else best


def readings_of(file: File, role: Role | None) -> list[Recognition]:
    """Return every reading of a file that some family offers, in the order of the families.

    What is said of columns is said of a table; a format, or its settings, leave the families that have them.
    """
    said, found = file.mapping, list[Recognition]()
    is_text = binary_kind(file.source.data) is None
    if said == Mapping() and is_text and (unread := _not_read(file)):
        remedy = f"Convert it to CSV, JSON or plain text first ({unread} is not read): docs/formats.md shows how."
        raise NoData(file.name, unread, "lists or texts", remedy)
    for family in families_of([file]):
        # What is no text, and judged pairs, can only be tables.
        unfit = (role == "judgements" or not is_text) and not family.TABLES
        if unfit or (said.format and family is not family_named(said.format)):
            continue
        offered = family.recognise(file, role)
        found += [offered] if isinstance(offered, Recognition) else offered or []
        if any(reading.strength == Strength.MARKS for reading in found):
            break
    # What is said of a folder or an archive holds for those of its files that it fits.
    names = {name for name, _ in said.switches}
    obeying = [one for one in found if names <= {*family_named(one.family).OPTIONS}]
    if said.names_columns and not said.format:
        obeying = list(filter(_is_table, found))
    return obeying or found


def _differing(readings: Sequence[Recognition]) -> Iterator[Recognition]:
    """Give the likeliest of the readings that can be read, and those which would give other rows."""
    telling = ("doc_id", "source", "phrase", "text", "candidate", "rank", "score", "relevance")
    seen = list[tuple[bool | None, list[tuple[Role, pa.Table]]]]()
    for reading in readings:
        try:
            parts = family_named(reading.family).read(reading, None)
        except InputError:
            continue
        lost = sum(len(part.marked) + len(part.rejected) for part in parts)
        if lost * 100 > reading.files[0].limits.rejected_percent * (lost + sum(len(part.table) for part in parts)):
            continue
        rows = [(part.role, part.table.select([n for n in telling if n in part.table.column_names])) for part in parts]
        key = reading.mapping.higher_is_better if reading.mapping else None, rows
        if key not in seen:
            seen.append(key)
            yield reading


def _question(file: File, readings: Sequence[Recognition]) -> Question:
    """Ask which of some readings of a file is meant: in a form if one is a table, else the format."""
    headed = list(filter(_is_headed, readings))
    # What names columns goes before lines that any text has, and beside heads these are not meant at all.
    ordered = headed or sorted(readings, key=lambda reading: not (reading.columns or reading.plan))
    offered = list(_differing(ordered)) or ordered[:1]
    if (table := next(filter(_is_table, offered), None)) is not None:
        return Question(forms=[form_of(table, _shown(file), [one.family for one in offered])])
    answers = [
        Reply(f"“{title_of(one.family)}”: {in_words(one.evidence)}", {file.name: mapping_in_format(one)})
        for one in offered
    ]
    answers.append(Reply("leave the file out", {file.name: Mapping("leave out")}))
    return Question(Finding("ask", file.name, _shown(file), "one clear way to read it", tuple(answers)))


def _uneven(file: File, readings: Sequence[Recognition]) -> InputError | None:
    """Return what is wrong with a table whose rows have different numbers of cells; None for lists in lines."""
    if file.suffix not in (".csv", ".tsv") or any(map(_is_table, _differing(readings))):
        return None
    separator = max("\t;,|", key=file.sample[0].count)
    width, *others = [line.count(separator) + 1 for line in file.sample]
    number = next((place for place, other in enumerate(others, 2) if other != width), 0)
    if width == 1 or not number:
        return None
    form = f"--as '{file.name}:format={readings[0].family}'"
    return InputError(
        f"{file.name}, line {number}",
        pluralize(others[number - 2], "cell"),
        f"{pluralize(width, 'cell')} as in the first line",
        f"Quote cells that contain “{separator}”; if each line is a list, name the format: {form}.",
    )


def _is_table(reading: Recognition) -> bool:
    return bool(reading.plan) and isinstance(reading.plan[0], Layout)


def columns_of(file: File) -> list[str]:
    """Return the names of the columns or fields of a file; empty if it is no table."""
    return next((list(table.names) for table in family_named("F10").tables_of(file, file.mapping)), [])


def form_of_unknown(file: File, role: Role | None) -> Form | None:
    """Return the form of a table whose meaning nothing tells; None if the file is no table with column names."""
    family = family_named("F10")
    table = next(iter(family.tables_of(file, file.mapping)), None)
    if table is None or not table.header:
        return None
    made = guess(table, role_said(file) or role)
    (doubt,) = made.doubts
    missing = tuple(FIELDS[field] for field in doubt.fields)
    mapping = file.mapping.merged(made.mapping)
    return Form(file.name, mapping, doubt.words, missing, first_values(table), family.sheets_in(file))


def _is_headed(reading: Recognition) -> bool:
    """Tell the reading of a table with a head."""
    layout = reading.plan[0] if reading.plan else None
    return isinstance(layout, Layout) and layout.table.header


def mapping_in_format(reading: Recognition) -> Mapping:
    """Return what a user would say of a file that is no table to have it read in a format."""
    switches = tuple((name, value) for name, value in reading.options.items() if name in SWITCHES and value)
    return replace(reading.files[0].mapping, format=reading.family, switches=switches)


def settle_roles(recognitions: list[Recognition], notes: list[Note], asked: Asked) -> list[Recognition]:
    """Settle roles that nothing in a file tells: by name and place, else by a question."""
    roles = {id(one): role_of_path(one.files[0].name) for one in recognitions if one.guessed}
    known = {one.role for one in recognitions if not one.guessed} | {role for role in roles.values() if role}
    unknown = [one for one in recognitions if one.guessed and roles[id(one)] is None]
    if len(unknown) > 1 and "gold" not in known:
        asked.findings.append(_doubt_of_roles(unknown))
        return recognitions
    gold = [] if "gold" in known else unknown
    # One list beside a gold standard is a system's; lists of several names may as well be people's.
    mixed = [one for one in unknown if "gold" in known and _are_strange(_names_in(one))]
    if mixed:
        asked.findings += map(_doubt_of_names, mixed)
        return recognitions
    roles |= {id(one): "gold" if one in gold else "system" for one in unknown}
    settled = []
    for one in recognitions:
        if role := roles.get(id(one)):
            what = "gold standard" if role == "gold" else "system output"
            notes.append(Note("info", "roles", f"{one.files[0].name} was taken as {what}."))
        settled.append(_as_role(one, role, asked) if role else one)
    return settled


def _as_role(one: Recognition, role: Role, asked: Asked) -> Recognition:
    """Return a reading in the role that was settled; of a table as a system its order and scores are looked at anew."""
    if role == "system" and len(one.files) == 1 and one.plan and isinstance(one.plan[0], Layout) and one.role != role:
        try:
            return recognise_one(one.files[0], role)
        except Question as question:
            asked.add(question)
    return replace(one, role=role, guessed=False)


def _names_in(one: Recognition) -> list[str]:
    """Return the names of those whose lists a file holds, in the order of the file."""
    tables = (part.table for part in family_named(one.family).read(one, None) if part.role in ("gold", "system"))
    named = (table["source"] for table in tables if "source" in table.column_names)
    return list(dict.fromkeys(name for column in named for name in pc.unique(column).to_pylist()))


def _are_strange(names: Sequence[str]) -> bool:
    """Tell several names of which none is a well-known system's."""
    return len(names) > 1 and not SYSTEMS & set(map(plain, names))


def _doubt_of_names(one: Recognition) -> Finding:
    """Ask whether the lists of several names beside a gold standard are those of people or of systems."""
    names, roles = _names_in(one), {"systems": "system", "annotators, of the gold standard": "gold"}
    answers = [
        Reply(shown, {file.name: replace(file.mapping, role=cast(Role, role)) for file in one.files})
        for shown, role in roles.items()
    ]
    found = f"lists of {quoted(names)} beside a gold standard"
    return Finding("ask", one.files[0].name, found, "systems or people", tuple(answers))


def _doubt_of_roles(unknown: Sequence[Recognition]) -> Finding:
    """Ask which of some files is the gold standard; the rest are systems."""

    def chosen(golds: Sequence[Recognition]) -> dict[str, Mapping]:
        roles: dict[int, Role] = {id(one): "gold" if one in golds else "system" for one in unknown}
        return {file.name: replace(file.mapping, role=roles[id(one)]) for one in unknown for file in one.files}

    names = [one.files[0].name for one in unknown]
    answers = [Reply(f"{one.files[0].name} is the gold standard", chosen([one])) for one in unknown[:10]]
    answers += [Reply("all are gold, one annotator each", chosen(unknown))]
    found = f"{len(unknown)} files of lists that may be: {', '.join(names[:5])}{' …' * (len(names) > 5)}"
    return Finding("ask", "the gold standard", found, "one", tuple(answers))


def _shown(file: File) -> str:
    if binary_kind(file.source.data):
        names = columns_of(file)
        return f"the columns {', '.join(names[:10])}" if names else "no table"
    first = next(iter(file.sample), "")
    return f"a first line “{first.strip()[:60]}”" if first else "an empty file"


def _unknown(file: File, role: Role | None) -> InputError:
    if binary_kind(file.source.data):
        expected = "a column of document ids and one of phrases"
        return NotKnown(file.name, _shown(file), expected, "Say what the columns are.")
    if not file.text.strip():
        return InputError(file.name, "an empty file", "at least one document", "Check the file.")
    value = file.json
    lines = [record.broken for record in file.records]  # JSONL whose fields nobody knows is not broken
    if not is_json(value) and value.message and (any(lines) or not lines):
        found = f"broken JSON ({value.message})"
        return InputError(file.name, found, "JSON or one JSON object a line", "Save the file again.")
    expected = f"{_WHAT[role] if role else 'keyphrases'} in a known format, with document ids"
    remedy = "See docs/formats.md, or name the columns of the id and the phrase."
    if _TAGGED.match(file.text[:2000]):
        remedy = (
            "Its records stand below each other: export them as CSV or XLSX, with the keywords and an id in columns."
        )
    if file.decoded.notes:  # windows-1252 was only proposed
        remedy = "It is not UTF-8: name its encoding."
    return NotKnown(file.name, _shown(file), expected, remedy)


def _not_read(file: File) -> str:
    """Return what a format is called that is not read, and that texts might be taken for; empty for any other."""
    start = file.source.data[:65_536].lstrip(b"\xef\xbb\xbf \r\n")
    return next((name for begins, name in _NOT_READ.items() if begins.match(start)), "")
