"""A given mapping is applied literally, whether from the command line, Python or a form."""

import io
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given

import kp_core as kp
from kp_core.reading import Form, Mapping, Question, Source, form_for, preview_file
from kp_core.reading.meaning.mapping import HEADS, ROW
from tests.cases import ROOT
from tests.format_samples import archive, workbook
from tests.forms import mappings, proposed
from tests.unit.reading.test_families import CASES, forms
from tests.unit.reading.test_families import given as files_of

PEOPLE = Source("a.csv", b"Kod,Anna,Ben\nk1,tide,sea\nk2,moon,moon\n")


@given(mappings)
def test_words_and_mapping_are_inverse(mapping):
    assert Mapping.read(str(mapping)) == mapping


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tide", "is not a mapping"),
        ("keyphrase=A", "there is no 'keyphrase' to choose for a file; did you mean keyphrases"),
        ("split=x", "split is 'x'; choose one of: ;"),
        ("document=A,document=B", "document is given twice"),
        ("header=one", "header is 'one'; choose one of: yes, no, the number of a row"),
    ],
)
def test_meaningless_mapping_words_are_refused(words, message):
    with pytest.raises(kp.UsageError, match=message):
        Mapping.read(words)


def test_columns_of_a_mapping_are_read_literally():
    mapping = Mapping(document="Kod", keyphrases=("Anna", "Ben"), annotator=HEADS)
    corpus = kp.load(gold=PEOPLE, mapping={"a.csv": mapping})
    assert corpus.gold[["annotator", "doc_id", "phrase"]].to_numpy().tolist() == [
        ["Anna", "k1", "tide"],
        ["Anna", "k2", "moon"],
        ["Ben", "k1", "sea"],
        ["Ben", "k2", "moon"],
    ]
    together = kp.load(gold=PEOPLE, mapping={"a.csv": replace(mapping, annotator="")}).gold
    assert together.groupby("doc_id")["phrase"].agg("; ".join).tolist() == ["tide; sea", "moon; moon"]
    alone = kp.load(gold=PEOPLE, mapping={"a.csv": Mapping(document="Kod", keyphrases="Anna")})
    assert alone.gold["phrase"].tolist() == ["tide", "moon"]
    numbered = kp.load(gold=PEOPLE, mapping={"a.csv": Mapping(document=ROW, keyphrases="Ben")})
    assert numbered.gold[["doc_id", "phrase"]].to_numpy().tolist() == [["1", "sea"], ["2", "moon"]]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (Mapping(document="Kot", keyphrases="Anna"), "found no column “Kot”. Did you mean “Kod”?"),
        (Mapping(keyphrases="Anna"), "expected what the documents are, found no column of documents"),
        (Mapping(document="Kod"), "expected a column of texts or titles"),
        (Mapping("gold", document="Kod"), "expected a column of keyphrases"),
        (Mapping("gold", document="(heads)", marks=("Anna", "Ben")), "expected a column of keyphrases"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(mapping, message):
    with pytest.raises(kp.InputError) as refused:
        kp.load(files=PEOPLE, mapping={"a.csv": mapping})
    assert message in str(refused.value)


def test_same_columns_share_mapping():
    first, second = (Source(name, b"Kod,Wort,Zahl\nk1,tide,3\nk2,sea,4\n") for name in ("a.csv", "b.csv"))
    with pytest.raises(Question) as asked:
        kp.load(gold=[first, second])
    assert [form.file for form in asked.value.forms] == ["a.csv", "b.csv"]
    corpus = kp.load(gold=[first, second], mapping={"a.csv": Mapping("gold", document="Kod", keyphrases="Wort")})
    assert corpus.annotators == ["a", "b"]
    assert corpus.gold["phrase"].tolist() == ["tide", "sea", "tide", "sea"]
    assert "It is read like a.csv, which has the same columns." in [note.message for note in corpus.report.notes]


TABLES = [(case, form) for case in CASES["read"] for form in forms(case) if "files" not in form]


@pytest.mark.parametrize(("case", "form"), TABLES, ids=[f"{n} {case['shows']}" for n, (case, _) in enumerate(TABLES)])
def test_mapping_of_receipt_reads_same_table(case, form):
    sources = files_of(form)
    said = {source.name: Mapping.read(form["mapping"]) for source in sources.values()} if form.get("mapping") else {}
    try:
        corpus = kp.load(**sources, mapping=said, fixes=case.get("fixes", ()))
    except Question as question:
        said = said | proposed(question)
        corpus = kp.load(**sources, mapping=said, fixes=case.get("fixes", ()))
    mapping = {reading.file: Mapping.read(reading.mapping) for reading in corpus.report.readings if reading.mapping}
    again = kp.load(**sources, mapping=mapping, fixes=case.get("fixes", ()))
    for name in ("gold", "runs", "documents", "judgements"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(corpus, name))
    assert again.rankings == corpus.rankings


# the form of one file


def test_form_has_known_and_missing_fields():
    form = form_for(PEOPLE, Mapping())
    assert str(form.mapping) == "role=gold,document=Kod,keyphrases=Anna,Ben,annotator=(heads)"
    assert form.columns == {"Kod": ("k1", "k2"), "Anna": ("tide", "moon"), "Ben": ("sea", "moon")}
    assert form.missing == ("the document", "the keyphrases")
    sheets = {"notes": [["read me"]], "lists": [["id", "Anna", "Ben"], ["d1", "a; b", "c; d"], ["d2", "e", "f; g"]]}
    result = form_for(workbook(sheets), Mapping(sheet="lists"))
    assert str(result.mapping) == "role=gold,document=id,keyphrases=Anna,Ben,annotator=(heads),sheet=lists"
    assert result.sheets == ("notes", "lists")


def test_a_refused_file_has_a_form():
    form = form_for(Source("x.csv", b"a,b\n1,2\n3,4\n"), Mapping("gold"))
    assert (form.columns, form.mapping.role) == ({"a": ("1", "3"), "b": ("2", "4")}, "gold")
    gone = form_for(PEOPLE, Mapping(document="Kot", keyphrases="Anna"))
    assert "no column “Kot”" in gone.reason
    assert list(gone.columns) == ["Kod", "Anna", "Ben"]


def test_non_table_form_has_settings_of_format():
    form = form_for(Source("d1.ann", b"T1\tKey 0 4\ttide\nT2\tWater 5 8\tsea\n"), Mapping())
    assert (form.columns, form.switches["label"]) == ({}, ("all", "Key", "Water"))
    assert "label=all" in str(form.mapping)
    assert isinstance(form, Form)


def test_preview_counts_documents_or_gives_reason():
    text = b"id,keyword\nd1,tide\nd1,sea\nd2,moon\nd2,\nd3,sun\nd4,x\n"
    result = preview_file(Source("a.csv", text), Mapping())
    assert result.counts == {"document": 4, "keyphrase": 5}
    assert result.documents.to_numpy().tolist() == [
        ["d1", "gold", "tide; sea"],
        ["d2", "gold", "moon"],
        ["d3", "gold", "sun"],
    ]
    assert result.rejected["reason"].tolist() == ["an empty phrase"]
    assert "KPScope does not know these column names: Kod, Anna, Ben." in preview_file(PEOPLE, Mapping()).problem


def test_members_of_archives_have_forms_by_their_path():
    pack = archive({"in/g.csv": b"Nr,Begriff,Wort\n1,x,a\n2,y,b\n"}, "all.zip")
    with pytest.raises(Question) as asked:
        kp.load(gold=pack)
    (form,) = asked.value.forms
    assert form.file == "all.zip/in/g.csv"
    assert kp.load(gold=pack, mapping={form.file: form.mapping}).gold["phrase"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("templates/gold.csv", {"document": 3, "annotator": 2, "keyphrase": 16}),
        ("templates/system.csv", {"document": 3, "system": 1, "prediction": 12}),
        ("templates/documents.jsonl", {"document": 3, "text": 3}),
        ("studies/indexers.csv", {"document": 3, "annotator": 3, "keyphrase": 22}),
        ("studies/judged_pairs.csv", {"score": 10}),
    ],
)
def test_templates_are_read_correctly_in_all_formats(name, counts):
    path = ROOT / "sample_data" / name
    assert preview_file(Source(path.name, path.read_bytes()), Mapping()).counts == counts
    frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path, dtype="str")
    frame.to_excel(buffer := io.BytesIO(), index=False)
    assert preview_file(Source(f"{path.stem}.xlsx", buffer.getvalue()), Mapping()).counts == counts


