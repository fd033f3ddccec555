"""Spans and labels of doccano, Label Studio and INCEpTION become keyphrases of annotators, exactly as marked."""

import json

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Choice, Source, previews
from tests.format_samples import WEBANNO, archive

TEXT = "The tide table is wrong, the tide table."


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


def jsonl(*records, name="ana.jsonl"):
    return Source(name, "".join(json.dumps(record) + "\n" for record in records).encode())


def task(value, text="Water \U0001f30a rises", **result):
    results = [{"type": "labels", "value": value, **result}]
    return Source(
        "t.json", json.dumps([{"id": 1, "data": {"text": text}, "annotations": [{"result": results}]}]).encode()
    )


# doccano

FORMS = {
    "lists": {"label": [[4, 14, "KP"], [29, 39, "KP"], [0, 3, "Other"]]},
    "older": {"labels": [[4, 14, "KP"], [29, 39, "KP"], [0, 3, "Other"]]},
    "objects": {
        "entities": [
            {"id": 0, "label": "KP", "start_offset": 4, "end_offset": 14},
            {"id": 1, "label": "KP", "start_offset": 29, "end_offset": 39},
            {"id": 2, "label": "Other", "start_offset": 0, "end_offset": 3},
        ],
        "relations": [],
    },
    "prodigy": {
        "spans": [
            {"start": 4, "end": 14, "label": "KP"},
            {"start": 29, "end": 39, "label": "KP"},
            {"start": 0, "end": 3, "label": "Other"},
        ]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_spans_are_phrases_and_count_once(form):
    corpus = kp.load(
        gold=jsonl(
            {"id": 3, "text": TEXT, **FORMS[form]}, {"id": 4, "text": "Sea.", **{key: [] for key in FORMS[form]}}
        )
    )
    assert corpus.report.readings[0].family == "F13"
    assert rows(corpus.gold, "doc_id", "phrase", "label") == [["3", "tide table", "KP"], ["3", "The", "Other"]]
    assert corpus.empty["doc_id"].tolist() == ["4"]
    assert rows(corpus.documents, "doc_id", "text") == [["3", TEXT], ["4", "Sea."]]
    assert any("marked again" in note.message and ": 1;" in note.message for note in corpus.report.notes)


def test_one_label_may_be_chosen_of_several():
    source = jsonl({"id": 3, "text": TEXT, **FORMS["lists"]})
    assert previews(source)[0].options == {"label": ("all", "KP", "Other")}
    corpus = kp.load(gold=source, roles={"ana.jsonl": Choice(options={"label": "Other"})})
    assert corpus.gold["phrase"].tolist() == ["The"]


def test_files_of_users_are_annotators():
    ana = jsonl({"id": 3, "text": TEXT, "label": [[4, 14, "KP"]]})
    ben = jsonl({"id": 3, "text": TEXT, "label": ["sea level", "tides"]}, name="ben.jsonl")
    for given in ({"files": [ana, ben]}, {"gold": archive({"ana.jsonl": ana.data, "ben.jsonl": ben.data})}):
        corpus = kp.load(**given)
        assert rows(corpus.gold, "annotator", "phrase") == [
            ["ana", "tide table"],
            ["ben", "sea level"],
            ["ben", "tides"],
        ]


def test_two_texts_of_one_document_are_refused():
    with pytest.raises(InputError, match="another text for “3”"):
        kp.load(
            files=[
                jsonl({"id": 3, "text": "The tide", "label": [[4, 8, "KP"]]}),
                jsonl({"id": 3, "text": "The moon", "label": [[4, 8, "KP"]]}, name="ben.jsonl"),
            ]
        )


# Label Studio


@pytest.mark.parametrize(("start", "end"), [(9, 14), (8, 13)])  # UTF-16 units, then characters
def test_offsets_are_checked_by_the_text_beside_them(start, end):
    corpus = kp.load(gold=task({"start": start, "end": end, "text": "rises", "labels": ["KP"]}))
    assert corpus.gold["phrase"].tolist() == ["rises"]


def test_offsets_without_a_text_beside_them_count_utf16_units():
    corpus = kp.load(gold=task({"start": 9, "end": 14, "labels": ["KP"]}))
    assert corpus.gold["phrase"].tolist() == ["rises"]
    assert any("UTF-16 units: 1." in note.message for note in corpus.report.notes)
    plain = kp.load(gold=task({"start": 6, "end": 11, "labels": ["KP"]}, text="Water rises"))
    assert plain.gold["phrase"].tolist() == ["rises"]
    assert not plain.report.notes


def test_offsets_that_do_not_give_the_text_are_refused():
    with pytest.raises(InputError, match=r"the text at 0–5 is “Water”"):
        kp.load(gold=task({"start": 0, "end": 5, "text": "tides", "labels": ["KP"]}))


# INCEpTION


def test_webanno_joins_tokens_and_keeps_stacked_spans_apart():
    corpus = kp.load(gold=Source("d1.tsv", WEBANNO.encode()))
    assert rows(corpus.gold, "doc_id", "phrase", "label") == [
        ["d1", "tide table", "Key, sea"],
        ["d1", "tide", "Key, water"],
        ["d1", "new", "Key"],
        ["d1", "Sea level", "Key, sea"],
    ]
    assert corpus.documents["text"].tolist() == ["The tide table [new].\n \U0001f30a Sea level."]
    assert previews(Source("d1.tsv", WEBANNO.encode()))[0].options == {"label": ("all", "Key", "sea", "water")}


@pytest.mark.parametrize(
    "layout", [("annotation/{doc}/{who}.tsv", "folder, annotator = file"), ("{who}/{doc}.tsv", "annotator = folder")]
)
def test_folders_are_documents_or_annotators_by_their_texts(layout):
    path, said = layout
    files = {
        path.format(doc=doc, who=who): WEBANNO.replace("wrong", "right").replace("The", text)
        for doc, text in (("d1", "The"), ("d2", "Any"))
        for who in ("ana", "ben")
    }
    corpus = kp.load(files=archive(files))
    assert said in corpus.report.readings[0].evidence
    assert corpus.annotators == ["ana", "ben"]
    assert corpus.documents["doc_id"].tolist() == ["d1", "d2"]
    assert len(corpus.gold) == 16


def test_tokens_that_do_not_stand_in_their_sentence_are_refused():
    with pytest.raises(InputError, match=r"d1.tsv, line 7: .*the token “Thx” at 0"):
        kp.load(gold=Source("d1.tsv", WEBANNO.replace("\tThe\t", "\tThx\t").encode()))


def test_a_line_that_is_no_token_is_rejected():
    corpus = kp.load(gold=Source("d1.tsv", (WEBANNO.replace("\tsea[3]", "\t*") + "x\ty\n").encode()))
    assert corpus.report.rejected["reason"].tolist() == ["no token, offsets and form"]
