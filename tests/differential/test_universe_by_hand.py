"""The size of the universe against plain sets."""

import re

import numpy as np
import pytest

from kp_core.text.normalise import Normaliser
from tests.corpora import corpus_of, universe_sizes

PIPELINE = "lower+space+porter-nltk"
WORDS = ["networks", "network", "Graph", "graphs", "model", "key", "keys", "of", "mining", "data", "service"]


def phrase(rng, longest=3):
    return " ".join(rng.choice(WORDS, rng.integers(1, longest + 1)))


def drawn(seed):
    """Return (gold, runs, texts): gold entries as tuples of spellings, two annotators, two systems."""
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(8)]

    def entry():
        return tuple(dict.fromkeys(phrase(rng) for _ in range(1 + (rng.random() < 0.3))))

    gold = {a: {d: [entry() for _ in range(rng.integers(0, 5))] for d in names} for a in ("A", "B")}
    runs = {s: {d: [phrase(rng) for _ in range(rng.integers(0, 9))] for d in names[:7]} for s in ("s1", "s2")}
    texts = {d: "".join(f"{phrase(rng, 6)}{rng.choice([', ', '. ', '; '])}" for _ in range(6)) for d in names}
    return gold, runs, texts


def stems(phrases):
    return dict(zip(phrases, Normaliser.parse(PIPELINE).apply(phrases), strict=True))


def items(gold, document):
    """Return the gold items of a document as sets of stems; entries that share a spelling are one item."""
    merged = []
    for lists in gold.values():
        for entry in lists[document]:
            spellings = set(stems(list(entry)).values())
            touching = [item for item in merged if item & spellings]
            merged = [item for item in merged if not item & spellings] + [spellings.union(*touching)]
    return merged


def predictions(runs, document):
    return {stem for lists in runs.values() for stem in stems(lists.get(document, [])).values()}


def outside(found, within):
    """Count the items none of whose spellings is in the set."""
    return sum(not item & within for item in found)


def ngrams(text, n):
    found = set()
    for run in re.split(r"[,.;]", text):
        words = [stems([word])[word] for word in run.split()]
        found |= {" ".join(words[i : i + size]) for size in range(1, n + 1) for i in range(len(words) - size + 1)}
    return found


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_ngrams_and_rankings_which_look_at_no_text(seed, n):
    gold, runs, texts = drawn(seed)
    universe = f"ngrams:{n}" if n else "rankings"
    found = universe_sizes(corpus_of(gold, runs, texts=texts), universe, normalise=PIPELINE)
    for document, size in found.items():
        grams, own = ngrams(texts[document], n), items(gold, document)
        unseen = predictions(runs, document) - grams - set().union(*own)
        assert size == len(grams) + outside(own, grams) + len(unseen), document


@pytest.mark.parametrize("seed", range(4))
def test_vocabulary_of_entries_with_one_spelling(seed):
    gold, runs, _ = drawn(seed)
    gold = {a: {d: [entry[0] for entry in entries] for d, entries in lists.items()} for a, lists in gold.items()}
    everything = {p for lists in gold.values() for entries in lists.values() for p in entries}
    everything |= {p for lists in runs.values() for phrases in lists.values() for p in phrases}
    distinct = set(stems(list(everything)).values())
    found = universe_sizes(corpus_of(gold, runs), "vocabulary", normalise=PIPELINE)
    assert set(found.values()) == {float(len(distinct))}


def test_universe_does_not_depend_on_the_gold_that_is_chosen_or_on_k():
    gold, runs, texts = drawn(9)
    corpus = corpus_of(gold, runs, texts=texts)
    for universe in ("rankings", "ngrams:3", "vocabulary"):
        before = universe_sizes(corpus, universe, normalise=PIPELINE)
        after = universe_sizes(corpus, universe, normalise=PIPELINE, rel=2, denominator="returned", gold_list="listed")
        assert before == after
