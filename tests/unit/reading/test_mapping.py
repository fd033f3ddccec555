"""What a user says of the columns of a table is read so, shown before it is used, and never completed in secret."""

import io

import pandas as pd
import pytest

import kp_core as kp
from kp_core.reading import Choice, Source, previews
from kp_core.reading.preview import first_rows, understand, with_parts
from tests.cases import ROOT
from tests.format_samples import WEBANNO, archive, workbook

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
    path = ROOT / "sample_data" / name
    assert understand(Source(path.name, path.read_bytes()), Choice()).counts == counts
    frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path, dtype="str")
    frame.to_excel(buffer := io.BytesIO(), index=False)
    assert understand(Source(f"{path.stem}.xlsx", buffer.getvalue()), Choice()).counts == counts


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ('{"d1": "tide, sea"}', {}, [("tide", None, None), ("sea", None, None)]),
        ('{"d1": "tide, sea"}', {"cells": ","}, [("tide", None, None), ("sea", None, None)]),
        ('{"d1": "tide, sea"}', {"cells": ";"}, [("tide, sea", None, None)]),
        ('{"d1": [["tide", "table"], ["sea"]]}', {}, [("tide", ("tide", "table"), None), ("sea", None, None)]),
        (
            '{"d1": [["tide", "table"], ["sea"]]}',
            {"inner": "tokens"},
            [("tide table", None, None), ("sea", None, None)],
        ),
        ('{"d1": [["tide", "1"], ["sea", "0.5"]]}', {}, [("tide", None, 1), ("sea", None, 0.5)]),
        ('{"d1": [["tide", "1"], ["sea", "0.5"]]}', {"inner": "scored"}, [("tide", None, 1), ("sea", None, 0.5)]),
        (
            '{"d1": [["tide", "1"], ["sea", "0.5"]]}',
            {"inner": "variants"},
            [("tide", ("tide", "1"), None), ("sea", ("sea", "0.5"), None)],
        ),
        (
            '{"d1": [["tide", "1"], ["sea", "0.5"]]}',
            {"inner": "tokens"},
            [("tide 1", None, None), ("sea 0.5", None, None)],
        ),
    ],
)
def test_every_reading_of_json_may_be_said(text, options, expected):
    source = Source("g.json", text.encode())
    read = kp.load(gold=source, roles={"g.json": Choice(options=options)}).gold
    read = read.reindex(columns=["phrase", "variants", "relevance"]).astype(object)
    assert list(map(tuple, read.where(read.notna(), None).to_numpy().tolist())) == expected
    assert previews(source, "gold")[0].options["inner"] == ("phrases", "variants", "tokens", "scored")


def test_lists_of_many_single_words_may_as_well_be_the_words_of_phrases():
    text = b'{"d": [["tide", "table"], ["sea", "level"], ["moon", "light"], ["ebb", "flow"], ["high", "water"]]}'
    with pytest.raises(kp.Question) as asked:
        kp.load(gold=Source("g.json", text))
    read = [kp.load(gold=Source("g.json", text), roles=one.choices).gold["phrase"] for one in asked.value.answers[:2]]
    assert read[0].tolist() == ["tide", "sea", "moon", "ebb", "high"]
    assert read[1].tolist() == ["tide table", "sea level", "moon light", "ebb flow", "high water"]


@pytest.mark.parametrize(
    ("source", "offered"),
    [
        (Source("d1.tsv", WEBANNO.encode()), {"label": ("all", "Key", "sea", "water")}),
        (
            Source("a.jsonl", b'{"id": 3, "text": "The tide table", "label": [[4, 14, "KP"], [0, 3, "Other"]]}'),
            {"label": ("all", "KP", "Other")},
        ),
        (workbook({"read me": [["made by x"]], "a": [["doc_id", "phrase"], ["d", "x"]]}), {"sheet": ("read me", "a")}),
    ],
)
def test_what_may_be_chosen_of_a_file_is_offered(source, offered):
    found = previews(source)[0].options
    assert {name: found[name] for name in offered} == offered
