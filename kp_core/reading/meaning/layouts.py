"""Turn a table into a layout, following the user's mapping, a known export, or its column names and cells."""

from __future__ import annotations

import re
import tomllib
from collections import abc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kp_core.corpus import Role
from kp_core.errors import InputError, Note, pluralize
from kp_core.reading.meaning import fields as known
from kp_core.reading.meaning.fields import NAMES, base_of, grouped, number_of, plain, quoted, roles_in_words, words_of
from kp_core.reading.meaning.layout import Layout
from kp_core.reading.meaning.mapping import FILE, HEADS, PLACES, ROW, SEPARATORS, SHEET, Mapping, Proposal
from kp_core.reading.meaning.prefill import proposal, systems_named
from kp_core.reading.meaning.profiles import cells_of, count_distinct, fill_forward, is_blank, whole_lists
from kp_core.reading.open.source import stem_of
from kp_core.reading.open.table import Table, holds_lists, list_columns
from kp_core.reading.open.values import repeated
from kp_core.reading.rows.separators import cell_separator, number_behind

#: Role of a column → field of a mapping, in the order in which columns are shown; and the roles in a table of texts.
_ROLES = {"pair_id": "pair", "doc_id": "document"} | {
    role: role
    for role in (
        *("system", "annotator", "rank", "score", "relevance", "votes", "verdict"),
        *("phrase", "keyphrase", "candidate", "concept", "title", "text", "group"),
    )
}
_DOCUMENTS = ("doc_id", "text", "title", "group")
#: Minimum number of columns of bibliographic data in records of a catalog.
_RECORD = 2
#: Subject indexer's mark (yes, indirectly, no) → grade.
GRADES = {"Y": "2", "I": "1", "N": "0"}


def layout_of(table: Table, role: Role | None, mapping: Mapping) -> Layout | None:
    """Return the layout that a mapping specifies, else the proposed one with its doubts, or None."""
    requested = mapping.role if mapping.role and mapping.role != "leave out" else role
    if not table.names:
        return None
    schema = schema_of(table.names) if table.header else None
    if schema is not None:  # some exports mark rows as rejected or as tests
        by_head = schema.by_head(table.names)
        table = without(table, {by_head[head]: values for head, values in schema.no.items() if head in by_head})
    table = derived(table, mapping)
    if mapping.names_columns:
        return layout_from_mapping(table, mapping, requested)
    proposed = export_of(table, requested) or proposal(table, requested)
    if proposed is None:
        return None
    if proposed.is_ours and not proposed.mapping.relevance:
        proposed = systems_named(table, proposed, ())
    complete = replace(proposed.mapping, dataset=table.dataset, run=table.run).merged(replace(mapping, role=""))
    layout = layout_from_mapping(table, complete, cast(Role, proposed.mapping.role))
    origin = f"as {proposed.program} writes it; " if proposed.program else ""
    proposed = replace(proposed, doubts=()) if mapping.as_read else proposed
    return replace(layout, evidence=f"{origin}{layout.evidence}", proposal=proposed)


