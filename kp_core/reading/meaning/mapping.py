"""Define the mapping of a file: its role, the meaning of its columns, and how cells are split."""

from __future__ import annotations

import re
import shlex
from collections import abc
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

from kp_core.corpus import Role
from kp_core.errors import UsageError
from kp_core.typeset import storable

#: Values for a document, annotator or system that no column names.
ROW, FILE, SHEET, HEADS = "(row)", "(file)", "(sheet)", "(heads)"
PLACES = (ROW, FILE, SHEET, HEADS)
ROLES: tuple[str, ...] = (*get_args(Role), "leave out")
#: The fields that name columns of a table.
COLUMNS = (
    *("document", "keyphrases", "annotator", "system", "rank", "score", "relevance", "votes", "marks", "verdict"),
    *("candidate", "pair", "title", "text", "group", "concept", "dataset", "run"),
)
#: Name of a separator of phrases → the separator, most certain first. The last ones also occur within phrases, so most
#: cells must contain them.
MARKS = {
    ";": ";",
    "；": "；",
    "lines": "\n",
    "|": "|",
    "•": "•",
    "、": "、",
    ",": ",",
    "，": "，",
    "/": " / ",
    "·": " · ",
    "-": " - ",
    "–": " – ",
    "#": "#",
}
#: Value of `split` → its meaning.
SEPARATORS = {name: f"phrases are split at `{name}`" for name in MARKS} | {
    "lines": "each line of a cell is a phrase",
    "json": "cells are lists in JSON or Python",
    "uris": "cells are addresses (URIs) between `<` and `>`",
    "tags": "cells are words behind `#`",
    "lists": "cells are lists",
    "none": "each cell is one phrase",
}
#: Settings of formats other than tables; the labels of marks depend on the file.
SWITCHES: dict[str, tuple[str, ...]] = {
    "line": ("phrase", "label", "subject", "number"),
    "annotators": ("none", "folders", "files", "endings"),
    "separator": ("\t", "@", ":", ";"),
    "lines": ("lists", "texts", "ids"),
    "underscore": ("kept", "space"),
    "label": (),
}
#: Field → its possible values.
VALUES: dict[str, tuple[str, ...]] = {
    "split": tuple(name for name in SEPARATORS if name != "lists"),
    "role": ROLES,
    "higher_is_better": ("yes", "no"),
    "fill_down": ("yes", "no"),
    "as_read": ("yes",),
    "delimiter": (",", "TAB", ";", "|"),
    "inner": ("phrases", "variants", "tokens", "scored"),
    "scale": ("0-4", "0-2", "0-10"),
    **SWITCHES,
}
#: Values of `header`: a detected row, no row, a row, or two rows.
_HEADER = re.compile(r"yes|no|[0-9]{1,7}(-[0-9]{1,7})?")
#: A field and its value, in quotation marks if it contains a comma or an equals sign.
_PART = re.compile(r'(?:([a-z_]+)=)?("(?:[^"]|"")*"|[^,"][^,]*|)(?:,|\Z)')
_PLAIN = re.compile(r'[^,"=\s](?:[^,"=\n]*[^,"=\s])?')


