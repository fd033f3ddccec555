"""Files in which line n is document n take ids from a companion, and are refused if their lengths differ."""

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Choice, Source, previews
from tests.format_samples import ALIGNED, archive

GOLD = Source("gold.txt", ALIGNED["gold.txt"].encode())
PREDICTED = Source("pred.txt", ALIGNED["out/pred.txt"].encode())


def lists(table):
    return table.groupby("doc_id", sort=False)["phrase"].agg(list).to_dict()


def messages(corpus):
    return [note.message for note in corpus.report.notes]


def test_lines_are_documents_and_blank_lines_are_empty_lists():
    corpus = kp.load(gold=GOLD, systems=PREDICTED)
    assert lists(corpus.gold) == {"1": ["tide table", "harbour", "sea level"], "3": ["tide", "gauge"]}
    assert lists(corpus.runs) == {
        "1": ["tide", "sea level"],
        "2": ["moon", "sun", "<unk> water"],
        "3": ["gauge", "tides"],
    }
    assert corpus.empty.to_numpy().tolist() == [["gold", "gold", "2"]]
    assert corpus.gold["variants"].tolist()[3] == ("tide", "tides")
    assert "There are no ids; documents are counted 1 to 3." in messages(corpus)
    assert "Marks `<peos>` between present and absent keyphrases, which were left out: 1." in messages(corpus)
    assert [m for m in messages(corpus) if "`<unk>`" in m] == [
        "The mark `<unk>`, which stands for something unknown, is part of phrases: 1."
    ]


def test_bars_may_stay_and_stay_in_a_system():
    choice = {"gold.txt": Choice(options={"variants": "literal"})}
    assert lists(kp.load(gold=GOLD, roles=choice).gold)["3"] == ["tide|tides", "gauge"]
    assert lists(kp.load(systems=GOLD).runs)["3"] == ["tide|tides", "gauge"]


def test_files_dropped_together_take_the_ids_of_a_file():
    corpus = kp.load(files=[Source(name, text.encode()) for name, text in ALIGNED.items()])
    assert [(r.file, r.role, r.family) for r in corpus.report.readings] == [
        ("gold.txt", "gold", "F5"),
        ("out/pred.txt", "system", "F5"),
        ("doc_ids.txt", "documents", "F5"),
        ("src.txt", "documents", "F5"),
    ]
    assert list(lists(corpus.gold)) == ["a", "c"]
    assert list(lists(corpus.runs)) == ["a", "b", "c"]
    assert corpus.documents[["doc_id", "title", "text"]].to_numpy().tolist() == [
        ["a", "Tides", "Water rises and falls at the quay."],
        ["b", "Moon", "It goes round."],
        ["c", "Gauges", "How high."],
    ]
    assert "The 3 documents have the ids of doc_ids.txt, in this order." in messages(corpus)


def test_a_table_of_as_many_texts_names_the_documents():
    texts = "".join(f'{{"id": "{name}", "text": "Tides"}}\n' for name in "xyz")
    corpus = kp.load(gold=GOLD, systems=PREDICTED, documents=Source("d.jsonl", texts.encode()))
    assert corpus.documents["doc_id"].tolist() == ["x", "y", "z"]
    assert list(lists(corpus.gold)) == ["x", "z"]
    folder = archive({f"{name}.txt": "Water rises." for name in "xyz"})
    corpus = kp.load(gold=GOLD, documents=folder)  # the order of files says nothing
    assert sorted(corpus.documents["doc_id"]) == ["1", "2", "3", "x", "y", "z"]
    longer = texts + '{"id": "w", "text": "Sea"}\n'
    corpus = kp.load(gold=GOLD, documents=Source("d.jsonl", longer.encode()))
    assert sorted(corpus.documents["doc_id"]) == ["1", "2", "3", "w", "x", "y", "z"]


def test_lists_of_lists_without_ids_take_ids_as_well():
    corpus = kp.load(
        gold=Source("g.json", b'[["tide"], [], ["sea"]]'),
        systems=PREDICTED,
        documents=Source("doc_ids.txt", b"a\nb\nc"),
    )
    assert list(lists(corpus.gold)) == ["a", "c"]
    assert corpus.empty["doc_id"].tolist() == ["b"]


