"""Spans and labels of INCEpTION become keyphrases of annotators, exactly as marked."""

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Source
from tests.format_samples import WEBANNO, archive


def rows(table, *columns):
    return table[list(columns)].to_numpy().tolist()


def test_webanno_joins_tokens_and_keeps_stacked_spans_apart():
    corpus = kp.load(gold=Source("d1.tsv", WEBANNO.encode()))
    assert rows(corpus.gold, "doc_id", "phrase", "label") == [
        ["d1", "tide table", "Key, sea"],
        ["d1", "tide", "Key, water"],
        ["d1", "new", "Key"],
        ["d1", "Sea level", "Key, sea"],
    ]
    assert corpus.documents["text"].tolist() == ["The tide table [new].\n \U0001f30a Sea level."]


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


def test_what_a_curator_kept_is_asked_for_and_what_nobody_marked_is_left_out():
    texts = {
        doc: WEBANNO.replace("wrong", "right").replace("The", text) for doc, text in (("d1", "The"), ("d2", "Any"))
    }
    people = ("annotation/{}/ana", "annotation/{}/ben", "annotation/{}/INITIAL_CAS", "curation/{}/CURATION_USER")
    files = archive({f"{who.format(doc)}.tsv": text for doc, text in texts.items() for who in people})
    with pytest.raises(kp.Question, match="what a curator made") as asked:
        kp.load(gold=files)
    read = [kp.load(gold=files, mapping=answer.mapping) for answer in asked.value.answers]
    assert [one.annotators for one in read] == [["CURATION_USER"], ["ana", "ben"], ["ana", "ben", "CURATION_USER"]]
    assert [one.documents["doc_id"].tolist() for one in read] == [["d1", "d2"]] * 3
    assert "Files of nobody (INITIAL_CAS) that were left out: 2." in [note.message for note in read[1].report.notes]


def test_tokens_that_do_not_stand_in_their_sentence_are_refused():
    with pytest.raises(InputError, match=r"d1.tsv, line 7: .*the token “Thx” at 0"):
        kp.load(gold=Source("d1.tsv", WEBANNO.replace("\tThe\t", "\tThx\t").encode()))


def test_a_line_that_is_no_token_is_rejected():
    corpus = kp.load(gold=Source("d1.tsv", (WEBANNO.replace("\tsea[3]", "\t*") + "x\ty\n").encode()))
    assert corpus.report.rejected["reason"].tolist() == ["no token, offsets and form"]
