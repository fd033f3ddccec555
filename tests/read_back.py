"""Read written files back into a corpus, and compare two corpora table by table."""

import re

import pandas as pd

import kp_core as kp
from kp_core.corpus import VOCABULARY
from kp_core.reading import Source

ENDINGS = ["csv", "jsonl", "parquet"]
#: Start of a file's name → what `load` takes it for.
ROLES = {name: name for name in ("gold", "systems", "documents", "judgements", *VOCABULARY)}


def back(made):
    """Load every file for its role; if asked, treat people without common documents as annotators."""
    given = {}
    for path, data in made.files.items():
        role = ROLES[re.split("[._/]", path)[0]]
        given.setdefault(role, []).append(Source(path, data))
    try:
        return kp.load(**given)
    except kp.Question as question:
        (people,) = [item for item in question.answers if "annotators of one data set" in str(item)]
        return kp.load(**given, mapping=people.mapping, fixes=people.fixes)


def rows(table, columns):
    if not len(table):
        return []
    plain = table.reindex(columns=columns).astype(object)
    return plain.where(plain.notna(), None).to_numpy().tolist()


def same(again, corpus):
    gold = ["annotator", "doc_id", "phrase", "relevance", "variants"]
    assert rows(again.gold, gold) == rows(corpus.gold, gold)
    runs = ["system", "doc_id", "rank", "phrase", "score"]
    assert rows(again.runs, runs) == rows(corpus.runs, runs)
    empty = ["role", "source", "doc_id"]
    assert sorted(rows(again.empty, empty)) == sorted(rows(corpus.empty, empty))
    texts = ["doc_id", "text", "title", "group"]
    assert sorted(rows(again.documents, texts), key=str) == sorted(rows(corpus.documents, texts), key=str)
    judged = ["pair_id", "doc_id", "keyphrase", "candidate", "annotator", "score"]
    assert rows(again.judgements, judged) == rows(corpus.judgements, judged)
    for name, table in corpus.vocabulary.given.items():
        pd.testing.assert_frame_equal(getattr(again.vocabulary, name), table)  # cells may be vectors
    assert again.vocabulary.given.keys() == corpus.vocabulary.given.keys()
