"""What one file does not say and another one does: a late TAB, and the ids of as many lines."""

from typing import Any

import pytest

import kp_core as kp
from kp_core.reading import Mapping, Question, Source, form_for

GOLD = "tide table;high water\nmoon phase\nsea level rise\nharbour wall;breakwater\n"
CONSTANT = "tide table;water;sea\nmoon phase;water;sea\nsea level rise;water;sea\nharbour wall;water;sea\n"
TAGS = "The\tB\tO\ntide\tB\tB\ntable\tI\tI\n\nHarbour\tB\tI\nlight\tI\tI\n"


def values(result: kp.Result) -> dict[tuple[str, str], float]:
    """Return {(system, measure): value}."""
    return {(row.system, row.measure): row.value for row in result.frame.itertuples()}


def run_with_late_tab() -> str:
    """Return a run of 260 phrases with a hit after a double TAB, far below the lines that determine the format."""
    lines = [f"q1\tQ0\td{rank}\t{rank}\t{1000 - rank}\tr\n" for rank in range(1, 261)]
    return "".join([*lines, "q1\tQ0\thit\t\t261\t739\tr\n", "q1 Q0 d262 262  738 r\n"])


def test_trec_run_with_late_double_tab_is_read() -> None:
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


def test_two_tag_columns_raise_one_question() -> None:
    file = Source("t.conll", TAGS.encode())
    with pytest.raises(Question) as asked:
        kp.load(gold=file, systems={"mine": file})
    (finding,) = asked.value.findings
    assert finding.found in form_for(file, Mapping()).reason
    assert [item.options() for item in finding.answers] == [
        "--as 't.conll:gold=column 2,format=F13C'",
        "--as 't.conll:gold=column 3,format=F13C'",
        "--as 't.conll:role=gold,keyphrases=column 2,column 3,annotator=(heads),format=F13C'",
        "--as 't.conll:keyphrases=column 3,format=F13C'",
    ]
    gold = ["The", "tide table", "Harbour light"]
    for answer, right in zip(finding.answers[:2], ((1.0, 2 / 3), (2 / 3, 1.0)), strict=True):
        corpus = kp.load(gold=file, systems={"mine": file}, mapping=answer.mapping)
        result = kp.evaluate(corpus, k="all", average="micro", measures=["P@k", "R@k"], interval="none")
        assert values(result) == pytest.approx({("mine", "P@M"): right[0], ("mine", "R@M"): right[1]})
        lists = sorted([corpus.gold["phrase"].tolist(), corpus.runs["phrase"].tolist()], key=len)
        assert lists == [gold[1:], gold]


def test_a_column_without_tags_is_refused_in_words() -> None:
    mapping = Mapping(gold="column 9")
    with pytest.raises(
        kp.InputError, match="expected a column of tags: “column 2”, “column 3”, found no tags in “colu"
    ):
        kp.load(gold=Source("t.conll", TAGS.encode()), mapping={"t.conll": mapping})


def test_line_aligned_lists_are_split_as_said() -> None:
    gold, run = Source("g.txt", b"tide|sea\nmoon\n"), Source("r.txt", b"tide|ship\nsea|moon\n")
    mapping = {name: Mapping(format="F5", split="|") for name in ("g.txt", "r.txt")}
    corpus = kp.load(gold=gold, systems=run, mapping=mapping)
    assert corpus.gold["phrase"].tolist() == ["tide", "sea", "moon"]
    assert corpus.runs[["doc_id", "phrase"]].to_numpy().tolist() == [
        ["1", "tide"],
        ["1", "ship"],
        ["2", "sea"],
        ["2", "moon"],
    ]
