"""Every family of formats becomes the tidy form and is read back as the same tables."""

import json
from dataclasses import replace
from functools import cache, partial
from itertools import product

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kp_core as kp
from kp_core.corpus import COLUMNS
from kp_core.reading import Mapping, Source
from kp_core.reading.lists.sniff import FAMILIES
from kp_core.reading.open.values import EDGES
from kp_core.takeaway.tidy import tidy
from kp_core.takeaway.workspace_file import Saved, read_workspace, uploads_of, workspace_file
from tests.corpora import corpus_of
from tests.format_samples import SAMPLES
from tests.read_back import ENDINGS, back, rows, same


def test_every_family_has_a_sample():
    known = {form for family in FAMILIES for form in (family.NAME, *family.FORMS)}
    assert {name.split()[0] for name in SAMPLES} == known


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_by_its_family(name):
    given, counts = SAMPLES[name]
    corpus = kp.load(**given)
    assert {reading.family for reading in corpus.report.readings} == {name.split()[0]}
    assert corpus.report.rejected.empty
    texts = int(corpus.documents["text"].notna().sum())
    assert (len(corpus.gold), len(corpus.runs), texts, len(corpus.judgements)) == counts


def everything() -> kp.Corpus:
    """Return grades, scores of which low ones are better, spellings, empty lists, odd texts, a type, judged pairs."""
    corpus = corpus_of(
        {"ana": {"007": ["a;b"], "8": []}, "ben": {"007": [("c", "d")]}},
        {"s": {"007": ["x", "a;b"], "9": []}},
        grades={"007": {"a;b": 0.5}},
        scores={"s": {"007": [0.1, 0.25]}},
        texts={"007": "Tides [sep] rise.\r\n\tTwice, “daily”.", "8": "=1+1"},
        higher=False,
    )
    corpus.documents.loc[0, "group"] = "news"
    rows = [("p1", "d1", "tide table", "tide", "ana", 3.0), ("p2", None, "sea", "=the sea", "ana", 3.5)]
    judged = pd.DataFrame(rows, columns=["pair_id", "doc_id", "keyphrase", "candidate", "annotator", "score"])
    return replace(corpus, judgements=judged.astype(dict.fromkeys(judged.columns[:5], "str")))


CORPORA = {
    **{name: partial(kp.load, **given) for name, (given, _) in SAMPLES.items()},
    "everything": everything,
    "a fix": partial(kp.load, {"1": ["tide"]}, {"a": {"1.txt": ["tide"]}}, fixes=["strip-extension"]),
    "ties": partial(kp.load, {"1": ["tide"]}, {"a": {"1": [("tide", 0.1), ("sea", 0.2), ("sun", 0.2)], "2": []}}),
    "a system called gold": partial(kp.load, {"1": ["tide"]}, {"gold": {"1": ["tide"]}, "b": {"1": ["sea"]}}),
    "numbers in further columns": lambda: kp.load(
        pd.DataFrame({"doc_id": ["1", "2"], "phrase": ["tide", "=1+1"], "votes left": [2**62, -1], "small": [1.5, 2]})
    ),
    "line ends in a text": partial(kp.load, documents={"1": "Tides rise.\u2028\r\n"}),
}


@cache
def loaded(name: str) -> kp.Corpus:
    return CORPORA[name]()


#: A workspace keeps files as they are; without files, a table whose every phrase has a semicolon is taken for lists.
NOT_KEPT = ("F10 JSON rows", "workspace")


@pytest.mark.parametrize(
    ("name", "form"), [one for one in product(CORPORA, [*ENDINGS, "workspace"]) if one != NOT_KEPT]
)
def test_written_corpus_reads_back_unchanged(name, form):
    corpus = loaded(name)
    if form == "workspace":
        again = read_workspace(Source("a", workspace_file(Saved(uploads_of(corpus))))).uploads.load()
        for table in COLUMNS if name != "F5" else ():  # whose documents have an order of their own
            pd.testing.assert_frame_equal(getattr(again, table), getattr(corpus, table), check_exact=True)
        assert list(again.rankings.items()) == list(corpus.rankings.items())
        assert again.report.fixes == corpus.report.fixes
    else:
        again = back(tidy(corpus, form))
    same(again, corpus)
    assert again.report.rejected.empty
    assert {system: item.higher_is_better for system, item in again.rankings.items()} == {
        system: item.higher_is_better for system, item in corpus.rankings.items()
    }
    for table, read in ((corpus.gold, again.gold), (corpus.runs, again.runs)):
        further = [column for column in ("concept", "label", "prmu", "note") if column in table]
        assert rows(read[further].fillna(""), further) == rows(table[further].fillna(""), further)


letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.sampled_from(" ;,|\t\"'%_[]\n")
phrase = st.text(letters, max_size=9).map(lambda text: text.strip(EDGES)).filter(bool)
entries = st.lists(phrase | st.lists(phrase, min_size=2, max_size=3), max_size=4)
lists = st.dictionaries(phrase, entries, min_size=1, max_size=4)
predictions = st.dictionaries(phrase, st.lists(phrase, max_size=5), max_size=4)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=8)
@given(st.dictionaries(phrase, lists, min_size=1, max_size=3), st.dictionaries(phrase, predictions, max_size=2))
@example({"0": {"0@": [";"]}}, {})
def test_drawn_corpus_reads_back_unchanged(ending, gold, runs):
    corpus = corpus_of(gold, runs)
    again = back(tidy(corpus, ending))
    assert again.report.rejected.empty
    same(again, corpus)


def test_every_family_keeps_the_order_of_the_file():
    documents = {"d9": ["zx", "a b", "c", "by"], "C-1": ["b", "a", "b"], "d1": ["y z"], "11": ["c", "a"]}
    lists = list(documents.items())
    rows = [(doc_id, rank, phrase) for doc_id, phrases in lists for rank, phrase in enumerate(phrases, 1)]
    table = pd.DataFrame(rows, columns=["doc_id", "rank", "phrase"])
    records = [json.dumps({"id": doc_id, "predictions": phrases}) for doc_id, phrases in lists]
    files = {
        "a.json": json.dumps(documents),
        "b.json": json.dumps({doc_id: [[phrase] for phrase in phrases] for doc_id, phrases in lists}),
        "c.json": json.dumps({d: [[p, 1 / rank] for rank, p in enumerate(phrases, 1)] for d, phrases in lists}),
        "a.txt": "".join(f"{doc_id}\t{';'.join(phrases)};\n" for doc_id, phrases in lists),
        "a.csv": table.to_csv(index=False),
        "a.jsonl": "\n".join(records),
    }
    for form in (documents, table, *(Source(name, text.encode()) for name, text in files.items())):
        as_read = {form.name: Mapping(as_read=True)} if isinstance(form, Source) else {}
        runs = kp.load(systems={"s": form}, mapping=as_read).runs
        assert runs[["doc_id", "rank", "phrase"]].to_numpy().tolist() == [list(row) for row in rows]
    shuffled = kp.load(systems={"s": table.sample(frac=1, random_state=1)}).runs  # of which nothing orders documents
    assert {d: part.tolist() for d, part in shuffled.groupby("doc_id")["phrase"]} == documents
