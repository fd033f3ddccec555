"""The load report counts lists, gaps, duplicates and odd characters, and offers fixes only if they are one to one."""

import pytest

from kp_core.corpus import Corpus
from kp_core.reading import Source, load
from kp_core.reading.rows import identifiers, report
from kp_core.text.normalise import Normaliser


@pytest.fixture
def corpus() -> Corpus:
    gold = {"C-1": ["tide table", "Tide table", "tide tables", "*"], "C-2": ["sea", "sea"], "C-3": []}
    run = {"C-1.txt": [("tide", 0.5), ("sea", 0.5), ("x", 0.1)], "C-2.txt": [("a", 0.1), ("b", 0.2)]}
    return load(
        gold=gold, systems={"s": run, "t": {"C-1": ["tide"]}}, documents={"C-2": "Water\u00a0rises.", "C-4": "x\ufffd"}
    )


def test_statistics_of_annotators_and_systems(corpus: Corpus) -> None:
    table = report.statistics(corpus, Normaliser.parse("lower+space+punct-strip+porter-nltk"), 3).set_index("source")
    counts = ["documents", "phrases", "shortest", "mean", "longest", "empty", "missing"]
    assert table.loc["gold", counts].tolist() == [3, 6, 0, 2, 4, 1, 2]
    assert table.loc["gold", ["duplicates", "lists with duplicates", "duplicates, lower case"]].tolist() == [1, 1, 2]
    assert table.loc["gold", "lists with duplicates, lower case"] == 2
    assert table.loc["gold", ["duplicates, normalised", "vanishing"]].tolist() == [3, 1]
    assert table.loc["gold", "shorter than 3"] == 2
    assert table.loc["s", ["documents", "ties", "re-sorted", "missing", "shorter than 3"]].tolist() == [2, 1, 1, 3, 1]
    assert table.loc["t", ["documents", "missing"]].tolist() == [1, 4]


def test_gaps_and_suggestions(corpus: Corpus) -> None:
    gaps = identifiers.gaps(corpus).set_index(["in", "not in"])
    assert gaps.loc[("gold", "texts"), ["documents", "only here", "first"]].tolist() == [3, 2, "C-1, C-3"]
    assert identifiers.unmatched(corpus).query("doc_id == 'C-4'")["similar"].iloc[0] == "C-1, C-2, C-3"


def test_fix_is_offered_only_if_ids_stay_distinct() -> None:
    left, right = {"C-1": ["a"], "C-2": ["b"]}, {"C-1.txt": ["a"], "C-2.txt": ["b"]}
    offered = identifiers.suggestions(load(gold=left, systems={"s": right}))
    assert offered.to_numpy().tolist() == [["strip-extension", "strip the extension", "gold", "systems", 2, 2]]
    assert not len(identifiers.suggestions(load(gold=left, systems={"s": right | {"C-1.key": ["x"]}})))
    for one, other, fix in (("A", "a", "casefold-ids"), ("007", "7", "strip-zeros"), ("x/1", "1", "strip-path")):
        corpus = load(gold={one: ["x"]}, systems={"s": {other: ["x"]}})
        assert identifiers.suggestions(corpus)["fix"].tolist() == [fix]
    assert not len(identifiers.suggestions(load(gold=left, systems={"s": left})))


def test_fix_is_offered_for_single_deviating_system() -> None:
    gold = {"C-1": ["a"], "C-2": ["b"], "C-3": ["c"]}
    plain, ending = {"C-1": ["a"], "C-2": ["b"]}, {"C-1.txt": ["a"], "C-2.txt": ["b"]}
    offered = identifiers.suggestions(load(gold=gold, systems={"plain": plain, "ending": ending}))
    assert offered.to_numpy().tolist() == [["strip-extension", "strip the extension", "gold", "ending", 2, 2]]
    people = identifiers.suggestions(load(gold={"ana": gold, "ben": {"c-1": ["a"], "c-2": ["b"]}}))
    assert people[["fix", "left", "right", "match"]].to_numpy().tolist() == [["casefold-ids", "ana", "ben", 2]]
    fixed = load(gold=gold, systems={"plain": plain, "ending": ending}, fixes=["strip-extension"])
    assert identifiers.fixes(fixed).to_numpy().tolist() == [["strip-extension", "strip the extension"]]
    assert not len(identifiers.suggestions(fixed))


