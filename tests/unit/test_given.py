"""The user's own similarity against the formulas of KPEval's script, brute force and SciPy's assignment."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from nltk.stem.porter import PorterStemmer

import kp_core as kp
from kp_core.reading import Source
from kp_core.reading.beside.vectors import is_vectors
from kp_core.takeaway import methods

WORDS = [
    f"{stem}{end}" for stem in ("tid", "moon", "wav", "harbour", "sail", "storm") for end in ("e", "es", "ing", "")
]
SEM = ["SemP@M", "SemR@M", "SemF1@M"]


def drawn(documents: int, seed: int, length: int = 8) -> tuple[dict[str, list[str]], dict[str, list[str]], Any]:
    """Return keyphrases and predictions of documents, and vectors of all phrases in double precision."""
    rng = np.random.default_rng(seed)
    gold, lists = (
        {
            f"d{number}": [
                " ".join(rng.choice(WORDS, int(rng.integers(1, 3)))) for _ in range(int(rng.integers(low, length)))
            ]
            for number in range(documents)
        }
        for low in (1, 0)
    )
    names = list(dict.fromkeys(phrase for side in (gold, lists) for part in side.values() for phrase in part))
    return gold, lists, dict(zip(names, rng.normal(size=(len(names), 6)), strict=True))


def unique(phrases: list[str], stems: Any) -> list[str]:
    """Return the phrases without those that repeat an earlier one as stems."""
    first: dict[str, str] = {}
    for phrase in phrases:
        first.setdefault(stems(phrase), phrase)
    return list(first.values())


def kpeval(labels: list[str], preds: list[str], cosine: Any, stems: Any) -> tuple[float, float, float]:
    """Return p, r and f1 as KPEval's script computes them for one document."""
    labels, preds = unique(labels, stems), unique(preds, stems)
    if not labels or not preds:
        return 0.0, 0.0, 0.0
    known = {stems(item) for item in labels}
    p = np.mean([1.0 if stems(item) in known else max(0.0, max(cosine(item, y) for y in labels)) for item in preds])
    r = np.mean([max(0.0, max(cosine(y, item) for item in preds)) for y in labels])
    return float(p), float(r), float(0 if p * r == 0 else 2 * p * r / (p + r))


def semantic_r_precision(labels: list[str], preds: list[str], cosine: Any, stems: Any) -> float:
    """Return SemR-p as the script of Venturini & Kinkel 2025 computes it, with the one most similar label."""
    labels, preds = unique(labels, stems), unique(preds, stems)
    known = {stems(item) for item in labels}
    best = [
        1.0 if stems(item) in known else max(0.0, *(cosine(item, y) for y in labels)) for item in preds[: len(labels)]
    ]
    return sum(best) / len(labels)


def test_kpeval_sem_equals_published_script() -> None:
    gold, lists, vectors = drawn(300, 5)
    stemmer, kept = PorterStemmer(), dict[str, str]()

    def stems(phrase: str) -> str:
        if phrase not in kept:
            kept[phrase] = " ".join(map(stemmer.stem, phrase.split()))
        return kept[phrase]

    def cosine(one: str, two: str) -> float:
        a, b = vectors[one], vectors[two]
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    corpus = kp.load(gold=gold, systems={"a": lists}, vectors=vectors)
    result = kp.documents(corpus, kp.Settings(preset="kpeval-sem"), SEM).frame
    assert len(result) == 900
    expected = {
        (name, measure): value
        for name in gold
        for measure, value in zip(SEM, kpeval(gold[name], lists[name], cosine, stems), strict=True)
    }
    wanted = [expected[key] for key in zip(result["document"], result["measure"], strict=True)]
    np.testing.assert_allclose(result["value"], wanted, atol=1e-12)
    early = kp.documents(corpus, kp.Settings(preset="kpeval-sem"), ["SemRprec"]).frame.set_index("document")["value"]
    by_script = [semantic_r_precision(gold[name], lists[name], cosine, stems) for name in early.index]
    np.testing.assert_allclose(early, by_script, atol=1e-12)
    assert 0 < (early != result.loc[result["measure"] == "SemP@M", "value"].to_numpy()).mean() < 1