def test_unequal_numbers_of_lines_are_refused_with_both():
    longer = Source("pred.txt", PREDICTED.data + b"\nsun;moon\n")
    with pytest.raises(InputError, match=r"pred.txt: .*found 5 documents, where gold.txt has 3"):
        kp.load(gold=GOLD, systems=longer)
    with pytest.raises(InputError, match=r"doc_ids.txt: .*found 2 documents, where gold.txt has 3"):
        kp.load(gold=GOLD, documents=Source("doc_ids.txt", b"a\nb\n"))


@pytest.mark.parametrize(
    ("ids", "said"), [("a\nb\na\n", "line 3: .*the id “a” again"), ("a\n\nc\n", "line 2: .*blank")]
)
def test_ids_must_differ(ids, said):
    with pytest.raises(InputError, match=said):
        kp.load(gold=GOLD, documents=Source("doc_ids.txt", ids.encode()))


def test_texts_without_a_mark_after_the_title_are_one_a_line_only_if_the_user_says_so():
    plain = Source("test.txt", b"Water rises.\nIt goes round.\n")
    assert len(kp.load(documents=plain).documents) == 1
    assert len(kp.load(documents=plain, roles={"test.txt": Choice(family="F5")}).documents) == 2


def test_a_narrow_even_table_with_semicolons_stays_a_table():
    even = Source("a.txt", b"d1;tide\nd1;sea\nd2;moon\n")
    assert kp.load(gold=even).report.readings[0].family == "F10"
    chosen = kp.load(gold=even, roles={"a.txt": Choice(family="F5")})
    assert lists(chosen.gold) == {"1": ["d1", "tide"], "2": ["d1", "sea"], "3": ["d2", "moon"]}
    other = Source("a.txt", b"Lfd;Wort\n1;Haus\n1;Baum\n2;Katze\n")
    with pytest.raises(InputError, match="found a first line “Lfd;Wort”"):
        kp.load(gold=other)
    assert [found.recognition.family for found in previews(other, "gold")] == ["F5"]
    for table in (b"1;tide;x\n2;sea;y\n3;moon;z\n", b"d1;ana;tide\nd1;ben;sea\nd2;ana;moon\nd2;ben;sun\n"):
        assert kp.load(gold=Source("a.txt", table)).report.readings[0].family == "F10"
    three = Source("a.txt", b"tide;sea;moon\nsun;gauge;quay\n")
    assert lists(kp.load(systems=three).runs) == {"1": ["tide", "sea", "moon"], "2": ["sun", "gauge", "quay"]}


def test_a_table_of_lists_beside_a_table_of_texts_stays_a_table():
    gold = Source("g.txt", b"doc_id;keywords\nd1;tide table, harbour\nd2;moon, sun\n")
    texts = Source(
        "d.csv", b"doc_id,text\n" + b"".join(b'd%d,"%s"\n' % (n, b"Water rises, and falls. " * 9) for n in (1, 2))
    )
    corpus = kp.load(files=[gold, texts])
    assert [reading.family for reading in corpus.report.readings] == ["F10", "F10"]
    assert lists(corpus.gold) == {"d1": ["tide table", "harbour"], "d2": ["moon", "sun"]}


def test_a_role_said_of_one_file_holds_for_it_alone():
    files = [Source(name, text.encode()) for name, text in ALIGNED.items()]
    corpus = kp.load(files=files, roles={"gold.txt": "system", "out/pred.txt": "gold"})
    assert corpus.systems == ["gold"]
    assert list(lists(corpus.gold)) == ["a", "b", "c"]
    assert corpus.documents["text"].tolist() == ["Water rises and falls at the quay.", "It goes round.", "How high."]