def test_documents_that_a_system_has_no_list_for(corpus: Corpus) -> None:
    assert identifiers.missing(corpus).to_numpy().tolist() == [["s", 3, 3, "C-1, C-2, C-3"], ["t", 2, 3, "C-2, C-3"]]
    assert identifiers.coverage(corpus).to_numpy().tolist() == [
        ["gold", 3],
        ["systems", 3],
        ["texts", 2],
        ["every side", 0],
        ["all", 6],
    ]
    whole = load(gold={"1": ["a"], "2": []}, systems={"s": {"1": ["a"], "2": []}})
    assert not len(identifiers.missing(whole))


def test_odd_characters_are_counted_with_an_example(corpus: Corpus) -> None:
    table = report.characters(corpus).set_index(["where", "what"])
    assert table.loc[("texts", "no-break space"), "count"] == 1
    assert table.loc[("texts", "replacement character"), "first"] == "x\ufffd"
    other = load(gold={"d": ["ﬂow", "a\u00ad", "e\u0301", "\ue000", "z\u200bz"]})
    assert set(report.characters(other)["what"]) == {
        "soft hyphen",
        "zero-width character",
        "private use character",
        "not composed (NFC)",
        "changed by NFKC",
    }


def test_files_are_listed_with_readings() -> None:
    corpus = load(gold=Source("g.csv", b"doc_id,phrase\r\nd1,a\r\n,b\r\n" + b"d1,c\r\n" * 8))
    row = report.files(corpus).iloc[0]
    assert row[["file", "family", "line ends", "rows read", "loaded", "rejected"]].tolist() == [
        "g.csv",
        "F10",
        "\\r\\n",
        10,
        9,
        1,
    ]
    assert row["columns"] == "doc_id = doc_id, phrase = phrase"


def test_receipt_names_sources_and_documents_in_use() -> None:
    ana = Source("ana.csv", b"doc_id,annotator,phrase\nd1,ana,tide\nd2,ana,sea\nd2,ben,moon\n")
    ben = Source("ben.csv", b"doc_id,annotator,phrase\nd3,ben,sun\n")
    run = Source("run.csv", b"doc_id,phrase,score\nd1,tide,3\nd1,sea,1\nd9,moon,2\n")
    other = Source("other.csv", b"doc_id,rank,phrase\nd1,1,tide\nd1,x,sea\nd2,1,moon\nd3,1,a\nd3,2,b\nd3,3,c\n")
    texts = Source("texts.jsonl", b'{"id": "d1", "text": "Tides."}\n{"id": "d9", "text": "Moons."}\n')
    result = report.receipt(load(gold=[ana, ben], systems=[run, other], documents=texts))
    assert [(one.file, one.words) for one in result] == [
        ("ana.csv", "gold standard of ana, ben · 2 of 3 documents · 3 phrases"),
        ("ben.csv", "gold standard of ben · 1 of 3 documents · 1 phrase"),
        ("texts.jsonl", "texts · 1 of 3 documents · 2 texts"),
        ("run.csv", "system run · 1 of 3 documents · 3 phrases · higher score is better"),
        ("other.csv", "system other · 3 of 3 documents · 5 phrases · 1 row rejected"),
    ]


def test_the_receipt_names_the_systems_of_each_file() -> None:
    two = Source("two.csv", b"doc_id,system,rank,phrase\nd1,a,1,tide\nd1,b,1,x\nd1,b,2,y\n")
    one = Source("one.csv", b"doc_id,rank,phrase\nd1,1,tide\n")
    result = report.receipt(load(files=[two, one], mapping={"two.csv": "system", "one.csv": "system"}))
    assert [line.what for line in result] == ["systems a, b", "system one"]
    empty = report.receipt(load(systems={"a": {"d1": []}, "b": {"d1": ["tide"]}}))
    words = ["system a · 1 of 1 document · 0 phrases", "system b · 1 of 1 document · 1 phrase"]
    assert [line.words for line in empty] == words
