"""The invented corpus that an independent implementation worked end to end, and its expected values."""

import json

import pytest

from tests.corpora import corpus_of


@pytest.fixture(scope="session")
def oracle(shared):
    return json.loads(shared("oracles/agreement/documents_oracle.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def corpus(oracle):
    """Texts list the items 1..N, so that the 1-grams of a text are the universe of the oracle."""
    gold = {f"ann{i}": {} for i in (1, 2, 3)}
    runs = {"s1": {}, "s2": {}}
    for document in oracle["documents"]:
        for annotator, items in document["annotators"].items():
            gold[annotator][document["id"]] = [str(item) for item in items]
        for system, items in document["systems"].items():
            runs[system][document["id"]] = [str(item) for item in items]
    texts = {d["id"]: " ".join(str(item) for item in range(1, d["N"] + 1)) for d in oracle["documents"]}
    return corpus_of(gold, runs, texts=texts)
