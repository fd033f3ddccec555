"""Every family of formats becomes the tidy form and is read back as the same tables; so do lists that hold it."""

import pytest

import kp_core as kp
from kp_core.errors import InputError
from kp_core.reading.sniff import all_families
from kp_core.reading.tidy import tidy
from kp_core.takeaway.lists import FORMS, lists
from tests.format_samples import SAMPLES
from tests.read_back import ENDINGS, back, rows, same

_APART = "the list of “(ana|ben)” for “(NA|007)”, which would be read back as another one"
_NOTHING = dict.fromkeys(FORMS, "found no list")
#: Which samples a form cannot hold, and why: a lone number reads as votes, annotators without a common document in
#: folders read as documents in folders, a semicolon would split, and judgements and texts have no lists.
REFUSED = {
    "F10": {"lines": _APART, "keys": _APART},
    "F10X": {"lines": _APART},
    "F10J": {"lines": "“;” in “tide; table” of document “d1”", "keys": "for “d1”, which would be read back"},
    "F11": _NOTHING,
    "F12": _NOTHING,
}


def test_every_family_has_a_sample():
    assert sorted(SAMPLES) == sorted(family.NAME for family in all_families() if family.NAME != "F0")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_by_its_family(name):
    given, counts = SAMPLES[name]
    corpus = kp.load(**given)
    assert {reading.family for reading in corpus.report.readings} == {name}
    assert corpus.report.rejected.empty
    texts = int(corpus.documents["text"].notna().sum())
    assert (len(corpus.gold), len(corpus.runs), texts, len(corpus.judgements)) == counts


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", SAMPLES)
def test_any_family_becomes_the_tidy_form_and_is_read_back(name, ending):
    corpus = kp.load(**SAMPLES[name][0])
    again = back(tidy(corpus, ending))
    same(again, corpus)
    for table, read in ((corpus.gold, again.gold), (corpus.runs, again.runs)):
        further = [column for column in ("concept", "label", "prmu", "note") if column in table]
        assert rows(read[further].fillna(""), further) == rows(table[further].fillna(""), further)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SAMPLES)
def test_any_family_becomes_lists_or_is_refused_before_writing(name, form):
    corpus = kp.load(**SAMPLES[name][0])
    if refused := REFUSED.get(name, {}).get(form):
        with pytest.raises(InputError, match=refused):
            lists(corpus, form)
        return
    made = lists(corpus, form)
    assert sum(path.startswith("gold/") for path in made.files) == _files(corpus, "gold", form)
    assert sum(path.startswith("systems/") for path in made.files) == _files(corpus, "system", form)


def _files(corpus, role, form):
    column, table = ("annotator", corpus.gold) if role == "gold" else ("system", corpus.runs)
    empty = corpus.empty[corpus.empty["role"] == role]
    keys = [*zip(table[column], table["doc_id"], strict=True), *zip(empty["source"], empty["doc_id"], strict=True)]
    return len(set(keys)) if form == "keys" else len({source for source, _ in keys})