def layout_from_mapping(table: Table, mapping: Mapping, role: Role | None) -> Layout:
    """Return the layout that a mapping specifies; only the separator inside cells may be detected.

    Raises InputError for columns missing from the table, or fields missing from the mapping.
    """
    for name in mapping.columns:
        if name not in (*table.names, table.dataset, table.run):  # data set and run are part of ids and system names
            similar = get_close_matches(name, table.names, 3, 0.5) or table.names[:10]
            remedy = f"Did you mean {' or '.join(f'“{other}”' for other in similar)}?"
            raise InputError(table.file, f"no column “{name}”", "columns that the file has", remedy)
    known_role = role or _role_of(mapping)
    names = {part: getattr(mapping, field, "") for part, field in _ROLES.items()}
    names["score"] = mapping.score[0] if len(mapping.score) == 1 else ""
    columns = {part: name for part, name in names.items() if name and name not in PLACES}
    if mapping.document in (FILE, SHEET):
        index = stem_of(table.file) if mapping.document == FILE else table.sheet
        table = with_column(table, mapping.document, repeated(index, len(table)))
        columns["doc_id"] = mapping.document
    if mapping.annotator == ROW:
        table, columns["annotator"] = with_column(table, ROW, table.numbers()), ROW
    table, filled = _filled_down(table, columns | dict(zip(["phrase"], mapping.keyphrases, strict=False)), mapping)
    table = without(table, {mapping.verdict: known.NO} if mapping.verdict else {})
    layout = Layout("documents", table, known_role, columns, replace(mapping, role=known_role))
    if known_role == "documents":
        _require({"text", "title", "group"} & columns.keys(), table, "a column of texts or titles")
    elif known_role == "judgements":
        layout = _judged_layout(layout)
    else:
        heads_are_phrases = mapping.marks and mapping.document != HEADS
        _require(mapping.keyphrases or heads_are_phrases, table, "a column of keyphrases")
        layout = replace(layout, source=table.sheet if SHEET in (mapping.annotator, mapping.system) else "")
        layout = _in_columns(layout) or _in_one_column(layout)
    in_heads = mapping.document == HEADS and layout.kind in ("turned", "marked")
    if not ("doc_id" in layout.columns or layout.numbered or in_heads or layout.kind == "judged"):
        remedy = f"Name it: --as {table.file}:document=…, or document={ROW} if each row is a document."
        raise InputError(table.file, "no column of documents", "what the documents are", remedy)
    order = _DOCUMENTS if known_role == "documents" else _ROLES
    layout = replace(layout, columns={part: layout.columns[part] for part in order if part in layout.columns})
    return replace(layout, evidence=_evidence(layout) + filled)


def _evidence(layout: Layout) -> str:
    table, names = layout.table, [name for columns in layout.sources.values() for name in columns]
    listed = names if layout.kind in ("wide", "turned", "marked", "scored") else []
    columns = {role: name for role, name in layout.columns.items() if name not in listed}
    parts = [table.described + ("" if table.header else " without a header"), roles_in_words(columns)]
    if layout.kind == "wide" and (gold := [name for name in names if name in layout.mapping.gold]):
        systems = [name for name in names if name not in gold]
        parts.append(f"the gold standard in {quoted(gold)}, systems in {quoted(systems)}")
    elif list(layout.sources) == [""]:
        parts.append(f"one list in {pluralize(len(names), 'column')}")
    elif layout.sources:
        sources = "systems" if layout.role == "system" else "annotators"
        parts.append(f"{'documents' if layout.kind == 'turned' else sources} in {quoted(names)}")
    cells = layout.cells if layout.kind == "lists" else ""
    parts += [SEPARATORS.get(cells, "")] + ["each row is a document"] * layout.numbered
    return "; ".join(filter(None, parts))


def _role_of(mapping: Mapping) -> Role:
    if mapping.candidate:
        return "judgements"
    if mapping.system or mapping.rank or mapping.score:
        return "system"
    return "gold" if mapping.keyphrases else "documents"


def _require(value: object, table: Table, expected: str, found: str = "no column with this meaning") -> None:
    if not value:
        raise InputError(table.file, found, expected, "Specify which column it is.")


def _judged_layout(layout: Layout) -> Layout:
    mapping, phrases, scores = layout.mapping, layout.mapping.keyphrases, tuple(layout.mapping.score)
    value = phrases or scores if mapping.candidate else phrases and "relevance" in layout.columns
    _require(value, layout.table, "a column of candidates next to keyphrases or scores", "no human scores")
    if not mapping.candidate:
        return replace(layout, kind="long", columns=layout.columns | {"phrase": phrases[0]})
    keyphrase = {"keyphrase": phrases[0]} if phrases else {}
    names = scores if len(scores) > 1 or mapping.annotator == HEADS else ()
    raters = {known.JUDGE.sub(lambda match: match[1] or match[0], name): (name,) for name in names}
    scale = mapping.scale or "any" * mapping.as_read
    return replace(layout, kind="judged", columns=layout.columns | keyphrase, sources=raters, cells=scale)


