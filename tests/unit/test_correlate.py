"""`correlate`: judged pairs with measures and labels, checked with SciPy; and similarity as a command."""

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import kp_core as kp
from tests.cases import LECTURES
from tests.corpora import corpus_of
from tests.unit.test_cli import run

JUDGED = LECTURES / "judgements.csv"


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(JUDGED)


@pytest.mark.parametrize("name", ["spearman", "pearson", "kendall"])
def test_every_cell_equals_scipy(lectures, table, name):
    asked = ["R-precision", "METEOR", "levenshtein"], ["location", "type"]
    study = kp.correlate(lectures, *asked, correlation=name, interval="none", test="none")
    human = table[[f"score_{i}" for i in range(1, 5)]].mean(axis=1).to_numpy()
    function = {"spearman": spearmanr, "pearson": pearsonr, "kendall": kendalltau}[name]
    checked = 0
    for row in study.frame.itertuples():
        if row.average != "average" or row.measure == "human":
            continue
        kind, _, label = row.subset.partition(":")
        used = np.ones(60, bool) if row.subset == "all" else None
        if row.subset.startswith("L<="):
            used = (table["keyphrase"].str.split().str.len() <= int(row.subset[3:])).to_numpy()
        if label:
            used = (study.pairs[kind] == label).to_numpy()
        values = np.round(study.pairs[row.measure].to_numpy()[used], 12)
        assert row.n == used.sum()
        if np.isnan(row.value):
            assert used.sum() < 3 or np.ptp(values) == 0 or np.ptp(human[used]) == 0
        else:
            assert row.value == pytest.approx(function(values, human[used]).statistic, abs=1e-9)
            checked += 1
    assert checked > 20


def test_pair_without_keyphrase_takes_best_gold_value():
    gold = {"d1": ["hash table", "bucket"], "d2": ["tide table", "moon"]}
    rows = [("p1", "d1", "table", 1.0), ("p2", "d1", "bucket list", 2.0), ("p3", "d2", "tide table", 4.0)]
    rows.append(("p4", "d2", "sun", 0.0))
    judged = pd.DataFrame(rows, columns=["pair_id", "doc_id", "candidate", "score"])
    loaded = kp.load(gold=gold, judgements=judged)
    study = kp.correlate(loaded, ["R-precision"], ["type"], interval="none", test="none")
    assert study.pairs["R-precision"].tolist() == [0.5, 0.5, 1.0, 0.0]
    assert study.pairs["type"].tolist() == ["PARTOF", "INCLUDE", "EXACT", "NONE"]
    assert "pairs-of:best-over-gold" in study.signature


def test_labels_of_the_file_replace_computed_ones_and_no_group_gives_no_subset(table):
    study = kp.correlate(table.assign(location="Middle"), by="location,group", interval="none", test="none")
    assert [subset for subset in study.frame["subset"].unique() if ":" in subset] == ["location:Middle"]


def test_missing_data_are_refused(table):
    with pytest.raises(kp.InputError, match="no judged pair"):
        kp.correlate(corpus_of({"d": ["x"]}))
    with pytest.raises(kp.UsageError, match="no breakdown 'colour'"):
        kp.correlate(table, by=["colour"])
    with pytest.raises(kp.UsageError, match="correlation is 'cosine'"):
        kp.correlate(table, correlation="cosine")
    with pytest.raises(kp.InputError, match="pairs without a keyphrase"):
        kp.correlate(table.drop(columns="keyphrase"))


@pytest.mark.parametrize(
    "recipe",
    [
        "grouping:paper|by:type,side|corr:pearson|ci:none|test:none|seed:4|dir:keyphrase|sim:same-tokens",
        "measures:M-R-precision(alignment=ordered,weights=keyphrase),mine%3A%201%7C2|resamples:50|test:williams|ties:mid",
        "measures:BLEU,exact|by:length|trials:50|swap:clusters|correction:bh|stem:snowball-en",
        "measures:R-precision,BLEU|ci:closed-form|trials:50|normalise:BLEU=lower%2Bspace",
    ],
)
def test_correlation_signature_reproduces_study(table, recipe):
    given = table.assign(**{"mine: 1|2": np.arange(60.0)})
    study = kp.correlate(given, **kp.correlation_from(f"kps-correlation|{recipe}"))
    assert {*recipe.split("|")} <= {*study.signature.split("|")}
    again = kp.correlate(given, **kp.correlation_from(study.signature))
    assert again.signature == study.signature
    pd.testing.assert_frame_equal(again.frame, study.frame)
    pd.testing.assert_frame_equal(again.found.tests, study.found.tests)
    assert study.signature in study.csv()
    assert study.signature in study.markdown()


def test_signature_of_another_study_is_refused():
    with pytest.raises(kp.UsageError, match="begins with kps-correlation"):
        kp.correlation_from("kps|k:5")


def test_similarity_of_plain_pairs(capsys, tmp_path: Path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("keyphrase,candidate\nquality of service,service quality\ntopic,topic importance\n", "utf-8")
    _, out, _ = run(capsys, "similarity", "--pairs", str(pairs), "--measures", "R-precision,ROUGE-2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["pair"] + row["measure"] for row in rows] == ["0R-precision", "0ROUGE-2", "1R-precision", "1ROUGE-2"]
    assert [row["reason"] for row in rows] == ["", "", "", "too_short"]
    assert float(rows[0]["value"]) == pytest.approx(2 / 3)
    assert rows[3]["value"] == ""
    status, _, err = run(capsys, "similarity", "--pairs", str(LECTURES / "gold.csv"))
    assert (status, "keyphrase and candidate" in err) == (1, True)
