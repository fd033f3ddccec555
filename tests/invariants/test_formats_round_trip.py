"""Every family of formats becomes the tidy form and is read back as the same tables, in the order of the file."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.reading import Choice, Source, load
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


phrases = st.lists(st.text("abc xyz", min_size=1).filter(str.strip), min_size=1, max_size=8)
lists = st.dictionaries(st.text("dC-19", min_size=1, max_size=4), phrases, min_size=1, max_size=6)


@settings(max_examples=20)
@given(lists)
def test_the_order_in_the_file_is_kept_by_every_family(documents: dict[str, list[str]]) -> None:
    wanted = [(doc_id, phrase.strip()) for doc_id, found in documents.items() for phrase in found]
    table = pd.DataFrame(
        [(d, n, p) for d, found in documents.items() for n, p in enumerate(found, 1)],
        columns=["doc_id", "rank", "phrase"],
    )
    lines = "".join(f"{doc_id}\t{';'.join(found)};\n" for doc_id, found in documents.items())
    records = "".join(json.dumps({"id": d, "predictions": found}) + "\n" for d, found in documents.items())
    scored = {d: [[p, 1 / n] for n, p in enumerate(found, 1)] for d, found in documents.items()}
    forms: list[object] = [
        documents,
        table,
        table.sample(frac=1, random_state=1),
        Source("a.json", json.dumps(documents).encode()),
        Source("a.json", json.dumps({d: [[p] for p in found] for d, found in documents.items()}).encode()),
        Source("a.json", json.dumps(scored).encode()),
        Source("a.txt", lines.encode()),
        Source("a.csv", table.to_csv(index=False).encode()),
        Source("a.jsonl", records.encode()),
    ]
    for form in forms:
        # Ids that are drawn may look like a header, which would be asked.
        meant = {form.name: Choice(use="as-read")} if isinstance(form, Source) else {}
        runs = load(systems={"s": form}, roles=meant).runs
        found = list(zip(runs["doc_id"], runs["phrase"], strict=True))
        if isinstance(form, pd.DataFrame):  # a shuffled table tells the order of phrases, not of documents
            found = [pair for doc_id in documents for pair in found if pair[0] == doc_id]
        assert found == wanted