def test_vectors_are_looked_up_as_written_then_normalized() -> None:
    vectors = {"Tide": [1.0, 0.0], "tides": [0.0, 1.0], "sea": [0.0, 2.0]}
    corpus = kp.load(gold={"d": ["sea", "moon"]}, systems={"a": {"d": ["tides", "TIDE", "sun"]}}, vectors=vectors)
    result = kp.evaluate(corpus, k=3, measures="SemP@k", duplicates="keep", matching="best")
    assert result.frame["value"].item() == pytest.approx((1 + 0) / 3)  # of "TIDE", a repeat, nothing is counted
    (note,) = [note for note in result.notes if note.where == "vectors" and note.level == "warning"]
    assert note.message.startswith("3 phrases have an entry there, of 5;")
    assert note.message.endswith(": moon, sun")
    pairs = [("moon", "sea"), ("moon", "Moon"), ("TIDE", "Tide"), ("Tides", "sea")]
    actual = kp.similarity(pairs, "given", vocabulary=corpus.vocabulary)
    assert actual["reason"].tolist() == ["no_vector", "ok", "ok", "ok"]
    assert actual["value"].tolist()[1:] == [1.0, 1.0, 0.0]  # "Tides" is looked up as "tid", and Tide is the first


@pytest.mark.parametrize("kind", ["parquet", "columns", "npz", "word2vec", "headless"])
def test_files_of_vectors_give_the_same_table(tmp_path: Path, kind: str) -> None:
    phrases, matrix = ["tide", "spring tide"], np.array([[0.5, -1.0, 2.0], [0.25, 0.0, 4.0]], np.float32)
    path = tmp_path / {"parquet": "v.parquet", "columns": "v.parquet", "npz": "v.npz"}.get(kind, "v.vec")
    if kind == "parquet":
        pq.write_table(pa.table({"phrase": phrases, "vector": matrix.tolist()}), path)
    elif kind == "columns":
        pq.write_table(pa.table({"phrase": phrases, **{str(i): matrix[:, i] for i in range(3)}}), path)
    elif kind == "npz":
        np.savez_compressed(path, phrases=np.array(phrases), vectors=matrix)
    else:
        head, end = ("2 3\n", " \n") if kind == "word2vec" else ("", "\n")  # a blank ends each line of word2vec's own
        path.write_text(f"{head}tide 0.5 -1 2{end}spring_tide 0.25 0 4{end}")
    table = kp.load(gold={"d": ["tide"]}, vectors=path).vocabulary.vectors
    assert table["phrase"].tolist() == phrases
    assert np.array(table["vector"].tolist()).tolist() == matrix.tolist()
    if kind != "columns":  # whose names say nothing of vectors
        unsorted = kp.load(files=[Source("gold.csv", b"doc_id,phrase\nd,tide\n"), Source(path.name, path.read_bytes())])
        assert unsorted.vocabulary.vectors["phrase"].tolist() == phrases
        assert kp.load(files=[Source("gold.csv", b"doc_id,phrase\nd,tide\n"), path]).vocabulary.given.keys() == {
            "vectors"
        }


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"vectors": {"tide": [1.0], "sea": [1.0, 2.0]}}, "different lengths"),
        ({"vectors": {"tide": [float("nan")]}}, "missing or infinite"),
        ({"vectors": {" ": [1.0]}}, "an empty cell"),
        ({"vectors": {"tide": [1.0], "tide ": [2.0]}}, "different vectors for the phrase “tide”"),
        ({"similar": []}, "at least one row"),
        ({"similar": [["tide", "sea", 2]]}, "a number from 0 to 1"),
        ({"similar": [["tide", "", 1]]}, "a, b and score"),
        ({"similar": [["tide", "sea", 1], ["sea", "tide", 0.5]]}, "different scores of “sea” and “tide”"),
        ({"similar": [["tide", "sea", 1], ["tide", "sea", 0.5]], "directed": True}, "different scores of “tide”"),
        ({"vectors": {"tide": [1.0]}, "similar": [["tide", "sea", 1]]}, "leave out one of the two tables"),
    ],
)
def test_contradictory_and_empty_similarity_tables_are_refused(tables: dict[str, Any], words: str) -> None:
    if "similar" in tables:
        tables = tables | {"similar": pd.DataFrame(tables["similar"], columns=["a", "b", "score"])}
    with pytest.raises((kp.InputError, kp.UsageError)) as refusal:
        kp.load(gold={"d": ["tide"]}, **tables)
    assert words in str(refusal.value)