@dataclass(frozen=True)
class Mapping:
    """The meaning of a file. KPScope infers empty fields, unless columns are named.

    If `document`, `keyphrases` or any other column is named, the table is read literally: only the named columns have a
    meaning, and only the separator inside cells may be left to KPScope.

    Parameters
    ----------
    role : {"gold", "system", "documents", "judgements", "leave out"}
        What the file is.
    document : str
        The column of document ids, or "(row)", "(file)", "(sheet)" or "(heads)": each row, the file, each sheet or each
        column of `keyphrases` is a document.
    keyphrases : str or tuple of str
        One or several columns. Several are one list, unless `annotator` or `system` is "(heads)".
    annotator, system : str
        The column of the source of a row, "(heads)" or "(sheet)"; annotator="(row)" if each column is a document and
        each row an annotator.
    rank, score : str
        The columns by which systems rank. With system="(heads)", `score` names a column for each system; with
        annotator="(heads)", the scores of each person for a judged pair.
    higher_is_better : bool
        Whether a higher score is better.
    relevance, votes : str
        The grade of a keyphrase, or the number of people who chose it.
    marks : tuple of str
        Columns of annotators whose cells (x, 1, yes) mark the keyphrase of the row; without `keyphrases`, the columns
        are named after the keyphrases that their cells mark.
    verdict : str
        A column whose “no” rejects the keyphrase of the row.
    gold : tuple of str
        The columns of `keyphrases`, or the values of `system`, that are the gold standard next to systems.
    candidate, pair : str
        Of judged pairs: the phrase compared with `keyphrases`, and the id of the pair.
    title, text, group, concept, dataset, run : str
        Further columns: title, text and type of a document, identifier of a keyphrase, data set of a row, and run of a
        system.
    split : str
        How a cell is split: a key of `SEPARATORS`, such as ";" or "lines"; "none": not at all.
    inner : {"phrases", "variants", "tokens", "scored"}
        Meaning of an inner list: a list of phrases, spellings of one phrase, its words, or a phrase and its score.
    header, delimiter, sheet, encoding, fill_down, scale, format
        How the file is opened: the row of column names ("no", "1", "1-2"), the delimiter of columns, the sheets, the
        encoding, whether a blank id repeats the one above, the scale of judgments, and the file format.
    in_dataset : str
        The data set of all rows.
    line, annotators, separator, lines, underscore, label : str
        Settings of formats that are not tables, such as line="label".
    as_read : bool
        Whether unusual content of the file is intended.

    Examples
    --------
    >>> mapping = Mapping.read("document=Nr,keyphrases=Anna,Ben,annotator=(heads),split=;")
    >>> mapping.keyphrases, mapping.split, str(mapping)
    (('Anna', 'Ben'), ';', 'document=Nr,keyphrases=Anna,Ben,annotator=(heads),split=;')
    """

    role: Role | Literal["leave out", ""] = ""
    document: str = ""
    keyphrases: tuple[str, ...] | str = ()
    annotator: str = ""
    system: str = ""
    rank: str = ""
    score: tuple[str, ...] | str = ()
    higher_is_better: bool | None = None
    relevance: str = ""
    votes: str = ""
    marks: tuple[str, ...] | str = ()
    verdict: str = ""
    gold: tuple[str, ...] | str = ()
    candidate: str = ""
    pair: str = ""
    title: str = ""
    text: str = ""
    group: str = ""
    concept: str = ""
    dataset: str = ""
    run: str = ""
    split: str = ""
    inner: str = ""
    header: str = ""
    delimiter: str = ""
    sheet: tuple[str, ...] | str = ()
    encoding: str = ""
    fill_down: str = ""
    scale: str = ""
    format: str = ""
    in_dataset: str = ""
    line: str = ""
    annotators: str = ""
    separator: str = ""
    lines: str = ""
    underscore: str = ""
    label: str = ""
    as_read: bool = False

    def __post_init__(self) -> None:
        for name in SEVERAL:
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) and value else tuple(value))

    @property
    def names_columns(self) -> bool:
        """Whether any column is named, so that the table is read literally."""
        return any(getattr(self, name) for name in COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that have a meaning."""
        names = [name for field in (*COLUMNS, "gold") for name in _as_tuple(getattr(self, field))]
        not_columns = {*PLACES, *(() if HEADS in (self.annotator, self.system) else self.gold)}
        return tuple(dict.fromkeys(name for name in names if name not in not_columns))

    @property
    def switches(self) -> tuple[str, ...]:
        """The names of the settings of formats that are chosen."""
        return tuple(name for name in SWITCHES if getattr(self, name))

    @classmethod
    def read(cls, words: str) -> Mapping:
        """Parse words such as `document=A,keyphrases=B,split=;`.

        Raises UsageError for an unknown field or value.

        >>> Mapping.read('keyphrases="Term, free",split=","').keyphrases
        ('Term, free',)
        """
        fields: dict[str, list[str]] = {}
        position, field = 0, ""
        while position < len(words):
            part = _PART.match(words, position)
            if part is None or not (field := part[1] or field):
                raise UsageError(f"'{words}' is not a mapping; write document=A,keyphrases=B,split=;")
            value = part[2][1:-1].replace('""', '"') if part[2].startswith('"') else part[2]
            if part[1] in fields and part[1] not in SEVERAL:
                raise UsageError(f"{part[1]} is given twice in '{words}'")
            fields.setdefault(field, []).append(value)
            position = part.end()
        tuples: dict[str, Any] = {name: tuple(filter(None, fields.pop(name))) for name in SEVERAL if name in fields}
        texts: dict[str, Any] = {name: ",".join(values) for name, values in fields.items()}
        for name, value in texts.items():
            _refuse(name, value)
        parsed_values = {"yes": True, "no": False, "TAB": "\t"}
        for name in {"higher_is_better", "as_read", "delimiter"} & texts.keys():
            texts[name] = parsed_values.get(texts[name], texts[name])
        return cls(**tuples, **texts)

    def merged(self, other: Mapping) -> Mapping:
        """Return the mapping, updated with the fields that are set in another one.

        >>> str(Mapping("gold", split=";").merged(Mapping(split=",", higher_is_better=False)))
        'role=gold,higher_is_better=no,split=","'
        """
        values = ((field, getattr(other, field.name)) for field in fields(other))
        return replace(self, **{field.name: value for field, value in values if value != field.default})

    def __str__(self) -> str:
        parts = []
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool):
                parts.append(f"{field.name}={'yes' if value else 'no'}" * (value or field.name != "as_read"))
            elif value:
                texts = ("TAB",) if (field.name, value) == ("delimiter", "\t") else _as_tuple(value)
                parts.append(f"{field.name}={','.join(map(_quoted, texts))}")
        return ",".join(filter(None, parts))

    def option(self, file: str) -> str:
        """Return the mapping of a file as a command-line option.

        >>> Mapping("gold", split=";").option("a b.csv")
        "--as 'a b.csv:role=gold,split=;'"
        """
        return f"--as {shlex.quote(f'{file}:{self}')}"


SEVERAL = ("keyphrases", "score", "marks", "gold", "sheet")


def _as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if value else ()


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def _refuse(field: str, value: str) -> None:
    names = [known.name for known in fields(Mapping)]
    if field not in names:
        similar = get_close_matches(field, names, 1)
        hint = f"; did you mean {similar[0]}?" if similar else f"; choose one of: {', '.join(names)}"
        raise UsageError(f"there is no '{field}' to choose for a file{hint}")
    allowed = VALUES.get(field, ())
    if (allowed and value not in allowed) or (field == "header" and not _HEADER.fullmatch(value)):
        choices = ", ".join(allowed) if allowed else "yes, no, the number of a row, or of two rows (1-2)"
        raise UsageError(f"{field} is '{value}'; choose one of: {choices}")


def mappings_of(arguments: Iterable[str]) -> dict[str, Mapping]:
    """Return file → its mapping from words such as FILE:FIELD=VALUE,…; merge several mappings of one file.

    Raises UsageError for anything else.

    >>> mappings = mappings_of(["g.xlsx:sheet=Lists", "g.xlsx:document=Nr,keyphrases=Term"])
    >>> str(mappings["g.xlsx"])
    'document=Nr,keyphrases=Term,sheet=Lists'
    """
    mappings: dict[str, Mapping] = {}
    for argument in map(storable, arguments):
        parts = re.fullmatch(r"(?P<file>.+?):(?P<words>[a-z_]+=.*)", argument, re.DOTALL)
        if parts is None:
            raise UsageError(f"--as is '{argument}'; write FILE:FIELD=VALUE,…, such as gold.xlsx:sheet=Lists")
        mappings[parts["file"]] = mappings.get(parts["file"], Mapping()).merged(Mapping.read(parts["words"]))
    return mappings


def meanings_of(mapping: Mapping) -> dict[str, str]:
    """Return {column: its field}.

    >>> meanings_of(Mapping(document="Nr", keyphrases=("Anna", "yake"), gold="Anna", system=HEADS))
    {'Nr': 'document', 'Anna': 'gold', 'yake': 'keyphrases'}
    """
    meanings: dict[str, str] = {}
    for field in COLUMNS:
        value = getattr(mapping, field)
        meanings |= dict.fromkeys((value,) if isinstance(value, str) else value, field)
    gold = {name: "gold" for name in mapping.gold if meanings.get(name) == "keyphrases"}
    return {name: field for name, field in (meanings | gold).items() if name and name not in PLACES}


def each_is(mapping: Mapping, index: str) -> str:
    """Return what each column of keyphrases or each sheet represents: annotator, system, document, or nothing."""
    return next((field for field in ("annotator", "system", "document") if getattr(mapping, field) == index), "")


def with_meanings(mapping: Mapping, meanings: abc.Mapping[str, str], indices: abc.Mapping[str, str]) -> Mapping:
    """Return a mapping with other meanings of columns.

    Parameters
    ----------
    meanings : dict
        Column → field, empty if it has no meaning.
    indices : dict
        Where document, annotator or system are named if no column names them: "(heads)" → "annotator" if each of
        several columns of keyphrases, scores or marks is an annotator.

    >>> meanings = {"Nr": "document", "Anna": "keyphrases", "Ben": "keyphrases"}
    >>> str(with_meanings(Mapping("gold"), meanings, {HEADS: "annotator"}))
    'role=gold,document=Nr,keyphrases=Anna,Ben,annotator=(heads)'
    """
    values: dict[str, Any] = {field: () if field in SEVERAL else "" for field in (*COLUMNS, "gold")}
    if "gold" not in meanings.values() and "system" in meanings.values():
        values["gold"] = mapping.gold  # values of the column of systems
    for name, field in meanings.items():
        if field == "gold":
            values["keyphrases"] += (name,)
        if field:
            values[field] = (*values[field], name) if field in SEVERAL else name
    for index, field in indices.items():
        if field and not values[field]:
            values[field] = index
    return replace(mapping, **values)


@dataclass(frozen=True)
class Proposal:
    """The likeliest meaning of a table.

    * `doubts`: open questions about it, as sentences
    * `unsure`: fields of the mapping that these concern
    * `role_known`: whether the table itself shows its role
    * `worded`: whether column names are known
    * `program`: the program that wrote a known export
    * `is_ours`: whether KPScope wrote the table, so that there are no doubts
    """

    mapping: Mapping
    doubts: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    role_known: bool = True
    worded: bool = True
    program: str = ""
    is_ours: bool = False

    def doubted(self, words: str, *fields: str, **changes: Any) -> Proposal:
        """Return the proposal with another doubt and changed fields of its mapping."""
        mapping = replace(self.mapping, **changes)
        return replace(self, mapping=mapping, doubts=(*self.doubts, words), unsure=(*self.unsure, *fields))
