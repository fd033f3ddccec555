"""Folders, archives and loose files as they are published: what is a list, a text, or nothing; and whose list it is."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

import kp_core as kp
from kp_core.corpus import Corpus
from kp_core.errors import InputError
from kp_core.reading import Limits, Source
from tests.format_samples import archive


def tar(files: dict[str, str], **more: int) -> bytes:
    """Return a tar archive of {path: text}; more: fields of every entry."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as made:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            for name, value in more.items():
                setattr(info, name, value)
            made.addfile(info, io.BytesIO(text.encode()))
    return stream.getvalue()


def lists(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """Return annotator or system → document → phrases."""
    found: dict[str, dict[str, list[str]]] = {}
    for table, column in ((corpus.gold, "annotator"), (corpus.runs, "system")):
        for name, doc_id, phrase in table[[column, "doc_id", "phrase"]].to_numpy().tolist():
            found.setdefault(name, {}).setdefault(doc_id, []).append(phrase)
    return found


def texts(corpus: Corpus) -> dict[str, str]:
    table = corpus.documents.dropna(subset=["text"])
    return dict(zip(table["doc_id"], table["text"], strict=True))


def ignored(corpus: Corpus) -> list[str]:
    return [name for reading in corpus.report.readings for name in reading.ignored]


KEYS = {"./keys/1.key": "tide\nsea\n", "./keys/2.key": "moon\n"}


@pytest.mark.parametrize("name", ["pack.tar", "pack.tar.gz", "pack.tgz"])
def test_a_tar_archive_is_a_folder(name: str) -> None:
    data = tar(KEYS) if name.endswith("tar") else gzip.compress(tar(KEYS))
    corpus = kp.load(systems=Source(name, data))
    assert lists(corpus) == {"pack": {"1": ["tide", "sea"], "2": ["moon"]}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (tar(KEYS)[:1_600], "a damaged or unusual archive"),
        (tar(KEYS)[:1_024] + b"x" * 512 + tar(KEYS)[1_536:], "a damaged or unusual archive"),
        (tar({"a.key": ""}, type=tarfile.SYMTYPE), "a link"),
        (tar({"../a.key": "x"}), "leaves the archive"),
        (tar({"a.key": "x", "./a.key": "y"}), "two members"),
        (tar({f"{n}.key": "x" for n in range(12)}), "at most 10 members"),
        (gzip.compress(tar({"a.key": "x" * 3_000_000})), "100 : 1"),
    ],
)
def test_a_hostile_tar_archive_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        kp.load(gold=Source("a.tar", data), limits=Limits(archive_members=10))


def test_what_is_nothing_is_left_out_and_listed_and_refuses_no_folder() -> None:
    nothing = {
        "README.md": "# Data",
        "run.py": "print(1)",
        "lan.txt": "EN",
        "settings.cfg": "a = 1",
        "1.url": "http://x.org",
        "scores.txt": "P R F\n0.1 0.2 0.3\n",
        "notes": "what we did in spring",
        "record.xml": "<?xml version='1.0'?><a/>",
    }
    keys = {name.removeprefix("./"): text for name, text in KEYS.items()}
    corpus = kp.load(gold=archive({**keys, **nothing}))
    assert lists(corpus) == {"gold": {"1": ["tide", "sea"], "2": ["moon"]}}
    assert sorted(ignored(corpus)) == sorted(nothing)
    assert "Left out: a table of measures (P R F) without document ids." in [n.message for n in corpus.report.notes]
    with pytest.raises(InputError, match=r"2\.json: .*broken JSON"):
        kp.load(gold=archive({"1.json": '{"d": ["a"]}', "2.json": '{"d": ["a"'}))


