"""Define questions about files: one form per file about its meaning, and findings with possible answers."""

from __future__ import annotations

import shlex
from collections import abc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias

from kp_core.errors import InputError
from kp_core.reading.meaning.layout import Recognition
from kp_core.reading.meaning.mapping import COLUMNS, Mapping, Proposal
from kp_core.reading.open.decode import File, binary_kind
from kp_core.reading.open.json_table import begins_like_json, json_of
from kp_core.reading.open.table import Table

Level: TypeAlias = Literal["stop", "ask", "warn"]
#: Maximum number of values shown per column, of characters per value, and of characters of the example of an option.
_VALUES, _CHARACTERS, _OPTION = 3, 60, 1_000
#: Field of a mapping → its description.
FIELDS = {field: f"the {field}" for field in COLUMNS} | {
    "higher_is_better": "whether a higher score is better",
    "relevance": "the grade of a keyphrase",
    "verdict": "whether a keyphrase was accepted",
    "marks": "the marks of annotators",
    "gold": "the gold standard next to systems",
    "group": "the type of document",
    "split": "how cells are split",
    "inner": "what inner lists are",
    "header": "the column names",
}


@dataclass(frozen=True)
class Reply:
    """A possible answer: in words, as a mapping per file, and as fixes of ids.

    * `example`: its effect, such as “`C-1.txt` → `C-1`”
    """

    words: str
    mapping: abc.Mapping[str, Mapping] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    example: str = ""

    def options(self) -> str:
        """Return the answer as command-line options.

        >>> Reply("the gold standard", {"a b.csv": Mapping("gold")}, ("strip-path",)).options()
        "--as 'a b.csv:role=gold' --fix strip-path"
        """
        fixes = (f"--fix {shlex.quote(fix)}" for fix in self.fixes)
        return " ".join([*(mapping.option(file) for file, mapping in self.mapping.items()), *fixes])

    def __str__(self) -> str:
        return f"{self.words} ({self.example})" if self.example else self.words


@dataclass(frozen=True)
class Finding:
    """A problem in the data as read, and the answers that would correct it.

    * `level`: stop: results would be meaningless; ask: the reading is uncertain; warn: shown with every result
    """

    level: Level
    where: str
    found: str
    expected: str
    answers: tuple[Reply, ...] = ()

    @property
    def remedy(self) -> str:
        """The possible answers, in words."""
        return f"Choose: {', or '.join(map(str, self.answers))}." if self.answers else "Compare the files."

    def within(self, dataset: str) -> Finding:
        """Return the finding with its files named `data set/file`."""
        mappings = [{f"{dataset}/{file}": mapping for file, mapping in reply.mapping.items()} for reply in self.answers]
        answers = (replace(reply, mapping=mapping) for reply, mapping in zip(self.answers, mappings, strict=True))
        return replace(self, where=f"{dataset}/{self.where}", answers=tuple(answers))

    def __str__(self) -> str:
        return str(InputError(self.where, self.found, self.expected, self.remedy))


@dataclass(frozen=True)
class Form:
    """A form about the meaning of one file, with a proposed mapping.

    Parameters
    ----------
    file : str
        The name of the file as in the receipt.
    mapping : Mapping
        The proposed mapping, complete enough to load the file if possible.
    reason : str
        Reason for the question, as a sentence.
    missing : tuple of str
        The undecided fields, in words.
    columns : dict
        Head of each column → its first values.
    sheets, formats : tuple of str
        The sheets of a workbook, and the formats that the file may have, the proposed one first.
    switches : dict
        Settings of a format that is not a table → their values.
    """

    file: str
    mapping: Mapping
    reason: str
    missing: tuple[str, ...] = ()
    columns: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    switches: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        option = self.mapping.option(self.file)
        if len(option) > _OPTION:  # of many columns
            option = Mapping(document="A", keyphrases=("B",)).option(self.file)
        return f"{self.file}: {self.reason} Say what the file means, for example {option}"


def form_of(reading: Recognition, found: str, families: Iterable[str] = ()) -> Form:
    """Return the form of a table, prefilled with its likeliest reading. `families`: other formats that it may have"""
    layout, sheets = reading.layouts[0], reading.offers.get("sheet", ())
    proposal = replace(layout.proposal, mapping=reading.mapping)
    form = form_of_proposal(reading.files[0], proposal, layout.table, sheets, families)
    return replace(form, reason=form.reason or (f"It has {found}." if found else ""))


def form_of_proposal(
    file: File, proposal: Proposal, table: Table, sheets: tuple[str, ...], families: Iterable[str] = ()
) -> Form:
    """Return the form of a table with its doubts."""
    missing = tuple(dict.fromkeys(FIELDS[field] for field in proposal.unsure))
    columns = dict[str, tuple[str, ...]]()
    for name in table.names:
        cells = filter(None, map(str.strip, table.texts(name, 50).to_pylist()))
        shortened = (cell if len(cell) <= _CHARACTERS else f"{cell[: _CHARACTERS - 1]}…" for cell in cells)
        columns[name] = tuple(dict.fromkeys(shortened))[:_VALUES]
    formats = formats_of(file, table.form, families)
    return Form(file.name, proposal.mapping, " ".join(proposal.doubts), missing, columns, sheets, formats)


def formats_of(file: File, proposed: str, families: Iterable[str]) -> tuple[str, ...]:
    """Return the formats that a file may have: any text may also be a table, or have a document per line.

    * `proposed`: the format in which the file is read, or an empty string if it is refused
    """
    is_text = binary_kind(file.source.data) is None and not begins_like_json(json_of(file))
    return tuple(filter(None, dict.fromkeys((proposed, *(("F10", "F5") if is_text else ()), *families))))


class Question(InputError):
    """Questions about the meaning of single files (`forms`) and about several files (`findings`).

    `load(mapping={form.file: form.mapping for form in question.forms})` loads the files as proposed. Each finding has
    `answers` with `mapping` and `fixes`; `answers` of the question are those of all findings.

    Examples
    --------
    >>> print(Question(Finding("ask", "a.csv", "lists of two people", "one", (Reply("gold"), Reply("systems")))))
    a.csv: expected one, found lists of two people. Choose: gold, or systems.
    """

    def __init__(self, *findings: Finding, forms: Sequence[Form] = ()) -> None:
        self.findings, self.forms = findings, tuple(forms)
        self.answers = tuple(reply for finding in findings for reply in finding.answers)
        if findings:
            first = findings[0]
            super().__init__(first.where, first.found, first.expected, first.remedy)
        else:
            form = self.forms[0]
            super().__init__(form.file, form.reason, "its meaning", f"For example {form.mapping.option(form.file)}")

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.findings, *self.forms)))

    def __reduce__(self) -> tuple[object, ...]:  # type: ignore[override]
        """Pickle all findings and forms."""
        return partial(Question, forms=self.forms), self.findings
