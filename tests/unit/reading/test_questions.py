"""A reading is proved or asked: what is not certain, or makes no sense, is a question whose answers load."""

from __future__ import annotations

import pickle
import shlex
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.errors import InputError, UsageError
from kp_core.reading import Choice, Source, findings, load, report
from kp_core.reading.choices import choices_of
from kp_core.text.stem import stem_words
from tests.format_samples import archive

WORDS = """
audit bureau campus carbon catalog census climat coast cotton credit debat desert digit domain effort engin expert
fabric factor famin filter forest format friction garden gender glacier grammar harbour heritag hospit impact island
journal justic kernel labour lectur librari magnet manual marin market metal method mineral mission monitor museum
comput inform network analys measur extract rank evalu agree annot docum cluster classif retriev search model learn
predict optim simul schedul alloc regist transform compil execut process control protect encrypt compress stream render
"""
GOLD = Source("g.csv", b"doc_id,annotator,phrase\nd1,ana,tide\nd2,ana,sea\nd3,ana,moon\n")


def asked(**given: object) -> kp.Question:
    with pytest.raises(kp.Question) as question:
        load(**given)
    return question.value


def answered(question: kp.Question, number: int, **given: object) -> kp.Corpus:
    """Load again with one answer, said as on the command line."""
    words = shlex.split(question.answers[number].options())
    said = [word for before, word in pairwise(words) if before == "--as"]
    return load(**given, roles=choices_of(said))


# one reading, or a question


def test_a_weak_reading_is_asked_and_read_as_answered() -> None:
    even = Source("a.txt", b"tide;1\nsea;2\nmoon;3\n")
    question = asked(gold=even)
    assert question.where == "a.txt"
    assert [answer.options() for answer in question.answers] == ["--as a.txt:family=F5", "--as a.txt:use=no"]
    with pytest.raises(InputError, match="nothing that is used"):
        answered(question, 1, gold=even)
    assert str(pickle.loads(pickle.dumps(question))) == str(question)


def test_which_of_two_files_is_the_gold_standard_is_asked() -> None:
    two = {"files": [Source("x.json", b'{"d1": ["sea"]}'), Source("y.json", b'{"d1": ["tide"]}')]}
    question = asked(**two)
    assert [str(answer) for answer in question.answers] == [
        "x.json is the gold standard",
        "y.json is the gold standard",
        "all are gold, one annotator each",
    ]
    assert answered(question, 1, **two).systems == ["x"]
    assert answered(question, 2, **two).annotators == ["x", "y"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"b/gold.json": {"d": 1, "e": 3}, "a.json": {"d": 1, "e": 3}}, id="by name"),
        pytest.param({"b.json": {"d": 1, "e": 3, "f": 2}, "yake.json": {"d": 2, "e": 3, "f": 1}}, id="a known system"),
        pytest.param({"b.json": {"d": 1, "e": 3, "f": 2}, "a.json": {"d": 9, "e": 9, "f": 9}}, id="one length"),
        pytest.param({"b.json": {"d": 1, "e": 3, "f": 2}, "a.json": {"d": 20, "e": 21, "f": 22}}, id="many phrases"),
    ],
)
def test_roles_are_told_by_name_place_and_content(files: dict[str, dict[str, int]]) -> None:
    def lists(sizes: dict[str, int]) -> bytes:
        phrases = {doc_id: [f"p{number}" for number in range(size)] for doc_id, size in sizes.items()}
        return str(phrases).replace("'", '"').encode()

    sources = [Source(name, lists(sizes)) for name, sizes in files.items()]
    for order in (sources, sources[::-1]):
        roles = {reading.file: reading.role for reading in load(files=order).report.readings}
        assert [roles[name] for name in files] == ["gold", "system"]


