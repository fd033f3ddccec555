"""A streamed run gives what an evaluation in memory gives, however the documents lie in files and parts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.reading.tidy import tidy
from kp_core.scale.partitions import ranges
from tests.scale.tables import assert_same_rows, draw, engine, in_memory, write

MEASURES = ("P@k", "R@k", "F1@k", "F1@O", "MAP", "nDCG@k", "RBP", "bpref", "hits@k", "kappa", "PABAK", "a", "d", "N")
FORMS = ("sorted", "scattered", "csv", "jsonl")


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return {name: table for name, table in draw(0, documents=40).items() if name != "documents"}


@pytest.fixture(scope="module")
def corpus(tables: dict[str, pd.DataFrame]) -> kp.Corpus:
    return in_memory(tables)


@pytest.mark.parametrize("form", FORMS)
def test_every_format_and_order_gives_the_rows_notes_and_signature_of_memory(
    form: str, tables: dict[str, pd.DataFrame], corpus: kp.Corpus, tmp_path: Path
) -> None:
    given = write(tables, tmp_path, form)
    memory = kp.evaluate(corpus, "average,all", MEASURES, interval="poisson", average="both", resamples=100)
    found = scale.evaluate(**given, measures=MEASURES, k="average,all", average="both", resamples=100, engine=engine())
    assert_same_rows(found.frame, memory.frame, 1e-7)
    assert found.signature == memory.signature
    assert "ci:poisson-100-seed0" in found.signature
    if form != "scattered":  # there lists must be sorted by rank, which is said
        assert found.notes == memory.notes


@pytest.mark.parametrize(
    "options",
    [
        {"k": 5, "interval": "cluster-t", "average": "both"},
        {"k": "1-4,gold", "average": "f-of-means"},
        {"k": 3, "annotators": "majority", "missing": "skip", "empty_gold": "zero"},
        {"k": 3, "annotators": "ana", "duplicates": "after", "denominator": "returned"},
        {"k": 3, "annotators": "votes", "gain": "exp"},
        {"k": 3, "annotators": "intersection", "baselines": True, "empty_gold": "one-if-empty"},
        {"k": 3, "universe": 60, "by": "group"},
        {"k": 3, "universe": "ngrams:2"},
    ],
    ids=lambda options: ",".join(f"{name}={value}" for name, value in options.items()),
)
def test_conventions_gold_standards_and_universes_are_those_of_memory(options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(1)
    given = write(tables, tmp_path)
    options = {"interval": "poisson", "resamples": 100} | options
    memory = kp.evaluate(in_memory(tables), measures=MEASURES, **options)
    found = scale.evaluate(**given, measures=MEASURES, engine=engine(), **options)
    # Baselines that are drawn at random find fractions of a phrase, which weights round to 2^-16.
    assert_same_rows(found.frame, memory.frame)
    assert found.notes == memory.notes


def test_grades_and_the_largest_of_all_parts(tmp_path: Path) -> None:
    tables = draw(2, grades=True)
    tables["gold"].loc[tables["gold"]["doc_id"] > "d030", "relevance"] = np.nan
    given = write(tables, tmp_path)
    for options in ({"k": 3}, {"k": 3, "annotators": "votes"}):
        memory = kp.evaluate(in_memory(tables), measures=MEASURES, interval="none", **options)
        found = scale.evaluate(**given, measures=MEASURES, interval="none", engine=engine(), **options)
        assert_same_rows(found.frame, memory.frame)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("F1@k", {"k": 5}),
        ("F1@k", {"k": 5, "average": "f-of-means"}),
        ("P@k", {"k": 5, "average": "micro"}),
        ("kappa", {"k": 5}),
        ("MAP", {"interval": "cluster-t"}),
        ("MAP", {"test": "t", "missing": "skip"}),
        ("P@k", {"k": 5, "test": "bootstrap", "correction": "bh"}),
    ],
)
def test_comparisons_are_those_of_memory(
    measure: str, options: dict[str, Any], tables: dict[str, pd.DataFrame], corpus: kp.Corpus, tmp_path: Path
) -> None:
    memory = kp.compare(corpus, measure, **{"interval": "poisson"} | options)
    found = scale.compare(**write(tables, tmp_path), measure=measure, engine=engine(), **options)
    columns = ["a", "b", "measure", "k", "average", "difference", "low", "high", "documents"]
    assert_same_rows(found.frame[columns], memory.frame[columns], 1e-9)
    # 10,000 random assignments that are other ones: five standard errors of p near 1/2. Other tests draw nothing more.
    tolerance = 0.025 if "test" not in options else 1e-9
    np.testing.assert_allclose(found.frame["p"], memory.frame["p"], atol=tolerance)
    same = ["a", "b", "d_z", "wins", "ties", "losses"]
    pd.testing.assert_frame_equal(found.effects[same], memory.effects[same])
    assert (found.ranks, found.clusters, found.documents) == (memory.ranks, memory.clusters, memory.documents)
    assert found.notes[1:] == memory.notes[1:]
    assert "no rank-biserial correlation" in found.notes[0].message


def test_a_t_test_of_pooled_counts_is_refused_as_in_memory(
    tables: dict[str, pd.DataFrame], corpus: kp.Corpus, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"measure": "F1@k", "k": 5, "average": "micro", "test": "t"}
    given = write(tables, tmp_path)
    for compared in (lambda: kp.compare(corpus, **options), lambda: scale.compare(**given, **options)):
        with pytest.raises(kp.UsageError, match="the t test compares means over documents"):
            compared()


def test_the_bootstrap_test_leaves_out_resamples_without_a_value_as_in_memory(tmp_path: Path) -> None:
    for documents, defined in ((2, False), (4, True)):
        tables = {name: table for name, table in draw(7, documents=documents).items() if name != "documents"}
        options: dict[str, Any] = {"measure": "P@k", "k": 3, "test": "bootstrap", "interval": "poisson"}
        memory = kp.compare(in_memory(tables), **options).frame
        found = scale.compare(**write(tables, tmp_path / str(documents)), engine=engine(), **options).frame
        assert memory["p"].notna().all() == defined
        np.testing.assert_allclose(found["p"].sort_values(), memory["p"].sort_values(), atol=1e-9)


def test_agreement_of_documents_of_one_annotator_each_says_why_there_is_none(tmp_path: Path) -> None:
    gold = pd.DataFrame([("d1", "ana", "x"), ("d2", "ben", "y")], columns=["doc_id", "annotator", "phrase"])
    options: dict[str, Any] = {"measures": "kappa,PABAK", "average": "both", "interval": "none"}
    memory = kp.agreement(kp.load(gold=gold), **options)
    gold.to_csv(tmp_path / "gold.csv", index=False)
    found = scale.agreement(tmp_path / "gold.csv", engine=engine(1), **options)
    assert_same_rows(found.frame, memory.frame)
    assert set(memory.frame["reason"]) == {"single_annotator", "nobody_else"}


@pytest.mark.parametrize("options", [{}, {"average": "both", "interval": "cluster-t"}, {"measures": "K,kappa,a,Light"}])
def test_agreement_is_that_of_memory(options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(3)
    memory = kp.agreement(in_memory(tables), **{"interval": "poisson", "resamples": 100} | options)
    found = scale.agreement(**write(tables, tmp_path), engine=engine(), **{"resamples": 100} | options)
    assert_same_rows(found.frame, memory.frame)
    assert (found.signature, found.notes) == (memory.signature, memory.notes)


def test_the_universe_of_sentences_is_the_default_where_the_gold_standard_names_them(tmp_path: Path) -> None:
    ids = [f"d{i}" for i in range(6)]
    tables = {
        "gold": pd.DataFrame([(i, f"{i}#s001") for i in ids], columns=["doc_id", "phrase"]),
        "runs": pd.DataFrame(
            [("s", i, rank, f"{i}#s00{rank}") for i in ids for rank in (1, 2)],
            columns=["system", "doc_id", "rank", "phrase"],
        ),
        "documents": pd.DataFrame({"doc_id": ids, "text": "One sentence. Another one. A third."}),
    }
    given = write(tables, tmp_path)
    memory = kp.evaluate(in_memory(tables), 1, ["N", "kappa"], interval="none")
    found = scale.evaluate(**given, measures="N,kappa", k=1, interval="none", engine=engine(8))
    assert memory.frame["value"].tolist() == [18.0, 1.0]
    assert_same_rows(found.frame, memory.frame)
    assert (found.signature, found.notes) == (memory.signature, memory.notes)


def test_candidates_need_english_in_some_part_and_not_in_each(tmp_path: Path) -> None:
    tables = draw(5, documents=30)
    tables["documents"]["text"] = ["漢字漢字"] * 29 + ["Neural networks learn. Neural networks rest."]
    given, options = write(tables, tmp_path), {"universe": "candidates", "interval": "none"}
    memory = kp.evaluate(in_memory(tables), 3, ["N", "kappa"], **options)
    found = scale.evaluate(**given, measures="N,kappa", k=3, engine=engine(40), **options)
    assert_same_rows(found.frame, memory.frame)
    tables["documents"]["text"] = "漢字漢字"
    with pytest.raises(kp.InputError, match="no English tokens in any text"):
        scale.evaluate(**write(tables, tmp_path), measures="N", k=3, engine=engine(40), **options)


def test_votes_are_grades_and_parts_of_few_words_have_ngrams(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("doc_id,phrase,votes\nd1,a b,3\nd1,c,1\nd2,a,2\nd3,z,1\n")
    (tmp_path / "s.csv").write_text("doc_id,rank,phrase\nd1,1,a b\nd1,2,q\nd2,1,a\n")
    (tmp_path / "texts.csv").write_text("doc_id,text\nd1,a b c\nd2,a\n")
    given = {"gold": tmp_path / "gold.csv", "systems": tmp_path / "s.csv", "documents": tmp_path / "texts.csv"}
    memory = kp.evaluate(kp.load(**given), 2, ["nDCG@k", "kappa", "N"], interval="none")
    found = scale.evaluate(**given, measures="nDCG@k,kappa,N", k=2, interval="none", engine=engine(1))
    assert_same_rows(found.frame, memory.frame)
    # Linear gains 3 and 1, of which the first is found; 2 is found; nothing is found in d3.
    assert memory.frame["value"][0] == pytest.approx((3 / (3 + 1 / np.log2(3)) + 1 + 0) / 3)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_values_that_do_not_vary_have_no_interval_whatever_rounding_makes_of_them(average: str, tmp_path: Path) -> None:
    for number in (3, 7, 10):
        names = [f"d{i}" for i in range(number)]
        gold = pd.DataFrame([(i, f"p{j}") for i in names for j in range(7)], columns=["doc_id", "phrase"])
        runs = pd.DataFrame([("s", i, 1, "p0") for i in names], columns=["system", "doc_id", "rank", "phrase"])
        tables = {"gold": gold, "runs": runs.assign(rank=1)}
        options: dict[str, Any] = {"k": 3, "interval": "cluster-t", "universe": 100, "average": average}
        memory = kp.evaluate(in_memory(tables), measures=["P@k", "R@k", "kappa", "PABAK"], **options)
        given = write(tables, tmp_path / str(number))
        found = scale.evaluate(**given, measures="P@k,R@k,kappa,PABAK", engine=engine(20), **options)
        assert_same_rows(found.frame, memory.frame)
        assert memory.frame["low"].isna().all()


def test_numbers_do_not_depend_on_the_size_and_order_of_parts(tmp_path: Path) -> None:
    tables, found = draw(4, documents=30), []
    asked = {"k": "3,average", "resamples": 50, "comparisons": [scale.Compare("F1@k", trials=100)], "measures": "F1@k"}
    for form, rows in (("sorted", 150), ("sorted", 10**6), ("scattered", 100), ("csv", 200), ("jsonl", 97)):
        given = write(tables, tmp_path / f"{form}{rows}", form)
        found.append(scale.run_evaluation(**given, **asked, engine=engine(rows)).statistics.arrays)
    for arrays in found[1:]:
        assert arrays.keys() == found[0].keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, found[0][name], name)


def test_one_document_larger_than_a_part_and_an_empty_part_are_handled(tmp_path: Path) -> None:
    gold = pd.DataFrame({"doc_id": ["a"] * 300 + ["c", "d"], "phrase": [f"p{i}" for i in range(300)] + ["x", "y"]})
    runs = pd.DataFrame(
        {
            "doc_id": ["a"] * 90 + ["d", "e"],
            "rank": [*range(1, 91), 1, 1],
            "phrase": [f"p{2 * i}" for i in range(90)] + ["y", "z"],
        }
    ).assign(system="s")
    tables = {"gold": gold, "runs": runs}
    memory = kp.evaluate(in_memory(tables), 5, ["P@k", "R@k"], interval="none")
    for form in ("sorted", "csv"):
        given = write(tables, tmp_path / form, form)
        found = scale.evaluate(**given, measures="P@k,R@k", k=5, interval="none", engine=engine(10))
        assert_same_rows(found.frame, memory.frame)


def test_sorted_parquet_is_read_in_place_and_anything_else_is_regrouped(tables: Any, tmp_path: Path) -> None:
    one = write(tables, tmp_path / "a", "sorted")
    assert len(ranges(scale.sources(**one), 150)) > 5
    assert ranges(scale.sources(**write(tables, tmp_path / "b", "scattered")), 150) is None
    assert ranges(scale.sources(**write(tables, tmp_path / "c", "csv")), 150) is None


def test_poisson_intervals_are_those_of_the_bootstrap_up_to_monte_carlo_error(corpus: kp.Corpus) -> None:
    options: dict[str, Any] = {"k": 5, "measures": ["F1@k", "MAP", "kappa"], "resamples": 20_000}
    one, two = (kp.evaluate(corpus, interval=name, **options).frame for name in ("bootstrap", "poisson"))
    width = one["high"] - one["low"]
    for name in ("low", "high"):
        # The 2.5 % point of 20,000 draws has an error of about .005 of the interval's width; the difference, .007.
        assert ((one[name] - two[name]).abs() / width).max() < 0.05


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_variants_and_empty_lists_of_the_tidy_form_are_understood(form: str, tmp_path: Path) -> None:
    corpus = kp.load(
        gold={"d1": [["job shop", "jobshop"], ["b"]], "d2": [], "d3": [["c d", "cd"]]},
        systems={"x": {"d1": ["jobshop", "b"], "d2": [], "d3": ["cd"]}, "y": {"d1": ["z"], "d2": ["q"]}},
    )
    for name, content in tidy(corpus, form).files.items():
        (tmp_path / name).write_bytes(content)
    given = {"gold": tmp_path / f"gold.{form}", "systems": tmp_path / f"systems.{form}"}
    memory = kp.evaluate(kp.load(**given), 3, ["R@k", "MAP", "kappa"], interval="poisson", empty_gold="one-if-empty")
    assert memory.frame["value"][0] == pytest.approx((1 + 1 + 1) / 3)
    found = scale.evaluate(**given, measures="R@k,MAP,kappa", k=3, empty_gold="one-if-empty", engine=engine(2))
    assert_same_rows(found.frame, memory.frame)
    assert found.notes == memory.notes


def test_notes_on_reading_add_up_and_stand_in_the_order_of_memory(tmp_path: Path) -> None:
    """All lists of two systems are out of order and have a tie; each part says so of a list or two."""
    gold = pd.DataFrame([(f"d{i}", "ana", "sea") for i in range(6)], columns=["doc_id", "annotator", "phrase"])
    rows = [
        (name, f"d{i}", phrase, rank)
        for name in ("zeta", "alpha")
        for i in range(6 if name == "zeta" else 1)
        for phrase, rank in (("sea", 2), ("tide", 1), ("moon", 2))
    ]
    runs = pd.DataFrame(rows, columns=["system", "doc_id", "phrase", "rank"])
    memory = kp.evaluate(kp.load(gold=gold, systems=[runs]), 3, "F1@k", interval="none")
    given = write({"gold": gold, "runs": runs}, tmp_path)
    given["systems"] = {name: given["systems"][name] for name in ("zeta", "alpha")}
    found = scale.evaluate(**given, measures="F1@k", k=3, interval="none", engine=engine(rows=8))
    messages = [note.message for note in memory.notes]
    assert [note.message for note in found.notes] == messages
    assert messages[:4] == [
        "6 lists of “zeta” were not in order of rank; they were sorted.",
        "6 phrases of “zeta” follow one of equal rank; file order stays.",
        "1 list of “alpha” was not in order of rank; it was sorted.",
        "1 phrase of “alpha” follows one of equal rank; file order stays.",
    ]
