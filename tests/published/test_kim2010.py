"""The printed numbers of Kim, Baldwin & Kan (2010), and what follows from them."""

import pandas as pd
import pytest

from kp_core.studies.correlation import kim2010

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
    result = kim2010.correlations()
    assert result["measure"].tolist() == printed["metric"].map(MEASURES).tolist()
    assert result["average"].tolist() == printed["human_combination"].tolist()
    assert result["value"].tolist() == printed["spearman_rho"].tolist()
    assert result["table"].tolist() == printed["table"].tolist()
    assert (result["suspect"] != "").tolist() == (printed["derived_note"] != "").tolist()
    names = [
        {"All": "all"}.get(subset, subset) if breakdown == "length" else f"{breakdown}:{subset}"
        for breakdown, subset in zip(printed["breakdown"], printed["subset"], strict=True)
    ]
    assert result["subset"].tolist() == names


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
    assert [words[every] for every in claims["verdict"]] == printed["supported_by_the_printed_numbers"].tolist()
