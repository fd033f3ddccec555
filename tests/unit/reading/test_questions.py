"""A reading is proved or asked about: uncertain or implausible files raise a question whose answers load."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_core.cli import main
from kp_core.errors import InputError, UsageError
from kp_core.reading import Form, Mapping, Source, findings, load
from kp_core.text.stem import stem_words
from tests.awkward.files import parquet
from tests.format_samples import archive

WORDS = """
audit bureau campus carbon catalog census climat coast cotton credit debat desert digit domain effort engin expert
fabric factor famin filter forest format friction garden gender glacier grammar harbour heritag hospit impact island
journal justic kernel labour lectur librari magnet manual marin market metal method mineral mission monitor museum
comput inform network analys measur extract rank evalu agree annot docum cluster classif retriev search model learn
predict optim simul schedul alloc regist transform compil execut process control protect encrypt compress stream render
"""
GOLD = Source("g.csv", b"doc_id,annotator,phrase\nd1,ana,tide\nd2,ana,sea\nd3,ana,moon\n")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"b/gold.json": {"d": 1, "e": 3}, "a.json": {"d": 1, "e": 3}}, id="by name"),
        pytest.param({"b.json": {"d": 1, "e": 3, "f": 2}, "yake.json": {"d": 2, "e": 3, "f": 1}}, id="a known system"),
    ],
)
def test_file_names_and_folders_imply_roles(files: dict[str, dict[str, int]]) -> None:
    def lists(sizes: dict[str, int]) -> bytes:
        phrases = {doc_id: [f"p{number}" for number in range(size)] for doc_id, size in sizes.items()}
        return str(phrases).replace("'", '"').encode()

    sources = [Source(name, lists(sizes)) for name, sizes in files.items()]
    for order in (sources, sources[::-1]):
        roles = {reading.file: reading.role for reading in load(files=order).report.readings}
        assert [roles[name] for name in files] == ["gold", "system"]


def test_non_utf8_file_asks_for_encoding() -> None:
    with pytest.raises(InputError, match="name its encoding"):
        load(gold=Source("g.csv", "编号,关键词\n1,潮汐\n2,月亮\n".encode("gb18030")))


# the sense of what was read


def test_column_without_shared_phrases_is_asked_about() -> None:
    rows = "".join(f"d{n},tide {n}; sea {n},sea {n}; sun {n},Meier {n}; Kurz {n}\n" for n in range(12))
    shared = Source("a.csv", f"id,Anna,Ben,Leute\n{rows}".encode())
    with pytest.raises(kp.Question, match="“Leute”") as asked:
        load(gold=shared)
    (form,) = asked.value.forms
    assert load(gold=shared, mapping={form.file: form.mapping}).annotators == ["Anna", "Ben"]
    every = replace(form.mapping, keyphrases=("Anna", "Ben", "Leute"))
    assert load(gold=shared, mapping={form.file: every}).annotators == ["Anna", "Ben", "Leute"]
    without = "".join(line.rsplit(",", 1)[0] + "\n" for line in rows.splitlines())
    assert load(gold=Source("a.csv", f"id,Anna,Ben\n{without}".encode())).annotators == ["Anna", "Ben"]


def test_lists_before_tabs_are_no_ids() -> None:
    text = "prazil\tvesbra\nWorld War II, crew, getij\tphysics\nniño, puerto, C++\tlaw\nneural net, tax law\tenergy\n"
    with pytest.raises(kp.Question) as asked:
        load(gold=Source("g.csv", text.encode()))
    (form,) = asked.value.forms
    said = replace(form.mapping, document="(row)", keyphrases="prazil", header="yes")
    corpus = load(gold=Source("g.csv", text.encode()), mapping={"g.csv": said})
    assert corpus.gold["phrase"].tolist()[:3] == ["World War II", "crew", "getij"]


@pytest.mark.parametrize("mapping", ["role=judgements,keyphrases=b,relevance=a", "role=documents,title=a"])
def test_mapping_without_documents_is_refused(mapping: str) -> None:
    with pytest.raises(kp.InputError, match="what the documents are"):
        load(gold=Source("g.csv", b"a,b\n1,tide\n2,sea\n"), mapping={"g.csv": Mapping.read(mapping)})


# sides that do not meet


def test_repeated_header_next_to_system_is_no_system() -> None:
    text = b"id,keywords,yake,keywords\n1,tide;sea,moon;sun,p;q\n2,x;y,z;t,p;r\n"
    corpus = kp.load(gold=Source("a.csv", text))
    assert corpus.systems == ["yake"]
    assert any("“keywords” occurs 2 times" in note.message for note in corpus.report.notes)


def test_disjoint_ids_stop_with_matching_fix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("doc_id,phrase\nP001,tide\nP002,sea\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("doc_id,rank,phrase\npaper-1.pdf,1,tide\npaper-2.pdf,1,x\n", encoding="utf-8")
    given = ["--gold", str(tmp_path / "g.csv"), "--system", str(tmp_path / "s.csv")]
    for verb in ("evaluate", "report"):
        assert main([verb, *given]) == 1
        said = capsys.readouterr().err
        assert "found lists for 0 of 2 documents of the gold standard (“P001”, where s has “paper-1.pdf”)" in said
        assert "--fix only-number    keep only the number (“paper-1.pdf” → “1”)" in said
    assert main(["evaluate", *given, "--stream", "--universe", "99"]) == 1
    assert "no document in common" in capsys.readouterr().err
    assert main(["evaluate", *given, "--fix", "only-number"]) == 0
    assert main(["validate", *given]) == 0


def test_small_overlap_is_noted_with_every_number() -> None:
    gold = {f"d{number}": ["tide"] for number in range(10)}
    corpus = load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(4)}})
    assert [(item.level, item.where, item.found) for item in findings(corpus)] == [
        ("warn", "s", "lists for 4 of 10 documents of the gold standard")
    ]
    for answer in (kp.evaluate(corpus, k=1), kp.sensitivity(corpus, k=1)):
        assert any("lists for 4 of 10 documents" in note.message for note in answer.notes)
    assert not findings(load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(5)}}))


SHIFTED = [line.split(";") for line in ["tide;wave", "moon;month", "rise", "wall;dock", "surge;gate", "marsh;fen"]]


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ([*SHIFTED[1:], ["port"]], "of the next document (5 of them), not of their own (0)"),
        ([["Keyphrases"], *([one[0].upper(), "x"] for one in SHIFTED[:-1])], "of the previous document (5 of them)"),
        (SHIFTED, ""),  # as they should be
        ([["tide"], *SHIFTED[2:], ["port"]], ""),  # one list meets its own keyphrases
        ([["port"], *SHIFTED[2:4], ["port"], ["port"], ["port"]], ""),  # two that meet may be chance
        ([["tide", "moon"]] * 6, ""),
    ],
)
def test_lists_shifted_by_one_line_are_reported(lists: list[list[str]], said: str) -> None:
    gold, systems = ({f"{n}": part for n, part in enumerate(every, 1)} for every in (SHIFTED, lists))
    corpus = load(gold=gold, systems={"s": systems, "t": gold})
    result = [item for item in findings(corpus) if "shifted by one line" in item.found]
    assert [(item.level, item.where) for item in result] == ([("warn", "s")] if said else [])
    if result:
        assert said in result[0].found
        for answer in (kp.evaluate(corpus, k=1), kp.compare(corpus, measure="P@k", k=1)):
            assert [note.where for note in answer.notes if "shifted by one line" in note.message] == ["s"]


# files that are nothing, twice, or named alike


def test_a_file_may_be_left_out() -> None:
    two = [GOLD, Source("h.csv", GOLD.data.replace(b"ana", b"ben"))]
    assert load(gold=two, mapping={"h.csv": "leave out"}).annotators == ["ana"]


def test_repeated_file_is_refused_and_copy_noted() -> None:
    with pytest.raises(InputError, match="the same file again"):
        load(gold=[GOLD, GOLD])
    notes = load(systems=[Source("a.json", b'{"d": ["x"]}'), Source("b.json", b'{"d": ["x"]}')]).report.notes
    assert "The file is identical to a.json, byte for byte." in [note.message for note in notes]


@pytest.mark.parametrize(
    "other",
    [
        Source("h.csv", b"doc_id,annotator,phrase\nd1,ana,gauge\n"),
        Source("h.jsonl", b'{"doc_id": "d1", "annotator": "ana", "keyphrases": ["gauge", "sea"]}\n'),
    ],
)
def test_annotator_in_two_files_with_same_documents_is_refused(other: Source) -> None:
    with pytest.raises(InputError, match="document “d1” of “ana” again, first g"):
        load(gold=[GOLD, other])
    assert load(gold={"one": GOLD, "two": other}).annotators == ["one", "two"]
    lists = [load(gold=[GOLD, other], fixes=[fix]).gold.query("doc_id == 'd1'") for fix in ("keep-first", "merge")]
    assert [table["phrase"].tolist()[:2] for table in lists] == [["tide"], ["tide", "gauge"]]


def test_annotator_in_two_files_may_have_different_documents() -> None:
    further = Source("h.csv", b"doc_id,annotator,phrase\nd4,ana,gauge\n")
    assert load(gold=[GOLD, further]).annotators == ["ana"]
    with pytest.raises(InputError, match="or a different name for each file"):
        load(systems={"s": [Source("a.csv", b"doc_id,phrase\nd1,x\n"), Source("b.csv", b"doc_id,phrase\nd1,y\n")]})


def test_empty_list_without_annotator_joins_other_unnamed_lists() -> None:
    lists = Source("g.csv", b"doc_id,annotator,keyphrases\nd1,,tide; sea\nd2,ana,sea; moon\nd3,,\n")
    mapping = Mapping.read("role=gold,document=doc_id,keyphrases=keyphrases,annotator=annotator,split=;")
    corpus = load(gold=lists, mapping={"g.csv": mapping})
    assert sorted(corpus.annotators) == ["ana", "gold"]
    assert corpus.empty[["source", "doc_id"]].to_numpy().tolist() == [["gold", "d3"]]


def test_paths_named_alike_keep_their_folders(tmp_path: Path) -> None:
    for folder in ("ana", "ben"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "keys.json").write_text(f'{{"d1": ["{folder}"]}}', encoding="utf-8")
    corpus = load(gold=[tmp_path / "ana/keys.json", tmp_path / "ben/keys.json"])
    assert corpus.annotators == ["ana/keys", "ben/keys"]
    assert [reading.file for reading in corpus.report.readings] == ["ana/keys.json", "ben/keys.json"]


# what is said on the command line


def test_repeated_options_add_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
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


def test_encoding_option_applies_to_non_utf8_files() -> None:
    latin = Source("a.csv", "doc_id,phrase\nd1,Čas\n".encode("windows-1250"))
    utf = Source("b.csv", "doc_id,phrase\nd2,Straße\n".encode())
    corpus = load(gold=[latin, utf], encoding="windows-1250")
    assert corpus.gold["phrase"].tolist() == ["Čas", "Straße"]
    exact = load(gold=utf, mapping={"b.csv": Mapping(encoding="windows-1252")})
    assert exact.gold["phrase"].tolist() == ["StraÃŸe"]


def test_mappings_reach_archive_members_by_any_name() -> None:
    member = b"Nr,Begriff,Wort\n1,x,a\n2,y,b\n"
    folder = archive({"in/g.csv": member}, "all.zip")
    for name in ("in/g.csv", "g.csv", "all.zip", "all.zip/in/g.csv"):
        mapping = Mapping(document="Nr", keyphrases="Wort")
        assert load(gold=folder, mapping={name: mapping}).gold["phrase"].tolist() == ["a", "b"]
    with pytest.raises(UsageError, match=r"no file has this name"):
        load(gold=GOLD, mapping={"h.csv": Mapping()})


# systems without lists


def test_a_system_without_any_list_stays_a_system() -> None:
    header = Source("mine.csv", b"system,doc_id,rank,phrase\n")
    corpus = load(gold={"d": ["x"]}, systems=[header])
    assert corpus.systems == ["mine"]
    assert corpus.report.notes[0].message == "There is no list of this system; it is scored as missing."
    assert kp.evaluate(corpus, k=1, measures="P@1", interval="none").frame["value"].tolist() == [0]


def test_short_lists_exclude_missing_lists() -> None:
    gold = {f"d{number}": ["tide"] for number in range(10)}
    corpus = load(gold=gold, systems={"s": {f"d{number}": ["tide"] for number in range(6)}})
    notes = [note.message for note in kp.evaluate(corpus, k=5, interval="none").notes]
    assert "6 of 6 lists are shorter than k = 5" in notes


@pytest.mark.parametrize("name", ["score", "rank"])
def test_numbers_with_trailing_blank_next_to_missing_values(name: str) -> None:
    values = ["1 ", None, "1", "1", "1", "1"]
    frame = pd.DataFrame({"doc_id": [f"d{n}" for n in range(6)], "phrase": "x", name: values}, dtype=object)
    corpus = load(systems=frame)
    assert len(corpus.runs) == 5
    assert corpus.report.rejected["line"].tolist() == ["2"]


# settings that do not fit


def said(corpus: kp.Corpus, **changes: str) -> list[tuple[str, object]]:
    notes = kp.evaluate(corpus, k=1, measures="P@1", interval="none", **changes).notes
    return [(note.message, note.remedy) for note in notes if note.where == "normalise"]


def test_unsuitable_stemmer_is_noted_with_alternative() -> None:
    gold = {f"d{n}": [f"analyse de la mer {n}", f"le niveau des eaux {n}"] for n in range(20)}
    corpus = load(gold=gold, systems={"s": gold})
    remedy = ("normalise", "nfkc+lower+space+snowball-fr")
    assert said(corpus) == [("most words look French, which porter-nltk does not support", remedy)]
    assert said(corpus, normalise="lower+space+snowball-fr") == said(corpus, normalise="lower+space") == []


def test_one_frequent_word_makes_no_language() -> None:
    gold = {f"d{n}": ["plane x y z", f"sea level {n}"] for n in range(30)}  # “y” is a frequent word of Spanish
    assert said(load(gold=gold, systems={"s": gold})) == []


def test_stemmed_gold_is_noted() -> None:
    stems = stem_words([f"{word}{end}" for word in WORDS.split() for end in ("", "man", "board")], "porter-nltk")
    gold = {f"d{number}": [stem] for number, stem in enumerate(dict.fromkeys(stems))}
    corpus = load(gold=gold, systems={"s": gold})
    words = "the gold keyphrases are stems already, and stemming them again loses matches"
    assert said(corpus) == [(words, ("gold_stemmed", "yes"))]
    assert said(corpus, gold_stemmed="yes") == []


def test_documents_without_ids_in_different_order_are_refused() -> None:
    anna = Source("Anna.csv", b"Titel,Keywords\nTide,a; b\nMoon,c; d\n")
    ben = Source("Ben.csv", b"Titel,Keywords\nmoon,c; x\nTide,a; y\n")
    for files in (
        {"gold": [anna, ben]},
        {"gold": anna, "documents": Source("texts.csv", b"id,title\nm,Moon\nt,Tide\n")},
    ):
        with pytest.raises(InputError, match=r"titles in another order, than in Anna\.csv"):
            kp.load(**files)
    by_title = kp.Mapping.read("document=Titel,keyphrases=Keywords")
    gold = kp.load(gold=[anna, ben], mapping={"Anna.csv": by_title, "Ben.csv": by_title}).gold
    assert gold.groupby(["annotator", "doc_id"])["phrase"].agg(list)["Ben", "Tide"] == ["a", "y"]


def test_other_scripts_are_not_read_as_windows_1252() -> None:
    with pytest.raises(InputError, match="name its encoding"):
        kp.load(gold=Source("g.csv", "id;keywords\nd1;деревня; город\n".encode("cp1251")))


def test_named_columns_need_no_header_question():
    rows = {"doc_id": ["Tides", "d1", "d2", "d3"], "phrase": ["gauge", "tide", "sea", "moon"]}
    corpus = kp.load(gold=Source("a.parquet", parquet(rows)))
    assert corpus.gold["doc_id"].tolist() == rows["doc_id"]
    lines = "".join(f"{doc_id}\t{phrase}\n" for doc_id, phrase in zip(*rows.values(), strict=True))
    with pytest.raises(kp.Question, match="a first row that is unlike the others"):
        kp.load(gold=Source("a.tsv", lines.encode()))


def test_unquoted_separators_are_refused_with_line() -> None:
    rows = ["K1;Liisa;vuorovesi; kuu; meri", "K1;Matti;kuu; meri", "K2;Liisa;aalto; ranta", "K3;Liisa;majakka"]
    data = "\n".join(["tunnus;indeksoija;asiasanat", *rows]).encode()
    with pytest.raises(kp.InputError, match="line 2: expected 3 cells as in the first line, found 5 cells"):
        load(gold=Source("finnish.csv", data))
    lists = load(gold=Source("finnish.csv", data), mapping={"finnish.csv": kp.Mapping.read("format=F5")})
    assert lists.gold["phrase"].tolist()[:4] == ["tunnus", "indeksoija", "asiasanat", "K1"]


def test_question_about_many_columns_has_short_example() -> None:
    form = Form("a.csv", Mapping("gold", "id", tuple(f"column {number}" for number in range(200))), "Whose are they?")
    example = "--as a.csv:document=A,keyphrases=B"
    assert str(form) == f"a.csv: Whose are they? Say what the file means, for example {example}"
