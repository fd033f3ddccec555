"""Every awkward file is read or refused as its entry says, in seconds and without gigabytes."""

import time

import pytest

from kp_core.errors import InputError, UsageError
from kp_core.reading import load
from tests.awkward.files import FILES, Awkward
from tests.fuzz.sound import is_clear, is_sound


@pytest.mark.parametrize("file", FILES, ids=[file.why for file in FILES])
def test_a_file_is_read_or_refused_as_expected(file: Awkward) -> None:
    source = file.source()
    begun = time.process_time()
    try:
        corpus = load(**{file.role: source}, fixes=file.fixes, limits=file.limits)
    except (InputError, UsageError) as refusal:
        is_clear(refusal)
        assert file.refused
        assert file.refused in str(refusal)
    else:
        is_sound(corpus)
        rows = len(corpus.runs if file.role == "systems" else corpus.gold)
        assert (len(corpus.documents), rows, len(corpus.report.rejected)) == file.loads
    assert time.process_time() - begun < 5
