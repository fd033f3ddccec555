"""The sample of book titles: the order of its systems turns, and identifiers make synonyms one."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import kp_core as kp
from kp_ui.state.workspace import SAMPLES
from sample_data import make_titles

TITLES = Path(make_titles.TITLES)


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return SAMPLES["titles"].uploads().load()


def test_files_are_read_without_a_question_and_nothing_is_left_to_say(corpus: kp.Corpus) -> None:
    assert (corpus.annotators, corpus.systems) == (["Indexer A", "Indexer B", "Indexer C"], ["learned", "words"])
    assert len(corpus.documents) == corpus.documents["title"].notna().sum() == 20
    assert len(corpus.gold) == corpus.gold["concept"].notna().sum() == 189
    assert [note.where for note in corpus.report.notes if note.level == "info"] == [*corpus.vocabulary.given]
    assert len(corpus.report.notes) == len(corpus.vocabulary.given)


def test_by_title_one_system_is_better_and_by_heading_the_other(corpus: kp.Corpus) -> None:
    by_title = kp.evaluate(corpus, measures=["F1@5"], by_concept="yes").frame.set_index("system")["value"]
    assert by_title.round(3).to_dict() == {"learned": 0.660, "words": 0.509}
    gold = set(map(tuple, corpus.gold[["doc_id", "concept"]].to_numpy()))
    by_heading = {}
    for system, runs in corpus.runs[corpus.runs["rank"] <= 5].groupby("system"):
        found = set(map(tuple, runs[["doc_id", "concept"]].to_numpy()))
        headings = {concept for _, concept in gold | found}
        hits, both = (
            [sum(one == two for _, two in pairs) for one in headings] for pairs in (gold & found, [*gold, *found])
        )
        by_heading[system] = sum(2 * hit / of for hit, of in zip(hits, both, strict=True)) / len(headings)
    assert by_heading == pytest.approx({"learned": 0.457, "words": 0.549}, abs=5e-4)


def test_synonyms_that_count_apart_are_told(corpus: kp.Corpus) -> None:
    every = pd.concat([corpus.gold[["concept", "phrase"]], corpus.runs[["concept", "phrase"]]])
    synonyms = sum(len({*phrases}) > 1 for _, phrases in every.groupby("concept")["phrase"])
    for asked in (kp.evaluate(corpus, measures="P@5"), kp.agreement(corpus)):
        warned = [note.message for note in asked.notes if (note.level, note.where) == ("warning", "concepts")]
        assert [message.split(" are ")[0] for message in warned] == [f"{synonyms} identifiers"]
    alike = kp.evaluate(corpus, measures="P@5", by_concept="yes")
    assert not [note for note in alike.notes if (note.level, note.where) == ("warning", "concepts")]


def test_synonyms_are_one_by_their_identifiers(corpus: kp.Corpus) -> None:
    k = {}
    for by_concept in ("no", "yes"):
        frame = kp.agreement(corpus, by_concept=by_concept).frame
        rows = frame[(frame["system"] == "all") & (frame["subset"] == "all") & (frame["measure"] == "K")]
        k[by_concept] = round(rows["value"].item(), 3)
    assert k == {"no": 0.353, "yes": 0.604}


def test_the_thesaurus_has_every_heading_and_no_cycle(corpus: kp.Corpus) -> None:
    parents = pd.read_csv(TITLES / "broader.csv").set_index("child")["parent"].to_dict()
    n = pd.read_csv(TITLES / "frequencies.csv").set_index("concept")["n"]
    assert {*corpus.gold["concept"], *corpus.runs["concept"], *parents, *parents.values()} <= set(n.index)
    for concept in parents:
        above = [concept]
        while above[-1] in parents:
            above.append(parents[above[-1]])
        assert len(set(above)) == len(above) <= 4
        assert n[above].is_monotonic_increasing


def test_the_script_writes_the_files_that_ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_titles, "TITLES", tmp_path)
    make_titles.main()
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.csv")}
    assert made == {path.relative_to(TITLES): path.read_bytes() for path in TITLES.rglob("*.csv")}