def test_objects_of_documents_play_the_role_that_their_place_tells() -> None:
    lines = '{{"id": "d1", "keyphrases": ["{0}"]}}\n{{"id": "d2", "keyphrases": ["moon"]}}\n'
    corpus = load(files=[Source(f"{name}/test.jsonl", lines.format(name).encode()) for name in ("gold", "pred")])
    assert corpus.gold[["annotator", "phrase"]].to_numpy().tolist() == [["gold", "gold"], ["gold", "moon"]]
    assert corpus.runs[["system", "phrase"]].to_numpy().tolist() == [["test", "pred"], ["test", "moon"]]


def test_what_is_not_utf_8_is_asked_for_its_encoding() -> None:
    with pytest.raises(InputError, match="name its encoding"):
        load(gold=Source("g.csv", "编号,关键词\n1,潮汐\n2,月亮\n".encode("gb18030")))


# the sense of what was read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("doc_id,phrase,label\n" + "".join(f"d{n},{n},x\n" for n in range(5)), "phrases that are numbers, such as “0”"),
        ("doc_id,phrase\n" + "".join(f"d{n},http://a.b/{n}\n" for n in range(5)), "phrases that are addresses"),
        ("doc_id,phrase\n" + "".join(f"d{n},{'word ' * 13}{n}\n" for n in range(5)), "phrases that are as long as"),
        ("doc_id,phrase\n" + "".join(f"d{n},tide {n} (0.{n}5)\n" for n in range(5)), "that are followed by a number"),
        ("doc_id,phrase\n" + "".join(f"d{n},<b>tide {n}</b>\n" for n in range(5)), "that are marked up as HTML"),
        ("doc_id,phrase\n" + "".join(f"0.{n},p{n}\n" for n in range(5)), "ids of documents that are decimal numbers"),
        ("doc_id,phrase\n" + "".join(f"{'word ' * 13}{n},p\n" for n in range(5)), "ids of documents that are texts"),
    ],
)
def test_phrases_and_ids_that_cannot_be_meant_are_asked(text: str, found: str) -> None:
    given = {"gold": Source("a.csv", text.encode())}
    question = asked(**given)
    assert found in question.found
    right = [str(answer) for answer in question.answers].index("it is right so")
    assert len(answered(question, right, **given).gold) == 5


def test_another_column_is_offered_in_place_of_numbers() -> None:
    given = {"gold": Source("a.csv", b"doc_id,phrase,Begriff\nd1,1,x\nd2,2,y\nd3,3,z\nd4,4,v\nd5,5,w\n")}
    question = asked(**given)
    assert str(question.answers[0]) == "the keyphrases are in “Begriff”"
    assert answered(question, 0, **given).gold["phrase"].tolist() == ["x", "y", "z", "v", "w"]


def test_a_header_that_nobody_knows_is_no_row_and_names_are_asked_for() -> None:
    text = b"Kod,Osoba,Slovo\nd1,ana,x\nd1,ben,y\nd2,ana,z\nd2,ben,x\n"
    with pytest.raises(InputError, match="found a first line “Kod,Osoba,Slovo”"):
        load(gold=Source("a.csv", text))
    named = Choice(columns={"doc_id": "Kod", "annotator": "Osoba", "phrase": "Slovo"})
    assert load(gold=Source("a.csv", text), roles={"a.csv": named}).documents["doc_id"].tolist() == ["d1", "d2"]


def test_a_header_that_nobody_knows_is_asked() -> None:
    given = {"gold": Source("a.tsv", b"Akte\tBegriffe\nd1\tx;y\nd2\tz;x\nd3\ty\n")}
    question = asked(**given)
    assert question.found == "a first row that is unlike the others (“Akte | Begriffe”)"
    corpus = answered(question, 0, **given)
    assert corpus.documents["doc_id"].tolist() == ["d1", "d2", "d3"]
    assert corpus.gold["phrase"].tolist() == ["x", "y", "z", "x", "y"]
    assert len(answered(question, 1, **given).documents) == 4