#: Text that is not vectors, although numbers follow a word: what a file of it was found to be.
NO_VECTORS = {
    "judgements of TREC": "1 0 5 1\n1 0 7 1\n",
    "graded judgements": "1 0 5 0.5\n1 0 7 0.25\n",
    "documents and numbers of concepts": "d1 101 205 307 409 5 6 7 8 9 10 11 12\n",
    "numbers of documents and of concepts": "1 25\n2 30 40\n",
    "a first document with one concept": "3 2\n5 1 7\n6 2 3\n",
    "concepts and their scores": "d1 12 0.5 13 0.4 15 0.3 9 0.2 8 0.1 7 0.05\n",
    "a table in a text": "Growth 1.5 2.5 3.5 percent\n",
    "years in a text": "2019 2020\nRevenue 10.5 20.5 30.5\n",
    "phrases": "covid 19 2 3\nsars 2\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", NO_VECTORS.values(), ids=NO_VECTORS)
def test_lists_with_numbers_are_not_taken_for_vectors(text: str) -> None:
    assert not is_vectors(Source("a.txt", text.encode()))
    assert not is_vectors(Source("a.csv", b"2 3\ntide 0.5 1.5 2.5\n"))


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("v.vec", b"2 3\ntide 0.5 1 2\nspring tide 1 1 1\n", "v.vec, line 3: .*found “tide”"),
        ("v.vec", b"tide 0.5 1\nsea 1 1 1\n", "v.vec, line 2: .*2 numbers in each line.*found 3 numbers"),
        ("v.vec", "tide 0.5 1\ncafé 1 1\n".encode("latin-1"), "v.vec, line 2: .*not utf8"),
        ("v.vec", b"5 3\ntide 0.5 1 2\n", "5 of 3, as stated in its first line, found 1 vectors of 3 numbers"),
        ("v.vec", b"", "no line with a phrase and numbers"),
        ("v.npz", npz(phrases=np.array(["a"], object), vectors=np.ones((1, 2))), r"dtype=str"),
        ("v.npz", npz(phrases=["a"], vectors=np.array([[1j]])), "without numbers"),
        ("v.npz", npz(words=["a"], vectors=[[1.0]]), "the arrays phrases and vectors, found arrays words, vectors"),
        ("v.npz", npz(phrases=["a"], vectors=np.zeros((1, 10**7))), "bytes unpacked"),
    ],
)
def test_malformed_vector_files_are_refused_with_reason(name: str, data: bytes, words: str) -> None:
    for given in ({"vectors": Source(name, data)}, {"files": [Source(name, data)]}):
        with pytest.raises(kp.InputError, match=words):
            kp.load(gold={"d": ["tide"]}, **given)


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1.0, 1e30, 1e200])
def test_the_size_of_vectors_plays_no_part(size: float) -> None:
    precision = np.float64 if abs(np.log10(size)) > 38 else np.float32
    vectors = {"tide": np.array([3, 4], precision) * precision(size), "sea": np.array([4, 3], precision)}
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea"]}}, vectors=vectors)
    assert kp.evaluate(corpus, k=1, measures="SemP@k").frame["value"].item() == pytest.approx(0.96, abs=1e-6)
    result = kp.similarity([("tide", "sea")], "given", vocabulary=corpus.vocabulary)
    assert result["value"].item() == pytest.approx(0.96, abs=1e-6)


def test_semantic_measures_ask_for_vectors() -> None:
    corpus = kp.load(gold={"d": ["tide"]}, systems={"a": {"d": ["sea"]}})
    with pytest.raises(kp.UsageError, match="--vectors"):
        kp.evaluate(corpus, measures="SemF1@5")
    with pytest.raises(kp.UsageError, match="--vectors"):
        kp.soft_evaluate(corpus, soft=kp.Soft("given"))


def test_best_gold_spelling_and_first_listed_spelling_count() -> None:
    vectors = {"moon": [1, 0], "lunar": [0, 1], "tide": [0.6, 0.8], "tides": [0.8, 0.6]}

    def both(lists: list[str], variants: Any) -> list[float]:
        corpus = kp.load(gold={"d": [["lunar", "moon"]]}, systems={"a": {"d": lists}}, vectors=vectors)
        given: dict[str, Any] = {"k": 1, "interval": "none", "variants": variants}
        return kp.evaluate(corpus, measures="SemP@k,SemR@k", **given).frame["value"].tolist()

    assert both(["tides", "tide"], "any") == pytest.approx([0.8, 0.8])  # by “moon”
    assert both(["tides", "tide"], "first") == pytest.approx([0.6, 0.6])  # “tide”, nearer to “lunar”, is a repeat
    assert both(["tide", "tides"], "first") == pytest.approx([0.8, 0.8])
    assert "Of several spellings of a keyphrase, the most similar counts" in methods.INTRODUCTIONS["semantic"]
