"""Printed agreement values solved for the tables behind them, and the words of published scales for a value."""

import numpy as np
import pytest

from kp_core import MEASURES
from kp_core.scoring.measures import concordance
from kp_core.studies.published_tables import LECTURE_SYSTEMS, recover
from kp_core.words.statements import benchmark, word
from tests.cases import rows

NAMES = ("kappa", "P_pos", "P_neg", "PABAK")


def printed(a, b, c, d, digits=3):
    table = concordance.table(a, b, c, d)
    return [f"{float(MEASURES[name].score(table)):.{digits}f}" for name in NAMES]


@pytest.mark.published
def test_the_lecture_table_is_the_printed_one(shared):
    printed = {row["algorithm"]: row for row in rows(shared("published/lecture_keyword_results.csv"))}
    assert list(printed) == list(LECTURE_SYSTEMS)
    for name, texts in LECTURE_SYSTEMS.items():
        assert [float(printed[name][key]) for key in ("kappa", "p_pos", "p_neg", "pabak")] == [float(t) for t in texts]


@pytest.mark.published
def test_margins_behind_the_lecture_table(shared):
    result = {name: recover(*texts) for name, texts in LECTURE_SYSTEMS.items()}
    low, high = max(item.larger.low for item in result.values()), min(item.larger.high for item in result.values())
    gold_share = f"{low:.4f}..{high:.4f}"
    for row in rows(shared("published/lecture_keyword_implied.csv")):
        assert gold_share == row["gold_share_common_range"]
        low, high = (float(text) for text in row["implied_a_over_N"].split(".."))
        both = result[row["algorithm"]].both
        # The file gives a for the printed PABAK alone; P_neg narrows it.
        assert both.low == pytest.approx(low, abs=1e-4)
        assert both.high == pytest.approx(high, abs=1e-4)
    # No list length fits all systems.
    assert result["Document Boosting"].smaller.high < result["TF-IDF with Adjective-Noun Chunks"].smaller.low
    assert all(item.precision_max < 0.5 for item in result.values())


def test_spans_contain_every_table_with_printed_values():
    """All tables of N = 60 with the same four printed values lie within the spans."""
    cells = np.array([(a, b, c, 60 - a - b - c) for a in range(25) for b in range(25) for c in range(11)], float)
    values = np.array([MEASURES[name].score(concordance.table(*cells.T)) for name in NAMES]).T
    rng = np.random.default_rng(0)
    for place in rng.choice(np.flatnonzero((cells[:, 0] > 0) & (cells[:, 1] + cells[:, 2] > 0)), 60, replace=False):
        texts = [f"{value:.2f}" for value in values[place]]
        result = recover(*texts)
        assert result is not None
        alike = (np.abs(values - np.array([float(text) for text in texts])) <= 0.005 + 1e-12).all(axis=1)
        a, b, c, d = cells[alike].T / 60
        for span, shares in ((result.both, a), (result.apart, b + c), (result.neither, d)):
            assert span.low - 1e-6 <= shares.min() <= shares.max() <= span.high + 1e-6
        sides = np.sort(np.array([a + b, a + c]), axis=0)
        assert result.smaller.low - 1e-4 <= sides[0].min() <= sides[0].max() <= result.smaller.high + 1e-4
        assert result.larger.low - 1e-4 <= sides[1].min() <= sides[1].max() <= result.larger.high + 1e-4


def test_values_that_contradict_each_other_have_no_table():
    assert recover(".204", ".224", ".975", ".802") is None  # P_neg follows from P_pos and PABAK
    assert recover(".404", ".224", ".975", ".902") is None  # kappa is never above P_pos where both sides say “no” more
    assert recover(*printed(76, 419, 108, 10147)) is not None
    assert recover(".832255", ".851568", ".980569", ".93") is not None  # of six, six, six and two digits


@pytest.mark.published
def test_the_certain_word_of_gwet():
    certain, bands = benchmark(0.67, 0.15)
    assert [p for _, p in bands][:5] == pytest.approx([0.18168, 0.67511, 0.96356, 0.99912, 1], abs=1e-5)
    assert (word(0.67), certain) == ("substantial", "moderate")