def test_objects_without_ids_are_lines_too():
    texts = '{"id": "a", "text": "Tides.", "keywords": ["tide"]}\n{"id": "b", "text": "Moon.", "keywords": ["moon"]}\n'
    predicted = b'{"src": [3], "preds": [[4]], "pred_sents": [["tide"]]}\n{"src": [5], "preds": [], "pred_sents": []}\n'
    corpus = kp.load(gold=Source("g.jsonl", texts.encode()), systems=Source("s.pred", predicted))
    assert corpus.runs[["doc_id", "phrase"]].to_numpy().tolist() == [["a", "tide"]]
    assert corpus.empty.to_numpy().tolist() == [["system", "s", "b"]]
    with pytest.raises(InputError, match="expected as many as in the other files"):
        kp.load(gold=GOLD, systems=Source("s.pred", predicted))


@pytest.mark.parametrize("name", ["gold.txt", "preds.csv", "a.pred"])
def test_lists_with_the_border_of_opennmt_are_never_a_table(name):
    lines = b"tide ; harbour ; <peos> ; sea\nmoon ; sun ; <peos> ; star\nwater ; quay ; <peos> ; boat\n"
    corpus = kp.load(gold=Source(name, lines))
    assert corpus.report.readings[0].family == "F5"
    assert lists(corpus.gold) == {
        "1": ["tide", "harbour", "sea"],
        "2": ["moon", "sun", "star"],
        "3": ["water", "quay", "boat"],
    }


@pytest.mark.parametrize(
    ("line", "family"),
    [("d{}\t{}\n", "F3"), ("d{}@{}\n", "F3"), ("d{} : {}\n", "F3"), ("d{}: {}\n", "F3"), ("d{};{}\n", "F3")],
)
def test_a_file_with_ids_is_never_aligned_and_never_a_text(line, family):
    long = ["a long phrase of words; sea; moon", "gauge; a very long phrase of many words", "quay; boat; ship; sea"]
    with_ids = "".join(line.format(n, phrases) for n, phrases in enumerate(long, 1))
    plain = b"tide; sea\nmoon; sun; star\ngauge\n"
    for ids_name, plain_name in (("gold.txt", "b.txt"), ("references.txt", "model.txt")):
        corpus = kp.load(files=[Source(ids_name, with_ids.encode()), Source(plain_name, plain)])
        found = {reading.file: (reading.family, reading.role) for reading in corpus.report.readings}
        assert found[ids_name][0] == family
        assert found[plain_name] == ("F5", "system")
        assert not corpus.documents["text"].notna().any()
        assert lists(corpus.gold)["d1"] == ["a long phrase of words", "sea", "moon"]


def test_texts_beside_lists_are_prose_and_ids_are_known_by_what_they_are():
    lines = b"tide; sea\nmoon; sun; star\ngauge; ebb\n"
    texts = b"Tides rise and fall twice a day.\nThe moon goes round.\nHow high is it?\n"
    files = [Source("pred.txt", lines), Source("list.txt", b"H-1\nH-2\nC-3\n"), Source("test.txt", texts)]
    corpus = kp.load(files=[*files, Source("gold.txt", lines)])
    assert list(lists(corpus.gold)) == list(lists(corpus.runs)) == ["H-1", "H-2", "C-3"]
    assert corpus.documents["text"].tolist() == texts.decode().split("\n")[:3]
    assert lists(kp.load(gold=Source("g.txt", lines), documents=Source("test_ids.txt", b"a\nb\nc\n")).gold)["c"]


FINAL = "C-41 : content distribution,peer to peer+p2p,\nC-42 : grid\nH-3 :\nI-4 : agent , multi agent\n"


@pytest.mark.parametrize("name", ["test.combined.final", "s.csv", "s.txt"])
def test_lines_of_semeval_are_an_id_and_phrases_with_spellings(name):
    corpus = kp.load(gold=Source(name, FINAL.encode()))
    assert corpus.report.readings[0].family == "F3"
    assert lists(corpus.gold) == {
        "C-41": ["content distribution", "peer to peer"],
        "C-42": ["grid"],
        "I-4": ["agent", "multi agent"],
    }
    assert corpus.gold["variants"].tolist()[1] == ("peer to peer", "p2p")
    assert corpus.empty["doc_id"].tolist() == ["H-3"]