def test_lists_of_single_words_may_be_tokens():
    text = b'{"d": [["tide", "table"], ["sea", "level"], ["moon", "light"], ["ebb", "flow"], ["high", "water"]]}'
    with pytest.raises(Question) as asked:
        kp.load(gold=Source("g.json", text))
    (form,) = asked.value.forms
    assert (form.mapping.inner, form.missing) == ("variants", ("what inner lists are",))
    tokens = replace(form.mapping, inner="tokens")
    read = [
        kp.load(gold=Source("g.json", text), mapping={"g.json": said}).gold["phrase"] for said in (form.mapping, tokens)
    ]
    assert read[0].tolist() == ["tide", "sea", "moon", "ebb", "high"]
    assert read[1].tolist() == ["tide table", "sea level", "moon light", "ebb flow", "high water"]


@pytest.mark.parametrize(
    ("name", "role", "form", "counts"),
    [
        ("form.csv", "files", "document=(heads)", {"document": 2, "annotator": 2, "keyphrase": 7}),
        ("author_keyword.csv", "files", "keyphrases=Author keyword", {"document": 3, "keyphrase": 5}),
        ("finnish_people.csv", "files", "", {"document": 2, "annotator": 2, "keyphrase": 6}),
        ("score_behind.csv", "systems", "inner=scored", {"document": 2, "system": 1, "prediction": 4}),
    ],
)
def test_cases_are_read_correctly_or_form_offers_truth(shared, name, role, form, counts):
    source = Source(name, shared(f"cases/{name}").read_bytes())
    said = Mapping()
    try:
        kp.load(**{role: source})
        assert not form
    except Question as question:
        (asked,) = question.forms
        assert form
        assert form in str(asked.mapping)
        said = asked.mapping
    assert preview_file(source, replace(said, role="system" if role == "systems" else "")).counts == counts


