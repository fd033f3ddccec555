"""What a user says of the columns of a table is read so, shown before it is used, and never completed in secret."""

import io
from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_core.reading import Choice, Source
from kp_core.reading.preview import first_rows, understand, with_parts
from tests.format_samples import archive, workbook

SAMPLE_DATA = Path(__file__).parents[3] / "sample_data"

PEOPLE = Source("a.csv", b"Kod,Anna,Ben\nk1,tide,sea\nk2,moon,moon\n")


def test_parts_are_those_by_which_the_table_is_read():
    sheets = {"notes": [["read me"]], "lists": [["id", "Anna", "Ben"], ["d1", "a; b", "c; d"], ["d2", "e", "f; g"]]}
    found = first_rows(workbook(sheets), Choice(options={"sheet": "lists"}))
    assert found.parts == {"id": "doc_id", "Anna": "phrases_of", "Ben": "phrases_of"}
    assert (found.sheets, found.lines, found.rows[1]) == (("notes", "lists"), (1, 2, 3), ("d1", "a; b", "c; d"))
    rated = Source("r.csv", b"phrase,keyphrase,Rater A,Rater B\ntides,tide,3,2\n")
    assert first_rows(rated, Choice()).parts == {
        "phrase": "candidate",
        "keyphrase": "keyphrase",
        "Rater A": "rater",
        "Rater B": "rater",
    }


def test_parts_that_are_said_are_those_that_hold():
    said = with_parts(Choice(), {"Kod": "doc_id", "Anna": "phrases_of", "Ben": "phrases_of"})
    corpus = kp.load(gold=PEOPLE, roles={"a.csv": said})
    assert corpus.gold[["annotator", "doc_id", "phrase"]].to_numpy().tolist() == [
        ["Anna", "k1", "tide"],
        ["Anna", "k2", "moon"],
        ["Ben", "k1", "sea"],
        ["Ben", "k2", "moon"],
    ]
    alone = with_parts(said, {"Kod": "doc_id", "Anna": "phrase", "Ben": "ignore"})
    assert alone == Choice(columns={"doc_id": "Kod", "phrase": "Anna"}, options={"ignore": "Ben"})
    assert kp.load(gold=PEOPLE, roles={"a.csv": alone}).gold["phrase"].tolist() == ["tide", "moon"]


def test_what_would_be_read_is_counted_and_shown_or_said_to_fail():
    text = b"id,keyword\nd1,tide\nd1,sea\nd2,moon\nd2,\nd3,sun\nd4,x\n"
    found = understand(Source("a.csv", text), Choice())
    assert found.counts == {"document": 4, "gold phrase": 5}
    assert found.documents.to_numpy().tolist() == [
        ["d1", "gold", "tide; sea"],
        ["d2", "gold", "moon"],
        ["d3", "gold", "sun"],
    ]
    assert found.rejected["reason"].tolist() == ["an empty phrase"]
    assert "found a first line “Kod,Anna,Ben”" in understand(PEOPLE, Choice()).problem


def test_what_is_no_table_has_no_columns():
    for source in (Source("a.txt", b"tide\nsea\n"), archive({"1.key": "tide"}), Source("a.xlsx", b"PK\x03\x04xl")):
        assert first_rows(source, Choice()) is None


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("templates/gold.csv", {"document": 3, "annotator": 2, "gold phrase": 16}),
        ("templates/system.csv", {"document": 3, "system": 1, "prediction": 12}),
        ("templates/documents.jsonl", {"document": 3, "text": 3}),
        ("studies/indexers.csv", {"document": 3, "annotator": 3, "gold phrase": 22}),
        ("studies/judged_pairs.csv", {"score": 10}),
    ],
)
def test_the_templates_are_read_as_they_are_meant_as_text_and_as_workbooks(name, counts):
    path = SAMPLE_DATA / name
    assert understand(Source(path.name, path.read_bytes()), Choice()).counts == counts
    frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path, dtype="str")
    frame.to_excel(buffer := io.BytesIO(), index=False)
    assert understand(Source(f"{path.stem}.xlsx", buffer.getvalue()), Choice()).counts == counts
