"""The Report page: what is chosen is what is written, with the numbers of the settings in use."""

from typing import Any

import pytest

from tests.app.opening import opened

pytestmark = pytest.mark.app


@pytest.fixture(scope="module")
def page() -> Any:
    return opened("report")


def test_it_offers_the_files_and_a_paragraph_for_the_settings_in_use(page: Any) -> None:
    assert not page.exception
    assert [one.label for one in page.main.get("download_button")] == [
        "HTML report",
        "Archive of everything",
        "LaTeX tables",
        "Settings as JSON",
    ]
    paragraph, references = page.main.code[0].value, page.main.code[1].value
    assert "Cutoffs: k = 6." in paragraph
    assert "@article{holm1979" in references
    page.session_state["k"] = "9"
    page.run()
    assert "Cutoffs: k = 9." in page.main.code[0].value


def test_without_the_methods_there_is_no_paragraph(page: Any) -> None:
    page.multiselect(key="sections").set_value(["leaderboard"]).run()
    assert len(page.main.code) == 1  # the signature
    page.multiselect(key="sections").set_value([]).run()
    assert page.info[0].value == "Choose at least one section."