def test_archive_files_may_be_documents_of_one_system():
    pack = archive({"t1.csv": b"keyword,score\ntide,2\nsea,1\n", "t2.csv": b"keyword,score\nmoon,1\n"}, "bart.zip")
    said = Mapping("system", document="(file)", keyphrases="keyword", score="score")
    runs = kp.load(systems=pack, mapping={"bart.zip": said}).runs
    assert runs[["system", "doc_id", "phrase"]].to_numpy().tolist() == [
        ["bart", "t1", "tide"],
        ["bart", "t1", "sea"],
        ["bart", "t2", "moon"],
    ]


def test_marks_may_show_documents_of_keyphrase():
    source = Source("m.csv", b"Wort,T1,T2\ntide,x,\nsea,x,x\nmoon,,1\n")
    said = Mapping("gold", document=HEADS, keyphrases="Wort", marks=("T1", "T2"))
    gold = kp.load(gold=source, mapping={"m.csv": said}).gold
    assert gold[["doc_id", "phrase"]].to_numpy().tolist() == [
        ["T1", "tide"],
        ["T1", "sea"],
        ["T2", "sea"],
        ["T2", "moon"],
    ]


@pytest.mark.parametrize(
    ("annotator", "lists"),
    [
        ("", {("gold", "T1"): "tide sea", ("gold", "T2"): "moon sun"}),
        (ROW, {("1", "T1"): "tide", ("2", "T1"): "sea", ("1", "T2"): "moon", ("2", "T2"): "sun"}),
    ],
)
def test_rows_below_document_columns_are_lists_or_annotators(annotator, lists):
    said = Mapping("gold", document=HEADS, keyphrases=("T1", "T2"), annotator=annotator)
    gold = kp.load(gold=Source("t.csv", b"T1,T2\ntide,moon\nsea,sun\n"), mapping={"t.csv": said}).gold
    assert gold.groupby(["annotator", "doc_id"], sort=False)["phrase"].agg(" ".join).to_dict() == lists


def test_numbers_in_gold_column_are_grades():
    rows = b'{"doc_id": "d1", "gold": [["tide", 2], ["sea", 1]], "yake": [["tide", 0.8], ["x", 0.1]]}'
    mapping = Mapping(document="doc_id", keyphrases=("gold", "yake"), gold=("gold",), system=HEADS, inner="scored")
    corpus = kp.load(files=Source("a.jsonl", rows), mapping={"a.jsonl": mapping})
    assert corpus.gold[["phrase", "relevance"]].to_numpy().tolist() == [["tide", 2], ["sea", 1]]
    assert corpus.runs["score"].tolist() == [0.8, 0.1]
