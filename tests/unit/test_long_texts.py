"""Regular expressions take time proportional to the length of a text, not to its square."""

import time
from collections.abc import Callable
from typing import Any

import pytest

import kp_core as kp
from kp_core.reading.beside.datasets import without_dataset
from kp_core.reading.beside.vectors import _NUMBER
from kp_core.reading.lists import list_builder as lists
from kp_core.reading.meaning import fields
from kp_core.reading.meaning.profiles import _NUMBERS
from kp_core.reading.open.json_table import _BLOCK, unfenced
from kp_core.reading.open.table import _RULE
from kp_core.reading.rows.identifiers import _last_part
from kp_core.reading.rows.sense import _NO_PHRASES
from kp_core.scale.sources import _unreadable
from kp_core.scoring.measures import registry
from kp_core.scoring.measures.registry import parse
from kp_core.similarity import declaration
from kp_core.studies.result import Requirement
from kp_core.studies.sensitivity import ReportedScore, match_reported

#: Characters; where the time grows with the square, these take between ten seconds and minutes.
LONG = 60_000


def refused(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def reads(text: str) -> None:
        with pytest.raises(kp.UsageError):
            read(text)

    return reads


def html(text: str) -> object:
    return next(search for words, search in _NO_PHRASES if words == "marked up as HTML")(text)


CASES: dict[str, tuple[Callable[[str], Any], str]] = {
    "a head of brackets": (fields.base_of, "(" * LONG + "x"),
    "a head of blanks": (fields.number_of, "a" + " " * LONG + "x"),
    "evidence": (fields.in_words, "_" * LONG),
    "the name of a file": (lambda text: without_dataset(text, "nus"), "a" + " " * LONG + "b"),
    "an id": (_last_part, "_" * LONG + "!"),
    "an answer of a model": (unfenced, "```a b" + " " * LONG + "c"),
    "a block that never ends": (lambda text: list(_BLOCK.finditer(text)), "```\n[" + "\n" * LONG),
    "a last line": (lambda text: lists.bare_items(["Keywords:", "- a", "- b", "- c", text]), "_" * LONG),
    "a cell of numbers": (_NUMBERS.fullmatch, "[" + "0" * LONG + "!"),
    "a cell of blanks": (_RULE.fullmatch, " " * LONG + "!"),
    "a tag that never ends": (html, "<" + "a" * LONG),
    "a number in a vector": (lambda text: _NUMBER.fullmatch(text.encode()), "0" * LONG + "!"),
    "what Arrow says": (lambda text: _unreadable("a.csv", ValueError(text)), "_" * LONG),
    "options of a similarity": (registry.names_in, "," * LONG),
    "a similarity": (refused(declaration.parse), "a" + " " * LONG + "b("),
    "the value of an option": (refused(declaration.parse), "combined(w=" + "0" * LONG + "x)"),
    "a measure": (refused(parse), "RBP(p=" + "0" * LONG + "x)"),
    "a requirement": (refused(Requirement.parse), "a" + ">" * LONG + " b"),
    "printed numbers": (refused(lambda text: match_reported(None, None, text)), "," + "\t" * LONG),  # type: ignore[arg-type]
    "a printed number": (refused(lambda text: ReportedScore.of("P@5", text)), "0" * LONG + "x"),
}


@pytest.mark.parametrize("name", CASES)
def test_long_texts_take_linear_time(name: str) -> None:
    read, text = CASES[name]
    begin = time.process_time()
    read(text)
    assert time.process_time() - begin < 1
