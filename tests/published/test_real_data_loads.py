"""The real data sets load with exactly the counts that were published or measured for them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kp_core.reading import load
from kp_core.reading.rows import identifiers, report

Shared = Callable[[str], Path]
RANKINGS = ("degree", "closeness", "betweenness", "eigenvector", "textrank")
TERMITH = "data/termith_eval"
SEMEVAL = "data/semeval2010"
IJCNLP = f"{SEMEVAL}/system_outputs_ijcnlp13"


def test_wiki20_teams(shared: Shared) -> None:
    corpus = load(gold=shared("data/wiki20/teams"), documents=shared("data/wiki20/documents"))
    table = report.statistics(corpus)
    assert (len(corpus.documents), len(corpus.annotators), len(corpus.gold)) == (20, 15, 1722)
    assert table["documents"].sum() == 300
    assert (table["lists with duplicates"].sum(), table["duplicates"].sum()) == (18, 20)
    assert (table["shortest"].min(), table["longest"].max()) == (2, 12)
    assert corpus.gold["phrase"].nunique() == corpus.gold["concept"].nunique() == 558
    assert len(corpus.report.rejected) == 0
    gold = corpus.gold
    assert len(gold.drop_duplicates(["annotator", "doc_id", "phrase"])) == 1702
    assert gold.groupby("doc_id")["phrase"].nunique().agg(["min", "max", "mean"]).tolist() == [23, 46, 35.5]
    assert gold["phrase"].str.contains("\N{EN DASH}").sum() == 9
    assert gold.loc[gold["phrase"].str.contains("(", regex=False), "phrase"].nunique() == 58


@pytest.mark.parametrize(
    ("name", "documents", "entries", "with_variants", "repeated"),
    [
        ("test.author.stem", 100, 387, 3, 0),
        ("test.reader.stem", 100, 1204, 44, 1),
        ("test.combined.stem", 100, 1466, 47, 23),
        ("train.combined", 144, 2223, 42, 10),
        ("train.combined.stem", 144, 2223, 42, 52),
    ],
)
def test_semeval_references(
    shared: Shared, name: str, documents: int, entries: int, with_variants: int, repeated: int
) -> None:
    row = report.statistics(load(gold=shared(f"{SEMEVAL}/references/{name}.json"))).iloc[0]
    assert row[["documents", "phrases", "with variants"]].tolist() == [documents, entries, with_variants]
    assert row["duplicates"] == repeated


def test_semeval_rankings(shared: Shared) -> None:
    runs = [shared(f"{IJCNLP}/output/semeval/candidats.{name}") for name in RANKINGS]
    archive = shared(f"{SEMEVAL}/test_documents_liaad.zip")
    gold = shared(f"{SEMEVAL}/references/test.combined.stem.json")
    corpus = load(gold=gold, systems=runs, documents=archive, fixes=["strip-common"])
    assert corpus.systems == list(RANKINGS)
    table = report.statistics(corpus, k=10).query("role == 'system'")
    assert table["documents"].tolist() == [100] * 5
    assert table["phrases"].tolist() == [63_477] * 5
    assert table["duplicates"].sum() == table["shorter than 10"].sum() == 0
    offered = identifiers.suggestions(corpus)
    assert offered[["fix", "left", "right", "match", "of"]].to_numpy().tolist() == [
        ["strip-extension", "gold", "systems", 100, 100],
        ["strip-extension", "systems", "texts", 99, 99],
    ]
    fixed = load(gold=gold, systems=runs[:1], documents=archive, fixes=["strip-extension"])
    assert len(fixed.documents) == 100
    assert identifiers.gaps(fixed).query("`in` == 'gold' and `not in` == 'texts'")["first"].tolist() == ["C-86"]
    assert fixed.documents["text"].notna().sum() == 99


def test_semeval_stemmed_reference_and_archive(shared: Shared) -> None:
    row = report.statistics(load(gold=shared(f"{IJCNLP}/data/references/semeval.ref"))).iloc[0]
    assert row[["documents", "phrases", "shortest", "longest", "duplicates"]].tolist() == [100, 1466, 8, 28, 23]
    corpus = load(gold=shared(f"{SEMEVAL}/test_documents_liaad.zip"))
    row = report.statistics(corpus).iloc[0]
    assert row[["documents", "phrases", "lists with duplicates"]].tolist() == [99, 1519, 12]


def test_wikinews(shared: Shared) -> None:
    # One of the 1,597 lines has no phrase (set3, 45364.html): it is read and rejected.
    corpus = load(
        gold=shared("data/wikinews_fr/derived_annotators.tsv"), documents=shared("data/wikinews_fr/documents")
    )
    table = report.statistics(corpus)
    assert corpus.report.readings[0].rows_read == 1597
    assert len(corpus.gold) + len(corpus.report.rejected) == 1597
    assert table["documents"].sum() == 308
    assert table["duplicates"].sum() == 0
    assert corpus.gold.groupby("doc_id")["annotator"].nunique().value_counts().to_dict() == {3: 94, 4: 4, 5: 2}
    assert identifiers.suggestions(corpus)[["fix", "match"]].to_numpy().tolist() == [["strip-extension", 100]]
    assert corpus.documents["title"].notna().sum() == 100
    annotators = corpus.gold.groupby("doc_id")["annotator"].nunique()
    assert (annotators * (annotators - 1) // 2).sum() == 326
    ref = report.statistics(load(gold=shared("data/wikinews_fr/ref"))).iloc[0]
    assert ref[["documents", "phrases", "duplicates"]].tolist() == [100, 964, 1]


def test_termith(shared: Shared) -> None:
    corpus = load(
        gold=shared(f"{TERMITH}/gold.tsv"),
        documents=shared(f"{TERMITH}/documents.tsv"),
        systems=shared(f"{TERMITH}/system_judgements.tsv"),
    )
    sizes = [len(part) for part in (corpus.documents, corpus.gold, corpus.runs, corpus.judgements)]
    assert sizes == [399, 4713, 11_930, 11_930]
    assert len(corpus.report.rejected) == 0
    assert corpus.documents["text"].notna().all()
    table = report.statistics(corpus).set_index("source")
    assert table.loc["gold", ["shortest", "longest", "duplicates"]].tolist() == [3, 37, 32]
    systems = table.drop(index="gold")
    assert systems["documents"].sum() == 1197
    assert sorted(systems["phrases"]) == [1000, 1000, 2972, 2979, 3979]
    assert (systems["shortest"].min(), systems["longest"].max(), systems["duplicates"].sum()) == (7, 10, 0)
    assert corpus.judgements["score"].value_counts().to_dict() == {2: 5195, 0: 4251, 1: 2484}
    assert (corpus.judgements["gold_id"] != "").sum() == 4922
    judged = corpus.judgements.groupby(["doc_id", "candidate"])["score"].nunique()
    assert (judged > 1).sum() == 140
    assert corpus.gold["type"].value_counts().to_dict() == {"controlled": 4123, "uncontrolled": 590}
