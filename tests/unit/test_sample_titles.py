"""The sample of book titles: the order of its systems reverses, and identifiers unite synonyms."""

from pathlib import Path

import pytest

import kp_core as kp
from kp_ui.state.workspace import SAMPLES
from sample_data import make_titles

TITLES = Path(make_titles.TITLES)


@pytest.fixture(scope="module")
def corpus() -> kp.Corpus:
    return SAMPLES["titles"].uploads().load()


def test_synonyms_are_one_by_their_identifiers(corpus: kp.Corpus) -> None:
    k = {}
    for by_concept in ("no", "yes"):
        frame = kp.agreement(corpus, by_concept=by_concept).frame
        rows = frame[(frame["system"] == "all") & (frame["subset"] == "all") & (frame["measure"] == "K")]
        k[by_concept] = round(rows["value"].item(), 3)
    assert k == {"no": 0.353, "yes": 0.604}


def test_the_script_writes_the_files_that_ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_titles, "TITLES", tmp_path)
    make_titles.main()
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.csv")}
    assert made == {path.relative_to(TITLES): path.read_bytes() for path in TITLES.rglob("*.csv")}
