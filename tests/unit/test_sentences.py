"""Each sentence with branches has a snapshot of its longest form, filled with findings that a test names."""

import re
from typing import Any

import pytest

from kp_core.errors import read_toml
from kp_core.typeset import say
from tests.cases import cases

SENTENCES = [(name, one) for name, every in cases(__file__).items() for one in every]


@pytest.mark.parametrize(("name", "snapshot"), SENTENCES)
def test_findings_become_the_sentence(name: str, snapshot: dict[str, Any]) -> None:
    assert say(name, **snapshot.get("findings", {})) == snapshot["sentence"]


def test_every_sentence_with_a_branch_has_a_snapshot() -> None:
    branches = re.compile(r"{%|{{[^}]*\bif\b")
    branching = {name for name, template in read_toml("data/sentences.toml").items() if branches.search(template)}
    assert {name for name, _ in SENTENCES} == branching
