"""Mutated files of every family give a corpus or one clear refusal, in a process of bounded memory."""

import json
import subprocess
import sys
from pathlib import Path

from kp_core.reading.lists.sniff import FAMILIES
from tests.fuzz.mutations import case, seeds

ROOT = Path(__file__).resolve().parents[2]


def test_mutated_files_give_a_corpus_or_a_refusal() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "2000", "--seed", "2", "--seconds", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    figures = json.loads(done.stdout)
    assert figures["loaded"] > 0
    assert figures["refused"] > 0
    assert figures["loaded"] + figures["refused"] == figures["inputs"]


def test_every_family_is_mutated_and_a_number_repeats_its_input() -> None:
    result = seeds()
    families = {"statistics", "workspace", "vocabulary", *(family.NAME for family in FAMILIES)}
    assert families <= {name for name, _ in result}
    assert case(7, 30, result) == case(7, 30, result)
    assert case(7, 30, result) != case(8, 30, result)
