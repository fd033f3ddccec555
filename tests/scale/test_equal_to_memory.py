"""A streamed run gives what an evaluation in memory gives, however the documents lie in files and parts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kp_core as kp
from kp_core import scale
from kp_core.reading.rows.tidy import tidy
from tests.scale.tables import Given, assert_same_rows, draw, engine, in_memory, write

MEASURES = ("P@k", "R@k", "F1@k", "F1@O", "MAP", "nDCG@k", "RBP", "bpref", "hits@k", "kappa", "PABAK", "a", "d", "N")
#: How the tables are written, and what is chosen: together every average, gold standard, universe and interval.
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("sorted", {"k": "average,all", "average": "both"}),
    ("scattered", {"k": 5, "interval": "cluster-t", "average": "both"}),
    ("csv", {"k": "1-4,gold", "average": "f-of-means"}),
    ("jsonl", {"k": 3, "annotators": "majority", "missing": "skip", "empty_gold": "zero"}),
    ("sorted", {"k": 3, "annotators": "ana", "duplicates": "after", "denominator": "returned"}),
    ("sorted", {"k": 3, "annotators": "votes", "gain": "exp", "average": "micro"}),
    # Baselines that are drawn at random find fractions of a phrase, which weights round to 2^-16.
    ("sorted", {"k": 3, "annotators": "intersection", "baselines": True, "empty_gold": "one-if-empty"}),
    ("sorted", {"k": 3, "universe": 60, "by": "group"}),
    ("sorted", {"k": 3, "universe": "ngrams:2"}),
]


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return {name: table for name, table in draw(0, documents=40).items() if name != "documents"}


def both(given: Given, corpus: kp.Corpus, **options: Any) -> tuple[kp.Result, kp.Result]:
    """Evaluate streamed in five parts or so, and in memory; hold the rows equal."""
    options = {"measures": MEASURES, "interval": "none"} | options
    streamed = scale.evaluate(*given, engine=engine(1 + len(corpus.gold) // 5), **options)
    memory = kp.evaluate(corpus, **options)
    assert_same_rows(streamed.frame, memory.frame)
    return streamed, memory


@pytest.mark.parametrize(
    ("form", "options"),
    RUNS,
    ids=lambda one: one if isinstance(one, str) else ",".join(f"{name}={value}" for name, value in one.items()),
)
def test_an_evaluation_is_that_of_memory(form: str, options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(1, documents=40)
    options = {"interval": "poisson", "resamples": 100} | options
    streamed, memory = both(write(tables, tmp_path, form), in_memory(tables), **options)
    assert streamed.signature == memory.signature
    if form != "scattered":  # there lists must be sorted by rank, which is said
        assert streamed.notes == memory.notes


def test_grades_and_the_largest_of_all_parts(tmp_path: Path) -> None:
    tables = draw(2, grades=True)
    tables["gold"].loc[tables["gold"]["doc_id"] > "d030", "relevance"] = np.nan
    given = write(tables, tmp_path)
    for options in ({"k": 3}, {"k": 3, "annotators": "votes"}):
        both(given, in_memory(tables), **options)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("F1@k", {"k": 5}),
        ("F1@k", {"k": 5, "average": "f-of-means"}),
        ("P@k", {"k": 5, "average": "micro"}),
        ("kappa", {"k": 5}),
        ("MAP", {"interval": "cluster-t"}),
        ("F1@k", {"k": 5, "interval": "cluster-t", "average": "f-of-means"}),
        ("kappa", {"k": 5, "interval": "cluster-t", "average": "micro"}),
        ("MAP", {"test": "t", "missing": "skip"}),
        ("P@k", {"k": 5, "test": "bootstrap", "correction": "bh"}),
    ],
)
def test_comparisons_are_those_of_memory(
    measure: str, options: dict[str, Any], tables: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    memory = kp.compare(in_memory(tables), measure=measure, **{"interval": "poisson"} | options)
    tested = {name: options[name] for name in ("test", "correction") if name in options}
    chosen = {name: value for name, value in options.items() if name not in tested}
    family = scale.Family(measure, **tested)
    streamed = scale.compare(*write(tables, tmp_path), family, engine=engine(), **chosen)
    columns = ["a", "b", "measure", "k", "average", "difference", "low", "high", "documents"]
    assert_same_rows(streamed.frame[columns], memory.frame[columns])
    # 10,000 random assignments that are other ones: five standard errors of p near 1/2. Other tests draw nothing more.
    tolerance = 0.025 if "test" not in options else 1e-9
    np.testing.assert_allclose(streamed.frame["p"], memory.frame["p"], atol=tolerance)
    same = ["a", "b", "d_z", "wins", "ties", "losses"]
    pd.testing.assert_frame_equal(streamed.effects[same], memory.effects[same])
    assert (streamed.ranks, streamed.clusters, streamed.documents) == (memory.ranks, memory.clusters, memory.documents)
    assert streamed.notes[1:] == memory.notes[1:]
    assert "no rank-biserial correlation" in streamed.notes[0].message


def test_the_bootstrap_test_leaves_out_resamples_without_a_value_as_in_memory(tmp_path: Path) -> None:
    for documents, defined in ((2, False), (4, True)):
        tables = {name: table for name, table in draw(7, documents=documents).items() if name != "documents"}
        memory = kp.compare(in_memory(tables), measure="P@k", k=3, test="bootstrap", interval="poisson").frame
        given, family = write(tables, tmp_path / str(documents)), scale.Family("P@k", "bootstrap")
        streamed = scale.compare(*given, family, k=3, engine=engine()).frame
        assert memory["p"].notna().all() == defined
        np.testing.assert_allclose(streamed["p"].sort_values(), memory["p"].sort_values(), atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"average": "both", "interval": "cluster-t"}, {"measures": "K,kappa,a,Light"}])
def test_agreement_is_that_of_memory(options: dict[str, Any], tmp_path: Path) -> None:
    tables = draw(3)
    memory = kp.agreement(in_memory(tables), **{"interval": "poisson", "resamples": 100} | options)
    given = write(tables, tmp_path)
    streamed = scale.agreement(*given, engine=engine(), **{"resamples": 100} | options)
    of_sets = memory.frame["measure"].isin(["alpha-Jaccard", "alpha-MASI"])  # which compare all documents at once
    assert of_sets.sum() == (0 if "measures" in options else 6)  # of all documents, and of each of their two types
    assert_same_rows(streamed.frame, memory.frame[~of_sets])
    assert (streamed.signature, streamed.notes) == (memory.signature, memory.notes)


def test_agreement_of_documents_of_one_annotator_each_says_why_there_is_none(tmp_path: Path) -> None:
    gold = pd.DataFrame([("d1", "ana", "x"), ("d2", "ben", "y")], columns=["doc_id", "annotator", "phrase"])
    options: dict[str, Any] = {"measures": "kappa,PABAK", "average": "both", "interval": "none"}
    gold.to_csv(tmp_path / "gold.csv", index=False)
    streamed = scale.agreement(tmp_path / "gold.csv", engine=engine(1), **options)
    assert_same_rows(streamed.frame, kp.agreement(kp.load(gold=gold), **options).frame)
    assert set(streamed.frame["reason"]) == {"single_annotator", "nobody_else"}


def small(gold: list[tuple[str, str]], runs: list[tuple[str, int, str]], text: str = "") -> dict[str, pd.DataFrame]:
    """Return tables of a gold standard of one annotator and of the system s, with one text for all documents."""
    documents = list(dict.fromkeys(document for document, _ in gold))
    return {
        "gold": pd.DataFrame(gold, columns=["doc_id", "phrase"]),
        "runs": pd.DataFrame(runs, columns=["doc_id", "rank", "phrase"]).assign(system="s"),
        **({"documents": pd.DataFrame({"doc_id": documents, "text": text})} if text else {}),
    }


def test_the_universe_of_sentences_is_the_default_where_the_gold_standard_names_them(tmp_path: Path) -> None:
    ids = [f"d{i}" for i in range(6)]
    runs = [(i, rank, f"{i}#s00{rank}") for i in ids for rank in (1, 2)]
    tables = small([(i, f"{i}#s001") for i in ids], runs, "One sentence. Another one. A third.")
    streamed, memory = both(write(tables, tmp_path), in_memory(tables), k=1, measures=["N", "kappa"])
    assert streamed.frame["value"].tolist() == [18.0, 1.0]
    assert (streamed.signature, streamed.notes) == (memory.signature, memory.notes)


def test_candidates_need_english_in_some_part_and_not_in_each(tmp_path: Path) -> None:
    tables = draw(5, documents=30)
    tables["documents"]["text"] = ["漢字漢字"] * 29 + ["Neural networks learn. Neural networks rest."]
    options: dict[str, Any] = {"measures": ["N", "kappa"], "k": 3, "universe": "candidates"}
    both(write(tables, tmp_path), in_memory(tables), **options)
    tables["documents"]["text"] = "漢字漢字"
    with pytest.raises(kp.InputError, match="no English tokens in any text"):
        scale.evaluate(*write(tables, tmp_path), engine=engine(40), **options)


def test_votes_are_grades_and_parts_of_few_words_have_ngrams(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("doc_id,phrase,votes\nd1,a b,3\nd1,c,1\nd2,a,2\nd3,z,1\n")
    (tmp_path / "s.csv").write_text("doc_id,rank,phrase\nd1,1,a b\nd1,2,q\nd2,1,a\n")
    (tmp_path / "texts.csv").write_text("doc_id,text\nd1,a b c\nd2,a\n")
    given = Given(tmp_path / "gold.csv", tmp_path / "s.csv", tmp_path / "texts.csv")
    streamed, _ = both(given, kp.load(**given._asdict()), k=2, measures=["nDCG@k", "kappa", "N"])
    # Linear gains 3 and 1, of which the first is found; 2 is found; nothing is found in d3.
    assert streamed.frame["value"][0] == pytest.approx((3 / (3 + 1 / np.log2(3)) + 1 + 0) / 3)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_values_that_do_not_vary_have_no_interval_whatever_rounding_makes_of_them(average: str, tmp_path: Path) -> None:
    ids = [f"d{i}" for i in range(7)]
    tables = small([(i, f"p{j}") for i in ids for j in range(7)], [(i, 1, "p0") for i in ids])
    options: dict[str, Any] = {"k": 3, "interval": "cluster-t", "universe": 100, "average": average}
    measures = ["P@k", "R@k", "kappa", "PABAK"]
    streamed, _ = both(write(tables, tmp_path), in_memory(tables), measures=measures, **options)
    assert streamed.frame["low"].isna().all()


def test_a_type_of_documents_without_gold_has_no_row(tmp_path: Path) -> None:
    tables = draw(1, documents=12)
    tables["documents"].loc[12] = ["x", "a text", "rare"]
    streamed, _ = both(write(tables, tmp_path), in_memory(tables), k=3, measures=["P@k", "kappa"], by="group")
    assert set(streamed.frame["subset"]) == {"all", "group:news", "group:talk"}


@pytest.mark.parametrize("form", ["sorted", "csv"])
def test_one_document_larger_than_a_part_and_an_empty_part_are_handled(form: str, tmp_path: Path) -> None:
    gold = [("a", f"p{i}") for i in range(300)] + [("c", "x"), ("d", "y")]
    runs = [("a", rank, f"p{2 * rank}") for rank in range(1, 91)] + [("d", 1, "y"), ("e", 1, "z")]
    tables = small(gold, runs)
    both(write(tables, tmp_path, form), in_memory(tables), k=5, measures=["P@k", "R@k"])


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_variants_and_empty_lists_of_the_tidy_form_are_understood(form: str, tmp_path: Path) -> None:
    corpus = kp.load(
        gold={"d1": [["job shop", "jobshop"], ["b"]], "d2": [], "d3": [["c d", "cd"]]},
        systems={"x": {"d1": ["jobshop", "b"], "d2": [], "d3": ["cd"]}, "y": {"d1": ["z"], "d2": ["q"]}},
    )
    for name, content in tidy(corpus, form).files.items():
        (tmp_path / name).write_bytes(content)
    given = Given(tmp_path / f"gold.{form}", tmp_path / f"systems.{form}")
    options: dict[str, Any] = {"k": 3, "measures": ["R@k", "MAP", "kappa"], "empty_gold": "one-if-empty"}
    streamed, memory = both(given, kp.load(**given._asdict()), **options)
    assert streamed.frame["value"][0] == pytest.approx((1 + 1 + 1) / 3)
    assert streamed.notes == memory.notes


def test_a_stemmer_that_does_not_fit_is_said_by_gold_and_texts_as_in_memory(tmp_path: Path) -> None:
    words = [f"{first}{last}" for first in ("sail", "harbour", "light") for last in "abcdefghiklmnopqrstuvwxyz"]
    stems = [(f"d{i % 9}", f"{word}board") for i, word in enumerate(words)] + [("d1", f"{word}man") for word in words]
    runs = [(f"d{i % 9}", 1 + i // 9, f"{word}nesses") for i, word in enumerate(words)]  # no stems, unlike the gold
    french = [(f"d{i}", "La mer et le niveau des eaux dans les ports. " * 9 if i else "", "") for i in range(9)]
    documents = pd.DataFrame(french, columns=["doc_id", "text", "group"])
    for gold, said in ((stems, "are stems already"), ([(d, "niveaux " + p) for d, p in stems[::9]], "look French")):
        tables = small(gold, runs) | {"documents": documents}
        folder = tmp_path / said.replace(" ", "-")
        streamed, memory = both(write(tables, folder), in_memory(tables), k=3, measures=["P@k"])
        assert any(said in note.message for note in memory.notes)
        assert streamed.notes == memory.notes


def test_notes_on_reading_add_up_and_stand_in_the_order_of_memory(tmp_path: Path) -> None:
    """All lists of two systems are out of order and have a tie; each part says so of a list or two."""
    gold = pd.DataFrame([(f"d{i}", "ana", "sea") for i in range(6)], columns=["doc_id", "annotator", "phrase"])
    rows = [
        (name, f"d{i}", phrase, rank)
        for name, documents in (("zeta", 6), ("alpha", 1))
        for i in range(documents)
        for phrase, rank in (("sea", 2), ("tide", 1), ("moon", 2))
    ]
    runs = pd.DataFrame(rows, columns=["system", "doc_id", "phrase", "rank"])
    given = write({"gold": gold, "runs": runs}, tmp_path)
    given = given._replace(systems={name: given.systems[name] for name in ("zeta", "alpha")})
    streamed = scale.evaluate(*given, measures="F1@k", k=3, interval="none", engine=engine(rows=8))
    memory = kp.evaluate(kp.load(gold=gold, systems=[runs]), k=3, measures="F1@k", interval="none")
    whole = [note.message for note in memory.notes if "Compare the files" not in note.message]  # said of the whole
    assert [note.message for note in streamed.notes] == whole
    assert [note.message for note in streamed.notes][:4] == [
        "6 lists of “zeta” were not in order of rank; they were sorted.",
        "6 phrases of “zeta” follow one of equal rank; file order stays.",
        "1 list of “alpha” was not in order of rank; it was sorted.",
        "1 phrase of “alpha” follows one of equal rank; file order stays.",
    ]
