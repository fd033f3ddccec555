"""What one file does not say and another one does: a late TAB, and the ids of as many lines."""

from __future__ import annotations

from typing import Any

import pytest

import kp_core as kp
from kp_core.reading import Mapping, Question, Source

GOLD = "tide table;high water\nmoon phase\nsea level rise\nharbour wall;breakwater\n"
CONSTANT = "tide table;water;sea\nmoon phase;water;sea\nsea level rise;water;sea\nharbour wall;water;sea\n"


def values(result: kp.Result) -> dict[tuple[str, str], float]:
    """Return {(system, measure): value}."""
    return {(row.system, row.measure): row.value for row in result.frame.itertuples()}


def run_with_late_tab() -> str:
    """Return a run of 260 phrases and a hit behind a doubled TAB, far below the lines by which a format is known."""
    lines = [f"q1\tQ0\td{rank}\t{rank}\t{1000 - rank}\tr\n" for rank in range(1, 261)]
    return "".join([*lines, "q1\tQ0\thit\t\t261\t739\tr\n", "q1 Q0 d262 262  738 r\n"])


def test_trec_run_with_late_doubled_tab_is_one_system() -> None:
    qrels = Source("a.qrels", b"q1 0 hit 1\nq1 0 d1 1\n")
    corpus = kp.load(gold=qrels, systems=Source("a.run", run_with_late_tab().encode()))
    assert corpus.systems == ["r"]
    result = kp.evaluate(corpus, preset="trec", k=300, measures=["MAP", "R@k"], interval="none")
    assert values(result) == pytest.approx({("r", "MAP"): (1 / 1 + 2 / 261) / 2, ("r", "R@300"): 1.0})


@pytest.mark.parametrize("given", ["apart", "together", "turned"])
def test_lists_of_constant_length_beside_as_many_lines_are_asked_and_may_be_line_aligned(given: str) -> None:
    files = {"gold.txt": Source("gold.txt", GOLD.encode()), "run.txt": Source("run.txt", CONSTANT.encode())}
    gold, run = files.values()
    loads: dict[str, dict[str, Any]] = {
        "apart": {"gold": gold, "systems": run},
        "together": {"files": [run, gold]},
        "turned": {"gold": run, "systems": gold},
    }
    with pytest.raises(Question) as asked:
        kp.load(**loads[given])
    (form,) = asked.value.forms
    assert "F5" in form.formats
    corpus = kp.load(**loads[given], mapping={form.file: Mapping(format="F5")})
    table = corpus.gold if given == "turned" else corpus.runs
    assert table.loc[table["doc_id"] == "4", "phrase"].tolist() == ["harbour wall", "water", "sea"]


@pytest.mark.parametrize(
    "files",
    [
        {"gold": "tide;sea\nmoon;sun;star\nwind\n", "systems": CONSTANT},  # other lines
        {"gold": CONSTANT, "systems": CONSTANT.replace("water", "star")},  # nothing proves either
        {"gold": "doc_id,keyphrase\ntide table,tide\nmoon phase,moon\n", "systems": CONSTANT},  # ids
    ],
)
def test_lists_of_constant_length_are_asked_elsewhere(files: dict[str, str]) -> None:
    with pytest.raises(Question, match=r"Say what the file means|expected an unambiguous format"):
        kp.load(**{role: Source(f"{role}.txt", text.encode()) for role, text in files.items()})
