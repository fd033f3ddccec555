"""The printed numbers of Kim, Baldwin & Kan (2010), and what follows from them."""

import numpy as np
import pandas as pd
import pytest

from kp_core.studies.correlation import kim2010
from kp_core.text.tags import class_of_tags

MEASURES = {
    "human": "human",
    "r_precision_orig": "R-precision",
    "r_precision_mod": "M-R-precision",
    "bleu": "BLEU",
    "meteor": "METEOR",
    "nist": "NIST",
    "rouge1": "ROUGE-1",
    "semantic_similarity": "semantic similarity",
}
NGRAMS = ["R-precision", "M-R-precision", "BLEU", "METEOR", "NIST", "ROUGE-1"]


@pytest.fixture(scope="module")
def rho():
    frame = kim2010.correlations()
    return frame.set_index(["average", "subset", "measure"])["value"].sort_index()


def test_every_cell_is_as_printed(shared):
    printed = pd.read_csv(shared("published/kim2010_correlations.csv"), keep_default_na=False)
    found = kim2010.correlations()
    assert found["measure"].tolist() == printed["metric"].map(MEASURES).tolist()
    assert found["average"].tolist() == printed["human_combination"].tolist()
    assert found["value"].tolist() == printed["spearman_rho"].tolist()
    assert found["table"].tolist() == printed["table"].tolist()
    assert (found["suspect"] != "").tolist() == (printed["derived_note"] != "").tolist()
    names = [
        {"All": "all"}.get(subset, subset) if breakdown == "length" else f"{breakdown}:{subset}"
        for breakdown, subset in zip(printed["breakdown"], printed["subset"], strict=True)
    ]
    assert found["subset"].tolist() == names


def test_mean_scores_are_as_printed(shared):
    printed = pd.read_csv(shared("published/kim2010_mean_human_scores.csv"))
    found = kim2010.table("scores")
    assert ("candidate " + found["candidate"]).tolist() == printed["direction"].tolist()
    assert found["location"].tolist() == printed["location"].tolist()
    expected = pd.to_numeric(printed["mean_human_score"], errors="coerce").to_numpy()
    np.testing.assert_array_equal(found["mean_score"].to_numpy(), expected)
    assert np.isnan(expected).sum() == 1


def test_sizes_are_as_printed(shared):
    printed = pd.read_csv(shared("published/kim2010_table1_dataset.csv")).set_index("row")
    found = kim2010.table("data").drop_duplicates("item").set_index("item")["value"]
    rows = {"Total": "{} keyphrases", "Average per paper": "{} keyphrases a paper", "NPs": "{} noun phrases"}
    rows |= {"Found": "{} keyphrases found in the text"}
    compared = 0
    for row, item in rows.items():
        for column in printed:
            who = column.partition("_")[0].replace("total", "all")
            name = item.format(who) + (" with of-alternates" if column.endswith("alternates") else "")
            if not np.isnan(printed.loc[row, column]):
                assert found[name] == printed.loc[row, column]
                compared += 1
    assert compared == 18
    other = pd.read_csv(shared("published/kim2010_other_facts.csv")).set_index("item")["value"]
    assert found["judged pairs"] == int(other["keyphrase-candidate items rated"])
    assert other["annotators agree exactly: 2 subjects"] == "55%-70%"
    assert found["least share of items on which 2 annotators agree"] == 0.55
    assert found["greatest share of items on which 2 annotators agree"] == 0.70


def test_averages_a_paper_that_follow_from_the_totals_and_the_one_that_does_not():
    data = kim2010.table("data").drop_duplicates("item").set_index("item")
    for who in ("reader", "all"):
        for added in ("", " with of-alternates"):
            total, mean = (data.loc[f"{who} keyphrases{part}{added}", "value"] for part in ("", " a paper"))
            assert mean == pytest.approx(total / 250, abs=0.005 + 1e-9)
    assert data.loc["author keyphrases", "value"] / 250 == pytest.approx(5.19, abs=0.005)
    assert data.loc["author keyphrases a paper", "value"] == 3.85
    assert data.loc["author keyphrases a paper", "suspect"] == "1298 / 250 = 5.19"


def holds_over_pooled_pairs(rho, better, worse):
    return [
        rho[how, subset, better] > rho[how, subset, worse]
        for how in ("average", "majority")
        for subset in ("all", "L<=4", "L<=3")
    ]


def test_every_verdict_follows_from_the_printed_cells(rho, shared):
    claims = kim2010.table("claims")
    verdict = dict(zip(claims["claim"], claims["verdict"], strict=True))
    assert all(holds_over_pooled_pairs(rho, "R-precision", "human"))
    assert all(holds_over_pooled_pairs(rho, "R-precision", "M-R-precision"))
    assert all(all(holds_over_pooled_pairs(rho, name, "semantic similarity")) for name in NGRAMS)
    locations = [(how, f"location:{where}") for how in ("average", "majority") for where in ("First", "Middle", "Head")]
    assert all(rho[(*cell, "M-R-precision")] >= rho[(*cell, "R-precision")] for cell in locations)
    parts = sorted({cell[:2] for cell in rho.index if ":" in cell[1]})
    below = [("average", "location:First"), ("majority", "complexity:CC")]
    below += [("majority", "location:First"), ("majority", "location:Middle")]
    assert [cell for cell in parts if rho[(*cell, "R-precision")] <= rho[(*cell, "human")]] == below
    rises = [rho[how, "L<=3", name] > rho[how, "all", name] for how in ("average", "majority") for name in NGRAMS]
    assert sum(rises) == 12
    assert not any(rho[how, "location:Head", "human"] > rho[how, "all", "human"] for how in ("average", "majority"))
    modified = rho.xs("M-R-precision", level="measure")
    assert modified["average"].idxmin() == "complexity:PP"
    assert modified["majority"]["complexity:PP"] > modified["majority"]["complexity:Simple"]
    assert sorted(verdict.values()) == ["fails"] * 3 + ["half"] * 2 + ["holds"] * 4 + ["unclear"]
    printed = pd.read_csv(shared("published/kim2010_claims_against_tables.csv"), dtype=str)
    words = {"holds": "True", "half": "True", "fails": "False", "unclear": "ambiguous"}
    assert [words[each] for each in claims["verdict"]] == printed["supported_by_the_printed_numbers"].tolist()


def test_class_of_the_keyphrases_of_the_worked_examples(shared):
    table = pd.read_csv(shared("oracles/similarity/phrase_pairs_expected.csv"), dtype=str)
    found = [class_of_tags(tags.split(), "penn") for tags in table["tags_of_keyphrase"]]
    assert found == table["pos_of_keyphrase"].tolist()
    assert len(found) == 16