def _in_columns(base: Layout) -> Layout | None:
    """Return the layout if there are several columns of keyphrases, marks or scores, else None."""
    mapping, phrases = base.mapping, tuple(base.mapping.keyphrases)
    separate = HEADS in (mapping.annotator, mapping.system)
    columns = base.columns | dict(zip(["phrase"], phrases, strict=False))  # without phrases, the heads of marks are
    if mapping.marks:
        return replace(base, kind="marked", columns=columns, sources={name: (name,) for name in mapping.marks})
    if mapping.document == HEADS:
        return replace(base, kind="turned", sources={name: (name,) for name in phrases}, cells=mapping.split)
    if len(mapping.score) > 1:
        scored = {known.source_of(name, "score") or name: (name,) for name in mapping.score}
        return replace(base, kind="scored", columns=columns, sources=scored)
    if not separate and len(phrases) == 1:
        return None
    lists = phrases if {*mapping.gold} & {*phrases} else whole_lists(base.table, phrases)
    sources = grouped(phrases, lists) if separate else {"": phrases}
    return replace(base, kind="wide", sources=sources, cells="" if mapping.split == "none" else mapping.split)


def _in_one_column(layout: Layout) -> Layout:
    mapping, table, name = layout.mapping, layout.table, layout.mapping.keyphrases[0]
    layout = replace(layout, columns=layout.columns | {"phrase": name})
    cells = "lists" if name in list_columns(table) else mapping.split
    if not cells:  # a ranked row is one phrase
        one_phrase = not table.splits or {"rank", "score"} & layout.columns.keys()
        cells = "none" if one_phrase else cell_separator(table, name, certain=False) or "none"
    # With one keyphrase per row, the rows of a document are one list, unless each row is a document.
    if cells != "none" or layout.numbered:
        return replace(layout, kind="lists", cells=cells)
    if mapping.inner != "scored":
        return replace(layout, kind="long")
    columns = {"phrase": "(phrase)", "score": "(score)"}
    pairs = zip(*map(number_behind, table.texts(name).to_pylist()), strict=True)
    for part, values in zip(columns.values(), pairs, strict=True):
        table = with_column(table, part, pa.chunked_array([pa.array(values, pa.large_string())]))
    return replace(layout, kind="long", table=table, columns=layout.columns | columns)


# derived columns


def with_column(table: Table, name: str, column: pa.ChunkedArray) -> Table:
    """Return a table with a column replaced, or added at its end."""
    columns = dict(zip(table.names, table.columns, strict=True)) | {name: column}
    return replace(table, names=[*columns], columns=[*columns.values()])


def derived(table: Table, mapping: Mapping) -> Table:
    """Return a table with data sets as prefixes of ids, runs as suffixes of systems, and grades in place of marks.

    >>> columns = [pa.chunked_array([[a, b]]) for a, b in (("nus", "inspec"), ("1", "1"), ("tide", "sea"))]
    >>> table = derived(Table("g.csv", ["dataset", "doc_id", "phrase"], columns), Mapping())
    >>> table.names, table.datasets, table.texts("doc_id").to_pylist()
    (['doc_id', 'phrase'], ('nus', 'inspec'), ['nus/1', 'inspec/1'])
    """
    if mapping.names_columns:
        chosen = mapping.dataset, mapping.run, mapping.document, mapping.system
        datasets, runs, documents, systems = ([column] if column in table.names else [] for column in chosen)
    else:
        datasets = [name for name in table.names if plain(name) in known.DATASETS]
        runs = [name for name in table.names if plain(name) in known.RUNS]
        roles = known.find_roles([name for name in table.names if name not in runs], ("doc_id", "system"))
        documents, systems = ([roles[role]] if role in roles else [] for role in ("doc_id", "system"))
    n_bibliographic = sum(plain(name) in known.BESIDES for name in table.names if name not in datasets)
    if len(datasets) == len(documents) == 1 and n_bibliographic < _RECORD:
        table = _with_datasets(table, *datasets, *documents, chosen=mapping.names_columns)
    if len(runs) == len(systems) == 1 and not {*runs, *systems} - {*table.names}:
        cells = {name: table.texts(name) for name in (*systems, *runs)}
        single_runs = count_distinct(cells) == len(pc.unique(cells[systems[0]]))
        if not single_runs and "" not in pc.unique(cells[runs[0]]).to_pylist():
            column = _join_columns(cells[systems[0]], "#", cells[runs[0]])
            table = replace(with_column(table, systems[0], column).without(runs), run=runs[0])
    return _add_grades(table, mapping)


