"""Every awkward file is read or refused as expected, within seconds and little memory."""

import time

import pytest

from kp_core.corpus import Corpus
from kp_core.errors import InputError
from kp_core.reading import load
from tests.awkward.files import FILES, Awkward
from tests.fuzz.sound import is_clear, is_sound

#: Maximum processor time for one file: the largest takes 3 seconds on an idle machine, 6 on a busy one.
SECONDS = 10


def read(file: Awkward) -> Corpus:
    return load(**{file.role: file.source()}, fixes=file.fixes, limits=file.limits)


@pytest.mark.parametrize("file", [file for file in FILES if file.loads], ids=lambda file: file.why)
def test_a_file_is_read_as_expected(file: Awkward) -> None:
    begun = time.process_time()
    corpus = read(file)
    assert time.process_time() - begun < SECONDS
    is_sound(corpus)
    rows = len(corpus.runs if file.role == "systems" else corpus.gold)
    assert (len(corpus.documents), rows, len(corpus.report.rejected)) == file.becomes


@pytest.mark.parametrize("file", [file for file in FILES if not file.loads], ids=lambda file: file.why)
def test_a_file_is_refused_in_words(file: Awkward) -> None:
    begun = time.process_time()
    with pytest.raises(InputError) as refusal:
        read(file)
    assert time.process_time() - begun < SECONDS
    is_clear(refusal.value)
    assert file.becomes in str(refusal.value)
