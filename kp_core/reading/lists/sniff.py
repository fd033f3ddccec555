"""Turn files of unknown format into recognitions: what each is and which role it plays, proved or asked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.limits import refuse_over
from kp_core.reading.lists.family import File, NoData, Recognition, Strength, families_of, family_named, title_of
from kp_core.reading.meaning.fields import SYSTEMS, in_words, plain, quoted, role_of_path
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.mapping import SWITCHES, Mapping
from kp_core.reading.meaning.question import Finding, Form, Question, Reply, form_of
from kp_core.reading.meaning.tables import NAME as TABLE
from kp_core.reading.meaning.tables import form_of_unknown, tables_of
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
        """Add a question, once if a file is given for two roles."""
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
    left_out  receives the files of a folder that contain no data, with the reason; without it they are refused
    lines     how many lines other files have whose line n is document n
    """
    found = _groups(files, role)
    claimed = {id(file) for recognition in found for file in recognition.files}
    left, refused = [file for file in files if id(file) not in claimed], list[InputError]()
    if left:
        refuse_over(left[0].limits.sources, len(left), "files, each of many documents", left[0].name, "an upload")
    for file in left:
        meant = file.mapping != Mapping() or file.suffix in _MEANT
        try:
            found.append(recognise_one(file, role_said(file) or role, lines, guess=left_out is None or meant))
        except Question as question:
            asked.add(question)
        except InputError as refusal:
            if left_out is None or (meant and not (isinstance(refusal, NoData) and file.mapping == Mapping())):
                raise
            refused.append(refusal)
            left_out[file.name] = refusal.found
    if refused and not found and not asked:
        raise refused[0]
    return found


def role_said(file: File) -> Role | None:
    """Return the role that the user gave a file, None if none was given."""
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
    """Recognize a text that may belong with others to a family, unless its mapping excludes this."""
    mapping = file.mapping
    fits = mapping.format == family or not (mapping.format or mapping.names_columns)
    return fits and binary_kind(file.source.data) is None and not _not_read(file)


def _as_chosen(recognition: Recognition) -> Recognition | None:
    """Return a group with the role that the user chose for its files; None if the user declared them otherwise."""
    chosen = next((role for file in recognition.files if (role := role_said(file)) is not None), None)
    if chosen is None:
        return recognition
    if chosen != recognition.role and not {chosen, recognition.role} <= {"gold", "system"}:
        return None
    return replace(recognition, role=chosen, guessed=False)


def lines_of_lists(reading: Recognition) -> int:
    """Return the number of lines of a file whose line n is the list of document n; 0 for any other."""
    return len(reading.files[0].lines) if reading.options.get("lines") == "lists" else 0


def recognise_one(file: File, role: Role | None, lines: Collection[int] = (), *, guess: bool = True) -> Recognition:
    """Return the one clear reading of a file; what neither names, a grammar nor a proof decides is a question.

    lines  how many lines other files have whose line n is document n: as many lines are such lists, and no table
    guess  whether a table that nothing tells the meaning of is asked about, or refused
    """
    found, mapping = readings_of(file, role), file.mapping
    if mapping.format and not found:
        expected = f"a file of family {mapping.format}, which is “{title_of(mapping.format)}”"
        raise InputError(file.name, _shown(file), expected, "Choose another family.")
    if not found:
        form = form_of_unknown(file, role) if guess else None
        raise Question(forms=[form]) if form else _unknown(file, role)
    best = max(found, key=lambda reading: reading.strength)
    if mapping.format or mapping.names_columns or mapping.switches:
        return best
    aligned = [reading for reading in found if lines_of_lists(reading) in lines]
    headed = [reading for reading in found if _is_table(reading) and reading.plan[0].table.header]
    if aligned and best.strength <= Strength.CONTENT and not headed:
        return replace(aligned[0], evidence=f"{aligned[0].evidence}; as many lines as another file of lists")
    # Lines that any text has are no reason to pass over a table with heads.
    near = [reading for reading in found if reading.strength == best.strength]
    if best.strength == Strength.PROPOSED or len(near) > 1 or (best.strength == Strength.CONTENT and headed):
        raise _uneven(file, found) or _question(file, headed or found)
    return best


