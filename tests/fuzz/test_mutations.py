"""Mutated files of every family give a corpus or one clear refusal, in a process of bounded memory."""

import json
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from kp_core.reading import Source
from kp_core.reading.families import all_families
from tests.cases import ROOT
from tests.fuzz.mutations import ROLES, case, seeds
from tests.fuzz.sound import is_read_or_refused


def test_mutated_files_give_a_corpus_or_a_refusal() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "2000", "--seed", "2", "--seconds", "8"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    figures = json.loads(done.stdout)
    assert figures["loaded"] > 0
    assert figures["refused"] > 0
    assert figures["loaded"] + figures["refused"] == figures["inputs"]


def test_every_family_has_an_example_to_mutate() -> None:
    mutated = {name for name, _ in seeds()}
    assert {family.NAME for family in all_families()} <= mutated


def test_a_number_makes_the_same_input_again() -> None:
    found = seeds()
    assert case(7, 30, found) == case(7, 30, found)
    assert case(7, 30, found) != case(8, 30, found)


WORDS = ["tide", "sea", "0.5", "1", "", " ", "\ud800", "a;b"]
FIELDS = ["d1", "id", "keyphrases", "predictions", "KeyPhrases", "Scores", "text", "phrase", "score"]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.lists(values, min_size=1, max_size=3), st.sampled_from(ROLES))
def test_any_json_gives_a_corpus_or_a_refusal(parts: list[object], role: str) -> None:
    text = "\n".join(json.dumps(part) for part in parts)
    is_read_or_refused(**{role: Source("a.json", text.encode())})
