"""Kinds of files that were once misread are read, asked about with the right answer, or refused."""

import re
import tomllib
from collections import abc
from pathlib import Path
from typing import Any

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading import Mapping, Question, Source, findings, load
from tests.format_samples import archive
from tests.truths import Lists, Truth, settles
from tests.unit.reading.test_families import given as files_of

CASES = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))


def given(case: abc.Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `load` for a case."""
    said = {"mapping": {case["file"]: Mapping.read(case["mapping"])}} if "mapping" in case else {}
    return files_of(dict(case)) | said


def truths(case: abc.Mapping[str, Any]) -> list[Truth]:
    """Return the acceptable results of a case."""
    parts = [{**case, **other} for other in ({}, *case.get("or", ()))]
    more = {key: case[key] for key in ("texts", "partial", "higher") if key in case}
    return [Truth(lists(one.get("gold", ())), lists(one.get("systems", ())), **more) for one in parts]


def lists(rows: list[str]) -> Lists:
    """Return lists that are written as “whose | document | phrase | phrase …”; a bar without blanks is a character."""
    cells = [row.split(" | ") for row in rows]
    return {(whose, document): phrases for whose, document, *phrases in cells}


def named(case: abc.Mapping[str, Any]) -> str:
    """Return the kind of a case, and which one of the kind it is."""
    alike = [item for item in CASES["case"] if item["kind"] == case["kind"]]
    return f"{case['kind']} {alike.index(case) + 1}"


@pytest.mark.parametrize("case", [one for one in CASES["case"] if one.get("ends") != "refused"], ids=named)
def test_kinds_of_files_are_read_or_asked_about(case: dict[str, Any]) -> None:
    ended = settles(given(case), truths(case), case.get("change", ""))
    endings = ["read", "asked first", "asked"]
    assert ended in endings[: endings.index(case.get("ends", "read")) + 1]
    if ended == "read":
        said = [note.message for note in load(**given(case)).report.notes if note.level == "warning"]
        assert "never" not in case or not [item for item in said if case["never"] in item]
        assert "once" not in case or len([item for item in said if case["once"] in item]) <= 1
    elif "asks" in case:
        with pytest.raises(Question, match=re.escape(case["asks"])):
            load(**given(case))


@pytest.mark.parametrize("case", [one for one in CASES["case"] if one.get("ends") == "refused"], ids=named)
def test_invalid_input_is_refused_with_one_remedy(case: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=case["said"]) as refused:
        load(**given(case))
    assert not isinstance(refused.value, Question)
    assert refused.value.remedy.replace("docs/formats.md", "").strip(" .") not in ("", "See", "see")


def questions() -> dict[str, Question]:
    """Return the questions that the cases ask."""
    asked = {}
    for case in CASES["case"]:
        try:
            load(**given(case))
        except Question as question:
            asked[named(case)] = question
        except InputError:
            pass
    return asked


def test_questions_are_short_with_few_distinct_readings() -> None:
    for name, question in questions().items():
        for finding in question.findings:
            readings = [
                item for item in finding.answers if not any(m.role == "leave out" for m in item.mapping.values())
            ]
            assert len(readings) <= 4, name
            assert len({item.options() for item in finding.answers}) == len(finding.answers), name
            assert len(f"{finding.where} {finding.found} {finding.expected} {finding.remedy}".split()) <= 60, name


# fixes of ids


@pytest.mark.parametrize("case", CASES["fix"], ids=lambda case: case["shows"])
def test_fix_matches_ids_one_to_one_with_example(case: dict[str, Any]) -> None:
    gold, runs = ({doc_id: ["tide"] for doc_id in case[side]} for side in ("ids", "others"))
    stops = [item for item in findings(load(gold=gold, systems={"s": runs})) if item.level == "stop"]
    assert len(stops) == 1
    fixes = [reply for reply in stops[0].answers if reply.fixes]
    assert bool(fixes) == case["joins"]
    for reply in fixes:
        mended = load(gold=gold, systems={"s": runs}, fixes=reply.fixes)
        assert set(mended.gold["doc_id"]) == set(mended.runs["doc_id"])
        assert len(set(mended.gold["doc_id"])) == len(gold)
        assert any(doc_id in reply.example for doc_id in (*gold, *runs))


# several files at once


UNSURE = [
    "doc_id,keyphrase,prob\nd1,sea,0.2\nd1,tide,0.9\nd2,quay,0.1\nd2,ship,0.8\n",
    "Name,T 1,T 2\nA,x; y,z\nB,x,z; u\n",
]


def test_all_questions_are_asked_at_once() -> None:
    files = [Source(name, text.encode()) for name, text in zip(("s.csv", "class.csv"), UNSURE, strict=True)]
    with pytest.raises(Question) as asked:
        load(gold=files[1], systems=files[0])
    assert {item.file for item in asked.value.forms} == {"s.csv", "class.csv"}


@pytest.mark.parametrize("text", CASES["both"]["texts"])
def test_combined_file_serves_either_role_or_both(text: str) -> None:
    lone, twice = Source("all.csv", text.encode()), [Source("all.csv", text.encode()) for _ in range(2)]
    for corpus in (load(gold=lone), load(gold=twice[0], systems=twice[1]), load(files=lone)):
        assert (len(corpus.annotators), len(corpus.systems)) == (1, 2)
        assert kp.evaluate(corpus, k=1, interval="none").frame["value"].notna().any()


@pytest.mark.parametrize("name", CASES["unreadable"]["names"])
def test_unreadable_member_does_not_stop_folder(name: str) -> None:
    members = {"d1.key": "tide\nsea\n", "d2.key": "moon\n", name: b"PK\x03\x04\x00\xff\xfe\x00broken"}
    corpus = load(gold=archive(members))
    assert sorted(corpus.gold["phrase"]) == ["moon", "sea", "tide"]
    assert any(name in left for reading in corpus.report.readings for left in reading.ignored)