def readings_of(file: File, role: Role | None) -> list[Recognition]:
    """Return every reading of a file that some family offers, in the order of the families.

    A mapping of columns implies a table; a format, or its settings, leave only the families that have them.
    """
    mapping, found = file.mapping, list[Recognition]()
    is_text = binary_kind(file.source.data) is None
    if mapping == Mapping() and is_text and (unread := _not_read(file)):
        remedy = f"Convert it to CSV, JSON or plain text first ({unread} is not read): docs/formats.md shows how."
        raise NoData(file.name, unread, "lists or texts", remedy)
    for family in families_of([file]):
        # What is no text, and judged pairs, can only be tables.
        unfit = (role == "judgements" or not is_text) and family.NAME != TABLE
        if unfit or (mapping.format and family is not family_named(mapping.format)):
            continue
        offered = family.recognise(file, role)
        found += [offered] if isinstance(offered, Recognition) else offered or []
        if any(reading.strength == Strength.MARKS for reading in found):
            break
    # The mapping of a folder or an archive applies to those of its files that it fits.
    names = {name for name, _ in mapping.switches}
    obeying = [one for one in found if names <= {*family_named(one.family).OPTIONS}]
    if mapping.names_columns and not mapping.format:
        obeying = list(filter(_is_table, found))
    return obeying or found


def _question(file: File, readings: Sequence[Recognition]) -> Question:
    """Ask which reading of a file is meant: in a form if one is a table, else by format."""
    if (table := next(filter(_is_table, readings), None)) is not None:
        return Question(forms=[form_of(table, _shown(file), [one.family for one in readings])])
    answers = [
        Reply(f"“{title_of(one.family)}”: {in_words(one.evidence)}", {file.name: mapping_in_format(one)})
        for one in readings
    ]
    answers.append(Reply("leave the file out", {file.name: Mapping("leave out")}))
    return Question(Finding("ask", file.name, _shown(file), "one clear way to read it", tuple(answers)))


def _uneven(file: File, readings: Sequence[Recognition]) -> InputError | None:
    """Return what is wrong with a table whose rows have different numbers of cells; None for lists in lines."""
    if file.suffix not in (".csv", ".tsv") or any(map(_is_table, readings)):
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


def mapping_in_format(reading: Recognition) -> Mapping:
    """Return what a user would say of a file that is no table to have it read in a format."""
    switches = tuple((name, value) for name, value in reading.options.items() if name in SWITCHES and value)
    return replace(reading.files[0].mapping, format=reading.family, switches=switches)


def settle_roles(recognitions: list[Recognition], notes: list[Note], asked: Asked) -> list[Recognition]:
    """Settle roles that the content does not reveal: by name and path, else by asking."""
    roles = {id(one): role_of_path(one.files[0].name) for one in recognitions if one.guessed}
    known = {one.role for one in recognitions if not one.guessed} | {role for role in roles.values() if role}
    unknown = [one for one in recognitions if one.guessed and roles[id(one)] is None]
    if len(unknown) > 1 and "gold" not in known:
        asked.findings.append(_doubt_of_roles(unknown))
        return recognitions
    # One list next to a gold standard is a system's; lists of several names may as well be people's.
    if mixed := [one for one in unknown if "gold" in known and _may_be_people(one)]:
        asked.findings += map(_doubt_of_names, mixed)
        return recognitions
    roles |= dict.fromkeys(map(id, unknown), "system" if "gold" in known else "gold")
    settled = []
    for one in recognitions:
        if role := roles.get(id(one)):
            what = "gold standard" if role == "gold" else "system output"
            notes.append(Note("info", "roles", f"{one.files[0].name} was taken as {what}."))
        settled.append(_as_role(one, role, asked) if role else one)
    return settled


