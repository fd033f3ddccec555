"""Every family, and every ambiguous case of the format description, is read in the way that is written down."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from kp_core.corpus import Corpus, Ranking
from kp_core.errors import InputError
from kp_core.reading import Choice, Source, load
from tests.format_samples import EXAMPLES, archive

CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))


def read(text: str | bytes, name: str = "a.csv", role: str = "gold", **more: object) -> Corpus:
    return load(**{role: Source(name, text.encode() if isinstance(text, str) else text)}, **more)


def phrases(corpus: Corpus) -> list[str]:
    return (corpus.gold if len(corpus.gold) else corpus.runs)["phrase"].tolist()


def notes(corpus: Corpus) -> str:
    return "\n".join(note.message for note in corpus.report.notes)


def role_of(case: dict[str, Any]) -> str:
    return case.get("role", "systems" if case.get("file", "").startswith("s.") else "gold")


def read_case(case: dict[str, Any]) -> Corpus:
    if "packed" in case:
        return load(**{role_of(case): archive(case["files"])})
    choice = {case["file"]: Choice(**case.get("choice", {}))}
    return read(case["text"], case["file"], role_of(case), roles=choice, fixes=case.get("fixes", ()))


def shown(corpus: Corpus, table: pd.DataFrame, columns: list[str]) -> str | list[str]:
    if columns:
        plain = table[columns].astype(object)
        return [" | ".join(map(str, row)) for row in plain.where(plain.notna(), "").to_numpy()]
    where = table["doc_id"] if len(corpus.annotators) < 2 else table["annotator"] + " " + table["doc_id"]
    return "; ".join((where + ": " + table["phrase"])[:3])


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: case["shows"])
def test_a_file_is_read_as_is_written_down(case: dict[str, Any]) -> None:
    for text in case.get("texts", [case.get("text")]):
        is_read_as_written_down({**case, "text": text})


def is_read_as_written_down(case: dict[str, Any]) -> None:
    corpus = read_case(case)
    tables = {"systems": "runs", "files": "gold"}
    table = getattr(corpus, case.get("table") or tables.get(role_of(case), role_of(case)))
    assert shown(corpus, table, case.get("columns", [])) == case["rows"]
    assert " ".join(corpus.empty[["source", "doc_id"]].to_numpy().ravel()) == case.get("empty", "")
    rejected = corpus.report.rejected
    assert "; ".join(rejected["line"] + ": " + rejected["reason"]) == case.get("rejected", "")
    assert case.get("note", "") in notes(corpus)
    reading = corpus.report.readings[0]
    assert reading.rows_loaded + reading.rows_rejected + reading.rows_blank == reading.rows_read


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["said"])
def test_what_is_no_input_is_refused_in_words(case: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=case["said"]):
        read_case(case)


def test_ranks_that_begin_with_0_do_not_cost_each_list_its_best_phrase() -> None:
    rows = "".join(f"d{d},{rank},p{rank}\n" for d in range(3) for rank in range(20))
    with pytest.raises(InputError, match=r"ranks that begin with 0\. Add 1 to every rank"):
        read(f"doc_id,rank,phrase\n{rows}", "s.csv", "systems")


def test_millions_of_objects_in_one_line_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="line 2: expected at most 100,000 objects, found a line of 100,001 objects"):
        read(b'{"id": "a", "keywords": ["x"]}\n' + b'{"a":1}' * 200_000, "g.jsonl")


@pytest.mark.parametrize(
    "lines",
    [
        ['{"id": "d8", "predictions": ["a"', '], "note": 1}'],
        ['{"id": "d8", "predictions": ["a"]}, {"id": "d9", "predictions": ["a"]}', '{"id": "x", "note": [{}', "{}]}"],
        ['{"id": "d9", "pre'],
    ],
)
def test_lines_that_are_no_whole_object_are_rejected_one_by_one(lines: list[str]) -> None:
    good = [f'{{"id": "d{n}", "predictions": ["a"]}}' for n in range(20)]
    rejected = read("\n".join([*good, *lines]), "predictions.jsonl", "systems").report.rejected
    assert rejected["line"].tolist() == [str(21 + n) for n in range(len(lines))]
    assert rejected["reason"].str.contains("JSON object").all()


@pytest.mark.parametrize(
    ("text", "higher", "order", "ranking", "said"),
    [
        pytest.param(
            '{"d1": [["a", 0.01], ["b", 0.2]], "d2": [["c", 0.1], ["d", 0.1]]}',
            None,
            "abcd",
            Ranking("score", higher_is_better=False),
            "lower is taken as better",
        ),
        pytest.param(
            '{"d1": [["a", 1], ["b", 2]], "d2": [["c", 2], ["d", 1]]}',
            None,
            "bacd",
            Ranking("score", True, resorted=1),
            "1 list of “s” was not in order of score; it was sorted.",
        ),
        pytest.param('{"d1": [["a", 2], ["b", 1]]}', False, "ba", Ranking("score", False, resorted=1), ""),
        pytest.param(
            '{"d": [["z", 1], ["b", 2], ["a", 1], ["c", 2]]}', None, "bcza", Ranking("score", True, resorted=1), ""
        ),
        pytest.param(
            "doc_id,rank,phrase,score\nd,2,a,0.9\nd,1,b,0.1\nd,2,c,0.5\n", None, "bac", Ranking("rank", True, 1), ""
        ),
    ],
)
def test_scores_order_a_list(text: str, higher: bool | None, order: str, ranking: Ranking, said: str) -> None:
    name = "s.json" if text.startswith("{") else "s.csv"
    corpus = read(text, name, "systems", roles={name: Choice(higher_is_better=higher)})
    assert corpus.runs["phrase"].tolist() == list(order)
    assert corpus.rankings["s"] == ranking
    assert said in notes(corpus)


# ambiguous cases


def test_two_spellings_of_an_id_are_two_documents() -> None:
    runs = {"s": {"C-7.txt": ["a"], "7": ["b"], "a-1": ["c"]}}
    assert len(load(gold={"C-7": ["a"], "007": ["b"], "A-1": ["c"]}, systems=runs).documents) == 6


@pytest.mark.parametrize(
    ("fix", "wanted", "done"),
    [
        ("keep-first", "ab", "the first of each was kept"),
        ("merge", "acb", "their lists were joined, and of anything else the first was kept"),
    ],
)
def test_a_key_twice_in_json_is_settled_and_counted(fix: str, wanted: str, done: str) -> None:
    corpus = read('{"d1": ["a"],\n"d2": ["b"],\n"d1": ["c"]}', "g.json", fixes=[fix])
    assert phrases(corpus) == list(wanted)
    assert notes(corpus) == f"Keys that stood twice in one object: 1; {done}."
    lines = '{"id": "d1", "keywords": ["a"], "keywords": ["c"]}\n{"id": "d2", "keywords": ["b"], "id": "d3"}\n'
    # A line that breaks off is parsed as well, and what it repeats is not counted.
    more = "".join(f'{{"id": "e{n}", "keywords": ["e"]}}\n' for n in range(4)) + '{"id": "d4", "id": "d4", "keywords": '
    corpus = read(lines + more, "g.jsonl", fixes=[fix])
    assert phrases(corpus) == [*wanted, *"eeee"]
    assert f"Keys that stood twice in one object: 2; {done}." in notes(corpus)


def test_a_document_twice_across_files_of_one_annotator_is_refused() -> None:
    with pytest.raises(InputError, match="again"):
        load(gold={"ana": [Source("a.json", b'{"d": ["x"]}'), Source("b.json", b'{"d": ["y"]}')]})


def test_strict_refuses_the_first_rejected_row() -> None:
    text = "doc_id,phrase\n" + "d1,a\n" * 9 + ",b\n"
    assert len(read(text).report.rejected) == 1
    with pytest.raises(InputError, match="line 11"):
        read(text, strict=True)


# the families themselves


def test_every_family_recognises_its_own_example() -> None:
    for family, shown in EXAMPLES.items():
        for example in shown["examples"] if family not in ("F4", "F12") else ():
            role = "systems" if "pred_sents" in example else "files" if family == "F10" else "gold"
            corpus = read(example, "example", role)
            assert corpus.report.readings[0].family == family
            assert len(corpus.gold) + len(corpus.runs) + len(corpus.judgements) > 0
            assert corpus.report.rejected.empty
