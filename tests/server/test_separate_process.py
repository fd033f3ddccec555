"""Reading in a separate process gives the same corpus, and stops if it costs too much."""

import importlib
import time
from collections.abc import Iterator

import pytest

import kp_core as kp
from kp_core.reading import Source, form_for
from kp_core.reading.meaning.mapping import Mapping
from kp_core.reading.uploads import Uploads
from kp_ui.state import separate_process as module
from tests.read_back import same

GOLD = Source("gold.csv", b"doc_id,phrase\nd1,tide\nd1,sea\nd2,moon\n")
UNKNOWN = Source("odd.csv", b"aa,bb,cc\n1,x,2\n2,y,3\n")


@pytest.fixture(scope="module")
def limited() -> Iterator[None]:
    """Limit reading to two seconds and 300 MB."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KPSCOPE_READING_SECONDS", "2")
        patch.setenv("KPSCOPE_READING_BYTES", "300000000")
        yield importlib.reload(module)
    importlib.reload(module)


def spin(seconds: float) -> float:
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass
    return time.process_time() - begun


def fill(number: int) -> int:
    return len(bytearray(number))


def test_without_a_budget_no_process_is_started(monkeypatch):
    monkeypatch.setattr(module, "_CONTEXT", None)
    assert module.in_separate_process(fill, 1_000) == 1_000


def test_separate_process_reads_same_corpus(limited):
    same(module.in_separate_process(Uploads((GOLD,)).load), kp.load(gold=[GOLD]))


def test_questions_and_forms_survive_process_boundary(limited):
    assert module.in_separate_process(form_for, UNKNOWN, Mapping()) == form_for(UNKNOWN, Mapping())
    with pytest.raises(kp.InputError) as local:
        Uploads((UNKNOWN,)).load()
    with pytest.raises(type(local.value)) as there:
        module.in_separate_process(Uploads((UNKNOWN,)).load)
    assert str(there.value) == str(local.value)


@pytest.mark.parametrize(("work", "given"), [(spin, 60.0), (fill, 2_000_000_000)])
def test_costly_reading_is_refused_within_its_budget(limited, work, given):
    begun = time.monotonic()
    with pytest.raises(kp.InputError, match="files that can be read within 2 seconds and 300,000,000 bytes"):
        module.in_separate_process(work, given)
    assert time.monotonic() - begun < 20


def test_work_within_the_budget_is_done(limited):
    assert module.in_separate_process(spin, 0.1) >= 0.1
    assert module.in_separate_process(fill, 1_000) == 1_000