def _with_datasets(table: Table, dataset: str, document: str, *, chosen: bool) -> Table:
    datasets, ids = table.texts(dataset), table.texts(document)
    names = [name for name in pc.unique(datasets).to_pylist() if name.strip()]
    unique_ids = count_distinct({"dataset": datasets, "id": ids}) == len(pc.unique(ids))
    if len(names) < 2 or (unique_ids and plain(dataset) in known.UNSURE and not chosen):
        return table
    n_missing = pc.sum(pc.and_(pc.equal(pc.utf8_trim_whitespace(datasets), ""), pc.not_equal(ids, ""))).as_py()
    if n_missing:
        remedy = f"Fill “{dataset}”, or define the other columns: --as {table.file}:document=…,keyphrases=…"
        found = pluralize(n_missing, "row without a data set", "rows without a data set")
        raise InputError(table.file, found, "a data set in every row, or in none", remedy)
    if not all(map(str.startswith, ids.to_pylist(), (f"{name}/" for name in datasets.to_pylist()))):
        ids = _join_columns(datasets, "/", ids)
    changed = with_column(table, document, ids).without([dataset])
    return replace(changed, datasets=tuple(names), dataset=dataset)


def _join_columns(first: pa.ChunkedArray, mark: str, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """Join two columns; blank if either cell is blank, so that the row is rejected."""
    blank, nothing = pc.or_(pc.equal(first, ""), pc.equal(second, "")), pa.scalar("", pa.large_string())
    return pc.if_else(blank, nothing, pc.binary_join_element_wise(first, second, pa.scalar(mark, pa.large_string())))


def _add_grades(table: Table, mapping: Mapping) -> Table:
    """Replace marks with grades; unmarked rows count as N, with a note."""
    for name in table.names if table.header else ():
        if plain(name) not in NAMES["relevance"] and mapping.relevance != name:
            continue
        marks = set(map(str.upper, cells_of(table, name)))
        if not marks or not marks <= GRADES.keys():
            continue
        cells = list(map(str.strip, table.texts(name).to_pylist()))
        grades = pa.array([GRADES.get(cell.upper() or "N", cell) for cell in cells], pa.large_string())
        grades_in_words = ", ".join(f"{mark} = {grade}" for mark, grade in GRADES.items() if mark in marks)
        table = with_column(table, name, pa.chunked_array([grades]))
        table.described += f"; marks in “{name}” are grades ({grades_in_words})"
        if blank := cells.count(""):
            message = f"Rows without a mark in “{name}”, which count as N: {blank:,}."
            table.notes = [*table.notes, Note("warning", table.file, message)]
    return table


def _filled_down(table: Table, columns: dict[str, str], mapping: Mapping) -> tuple[Table, str]:
    """Fill down ids, annotators and systems given only in their first row; return the table and the evidence."""
    evidence = ""
    for role in ("annotator", "system", "doc_id") if len(table) else ():
        if role not in columns:
            continue
        name, blank = columns[role], is_blank(table, columns[role])
        n_blank = pc.sum(blank).as_py()
        if n_blank and not blank[0].as_py() and _are_merged(table, columns, role, blank, mapping):
            table = with_column(table, name, fill_forward(table, name))
            evidence += f"; “{name}” of {pluralize(n_blank, 'row')} is that of the row above"
    return table, evidence


def _are_merged(table: Table, columns: dict[str, str], role: str, blank: pa.ChunkedArray, mapping: Mapping) -> bool:
    if mapping.fill_down:
        return mapping.fill_down == "yes"
    share = pc.sum(blank).as_py() / len(table)
    if role != "doc_id":  # for a missing annotator, the file name may be meant; merged cells span most rows
        under = "doc_id" in columns and pc.all(pc.or_(pc.invert(blank), is_blank(table, columns["doc_id"]))).as_py()
        return share >= 0.5 or bool(under)
    source = columns.get("annotator", columns.get("system"))
    heads = table.rows(pc.invert(blank))
    keys = {name: heads.texts(name) for name in (columns["doc_id"], source) if name is not None}
    return share >= 0.2 and count_distinct(keys) == len(heads)


# known exports, as defined in `schemas.toml`

#: Words of a question that ask for keyphrases, the document, or the annotator.
_QUESTION_WORDS = {
    "keyphrases": frozenset({*words_of("phrase"), "keyphrases", "keywords", "phrases"}),
    "document": frozenset(
        {*NAMES["doc_id"], *NAMES["text"], *NAMES["title"], "read", "lecture", "annotate", "vorlesung"} - {"name"}
    ),
    "annotator": frozenset({*NAMES["name"], *NAMES["annotator"]}),
}


@dataclass(frozen=True)
class Schema:
    """The columns of an export; `schemas.toml` describes the fields."""

    name: str
    role: Role = "gold"
    needs: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    whole: bool = False
    columns: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    joined: bool = False
    cells: str = ""
    inner: str = ""
    no: abc.Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ids: str = ""
    prefix: abc.Mapping[str, str] = field(default_factory=dict)
    questions: bool = False
    besides: tuple[str, ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether the table is an export of KPScope."""
        return self.name.startswith("KPScope")

    @property
    def asks(self) -> bool:
        """Whether the table contains people's answers to questions."""
        return self.questions or bool(self.prefix)

    def fits(self, names: Sequence[str], heads: frozenset[str]) -> bool:
        """Return whether a table with these column names is such an export; `heads`: the names normalized."""
        if not heads.issuperset(self.needs) or not (heads.intersection(self.any) or not self.any):
            return False
        return (not self.whole or heads <= self._named()) and (not self.prefix or bool(self.answers(names)))

    def by_head(self, names: Iterable[str]) -> dict[str, str]:
        """Return {normalized name: column}; columns of the annotation task keep their prefix.

        >>> schema_of(["HITId", "Title", "Input.Title", "Answer.kp"]).by_head(["Title", "Input.Title"])
        {'title': 'Title', 'input.title': 'Input.Title'}
        """
        starts, columns = [start.lower() for start in self.prefix.values()], dict[str, str]()
        for name in names:
            start = next((start for start in starts if name.strip().lower().startswith(start)), "")
            columns.setdefault(start + plain(name.strip()[len(start) :]), name)
        return columns

    def answers(self, names: Iterable[str]) -> list[str]:
        """Return the columns of answers that may contain keyphrases.

        >>> names = ["Timestamp", "Email Address", "Which text?", "Keywords"]
        >>> schema_of(names).answers(names)
        ['Which text?', 'Keywords']
        """
        if self.prefix:
            start = self.prefix["answers"].lower()
            return [name for name in names if name.strip().lower().startswith(start)]
        return [name for head, name in self.by_head(names).items() if head not in self._named()] * self.questions

    def _named(self) -> frozenset[str]:
        of_roles = (head for heads in self.columns.values() for head in heads)
        return frozenset((*self.needs, *self.any, *self.lists, *self.no, *self.besides, *of_roles))


def schema_of(names: Sequence[str]) -> Schema | None:
    """Return the schema of an export with these names of columns or fields, if it is known.

    >>> schema_of(["EID", "Title", "Author Keywords"]).name
    'Scopus'
    >>> schema_of(["id", "keywords"]) is None
    True
    """
    heads = frozenset(map(plain, names))
    return next((schema for schema in SCHEMAS if schema.fits(names, heads)), None)


#: All schemas in the order of recognition.
SCHEMAS = tuple(
    Schema(**{name: cast(Any, tuple(value) if isinstance(value, list) else value) for name, value in entry.items()})
    for entry in tomllib.loads(Path(__file__).with_name("schemas.toml").read_text("utf-8"))["schema"]
)
#: The schema of an unknown online form, whose other columns are questions.
_FORM = Schema(
    "a form",
    columns={"annotator": tuple(word for word in NAMES["annotator"] if "mail" in word)},
    besides=tuple(known.BESIDES),
    questions=True,
)


def export_of(table: Table, role: Role | None) -> Proposal | None:
    """Return the meaning of a table if it is a known export, else None."""
    schema = schema_of(table.names) or (_FORM if known.is_form(table.names) else None) if table.header else None
    other_roles = ("gold", "system") if schema and schema.role in ("gold", "system") else ()
    if schema is None or schema.role == "judgements" or role not in (None, schema.role, *other_roles):
        return None
    columns, inferred_role = _columns(table, schema), role or schema.role
    fields = _answers(table, schema, columns) if schema.asks else _lists(table, schema, columns, inferred_role)
    if "keyphrases" not in fields and schema.role != "documents":
        return None
    draft = Proposal(Mapping(inferred_role, **{"document": ROW, **columns, **fields}), is_ours=schema.is_ours)
    if schema.questions and "mail" in plain(draft.mapping.annotator):
        draft = draft.doubted(f"“{draft.mapping.annotator}” may name who chose these keyphrases.", "annotator")
    if draft.mapping.document == HEADS:
        draft = draft.doubted("Each row is a person, and each question may be a document.", "document")
    return draft if schema.is_ours else replace(draft, program=schema.name)


def without(table: Table, refused: abc.Mapping[str, Iterable[str]]) -> Table:
    """Return a table without the rows that have one of these values, in any case, in a column."""
    rejected = np.zeros(len(table), dtype=bool)
    for name, values in refused.items():
        cells = pc.utf8_lower(pc.utf8_trim_whitespace(table.texts(name)))
        rejected |= pc.is_in(cells, pa.array(map(str.lower, values), pa.large_string())).to_numpy()
    return table.take_out(rejected, f"Rows left out because of {quoted([*refused])}: {int(rejected.sum()):,}.")


def _columns(table: Table, schema: Schema) -> dict[str, str]:
    """Return field → its first non-empty column; ids must differ per row, and annotators must vary."""
    columns, by_head = dict[str, str](), schema.by_head(table.names)
    for field_name, heads in schema.columns.items():
        for name in (by_head[head] for head in heads if head in by_head):
            cells = cells_of(table, name)
            has_repeats = field_name == "document" and schema.ids == "rows" and len(set(cells)) < len(table)
            is_constant = field_name == "annotator" and schema.asks and len(set(cells)) == 1 < len(table)
            if (cells or schema.is_ours) and not has_repeats and not is_constant:
                columns.setdefault(field_name, name)
    return columns


def _lists(table: Table, schema: Schema, columns: dict[str, str], role: Role) -> dict[str, Any]:
    """Return the fields of columns of keyphrases, and how their cells are split."""
    by_head = schema.by_head(table.names)
    names = [name for head, name in by_head.items() if head in schema.lists and cells_of(table, name)]
    names = names or [name for field_name, name in columns.items() if field_name == "keyphrases"]
    if not names or ("document" not in columns and schema.ids != "rows"):
        return {}
    nested = schema.inner or holds_lists(table.column(names[0]))
    split = "" if nested else schema.cells or cell_separator(table, names[0])
    sources = {"system" if role == "system" else "annotator": HEADS} if len(names) > 1 and not schema.joined else {}
    return {"keyphrases": tuple(names), "split": split, "inner": schema.inner, **sources}


def _answers(table: Table, schema: Schema, columns: dict[str, str]) -> dict[str, Any]:
    """Return the fields of answers: a question for the document with lists, or one document per question."""
    questions = [name for name in schema.answers(table.names) if cells_of(table, name)]
    parts: dict[str, list[str]] = {"keyphrases": [], "": []}
    for name in questions:
        question = name.removeprefix(schema.prefix.get("answers", ""))
        words = {plain(word) for word in re.split(r"[\W_]+", question)} | {plain(base_of(question))}
        purpose = next((part for part, part_words in _QUESTION_WORDS.items() if words & part_words), "")
        parts.setdefault(purpose, []).append(name)
    people = parts.get("annotator", [])
    if people and ("annotator" not in columns or len(people) == 1):
        columns["annotator"] = people[0]
    lists = parts["keyphrases"] or parts[""]
    document = columns.get("document") or next(iter(parts.get("document", [])), "")
    numbered = len(set(map(base_of, lists))) == 1 and None not in map(number_of, lists)
    if document and (len(lists) == 1 or numbered):
        split = cell_separator(table, lists[0]) if len(lists) == 1 else "none"
        return {"document": document, "keyphrases": tuple(lists), "split": split}
    lists = lists or [name for name in questions if name != columns.get("annotator")]
    return {"document": HEADS, "keyphrases": tuple(lists), "annotator": columns.get("annotator", ROW)} if lists else {}