def test_a_column_that_shares_nothing_with_the_others_is_asked() -> None:
    rows = "".join(f"d{n},tide {n}; sea {n},sea {n}; sun {n},Meier {n}; Kurz {n}\n" for n in range(12))
    question = asked(gold=Source("a.csv", f"id,Anna,Ben,Leute\n{rows}".encode()))
    assert "annotators “Anna”, “Ben”, “Leute”" in str(question.answers[0])
    without = "".join(line.rsplit(",", 1)[0] + "\n" for line in rows.splitlines())
    assert load(gold=Source("a.csv", f"id,Anna,Ben\n{without}".encode())).annotators == ["Anna", "Ben"]


# sides that do not meet


def test_a_second_column_of_lists_under_the_same_head_is_asked_for_and_is_no_system() -> None:
    rows = ["keywords,keywords", "tide;sea,moon;sun", "bay;surge,sand;salt", "sea;tide,sun;cliff"]
    file = Source("a.csv", "\n".join(rows).encode())
    question = asked(files=file)
    assert "not read: “keywords'”" in str(question)
    assert answered(question, 0, files=file).gold["phrase"].tolist()[:2] == ["tide", "sea"]


def test_a_head_that_is_there_twice_beside_a_system_is_no_system() -> None:
    text = b"id,keywords,yake,keywords\n1,tide;sea,moon;sun,p;q\n2,x;y,z;t,p;r\n"
    corpus = kp.load(gold=Source("a.csv", text))
    assert corpus.systems == ["yake"]
    assert any("“keywords” is there 2 times" in note.message for note in corpus.report.notes)


def test_nothing_in_common_stops_with_the_fix_that_helps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("doc_id,phrase\nP001,tide\nP002,sea\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("doc_id,rank,phrase\npaper-1.pdf,1,tide\npaper-2.pdf,1,x\n", encoding="utf-8")
    given = ["--gold", str(tmp_path / "g.csv"), "--system", str(tmp_path / "s.csv")]
    for verb in ("evaluate", "report"):
        assert main([verb, *given]) == 1
        said = capsys.readouterr().err
        assert "found lists for 0 of 2 documents of the gold standard (“P001”, where s has “paper-1.pdf”)" in said
        assert "--fix only-number    keep the number alone (“paper-1.pdf” → “1”)" in said
    assert main(["evaluate", *given, "--stream", "--universe", "99"]) == 1
    assert "no document in common" in capsys.readouterr().err
    assert main(["evaluate", *given, "--fix", "only-number"]) == 0
    assert main(["validate", *given]) == 0


def test_fewer_than_half_in_common_stands_with_every_number() -> None:
    gold = {f"d{number}": ["tide"] for number in range(10)}
    corpus = load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(4)}})
    assert [(one.level, one.where, one.found) for one in findings(corpus)] == [
        ("warn", "s", "lists for 4 of 10 documents of the gold standard")
    ]
    for answer in (kp.evaluate(corpus, k=1), kp.spread(corpus, k=1)):
        assert any("lists for 4 of 10 documents" in note.message for note in answer.notes)
    assert not findings(load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(5)}}))


# files that are nothing, twice, or named alike


def test_what_is_nothing_in_a_folder_is_left_out_and_listed() -> None:
    folder = archive({"g.csv": GOLD.data, "x.url": b"[Shortcut]", "y.pdf": b"%PDF-1.4", "p.scores": b"P R F\n1 2 3\n"})
    corpus = load(gold=folder)
    assert set(corpus.report.readings[0].ignored) == {"x.url", "y.pdf", "p.scores"}
    assert report.understood(corpus).startswith("1 file understood; left out: 3 files without lists or texts (")
    with pytest.raises(InputError, match=r"y\.pdf: expected text, found a PDF"):
        load(gold=Source("y.pdf", b"%PDF-1.4"))
    with pytest.raises(InputError, match="broken JSON"):
        load(gold=archive({"g.csv": GOLD.data, "h.json": b'{"d": ['}))


