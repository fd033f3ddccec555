"""Fixtures for the tests of the pages."""

from functools import partial
from typing import Any

import pytest
import streamlit as st

from kp_core.takeaway.figures import file_name
from kp_ui.widgets import show


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, Any]]:
    """Return the downloads that the pages offer, as key → (file name, content or function that returns it)."""
    result: dict[str, tuple[str, Any]] = {}
    original = st.download_button

    def note(label: str, data: Any, file_name: str, *rest: Any, **options: Any) -> bool:
        result[options["key"]] = (file_name, data)
        return bool(original(label, data, file_name, *rest, **options))

    def offer(words: str, caption: str, forms: Any, line: str | None = None) -> None:
        name, ending = file_name(caption), {"LaTeX": "tex", "Markdown": "md"}
        for form in forms:
            result.pop(f"{form.lower()} {name}", None)  # the latest is the last
        result.update(
            {
                f"{form.lower()} {name}": (f"{name}.{ending.get(form, form.lower())}", partial(make, line or ""))
                for form, make in forms.items()
            }
        )
        noted(words, caption, forms, line)

    noted = show.offer
    monkeypatch.setattr(show, "offer", offer)  # what the foot of the page offers once it is opened
    monkeypatch.setattr(st, "download_button", note)
    return result
