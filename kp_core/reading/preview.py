"""Show a file before it is loaded: the readings that it allows, its first rows, and what a choice makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from kp_core.corpus import Corpus, Role
from kp_core.errors import InputError
from kp_core.reading.choice import Choice
from kp_core.reading.families import family_named
from kp_core.reading.families.tables import tables_of
from kp_core.reading.family import File, Recognition
from kp_core.reading.fields import in_words
from kp_core.reading.layouts import layout_of
from kp_core.reading.limits import LIMITS, Limits
from kp_core.reading.load import load
from kp_core.reading.sniff import readings_of, recognise
from kp_core.reading.source import Source, expand
from kp_core.reading.table import Table
from kp_core.reading.values import frame_of
from kp_core.reading.workbooks import sheet_names

#: Of an archive of many files that stand each by itself, so many are shown.
_SHOWN = 10
#: Rows that are shown as they are, and documents that are shown as they would be read.
_ROWS, _DOCUMENTS = 20, 3
#: Parts of a column that several columns may play, each under its own name.
SEVERAL = ("phrases_of", "rater", "ignore")


@dataclass(frozen=True)
class Preview:
    """One way to read a file: the recognition, the switches of its family, and its first rows.

    of  the file or files of an archive that are read so; empty where the reading is one of several of a single file
    """

    recognition: Recognition
    options: dict[str, tuple[str, ...]]
    rows: pd.DataFrame
    of: str = ""


def previews(
    source: Source, role: Role | None = None, choice: Choice | None = None, first: int = 3, limits: Limits = LIMITS
) -> list[Preview]:
    """Return every reading of a file, the likeliest first, with its first rows; of an archive how its files are read.

    >>> found = previews(Source("a.json", b'{"d": [["a", "b"], ["c"]]}'))
    >>> found[0].recognition.family, found[0].options["inner"], found[0].rows["phrase"].tolist()
    ('F1', ('phrases', 'variants', 'tokens', 'scored'), ['a', 'c'])
    """
    choice = choice or Choice()
    asked = choice.role or role
    bundle = expand(source, limits)
    files = [File(one, limits, choice=choice) for one in bundle.files]
    if bundle.folder:
        return [_preview(found, asked, first, _files(found)) for found in recognise(files, asked, [], {})[:_SHOWN]]
    found = readings_of(files[0], asked)
    return [_preview(reading, asked, first) for reading in sorted(found, key=lambda reading: -reading.strength)]


def _files(recognition: Recognition) -> str:
    files = recognition.files
    return files[0].name if len(files) == 1 else f"{len(files):,} files, such as {files[0].name}"


def _preview(recognition: Recognition, role: Role | None, first: int, of: str = "") -> Preview:
    family = family_named(recognition.family)
    parts = family.read(recognition, role)
    table = parts[0].table.slice(0, first) if parts else None
    rows = pd.DataFrame() if table is None else frame_of(table, ()).drop(columns="list", errors="ignore")
    rows = rows.dropna(axis="columns", how="all")
    if "variants" in rows:
        rows["variants"] = ["; ".join(spellings or ()) for spellings in rows["variants"]]
    recognition = replace(recognition, evidence=in_words(recognition.evidence))
    return Preview(recognition, dict(getattr(family, "OPTIONS", {})) | recognition.offers, rows, of)


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a sheet, as they are: the line of each, its cells, and the heads under the present choice.

    parts   column → part, as the table is read now
    sheets  names of all sheets of a workbook
    """

    heads: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    parts: Mapping[str, str]
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Understood:
    """What one file gives alone: how many of each thing, the first documents as they would be read, and rejected rows.

    documents  one row a list: document, whose list, its first phrases (or the beginning of a text)
    problem    why nothing can be read, in words; the counts are 0 then
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    documents: pd.DataFrame = field(default_factory=pd.DataFrame)
    rejected: pd.DataFrame = field(default_factory=pd.DataFrame)
    problem: str = ""


def first_rows(source: Source, choice: Choice, limits: Limits = LIMITS) -> FirstRows | None:
    """Return the first rows of a table, None for a file that is none.

    >>> found = first_rows(Source("a.csv", b"Nr;Wort\\n1;Haus\\n"), Choice())
    >>> found.heads, found.lines, found.rows, found.parts
    (('Nr', 'Wort'), (1, 2), (('Nr', 'Wort'), ('1', 'Haus')), {'Nr': 'doc_id', 'Wort': 'phrase'})
    """
    try:
        bundle = expand(source, limits)
        if bundle.folder:
            return None
        plain = Choice(options={**choice.options, "header": "no"})
        file = File(bundle.files[0], limits, choice.encoding)
        # The sheets of a workbook are the same whatever is chosen; a table of text is parted as it is chosen.
        other = file if file.workbook else File(bundle.files[0], limits, choice.encoding)
        as_is, read = tables_of(other, plain, choice.role), tables_of(file, choice, choice.role)
    except InputError:
        return None
    if not as_is or not read:
        return None
    first = as_is[0]
    columns = [first.first_texts(name, _ROWS).to_pylist() for name in first.names]
    sheets = tuple(sheet_names(file)) if file.workbook else ()
    lines = tuple(first.line_numbers()[:_ROWS].tolist())
    rows = tuple(zip(*columns, strict=True))
    return FirstRows(tuple(read[0].names), lines, rows, _parts_of(read[0], choice), sheets)


def _parts_of(table: Table, choice: Choice) -> dict[str, str]:
    """Return column → part, as a table is read."""
    layout = layout_of(table, None, choice)
    if layout is None:
        return parts_of(choice)
    same = {"phrases": "phrase", "source": "annotator" if layout.role == "gold" else "system", "votes": "relevance"}
    found = {name: same.get(role, role) for role, name in layout.columns.items()}
    several = "rater" if layout.kind == "judged" else "phrases_of"
    return found | {name: several for names in layout.sources.values() for name in names}


def parts_of(choice: Choice) -> dict[str, str]:
    """Return column → part that a choice gives it.

    >>> parts_of(Choice(columns={"doc_id": "Nr"}, options={"phrases_of": "Anna\\nBen"}))
    {'Nr': 'doc_id', 'Anna': 'phrases_of', 'Ben': 'phrases_of'}
    """
    found = {column: role for role, column in choice.columns.items()}
    for part in SEVERAL:
        found |= dict.fromkeys(choice.several(part), part)
    return found


def with_parts(choice: Choice, parts: Mapping[str, str]) -> Choice:
    """Return a choice in which columns play these parts (nothing: none) and no others.

    >>> with_parts(Choice(), {"Nr": "doc_id", "Anna": "phrases_of", "Ben": "phrases_of"}).options
    {'phrases_of': 'Anna\\nBen'}
    """
    columns = {part: name for name, part in parts.items() if part and part not in SEVERAL}
    options = {name: value for name, value in choice.options.items() if name not in SEVERAL}
    for several in SEVERAL:
        names = [name for name, part in parts.items() if part == several]
        options |= {several: "\n".join(names)} if names else {}
    return replace(choice, columns=columns, options=options)


def understand(source: Source, choice: Choice, limits: Limits = LIMITS) -> Understood:
    """Read one file alone, as a choice says, and return what comes of it.

    >>> found = understand(Source("a.csv", b"id,keyword\\nd1,tide\\nd1,sea\\n"), Choice())
    >>> dict(found.counts), found.documents.values.tolist()
    ({'document': 1, 'gold phrase': 2}, [['d1', 'gold', 'tide; sea']])
    """
    try:
        corpus = load(files=source, roles={source.name: choice}, limits=limits)
    except InputError as refusal:
        return Understood(problem=str(refusal))
    sizes = {
        "document": len(corpus.documents),
        "annotator": len(corpus.annotators) if len(corpus.annotators) > 1 else 0,
        "gold phrase": len(corpus.gold),
        "system": len(corpus.systems),
        "prediction": len(corpus.runs),
        "text": int((corpus.documents["text"].fillna("") != "").sum()),
        "score": len(corpus.judgements),
    }
    counts = {name: size for name, size in sizes.items() if size}
    return Understood(counts, _first_documents(corpus), corpus.report.rejected)


def _first_documents(corpus: Corpus) -> pd.DataFrame:
    """Return the lists and texts of the first documents, one a row."""
    first = corpus.documents.head(_DOCUMENTS)
    rows: list[tuple[str, str, str]] = []
    for doc_id, title, text in zip(first["doc_id"], first["title"], first["text"], strict=True):
        told = [part for part in (title, text) if isinstance(part, str) and part]
        rows += [(doc_id, "text", ": ".join(told)[:200])] if told else []
        for table, source in ((corpus.gold, "annotator"), (corpus.runs, "system")):
            lists = table[table["doc_id"] == doc_id].groupby(source, sort=False)["phrase"]
            rows += [(doc_id, str(name), "; ".join(phrases)) for name, phrases in lists]
    scores = corpus.judgements.head(0 if rows else _DOCUMENTS)
    rows += [
        (str(row["pair_id"]), str(row["annotator"]), f"{row['candidate']} – {row['keyphrase']}: {row['score']:g}")
        for _, row in scores.iterrows()
    ]
    return pd.DataFrame(rows, columns=["document", "whose", "as it would be read"])