def test_a_file_may_be_left_out() -> None:
    two = [GOLD, Source("h.csv", GOLD.data.replace(b"ana", b"ben"))]
    assert load(gold=two, roles={"h.csv": Choice(use="no")}).annotators == ["ana"]


def test_a_file_given_twice_is_refused_and_a_copy_is_said() -> None:
    with pytest.raises(InputError, match="the same file again"):
        load(gold=[GOLD, GOLD])
    notes = load(systems=[Source("a.json", b'{"d": ["x"]}'), Source("b.json", b'{"d": ["x"]}')]).report.notes
    assert "The file is the same, byte by byte, as a.json." in [note.message for note in notes]


def test_an_annotator_of_two_files_is_kept_apart_where_the_documents_are_the_same() -> None:
    other = Source("h.csv", b"doc_id,annotator,phrase\nd1,ana,gauge\n")
    corpus = load(gold=[GOLD, other])
    assert corpus.annotators == ["g/ana", "h/ana"]
    assert "lists of “ana” for the same documents in g.csv and h.csv" in corpus.report.notes[0].message
    further = Source("h.csv", b"doc_id,annotator,phrase\nd4,ana,gauge\n")
    assert load(gold=[GOLD, further]).annotators == ["ana"]
    with pytest.raises(InputError, match="one list a document"):
        load(systems={"s": [Source("a.csv", b"doc_id,phrase\nd1,x\n"), Source("b.csv", b"doc_id,phrase\nd1,y\n")]})


def test_paths_named_alike_keep_their_folders(tmp_path: Path) -> None:
    for folder in ("ana", "ben"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "keys.json").write_text(f'{{"d1": ["{folder}"]}}', encoding="utf-8")
    corpus = load(gold=[tmp_path / "ana/keys.json", tmp_path / "ben/keys.json"])
    assert corpus.annotators == ["ana/keys", "ben/keys"]
    assert [reading.file for reading in corpus.report.readings] == ["ana/keys.json", "ben/keys.json"]


def test_loose_files_of_one_document_each_are_the_folder_they_stand_in(tmp_path: Path) -> None:
    (tmp_path / "maui").mkdir()
    for number in (1, 2):
        (tmp_path / f"maui/{number}.key").write_text("tide\nsea\n", encoding="utf-8")
    loose = sorted((tmp_path / "maui").glob("*.key"))
    corpus = load(gold={"1": ["tide"], "2": ["sea"]}, systems=loose)
    assert corpus.systems == ["maui"]
    assert corpus.runs["doc_id"].tolist() == ["1", "1", "2", "2"]
    assert load(systems={"mine": loose}).systems == ["mine"]


# what is said on the command line


