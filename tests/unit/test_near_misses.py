import pytest

import kp_core as kp
from tests.corpora import corpus_of, document_values, settings
from tests.differential.random_corpora import draw

GOLD = {"d1": ["neural networks", "topic", "real-time scheduling"], "d2": ["hash table", "quality of service"]}
RUNS = {
    "a": {
        "d1": ["Neural Networks", "topic importance", "scheduling", "tree"],
        "d2": ["table hash", "hash tables", "service qualities", "Hash Table"],
    },
    "silent": {"d2": []},
}


@pytest.fixture(scope="module")
def corpus():
    return corpus_of(GOLD, RUNS)


def test_every_prediction_and_gold_entry_has_type(corpus):
    result = kp.near_misses(corpus, k=10)
    rows = result.frame
    assert rows["phrase"].tolist() == [*RUNS["a"]["d1"], *RUNS["a"]["d2"][:3]]  # the last repeats the second
    assert rows["type"].tolist() == ["EXACT", "INCLUDE", "PARTOF", "NONE", "OVERLAP", "MORPH", "OVERLAP"]
    assert rows["hit"].tolist() == [True, False, False, False, False, True, False]
    assert rows["reordered"].tolist() == [False] * 4 + [True, False, False]
    assert rows["morph"].tolist() == [False] * 6 + [True]
    assert rows["keyphrase"].tolist() == [*GOLD["d1"], "", "hash table", "hash table", "quality of service"]
    assert rows["rank"].tolist() == [1, 2, 3, 4, 1, 2, 3]
    assert rows["overlap"].tolist() == pytest.approx([1, 1 / 2, 1 / 2, 0, 1, 1, 2 / 3])
    entries = result.gold[result.gold["system"] == "a"]
    assert entries["keyphrase"].tolist() == [*GOLD["d1"], *GOLD["d2"]]
    assert entries["type"].tolist() == ["EXACT", "INCLUDE", "PARTOF", "MORPH", "OVERLAP"]
    assert entries["rank"].tolist() == [1, 2, 3, 2, 3]
    assert entries["hit"].tolist() == [True, False, False, True, False]
    silent = result.gold[result.gold["system"] == "silent"]
    assert silent["type"].tolist() == ["NONE"] * 5
    assert silent["rank"].isna().all()


def test_counts_shares_and_examples(corpus):
    result = kp.near_misses(corpus, k=10)
    assert result.counts().to_dict("records") == [
        {"system": "a", "EXACT": 1, "MORPH": 1, "INCLUDE": 1, "PARTOF": 1, "OVERLAP": 2, "NONE": 1}
    ]
    assert result.counts("gold")["NONE"].tolist() == [0, 5]
    shares = result.shares()
    assert shares[["predictions", "hits", "misses", "near"]].to_numpy().tolist() == [[7, 2, 5, 4]]
    assert shares["share"].item() == 0.8
    examples = result.examples()
    assert examples["type"].tolist() == ["INCLUDE", "PARTOF", "OVERLAP", "OVERLAP"]
    assert examples["count"].tolist() == [1] * 4
    assert len(result.examples(1)) == 3
    assert not [note for note in result.notes if note.where == "a"]  # EXACT and MORPH are the hits


def test_best_entry_by_type_overlap_then_order():
    corpus = corpus_of(
        {"d": ["deep neural network", "network of streets", "neural network training data", "network"]},
        {"s": {"d": ["neural network", "network data", "network streets"]}},
    )
    rows = kp.near_misses(corpus, k=10).frame
    # INCLUDE comes before PARTOF; equal R-precision 1/2 of "network data" goes to the type
    assert rows["keyphrase"].tolist() == ["network", "network", "network"]
    corpus = corpus_of({"d": ["a b x", "a b y", "c d e f", "c d g"]}, {"s": {"d": ["b a", "d c"]}})
    rows = kp.near_misses(corpus, k=10).frame
    assert rows["keyphrase"].tolist() == ["a b x", "c d g"]
    entries = kp.near_misses(corpus_of({"d": ["x y z"]}, {"s": {"d": ["y", "x", "x y", "z"]}}), k=10).gold
    assert (entries["phrase"].item(), entries["rank"].item()) == ("x y", 3)


def test_without_a_stemmer_morph_is_a_near_miss():
    corpus = corpus_of({"d": ["hash table"]}, {"s": {"d": ["hash tables", "Hash  Table", "HASH TABLE"]}})
    result = kp.near_misses(corpus, k=10, normalise="none")
    assert result.frame["type"].tolist() == ["MORPH", "EXACT", "EXACT"]
    assert result.frame["hit"].tolist() == [False] * 3
    assert result.shares()["share"].item() == 1.0


@pytest.mark.parametrize("normalise", ["none", "nfkc+lower+space+porter-nltk", "lower+space+hyphen-split+sort"])
@pytest.mark.parametrize("duplicates", ["before", "keep", "count"])
def test_near_miss_hits_equal_evaluation_hits(normalise, duplicates):
    drawn = draw(11)
    runs = {document: [*phrases, *phrases[:2]] for document, phrases in drawn.runs.items()}
    corpus = corpus_of({d: list(g) for d, g in drawn.gold.items()}, {"s": runs})
    made = settings(5, normalise=normalise, duplicates=duplicates)
    rows = kp.near_misses(corpus, made).frame
    assert set(rows.loc[rows["hit"], "type"]) <= {"EXACT", "MORPH"}
    assert rows["hit"].sum() > 20
    hits = document_values(corpus, "hits@k", 5, normalise=normalise, duplicates=duplicates)
    hits, part = hits.set_index("document")["hits"], rows.groupby("document")["hit"].sum()
    assert part.to_dict() == {document: count for document, count in hits.items() if document in part.index}


def test_hits_by_hyphens_are_equal_phrases():
    corpus = corpus_of({"d": ["e-mail lists"]}, {"s": {"d": ["e mail list"]}})
    result = kp.near_misses(corpus, k=1, normalise="lower+space+hyphen-split+porter-nltk").frame
    assert result[["type", "hit"]].to_numpy().tolist() == [["MORPH", True]]
