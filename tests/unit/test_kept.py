"""What a corpus keeps for the next question stays bounded, and what was forgotten is computed again, the same."""

import kp_core as kp
from kp_core.corpus import RECENT
from kp_core.text.stem import STEMMERS
from tests.corpora import corpus_of


def test_many_ways_to_compare_phrases_leave_the_last_few() -> None:
    gold, runs = {"d1": ["Hash tables", "seas"]}, {"s": {"d1": ["hash table", "sea", "moon"]}}
    corpus = corpus_of(gold, runs, texts={"d1": "A hash table of seas."})
    names = ["none", "lower", *(f"lower+{stemmer}" for stemmer in STEMMERS)]
    assert len(names) > RECENT

    def value(name: str, where: kp.Corpus) -> float:
        found = kp.evaluate(where, "average", "kappa", normalise=name, universe="ngrams", interval="none")
        return float(found.frame["value"].iloc[0])

    first = {name: value(name, corpus) for name in names}
    assert len(set(first.values())) > 1
    sizes = {kind: len(kept) for kind, kept in corpus.cache.items() if kind in ("identities", "universe")}
    assert sizes == {"identities": RECENT, "universe": RECENT}
    fresh = corpus_of(gold, runs, texts={"d1": "A hash table of seas."})
    assert {name: value(name, corpus) for name in names} == first
    assert value("lower", fresh) == first["lower"]
