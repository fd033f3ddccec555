"""Files of several kinds on the Data page: what their receipt says, and what is asked of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kp_core.reading import Source
from kp_core.reading.open.source import packed
from tests.app.opening import opened, receipt, words

pytestmark = pytest.mark.app


@pytest.fixture
def case(shared: Callable[[str], Path]) -> Callable[[str], Source]:
    """Return a file of the cases as an upload."""
    return lambda name: Source(Path(name).name, shared(f"cases/{name}").read_bytes())


def loaded(app: Any) -> Any:
    return app.session_state["workspace"].corpus


@pytest.mark.parametrize(("name", "gold"), [("t_two.conll", "column 2"), ("t_four.conll", "column 3")])
def test_two_columns_of_tags_are_answered_at_a_click(case: Callable[[str], Source], name: str, gold: str) -> None:
    app = opened("data", files=[case(name)])
    assert "One file needs an answer" in words(app)
    first = app.button(key=f"answer {name} 0 0")
    assert first.label.startswith(f"“{gold}” is the gold standard, and")
    first.click().run()
    assert not app.exception
    assert loaded(app).gold["phrase"].tolist() == ["The", "tide table", "Harbour light"]
    assert loaded(app).runs["phrase"].tolist() == ["tide table", "Harbour light"]
    app.button(key=f"change {name}").click().run()
    assert not app.exception


@pytest.mark.parametrize("folder", ["kea_colon", "kea_colon_comma"])
@pytest.mark.parametrize("zipped", [False, True])
def test_texts_beside_keyphrases_are_read(shared: Callable[[str], Path], folder: str, zipped: bool) -> None:
    paths = sorted(shared(f"cases/{folder}").iterdir())
    files = [Source(path.name, path.read_bytes()) for path in paths]
    if zipped:
        files = [packed(folder, [(f"{folder}/{file.name}", file.data) for file in files])]
    app = opened("data", files=files)
    assert loaded(app).gold["phrase"].tolist() == ["tide table", "high water", "moon"]
    assert loaded(app).documents["text"].str.split().str[0].tolist() == ["Tide", "LUNA"]


def test_lists_of_constant_length_meet_the_gold_standard(case: Callable[[str], Source]) -> None:
    app = opened("data", files=[case("r_gold.txt"), case("r_ok.txt")])
    assert receipt(app) == {
        "r_gold.txt": "gold standard · 12 of 12 documents · 19 phrases",
        "r_ok.txt": "system r_ok · 12 of 12 documents · 36 phrases",
    }


def test_null_is_no_phrase(case: Callable[[str], Source]) -> None:
    app = opened("data", files=[case("null.jsonl")])
    assert loaded(app).runs["phrase"].tolist() == ["tide"]
    assert loaded(app).empty["doc_id"].tolist() == ["2", "3"]
    assert "rejected" not in words(app)


def test_direction_of_unsorted_scores_is_on_the_page(case: Callable[[str], Source]) -> None:
    app = opened("data", files=[case("s_gold.csv"), case("s_unsorted.csv")])
    assert receipt(app)["s_unsorted.csv"] == "system s_unsorted · 2 of 2 documents · 5 phrases · higher score is better"
    assert "sorted, the highest first. If lower scores are better, change it in the form of the file" in words(app)