def _as_role(one: Recognition, role: Role, asked: Asked) -> Recognition:
    """Return a reading in the role that was settled; of a table as a system its order and scores are looked at anew."""
    if role == "system" and len(one.files) == 1 and _is_table(one) and one.role != role:
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


def _may_be_people(one: Recognition) -> bool:
    """Recognize lists of several names of which none is a well-known system's."""
    names = _names_in(one)
    return len(names) > 1 and not SYSTEMS & set(map(plain, names))


def _doubt_of_names(one: Recognition) -> Finding:
    """Ask whether the lists of several names next to a gold standard are those of people or of systems."""
    roles = {"systems": "system", "annotators, of the gold standard": "gold"}
    answers = [Reply(shown, _chosen([one], cast(Role, role))) for shown, role in roles.items()]
    found = f"lists of {quoted(_names_in(one))} next to a gold standard"
    return Finding("ask", one.files[0].name, found, "systems or people", tuple(answers))


def _doubt_of_roles(unknown: Sequence[Recognition]) -> Finding:
    """Ask which of some files is the gold standard; the rest are systems."""
    names, systems = [one.files[0].name for one in unknown], _chosen(unknown, "system")
    answers = [
        Reply(f"{name} is the gold standard", systems | _chosen([one], "gold"))
        for name, one in zip(names[:10], unknown, strict=False)
    ]
    answers += [Reply("all are gold, one annotator each", _chosen(unknown, "gold"))]
    found = f"{len(unknown)} files of lists that may be: {', '.join(names[:5])}{' …' * (len(names) > 5)}"
    return Finding("ask", "the gold standard", found, "one", tuple(answers))


def _chosen(recognitions: Sequence[Recognition], role: Role) -> dict[str, Mapping]:
    """Return what says that some files have a role."""
    return {file.name: replace(file.mapping, role=role) for one in recognitions for file in one.files}


def _shown(file: File) -> str:
    if binary_kind(file.source.data):
        names = next((table.names for table in tables_of(file, file.mapping)), [])
        return f"the columns {', '.join(names[:10])}" if names else "no table"
    first = next(iter(file.sample), "")
    return f"a first line “{first.strip()[:60]}”" if first else "an empty file"


def _unknown(file: File, role: Role | None) -> InputError:
    """Return why a file cannot be read that no format fits."""
    if binary_kind(file.source.data):
        expected = "a column of document ids and one of phrases"
        return InputError(file.name, _shown(file), expected, "Define the columns.")
    if not file.text.strip():
        return InputError(file.name, "an empty file", "at least one document", "Check the file.")
    value = file.json
    lines = [record.broken for record in file.records]  # JSONL whose fields nobody knows is not broken
    if not is_json(value) and value.message and (any(lines) or not lines):
        found = f"broken JSON ({value.message})"
        printed = re.match(r"\s*[\[{]+\s*[(']", file.text)
        remedy = "It is Python and no JSON: docs/formats.md shows how to convert it." if printed else "Save it again."
        return InputError(file.name, found, "JSON or one JSON object per line", remedy)
    expected = f"{_WHAT[role] if role else 'keyphrases'} in a known format, with document ids"
    remedy = "See docs/formats.md, or name the columns of the id and the phrase."
    if _TAGGED.match(file.text[:2000]):
        remedy = "Its records are lists of fields: export them as CSV or XLSX, with columns of keywords and ids."
    if file.decoded.notes:  # windows-1252 was only proposed
        remedy = "It is not UTF-8: name its encoding."
    return InputError(file.name, _shown(file), expected, remedy)


def _not_read(file: File) -> str:
    """Return what a format is called that is not read, and that texts might be taken for; empty for any other."""
    start = file.source.data[:65_536].lstrip(b"\xef\xbb\xbf \r\n")
    return next((name for begins, name in _NOT_READ.items() if begins.match(start)), "")
