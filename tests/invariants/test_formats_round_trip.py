"""Every family of formats becomes the tidy form and is read back as the same tables."""

import pytest

import kp_core as kp
from kp_core.reading.families import all_families
from kp_core.reading.tidy import tidy
from tests.format_samples import SAMPLES
from tests.read_back import ENDINGS, back, rows, same


def test_every_family_has_a_sample():
    assert {name.split()[0] for name in SAMPLES} == {family.NAME for family in all_families()}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_by_its_family(name):
    given, counts = SAMPLES[name]
    corpus = kp.load(**given)
    assert {reading.family for reading in corpus.report.readings} == {name.split()[0]}
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