def test_options_said_twice_add_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("ana", "ben"):
        (tmp_path / f"{name}.csv").write_text(f"doc_id,annotator,phrase\nd1,{name},{name}\n", encoding="utf-8")
        (tmp_path / f"{name}.tsv").write_text(f"keyphrase\tcandidate\n{name}\ttide\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("ana.csv", "ben.csv", "ana.tsv", "ben.tsv")]
    assert main(["validate", "--gold", files[0], "--gold", files[1], "--format", "csv"]) == 0
    assert [line.split(",")[:2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["gold", "ana"],
        ["gold", "ben"],
    ]
    pairs = ["similarity", "--measures", "R-precision", "--format", "csv", "--pairs", files[2], "--pairs", files[3]]
    assert main(pairs) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_encoding_is_that_of_files_that_are_not_utf8() -> None:
    latin = Source("a.csv", "doc_id,phrase\nd1,Čas\n".encode("windows-1250"))
    utf = Source("b.csv", "doc_id,phrase\nd2,Straße\n".encode())
    corpus = load(gold=[latin, utf], encoding="windows-1250")
    assert corpus.gold["phrase"].tolist() == ["Čas", "Straße"]
    exact = load(gold=utf, roles={"b.csv": Choice(encoding="windows-1252")})
    assert exact.gold["phrase"].tolist() == ["StraÃŸe"]


def test_what_is_said_reaches_members_of_archives_by_path_name_and_as_a_whole() -> None:
    member = b"Nr,Begriff,Wort\n1,x,a\n2,y,b\n"
    folder = archive({"in/g.csv": member}, "all.zip")
    for name in ("in/g.csv", "g.csv", "all.zip"):
        choice = Choice(columns={"doc_id": "Nr", "phrase": "Wort"})
        assert load(gold=folder, roles={name: choice}).gold["phrase"].tolist() == ["a", "b"]
    with pytest.raises(UsageError, match=r"no file has this name"):
        load(gold=GOLD, roles={"h.csv": Choice()})


# systems without lists


def test_a_system_without_any_list_stays_a_system() -> None:
    header = Source("mine.csv", b"system,doc_id,rank,phrase\n")
    corpus = load(gold={"d": ["x"]}, systems=[header])
    assert corpus.systems == ["mine"]
    assert corpus.report.notes[0].message == "There is no list of this system; it is scored as missing."
    assert kp.evaluate(corpus, k=1, measures="P@1", interval="none").frame["value"].tolist() == [0]


def test_a_name_over_a_table_of_several_systems_is_no_further_system() -> None:
    frame = pd.DataFrame({"system": ["a", "b"], "doc_id": ["d", "d"], "phrase": ["x", "y"]})
    assert load(systems={"mine": frame}).systems == ["mine/a", "mine/b"]


def test_short_lists_are_counted_among_those_that_are_there() -> None:
    gold = {f"d{number}": ["tide"] for number in range(10)}
    corpus = load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(6)}})
    notes = [note.message for note in kp.evaluate(corpus, k=5, interval="none").notes]
    assert "6 of 6 lists are shorter than k = 5" in notes


@pytest.mark.parametrize("name", ["score", "rank"])
def test_numbers_with_a_blank_at_their_end_stand_beside_missing_ones(name: str) -> None:
    values = ["1 ", None, "1", "1", "1", "1"]
    frame = pd.DataFrame({"doc_id": [f"d{n}" for n in range(6)], "phrase": "x", name: values}, dtype=object)
    corpus = load(systems=frame)
    assert len(corpus.runs) == 5
    assert corpus.report.rejected["line"].tolist() == ["2"]


# settings that do not fit


def said(corpus: kp.Corpus, **changes: str) -> list[str]:
    notes = kp.evaluate(corpus, k=1, measures="P@1", interval="none", **changes).notes
    return [note.message for note in notes if note.where == "normalise"]


def test_a_stemmer_of_another_language_is_said_with_one_that_fits() -> None:
    gold = {f"d{n}": [f"analyse de la mer {n}", f"le niveau des eaux {n}"] for n in range(20)}
    corpus = load(gold=gold, systems={"s": gold})
    assert said(corpus) == [
        "most words look French, for which porter-nltk is no stemmer; choose snowball-fr in its place"
    ]
    assert said(corpus, normalise="lower+space+snowball-fr") == said(corpus, normalise="lower+space") == []


def test_one_frequent_word_makes_no_language() -> None:
    gold = {f"d{n}": ["plane x y z", f"sea level {n}"] for n in range(30)}  # “y” is a frequent word of Spanish
    assert said(load(gold=gold, systems={"s": gold})) == []


def test_gold_that_is_made_of_stems_is_said() -> None:
    stems = stem_words([f"{word}{end}" for word in WORDS.split() for end in ("", "man", "board")], "porter-nltk")
    gold = {f"d{number}": [stem] for number, stem in enumerate(dict.fromkeys(stems))}
    corpus = load(gold=gold, systems={"s": gold})
    assert said(corpus) == ["the words of the gold standard are stems already; say so: gold_stemmed = yes"]
    assert said(corpus, gold_stemmed="yes") == []
