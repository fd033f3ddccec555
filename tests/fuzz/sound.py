"""Properties of every corpus, whatever it was read from."""

import re
from typing import Any

import kp_core as kp
from kp_core.corpus import VOCABULARY, Corpus
from kp_core.errors import InputError, UsageError
from kp_core.reading import Mapping, Question, Source, load
from kp_core.takeaway.tidy import tidy
from tests.forms import proposed
from tests.read_back import ROLES, same


def is_read_or_refused(used: bool = False, **given: Any) -> bool:
    """Load what is given; check the corpus, the error, or the first answer; return whether there is a corpus.

    used  what was read is also written and read again, evaluated, compared and agreed on
    """
    try:
        corpus = load(**given)
    except Question as question:
        is_clear(question)
        said = {**given.get("mapping", {}), **proposed(question)}
        return said != given.get("mapping") and is_read_or_refused(used, **{**given, "mapping": said})
    except (InputError, UsageError) as refusal:
        is_clear(refusal)
        return False
    is_sound(corpus)
    if used:
        is_usable(corpus)
    return True


def is_usable(corpus: Corpus) -> None:
    """Check that a corpus is read the same where it was written, and that numbers come of it or one clear refusal."""
    if len(corpus.gold) + len(corpus.runs) + len(corpus.judgements) + len(corpus.empty):
        given: dict[str, list[Source]] = {}
        for path, data in tidy(corpus, "jsonl").files.items():  # CSV cannot hold NUL
            given.setdefault(ROLES[re.split("[._/]", path)[0]], []).append(Source(path, data))
        lists = [file for role, files in given.items() if role not in VOCABULARY for file in files]
        meant = {file.name: Mapping(as_read=True) for file in lists}
        same(load(**given, mapping=meant), corpus)
    for verb in (kp.evaluate, kp.compare, kp.agreement):
        try:
            verb(corpus, k=3, resamples=20)
        except (InputError, UsageError) as refusal:
            is_clear(refusal)


def is_sound(corpus: Corpus) -> None:
    assert corpus.documents["doc_id"].is_unique
    assert corpus.documents["doc_id"].str.strip().ne("").all()
    known = set(corpus.documents["doc_id"])
    assert set(corpus.gold["doc_id"]) <= known
    assert set(corpus.runs["doc_id"]) <= known
    assert set(corpus.empty["doc_id"]) <= known
    for table in (corpus.gold, corpus.runs):
        assert table["phrase"].str.strip().ne("").all()
        assert (table["phrase"].str.len() <= 1_000).all()
    runs = corpus.runs.reset_index(drop=True)
    if len(runs):
        lists = runs.groupby(["system", "doc_id"], sort=False)
        assert (lists.cumcount() + 1 == runs["rank"]).all()
        moved = runs[["system", "doc_id"]].ne(runs[["system", "doc_id"]].shift()).any(axis=1)
        assert lists.ngroups == int(moved.sum())
    for reading in corpus.report.readings:
        assert reading.rows_loaded + reading.rows_rejected + reading.rows_blank == reading.rows_read


def is_clear(refusal: InputError | UsageError) -> None:
    """Check that a refusal is one message that fits on a screen and reveals nothing about the machine."""
    said = str(refusal)
    assert len(said) < 2_000, said[:300]
    assert "Traceback" not in said
    assert "/home/" not in said
    assert "site-packages" not in said
