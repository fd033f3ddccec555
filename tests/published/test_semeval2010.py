"""Five published rankings of SemEval-2010, as their authors scored them, and under every convention of others."""

import re

import pytest

import kp_core as kp
from kp_core.studies.sensitivity import ReportedScore, matches_of
from tests.cases import ROOT, cases, rows
from tests.corpora import document_values, scored
from tests.published import semeval

PRF = ("P@k", "R@k", "F1@k")
IJCNLP13 = {"preset": "ijcnlp13", "gold_stemmed": "yes"}


@pytest.fixture(scope="module")
def corpora(shared):
    return {gold: semeval.corpus(shared, gold, longest=200) for gold in ("published", "combined", "reader", "author")}


def by_document(corpus, k=10, **options):
    frame = document_values(corpus, PRF, k, **options).set_index(["system", "document"])
    result = {m: frame[frame["measure"].str.startswith(m.removesuffix("k"))] for m in PRF}
    return {m: frame["value"].to_dict() for m, frame in result.items()}, result["P@k"]


@pytest.mark.published
def test_every_published_row(shared, corpora):
    table = rows(shared("oracles/real/semeval2010_prf10_by_document.csv"))
    values, frame = by_document(corpora["published"], **IJCNLP13)
    wrong = []
    for row in table:
        key = row["system"], row["doc_id"].removesuffix(".txt")
        for measure, column in zip(PRF, ("P10", "R10", "F10"), strict=True):
            found = values[measure][key]
            if not abs(found - float(row[column])) <= 1e-9 or f"{found:.3f}" != row[f"{column}_printed"]:
                wrong.append((*key, column, found, row[column], row[f"{column}_printed"]))
        counts = frame.loc[key]
        if (counts["hits"], counts["gold_size"]) != (int(row["hits"]), int(row["gold_size"])):
            wrong.append((*key, counts["hits"], row["hits"], counts["gold_size"], row["gold_size"]))
    assert len(table) == 500
    assert not wrong


CONVENTIONS = cases(__file__)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_means_under_every_convention(shared, corpora, convention):
    gold, k, changes = CONVENTIONS[convention]
    options = IJCNLP13 | changes
    table = [
        r for r in rows(shared("oracles/real/semeval2010_means_by_convention.csv")) if r["convention"] == convention
    ]
    assert len(table) == 5
    columns = {
        "macro": {"P@k": "mean_P", "R@k": "mean_R", "F1@k": "mean_of_F"},
        "f-of-means": {"F1@k": "F_of_means"},
        "micro": {"F1@k": "micro_F"},
    }
    for average, named in columns.items():
        frame = scored(corpora[gold], list(named), k, average=average, **options)
        for row in table:
            result = frame[frame["system"] == row["system"]]["value"].tolist()
            assert result == pytest.approx([float(row[column]) for column in named.values()], abs=1e-9), row["system"]
    counts = document_values(corpora[gold], "P@k", k, **options).groupby("system")[["hits", "gold_size"]].sum()
    for row in table:
        assert counts.loc[row["system"]].tolist() == [int(row["hits"]), int(row["gold_total"])]


@pytest.mark.parametrize("gold", ["combined", "reader", "author"])
def test_official_preset(shared, corpora, gold):
    table = [r for r in rows(shared("oracles/ranking/semeval2010_official_preset.csv")) if r["gold"] == gold]
    assert len(table) == 15
    frame = scored(corpora[gold], list(PRF), preset="semeval2010", gold_stemmed="yes")
    assert set(frame["k"]) == {5, 10, 15}
    for row in table:
        result = frame[(frame["system"] == row["system"]) & (frame["k"] == int(row["k"]))]["value"].tolist()
        assert result == pytest.approx([float(row[name]) for name in ("P", "R", "F1")], abs=1e-9)


@pytest.mark.published
@pytest.mark.parametrize("gold", ["reader", "combined"])
def test_printed_baselines_follow_from_official_gold_sizes(shared, corpora, gold):
    result = document_values(corpora[gold], "hits@k", preset="semeval2010", gold_stemmed="yes")
    entries = int(result[result["system"] == "degree"]["gold_size"].sum())
    table = [r for r in rows(shared("published/semeval2010_baselines.csv")) if r["gold"].lower() == gold]
    assert len(table) == 9
    for row in table:
        hits, denominator = float(row["derived_hits"]), 100.0 * int(row["k"])
        assert (entries, denominator) == (int(row["derived_gold_total"]), float(row["derived_denominator"]))
        values = {"precision": hits / denominator, "recall": hits / entries, "f": 2 * hits / (denominator + entries)}
        for column, value in values.items():
            # F was printed from rounded P and R: one unit of its last digit
            tolerance = 0.0101 if column == "f" else 0.005 + 1e-9
            assert 100 * value == pytest.approx(float(row[f"{column}_percent"]), abs=tolerance)


PAGE = (ROOT / "docs" / "printed_numbers.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([a-z\d, -]+) \| (\d[\d, ]*) \| (\d[\d, ]*) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def spreads(corpora):
    corpus, names = corpora["published"], ("F1@10", "P@10", "R@10")
    return corpus, [kp.sensitivity(corpus, measure=name, k=10, gold_stemmed="yes") for name in names]


@pytest.mark.published
@pytest.mark.parametrize(("presets", "three", "four"), ROWS)
def test_presets_are_found_from_one_to_three_numbers(spreads, presets: str, three: str, four: str) -> None:
    corpus, every = spreads
    for preset in presets.split(", "):
        asked = {"preset": preset, "k": 10, "gold_stemmed": "yes", "interval": "none"}
        frame = kp.evaluate(corpus, measures=[one.measure for one in every], **asked).frame
        exact = frame[frame["system"] == "textrank"].groupby("measure")["value"].first()
        for digits, reported in ((3, three), (4, four)):
            numbers = [ReportedScore.of(one.measure, f"{exact[one.measure]:.{digits}f}", "textrank") for one in every]
            result = [matches_of(every[:n], numbers[:n]) for n in (1, 2, 3)]
            assert [one.fitting for one in result] == list(map(int, reported.split(", ")))
            assert preset in {row.preset for row in result[-1].frame.itertuples() if not row.changes} | {
                other for other in presets.split(", ") if other != preset
            }
