"""Exports of known programs are recognized by their headers alone, and read correctly."""

import csv
import io
import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kp_core.corpus import Corpus
from kp_core.reading import Question, Source, load
from kp_core.reading.meaning.fields import plain
from kp_core.reading.meaning.layouts import SCHEMAS, schema_of
from tests.format_samples import workbook
from tests.forms import proposed

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FILES = [
    pytest.param(sample, file, id=f"{sample['schema']} {number}.{part} {file['name']}")
    for number, sample in enumerate(CASES["sample"])
    for part, file in enumerate(sample["files"])
]
COLUMNS = {
    "gold": ["doc_id", "annotator", "phrase"],
    "runs": ["system", "doc_id", "rank", "phrase"],
    "judgements": ["pair_id", "keyphrase", "candidate", "annotator", "score"],
    "documents": ["doc_id", "title", "text"],
}


def dotted(value: Any, name: str = "") -> Iterator[str]:
    """Yield the fields of an object, and of objects and lists of objects within it, with dots between."""
    objects = isinstance(value, list) and any(isinstance(part, dict) for part in value)
    if not isinstance(value, dict):
        yield name
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if objects else ():
        yield from dotted(part, f"{name}.{key}".lstrip("."))


def heads_of(file: dict[str, Any]) -> list[str]:
    """Return the first row of a table that has several cells, or the fields of the first object."""
    if "sheet" in file:
        return next(row for row in file["sheet"] if len(row) > 1)
    text = file["text"]
    if text[0] in "[{":
        first = json.loads(text if text[0] == "[" else text.splitlines()[0])
        return list(dotted(first[0] if isinstance(first, list) else first))
    line = text.splitlines()[0]
    return next(csv.reader(io.StringIO(text), delimiter=max("\t;,", key=line.count)))


@pytest.mark.parametrize(("sample", "file"), FILES)
def test_headers_identify_schema(sample: dict[str, Any], file: dict[str, Any]) -> None:
    schema = schema_of(heads_of(file))
    assert schema is not None
    assert schema.name == sample["schema"]
    assert schema_of([*reversed(heads_of(file))]) is schema


@pytest.mark.parametrize("heads", CASES["plain"]["heads"])
def test_tables_of_other_things_have_no_schema(heads: str) -> None:
    assert schema_of(heads.split(",")) is None


def test_every_schema_has_file_and_normalized_headers() -> None:
    reported = {sample["schema"] for sample in CASES["sample"]}
    for schema in SCHEMAS:
        assert schema.name in reported
        assert schema.needs or schema.any
        heads = {*schema.needs, *schema.any, *schema.lists, *schema.no, *schema.besides}
        heads.update(head for every in schema.columns.values() for head in every)
        assert {head for head in heads if plain(head) != head and not head.startswith("input.")} == set()


def test_task_headers_are_no_export_headers() -> None:
    names = ["HITId", "Title", "Keywords", "WorkerId", "Input.title", "Answer.title"]
    schema = schema_of(names)
    assert schema is not None
    assert schema.by_head(names)["title"] == "Title"
    assert schema.by_head(names)["input.title"] == "Input.title"
    assert schema.answers(names) == ["Answer.title"]


def source_of(file: dict[str, Any]) -> Source:
    if "sheet" in file:
        return replace(workbook({"Sheet1": file["sheet"]}), name=file["name"])
    return Source(file["name"], file["text"].encode())


def read(sample: dict[str, Any], file: dict[str, Any]) -> Corpus:
    """Load a file, and answer the first question, if any, with its first answer."""
    role = {"runs": "systems"}.get(table := sample.get("table", "gold"), table)
    try:
        return load(**{role: source_of(file)})
    except Question as question:
        if not sample.get("asked"):
            raise
        fixes = question.answers[0].fixes if question.answers else ()
        return load(**{role: source_of(file)}, mapping=proposed(question), fixes=fixes)


def rows(corpus: Corpus, table: str, columns: list[str] | None = None) -> list[str]:
    result = getattr(corpus, table).reindex(columns=columns or COLUMNS[table]).astype(object)
    return [" | ".join(map(str, row)) for row in result.where(result.notna(), "").to_numpy()]


@pytest.mark.parametrize(("sample", "file"), FILES)
def test_exports_are_read_correctly(sample: dict[str, Any], file: dict[str, Any]) -> None:
    corpus, table = read(sample, file), sample.get("table", "gold")
    assert table == "documents" or sorted(rows(corpus, table, sample.get("columns"))) == sorted(sample["rows"])
    assert "texts" not in sample or rows(corpus, "documents") == sample["texts"]
