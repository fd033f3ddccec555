"""The table of docs/printed_numbers.md: how many settings print what a preset prints on SemEval-2010."""

import re

import pytest

import kp_core as kp
from kp_core.studies.sensitivity import ReportedScore, matches_of
from tests.cases import ROOT
from tests.published import semeval

PAGE = (ROOT / "docs" / "printed_numbers.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([a-z\d, -]+) \| (\d[\d, ]*) \| (\d[\d, ]*) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def spreads(shared):
    corpus = semeval.corpus(shared, "published")
    return corpus, [
        kp.sensitivity(corpus, measure=name, k=10, gold_stemmed="yes") for name in ("F1@10", "P@10", "R@10")
    ]


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