def test_loose_files_are_the_folder_that_they_stand_in(tmp_path: Path) -> None:
    for path in ("ana/1.key", "ana/2.key", "ben/1.key", "ben/README"):
        (tmp_path / "teams" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "teams" / path).write_text(f"by {path[:3]}\n", encoding="utf-8")
    paths = [*sorted((tmp_path / "teams").rglob("*.*")), tmp_path / "teams/ben/README"]
    corpus = kp.load(gold=paths)
    assert lists(corpus) == {"ana": {"1": ["by ana"], "2": ["by ana"]}, "ben": {"1": ["by ben"]}}
    assert ignored(corpus) == ["ben/README"]
    assert lists(kp.load(systems={"yake": paths[:2]})) == {"yake": {"1": ["by ana"], "2": ["by ana"]}}
    assert lists(kp.load(systems=paths[:2])) == {"ana": {"1": ["by ana"], "2": ["by ana"]}}
    same = [tmp_path / "x" / "g.csv", tmp_path / "y" / "g.csv"]
    for path in same:
        path.parent.mkdir()
        path.write_text("doc_id,phrase\nd1,tide\nd1,sea\n,moon\n,sun\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"x/g\.csv, line 4"):
        kp.load(gold=same)


SHORT = {"1": "Tides rise.", "2": "The moon; the sun; a star.", "3": "Water"}


def under(folder: str, ending: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}{name}{ending}": text for name, text in files.items()}


@pytest.mark.parametrize("how", ["gold", "systems", "files"])
@pytest.mark.parametrize(("keys", "docs"), [("", ""), ("d/", "d/"), ("LIAAD/keys/", "LIAAD/docsutf8/")])
def test_texts_beside_keys_are_texts_however_short_and_whatever_is_asked(how: str, keys: str, docs: str) -> None:
    pack = under(keys, ".key", {"1": "tide\nsea", "2": "moon", "3": ""}) | under(docs, ".txt", SHORT)
    corpus = kp.load(**{how: archive({**pack, "LIAAD/lan.txt": "EN", "LIAAD/language.txt": "English\n"})})
    name = "pack" if how == "systems" else "gold"
    assert lists(corpus) == {name: {"1": ["tide", "sea"], "2": ["moon"]}}
    assert texts(corpus) == SHORT
    assert corpus.empty["doc_id"].tolist() == ["3"]


def test_one_text_beside_one_list() -> None:
    for how in ("gold", "files"):
        corpus = kp.load(**{how: archive({"1.key": "tide", "1.txt": "Tides; the sea; moon; sun\n"})})
        assert (lists(corpus), texts(corpus)) == ({"gold": {"1": ["tide"]}}, {"1": "Tides; the sea; moon; sun"})


def test_lists_may_be_named_like_their_texts() -> None:
    corpus = kp.load(files=archive({"1.txt": "Tides rise.", "1.txt.phrases": "tide\n", "2.txt.phrases": "sea\n"}))
    assert (lists(corpus), texts(corpus)) == ({"gold": {"1": ["tide"], "2": ["sea"]}}, {"1": "Tides rise."})


@pytest.mark.parametrize("readers", [["2", "5"], ["1", "2"]])
def test_a_reader_named_like_the_document_is_no_author(readers: list[str]) -> None:
    pack = {}
    for doc_id in ("1", "2", "3"):
        pack |= {f"NUS/{doc_id}/{doc_id}.txt": "Water.", f"NUS/{doc_id}/{doc_id}.kwd": "tide\n"}
        pack |= {f"NUS/{doc_id}/KEY/{reader}.key": f"{reader} of {doc_id}\n" for reader in readers}
    corpus = kp.load(files=archive(pack))
    every = {reader: {doc_id: [f"{reader} of {doc_id}"] for doc_id in "123"} for reader in readers}
    assert lists(corpus) == {"author": {doc_id: ["tide"] for doc_id in "123"}, **every}
    assert texts(corpus) == dict.fromkeys("123", "Water.")
    only = kp.load(gold=archive({path: text for path, text in pack.items() if "/KEY/" in path}))
    assert lists(only) == every


def test_an_annotator_is_never_a_document_s_number() -> None:
    pack = {f"{doc_id}/{name}.key": f"{name} {doc_id}" for doc_id in "123" for name in ("ana", "ben")}
    people = {name: {doc_id: [f"{name} {doc_id}"] for doc_id in "123"} for name in ("ana", "ben")}
    assert lists(kp.load(gold=archive(pack))) == people
    docs = under("docs/", ".txt", {"x1": "A.", "x2": "B."})
    named = {f"lists/{doc_id}/{name}.key": name for doc_id in ("x1", "x2") for name in ("r1", "r2")}
    assert lists(kp.load(files=archive(docs | named))) == {name: {"x1": [name], "x2": [name]} for name in ("r1", "r2")}
    folders = under("r1/", ".txt", {"x1": "a", "x2": "b"}) | under("r2/", ".txt", {"x1": "c", "x2": "d"})
    people = {"r1": {"x1": ["a"], "x2": ["b"]}, "r2": {"x1": ["c"], "x2": ["d"]}}
    for how in ("gold", "systems", "files"):
        corpus = kp.load(**{how: archive(docs | folders)})
        assert (lists(corpus), texts(corpus)) == (people, {"x1": "A.", "x2": "B."})


@pytest.mark.parametrize("line", ["{} 0.{}2\n", "{}   0.{}2\n", "{}\t0.{}2\n"])
def test_systems_are_folders_of_phrases_and_scores(line: str) -> None:
    def ranked(*phrases: str) -> str:
        return "".join(line.format(phrase, n) for n, phrase in enumerate(phrases, 1))

    pack = under("docs/", ".txt", {"1": "Tides rise and fall.", "2": "The moon."})
    pack |= under("keys/", ".key", {"1": "tide", "2": "moon"})
    pack |= under("yake/", ".txt", {"1": ranked("tide table", "sea"), "2": ranked("covid 19")})
    pack |= under("tfidf/", ".txt", {"1": ranked("sea"), "2": ranked("moon", "sun")})
    corpus = kp.load(files=archive(pack))
    assert lists(corpus) == {
        "gold": {"1": ["tide"], "2": ["moon"]},
        "yake": {"1": ["tide table", "sea"], "2": ["covid 19"]},
        "tfidf": {"1": ["sea"], "2": ["moon", "sun"]},
    }
    assert corpus.runs.query("system == 'yake'")["score"].tolist() == [0.12, 0.22, 0.12]
    assert len(texts(corpus)) == 2


def test_the_table_that_yake_prints_and_phrases_that_end_in_a_number() -> None:
    printed = "keyword        score\n-----------  -------\ntide table    0.0021\nsea           0.01\n"
    corpus = kp.load(systems=archive({"1.txt": printed, "2.txt": "moon 0.5\n"}, "yake.zip"))
    assert lists(corpus) == {"yake": {"1": ["tide table", "sea"], "2": ["moon"]}}
    corpus = kp.load(systems=archive({"1.txt": "covid 19\nwindows 7\nvitamin b 12\n", "2.txt": "moon 1\n"}))
    assert lists(corpus) == {"pack": {"1": ["covid 19", "windows 7", "vitamin b 12"], "2": ["moon 1"]}}


def test_abstracts_are_texts_by_their_ending() -> None:
    pack = {"1.abstr": "Tides\n", "1.contr": "tide; sea", "1.uncontr": "tide;\n\tsea level", "2.abstr": "Moon"}
    for how in ("gold", "files"):
        corpus = kp.load(**{how: archive(pack)})
        assert lists(corpus) == {"contr": {"1": ["tide", "sea"]}, "uncontr": {"1": ["tide", "sea level"]}}
        assert texts(corpus) == {"1": "Tides", "2": "Moon"}


def test_two_candidates_for_a_text() -> None:
    pack = {"1.key": "tide", "1.txt": "Tides rise twice.", "1.abstr": "Tides rise."}
    with pytest.raises(kp.Question) as asked:
        kp.load(files=archive(pack))
    first, second, kept = asked.value.answers
    assert str(second) == "the texts are those “.txt”"
    assert texts(kp.load(files=archive(pack), roles=first.choices)) == {"1": "Tides rise."}
    assert texts(kp.load(files=archive(pack), roles=second.choices)) == {"1": "Tides rise twice."}
    assert texts(kp.load(files=archive(pack), fixes=kept.fixes)) == {"1": "Tides rise."}
    same = {"a/1.txt": "Tides rise.", "b/1.txt": "Tides rise.", "keys/1.key": "tide"}
    corpus = kp.load(files=archive(same))
    assert texts(corpus) == {"1": "Tides rise."}


def test_texts_of_two_files_for_one_document_are_asked() -> None:
    two = [Source(f"{name}.csv", f"doc_id,text\nd1,Water of {name}.\n".encode()) for name in ("a", "b")]
    with pytest.raises(kp.Question, match=r"another text for “d1”, first in a\.csv") as asked:
        kp.load(documents=two)
    assert texts(kp.load(documents=two, fixes=asked.value.answers[0].fixes)) == {"d1": "Water of a."}


def test_folders_and_files_that_are_numbers_alone_are_asked() -> None:
    pack = archive({f"g/{folder}/{file}.key": f"p{folder}{file}" for folder in (1, 2) for file in (1, 2)})
    with pytest.raises(kp.Question, match="each folder is an annotator") as asked:
        kp.load(gold=pack)
    people, documents = (kp.load(gold=pack, roles=answer.choices) for answer in asked.value.answers)
    assert lists(people)["1"] == {"1": ["p11"], "2": ["p12"]}
    assert lists(documents)["2"] == {"1": ["p12"], "2": ["p22"]}
    many = archive({f"g/{folder}/{file}.key": "tide" for folder in (1, 2) for file in range(100, 120)})
    assert kp.load(gold=many).annotators == ["1", "2"]


def test_subjects_of_annif_keep_their_notation() -> None:
    lines = "<http://a/1>\ttide\t55.1\t0.8\n<http://a/2>\tsea\t\t0.5\n<http://a/3>\tmoon\t0.2\n"
    runs = kp.load(systems=Source("d1.annif", lines.encode())).runs
    assert runs["concept"].tolist() == ["http://a/1", "http://a/2", "http://a/3"]
    assert runs["score"].tolist() == [0.8, 0.5, 0.2]
    assert runs["notation"].fillna("").tolist() == ["55.1", "", ""]


def test_a_json_file_a_document() -> None:
    subjects = '{{"text": "Tides {0}.", "subjects": [{{"uri": "http://a/{0}", "label": "tide {0}"}}]}}'
    corpus = kp.load(files=archive({f"d{n}.json": subjects.format(n) for n in (1, 2)}))
    assert lists(corpus) == {"gold": {"d1": ["tide 1"], "d2": ["tide 2"]}}
    assert texts(corpus) == {"d1": "Tides 1.", "d2": "Tides 2."}
    named = {f"{folder}/{n}.json": f'{{"keyphrases": ["{folder} {n}"]}}' for folder in ("gold", "yake") for n in (1, 2)}
    found = lists(kp.load(files=archive(named)))
    assert found == {"gold": {"1": ["gold 1"], "2": ["gold 2"]}, "yake": {"1": ["yake 1"], "2": ["yake 2"]}}


def test_json_files_that_tell_of_the_same_documents_are_those_of_several_people() -> None:
    pack = {f"{name}.json": f'{{"d1": {{"keyphrases": ["{name}"]}}}}' for name in ("ana", "ben")}
    assert kp.load(gold=archive(pack)).annotators == ["ana", "ben"]


def test_a_file_of_tagged_tokens_a_document() -> None:
    tokens = "The O\ntide {0}\ntable I-KP\n\nIs O\nwrong{1} O\n"
    corpus = kp.load(
        files=archive({f"d{n}.conll": tokens.format("B-KP", n) + "\nagain O\n" * (n == 2) for n in (1, 2)})
    )
    assert lists(corpus) == {"gold": {"d1": ["tide table"], "d2": ["tide table"]}}
    assert texts(corpus)["d2"] == "The tide table\nIs wrong2\nagain"
    people = {f"{name}.conll": tokens.format("B-KP", "") for name in ("ana", "ben")}
    assert lists(kp.load(gold=archive(people)))["ben"] == {"1": ["tide table"]}


DUC = "<DOC>\n<DOCNO> AP88-{0} </DOCNO>\n<HEAD>Tides &amp; {0}</HEAD>\n<TEXT>\n<P>Water {0}.\n{1}"


@pytest.mark.parametrize("end", ["</P></TEXT>\n</DOC>\n", ""])
def test_sgml_of_duc(end: str) -> None:
    every = "".join(DUC.format(n, end) for n in (16, 17))
    pack = {"docs/d061j/AP88-16": DUC.format(16, end), "docs/d061j/AP88-17": DUC.format(17, end)}
    for source in (Source("d061j", every.encode()), archive(pack)):
        for how in ("documents", "files"):
            corpus = kp.load(**{how: source})
            table = corpus.documents[["doc_id", "title", "text"]].to_numpy().tolist()
            assert table == [[f"AP88-{n}", f"Tides & {n}", f"Water {n}."] for n in (16, 17)]
    with pytest.raises(InputError, match="without `<DOCNO>`"):
        kp.load(documents=Source("d", (every + "<DOC><TEXT>x").encode()))


def test_half_numbered_folders_are_told_apart_by_what_they_hold() -> None:
    pack = {f"{team}/{doc_id}.key": f"{team} {doc_id}" for team in "12" for doc_id in ("1", "2", "3", "4", "5")}
    with_texts = pack | {f"docs/{doc_id}.txt": "Water." for doc_id in "12345"}
    people = {team: {doc_id: [f"{team} {doc_id}"] for doc_id in "12345"} for team in "12"}
    assert lists(kp.load(files=archive(with_texts))) == people
    many = {f"{doc_id}/1.key": f"tide {doc_id}" for doc_id in range(12)}
    assert list(lists(kp.load(gold=archive(many)))) == ["1"]


def test_crowd_counts_beside_keys_have_the_ids_of_the_keys() -> None:
    pack = {"train/a-1.txt": "Tides rise.", "train/a-1.key": "tide\n", "train/a-2.key": "sea\n"}
    pack |= {"train/a-1-CrowdCountskey": "tide\t10\nsea\t2\n", "train/a-2-CrowdCountskey": "sea\t4\n"}
    corpus = kp.load(files=archive(pack))
    assert lists(corpus) == {
        "key": {"a-1": ["tide"], "a-2": ["sea"]},
        "votes": {"a-1": ["tide", "sea"], "a-2": ["sea"]},
    }


def test_files_without_an_ending_are_told_apart_by_their_folders() -> None:
    pack = under("KDD/abstracts/", "", {"10.1145_1": "Tides rise.", "10.1145_2": "The moon."})
    pack |= under("KDD/gold/", "", {"10.1145_1": "tide\nsea", "10.1145_2": "moon"})
    corpus = kp.load(files=archive(pack))
    assert lists(corpus) == {"gold": {"10.1145_1": ["tide", "sea"], "10.1145_2": ["moon"]}}
    assert texts(corpus) == {"10.1145_1": "Tides rise.", "10.1145_2": "The moon."}


def test_texts_of_semeval_and_one_document_of_annif() -> None:
    corpus = kp.load(
        files=archive({"train/C-41.txt.final": "Tides rise.", "train.final": "C-41 : tide,sea\nC-42 : a,b"})
    )
    assert texts(corpus) == {"C-41": "Tides rise."}
    assert lists(corpus) == {"gold": {"C-41": ["tide", "sea"], "C-42": ["a", "b"]}}
    corpus = kp.load(files=archive({"d.txt": "Tides rise.", "d.tsv": "<http://x.org/1>\ttide\n"}))
    assert (lists(corpus), texts(corpus)) == ({"gold": {"d": ["tide"]}}, {"d": "Tides rise."})


@pytest.mark.parametrize(
    "text",
    [
        "doc_id,keyphrase\nd1,tide {0}\nd2,sea\n",
        "d1,tide {0}\nd1,sea\nd2,moon\n",
        "d1\ttide {0};sea\nd2\tmoon\n",
        '{{"d1": ["tide {0}", "sea"], "d2": ["moon"]}}',
        "d1 Q0 tide{0} 1 0.5 x{0}\nd2 Q0 sea 1 0.4 x{0}\n",
        "d1 : tide {0},sea\nd2 : moon,sun\n",
    ],
)
def test_several_files_of_many_documents_are_not_taken_for_one_document_each(text: str, tmp_path: Path) -> None:
    for name in ("yake", "kea"):
        (tmp_path / f"{name}.txt").write_text(text.format(name), encoding="utf-8")
    found = lists(kp.load(systems=[tmp_path / "yake.txt", tmp_path / "kea.txt"]))
    assert [sorted(documents) for documents in found.values()] == [["d1", "d2"], ["d1", "d2"]]
    assert "yake" in next(iter(found.values()))["d1"][0]
